/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Crosses from block to block.
 */
#include "sources/tracy/tracy_bytes.h"

static bool next_block(tracy_bytes *bytes)
{
    tacho_str block = TACHO_STR("");
    if (bytes->is_cut) {
        return false;
    }
    bytes->failure = tacho_tracy_container_next(bytes->container, &block);
    bytes->at = block.data;
    bytes->end = block.data + block.len;
    bytes->is_cut = bytes->failure != TACHO_OK || block.len == 0;
    return !bytes->is_cut;
}

/* Advances by |len| bytes, and copies them if |to| is not NULL. */
static void walk(tracy_bytes *bytes, char *to, uint64_t len)
{
    while (len > 0) {
        size_t room = (size_t)(bytes->end - bytes->at);
        size_t step = room < len ? room : (size_t)len;
        if (step == 0 && !next_block(bytes)) {
            if (to != NULL) {
                memset(to, 0, (size_t)len);
            }
            return;
        }
        if (to != NULL && step > 0) {
            memcpy(to, bytes->at, step);
            to += step;
        }
        bytes->at += step;
        len -= step;
    }
}

void tracy_bytes_copy(tracy_bytes *bytes, void *to, size_t len)
{
    walk(bytes, to, len);
}

void tracy_bytes_skip(tracy_bytes *bytes, uint64_t len)
{
    walk(bytes, NULL, len);
}
