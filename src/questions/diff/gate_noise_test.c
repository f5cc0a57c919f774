/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often a gate is wrong on noise of real runs: alarms without a change, and missed changes.
 * Pairs are drawn from recorded times with a fixed seed; the printed table is the one in
 * docs/diff.md.
 */
#include "questions/diff/diff.h"

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
 * which would dominate the variation, is left out.
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
        for (size_t i = 0; i < self->samples; i++) {
            size_t at = self->how == DRAWN_IN_TURNS ? first + 2 * i + side
                                                    : next_random(seed) % self->from->count;
            double time = (double)self->from->times[at] * (side == 1 ? self->change : 1);
            wholes[side][i] = (tacho_sample_whole){.wall_ns = llround(time)};
        }
        sides[side].wholes = wholes[side];
        sides[side].whole_count = self->samples;
    }
    assert_null(tacho_samples_set_aside(sides));
    for (size_t side = 0; side < 2; side++) {
        int64_t times[SAMPLES_MAX];
        for (size_t i = 0; i < sides[side].whole_count; i++) {
            times[i] = wholes[side][i].wall_ns;
        }
        diff.sides[side] = &sides[side];
        diff.total.sides[side].moments = tacho_moments_of(times, sides[side].whole_count);
    }
    diff.total.shift = tacho_shift_of(&diff.total.sides[0].moments, &diff.total.sides[1].moments);
    assert_null(tacho_diff_judge(&diff));
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

enum { RECORDED_OPS = 10 };

/* Profiles of several operators, each with its own noise; the first of side B may be slower. */
typedef struct profiles {
    const noise *columns[OPS_MAX]; /* by operator */
    bool is_joint;                 /* operators of a sample were recorded together */
    size_t samples, ops;
    double change;
} profiles;

/* Times of one side, by operator and sample. */
typedef int64_t op_times[OPS_MAX][SAMPLES_MAX];

static void draw_side(const profiles *self, double change, op_times times, uint64_t *seed)
{
    for (size_t i = 0; i < self->samples; i++) {
        size_t at = next_random(seed);
        for (size_t op = 0; op < self->ops; op++) {
            const noise *from = self->columns[op];
            at = self->is_joint ? at : next_random(seed);
            times[op][i] = llround((double)from->times[at % from->count] * (op == 0 ? change : 1));
        }
    }
}

/* The samples of a side before any is excluded; each one's file is its number. */
static tacho_samples add_up(const profiles *self, op_times times, tacho_sample_whole *wholes)
{
    for (size_t i = 0; i < self->samples; i++) {
        wholes[i] = (tacho_sample_whole){.file = (uint32_t)i};
        for (size_t op = 0; op < self->ops; op++) {
            wholes[i].wall_ns += times[op][i];
        }
    }
    return (tacho_samples){
        .origin = TACHO_ORIGIN_MEASURED, .wholes = wholes, .whole_count = self->samples};
}

static void fill_side(const profiles *self, tacho_diff *diff, size_t side, op_times times)
{
    const tacho_samples *samples = diff->sides[side];
    int64_t kept[SAMPLES_MAX];
    for (size_t op = 0; op <= self->ops; op++) {
        for (size_t i = 0; i < samples->whole_count; i++) {
            const tacho_sample_whole *whole = &samples->wholes[i];
            kept[i] = op < self->ops ? times[op][whole->file] : whole->wall_ns;
        }
        tacho_diff_row *row = op < self->ops ? &diff->rows[op] : &diff->total;
        row->sides[side].moments = tacho_moments_of(kept, samples->whole_count);
        row->shift = tacho_shift_of(&row->sides[0].moments, &row->sides[1].moments);
    }
}

static void fill_profiles(const profiles *self, tacho_diff *diff, tacho_samples sides[2],
                          uint64_t *seed)
{
    static op_times times[2];
    static tacho_sample_whole wholes[2][SAMPLES_MAX];
    for (size_t side = 0; side < 2; side++) {
        draw_side(self, side == 1 ? self->change : 1, times[side], seed);
        sides[side] = add_up(self, times[side], wholes[side]);
        diff->sides[side] = &sides[side];
    }
    assert_null(tacho_samples_set_aside(sides));
    fill_side(self, diff, 0, times[0]);
    fill_side(self, diff, 1, times[1]);
}

/* The rate of regressions; |*out_found| is the rate for the first operator. */
static double alarms_of(const profiles *self, size_t pairs, double *out_found)
{
    uint64_t seed = 23;
    size_t alarms = 0;
    size_t found = 0;
    for (size_t i = 0; i < pairs; i++) {
        tacho_diff_row rows[OPS_MAX] = {{.kind = TACHO_DIFF_SAME}}; /* on both sides: ops are 0 */
        tacho_samples sides[2];
        tacho_diff diff = {.options = {.has_gate = true, .gate = {.relative = 0.03}},
                           .rows = rows,
                           .row_count = self->ops,
                           .matched_percent = 100};
        fill_profiles(self, &diff, sides, &seed);
        assert_null(tacho_diff_judge(&diff));
        alarms += diff.verdict == TACHO_VERDICT_REGRESSION ? 1 : 0;
        found += rows[0].verdict == TACHO_VERDICT_REGRESSION ? 1 : 0;
    }
    *out_found = (double)found / (double)pairs;
    return (double)alarms / (double)pairs;
}

