/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blobs: binary data in an HTML page, compressed with gzip and written as base64, so that it cannot
 * contain markup. And the encodings of numbers in them.
 */
#ifndef TACHO_SINKS_REPORT_BLOB_H
#define TACHO_SINKS_REPORT_BLOB_H

#include "base/output.h"

/* Bytes that grow. Zero-initialized, it is empty. */
typedef struct report_bytes {
    unsigned char *items;
    size_t item_count, item_capacity;
} report_bytes;

void report_bytes_deinit(report_bytes *bytes);

tacho_status report_bytes_put(report_bytes *bytes, const void *data, size_t len) TACHO_MUST_USE;
/* Seven bits a byte, the lowest first. */
tacho_status report_bytes_put_uint(report_bytes *bytes, uint64_t value) TACHO_MUST_USE;
tacho_status report_bytes_put_zeros(report_bytes *bytes, size_t count) TACHO_MUST_USE;
/* Zigzag: small numbers of either sign are short. */
tacho_status report_bytes_put_int(report_bytes *bytes, int64_t value) TACHO_MUST_USE;
/* Eight bytes, the lowest first. */
tacho_status report_bytes_put_real(report_bytes *bytes, double value) TACHO_MUST_USE;
/* Its length, then the text, bad UTF-8 replaced. */
tacho_status report_bytes_put_string(report_bytes *bytes, tacho_str text) TACHO_MUST_USE;

/* Reads the number at |*at|, as written by put_uint and put_int. */
uint64_t report_bytes_take_uint(const report_bytes *bytes, size_t *at);
int64_t report_bytes_take_int(const report_bytes *bytes, size_t *at);

typedef struct report_blob {
    tacho_output *output;
    tacho_encoder *encoder;
    unsigned char carried[3]; /* bytes that do not yet make four letters */
    size_t carried_count;
} report_blob;

/* Starts a blob at the end of |output|. */
tacho_status report_blob_begin(report_blob *blob, tacho_output *output) TACHO_MUST_USE;
tacho_status report_blob_write(report_blob *blob, const report_bytes *bytes) TACHO_MUST_USE;
/* Completes it. */
tacho_status report_blob_end(report_blob *blob) TACHO_MUST_USE;
/* Releases it, complete or not. */
void report_blob_deinit(report_blob *blob);

#endif
