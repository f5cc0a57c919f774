/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies for another processor. A processor that writes to memory which another has just read must
 * request every line of it first; where processors are far apart, that takes ten times as long as
 * the copy itself. Streaming stores do not. The copy is not in any cache afterwards, so this is
 * wrong for data that the same thread reads next.
 */
#ifndef TACHO_BASE_STREAMING_H
#define TACHO_BASE_STREAMING_H

#include <stddef.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
    TACHO_CACHE_LINE = 64,
    TACHO_STREAMING_ALIGN = 16,                                      /* of where copies go */
    TACHO_STREAMING_MORE = TACHO_CACHE_LINE - TACHO_STREAMING_ALIGN, /* that they may take there */
};

/* |len| rounded up to whole lines of the cache. */
static inline size_t tacho_streaming_room(size_t len)
{
    return (len + TACHO_CACHE_LINE - 1) / TACHO_CACHE_LINE * TACHO_CACHE_LINE;
}

/* Copies as much as a line of the cache has. */
static inline void tacho_streaming_copy_line(char *to, const char *from)
{
#if defined(__SSE2__)
    for (size_t i = 0; i < TACHO_CACHE_LINE; i += sizeof(__m128i)) {
        __m128i part = _mm_loadu_si128((const __m128i *)(const void *)(from + i));
        _mm_stream_si128((__m128i *)(void *)(to + i), part);
    }
#else
    memcpy(to, from, TACHO_CACHE_LINE);
#endif
}

/*
 * Copies |len| bytes to |to|, which is aligned to TACHO_STREAMING_ALIGN, and best to a line of the
 * cache, and has room for tacho_streaming_room(len). Others see them after tacho_streaming_end.
 */
static inline void tacho_streaming_copy(void *to, const void *from, size_t len)
{
    size_t whole = len / TACHO_CACHE_LINE * TACHO_CACHE_LINE;
    for (size_t i = 0; i < whole; i += TACHO_CACHE_LINE) {
        tacho_streaming_copy_line((char *)to + i, (const char *)from + i);
    }
    if (whole < len) {
        char rest[TACHO_CACHE_LINE] = {0};
        memcpy(rest, (const char *)from + whole, len - whole);
        tacho_streaming_copy_line((char *)to + whole, rest);
    }
}

/* Call it before the lock or the atomic store that publishes the copies to another thread. */
static inline void tacho_streaming_end(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

#endif
