/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A buffer that grows.
 */
#include "program/bytes.h"

#include "base/grow.h"

#include <stdlib.h>

bool tacho_bytes_are_zero(tacho_str bytes)
{
    for (size_t i = 0; i < bytes.len; i++) {
        if (bytes.data[i] != 0) {
            return false;
        }
    }
    return true;
}

void tacho_bytes_deinit(tacho_bytes *bytes)
{
    free(bytes->data);
    *bytes = (tacho_bytes){0};
}

tacho_status tacho_bytes_flush(tacho_bytes *bytes)
{
    tacho_str piece = tacho_bytes_view(bytes);
    bytes->drained += bytes->len;
    bytes->len = 0;
    return piece.len > 0 ? bytes->drain.put(bytes->drain.self, piece) : TACHO_OK;
}

tacho_status tacho_bytes_extend(tacho_bytes *bytes, size_t len, unsigned char **out_at)
{
    size_t need = 0;
    if (bytes->drain.put != NULL && bytes->len >= TACHO_BYTES_PIECE) {
        TACHO_TRY(tacho_bytes_flush(bytes));
    }
    if (__builtin_add_overflow(bytes->len, len, &need)) {
        return tacho_fail(TACHO_CODE_LIMIT, "%zu more bytes than fit in memory", len);
    }
    TACHO_TRY(tacho_grow(&bytes->data, &bytes->capacity, need > 0 ? need : 1));
    *out_at = bytes->data + bytes->len;
    bytes->len = need;
    return TACHO_OK;
}

tacho_status tacho_bytes_append(tacho_bytes *bytes, tacho_str more)
{
    unsigned char *at = NULL;
    TACHO_TRY(tacho_bytes_extend(bytes, more.len, &at));
    if (more.len > 0) {
        memcpy(at, more.data, more.len);
    }
    return TACHO_OK;
}

tacho_status tacho_bytes_put(tacho_bytes *bytes, uint64_t value, size_t width)
{
    unsigned char *at = NULL;
    TACHO_TRY(tacho_bytes_extend(bytes, width, &at));
    tacho_bytes_store(at, value, width);
    return TACHO_OK;
}

tacho_status tacho_bytes_pad(tacho_bytes *bytes)
{
    uint64_t len = bytes->drained + bytes->len;
    return tacho_bytes_put(bytes, 0, (size_t)(tacho_bytes_align(len) - len));
}
