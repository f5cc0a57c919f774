/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho opstats: raw stats of a device to summaries, traces and roll-ups.
 */
#include "cli/command.h"

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
};
