/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows pass the lane filter, as for a trace, and are split into columns.
 */
#include "sinks/report_columns.h"

#include "base/grow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static tacho_status ensure_track(report_columns *columns, uint32_t id, report_track **out_track)
{
    if (TACHO_UNLIKELY(id >= columns->track_count)) {
        TACHO_TRY(tacho_grow(&columns->tracks, &columns->track_capacity, (size_t)id + 1));
        while (columns->track_count <= id) {
            columns->tracks[columns->track_count++] = NULL;
        }
    }
    if (TACHO_UNLIKELY(columns->tracks[id] == NULL)) {
        TACHO_TRY(tacho_struct_make(&columns->tracks[id]));
    }
    *out_track = columns->tracks[id];
    return TACHO_OK;
}

const report_track *report_columns_track(const report_columns *columns, uint32_t id)
{
    static const report_track empty = {0};
    bool has_rows = id < columns->track_count && columns->tracks[id] != NULL;
    return has_rows ? columns->tracks[id] : &empty;
}

static tacho_status put_start(report_track *track, int64_t start_ns)
{
    assert(start_ns >= track->last_ns); /* rows are in track order */
    TACHO_TRY(report_bytes_put_uint(&track->starts, (uint64_t)(start_ns - track->last_ns)));
    track->last_ns = start_ns;
    track->row_count++;
    return TACHO_OK;
}

/* The bytes that a span moved, plus one: the sum of arguments that count bytes; 0 for none. */
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

static tacho_status find_type(report_columns *columns, const tacho_row *row, uint64_t *out_type)
{
    uint32_t string = TACHO_NONE;
    TACHO_TRY(tacho_operators_of_row(&columns->operators, row, &string));
    return string != TACHO_NONE ? ensure_type(columns, string, out_type) : TACHO_OK;
}

/* The facts of a row, if there are not too many different ones already. */
static tacho_status find_facts(report_columns *columns, const tacho_row *row, uint64_t *out_facts)
{
    tacho_dict *dict = columns->events.dict;
    tacho_str text;
    uint32_t string = TACHO_NONE;
    TACHO_TRY(report_facts_of_row(&columns->facts, dict, row, &text));
    if (text.len == 0 || columns->type_count >= REPORT_TYPES_MAX) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_dict_ensure_string(dict, text, &string));
    return ensure_type(columns, string, out_facts);
}

/* Begins a column that was empty: zeros for |row_count| rows, then |value|. */
static tacho_status begin_rare(report_bytes *column, uint64_t row_count, uint64_t value)
{
    TACHO_TRY(report_bytes_put_zeros(column, (size_t)row_count));
    return report_bytes_put_uint(column, value);
}

_Static_assert(TACHO_SPAN_UNENDED < 1 << 7, "flags of a span are a number of one byte");

/* Adds a number of the latest row; a column of only zeros stays empty. */
static tacho_status put_rare(const report_track *track, report_bytes *column, uint64_t value)
{
    if (column->item_count > 0) {
        return report_bytes_put_uint(column, value);
    }
    return value != 0 ? begin_rare(column, track->row_count - 1, value) : TACHO_OK;
}

tacho_status report_track_put_span(report_columns *columns, report_track *track,
                                   const report_span *span)
{
    TACHO_TRY(put_start(track, span->start));
    TACHO_TRY(report_bytes_put_uint(&track->lengths, (uint64_t)(span->end - span->start)));
    TACHO_TRY(report_bytes_put_uint(&track->sites, span->site));
    TACHO_TRY(put_rare(track, &track->flags, span->flags));
    TACHO_TRY(put_rare(track, &track->sizes, span->size));
    TACHO_TRY(put_rare(track, &track->types, span->type));
    if (columns->resolution_ns == 0) {
        TACHO_TRY(put_rare(track, &track->facts, span->facts));
    } else {
        TACHO_TRY(report_bytes_put_uint(&track->counts, span->count));
        TACHO_TRY(report_bytes_put_uint(&track->busy, (uint64_t)span->busy));
    }
    columns->row_count++;
    return TACHO_OK;
}

