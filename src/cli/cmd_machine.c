/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho machine: which machines are known, what is known of them, is this description right?
 */
#include "cli/command.h"

const tacho_command tacho_command_machine = {
    .name = "machine",
    .summary = "list, show, export, check and measure machines",
    .usage = "list | show NAME|FILE | export NAME | check FILE... | calibrate [MACHINE --from "
             "TABLE] [options]",
    .description =
        "A machine is a JSON description of cores, engines, memories and clocks; every\n"
        "number has a unit and cites its source. 'list' shows the built-in machines,\n"
        "'show' prints one in full, 'export' writes its description as a starting point\n"
        "for 'tacho compile -m', 'check' validates files and reports the line and key of\n"
        "each error, and 'calibrate' measures this computer (one or two seconds) and\n"
        "writes its description. 'calibrate MACHINE --from TABLE' fits numbers of a\n"
        "machine to operators that were measured on it: it shows them before and after,\n"
        "and how far estimates are off before, after, and on shapes that were held out.\n"
        "Numbers that the table does not determine are refused. -o writes the new\n"
        "description; nothing else is changed.\n"
        "\n"
        "The machine host-cpu is this computer. It is measured on first use, which takes\n"
        "about a second, and cached in $XDG_CACHE_HOME/tacho (default ~/.cache/tacho);\n"
        "'list' does not measure. Set TACHO_HOST_CPU to a description file to use that\n"
        "instead, or to 'built-in' for the reference computer's.\n"
        "\n"
        "'show template' lists every key that a description may have; docs/machines.md\n"
        "explains them.",
    .examples =
        "# which machines can be estimated\n"
        "tacho machine list\n"
        "# every number of one, with its source\n"
        "tacho machine show wormhole-n150\n"
        "# a machine like another, with other numbers\n"
        "tacho machine export aic100 -o mine.json\n"
        "# this computer as a machine\n"
        "tacho machine calibrate -o here.json\n"
        "tacho machine check here.json\n"
        "# a machine's numbers, fitted to what was measured on it\n"
        "tacho machine calibrate blackhole-p150 --from gemm.csv --fit launch_cycles -o new.json\n",
};
