/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho opstats: raw stats of a device to summaries, traces and roll-ups.
 */
#include "cli/opstats_options.h"

static const tacho_option options[] = {
    {"program", 'p', false, "FILE",
     "the program that was run (programqpc.bin, or what 'tacho compile -o' wrote)"},
    {"qpc", 0, false, "FILE", "the vendor's name for --program"},
    {"input-dir", 'i', false, "DIR", "directory of raw stats files, or one of them"},
    {"output-dir", 'o', false, "DIR", "output directory, created if missing (default: .)"},
    {"summary", 0, false, "[true|false]", "write a summary of each file"},
    {"trace", 0, false, "[true|false]", "write a trace of each inference"},
    {"rollup", 0, false, "op|layer|core|device|critical",
     "print one table per inference: by operator type, by layer, core balance, traffic between "
     "devices, or the critical path"},
    TACHO_OPTIONS_TABLES,
    {"to", 0, false, "FORMAT", "write traces as FORMAT (default: chrome; perfetto is smaller)"},
    {"host-trace", 0, false, "FILE",
     "add the host's trace (Chrome JSON with a clock-sync record) on the same time axis"},
    {"select-cores", 'c', false, "N,...", "only these cores in traces (default: all)"},
    {"select-devices", 'd', false, "N,...", "only these devices in traces (default: all)"},
    {"merge-mq-traces", 0, false, "[true|false]",
     "one trace for all devices of an inference (default: true)"},
    {"merge-thread-groups", 0, false, "[true|false]",
     "threads of a group share a track in traces (default: true)"},
    {"flow-events", 0, false, "none|full",
     "draw dependencies as flow arrows in traces, true and false ones (default: none)"},
    {"show-barrier-events", 0, false, "[true|false]",
     "add a track per thread for barrier waits after operators (default: false)"},
    TACHO_OPTIONS_COMMON,
};

const tacho_command tacho_command_opstats = {
    .name = "opstats",
    .summary = "decode raw stats recorded by a device",
    .usage = "PROGRAM STATS [-o DIR] [--summary] [--trace] [options]",
    .description =
        "Decodes raw stats files\n"
        "(aic-profiling-program-P-activation-A-inf-I-NETWORK-aiccyclecounts.bin) with the\n"
        "program that recorded them. What they contain was fixed when the program was\n"
        "compiled: level 40 records inference times, 50 adds waits at ports, 70\n"
        "operators, 100 counters per operator. A summary says what is missing and which\n"
        "option provides it.\n"
        "\n"
        "A summary lists, per core, operator types by time, waits before (sync) and after\n"
        "(barrier) operators, threads, ports and counters. ucycles are ticks of the timer\n"
        "that all cores share; pcycles are core clock cycles. An operator that ran on\n"
        "several threads counts once, with its slowest thread. Percentages do not add up\n"
        "to 100, because engines work in parallel.\n"
        "\n"
        "Files that cannot be read, or only in part, are listed and the rest is decoded;\n"
        "the exit status is then 3. Buffers written by the vendor's own runtime cannot be\n"
        "decoded: their layout is not public.",
    .examples = "# summaries and traces, as the vendor's tool writes them\n"
                "tacho opstats programqpc.bin stats/ -o out --summary --trace\n"
                "# where the time of the inference went, along its critical path\n"
                "tacho opstats programqpc.bin stats/ --rollup critical\n"
                "# tables for a spreadsheet, a compact trace with arrows\n"
                "tacho opstats programqpc.bin stats/ -o out --summary --format csv "
                "--trace --to perfetto --flow-events full\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = tacho_opstats_command_run,
};
