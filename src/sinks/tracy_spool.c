/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of records, in chunks.
 */
#include "sinks/tracy_spool.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

void tracy_spool_close(tracy_spool *spool)
{
    if (spool->is_open) {
        tacho_tempfile_close(&spool->file);
        spool->is_open = false;
    }
}

void tracy_stream_deinit(tracy_stream *stream)
{
    free(stream->buffer);
    free(stream->chunks);
    *stream = (tracy_stream){.buffer = NULL};
}

static tacho_status flush(tracy_spool *spool, tracy_stream *stream)
{
    if (!spool->is_open) {
        TACHO_TRY(tacho_tempfile_open(&spool->file));
        spool->is_open = true;
    }
    TACHO_TRY(tacho_grow(&stream->chunks, &stream->chunk_capacity, stream->chunk_count + 1));
    stream->chunks[stream->chunk_count] = spool->file.size_bytes;
    TACHO_TRY(tacho_tempfile_append(&spool->file, stream->buffer, TRACY_CHUNK));
    stream->chunk_count++;
    stream->used = 0;
    return TACHO_OK;
}

tacho_status tracy_spool_append(tracy_spool *spool, tracy_stream *stream, const void *record,
                                size_t len)
{
    if (stream->used == TRACY_CHUNK) {
        TACHO_TRY(flush(spool, stream));
    }
    TACHO_TRY(tacho_grow(&stream->buffer, &stream->capacity, stream->used + len));
    memcpy(stream->buffer + stream->used, record, len);
    stream->used += len;
    return TACHO_OK;
}

tacho_status tracy_spool_replace(tracy_spool *spool, tracy_stream *stream, uint64_t at,
                                 const void *bytes, size_t len)
{
    size_t chunk = (size_t)(at / TRACY_CHUNK);
    if (chunk == stream->chunk_count) {
        memcpy(stream->buffer + at % TRACY_CHUNK, bytes, len);
        return TACHO_OK;
    }
    return tacho_tempfile_replace(&spool->file, stream->chunks[chunk] + at % TRACY_CHUNK, bytes,
                                  len);
}

void tracy_cursor_init(tracy_cursor *cursor, const tracy_spool *spool, const tracy_stream *stream)
{
    cursor->spool = spool;
    cursor->stream = stream;
    cursor->chunk = 0;
    cursor->at = 0;
    cursor->end = 0;
}

static tacho_status next_chunk(tracy_cursor *cursor)
{
    const tracy_stream *stream = cursor->stream;
    bool is_last = cursor->chunk == stream->chunk_count;
    cursor->at = 0;
    cursor->end = is_last ? stream->used : TRACY_CHUNK;
    if (!is_last) {
        TACHO_TRY(tacho_tempfile_read(&cursor->spool->file, stream->chunks[cursor->chunk],
                                      cursor->bytes, TRACY_CHUNK));
    } else if (stream->used > 0) {
        memcpy(cursor->bytes, stream->buffer, stream->used);
    }
    cursor->chunk++;
    return TACHO_OK;
}

tacho_status tracy_cursor_next(tracy_cursor *cursor, void *record, size_t len, bool *out_is_there)
{
    if (cursor->at == cursor->end && cursor->chunk <= cursor->stream->chunk_count) {
        TACHO_TRY(next_chunk(cursor));
    }
    *out_is_there = cursor->at < cursor->end;
    if (*out_is_there) {
        memcpy(record, cursor->bytes + cursor->at, len);
        cursor->at += len;
    }
    return TACHO_OK;
}
