/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qaic-compile: the compiler for Qualcomm Cloud AI 100, with its flags, which have a single dash.
 * The network is called QAicGraph, as there.
 */
#include "cli/command.h"
#include "cli/hints.h"

#define MACHINE "aic100"

#define PROGRAM "programqpc.bin"

const tacho_command tacho_dropin_qaic_compile = {
    .name = "qaic-compile",
    .is_dropin = true,
    .has_single_dash = true,
    .dialect = &tacho_hints_qaic,
    .summary = "compile a model for Cloud AI 100, with the vendor's options",
    .usage = "-model=FILE -aic-binary-dir=DIR [options]",
    .description =
        "Compiles a model for Cloud AI 100 and writes DIR/" PROGRAM ", a container in the\n"
        "public layout that holds a program for tacho's runtime and 'tacho info'. What the\n"
        "program records is compiled in: level 40 is enough for inference times, 70 is\n"
        "needed for operators. 'tacho compile -m " MACHINE "' does the same\n"
        "and more.",
    .examples = "qaic-compile -model=model.onnx -aic-binary-dir=./binaries -stats-level=70\n"
                "qaic-compile -model=model.onnx -aic-binary-dir=./binaries "
                "-aic-pmu-events=3F,70,200\n",
};
