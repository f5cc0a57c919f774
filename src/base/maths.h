/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact integer arithmetic: 128-bit products under one name, and the greatest common divisor that
 * keeps ratios small. For additions and multiplications of input values use the compiler's
 * __builtin_*_overflow directly.
 */
#ifndef TACHO_BASE_MATHS_H
#define TACHO_BASE_MATHS_H

#include <stdint.h>

__extension__ typedef __int128 tacho_i128;
__extension__ typedef unsigned __int128 tacho_u128;

static inline uint64_t tacho_gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* |value| * |numerator| / |denominator| rounded down; |denominator| > 0, |numerator| >= 0. */
static inline tacho_i128 tacho_scale_floor(int64_t value, int64_t numerator, int64_t denominator)
{
    tacho_i128 product = (tacho_i128)value * numerator;
    tacho_i128 quotient = product / denominator;
    return quotient - (product % denominator < 0 ? 1 : 0);
}

/* |sum| / |count| to the nearest, halves up; |sum| >= 0, |count| > 0. */
static inline tacho_i128 tacho_mean(tacho_i128 sum, uint64_t count)
{
    return (2 * sum + (tacho_i128)count) / (2 * (tacho_i128)count);
}

/* |a| / |b| rounded up; |b| > 0. */
static inline uint64_t tacho_ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

static inline uint64_t tacho_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline int64_t tacho_most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Sums and products of sizes; once they do not fit 63 bits they stick at UINT64_MAX. */
static inline uint64_t tacho_size_add(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) || sum > INT64_MAX ? UINT64_MAX : sum;
}

static inline uint64_t tacho_size_multiply(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) || product > INT64_MAX ? UINT64_MAX : product;
}

/* The same of cycles, which are not negative: they stick at INT64_MAX. */
static inline int64_t tacho_cycles_add(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static inline int64_t tacho_cycles_multiply(int64_t a, uint64_t b)
{
    int64_t product;
    return b > INT64_MAX || __builtin_mul_overflow(a, (int64_t)b, &product) ? INT64_MAX : product;
}

#endif
