/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tt_profile and tt_profile.py: tt-torch's wrapper, which runs a command and leaves its op table.
 */
#include "cli/command.h"

#define TT_PROFILE(name_)                                                                          \
    {                                                                                              \
        .name = name_, .is_dropin = true, .runs_program = true,                                    \
        .summary = "run a command and write its op table, as tt-torch's tt_profile.py does",       \
        .usage = "[-h] [-o OUTPUT_PATH] [-p PORT] \"test_command\"",                               \
        .description =                                                                             \
            "Runs the command, in quotes or as it is, records every process of it, and writes\n"   \
            "a CSV report with a row for each operator: its code, attributes, tensors, times on\n" \
            "the host and on the device, kernels, and its location in the model. The exit\n"       \
            "status is that of the command.\n"                                                     \
            "\n"                                                                                   \
            "Operators come from programs that report them: tt-metal built with Tracy, whose\n"    \
            "messages and device logs are put together, 'tacho run' and its Python API,\n"         \
            "torq-run-module, qaic-runner, and programs that use libtacho-client. Several\n"       \
            "processes can report at once. Times of simulated devices are simulated, and the\n"    \
            "column PROGRAM_METADATA says so. A command that reports no operators leaves an\n"     \
            "earlier report as it is, else one without rows, and a warning says what was\n"        \
            "tried. Compiled programs report operators if their stats level is 70.",               \
        .examples = "# operators of a simulated Wormhole\n"                                        \
                    "tt_profile \"tacho run model.onnx --device sim:wormhole-n150\"\n"             \
                    "# with a trace for https://ui.perfetto.dev\n"                                 \
                    "tt_profile -o ops.csv --trace ops.pb \"tacho run model.onnx --device "        \
                    "sim:wormhole-n150\"\n",                                                       \
    }

const tacho_command tacho_dropin_tt_profile = TT_PROFILE("tt_profile");

const tacho_command tacho_dropin_tt_profile_py = TT_PROFILE("tt_profile.py");
