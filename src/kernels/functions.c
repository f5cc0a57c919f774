/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Range reductions followed by power series. Functions that libm computes exactly (sqrt, rint, fma,
 * fmod, frexp, ldexp, fabs) are used as they are.
 */
#include "kernels/functions.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

static const double ln2_high = 0x1.62e42feep-1; /* 33 bits: products with exponents are exact */
static const double ln2_low = 0x1.a39ef35793c76p-33;
static const double half_pi = 0x1.921fb54442d18p+0;
static const double quarter_pi = 0x1.921fb54442d18p-1;

/* The sum of terms[i] * x^i, the last first. */
static double polynomial(const double *terms, size_t count, double x)
{
    double sum = 0;
    for (size_t i = count; i > 0; i--) {
        sum = sum * x + terms[i - 1];
    }
    return sum;
}

double tacho_exp(double x)
{
    static const double terms[] = {1,
                                   1,
                                   1.0 / 2,
                                   1.0 / 6,
                                   1.0 / 24,
                                   1.0 / 120,
                                   1.0 / 720,
                                   1.0 / 5040,
                                   1.0 / 40320,
                                   1.0 / 362880,
                                   1.0 / 3628800,
                                   1.0 / 39916800,
                                   1.0 / 479001600,
                                   1.0 / 6227020800.0};
    if (isnan(x) || x > 710 || x < -746) {
        return isnan(x) ? x : x > 0 ? (double)INFINITY : 0;
    }
    double power = rint(x * 0x1.71547652b82fep+0);
    double rest = (x - power * ln2_high) - power * ln2_low;
    int whole = (int)power; /* in range */
    return ldexp(polynomial(terms, sizeof(terms) / sizeof(terms[0]), rest), whole);
}

double tacho_expm1(double x)
{
    double power = tacho_exp(x);
    if (power == 1 || isinf(power)) {
        return power == 1 ? x : power;
    }
    return power - 1 == -1 ? -1 : (power - 1) * x / tacho_log(power);
}

/* The logarithm of a positive number as a multiple of ln(2)'s first bits, which is exact, and the
 * rest. */
static double log_parts(double x, double *out_rest)
{
    int power;
    double mantissa = frexp(x, &power);
    if (mantissa < 0x1.6a09e667f3bcdp-1) { /* the root of 1/2 */
        mantissa *= 2;
        power--;
    }
    double s = (mantissa - 1) / (mantissa + 1), square = s * s, sum = 0;
    for (int i = 25; i >= 3; i -= 2) {
        sum = sum * square + 1.0 / i;
    }
    double log_mantissa = 2 * s + 2 * s * (square * sum);
    *out_rest = power * ln2_low + log_mantissa;
    return power * ln2_high;
}

double tacho_log(double x)
{
    if (isnan(x) || x <= 0 || isinf(x)) {
        return x == 0 ? -(double)INFINITY : x < 0 ? (double)NAN : x;
    }
    double rest, high = log_parts(x, &rest);
    return high + rest;
}

double tacho_log1p(double x)
{
    double whole = 1 + x;
    return whole == 1 || isinf(whole) ? x : tacho_log(whole) * x / (whole - 1);
}

/* By squaring; |y| is an integer. */
static double whole_power(double x, double y)
{
    double result = 1;
    unsigned rest = (unsigned)fabs(y); /* in range */
    for (; rest > 0; rest /= 2) {
        result *= rest % 2 == 1 ? x : 1;
        x *= x;
    }
    return y < 0 ? 1 / result : result;
}

/* exp(y log(x)): the logarithm in two parts, as its last bit is y times as much in the result. */
static double real_power(double x, double y)
{
    if (x == 0 || isinf(x)) {
        return tacho_exp(y * tacho_log(x));
    }
    double rest, high = log_parts(x, &rest), sum = high + rest, low = (high - sum) + rest;
    double power = y * sum;
    double more = fabs(power) > 746 ? 0 : fma(y, sum, -power) + y * low; /* else 0 or infinity */
    return tacho_exp(power) * (1 + more);
}

double tacho_pow(double x, double y)
{
    bool is_whole = rint(y) == y;
    bool is_odd = is_whole && fmod(y, 2) != 0;
    if (y == 0 || x == 1) {
        return 1;
    }
    if (isnan(x) || isnan(y)) {
        return (double)NAN;
    }
    if (is_whole && fabs(y) <= 64) {
        return whole_power(x, y);
    }
    if (isinf(y) && fabs(x) == 1) {
        return 1;
    }
    if (x < 0 && !is_whole && !isinf(x)) {
        return (double)NAN;
    }
    double magnitude = real_power(fabs(x), y);
    return is_odd && signbit(x) ? -magnitude : magnitude;
}

/* The rest of |x| by pi/2, -pi/4 to pi/4, and which quarter it is in. */
static double reduce_angle(double x, int *out_quarter)
{
    if (fabs(x) > 0x1p20) {
        x = fmod(x, 4 * half_pi);
    }
    double count = rint(x * 0x1.45f306dc9c883p-1);
    *out_quarter = (int)((long long)count & 3); /* in range */
    /* pi/2 in parts of 33 bits, so that the first products are exact. */
    return ((x - count * 0x1.921fb544p+0) - count * 0x1.0b4611a6p-34) -
           count * 0x1.3198a2e037073p-69;
}

