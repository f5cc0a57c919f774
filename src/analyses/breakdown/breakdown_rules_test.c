/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles that are, and that narrowly are not, a case for each rule and verdict; a healthy one
 * gets no advice. Work is added piece by piece, so the facts are those of real tables.
 */
#include "analyses/breakdown/breakdown.h"
#include "analyses/breakdown/breakdown_rules.h"

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

static void setup(fixture *at)
{
    *at = (fixture){.now = 0};
    tacho_clock clock;
    tacho_clock_init(&clock, 1, 1);
    assert_null(tacho_dict_init(&at->dict));
    tacho_part_facts facts = {.path = TACHO_STR("a.json"), .generation = TACHO_STR("kineto")};
    uint32_t part = 0;
    assert_null(tacho_dict_add_clock(&at->dict, &clock, TACHO_STR("ns"), &facts.clock));
    assert_null(tacho_dict_add_part(&at->dict, &facts, &part));
    tacho_breakdown_gather_init(&at->gather, &at->dict);
    at->device.group = at->dict.parts[part].root;
    assert_null(tacho_device_time_add_stream(&at->device.time));
    at->device.streams = calloc(1, sizeof(*at->device.streams));
    at->device.stream_count = 1;
    tacho_launch_stats_init(&at->device.streams[0].launches);
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

/* The rules that say something, "L-01 C-01", and the first word of the verdict. */
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
    tacho_breakdown_verdict(&facts, 0, text);
    assert_int_equal(strncmp(text, verdict, strlen(verdict)), 0);
    assert_int_equal(text[0] == '\0', verdict[0] == '\0');
    tacho_findings_deinit(&findings);
    tacho_table_deinit(&facts);
    at->gather.devices = NULL;
    at->gather.device_count = 0;
    tacho_breakdown_gather_deinit(&at->gather);
    tacho_device_time_deinit(&at->device.time);
    tacho_launch_stats_deinit(&at->device.streams[0].launches);
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
          "Host-bound: idle 89.9 % of the span, 100 % of it waiting for launches; "
          "merging launches (torch.compile, CUDA or HIP graphs) can give up to 9.9x.");
    setup(&at);
    add_many(&at, 2600, 10000, 2000); /* 20.5 % */
    check(&at, "L-01", "No single limit");
    setup(&at);
    add_many(&at, 2400, 10000, 2000); /* 19.2 % */
    check(&at, "", "Compute-bound");
}

/* The same gaps, and the launches were there: nothing of the host. */
static void test_queued(void **state)
{
    (void)state;
    fixture at;
    setup(&at);
    add_many(&at, 9000, 1000, 0);
    check(&at, "L-04", "No single limit");
    setup(&at);
    add_many(&at, 2400, 10000, 0);
    check(&at, "", "Compute-bound");
}

/* Nothing says when work was launched: nothing is said of launches. */
static void test_no_launches(void **state)
{
    (void)state;
    fixture at;
    setup(&at);
    add_many(&at, 9000, 1000, NEVER);
    check(&at, "", "No single limit");
    setup(&at); /* 11 of 100 do not have one */
    for (int i = 0; i < PIECES; i++) {
        add(&at, 9000, 1000, i < 11 ? NEVER : 5000, TACHO_WORK_COMPUTE);
    }
    check(&at, "", "No single limit");
    setup(&at); /* 10 do not */
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
          "Host-bound: idle 90.8 % of the span, 100 % of it waiting for launches, "
          "mostly in gaps of 1 ms and longer; shortening");
    setup(&at);
    add_many(&at, TACHO_LONG_GAP_NS - 1, 100000, 900000);
    check(&at, "L-01",
          "Host-bound: idle 90.8 % of the span, 100 % of it waiting for launches; "
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
    setup(&at);
    add_many(&at, 0, 1000, 0);
    add(&at, 24000, 1000, NEVER, TACHO_WORK_COMPUTE);
    check(&at, "", "Compute-bound");
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
        {TACHO_WORK_COMMUNICATION, 11200, "C-01", "Compute-bound"}, /* 10.07 % */
        {TACHO_WORK_COMMUNICATION, 11000, "", "Compute-bound"},     /* 9.9 % */
        {TACHO_WORK_COPY, 67000, "M-01", "Transfer-bound"},
        {TACHO_WORK_COPY, 11200, "M-01", "Compute-bound"},
        {TACHO_WORK_COPY, 11000, "", "Compute-bound"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fixture at;
        setup(&at);
        add_many(&at, 0, 1000, 0);
        add(&at, 0, cases[i].length, 0, cases[i].kind);
        check(&at, cases[i].rules, cases[i].verdict);
    }
}

/* Too little to say anything: 19 pieces of work. */
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
        cmocka_unit_test(test_late_launches), cmocka_unit_test(test_queued),
        cmocka_unit_test(test_no_launches),   cmocka_unit_test(test_busy_host),
        cmocka_unit_test(test_long_gap),      cmocka_unit_test(test_exposed),
        cmocka_unit_test(test_little_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
