/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tt_profile and tt_profile.py: tt-torch's wrapper, which runs a command and leaves its op table.
 */
#include "cli/profile_run.h"
#include "cli/talk.h"

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
    TACHO_OPT_FLAG("quiet", 'q', "no tables or summary; errors and losses are still shown"),
};

static int tt_profile_run(const tacho_arguments *arguments)
{
    tacho_profile_choice choice = TACHO_PROFILE_DEFAULTS;
    choice.tt_report = default_report;
    choice.tracy_path = TRACY_CAPTURE;
    if (arguments->word_count == 0) {
        return tacho_command_misuse(arguments->command,
                                    "no command given; write it in quotes, as in \"pytest -v\"");
    }
    return tacho_arguments_fill(arguments, &choice) ? tacho_profile_run(arguments, &choice)
                                                    : TACHO_EXIT_USAGE;
}

#define TT_PROFILE(name_)                                                                          \
    {                                                                                              \
        .name = name_, .is_dropin = true, .runs_program = true,                                    \
        .summary = "run a command and write its op table, as tt-torch's tt_profile.py does",       \
        .usage = "[-h] [-o OUTPUT_PATH] [-p PORT] \"test_command\"",                               \
        .description =                                                                             \
            "Runs the command, in quotes or as it is, records every process of it, and writes\n"   \
            "a CSV report with a row for each operator: its code, attributes, tensors, times on\n" \
            "the host and on the device, kernels, and its location in the model. The exit\n"       \
            "status is that of the command.\n"                                                     \
            "\n"                                                                                   \
            "Operators come from programs that report them: tt-metal built with Tracy, whose\n"    \
            "messages and device logs are put together, 'tacho run' and its Python API,\n"         \
            "torq-run-module, qaic-runner, and programs that use libtacho-client. Several\n"       \
            "processes can report at once. Times of simulated devices are simulated, and the\n"    \
            "column PROGRAM_METADATA says so. A command that reports no operators leaves an\n"     \
            "earlier report as it is, else one without rows, and a warning says what was\n"        \
            "tried. Compiled programs report operators if their stats level is 70.",               \
        .examples = "# operators of a simulated Wormhole\n"                                        \
                    "tt_profile \"tacho run model.onnx --device sim:wormhole-n150\"\n"             \
                    "# with a trace for https://ui.perfetto.dev\n"                                 \
                    "tt_profile -o ops.csv --trace ops.pb \"tacho run model.onnx --device "        \
                    "sim:wormhole-n150\"\n",                                                       \
        .options = options, .option_count = sizeof(options) / sizeof(options[0]),                  \
        .run = tt_profile_run,                                                                     \
    }

const tacho_command tacho_dropin_tt_profile = TT_PROFILE("tt_profile");
const tacho_command tacho_dropin_tt_profile_py = TT_PROFILE("tt_profile.py");
