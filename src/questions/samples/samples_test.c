/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples: assignment of moments, computed by hand; and the law that times and idle time add up to
 * the whole, on random spans.
 */
#include "questions/samples/samples_testing.h"

#include <stdlib.h>

enum { RANDOM_SPANS = 4000, RANDOM_NAMES = 9 };

static void make(tacho_samples *samples, composed *at)
{
    const tacho_samples_options options = {.classes = 0};
    assert_null(tacho_samples_init(samples, &options));
    assert_null(tacho_samples_add(samples, &at->profile));
}

static void check_cell(const tacho_samples *samples, const char *name, size_t cell,
                       tacho_sample_cell wanted)
{
    const tacho_sampled_op *op = composed_find(samples, name);
    assert_true(cell < op->cell_count);
    assert_int_equal(op->cells[cell].sample, wanted.sample);
    assert_int_equal(op->cells[cell].wall_ns, wanted.wall_ns);
    assert_int_equal(op->cells[cell].busy_ns, wanted.busy_ns);
    assert_int_equal(op->cells[cell].gap_ns, wanted.gap_ns);
    assert_int_equal(op->cells[cell].count, wanted.count);
}

/* compute:  ....[conv 10-20)......[relu 30-40)
   dma in:   [load conv 5-15) [load relu 18-33)  idle: none between 5 and 40 */
static void test_engines(void **state)
{
    (void)state;
    composed at;
    tacho_samples samples;
    composed_init(&at, TACHO_ORIGIN_ESTIMATED);
    uint32_t slice = composed_track(&at, "Slice 0", TACHO_TRACK_COMPUTE, TACHO_NESTING_ENGINE);
    uint32_t dma = composed_track(&at, "DMA In", TACHO_TRACK_DMA_IN, TACHO_NESTING_ENGINE);
    uint32_t host = composed_track(&at, "Host", TACHO_TRACK_HOST, TACHO_NESTING_STACK);
    composed_add(&at, (composed_span){slice, "Conv", 10, 20, .op = "conv1", .location = "m:1"});
    composed_add(&at, (composed_span){slice, "Relu", 30, 40, .op = "relu1"});
    composed_add(&at, (composed_span){dma, "load conv1", 5, 15, .op = "conv1", .location = "m:1"});
    composed_add(&at, (composed_span){dma, "load relu1", 18, 26, .op = "relu1"});
    composed_add(&at, (composed_span){host, "main", 0, 100, .category = NULL});
    make(&samples, &at);
    assert_int_equal(samples.domain, TACHO_SAMPLES_DEVICE);
    assert_int_equal(samples.op_count, 2);
    check_cell(&samples, "conv1", 0, (tacho_sample_cell){0, 2, 15, 20, 0, -1});
    check_cell(&samples, "relu1", 0, (tacho_sample_cell){0, 2, 16, 18, 4, -1});
    assert_int_equal(samples.whole_count, 1);
    assert_int_equal(samples.wholes[0].wall_ns, 35);
    assert_int_equal(samples.wholes[0].idle_ns, 4);
    const tacho_sampled_op *op = composed_find(&samples, "conv1");
    assert_string_equal(tacho_strings_get(&samples.strings, op->type).data, "Conv");
    tacho_samples_deinit(&samples);
    composed_deinit(&at);
}

/* Calls: the innermost counts, and the outer one continues after it. */
static void test_calls(void **state)
{
    (void)state;
    composed at;
    tacho_samples samples;
    composed_init(&at, TACHO_ORIGIN_MEASURED);
    uint32_t thread = composed_track(&at, "thread", TACHO_TRACK_HOST, TACHO_NESTING_STACK);
    composed_add(&at, (composed_span){thread, "outer", 0, 100, .category = NULL});
    composed_add(&at, (composed_span){thread, "all", 0, 100, .category = "user_annotation"});
    composed_add(&at, (composed_span){thread, "inner", 10, 40, .category = NULL});
    composed_add(&at, (composed_span){thread, "leaf", 20, 30, .category = NULL});
    composed_add(&at, (composed_span){thread, "inner", 40, 50, .category = NULL});
    composed_add(&at, (composed_span){thread, "whole", 50, 60, .category = NULL});
    composed_add(&at, (composed_span){thread, "part", 50, 60, .category = NULL});
    make(&samples, &at);
    assert_int_equal(samples.domain, TACHO_SAMPLES_HOST);
    assert_int_equal(samples.op_count, 5);
    check_cell(&samples, "outer", 0, (tacho_sample_cell){0, 1, 50, 50, 0, -1});
    check_cell(&samples, "inner", 0, (tacho_sample_cell){0, 2, 30, 30, 0, -1});
    check_cell(&samples, "leaf", 0, (tacho_sample_cell){0, 1, 10, 10, 0, -1});
    check_cell(&samples, "whole", 0, (tacho_sample_cell){0, 1, 0, 0, 0, -1});
    check_cell(&samples, "part", 0, (tacho_sample_cell){0, 1, 10, 10, 0, -1});
    assert_int_equal(samples.wholes[0].wall_ns, 100);
    assert_int_equal(samples.wholes[0].idle_ns, 0);
    tacho_samples_deinit(&samples);
    composed_deinit(&at);
}

