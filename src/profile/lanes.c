/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First-fit lanes. Per lane the ends of its open spans are kept as a stack; a lane of an engine
 * never holds more than one.
 *
 * A flow end goes to the lane of its span. One that leaves finds it open; one that arrives may
 * belong to a span that starts at this very time, so it waits until the next row of its track.
 */
#include "profile/lanes.h"

#include "base/grow.h"

#include <stdlib.h>

typedef struct lane {
    uint32_t track;
    int64_t *ends; /* of open spans, outermost first */
    size_t end_count, end_capacity;
} lane;

typedef struct lane_set {
    lane *lanes; /* lane 0 is the track itself */
    size_t lane_count, lane_capacity;
    tacho_row *flows; /* waiting, all at one time */
    size_t flow_count, flow_capacity;
} lane_set;

struct tacho_lanes {
    tacho_events events;
    tacho_events *next;
    lane_set *sets; /* by track */
    size_t set_count, set_capacity;
};

static tacho_lanes *lanes_of(tacho_events *events)
{
    return (tacho_lanes *)(void *)events;
}

static tacho_status ensure_set(tacho_lanes *lanes, uint32_t track, lane_set **out_set)
{
    if (TACHO_UNLIKELY(track >= lanes->set_count)) {
        TACHO_TRY(tacho_grow(&lanes->sets, &lanes->set_capacity, (size_t)track + 1));
        for (; lanes->set_count <= track; lanes->set_count++) {
            lanes->sets[lanes->set_count] = (lane_set){0};
        }
    }
    *out_set = &lanes->sets[track];
    return TACHO_OK;
}

/* Closes the spans of |lane| that have ended at |time|. */
static void close_ended(lane *at, int64_t time)
{
    while (at->end_count > 0 && at->ends[at->end_count - 1] <= time) {
        at->end_count--;
    }
}

static bool fits(lane *at, int64_t start, int64_t end, tacho_nesting nesting)
{
    close_ended(at, start);
    return at->end_count == 0 ||
           (nesting == TACHO_NESTING_STACK && end <= at->ends[at->end_count - 1]);
}

static tacho_status add_lane(tacho_lanes *lanes, lane_set *set, uint32_t track)
{
    TACHO_TRY(tacho_grow(&set->lanes, &set->lane_capacity, set->lane_count + 1));
    lane added = {.track = track};
    if (set->lane_count > 0) {
        tacho_track facts = lanes->events.dict->tracks[track];
        facts.lane_of = track;
        TACHO_TRY(tacho_dict_add_track(lanes->events.dict, &facts, &added.track));
    }
    set->lanes[set->lane_count++] = added;
    return TACHO_OK;
}

/* The first lane that takes the span; a new one if need be. */
static tacho_status find_lane(tacho_lanes *lanes, lane_set *set, const tacho_row *row,
                              lane **out_lane)
{
    tacho_nesting nesting = lanes->events.dict->tracks[row->track].nesting;
    for (size_t i = 0; i < set->lane_count; i++) {
        if (fits(&set->lanes[i], row->start, row->of.span.end, nesting)) {
            *out_lane = &set->lanes[i];
            return TACHO_OK;
        }
    }
    TACHO_TRY(add_lane(lanes, set, row->track));
    *out_lane = &set->lanes[set->lane_count - 1];
    return TACHO_OK;
}

static tacho_status push_flows(tacho_lanes *lanes, lane_set *set, uint32_t track)
{
    for (size_t i = 0; i < set->flow_count; i++) {
        set->flows[i].track = track;
        TACHO_TRY(tacho_events_row(lanes->next, &set->flows[i]));
    }
    set->flow_count = 0;
    return TACHO_OK;
}

/* The lane with a span open at |time|, else the track itself. */
static uint32_t open_lane(const lane_set *set, uint32_t track, int64_t time)
{
    for (size_t i = 0; i < set->lane_count; i++) {
        const lane *at = &set->lanes[i];
        if (at->end_count > 0 && at->ends[at->end_count - 1] >= time) {
            return at->track;
        }
    }
    return track;
}

