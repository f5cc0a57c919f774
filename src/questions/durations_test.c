/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares percentiles with those of a sorted array: equal while all values are kept, within the
 * stated error once they are in buckets, for any distribution and any way of merging.
 */
#include "questions/durations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MANY = 50000 };

static int compare(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left;
    int64_t b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Durations from nanoseconds to hours. */
static int64_t make_duration(uint64_t *state)
{
    return (int64_t)(next_random(state) << 20 >> (next_random(state) % 50));
}

static void check(tacho_durations *durations, int64_t *values, size_t count, bool is_exact)
{
    static const uint64_t percents[] = {1, 50, 90, 99, 100};
    qsort(values, count, sizeof(*values), compare);
    tacho_durations_sort(durations);
    assert_int_equal(durations->count, count);
    assert_int_equal(durations->is_exact, is_exact);
    for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
        size_t rank = (count * percents[i] + 99) / 100;
        int64_t expected = values[rank - 1];
        int64_t found = tacho_durations_percentile(durations, percents[i]);
        int64_t error = found > expected ? found - expected : expected - found;
        assert_true(is_exact ? error == 0 : (double)error <= 0.008 * (double)expected);
    }
}

static void test_percentiles(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 2, 99, 100, 101, 1024, MANY};
    static int64_t values[MANY];
    uint64_t seed = 1;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        tacho_durations durations;
        tacho_durations_init(&durations);
        for (size_t k = 0; k < counts[i]; k++) {
            values[k] = make_duration(&seed);
            assert_null(tacho_durations_add(&durations, values[k]));
        }
        check(&durations, values, counts[i], true);
        assert_null(tacho_durations_compact(&durations));
        check(&durations, values, counts[i], false);
        tacho_durations_deinit(&durations);
    }
}

/* Collected values that are not yet in their buckets are counted by every query and by merging. */
static void test_waiting(void **state)
{
    (void)state;
    enum { COUNT = 1000, FIRST = 333, SECOND = 701 };
    static int64_t values[COUNT];
    tacho_durations all, some;
    uint64_t seed = 3;
    tacho_durations_init(&all);
    tacho_durations_init(&some);
    assert_null(tacho_durations_compact(&all));
    assert_null(tacho_durations_compact(&some));
    for (size_t i = 0; i < COUNT; i++) {
        bool is_first = i < FIRST || i >= SECOND;
        values[i] = make_duration(&seed) % 5000;
        if (i == SECOND) {
            assert_true(some.waiting_count > 0 && all.waiting_count > 0);
            assert_null(tacho_durations_merge(&all, &some));
        }
        assert_null(tacho_durations_add(is_first ? &all : &some, values[i]));
    }
    check(&all, values, COUNT, false);
    assert_int_equal(all.waiting_count, 0);
    tacho_durations_deinit(&all);
    tacho_durations_deinit(&some);
}

/* Exact and inexact parts merged in any order. */
static void test_merging(void **state)
{
    (void)state;
    static int64_t values[MANY];
    uint64_t seed = 7;
    for (size_t part = 1000; part < MANY; part = part * 3 + 1) {
        tacho_durations all;
        bool is_exact = true;
        tacho_durations_init(&all);
        for (size_t at = 0; at < MANY; at += part) {
            tacho_durations one;
            tacho_durations_init(&one);
            for (size_t k = at; k < at + part && k < MANY; k++) {
                values[k] = make_duration(&seed);
                assert_null(tacho_durations_add(&one, values[k]));
            }
            is_exact = is_exact && at % 2 == 0;
            if (at % 2 == 1) {
                assert_null(tacho_durations_compact(&one));
            }
            assert_null(tacho_durations_merge(&all, &one));
            tacho_durations_deinit(&one);
        }
        check(&all, values, MANY, is_exact);
        tacho_durations_deinit(&all);
    }
}

static void test_extremes(void **state)
{
    (void)state;
    tacho_durations durations;
    tacho_durations_init(&durations);
    for (int i = 0; i < 1000; i++) {
        assert_null(tacho_durations_add(&durations, i % 2 == 0 ? 0 : INT64_MAX));
    }
    assert_null(tacho_durations_compact(&durations));
    assert_int_equal(tacho_durations_percentile(&durations, 50), 0);
    assert_true(tacho_durations_percentile(&durations, 99) > INT64_MAX / 128 * 127);
    tacho_durations_deinit(&durations);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_percentiles),
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_merging),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
