/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One row per span and instant, streamed: memory holds one group of rows. Samples of counters go to
 * a table of their own in a data set; a single file leaves them out. Their number is a fact of the
 * file, as are losses.
 */
#include "sinks/spans_parquet.h"

#include "base/grow.h"
#include "base/real.h"
#include "base/utf8.h"
#include "codec/parquet.h"
#include "profile/arg_walk.h"
#include "profile/operators.h"
#include "sinks/args_text.h"
#include "sinks/trace_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define SPAN_COLUMNS(run)                                                                          \
    {                                                                                              \
        {"file", TACHO_PARQUET_TEXT}, {"process", TACHO_PARQUET_TEXT},                             \
            {"track", TACHO_PARQUET_TEXT}, {"track_id", TACHO_PARQUET_INT},                        \
            {"class", TACHO_PARQUET_TEXT}, {"kind", TACHO_PARQUET_TEXT},                           \
            {"name", TACHO_PARQUET_TEXT}, {"category", TACHO_PARQUET_TEXT},                        \
            {"operation", TACHO_PARQUET_TEXT}, {"location", TACHO_PARQUET_TEXT},                   \
            {run, TACHO_PARQUET_TEXT}, {"invocation", TACHO_PARQUET_INT},                          \
            {"origin", TACHO_PARQUET_TEXT}, {"start_ns", TACHO_PARQUET_INT},                       \
            {"duration_ns", TACHO_PARQUET_INT}, {"cycles", TACHO_PARQUET_INT},                     \
            {"args", TACHO_PARQUET_TEXT},                                                          \
    }

static const tacho_parquet_column columns[] = SPAN_COLUMNS("run");
/* "run" is a directory of a data set. */
static const tacho_parquet_column dataset_columns[] = SPAN_COLUMNS("program_run");

static const tacho_parquet_column counter_columns[] = {
    {"file", TACHO_PARQUET_TEXT},  {"process", TACHO_PARQUET_TEXT},
    {"name", TACHO_PARQUET_TEXT},  {"track_id", TACHO_PARQUET_INT},
    {"unit", TACHO_PARQUET_TEXT},  {"time_ns", TACHO_PARQUET_INT},
    {"value", TACHO_PARQUET_REAL},
};

typedef struct parquet_sink {
    tacho_events events;
    tacho_trace_options options;
    tacho_parquet *writer;
    tacho_parquet *counters; /* NULL: samples are left out */
    tacho_operators operators;
    bool is_ready;
    tacho_arena arena;     /* of cleaned names */
    tacho_arena row_arena; /* of cleaned arguments of one row */
    tacho_arg_walk walk;
    char *text; /* arguments under construction */
    size_t text_len, text_capacity;
    uint64_t sample_count, flow_end_count;
} parquet_sink;

