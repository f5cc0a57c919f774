/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of many streams, kept until all of them are known. The first records of a stream are held
 * in memory, the rest in one temporary file, a chunk at a time. Records of a stream have one size,
 * which divides that of a chunk.
 */
#ifndef TACHO_SINKS_TRACY_SPOOL_H
#define TACHO_SINKS_TRACY_SPOOL_H

#include "base/tempfile.h"

#include <stdbool.h>
#include <stddef.h>

enum { TRACY_CHUNK = 8 << 10 };

typedef struct tracy_spool {
    tacho_tempfile file;
    bool is_open;
} tracy_spool;

/* All zero: an empty stream. */
typedef struct tracy_stream {
    unsigned char *buffer; /* the chunk being filled */
    size_t used, capacity;
    uint64_t *chunks; /* starts of the others */
    size_t chunk_count, chunk_capacity;
} tracy_stream;

void tracy_spool_close(tracy_spool *spool);
void tracy_stream_deinit(tracy_stream *stream);

/* Bytes in it: the place of the next record. */
static inline uint64_t tracy_stream_size(const tracy_stream *stream)
{
    return (uint64_t)stream->chunk_count * TRACY_CHUNK + stream->used;
}

tacho_status tracy_spool_append(tracy_spool *spool, tracy_stream *stream, const void *record,
                                size_t len) TACHO_MUST_USE;

/* Replaces |len| bytes at |at|, inside of one record. */
tacho_status tracy_spool_replace(tracy_spool *spool, tracy_stream *stream, uint64_t at,
                                 const void *bytes, size_t len) TACHO_MUST_USE;

/* Reads a stream from its start. */
typedef struct tracy_cursor {
    const tracy_spool *spool;
    const tracy_stream *stream;
    size_t chunk;
    size_t at, end;
    unsigned char bytes[TRACY_CHUNK];
} tracy_cursor;

void tracy_cursor_init(tracy_cursor *cursor, const tracy_spool *spool, const tracy_stream *stream);

/* The next record; false after the last. */
tacho_status tracy_cursor_next(tracy_cursor *cursor, void *record, size_t len,
                               bool *out_is_there) TACHO_MUST_USE;

#endif
