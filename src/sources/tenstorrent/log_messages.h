/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The messages of tracy_ops_data.csv, which csvexport writes without escaping:
 *
 *   MessageName;total_ns
 *   SYNC_CHECK;2715111345
 *   `TT_DNN_DEVICE_OP: "Matmul", 12901, 0, false, 1024 ->
 *   { "op_code": "Matmul", ... }`;5281744000
 *
 * A message in backticks may span lines. Tracy cuts messages at 65534 bytes: those lose their
 * closing backtick.
 */
#ifndef TACHO_SOURCES_TENSTORRENT_LOG_MESSAGES_H
#define TACHO_SOURCES_TENSTORRENT_LOG_MESSAGES_H

#include "base/input.h"

typedef struct tt_message {
    tacho_str text; /* without backticks; valid until the next */
    bool is_cut;    /* its end is missing */
    bool has_time;
    uint64_t time_ns;
    uint64_t offset; /* of its first byte */
} tt_message;

/* Whether |head| begins with the header of such a file. */
bool tt_messages_probe(tacho_str head);

/* Skips the header, at the start of |input|. */
tacho_status tt_messages_open(tacho_input *input) TACHO_MUST_USE;

/* The next message; |*out_got| is false after the last. */
tacho_status tt_messages_next(tacho_input *input, tt_message *out_message,
                              bool *out_got) TACHO_MUST_USE;

#endif
