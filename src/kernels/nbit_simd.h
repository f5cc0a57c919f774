/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inner loops of products with weights of 4, 8 and 16 bits (kernels/nbit_product.h), one set
 * for each instruction set. A panel has the weights of some columns, block by block along the
 * depth:
 *
 *     scales    one float for each column
 *     zeros     one byte for each column, where blocks have zero points of their own
 *     weights   4 bits: for eight places of the depth, a word for each column with those of the
 *               first place in its lowest bits; others: for each place an element for each
 *               column
 *
 * Lanes of a vector are columns, so every sum runs over the depth in order.
 */
#ifndef TACHO_KERNELS_NBIT_SIMD_H
#define TACHO_KERNELS_NBIT_SIMD_H

#include <stdbool.h>
#include <stdint.h>

enum {
    TACHO_NBIT_ROWS_MAX = 6,   /* that any set multiplies at a time */
    TACHO_NBIT_WIDTH_MAX = 64, /* columns of a panel in any set */
    TACHO_NBIT_GROUP = 8,      /* places of the depth in a word of 4 bits each */
};

typedef enum tacho_nbit_kind {
    TACHO_NBIT_NIBBLES, /* whole numbers from 0 */
    TACHO_NBIT_BYTES,
    TACHO_NBIT_F16, /* reals, which have neither scales nor zeros */
    TACHO_NBIT_BF16,
} tacho_nbit_kind;

/* What all panels of a product have in common. */
typedef struct tacho_nbit_form {
    int64_t depth, block; /* places of the depth, and of a block */
    tacho_nbit_kind kind;
    bool has_zeros;       /* blocks have zero points of their own; else it is |zero| */
    float zero;
} tacho_nbit_form;

/* Up to |rows| of a set, |stride| floats apart. */
typedef struct tacho_nbit_rows {
    const float *data;
    int64_t stride, count;
} tacho_nbit_rows;

typedef struct tacho_nbit_simd {
    const char *name;
    int64_t width; /* columns of a panel */
    int64_t rows;  /* that are multiplied at a time */

    /* Sums of rows times a panel: |width| for each row, one row after the other. */
    void (*multiply)(const tacho_nbit_rows *rows, const tacho_nbit_form *form,
                     const unsigned char *panel, float *sums);
} tacho_nbit_simd;

extern const tacho_nbit_simd tacho_nbit_simd_plain;  /* the compiler's baseline */
extern const tacho_nbit_simd tacho_nbit_simd_avx2;   /* x86-64 only */
extern const tacho_nbit_simd tacho_nbit_simd_avx512; /* the same */

/* The best that may be used now. */
const tacho_nbit_simd *tacho_nbit_simd_best(void);

#endif