static void test_runs(void **state)
{
    (void)state;
    composed at;
    tacho_samples samples;
    composed_init(&at, TACHO_ORIGIN_MEASURED);
    uint32_t cpu = composed_track(&at, "CPU", TACHO_TRACK_COMPUTE, TACHO_NESTING_ENGINE);
    composed_add(&at, (composed_span){cpu, "Conv", 0, 10, .invocation = 7});
    composed_add(&at, (composed_span){cpu, "Relu", 15, 20, .invocation = 7});
    composed_add(&at, (composed_span){cpu, "Conv", 100, 130, .invocation = 9});
    make(&samples, &at);
    assert_int_equal(samples.kind, TACHO_SAMPLES_RUNS);
    assert_int_equal(samples.whole_count, 2);
    check_cell(&samples, "Conv", 0, (tacho_sample_cell){0, 1, 10, 10, 0, -1});
    check_cell(&samples, "Conv", 1, (tacho_sample_cell){1, 1, 30, 30, 0, -1});
    check_cell(&samples, "Relu", 0, (tacho_sample_cell){0, 1, 5, 5, 5, -1});
    assert_int_equal(composed_find(&samples, "Relu")->cell_count, 1);
    assert_int_equal(samples.wholes[0].wall_ns, 20);
    assert_int_equal(samples.wholes[1].wall_ns, 30);
    /* A second file is more samples. */
    assert_null(tacho_samples_add(&samples, &at.profile));
    assert_int_equal(samples.whole_count, 4);
    assert_int_equal(samples.file_count, 2);
    check_cell(&samples, "Conv", 3, (tacho_sample_cell){3, 1, 30, 30, 0, -1});
    tacho_samples_deinit(&samples);
    composed_deinit(&at);
}

static void add_flow(composed *at, uint32_t track, int64_t time, tacho_flow_phase phase)
{
    tacho_row row = {.kind = TACHO_ROW_FLOW, .track = track, .start = time};
    row.of.flow.id = 5;
    row.of.flow.role = TACHO_FLOW_LAUNCH;
    row.of.flow.phase = phase;
    row.of.flow.span_name = 0;
    row.of.flow.span_end = TACHO_FLOW_AROUND;
    assert_null(tacho_events_row(&at->profile.events, &row));
}

/* Kernels belong to the step that launched them, even if they run in the next. */
static void test_steps(void **state)
{
    (void)state;
    composed at;
    tacho_samples samples;
    composed_init(&at, TACHO_ORIGIN_MEASURED);
    uint32_t host = composed_track(&at, "thread", TACHO_TRACK_HOST, TACHO_NESTING_STACK);
    uint32_t stream = composed_track(&at, "stream", TACHO_TRACK_COMPUTE, TACHO_NESTING_STACK);
    composed_add(&at,
                 (composed_span){host, "ProfilerStep#1", 10, 50, .category = "user_annotation"});
    composed_add(&at,
                 (composed_span){host, "ProfilerStep#2", 50, 90, .category = "user_annotation"});
    composed_add(&at, (composed_span){stream, "warm", 0, 5, .category = "kernel"});
    composed_add(&at, (composed_span){stream, "gemm", 20, 30, .category = "kernel"});
    composed_add(&at, (composed_span){stream, "late", 60, 64, .category = "kernel"});
    add_flow(&at, host, 45, TACHO_FLOW_LEAVES);
    add_flow(&at, stream, 60, TACHO_FLOW_ARRIVES);
    composed_add(&at, (composed_span){stream, "gemm", 70, 81, .category = "kernel"});
    make(&samples, &at);
    assert_int_equal(samples.kind, TACHO_SAMPLES_STEPS);
    assert_int_equal(samples.whole_count, 2);
    assert_int_equal(samples.outside_count, 1);
    check_cell(&samples, "gemm", 0, (tacho_sample_cell){0, 1, 10, 10, 10, -1});
    check_cell(&samples, "gemm", 1, (tacho_sample_cell){1, 1, 11, 11, 6, -1});
    check_cell(&samples, "late", 0, (tacho_sample_cell){0, 1, 4, 4, 30, -1});
    assert_int_equal(samples.wholes[0].wall_ns, 54); /* until its launched work has ended */
    assert_int_equal(samples.wholes[0].idle_ns, 40);
    assert_int_equal(samples.wholes[1].wall_ns, 26);
    assert_int_equal(samples.wholes[1].idle_ns, 15);
    tacho_samples_deinit(&samples);
    composed_deinit(&at);
}

