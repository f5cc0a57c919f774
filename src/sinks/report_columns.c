/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows come through the lane filter, as they do for a trace, and are taken apart.
 */
#include "sinks/report_columns.h"

#include "base/grow.h"
#include "profile/lanes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static report_columns *columns_of(tacho_events *events)
{
    return (report_columns *)(void *)events;
}

static tacho_status ensure_track(report_columns *columns, uint32_t id, report_track **out_track)
{
    if (TACHO_UNLIKELY(id >= columns->track_count)) {
        TACHO_TRY(tacho_grow(&columns->tracks, &columns->track_capacity, (size_t)id + 1));
        for (; columns->track_count <= id; columns->track_count++) {
            columns->tracks[columns->track_count] = (report_track){0};
        }
    }
    *out_track = &columns->tracks[id];
    return TACHO_OK;
}

static tacho_status put_start(report_track *track, int64_t start_ns)
{
    assert(start_ns >= track->last_ns); /* rows are in track order */
    TACHO_TRY(report_bytes_put_uint(&track->starts, (uint64_t)(start_ns - track->last_ns)));
    track->last_ns = start_ns;
    track->row_count++;
    return TACHO_OK;
}

/* What a span moved, plus one: the arguments that count bytes together; 0 for none. */
static uint64_t size_of_row(const tacho_row *row)
{
    uint64_t size = 0;
    bool has_size = false;
    for (size_t i = 0; i < row->arg_count; i++) {
        const tacho_arg *arg = &row->args[i];
        bool is_whole =
            arg->type == TACHO_ARG_UINT || (arg->type == TACHO_ARG_INT && arg->value.as_int >= 0);
        if (arg->unit == TACHO_UNIT_BYTES && is_whole) {
            has_size = true;
            if (__builtin_add_overflow(size, arg->value.as_uint, &size) || size > INT64_MAX) {
                size = INT64_MAX;
            }
        }
    }
    return has_size ? size + 1 : 0;
}

/* The place of a string among the types, plus one. */
static tacho_status ensure_type(report_columns *columns, uint32_t string, uint64_t *out_place)
{
    if (string >= columns->type_place_count) {
        TACHO_TRY(
            tacho_grow(&columns->type_places, &columns->type_place_capacity, (size_t)string + 1));
        memset(columns->type_places + columns->type_place_count, 0,
               ((size_t)string + 1 - columns->type_place_count) * sizeof(*columns->type_places));
        columns->type_place_count = (size_t)string + 1;
    }
    if (columns->type_places[string] == 0) {
        TACHO_TRY(tacho_grow(&columns->types, &columns->type_capacity, columns->type_count + 1));
        columns->types[columns->type_count++] = string;
        columns->type_places[string] = (uint32_t)columns->type_count;
    }
    *out_place = columns->type_places[string];
    return TACHO_OK;
}

static tacho_status add_type(report_columns *columns, report_track *track, const tacho_row *row)
{
    uint32_t string = TACHO_NONE;
    uint64_t place = 0;
    TACHO_TRY(tacho_operators_of_row(&columns->operators, row, &string));
    if (string != TACHO_NONE) {
        TACHO_TRY(ensure_type(columns, string, &place));
        track->has_types = true;
    }
    return report_bytes_put_uint(&track->types, place);
}

static tacho_status add_span(report_columns *columns, report_track *track, const tacho_row *row)
{
    const tacho_clock *clock = tacho_dict_track_clock(columns->events.dict, row->track);
    int64_t start_ns = tacho_clock_ns(clock, row->start);
    int64_t end_ns = tacho_clock_ns(clock, row->of.span.end);
    unsigned char flags = (unsigned char)row->of.span.flags;
    uint64_t size = size_of_row(row);
    TACHO_TRY(put_start(track, start_ns));
    TACHO_TRY(report_bytes_put_uint(&track->lengths, (uint64_t)(end_ns - start_ns)));
    TACHO_TRY(report_bytes_put_uint(&track->sites, row->of.span.site));
    TACHO_TRY(report_bytes_put(&track->flags, &flags, 1));
    TACHO_TRY(report_bytes_put_uint(&track->sizes, size));
    TACHO_TRY(add_type(columns, track, row));
    track->has_flags = track->has_flags || flags != 0;
    track->has_sizes = track->has_sizes || size != 0;
    columns->span_count++;
    columns->last_end_ns = end_ns > columns->last_end_ns ? end_ns : columns->last_end_ns;
    return TACHO_OK;
}

