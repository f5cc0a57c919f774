/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversion is checked by the definition of floor, in 128-bit products and without a division:
 * q = floor(p / d) exactly when q * d <= p < (q + 1) * d. Ratios, zeros and ticks are drawn by
 * bit width, so that tiny and huge ones meet.
 */
#include "profile/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROUND_COUNT = 250000, PER_CLOCK_COUNT = 8 };

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A number of 1 to |bit_count| bits, each width as likely as any other. */
static uint64_t random_wide(uint64_t *state, unsigned bit_count)
{
    unsigned width = 1 + (unsigned)(next_random(state) % bit_count);
    return (next_random(state) | (UINT64_C(1) << 63)) >> (64 - width);
}

static int64_t random_up_to(uint64_t *state, int64_t limit)
{
    uint64_t value = (next_random(state) & 1) != 0 ? random_wide(state, 63) : next_random(state);
    return limit == INT64_MAX ? (int64_t)(value >> 1) : (int64_t)(value % ((uint64_t)limit + 1));
}

typedef struct ratio {
    int64_t numerator; /* as drawn, not reduced */
    int64_t denominator;
} ratio;

static ratio random_ratio(uint64_t *state)
{
    uint64_t numerator = random_wide(state, 63);
    uint64_t denominator = random_wide(state, 63);
    switch (next_random(state) % 4) {
    case 0: /* a power of two below */
        denominator = UINT64_C(1) << (next_random(state) % 63);
        break;
    case 1: /* a common factor */
        numerator = random_wide(state, 40);
        denominator = random_wide(state, 40);
        uint64_t factor = random_wide(state, 23);
        numerator *= factor;
        denominator *= factor;
        break;
    case 2: /* examples of clocks */
        numerator = 1000000000;
        denominator = 1 + next_random(state) % 1000000000000;
        break;
    default:
        break;
    }
    return (ratio){(int64_t)numerator, (int64_t)denominator};
}

static tacho_clock random_clock(uint64_t *state, ratio *out_ratio)
{
    *out_ratio = random_ratio(state);
    tacho_clock clock;
    tacho_clock_init(&clock, (uint64_t)out_ratio->numerator, (uint64_t)out_ratio->denominator);
    return clock;
}

/* Ticks of all kinds: around zero, around the clock's zero and limit, anywhere. */
static int64_t random_ticks(uint64_t *state, const tacho_clock *clock, size_t kind)
{
    int64_t limit = clock->max_ticks;
    int64_t near = (int64_t)(next_random(state) % 3);
    int64_t ticks = random_up_to(state, limit);
    switch (kind % PER_CLOCK_COUNT) {
    case 0:
        ticks = near;
        break;
    case 1:
        ticks = limit - near;
        break;
    case 2:
        ticks = clock->zero_ticks + (near < limit - clock->zero_ticks ? near : 0);
        break;
    case 3:
        ticks = clock->zero_ticks - near;
        break;
    default:
        break;
    }
    return ticks < 0 ? 0 : (ticks > limit ? limit : ticks);
}

static bool is_floor(ratio rate, int64_t shifted, int64_t ns)
{
    tacho_i128 product = (tacho_i128)shifted * rate.numerator;
    tacho_i128 below = (tacho_i128)ns * rate.denominator;
    return below <= product && product < below + rate.denominator;
}

