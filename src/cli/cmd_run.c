/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho run: what does this network compute, and where does its time go?
 */
#include "cli/command.h"

const tacho_command tacho_command_run = {
    .name = "run",
    .computes_values = true,
    .summary = "run a program or model and show where the time went",
    .usage = "PROGRAM|MODEL [--device D] [--input VALUE]... [options]",
    .description =
        "Runs a compiled program, or compiles a model (ONNX, MLIR) in memory for the\n"
        "device's machine and runs it. Prints the outputs, inference times (mean, p50,\n"
        "p99), how busy the engines were, and the operators that took the most time.\n"
        "\n"
        "First comes a verdict: one sentence on what limits each device, then advice by\n"
        "rule with the time that it can gain (docs/rules.md). Both are silent where the\n"
        "recording does not allow a statement. CSV leaves them out.\n"
        "\n"
        "Devices: sim starts from the compiler's cycles for each job and adds contention\n"
        "for queues, shared memory and networks between cores. Its times are simulated,\n"
        "the same on every computer, and not representative of hardware. cpu runs the\n"
        "operators on this computer and measures them with real clocks. null takes no\n"
        "time; it is a skeleton for new devices. Values are computed on this computer in\n"
        "every case.\n"
        "\n"
        "What is recorded is compiled in: level 40 records inferences, level 70\n"
        "operators. --profile writes it for a viewer; --stats-dir writes raw stats, which\n"
        "'tacho convert', 'overview' and 'ops' read with --program. Torq's files (r0, r1,\n"
        "r2) need no level: they say when blocks ran, and 'tacho annotate' joins them\n"
        "with the debug information of 'tacho compile --torq-debug-info'.\n"
        "\n"
        "With --compare each operator is shown next to its estimate. On sim the\n"
        "difference is the sum of named stalls, to the cycle. On cpu it is what remains\n"
        "at the clock that fits all operators best; the measured time is the median of\n"
        "the recorded inferences, and operators computed inside a neighbour's kernel are\n"
        "marked.\n"
        "\n"
        "With --host the device is on another computer. The model is compiled here; the\n"
        "program, inputs and results travel through your own ssh, with its keys,\n"
        "configuration and jump hosts. A small runtime is copied there once and again\n"
        "when it changes; nothing else is written there. One run at a time uses a board.\n"
        "A board that is silent for a minute is given up (--timeout); while it computes,\n"
        "it is not silent.\n"
        "'make board' builds the runtime for aarch64.\n"
        "\n"
        "Ctrl-C ends the run after the current inference: what was recorded is written\n"
        "and printed, and the exit status is 130. A second Ctrl-C abandons that inference\n"
        "and writes only the profile; a third exits at once. SIGTERM abandons the\n"
        "inference if it has not finished after half a second.",
    .examples = "# a model on the simulated default machine, with random inputs\n"
                "tacho run model.onnx\n"
                "# a program with a given input, output to a file\n"
                "tacho run model.vmfb --input=\"1x1280xi8=0\" --output=@y.npy\n"
                "# a hundred times on this computer, with a trace of the second inference\n"
                "tacho run model.onnx --device cpu -n 100 --profile run.pb\n"
                "# on a board: its processor, measured there\n"
                "tacho run model.onnx --host root@board --device cpu -n 100\n"
                "# where contention costs time\n"
                "tacho run model.onnx --device sim:aic100 --activations 4 --compare\n",
};
