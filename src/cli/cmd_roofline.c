/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho roofline: how far is each operator from what its machine can do?
 */
#include "cli/command.h"

const tacho_command tacho_command_roofline = {
    .name = "roofline",
    .summary = "show how far each operator is from what its machine can do",
    .usage = "MODEL|PROGRAM|PROFILE... [options]",
    .description =
        "Prints a point per operator: its operations (FLOP) and bytes, the time it took,\n"
        "the least time that the machine's ceilings allow, which ceiling that is, and how\n"
        "close the operator comes to it. Text output has a plot as well; .svg draws one.\n"
        "\n"
        "Ceilings are peaks of the machine description: arithmetic by type of number, and\n"
        "the rate of each level of memory. An operator is bound by compute, memory or\n"
        "local memory, whichever takes longest. A multiply-add counts as two operations.\n"
        "\n"
        "Operations and bytes come from the shapes of a model (ONNX, MLIR) or program,\n"
        "from the Input Dims of PyTorch's profiler (Kineto), and from the columns of\n"
        "Tenstorrent's op tables. A model alone is estimated; with a profile of it, such\n"
        "as one of 'tacho run' or ONNX Runtime, operators get the times of the profile.\n"
        "\n"
        "A point above its roof cannot be: the time, the sizes or the machine is wrong.\n"
        "It is marked, a warning names the worst, and the exit status is 3. Operands that\n"
        "fit in the machine's caches or local memories may be read faster than the shared\n"
        "memory allows; such points are marked 'in near memory' and are not errors.",
    .examples = "# where could a model be faster on this machine?\n"
                "tacho roofline model.onnx --machine aic100 --sort gain\n"
                "# a run against the same roof, as a drawing\n"
                "tacho run model.onnx --device sim:aic100 --profile run.tacho\n"
                "tacho roofline model.onnx run.tacho --machine aic100 -o roofline.svg\n"
                "# a PyTorch trace: the machine that it names, and other ceilings\n"
                "tacho roofline trace.json\n"
                "tacho roofline trace.json --roof f16=989TFLOP/s,f32=67TFLOP/s,HBM=4.8TB/s\n"
                "# a Tenstorrent op table\n"
                "tacho roofline ops_perf_results.csv --format json\n",
};
