/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles just above and just below the limit of each rule and verdict; a healthy one gets no
 * advice. Work is added piece by piece, so the facts are those of real tables.
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

enum { PIECES = 100, NEVER = -1 };

typedef struct fixture {
    tacho_dict dict;
    tacho_breakdown_gather gather;
    tacho_breakdown_device device;
    int64_t now;
} fixture;

static void add_stream(fixture *at, const char *name, tacho_track_class track_class)
{
    size_t index = at->device.stream_count++;
    tacho_track track = {
        .parent = at->device.group, .track_class = track_class, .lane_of = TACHO_NONE};
    assert_null(tacho_dict_ensure_string(&at->dict, tacho_str_from_cstring(name), &track.name));
    assert_null(tacho_device_time_add_stream(&at->device.time));
    at->device.streams =
        realloc(at->device.streams, at->device.stream_count * sizeof(*at->device.streams));
    assert_null(tacho_dict_add_track(&at->dict, &track, &at->device.streams[index].track));
    tacho_launch_stats_init(&at->device.streams[index].launches);
}

/* A device without streams. */
static void setup_device(fixture *at, const char *name, tacho_origin origin)
{
    *at = (fixture){.now = 0, .device = {.origin = origin}};
    tacho_clock clock;
    tacho_clock_init(&clock, 1, 1);
    assert_null(tacho_dict_init(&at->dict));
    tacho_part_facts facts = {.path = TACHO_STR("a.json"), .generation = TACHO_STR("kineto")};
    uint32_t part = 0;
    assert_null(tacho_dict_add_clock(&at->dict, &clock, TACHO_STR("ns"), &facts.clock));
    assert_null(tacho_dict_add_part(&at->dict, &facts, &part));
    tacho_breakdown_gather_init(&at->gather, &at->dict);
    tacho_track group = {.parent = at->dict.parts[part].root,
                         .track_class = TACHO_TRACK_GROUP,
                         .lane_of = TACHO_NONE};
    assert_null(tacho_dict_ensure_string(&at->dict, tacho_str_from_cstring(name), &group.name));
    assert_null(tacho_dict_add_track(&at->dict, &group, &at->device.group));
}

/* A stream of a GPU. */
static void setup(fixture *at)
{
    setup_device(at, "python [GPU 0]", TACHO_ORIGIN_MEASURED);
    add_stream(at, "stream 7", TACHO_TRACK_COMPUTE);
}

/* A gap of |gap| ns, then work of |length|; launched |late| ns after the gap began, or never. */
static void add(fixture *at, int64_t gap, int64_t length, int64_t late, tacho_work_kind kind)
{
    const tacho_device_work work = {.start_ns = at->now + gap,
                                    .end_ns = at->now + gap + length,
                                    .kind = kind,
                                    .has_launch = late != NEVER,
                                    .launch_ns = at->now + late};
    const tacho_launch launch = {.start_ns = work.launch_ns, .end_ns = -1};
    assert_null(tacho_device_time_add(&at->device.time, 0, &work));
    assert_null(tacho_device_time_settle(&at->device.time));
    if (late != NEVER) {
        tacho_launch_stats *stats = &at->device.streams[0].launches;
        assert_null(tacho_launch_stats_add(stats, &launch, work.start_ns, work.end_ns));
    }
    at->now = work.end_ns;
}

static void add_many(fixture *at, int64_t gap, int64_t length, int64_t late)
{
    for (int i = 0; i < PIECES; i++) {
        add(at, i == 0 ? 0 : gap, length, i == 0 ? 0 : late, TACHO_WORK_COMPUTE);
    }
}

