/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns of work just above and just below the limit of each rule, on a device that its kernels
 * limit and on one that waits for its launches.
 */
#include "questions/breakdown/breakdown.h"
#include "questions/breakdown/breakdown_rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* 100 pieces of work of 1 ms; if the host is late, 1 us each after gaps of 99 us: 10 ms. */
enum { PIECES = 100, BUSY_NS = 100000000, LATE_NS = 9901000 };

typedef struct fixture {
    tacho_dict dict;
    tacho_breakdown_gather gather;
    tacho_breakdown_device device;
    tacho_table facts;
    tacho_device_more more;
} fixture;

static void add_work(fixture *at, int64_t start_ns, int64_t ns, tacho_work_kind kind)
{
    const tacho_device_work work = {.start_ns = start_ns,
                                    .end_ns = start_ns + ns,
                                    .kind = kind,
                                    .has_launch = true,
                                    .launch_ns = start_ns - 1};
    const tacho_launch launch = {.start_ns = work.launch_ns, .end_ns = -1};
    assert_null(tacho_device_time_add(&at->device.time, 0, &work));
    assert_null(tacho_device_time_settle(&at->device.time));
    assert_null(tacho_launch_stats_add(&at->device.streams[0].launches, &launch, work.start_ns,
                                       work.end_ns));
}

/* A GPU with one stream. */
static void setup(fixture *at, bool is_late, int copy_count)
{
    memset(at, 0, sizeof(*at));
    tacho_clock clock;
    tacho_clock_init(&clock, 1, 1);
    assert_null(tacho_dict_init(&at->dict));
    tacho_part_facts part = {.path = TACHO_STR("a.json"), .generation = TACHO_STR("kineto")};
    uint32_t id = 0;
    assert_null(tacho_dict_add_clock(&at->dict, &clock, TACHO_STR("ns"), &part.clock));
    assert_null(tacho_dict_add_part(&at->dict, &part, &id));
    tacho_breakdown_gather_init(&at->gather, &at->dict);
    at->device = (tacho_breakdown_device){.origin = TACHO_ORIGIN_MEASURED, .stream_count = 1};
    at->device.streams = calloc(1, sizeof(*at->device.streams));
    tacho_track track = {
        .parent = at->dict.parts[id].root, .track_class = TACHO_TRACK_GROUP, .lane_of = TACHO_NONE};
    assert_null(tacho_dict_ensure_string(&at->dict, TACHO_STR("python [GPU 0]"), &track.name));
    assert_null(tacho_dict_add_track(&at->dict, &track, &at->device.group));
    track.parent = at->device.group;
    track.track_class = TACHO_TRACK_COMPUTE;
    assert_null(tacho_dict_add_track(&at->dict, &track, &at->device.streams[0].track));
    assert_null(tacho_device_time_add_stream(&at->device.time));
    tacho_launch_stats_init(&at->device.streams[0].launches);
    int64_t each_ns = BUSY_NS / PIECES;
    for (int64_t i = 0; i < PIECES; i++) {
        tacho_work_kind kind = i < copy_count ? TACHO_WORK_COPY : TACHO_WORK_COMPUTE;
        add_work(at, is_late ? i * 100000 : i * each_ns, is_late ? 1000 : each_ns, kind);
    }
    assert_null(tacho_device_time_finish(&at->device.time));
    at->gather.devices = &at->device;
    at->gather.device_count = 1;
    assert_null(tacho_breakdown_facts_table(&at->gather, &at->facts));
    at->more.dict = &at->dict;
}

static void teardown(fixture *at)
{
    tacho_table_deinit(&at->facts);
    at->gather.devices = NULL;
    at->gather.device_count = 0;
    tacho_breakdown_gather_deinit(&at->gather);
    tacho_device_time_deinit(&at->device.time);
    tacho_launch_stats_deinit(&at->device.streams[0].launches);
    free(at->device.streams);
    tacho_dict_deinit(&at->dict);
}

