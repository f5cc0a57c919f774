/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Activity lines: nothing is lost while buckets widen and move, and the drawing shows the activity.
 */
#include "questions/info/activity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int64_t total_busy(const tacho_activity *activity)
{
    int64_t total = 0;
    for (size_t i = 0; i < TACHO_ACTIVITY_BUCKETS; i++) {
        total += activity->busy[i];
    }
    return total;
}

static void assert_drawn(const tacho_activity *activity, int64_t begin, int64_t end,
                         const char *expected)
{
    tacho_activity_line line;
    tacho_str drawn = tacho_activity_draw(activity, begin, end, &line);
    assert_int_equal(drawn.len, strlen(expected));
    assert_memory_equal(drawn.data, expected, drawn.len);
}

static void test_draws_idle_and_busy(void **state)
{
    (void)state;
    tacho_activity activity = {0};
    tacho_activity_add(&activity, 0, 20);
    tacho_activity_add(&activity, 30, 40);
    /* One column per tick: busy, then idle from 20 to 30, then busy. */
    assert_drawn(&activity, 0, 40,
                 "\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588"
                 "\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588"
                 "          "
                 "\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588");
}

static void test_little_is_not_nothing(void **state)
{
    (void)state;
    tacho_activity activity = {0};
    tacho_activity_add(&activity, 0, 1);
    tacho_activity_add(&activity, 3999, 4000);
    tacho_activity_line line;
    tacho_str drawn = tacho_activity_draw(&activity, 0, 4000, &line);
    assert_memory_equal(drawn.data, "\u2581", 3);
    assert_memory_equal(drawn.data + drawn.len - 3, "\u2581", 3);
}

static void test_widening_and_moving_lose_nothing(void **state)
{
    (void)state;
    tacho_activity activity = {0};
    int64_t added = 0;
    uint64_t seed = 7;
    for (int i = 0; i < 20000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        int64_t start = (int64_t)((seed >> 33) << (i / 1000)); /* ever later, in any order */
        int64_t length = (int64_t)(seed >> 20 & 1023);
        tacho_activity_add(&activity, start, start + length);
        added += length;
        assert_int_equal(total_busy(&activity), added);
    }
}

static void test_extremes(void **state)
{
    (void)state;
    tacho_activity activity = {0};
    tacho_activity_add(&activity, INT64_MAX - 10, INT64_MAX);
    tacho_activity_add(&activity, 0, 10);
    tacho_activity_add(&activity, 0, INT64_MAX - 40);
    assert_true(total_busy(&activity) == INT64_MAX - 20);
    tacho_activity_line line;
    tacho_str drawn = tacho_activity_draw(&activity, 0, INT64_MAX, &line);
    assert_int_equal(drawn.len, 3 * TACHO_ACTIVITY_COLUMNS);
    assert_int_equal(tacho_activity_draw(&activity, 5, 5, &line).len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_draws_idle_and_busy),
        cmocka_unit_test(test_little_is_not_nothing),
        cmocka_unit_test(test_widening_and_moving_lose_nothing),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
