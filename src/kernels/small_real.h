/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Real numbers of 8 and of 4 bits: what networks keep weights and scales in. Nothing computes in
 * these; they are converted to double and back.
 *
 * e4m3 and e5m2 have a sign, 4 or 5 bits of exponent and 3 or 2 of mantissa; e4m3 has no infinity.
 * Their "fnuz" forms have neither infinities nor a negative zero, whose bits are not-a-number, and
 * a bias one greater. e8m0 is a power of 2 from 2^-127 to 2^127; e2m1 ends at 6 and has no
 * not-a-number, either.
 */
#ifndef TACHO_KERNELS_SMALL_REAL_H
#define TACHO_KERNELS_SMALL_REAL_H

#include "base/dtype.h"

/* To which power of 2 e8m0 rounds; all other types round to the nearest, ties to even. */
typedef enum tacho_power_rounding {
    TACHO_POWER_UP,
    TACHO_POWER_DOWN,
    TACHO_POWER_NEAREST, /* ties up */
} tacho_power_rounding;

typedef struct tacho_small_rule {
    /* Numbers past the greatest become infinity, or not-a-number where there is none, instead of
     * the greatest number. */
    bool is_unbounded;
    tacho_power_rounding powers;
} tacho_small_rule;

/* Whether |dtype| is one of these. */
bool tacho_is_small_real(tacho_dtype dtype);

double tacho_small_to_double(tacho_dtype dtype, unsigned bits);
unsigned tacho_small_from_double(tacho_dtype dtype, double value, tacho_small_rule rule);

#endif