/* Figures worked out with another program's integers. */
static void test_known_values(void **state)
{
    (void)state;
    static const struct {
        uint64_t numerator, denominator;
        int64_t zero, ticks, ns;
    } cases[] = {
        {5, 4, 0, 0, 0},
        {5, 4, 0, 1, 1},
        {5, 4, 0, 3, 3},
        {5, 4, 0, 4, 5},
        {5, 4, 0, 4704, 5880},
        {1000000000, 1350500000, 0, 1350500000, 1000000000},
        {1000000000, 1350500000, 0, 1350499999, 999999999},
        {1000, 1, 0, 9223372036854775, 9223372036854775000},
        {1, 1, 0, INT64_MAX, INT64_MAX},
        {1, 1, INT64_MAX, 0, -INT64_MAX},
        {1, 3, 0, INT64_MAX, 3074457345618258602},
        {1, 3, 7, 6, -1},
        {1, 3, 7, 4, -1},
        {1, 3, 7, 3, -2},
        {1, 4, 9, 8, -1},
        {1, 4, 9, 5, -1},
        {1, 4, 9, 4, -2},
        {7, 3, 100, 99, -3},
        {7, 3, 100, 101, 2},
        {UINT64_MAX - 1, 2, 0, 1, INT64_MAX},
        {3, 9223372036854775807, 0, 9223372036854775807, 3},
        {3, 9223372036854775807, 0, 9223372036854775806, 2},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_clock clock;
        tacho_clock_init(&clock, cases[i].numerator, cases[i].denominator);
        assert_false(clock.counts_cycles);
        assert_int_equal(clock.zero_ticks, 0);
        clock.zero_ticks = cases[i].zero;
        assert_int_equal(tacho_clock_ns(&clock, cases[i].ticks), cases[i].ns);
    }
}

static void test_ratio_is_reduced(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (size_t i = 0; i < 20000; i++) {
        ratio rate;
        tacho_clock clock = random_clock(&random, &rate);
        assert_true(clock.ns_numerator > 0 && clock.ns_denominator > 0);
        assert_true((tacho_i128)clock.ns_numerator * rate.denominator ==
                    (tacho_i128)clock.ns_denominator * rate.numerator);
        assert_int_equal(tacho_gcd((uint64_t)clock.ns_numerator, (uint64_t)clock.ns_denominator),
                         1);
        bool is_power = (clock.ns_denominator & (clock.ns_denominator - 1)) == 0;
        assert_int_equal(clock.denominator_shift >= 0, is_power);
        if (is_power) {
            assert_int_equal(INT64_C(1) << clock.denominator_shift, clock.ns_denominator);
        }
    }
}

static void test_ns_is_floor(void **state)
{
    (void)state;
    uint64_t random = 1;
    ratio rate = {1, 1};
    tacho_clock clock = {0};
    for (size_t i = 0; i < ROUND_COUNT; i++) {
        if (i % PER_CLOCK_COUNT == 0) {
            clock = random_clock(&random, &rate);
            clock.zero_ticks = i % 3 == 0 ? 0 : random_up_to(&random, clock.max_ticks);
        }
        int64_t ticks = random_ticks(&random, &clock, i);
        int64_t ns = tacho_clock_ns(&clock, ticks);
        if (!is_floor(rate, ticks - clock.zero_ticks, ns)) {
            fail_msg("%lld ticks from %lld at %lld/%lld are not %lld ns", (long long)ticks,
                     (long long)clock.zero_ticks, (long long)rate.numerator,
                     (long long)rate.denominator, (long long)ns);
        }
    }
}

static void test_ns_is_monotone(void **state)
{
    (void)state;
    uint64_t random = 2;
    for (size_t i = 0; i < ROUND_COUNT; i++) {
        ratio rate;
        tacho_clock clock = random_clock(&random, &rate);
        clock.zero_ticks = random_up_to(&random, clock.max_ticks);
        int64_t first = random_ticks(&random, &clock, i);
        int64_t second = random_ticks(&random, &clock, i / PER_CLOCK_COUNT);
        int64_t early = first < second ? first : second;
        int64_t late = first < second ? second : first;
        assert_true(tacho_clock_ns(&clock, early) <= tacho_clock_ns(&clock, late));
        if (early < clock.max_ticks) {
            assert_true(tacho_clock_ns(&clock, early) <= tacho_clock_ns(&clock, early + 1));
        }
        assert_int_equal(tacho_clock_ns(&clock, clock.zero_ticks), 0);
    }
}

/* Both ends are converted, never a duration: so sums are off by one at most, and by none over
 * whole periods of the ratio or when only the zero moves. */
