/* SPDX-License-Identifier: Apache-2.0 */
/*
 * torq-compile: Torq's compiler, with its flags. Profiling is off unless asked for; its timeline is
 * written as the vendor's documents show it (T1), with all dispatches in one file.
 */
#include "cli/command.h"

const tacho_command tacho_dropin_torq_compile = {
    .name = "torq-compile",
    .is_dropin = true,
    .summary = "compile a model for Torq, with the vendor's options",
    .usage = "MODEL -o OUT [options]",
    .description =
        "Compiles a model (ONNX, or MLIR in TOSA or torch-onnx) for Torq. OUT is a\n"
        "program for tacho's runtime and 'tacho info', not a module for the vendor's\n"
        "runtime. With --torq-enable-profiling it also writes the estimated timeline of\n"
        "all dispatches to one file. 'tacho compile' does the same and more.",
    .examples = "torq-compile samples/tosa/fc.mlir -o model.vmfb --torq-enable-profiling "
                "--torq-dump-profiling=./trace.csv "
                "--dump-compilation-phases-to=./compilation_phases\n",
};
