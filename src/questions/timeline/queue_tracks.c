/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts launches and starts to changes; then changes, by time, to samples.
 */
#include "questions/timeline/queue_tracks.h"

#include "base/grow.h"

#include <stdio.h>
#include <stdlib.h>

enum { CHANGES_BYTES = 2 << 20, NAME_BYTES = 256, NAME_SHOWN = 200 };

/* A stream, or the counter of one. */
typedef struct tacho_queue_track {
    uint32_t counter;   /* track of a stream's counter; TACHO_NONE: not made yet */
    bool has_input;     /* the input has that counter */
    int64_t last_start; /* of a stream's last work, ticks */
    /* For a counter: */
    bool has_time;
    int64_t time; /* ticks; changes of this time are in |value| */
    int64_t value, told;
} track_state;

static tacho_queue_tracks *tracks_of(tacho_events *events)
{
    return (tacho_queue_tracks *)(void *)events;
}

static tacho_status grow_tracks(tacho_queue_tracks *self)
{
    size_t count = self->events.dict->track_count;
    TACHO_TRY(tacho_grow(&self->tracks, &self->track_capacity, count));
    while (self->track_count < count) {
        self->tracks[self->track_count++] = (track_state){.counter = TACHO_NONE};
    }
    return TACHO_OK;
}

/* ---- changes ------------------------------------------------------------------------------- */

/* Whether |parent| has a track of that name; sources need not enter theirs in the index. */
static bool has_track(const tacho_dict *dict, uint32_t parent, tacho_str name)
{
    for (size_t i = 0; i < dict->track_count; i++) {
        if (dict->tracks[i].parent == parent &&
            tacho_str_equal(tacho_dict_string(dict, dict->tracks[i].name), name)) {
            return true;
        }
    }
    return false;
}

/* Makes the counter "stream 7 queue" next to its stream. */
static tacho_status ensure_counter(tacho_queue_tracks *self, uint32_t stream)
{
    tacho_dict *dict = self->events.dict;
    if (self->tracks[stream].counter != TACHO_NONE || self->tracks[stream].has_input) {
        return TACHO_OK;
    }
    tacho_str of = tacho_dict_string(dict, tacho_dict_track_name(dict, stream));
    char name[NAME_BYTES];
    int len = snprintf(name, sizeof(name), "%.*s queue",
                       of.len < NAME_SHOWN ? (int)of.len : NAME_SHOWN, of.data);
    const tacho_track facts = {
        .parent = dict->tracks[stream].parent,
        .part = dict->tracks[stream].part,
        .clock = dict->tracks[stream].clock,
        .lane_of = TACHO_NONE,
        .rank = -1,
        .track_class = TACHO_TRACK_COUNTER,
        .unit = TACHO_UNIT_COUNT,
    };
    uint32_t counter = TACHO_NONE;
    if (has_track(dict, facts.parent, tacho_str_make(name, (size_t)len))) {
        self->tracks[stream].has_input = true;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_dict_ensure_track(dict, &facts, tacho_str_make(name, (size_t)len), &counter));
    TACHO_TRY(grow_tracks(self));
    self->tracks[stream].counter = counter;
    return TACHO_OK;
}

static tacho_status add_change(tacho_queue_tracks *self, uint32_t stream, int64_t ticks, int change)
{
    const tacho_row row = {.kind = TACHO_ROW_SAMPLE,
                           .track = self->tracks[stream].counter,
                           .start = ticks,
                           .of.sample.value = change};
    return tacho_spool_add(self->changes, &row);
}

/* Adds launched work that starts at |start| ticks on |stream|. */
static tacho_status add_wait(tacho_queue_tracks *self, uint32_t stream, int64_t start,
                             const tacho_launch *launch)
{
    const tacho_clock *clock = tacho_dict_track_clock(self->events.dict, stream);
    int64_t ticks = tacho_clock_ticks(clock, launch->start_ns);
    TACHO_TRY(ensure_counter(self, stream));
    if (ticks >= start || self->tracks[stream].has_input) {
        return TACHO_OK; /* it does not wait, or the input has the counter */
    }
    TACHO_TRY(add_change(self, stream, ticks, 1));
    return add_change(self, stream, start, -1);
}

