/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolutions and products of matrices on bytes, for processors on which oneDNN's would saturate
 * on the way: those without VNNI. Sums are exact in 32 bits; results are rounded as oneDNN does
 * with VNNI, so they are the same bytes on every processor.
 *
 * A product of matrices is a convolution with windows of one element: rows are places, columns
 * channels.
 */
#ifndef TACHO_KERNELS_BYTE_PRODUCT_H
#define TACHO_KERNELS_BYTE_PRODUCT_H

#include "kernels/onednn.h"

typedef struct tacho_byte_product tacho_byte_product;

enum { TACHO_BYTE_SPATIAL = 3 }; /* those that a network has not are 1, in front */

/* Tensors are stored as images x places x channels, channels side by side. */
typedef struct tacho_byte_spec {
    int64_t images, groups;
    int64_t inputs, outputs; /* channels of all groups */
    int64_t in[TACHO_BYTE_SPATIAL], out[TACHO_BYTE_SPATIAL], kernel[TACHO_BYTE_SPATIAL];
    int64_t strides[TACHO_BYTE_SPATIAL], dilations[TACHO_BYTE_SPATIAL];
    int64_t begins[TACHO_BYTE_SPATIAL]; /* padding before the data */
    tacho_dtype data;                   /* I8 or U8 */
    int32_t zero;                       /* of the data; of padding, too */

    /* Of signed bytes; NULL: each run passes its own. Distances between neighbours: */
    const int8_t *filters;
    int64_t output_step, input_step, place_step;
    int64_t image_step; /* 0: all images have the same filters */

    tacho_dtype made;       /* I32: sums, and nothing but a bias of I32; I8 or U8 */
    const void *bias;       /* one for each output; NULL: none */
    tacho_dtype bias_dtype; /* I32 or F32 */
    const float *scales;    /* one, or one for each output */
    size_t scale_count;
    const tacho_fast_post *posts;
    size_t post_count;
    int32_t made_zero;
} tacho_byte_spec;

/* |out| is NULL when there is a post that is not known. |threads|, from 1, may run it. */
tacho_status tacho_byte_product_create(const tacho_byte_spec *spec, uint32_t threads,
                                       tacho_byte_product **out) TACHO_MUST_USE;
void tacho_byte_product_free(tacho_byte_product *self); /* also NULL */

/* The name of its loops: "avx2". */
const char *tacho_byte_product_name(const tacho_byte_product *self);

uint64_t tacho_byte_product_scratch_bytes(const tacho_byte_product *self);

/* Memory of a run. */
typedef struct tacho_byte_memory {
    const void *data;
    const void *filters; /* where they are not constant */
    const void *zero;    /* a byte of the data's type, instead of the spec's; NULL: that */
    void *output, *scratch;
} tacho_byte_memory;

/* Calls |work| in as many threads, and waits for them. NULL: in this one. */
typedef void tacho_byte_parallel(void (*work)(void *data), void *data, unsigned threads,
                                 unsigned flags);

void tacho_byte_product_run(const tacho_byte_product *self, const tacho_byte_memory *memory,
                            tacho_byte_parallel *parallel);

#endif
