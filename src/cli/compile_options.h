/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of tacho compile that need a machine to be understood, and those about outputs. What
 * is wrong is printed as a usage error.
 */
#ifndef TACHO_CLI_COMPILE_OPTIONS_H
#define TACHO_CLI_COMPILE_OPTIONS_H

#include "cli/command.h"
#include "cli/hints.h"
#include "session/compile.h"
#include "session/device.h"
#include "cli/compile_stats.h"

/* --weights; false after a message. */
bool tacho_compile_choose_weights(const tacho_arguments *arguments, tacho_model_options *model);

/*
 * --machine and --torq-hw, and what is chosen on it; 0 when all is well, else the exit code. The
 * machine is that of |request|, which may still be changed.
 */
int tacho_compile_choose_machine(const tacho_arguments *arguments, tacho_arena *arena,
                                 tacho_machine **out_machine, tacho_compile_request *request);

/* What the options are called; "" where there is none. */
typedef struct tacho_compile_names {
    const char *devices, *cores, *batch, *metrics, *warnings;
    tacho_stats_options stats;
} tacho_compile_names;

/* What the program for |request|'s machine is made of and records; false when an option is wrong.
 */
bool tacho_compile_choose_program(const tacho_arguments *arguments,
                                  const tacho_compile_names *names, tacho_compile_request *request);

/* --dump-compilation-phases-to and the other dumps. */
void tacho_compile_choose_dumps(const tacho_arguments *arguments, tacho_compile_request *request);

#define TACHO_COMPILE_OPTIONS_DUMPS                                                                \
    {"dump-compilation-phases-to", 0, false, "DIR",                                                \
     "write the model after each phase there, as MODEL.<n>.<phase>.mlir; the last, "               \
     "MODEL.9.executable-targets.mlir, is what 'tacho annotate' joins with runtime profiles"},     \
        {"torq-debug-info", 0, false, "DIR",                                                       \
         "write the last phase of each dispatch there, as DISPATCH.mlir"},                         \
        {"mlir-print-ir-after-all", 0, false, NULL,                                                \
         "print the model after each pass on standard error"},                                     \
    {                                                                                              \
        "mlir-print-ir-tree-dir", 0, false, "DIR",                                                 \
            "write what would be printed to one file per pass in DIR instead"                      \
    }

/*
 * Sizes of dimensions, from --dim NAME=N and, where there is such an option, onnx-define-symbol
 * NAME,N; 0 when all is well, else the exit code. They live in |arena|.
 */
int tacho_compile_choose_dims(const tacho_arguments *arguments, tacho_arena *arena,
                              tacho_model_options *model);

#define TACHO_COMPILE_OPTION_DIM                                                                   \
    {                                                                                              \
        "dim", 0, TACHO_TAKES_EACH, "NAME=N",                                                      \
            "the size of a dimension that the model leaves open, or the sizes of an input: "       \
            "x=1x3x224x224; repeatable"                                                            \
    }

/* Values of inputs, from --bind NAME=VALUE; 0 when all is well, else the exit code. */
int tacho_compile_choose_binds(const tacho_arguments *arguments, tacho_arena *arena,
                               tacho_model_options *model);

#define TACHO_COMPILE_OPTION_BIND                                                                  \
    {                                                                                              \
        "bind", 0, TACHO_TAKES_EACH, "NAME=VALUE",                                                 \
            "fix an input: it becomes a constant, and an If that depends on it can be decided; a " \
            "number, or several with commas; repeatable"                                           \
    }

/* Tables and profile: where, in which format, which rows; false when one is wrong. */
bool tacho_compile_choose_outputs(const tacho_arguments *arguments, tacho_compile_request *request);

/* Compiles, says what came of it in the words of |dialect|, and returns the exit code. */
int tacho_compile_run_chosen(tacho_compile_request *request, const tacho_hint_dialect *dialect);

#endif
