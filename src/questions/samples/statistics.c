/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Student's distribution by the incomplete beta function, from a continued fraction; its inverse by
 * bisection, since it is rarely needed.
 */
#include "questions/samples/statistics.h"

#include <math.h>

enum { FRACTION_STEPS = 300, BISECTION_STEPS = 200 };

/* ---- moments ------------------------------------------------------------------------------- */

/* How far the measurement at |place| is from the mean. */
static double distance_at(const tacho_measurements *all, size_t place, double mean)
{
    return (double)all->values[place] - mean;
}

static size_t place_at(const tacho_measurements *all, size_t i)
{
    return all->places != NULL ? all->places[i] : i;
}

/* Sum of the products of each distance with the one before it. */
static double neighbour_products(const tacho_measurements *all, double mean)
{
    double products = 0;
    size_t pair_count = 0;
    for (size_t i = 0; i < all->place_count; i++) {
        size_t place = place_at(all, i);
        double distance = distance_at(all, place, mean);
        if (place > 0) {
            products += distance_at(all, place - 1, mean) * distance;
            pair_count++;
        }
        bool is_next_zero = i + 1 == all->place_count || place_at(all, i + 1) != place + 1;
        if (place + 1 < all->count && is_next_zero) {
            products -= distance * mean;
            pair_count++;
        }
    }
    double zero_count = all->count > 0 ? (double)(all->count - 1 - pair_count) : 0;
    return products + zero_count * mean * mean;
}

tacho_moments tacho_moments_of_some(const tacho_measurements *all)
{
    double count = (double)all->count;
    tacho_moments moments = {.count = all->count, .effective = count};
    double sum = 0;
    double squares = 0;
    for (size_t i = 0; i < all->place_count; i++) {
        sum += (double)all->values[place_at(all, i)];
    }
    moments.mean = all->count > 0 ? sum / count : 0;
    for (size_t i = 0; i < all->place_count; i++) {
        double distance = distance_at(all, place_at(all, i), moments.mean);
        squares += distance * distance;
    }
    squares += (double)(all->count - all->place_count) * moments.mean * moments.mean;
    moments.variance = all->count > 1 ? squares / (count - 1) : 0;
    double correlation = squares > 0 ? neighbour_products(all, moments.mean) / squares : 0;
    /* A small correlation, or one of fewer measurements, is chance. */
    if (all->count >= 8 && correlation > 2 / sqrt(count)) {
        double worth = count * (1 - correlation) / (1 + correlation);
        moments.effective = worth > 2 ? worth : 2;
    }
    return moments;
}

tacho_moments tacho_moments_of(const int64_t *values, size_t count)
{
    const tacho_measurements all = {.values = values, .count = count, .place_count = count};
    return tacho_moments_of_some(&all);
}

double tacho_moments_variation(const tacho_moments *moments)
{
    return moments->mean != 0 ? 100 * sqrt(moments->variance) / fabs(moments->mean) : 0;
}

/* ---- Student's distribution ---------------------------------------------------------------- */

/* Keeps a denominator of the fraction away from 0. */
static double apart_from_zero(double value)
{
    const double tiny = 1e-300;
    return fabs(value) < tiny ? tiny : value;
}

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
    double c = 1;
    double d = 1 / apart_from_zero(1 - (a + b) * x / (a + 1));
    double result = d;
    for (int m = 1; m <= FRACTION_STEPS; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / apart_from_zero(1 + even * d);
        c = apart_from_zero(1 + even / c);
        result *= d * c;
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / apart_from_zero(1 + odd * d);
        c = apart_from_zero(1 + odd / c);
        result *= d * c;
        if (fabs(d * c - 1) < 1e-15) {
            break;
        }
    }
    return result;
}