/* Inferences whose operators were recorded together, a line each. */
static void read_operators(const char *name, noise columns[RECORDED_OPS])
{
    char path[512];
    long long time = 0;
    snprintf(path, sizeof(path), "%s/noise/%s", TACHO_TEST_DATA, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (size_t i = 0; i < (size_t)TIMES_MAX * RECORDED_OPS; i++) {
        noise *column = &columns[i % RECORDED_OPS];
        assert_int_equal(fscanf(file, "%lld", &time), 1);
        column->times[i / RECORDED_OPS] = time;
        column->count = i / RECORDED_OPS + 1;
    }
    fclose(file);
}

/* Sources of the operators of a profile. */
enum { QUIET, BUSY, MOSTLY_QUIET, HALF_BUSY, EACH_OTHER, RECORDED, SOURCE_COUNT };

static const char *const source_names[SOURCE_COUNT] = {
    "all quiet", "all busy", "one of ten busy", "half busy", "1 % to 10 %", "recorded together",
};

/* Noise of each kind. */
typedef struct sources {
    noise quiet, busy;
    noise scaled[RECORDED_OPS]; /* variations of 1 %, 2 %... */
    noise recorded[RECORDED_OPS];
} sources;

static void read_sources(sources *all)
{
    read_noise("quiet_ns.txt", &all->quiet);
    read_noise("busy_ns.txt", &all->busy);
    for (size_t i = 0; i < RECORDED_OPS; i++) {
        scale_noise(&all->quiet, 0.01 * (double)(i + 1), &all->scaled[i]);
    }
    read_operators("busy_ops_ns.txt", all->recorded);
}

static const noise *column_of(const sources *all, int source, size_t op)
{
    size_t at = op % RECORDED_OPS;
    switch (source) {
    case QUIET:
        return &all->quiet;
    case BUSY:
        return &all->busy;
    case MOSTLY_QUIET:
        return at == 1 ? &all->busy : &all->scaled[1];
    case HALF_BUSY:
        return at % 2 == 1 ? &all->busy : &all->scaled[1];
    case EACH_OTHER:
        return &all->scaled[at];
    default:
        return &all->recorded[at];
    }
}

/* Several operators are several chances of an alarm: all together stay below one in 1,000. */
static void test_operators_alarms(void **state)
{
    (void)state;
    static const size_t op_counts[] = {3, 10, OPS_MAX};
    static const size_t samples[] = {5, 10, 20};
    static sources all;
    read_sources(&all);
    for (int source = 0; source < 2 * SOURCE_COUNT - 1; source++) {
        bool is_joint = source >= RECORDED;
        printf("%s, %s:", source_names[source % SOURCE_COUNT],
               is_joint ? "of one moment" : "of any moment");
        for (size_t i = 0; i < 9; i++) {
            double found = 0;
            profiles same = {.is_joint = is_joint,
                             .samples = samples[i % 3],
                             .ops = op_counts[i / 3],
                             .change = 1};
            for (size_t op = 0; op < same.ops; op++) {
                same.columns[op] = column_of(&all, source % SOURCE_COUNT, op);
            }
            size_t pairs = same.ops == OPS_MAX ? PAIRS / 8 : source == RECORDED ? PAIRS : PAIRS / 4;
            double alarms = alarms_of(&same, pairs, &found);
            printf("  %zux%zu %.4f", same.samples, same.ops, alarms);
            assert_true(alarms <= 0.001);
        }
        printf("\n");
    }
}

/* How often an operator of 2 ms with a variation of 2 % is found that takes 6 % more. */
static double power_of(const sources *all, int others, size_t samples, size_t ops)
{
    profiles worse = {.samples = samples, .ops = ops, .change = 1.06};
    double found = 0;
    for (size_t op = 0; op < ops; op++) {
        bool is_alike = op == 0 || others == SOURCE_COUNT;
        worse.columns[op] = is_alike ? &all->scaled[1] : column_of(all, others, op);
    }
    alarms_of(&worse, PAIRS / 10, &found);
    return found;
}

/* Alone, or among others that vary equally or differently. */
static void test_operators_power(void **state)
{
    (void)state;
    static const size_t op_counts[] = {1, 3, 10, OPS_MAX};
    static const size_t samples[] = {10, 12, 15, 20};
    static const int others[] = {SOURCE_COUNT, HALF_BUSY, EACH_OTHER};
    static sources all;
    read_sources(&all);
    for (size_t i = 0; i < 3 * sizeof(samples) / sizeof(samples[0]); i++) {
        size_t sample_count = samples[i % 4];
        bool is_alike = others[i / 4] == SOURCE_COUNT;
        printf("%zu samples, variation 2 %%, others %s, one +6 %%:", sample_count,
               is_alike ? "alike" : source_names[others[i / 4]]);
        for (size_t k = 0; k < sizeof(op_counts) / sizeof(op_counts[0]); k++) {
            double found = power_of(&all, others[i / 4], sample_count, op_counts[k]);
            printf("  of %zu %.3f", op_counts[k], found);
            bool is_promised = is_alike ? op_counts[k] <= 10 || sample_count >= 12
                                        : op_counts[k] == 1 || sample_count >= 15;
            assert_true(found >= 0.95 || !is_promised);
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

/* 6 % slower with 2 % of noise is found with ten samples; other cases are only printed. */
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
