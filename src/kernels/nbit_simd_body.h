/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loops of kernels/nbit_simd.h, written once. Each nbit_simd_*.c includes this, compiled for
 * its instruction set, and names the result by NBIT_SIMD and NBIT_SIMD_NAME. A panel is VECTORS
 * vectors of LANES columns wide.
 */
#include "kernels/nbit_simd.h"
#include "kernels/short_real.h"

#include <string.h>

/* ---- vectors ------------------------------------------------------------------------------- */

#if defined(__AVX512BW__)

#include <immintrin.h>

enum { LANES = 16, ROWS = 6, CHAINS = 2 };
typedef __m512i words;
typedef __m512 reals;
typedef __m512 decoder; /* the numbers that 4 bits stand for */

static inline words load_words(const unsigned char *from)
{
    return _mm512_loadu_si512(from);
}

static inline reals load_reals(const void *from)
{
    return _mm512_loadu_ps(from);
}

static inline void store_reals(float *to, reals from)
{
    _mm512_storeu_ps(to, from);
}

static inline reals fill(float value)
{
    return _mm512_set1_ps(value);
}

static inline reals load_bytes(const unsigned char *from)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)from);
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(bytes));
}

static inline reals load_f16(const unsigned char *from)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)from));
}

static inline reals load_bf16(const unsigned char *from)
{
    __m256i halves = _mm256_loadu_si256((const __m256i *)(const void *)from);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
}

static inline reals subtract(reals a, reals b)
{
    return _mm512_sub_ps(a, b);
}

static inline reals multiply(reals a, reals b)
{
    return _mm512_mul_ps(a, b);
}

static inline reals multiply_add(reals a, reals b, reals sum)
{
    return _mm512_fmadd_ps(a, b, sum);
}

static inline decoder make_decoder(float zero)
{
    reals all = _mm512_set_ps(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    return subtract(all, fill(zero));
}

/* Bits 4 * |i| and on of each word, less the decoder's zero point: only the lowest bits count. */
static inline reals decode(words from, unsigned i, decoder by)
{
    return _mm512_permutexvar_ps(_mm512_srli_epi32(from, 4 * i), by);
}

#elif defined(__AVX2__)

#include <immintrin.h>

enum { LANES = 8, ROWS = 3, CHAINS = 1 };
typedef __m256i words;
typedef __m256 reals;
typedef __m256 decoder; /* the zero point */

static inline words load_words(const unsigned char *from)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

static inline reals load_reals(const void *from)
{
    return _mm256_loadu_ps(from);
}

static inline void store_reals(float *to, reals from)
{
    _mm256_storeu_ps(to, from);
}

static inline reals fill(float value)
{
    return _mm256_set1_ps(value);
}

static inline reals load_bytes(const unsigned char *from)
{
    __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)from);
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes));
}

static inline reals load_f16(const unsigned char *from)
{
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)from));
}

static inline reals load_bf16(const unsigned char *from)
{
    __m128i halves = _mm_loadu_si128((const __m128i *)(const void *)from);
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16));
}

static inline reals subtract(reals a, reals b)
{
    return _mm256_sub_ps(a, b);
}

static inline reals multiply(reals a, reals b)
{
    return _mm256_mul_ps(a, b);
}

static inline reals multiply_add(reals a, reals b, reals sum)
{
    return _mm256_fmadd_ps(a, b, sum);
}

static inline decoder make_decoder(float zero)
{
    return fill(zero);
}

static inline reals decode(words from, unsigned i, decoder by)
{
    words lowest = _mm256_and_si256(_mm256_srli_epi32(from, (int)(4 * i)), _mm256_set1_epi32(15));
    return subtract(_mm256_cvtepi32_ps(lowest), by);
}

#else

/* Vectors of the compiler, which are SSE2 on x86-64 and what there is elsewhere. */
enum { LANES = 4, ROWS = 3, CHAINS = 1 };
typedef uint32_t words __attribute__((vector_size(16)));
typedef float reals __attribute__((vector_size(16)));
typedef reals decoder; /* the zero point */

static inline words load_words(const unsigned char *from)
{
    words loaded;
    memcpy(&loaded, from, sizeof(loaded));
    return loaded;
}

static inline reals load_reals(const void *from)
{
    reals loaded;
    memcpy(&loaded, from, sizeof(loaded));
    return loaded;
}

static inline void store_reals(float *to, reals from)
{
    memcpy(to, &from, sizeof(from));
}

static inline reals fill(float value)
{
    return (reals){value, value, value, value};
}

static inline reals load_bytes(const unsigned char *from)
{
    return (reals){from[0], from[1], from[2], from[3]};
}

static inline reals load_f16(const unsigned char *from)
{
    uint16_t halves[LANES];
    float wide[LANES];
    memcpy(halves, from, sizeof(halves));
    tacho_short_widen(TACHO_VECTOR_PLAIN, TACHO_DTYPE_F16, halves, LANES, wide);
    return load_reals(wide);
}

