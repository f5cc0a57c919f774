/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Doubles from decimal digits and back: always the nearest, always the shortest.
 */
#ifndef TACHO_BASE_REAL_H
#define TACHO_BASE_REAL_H

#include <stdbool.h>
#include <stdint.h>

/* Room for any real, with the NUL, and for its digits aside. */
enum { TACHO_REAL_MAX = 96 };

/*
 * The double nearest to |digits| * 10^|power|, ties to even. False, without a message, where the
 * quick method cannot decide; that is rare.
 */
bool tacho_real_from_digits(uint64_t digits, int64_t power, double *out_value);

/*
 * Writes a finite |value| to |at|, where there is room for TACHO_REAL_MAX bytes, with as few
 * digits, 15 or more, as read back the same, zeros at the end left out, and a NUL; returns the end.
 * It has a point or an exponent, so that it is seen to be a real.
 */
char *tacho_real_put(char *at, double value);

#endif
