/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Durations and windows: exact nanoseconds, or refused.
 */
#include "base/duration.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_durations(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ns; /* -1: refused */
    } cases[] = {
        {"250", 250},
        {"0", 0},
        {"7ns", 7},
        {"1.1us", 1100},
        {"1.5\u00b5s", 1500},
        {"1.5\u03bcs", 1500},
        {"20ms", 20000000},
        {"3s", 3000000000},
        {"0.000000001s", 1},
        {"9223372036854775807", INT64_MAX},
        {"9223372036s", 9223372036000000000},
        {"9223372036.854775807s", INT64_MAX},
        {"9223372036.854775808s", -1},
        {"9223372037s", -1},
        {"9223372036854775808", -1},
        {"0.0000000001s", -1}, /* finer than a nanosecond */
        {"1.5", -1},
        {"1.5ns", -1},
        {"1.us", -1},
        {".5us", -1},
        {"", -1},
        {"us", -1},
        {"-1", -1},
        {"+1", -1},
        {"1 s", -1},
        {"1m", -1},
        {"1e3", -1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t ns = -1;
        bool is_good = tacho_duration_parse(tacho_str_from_cstring(cases[i].text), &ns);
        if (is_good != (cases[i].ns >= 0) || (is_good && ns != cases[i].ns)) {
            fail_msg("'%s' gave %lld", cases[i].text, is_good ? (long long)ns : -1LL);
        }
    }
}

static void test_windows(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t begin, end; /* end -1: refused */
    } cases[] = {
        {"1us..2ms", 1000, 2000000},
        {"..5", 0, 5},
        {"5..", 5, INT64_MAX},
        {"..", 0, INT64_MAX},
        {"1.5us..2.5us", 1500, 2500},
        {"5..5", 0, -1},
        {"6..5", 0, -1},
        {"5", 0, -1},
        {"", 0, -1},
        {".", 0, -1},
        {"a..b", 0, -1},
        {"1..2..3", 0, -1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t begin = -1, end = -1;
        bool is_good = tacho_window_parse(tacho_str_from_cstring(cases[i].text), &begin, &end);
        if (is_good != (cases[i].end >= 0) ||
            (is_good && (begin != cases[i].begin || end != cases[i].end))) {
            fail_msg("'%s' gave %lld..%lld", cases[i].text, (long long)begin, (long long)end);
        }
    }
}

static void test_texts(void **state)
{
    (void)state;
    static const struct {
        int64_t ns;
        const char *text;
    } cases[] = {
        {0, "0 ns"},
        {999, "999 ns"},
        {-1500, "-1.500 us"},
        {999999, "999.999 us"},
        {1000499, "1.000 ms"},
        {1000500, "1.001 ms"},
        {999999999, "1.000 s"},
        {INT64_MAX, "9223372036.855 s"},
        {INT64_MIN, "-9223372036.855 s"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[TACHO_DURATION_TEXT_MAX];
        tacho_duration_format(cases[i].ns, text);
        assert_string_equal(text, cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
