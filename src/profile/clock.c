/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact integer conversion between ticks and nanoseconds.
 */
#include "profile/clock.h"

#include <assert.h>

void tacho_clock_init(tacho_clock *clock, uint64_t numerator, uint64_t denominator)
{
    assert(numerator > 0 && denominator > 0);
    uint64_t divisor = tacho_gcd(numerator, denominator);
    numerator /= divisor;
    denominator /= divisor;
    assert(numerator <= INT64_MAX && denominator <= INT64_MAX);
    *clock = (tacho_clock){
        .ns_numerator = (int64_t)numerator,
        .ns_denominator = (int64_t)denominator,
        .denominator_shift =
            (denominator & (denominator - 1)) == 0 ? __builtin_ctzll(denominator) : -1,
    };
    /* The last tick before the one whose nanoseconds would be 2^63. */
    tacho_i128 limit =
        (((tacho_i128)INT64_MAX + 1) * clock->ns_denominator - 1) / clock->ns_numerator;
    clock->max_ticks = limit > INT64_MAX ? INT64_MAX : (int64_t)limit;
}

/* "1.25" -> 1250000 (micro-units); false unless it is digits with at most six decimals. */
static bool parse_micro(tacho_str text, uint64_t *out_micro)
{
    size_t point = tacho_str_find_byte(text, '.');
    uint64_t whole = 0;
    uint64_t fraction = 0;
    size_t fraction_len = point < text.len ? text.len - point - 1 : 0;
    if (!tacho_str_parse_u64(tacho_str_make(text.data, point), &whole) || whole > 1000000 ||
        fraction_len > 6 || (point < text.len && fraction_len == 0)) {
        return false;
    }
    if (fraction_len > 0 && !tacho_str_parse_u64(tacho_str_from(text, point + 1), &fraction)) {
        return false;
    }
    for (size_t i = fraction_len; i < 6; i++) {
        fraction *= 10;
    }
    *out_micro = whole * 1000000 + fraction;
    return *out_micro <= 1000000 * (uint64_t)1000000;
}

tacho_status tacho_clock_init_mhz(tacho_clock *clock, tacho_str mhz)
{
    uint64_t hertz = 0; /* micro-MHz are hertz */
    if (!parse_micro(mhz, &hertz) || hertz == 0) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "'%.*s' is not a clock frequency; give MHz above 0 and at most 1000000, "
                          "with at most six decimals, such as 800 or 1350.5",
                          TACHO_STR_ARG(mhz));
    }
    tacho_clock_init(clock, 1000000000u, hertz);
    clock->counts_cycles = true;
    return TACHO_OK;
}

int64_t tacho_clock_ticks(const tacho_clock *clock, int64_t ns)
{
    /* ceil(ns * den / num) = -floor(-ns * den / num) */
    tacho_i128 ticks = -tacho_scale_floor(-ns, clock->ns_denominator, clock->ns_numerator);
    return (int64_t)(ticks + clock->zero_ticks);
}

uint64_t tacho_clock_hz(const tacho_clock *clock)
{
    return (uint64_t)((tacho_i128)1000000000 * clock->ns_denominator / clock->ns_numerator);
}
