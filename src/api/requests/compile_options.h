/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of tacho compile and of the vendors' compilers. Their tables fill a choice; texts that
 * need a machine to be understood are checked against it here, and what is wrong is printed as a
 * usage error under the name that the option has in the command's table.
 */
#ifndef TACHO_API_REQUESTS_COMPILE_OPTIONS_H
#define TACHO_API_REQUESTS_COMPILE_OPTIONS_H

#include "api/requests/selection.h"
#include "session/compile.h"
#include "session/compile_spec.h"
#include "session/run_device.h"

/* What the command line says. */
typedef struct tacho_compile_choice {
    tacho_compile_request request;
    const char *machine, *hardware; /* NULL: the default; as it is */
    const char *weights, *dtype, *fidelity, *grid, *places, *recipe, *events;
    const char *output, *profile_format;
    int timeline; /* of torq-compile: t1, t4 */
    bool is_forced;
    tacho_text_filter filter;
    tacho_machine *found; /* the machine, which may still be changed before it is used */
    tacho_arena arena;    /* of all that the request points to */
} tacho_compile_choice;

/* Runs |compile| with the options of |given|; returns its exit code, or that of misuse. */
int tacho_compile_with(tacho_request *given, const tacho_compile_choice *defaults,
                       int (*compile)(tacho_request *given, tacho_compile_choice *choice));

/* The only plain word, which is the model; false, and said so, where it is not one. */
bool tacho_compile_choose_model(tacho_request *given, tacho_compile_choice *choice);

/* Dimensions, inputs, then the machine and all that depends on it; an exit code. */
int tacho_compile_choose(tacho_request *given, tacho_compile_choice *choice);

/*
 * Sizes of dimensions (--dim NAME=N, --onnx-define-symbol NAME,N) and values of inputs (--bind),
 * which lie in |arena|; an exit code.
 */
int tacho_compile_choose_sizes(tacho_request *given, tacho_arena *arena,
                               tacho_model_options *model);

/* Compiles, and notes how it went; the outcome. */
int tacho_compile_run_chosen(tacho_request *given, tacho_compile_choice *choice);

/* Estimates at all sizes of --sweep and writes the table; an exit code. The model is chosen. */
int tacho_compile_sweep_chosen(tacho_request *given, tacho_compile_choice *choice);

#define TACHO_COMPILE_INTO_TEXT(member) TACHO_INTO_TEXT(tacho_compile_choice, member)
#define TACHO_COMPILE_INTO_FLAG(member) TACHO_INTO_FLAG(tacho_compile_choice, member)
#define TACHO_COMPILE_INTO_NUMBER(member, least, most)                                             \
    TACHO_INTO_NUMBER(tacho_compile_choice, member, least, most)

/* ---- options that several have --------------------------------------------------------------- */

#define TACHO_COMPILE_OPTIONS_DUMPS                                                                \
    TACHO_OPT_VALUE(                                                                               \
        "dump-compilation-phases-to", 0, "DIR",                                                    \
        "write the model after each phase there, as MODEL.<n>.<phase>.mlir; the last, "            \
        "MODEL.9.executable-targets.mlir, is what '{/annotate}' joins with runtime profiles",      \
        TACHO_COMPILE_INTO_TEXT(request.dumps.phases_dir)),                                        \
        TACHO_OPT_VALUE("torq-debug-info", 0, "DIR",                                               \
                        "write the last phase of each dispatch there, as DISPATCH.mlir",           \
                        TACHO_COMPILE_INTO_TEXT(request.dumps.debug_dir)),                         \
        TACHO_OPT_FLAG("mlir-print-ir-after-all", 0,                                               \
                       "print the model after each pass on standard error",                        \
                       TACHO_COMPILE_INTO_FLAG(request.dumps.is_printed)),                         \
        TACHO_OPT_VALUE("mlir-print-ir-tree-dir", 0, "DIR",                                        \
                        "write what would be printed to one file per pass in DIR instead",         \
                        TACHO_COMPILE_INTO_TEXT(request.dumps.tree_dir))

#define TACHO_COMPILE_OPTION_QUIET                                                                 \
    TACHO_OPT_FLAG("quiet", 'q', "no progress or summary; errors and losses are still shown",      \
                   TACHO_COMPILE_INTO_FLAG(request.is_quiet), .is_front = true)

#define TACHO_COMPILE_OPTION_DIM                                                                   \
    TACHO_OPT_EACH("dim", 0, "NAME=N",                                                             \
                   "the size of a dimension that the model leaves open, or the sizes of an "       \
                   "input: x=1x3x224x224; repeatable")

#define TACHO_COMPILE_OPTION_BIND                                                                  \
    TACHO_OPT_EACH("bind", 0, "NAME=VALUE",                                                        \
                   "fix an input: it becomes a constant, and an If that depends on it can be "     \
                   "decided; a number, or several with commas; repeatable")

/* |recipe| and |events| are called otherwise by vendors. */
#define TACHO_COMPILE_OPTIONS_STATS(recipe_name, events_name)                                      \
    TACHO_OPT_VALUE(                                                                               \
        "stats-level", 0, "N",                                                                     \
        "what the program records: 40 inferences, 50 also ports, 70 also operators, "              \
        "100 also counters per operator; below 40 nothing (default: 40)",                          \
        TACHO_COMPILE_INTO_NUMBER(request.compile.stats.level, 0, TACHO_STATS_LEVEL_MAX)),         \
        TACHO_OPT_VALUE(                                                                           \
            "stats-batchsize", 0, "N",                                                             \
            "number of inferences to average statistics over (default: 1)",                        \
            TACHO_COMPILE_INTO_NUMBER(request.compile.stats.batch_size, 1, UINT32_MAX)),           \
        TACHO_OPT_FLAG("ddr-stats", 0, "count DDR traffic per core; needs level 40 or more",       \
                       TACHO_COMPILE_INTO_FLAG(request.compile.stats.counts_ddr)),                 \
        TACHO_OPT_VALUE(recipe_name, 0, "NAME",                                                    \
                        "count a predefined set of core events: AxiRd, AxiWr, AxiRdWr, "           \
                        "KernelUtil, HmxMacs",                                                     \
                        TACHO_COMPILE_INTO_TEXT(recipe)),                                          \
        TACHO_OPT_VALUE(events_name, 0, "HEX,...", "count these core events, at most 8",           \
                        TACHO_COMPILE_INTO_TEXT(events))

#endif
