/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tt_profile and tt_profile.py: tt-torch's wrapper, which runs a command and leaves its op table.
 */
#include "api/requests/registry.h"
#include "api/requests/profile_run.h"
#include "api/requests/request.h"

/* Where tt-torch leaves what Tracy's capture server received. */
#define TRACY_CAPTURE "install/tt-metal/generated/profiler/.logs/tracy_profile_log_host.tracy"

static const char default_report[] = "results/perf/device_ops_perf_trace.csv";

static const tacho_option options[] = {
    TACHO_OPTION_HELP,
    TACHO_OPT_VALUE("output_path", 'o', "OUTPUT_PATH",
                    "file that the report is written to; its directory is made (default: "
                    "results/perf/device_ops_perf_trace.csv)",
                    TACHO_INTO_TEXT(tacho_profile_choice, tt_report)),
    TACHO_OPT_VALUE("port", 'p', "PORT",
                    "port that the command's Tracy client listens on, as TRACY_PORT; one process "
                    "alone can have it (default: each process takes a free one)",
                    TACHO_INTO_NUMBER(tacho_profile_choice, tracy_port, 0, UINT16_MAX)),
    TACHO_OPT_VALUE(
        "trace", 0, "FILE",
        "write a trace: .pb for Perfetto, .json for Chrome, .tracy for Tracy, .tacho for "
        "tacho (default: tracy_profile_log_host.tracy, where tt-torch leaves it)",
        TACHO_INTO_TEXT(tacho_profile_choice, output)),
    TACHO_OPT_FLAG("all-columns", 0,
                   "also the columns of newer reports, such as DEVICE ARCH and PROGRAM HASH",
                   TACHO_INTO_FLAG(tacho_profile_choice, has_all_tt_columns)),
    TACHO_OPT_FLAG("quiet", 'q', "no tables or summary; errors and losses are still shown",
                   .is_front = true),
};

static int tt_profile_run(tacho_request *given)
{
    tacho_profile_choice choice = TACHO_PROFILE_DEFAULTS;
    choice.tt_report = default_report;
    choice.tracy_path = TRACY_CAPTURE;
    if (given->word_count == 0) {
        return tacho_request_misuse(given,
                                    "no command given; write it in quotes, as in \"pytest -v\"");
    }
    return tacho_request_fill(given, &choice) ? tacho_profile_run(given, &choice)
                                              : TACHO_OUTCOME_USAGE;
}

const tacho_request_type tacho_request_type_tt_profile = {
    .name = "tt_profile",
    .is_dropin = true,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = tt_profile_run,
};

const tacho_request_type tacho_request_type_tt_profile_py = {
    .name = "tt_profile.py",
    .is_dropin = true,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = tt_profile_run,
};
