/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events as CSV for spreadsheets: one line per span, instant, counter sample and flow end, with one
 * header. Times are integers in nanoseconds from the first event of the event's file. Arguments are
 * one field, "key=value; key=value", members of containers as key.member and key[0]. The clock and
 * losses do not fit a CSV; other formats have them.
 */
#include "sinks/spans_csv.h"

#include "base/decimal.h"
#include "base/real.h"
#include "base/utf8.h"
#include "codec/csv.h"
#include "sinks/args_text.h"
#include "sinks/trace_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char header[] = "kind,file,group,track,class,index,start_ns,duration_ns,cycles,name,"
                             "category,location,run,invocation,origin,value,unit,flow,args\n";

typedef struct csv_sink {
    tacho_events events;
    tacho_output *output;
    tacho_trace_options options;
    tacho_arena arena; /* of one row */
    tacho_args_text args;
} csv_sink;

static csv_sink *sink_of(tacho_events *events)
{
    return (csv_sink *)(void *)events;
}

/* ---- fields ----------------------------------------------------------------------------- */

static void next_field(csv_sink *sink)
{
    tacho_output_write(sink->output, ",", 1);
}

/* Invalid UTF-8 would corrupt the whole file for a spreadsheet. */
static tacho_status put_text(csv_sink *sink, tacho_str text)
{
    TACHO_TRY(tacho_utf8_clean(text, &sink->arena, &text));
    tacho_csv_write_guarded(sink->output, text, ',');
    return TACHO_OK;
}

static tacho_status put_string(csv_sink *sink, uint32_t string)
{
    next_field(sink);
    return put_text(sink, tacho_dict_string(sink->events.dict, string));
}

static void put_int(csv_sink *sink, int64_t value)
{
    tacho_output_printf(sink->output, ",%" PRId64, value);
}

static tacho_status put_args(csv_sink *sink, const tacho_row *row)
{
    tacho_str text;
    TACHO_TRY(tacho_args_text_make(&sink->args, sink->events.dict, row, &text));
    next_field(sink);
    return put_text(sink, text);
}

/* ---- rows ------------------------------------------------------------------------------- */

/* kind, file, group, track, class, index, start */
static tacho_status put_head(csv_sink *sink, const char *kind, const tacho_row *row)
{
    const tacho_dict *dict = sink->events.dict;
    const tacho_track *track = &dict->tracks[row->track];
    uint32_t group = tacho_dict_track_group(dict, row->track);
    tacho_output_write_cstring(sink->output, kind);
    TACHO_TRY(put_string(sink, dict->parts[track->part].name));
    TACHO_TRY(
        put_string(sink, dict->tracks[group].parent == TACHO_NONE ? 0 : dict->tracks[group].name));
    TACHO_TRY(put_string(sink, tacho_dict_track_name(dict, row->track)));
    tacho_output_printf(sink->output, ",%s,%" PRIu32, tacho_track_class_name(track->track_class),
                        track->index);
    put_int(sink, tacho_trace_ns(sink->events.dict, row, row->start));
    return TACHO_OK;
}

/* run, invocation, origin */
static tacho_status put_run(csv_sink *sink, const tacho_row *row)
{
    const tacho_dict *dict = sink->events.dict;
    const tacho_run *run = row->of.span.run == TACHO_NONE ? NULL : &dict->runs[row->of.span.run];
    TACHO_TRY(put_string(sink, run != NULL ? run->name : 0));
    next_field(sink);
    if (run != NULL && run->invocation >= 0) {
        tacho_output_printf(sink->output, "%" PRId64, run->invocation);
    }
    tacho_origin origin = (tacho_origin)(row->of.span.flags & TACHO_SPAN_ORIGIN_MASK);
    if (origin == TACHO_ORIGIN_UNKNOWN) {
        origin = dict->parts[dict->tracks[row->track].part].origin;
    }
    tacho_output_printf(sink->output, ",%s", tacho_origin_name(origin));
    return TACHO_OK;
}