static parquet_sink *sink_of(tacho_events *events)
{
    return (parquet_sink *)(void *)events;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* A string of the dictionary; TACHO_NONE: none. */
static tacho_status put_string_to(parquet_sink *sink, tacho_parquet *writer, uint32_t id)
{
    if (id == TACHO_NONE) {
        return tacho_parquet_add_null(writer);
    }
    tacho_str text = tacho_dict_string(sink->events.dict, id);
    if (TACHO_UNLIKELY(!tacho_parquet_has_key(writer, id))) {
        TACHO_TRY(tacho_utf8_clean(text, &sink->arena, &text));
    }
    return tacho_parquet_add_key(writer, id, text);
}

static tacho_status put_string(parquet_sink *sink, uint32_t id)
{
    return put_string_to(sink, sink->writer, id);
}

/* The process of |track|; TACHO_NONE: none in the input. */
static uint32_t process_of(const tacho_dict *dict, uint32_t track)
{
    uint32_t group = tacho_dict_track_group(dict, track);
    return dict->tracks[group].parent != TACHO_NONE ? dict->tracks[group].name : TACHO_NONE;
}

/* Writes one of a few words, identified by |number|. */
static tacho_status put_word(parquet_sink *sink, unsigned number, const char *word)
{
    return tacho_parquet_add_key(sink->writer, number, tacho_str_from_cstring(word));
}

/* file, process, track, track_id, class */
static tacho_status put_track(parquet_sink *sink, const tacho_row *row)
{
    const tacho_dict *dict = sink->events.dict;
    const tacho_track *track = &dict->tracks[row->track];
    const tacho_site *site = &dict->sites[row->of.span.site];
    tacho_track_class span_class =
        tacho_operators_class(tacho_span_kind_of(tacho_dict_string(dict, site->category),
                                                 tacho_dict_string(dict, site->name)),
                              track);
    TACHO_TRY(put_string(sink, dict->parts[track->part].name));
    TACHO_TRY(put_string(sink, process_of(dict, row->track)));
    TACHO_TRY(put_string(sink, tacho_dict_track_name(dict, row->track)));
    TACHO_TRY(tacho_parquet_add_int(sink->writer, row->track));
    return put_word(sink, span_class, tacho_track_class_name(span_class));
}

/* kind, name, category, operation, location */
static tacho_status put_site(parquet_sink *sink, const tacho_row *row)
{
    const tacho_dict *dict = sink->events.dict;
    const tacho_site *site = &dict->sites[row->of.span.site];
    bool is_instant = (row->of.span.flags & TACHO_SPAN_INSTANT) != 0;
    bool is_unended = (row->of.span.flags & TACHO_SPAN_UNENDED) != 0;
    unsigned kind = is_instant ? 1 : (is_unended ? 2 : 0);
    static const char *const kinds[] = {"span", "instant", "unended"};
    uint32_t operation = TACHO_NONE;
    TACHO_TRY(tacho_operators_of_row(&sink->operators, row, &operation));
    site = &dict->sites[row->of.span.site];
    operation = operation != TACHO_NONE ? operation : tacho_operators_of_site(site);
    TACHO_TRY(put_word(sink, kind, kinds[kind]));
    TACHO_TRY(put_string(sink, site->name));
    TACHO_TRY(put_string(sink, tacho_site_category(site)));
    TACHO_TRY(put_string(sink, operation));
    return put_string(sink, site->location == TACHO_NONE ? TACHO_NONE
                                                         : dict->locations[site->location].text);
}

/* run, invocation, origin */
static tacho_status put_run(parquet_sink *sink, const tacho_row *row)
{
    const tacho_dict *dict = sink->events.dict;
    const tacho_run *run = row->of.span.run == TACHO_NONE ? NULL : &dict->runs[row->of.span.run];
    tacho_origin origin = (tacho_origin)(row->of.span.flags & TACHO_SPAN_ORIGIN_MASK);
    if (origin == TACHO_ORIGIN_UNKNOWN) {
        origin = dict->parts[dict->tracks[row->track].part].origin;
    }
    TACHO_TRY(put_string(sink, run != NULL ? run->name : TACHO_NONE));
    TACHO_TRY(run != NULL && run->invocation >= 0
                  ? tacho_parquet_add_int(sink->writer, run->invocation)
                  : tacho_parquet_add_null(sink->writer));
    return put_word(sink, origin, tacho_origin_name(origin));
}

/* start_ns, duration_ns, cycles */
static tacho_status put_times(parquet_sink *sink, const tacho_row *row)
{
    const tacho_dict *dict = sink->events.dict;
    int64_t start_ns = tacho_trace_ns(dict, row, row->start);
    int64_t end_ns = tacho_trace_ns(dict, row, row->of.span.end);
    TACHO_TRY(tacho_parquet_add_int(sink->writer, start_ns));
    TACHO_TRY(tacho_parquet_add_int(sink->writer, end_ns - start_ns));
    return tacho_dict_track_clock(dict, row->track)->counts_cycles
               ? tacho_parquet_add_int(sink->writer, row->of.span.end - row->start)
               : tacho_parquet_add_null(sink->writer);
}

/* ---- arguments ------------------------------------------------------------------------------- */

static tacho_status add_text(parquet_sink *sink, tacho_str text)
{
    TACHO_TRY(tacho_grow(&sink->text, &sink->text_capacity, sink->text_len + text.len + 1));
    if (text.len > 0) {
        memcpy(sink->text + sink->text_len, text.data, text.len);
    }
    sink->text_len += text.len;
    return TACHO_OK;
}

/* |text| as a string of JSON. */
static tacho_status add_quoted(parquet_sink *sink, tacho_str text)
{
    enum { ESCAPE_BYTES = 6 };
    TACHO_TRY(tacho_utf8_clean(text, &sink->row_arena, &text));
    TACHO_TRY(tacho_grow(&sink->text, &sink->text_capacity,
                         sink->text_len + ESCAPE_BYTES * text.len + 3));
    char *at = sink->text + sink->text_len;
    *at++ = '"';
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        if (byte < 0x20) {
            at += snprintf(at, ESCAPE_BYTES + 1, "\\u%04x", byte);
            continue;
        }
        if (byte == '"' || byte == '\\') {
            *at++ = '\\';
        }
        *at++ = (char)byte;
    }
    *at++ = '"';
    sink->text_len = (size_t)(at - sink->text);
    return TACHO_OK;
}

