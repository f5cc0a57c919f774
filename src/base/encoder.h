/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streaming compression to gzip or zstd, for base/output. Output depends on the bytes alone:
 * no time stamp, no file name.
 */
#ifndef TACHO_BASE_ENCODER_H
#define TACHO_BASE_ENCODER_H

#include "base/status.h"
#include "base/str.h"

typedef struct tacho_encoder tacho_encoder;

/* Receives compressed bytes as they are produced. */
typedef tacho_status (*tacho_encoder_write)(void *self, const void *bytes, size_t len);

/* An encoder by the suffix of |path| (.gz, .zst); NULL in |out_encoder| for any other. */
tacho_status tacho_encoder_create(tacho_str path, tacho_encoder **out_encoder) TACHO_MUST_USE;
void tacho_encoder_destroy(tacho_encoder *encoder);

/* Compresses |bytes|; |is_last| ends the stream. */
tacho_status tacho_encoder_run(tacho_encoder *encoder, tacho_str bytes, bool is_last,
                               tacho_encoder_write write, void *self) TACHO_MUST_USE;

#endif
