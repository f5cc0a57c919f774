/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho diff: what became slower, and is it too much?
 */
#include "cli/command.h"

const tacho_command tacho_command_diff = {
    .name = "diff",
    .is_gate = true,
    .summary = "compare two profiles, or two sets, and gate on the difference",
    .usage = "A B [options]  |  A... -- B...",
    .description =
        "Compares profiles before (A) and after (B) a change: which operators became\n"
        "slower or faster, which are new, gone, renamed, split or merged, and what\n"
        "explains the difference of the total. A and B are files or directories of any\n"
        "format that tacho reads; several files per side go on either side of --.\n"
        "\n"
        "Every moment counts for one operator: among those busy at once, one on a\n"
        "compute engine before one that moves data, then the one that started first.\n"
        "So times of operators and idle time add up to the total, and their differences\n"
        "to its difference, to the nanosecond. Only device work is compared where a\n"
        "profile has any, else host work.\n"
        "\n"
        "Operators are matched by name, location, order and layer, where a profile knows\n"
        "layers (see tacho-ops(1), --by layer); --by layer compares whole layers.\n"
        "\n"
        "Each file, each numbered inference and each marked step (ProfilerStep#7) is a\n"
        "sample. Times are means over samples; with two or more samples per side, +/- is\n"
        "the 95 % confidence interval of the difference (Welch's t-test; neighbouring\n"
        "samples that correlate count as fewer).\n"
        "\n"
        "With --gate, the verdict is the exit status: 0 pass, 4 regression, 5\n"
        "inconclusive. A regression exceeds both limits, in total or in an operator, and\n"
        "would arise by chance less than once in 1000 comparisons of equal sides.\n"
        "Inconclusive: fewer than 5 samples of a measured side (estimates and simulations\n"
        "need one), lost records, different shapes or origins, few operators in common,\n"
        "or noise larger than the limit.",
    .examples = "# what changed between two traces\n"
                "tacho diff before.json after.json\n"
                "# which layers to two levels, such as encoder/layer.3, became slower\n"
                "tacho diff before.json after.json --by layer:2\n"
                "# an estimate of a GPU and a trace of PyTorch, operator by operator\n"
                "tacho diff estimate.tacho trace.json --by op\n"
                "# five runs of each; fail if anything is 3 % and 20 us slower\n"
                "tacho diff --gate rel=3%,abs=20us old/ new/\n"
                "# the same in a workflow: annotations, a summary, test results\n"
                "tacho diff old/ new/ --gate rel=3%,abs=20us --format github \\\n"
                "    --also summary.md --also gate.xml\n"
                "# is the simulation what the compiler promised?\n"
                "tacho diff estimate.tacho run.tacho\n",
};
