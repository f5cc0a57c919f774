/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of a .tracy file, one after the other.
 */
#include "codec/tracy_pack.h"

#include "base/grow.h"
#include "codec/tracy_container.h"

#include <stdlib.h>

enum { NUMBER_BYTES = 8 };

tacho_status tacho_tracy_pack_init(tacho_tracy_pack *pack, tacho_output *output)
{
    *pack = (tacho_tracy_pack){.output = output};
    TACHO_TRY(tacho_items_make(&pack->packed, tacho_lz4_bound(TACHO_TRACY_FILE_BLOCK)));
    TACHO_TRY(tacho_lz4_encoder_init(&pack->encoder, TACHO_TRACY_FILE_BLOCK));
    tacho_output_write(output, "tlZ\x04", 4);
    return TACHO_OK;
}

void tacho_tracy_pack_deinit(tacho_tracy_pack *pack)
{
    tacho_lz4_encoder_deinit(&pack->encoder);
    free(pack->packed);
    pack->packed = NULL;
}

static void write_block(tacho_tracy_pack *pack)
{
    size_t len = tacho_lz4_encoder_encode(&pack->encoder, pack->used, pack->packed);
    unsigned char size[4];
    for (size_t i = 0; i < sizeof(size); i++) {
        size[i] = (unsigned char)(len >> (8 * i));
    }
    tacho_output_write(pack->output, size, sizeof(size));
    tacho_output_write(pack->output, pack->packed, len);
    pack->used = 0;
}

void tacho_tracy_pack_bytes(tacho_tracy_pack *pack, const void *bytes, size_t len)
{
    const char *at = bytes;
    while (len > 0) {
        size_t room = TACHO_TRACY_FILE_BLOCK - pack->used;
        size_t step = len < room ? len : room;
        memcpy(tacho_lz4_encoder_room(&pack->encoder) + pack->used, at, step);
        pack->used += step;
        at += step;
        len -= step;
        if (pack->used == TACHO_TRACY_FILE_BLOCK) {
            write_block(pack);
        }
    }
}

void tacho_tracy_pack_number(tacho_tracy_pack *pack, uint64_t value, size_t bytes)
{
    unsigned char raw[NUMBER_BYTES];
    for (size_t i = 0; i < NUMBER_BYTES; i++) {
        raw[i] = (unsigned char)(value >> (8 * i));
    }
    tacho_tracy_pack_bytes(pack, raw, bytes);
}

void tacho_tracy_pack_zeros(tacho_tracy_pack *pack, size_t count)
{
    static const char zeros[256] = {0};
    while (count > 0) {
        size_t step = count < sizeof(zeros) ? count : sizeof(zeros);
        tacho_tracy_pack_bytes(pack, zeros, step);
        count -= step;
    }
}

void tacho_tracy_pack_finish(tacho_tracy_pack *pack)
{
    if (pack->used > 0) {
        write_block(pack);
    }
}
