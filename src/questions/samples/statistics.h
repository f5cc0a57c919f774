/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics of a few repeated measurements: how far apart the means of two sets are, and how
 * surely. Welch's t-test, which allows the sets to vary differently; neighbours in time that
 * resemble one another count as fewer measurements.
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
    double effective; /* how many independent ones they are worth */
} tacho_moments;

/* Of |values| in the order in which they were measured. */
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

/* Standard deviation in percent of the mean; 0 when the mean is. */
double tacho_moments_variation(const tacho_moments *moments);

typedef struct tacho_shift {
    double difference; /* mean of the second less that of the first */
    double error;      /* its standard error */
    double freedom;    /* degrees of freedom of the t-distribution */
    bool is_known;     /* both have two measurements at least */
} tacho_shift;

tacho_shift tacho_shift_of(const tacho_moments *a, const tacho_moments *b);

/*
 * How far relative errors of several shifts are alike, as if each were drawn from a distribution of
 * its own: the usual variance, and how many degrees of freedom that knowledge is worth. Where all
 * are alike it is worth those of all together; where each is different, next to nothing.
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

/* Of fewer errors nothing is known. */
enum { TACHO_PRIOR_MIN = 3 };

tacho_prior tacho_prior_of(const tacho_error *errors, size_t count);

/*
 * |shift|, of which |mean| is the whole that errors are relative to, with what |prior| knows: its
 * error is never smaller than it was by itself, and surer.
 */
tacho_shift tacho_shift_with(const tacho_shift *shift, double mean, const tacho_prior *prior);

/* Half the width of the interval that holds the true difference with |confidence| (0.95). */
double tacho_shift_margin(const tacho_shift *shift, double confidence);

/* How likely a difference this large or larger is when there is none: one-sided. */
double tacho_shift_p(const tacho_shift *shift);

/* Student's t with |freedom| degrees: the chance of a value above |t|, and its inverse. */
double tacho_student_above(double t, double freedom);
double tacho_student_quantile(double above, double freedom);

#endif
