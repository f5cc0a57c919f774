/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of f32 matrices for quick kernels: Einsum and recurrent layers. Tables give the offsets
 * of elements, so any order of axes, transposed or broadcast, needs no copy beforehand; the right
 * matrix is packed into panels, once for all rows of the left one.
 *
 * Each sum goes over the depth in order, one rounded product after the other, so every instruction
 * set gives the same bits.
 */
#ifndef TACHO_KERNELS_REAL_PRODUCT_H
#define TACHO_KERNELS_REAL_PRODUCT_H

#include "kernels/vector.h"

#include <stdint.h>

/* Element (row, column) is data[rows[row] + columns[column]]. */
typedef struct tacho_real_matrix {
    float *data;
    const int64_t *rows, *columns;
} tacho_real_matrix;

/* Floats that |columns| of |depth| elements take once they are packed. */
int64_t tacho_real_packed_count(tacho_vector_set set, int64_t depth, int64_t columns);

/* Packs columns |first| to |first| + |columns| of |from|, which has |depth| rows. */
void tacho_real_pack(tacho_vector_set set, const tacho_real_matrix *from, int64_t first,
                     int64_t columns, int64_t depth, float *to);

/* Sizes of a product. */
typedef struct tacho_real_sizes {
    int64_t rows, depth, columns;
} tacho_real_sizes;

/* Floats of scratch memory that a product needs. */
int64_t tacho_real_scratch_count(tacho_vector_set set, int64_t depth);

/*
 * |out| becomes |left| times the packed matrix; its columns begin with |first|. |set| is the one
 * that was packed for.
 */
void tacho_real_multiply(tacho_vector_set set, const tacho_real_sizes *sizes,
                         const tacho_real_matrix *left, const float *packed, int64_t first,
                         const tacho_real_matrix *out, float *scratch);

/* The same of one row whose elements are side by side, as are those of the result. */
void tacho_real_multiply_row(tacho_vector_set set, const float *row, int64_t depth,
                             const float *packed, int64_t columns, float *out);

#endif
