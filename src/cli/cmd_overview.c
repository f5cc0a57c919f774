/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho overview: how busy was each kind of engine?
 */
#include "cli/command.h"

const tacho_command tacho_command_overview = {
    .name = "overview",
    .summary = "show how busy each kind of engine was and how much overlapped",
    .usage = "FILE|DIR... [options]",
    .description =
        "Reads profiles and prints, for each input, how long transfers, slices, the\n"
        "vector engine, the runtime and the host were busy, how much of that overlapped,\n"
        "and how long everything was idle. Overlapping work counts once: every figure is\n"
        "the length of a union of intervals, and percentages are relative to OVERALL.\n"
        "Instants, counters, enclosing phases, allocations and waits do not count as\n"
        "busy.\n"
        "\n"
        "First comes a verdict: one sentence on what limits each device, then advice by\n"
        "rule with the time that it can gain (docs/rules.md). Both are silent where the\n"
        "profile does not allow a statement. CSV leaves them out.\n"
        "\n"
        "OVERALL  from the first start to the last end of work\n"
        "TOTAL NPU OPERATIONS  OVERALL minus runtime calls and host-only work\n"
        "Dma  transfers in and out; Dma In and Dma Out: each direction\n"
        "Cdma  transfers between local memories; Cdma Dtcm and Cdma Itcm: by memory\n"
        "Dma Total  Dma and Cdma combined; Dma Only: the part without compute\n"
        "Slice  all compute engines; Slice 0, 1, ...: each one; Css: the vector engine\n"
        "Compute  Slice and Css combined; Compute Only: the part without transfers\n"
        "Overlap  transfers and compute at the same time\n"
        "Hal, Host, Host Copy  runtime calls, host programs, copies made by the host\n"
        "Idle  OVERALL minus all of the above\n"
        "\n"
        "These are the words of Torq. Runs and estimates of other machines name their own\n"
        "engines: HMX and HVX of aic100, CPU, and so on. Of a profile of several inferences\n"
        "(tacho run -n) they show one on average.\n"
        "\n"
        "Profiles of Tenstorrent devices name the processors of their cores: NCRISC,\n"
        "BRISC and TRISC on any core, ERISC on the Ethernet cores. DM is data movement,\n"
        "NCRISC or BRISC; DM Only: movement, ERISC included, while no TRISC is busy. Op\n"
        "tables have Kernels.\n"
        "\n"
        "Profiles of GPUs: GPU busy, some stream works; GPU idle, none does; Host busy;\n"
        "Both idle. Traces of other devices say Device instead of GPU; traces without any\n"
        "have Host busy and Host idle.\n"
        "\n"
        "Only metrics that the input can show are listed; an engine that the input shows\n"
        "to be unused has 0. A runtime profile does not say which engines a program used,\n"
        "so the program itself counts as busy. Estimates and measurements are never added\n"
        "up.\n"
        "\n"
        "A directory stands for the files in it. Of several files, those that cannot be\n"
        "read are listed and skipped; the exit status is then 3.",
    .examples =
        "# a compiler's estimate\n"
        "tacho overview timeline.csv\n"
        "# a run on the board that took 207 ms in all\n"
        "tacho overview runtime.csv --wall-time 0.207\n"
        "# for a script: the idle time in ns\n"
        "tacho overview timeline.csv --format json | jq 'select(.metric==\"IDLE\").time_ns'\n",
};
