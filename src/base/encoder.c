/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One small interface to zlib and libzstd. Levels favour speed: a trace compresses 5-10x
 * at either, and the writer should not become the slowest part.
 */
#include "base/encoder.h"

#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

enum {
    GZIP_LEVEL = 3,
    GZIP_WINDOW_BITS = 15 + 16,
    GZIP_MEMORY_LEVEL = 8,
    ZSTD_LEVEL = 3,
    CHUNK_BYTES = 64 << 10,
};

struct tacho_encoder {
    ZSTD_CCtx *zstd; /* NULL for gzip */
    z_stream gzip;
    unsigned char chunk[CHUNK_BYTES];
};

static tacho_status start(tacho_encoder *encoder, bool is_zstd)
{
    if (is_zstd) {
        encoder->zstd = ZSTD_createCCtx();
    }
    bool started =
        is_zstd ? encoder->zstd != NULL &&
                      !ZSTD_isError(ZSTD_CCtx_setParameter(encoder->zstd, ZSTD_c_compressionLevel,
                                                           ZSTD_LEVEL)) &&
                      !ZSTD_isError(ZSTD_CCtx_setParameter(encoder->zstd, ZSTD_c_checksumFlag, 1))
                : deflateInit2(&encoder->gzip, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW_BITS,
                               GZIP_MEMORY_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK;
    return started ? TACHO_OK : tacho_no_memory();
}

tacho_status tacho_encoder_create(tacho_str path, tacho_encoder **out_encoder)
{
    *out_encoder = NULL;
    bool is_gzip = tacho_str_ends_with(path, TACHO_STR(".gz"));
    bool is_zstd = tacho_str_ends_with(path, TACHO_STR(".zst"));
    if (!is_gzip && !is_zstd) {
        return TACHO_OK;
    }
    tacho_encoder *encoder = calloc(1, sizeof(*encoder));
    if (encoder == NULL) {
        return tacho_no_memory();
    }
    tacho_status status = start(encoder, is_zstd);
    if (status != TACHO_OK) {
        tacho_encoder_destroy(encoder);
        return status;
    }
    *out_encoder = encoder;
    return TACHO_OK;
}

void tacho_encoder_destroy(tacho_encoder *encoder)
{
    if (encoder == NULL) {
        return;
    }
    ZSTD_freeCCtx(encoder->zstd);
    deflateEnd(&encoder->gzip);
    free(encoder);
}

static tacho_status run_gzip(tacho_encoder *encoder, tacho_str bytes, bool is_last,
                             tacho_encoder_write write, void *self)
{
    z_stream *gzip = &encoder->gzip;
    gzip->next_in = (Bytef *)(uintptr_t)bytes.data; /* only read, in spite of the type */
    gzip->avail_in = (uInt)bytes.len;
    do {
        gzip->next_out = encoder->chunk;
        gzip->avail_out = CHUNK_BYTES;
        if (deflate(gzip, is_last ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR) {
            return tacho_fail(TACHO_CODE_IO, "gzip compression failed");
        }
        TACHO_TRY(write(self, encoder->chunk, CHUNK_BYTES - gzip->avail_out));
    } while (gzip->avail_out == 0);
    return TACHO_OK;
}

static tacho_status run_zstd(tacho_encoder *encoder, tacho_str bytes, bool is_last,
                             tacho_encoder_write write, void *self)
{
    ZSTD_inBuffer in = {bytes.data, bytes.len, 0};
    size_t left = 0;
    do {
        ZSTD_outBuffer out = {encoder->chunk, CHUNK_BYTES, 0};
        left =
            ZSTD_compressStream2(encoder->zstd, &out, &in, is_last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left)) {
            return tacho_fail(TACHO_CODE_IO, "zstd compression failed: %s",
                              ZSTD_getErrorName(left));
        }
        TACHO_TRY(write(self, out.dst, out.pos));
    } while (in.pos < in.size || (is_last && left > 0));
    return TACHO_OK;
}

tacho_status tacho_encoder_run(tacho_encoder *encoder, tacho_str bytes, bool is_last,
                               tacho_encoder_write write, void *self)
{
    return encoder->zstd != NULL ? run_zstd(encoder, bytes, is_last, write, self)
                                 : run_gzip(encoder, bytes, is_last, write, self);
}
