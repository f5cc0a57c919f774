/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the outside of a .tracy file: "tlZ\4", then blocks of 64 KiB in one stream of LZ4, which
 * every version of Tracy reads. The inside is numbers, least significant byte first.
 */
#ifndef TACHO_CODEC_TRACY_PACK_H
#define TACHO_CODEC_TRACY_PACK_H

#include "base/output.h"
#include "codec/lz4_chain.h"

typedef struct tacho_tracy_pack {
    tacho_output *output;
    tacho_lz4_encoder encoder;
    char *packed; /* a block */
    size_t used;  /* bytes of the encoder's room */
} tacho_tracy_pack;

/* Writes the head. Call deinit even if init failed. */
tacho_status tacho_tracy_pack_init(tacho_tracy_pack *pack, tacho_output *output) TACHO_MUST_USE;
void tacho_tracy_pack_deinit(tacho_tracy_pack *pack);

void tacho_tracy_pack_bytes(tacho_tracy_pack *pack, const void *bytes, size_t len);

/* The |bytes| low bytes of |value|, 8 at most. */
void tacho_tracy_pack_number(tacho_tracy_pack *pack, uint64_t value, size_t bytes);

/* |count| bytes of zero. */
void tacho_tracy_pack_zeros(tacho_tracy_pack *pack, size_t count);

/* The last block. */
void tacho_tracy_pack_finish(tacho_tracy_pack *pack);

#endif
