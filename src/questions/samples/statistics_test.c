/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Student's distribution against published tables, Welch's test against a worked example.
 */
#include "questions/samples/statistics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void check_near(double found, double wanted, double part)
{
    if (fabs(found - wanted) > fabs(wanted) * part) {
        fail_msg("%.9g is not %.9g", found, wanted);
    }
}

static void test_student(void **state)
{
    (void)state;
    static const struct {
        double above, freedom, t;
    } rows[] = {
        {0.025, 1, 12.7062047364}, {0.025, 10, 2.2281388520},  {0.05, 5, 2.0150483733},
        {0.0005, 8, 5.0413054334}, {0.0005, 18, 3.9216458251}, {0.025, 1000, 1.9623390808},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        check_near(tacho_student_quantile(rows[i].above, rows[i].freedom), rows[i].t, 1e-7);
        check_near(tacho_student_above(rows[i].t, rows[i].freedom), rows[i].above, 1e-7);
        check_near(tacho_student_above(-rows[i].t, rows[i].freedom), 1 - rows[i].above, 1e-7);
    }
    check_near(tacho_student_above(0, 3), 0.5, 1e-12);
}

/* Means 10 and 12, variances 2.5 and 10/3 of five and four: t = 2 / sqrt(0.5 + 5/6). */
static void test_shift(void **state)
{
    (void)state;
    static const int64_t first[] = {8, 9, 10, 11, 12};
    static const int64_t second[] = {10, 12, 12, 14};
    tacho_moments a = tacho_moments_of(first, 5);
    tacho_moments b = tacho_moments_of(second, 4);
    check_near(a.mean, 10, 1e-12);
    check_near(a.variance, 2.5, 1e-12);
    check_near(b.variance, 8.0 / 3, 1e-12);
    tacho_shift shift = tacho_shift_of(&a, &b);
    assert_true(shift.is_known);
    check_near(shift.difference, 2, 1e-12);
    check_near(shift.error, sqrt(0.5 + 2.0 / 3), 1e-12);
    double freedom = (0.5 + 2.0 / 3) * (0.5 + 2.0 / 3) / (0.25 / 4 + 4.0 / 9 / 3);
    check_near(shift.freedom, freedom, 1e-12);
    check_near(tacho_shift_p(&shift), tacho_student_above(2 / shift.error, freedom), 1e-12);
    check_near(tacho_shift_margin(&shift, 0.95),
               shift.error * tacho_student_quantile(0.025, freedom), 1e-9);
    check_near(tacho_moments_variation(&a), 100 * sqrt(2.5) / 10, 1e-12);
}

static void test_few(void **state)
{
    (void)state;
    static const int64_t one[] = {5};
    static const int64_t same[] = {7, 7, 7};
    tacho_moments none = tacho_moments_of(one, 0);
    tacho_moments a = tacho_moments_of(one, 1);
    tacho_moments b = tacho_moments_of(same, 3);
    assert_true(none.mean == 0 && a.variance == 0);
    assert_false(tacho_shift_of(&a, &b).is_known);
    tacho_shift shift = tacho_shift_of(&b, &b);
    assert_true(tacho_shift_margin(&shift, 0.95) == 0);
    assert_true(tacho_shift_p(&shift) == 1);
}

/* A slow drift: neighbours are correlated, and count as fewer. */
static void test_drift(void **state)
{
    (void)state;
    int64_t drift[40];
    int64_t mixed[40];
    for (int i = 0; i < 40; i++) {
        drift[i] = 1000 + i;
        mixed[i] = 1000 + i * 17 % 40;
    }
    tacho_moments a = tacho_moments_of(drift, 40);
    tacho_moments b = tacho_moments_of(mixed, 40);
    assert_true(a.effective < 6);
    assert_true(b.effective == 40);
    check_near(a.variance, b.variance, 1e-12);
}

/* Measurements that are mostly 0: the same result from places as from all of them. */
static void test_some(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (size_t round = 0; round < 2000; round++) {
        int64_t values[40] = {0};
        uint32_t places[40];
        size_t place_count = 0;
        size_t count = 1 + round % 40;
        for (uint32_t i = 0; i < count; i++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            if ((random >> 60) < round % 17) {
                values[i] = (int64_t)(random >> 33) % 1000;
                places[place_count++] = i;
            }
        }
        const tacho_measurements all = {values, count, places, place_count};
        tacho_moments some = tacho_moments_of_some(&all);
        tacho_moments wanted = tacho_moments_of(values, count);
        assert_int_equal(some.count, count);
        check_near(some.mean, wanted.mean, 1e-12);
        check_near(some.variance, wanted.variance, 1e-9);
        check_near(some.effective, wanted.effective, 1e-9);
    }
}

/* Similar errors confirm one another, different ones do not; expected numbers are from sums over
 * 200,000 terms of the series of trigamma. */
static void test_prior(void **state)
{
    (void)state;
    static const tacho_error alike[] = {{1, 18}, {1, 18}, {1, 18}, {1, 18}};
    static const tacho_error apart[] = {{1, 18}, {10, 18}, {100, 18}, {1000, 18}};
    tacho_prior prior = tacho_prior_of(alike, 4);
    check_near(prior.freedom, 72, 1e-12);
    check_near(prior.variance, 1.0582145481, 1e-8);
    const tacho_shift shift = {.difference = 5, .error = 1, .freedom = 18, .is_known = true};
    tacho_shift with = tacho_shift_with(&shift, 1, &prior);
    check_near(with.freedom, 90, 1e-12);
    check_near(with.error, sqrt((72 * 1.0582145481 + 18) / 90), 1e-8);
    check_near(tacho_shift_with(&shift, 0.5, &prior).error, 1, 1e-12); /* never below its own */
    assert_true(tacho_shift_p(&with) < tacho_shift_p(&shift));
    prior = tacho_prior_of(apart, 4);
    check_near(prior.freedom, 0.7229077789, 1e-6);
    check_near(prior.variance, 5.2583443139, 1e-5);
    prior = tacho_prior_of(alike, TACHO_PRIOR_MIN - 1);
    assert_true(prior.freedom == 0);
    assert_true(tacho_shift_with(&shift, 1, &prior).freedom == 18);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_student), cmocka_unit_test(test_shift), cmocka_unit_test(test_few),
        cmocka_unit_test(test_drift),   cmocka_unit_test(test_some),  cmocka_unit_test(test_prior),
    };
    return cmocka_run_group_tests_name("statistics", tests, NULL, NULL);
}