/* Inferences that took |times|, one after the other. */
static void make_inferences(tacho_samples *samples, const int64_t times[7])
{
    composed at;
    composed_init(&at, TACHO_ORIGIN_MEASURED);
    uint32_t cpu = composed_track(&at, "CPU", TACHO_TRACK_COMPUTE, TACHO_NESTING_ENGINE);
    for (int64_t i = 0; i < 7; i++) {
        composed_add(
            &at, (composed_span){cpu, "Conv", 1000 * i, 1000 * i + times[i], .invocation = i + 1});
    }
    make(samples, &at);
    composed_deinit(&at);
}

/* One sample far above the others is set aside. With two of seven, on either side, all are kept. */
static void test_set_aside(void **state)
{
    (void)state;
    static const int64_t once[7] = {100, 101, 99, 900, 102, 98, 100};
    static const int64_t twice[7] = {100, 101, 99, 900, 102, 890, 100};
    tacho_samples sides[2];
    make_inferences(&sides[0], once);
    make_inferences(&sides[1], once);
    for (size_t i = 0; i < 2; i++) { /* the second time changes nothing */
        assert_null(tacho_samples_set_aside(sides));
        assert_int_equal(sides[0].aside_count, 1);
        assert_int_equal(sides[1].whole_count, 6);
        check_cell(&sides[0], "Conv", 3, (tacho_sample_cell){3, 1, 102, 102, 0, -1});
    }
    tacho_samples_deinit(&sides[0]);
    tacho_samples_deinit(&sides[1]);
    make_inferences(&sides[0], once);
    make_inferences(&sides[1], twice);
    assert_null(tacho_samples_set_aside(sides));
    assert_int_equal(sides[0].whole_count, 7);
    assert_int_equal(sides[1].whole_count, 7);
    tacho_samples_deinit(&sides[0]);
    tacho_samples_deinit(&sides[1]);
}

/* Times of all operators and idle time add up to the whole, and equal a count moment by moment. */
static void test_sums(void **state)
{
    (void)state;
    enum { END = 6000, TRACKS = 4 };
    static const tacho_track_class classes[TRACKS] = {TACHO_TRACK_COMPUTE, TACHO_TRACK_VECTOR,
                                                      TACHO_TRACK_DMA_IN, TACHO_TRACK_DMA_OUT};
    static unsigned char busy[END + 1];
    composed at;
    tacho_samples samples;
    uint32_t seed = 12345;
    int64_t first = INT64_MAX;
    int64_t last = 0;
    memset(busy, 0, sizeof(busy));
    composed_init(&at, TACHO_ORIGIN_ESTIMATED);
    for (uint32_t k = 0; k < TRACKS; k++) {
        char name[16];
        snprintf(name, sizeof(name), "engine %u", k);
        uint32_t track = composed_track(&at, name, classes[k], TACHO_NESTING_ENGINE);
        for (int64_t start = 50; start < END - 60;) {
            snprintf(name, sizeof(name), "op%u", (seed >> 8) % RANDOM_NAMES);
            int64_t end = start + (int64_t)(seed >> 16) % 40;
            composed_add(&at, (composed_span){track, name, start, end, .category = NULL});
            memset(busy + start, 1, (size_t)(end - start));
            first = start < first ? start : first;
            last = end > last ? end : last;
            seed = seed * 1664525 + 1013904223;
            start = end + (int64_t)(seed >> 20) % 90;
        }
    }
    make(&samples, &at);
    int64_t wall = 0;
    int64_t gaps = 0;
    int64_t counted = 0;
    for (size_t i = 0; i < samples.op_count; i++) {
        assert_int_equal(samples.ops[i].cell_count, 1);
        wall += samples.ops[i].cells[0].wall_ns;
        gaps += samples.ops[i].cells[0].gap_ns;
        counted += samples.ops[i].cells[0].count;
    }
    int64_t busy_ns = 0;
    for (size_t i = 0; i < END; i++) {
        busy_ns += busy[i];
    }
    assert_int_equal(wall, busy_ns);
    assert_int_equal(wall + gaps, samples.wholes[0].wall_ns);
    assert_int_equal(samples.wholes[0].idle_ns, gaps);
    assert_in_range(samples.wholes[0].wall_ns, last - first - 40, last - first);
    assert_int_equal(counted, samples.span_count);
    tacho_samples_deinit(&samples);
    composed_deinit(&at);
}

