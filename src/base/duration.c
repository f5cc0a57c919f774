/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decimals are taken digit by digit, so 1.1us is exactly 1100 ns.
 */
#include "base/duration.h"

#include <inttypes.h>
#include <stdio.h>

enum { DECIMALS_MAX = 9 };

typedef struct time_unit {
    tacho_str suffix;
    int64_t ns;
} time_unit;

/* Longer suffixes first: "ns" ends in "s" too. */
static const time_unit time_units[] = {
    {TACHO_STR_INIT("ns"), 1},         {TACHO_STR_INIT("us"), 1000},
    {TACHO_STR_INIT("\u00b5s"), 1000}, {TACHO_STR_INIT("\u03bcs"), 1000},
    {TACHO_STR_INIT("ms"), 1000000},   {TACHO_STR_INIT("s"), 1000000000},
};

/* |digits| as the decimals of one unit of |scale| ns; false if finer than a nanosecond. */
static bool parse_decimals(tacho_str digits, int64_t scale, int64_t *out_ns)
{
    *out_ns = 0;
    if (digits.len == 0 || digits.len > DECIMALS_MAX) {
        return false;
    }
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.data[i] < '0' || digits.data[i] > '9' || scale % 10 != 0) {
            return false;
        }
        scale /= 10;
        *out_ns += (digits.data[i] - '0') * scale;
    }
    return true;
}

bool tacho_duration_parse(tacho_str text, int64_t *out_ns)
{
    int64_t scale = 1;
    for (size_t i = 0; i < sizeof(time_units) / sizeof(time_units[0]); i++) {
        if (tacho_str_ends_with(text, time_units[i].suffix)) {
            scale = time_units[i].ns;
            text.len -= time_units[i].suffix.len;
            break;
        }
    }
    size_t point = tacho_str_find_byte(text, '.');
    int64_t decimals_ns = 0;
    if (point < text.len && !parse_decimals(tacho_str_from(text, point + 1), scale, &decimals_ns)) {
        return false;
    }
    uint64_t whole = 0;
    return tacho_str_parse_u64(tacho_str_make(text.data, point), &whole) && whole <= INT64_MAX &&
           !__builtin_mul_overflow((int64_t)whole, scale, out_ns) &&
           !__builtin_add_overflow(*out_ns, decimals_ns, out_ns);
}

void tacho_duration_format(int64_t ns, char out_text[TACHO_DURATION_TEXT_MAX])
{
    static const struct {
        uint64_t ns;
        const char *unit;
    } scales[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}};
    const char *sign = ns < 0 ? "-" : "";
    uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    snprintf(out_text, TACHO_DURATION_TEXT_MAX, "%" PRId64 " ns", ns);
    for (size_t i = 0; i < 3; i++) {
        if (size >= scales[i].ns) {
            uint64_t step = scales[i].ns / 1000;
            uint64_t thousandths = size / step + (size % step * 2 >= step ? 1 : 0);
            if (i > 0 && thousandths == 1000000) {
                thousandths = 1000; /* 999.9999 ms is 1.000 s */
                i--;
            }
            snprintf(out_text, TACHO_DURATION_TEXT_MAX, "%s%" PRIu64 ".%03" PRIu64 " %s", sign,
                     thousandths / 1000, thousandths % 1000, scales[i].unit);
            break;
        }
    }
}

bool tacho_window_parse(tacho_str text, int64_t *out_begin_ns, int64_t *out_end_ns)
{
    size_t dots = 0;
    while (dots + 1 < text.len && (text.data[dots] != '.' || text.data[dots + 1] != '.')) {
        dots++;
    }
    if (dots + 1 >= text.len) {
        return false;
    }
    tacho_str begin = tacho_str_make(text.data, dots);
    tacho_str end = tacho_str_from(text, dots + 2);
    *out_begin_ns = 0;
    *out_end_ns = INT64_MAX;
    return (begin.len == 0 || tacho_duration_parse(begin, out_begin_ns)) &&
           (end.len == 0 || tacho_duration_parse(end, out_end_ns)) && *out_begin_ns < *out_end_ns;
}
