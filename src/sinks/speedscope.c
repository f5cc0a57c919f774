/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of one track have to be consecutive, so the profile is kept until its last row. Spans of a
 * track are nested, and so are the frames that are opened and closed here. The format does not
 * support instants, counters and arrows; their numbers are in a member of our own, as are origins
 * and losses.
 */
#include "sinks/speedscope.h"

#include "base/grow.h"
#include "codec/json.h"
#include "profile/profile.h"
#include "sinks/trace_rows.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct speedscope_sink {
    tacho_events events;
    tacho_output *output;
    tacho_profile profile;
    uint32_t *open; /* open spans, outermost first */
    size_t open_count, open_capacity;
    uint64_t instant_count, sample_count, flow_end_count; /* left out */
    uint64_t unended_count;
} speedscope_sink;

static speedscope_sink *sink_of(tacho_events *events)
{
    return (speedscope_sink *)(void *)events;
}

static int64_t ns_of(const speedscope_sink *sink, uint32_t track, int64_t ticks)
{
    return tacho_clock_ns(tacho_dict_track_clock(sink->events.dict, track), ticks);
}

static tacho_status speedscope_row(tacho_events *events, const tacho_row *row)
{
    speedscope_sink *sink = sink_of(events);
    tacho_row bare = *row;
    bool is_instant = row->kind == TACHO_ROW_SPAN && (row->of.span.flags & TACHO_SPAN_INSTANT) != 0;
    sink->instant_count += is_instant;
    sink->sample_count += row->kind == TACHO_ROW_SAMPLE;
    sink->flow_end_count += row->kind == TACHO_ROW_FLOW;
    sink->unended_count +=
        row->kind == TACHO_ROW_SPAN && (row->of.span.flags & TACHO_SPAN_UNENDED) != 0;
    bare.arg_count = 0;
    return row->kind == TACHO_ROW_SPAN && !is_instant
               ? tacho_events_row(&sink->profile.events, &bare)
               : TACHO_OK;
}

/* ---- one track ------------------------------------------------------------------------------- */

static void put_event(speedscope_sink *sink, char type, uint32_t site, int64_t ns)
{
    tacho_output_printf(sink->output, "{\"type\":\"%c\",\"frame\":%" PRIu32 ",\"at\":%" PRId64 "}",
                        type, site, ns);
}

static void close_top(speedscope_sink *sink)
{
    tacho_span span = tacho_profile_span(&sink->profile, sink->open[--sink->open_count]);
    tacho_output_write(sink->output, ",", 1);
    put_event(sink, 'C', span.site, ns_of(sink, span.track, span.end));
}

static tacho_status put_span(speedscope_sink *sink, uint32_t id, bool is_first)
{
    tacho_span span = tacho_profile_span(&sink->profile, id);
    while (sink->open_count > 0 &&
           tacho_profile_span(&sink->profile, sink->open[sink->open_count - 1]).end <= span.start) {
        close_top(sink);
    }
    if (!is_first) {
        tacho_output_write(sink->output, ",", 1);
    }
    put_event(sink, 'O', span.site, ns_of(sink, span.track, span.start));
    TACHO_TRY(tacho_grow(&sink->open, &sink->open_capacity, sink->open_count + 1));
    sink->open[sink->open_count++] = id;
    return TACHO_OK;
}

/* The name of a track: its process, or else its file, and the track. */
static tacho_status put_name(speedscope_sink *sink, uint32_t track)
{
    const tacho_dict *dict = sink->events.dict;
    uint32_t group = tacho_dict_track_group(dict, track);
    bool has_process = dict->tracks[group].parent != TACHO_NONE;
    tacho_str process = tacho_dict_string(
        dict, has_process ? dict->tracks[group].name : dict->parts[dict->tracks[track].part].name);
    tacho_str name = tacho_dict_string(dict, tacho_dict_track_name(dict, track));
    char *text = NULL;
    size_t capacity = 0;
    TACHO_TRY(tacho_grow(&text, &capacity, process.len + name.len + 2));
    memcpy(text, process.data, process.len);
    memcpy(text + process.len, ": ", 2);
    memcpy(text + process.len + 2, name.data, name.len);
    tacho_json_write_string(sink->output, tacho_str_make(text, process.len + name.len + 2));
    free(text);
    return TACHO_OK;
}

static tacho_status put_track(speedscope_sink *sink, uint32_t track, const uint32_t *spans,
                              size_t count)
{
    int64_t start_ns = INT64_MAX;
    int64_t end_ns = 0;
    for (size_t i = 0; i < count; i++) {
        tacho_span span = tacho_profile_span(&sink->profile, spans[i]);
        int64_t span_start = ns_of(sink, track, span.start);
        int64_t span_end = ns_of(sink, track, span.end);
        start_ns = span_start < start_ns ? span_start : start_ns;
        end_ns = span_end > end_ns ? span_end : end_ns;
    }
    tacho_output_write_cstring(sink->output, "{\"type\":\"evented\",\"name\":");
    TACHO_TRY(put_name(sink, track));
    tacho_output_printf(sink->output,
                        ",\"unit\":\"nanoseconds\",\"startValue\":%" PRId64 ",\"endValue\":%" PRId64
                        ",\"events\":[",
                        start_ns, end_ns);
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(put_span(sink, spans[i], i == 0));
    }
    while (sink->open_count > 0) {
        close_top(sink);
    }
    tacho_output_write_cstring(sink->output, "]}");
    return tacho_output_failed(sink->output) ? tacho_output_take_failure(sink->output) : TACHO_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

