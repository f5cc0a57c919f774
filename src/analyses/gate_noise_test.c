/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often a gate is wrong, on noise of real runs: alarms where nothing changed, and changes that
 * it does not find. Pairs are drawn from recorded times with a fixed seed; the table that is
 * printed is the one in docs/diff.md.
 */
#include "analyses/diff.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TIMES_MAX = 400, PAIRS = 20000, SAMPLES_MAX = 40, OPS_MAX = 50 };

typedef struct noise {
    int64_t times[TIMES_MAX];
    size_t count;
} noise;

static void read_noise(const char *name, noise *out_noise)
{
    char path[512];
    long long time = 0;
    snprintf(path, sizeof(path), "%s/noise/%s", TACHO_TEST_DATA, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (out_noise->count = 0; out_noise->count < TIMES_MAX && fscanf(file, "%lld", &time) == 1;) {
        out_noise->times[out_noise->count++] = time;
    }
    fclose(file);
    assert_int_equal(out_noise->count, TIMES_MAX);
}

static int compare_times(const void *left, const void *right)
{
    const int64_t *a = left;
    const int64_t *b = right;
    return (*a > *b) - (*a < *b);
}

/*
 * The same noise around 2 ms with a coefficient of variation of |variation|. The slowest twentieth,
 * which would be all of that, is left out.
 */
static void scale_noise(const noise *from, double variation, noise *out_noise)
{
    *out_noise = *from;
    qsort(out_noise->times, out_noise->count, sizeof(*out_noise->times), compare_times);
    out_noise->count -= out_noise->count / 20;
    tacho_moments moments = tacho_moments_of(out_noise->times, out_noise->count);
    double deviation = sqrt(moments.variance);
    for (size_t i = 0; i < out_noise->count; i++) {
        double distance = ((double)out_noise->times[i] - moments.mean) / deviation;
        out_noise->times[i] = llround(2e6 * (1 + variation * distance));
    }
}

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

/* How samples of both sides are drawn. */
typedef enum drawing {
    DRAWN_AT_RANDOM,
    DRAWN_IN_TURNS, /* neighbours in time, A and B in turns */
} drawing;

typedef struct trial {
    const noise *from;
    drawing how;
    size_t samples;
    double change; /* of side B: 1.06 */
} trial;

/* Judges one pair as a comparison of files would. */
static tacho_verdict judge_pair(const trial *self, uint64_t *seed)
{
    tacho_sample_whole wholes[2][SAMPLES_MAX];
    tacho_samples sides[2] = {{.origin = TACHO_ORIGIN_MEASURED}, {.origin = TACHO_ORIGIN_MEASURED}};
    tacho_diff diff = {.options = {.has_gate = true, .gate = {.relative = 0.03}},
                       .matched_percent = 100};
    size_t first = next_random(seed) % (self->from->count - 2 * self->samples);
    for (size_t side = 0; side < 2; side++) {
        int64_t times[SAMPLES_MAX];
        for (size_t i = 0; i < self->samples; i++) {
            size_t at = self->how == DRAWN_IN_TURNS ? first + 2 * i + side
                                                    : next_random(seed) % self->from->count;
            double time = (double)self->from->times[at] * (side == 1 ? self->change : 1);
            wholes[side][i] = (tacho_sample_whole){.wall_ns = llround(time)};
        }
        sides[side].wholes = wholes[side];
        sides[side].whole_count = self->samples;
        assert_null(tacho_samples_set_aside(&sides[side]));
        for (size_t i = 0; i < sides[side].whole_count; i++) {
            times[i] = wholes[side][i].wall_ns;
        }
        diff.sides[side] = &sides[side];
        diff.total.sides[side].moments = tacho_moments_of(times, sides[side].whole_count);
    }
    diff.total.shift = tacho_shift_of(&diff.total.sides[0].moments, &diff.total.sides[1].moments);
    tacho_diff_judge(&diff);
    return diff.verdict;
}

static double regressions_of(const trial *self)
{
    uint64_t seed = 20;
    size_t count = 0;
    for (size_t i = 0; i < PAIRS; i++) {
        count += judge_pair(self, &seed) == TACHO_VERDICT_REGRESSION ? 1 : 0;
    }
    return (double)count / PAIRS;
}

/* ---- operators ----------------------------------------------------------------------------- */

/* Profiles of several operators, each with noise of its own; the first of side B may be slower. */
typedef struct profiles {
    const noise *from;
    size_t samples, ops;
    double change;
} profiles;

static void fill_profiles(const profiles *self, tacho_diff *diff, uint64_t *seed)
{
    for (size_t side = 0; side < 2; side++) {
        int64_t totals[SAMPLES_MAX] = {0};
        for (size_t op = 0; op < self->ops; op++) {
            int64_t times[SAMPLES_MAX];
            double change = side == 1 && op == 0 ? self->change : 1;
            for (size_t i = 0; i < self->samples; i++) {
                size_t at = next_random(seed) % self->from->count;
                times[i] = llround((double)self->from->times[at] * change);
                totals[i] += times[i];
            }
            diff->rows[op].sides[side].moments = tacho_moments_of(times, self->samples);
        }
        diff->total.sides[side].moments = tacho_moments_of(totals, self->samples);
    }
    diff->total.shift =
        tacho_shift_of(&diff->total.sides[0].moments, &diff->total.sides[1].moments);
    for (size_t op = 0; op < self->ops; op++) {
        tacho_diff_side *sides = diff->rows[op].sides;
        diff->rows[op].shift = tacho_shift_of(&sides[0].moments, &sides[1].moments);
    }
}

/* How often the gate says regression; |*out_found| is how often it says so of the first operator.
 */
static double alarms_of(const profiles *self, size_t pairs, double *out_found)
{
    uint64_t seed = 23;
    size_t alarms = 0;
    size_t found = 0;
    for (size_t i = 0; i < pairs; i++) {
        tacho_diff_row rows[OPS_MAX] = {{.kind = TACHO_DIFF_SAME}}; /* on both sides: ops are 0 */
        tacho_samples side = {.origin = TACHO_ORIGIN_MEASURED, .whole_count = self->samples};
        tacho_diff diff = {.options = {.has_gate = true, .gate = {.relative = 0.03}},
                           .sides = {&side, &side},
                           .rows = rows,
                           .row_count = self->ops,
                           .matched_percent = 100};
        fill_profiles(self, &diff, &seed);
        tacho_diff_judge(&diff);
        alarms += diff.verdict == TACHO_VERDICT_REGRESSION ? 1 : 0;
        found += rows[0].verdict == TACHO_VERDICT_REGRESSION ? 1 : 0;
    }
    *out_found = (double)found / (double)pairs;
    return (double)alarms / (double)pairs;
}

static const size_t op_counts[] = {1, 10, OPS_MAX};

/* Several operators are several chances of an alarm: all together stay below one in 1,000. */
static void test_operators_alarms(void **state)
{
    (void)state;
    static const char *const names[] = {"quiet_ns.txt", "busy_ns.txt"};
    for (size_t i = 0; i < 2; i++) {
        noise from;
        double found = 0;
        read_noise(names[i], &from);
        profiles same = {&from, 10, 10, 1};
        double alarms = alarms_of(&same, PAIRS / 2, &found);
        printf("%s, 10 samples of 10 operators: %.5f false alarms\n", names[i], alarms);
        assert_true(alarms <= 0.001);
    }
}

/* An operator of 2 ms that takes 6 % more, alone or among others. */
static void test_operators_power(void **state)
{
    (void)state;
    static const size_t samples[] = {10, 12, 15, 20};
    noise from, scaled;
    read_noise("quiet_ns.txt", &from);
    scale_noise(&from, 0.02, &scaled);
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        printf("variation 2 %%, %zu samples, one operator +6 %%:", samples[i]);
        for (size_t k = 0; k < 3; k++) {
            profiles worse = {&scaled, samples[i], op_counts[k], 1.06};
            double found = 0;
            alarms_of(&worse, op_counts[k] == 1 ? 2000 : 500, &found);
            printf("  of %zu %.3f", op_counts[k], found);
            assert_true(found >= 0.95 || (samples[i] < 15 && op_counts[k] > 1));
        }
        printf("\n");
    }
}