static tacho_status add_value(parquet_sink *sink, const tacho_arg *arg)
{
    char number[TACHO_REAL_MAX];
    switch (arg->type) {
    case TACHO_ARG_REAL:
        return isfinite(arg->value.as_real) ? add_text(sink, tacho_args_text_number(arg, number))
                                            : add_quoted(sink, tacho_args_text_number(arg, number));
    case TACHO_ARG_INT:
    case TACHO_ARG_UINT:
        return add_text(sink, tacho_args_text_number(arg, number));
    case TACHO_ARG_BOOL:
        return add_text(sink, arg->value.as_bool ? TACHO_STR("true") : TACHO_STR("false"));
    case TACHO_ARG_STRING:
        return add_quoted(sink, tacho_dict_string(sink->events.dict, arg->value.as_string));
    case TACHO_ARG_TEXT:
        return add_quoted(sink, arg->value.as_text);
    case TACHO_ARG_JSON:
        return add_text(sink, arg->value.as_text);
    case TACHO_ARG_DICT:
    case TACHO_ARG_ARRAY:
        break;
    }
    return TACHO_OK;
}

/* {"key":value,"shapes[0].size":value} */
static tacho_status put_args(parquet_sink *sink, const tacho_row *row)
{
    const tacho_arg *arg = NULL;
    tacho_str path;
    if (sink->options.omit_args || row->arg_count == 0) {
        return tacho_parquet_add_null(sink->writer);
    }
    sink->text_len = 0;
    tacho_arena_reset(&sink->row_arena);
    tacho_arg_walk_begin(&sink->walk, sink->events.dict, row);
    while (tacho_arg_walk_next(&sink->walk, &arg)) {
        TACHO_TRY(tacho_arg_walk_path(&sink->walk, &path));
        TACHO_TRY(add_text(sink, sink->text_len > 0 ? TACHO_STR(",") : TACHO_STR("{")));
        TACHO_TRY(add_quoted(sink, path));
        TACHO_TRY(add_text(sink, TACHO_STR(":")));
        TACHO_TRY(add_value(sink, arg));
    }
    TACHO_TRY(add_text(sink, sink->text_len > 0 ? TACHO_STR("}") : TACHO_STR("{}")));
    return tacho_parquet_add_text(sink->writer, tacho_str_make(sink->text, sink->text_len));
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A row of the table of counters. */
static tacho_status put_sample(parquet_sink *sink, const tacho_row *row)
{
    tacho_dict *dict = sink->events.dict;
    const tacho_track *track = &dict->tracks[row->track];
    tacho_parquet *writer = sink->counters;
    bool is_good = false;
    TACHO_TRY(tacho_trace_check_sample(dict, row, &is_good));
    if (!is_good) {
        return TACHO_OK;
    }
    TACHO_TRY(put_string_to(sink, writer, dict->parts[track->part].name));
    TACHO_TRY(put_string_to(sink, writer, process_of(dict, row->track)));
    TACHO_TRY(put_string_to(sink, writer, tacho_dict_track_name(dict, row->track)));
    TACHO_TRY(tacho_parquet_add_int(writer, row->track));
    TACHO_TRY(track->unit == TACHO_UNIT_NONE
                  ? tacho_parquet_add_null(writer)
                  : tacho_parquet_add_key(writer, track->unit,
                                          tacho_str_from_cstring(tacho_unit_name(track->unit))));
    TACHO_TRY(tacho_parquet_add_int(writer, tacho_trace_ns(dict, row, row->start)));
    return tacho_parquet_add_real(writer, row->of.sample.value);
}

static tacho_status parquet_row(tacho_events *events, const tacho_row *row)
{
    parquet_sink *sink = sink_of(events);
    if (row->kind == TACHO_ROW_SAMPLE && sink->counters != NULL) {
        TACHO_TRY(tacho_trace_check_names(events->dict, &sink->options, row));
        return put_sample(sink, row);
    }
    if (row->kind != TACHO_ROW_SPAN) {
        sink->sample_count += row->kind == TACHO_ROW_SAMPLE;
        sink->flow_end_count += row->kind == TACHO_ROW_FLOW;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_trace_check_names(events->dict, &sink->options, row));
    if (!sink->is_ready) {
        sink->is_ready = true;
        sink->operators.dict = events->dict;
        TACHO_TRY(
            tacho_dict_ensure_string(events->dict, TACHO_STR("op_name"), &sink->operators.key));
    }
    TACHO_TRY(put_track(sink, row));
    TACHO_TRY(put_site(sink, row));
    TACHO_TRY(put_run(sink, row));
    TACHO_TRY(put_times(sink, row));
    return put_args(sink, row);
}

static tacho_status add_count(parquet_sink *sink, const char *key, uint64_t count)
{
    char text[24];
    snprintf(text, sizeof(text), "%" PRIu64, count);
    return tacho_parquet_add_fact(sink->writer, key, tacho_str_from_cstring(text));
}

static tacho_status parquet_finish(tacho_events *events)
{
    parquet_sink *sink = sink_of(events);
    TACHO_TRY(add_count(sink, "tacho.lost_records", tacho_trace_lost_count(events->dict)));
    TACHO_TRY(add_count(sink, "tacho.counter_samples_left_out", sink->sample_count));
    TACHO_TRY(add_count(sink, "tacho.flow_ends_left_out", sink->flow_end_count));
    events->dict->unplaced_count = sink->sample_count + sink->flow_end_count;
    if (sink->counters != NULL) {
        TACHO_TRY(tacho_parquet_finish(sink->counters));
    }
    return tacho_parquet_finish(sink->writer);
}

static const tacho_events_vtable parquet_vtable = {.row = parquet_row, .finish = parquet_finish};

static void parquet_close(tacho_events *events)
{
    parquet_sink *sink = sink_of(events);
    tacho_parquet_close(sink->writer);
    tacho_parquet_close(sink->counters);
    tacho_arena_deinit(&sink->arena);
    tacho_arena_deinit(&sink->row_arena);
    tacho_arg_walk_deinit(&sink->walk);
    free(sink->text);
    free(sink);
}

static tacho_status make_sink(tacho_dict *dict, const tacho_trace_options *options,
                              parquet_sink **out_sink)
{
    parquet_sink *sink = calloc(1, sizeof(*sink));
    *out_sink = sink;
    if (sink == NULL) {
        return tacho_no_memory();
    }
    sink->events = (tacho_events){&parquet_vtable, dict};
    sink->options = *options;
    tacho_arena_init(&sink->arena);
    tacho_arena_init(&sink->row_arena);
    return TACHO_OK;
}

/* Hands out |sink| as events, or its failure. */
static tacho_status hand_out(parquet_sink *sink, tacho_status status, tacho_events **out_events)
{
    if (status != TACHO_OK) {
        parquet_close(&sink->events);
        return status;
    }
    *out_events = &sink->events;
    return TACHO_OK;
}

static tacho_status parquet_open(tacho_dict *dict, tacho_output *output,
                                 const tacho_trace_options *options, tacho_events **out_events)
{
    parquet_sink *sink = NULL;
    TACHO_TRY(make_sink(dict, options, &sink));
    return hand_out(sink, tacho_parquet_open(&sink->writer, output, columns, COUNT_OF(columns)),
                    out_events);
}

tacho_status tacho_rows_parquet_open(tacho_dict *dict, const tacho_rows_parquet_outputs *outputs,
                                     const tacho_trace_options *options, tacho_events **out_events)
{
    parquet_sink *sink = NULL;
    TACHO_TRY(make_sink(dict, options, &sink));
    tacho_status status = tacho_parquet_open(&sink->writer, outputs->spans, dataset_columns,
                                             COUNT_OF(dataset_columns));
    if (status == TACHO_OK) {
        status = tacho_parquet_open(&sink->counters, outputs->counters, counter_columns,
                                    COUNT_OF(counter_columns));
    }
    return hand_out(sink, status, out_events);
}

void tacho_rows_parquet_close(tacho_events *events)
{
    parquet_close(events);
}

static const char *const suffixes[] = {".parquet", NULL};

const tacho_trace_sink tacho_sink_spans_parquet = {
    .name = "parquet",
    .title = "Parquet, one row per span",
    .suffixes = suffixes,
    .limits = TACHO_LIMIT_READING | TACHO_LIMIT_SPANS,
    .takes_rows_as_given = true,
    .open = parquet_open,
    .close = parquet_close,
};
