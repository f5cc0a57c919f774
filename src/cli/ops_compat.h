/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho ops --compat TOOL: the report of another tool in place of the list of operations.
 */
#ifndef TACHO_CLI_OPS_COMPAT_H
#define TACHO_CLI_OPS_COMPAT_H

#include "cli/command.h"

/* Options of these reports, for the table of the verb. */
#define TACHO_OPS_COMPAT_OPTIONS                                                                   \
    {"compat", 0, false, "tt-perf-report",                                                         \
     "the report of that tool instead: its columns, and its CSV with --format csv or -o x.csv; "   \
     "for op tables of Tenstorrent's profiler"},                                                   \
        {"start-signpost", 0, false, "NAME", "only rows after the first signpost of that name"},   \
        {"end-signpost", 0, false, "NAME",                                                         \
         "only rows before the first signpost of that name, or the second if --start-signpost "    \
         "names the same"},                                                                        \
        {"ignore-signposts", 0, false, NULL, "all rows (default: those after the last signpost)"}, \
        {"print-signposts", 0, false, NULL, "show signposts among the rows"},                      \
        {"id-range", 0, false, "A-B", "only rows A to B of the table; A- and -B work too"},        \
        {"min-percentage", 0, false, "N",                                                          \
         "hide rows below N percent of the time, except in CSV (default: 0)"},                     \
        {"arch", 0, false, "NAME",                                                                 \
         "the chip, if the table does not say: wormhole, blackhole, bh20, n1, or a machine "       \
         "description with peaks (default: wormhole)"},                                            \
        {"tracing-mode", 0, false, NULL,                                                           \
         "keep the order of the table instead of sorting by host time"},                           \
        {"no-host-ops", 0, false, NULL, "leave out ops that run on the host"},                     \
        {"no-merge-devices", 0, false, NULL, "a row per op and device"},                           \
        {"no-advice", 0, false, NULL, "leave out advice"},                                         \
        {"no-summary", 0, false, NULL, "leave out the summary"},                                   \
        {"raw-op-codes", 0, false, NULL, "add a CSV column with the op code alone"},               \
    {                                                                                              \
        "group-by", 0, false, "memory|op|category|replay",                                         \
            "what a row of the summary is (default: memory)"                                       \
    }

/* Runs the report that --compat names. */
int tacho_ops_compat_run(const tacho_arguments *arguments);

/* The first of these options that was given although --compat was not; NULL for none. */
const char *tacho_ops_compat_stray(const tacho_arguments *arguments);

#endif
