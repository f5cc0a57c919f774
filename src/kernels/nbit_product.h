/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of f32 rows with weights of 4, 8 or 16 bits, which stay so and become f32 only in
 * registers. Whole numbers have a scale and a zero point for each block of a column. Weights are
 * packed once, into panels of columns (kernels/nbit_simd.h).
 *
 * A number is (q - zero) * scale as DequantizeLinear has it. With a single row, sums of a block are
 * scaled instead of its numbers. Sums are of f32, in the order of the depth; AVX2 and AVX-512 add
 * products up without rounding them first, so instruction sets differ in the last bits.
 */
#ifndef TACHO_KERNELS_NBIT_PRODUCT_H
#define TACHO_KERNELS_NBIT_PRODUCT_H

#include "base/status.h"
#include "base/tensor.h"
#include "kernels/byte_product.h"

typedef struct tacho_nbit_product tacho_nbit_product;

/* Weights as a model has them: elements of a matrix depth x columns, and numbers of its blocks. */
typedef struct tacho_nbit_weights {
    tacho_dtype dtype; /* U4, I4, U8, I8; F16, BF16 without what follows |column_step| */
    int64_t depth, columns;
    int64_t block; /* elements along the depth that have the same scale */
    const unsigned char *data;
    int64_t depth_step, column_step; /* from one element to the next */
    const float *scales;
    const unsigned char *zeros; /* of the same type; NULL: 0 */
    int64_t scale_depth_step, scale_column_step; /* from one block to the next, zeros likewise */
} tacho_nbit_weights;

/*
 * Packs |weights|, which are not needed afterwards. |bias| has one number for each column, or is
 * NULL. At most |threads|, from 1, run it.
 */
tacho_status tacho_nbit_product_create(const tacho_nbit_weights *weights, const float *bias,
                                       uint32_t threads, tacho_nbit_product **out) TACHO_MUST_USE;
void tacho_nbit_product_free(tacho_nbit_product *self); /* also NULL */

/* The name of its loops: "avx2". */
const char *tacho_nbit_product_name(const tacho_nbit_product *self);

/* Bytes of the packed weights. */
uint64_t tacho_nbit_product_bytes(const tacho_nbit_product *self);

/* |rows| rows of |from|, side by side, times the weights. */
void tacho_nbit_product_run(const tacho_nbit_product *self, const float *from, int64_t rows,
                            float *to, tacho_byte_parallel *parallel);

#endif
