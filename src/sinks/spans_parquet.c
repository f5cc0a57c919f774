/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One row per span and instant, streamed: memory holds one group of rows. Samples of counters and
 * ends of arrows are no spans; how many there were is a fact of the file, as are losses.
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

static const tacho_parquet_column columns[] = {
    {"file", TACHO_PARQUET_TEXT},       {"process", TACHO_PARQUET_TEXT},
    {"track", TACHO_PARQUET_TEXT},      {"track_id", TACHO_PARQUET_INT},
    {"class", TACHO_PARQUET_TEXT},      {"kind", TACHO_PARQUET_TEXT},
    {"name", TACHO_PARQUET_TEXT},       {"category", TACHO_PARQUET_TEXT},
    {"operation", TACHO_PARQUET_TEXT},  {"location", TACHO_PARQUET_TEXT},
    {"run", TACHO_PARQUET_TEXT},        {"invocation", TACHO_PARQUET_INT},
    {"origin", TACHO_PARQUET_TEXT},     {"start_ns", TACHO_PARQUET_INT},
    {"duration_ns", TACHO_PARQUET_INT}, {"cycles", TACHO_PARQUET_INT},
    {"args", TACHO_PARQUET_TEXT},
};

typedef struct parquet_sink {
    tacho_events events;
    tacho_output *output;
    tacho_trace_options options;
    tacho_parquet *writer;
    tacho_operators operators;
    bool is_ready;
    tacho_arena arena;     /* of names that had to be cleaned */
    tacho_arena row_arena; /* of arguments of one row that had to be */
    tacho_arg_walk walk;
    char *text; /* arguments being put together */
    size_t text_len, text_capacity;
    uint64_t sample_count, flow_end_count;
} parquet_sink;

static parquet_sink *sink_of(tacho_events *events)
{
    return (parquet_sink *)(void *)events;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* A string of the dictionary; TACHO_NONE: none. */
static tacho_status put_string(parquet_sink *sink, uint32_t id)
{
    if (id == TACHO_NONE) {
        return tacho_parquet_add_null(sink->writer);
    }
    tacho_str text = tacho_dict_string(sink->events.dict, id);
    if (TACHO_UNLIKELY(!tacho_parquet_has_key(sink->writer, id))) {
        TACHO_TRY(tacho_utf8_clean(text, &sink->arena, &text));
    }
    return tacho_parquet_add_key(sink->writer, id, text);
}

/* One of few words, told apart by |number|. */
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
    uint32_t group = tacho_dict_track_group(dict, row->track);
    bool has_process = dict->tracks[group].parent != TACHO_NONE;
    tacho_track_class span_class =
        tacho_operators_class(tacho_span_kind_of(tacho_dict_string(dict, site->category),
                                                 tacho_dict_string(dict, site->name)),
                              track);
    TACHO_TRY(put_string(sink, dict->parts[track->part].name));
    TACHO_TRY(put_string(sink, has_process ? dict->tracks[group].name : TACHO_NONE));
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
    operation = operation != TACHO_NONE ? operation : tacho_operators_of_site(dict, site);
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

static tacho_status parquet_row(tacho_events *events, const tacho_row *row)
{
    parquet_sink *sink = sink_of(events);
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
    return tacho_parquet_finish(sink->writer);
}

static const tacho_events_vtable parquet_vtable = {.row = parquet_row, .finish = parquet_finish};

static void parquet_close(tacho_events *events)
{
    parquet_sink *sink = sink_of(events);
    tacho_parquet_close(sink->writer);
    tacho_arena_deinit(&sink->arena);
    tacho_arena_deinit(&sink->row_arena);
    tacho_arg_walk_deinit(&sink->walk);
    free(sink->text);
    free(sink);
}

static tacho_status parquet_open(tacho_dict *dict, tacho_output *output,
                                 const tacho_trace_options *options, tacho_events **out_events)
{
    parquet_sink *sink = calloc(1, sizeof(*sink));
    if (sink == NULL) {
        return tacho_no_memory();
    }
    sink->events = (tacho_events){&parquet_vtable, dict};
    sink->output = output;
    sink->options = *options;
    tacho_arena_init(&sink->arena);
    tacho_arena_init(&sink->row_arena);
    tacho_status status =
        tacho_parquet_open(&sink->writer, output, columns, sizeof(columns) / sizeof(columns[0]));
    if (status != TACHO_OK) {
        parquet_close(&sink->events);
        return status;
    }
    *out_events = &sink->events;
    return TACHO_OK;
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