/* Checks the rules with findings, "L-01 C-01", and the first word of the verdict. */
static void check(fixture *at, const char *rules, const char *verdict)
{
    char said[64] = "";
    char text[TACHO_VERDICT_ROOM];
    tacho_table facts;
    tacho_findings findings;
    assert_null(tacho_device_time_finish(&at->device.time));
    at->gather.devices = &at->device;
    at->gather.device_count = 1;
    assert_null(tacho_breakdown_facts_table(&at->gather, &facts));
    tacho_findings_init(&findings);
    assert_null(tacho_rules_run(tacho_breakdown_rules, &facts, &findings));
    for (size_t i = 0; i < findings.item_count; i++) {
        size_t len = strlen(said);
        snprintf(said + len, sizeof(said) - len, "%s%s", i > 0 ? " " : "",
                 findings.items[i].rule->id);
        assert_true(findings.items[i].gain_ns > 0 && findings.items[i].has_start);
    }
    assert_string_equal(said, rules);
    const tacho_device_facts of = {.table = &facts};
    tacho_breakdown_verdict(&of, text);
    assert_int_equal(strncmp(text, verdict, strlen(verdict)), 0);
    assert_int_equal(text[0] == '\0', verdict[0] == '\0');
    tacho_findings_deinit(&findings);
    tacho_table_deinit(&facts);
    at->gather.devices = NULL;
    at->gather.device_count = 0;
    tacho_breakdown_gather_deinit(&at->gather);
    tacho_device_time_deinit(&at->device.time);
    for (size_t i = 0; i < at->device.stream_count; i++) {
        tacho_launch_stats_deinit(&at->device.streams[i].launches);
    }
    free(at->device.streams);
    tacho_dict_deinit(&at->dict);
}

static void test_late_launches(void **state)
{
    (void)state;
    fixture at;
    setup(&at);
    add_many(&at, 9000, 1000, 8000); /* idle 89 % */
    check(&at, "L-01",
          "Host-bound: the GPU is idle 89.9 % of the span, 100 % of it waiting for launches; "
          "merging launches (larger batches or sequences, CUDA or HIP graphs, torch.compile) can "
          "give up to 5.0x.");
    setup(&at);
    add_many(&at, 2600, 10000, 2000); /* 20.5 % */
    check(&at, "L-01", "No single limit");
    setup(&at);
    add_many(&at, 2400, 10000, 2000); /* 19.2 % */
    check(&at, "", "Kernel-bound");
}

/* The same gaps with launches already queued: the host is not at fault. */
static void test_queued(void **state)
{
    (void)state;
    fixture at;
    setup(&at);
    add_many(&at, 9000, 1000, 0);
    check(&at, "L-04",
          "Mostly idle: the GPU does nothing for 89.9 % of the span, most of it with work in its "
          "queue.");
    setup(&at);
    add_many(&at, 2400, 10000, 0);
    check(&at, "", "Kernel-bound");
}

/* 40 % of the span make a verdict: gaps of 6.8 us before work of 10 us are 40.2 %, of 6.7 us 39.9.
 * A device is mostly idle from 50 % on: gaps of 10.2 us are 50.2 %, of 10 us 49.7. */
