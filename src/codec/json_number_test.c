/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Besides tables, texts are composed from a known integer, so that the right answer is known before
 * the text is made: its digits, with the point put in, more digits after them, an exponent that
 * moves the point back. Doubles are compared with strtod.
 */
#include "codec/json_number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_i64(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_whole;
        int64_t value;
    } cases[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"0.0", true, 0},
        {"0e999999999999999999999", true, 0},
        {"12", true, 12},
        {"12.000", true, 12},
        {"1.2e1", true, 12},
        {"1200e-2", true, 12},
        {"0.00012E5", true, 12},
        {"-12E+0", true, -12},
        {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"9223372036854775808", false, 0},
        {"-9223372036854775809", false, 0},
        {"18446744073709551616", false, 0},
        {"99999999999999999999999999999", false, 0},
        {"1e18", true, 1000000000000000000},
        {"1e19", false, 0},
        {"1e999999999999999999999", false, 0},
        {"1.5", false, 0},
        {"1e-1", false, 0},
        {"1e-999999999999999999999", false, 0},
        {"", false, 0},
        {"-", false, 0},
        {"+1", false, 0},
        {"01", false, 0},
        {"1.", false, 0},
        {".5", false, 0},
        {"1e", false, 0},
        {"1e+", false, 0},
        {"1 ", false, 0},
        {" 1", false, 0},
        {"1x", false, 0},
        {"0x10", false, 0},
        {"NaN", false, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t value = 0;
        bool is_whole = tacho_json_number_i64(tacho_str_from_cstring(cases[i].text), &value);
        assert_int_equal(is_whole, cases[i].is_whole);
        assert_int_equal(value, cases[i].value);
    }
}

static void test_scaled(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned decimals;
        bool fits;
        int64_t value;
    } cases[] = {
        {"3869985522357.763", 3, true, 3869985522357763},
        {"1700000000123456.789", 3, true, 1700000000123456789},
        {"1700000000123456.7895", 3, true, 1700000000123456790},
        {"1700000000123456.78949999999999999999999999", 3, true, 1700000000123456789},
        {"12.345678901234567890123456789012", 3, true, 12346},
        {"1234.567", 3, true, 1234567},
        {"12345678.901", 3, true, 12345678901},
        {"123456789.012", 3, true, 123456789012},
        {"9223372036854775.807", 3, true, INT64_MAX},
        {"9223372036854775.808", 3, false, 0},
        {"0123.456", 3, false, 0},
        {"1234.56x", 3, false, 0},
        {"123456x89.012", 3, false, 0},
        {"-123456789.012", 3, true, -123456789012},
        {"0.000500000000000000000000000000", 3, true, 1},
        {"0.000499999999999999999999999999", 3, true, 0},
        {"0.00049", 3, true, 0},
        {"-0.0005", 3, true, 0},
        {"-0.0005000000000000000000000001", 3, true, -1},
        {"-1.0015", 3, true, -1001},
        {"-1.0016", 3, true, -1002},
        {"1.5e3", 3, true, 1500000},
        {"15e-4", 3, true, 2},
        {"5", 0, true, 5},
        {"0.5", 0, true, 1},
        {"-0.5", 0, true, 0},
        {"0.49", 0, true, 0},
        {"0.05", 0, true, 0},
        {"1e-400", 3, true, 0},
        {"0e400", 3, true, 0},
        {"1e400", 3, false, 0},
        {"9223372036854775.807", 3, true, INT64_MAX},
        {"9223372036854775.8074", 3, true, INT64_MAX},
        {"9223372036854775.8075", 3, false, 0},
        {"-9223372036854775.8085", 3, true, INT64_MIN},
        {"-9223372036854775.80851", 3, false, 0},
        {"18446744073709551.6155", 3, false, 0},
        {"1", 30, false, 0},
        {"0", 30, true, 0},
        {"1e-25", 30, true, 100000},
        {"abc", 3, false, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t value = 0;
        bool fits = tacho_json_number_scaled(tacho_str_from_cstring(cases[i].text),
                                             cases[i].decimals, &value);
        assert_int_equal(fits, cases[i].fits);
        assert_int_equal(value, cases[i].value);
    }
}

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* |digits| with a point before the last |fraction_len| of them, zeros added in front as needed. */
static size_t put_point(char *to, const char *digits, size_t fraction_len)
{
    size_t len = strlen(digits);
    size_t zeros = fraction_len >= len ? fraction_len + 1 - len : 0;
    char padded[128] = "";
    memset(padded, '0', zeros);
    memcpy(padded + zeros, digits, len + 1);
    size_t whole = zeros + len - fraction_len;
    return (size_t)snprintf(to, 256, "%.*s%s%s", (int)whole, padded, fraction_len > 0 ? "." : "",
                            padded + whole);
}

