/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans of memory: to the byte for chains, and the law that nothing overlaps for random ones.
 */
#include "device/memory_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* a -> b -> c -> d: each lives for two moments, so two places are enough. */
static void test_chain(void **state)
{
    (void)state;
    tacho_memory_piece pieces[] = {{100, 0, 1, 9}, {200, 1, 2, 9}, {128, 2, 3, 9}, {50, 3, 4, 9}};
    uint64_t bytes, bound;
    assert_null(tacho_memory_plan(pieces, 4, &bytes));
    assert_int_equal(pieces[1].offset, 0);   /* the largest: 256 with its rounding */
    assert_int_equal(pieces[2].offset, 256); /* overlaps it at 2 */
    assert_int_equal(pieces[0].offset, 256); /* overlaps it at 1, but not the other */
    assert_int_equal(pieces[3].offset, 0);
    assert_int_equal(bytes, 384);
    assert_null(tacho_memory_plan_bound(pieces, 4, &bound));
    assert_int_equal(bound, 328);
}

/* A gap between two others is used when it is large enough. */
static void test_gap(void **state)
{
    (void)state;
    tacho_memory_piece pieces[] = {{640, 0, 1, 0}, {512, 1, 9, 0}, {256, 2, 9, 0}, {448, 2, 3, 0}};
    uint64_t bytes;
    assert_null(tacho_memory_plan(pieces, 4, &bytes));
    assert_int_equal(pieces[0].offset, 0);
    assert_int_equal(pieces[1].offset, 640);
    assert_int_equal(pieces[3].offset, 0);
    assert_int_equal(pieces[2].offset, 1152); /* 192 bytes of the gap are left: too few */
    assert_int_equal(bytes, 1408);
}

static void test_empty(void **state)
{
    (void)state;
    uint64_t bytes = 1, bound = 1;
    tacho_memory_piece nothing = {0, 3, 3, 7};
    assert_null(tacho_memory_plan(NULL, 0, &bytes));
    assert_int_equal(bytes, 0);
    assert_null(tacho_memory_plan(&nothing, 1, &bytes));
    assert_int_equal(bytes, 0);
    assert_null(tacho_memory_plan_bound(&nothing, 1, &bound));
    assert_int_equal(bound, 0);
}

static void test_too_large(void **state)
{
    (void)state;
    uint64_t bytes;
    tacho_memory_piece pieces[] = {{INT64_MAX - 10, 0, 1, 0}, {INT64_MAX - 10, 1, 2, 0}};
    tacho_status status = tacho_memory_plan(pieces, 2, &bytes);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_LIMIT);
    tacho_status_free(status);
}

/* More pieces than are looked at one by one, too. */
static void check_random(size_t count, unsigned seed, double slack)
{
    tacho_memory_piece *pieces = calloc(count, sizeof(*pieces));
    uint64_t bytes, bound, state = seed;
    assert_non_null(pieces);
    for (size_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        pieces[i].bytes = (state >> 33) % 10000;
        pieces[i].first = (uint32_t)(state >> 50) % 1000;
        pieces[i].last = pieces[i].first + (uint32_t)(state >> 60);
    }
    assert_null(tacho_memory_plan(pieces, count, &bytes));
    assert_null(tacho_memory_plan_bound(pieces, count, &bound));
    assert_true(bytes >= bound);
    assert_true((double)bytes <= (double)bound * slack);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(pieces[i].offset % TACHO_MEMORY_ALIGN, 0);
        assert_true(pieces[i].offset + pieces[i].bytes <= bytes);
        for (size_t j = 0; j < i; j++) {
            bool in_time = pieces[i].first <= pieces[j].last && pieces[j].first <= pieces[i].last;
            bool in_space = pieces[i].offset < pieces[j].offset + pieces[j].bytes &&
                            pieces[j].offset < pieces[i].offset + pieces[i].bytes;
            assert_false(in_time && in_space);
        }
    }
    free(pieces);
}

static void test_random(void **state)
{
    (void)state;
    check_random(100, 1, 1.5);
    check_random(2000, 2, 1.4);
    check_random(9000, 3, 1.4);
    check_random(10000, 4, 1.6);
}

/* A chain of any length takes a few places. */
static void test_long_chain(void **state)
{
    (void)state;
    enum { COUNT = 300000 };
    tacho_memory_piece *pieces = calloc(COUNT, sizeof(*pieces));
    uint64_t bytes;
    assert_non_null(pieces);
    for (uint32_t i = 0; i < COUNT; i++) {
        pieces[i] = (tacho_memory_piece){4000 + i % 90, i, i + 1, 0};
    }
    assert_null(tacho_memory_plan(pieces, COUNT, &bytes));
    assert_true(bytes <= 12 * UINT64_C(4096));
    for (uint32_t i = 1; i < COUNT; i++) { /* neighbours are apart */
        uint64_t a = pieces[i - 1].offset, b = pieces[i].offset;
        assert_true(a + pieces[i - 1].bytes <= b || b + pieces[i].bytes <= a);
    }
    free(pieces);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain),  cmocka_unit_test(test_gap),
        cmocka_unit_test(test_empty),  cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_random), cmocka_unit_test(test_long_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
