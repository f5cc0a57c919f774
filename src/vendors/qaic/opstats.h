/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding raw stats: finds the files of a folder by their names, reads each against the program,
 * and writes summaries, traces and roll-ups. A file that cannot be read is named and passed over.
 */
#ifndef TACHO_VENDORS_QAIC_OPSTATS_H
#define TACHO_VENDORS_QAIC_OPSTATS_H

#include "questions/opstats/opstats_rollup.h"
#include "base/input.h"
#include "base/notes.h"
#include "sinks/table_sink.h"
#include "sinks/trace_sink.h"
#include "sources/stats/stats.h"

typedef struct tacho_opstats_request {
    const char *program_path;
    const char *input_path; /* a folder, or one file */
    const char *output_folder;
    const char *host_path; /* NULL: none */
    bool wants_summary, wants_trace;
    bool merges_devices;
    bool is_verbose, is_quiet;
    tacho_stats_view view;
    const tacho_table_sink *table_sink; /* NULL: the vendor's text */
    const tacho_table_taker *keeper;    /* gets roll-ups instead of standard output; or NULL */
    const tacho_trace_sink *trace_sink;
    tacho_rollup_kind rollup; /* TACHO_ROLLUP_NONE: none */
    const tacho_notes *notes;
    tacho_progress progress; /* by files; update may be NULL */
} tacho_opstats_request;

/* Does it. |out_problem_count| is not 0 when a file could not be read, or not all of it. */
tacho_status tacho_opstats_run(const tacho_opstats_request *request,
                               uint64_t *out_problem_count) TACHO_MUST_USE;

#endif
