/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Separates executions by the times of firmware zones.
 */
#include "sources/tenstorrent/log_cuts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/text_testing.h"

/* A start ('[') or end (']') of a processor. */
typedef struct mark {
    uint32_t lane;
    char what;
    int64_t time;
} mark;

/* Expects the cuts of one key: "first missing duplicates;" for each execution. */
static void assert_cuts(const mark *marks, size_t count, const char *expected)
{
    tt_log_cuts cuts;
    const tt_op_key key = {.host = 1024, .trace = -1, .replay = -1};
    char text[256] = "";
    size_t len = 0;
    uint32_t id = 0;
    assert_ok(tt_log_cuts_init(&cuts));
    assert_ok(tt_log_cuts_ensure_key(&cuts, &key, &id));
    for (size_t i = 0; i < count; i++) {
        const tt_edge edge = {.time = marks[i].time,
                              .key = id,
                              .lane = marks[i].lane & INT32_MAX,
                              .is_start = marks[i].what == '['};
        assert_ok(tt_log_cuts_add(&cuts, &edge));
    }
    assert_ok(tt_log_cuts_finish(&cuts));
    for (size_t i = 0; i < cuts.keys[id].count; i++) {
        const tt_cut *cut = &cuts.cuts[cuts.keys[id].first + i];
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%lld %u %u;",
                                (long long)cut->first, cut->missing_count, cut->duplicate_count);
    }
    assert_string_equal(text, expected);
    tt_log_cuts_deinit(&cuts);
}

#define ASSERT_CUTS(expected, ...)                                                                 \
    do {                                                                                           \
        static const mark marks[] = {__VA_ARGS__};                                                 \
        assert_cuts(marks, sizeof(marks) / sizeof(marks[0]), expected);                            \
    } while (0)

static void test_order_does_not_matter(void **state)
{
    (void)state;
    ASSERT_CUTS("100 0 0;300 0 0;", {0, ']', 400}, {1, '[', 310}, {0, '[', 100}, {1, ']', 390},
                {1, '[', 110}, {0, ']', 200}, {0, '[', 300}, {1, ']', 190});
}

/* Processor 1 has no zone in the second execution, and starts first in the third. */
static void test_lost_zones(void **state)
{
    (void)state;
    ASSERT_CUTS("100 0 0;300 1 0;500 0 0;", {0, '[', 100}, {0, ']', 200}, {1, '[', 101},
                {1, ']', 190}, {0, '[', 300}, {0, ']', 400}, {1, '[', 500}, {1, ']', 600},
                {0, '[', 510}, {0, ']', 590});
    /* The gap within the third execution is shorter than the one before it. */
    ASSERT_CUTS("100 0 0;300 1 0;500 0 0;", {0, '[', 100}, {0, ']', 200}, {1, '[', 101},
                {1, ']', 190}, {0, '[', 300}, {0, ']', 400}, {1, '[', 500}, {1, ']', 510},
                {0, '[', 520}, {0, ']', 590});
}

/* A long gap before an execution does not affect the next; processors 1 and 2 start first there. */
static void test_gaps_are_forgotten(void **state)
{
    (void)state;
    ASSERT_CUTS("100 0 0;5000 2 0;5200 0 0;", {0, '[', 100}, {0, ']', 200}, {1, '[', 101},
                {1, ']', 190}, {2, '[', 102}, {2, ']', 190}, {0, '[', 5000}, {0, ']', 5100},
                {1, '[', 5200}, {1, ']', 5300}, {2, '[', 5201}, {2, ']', 5300}, {0, '[', 5210},
                {0, ']', 5290});
}

/* A zone that ends when the next begins has ended before it; 1 and 3 are in one execution only. */
static void test_ends_come_first(void **state)
{
    (void)state;
    ASSERT_CUTS("100 1 0;200 2 0;320 2 0;", {0, '[', 100}, {0, ']', 200}, {1, '[', 110},
                {1, ']', 190}, {3, '[', 110}, {3, ']', 190}, {0, '[', 200}, {0, ']', 300},
                {2, '[', 250}, {2, ']', 260}, {2, '[', 320}, {2, ']', 390}, {0, '[', 330},
                {0, ']', 400});
}

/* A lost end leaves no gap; a processor that starts again is enough. */
static void test_lost_ends(void **state)
{
    (void)state;
    ASSERT_CUTS("100 0 0;300 0 0;500 0 0;", {0, '[', 100}, {1, '[', 101}, {1, ']', 190},
                {0, '[', 300}, {0, ']', 400}, {1, '[', 310}, {1, ']', 390}, {1, '[', 500},
                {1, ']', 600}, {0, '[', 510}, {0, ']', 590});
}

