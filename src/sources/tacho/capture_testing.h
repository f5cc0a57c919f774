/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test helpers for captures: one with everything that a profile may contain is written, and
 * captures are read into a profile, straight or through the order filter. Include it after
 * <cmocka.h> and "sinks/tacho.h", a header that sources themselves may not use.
 */
#ifndef TACHO_SOURCES_TACHO_CAPTURE_TESTING_H
#define TACHO_SOURCES_TACHO_CAPTURE_TESTING_H

#include "base/output_testing.h"
#include "base/text_testing.h"
#include "profile/order.h"
#include "profile/profile.h"
#include "sources/tacho/capture.h"

#include <stdlib.h>

enum { FILE_BYTES = 1 << 20, SPOOL_BYTES = 1 << 16 };

/* ---- writing ------------------------------------------------------------------------------- */

typedef struct capture {
    tacho_dict dict;
    tacho_output output;
    tacho_events *events;
} capture;

static inline void begin(capture *made, const tacho_trace_options *options)
{
    assert_ok(tacho_dict_init(&made->dict));
    open_test_output(&made->output);
    assert_ok(tacho_sink_tacho.open(&made->dict, &made->output, options, &made->events));
}

/* Ends the capture; the caller frees the bytes. */
static inline tacho_str end(capture *made, size_t room)
{
    char *bytes = malloc(room);
    assert_non_null(bytes);
    assert_ok(tacho_events_finish(made->events));
    tacho_sink_tacho.close(made->events);
    size_t len = read_test_output(&made->output, bytes, room);
    assert_true(len < room);
    tacho_dict_deinit(&made->dict);
    return tacho_str_make(bytes, len);
}

static inline void drop(tacho_str bytes)
{
    free((void *)(uintptr_t)bytes.data);
}

static inline uint32_t string_id(tacho_dict *dict, const char *text)
{
    uint32_t id = 0;
    assert_ok(tacho_dict_ensure_string(dict, tacho_str_from_cstring(text), &id));
    return id;
}

static inline uint32_t add_part(tacho_dict *dict, const char *name, bool is_fixed)
{
    uint32_t id = 0;
    tacho_clock clock;
    assert_ok(tacho_clock_init_mhz(&clock, TACHO_STR("1500")));
    clock.is_assumed = true;
    clock.counts_cycles = true;
    clock.has_fixed_zero = is_fixed;
    clock.zero_ticks = 40;
    tacho_part_facts facts = {
        .path = TACHO_STR("folder/file.csv"),
        .name = tacho_str_from_cstring(name),
        .format = TACHO_STR("made-up"),
        .generation = TACHO_STR("G7"),
        .origin = TACHO_ORIGIN_SIMULATED,
        .covered_classes = TACHO_TRACK_BIT(TACHO_TRACK_DMA_IN),
        .keeps_order = true,
    };
    assert_ok(tacho_dict_add_clock(dict, &clock, TACHO_STR("cycles"), &facts.clock));
    assert_ok(tacho_dict_add_part(dict, &facts, &id));
    return id;
}

static inline uint32_t add_track(tacho_dict *dict, uint32_t part, const char *name,
                                 tacho_track_class track_class)
{
    uint32_t id = 0;
    const tacho_track facts = {
        .parent = dict->parts[part].root,
        .part = part,
        .clock = dict->parts[part].clock,
        .index = 3,
        .lane_of = TACHO_NONE,
        .rank = -1,
        .track_class = track_class,
        .nesting = TACHO_NESTING_ENGINE,
        .unit = track_class == TACHO_TRACK_COUNTER ? TACHO_UNIT_BYTES : TACHO_UNIT_NONE,
    };
    assert_ok(tacho_dict_ensure_track(dict, &facts, tacho_str_from_cstring(name), &id));
    return id;
}

