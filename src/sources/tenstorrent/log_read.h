/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device log line by line: rows, and rejected lines with a reason.
 */
#ifndef TACHO_SOURCES_TENSTORRENT_LOG_READ_H
#define TACHO_SOURCES_TENSTORRENT_LOG_READ_H

#include "sources/tenstorrent/log_row.h"

/* Times of a device have 44 bits; from here on they are damage. */
#define TT_LOG_TIME_END (INT64_C(1) << 52)

typedef struct tt_log {
    tacho_input *input;
    tt_log_header header;
    tt_log_row row;           /* the last */
    tacho_str line;           /* the last */
    tacho_loss_reason reason; /* why |line| was rejected; TACHO_LOSS_REASON_COUNT: it is |row| */
} tt_log;

/* Whether |head| is the beginning of a device log. */
bool tt_log_probe(tacho_str head);

/* Reads the lines ahead of the rows. Any other format is BAD_DATA. */
tacho_status tt_log_open(tt_log *log, tacho_input *input) TACHO_MUST_USE;

/* The next line that is a row or lost; |*out_got| is false after the last. */
tacho_status tt_log_next(tt_log *log, bool *out_got) TACHO_MUST_USE;

#endif
