/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the kernels of TOSA's operators.
 */
#ifndef TACHO_KERNELS_TOSA_H
#define TACHO_KERNELS_TOSA_H

#include "base/maths.h"
#include "kernels/call.h"

/* Whether a text attribute has |word| in it: modes are bare words or MLIR attributes. */
/* Whether elements are integers, those of 48 bits included that sums of 16-bit data have. */
static inline bool tacho_tosa_is_sum(const tacho_array *array)
{
    return tacho_is_int(array) || array->dtype == TACHO_DTYPE_I48;
}

bool tacho_tosa_mentions(const tacho_kernel_call *call, const char *name, const char *word);

/* A zero point of one element; 0 where the operand is absent. |dtype| is that of its operand. */
int64_t tacho_tosa_zero(const tacho_kernel_call *call, size_t input, tacho_dtype dtype,
                        bool is_unsigned);

/* TOSA's apply_scale: value * multiplier / 2^shift, rounded up at a half; with |is_double| first
 * at bit 31. |shift| is 2 to 62. */
int64_t tacho_tosa_scale(int64_t value, int64_t multiplier, int64_t shift, bool is_double);

#endif
