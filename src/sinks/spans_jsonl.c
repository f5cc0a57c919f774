/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events as JSON lines: "kind" says what an object is (span, instant, sample, flow, attribute).
 * Times are integers in nanoseconds from the first event of the file the event is from; lanes
 * carry the name of their track. Attributes, which say the clock, the origin and what was lost,
 * come last.
 */
#include "sinks/spans_jsonl.h"

#include "codec/json.h"
#include "sinks/attributes.h"
#include "sinks/json_args.h"

#include <math.h>
#include <stdlib.h>

typedef struct jsonl_sink {
    tacho_events events;
    tacho_output *output;
    tacho_trace_options options;
} jsonl_sink;

static jsonl_sink *sink_of(tacho_events *events)
{
    return (jsonl_sink *)(void *)events;
}

static void put_string(jsonl_sink *sink, const char *before, tacho_str text)
{
    tacho_output_write_cstring(sink->output, before);
    tacho_json_write_string(sink->output, text);
}

static void put_int(jsonl_sink *sink, const char *before, int64_t value)
{
    tacho_output_write_cstring(sink->output, before);
    tacho_json_write_int(sink->output, value);
}

static tacho_str dict_string(const jsonl_sink *sink, uint32_t id)
{
    return tacho_dict_string(sink->events.dict, id);
}

static int64_t time_of(const jsonl_sink *sink, const tacho_row *row, int64_t ticks)
{
    return tacho_clock_ns(tacho_dict_track_clock(sink->events.dict, row->track), ticks);
}

/* What every event has: kind, file, track and its class, time. */
static void put_head(jsonl_sink *sink, const char *kind, const tacho_row *row)
{
    const tacho_dict *dict = sink->events.dict;
    const tacho_track *track = &dict->tracks[row->track];
    const char *class_name = tacho_track_class_name(track->track_class);
    put_string(sink, "{\"kind\":", tacho_str_from_cstring(kind));
    put_string(sink, ",\"file\":", dict_string(sink, dict->parts[track->part].name));
    uint32_t group = tacho_dict_track_group(dict, row->track);
    if (dict->tracks[group].parent != TACHO_NONE) {
        put_string(sink, ",\"group\":", dict_string(sink, dict->tracks[group].name));
    }
    put_string(sink, ",\"track\":", dict_string(sink, tacho_dict_track_name(dict, row->track)));
    put_string(sink, ",\"class\":", tacho_str_from_cstring(class_name));
    put_int(sink, ",\"start_ns\":", time_of(sink, row, row->start));
}

static void put_span(jsonl_sink *sink, const tacho_row *row)
{
    const tacho_dict *dict = sink->events.dict;
    const tacho_site *site = &dict->sites[row->of.span.site];
    bool is_instant = (row->of.span.flags & TACHO_SPAN_INSTANT) != 0;
    put_head(sink, is_instant ? "instant" : "span", row);
    if (!is_instant) {
        int64_t duration_ns = time_of(sink, row, row->of.span.end) - time_of(sink, row, row->start);
        put_int(sink, ",\"duration_ns\":", duration_ns);
    }
    put_string(sink, ",\"name\":", dict_string(sink, site->name));
    put_string(sink, ",\"category\":", dict_string(sink, site->category));
    if (!sink->options.omit_args) {
        tacho_output_write_cstring(sink->output, ",\"args\":");
        tacho_json_args_write(sink->output, dict, row);
    }
}

/* JSON has no word for a value that is not finite, so that is counted instead. */
static tacho_status lose_sample(jsonl_sink *sink, const tacho_row *row)
{
    tacho_loss loss = {sink->events.dict->tracks[row->track].part, TACHO_LOSS_NOT_FINITE, 1, 0, 0};
    return tacho_dict_add_loss(sink->events.dict, &loss);
}

static void put_sample(jsonl_sink *sink, const tacho_row *row)
{
    const char *unit = tacho_unit_name(sink->events.dict->tracks[row->track].unit);
    put_head(sink, "sample", row);
    tacho_output_write_cstring(sink->output, ",\"value\":");
    tacho_json_write_number(sink->output, row->of.sample.value);
    put_string(sink, ",\"unit\":", tacho_str_from_cstring(unit));
}

static void put_flow(jsonl_sink *sink, const tacho_row *row)
{
    const char *phase = tacho_flow_phase_name(row->of.flow.phase);
    const char *role = tacho_flow_role_name(row->of.flow.role);
    put_head(sink, "flow", row);
    put_int(sink, ",\"id\":", (int64_t)row->of.flow.id);
    put_string(sink, ",\"direction\":", tacho_str_from_cstring(phase));
    put_string(sink, ",\"role\":", tacho_str_from_cstring(role));
}

static tacho_status jsonl_row(tacho_events *events, const tacho_row *row)
{
    jsonl_sink *sink = sink_of(events);
    if (TACHO_UNLIKELY(tacho_output_failed(sink->output))) {
        return tacho_output_take_failure(sink->output);
    }
    switch (row->kind) {
    case TACHO_ROW_SPAN:
        put_span(sink, row);
        break;
    case TACHO_ROW_SAMPLE:
        if (!isfinite(row->of.sample.value)) {
            return lose_sample(sink, row);
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
    put_string(sink, "{\"kind\":\"attribute\",\"key\":", key);
    put_string(sink, ",\"value\":", value);
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
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for a trace");
    }
    *sink = (jsonl_sink){{&jsonl_vtable, dict}, output, *options};
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
