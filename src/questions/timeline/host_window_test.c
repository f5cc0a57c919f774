/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The main activity of a thread, computed by hand; launches and their queue.
 */
#include "questions/timeline/host_window.h"
#include "questions/breakdown/launch_stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void add(tacho_host_thread *thread, uint32_t site, int64_t start_ns, int64_t end_ns)
{
    const tacho_host_span span = {site, start_ns, end_ns};
    assert_null(tacho_host_thread_add(thread, &span));
}

static void check_main(tacho_host_thread *thread, const int64_t when[2], uint32_t site, int64_t ns)
{
    tacho_host_deed deed;
    assert_null(tacho_host_thread_main(thread, when[0], when[1], &deed));
    assert_int_equal(deed.site, site);
    assert_int_equal(deed.time_ns, ns);
}

#define FROM(start, end) ((const int64_t[]){start, end})

/* 1 runs 0-100; inside it 2 runs 10-40 with 3 in 20-30, and 60-65; nothing 100-130, then 3. */
static void test_innermost_counts(void **state)
{
    (void)state;
    tacho_host_thread thread = {.now_ns = 0};
    add(&thread, 1, 0, 100);
    add(&thread, 2, 10, 40);
    add(&thread, 3, 20, 30);
    assert_int_equal(tacho_host_thread_innermost(&thread, 25)->site, 3);
    assert_int_equal(tacho_host_thread_innermost(&thread, 30)->site, 2);
    check_main(&thread, FROM(5, 45), 2, 20);
    add(&thread, 2, 60, 65);
    check_main(&thread, FROM(0, 70), 1, 10 + 20 + 5);
    add(&thread, 3, 130, 150);
    check_main(&thread, FROM(90, 140), TACHO_NONE, 30);
    check_main(&thread, FROM(125, 150), 3, 20);
    assert_null(tacho_host_thread_innermost(&thread, 150));
    tacho_host_thread_deinit(&thread);
}

/* More pieces than the window holds: the latest are known. */
static void test_window_is_bounded(void **state)
{
    (void)state;
    tacho_host_thread thread = {.now_ns = 0};
    for (int64_t i = 0; i < 100000; i++) {
        add(&thread, (uint32_t)(i % 7), 10 * i, 10 * i + 8);
    }
    check_main(&thread, FROM(999990, 999998), 99999 % 7, 8);
    assert_true(thread.piece_count <= 65536);
    tacho_host_thread_deinit(&thread);
}

/* What the window has forgotten is not taken for time in which nothing was recorded. */
static void test_forgotten_time_is_not_idle(void **state)
{
    (void)state;
    tacho_host_thread thread = {.now_ns = 0};
    for (int64_t i = 0; i < 200000; i++) {
        add(&thread, 3, 10 * i, 10 * i + 8);
    }
    check_main(&thread, FROM(0, 1999998), 3, (int64_t)65536 * 8);
    tacho_host_thread_deinit(&thread);
}

static void launch(tacho_launch_stats *stats, const int64_t when[4])
{
    const tacho_launch made = {.start_ns = when[0], .end_ns = when[1]};
    assert_null(tacho_launch_stats_add(stats, &made, when[2], when[3]));
}

#define CALL(start, end, work_start, work_end) ((const int64_t[]){start, end, work_start, work_end})

/* At 12 three wait: those that start at 15, 20 and 30. A call as long as its work is not longer. */
static void test_launches(void **state)
{
    (void)state;
    tacho_launch_stats stats;
    tacho_launch_stats_init(&stats);
    launch(&stats, CALL(0, 4, 5, 15));
    launch(&stats, CALL(8, 13, 15, 20));  /* 5 each */
    launch(&stats, CALL(10, 16, 20, 25)); /* 5 < 6 */
    launch(&stats, CALL(12, -1, 30, 31));
    launch(&stats, CALL(40, 41, 40, 50));
    tacho_launch_stats_finish(&stats);
    assert_int_equal(stats.count, 5);
    assert_int_equal(stats.queue_max, 3);
    assert_int_equal(stats.delay_sum_ns, 5 + 7 + 10 + 18 + 0);
    assert_int_equal(stats.delay_max_ns, 18);
    assert_int_equal(tacho_durations_percentile(&stats.delays, 50), 7);
    assert_int_equal(stats.call_count, 4);
    assert_int_equal(stats.short_count, 1);
    tacho_launch_stats_deinit(&stats);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_innermost_counts),
        cmocka_unit_test(test_window_is_bounded),
        cmocka_unit_test(test_forgotten_time_is_not_idle),
        cmocka_unit_test(test_launches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
