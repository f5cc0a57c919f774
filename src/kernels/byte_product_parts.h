/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a product of bytes. Only kernels/byte_product*.c include this.
 */
#ifndef TACHO_KERNELS_BYTE_PRODUCT_PARTS_H
#define TACHO_KERNELS_BYTE_PRODUCT_PARTS_H

#include "kernels/byte_product.h"
#include "kernels/byte_simd.h"

struct tacho_byte_product {
    tacho_byte_spec spec; /* its pointers are not used after creation */
    const tacho_byte_simd *simd;
    uint32_t threads;
    bool is_each;              /* depthwise */
    bool is_flat;              /* rows are the data in place */
    int64_t taps, depth, made; /* places of the window; channels of a group, in and out */
    int64_t pairs, blocks;     /* of a group; depthwise: of all outputs */
    int64_t places, tile;      /* of an image; of a unit of work */
    int64_t sets;              /* of filters: for all groups, and images that differ */
    int64_t set_numbers;       /* of one */
    int16_t *filters;          /* or NULL */
    int32_t *int_biases;
    float *biases, *scales;
    tacho_fast_post posts[TACHO_FAST_POSTS_MAX];
    tacho_byte_finish finish;
    uint64_t live_bytes, thread_bytes; /* of scratch memory */
};

/* Packs filters, given in the caller's order, into the order in which the loops read them. */
void tacho_byte_product_pack(const tacho_byte_product *self, const int8_t *filters, int16_t *to);

static inline int64_t tacho_byte_places_of(const int64_t sizes[TACHO_BYTE_SPATIAL])
{
    return sizes[0] * sizes[1] * sizes[2];
}

#endif