static void test_verdicts_from_forty_percent(void **state)
{
    (void)state;
    static const struct {
        int64_t gap, late;
        const char *rules, *verdict;
    } cases[] = {
        {6800, 6000, "L-01", "Host-bound"},
        {6700, 6000, "L-01", "No single limit"},
        {10200, 0, "L-04", "Mostly idle"},
        {10000, 0, "L-04", "No single limit"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fixture at;
        setup(&at);
        add_many(&at, cases[i].gap, 10000, cases[i].late);
        check(&at, cases[i].rules, cases[i].verdict);
    }
}

/* In 50 or 49 of 99 gaps, work was queued; the launches of the others were late. */
static void test_idle_names_the_queue_from_half(void **state)
{
    (void)state;
    for (int queued = 49; queued <= 50; queued++) {
        fixture at;
        setup(&at);
        for (int i = 0; i < PIECES; i++) {
            add(&at, 20000, 10000, i <= queued ? 0 : 19000, TACHO_WORK_COMPUTE);
        }
        check(&at, "L-01 L-04",
              queued < 50 ? "Mostly idle: the GPU does nothing for 66.4 % of the span."
                          : "Mostly idle: the GPU does nothing for 66.4 % of the span, most");
    }
}

/* Without launches in the profile, no advice mentions them. */
static void test_no_launches(void **state)
{
    (void)state;
    fixture at;
    setup(&at);
    for (int i = 0; i < PIECES; i++) {
        add(&at, 9000, 1000, NEVER, TACHO_WORK_COMPUTE);
    }
    check(&at, "", ""); /* one stream, and nothing to compare it with */
    setup(&at);         /* 11 of 100 have no launch */
    for (int i = 0; i < PIECES; i++) {
        add(&at, 9000, 1000, i < 11 ? NEVER : 5000, TACHO_WORK_COMPUTE);
    }
    check(
        &at, "",
        "Mostly idle: the GPU does nothing for 89.9 % of the span; the profile does not show why.");
    setup(&at); /* 10 have none */
    for (int i = 0; i < PIECES; i++) {
        add(&at, 9000, 1000, i < 10 ? NEVER : 5000, TACHO_WORK_COMPUTE);
    }
    check(&at, "L-01", "Host-bound");
}

/* Few long gaps are not the cost of launches: 900 ms in pieces of 1 ms and longer, or just not. */
static void test_busy_host(void **state)
{
    (void)state;
    fixture at;
    setup(&at);
    add_many(&at, TACHO_LONG_GAP_NS, 100000, 900000);
    check(&at, "L-02",
          "Host-bound: the GPU is idle 90.8 % of the span, 100 % of it waiting for launches, "
          "mostly in gaps of 1 ms and longer; shortening");
    setup(&at);
    add_many(&at, TACHO_LONG_GAP_NS - 1, 100000, 900000);
    check(&at, "L-01",
          "Host-bound: the GPU is idle 90.8 % of the span, 100 % of it waiting for launches; "
          "merging");
}

/* One gap that nothing explains, 21 % and 19 % of the span. */
static void test_long_gap(void **state)
{
    (void)state;
    fixture at;
    setup(&at);
    add_many(&at, 0, 1000, 0);
    add(&at, 27000, 1000, NEVER, TACHO_WORK_COMPUTE);
    check(&at, "L-03", "No single limit");
    setup(&at); /* too short to part two phases: 9.9 us */
    add_many(&at, 0, 300, 0);
    add(&at, 9900, 300, NEVER, TACHO_WORK_COMPUTE);
    check(&at, "", "No single limit");
    setup(&at);
    add_many(&at, 0, 1000, 0);
    add(&at, 24000, 1000, NEVER, TACHO_WORK_COMPUTE);
    check(&at, "", "Kernel-bound");
}

static void test_exposed(void **state)
{
    (void)state;
    static const struct {
        tacho_work_kind kind;
        int64_t length;
        const char *rules, *verdict;
    } cases[] = {
        {TACHO_WORK_COMMUNICATION, 67000, "C-01", "Communication-bound"}, /* 40.1 % of 167 us */
        {TACHO_WORK_COMMUNICATION, 66000, "C-01", "No single limit"},
        {TACHO_WORK_COMMUNICATION, 11200, "C-01", "Kernel-bound"}, /* 10.07 % */
        {TACHO_WORK_COMMUNICATION, 11000, "", "Kernel-bound"},     /* 9.9 % */
        {TACHO_WORK_COPY, 67000, "M-01", "Transfer-bound"},
        {TACHO_WORK_COPY, 66000, "M-01", "No single limit"},
        {TACHO_WORK_COPY, 11200, "M-01", "Kernel-bound"},
        {TACHO_WORK_COPY, 11000, "", "Kernel-bound"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fixture at;
        setup(&at);
        add_many(&at, 0, 1000, 0);
        add(&at, 0, cases[i].length, 0, cases[i].kind);
        check(&at, cases[i].rules, cases[i].verdict);
    }
}

/* More communication, or copies, than compute that could hide it: 10.1 % of the span, and 9.9 %. */
static void test_too_much_to_hide(void **state)
{
    (void)state;
    static const struct {
        tacho_work_kind kind;
        int64_t length;
        const char *rules, *verdict;
    } cases[] = {
        {TACHO_WORK_COMMUNICATION, 901000, "C-02", "Communication-bound"},
        {TACHO_WORK_COMMUNICATION, 122400, "C-01 C-02", "Communication-bound"},
        {TACHO_WORK_COMMUNICATION, 122000, "C-01", "Communication-bound"},
        {TACHO_WORK_COPY, 122400, "M-01 M-02", "Transfer-bound"},
        {TACHO_WORK_COPY, 122000, "M-01", "Transfer-bound"},
        {TACHO_WORK_COPY, 901000, "M-02",
         "Transfer-bound: the GPU moves memory 90.0 % of the span while nothing computes; compute "
         "takes only 10.0 %, so no overlap can hide it."},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fixture at;
        setup(&at);
        add_many(&at, 0, 1000, 0);
        add(&at, 0, cases[i].length, 0, cases[i].kind);
        check(&at, cases[i].rules, cases[i].verdict);
    }
}

/* Two engines: the first works all the time, the second |second| ns per piece; transfers overlap
 * all of it. */
static void setup_engines(fixture *at, const char *transfers, tacho_origin origin, int64_t second)
{
    static const char *const names[] = {"SLICE 0", "SLICE 1"};
    setup_device(at, "npu", origin);
    add_stream(at, names[0], TACHO_TRACK_COMPUTE);
    add_stream(at, names[1], TACHO_TRACK_COMPUTE);
    add_stream(at, transfers, TACHO_TRACK_DMA_IN);
    for (int i = 0; i < PIECES; i++) {
        const tacho_device_work work = {.start_ns = at->now, .end_ns = at->now + 1000};
        tacho_device_work other = work;
        tacho_device_work copy = work;
        other.end_ns = at->now + second;
        copy.kind = TACHO_WORK_COPY;
        assert_null(tacho_device_time_add(&at->device.time, 0, &work));
        assert_null(tacho_device_time_add(&at->device.time, 1, &other));
        assert_null(tacho_device_time_add(&at->device.time, 2, &copy));
        assert_null(tacho_device_time_settle(&at->device.time));
        at->now = work.end_ns;
    }
}

/* The busiest is 10 % of the span above the average, or just not. */
static void test_uneven_engines(void **state)
{
    (void)state;
    fixture at;
    setup_engines(&at, "DMA IN", TACHO_ORIGIN_ESTIMATED, 800);
    check(&at, "E-01", "Compute-bound: the NPU computes 100.0 % of the span");
    setup_engines(&at, "DMA IN", TACHO_ORIGIN_ESTIMATED, 801);
    check(&at, "", "Compute-bound");
    setup_engines(&at, "DMA IN", TACHO_ORIGIN_ESTIMATED, 1000);
    check(&at, "", "Compute-bound");
    setup_engines(&at, "Core 1,2 NCRISC", TACHO_ORIGIN_MEASURED, 100); /* waits inside */
    check(&at, "", "");
    setup_device(&at, "npu", TACHO_ORIGIN_MEASURED); /* programs whose engines are not shown */
    add_stream(&at, "NSS", TACHO_TRACK_CONTROL);
    add_many(&at, 100, 1000, NEVER);
    check(&at, "", "");
}

/* Streams of a GPU are not alike: one may well do more than another. */
static void test_uneven_streams(void **state)
{
    (void)state;
    fixture at;
    setup(&at);
    add_stream(&at, "stream 8", TACHO_TRACK_COMPUTE);
    add_many(&at, 0, 1000, 0);
    check(&at, "", "Kernel-bound");
}

/* The duration of lost work is not known. */
static void test_lost_work(void **state)
{
    (void)state;
    fixture at;
    setup(&at);
    const tacho_loss loss = {.part = 0, .reason = TACHO_LOSS_NOT_A_NUMBER, .count = 1};
    assert_null(tacho_dict_add_loss(&at.dict, &loss));
    add_many(&at, 9000, 1000, 8000);
    check(&at, "", "");
}

/* Too little work for a verdict: 19 pieces. */
static void test_little_work(void **state)
{
    (void)state;
    fixture at;
    setup(&at);
    for (int i = 0; i < 19; i++) {
        add(&at, 9000, 1000, 8000, TACHO_WORK_COMPUTE);
    }
    check(&at, "", "");
    setup(&at);
    for (int i = 0; i < 20; i++) {
        add(&at, 9000, 1000, 8000, TACHO_WORK_COMPUTE);
    }
    check(&at, "L-01", "Host-bound");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_late_launches),
        cmocka_unit_test(test_queued),
        cmocka_unit_test(test_no_launches),
        cmocka_unit_test(test_busy_host),
        cmocka_unit_test(test_long_gap),
        cmocka_unit_test(test_exposed),
        cmocka_unit_test(test_little_work),
        cmocka_unit_test(test_too_much_to_hide),
        cmocka_unit_test(test_uneven_engines),
        cmocka_unit_test(test_uneven_streams),
        cmocka_unit_test(test_lost_work),
        cmocka_unit_test(test_verdicts_from_forty_percent),
        cmocka_unit_test(test_idle_names_the_queue_from_half),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
