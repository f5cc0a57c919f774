/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vendor's op table from what tt-metal told through Tracy while it was captured: op messages
 * and zones of the host, with the device logs that the run left.
 */
#ifndef TACHO_VENDORS_TENSTORRENT_TT_TRACY_H
#define TACHO_VENDORS_TENSTORRENT_TT_TRACY_H

#include "base/notes.h"
#include "base/status.h"

#include <stdint.h>

typedef struct tacho_tt_tracy_request {
    const char *capture_path;
    const char *output_path; /* its directory exists */
    const tacho_notes *notes;
} tacho_tt_tracy_request;

/*
 * Writes tracy_ops_times.csv and tracy_ops_data.csv to the directory of tt-metal's logs, where the
 * environment names one that exists, else to .logs beside the table; then the table, from all logs
 * there. |out_row_count| is 0, and the table stays as it is, where the capture tells of no op.
 */
tacho_status tacho_tt_tracy_run(const tacho_tt_tracy_request *request,
                                uint64_t *out_row_count) TACHO_MUST_USE;

#endif
