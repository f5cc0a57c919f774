/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a page and a trace of one made-up profile that has what no small input has: counters,
 * moments, nested and crossing spans, spans without end, many tracks, metrics, very late times.
 *
 *     report_fixture PAGE.html TRACE.pb [late]
 */
#include "base/output.h"
#include "profile/lanes.h"
#include "sinks/report_page.h"
#include "sinks/trace_sink.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { ENGINE_COUNT = 300, SAMPLE_COUNT = 50 };

/* Ends the program: a fixture that cannot be made is a failed test. */
static void must(tacho_status status)
{
    if (status != TACHO_OK) {
        fprintf(stderr, "report_fixture: %s\n", tacho_status_message(status));
        exit(1);
    }
}

static uint32_t add_part(tacho_dict *dict)
{
    tacho_clock clock;
    tacho_clock_init(&clock, 1, 1);
    tacho_part_facts facts = {.path = TACHO_STR("made/up.csv"),
                              .format = TACHO_STR("made-up"),
                              .generation = TACHO_STR("M1"),
                              .origin = TACHO_ORIGIN_SIMULATED};
    uint32_t part = 0;
    must(tacho_dict_add_clock(dict, &clock, TACHO_STR("ns"), &facts.clock));
    must(tacho_dict_add_part(dict, &facts, &part));
    return part;
}

static uint32_t add_track(tacho_dict *dict, const char *name, tacho_track_class track_class,
                          uint32_t index)
{
    tacho_track facts = {
        .parent = dict->parts[0].root,
        .part = 0,
        .clock = dict->parts[0].clock,
        .index = index,
        .lane_of = TACHO_NONE,
        .rank = -1,
        .track_class = track_class,
        .nesting = track_class == TACHO_TRACK_HOST ? TACHO_NESTING_STACK : TACHO_NESTING_ENGINE,
        .unit = track_class == TACHO_TRACK_COUNTER ? TACHO_UNIT_PERCENT : TACHO_UNIT_NONE,
    };
    uint32_t track = 0;
    must(tacho_dict_ensure_track(dict, &facts, tacho_str_from_cstring(name), &track));
    return track;
}

static uint32_t add_site(tacho_dict *dict, const char *name)
{
    tacho_site facts = {.location = TACHO_NONE};
    uint32_t site = 0;
    must(tacho_dict_ensure_string(dict, tacho_str_from_cstring(name), &facts.name));
    must(tacho_dict_ensure_string(dict, TACHO_STR("made"), &facts.category));
    must(tacho_dict_ensure_site(dict, &facts, &site));
    return site;
}

static void add_span(tacho_events *events, uint32_t track, const char *name, int64_t start,
                     int64_t end, uint32_t flags)
{
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = track, .start = start};
    row.of.span.end = end;
    row.of.span.site = add_site(events->dict, name);
    row.of.span.op = TACHO_NONE;
    row.of.span.run = TACHO_NONE;
    row.of.span.flags = flags;
    must(tacho_events_row(events, &row));
}

static void add_rows(tacho_events *events, bool is_late)
{
    uint32_t host = add_track(events->dict, "Host", TACHO_TRACK_HOST, 0);
    add_span(events, host, "outer", 0, 1000, 0);
    add_span(events, host, "inner", 100, 400, 0);
    add_span(events, host, "innermost", 100, 200, 0);
    add_span(events, host, "inner", 400, 900, TACHO_SPAN_UNENDED);
    add_span(events, host, "moment", 500, 500, TACHO_SPAN_INSTANT);
    add_span(events, host, "crossing", 950, 1200, 0);
    for (uint32_t i = 0; i < ENGINE_COUNT; i++) {
        char name[32];
        snprintf(name, sizeof(name), "Engine %u", i);
        uint32_t engine = add_track(events->dict, name, TACHO_TRACK_COMPUTE, i);
        add_span(events, engine, "work", i, 2 * (int64_t)i + 10, 0);
    }
    uint32_t counter = add_track(events->dict, "Load", TACHO_TRACK_COUNTER, 0);
    for (int64_t i = 0; i < SAMPLE_COUNT; i++) {
        tacho_row row = {.kind = TACHO_ROW_SAMPLE, .track = counter, .start = 20 * i};
        row.of.sample.value = (double)i * 1.5 - 10.0;
        must(tacho_events_row(events, &row));
    }
    if (is_late) {
        uint32_t late = add_track(events->dict, "Late", TACHO_TRACK_SYNC, 0);
        add_span(events, late, "late", INT64_MAX - 100000, INT64_MAX - 2000, 0);
    }
    must(tacho_events_end_part(events, 0));
    must(tacho_events_finish(events));
}

static void write_page(const char *path, bool is_late)
{
    static const tacho_report_metric metrics[] = {
        {0, TACHO_ORIGIN_SIMULATED, TACHO_STR_INIT("Critical <path>"), 1234567, 62.5},
        {0, TACHO_ORIGIN_SIMULATED, TACHO_STR_INIT("Gap"), -250, -1.0},
    };
    tacho_dict dict;
    must(tacho_dict_init(&dict));
    add_part(&dict);
    report_columns columns;
    must(report_columns_init(&columns, &dict));
    add_rows(&columns.events, is_late);
    tacho_output output;
    must(tacho_output_open(path, &output));
    tacho_report report;
    must(tacho_report_begin(&report, &output, TACHO_STR("made up")));
    must(tacho_report_add(
        &report,
        &(tacho_report_profile){.columns = &columns, .metrics = metrics, .metric_count = 2}));
    must(tacho_report_end(&report));
    must(tacho_output_commit(&output));
    tacho_output_close(&output);
    report_columns_deinit(&columns);
    tacho_dict_deinit(&dict);
}

static void write_trace(const char *path, bool is_late)
{
    const tacho_trace_sink *sink = tacho_trace_sink_find(TACHO_STR("perfetto"));
    const tacho_trace_options options = {0};
    tacho_dict dict;
    must(tacho_dict_init(&dict));
    add_part(&dict);
    tacho_output output;
    must(tacho_output_open(path, &output));
    tacho_events *events = NULL;
    must(sink->open(&dict, &output, &options, &events));
    tacho_lanes *lanes = NULL;
    must(tacho_lanes_create(events, &lanes));
    add_rows(tacho_lanes_events(lanes), is_late);
    tacho_lanes_destroy(lanes);
    sink->close(events);
    must(tacho_output_commit(&output));
    tacho_output_close(&output);
    tacho_dict_deinit(&dict);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: report_fixture PAGE.html TRACE.pb [late]\n");
        return 2;
    }
    write_page(argv[1], argc > 3);
    write_trace(argv[2], argc > 3);
    return 0;
}
