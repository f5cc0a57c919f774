/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gzip, then base64, into an output.
 */
#include "sinks/report_blob.h"

#include "base/grow.h"
#include "base/utf8.h"
#include "codec/protobuf.h"

#include <assert.h>
#include <stdlib.h>

enum { PIECE_BYTES = 1 << 20, GROUP_BYTES = 3, GROUP_LETTERS = 4 };

void report_bytes_deinit(report_bytes *bytes)
{
    free(bytes->items);
    *bytes = (report_bytes){0};
}

static tacho_status make_room(report_bytes *bytes, size_t len)
{
    return tacho_grow(&bytes->items, &bytes->item_capacity, bytes->item_count + len);
}

tacho_status report_bytes_put(report_bytes *bytes, const void *data, size_t len)
{
    if (len == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(make_room(bytes, len));
    memcpy(bytes->items + bytes->item_count, data, len);
    bytes->item_count += len;
    return TACHO_OK;
}

tacho_status report_bytes_put_uint(report_bytes *bytes, uint64_t value)
{
    TACHO_TRY(make_room(bytes, TACHO_PB_VARINT_MAX));
    unsigned char *end = tacho_pb_put_varint(bytes->items + bytes->item_count, value);
    bytes->item_count = (size_t)(end - bytes->items);
    return TACHO_OK;
}

tacho_status report_bytes_put_zeros(report_bytes *bytes, size_t count)
{
    TACHO_TRY(make_room(bytes, count));
    if (count > 0) { /* |items| may be NULL if |count| is 0 */
        memset(bytes->items + bytes->item_count, 0, count);
        bytes->item_count += count;
    }
    return TACHO_OK;
}

tacho_status report_bytes_put_int(report_bytes *bytes, int64_t value)
{
    uint64_t doubled = (uint64_t)value << 1;
    return report_bytes_put_uint(bytes, value < 0 ? ~doubled : doubled);
}

tacho_status report_bytes_put_real(report_bytes *bytes, double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof(bits));
    unsigned char little[sizeof(bits)];
    for (size_t i = 0; i < sizeof(bits); i++) {
        little[i] = (unsigned char)(bits >> (8 * i));
    }
    return report_bytes_put(bytes, little, sizeof(little));
}

tacho_status report_bytes_put_string(report_bytes *bytes, tacho_str text)
{
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status = tacho_utf8_clean(text, &arena, &text);
    if (status == TACHO_OK) {
        status = report_bytes_put_uint(bytes, text.len);
    }
    if (status == TACHO_OK) {
        status = report_bytes_put(bytes, text.data, text.len);
    }
    tacho_arena_deinit(&arena);
    return status;
}

uint64_t report_bytes_take_uint(const report_bytes *bytes, size_t *at)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        assert(*at < bytes->item_count);
        unsigned char byte = bytes->items[(*at)++];
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            return value;
        }
    }
}

int64_t report_bytes_take_int(const report_bytes *bytes, size_t *at)
{
    uint64_t doubled = report_bytes_take_uint(bytes, at);
    return (int64_t)((doubled & 1) != 0 ? ~(doubled >> 1) : doubled >> 1);
}

/* ---- base64 ---------------------------------------------------------------------------- */

/* Writes |len| <= 3 bytes as four letters, with '=' for missing ones. */
static void put_group(tacho_output *output, const unsigned char *bytes, size_t len)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = (uint32_t)bytes[0] << 16 | (len > 1 ? (uint32_t)bytes[1] << 8 : 0) |
                    (len > 2 ? bytes[2] : 0);
    unsigned char *at = tacho_output_reserve(output, GROUP_LETTERS);
    for (size_t i = 0; i < GROUP_LETTERS; i++) {
        at[i] = (unsigned char)(i <= len ? letters[bits >> (18 - 6 * i) & 63] : '=');
    }
    output->cursor = at + GROUP_LETTERS;
}

static tacho_status put_base64(void *self, const void *bytes, size_t len)
{
    report_blob *blob = self;
    const unsigned char *at = bytes;
    const unsigned char *end = at + len;
    while (at < end) {
        if (blob->carried_count == 0 && end - at >= GROUP_BYTES) {
            put_group(blob->output, at, GROUP_BYTES);
            at += GROUP_BYTES;
            continue;
        }
        blob->carried[blob->carried_count++] = *at++;
        if (blob->carried_count == GROUP_BYTES) {
            put_group(blob->output, blob->carried, GROUP_BYTES);
            blob->carried_count = 0;
        }
    }
    return tacho_output_failed(blob->output) ? tacho_output_take_failure(blob->output) : TACHO_OK;
}

/* ---- blobs ----------------------------------------------------------------------------- */

tacho_status report_blob_begin(report_blob *blob, tacho_output *output)
{
    *blob = (report_blob){.output = output};
    return tacho_encoder_create(TACHO_STR(".gz"), &blob->encoder);
}

tacho_status report_blob_write(report_blob *blob, const report_bytes *bytes)
{
    for (size_t at = 0; at < bytes->item_count; at += PIECE_BYTES) {
        size_t left = bytes->item_count - at;
        tacho_str piece = tacho_str_make((const char *)bytes->items + at,
                                         left < PIECE_BYTES ? left : PIECE_BYTES);
        TACHO_TRY(tacho_encoder_run(blob->encoder, piece, false, put_base64, blob));
    }
    return TACHO_OK;
}

tacho_status report_blob_end(report_blob *blob)
{
    TACHO_TRY(tacho_encoder_run(blob->encoder, TACHO_STR(""), true, put_base64, blob));
    if (blob->carried_count > 0) {
        put_group(blob->output, blob->carried, blob->carried_count);
        blob->carried_count = 0;
    }
    return TACHO_OK;
}

void report_blob_deinit(report_blob *blob)
{
    tacho_encoder_destroy(blob->encoder);
    *blob = (report_blob){0};
}
