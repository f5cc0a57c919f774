/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One small interface to zlib and libzstd. The stream is recognised by its magic number,
 * never by a file name.
 */
#include "base/decoder.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

enum { GZIP_WINDOW_BITS = 15 + 16 };

struct tacho_decoder {
    ZSTD_DCtx *zstd; /* NULL for gzip */
    z_stream gzip;
};

static tacho_status no_decoder_memory(void)
{
    return tacho_no_memory();
}

static tacho_status start_gzip(tacho_decoder *decoder)
{
    return inflateInit2(&decoder->gzip, GZIP_WINDOW_BITS) == Z_OK ? TACHO_OK : no_decoder_memory();
}

static tacho_status start_zstd(tacho_decoder *decoder)
{
    decoder->zstd = ZSTD_createDCtx();
    return decoder->zstd != NULL ? TACHO_OK : no_decoder_memory();
}

/* A zstd stream may begin with a skippable frame: 0x184D2A50 to 0x184D2A5F. */
static bool is_skippable_frame(tacho_str head)
{
    return head.len >= 4 && ((unsigned char)head.data[0] & 0xf0) == 0x50 &&
           memcmp(head.data + 1, "\x2a\x4d\x18", 3) == 0;
}

tacho_status tacho_decoder_create(tacho_str head, tacho_decoder **out_decoder)
{
    *out_decoder = NULL;
    bool is_gzip = tacho_str_starts_with(head, TACHO_STR("\x1f\x8b\x08"));
    bool is_zstd =
        tacho_str_starts_with(head, TACHO_STR("\x28\xb5\x2f\xfd")) || is_skippable_frame(head);
    if (!is_gzip && !is_zstd) {
        return TACHO_OK;
    }
    tacho_decoder *decoder = calloc(1, sizeof(*decoder));
    if (decoder == NULL) {
        return no_decoder_memory();
    }
    tacho_status status = is_gzip ? start_gzip(decoder) : start_zstd(decoder);
    if (status != TACHO_OK) {
        free(decoder);
        return status;
    }
    *out_decoder = decoder;
    return TACHO_OK;
}

tacho_status tacho_decoder_create_zlib(tacho_decoder **out_decoder)
{
    tacho_decoder *decoder = calloc(1, sizeof(*decoder));
    if (decoder == NULL || inflateInit(&decoder->gzip) != Z_OK) {
        free(decoder);
        return no_decoder_memory();
    }
    *out_decoder = decoder;
    return TACHO_OK;
}

void tacho_decoder_destroy(tacho_decoder *decoder)
{
    if (decoder == NULL) {
        return;
    }
    if (decoder->zstd != NULL) {
        ZSTD_freeDCtx(decoder->zstd);
    } else {
        inflateEnd(&decoder->gzip);
    }
    free(decoder);
}

const char *tacho_decoder_name(const tacho_decoder *decoder)
{
    return decoder->zstd != NULL ? "zstd" : "gzip";
}

static uInt clamp_uint(size_t len)
{
    return len > UINT_MAX ? UINT_MAX : (uInt)len;
}

static tacho_decode_result run_gzip(z_stream *gzip, tacho_decode_io *io)
{
    uInt in_len = clamp_uint(io->in_len);
    uInt out_len = clamp_uint(io->out_len);
    gzip->next_in = (Bytef *)(uintptr_t)io->in; /* zlib only reads it, in spite of the type */
    gzip->avail_in = in_len;
    gzip->next_out = io->out;
    gzip->avail_out = out_len;
    int result = inflate(gzip, Z_NO_FLUSH);
    io->in += in_len - gzip->avail_in;
    io->in_len -= in_len - gzip->avail_in;
    io->out += out_len - gzip->avail_out;
    io->out_len -= out_len - gzip->avail_out;
    if (result == Z_STREAM_END) {
        inflateReset2(gzip, GZIP_WINDOW_BITS);
        return TACHO_DECODE_END;
    }
    return result == Z_OK || result == Z_BUF_ERROR ? TACHO_DECODE_MORE : TACHO_DECODE_BAD;
}

static tacho_decode_result run_zstd(ZSTD_DCtx *zstd, tacho_decode_io *io)
{
    ZSTD_inBuffer in = {io->in, io->in_len, 0};
    ZSTD_outBuffer out = {io->out, io->out_len, 0};
    size_t result = ZSTD_decompressStream(zstd, &out, &in);
    io->in += in.pos;
    io->in_len -= in.pos;
    io->out += out.pos;
    io->out_len -= out.pos;
    if (ZSTD_isError(result)) {
        return TACHO_DECODE_BAD;
    }
    return result == 0 ? TACHO_DECODE_END : TACHO_DECODE_MORE;
}

tacho_decode_result tacho_decoder_run(tacho_decoder *decoder, tacho_decode_io *io)
{
    return decoder->zstd != NULL ? run_zstd(decoder->zstd, io) : run_gzip(&decoder->gzip, io);
}