/* A run or a profile without work is not a sample. */
static void test_empty(void **state)
{
    (void)state;
    composed at;
    composed idle;
    tacho_samples samples;
    composed_init(&at, TACHO_ORIGIN_MEASURED);
    composed_init(&idle, TACHO_ORIGIN_MEASURED);
    uint32_t slice = composed_track(&at, "Slice 0", TACHO_TRACK_COMPUTE, TACHO_NESTING_ENGINE);
    uint32_t host = composed_track(&at, "Host", TACHO_TRACK_HOST, TACHO_NESTING_STACK);
    composed_add(&at, (composed_span){slice, "a", 0, 10, .invocation = 1});
    composed_add(&at, (composed_span){host, "main", 20, 30, .invocation = 2});
    composed_add(&at, (composed_span){slice, "a", 40, 60, .invocation = 3});
    make(&samples, &at);
    assert_null(tacho_samples_add(&samples, &idle.profile));
    assert_int_equal(samples.whole_count, 2);
    assert_int_equal(samples.empty_count, 2);
    check_cell(&samples, "a", 0, (tacho_sample_cell){0, 1, 10, 10, 0, -1});
    check_cell(&samples, "a", 1, (tacho_sample_cell){1, 1, 20, 20, 0, -1});
    assert_int_equal(samples.wholes[1].wall_ns, 20);
    tacho_samples_deinit(&samples);
    composed_deinit(&at);
    composed_deinit(&idle);
}

/* A second part with a fixed zero, next to the existing part without one. */
static void test_axes(void **state)
{
    (void)state;
    composed at;
    tacho_samples samples;
    tacho_clock clock;
    tacho_part_facts facts = {.path = TACHO_STR("b.csv"), .origin = TACHO_ORIGIN_MEASURED};
    composed_init(&at, TACHO_ORIGIN_MEASURED);
    uint32_t own = composed_track(&at, "Slice 0", TACHO_TRACK_COMPUTE, TACHO_NESTING_ENGINE);
    tacho_clock_init(&clock, 1, 1);
    clock.has_fixed_zero = true;
    assert_null(tacho_dict_add_clock(&at.dict, &clock, TACHO_STR("fixed"), &facts.clock));
    assert_null(tacho_dict_add_part(&at.dict, &facts, &at.part));
    uint32_t fixed = composed_track(&at, "Slice 1", TACHO_TRACK_COMPUTE, TACHO_NESTING_ENGINE);
    composed_add(&at, (composed_span){own, "a", 0, 10, .category = NULL});
    composed_add(&at, (composed_span){fixed, "b", 1000000, 1000020, .category = NULL});
    make(&samples, &at);
    assert_int_equal(samples.wholes[0].wall_ns, 30);
    assert_int_equal(samples.wholes[0].idle_ns, 0);
    tacho_samples_deinit(&samples);
    composed_deinit(&at);
}

/* Spans of one site that belong to different operators, again and again. */
static void test_sites(void **state)
{
    (void)state;
    composed at;
    tacho_samples samples;
    composed_init(&at, TACHO_ORIGIN_ESTIMATED);
    uint32_t slice = composed_track(&at, "Slice 0", TACHO_TRACK_COMPUTE, TACHO_NESTING_ENGINE);
    static const char *const ops[] = {"a", "a", "b", NULL, "a", NULL, NULL, "b"};
    for (int64_t i = 0; i < 8; i++) {
        composed_add(&at, (composed_span){slice, "Conv", 10 * i, 10 * i + 10, .op = ops[i]});
    }
    make(&samples, &at);
    assert_int_equal(samples.op_count, 3);
    check_cell(&samples, "a", 0, (tacho_sample_cell){0, 3, 30, 30, 0, -1});
    check_cell(&samples, "b", 0, (tacho_sample_cell){0, 2, 20, 20, 0, -1});
    check_cell(&samples, "Conv", 0, (tacho_sample_cell){0, 3, 30, 30, 0, -1});
    tacho_samples_deinit(&samples);
    composed_deinit(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_engines),   cmocka_unit_test(test_calls),
        cmocka_unit_test(test_runs),      cmocka_unit_test(test_steps),
        cmocka_unit_test(test_set_aside), cmocka_unit_test(test_sums),
        cmocka_unit_test(test_axes),      cmocka_unit_test(test_sites),
        cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests_name("samples", tests, NULL, NULL);
}
