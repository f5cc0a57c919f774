/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is run: a program from its file, or a model that is compiled in memory.
 */
#ifndef TACHO_SESSION_RUN_MODULE_H
#define TACHO_SESSION_RUN_MODULE_H

#include "base/notes.h"
#include "compile/compile.h"
#include "graph/model.h"
#include "program/program.h"

/* How a model is compiled; a program has been compiled already. */
typedef struct tacho_run_compile {
    const char *machine; /* name or file */
    tacho_model_options model;
    tacho_compile_options compile;
    uint32_t activations; /* that share the cores, unless their number is given */
    uint32_t threads;     /* that run it on this computer: so many cores; 0: it is not run here */
    bool is_quiet;
    const tacho_notes *notes;
} tacho_run_compile;

typedef struct tacho_run_module {
    tacho_program program;
    bool was_compiled; /* here, from a model */
} tacho_run_module;

/* The program in |path| where that is a folder of a compiler, else |path|. */
tacho_status tacho_run_program_path(const char *path, tacho_arena *arena,
                                    const char **out_path) TACHO_MUST_USE;

/* Whether |path| is a program's file, or a folder with one, rather than a model's. */
bool tacho_run_is_program(const char *path);

/* Reads |path|. Call deinit even after a failure. */
tacho_status tacho_run_module_open(tacho_run_module *module, const char *path,
                                   const tacho_run_compile *compile) TACHO_MUST_USE;
void tacho_run_module_deinit(tacho_run_module *module);

/*
 * Whether the program has a function called |name|: its own name, that of one of its dispatches, or
 * what these begin with before a '$' ("main" of main$async_dispatch_0). NOT_FOUND lists them.
 */
tacho_status tacho_run_module_check_function(const tacho_run_module *module,
                                             const char *name) TACHO_MUST_USE;

#endif