static void test_scaled_composed(void **state)
{
    (void)state;
    uint64_t seed = 88172645463325252U;
    for (size_t i = 0; i < 200000; i++) {
        int64_t value = (int64_t)(next_random(&seed) >> (1 + next_random(&seed) % 63));
        unsigned decimals = (unsigned)(next_random(&seed) % 10);
        int shift = (int)(next_random(&seed) % 12);
        char digits[64];
        snprintf(digits, sizeof(digits), "%lld", (long long)value);
        /* The text is |value| with decimals + shift fraction digits, and an exponent of shift. */
        char text[512] = "-";
        size_t len = 1 + put_point(text + 1, digits, decimals + (unsigned)shift);
        bool has_point = decimals + (unsigned)shift > 0;
        size_t more = has_point ? next_random(&seed) % 30 : 0;
        for (size_t j = 0; j < more; j++) {
            text[len++] = (char)('0' + next_random(&seed) % 10);
        }
        const char *rest = text + len - more;
        static const char half[] = "5000000000000000000000000000000";
        text[len] = '\0';
        int order = more == 0 ? -1 : memcmp(rest, half, more);
        snprintf(text + len, sizeof(text) - len, "%c%s%d", shift % 2 == 0 ? 'e' : 'E',
                 shift % 3 == 0 ? "+" : "", shift);
        int64_t got = 0;
        assert_true(value == INT64_MAX ||
                    tacho_json_number_scaled(tacho_str_from_cstring(text + 1), decimals, &got));
        assert_true(value == INT64_MAX || got == value + (order >= 0 ? 1 : 0));
        assert_true(value == INT64_MAX ||
                    tacho_json_number_scaled(tacho_str_from_cstring(text), decimals, &got));
        assert_true(value == INT64_MAX || got == -value - (order > 0 ? 1 : 0));
    }
}

static void check_double(const char *text)
{
    double expected = strtod(text, NULL);
    double got = 0;
    bool is_finite = tacho_json_number_double(tacho_str_from_cstring(text), &got);
    bool should_be = expected - expected == 0;
    if (is_finite != should_be || (is_finite && memcmp(&got, &expected, sizeof(got)) != 0)) {
        fail_msg("%s: %a, expected %a", text, got, expected);
    }
}

static void test_double(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "0",
        "-0",
        "-0.0",
        "0e5",
        "1",
        "0.1",
        "-2.5e-3",
        "123456789012345678",
        "1e22",
        "1e23",
        "9007199254740993",
        "9007199254740993.0000000000000000000000000000000000001",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "1e309",
        "1e999999999999999999",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1e-400",
        "1e-999999999999999999",
        "0.000000000000000000000000000000000000000000000000000012345",
        "3869985522357.763",
        "179769313486231580793728971405301e276",
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_double(cases[i]);
    }
    double value = 0;
    assert_false(tacho_json_number_double(TACHO_STR("1."), &value));
    assert_false(tacho_json_number_double(TACHO_STR(""), &value));
}

static void test_double_composed(void **state)
{
    (void)state;
    uint64_t seed = 362436069;
    for (size_t i = 0; i < 200000; i++) {
        char text[128];
        uint64_t whole = next_random(&seed) >> next_random(&seed) % 64;
        uint64_t fraction = next_random(&seed) >> next_random(&seed) % 64;
        int exponent = (int)(next_random(&seed) % 700) - 350;
        snprintf(text, sizeof(text), i % 2 == 0 ? "%llu.%llue%d" : "-%llu.%llu",
                 (unsigned long long)whole, (unsigned long long)fraction, exponent);
        check_double(text);
    }
}

/* 0.5 plus half a unit in the last place, exactly in the middle, or off it in a far later digit. */
static void test_double_long(void **state)
{
    (void)state;
    char text[4096];
    static const char middle[] = "0.50000000000000005551115123125782702118158340454101562500";
    for (size_t zeros = 0; zeros < 2000; zeros += 37) {
        size_t len = strlen(middle);
        memcpy(text, middle, len);
        memset(text + len, '0', zeros);
        memcpy(text + len + zeros, "1", 2);
        double value = 0;
        assert_true(tacho_json_number_double(tacho_str_from_cstring(text), &value));
        assert_true(value == 0x1.0000000000001p-1);
        assert_true(tacho_json_number_double(tacho_str_make(text, len + zeros), &value));
        assert_true(value == 0x1p-1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_i64),
        cmocka_unit_test(test_scaled),
        cmocka_unit_test(test_scaled_composed),
        cmocka_unit_test(test_double),
        cmocka_unit_test(test_double_composed),
        cmocka_unit_test(test_double_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
