/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From exact integer sums to quantised results: (sum * scale of the factors / scale of the result),
 * rounded to the nearest, ties to even, more the zero point, held within the type.
 */
#ifndef TACHO_KERNELS_QUANTISE_H
#define TACHO_KERNELS_QUANTISE_H

#include "kernels/call.h"

typedef struct tacho_requant {
    const tacho_array *scales[2]; /* of the factors: one, or for the second one per channel */
    const tacho_array *out_scale, *out_zero;
    tacho_dtype dtype; /* of the result */
} tacho_requant;

/* Whether scales and zero point are reals and integers, for |channels| channels. */
bool tacho_requant_is_fit(const tacho_requant *requant, int64_t channels);

/* Sums to results, still as doubles. */
void tacho_requantise(const tacho_requant *requant, int64_t channel, double *values, size_t count);

/* The producer of a tensor: the type of the operator, empty where there is none, and its input 0,
 * which may be TACHO_NONE. */
typedef struct tacho_origin {
    tacho_str type;
    uint32_t input;
} tacho_origin;

typedef tacho_origin (*tacho_origin_function)(const void *network, uint32_t tensor);

/*
 * Whether |tensor|, which a QuantizeLinear reads, is a product of dequantised data, followed by
 * bounds at most: then the three together describe one operator on integers.
 */
bool tacho_is_of_product(tacho_origin_function origin, const void *network, uint32_t tensor);

#endif
