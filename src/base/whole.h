/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Doubles to whole numbers, defined for every double: C leaves a cast of NaN, or of a number that
 * does not fit, undefined. Those of all rooms go through here, which tests/tree/check_casts.py
 * makes sure of; inner loops of kernels have a mark where they are in range.
 */
#ifndef TACHO_BASE_WHOLE_H
#define TACHO_BASE_WHOLE_H

#include <stdint.h>

/* Truncates to an integer. NaN is 0, and values out of range are clamped. */
static inline int64_t tacho_whole_i64(double value)
{
    const double limit = 9223372036854775808.0; /* 2^63 */
    if (value >= limit) {
        return INT64_MAX;
    }
    if (value < -limit) {
        return INT64_MIN;
    }
    return value == value ? (int64_t)value : 0;
}

/* The same of numbers from 0 on. */
static inline uint64_t tacho_whole_u64(double value)
{
    const double limit = 18446744073709551616.0; /* 2^64 */
    if (value >= limit) {
        return UINT64_MAX;
    }
    return value > 0 ? (uint64_t)value : 0;
}

#endif
