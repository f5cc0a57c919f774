/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho report: profiles in, one page to look at out.
 */
#include "cli/command.h"

const tacho_command tacho_command_report = {
    .name = "report",
    .summary = "write profiles to a single HTML page",
    .usage = "FILE|DIR... [-o OUT] [options]",
    .description =
        "Writes one self-contained HTML page. It starts with the verdict: what limits\n"
        "each device, where its time went, and findings ranked by what they may gain,\n"
        "each with its evidence in the timeline. Layers are a tree beside the operators;\n"
        "a search, a layer or an operator narrows tables, timeline and histogram, and\n"
        "the address of the page keeps it, so a link can be sent. The page opens from\n"
        "disk in any current browser, needs no network, and can be mailed or archived.\n"
        "Two buttons turn what is shown into a Perfetto trace, to download or to open\n"
        "in https://ui.perfetto.dev.\n"
        "\n"
        "Numbers are those of 'tacho breakdown', 'ops' and 'ops --by layer'. A page of\n"
        "two files also shows what explains their difference, as 'tacho diff' does, and\n"
        "how an estimate agrees with a measurement. With --machine or --roof, operators\n"
        "are shown under their roof, as 'tacho roofline' does.\n"
        "\n"
        "A directory stands for the files in it. Files that are not profiles, and\n"
        "symbolic links that lead out of the directory, are listed and skipped; the\n"
        "exit status is then 3. The page holds names, times, layers, launches, source\n"
        "locations, bytes moved, and of kernels grid, block and shapes; other arguments\n"
        "are in the trace that 'tacho convert' writes.\n"
        "\n"
        "Up to 1048576 spans and samples of a file are on the page one by one. Beyond\n"
        "that, the timeline merges short neighbours, and says so; tables cover all\n"
        "spans, with percentiles as in 'tacho ops'. Neither the page nor the memory to\n"
        "write it grows with the number of spans beyond that.",
    .examples = "# what limits this run?\n"
                "tacho report trace.json -o page.html\n"
                "# before and after a change\n"
                "tacho report before.json after.json -o page.html\n"
                "# with the roofline of a GPU\n"
                "tacho report trace.json --roof f16=989TFLOP/s,HBM=4.8TB/s\n"
                "# every profile of a directory\n"
                "tacho report results/ -o report.html --title 'Nightly run'\n",
};
