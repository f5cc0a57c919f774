/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events as JSON lines: "kind" is the kind of an object (span, instant, sample, flow, attribute).
 * Times are integers in nanoseconds from the first event of the event's file; lanes have the name
 * of their track. Attributes, with the clock, the origin and losses, are at the end.
 */
#include "sinks/spans_jsonl.h"

#include "sinks/attributes.h"
#include "sinks/json_args.h"
#include "sinks/trace_rows.h"

#include <stdlib.h>

typedef struct jsonl_sink {
    tacho_events events;
    tacho_output *output;
    tacho_trace_options options;
    tacho_json_keys keys;
} jsonl_sink;

static jsonl_sink *sink_of(tacho_events *events)
{
    return (jsonl_sink *)(void *)events;
}

/* Writes the common fields of events: kind, file, track and its class, time. */
static void put_head(jsonl_sink *sink, const char *kind, const tacho_row *row)
{
    const tacho_dict *dict = sink->events.dict;
    const tacho_track *track = &dict->tracks[row->track];
    const char *class_name = tacho_track_class_name(track->track_class);
    tacho_json_put_string(sink->output, "{\"kind\":", tacho_str_from_cstring(kind));
    tacho_json_put_string(sink->output,
                          ",\"file\":", tacho_dict_string(dict, dict->parts[track->part].name));
    uint32_t group = tacho_dict_track_group(dict, row->track);
    if (dict->tracks[group].parent != TACHO_NONE) {
        tacho_json_put_string(sink->output,
                              ",\"group\":", tacho_dict_string(dict, dict->tracks[group].name));
    }
    tacho_json_put_string(sink->output, ",\"track\":",
                          tacho_dict_string(dict, tacho_dict_track_name(dict, row->track)));
    tacho_json_put_string(sink->output, ",\"class\":", tacho_str_from_cstring(class_name));
    tacho_json_put_int(sink->output, ",\"start_ns\":", tacho_trace_ns(dict, row, row->start));
}

static void put_span(jsonl_sink *sink, const tacho_row *row)
{
    const tacho_dict *dict = sink->events.dict;
    const tacho_site *site = &dict->sites[row->of.span.site];
    bool is_instant = (row->of.span.flags & TACHO_SPAN_INSTANT) != 0;
    put_head(sink, is_instant ? "instant" : "span", row);
    if (!is_instant) {
        int64_t duration_ns =
            tacho_trace_ns(dict, row, row->of.span.end) - tacho_trace_ns(dict, row, row->start);
        tacho_json_put_int(sink->output, ",\"duration_ns\":", duration_ns);
    }
    tacho_json_put_string(sink->output, ",\"name\":", tacho_dict_string(dict, site->name));
    tacho_json_put_string(sink->output, ",\"category\":", tacho_dict_string(dict, site->category));
    if (!sink->options.omit_args) {
        tacho_output_write_cstring(sink->output, ",\"args\":");
        (void)tacho_json_args_write(sink->output, dict, row, &sink->keys);
    } else if (tacho_trace_is_marked(dict, row)) {
        tacho_output_write_cstring(sink->output, ",\"args\":");
        tacho_json_marks_write(sink->output, dict, row);
    }
}

static void put_sample(jsonl_sink *sink, const tacho_row *row)
{
    const char *unit = tacho_unit_name(sink->events.dict->tracks[row->track].unit);
    put_head(sink, "sample", row);
    tacho_output_write_cstring(sink->output, ",\"value\":");
    tacho_json_write_number(sink->output, row->of.sample.value);
    tacho_json_put_string(sink->output, ",\"unit\":", tacho_str_from_cstring(unit));
}

static void put_flow(jsonl_sink *sink, const tacho_row *row)
{
    const char *phase = tacho_flow_phase_name(row->of.flow.phase);
    const char *role = tacho_flow_role_name(row->of.flow.role);
    put_head(sink, "flow", row);
    tacho_json_put_uint(sink->output, ",\"id\":", tacho_row_flow_id(sink->events.dict, row));
    tacho_json_put_string(sink->output, ",\"direction\":", tacho_str_from_cstring(phase));
    tacho_json_put_string(sink->output, ",\"role\":", tacho_str_from_cstring(role));
}

static tacho_status jsonl_row(tacho_events *events, const tacho_row *row)
{
    jsonl_sink *sink = sink_of(events);
    bool is_good = true;
    if (TACHO_UNLIKELY(tacho_output_failed(sink->output))) {
        return tacho_output_take_failure(sink->output);
    }
    TACHO_TRY(tacho_trace_check_names(events->dict, &sink->options, row));
    switch (row->kind) {
    case TACHO_ROW_SPAN:
        put_span(sink, row);
        break;
    case TACHO_ROW_SAMPLE:
        TACHO_TRY(tacho_trace_check_sample(events->dict, row, &is_good));
        if (!is_good) {
            return TACHO_OK;
        }
        put_sample(sink, row);
        break;
    case TACHO_ROW_FLOW:
        put_flow(sink, row);
        break;
    }
    tacho_output_write(sink->output, "}\n", 2);
    return TACHO_OK;
}

static tacho_status put_attribute(void *self, tacho_str key, tacho_str value)
{
    jsonl_sink *sink = self;
    tacho_json_put_string(sink->output, "{\"kind\":\"attribute\",\"key\":", key);
    tacho_json_put_string(sink->output, ",\"value\":", value);
    tacho_output_write(sink->output, "}\n", 2);
    return TACHO_OK;
}

static tacho_status jsonl_finish(tacho_events *events)
{
    jsonl_sink *sink = sink_of(events);
    TACHO_TRY(tacho_attributes_visit_head(put_attribute, sink));
    for (uint32_t part = 0; part < events->dict->part_count; part++) {
        TACHO_TRY(
            tacho_attributes_visit_part(events->dict, &sink->options, part, put_attribute, sink));
    }
    return tacho_attributes_visit_tail(events->dict, put_attribute, sink);
}

static const tacho_events_vtable jsonl_vtable = {.row = jsonl_row, .finish = jsonl_finish};

static void jsonl_close(tacho_events *events)
{
    free(sink_of(events));
}

static tacho_status jsonl_open(tacho_dict *dict, tacho_output *output,
                               const tacho_trace_options *options, tacho_events **out_events)
{
    jsonl_sink *sink = calloc(1, sizeof(*sink));
    if (sink == NULL) {
        return tacho_no_memory();
    }
    sink->events = (tacho_events){&jsonl_vtable, dict};
    sink->output = output;
    sink->options = *options;
    *out_events = &sink->events;
    return TACHO_OK;
}

static const char *const suffixes[] = {".jsonl", NULL};

const tacho_trace_sink tacho_sink_spans_jsonl = {
    .name = "jsonl",
    .title = "JSON lines, one object per event",
    .suffixes = suffixes,
    .limits = TACHO_LIMIT_READING,
    .open = jsonl_open,
    .close = jsonl_close,
};