static void test_ns_adds_up(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (size_t i = 0; i < ROUND_COUNT; i++) {
        ratio rate;
        tacho_clock clock = random_clock(&random, &rate);
        int64_t a = random_up_to(&random, clock.max_ticks);
        int64_t b = random_up_to(&random, clock.max_ticks - a);
        int64_t ns_a = tacho_clock_ns(&clock, a);
        int64_t carry = tacho_clock_ns(&clock, a + b) - ns_a - tacho_clock_ns(&clock, b);
        assert_true(carry == 0 || carry == 1);
        if (clock.max_ticks - a >= clock.ns_denominator) {
            assert_int_equal(tacho_clock_ns(&clock, a + clock.ns_denominator) - ns_a,
                             clock.ns_numerator);
        }
        clock.zero_ticks = b;
        assert_int_equal(tacho_clock_ns(&clock, a + b), ns_a);
    }
}

/* The first tick at or after |ns|, and the way back where ticks are not finer than ns. */
static void test_ticks_is_inverse(void **state)
{
    (void)state;
    uint64_t random = 4;
    size_t coarse_count = 0;
    for (size_t i = 0; i < ROUND_COUNT; i++) {
        ratio rate;
        tacho_clock clock = random_clock(&random, &rate);
        clock.zero_ticks = i % 3 == 0 ? 0 : random_up_to(&random, clock.max_ticks);
        int64_t ticks = random_ticks(&random, &clock, i);
        int64_t ns = tacho_clock_ns(&clock, ticks);
        int64_t back = tacho_clock_ticks(&clock, ns);
        tacho_i128 wanted = (tacho_i128)ns * rate.denominator;
        tacho_i128 reached = ((tacho_i128)back - clock.zero_ticks) * rate.numerator;
        assert_true(reached >= wanted && reached - rate.numerator < wanted);
        assert_true(back <= ticks);
        if (rate.numerator >= rate.denominator) {
            assert_int_equal(back, ticks);
            coarse_count++;
        } else if (back >= 0) { /* ticks finer than a ns may reach below tick 0 */
            assert_int_equal(tacho_clock_ns(&clock, back), ns);
        }
    }
    assert_true(coarse_count > ROUND_COUNT / 10 && coarse_count < ROUND_COUNT);
}

/* Any ns, not only those of a tick. */
static void test_ticks_is_ceiling(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (size_t i = 0; i < ROUND_COUNT; i++) {
        ratio rate;
        tacho_clock clock = random_clock(&random, &rate);
        int64_t ns = random_up_to(&random, tacho_clock_ns(&clock, clock.max_ticks));
        int64_t ticks = tacho_clock_ticks(&clock, ns);
        tacho_i128 wanted = (tacho_i128)ns * rate.denominator;
        tacho_i128 reached = (tacho_i128)ticks * rate.numerator;
        assert_true(reached >= wanted && reached - rate.numerator < wanted);
    }
}

/* The last tick whose nanoseconds fit 63 bits: it fits, and the next one does not. */
static void test_max_ticks_is_exact(void **state)
{
    (void)state;
    const tacho_i128 beyond_ns = (tacho_i128)INT64_MAX + 1;
    uint64_t random = 6;
    size_t limited_count = 0;
    for (size_t i = 0; i < ROUND_COUNT; i++) {
        ratio rate;
        tacho_clock clock = random_clock(&random, &rate);
        tacho_i128 beyond = beyond_ns * rate.denominator;
        assert_true((tacho_i128)clock.max_ticks * rate.numerator < beyond);
        if (clock.max_ticks == INT64_MAX) {
            continue;
        }
        limited_count++;
        if (((tacho_i128)clock.max_ticks + 1) * rate.numerator < beyond) {
            fail_msg("at %lld/%lld ns per tick, tick %lld fits too", (long long)rate.numerator,
                     (long long)rate.denominator, (long long)clock.max_ticks + 1);
        }
    }
    assert_true(limited_count > ROUND_COUNT / 10);
}