static inline reals load_bf16(const unsigned char *from)
{
    uint16_t halves[LANES];
    memcpy(halves, from, sizeof(halves));
    words wide = {halves[0], halves[1], halves[2], halves[3]};
    return (reals)(wide << 16);
}

static inline reals subtract(reals a, reals b)
{
    return a - b;
}

static inline reals multiply(reals a, reals b)
{
    return a * b;
}

static inline reals multiply_add(reals a, reals b, reals sum)
{
    return sum + a * b;
}

static inline decoder make_decoder(float zero)
{
    return fill(zero);
}

static inline reals decode(words from, unsigned i, decoder by)
{
    typedef int32_t numbers __attribute__((vector_size(16)));
    numbers lowest = (numbers)(from >> (4 * i) & 15);
    return __builtin_convertvector(lowest, reals) - by;
}

#endif

enum { VECTORS = 4, WIDTH = VECTORS * LANES, WORD_BYTES = WIDTH * 4, SCALE_BYTES = WIDTH * 4 };

_Static_assert((int)ROWS <= (int)TACHO_NBIT_ROWS_MAX, "rows of a set");
_Static_assert((int)WIDTH <= (int)TACHO_NBIT_WIDTH_MAX, "width of a set");

/* ---- blocks -------------------------------------------------------------------------------- */

/* A block of a panel, and the part of the rows that it is multiplied by. */
typedef struct nbit_block {
    const unsigned char *scales, *zeros, *weights;
    const float *row;
    int64_t stride, places;
} nbit_block;

/* How a block is multiplied; constants where the functions below are inlined. */
typedef struct nbit_way {
    tacho_nbit_kind kind;
    bool has_zeros;
    int64_t rows;
} nbit_way;

static inline bool is_real(tacho_nbit_kind kind)
{
    return kind == TACHO_NBIT_F16 || kind == TACHO_NBIT_BF16;
}

/* Bytes of a panel's weights in a block of |places|. */
static inline int64_t weight_bytes(tacho_nbit_kind kind, int64_t places)
{
    int64_t groups = (places + TACHO_NBIT_GROUP - 1) / TACHO_NBIT_GROUP;
    return kind == TACHO_NBIT_NIBBLES ? groups * WORD_BYTES
           : is_real(kind)            ? places * WIDTH * 2
                                      : places * WIDTH;
}

/* A weight less its zero point. */
static inline __attribute__((always_inline)) reals weight_at(const nbit_block *at, nbit_way way,
                                                             const words *loaded, decoder by,
                                                             const reals *zeros, int64_t place,
                                                             int64_t vector)
{
    int64_t lane = place * WIDTH + vector * LANES;
    switch (way.kind) {
    case TACHO_NBIT_F16:
        return load_f16(at->weights + lane * 2);
    case TACHO_NBIT_BF16:
        return load_bf16(at->weights + lane * 2);
    case TACHO_NBIT_BYTES:
        return subtract(load_bytes(at->weights + lane), zeros[vector]);
    case TACHO_NBIT_NIBBLES:
    default: {
        reals weight = decode(loaded[vector], (unsigned)(place % TACHO_NBIT_GROUP), by);
        return way.has_zeros ? subtract(weight, zeros[vector]) : weight;
    }
    }
}

/* One row: numbers less their zero point are summed up, and the sums of a block scaled. */
static inline __attribute__((always_inline)) void
add_block_of_row(const nbit_block *at, nbit_way way, decoder by, const reals *zeros, reals *sums)
{
    reals parts[CHAINS][VECTORS];
    words loaded[VECTORS] = {0};
    for (int64_t c = 0; c < CHAINS; c++) {
        for (int64_t v = 0; v < VECTORS; v++) {
            parts[c][v] = fill(0);
        }
    }
    for (int64_t first = 0; first < at->places; first += TACHO_NBIT_GROUP) {
        int64_t rest = at->places - first;
        const unsigned char *group = at->weights + first / TACHO_NBIT_GROUP * WORD_BYTES;
        for (int64_t v = 0; v < VECTORS && way.kind == TACHO_NBIT_NIBBLES; v++) {
            loaded[v] = load_words(group + v * LANES * 4);
        }
#pragma GCC unroll 8
        for (int64_t i = 0; i < TACHO_NBIT_GROUP; i++) {
            if (i < rest) {
                reals factor = fill(at->row[first + i]);
                for (int64_t v = 0; v < VECTORS; v++) {
                    reals weight = weight_at(at, way, loaded, by, zeros, first + i, v);
                    parts[i % CHAINS][v] = multiply_add(weight, factor, parts[i % CHAINS][v]);
                }
            }
        }
    }
    for (int64_t v = 0; v < VECTORS; v++) {
        reals sum = parts[0][v];
        for (int64_t c = 1; c < CHAINS; c++) {
            sum = multiply_add(fill(1), parts[c][v], sum);
        }
        reals scale = is_real(way.kind) ? fill(1) : load_reals(at->scales + v * LANES * 4);
        sums[v] = multiply_add(sum, scale, sums[v]);
    }
}

