/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A matrix of bytes that many rows of bytes are multiplied by, packed once for the loops of
 * kernels/byte_simd.h. Sums are exact in 32 bits, so every instruction set gives the same.
 */
#ifndef TACHO_KERNELS_BYTE_MATRIX_H
#define TACHO_KERNELS_BYTE_MATRIX_H

#include "base/arena.h"
#include "kernels/byte_simd.h"

enum { TACHO_BYTE_DEPTH_MAX = 1 << 15 }; /* deeper, sums of 255 * 255 may leave 32 bits */

typedef struct tacho_byte_matrix {
    const tacho_byte_simd *simd;
    int64_t depth, columns;
    int64_t pairs;    /* of elements, of a column */
    int16_t *filters; /* block by block: pairs x width x 2 */
    int32_t *biases;  /* zeros */
} tacho_byte_matrix;

/* Memory of the columns of a matrix: |depth| bytes side by side, less a zero point. */
typedef struct tacho_byte_columns {
    const unsigned char *data;
    bool is_signed;
    const int16_t *zeros; /* by column */
    int64_t depth, columns;
} tacho_byte_columns;

tacho_status tacho_byte_matrix_pack(const tacho_byte_columns *from, tacho_arena *arena,
                                    tacho_byte_matrix *out_matrix) TACHO_MUST_USE;

/* Numbers of scratch memory that a product of |rows| needs. */
int64_t tacho_byte_matrix_scratch_count(const tacho_byte_matrix *self, int64_t rows);

/* Rows of unsigned bytes, side by side, less |zero|, times the matrix: |out| is rows x columns. */
void tacho_byte_matrix_multiply(const tacho_byte_matrix *self, const uint8_t *data, int64_t rows,
                                int16_t zero, int16_t *scratch, int32_t *out);

#endif
