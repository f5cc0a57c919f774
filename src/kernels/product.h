/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The product of two matrices, the basis of convolutions and matrix products.
 *
 * Each element is the sum of its products in the order of the depth, in double and beginning with
 * 0, for any sizes: products of f32, f16 and bf16 numbers and of integers of up to 16 bits are
 * exact there, and sums of such integers too as long as they are below 2^53.
 */
#ifndef TACHO_KERNELS_PRODUCT_H
#define TACHO_KERNELS_PRODUCT_H

#include "base/arena.h"
#include "base/tensor.h"

enum {
    TACHO_TILE_COLUMNS = 64,
    TACHO_TILE_DEPTH = 256,
};

typedef struct tacho_product {
    int64_t rows, depth, columns;
    const double *left; /* rows x depth */
    /* Writes |depth_count| rows of TACHO_TILE_COLUMNS of the right matrix, the first |count| of
     * which are wanted, from |depth| and |column| on; the others are 0 already. */
    void (*fill)(const void *user, int64_t depth, int64_t depth_count, int64_t column,
                 int64_t count, double *tile);
    /* Takes |count| elements of row |row| of the result. */
    void (*emit)(const void *user, int64_t row, int64_t column, int64_t count, double *values);
    const void *user;
} tacho_product;

tacho_status tacho_product_run(const tacho_product *product) TACHO_MUST_USE;

/* |count| doubles of scratch memory, also where the product does not fit size_t: NO_MEMORY. */
tacho_status tacho_scratch_reals(tacho_arena *arena, int64_t rows, int64_t columns,
                                 double **out_reals) TACHO_MUST_USE;

#endif