static inline uint32_t add_site(tacho_dict *dict, const char *name)
{
    uint32_t id = 0;
    tacho_site site = {string_id(dict, name), string_id(dict, "kind"), TACHO_NONE};
    const tacho_location place = {string_id(dict, "loc(\"a\":1:2)"), string_id(dict, "a"), 1, 2};
    assert_ok(tacho_dict_ensure_location(dict, &place, &site.location));
    assert_ok(tacho_dict_ensure_site(dict, &site, &id));
    return id;
}

static inline tacho_row span_row(uint32_t track, uint32_t site, int64_t start, int64_t finish)
{
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = track, .start = start};
    row.of.span.end = finish;
    row.of.span.site = site;
    row.of.span.op = TACHO_NONE;
    row.of.span.run = TACHO_NONE;
    return row;
}

/* Fills in one argument of each type, one inside another. */
static inline size_t fill_args(tacho_dict *dict, tacho_arg *args)
{
    size_t count = 0;
    uint32_t key = string_id(dict, "key");
    args[count++] = (tacho_arg){key, TACHO_ARG_INT, TACHO_UNIT_NS, {.as_int = INT64_MIN}};
    args[count++] = (tacho_arg){key, TACHO_ARG_UINT, TACHO_UNIT_BYTES, {.as_uint = UINT64_MAX}};
    args[count++] = (tacho_arg){key, TACHO_ARG_REAL, TACHO_UNIT_PERCENT, {.as_real = -0.0}};
    args[count++] = (tacho_arg){key, TACHO_ARG_BOOL, TACHO_UNIT_NONE, {.as_bool = true}};
    args[count++] = (tacho_arg){key, TACHO_ARG_STRING, TACHO_UNIT_NONE, {.as_string = key}};
    args[count++] = (tacho_arg){key, TACHO_ARG_TEXT, TACHO_UNIT_NONE, {.as_text = {"a\0b\xff", 4}}};
    args[count++] = (tacho_arg){key, TACHO_ARG_DICT, TACHO_UNIT_NONE, {.as_uint = 2}};
    args[count++] = (tacho_arg){key, TACHO_ARG_ARRAY, TACHO_UNIT_NONE, {.as_uint = 1}};
    args[count++] = (tacho_arg){0, TACHO_ARG_JSON, TACHO_UNIT_NONE, {.as_text = TACHO_STR("{}")}};
    return count;
}

enum { ALL_SPANS = 2, ALL_FLOWS = 3, ALL_SAMPLES = 1, ALL_ROWS = 6, ARG_COUNT = 9 };