static tacho_status add_work(void *tracks, const tacho_timeline_work *work, uint32_t *out_tag)
{
    tacho_queue_tracks *self = tracks;
    const tacho_row *row = work->span.row;
    *out_tag = 0;
    self->tracks[row->track].last_start = row->start;
    return work->has_launch ? add_wait(self, row->track, row->start, &work->launch) : TACHO_OK;
}

static tacho_status add_launch(void *tracks, uint32_t track, const tacho_launch *launch)
{
    tacho_queue_tracks *self = tracks;
    return add_wait(self, track, self->tracks[track].last_start, launch);
}

static tacho_status begin_part(void *tracks, uint32_t part)
{
    (void)part;
    tacho_queue_tracks *self = tracks;
    TACHO_TRY(grow_tracks(self));
    return self->changes != NULL
               ? TACHO_OK
               : tacho_spool_create(self->events.dict, CHANGES_BYTES, &self->changes);
}

/* ---- samples ------------------------------------------------------------------------------- */

/* Receives changes in order of time. */
typedef struct outlet {
    tacho_events events;
    tacho_queue_tracks *tracks;
} outlet;

/* Pushes a sample of |counter| at its time, unless its value is unchanged. */
static tacho_status tell(tacho_queue_tracks *self, uint32_t counter)
{
    track_state *track = &self->tracks[counter];
    if (!track->has_time || track->value == track->told) {
        return TACHO_OK;
    }
    track->told = track->value;
    const tacho_row row = {.kind = TACHO_ROW_SAMPLE,
                           .track = counter,
                           .start = track->time,
                           .of.sample.value = (double)track->value};
    return tacho_events_row(self->next, &row);
}

static tacho_status pass_change(tacho_events *events, const tacho_row *row)
{
    tacho_queue_tracks *self = ((outlet *)(void *)events)->tracks;
    track_state *track = &self->tracks[row->track];
    if (track->has_time && row->start > track->time) {
        TACHO_TRY(tell(self, row->track));
    }
    track->has_time = true;
    track->time = row->start;
    track->value += row->of.sample.value > 0 ? 1 : -1;
    return TACHO_OK;
}

static tacho_status tell_all(tacho_queue_tracks *self)
{
    static const tacho_events_vtable vtable = {.row = pass_change};
    outlet out = {{&vtable, self->events.dict}, self};
    if (self->changes == NULL) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_spool_drain(self->changes, &out.events));
    for (uint32_t i = 0; i < self->track_count; i++) {
        TACHO_TRY(tell(self, i));
        self->tracks[i].has_time = false;
    }
    return TACHO_OK;
}

/* ---- the filter ---------------------------------------------------------------------------- */

static tacho_status pass_row(tacho_events *events, const tacho_row *row)
{
    tacho_queue_tracks *self = tracks_of(events);
    TACHO_TRY(tacho_events_row(&self->timeline.events, row));
    return tacho_events_row(self->next, row);
}

static tacho_status end_part(tacho_events *events, uint32_t part)
{
    tacho_queue_tracks *self = tracks_of(events);
    TACHO_TRY(tacho_events_end_part(&self->timeline.events, part));
    TACHO_TRY(tell_all(self));
    return tacho_events_end_part(self->next, part);
}

static tacho_status finish(tacho_events *events)
{
    return tacho_events_finish(tracks_of(events)->next);
}

void tacho_queue_tracks_init(tacho_queue_tracks *tracks, tacho_events *next)
{
    static const tacho_events_vtable vtable = {
        .row = pass_row, .end_part = end_part, .finish = finish};
    const tacho_timeline_taker taker = {
        .self = tracks, .work = add_work, .launch = add_launch, .begin_part = begin_part};
    *tracks = (tacho_queue_tracks){.events = {&vtable, next->dict}, .next = next};
    tacho_timeline_init(&tracks->timeline, next->dict, &taker);
}

void tacho_queue_tracks_deinit(tacho_queue_tracks *tracks)
{
    tacho_timeline_deinit(&tracks->timeline);
    tacho_spool_destroy(tracks->changes);
    free(tracks->tracks);
    tracks->tracks = NULL;
}