tacho_status report_track_put_sample(report_columns *columns, report_track *track,
                                     const report_sample *sample)
{
    TACHO_TRY(put_start(track, sample->time));
    columns->row_count++;
    return report_bytes_put_real(&track->values, sample->value);
}

static tacho_status add_span(report_columns *columns, report_track *track, const tacho_row *row)
{
    const tacho_clock *clock = tacho_dict_track_clock(columns->events.dict, row->track);
    report_span span = {
        .start = tacho_clock_ns(clock, row->start),
        .end = tacho_clock_ns(clock, row->of.span.end),
        .site = row->of.span.site,
        .flags = (unsigned char)row->of.span.flags,
        .size = size_of_row(row),
        .count = 1,
    };
    span.busy = span.end - span.start;
    TACHO_TRY(columns->resolution_ns == 0 ? report_numbers_put(&track->numbers, row->of.span.op)
                                          : TACHO_OK);
    TACHO_TRY(find_type(columns, row, &span.type));
    TACHO_TRY(columns->resolution_ns == 0 && row->arg_count > 0
                  ? find_facts(columns, row, &span.facts)
                  : TACHO_OK);
    columns->span_count++;
    columns->last_end_ns = span.end > columns->last_end_ns ? span.end : columns->last_end_ns;
    return columns->resolution_ns > 0 ? report_coarse_span(columns, track, &span)
                                      : report_track_put_span(columns, track, &span);
}

static tacho_status add_sample(report_columns *columns, report_track *track, const tacho_row *row)
{
    const tacho_clock *clock = tacho_dict_track_clock(columns->events.dict, row->track);
    report_sample sample = {tacho_clock_ns(clock, row->start), row->of.sample.value};
    columns->sample_count++;
    columns->last_end_ns = sample.time > columns->last_end_ns ? sample.time : columns->last_end_ns;
    return columns->resolution_ns > 0 ? report_coarse_sample(columns, track, &sample)
                                      : report_track_put_sample(columns, track, &sample);
}

/* Takes a row from the lanes. */
static tacho_status take_row(tacho_events *events, const tacho_row *row)
{
    report_columns *columns = ((report_inner *)(void *)events)->columns;
    report_track *track = NULL;
    TACHO_TRY(ensure_track(columns, row->track, &track));
    TACHO_TRY(row->kind == TACHO_ROW_SPAN ? add_span(columns, track, row)
                                          : add_sample(columns, track, row));
    if (columns->row_count <= columns->row_limit) {
        return TACHO_OK;
    }
    report_places_deinit(&columns->places);
    return report_coarse_shrink(columns);
}

static report_columns *columns_of(tacho_events *events)
{
    return (report_columns *)(void *)events;
}

