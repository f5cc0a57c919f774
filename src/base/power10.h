/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Powers of ten to 128 bits, for reading and writing reals without long arithmetic. The range is
 * that of the numbers people measure; others take the slow path.
 */
#ifndef TACHO_BASE_POWER10_H
#define TACHO_BASE_POWER10_H

#include <stdint.h>

enum { TACHO_POWER10_MIN = -64, TACHO_POWER10_MAX = 55 };

/* (high * 2^64 + low) * 2^n with the top bit set: exact from 10^0 on, below that rounded up. */
typedef struct tacho_power10 {
    uint64_t high, low;
} tacho_power10;

extern const tacho_power10 tacho_powers10[TACHO_POWER10_MAX - TACHO_POWER10_MIN + 1];

static inline const tacho_power10 *tacho_power10_get(int exponent)
{
    return &tacho_powers10[exponent - TACHO_POWER10_MIN];
}

/* floor(log2(10^exponent)), for exponents of at most three digits. */
static inline int tacho_power10_log2(int exponent)
{
    return exponent * 1741647 >> 19;
}

#endif