static void put_frames(speedscope_sink *sink)
{
    const tacho_dict *dict = sink->events.dict;
    for (size_t i = 0; i < dict->site_count; i++) {
        const tacho_site *site = &dict->sites[i];
        bool has_name = tacho_dict_string(dict, site->name).len > 0;
        tacho_output_write_cstring(sink->output, i > 0 ? ",{\"name\":" : "{\"name\":");
        tacho_json_write_string(sink->output,
                                tacho_dict_string(dict, has_name ? site->name : site->category));
        const tacho_location *place =
            site->location != TACHO_NONE ? &dict->locations[site->location] : NULL;
        if (place != NULL && place->file != 0) {
            tacho_output_write_cstring(sink->output, ",\"file\":");
            tacho_json_write_string(sink->output, tacho_dict_string(dict, place->file));
        }
        if (place != NULL && place->line != 0) {
            tacho_output_printf(sink->output, ",\"line\":%" PRIu32, place->line);
        }
        tacho_output_write(sink->output, "}", 1);
    }
}

/*
 * Sorts spans by track, keeping the order in each track: |ends| are the ends of tracks in |order|.
 */
static void sort_spans(const speedscope_sink *sink, size_t *ends, uint32_t *order)
{
    const tacho_profile *profile = &sink->profile;
    size_t track_count = sink->events.dict->track_count;
    for (size_t i = 0; i < profile->span_count; i++) {
        ends[tacho_profile_span(profile, i).track + 1]++;
    }
    for (size_t i = 1; i <= track_count; i++) {
        ends[i] += ends[i - 1];
    }
    for (size_t i = 0; i < profile->span_count; i++) {
        order[ends[tacho_profile_span(profile, i).track]++] = (uint32_t)i;
    }
}

static tacho_status put_tracks(speedscope_sink *sink)
{
    size_t *ends = NULL;
    uint32_t *order = NULL;
    bool has_any = false;
    TACHO_TRY(tacho_items_make(&ends, sink->events.dict->track_count + 1));
    tacho_status status = tacho_items_make(&order, sink->profile.span_count);
    if (status == TACHO_OK) {
        sort_spans(sink, ends, order);
    }
    for (size_t i = 0; status == TACHO_OK && i < sink->events.dict->track_count; i++) {
        size_t begin = i > 0 ? ends[i - 1] : 0;
        if (ends[i] > begin) {
            tacho_output_write_cstring(sink->output, has_any ? "," : "");
            status = put_track(sink, (uint32_t)i, order + begin, ends[i] - begin);
            has_any = true;
        }
    }
    free(order);
    free(ends);
    return status;
}

/* Writes the origin of the times, and the numbers of records left out. */
static void put_facts(speedscope_sink *sink)
{
    const tacho_dict *dict = sink->events.dict;
    tacho_output_write_cstring(sink->output, "\"tacho\":{\"files\":[");
    for (size_t i = 0; i < dict->part_count; i++) {
        tacho_output_write_cstring(sink->output, i > 0 ? ",{\"file\":" : "{\"file\":");
        tacho_json_write_string(sink->output, tacho_dict_string(dict, dict->parts[i].name));
        tacho_output_printf(sink->output, ",\"origin\":\"%s\"}",
                            tacho_origin_name(dict->parts[i].origin));
    }
    tacho_output_printf(sink->output,
                        "],\"lost_records\":%" PRIu64 ",\"instants_left_out\":%" PRIu64
                        ",\"counter_samples_left_out\":%" PRIu64 ",\"flow_ends_left_out\":%" PRIu64
                        ",\"unended_spans\":%" PRIu64 "}",
                        tacho_trace_lost_count(dict), sink->instant_count, sink->sample_count,
                        sink->flow_end_count, sink->unended_count);
}

static tacho_status speedscope_finish(tacho_events *events)
{
    speedscope_sink *sink = sink_of(events);
    events->dict->unplaced_count = sink->instant_count + sink->sample_count + sink->flow_end_count;
    tacho_output_write_cstring(
        sink->output, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
                      "\"exporter\":\"tacho\",\"shared\":{\"frames\":[");
    put_frames(sink);
    tacho_output_write_cstring(sink->output, "]},\"profiles\":[");
    TACHO_TRY(put_tracks(sink));
    tacho_output_write_cstring(sink->output, "],");
    put_facts(sink);
    tacho_output_write_cstring(sink->output, "}\n");
    return TACHO_OK;
}

static const tacho_events_vtable speedscope_vtable = {
    .row = speedscope_row,
    .finish = speedscope_finish,
};

static void speedscope_close(tacho_events *events)
{
    speedscope_sink *sink = sink_of(events);
    tacho_profile_deinit(&sink->profile);
    free(sink->open);
    free(sink);
}

static tacho_status speedscope_open(tacho_dict *dict, tacho_output *output,
                                    const tacho_trace_options *options, tacho_events **out_events)
{
    speedscope_sink *sink = calloc(1, sizeof(*sink));
    (void)options;
    if (sink == NULL) {
        return tacho_no_memory();
    }
    sink->events = (tacho_events){&speedscope_vtable, dict};
    sink->output = output;
    tacho_profile_init(&sink->profile, dict);
    *out_events = &sink->events;
    return TACHO_OK;
}

static const char *const suffixes[] = {".speedscope.json", NULL};

const tacho_trace_sink tacho_sink_speedscope = {
    .name = "speedscope",
    .title = "speedscope, one profile per track",
    .suffixes = suffixes,
    .limits = TACHO_LIMIT_READING | TACHO_LIMIT_SPANS,
    .open = speedscope_open,
    .close = speedscope_close,
};