/* The regularised incomplete beta function. */
static double beta_below(double a, double b, double x)
{
    if (x <= 0 || x >= 1) {
        return x <= 0 ? 0 : 1;
    }
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                     : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double tacho_student_above(double t, double freedom)
{
    double tail = beta_below(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2;
    return t >= 0 ? tail : 1 - tail;
}

double tacho_student_quantile(double above, double freedom)
{
    double low = 0;
    double high = 1;
    while (tacho_student_above(high, freedom) > above && high < 1e12) {
        high *= 2;
    }
    for (int i = 0; i < BISECTION_STEPS && high - low > 1e-12 * high; i++) {
        double middle = (low + high) / 2;
        if (tacho_student_above(middle, freedom) > above) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (low + high) / 2;
}

/* ---- two sets ------------------------------------------------------------------------------ */

tacho_shift tacho_shift_of(const tacho_moments *a, const tacho_moments *b)
{
    tacho_shift shift = {.difference = b->mean - a->mean, .freedom = 1};
    shift.is_known = a->count > 1 && b->count > 1;
    if (!shift.is_known) {
        return shift;
    }
    double part_a = a->variance / a->effective;
    double part_b = b->variance / b->effective;
    double sum = part_a + part_b;
    double below = part_a * part_a / (a->effective - 1) + part_b * part_b / (b->effective - 1);
    shift.error = sqrt(sum);
    shift.freedom = below > 0 ? sum * sum / below : a->effective + b->effective - 2;
    return shift;
}

double tacho_shift_margin(const tacho_shift *shift, double confidence)
{
    return shift->error > 0
               ? shift->error * tacho_student_quantile((1 - confidence) / 2, shift->freedom)
               : 0;
}

double tacho_shift_p(const tacho_shift *shift)
{
    if (shift->error > 0) {
        return tacho_student_above(shift->difference / shift->error, shift->freedom);
    }
    return shift->difference > 0 ? 0 : 1;
}

/* ---- several sets -------------------------------------------------------------------------- */

/* The derivative of the logarithm of the gamma function. */
static double digamma(double x)
{
    double sum = 0;
    for (; x < 6; x++) {
        sum -= 1 / x;
    }
    double square = 1 / (x * x);
    return sum + log(x) - 0.5 / x - square * (1.0 / 12 - square * (1.0 / 120 - square / 252));
}

/* The derivative of that. */
static double trigamma(double x)
{
    double sum = 0;
    for (; x < 6; x++) {
        sum += 1 / (x * x);
    }
    double square = 1 / (x * x);
    return sum + 1 / x + square / 2 + square / x * (1.0 / 6 - square * (1.0 / 30 - square / 42));
}

/* The x whose trigamma, a decreasing function, is |value|. */
static double trigamma_inverse(double value)
{
    double low = 1e-6;
    double high = 1e12;
    for (int i = 0; i < BISECTION_STEPS && high / low > 1 + 1e-12; i++) {
        double middle = sqrt(low * high);
        if (trigamma(middle) > value) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return sqrt(low * high);
}

/* The expected logarithm of |error|'s variance, corrected for its degrees of freedom. */
static double level_of(const tacho_error *error)
{
    double half = error->freedom / 2;
    return log(error->variance) - digamma(half) + log(half);
}

/*
 * Variances are assumed to be drawn from a scaled inverse chi-squared distribution. Its parameters
 * match the mean and the spread of the logarithms (Smyth, 2004); the spread in excess of chance is
 * that of the true variances.
 */
tacho_prior tacho_prior_of(const tacho_error *errors, size_t count)
{
    double mean = 0;
    double spread = 0;
    double chance = 0;
    double freedom = 0;
    if (count < TACHO_PRIOR_MIN) {
        return (tacho_prior){.freedom = 0};
    }
    for (size_t i = 0; i < count; i++) {
        mean += level_of(&errors[i]) / (double)count;
        chance += trigamma(errors[i].freedom / 2) / (double)count;
        freedom += errors[i].freedom;
    }
    for (size_t i = 0; i < count; i++) {
        double distance = level_of(&errors[i]) - mean;
        spread += distance * distance / (double)(count - 1);
    }
    double half = spread > chance ? trigamma_inverse(spread - chance) : (double)INFINITY;
    return 2 * half < freedom ? (tacho_prior){exp(mean + digamma(half) - log(half)), 2 * half}
                              : (tacho_prior){exp(mean), freedom};
}

tacho_shift tacho_shift_with(const tacho_shift *shift, double mean, const tacho_prior *prior)
{
    tacho_shift with = *shift;
    if (!shift->is_known || prior->freedom <= 0 || mean <= 0) {
        return with;
    }
    double known = prior->variance * mean * mean;
    double own = shift->error * shift->error;
    with.freedom = prior->freedom + shift->freedom;
    with.error = sqrt((prior->freedom * known + shift->freedom * own) / with.freedom);
    with.error = with.error > shift->error ? with.error : shift->error;
    return with;
}
