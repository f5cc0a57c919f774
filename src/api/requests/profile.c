/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho profile: runs a program and records every process of it.
 */
#include "api/requests/registry.h"
#include "api/requests/profile_run.h"
#include "api/requests/request.h"

static const tacho_option options[] = {
    TACHO_OPT_VALUE("output", 'o', "OUT",
                    "keep the capture: .tacho as it is, .pb, .json or another trace suffix as a "
                    "trace, .csv, .txt or .xlsx as a table; DIR/: one capture per rank, below DIR",
                    TACHO_INTO_TEXT(tacho_profile_choice, output),
                    .writes = TACHO_WRITES_TRACE | TACHO_WRITES_TABLE),
    TACHO_OPT_VALUE("tt-report", 0, "CSV",
                    "write the operators as Tenstorrent's op table; its directory is made",
                    TACHO_INTO_TEXT(tacho_profile_choice, tt_report),
                    .writes = TACHO_WRITES_TABLE | TACHO_WRITES_OPS),
    TACHO_OPTION_FORCE,
    TACHO_OPT_FLAG("tt-all-columns", 0,
                   "with {tt-report}: also the columns of newer tables, such as PROGRAM HASH",
                   TACHO_INTO_FLAG(tacho_profile_choice, has_all_tt_columns)),
    TACHO_OPT_VALUE("port", 'p', "PORT",
                    "also let programs report over TCP on 127.0.0.1; 0 takes any free port "
                    "(default: a Unix socket alone)",
                    TACHO_INTO_NUMBER(tacho_profile_choice, port, 0, UINT16_MAX)),
    TACHO_OPT_VALUE(
        "tracy-port", 0, "PORT",
        "port that a Tracy client listens on, as TRACY_PORT; one process alone can have "
        "it (default: each process takes a free one)",
        TACHO_INTO_NUMBER(tacho_profile_choice, tracy_port, 0, UINT16_MAX)),
    TACHO_OPT_FLAG("no-tracy", 0, "do not listen for Tracy clients, and connect to none",
                   TACHO_INTO_FLAG(tacho_profile_choice, omits_tracy)),
    TACHO_OPT_VALUE("stats-level", 0, "N",
                    "how much programs report: below 70 no operators, 100 also counters of "
                    "operators (default: 70)",
                    TACHO_INTO_NUMBER(tacho_profile_choice, stats_level, 0, 100)),
    TACHO_OPT_VALUE(
        "timeout", 0, "S",
        "end the program after S seconds (SIGTERM, then SIGKILL); the exit status is then 124",
        TACHO_INTO_TEXT(tacho_profile_choice, timeout)),
    TACHO_OPT_VALUE("activate", 0, "/TIME",
                    "begin to record when the time of day is a multiple of TIME, as in /10s: the "
                    "same moment on all hosts whose clocks agree",
                    TACHO_INTO_TEXT(tacho_profile_choice, activate)),
    TACHO_OPT_FLAG(
        "live", 0,
        "show processes, events, losses, and where the time went, each second: in one line on a "
        "terminal, else in a line each",
        TACHO_INTO_FLAG(tacho_profile_choice, is_live)),
    TACHO_OPTIONS_COMMON,
};

static int profile_command_run(tacho_request *given)
{
    tacho_profile_choice choice = TACHO_PROFILE_DEFAULTS;
    if (tacho_request_has(given, "no-tracy") && tacho_request_has(given, "tracy-port")) {
        return tacho_request_misuse(given, "{tracy-port} has no effect with {no-tracy}");
    }
    return tacho_request_fill(given, &choice) ? tacho_profile_run(given, &choice)
                                              : TACHO_OUTCOME_USAGE;
}

const tacho_request_type tacho_request_type_profile = {
    .name = "profile",
    .runs_program = true,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = profile_command_run,
};
