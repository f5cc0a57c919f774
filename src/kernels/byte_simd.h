/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inner loops of products of bytes (kernels/byte_product.h), one set for each instruction set.
 * Bytes become 16-bit integers, less their zero point; two products at a time are summed up in 32
 * bits, so nothing saturates on the way and all sets give the same sums.
 */
#ifndef TACHO_KERNELS_BYTE_SIMD_H
#define TACHO_KERNELS_BYTE_SIMD_H

#include "kernels/onednn.h"

enum {
    TACHO_BYTE_ROWS = 6,       /* of data that are multiplied at a time */
    TACHO_BYTE_WIDTH_MAX = 32, /* channels of a block in any set */
};

/* How sums become results. Numbers of channels are padded to whole blocks. */
typedef struct tacho_byte_finish {
    tacho_dtype dtype;            /* I32: sums and biases as they are; I8, U8: all that follows */
    const int32_t *int_biases;    /* of I32 */
    const float *biases;          /* are added to the sums as f32, which then are multiplied */
    const float *scales;          /* by these */
    float low, high;              /* then held between bounds, rounded to even, */
    int32_t zero;                 /* moved by this and stored */
    const tacho_fast_post *posts; /* before the bounds, one after the other; rarely any */
    size_t post_count;
} tacho_byte_finish;

/* Rows of 2 * |pairs| numbers, |stride| apart. */
typedef struct tacho_byte_rows {
    const int16_t *data;
    int64_t stride, pairs;
    int64_t count; /* up to TACHO_BYTE_ROWS, of which all may be read */
} tacho_byte_rows;

/* The bytes of all channels at 2 * |pairs| places. */
typedef struct tacho_byte_places {
    const unsigned char *const *at;
    int64_t pairs;
    bool is_signed;
    int16_t zero; /* is subtracted */
} tacho_byte_places;

/* Destination of results: |count| channels from |channel| on, of rows |row_bytes| apart. */
typedef struct tacho_byte_target {
    const tacho_byte_finish *finish;
    int64_t channel, count;
    unsigned char *to;
    int64_t row_bytes;
} tacho_byte_target;

typedef struct tacho_byte_simd {
    const char *name;
    int64_t width; /* channels of a block */

    /* |count| bytes, less |zero|. */
    void (*widen)(const unsigned char *from, int64_t count, bool is_signed, int16_t zero,
                  int16_t *to);
    /* Rows times a block of filters, which are pairs x width x 2. */
    void (*multiply)(const tacho_byte_rows *rows, const int16_t *filters,
                     const tacho_byte_target *target);
    /* Filters of a block of channels at two places, in the layout of multiply_each. */
    void (*interleave)(const int16_t *first, const int16_t *second, int16_t *to);
    /* All channels of one row, each with its own filter: blocks x pairs x interleave's output. */
    void (*multiply_each)(const tacho_byte_places *places, const int16_t *filters,
                          const tacho_byte_target *target);
} tacho_byte_simd;

extern const tacho_byte_simd tacho_byte_simd_plain;  /* the compiler's baseline; SSE2 on x86-64 */
extern const tacho_byte_simd tacho_byte_simd_avx2;   /* x86-64 only */
extern const tacho_byte_simd tacho_byte_simd_avx512; /* the same */
extern const tacho_byte_simd tacho_byte_simd_vnni;   /* the same, AVX-512 with VNNI */

/* The best that may be used now. */
const tacho_byte_simd *tacho_byte_simd_best(void);

/* Functions that may stand between a product and its rounding. */
bool tacho_byte_post_is_known(const tacho_fast_post *post);
/* A function of one number between a product and its rounding. */
float tacho_byte_post(const tacho_fast_post *post, float value);

#endif
