/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fits positive numbers to measurements by least squares of the logarithm of estimate / truth, in
 * which rows that are far off count less (Huber). Estimates are a black box with steps in them, so
 * derivatives are differences, and a step is taken only where it makes the error smaller.
 */
#ifndef TACHO_MACHINE_FIT_H
#define TACHO_MACHINE_FIT_H

#include "base/status.h"

#include <stddef.h>

enum { TACHO_FIT_PARAMETERS_MAX = 24 };

typedef struct tacho_fit_problem {
    size_t parameter_count, row_count;
    const double *truth;     /* by row, > 0 */
    const double *start;     /* by parameter, > 0 */
    const double *most;      /* largest values */
    const double *quantum;   /* smallest difference that a parameter knows; 0: any */
    const bool *is_left_out; /* by row: not fitted to; NULL: all are */
    /* Estimates of all rows, > 0, with these parameters. */
    tacho_status (*estimate)(void *self, const double *parameters, double *out_estimates);
    void *self;
} tacho_fit_problem;

/* How well the rows that were fitted to determine a parameter. */
typedef struct tacho_fit_parameter {
    double value;
    double error;       /* standard error of its logarithm: 0.1 is 10 %; INFINITY: unknown */
    double sensitivity; /* how much estimates change with it: 1 is proportionally */
    size_t twin;        /* the parameter that it is hardest to distinguish from ... */
    double likeness;    /* ... and how alike they are: 1: indistinguishable */
} tacho_fit_parameter;

typedef struct tacho_fit {
    tacho_fit_parameter parameters[TACHO_FIT_PARAMETERS_MAX];
    size_t rounds; /* that it took */
} tacho_fit;

/* Beyond this standard error a parameter is not determined. */
#define TACHO_FIT_ERROR_MAX 0.25

tacho_status tacho_fit_run(const tacho_fit_problem *problem, tacho_fit *out_fit) TACHO_MUST_USE;

/* Mean, 90th percentile and largest of |estimate / truth - 1|, in percent. */
typedef struct tacho_fit_errors {
    size_t row_count;
    double mean, p90, max;
} tacho_fit_errors;

tacho_status tacho_fit_measure(const double *estimates, const double *truth, size_t row_count,
                               tacho_fit_errors *out_errors) TACHO_MUST_USE;

#endif
