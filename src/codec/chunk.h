/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chunk framing: how our own record files are divided into independent pieces. A truncated or
 * damaged file still gives every complete chunk; after a bad one the reader looks for the next
 * magic. This is framing only: the writer of the records defines their meaning.
 *
 * Little-endian, append-only, nothing written back. Every part is a multiple of 8 bytes long.
 *
 *     file header, 32 bytes: magic 89 'T' 'C' 'H' 0D 0A 1A 0A, u32 kind, u16 version, u16 0,
 *                            12 bytes 0, u32 CRC32C of the 28 bytes before
 *     chunk header, 40 bytes: u32 magic, u32 type, u16 version, u16 flags, u32 stream,
 *                            u32 sequence (chunks of the file before it), u32 record size,
 *                            u32 record count, u32 CRC32C of this header with 0 in this place,
 *                            u64 payload bytes, not padded
 *     payload, zeros up to a multiple of 8
 *     u32 CRC32C of payload and padding, u32 the sequence again
 */
#ifndef TACHO_CODEC_CHUNK_H
#define TACHO_CODEC_CHUNK_H

#include "base/output.h"
#include "base/str.h"

/* Four letters as a number, the first one lowest. */
#define TACHO_FOURCC(a, b, c, d)                                                                   \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

/* The beginning of every file of chunks, after its first byte. */
#define TACHO_CHUNK_FILE_MARK "TCH\r\n\x1a\n"

enum {
    TACHO_CHUNK_FILE_BYTES = 32,
    TACHO_CHUNK_HEADER_BYTES = 40,
    TACHO_CHUNK_OVERHEAD = 48,
    TACHO_CHUNK_VERSION = 1,
};

/* The most bytes of one chunk's payload. */
static const uint64_t tacho_chunk_bytes_max = (uint64_t)1 << 30;

typedef struct tacho_chunk {
    uint32_t type; /* TACHO_FOURCC */
    uint16_t version, flags;
    uint32_t stream;
    uint32_t sequence; /* given by the writer */
    uint32_t record_size, record_count;
    tacho_str payload; /* record_size * record_count bytes */
} tacho_chunk;

/* Writes a file of |kind|. */
typedef struct tacho_chunk_writer {
    tacho_output *output;
    uint32_t next_sequence;
} tacho_chunk_writer;

void tacho_chunk_begin(tacho_chunk_writer *writer, tacho_output *output, uint32_t kind);
void tacho_chunk_write(tacho_chunk_writer *writer, const tacho_chunk *chunk);

/* Reads a file that is in memory as a whole. */
typedef struct tacho_chunk_reader {
    tacho_str file;
    uint64_t at;
    uint32_t next_sequence;
    uint64_t chunk_count;   /* whole ones so far */
    uint64_t missing_count; /* missing in the sequence */
    uint64_t damaged_bytes; /* that belong to no whole chunk */
    uint64_t first_damage;  /* where they begin */
    uint64_t checked_bytes; /* of payloads, so that no file takes long for its size */
} tacho_chunk_reader;

/* Whether |head|, the first bytes of a file, is the header of a file of |kind|. */
bool tacho_chunk_is_file(tacho_str head, uint32_t kind);

/* Fails with BAD_DATA when |file| does not begin as one of |kind|. */
tacho_status tacho_chunk_open(tacho_chunk_reader *reader, tacho_str file,
                              uint32_t kind) TACHO_MUST_USE;

/* The next whole chunk; false after the last. */
bool tacho_chunk_next(tacho_chunk_reader *reader, tacho_chunk *out_chunk);

/*
 * For who sees a file through a window. The bytes that the chunk at the front of |bytes| takes by
 * its header, of which TACHO_CHUNK_HEADER_BYTES must be there; 0 when none begins so.
 */
uint64_t tacho_chunk_size(tacho_str bytes);

/* The chunk of which |bytes| are all; false when its payload is damaged. */
bool tacho_chunk_parse(tacho_str bytes, tacho_chunk *out_chunk);

/* The next place from |at| on where a chunk may begin, or the end. */
uint64_t tacho_chunk_find(tacho_str bytes, uint64_t at);

#endif
