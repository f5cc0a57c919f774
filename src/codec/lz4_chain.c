/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains of LZ4 blocks, by liblz4.
 *
 * Decoded blocks are stored one after the other, so that a match finds its bytes right before it;
 * when there is no room for another one, the last 64 KiB move to the front.
 */
#include "codec/lz4_chain.h"

#include "base/grow.h"

#include <limits.h>
#include <lz4.h>
#include <stdlib.h>

enum { BLOCKS = 4 }; /* that are decoded between two moves */

tacho_status tacho_lz4_chain_init(tacho_lz4_chain *chain, size_t block_max)
{
    *chain = (tacho_lz4_chain){.block_max = block_max,
                               .capacity = TACHO_LZ4_WINDOW + BLOCKS * block_max};
    return tacho_items_make(&chain->buffer, chain->capacity);
}

void tacho_lz4_chain_deinit(tacho_lz4_chain *chain)
{
    free(chain->buffer);
    *chain = (tacho_lz4_chain){0};
}

static size_t window_of(const tacho_lz4_chain *chain)
{
    return chain->used < TACHO_LZ4_WINDOW ? chain->used : TACHO_LZ4_WINDOW;
}

bool tacho_lz4_chain_decode(tacho_lz4_chain *chain, tacho_str block, tacho_str *out_bytes)
{
    size_t window = window_of(chain);
    if (block.len == 0 || block.len > INT_MAX) {
        return false;
    }
    if (chain->capacity - chain->used < chain->block_max) {
        memmove(chain->buffer, chain->buffer + chain->used - window, window);
        chain->used = window;
    }
    char *to = chain->buffer + chain->used;
    int len = LZ4_decompress_safe_usingDict(block.data, to, (int)block.len, (int)chain->block_max,
                                            to - window, (int)window);
    if (len < 0) {
        return false;
    }
    chain->used += (size_t)len;
    *out_bytes = tacho_str_make(to, (size_t)len);
    return true;
}

/* ---- encoding ------------------------------------------------------------------------------ */

size_t tacho_lz4_bound(size_t block_max)
{
    return (size_t)LZ4_compressBound((int)block_max);
}

tacho_status tacho_lz4_encoder_init(tacho_lz4_encoder *encoder, size_t block_max)
{
    *encoder = (tacho_lz4_encoder){.block_max = block_max};
    TACHO_TRY(tacho_items_make(&encoder->buffer, TACHO_LZ4_WINDOW + BLOCKS * block_max));
    encoder->stream = LZ4_createStream();
    return encoder->stream != NULL ? TACHO_OK : tacho_no_memory();
}

void tacho_lz4_encoder_deinit(tacho_lz4_encoder *encoder)
{
    if (encoder->stream != NULL) {
        LZ4_freeStream(encoder->stream);
    }
    free(encoder->buffer);
    *encoder = (tacho_lz4_encoder){0};
}

char *tacho_lz4_encoder_room(const tacho_lz4_encoder *encoder)
{
    return encoder->buffer + encoder->at;
}

size_t tacho_lz4_encoder_encode(tacho_lz4_encoder *encoder, size_t len, char *out)
{
    int made = LZ4_compress_fast_continue(encoder->stream, encoder->buffer + encoder->at, out,
                                          (int)len, (int)tacho_lz4_bound(encoder->block_max), 1);
    encoder->at += len;
    if (encoder->at + encoder->block_max > TACHO_LZ4_WINDOW + BLOCKS * encoder->block_max) {
        LZ4_saveDict(encoder->stream, encoder->buffer, TACHO_LZ4_WINDOW);
        encoder->at = TACHO_LZ4_WINDOW;
    }
    return (size_t)made;
}
