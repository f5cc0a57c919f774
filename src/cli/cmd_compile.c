/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho compile: how long will this network take on that machine?
 */
#include "cli/command.h"

const tacho_command tacho_command_compile = {
    .name = "compile",
    .summary = "estimate a model on a machine and compile it",
    .usage = "MODEL [--machine M] [-o PROGRAM] [options]",
    .description =
        "Reads a model (ONNX, or MLIR in TOSA or torch-onnx), folds constants, fuses\n"
        "operators, and estimates each operator on the machine: cycles, MACs, bytes per\n"
        "memory, engine utilisation, padding, and what limits it. Operators are\n"
        "partitioned over the cores, tiled to fit local memory, and scheduled on engines\n"
        "and DMA queues; the total is the end of the schedule.\n"
        "\n"
        "First comes a verdict: one sentence on what limits each device, then advice by\n"
        "rule with the time that it can gain (docs/rules.md). Both are silent where the\n"
        "timeline does not allow a statement. CSV leaves them out.\n"
        "\n"
        "Every operator that runs is costed against the machine description. Views and\n"
        "nodes that depend only on constants do not run; the summary counts them. An\n"
        "unknown operator is reported in a warning, and its estimate is a lower bound; if\n"
        "the program is kept, the exit status is 3. An operator whose shapes are unknown\n"
        "is an error.\n"
        "\n"
        "CSV, JSON and XLSX have every column of the tables, among them the cycles of\n"
        "computing, reading, writing and launching; text has those that fit a screen.\n"
        "\n"
        "With --profile the timeline is written as well: a trace for a viewer and for\n"
        "'tacho overview', 'ops' and 'report', or the timeline of Torq's compiler. It is\n"
        "an estimate, and its origin says so.\n"
        "\n"
        "With --sweep the whole model is estimated at many sizes, a row each: time,\n"
        "tokens per second, bytes moved, what limits it most, memory needed. A decoder\n"
        "with a cache is estimated twice at each length seq: reading that many tokens\n"
        "(prefill), and making one token behind that many (decode).\n"
        "\n"
        "With -o the program is written: jobs, dependencies, buffers, constants and what\n"
        "the device is to record, in a container that 'tacho info' reads. Dumps show the\n"
        "model after each phase as generic MLIR.",
    .examples = "# where would the time go?\n"
                "tacho compile model.onnx --machine wormhole-n150 --sort cycles --top 20\n"
                "# a batch of 8, and the timeline for ui.perfetto.dev\n"
                "tacho compile model.onnx -m aic100 --dim N=8 --profile model.pb\n"
                "# a program that records operators and how busy the engines are\n"
                "tacho compile model.onnx -m aic100 -o programqpc.bin --stats-level 70 "
                "--pmu-recipe KernelUtil\n"
                "# tokens per second of a language model, as a table and as curves\n"
                "tacho compile decoder.onnx -m aic100 --sweep batch=1,4,16 "
                "--sweep seq=128,1024,4096 -o sweep.html\n"
                "# as Torq's compiler writes it\n"
                "tacho compile add.mlir --profile timeline.csv --profile-format t1\n"
                "# a matrix product on 8x4 cores, in bfp8, all of it in local memory\n"
                "tacho compile gemm.onnx -m wormhole-n150 --grid 8x4 --dtype bfp8 --fidelity LoFi "
                "--place in0=l1,in1=l1,out=l1\n",
};
