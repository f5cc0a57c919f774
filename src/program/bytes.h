/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Little-endian numbers in bytes that have no alignment, and a buffer that grows: how containers
 * and images are written to and read from.
 */
#ifndef TACHO_PROGRAM_BYTES_H
#define TACHO_PROGRAM_BYTES_H

#include "base/status.h"
#include "base/str.h"

static inline uint64_t tacho_bytes_load(const void *bytes, size_t width)
{
    const unsigned char *at = bytes;
    uint64_t value = 0;
    for (size_t i = 0; i < width; i++) {
        value |= (uint64_t)at[i] << (8 * i);
    }
    return value;
}

static inline void tacho_bytes_store(void *bytes, uint64_t value, size_t width)
{
    unsigned char *at = bytes;
    for (size_t i = 0; i < width; i++) {
        at[i] = (unsigned char)(value >> (8 * i));
    }
}

/* The next multiple of 8. */
static inline uint64_t tacho_bytes_align(uint64_t offset)
{
    return (offset + 7) & ~(uint64_t)7;
}

/* Continues |hash| with |value|; the same everywhere (FNV-1a). */
#define TACHO_BYTES_HASH UINT64_C(0xcbf29ce484222325) /* of nothing */
static inline uint64_t tacho_bytes_hash(uint64_t hash, uint64_t value)
{
    for (int i = 0; i < 8; i++) {
        hash = (hash ^ (value >> (8 * i) & 0xff)) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* Whether all of |bytes| are 0. */
bool tacho_bytes_are_zero(tacho_str bytes);

/* The destination of bytes that a buffer does not keep. */
typedef struct tacho_bytes_drain {
    tacho_status (*put)(void *self, tacho_str bytes);
    void *self;
} tacho_bytes_drain;

/*
 * Zeroed, it is empty. With a drain it holds a piece at a time: full pieces are passed on, and the
 * owner passes on the rest with tacho_bytes_flush.
 */
typedef struct tacho_bytes {
    unsigned char *data;
    size_t len, capacity;
    tacho_bytes_drain drain;
    uint64_t drained; /* bytes that were passed on */
} tacho_bytes;

/* A buffer with a drain is full at so many bytes. */
enum { TACHO_BYTES_PIECE = 64 << 10 };

void tacho_bytes_deinit(tacho_bytes *bytes);

static inline tacho_str tacho_bytes_view(const tacho_bytes *bytes)
{
    return tacho_str_make((const char *)bytes->data, bytes->len);
}

/* |len| more bytes, to be filled by the caller before the next call. */
tacho_status tacho_bytes_extend(tacho_bytes *bytes, size_t len,
                                unsigned char **out_at) TACHO_MUST_USE;

tacho_status tacho_bytes_append(tacho_bytes *bytes, tacho_str more) TACHO_MUST_USE;

/* The lowest |width| bytes of |value|. */
tacho_status tacho_bytes_put(tacho_bytes *bytes, uint64_t value, size_t width) TACHO_MUST_USE;

/* Zeros up to a multiple of 8. */
tacho_status tacho_bytes_pad(tacho_bytes *bytes) TACHO_MUST_USE;

/* Passes on the contents of a buffer with a drain. */
tacho_status tacho_bytes_flush(tacho_bytes *bytes) TACHO_MUST_USE;

#endif