/* Writes two parts with every kind of entry; tracks of the first get their names late. */
static inline tacho_str write_everything(void)
{
    const tacho_trace_options options = {.side_by_side = true};
    capture made;
    tacho_arg args[ARG_COUNT];
    begin(&made, &options);
    tacho_dict *dict = &made.dict;
    uint32_t first = add_part(dict, "one", false);
    uint32_t second = add_part(dict, "two", true);
    uint32_t engine = add_track(dict, first, "?", TACHO_TRACK_HOST);
    uint32_t counter = add_track(dict, second, "bytes", TACHO_TRACK_COUNTER);
    dict->tracks[engine].is_provisional = true;
    dict->clocks[dict->parts[first].clock].zero_ticks = 90; /* as the order filter sets it */
    const tacho_run run = {first, string_id(dict, "main"), -1};
    tacho_row row = span_row(engine, add_site(dict, "conv"), 100, 250);
    assert_ok(tacho_dict_add_run(dict, &run, &row.of.span.run));
    row.of.span.op = 7;
    row.of.span.flags = TACHO_SPAN_UNENDED | TACHO_ORIGIN_MEASURED |
                        (uint32_t)TACHO_SPAN_DEPTH_MAX << TACHO_SPAN_DEPTH_SHIFT;
    row.args = args;
    row.arg_count = fill_args(dict, args);
    assert_ok(tacho_events_row(made.events, &row));
    tacho_row flow = {.kind = TACHO_ROW_FLOW, .track = engine, .start = 100};
    const int64_t ends[] = {250, TACHO_FLOW_AROUND, TACHO_FLOW_NEXT};
    for (unsigned i = 0; i < ALL_FLOWS; i++) {
        flow.of.flow.id = ((uint64_t)1 << 40) - 1 - i;
        flow.of.flow.role = (tacho_flow_role)i;
        flow.of.flow.phase = (tacho_flow_phase)(2 - i);
        flow.of.flow.span_name = (uint32_t)i + 1;
        flow.of.flow.span_end = ends[i];
        assert_ok(tacho_events_row(made.events, &flow));
    }
    dict->tracks[engine].name = string_id(dict, "Slice 3");
    dict->tracks[engine].track_class = TACHO_TRACK_COMPUTE;
    dict->tracks[engine].rank = -5;
    dict->tracks[engine].is_provisional = false;
    assert_ok(tacho_events_end_part(made.events, first));
    tacho_row sample = {.kind = TACHO_ROW_SAMPLE, .track = counter, .start = 40};
    sample.of.sample.value = 0.1;
    assert_ok(tacho_events_row(made.events, &sample));
    uint32_t late = add_track(dict, second, "late", TACHO_TRACK_PORT);
    tacho_row moment = span_row(late, add_site(dict, "now"), 41, 41);
    moment.of.span.flags = TACHO_SPAN_INSTANT;
    assert_ok(tacho_events_row(made.events, &moment));
    assert_ok(tacho_events_end_part(made.events, second));
    const tacho_loss loss = {second, TACHO_LOSS_DROPPED, 12, 34, string_id(dict, "example")};
    assert_ok(tacho_dict_add_loss(dict, &loss));
    assert_ok(tacho_dict_add_metadata(dict, "fact", TACHO_STR("value")));
    return end(&made, FILE_BYTES);
}

/* ---- reading ------------------------------------------------------------------------------- */

typedef struct loaded {
    tacho_dict dict;
    tacho_profile profile;
} loaded;

/* Reads straight into a profile, or through the order filter. */
static inline tacho_status load_by(loaded *made, tacho_str bytes, bool sorts)
{
    const tacho_source_options options = {.choice_count = 0};
    tacho_order *order = NULL;
    tacho_input input;
    assert_ok(tacho_dict_init(&made->dict));
    tacho_profile_init(&made->profile, &made->dict);
    tacho_events *events = &made->profile.events;
    if (sorts) {
        assert_ok(tacho_order_create(events, TACHO_ORDER_SORT, SPOOL_BYTES, &order));
        events = tacho_order_events(order);
    }
    assert_ok(tacho_input_open_bytes("file.tacho", bytes, &input));
    tacho_reading reading = {
        .input = &input, .path = TACHO_STR("file.tacho"), .options = &options, .events = events};
    tacho_status status = tacho_source_tacho.read(&reading);
    if (status == TACHO_OK) {
        assert_ok(tacho_events_finish(events));
    }
    tacho_input_close(&input);
    tacho_order_destroy(order);
    return status;
}

static inline void unload(loaded *made)
{
    tacho_profile_deinit(&made->profile);
    tacho_dict_deinit(&made->dict);
}

static inline void load(loaded *made, tacho_str bytes)
{
    assert_ok(load_by(made, bytes, false));
    assert_ok(tacho_profile_validate(&made->profile));
}

static inline uint64_t lost_count(const tacho_dict *dict)
{
    uint64_t count = 0;
    for (size_t i = 0; i < dict->loss_count; i++) {
        count += dict->losses[i].count;
    }
    return count;
}

static inline size_t row_count(const loaded *made)
{
    return made->profile.span_count + made->profile.sample_count + made->profile.flow_end_count;
}

static inline void assert_text(const tacho_dict *dict, uint32_t id, const char *expected)
{
    assert_string_equal(tacho_dict_string(dict, id).data, expected);
}

#endif
