/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where dumps of the compiler's phases go.
 */
#ifndef TACHO_CLI_COMPILE_DUMPS_H
#define TACHO_CLI_COMPILE_DUMPS_H

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

/* Makes the folders, so that what cannot be written is known before work is done. */
tacho_status tacho_compile_dumps_prepare(const tacho_compile_dumps *dumps) TACHO_MUST_USE;

/* Writes them; files are named after the model. */
tacho_status tacho_compile_dumps_write(const tacho_compile_dumps *dumps, const tacho_dump *dump,
                                       const char *model_path) TACHO_MUST_USE;

#endif
