/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The quick ways against printf and strtod, over random bits, measured numbers and the middles
 * between two doubles.
 */
#include "base/real.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* The reference for the quick method: printf with 15 digits, or as many more as it takes. */
static void put_by_printf(char *text, double value)
{
    if (fabs(value) < 1e17 && value == floor(value)) {
        snprintf(text, TACHO_REAL_MAX, "%.1f", value);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, TACHO_REAL_MAX, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            return;
        }
    }
}

static void check_put(double value)
{
    char expected[TACHO_REAL_MAX];
    char text[TACHO_REAL_MAX];
    put_by_printf(expected, value);
    char *end = tacho_real_put(text, value);
    assert_string_equal(text, expected);
    assert_ptr_equal(end, text + strlen(text));
}

static void test_put(void **state)
{
    (void)state;
    static const double values[] = {
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.1,
        -0.1,
        0.5,
        2.5e-5,
        1e-4,
        1e-5,
        1e15,
        1e16,
        1e17,
        -1e17,
        1e22,
        1e23,
        1.5e300,
        5e-324,
        2.25e-308,
        1.7976931348623157e308,
        0.3,
        2.0 / 3,
        1e-64,
        1.1e-70,
        1.1e60,
        4503599627370495.5,
        9007199254740993.0,
        123456.789,
        0.000123456789012345678,
    };
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        check_put(values[i]);
    }
}

static void test_put_composed(void **state)
{
    (void)state;
    uint64_t seed = 88172645463325252;
    for (int i = 0; i < 60000; i++) {
        uint64_t bits = next_random(&seed);
        double any;
        memcpy(&any, &bits, sizeof(any));
        check_put(isfinite(any) ? any : 0.0);
        check_put((double)(bits >> 11) * 0x1p-53);
        check_put((double)(int64_t)(bits % 2000000000) / 1000.0);
        check_put(ldexp((double)(bits >> (11 + bits % 50) | 1), -(int)(bits % 130)));
    }
}

static void check_read(uint64_t digits, int power)
{
    char text[64];
    double value = -1;
    snprintf(text, sizeof(text), "%llue%d", (unsigned long long)digits, power);
    if (tacho_real_from_digits(digits, power, &value)) {
        assert_true(value == strtod(text, NULL));
    } else {
        assert_true(power < -27 || power > 55); /* the quick way knows all of these */
    }
}

static void test_read(void **state)
{
    (void)state;
    uint64_t seed = 362436069;
    check_read(0, 0);
    check_read(0, -300);
    check_read(1, 55);
    check_read(1, 56);
    check_read(9007199254740993, 0); /* in the middle of two */
    check_read(UINT64_MAX, -64);
    for (int i = 0; i < 200000; i++) {
        uint64_t digits = next_random(&seed) >> next_random(&seed) % 64;
        check_read(digits, (int)(next_random(&seed) % 130) - 70);
        check_read(digits, (int)(next_random(&seed) % 30) - 20);
        /* In the middle of two, also with fives after it, and a hundredth off. */
        uint64_t middle = (uint64_t)1 << 53 | next_random(&seed) >> 11 | 1;
        check_read(middle, 0);
        check_read(middle * 5, -1);
        check_read(middle * 100 + 1, -2);
        check_read(middle * 100 - 1, -2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_put),
        cmocka_unit_test(test_put_composed),
        cmocka_unit_test(test_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
