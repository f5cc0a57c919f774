/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of a .tracy file.
 */
#include "codec/tracy_container.h"

#include "base/grow.h"

#include <stdlib.h>
#include <zstd.h>

enum { MAGIC = 4, CHUNKED_HEAD = 6, SIZE_BYTES = 4, PACKED_MAX = 1 << 18 };

struct tacho_tracy_stream {
    tacho_lz4_chain lz4;
    ZSTD_DStream *zstd;
    char *plain; /* of a block, for Zstandard */
};

static bool has_magic(tacho_str head, const char *magic)
{
    return head.len >= MAGIC && memcmp(head.data, magic, MAGIC) == 0;
}

bool tacho_tracy_container_is(tacho_str head)
{
    return has_magic(head, "tlZ\x04") || has_magic(head, "tZst") ||
           (has_magic(head, "tr\xfdP") && head.len >= CHUNKED_HEAD && (head.data[4] & ~1) == 0 &&
            head.data[5] != 0);
}

static tacho_status open_stream(const tacho_tracy_container *container, tacho_tracy_stream *stream)
{
    if (!container->is_zstd) {
        return tacho_lz4_chain_init(&stream->lz4, TACHO_TRACY_FILE_BLOCK);
    }
    stream->zstd = ZSTD_createDStream();
    if (stream->zstd == NULL) {
        return tacho_no_memory();
    }
    return tacho_items_make(&stream->plain, TACHO_TRACY_FILE_BLOCK);
}

tacho_status tacho_tracy_container_open(tacho_tracy_container *container, tacho_input *input)
{
    tacho_str head = TACHO_STR("");
    *container = (tacho_tracy_container){.input = input};
    TACHO_TRY(tacho_input_peek(input, CHUNKED_HEAD, &head));
    if (!tacho_tracy_container_is(head)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s: not a Tracy file: unknown first bytes",
                          input->name);
    }
    bool is_chunked = has_magic(head, "tr\xfdP");
    container->is_zstd = is_chunked ? head.data[4] == 1 : has_magic(head, "tZst");
    size_t count = is_chunked ? (unsigned char)head.data[5] : 1;
    tacho_input_skip(input, is_chunked ? CHUNKED_HEAD : MAGIC);
    TACHO_TRY(tacho_items_make(&container->streams, count));
    container->stream_count = count;
    return TACHO_OK;
}

void tacho_tracy_container_close(tacho_tracy_container *container)
{
    for (size_t i = 0; i < container->stream_count; i++) {
        tacho_lz4_chain_deinit(&container->streams[i].lz4);
        ZSTD_freeDStream(container->streams[i].zstd);
        free(container->streams[i].plain);
    }
    free(container->streams);
    *container = (tacho_tracy_container){0};
}

/* Unpacks a block of a Zstandard stream; false where it is none. */
static bool unpack_zstd(tacho_tracy_stream *stream, tacho_str packed, tacho_str *out_bytes)
{
    ZSTD_inBuffer in = {packed.data, packed.len, 0};
    ZSTD_outBuffer out = {stream->plain, TACHO_TRACY_FILE_BLOCK, 0};
    while (in.pos < in.size) {
        size_t in_before = in.pos;
        size_t out_before = out.pos;
        size_t result = ZSTD_decompressStream(stream->zstd, &out, &in);
        if (ZSTD_isError(result) || (in.pos == in_before && out.pos == out_before)) {
            return false;
        }
    }
    *out_bytes = tacho_str_make(stream->plain, out.pos);
    return true;
}

static tacho_status cut(tacho_tracy_container *container, const char *why)
{
    container->damage = why;
    return TACHO_OK;
}

tacho_status tacho_tracy_container_next(tacho_tracy_container *container, tacho_str *out_bytes)
{
    tacho_str bytes = TACHO_STR("");
    *out_bytes = TACHO_STR("");
    if (container->damage != NULL) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_input_peek(container->input, SIZE_BYTES, &bytes));
    if (bytes.len < SIZE_BYTES) {
        return bytes.len == 0 ? TACHO_OK : cut(container, "it ends inside the size of a block");
    }
    const unsigned char *at = (const unsigned char *)bytes.data;
    size_t size = (size_t)at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16 | (size_t)at[3] << 24;
    if (size == 0 || size > PACKED_MAX) {
        return cut(container, "a block is longer than any can be");
    }
    TACHO_TRY(tacho_input_peek(container->input, SIZE_BYTES + size, &bytes));
    if (bytes.len < SIZE_BYTES + size) {
        return cut(container, "it ends inside a block");
    }
    tacho_tracy_stream *stream = &container->streams[container->next];
    if (stream->lz4.buffer == NULL && stream->zstd == NULL) {
        TACHO_TRY(open_stream(container, stream));
    }
    tacho_str packed = tacho_str_make(bytes.data + SIZE_BYTES, size);
    bool is_good = container->is_zstd ? unpack_zstd(stream, packed, out_bytes)
                                      : tacho_lz4_chain_decode(&stream->lz4, packed, out_bytes);
    tacho_input_skip(container->input, SIZE_BYTES + size);
    container->next = (container->next + 1) % container->stream_count;
    container->block_count++;
    if (!is_good || out_bytes->len == 0) {
        *out_bytes = TACHO_STR("");
        return cut(container, "a block cannot be unpacked");
    }
    return TACHO_OK;
}
