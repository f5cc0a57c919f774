/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A panel is four vectors of columns. A block of rows is multiplied with a panel in registers: for
 * each step of the depth one number of every row with four vectors.
 */
#include "kernels/real_product.h"

#include "base/attributes.h"

#include <string.h>

enum {
    VECTORS = 4,
    ROWS_MAX = 6,
    PANEL_MAX = VECTORS * 16,
};

/* |rows| x |depth| numbers, depth by depth, times a panel: a tile of |rows| x panel sums. */
typedef void (*block_function)(const float *rows, const float *panel, int64_t depth, float *tile);

#define BLOCK(set, target, row_count)                                                              \
    target static void block_##set##_##row_count(const float *rows, const float *panel,            \
                                                 int64_t depth, float *tile)                       \
    {                                                                                              \
        vector_##set sums[row_count][VECTORS] = {{{0}}};                                           \
        for (int64_t k = 0; k < depth; k++) {                                                      \
            for (int j = 0; j < VECTORS; j++) {                                                    \
                vector_##set column;                                                               \
                memcpy(&column, panel + (k * VECTORS + j) * WIDTH_##set, sizeof(column));          \
                for (int i = 0; i < row_count; i++) {                                              \
                    sums[i][j] += column * rows[k * row_count + i];                                \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        memcpy(tile, sums, sizeof(sums));                                                          \
    }

#define BLOCKS(set, target)                                                                        \
    BLOCK(set, target, 1)                                                                          \
    BLOCK(set, target, 2)                                                                          \
    BLOCK(set, target, 3)

enum { WIDTH_plain = 4, WIDTH_avx2 = 8, WIDTH_avx512 = 16 };
typedef float vector_plain __attribute__((vector_size(16)));
BLOCKS(plain, )
#if defined(__x86_64__)
typedef float vector_avx2 __attribute__((vector_size(32)));
typedef float vector_avx512 __attribute__((vector_size(64)));
#define AVX512 TACHO_TARGET("avx512f,avx512bw,avx512dq,avx512vl")
BLOCKS(avx2, TACHO_TARGET("avx2"))
BLOCKS(avx512, AVX512)
BLOCK(avx512, AVX512, 4)
BLOCK(avx512, AVX512, 5)
BLOCK(avx512, AVX512, 6)
#endif

static const struct {
    int64_t panel; /* columns */
    int64_t rows;  /* that a block has at most */
    block_function blocks[ROWS_MAX + 1];
} sets[] = {
    [TACHO_VECTOR_PLAIN] = {VECTORS * WIDTH_plain,
                            3,
                            {NULL, block_plain_1, block_plain_2, block_plain_3}},
#if defined(__x86_64__)
    [TACHO_VECTOR_AVX2] = {VECTORS * WIDTH_avx2,
                           3,
                           {NULL, block_avx2_1, block_avx2_2, block_avx2_3}},
    [TACHO_VECTOR_AVX512] = {VECTORS * WIDTH_avx512,
                             6,
                             {NULL, block_avx512_1, block_avx512_2, block_avx512_3, block_avx512_4,
                              block_avx512_5, block_avx512_6}},
#endif
};

int64_t tacho_real_packed_count(tacho_vector_set set, int64_t depth, int64_t columns)
{
    int64_t panel = sets[set].panel;
    return (columns + panel - 1) / panel * panel * depth;
}

int64_t tacho_real_scratch_count(tacho_vector_set set, int64_t depth)
{
    return sets[set].rows * depth;
}

/* One panel; columns that there are not are zeros. */
static void pack_panel(const tacho_real_matrix *from, const int64_t *columns, int64_t count,
                       int64_t panel, int64_t depth, float *to)
{
    for (int64_t k = 0; k < depth; k++) { /* lines that are read stay in the cache for some k */
        const float *row = from->data + from->rows[k];
        for (int64_t j = 0; j < count; j++) {
            to[k * panel + j] = row[columns[j]];
        }
        for (int64_t j = count; j < panel; j++) {
            to[k * panel + j] = 0;
        }
    }
}

void tacho_real_pack(tacho_vector_set set, const tacho_real_matrix *from, int64_t first,
                     int64_t columns, int64_t depth, float *to)
{
    int64_t panel = sets[set].panel;
    for (int64_t at = 0; at < columns; at += panel) {
        int64_t count = columns - at < panel ? columns - at : panel;
        pack_panel(from, from->columns + first + at, count, panel, depth, to + at * depth);
    }
}

void tacho_real_multiply(tacho_vector_set set, const tacho_real_sizes *sizes,
                         const tacho_real_matrix *left, const float *packed, int64_t first,
                         const tacho_real_matrix *out, float *scratch)
{
    int64_t panel = sets[set].panel, depth = sizes->depth;
    float tile[ROWS_MAX * PANEL_MAX];
    for (int64_t row = 0; row < sizes->rows; row += sets[set].rows) {
        int64_t rows = sizes->rows - row < sets[set].rows ? sizes->rows - row : sets[set].rows;
        for (int64_t i = 0; i < rows; i++) {
            const float *from = left->data + left->rows[row + i];
            for (int64_t k = 0; k < depth; k++) {
                scratch[k * rows + i] = from[left->columns[k]];
            }
        }
        for (int64_t at = 0; at < sizes->columns; at += panel) {
            int64_t count = sizes->columns - at < panel ? sizes->columns - at : panel;
            sets[set].blocks[rows](scratch, packed + at * depth, depth, tile);
            for (int64_t i = 0; i < rows; i++) {
                float *to = out->data + out->rows[row + i];
                for (int64_t j = 0; j < count; j++) {
                    to[out->columns[first + at + j]] = tile[i * panel + j];
                }
            }
        }
    }
}

void tacho_real_multiply_row(tacho_vector_set set, const float *row, int64_t depth,
                             const float *packed, int64_t columns, float *out)
{
    int64_t panel = sets[set].panel;
    float tile[PANEL_MAX];
    for (int64_t at = 0; at < columns; at += panel) {
        int64_t count = columns - at < panel ? columns - at : panel;
        sets[set].blocks[1](row, packed + at * depth, depth, tile);
        memcpy(out + at, tile, (size_t)count * sizeof(*out));
    }
}
