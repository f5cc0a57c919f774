/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of a .tracy file, across its blocks. Past the end every number is 0 and |is_cut| is set:
 * loops over a count from the file check it in each round.
 */
#ifndef TACHO_SOURCES_TRACY_BYTES_H
#define TACHO_SOURCES_TRACY_BYTES_H

#include "codec/tracy_container.h"

typedef struct tracy_bytes {
    tacho_tracy_container *container;
    const char *at, *end;
    bool is_cut;
    tacho_status failure; /* not the file's: no memory, the disk; implies |is_cut| */
} tracy_bytes;

/* Copies |len| bytes, however many blocks they are in. */
void tracy_bytes_copy(tracy_bytes *bytes, void *to, size_t len);
void tracy_bytes_skip(tracy_bytes *bytes, uint64_t len);

static inline void tracy_bytes_get(tracy_bytes *bytes, void *to, size_t len)
{
    if (TACHO_LIKELY((size_t)(bytes->end - bytes->at) >= len)) {
        memcpy(to, bytes->at, len);
        bytes->at += len;
    } else {
        tracy_bytes_copy(bytes, to, len);
    }
}

/* Files are little-endian; bytes are swapped on other machines. */
static inline uint64_t tracy_bytes_number(tracy_bytes *bytes, size_t len)
{
    unsigned char raw[8] = {0};
    uint64_t value = 0;
    tracy_bytes_get(bytes, raw, len);
    for (size_t i = 0; i < 8; i++) {
        value |= (uint64_t)raw[i] << (8 * i);
    }
    return value;
}

static inline uint8_t tracy_bytes_u8(tracy_bytes *bytes)
{
    return (uint8_t)tracy_bytes_number(bytes, 1);
}

static inline uint16_t tracy_bytes_u16(tracy_bytes *bytes)
{
    return (uint16_t)tracy_bytes_number(bytes, 2);
}

static inline int16_t tracy_bytes_i16(tracy_bytes *bytes)
{
    return (int16_t)tracy_bytes_u16(bytes);
}

/* Three bytes. */
static inline uint32_t tracy_bytes_u24(tracy_bytes *bytes)
{
    return (uint32_t)tracy_bytes_number(bytes, 3);
}

static inline uint32_t tracy_bytes_u32(tracy_bytes *bytes)
{
    return (uint32_t)tracy_bytes_number(bytes, 4);
}

static inline uint64_t tracy_bytes_u64(tracy_bytes *bytes)
{
    return tracy_bytes_number(bytes, 8);
}

static inline double tracy_bytes_f64(tracy_bytes *bytes)
{
    uint64_t bits = tracy_bytes_u64(bytes);
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* A time stored as the difference to the previous one. */
static inline int64_t tracy_bytes_time(tracy_bytes *bytes, int64_t *running)
{
    *running = (int64_t)((uint64_t)*running + tracy_bytes_u64(bytes));
    return *running;
}

#endif
