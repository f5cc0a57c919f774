/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interval sets: by hand, at the edges of 64 bits, and against a bitmap on random sets.
 */
#include "analyses/intervals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MAP_SIZE = 200, ROUND_COUNT = 3000 };

static void add(tacho_intervals *set, int64_t begin, int64_t end)
{
    assert_null(tacho_intervals_add(set, begin, end));
}

/* "1-3 5-6" */
static void assert_set(const tacho_intervals *set, const char *expected)
{
    char text[512] = "";
    size_t len = 0;
    for (size_t i = 0; i < set->item_count; i++) {
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%lld-%lld", i > 0 ? " " : "",
                                (long long)set->items[i].begin, (long long)set->items[i].end);
    }
    assert_string_equal(text, expected);
}

static void test_adding_and_normalising(void **state)
{
    (void)state;
    tacho_intervals set = {0};
    assert_int_equal(tacho_intervals_total(&set), 0);
    add(&set, 10, 20);
    add(&set, 20, 25); /* touches */
    add(&set, 12, 22); /* lies within */
    add(&set, 30, 30); /* is empty */
    assert_set(&set, "10-25");
    add(&set, 26, 27);
    assert_set(&set, "10-25 26-27");
    assert_false(set.is_unsorted);
    add(&set, 0, 5);
    add(&set, 5, 9);
    add(&set, 25, 26); /* fills the gap */
    assert_true(set.is_unsorted);
    tacho_intervals_normalise(&set);
    assert_set(&set, "0-9 10-27");
    assert_int_equal(tacho_intervals_total(&set), 26);
    tacho_intervals_normalise(&set);
    assert_set(&set, "0-9 10-27");
    tacho_intervals_deinit(&set);
    assert_int_equal(set.item_count, 0);
}

static void test_algebra_by_hand(void **state)
{
    (void)state;
    tacho_intervals a = {0};
    tacho_intervals b = {0};
    tacho_intervals united = {0};
    tacho_intervals rest = {0};
    tacho_intervals common = {0};
    add(&a, 0, 10);
    add(&a, 20, 30);
    add(&a, 40, 50);
    add(&b, 5, 6);
    add(&b, 8, 25);
    add(&b, 30, 40);
    add(&b, 60, 61);
    assert_null(tacho_intervals_unite(&a, &b, &united));
    assert_set(&united, "0-50 60-61");
    assert_null(tacho_intervals_subtract(&a, &b, &rest));
    assert_set(&rest, "0-5 6-8 25-30 40-50");
    assert_null(tacho_intervals_intersect(&a, &b, &common));
    assert_set(&common, "5-6 8-10 20-25");
    tacho_intervals_deinit(&a);
    tacho_intervals_deinit(&b);
    tacho_intervals_deinit(&united);
    tacho_intervals_deinit(&rest);
    tacho_intervals_deinit(&common);
}

static void test_extremes(void **state)
{
    (void)state;
    tacho_intervals whole = {0};
    tacho_intervals hole = {0};
    tacho_intervals rest = {0};
    add(&whole, 0, INT64_MAX);
    add(&hole, 1, INT64_MAX - 1);
    assert_int_equal(tacho_intervals_total(&whole), INT64_MAX);
    assert_null(tacho_intervals_subtract(&whole, &hole, &rest));
    assert_int_equal(rest.item_count, 2);
    assert_int_equal(tacho_intervals_total(&rest), 2);
    tacho_intervals_deinit(&whole);
    tacho_intervals_deinit(&hole);
    tacho_intervals_deinit(&rest);
}

/* ---- against a bitmap ------------------------------------------------------------------- */

typedef struct bitmap {
    bool at[MAP_SIZE];
} bitmap;

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void fill_random(uint64_t *seed, tacho_intervals *set, bitmap *map)
{
    *map = (bitmap){0};
    uint64_t count = next_random(seed) % 12;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t begin = next_random(seed) % MAP_SIZE;
        uint64_t length = next_random(seed) % 30;
        uint64_t end = begin + length < MAP_SIZE ? begin + length : MAP_SIZE;
        add(set, (int64_t)begin, (int64_t)end);
        memset(map->at + begin, 1, end - begin);
    }
    tacho_intervals_normalise(set);
}

/* The same points, and nothing in it touches. */
static void assert_same(const tacho_intervals *set, const bitmap *map)
{
    bitmap drawn = {0};
    int64_t total = 0;
    for (size_t i = 0; i < set->item_count; i++) {
        tacho_interval item = set->items[i];
        assert_true(item.begin < item.end);
        assert_true(i == 0 || set->items[i - 1].end < item.begin);
        memset(drawn.at + item.begin, 1, (size_t)(item.end - item.begin));
    }
    for (size_t i = 0; i < MAP_SIZE; i++) {
        total += map->at[i];
    }
    assert_memory_equal(drawn.at, map->at, sizeof(map->at));
    assert_int_equal(tacho_intervals_total(set), total);
}

static void test_random_sets(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int round = 0; round < ROUND_COUNT; round++) {
        tacho_intervals sets[5] = {{0}};
        bitmap maps[5];
        fill_random(&seed, &sets[0], &maps[0]);
        fill_random(&seed, &sets[1], &maps[1]);
        for (size_t i = 0; i < MAP_SIZE; i++) {
            maps[2].at[i] = maps[0].at[i] || maps[1].at[i];
            maps[3].at[i] = maps[0].at[i] && !maps[1].at[i];
            maps[4].at[i] = maps[0].at[i] && maps[1].at[i];
        }
        assert_null(tacho_intervals_unite(&sets[0], &sets[1], &sets[2]));
        assert_null(tacho_intervals_subtract(&sets[0], &sets[1], &sets[3]));
        assert_null(tacho_intervals_intersect(&sets[0], &sets[1], &sets[4]));
        for (size_t i = 0; i < 5; i++) {
            assert_same(&sets[i], &maps[i]);
            tacho_intervals_deinit(&sets[i]);
        }
    }
}

static void test_add_all(void **state)
{
    (void)state;
    tacho_intervals set = {0};
    tacho_intervals other = {0};
    add(&set, 10, 20);
    add(&other, 0, 11);
    add(&other, 19, 30);
    assert_null(tacho_intervals_add_all(&set, &other));
    tacho_intervals_normalise(&set);
    assert_set(&set, "0-30");
    tacho_intervals_deinit(&set);
    tacho_intervals_deinit(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adding_and_normalising),
        cmocka_unit_test(test_algebra_by_hand),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_random_sets),
        cmocka_unit_test(test_add_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