/*
 * Processor 0 lost its first end, processor 1 its second zone: the gap before 500 is still found.
 */
static void test_lost_end_and_zone(void **state)
{
    (void)state;
    ASSERT_CUTS("100 0 0;300 1 0;500 0 0;", {0, '[', 100}, {1, '[', 101}, {1, ']', 190},
                {0, '[', 300}, {0, ']', 400}, {1, '[', 500}, {1, ']', 600}, {0, '[', 510},
                {0, ']', 590});
}

/* The first and last executions are whole, and processor 1 lost its zone in one between. */
static void test_lost_zone_between(void **state)
{
    (void)state;
    ASSERT_CUTS("100 0 0;300 1 0;500 0 0;700 0 0;", {0, '[', 100}, {0, ']', 200}, {1, '[', 101},
                {1, ']', 190}, {0, '[', 300}, {0, ']', 400}, {1, '[', 500}, {1, ']', 590},
                {0, '[', 510}, {0, ']', 600}, {0, '[', 700}, {0, ']', 800}, {1, '[', 710},
                {1, ']', 790});
}

/* One processor ends before the other starts, which does not matter while all start in turn. */
static void test_gaps_within(void **state)
{
    (void)state;
    ASSERT_CUTS("100 0 0;300 0 0;", {0, '[', 100}, {0, ']', 110}, {1, '[', 120}, {1, ']', 130},
                {0, '[', 300}, {0, ']', 310}, {1, '[', 320}, {1, ']', 330});
    ASSERT_CUTS("100 0 0;920 0 0;", {0, '[', 100}, {0, ']', 110}, {1, '[', 900}, {1, ']', 910},
                {0, '[', 920}, {0, ']', 930}, {1, '[', 1700}, {1, ']', 1710});
}

/* A gap does not cut where no processor starts again. */
static void test_one_execution(void **state)
{
    (void)state;
    ASSERT_CUTS("100 0 0;", {0, '[', 100}, {0, ']', 110}, {1, '[', 900}, {1, ']', 910});
    ASSERT_CUTS("110 0 0;", {0, ']', 110}, {1, '[', 120}, {1, ']', 130});
}

/* Repeated rows are not executions. */
static void test_duplicates(void **state)
{
    (void)state;
    ASSERT_CUTS("100 0 2;300 0 0;", {0, '[', 100}, {0, ']', 200}, {0, '[', 300}, {0, ']', 400},
                {0, '[', 100}, {0, ']', 200});
}

static void test_find(void **state)
{
    (void)state;
    tt_log_cuts cuts;
    const tt_op_key one = {.host = 1024, .trace = -1, .replay = -1};
    const tt_op_key other = {.host = 2048, .trace = -1, .replay = -1};
    uint32_t id = 0;
    uint32_t again = 0;
    assert_ok(tt_log_cuts_init(&cuts));
    assert_int_equal(tt_log_cuts_find_key(&cuts, &one), TACHO_NONE);
    assert_ok(tt_log_cuts_ensure_key(&cuts, &one, &id));
    assert_ok(tt_log_cuts_ensure_key(&cuts, &one, &again));
    assert_int_equal(id, again);
    assert_int_equal(tt_log_cuts_find_key(&cuts, &other), TACHO_NONE);
    for (int64_t i = 0; i < 3; i++) {
        const tt_edge start = {.time = 100 * i + 100, .key = id, .is_start = 1};
        const tt_edge end = {.time = 100 * i + 150, .key = id};
        assert_ok(tt_log_cuts_add(&cuts, &end));
        assert_ok(tt_log_cuts_add(&cuts, &start));
    }
    assert_ok(tt_log_cuts_finish(&cuts));
    static const struct {
        int64_t time;
        uint32_t ordinal;
    } expected[] = {{0, 0}, {100, 0}, {199, 0}, {200, 1}, {299, 1}, {300, 2}, {9999, 2}};
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        assert_int_equal(tt_log_cuts_find(&cuts, id, expected[i].time), expected[i].ordinal);
    }
    tt_log_cuts_deinit(&cuts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_does_not_matter),
        cmocka_unit_test(test_lost_zones),
        cmocka_unit_test(test_lost_ends),
        cmocka_unit_test(test_gaps_within),
        cmocka_unit_test(test_one_execution),
        cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_gaps_are_forgotten),
        cmocka_unit_test(test_ends_come_first),
        cmocka_unit_test(test_lost_end_and_zone),
        cmocka_unit_test(test_lost_zone_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
