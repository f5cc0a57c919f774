/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of quantised tensors as one kernel computes them: bytes times factors, an offset, rounding,
 * the zero point. There are 65536 pairs of bytes, so whether that is what reference kernels give is
 * not a matter of belief: all are tried.
 */
#ifndef TACHO_KERNELS_BYTE_SUM_H
#define TACHO_KERNELS_BYTE_SUM_H

#include "base/status.h"
#include "base/tensor.h"

/* The numbers that bytes stand for: scale * (byte - zero). */
typedef struct tacho_byte_meaning {
    tacho_dtype dtype; /* I8 or U8 */
    float scale;
    int32_t zero;
} tacho_byte_meaning;

typedef struct tacho_byte_sum {
    tacho_byte_meaning a, b, made;
    float low, high; /* bounds of the reals; infinities: none */
    /* The solution: round(hold(a * factors[0] + b * factors[1] + offset)) + zero, each operation
     * rounded to f32. */
    float factors[2], offset;
} tacho_byte_sum;

/* False when no numbers give the reference kernels' results for all pairs, or memory is short. */
bool tacho_byte_sum_solve(tacho_byte_sum *self);

#endif
