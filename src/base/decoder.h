/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streaming decompression of gzip (also several members in a row) and zstd, for base/input.
 */
#ifndef TACHO_BASE_DECODER_H
#define TACHO_BASE_DECODER_H

#include "base/status.h"
#include "base/str.h"

typedef struct tacho_decoder tacho_decoder;

typedef enum tacho_decode_result {
    TACHO_DECODE_MORE, /* needs more input or more room */
    TACHO_DECODE_END,  /* a whole stream has ended; another may follow */
    TACHO_DECODE_BAD,  /* the stream is damaged at this point */
} tacho_decode_result;

/* The bytes a decoder takes and gives; each call advances the cursors. */
typedef struct tacho_decode_io {
    const unsigned char *in;
    size_t in_len;
    unsigned char *out;
    size_t out_len;
} tacho_decode_io;

/* A decoder for a stream that starts with |head|; NULL in |out_decoder| when it is plain. */
tacho_status tacho_decoder_create(tacho_str head, tacho_decoder **out_decoder) TACHO_MUST_USE;

/* A decoder for a zlib stream, which nothing announces. */
tacho_status tacho_decoder_create_zlib(tacho_decoder **out_decoder) TACHO_MUST_USE;
void tacho_decoder_destroy(tacho_decoder *decoder);

/* "gzip" or "zstd". */
const char *tacho_decoder_name(const tacho_decoder *decoder);

tacho_decode_result tacho_decoder_run(tacho_decoder *decoder, tacho_decode_io *io);

#endif
