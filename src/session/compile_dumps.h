/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where dumps of the compiler's phases go.
 */
#ifndef TACHO_SESSION_COMPILE_DUMPS_H
#define TACHO_SESSION_COMPILE_DUMPS_H

#include "session/compile_outputs.h"
#include "compile/dump.h"

/* Folders are made where they are missing; NULL: not wanted. */
typedef struct tacho_compile_dumps {
    const char *phases_dir; /* <stem>.<number>.<phase>.mlir */
    const char *debug_dir;  /* <dispatch>.mlir */
    const char *tree_dir;   /* <operation>/<number>_<pass>.mlir */
    bool is_printed;        /* on standard error, unless there is a tree */
    bool has_profile;       /* with cycles and memory footprints */
} tacho_compile_dumps;

static inline bool tacho_compile_dumps_any(const tacho_compile_dumps *dumps)
{
    return dumps->phases_dir != NULL || dumps->debug_dir != NULL || dumps->tree_dir != NULL ||
           dumps->is_printed;
}

/* How many files a folder of phases gets. */
size_t tacho_compile_dumps_phase_count(void);

/* One that is open. */
typedef struct tacho_compile_dump_file {
    const tacho_dump_phase *phase; /* or NULL: */
    size_t dispatch;
    tacho_output *output;
} tacho_compile_dump_file;

typedef struct tacho_compile_dump_files {
    tacho_compile_dump_file *items; /* in the arena of the outputs */
    size_t item_count;
} tacho_compile_dump_files;

/*
 * Makes the folders and opens all files, which are named after the model and, by dispatch, after
 * the network. What is in a file that is named after the network is replaced only by the next dump.
 */
tacho_status tacho_compile_dumps_open(const tacho_compile_dumps *dumps,
                                      const tacho_program *program, const char *model_path,
                                      tacho_compile_outputs *outputs,
                                      tacho_compile_dump_files *out_files) TACHO_MUST_USE;

/* Writes them, and prints what is to be printed. */
tacho_status tacho_compile_dumps_write(const tacho_compile_dumps *dumps, const tacho_dump *dump,
                                       const tacho_compile_dump_files *files) TACHO_MUST_USE;

#endif
