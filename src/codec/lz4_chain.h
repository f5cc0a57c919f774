/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LZ4 blocks that continue one another: a match may reach into the 64 KiB that were decoded before
 * its block. Tracy sends and stores its data this way. A block does not contain its decoded length;
 * the caller that opens the chain knows the maximum.
 */
#ifndef TACHO_CODEC_LZ4_CHAIN_H
#define TACHO_CODEC_LZ4_CHAIN_H

#include "base/status.h"
#include "base/str.h"

enum { TACHO_LZ4_WINDOW = 64 << 10 };

typedef struct tacho_lz4_chain {
    char *buffer; /* the window, then room for blocks */
    size_t capacity, used;
    size_t block_max; /* decoded bytes of a block */
} tacho_lz4_chain;

/* For blocks of at most |block_max| decoded bytes. Call deinit even if init failed. */
tacho_status tacho_lz4_chain_init(tacho_lz4_chain *chain, size_t block_max) TACHO_MUST_USE;
void tacho_lz4_chain_deinit(tacho_lz4_chain *chain);

/*
 * Decodes the next block of the chain; the bytes are good until the next call. False where it is
 * not a block, or one that is too long; nothing can be decoded after that.
 */
bool tacho_lz4_chain_decode(tacho_lz4_chain *chain, tacho_str block, tacho_str *out_bytes);

/* The most bytes that a block takes when encoded. */
size_t tacho_lz4_bound(size_t block_max);

/* The encoder: each block refers to the blocks before it. */
typedef struct tacho_lz4_encoder {
    void *stream;
    char *buffer; /* the last encoded bytes, for matches */
    size_t block_max;
    size_t at;
} tacho_lz4_encoder;

tacho_status tacho_lz4_encoder_init(tacho_lz4_encoder *encoder, size_t block_max) TACHO_MUST_USE;
void tacho_lz4_encoder_deinit(tacho_lz4_encoder *encoder);

/*
 * Room for the next block, |block_max| bytes, to be filled before the block is encoded. The room
 * moves on with every block.
 */
char *tacho_lz4_encoder_room(const tacho_lz4_encoder *encoder);

/* Encodes the |len| bytes of the room into |out|, which has tacho_lz4_bound bytes; returns how
 * many. */
size_t tacho_lz4_encoder_encode(tacho_lz4_encoder *encoder, size_t len, char *out);

#endif
