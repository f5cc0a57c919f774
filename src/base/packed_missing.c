/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compressed files where tacho was built without zlib and libzstd, as the runtime of boards is:
 * they are recognised, and refused.
 */
#include "base/decoder.h"
#include "base/encoder.h"

static tacho_status refuse(void)
{
    return tacho_fail(TACHO_CODE_UNSUPPORTED,
                      "this program was built without gzip and zstd; use an uncompressed file");
}

tacho_status tacho_decoder_create(tacho_str head, tacho_decoder **out_decoder)
{
    *out_decoder = NULL;
    bool is_packed = tacho_str_starts_with(head, TACHO_STR("\x1f\x8b\x08")) ||
                     tacho_str_starts_with(head, TACHO_STR("\x28\xb5\x2f\xfd"));
    return is_packed ? refuse() : TACHO_OK;
}

tacho_status tacho_decoder_create_zlib(tacho_decoder **out_decoder)
{
    *out_decoder = NULL;
    return refuse();
}

void tacho_decoder_destroy(tacho_decoder *decoder)
{
    (void)decoder;
}

const char *tacho_decoder_name(const tacho_decoder *decoder)
{
    (void)decoder;
    return "";
}

tacho_decode_result tacho_decoder_run(tacho_decoder *decoder, tacho_decode_io *io)
{
    (void)decoder;
    (void)io;
    return TACHO_DECODE_BAD;
}

tacho_status tacho_encoder_create(tacho_str path, tacho_encoder **out_encoder)
{
    *out_encoder = NULL;
    bool is_packed =
        tacho_str_ends_with(path, TACHO_STR(".gz")) || tacho_str_ends_with(path, TACHO_STR(".zst"));
    return is_packed ? refuse() : TACHO_OK;
}

void tacho_encoder_destroy(tacho_encoder *encoder)
{
    (void)encoder;
}

tacho_status tacho_encoder_run(tacho_encoder *encoder, tacho_str bytes, bool is_last,
                               tacho_encoder_write write, void *self)
{
    (void)encoder;
    (void)bytes;
    (void)is_last;
    (void)write;
    (void)self;
    return refuse();
}
