/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of columns, and rows that are widened to 16 bits before they are multiplied with each.
 */
#include "kernels/byte_matrix.h"

#include <string.h>

/* Columns |at| and on, a block of them; elements that there are not are zeros. */
static void pack_block(const tacho_byte_columns *from, const tacho_byte_matrix *self, int64_t at,
                       int16_t *to)
{
    int64_t width = self->simd->width, depth = self->depth;
    for (int64_t j = 0; j < width; j++) {
        bool has_column = at + j < self->columns;
        const unsigned char *column = from->data + (has_column ? (at + j) * depth : 0);
        for (int64_t k = 0; k < 2 * self->pairs; k++) {
            int value = 0;
            if (has_column && k < depth) {
                value =
                    (from->is_signed ? (signed char)column[k] : column[k]) - from->zeros[at + j];
            }
            to[(k / 2 * width + j) * 2 + k % 2] = (int16_t)value;
        }
    }
}

tacho_status tacho_byte_matrix_pack(const tacho_byte_columns *from, tacho_arena *arena,
                                    tacho_byte_matrix *out_matrix)
{
    tacho_byte_matrix *self = out_matrix;
    *self = (tacho_byte_matrix){.simd = tacho_byte_simd_best(),
                                .depth = from->depth,
                                .columns = from->columns,
                                .pairs = (from->depth + 1) / 2};
    int64_t width = self->simd->width, blocks = (self->columns + width - 1) / width, count;
    void *memory;
    if (__builtin_mul_overflow(blocks * width, 2 * self->pairs, &count) ||
        count > INT64_MAX / (int64_t)sizeof(int16_t)) {
        return tacho_no_memory();
    }
    TACHO_TRY(tacho_arena_alloc(arena, (size_t)count * sizeof(int16_t), &memory));
    self->filters = memory;
    TACHO_TRY(tacho_arena_alloc(arena, (size_t)(blocks * width) * sizeof(int32_t), &memory));
    self->biases = memory;
    memset(self->biases, 0, (size_t)(blocks * width) * sizeof(int32_t));
    for (int64_t at = 0; at < self->columns; at += width) {
        pack_block(from, self, at, self->filters + at * 2 * self->pairs);
    }
    return TACHO_OK;
}

int64_t tacho_byte_matrix_scratch_count(const tacho_byte_matrix *self, int64_t rows)
{
    return (rows + TACHO_BYTE_ROWS) * 2 * self->pairs;
}

void tacho_byte_matrix_multiply(const tacho_byte_matrix *self, const uint8_t *data, int64_t rows,
                                int16_t zero, int16_t *scratch, int32_t *out)
{
    int64_t stride = 2 * self->pairs, width = self->simd->width;
    if (self->pairs == 0) { /* sums of nothing */
        memset(out, 0, (size_t)(rows * self->columns) * sizeof(*out));
        return;
    }
    tacho_byte_finish finish = {.dtype = TACHO_DTYPE_I32, .int_biases = self->biases};
    memset(scratch + rows * stride, 0,
           (size_t)(TACHO_BYTE_ROWS * stride) * sizeof(*scratch)); /* all rows may be read */
    for (int64_t i = 0; i < rows; i++) {
        scratch[(i + 1) * stride - 1] = 0; /* of an odd depth, the last one is missing */
        self->simd->widen(data + i * self->depth, self->depth, false, zero, scratch + i * stride);
    }
    for (int64_t at = 0; at < self->columns; at += width) {
        int64_t beyond = self->columns - at;
        for (int64_t row = 0; row < rows; row += TACHO_BYTE_ROWS) {
            int64_t rest = rows - row;
            tacho_byte_rows some = {.data = scratch + row * stride,
                                    .stride = stride,
                                    .pairs = self->pairs,
                                    .count = rest < TACHO_BYTE_ROWS ? rest : TACHO_BYTE_ROWS};
            tacho_byte_target target = {.finish = &finish,
                                        .channel = at,
                                        .count = beyond < width ? beyond : width,
                                        .to = (unsigned char *)(out + row * self->columns + at),
                                        .row_bytes = self->columns * (int64_t)sizeof(*out)};
            self->simd->multiply(&some, self->filters + at * stride, &target);
        }
    }
}