/* Sends waiting flow ends on when no span starts where they are. */
static tacho_status release_flows(tacho_lanes *lanes, lane_set *set, uint32_t track, int64_t time)
{
    if (set->flow_count == 0 || set->flows[0].start == time) {
        return TACHO_OK;
    }
    return push_flows(lanes, set, open_lane(set, track, set->flows[0].start));
}

static tacho_status place_span(tacho_lanes *lanes, lane_set *set, const tacho_row *row)
{
    lane *found = NULL;
    TACHO_TRY(find_lane(lanes, set, row, &found));
    if ((row->of.span.flags & TACHO_SPAN_INSTANT) == 0) {
        TACHO_TRY(tacho_grow(&found->ends, &found->end_capacity, found->end_count + 1));
        found->ends[found->end_count++] = row->of.span.end;
    }
    if (set->flow_count > 0) {
        TACHO_TRY(push_flows(lanes, set, found->track));
    }
    if (found->track == row->track) {
        return tacho_events_row(lanes->next, row);
    }
    tacho_row moved = *row;
    moved.track = found->track;
    return tacho_events_row(lanes->next, &moved);
}

/* Sends a flow end that leaves to its span, holds one that arrives. */
static tacho_status place_flow(tacho_lanes *lanes, lane_set *set, const tacho_row *row)
{
    if (row->of.flow.leaves) {
        tacho_row moved = *row;
        moved.track = open_lane(set, row->track, row->start);
        return tacho_events_row(lanes->next, &moved);
    }
    TACHO_TRY(tacho_grow(&set->flows, &set->flow_capacity, set->flow_count + 1));
    set->flows[set->flow_count++] = *row;
    return TACHO_OK;
}

static tacho_status lanes_row(tacho_events *events, const tacho_row *row)
{
    tacho_lanes *lanes = lanes_of(events);
    if (row->kind == TACHO_ROW_SAMPLE) {
        return tacho_events_row(lanes->next, row);
    }
    lane_set *set = NULL;
    TACHO_TRY(ensure_set(lanes, row->track, &set));
    TACHO_TRY(release_flows(lanes, set, row->track, row->start));
    return row->kind == TACHO_ROW_FLOW ? place_flow(lanes, set, row) : place_span(lanes, set, row);
}

static tacho_status lanes_end_part(tacho_events *events, uint32_t part)
{
    tacho_lanes *lanes = lanes_of(events);
    for (size_t track = 0; track < lanes->set_count; track++) {
        TACHO_TRY(release_flows(lanes, &lanes->sets[track], (uint32_t)track, INT64_MAX));
    }
    return tacho_events_end_part(lanes->next, part);
}

static tacho_status lanes_finish(tacho_events *events)
{
    return tacho_events_finish(lanes_of(events)->next);
}

static const tacho_events_vtable lanes_vtable = {lanes_row, lanes_end_part, lanes_finish};

tacho_status tacho_lanes_create(tacho_events *next, tacho_lanes **out_lanes)
{
    tacho_lanes *lanes = calloc(1, sizeof(*lanes));
    if (lanes == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for lanes");
    }
    lanes->events = (tacho_events){&lanes_vtable, next->dict};
    lanes->next = next;
    *out_lanes = lanes;
    return TACHO_OK;
}

void tacho_lanes_destroy(tacho_lanes *lanes)
{
    if (lanes == NULL) {
        return;
    }
    for (size_t i = 0; i < lanes->set_count; i++) {
        lane_set *set = &lanes->sets[i];
        for (size_t k = 0; k < set->lane_count; k++) {
            free(set->lanes[k].ends);
        }
        free(set->lanes);
        free(set->flows);
    }
    free(lanes->sets);
    free(lanes);
}

tacho_events *tacho_lanes_events(tacho_lanes *lanes)
{
    return &lanes->events;
}