static double sin_series(double x)
{
    double square = x * x, term = x, sum = 0;
    static const double terms[] = {
        -1.0 / 6,        1.0 / 120,          -1.0 / 5040,         1.0 / 362880,
        -1.0 / 39916800, 1.0 / 6227020800.0, -1.0 / 1307674368e3, 1.0 / 355687428096e3};
    sum = polynomial(terms, sizeof(terms) / sizeof(terms[0]), square);
    return term + term * (square * sum);
}

static double cos_series(double x)
{
    static const double terms[] = {1,
                                   -1.0 / 2,
                                   1.0 / 24,
                                   -1.0 / 720,
                                   1.0 / 40320,
                                   -1.0 / 3628800,
                                   1.0 / 479001600,
                                   -1.0 / 87178291200.0,
                                   1.0 / 20922789888e3,
                                   -1.0 / 6402373705728e3};
    return polynomial(terms, sizeof(terms) / sizeof(terms[0]), x * x);
}

static double sin_of(double x, int more_quarters)
{
    if (isnan(x) || isinf(x)) {
        return (double)NAN;
    }
    int quarter;
    double rest = reduce_angle(x, &quarter);
    quarter = (quarter + more_quarters) & 3;
    double value = quarter % 2 == 0 ? sin_series(rest) : cos_series(rest);
    return quarter < 2 ? value : -value;
}

double tacho_sin(double x)
{
    return sin_of(x, 0);
}

double tacho_cos(double x)
{
    return sin_of(x, 1);
}

double tacho_tan(double x)
{
    return tacho_sin(x) / tacho_cos(x);
}

double tacho_atan(double x)
{
    double size = fabs(x), base = 0;
    if (isnan(x) || size < 0x1p-27) { /* also what could not be halved */
        return x;
    }
    bool is_inverse = size > 1;
    size = is_inverse ? 1 / size : size;
    if (size > 0.41421356237309503) { /* tan(pi/8) */
        base = quarter_pi;
        size = (size - 1) / (size + 1);
    }
    double half = size / (1 + sqrt(1 + size * size)), square = half * half, sum = 0;
    for (int i = 27; i >= 3; i -= 2) {
        sum = sum * square + (i % 4 == 1 ? 1.0 : -1.0) / i;
    }
    double value = base + 2 * (half + half * (square * sum));
    value = is_inverse ? half_pi - value : value;
    return signbit(x) ? -value : value;
}

double tacho_asin(double x)
{
    return fabs(x) > 1 ? (double)NAN : tacho_atan(x / sqrt((1 - x) * (1 + x)));
}

double tacho_acos(double x)
{
    return fabs(x) > 1 ? (double)NAN : 2 * tacho_atan(sqrt((1 - x) / (1 + x)));
}

double tacho_sinh(double x)
{
    double size = fabs(x), part = tacho_expm1(size);
    double value =
        size > 40 ? tacho_exp(size - ln2_high - ln2_low) : (part + part / (part + 1)) / 2;
    return signbit(x) ? -value : value;
}

double tacho_cosh(double x)
{
    double size = fabs(x), part = tacho_exp(size);
    return size > 40 ? tacho_exp(size - ln2_high - ln2_low) : (part + 1 / part) / 2;
}

double tacho_tanh(double x)
{
    double size = fabs(x), part = tacho_expm1(2 * size);
    double value = size > 20 ? 1 : part / (part + 2);
    return isnan(x) ? x : signbit(x) ? -value : value;
}

double tacho_asinh(double x)
{
    double size = fabs(x);
    double value = size > 1e8 ? tacho_log(size) + ln2_high + ln2_low
                              : tacho_log1p(size + size * size / (1 + sqrt(size * size + 1)));
    return signbit(x) ? -value : value;
}

double tacho_acosh(double x)
{
    double above = x - 1;
    if (x > 1e8) {
        return tacho_log(x) + ln2_high + ln2_low;
    }
    return x < 1 ? (double)NAN : tacho_log1p(above + sqrt(2 * above + above * above));
}

double tacho_atanh(double x)
{
    double size = fabs(x), value = tacho_log1p(2 * size / (1 - size)) / 2;
    return size > 1 ? (double)NAN : signbit(x) ? -value : value;
}

/* 2/sqrt(pi) exp(-x^2) (x + 2 x^3 / 3 + 4 x^5 / 15 + ...): no term is negative. */
double tacho_erf(double x)
{
    double square = x * x, term = x, sum = x;
    if (isnan(x) || fabs(x) >= 6) {
        return isnan(x) ? x : x > 0 ? 1 : -1;
    }
    for (int i = 1; i < 300 && fabs(term) > fabs(sum) * 0x1p-60; i++) {
        term *= 2 * square / (2 * i + 1);
        sum += term;
    }
    return 0x1.20dd750429b6dp+0 * tacho_exp(-square) * sum;
}

double tacho_sigmoid(double x)
{
    return 1 / (1 + tacho_exp(-x));
}