static tacho_status add_sample(report_columns *columns, report_track *track, const tacho_row *row)
{
    const tacho_clock *clock = tacho_dict_track_clock(columns->events.dict, row->track);
    int64_t time_ns = tacho_clock_ns(clock, row->start);
    TACHO_TRY(put_start(track, time_ns));
    columns->sample_count++;
    columns->last_end_ns = time_ns > columns->last_end_ns ? time_ns : columns->last_end_ns;
    return report_bytes_put_real(&track->values, row->of.sample.value);
}

static tacho_status columns_row(tacho_events *events, const tacho_row *row)
{
    report_columns *columns = columns_of(events);
    report_track *track = NULL;
    TACHO_TRY(ensure_track(columns, row->track, &track));
    switch (row->kind) {
    case TACHO_ROW_SPAN:
        return add_span(columns, track, row);
    case TACHO_ROW_SAMPLE:
        return add_sample(columns, track, row);
    case TACHO_ROW_FLOW:
        break; /* not replayed */
    }
    return TACHO_OK;
}

static const tacho_events_vtable columns_vtable = {.row = columns_row};

static tacho_status replay(const tacho_profile *profile, tacho_events *events)
{
    TACHO_TRY(tacho_profile_replay_spans(profile, events));
    for (size_t i = 0; i < profile->sample_count; i++) {
        const tacho_sample *sample = &profile->samples[i];
        tacho_row row = {TACHO_ROW_SAMPLE, sample->track, sample->time, {{0}}, NULL, 0};
        row.of.sample.value = sample->value;
        TACHO_TRY(tacho_events_row(events, &row));
    }
    return tacho_events_finish(events);
}

tacho_status report_columns_fill(const tacho_profile *profile, report_columns *out_columns)
{
    *out_columns = (report_columns){
        .events = {&columns_vtable, profile->events.dict},
        .flow_end_count = profile->flow_end_count,
    };
    tacho_operators_init(&out_columns->operators, profile->events.dict);
    tacho_lanes *lanes = NULL;
    TACHO_TRY(tacho_lanes_create(&out_columns->events, &lanes));
    tacho_status status = replay(profile, tacho_lanes_events(lanes));
    tacho_lanes_destroy(lanes);
    report_track *ignored = NULL;
    size_t track_count = profile->events.dict->track_count;
    return status != TACHO_OK || track_count == 0
               ? status
               : ensure_track(out_columns, (uint32_t)track_count - 1, &ignored);
}

void report_columns_deinit(report_columns *columns)
{
    for (size_t i = 0; i < columns->track_count; i++) {
        report_track *track = &columns->tracks[i];
        report_bytes_deinit(&track->starts);
        report_bytes_deinit(&track->lengths);
        report_bytes_deinit(&track->sites);
        report_bytes_deinit(&track->flags);
        report_bytes_deinit(&track->sizes);
        report_bytes_deinit(&track->types);
        report_bytes_deinit(&track->values);
    }
    free(columns->tracks);
    free(columns->types);
    free(columns->type_places);
    *columns = (report_columns){0};
}

tacho_status report_columns_write(const report_columns *columns, report_blob *blob)
{
    for (size_t i = 0; i < columns->track_count; i++) {
        const report_track *track = &columns->tracks[i];
        TACHO_TRY(report_blob_write(blob, &track->starts));
        TACHO_TRY(report_blob_write(blob, &track->lengths));
        TACHO_TRY(report_blob_write(blob, &track->sites));
        if (track->has_flags) {
            TACHO_TRY(report_blob_write(blob, &track->flags));
        }
        if (track->has_sizes) {
            TACHO_TRY(report_blob_write(blob, &track->sizes));
        }
        if (track->has_types) {
            TACHO_TRY(report_blob_write(blob, &track->types));
        }
        TACHO_TRY(report_blob_write(blob, &track->values));
    }
    return TACHO_OK;
}
