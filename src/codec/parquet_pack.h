/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodings of Parquet: runs and packed bits for small numbers, packed differences for large ones.
 */
#ifndef TACHO_CODEC_PARQUET_PACK_H
#define TACHO_CODEC_PARQUET_PACK_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* Bytes that grow. All zero is empty. */
typedef struct tacho_parquet_buffer {
    unsigned char *items;
    size_t len, capacity;
} tacho_parquet_buffer;

void tacho_parquet_buffer_deinit(tacho_parquet_buffer *bytes);
tacho_status tacho_parquet_buffer_add(tacho_parquet_buffer *bytes, const void *more,
                                      size_t len) TACHO_MUST_USE;

/* How many bits the numbers up to |max| take. */
unsigned tacho_parquet_bit_width(uint64_t max);

/* RLE and bit packing, mixed: |values| of |width| bits, at most 32. */
tacho_status tacho_parquet_pack_runs(const uint32_t *values, size_t count, unsigned width,
                                     tacho_parquet_buffer *to) TACHO_MUST_USE;

/* DELTA_BINARY_PACKED; not for no values. */
tacho_status tacho_parquet_pack_deltas(const int64_t *values, size_t count,
                                       tacho_parquet_buffer *to) TACHO_MUST_USE;

#endif
