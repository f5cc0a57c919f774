/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operators of a capture as the vendor's op table. What a program reported of an operator on
 * the host and on a device is one row; arguments that are named like a column fill it.
 */
#ifndef TACHO_VENDORS_TENSTORRENT_TT_CAPTURE_H
#define TACHO_VENDORS_TENSTORRENT_TT_CAPTURE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

typedef struct tacho_tt_capture_request {
    const char *capture_path;
    const char *output_path; /* directories above it are made */
    bool has_all_columns;    /* those that newer versions of the vendor's tools have, too */
} tacho_tt_capture_request;

typedef struct tacho_tt_capture_result {
    uint64_t row_count;
    uint64_t timed_count; /* of them, those with times of a device */
    bool is_kept;         /* there were no rows, and an earlier table is still there ... */
    time_t kept_since;    /* ... which was written then */
} tacho_tt_capture_result;

/* A capture without operators gives a table without rows where there is no table yet. */
tacho_status tacho_tt_capture_run(const tacho_tt_capture_request *request,
                                  tacho_tt_capture_result *out_result) TACHO_MUST_USE;

#endif
