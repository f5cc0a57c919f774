/* SPDX-License-Identifier: Apache-2.0 */
/*
 * annotate_profiling.py: the Torq tool that joins a runtime profile with the compiler's output,
 * with its flags of all generations. Which columns a table has follows from the input, as it did
 * with the versions of the tool that read it.
 */
#include "cli/command.h"

const tacho_command tacho_dropin_annotate_profiling = {
    .name = "annotate_profiling.py",
    .is_dropin = true,
    .summary = "annotate Torq runtime profiles, with the vendor's options",
    .usage = "MLIR_OR_DEBUG_DIR RUNTIME_CSV OUT [options]",
    .description =
        "Joins a runtime profile with a phase dump (MODEL.9.executable-targets.mlir) or a\n"
        "debug directory. OUT is a table (.csv, .xlsx) or a trace (.pb).\n"
        "\n"
        "The input determines the columns: torq-a0 for profiles of jobs only (in a\n"
        "workbook the manual's titles, torq-a0-manual), torq-a3-manual for host actions,\n"
        "torq-a3 for dispatches. Job times are correct; the vendor's first tool started\n"
        "each job at the end of the previous one. 'tacho annotate' does the same and more.",
    .examples = "annotate_profiling.py ./compilation_phases/fc.9.executable-targets.mlir "
                "./runtime.csv ./annotated_runtime.csv\n"
                "annotate_profiling.py ./debug ./runtime.csv ./annotated_runtime.pb\n",
};