static void set(fixture *at, tacho_pattern pattern, uint64_t count, int64_t ns)
{
    at->more.patterns.sums[pattern] =
        (tacho_pattern_sum){.count = count,
                            .ns = ns,
                            .longest_ns = ns / (int64_t)(count > 0 ? count : 1),
                            .start_ns = 7};
}

/* The gain of |rule|, 0 if it finds nothing. */
static int64_t gain_of(fixture *at, const char *rule)
{
    tacho_findings findings;
    int64_t gain_ns = 0;
    tacho_findings_init(&findings);
    findings.more = &at->more;
    assert_null(tacho_rules_run(tacho_breakdown_rules, &at->facts, &findings));
    for (size_t i = 0; i < findings.item_count; i++) {
        bool is_it = strcmp(findings.items[i].rule->id, rule) == 0;
        gain_ns = is_it ? findings.items[i].gain_ns : gain_ns;
        assert_true(!is_it || findings.items[i].has_start);
    }
    tacho_findings_deinit(&findings);
    return gain_ns;
}

/* One pattern, where the device is busy: its least time, in ms of 100, and the share of it that is
 * gained. */
static void test_shares(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        tacho_pattern pattern;
        int64_t ms;
        int64_t gained_percent;
    } cases[] = {
        {"K-01", TACHO_PATTERN_LAYOUT, 5, 100}, {"K-02", TACHO_PATTERN_CAST, 5, 100},
        {"K-03", TACHO_PATTERN_CHAIN, 10, 100}, {"K-06", TACHO_PATTERN_MISALIGNED, 10, 50},
        {"K-07", TACHO_PATTERN_SMALL, 30, 50},  {"K-08", TACHO_PATTERN_ATTENTION, 5, 100},
        {"L-05", TACHO_PATTERN_VALUE, 3, 100},  {"L-05", TACHO_PATTERN_WAIT, 3, 100},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fixture at;
        int64_t ns = cases[i].ms * 1000000;
        setup(&at, false, 0);
        assert_int_equal(gain_of(&at, cases[i].rule), 0);
        set(&at, cases[i].pattern, 10, ns);
        assert_int_equal(gain_of(&at, cases[i].rule), ns / 100 * cases[i].gained_percent);
        set(&at, cases[i].pattern, 10, ns - 2);
        assert_int_equal(gain_of(&at, cases[i].rule), 0);
        teardown(&at);
    }
}

