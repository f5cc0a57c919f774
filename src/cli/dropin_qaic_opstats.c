/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qaic-opstats: the decoder of raw stats for Qualcomm Cloud AI 100, with its options.
 */
#include "cli/opstats_options.h"

static const tacho_option options[] = {
    {"qpc", 'q', false, "PATH", "programqpc.bin, as the compiler wrote it"},
    {"input-dir", 'i', false, "PATH", "directory of raw stats buffers"},
    {"output-dir", 'o', false, "PATH", "output directory, created if missing (default: .)"},
    {"summary", 0, false, "[true|false]", "write summaries, text for people"},
    {"trace", 0, false, "[true|false]", "write traces, JSON for chrome://tracing"},
    {"host-trace", 0, false, "PATH", "JSON of the host to show beside the device"},
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
    .summary = "raw stats of Cloud AI 100 to summaries and traces, with the vendor's options",
    .usage = "--qpc PATH --input-dir PATH --summary --trace [options]",
    .description =
        "Decodes the raw stats that 'qaic-runner --aic-profiling-type=raw_device_stats' left\n"
        "in a directory. Each file gives NAME.qaic-opstats.summary.txt and\n"
        "NAME.qaic-opstats.trace.json, where NAME is the file's without\n"
        "-aiccyclecounts.bin. A file that cannot be read is named and passed over; the exit\n"
        "status is then 3. 'tacho opstats' does the same and more.",
    .examples = "qaic-opstats --qpc ./binaries/programqpc.bin --input-dir ./stats "
                "--output-dir ./stats-out --summary --trace --flow-events full\n"
                "qaic-opstats --qpc ./binaries/programqpc.bin --input-dir ./stats "
                "--output-dir ./stats-out --trace --select-cores 0,1,2,3\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = tacho_opstats_command_run,
};
