/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qaic-opstats: the decoder of raw stats for Qualcomm Cloud AI 100, with its options.
 */
#include "cli/opstats_options.h"

static const tacho_option options[] = {
    {"qpc", 'q', false, "PATH", "programqpc.bin, as the compiler wrote it"},
    {"input-dir", 'i', false, "PATH", "directory of raw stats buffers"},
    {"output-dir", 'o', false, "PATH", "output directory, created if missing (default: .)"},
    {"summary", 0, false, "[true|false]", "write text summaries"},
    {"trace", 0, false, "[true|false]", "write Chrome traces (JSON)"},
    {"host-trace", 0, false, "PATH", "the host's trace (JSON), shown on the same time axis"},
    {"select-cores", 'c', false, "LIST", "only these cores in traces, such as 0,5,1"},
    {"select-devices", 'd', false, "LIST", "only these devices in traces, such as 0,1"},
    {"merge-mq-traces", 0, false, "[true|false]",
     "one trace for several devices of one inference (default: true)"},
    {"merge-thread-groups", 0, false, "[true|false]",
     "threads of one group share a track (default: true)"},
    {"flow-events", 0, false, "none|full", "arrows for dependencies (default: none)"},
    {"show-barrier-events", 0, false, "[true|false]",
     "a track per thread for barriers (default: false)"},
    {"verbose", 'v', false, NULL, "print what is being decoded"},
    TACHO_OPTION_HELP,
};

const tacho_command tacho_dropin_qaic_opstats = {
    .name = "qaic-opstats",
    .is_dropin = true,
    .summary = "decode raw stats of Cloud AI 100, with the vendor's options",
    .usage = "--qpc PATH --input-dir PATH --summary --trace [options]",
    .description =
        "Decodes the raw stats that 'qaic-runner --aic-profiling-type=raw_device_stats'\n"
        "left in a directory. For each file NAME-aiccyclecounts.bin it writes\n"
        "NAME.qaic-opstats.summary.txt and NAME.qaic-opstats.trace.json. Files that\n"
        "cannot be read are listed and skipped; the exit status is then 3. 'tacho\n"
        "opstats' does the same and more.",
    .examples = "qaic-opstats --qpc ./binaries/programqpc.bin --input-dir ./stats "
                "--output-dir ./stats-out --summary --trace --flow-events full\n"
                "qaic-opstats --qpc ./binaries/programqpc.bin --input-dir ./stats "
                "--output-dir ./stats-out --trace --select-cores 0,1,2,3\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = tacho_opstats_command_run,
};
