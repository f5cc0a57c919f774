/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics of a few repeated measurements: the difference of the means of two sets, and its
 * significance. Uses Welch's t-test, which allows unequal variances; correlated neighbours in time
 * count as fewer measurements.
 */
#ifndef TACHO_QUESTIONS_SAMPLES_STATISTICS_H
#define TACHO_QUESTIONS_SAMPLES_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tacho_moments {
    size_t count;
    double mean;
    double variance;  /* of one measurement; 0 for fewer than two */
    double effective; /* equivalent number of independent ones */
} tacho_moments;

/* |values| are in the order in which they were measured. */
tacho_moments tacho_moments_of(const int64_t *values, size_t count);

/* Measurements of which most may be 0. */
typedef struct tacho_measurements {
    const int64_t *values; /* all of them, in the order in which they were measured */
    size_t count;
    const uint32_t *places; /* of values that may differ from 0, ascending; NULL: all may */
    size_t place_count;
} tacho_measurements;

/* The same as tacho_moments_of, in time that grows with |place_count| alone. */
tacho_moments tacho_moments_of_some(const tacho_measurements *all);

/* Standard deviation in percent of the mean; 0 if the mean is 0. */
double tacho_moments_variation(const tacho_moments *moments);

typedef struct tacho_shift {
    double difference; /* mean of the second less that of the first */
    double error;      /* its standard error */
    double freedom;    /* degrees of freedom of the t-distribution */
    bool is_known;     /* both have two measurements at least */
} tacho_shift;

tacho_shift tacho_shift_of(const tacho_moments *a, const tacho_moments *b);

/*
 * The similarity of relative errors of several shifts, each as if drawn from its own distribution:
 * the usual variance, and the degrees of freedom of that knowledge. If all are alike, these are the
 * sum of all; if each is different, close to 0.
 */
typedef struct tacho_prior {
    double variance;
    double freedom; /* 0: nothing is known */
} tacho_prior;

/* A relative error, squared, and its degrees of freedom. */
typedef struct tacho_error {
    double variance; /* above 0 */
    double freedom;
} tacho_error;

/* Fewer errors give no prior. */
enum { TACHO_PRIOR_MIN = 3 };

tacho_prior tacho_prior_of(const tacho_error *errors, size_t count);

/*
 * |shift| combined with |prior|; |mean| is the value that errors are relative to. Its error is
 * never smaller than before, but better known.
 */
tacho_shift tacho_shift_with(const tacho_shift *shift, double mean, const tacho_prior *prior);

/* Half the width of the interval that holds the true difference with |confidence| (0.95). */
double tacho_shift_margin(const tacho_shift *shift, double confidence);

/* The one-sided probability of a difference at least this large if the true one is 0. */
double tacho_shift_p(const tacho_shift *shift);

/* Student's t with |freedom| degrees: the chance of a value above |t|, and its inverse. */
double tacho_student_above(double t, double freedom);
double tacho_student_quantile(double above, double freedom);

#endif
