/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the logs of one run of Tenstorrent's profiler to the vendor's op table: a row for each op
 * that the host issued, each replay of it and each signpost, with what the device says of it.
 *
 * Device times come from the runtime's own report where there is one, else from the device log.
 * What is missing leaves cells empty and is counted by reason; nothing is given up for it.
 */
#ifndef TACHO_VENDORS_TENSTORRENT_TT_JOIN_H
#define TACHO_VENDORS_TENSTORRENT_TT_JOIN_H

#include "base/notes.h"
#include "base/output.h"
#include "base/str.h"

typedef struct tacho_tt_join_request {
    const char *const *paths; /* files, or folders that hold them */
    size_t path_count;
    const char *output_path; /* "-" for standard output */
    tacho_str clock_mhz;     /* of the device's cycles; empty: as the log says */
    bool is_quiet;           /* says nothing but what was lost */
    bool is_strict;          /* anything lost is a failure, and nothing is written */
    const tacho_notes *notes;
} tacho_tt_join_request;

typedef struct tacho_tt_join_result {
    uint64_t row_count;
    uint64_t loss_count;
    uint64_t assumed_mhz; /* of the cycles of a log that does not say it; 0: it says */
} tacho_tt_join_result;

tacho_status tacho_tt_join_run(const tacho_tt_join_request *request,
                               tacho_tt_join_result *out_result) TACHO_MUST_USE;

#endif
