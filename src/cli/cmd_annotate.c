/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho annotate: a runtime profile, and what the compiler says about its program.
 */
#include "cli/command.h"

const tacho_command tacho_command_annotate = {
    .name = "annotate",
    .summary = "join a runtime profile with the compiler's debug information",
    .usage = "DEBUG RUNTIME... [-o OUT] [options]",
    .description =
        "Joins Torq runtime profiles with the compiler's debug information: for each host\n"
        "action it shows which kernels it started, which engines they used and which\n"
        "operators of the model they implement.\n"
        "\n"
        "DEBUG is a phase dump (MODEL.9.executable-targets.mlir) or a directory of debug\n"
        "information (DISPATCH.mlirb); the content tells text from bytecode.\n"
        "RUNTIME may be of any version: jobs only, with actions, or with dispatches.\n"
        "Several runtime profiles make one table.\n"
        "\n"
        "The table has a row for each action, job and engine operation. The trace shows\n"
        "the run with programs named after their kernels, each engine for as long as its\n"
        "job took, the compiler's estimates fitted into the measured jobs, and the\n"
        "overview as tracks.\n"
        "\n"
        "Operators are read from the model's source files at the paths that the debug\n"
        "information gives. If a file is missing there, a file of the same name next to\n"
        "the debug information is used and a note says so. ONNX nodes have names but no\n"
        "lines; for them, operators come from the debug information that tacho's compiler\n"
        "wrote: onnx.Conv@NODE, with everything that was fused.\n"
        "\n"
        "Only jobs are measured. An engine operation shows the compiler's estimate fitted\n"
        "into its job (origin: estimated), or no time. In the vendor's columns it shows\n"
        "the wait for its job, as the vendor's tools do.\n"
        "\n"
        "The vendor's column sets use the vendor's names and units but correct times: in\n"
        "torq-a0 and torq-a0-manual a job lasts from its own start to its end, while\n"
        "the vendor's first tool started it at the end of the previous job. A host\n"
        "program has one row for its start and one for its wait (torq-a3,\n"
        "torq-a3-manual), or a single row (torq-a1, torq-a2).\n"
        "\n"
        "Rows without a match are kept with what is known of them and counted by reason\n"
        "on standard error; the exit status is then 3, as it is for damaged debug\n"
        "information and for source files that are there and cannot be read. A warning is\n"
        "printed when the debug information seems to come from another build.",
    .examples = "# which operator took how long, for a spreadsheet\n"
                "tacho annotate model.9.executable-targets.mlir runtime.csv -o annotated.xlsx\n"
                "# the columns of the vendor's manual\n"
                "tacho annotate debug/ runtime.csv --columns torq-a3-manual -o annotated.csv\n"
                "# a trace for ui.perfetto.dev, and how busy the engines were\n"
                "tacho annotate debug/ runtime.csv -o annotated.pb\n"
                "tacho overview annotated.pb\n",
};
