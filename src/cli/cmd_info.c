/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho info: what is in these files?
 */
#include "cli/command.h"

const tacho_command tacho_command_info = {
    .name = "info",
    .summary = "show what a profile, program, model or debug information contains",
    .usage = "FILE|DIR... [options]",
    .description =
        "Reads profiles and prints what they contain: format and version, origin\n"
        "(estimated, simulated or measured), clock, number of events and tracks, time\n"
        "range, totals per track, and records that could not be read, now or when the\n"
        "trace was made. A directory stands for the files in it. Of several files, those\n"
        "that cannot be read are listed and skipped; the exit status is then 3.\n"
        "\n"
        "For a compiled program (a QPC container written by qaic-compile or tacho) it\n"
        "prints the segments with their checksums, inputs and outputs, cores and threads,\n"
        "what the program records while it runs, and operators per core. For programs\n"
        "that tacho compiled it adds the machine, operators, jobs, the estimate and the\n"
        "memory in use.\n"
        "\n"
        "For a model (ONNX, or MLIR in TOSA or torch-onnx) it prints the format,\n"
        "producer, operator sets, inputs and outputs with types and shapes, the --dim\n"
        "options that compiling needs, the number of nodes per operator, and the size of\n"
        "the weights. Shapes are not inferred and weights are not read, so large models\n"
        "take no longer.\n"
        "\n"
        "For Torq debug information (a phase dump such as\n"
        "MODEL.9.executable-targets.mlir, a DISPATCH.mlirb, or a directory of these) it\n"
        "prints, in total and per dispatch, host actions, jobs, tasks, work per kind of\n"
        "engine, the compiler's cycle estimate, the model lines or nodes it refers to,\n"
        "and how much was damaged or not understood.",
    .examples = "# one file\n"
                "tacho info timeline.csv\n"
                "# for a script: names of tracks with their total time\n"
                "tacho info runtime.csv --format json | jq 'select(.table==\"tracks\")'\n"
                "# a program: is it intact, what are its inputs, what does it record?\n"
                "tacho info programqpc.bin\n"
                "# a model: its inputs, outputs and operators\n"
                "tacho info model.onnx\n"
                "# debug information: what can 'tacho annotate' say about a run?\n"
                "tacho info model.9.executable-targets.mlir\n",
};
