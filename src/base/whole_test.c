/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole numbers of doubles at every edge. The sanitizers would find a cast that is undefined.
 */
#include "base/whole.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_signed(void **state)
{
    (void)state;
    static const struct {
        double value;
        int64_t whole;
    } rows[] = {
        {0, 0},
        {-0.0, 0},
        {1.9, 1},
        {-1.9, -1},
        {9007199254740993.0, 9007199254740992},
        {9223372036854774784.0, 9223372036854774784}, /* the last double below 2^63 */
        {9223372036854775808.0, INT64_MAX},
        {-9223372036854775808.0, INT64_MIN},
        {-9223372036854777856.0, INT64_MIN},
        {1e300, INT64_MAX},
        {-1e300, INT64_MIN},
        {(double)INFINITY, INT64_MAX},
        {-(double)INFINITY, INT64_MIN},
        {(double)NAN, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_true(tacho_whole_i64(rows[i].value) == rows[i].whole);
    }
}

static void test_unsigned(void **state)
{
    (void)state;
    static const struct {
        double value;
        uint64_t whole;
    } rows[] = {
        {0, 0},
        {-1, 0},
        {0.99, 0},
        {18446744073709549568.0, 18446744073709549568u}, /* the last double below 2^64 */
        {18446744073709551616.0, UINT64_MAX},
        {(double)INFINITY, UINT64_MAX},
        {-(double)INFINITY, 0},
        {(double)NAN, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_true(tacho_whole_u64(rows[i].value) == rows[i].whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signed),
        cmocka_unit_test(test_unsigned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