/* ---- the total ------------------------------------------------------------------------------ */

/* Nothing changed: one alarm in 1,000 pairs at the most, however noisy, however few samples. */
static void test_false_alarms(void **state)
{
    (void)state;
    static const char *const names[] = {"quiet_ns.txt", "busy_ns.txt"};
    static const size_t samples[] = {5, 10, 20, 40};
    for (size_t i = 0; i < 2; i++) {
        noise from;
        read_noise(names[i], &from);
        for (size_t k = 0; k < 8; k++) {
            trial same = {&from, k < 4 ? DRAWN_AT_RANDOM : DRAWN_IN_TURNS, samples[k % 4], 1};
            double alarms = regressions_of(&same);
            printf("%s, %zu samples %s: %.5f false alarms\n", names[i], same.samples,
                   same.how == DRAWN_IN_TURNS ? "in turns" : "at random", alarms);
            assert_true(alarms <= 0.001);
        }
    }
}

/* 6 % slower with 2 % of noise is found with ten samples; what else is found is printed. */
static void test_power(void **state)
{
    (void)state;
    static const double variations[] = {0.01, 0.02, 0.05};
    static const size_t samples[] = {5, 7, 10, 20, 40};
    static const double changes[] = {1.04, 1.06, 1.1};
    noise from;
    read_noise("quiet_ns.txt", &from);
    for (size_t i = 0; i < sizeof(variations) / sizeof(variations[0]); i++) {
        noise scaled;
        scale_noise(&from, variations[i], &scaled);
        for (size_t k = 0; k < sizeof(samples) / sizeof(samples[0]); k++) {
            printf("variation %.0f %%, %2zu samples:", 100 * variations[i], samples[k]);
            for (size_t m = 0; m < sizeof(changes) / sizeof(changes[0]); m++) {
                trial worse = {&scaled, DRAWN_AT_RANDOM, samples[k], changes[m]};
                double power = regressions_of(&worse);
                printf("  +%.0f %% %.3f", 100 * (changes[m] - 1), power);
                if (i == 1 && samples[k] >= 10 && m == 1) {
                    assert_true(power >= 0.95);
                }
            }
            printf("\n");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_false_alarms),
        cmocka_unit_test(test_power),
        cmocka_unit_test(test_operators_alarms),
        cmocka_unit_test(test_operators_power),
    };
    return cmocka_run_group_tests_name("gate on noise", tests, NULL, NULL);
}
