/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files that a run of the compiler writes. All are opened before anything is written, and put
 * in place together at the end: a failure leaves none of them, nor a folder that was made for them.
 * No two go to the same place, and none replaces what the run reads.
 */
#ifndef TACHO_SESSION_COMPILE_OUTPUTS_H
#define TACHO_SESSION_COMPILE_OUTPUTS_H

#include "base/arena.h"
#include "base/mapping.h"
#include "base/output.h"

typedef struct tacho_compile_output tacho_compile_output;

/* Zeroed but for the arena, which is to be initialised, it is empty. */
typedef struct tacho_compile_outputs {
    tacho_arena arena;
    tacho_compile_output **items;
    size_t item_count, item_capacity;
    const char **folders; /* that were made, outer ones first */
    size_t folder_count, folder_capacity;
    const char **inputs; /* not to be replaced */
    size_t input_count, input_capacity;
    const tacho_mappings *mappings; /* files that are read; neither are they (optional) */
    bool is_committed;
} tacho_compile_outputs;

void tacho_compile_outputs_init(tacho_compile_outputs *outputs);

/* Closes all; without a commit before it no file and no folder is left. */
void tacho_compile_outputs_deinit(tacho_compile_outputs *outputs);

/* |path|, which is borrowed, is read: nothing is to replace it. */
tacho_status tacho_compile_outputs_add_input(tacho_compile_outputs *outputs,
                                             const char *path) TACHO_MUST_USE;

/* Makes a folder, and what is missing above it. */
tacho_status tacho_compile_outputs_folder(tacho_compile_outputs *outputs,
                                          const char *path) TACHO_MUST_USE;

/*
 * Opens |path| for |what| ("program"), both borrowed. One that was opened already, or is read, is a
 * failure. |*out_output| stays good until deinit.
 */
tacho_status tacho_compile_outputs_open(tacho_compile_outputs *outputs, const char *path,
                                        const char *what, tacho_output **out_output) TACHO_MUST_USE;

/* The same for a name that the user did not type; |mark|: see tacho_output_open_chosen. */
tacho_status tacho_compile_outputs_open_chosen(tacho_compile_outputs *outputs, const char *path,
                                               const char *what, const char *mark,
                                               tacho_output **out_output) TACHO_MUST_USE;

/* Puts all in place. */
tacho_status tacho_compile_outputs_commit(tacho_compile_outputs *outputs) TACHO_MUST_USE;

#endif
