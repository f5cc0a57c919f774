/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a capture.
 */
#include "capture/recorder.h"

#include "base/grow.h"

#include <stdlib.h>

static tacho_status add_clock(tacho_dict *dict, int64_t start_ns, uint32_t *out_clock)
{
    tacho_clock clock;
    tacho_clock_init(&clock, 1, 1);
    clock.zero_ticks = start_ns;
    return tacho_dict_add_clock(dict, &clock, TACHO_STR("CLOCK_MONOTONIC"), out_clock);
}

tacho_status tacho_recorder_open(tacho_recorder *recorder, tacho_events *events, tacho_str command,
                                 int64_t start_ns)
{
    tacho_dict *dict = events->dict;
    uint32_t clock = 0;
    *recorder = (tacho_recorder){.events = events};
    TACHO_TRY(add_clock(dict, start_ns, &clock));
    tacho_str program = tacho_str_make(command.data, tacho_str_find_byte(command, ' '));
    const tacho_part_facts facts = {
        .path = command,
        .name = tacho_str_basename(program),
        .format = TACHO_STR(TACHO_PROCESS_FORMAT),
        .origin = TACHO_ORIGIN_MEASURED,
        .clock = clock,
    };
    TACHO_TRY(tacho_dict_add_part(dict, &facts, &recorder->part));
    recorder->has_part = true;
    dict->parts[recorder->part].first_start = start_ns;
    for (unsigned i = 0; i < TACHO_PROCESS_ARG_COUNT; i++) {
        tacho_str name = tacho_str_from_cstring(tacho_process_arg_name((tacho_process_arg)i));
        TACHO_TRY(tacho_dict_ensure_string(dict, name, &recorder->keys[i]));
    }
    return TACHO_OK;
}

void tacho_recorder_close(tacho_recorder *recorder)
{
    tacho_status_free(recorder->failure);
    free(recorder->sums);
    recorder->failure = TACHO_OK;
    recorder->sums = NULL;
}

/* ---- sums ---------------------------------------------------------------------------------- */

static tacho_status add_to_sum(tacho_recorder *recorder, const tacho_row *row)
{
    const tacho_track *track = &recorder->events->dict->tracks[row->track];
    uint32_t site = row->of.span.site;
    if (row->kind != TACHO_ROW_SPAN || track->track_class == TACHO_TRACK_PHASE) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&recorder->sums, &recorder->sum_capacity, (size_t)site + 1));
    for (; recorder->sum_count <= site; recorder->sum_count++) {
        recorder->sums[recorder->sum_count] =
            (tacho_site_sum){.site = (uint32_t)recorder->sum_count};
    }
    tacho_site_sum *sum = &recorder->sums[site];
    if (__builtin_add_overflow(sum->total_ns, row->of.span.end - row->start, &sum->total_ns)) {
        sum->total_ns = INT64_MAX;
    }
    sum->count++;
    return TACHO_OK;
}

/* Puts |sum| where it belongs among the |count| largest so far. */
static size_t insert_sum(tacho_site_sum *top, size_t count, size_t top_max,
                         const tacho_site_sum *sum)
{
    size_t at = count;
    while (at > 0 && top[at - 1].total_ns < sum->total_ns) {
        at--;
    }
    if (at == top_max) {
        return count;
    }
    size_t kept = count < top_max ? count : top_max - 1;
    memmove(&top[at + 1], &top[at], (kept - at) * sizeof(*top));
    top[at] = *sum;
    return kept + 1;
}

size_t tacho_recorder_take_top(tacho_recorder *recorder, tacho_site_sum *out_top, size_t top_max)
{
    size_t count = 0;
    for (size_t i = 0; i < recorder->sum_count; i++) {
        if (recorder->sums[i].count > 0) {
            count = insert_sum(out_top, count, top_max, &recorder->sums[i]);
        }
        recorder->sums[i] = (tacho_site_sum){.site = (uint32_t)i};
    }
    return count;
}

/* ---- rows ---------------------------------------------------------------------------------- */

void tacho_recorder_fail(tacho_recorder *recorder, tacho_status status)
{
    recorder->failure = tacho_status_first(recorder->failure, status);
}

/* A row whose times are those that the part can have. */
static tacho_row fitted(const tacho_recorder *recorder, const tacho_row *row)
{
    const tacho_dict *dict = recorder->events->dict;
    int64_t first = dict->parts[recorder->part].first_start;
    tacho_row made = *row;
    made.start = row->start < first ? first : row->start;
    if (row->kind == TACHO_ROW_SPAN && row->of.span.end < made.start) {
        made.of.span.end = made.start;
    }
    return made;
}

void tacho_recorder_store(tacho_recorder *recorder, const tacho_row *row)
{
    if (recorder->failure != TACHO_OK) {
        recorder->unstored_count++;
        return;
    }
    tacho_row made = fitted(recorder, row);
    recorder->failure = tacho_events_row(recorder->events, &made);
    if (recorder->keeps_sums) {
        tacho_recorder_fail(recorder, add_to_sum(recorder, &made));
    }
    if (recorder->failure == TACHO_OK) {
        recorder->stored_count++;
    } else {
        recorder->unstored_count++;
    }
}

void tacho_recorder_sample(tacho_recorder *recorder, uint32_t track, int64_t time_ns, double value)
{
    const tacho_row row = {
        .kind = TACHO_ROW_SAMPLE, .track = track, .start = time_ns, .of = {.sample = {value}}};
    tacho_recorder_store(recorder, &row);
}

tacho_status tacho_recorder_ensure_track(tacho_recorder *recorder,
                                         const tacho_recorder_track *facts, tacho_str name,
                                         uint32_t *out_track)
{
    tacho_dict *dict = recorder->events->dict;
    const tacho_track track = {
        .parent = facts->parent,
        .part = recorder->part,
        .clock = dict->parts[recorder->part].clock,
        .lane_of = TACHO_NONE,
        .rank = -1,
        .track_class = facts->track_class,
        .nesting = facts->nesting,
        .unit = facts->unit,
        .number = facts->number >= 0 ? facts->number : 0,
        .has_number = facts->number >= 0,
        .is_numbered = facts->number >= 0,
        .is_provisional = facts->may_change,
    };
    return tacho_dict_ensure_track(dict, &track, name, out_track);
}

tacho_status tacho_recorder_ensure_site(tacho_recorder *recorder, tacho_str name,
                                        tacho_str category, uint32_t *out_site)
{
    tacho_dict *dict = recorder->events->dict;
    tacho_site site = {.location = TACHO_NONE};
    TACHO_TRY(tacho_dict_ensure_string(dict, name, &site.name));
    TACHO_TRY(tacho_dict_ensure_string(dict, category, &site.category));
    return tacho_dict_ensure_site(dict, &site, out_site);
}

tacho_status tacho_recorder_finish(tacho_recorder *recorder)
{
    if (recorder->failure != TACHO_OK) {
        return TACHO_OK; /* keep the rows so far */
    }
    TACHO_TRY(tacho_events_end_part(recorder->events, recorder->part));
    return tacho_events_finish(recorder->events);
}