/* Several rows: weights are scaled, once for all of them. */
static inline __attribute__((always_inline)) void
add_block_of_rows(const nbit_block *at, nbit_way way, decoder by, const reals *zeros, reals *sums)
{
    words loaded[VECTORS] = {0};
    for (int64_t first = 0; first < at->places; first += TACHO_NBIT_GROUP) {
        int64_t rest = at->places - first;
        const unsigned char *group = at->weights + first / TACHO_NBIT_GROUP * WORD_BYTES;
        for (int64_t v = 0; v < VECTORS && way.kind == TACHO_NBIT_NIBBLES; v++) {
            loaded[v] = load_words(group + v * LANES * 4);
        }
#pragma GCC unroll 8
        for (int64_t i = 0; i < TACHO_NBIT_GROUP; i++) {
            if (i >= rest) {
                continue;
            }
            for (int64_t v = 0; v < VECTORS; v++) {
                reals weight = weight_at(at, way, loaded, by, zeros, first + i, v);
                if (!is_real(way.kind)) {
                    weight = multiply(weight, load_reals(at->scales + v * LANES * 4));
                }
                for (int64_t r = 0; r < way.rows; r++) {
                    reals factor = fill(at->row[r * at->stride + first + i]);
                    sums[r * VECTORS + v] = multiply_add(weight, factor, sums[r * VECTORS + v]);
                }
            }
        }
    }
}

/* ---- panels -------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) void multiply_way(const tacho_nbit_rows *rows,
                                                               const tacho_nbit_form *form,
                                                               const unsigned char *panel,
                                                               float *out, nbit_way way)
{
    reals sums[ROWS * VECTORS], zeros[VECTORS];
    decoder by = make_decoder(way.has_zeros ? 0 : form->zero);
    int64_t scale_bytes = is_real(way.kind) ? 0 : SCALE_BYTES;
    for (int64_t i = 0; i < way.rows * VECTORS; i++) {
        sums[i] = fill(0);
    }
    for (int64_t v = 0; v < VECTORS; v++) {
        zeros[v] = fill(form->zero);
    }
    for (int64_t first = 0; first < form->depth; first += form->block) {
        int64_t places = form->depth - first < form->block ? form->depth - first : form->block;
        nbit_block at = {.scales = panel,
                         .zeros = panel + scale_bytes,
                         .weights = panel + scale_bytes + (way.has_zeros ? WIDTH : 0),
                         .row = rows->data + first,
                         .stride = rows->stride,
                         .places = places};
        for (int64_t v = 0; v < VECTORS && way.has_zeros; v++) {
            zeros[v] = load_bytes(at.zeros + v * LANES);
        }
        if (way.rows == 1) {
            add_block_of_row(&at, way, by, zeros, sums);
        } else {
            add_block_of_rows(&at, way, by, zeros, sums);
        }
        panel = at.weights + weight_bytes(way.kind, places);
    }
    for (int64_t i = 0; i < way.rows * VECTORS; i++) {
        store_reals(out + i * LANES, sums[i]);
    }
}

static inline __attribute__((always_inline)) void multiply_rows(const tacho_nbit_rows *rows,
                                                                const tacho_nbit_form *form,
                                                                const unsigned char *panel,
                                                                float *sums, int64_t count)
{
#define MULTIPLY(kind, has_zeros)                                                                  \
    multiply_way(rows, form, panel, sums, (nbit_way){kind, has_zeros, count})
    switch (form->kind) {
    case TACHO_NBIT_F16:
        MULTIPLY(TACHO_NBIT_F16, false);
        break;
    case TACHO_NBIT_BF16:
        MULTIPLY(TACHO_NBIT_BF16, false);
        break;
    case TACHO_NBIT_BYTES:
        if (form->has_zeros) {
            MULTIPLY(TACHO_NBIT_BYTES, true);
        } else {
            MULTIPLY(TACHO_NBIT_BYTES, false);
        }
        break;
    case TACHO_NBIT_NIBBLES:
    default:
        if (form->has_zeros) {
            MULTIPLY(TACHO_NBIT_NIBBLES, true);
        } else {
            MULTIPLY(TACHO_NBIT_NIBBLES, false);
        }
    }
#undef MULTIPLY
}

static void multiply_panel(const tacho_nbit_rows *rows, const tacho_nbit_form *form,
                           const unsigned char *panel, float *sums)
{
    switch (rows->count) {
    case 1:
        multiply_rows(rows, form, panel, sums, 1);
        break;
    case 2:
        multiply_rows(rows, form, panel, sums, 2);
        break;
    case 3:
        multiply_rows(rows, form, panel, sums, 3);
        break;
#if defined(__AVX512BW__)
    case 4:
        multiply_rows(rows, form, panel, sums, 4);
        break;
    case 5:
        multiply_rows(rows, form, panel, sums, 5);
        break;
    default:
        multiply_rows(rows, form, panel, sums, 6);
        break;
#else
    default:
        break;
#endif
    }
}

const tacho_nbit_simd NBIT_SIMD = {
    .name = NBIT_SIMD_NAME, .width = WIDTH, .rows = ROWS, .multiply = multiply_panel};
