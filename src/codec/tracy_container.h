/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The outside of a .tracy file: blocks of at most 64 KiB, each packed by one of several streams in
 * turn. There are four kinds: "tlZ\4" (one stream of LZ4), "tZst" (one of Zstandard) and
 * "tr\375P" with either and a number of streams.
 */
#ifndef TACHO_CODEC_TRACY_CONTAINER_H
#define TACHO_CODEC_TRACY_CONTAINER_H

#include "base/input.h"
#include "codec/lz4_chain.h"

enum { TACHO_TRACY_FILE_BLOCK = 64 << 10 };

typedef struct tacho_tracy_stream tacho_tracy_stream;

typedef struct tacho_tracy_container {
    tacho_input *input;
    bool is_zstd;
    tacho_tracy_stream *streams;
    size_t stream_count;
    size_t next; /* the stream of the next block */
    uint64_t block_count;
    const char *damage; /* why it ended early; NULL while sound */
} tacho_tracy_container;

/* Whether |head| begins one. */
bool tacho_tracy_container_is(tacho_str head);

/* Reads the head. Close it even if that fails. */
tacho_status tacho_tracy_container_open(tacho_tracy_container *container,
                                        tacho_input *input) TACHO_MUST_USE;
void tacho_tracy_container_close(tacho_tracy_container *container);

/* The next block, good until the next call; empty at the end, and where |damage| is set. */
tacho_status tacho_tracy_container_next(tacho_tracy_container *container,
                                        tacho_str *out_bytes) TACHO_MUST_USE;

#endif
