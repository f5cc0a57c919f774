/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Student's distribution by the incomplete beta function, which a continued fraction gives; its
 * inverse by bisection, since it is asked for a few times only.
 */
#include "analyses/statistics.h"

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
    /* Of fewer, or where it is small, what is measured of the correlation is chance. */
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
