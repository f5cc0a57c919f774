/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known numbers are recovered from values computed with them; numbers that nothing depends on, or
 * that only occur together, are reported.
 */
#include "machine/fit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { ROWS = 24 };

typedef struct law {
    double truth[ROWS];
    int kind;
} law;

/* A launch, and the larger of two rates: as operators are. */
static tacho_status estimate(void *self, const double *p, double *out)
{
    const law *of = self;
    for (int i = 0; i < ROWS; i++) {
        double size = 50.0 * (i + 1);
        double other = i % 2 == 0 ? 4000.0 : 40.0;
        if (of->kind == 0) {
            out[i] = p[0] + fmax(size * p[1], other * p[2]);
        } else if (of->kind == 1) {
            out[i] = p[0] + size * p[1] + 0.0 * p[2]; /* nothing depends on the last */
        } else {
            out[i] = p[0] + size * p[1] * p[2]; /* the last two only occur together */
        }
    }
    return TACHO_OK;
}

static void fit(int kind, const bool *is_left_out, tacho_fit *out_fit)
{
    static const double made[] = {300.0, 2.0, 0.5};
    static const double start[] = {100.0, 1.0, 1.0};
    static const double most[] = {1e6, 1e6, 1e6};
    static const double quantum[] = {1.0, 0.0, 0.0};
    law of = {.kind = kind};
    assert_null(estimate(&of, made, of.truth));
    of.truth[5] *= is_left_out != NULL ? 9.0 : 1.0;
    tacho_fit_problem problem = {
        .parameter_count = 3,
        .row_count = ROWS,
        .truth = of.truth,
        .start = start,
        .most = most,
        .quantum = quantum,
        .is_left_out = is_left_out,
        .estimate = estimate,
        .self = &of,
    };
    assert_null(tacho_fit_run(&problem, out_fit));
}

static void test_recovers(void **state)
{
    (void)state;
    tacho_fit found;
    bool is_left_out[ROWS] = {[5] = true};
    for (int i = 0; i < 2; i++) { /* a row that is left out has no effect */
        fit(0, i == 0 ? NULL : is_left_out, &found);
        assert_true(fabs(found.parameters[0].value - 300.0) <= 1.0);
        assert_true(fabs(found.parameters[1].value - 2.0) < 0.01);
        assert_true(fabs(found.parameters[2].value - 0.5) < 0.01);
        for (int j = 0; j < 3; j++) {
            assert_true(found.parameters[j].error < TACHO_FIT_ERROR_MAX);
        }
    }
}

static void test_not_determined(void **state)
{
    (void)state;
    tacho_fit found;
    fit(1, NULL, &found);
    assert_true(found.parameters[0].error < TACHO_FIT_ERROR_MAX);
    assert_true(found.parameters[1].error < TACHO_FIT_ERROR_MAX);
    assert_true(isinf(found.parameters[2].error));
    fit(2, NULL, &found);
    assert_true(found.parameters[0].error < TACHO_FIT_ERROR_MAX);
    assert_true(found.parameters[1].error > TACHO_FIT_ERROR_MAX);
    assert_true(found.parameters[2].error > TACHO_FIT_ERROR_MAX);
    assert_int_equal(found.parameters[1].twin, 2);
    assert_int_equal(found.parameters[2].twin, 1);
    assert_true(found.parameters[1].likeness > 0.99);
}

static void test_errors(void **state)
{
    (void)state;
    double truth[10];
    double estimates[10];
    tacho_fit_errors errors;
    for (int i = 0; i < 10; i++) {
        truth[i] = 100.0;
        estimates[i] = i % 2 == 0 ? 100.0 + i : 100.0 - i; /* 0 to 9 % off */
    }
    assert_null(tacho_fit_measure(estimates, truth, 10, &errors));
    assert_int_equal(errors.row_count, 10);
    assert_true(fabs(errors.mean - 4.5) < 1e-9);
    assert_true(fabs(errors.p90 - 8.0) < 1e-9);
    assert_true(fabs(errors.max - 9.0) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recovers),
        cmocka_unit_test(test_not_determined),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
