/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiles of columns; within one, blocks of the depth that fit a cache; within those, blocks of the
 * result that fit registers. None of it changes the order of a sum.
 */
#include "kernels/product.h"

#include <string.h>

enum { ROWS = 4, COLUMNS = 8 };

tacho_status tacho_scratch_reals(tacho_arena *arena, int64_t rows, int64_t columns,
                                 double **out_reals)
{
    int64_t count, bytes;
    void *memory;
    if (__builtin_mul_overflow(rows, columns, &count) ||
        __builtin_mul_overflow(count, (int64_t)sizeof(double), &bytes)) {
        return tacho_no_memory();
    }
    TACHO_TRY(tacho_arena_alloc(arena, (size_t)bytes, &memory));
    *out_reals = memory;
    return TACHO_OK;
}

/* |rows| (at most ROWS, and a constant where inlined) by COLUMNS elements, more |depth|. */
static inline void multiply_block(size_t rows, const double *left, size_t left_step,
                                  const double *right, size_t depth, double *result)
{
    double sums[ROWS][COLUMNS];
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < COLUMNS; c++) {
            sums[r][c] = result[r * TACHO_TILE_COLUMNS + c];
        }
    }
    for (size_t k = 0; k < depth; k++) {
        const double *row = right + k * TACHO_TILE_COLUMNS;
        for (size_t r = 0; r < rows; r++) {
            double factor = left[r * left_step + k];
            for (size_t c = 0; c < COLUMNS; c++) {
                sums[r][c] += factor * row[c];
            }
        }
    }
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < COLUMNS; c++) {
            result[r * TACHO_TILE_COLUMNS + c] = sums[r][c];
        }
    }
}

/* |columns| is how many of the tile matter. */
static void multiply_tile(const tacho_product *self, int64_t depth_at, size_t depth,
                          const double *tile, size_t columns, double *result)
{
    size_t rows = (size_t)self->rows, step = (size_t)self->depth;
    const double *left = self->left + depth_at;
    for (size_t c = 0; c < columns; c += COLUMNS) {
        size_t r = 0;
        for (; r + ROWS <= rows; r += ROWS) {
            multiply_block(ROWS, left + r * step, step, tile + c, depth,
                           result + r * TACHO_TILE_COLUMNS + c);
        }
        for (; r < rows; r++) {
            multiply_block(1, left + r * step, step, tile + c, depth,
                           result + r * TACHO_TILE_COLUMNS + c);
        }
    }
}

static tacho_status run(const tacho_product *self, tacho_arena *arena)
{
    double *tile = NULL, *result = NULL;
    TACHO_TRY(tacho_scratch_reals(arena, TACHO_TILE_DEPTH, TACHO_TILE_COLUMNS, &tile));
    TACHO_TRY(tacho_scratch_reals(arena, self->rows, TACHO_TILE_COLUMNS, &result));
    for (int64_t column = 0; column < self->columns; column += TACHO_TILE_COLUMNS) {
        int64_t count = self->columns - column;
        count = count < TACHO_TILE_COLUMNS ? count : TACHO_TILE_COLUMNS;
        memset(result, 0, (size_t)self->rows * TACHO_TILE_COLUMNS * sizeof(*result));
        for (int64_t depth = 0; depth < self->depth; depth += TACHO_TILE_DEPTH) {
            int64_t deep = self->depth - depth;
            deep = deep < TACHO_TILE_DEPTH ? deep : TACHO_TILE_DEPTH;
            memset(tile, 0, (size_t)deep * TACHO_TILE_COLUMNS * sizeof(*tile));
            self->fill(self->user, depth, deep, column, count, tile);
            multiply_tile(self, depth, (size_t)deep, tile, (size_t)count, result);
        }
        for (int64_t row = 0; row < self->rows; row++) {
            self->emit(self->user, row, column, count, result + row * TACHO_TILE_COLUMNS);
        }
    }
    return TACHO_OK;
}

tacho_status tacho_product_run(const tacho_product *product)
{
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status = run(product, &arena);
    tacho_arena_deinit(&arena);
    return status;
}