/* Gives a span the number of its place, which it keeps through the lanes. */
static tacho_status number_span(report_columns *columns, tacho_row *row)
{
    row->of.span.op = TACHO_NONE;
    return columns->resolution_ns == 0 ? report_places_add(&columns->places, &row->of.span.op)
                                       : TACHO_OK;
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* Passes a row to the lanes. Names for spans are in the dictionary from the first row on. */
static tacho_status pass_row(tacho_events *events, const tacho_row *row)
{
    report_columns *columns = columns_of(events);
    if (row->kind == TACHO_ROW_FLOW) {
        columns->flow_end_count++;
        return TACHO_OK;
    }
    if (TACHO_UNLIKELY(columns->operators.dict == NULL)) {
        columns->operators.dict = events->dict;
        TACHO_TRY(
            tacho_dict_ensure_string(events->dict, TACHO_STR("op_name"), &columns->operators.key));
    }
    tacho_row numbered = *row;
    TACHO_TRY(row->kind == TACHO_ROW_SPAN ? number_span(columns, &numbered) : TACHO_OK);
    return tacho_events_row(tacho_lanes_events(columns->lanes), &numbered);
}

static tacho_status pass_end_part(tacho_events *events, uint32_t part)
{
    return tacho_events_end_part(tacho_lanes_events(columns_of(events)->lanes), part);
}

static tacho_status pass_finish(tacho_events *events)
{
    return tacho_events_finish(tacho_lanes_events(columns_of(events)->lanes));
}

tacho_status report_columns_init(report_columns *columns, tacho_dict *dict)
{
    static const tacho_events_vtable vtable = {
        .row = pass_row, .end_part = pass_end_part, .finish = pass_finish};
    static const tacho_events_vtable inner_vtable = {.row = take_row};
    *columns = (report_columns){
        .events = {&vtable, dict},
        .inner = {{&inner_vtable, dict}, columns},
        .row_max = REPORT_ROWS_MAX,
        .row_limit = REPORT_ROWS_MAX,
    };
    return tacho_lanes_create(&columns->inner.events, &columns->lanes);
}

tacho_status report_columns_finish(report_columns *columns)
{
    for (size_t i = 0; i < columns->track_count; i++) {
        report_track *track = columns->tracks[i];
        if (track != NULL) {
            TACHO_TRY(report_coarse_flush(columns, track));
            report_places_look(&columns->places, &track->numbers, &track->has_places,
                               &track->has_launches);
        }
    }
    return TACHO_OK;
}

void report_track_clear(report_track *track)
{
    report_bytes_deinit(&track->starts);
    report_bytes_deinit(&track->lengths);
    report_bytes_deinit(&track->sites);
    report_bytes_deinit(&track->flags);
    report_bytes_deinit(&track->sizes);
    report_bytes_deinit(&track->types);
    report_bytes_deinit(&track->facts);
    report_bytes_deinit(&track->counts);
    report_bytes_deinit(&track->busy);
    report_bytes_deinit(&track->values);
    report_bytes_deinit(&track->numbers.bytes);
    free(track->ends);
    *track = (report_track){0};
}

void report_columns_deinit(report_columns *columns)
{
    for (size_t i = 0; i < columns->track_count; i++) {
        if (columns->tracks[i] != NULL) {
            report_track_clear(columns->tracks[i]);
            free(columns->tracks[i]);
        }
    }
    tacho_lanes_destroy(columns->lanes);
    report_facts_deinit(&columns->facts);
    report_places_deinit(&columns->places);
    free(columns->tracks);
    free(columns->types);
    free(columns->type_places);
    *columns = (report_columns){0};
}

typedef tacho_status (*put_places)(const report_places *places, const report_numbers *numbers,
                                   report_bytes *out);

/* Makes a column from the places of |track| and writes it. */
static tacho_status write_place_column(const report_columns *columns, const report_track *track,
                                       put_places put, report_blob *blob)
{
    report_bytes column = {0};
    tacho_status status = put(&columns->places, &track->numbers, &column);
    status = status == TACHO_OK ? report_blob_write(blob, &column) : status;
    report_bytes_deinit(&column);
    return status;
}

static tacho_status write_places(const report_columns *columns, const report_track *track,
                                 report_blob *blob)
{
    if (track->has_places) {
        TACHO_TRY(write_place_column(columns, track, report_places_put_codes, blob));
    }
    return track->has_launches
               ? write_place_column(columns, track, report_places_put_launches, blob)
               : TACHO_OK;
}

tacho_status report_columns_write(const report_columns *columns, report_blob *blob)
{
    for (uint32_t i = 0; i < columns->track_count; i++) {
        const report_track *track = report_columns_track(columns, i);
        TACHO_TRY(report_blob_write(blob, &track->starts));
        TACHO_TRY(report_blob_write(blob, &track->lengths));
        TACHO_TRY(report_blob_write(blob, &track->sites));
        TACHO_TRY(report_blob_write(blob, &track->flags));
        TACHO_TRY(report_blob_write(blob, &track->sizes));
        TACHO_TRY(report_blob_write(blob, &track->types));
        TACHO_TRY(report_blob_write(blob, &track->facts));
        TACHO_TRY(report_blob_write(blob, &track->counts));
        TACHO_TRY(report_blob_write(blob, &track->busy));
        TACHO_TRY(report_blob_write(blob, &track->values));
        TACHO_TRY(write_places(columns, track, blob));
    }
    return TACHO_OK;
}
