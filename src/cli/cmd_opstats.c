/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho opstats: raw stats of a device to summaries, traces and roll-ups.
 */
#include "cli/opstats_run.h"

static const tacho_option options[] = {
    {"qpc", 'q', false, "FILE", "the program that was run: programqpc.bin, or what -o named"},
    {"input-dir", 'i', false, "DIR", "the folder of raw stats files, or one of them"},
    {"output-dir", 'o', false, "DIR", "write there; made where it is missing (default: .)"},
    {"summary", 0, false, "[true|false]", "write a summary of each file"},
    {"trace", 0, false, "[true|false]", "write a trace of each inference"},
    {"rollup", 0, false, "op|layer|core|device|critical",
     "print one table per inference: by type of operator, by layer, the balance of cores, what "
     "devices sent one another, or the critical path"},
    {"format", 0, false, "text|csv|json|xlsx",
     "how to write summaries and roll-ups (default: text; summaries as the vendor's tool)"},
    {"to", 0, false, "FORMAT", "write traces as FORMAT (default: chrome; perfetto is smaller)"},
    {"host-trace", 0, false, "FILE",
     "put the host's trace, Chrome JSON with a clock-sync record, on the same axis"},
    {"select-cores", 'c', false, "N,...", "only these cores in traces (default: all)"},
    {"select-devices", 'd', false, "N,...", "only these devices in traces (default: all)"},
    {"merge-mq-traces", 0, false, "[true|false]",
     "one trace for all devices of an inference (default: true)"},
    {"merge-thread-groups", 0, false, "[true|false]",
     "threads of a group share a track in traces (default: true)"},
    {"flow-events", 0, false, "none|full",
     "arrows in traces for what ops waited for, true and false dependencies (default: none)"},
    {"show-barrier-events", 0, false, "[true|false]",
     "a track per thread in traces for waiting behind ops (default: false)"},
    {"verbose", 'v', false, NULL, "say what is decoded"},
    {"quiet", 0, false, NULL, "no progress and no result; errors and losses are still shown"},
    TACHO_OPTION_HELP,
};

const tacho_command tacho_command_opstats = {
    .name = "opstats",
    .summary = "decode the raw stats that a device recorded while it ran a program",
    .usage = "-q PROGRAM -i DIR -o DIR --summary --trace [options]",
    .description =
        "Decodes files called\n"
        "aic-profiling-program-P-activation-A-inf-I-NETWORK-aiccyclecounts.bin against the\n"
        "program that recorded them. What there is to see was compiled in: level 40 has\n"
        "times of inferences, 50 waits at ports, 70 operators, 100 counters of operators; a\n"
        "summary says what is missing and which flag gives it.\n"
        "\n"
        "A summary lists, core by core, kinds of ops by time, waits before (sync) and behind\n"
        "them (barrier), threads, ports and counters. ucycles are ticks of the timer that all\n"
        "cores share, pcycles those of the core. An op on several threads counts once, with\n"
        "its slowest; columns of percent do not add up, since engines work at the same time.\n"
        "\n"
        "A file that cannot be read, or not all of it, is named and passed over; the exit\n"
        "status is then 3. Buffers of the vendor's own runtime cannot be read: their layout\n"
        "is not public.",
    .examples = "# what the vendor's tool does\n"
                "tacho opstats -q binaries/programqpc.bin -i stats -o out --summary --trace\n"
                "# where the time of the inference went, along its critical path\n"
                "tacho opstats -q programqpc.bin -i stats --rollup critical\n"
                "# tables for a spreadsheet, a compact trace with arrows\n"
                "tacho opstats -q programqpc.bin -i stats -o out --summary --format csv --trace "
                "--to perfetto --flow-events full\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = tacho_opstats_command_run,
};