static void test_mhz(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t numerator, denominator;
        uint64_t hertz;
    } cases[] = {
        {"800", 5, 4, 800000000},
        {"1", 1000, 1, 1000000},
        {"1.5", 2000, 3, 1500000},
        {"1.05", 20000, 21, 1050000},
        {"1350.5", 2000, 2701, 1350500000},
        {"1350.500000", 2000, 2701, 1350500000},
        {"0.000001", 1000000000, 1, 1},
        {"0.032768", 1953125, 64, 32768},
        {"999999.999999", 1000000000, 999999999999, 999999999999},
        {"1000000", 1, 1000, 1000000000000},
        {"1000000.0", 1, 1000, 1000000000000},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_clock clock = {.zero_ticks = 5};
        assert_null(tacho_clock_init_mhz(&clock, tacho_str_from_cstring(cases[i].text)));
        assert_int_equal(clock.ns_numerator, cases[i].numerator);
        assert_int_equal(clock.ns_denominator, cases[i].denominator);
        assert_int_equal(tacho_clock_hz(&clock), cases[i].hertz);
        assert_int_equal(clock.zero_ticks, 0);
        assert_true(clock.counts_cycles);
    }
}

static void check_mhz_refused(const char *text)
{
    tacho_clock clock;
    tacho_status status = tacho_clock_init_mhz(&clock, tacho_str_from_cstring(text));
    if (status == TACHO_OK) {
        fail_msg("'%s' is taken for a frequency", text);
    }
    assert_int_equal(tacho_status_code(status), TACHO_CODE_USAGE);
    /* The message shows the text, control characters as escapes. */
    if (strpbrk(text, "\t\n\r") == NULL) {
        assert_non_null(strstr(tacho_status_message(status), text));
    }
    tacho_status_free(status);
}

static void test_mhz_refuses(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",
        "0",
        "0.0",
        "0.000000",
        "00",
        "abc",
        "-5",
        "+5",
        "1.",
        ".5",
        ".",
        "1..5",
        "1.2.3",
        "1.1234567",
        "1.-5",
        "1. 5",
        " 1",
        "1 ",
        "1e3",
        "0x10",
        "1,5",
        "1000001",
        "800MHz",
        "99999999999",
        "18446744073709551616",
        "1.5\n",
        "1/2",
        "0.0000001",
        "1.18446744073",
        "18446744073709551617.5",
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_mhz_refused(cases[i]);
    }
}

/* The limit of the message is "at most 1000000"; decimals do not lift it. */
static void test_mhz_limit_counts_decimals(void **state)
{
    (void)state;
    check_mhz_refused("1000000.000001");
    check_mhz_refused("1000000.5");
}

/* Ticks per second, rounded down. */
static void test_hz_rounds_down(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (size_t i = 0; i < 20000; i++) {
        uint64_t numerator = random_wide(&random, 63);
        uint64_t denominator = random_wide(&random, 34);
        tacho_clock clock;
        tacho_clock_init(&clock, numerator, denominator);
        tacho_i128 hertz = (tacho_i128)tacho_clock_hz(&clock);
        tacho_i128 product = (tacho_i128)denominator * 1000000000;
        assert_true(hertz * (tacho_i128)numerator <= product);
        assert_true((hertz + 1) * (tacho_i128)numerator > product);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_ratio_is_reduced),
        cmocka_unit_test(test_ns_is_floor),
        cmocka_unit_test(test_ns_is_monotone),
        cmocka_unit_test(test_ns_adds_up),
        cmocka_unit_test(test_ticks_is_inverse),
        cmocka_unit_test(test_ticks_is_ceiling),
        cmocka_unit_test(test_max_ticks_is_exact),
        cmocka_unit_test(test_mhz),
        cmocka_unit_test(test_mhz_refuses),
        cmocka_unit_test(test_mhz_limit_counts_decimals),
        cmocka_unit_test(test_hz_rounds_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