static tacho_status put_span(csv_sink *sink, const tacho_row *row)
{
    const tacho_dict *dict = sink->events.dict;
    const tacho_site *site = &dict->sites[row->of.span.site];
    bool is_instant = (row->of.span.flags & TACHO_SPAN_INSTANT) != 0;
    bool is_unended = (row->of.span.flags & TACHO_SPAN_UNENDED) != 0;
    TACHO_TRY(put_head(sink, is_instant ? "instant" : (is_unended ? "unended" : "span"), row));
    put_int(sink, tacho_trace_ns(sink->events.dict, row, row->of.span.end) -
                      tacho_trace_ns(sink->events.dict, row, row->start));
    next_field(sink);
    if (tacho_dict_track_clock(dict, row->track)->counts_cycles) {
        tacho_output_printf(sink->output, "%" PRId64, row->of.span.end - row->start);
    }
    TACHO_TRY(put_string(sink, site->name));
    TACHO_TRY(put_string(sink, site->category));
    TACHO_TRY(
        put_string(sink, site->location == TACHO_NONE ? 0 : dict->locations[site->location].text));
    TACHO_TRY(put_run(sink, row));
    tacho_output_write_cstring(sink->output, ",,,");
    tacho_row bare = *row;
    bare.arg_count = sink->options.omit_args ? 0 : row->arg_count;
    return put_args(sink, &bare);
}

static tacho_status put_sample(csv_sink *sink, const tacho_row *row)
{
    TACHO_TRY(put_head(sink, "sample", row));
    tacho_output_write_cstring(sink->output, ",,,,,,,,");
    next_field(sink);
    char *at = (char *)tacho_output_reserve(sink->output, TACHO_REAL_MAX);
    sink->output->cursor = (unsigned char *)tacho_real_put(at, row->of.sample.value);
    tacho_output_printf(sink->output, ",%s,,",
                        tacho_unit_name(sink->events.dict->tracks[row->track].unit));
    return TACHO_OK;
}

/* Writes a flow end: its role as the name, its phase as the category. */
static tacho_status put_flow(csv_sink *sink, const tacho_row *row)
{
    TACHO_TRY(put_head(sink, "flow", row));
    tacho_output_printf(
        sink->output, ",,,%s,%s,,,,,,,%" PRIu64 ",", tacho_flow_role_name(row->of.flow.role),
        tacho_flow_phase_name(row->of.flow.phase), tacho_row_flow_id(sink->events.dict, row));
    return TACHO_OK;
}

static tacho_status csv_row(tacho_events *events, const tacho_row *row)
{
    csv_sink *sink = sink_of(events);
    bool is_good = true;
    if (TACHO_UNLIKELY(tacho_output_failed(sink->output))) {
        return tacho_output_take_failure(sink->output);
    }
    TACHO_TRY(tacho_trace_check_names(events->dict, &sink->options, row));
    switch (row->kind) {
    case TACHO_ROW_SPAN:
        TACHO_TRY(put_span(sink, row));
        break;
    case TACHO_ROW_SAMPLE:
        TACHO_TRY(tacho_trace_check_sample(events->dict, row, &is_good));
        if (!is_good) {
            return TACHO_OK;
        }
        TACHO_TRY(put_sample(sink, row));
        break;
    case TACHO_ROW_FLOW:
        TACHO_TRY(put_flow(sink, row));
        break;
    }
    tacho_arena_reset(&sink->arena);
    tacho_output_write(sink->output, "\n", 1);
    return TACHO_OK;
}

static const tacho_events_vtable csv_vtable = {.row = csv_row};

static void csv_close(tacho_events *events)
{
    csv_sink *sink = sink_of(events);
    tacho_arena_deinit(&sink->arena);
    tacho_args_text_deinit(&sink->args);
    free(sink);
}

static tacho_status csv_open(tacho_dict *dict, tacho_output *output,
                             const tacho_trace_options *options, tacho_events **out_events)
{
    csv_sink *sink = calloc(1, sizeof(*sink));
    if (sink == NULL) {
        return tacho_no_memory();
    }
    sink->events = (tacho_events){&csv_vtable, dict};
    sink->output = output;
    sink->options = *options;
    tacho_arena_init(&sink->arena);
    tacho_output_write_cstring(output, header);
    *out_events = &sink->events;
    return TACHO_OK;
}

static const char *const suffixes[] = {".csv", NULL};

const tacho_trace_sink tacho_sink_spans_csv = {
    .name = "csv",
    .title = "comma-separated values, one line per event",
    .suffixes = suffixes,
    .limits = TACHO_LIMIT_READING,
    .open = csv_open,
    .close = csv_close,
};
