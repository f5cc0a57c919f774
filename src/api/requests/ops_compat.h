/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho ops --compat TOOL: the report of another tool in place of the list of operations.
 */
#ifndef TACHO_API_REQUESTS_OPS_COMPAT_H
#define TACHO_API_REQUESTS_OPS_COMPAT_H

#include "questions/ops/ops.h"
#include "estimates/tenstorrent/tt_analysis.h"
#include "api/requests/options.h"
#include "api/requests/request.h"
#include "pipeline/agreement.h"

/* What the command line says: of the list, or of the report in its place. */
typedef struct tacho_ops_request {
    tacho_ops_options options;
    tacho_tt_report_options compat;
    tacho_agreement_options agreement;
    tacho_selection compared; /* what of events that is about */
    tacho_held_notes held;    /* notes, for below the table */
    tacho_notes notes;
} tacho_ops_request;

/* Options of these reports, for the table of the verb. */
#define TACHO_OPS_COMPAT_OPTIONS                                                                   \
    TACHO_OPT_VALUE("compat", 0, "tt-perf-report",                                                 \
                    "the report of that tool instead: its columns, and its CSV with {format} csv " \
                    "or {o|output} x.csv; "                                                        \
                    "for op tables of Tenstorrent's profiler"),                                    \
        TACHO_OPT_VALUE("start-signpost", 0, "NAME",                                               \
                        "only rows after the first signpost of that name",                         \
                        TACHO_INTO_STRING(tacho_ops_request, compat.rows.start_signpost)),         \
        TACHO_OPT_VALUE(                                                                           \
            "end-signpost", 0, "NAME",                                                             \
            "only rows before the first signpost of that name, or the second if {start-signpost} " \
            "names the same",                                                                      \
            TACHO_INTO_STRING(tacho_ops_request, compat.rows.end_signpost)),                       \
        TACHO_OPT_FLAG("ignore-signposts", 0, "all rows (default: those after the last signpost)", \
                       TACHO_INTO_FLAG(tacho_ops_request, compat.rows.ignores_signposts)),         \
        TACHO_OPT_FLAG("print-signposts", 0, "show signposts among the rows",                      \
                       TACHO_INTO_FLAG(tacho_ops_request, compat.rows.shows_signposts)),           \
        TACHO_OPT_VALUE("id-range", 0, "A-B",                                                      \
                        "only rows A to B of the table; A- and -B work too"),                      \
        TACHO_OPT_VALUE("min-percentage", 0, "N",                                                  \
                        "hide rows below N percent of the time, except in CSV (default: 0)"),      \
        TACHO_OPT_VALUE(                                                                           \
            "arch", 0, "NAME",                                                                     \
            "the chip, if the table does not say: wormhole, blackhole, bh20, n1, or a machine "    \
            "description with peaks (default: wormhole)",                                          \
            TACHO_INTO_STRING(tacho_ops_request, compat.rows.arch)),                               \
        TACHO_OPT_FLAG("tracing-mode", 0,                                                          \
                       "keep the order of the table instead of sorting by host time",              \
                       TACHO_INTO_FLAG(tacho_ops_request, compat.rows.keeps_order)),               \
        TACHO_OPT_FLAG("no-host-ops", 0, "leave out ops that run on the host",                     \
                       TACHO_INTO_FLAG(tacho_ops_request, compat.rows.hides_host_ops)),            \
        TACHO_OPT_FLAG("no-merge-devices", 0, "a row per op and device",                           \
                       TACHO_INTO_FLAG(tacho_ops_request, compat.rows.keeps_devices)),             \
        TACHO_OPT_FLAG("no-summary", 0, "leave out the summary",                                   \
                       TACHO_INTO_UNFLAG(tacho_ops_request, compat.has_summary)),                  \
        TACHO_OPT_FLAG("raw-op-codes", 0, "add a CSV column with the op code alone",               \
                       TACHO_INTO_FLAG(tacho_ops_request, compat.has_codes)),                      \
        TACHO_OPT_VALUE("group-by", 0, "memory|op|category|replay",                                \
                        "what a row of the summary is (default: memory)",                          \
                        TACHO_INTO_WORD(tacho_ops_request, compat.rows.grouping))

/* Runs the report that --compat names. */
int tacho_ops_compat_run(tacho_request *given, tacho_ops_request *request);

/* The first of these options that was given although --compat was not; NULL for none. */
const char *tacho_ops_compat_stray(tacho_request *given);

#endif
