/* SPDX-License-Identifier: Apache-2.0 */
/*
 * f16 and bf16 as f32 and back, many elements at a time, in loops that compilers make vectors of.
 * Fast kernels compute such tensors in f32. All instruction sets give the bits of
 * kernels/element.h: the nearest number, ties to even; infinity past the greatest.
 */
#ifndef TACHO_KERNELS_SHORT_REAL_H
#define TACHO_KERNELS_SHORT_REAL_H

#include "base/tensor.h"
#include "kernels/vector.h"

static inline bool tacho_short_is(tacho_dtype dtype)
{
    return dtype == TACHO_DTYPE_F16 || dtype == TACHO_DTYPE_BF16;
}

/* |dtype| is F16 or BF16, |set| at most the best of this processor. */
void tacho_short_widen(tacho_vector_set set, tacho_dtype dtype, const uint16_t *from, size_t count,
                       float *to);
void tacho_short_narrow(tacho_vector_set set, tacho_dtype dtype, const float *from, size_t count,
                        uint16_t *to);
/* Rounds each value through the narrow type. */
void tacho_short_round(tacho_vector_set set, tacho_dtype dtype, float *values, size_t count);

#endif