/* Where the host is late, a kernel less gains a launch less, 99 us, and time of kernels nothing. */
static void test_late_host(void **state)
{
    (void)state;
    static const char *const of_launches[] = {"K-01", "K-08", "M-04"};
    static const tacho_pattern patterns[] = {TACHO_PATTERN_LAYOUT, TACHO_PATTERN_ATTENTION,
                                             TACHO_PATTERN_COPY_WITHIN};
    static const tacho_pattern of_time[] = {TACHO_PATTERN_CAST, TACHO_PATTERN_CHAIN,
                                            TACHO_PATTERN_SMALL, TACHO_PATTERN_MISALIGNED};
    fixture at;
    setup(&at, true, 0);
    for (size_t i = 0; i < 3; i++) {
        set(&at, patterns[i], 6, 6000);
        assert_int_equal(gain_of(&at, of_launches[i]), 6 * LATE_NS / PIECES);
        set(&at, patterns[i], 4, 4000);
        assert_int_equal(gain_of(&at, of_launches[i]), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        set(&at, of_time[i], 100, 100000);
    }
    assert_int_equal(gain_of(&at, "K-02") + gain_of(&at, "K-03") + gain_of(&at, "K-06") +
                         gain_of(&at, "K-07"),
                     0);
    teardown(&at);
}

/* f32: 10 % of the span in products, on a device that has units for matrices. */
static void test_scalar_products(void **state)
{
    (void)state;
    fixture at;
    setup(&at, false, 0);
    set(&at, TACHO_PATTERN_SCALAR, 10, 10000000);
    assert_int_equal(gain_of(&at, "K-04"), 0);
    at.more.has_matrix_units = true;
    assert_int_equal(gain_of(&at, "K-04"), 8500000);
    set(&at, TACHO_PATTERN_F32, 10, 20000000);
    assert_int_equal(gain_of(&at, "K-04"), 18500000);
    set(&at, TACHO_PATTERN_SCALAR, 10, 9999999);
    assert_int_equal(gain_of(&at, "K-04"), 0);
    teardown(&at);
}

/* Normalisations in f32 count beside products of 16 bits. */
static void test_wide_norms(void **state)
{
    (void)state;
    fixture at;
    setup(&at, false, 0);
    set(&at, TACHO_PATTERN_F32_NORM, 10, 10000000);
    assert_int_equal(gain_of(&at, "K-05"), 0);
    set(&at, TACHO_PATTERN_HALF, 1, 1000);
    assert_int_equal(gain_of(&at, "K-05"), 5000000);
    set(&at, TACHO_PATTERN_F32_NORM, 10, 9999998);
    assert_int_equal(gain_of(&at, "K-05"), 0);
    teardown(&at);
}

/* Copies by direction; no more than what is exposed: 6 of 100 pieces. */
static void test_copies(void **state)
{
    (void)state;
    static const char *const rules[] = {"M-03", "M-04"};
    static const tacho_pattern patterns[] = {TACHO_PATTERN_COPY_PAGED, TACHO_PATTERN_COPY_WITHIN};
    for (size_t i = 0; i < 2; i++) {
        fixture at;
        setup(&at, false, 6);
        set(&at, patterns[i], 3, 5000000);
        assert_int_equal(gain_of(&at, rules[i]), 5000000);
        set(&at, patterns[i], 3, 4999999);
        assert_int_equal(gain_of(&at, rules[i]), 0);
        set(&at, patterns[i], 3, 9000000);
        assert_int_equal(gain_of(&at, rules[i]), 6000000);
        teardown(&at);
    }
}

/* What a rule of its own explains, M-01 and M-02 leave to it. */
static void test_copies_are_explained_once(void **state)
{
    (void)state;
    fixture at;
    setup(&at, false, 30);
    assert_int_equal(gain_of(&at, "M-01"), 30000000);
    set(&at, TACHO_PATTERN_COPY_WITHIN, 3, 14999999);
    assert_int_equal(gain_of(&at, "M-01"), 30000000);
    set(&at, TACHO_PATTERN_COPY_WITHIN, 3, 15000000);
    assert_int_equal(gain_of(&at, "M-01"), 0);
    teardown(&at);
}

/* 100 kernels per update are a loop, 99 are not. */
static void test_optimizer_loop(void **state)
{
    (void)state;
    fixture at;
    setup(&at, false, 0);
    set(&at, TACHO_PATTERN_OPTIMIZER_CALL, 2, 1000000);
    set(&at, TACHO_PATTERN_OPTIMIZER, 200, 10000000);
    assert_int_equal(gain_of(&at, "L-06"), 7000000);
    set(&at, TACHO_PATTERN_OPTIMIZER, 199, 10000000);
    assert_int_equal(gain_of(&at, "L-06"), 0);
    teardown(&at);
    setup(&at, true, 0); /* the host's time counts, but for ten launches */
    set(&at, TACHO_PATTERN_OPTIMIZER_CALL, 2, 4000000);
    set(&at, TACHO_PATTERN_OPTIMIZER, 200, 100);
    assert_int_equal(gain_of(&at, "L-06"), 3600000);
    set(&at, TACHO_PATTERN_OPTIMIZER_CALL, 2, 500000);
    assert_int_equal(gain_of(&at, "L-06"), 0);
    teardown(&at);
}

/* Two passes for each update, where the host is late: half of the launches. */
static void test_small_batches(void **state)
{
    (void)state;
    fixture at;
    setup(&at, true, 0);
    set(&at, TACHO_PATTERN_OPTIMIZER_CALL, 3, 1000);
    set(&at, TACHO_PATTERN_PASS, 6, 0);
    assert_int_equal(gain_of(&at, "L-07"), LATE_NS - LATE_NS / 2);
    set(&at, TACHO_PATTERN_PASS, 5, 0);
    assert_int_equal(gain_of(&at, "L-07"), 0);
    teardown(&at);
    setup(&at, false, 0);
    set(&at, TACHO_PATTERN_OPTIMIZER_CALL, 3, 1000);
    set(&at, TACHO_PATTERN_PASS, 12, 0);
    assert_int_equal(gain_of(&at, "L-07"), 0);
    teardown(&at);
}

/* Calls that repeat, three at least, none of them half of the time: 5 % of the span. */
static void test_calls_that_repeat(void **state)
{
    (void)state;
    static const char *const rules[] = {"L-08", "L-09"};
    static const tacho_pattern patterns[] = {TACHO_PATTERN_ALLOCATE, TACHO_PATTERN_COMPILE};
    for (size_t i = 0; i < 2; i++) {
        fixture at;
        setup(&at, true, 0);
        set(&at, patterns[i], 3, 495060);
        assert_int_equal(gain_of(&at, rules[i]), 495060);
        set(&at, patterns[i], 3, 495000);
        assert_int_equal(gain_of(&at, rules[i]), 0);
        set(&at, patterns[i], 2, 4950000);
        assert_int_equal(gain_of(&at, rules[i]), 0);
        set(&at, patterns[i], 3, 4950000);
        at.more.patterns.sums[patterns[i]].longest_ns = 2475000; /* once, above all */
        assert_int_equal(gain_of(&at, rules[i]), 0);
        teardown(&at);
    }
}

/* The verdict of a busy device names its three costliest operators, and gaps that happen once. */
static void test_verdict(void **state)
{
    (void)state;
    static const char *const names[] = {"aten::add", "aten::mm", "void f<int>(g)", "aten::sum"};
    static const int64_t times[] = {10000000, 60000000, 20000000, 5000000};
    static const tacho_kernel_class classes[] = {TACHO_KERNEL_ELEMENTWISE, TACHO_KERNEL_PRODUCT,
                                                 TACHO_KERNEL_OTHER, TACHO_KERNEL_REDUCTION};
    char text[TACHO_VERDICT_ROOM];
    tacho_op_sum ops[4];
    fixture at;
    setup(&at, false, 0);
    for (size_t i = 0; i < 4; i++) {
        tacho_site site = {.location = TACHO_NONE};
        ops[i] = (tacho_op_sum){.count = 1, .ns = times[i]};
        ops[i].by_class[classes[i]] = times[i];
        assert_null(
            tacho_dict_ensure_string(&at.dict, tacho_str_from_cstring(names[i]), &site.name));
        assert_null(tacho_dict_ensure_site(&at.dict, &site, &ops[i].site));
    }
    at.more.patterns.ops = ops;
    at.more.patterns.op_count = 4;
    const tacho_device_facts of = {&at.facts, 0, &at.more};
    tacho_breakdown_verdict(&of, text);
    assert_string_equal(
        text, "Kernel-bound: the GPU computes 100.0 % of the span, mostly in aten::mm "
              "(60.0 %, product), f (20.0 %, other) and aten::add (10.0 %, elementwise).");
    at.more.once = (tacho_once_facts){
        .count = 1, .ns = 2500000, .start_ns = 1000000, .deed = TACHO_STR("cudaFree")};
    tacho_breakdown_verdict(&of, text);
    assert_non_null(strstr(text, " Not counted: 1 gap of 2.500 ms that happens once (at 1.000 ms, "
                                 "in cudaFree)."));
    teardown(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_late_host),
        cmocka_unit_test(test_scalar_products),
        cmocka_unit_test(test_wide_norms),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_copies_are_explained_once),
        cmocka_unit_test(test_optimizer_loop),
        cmocka_unit_test(test_small_batches),
        cmocka_unit_test(test_calls_that_repeat),
        cmocka_unit_test(test_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
