/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dumps: the network as it stands after each pass of the compiler, as MLIR in the generic form, so
 * that any MLIR tool reads it (mlir-opt --allow-unregistered-dialect).
 *
 * Phases have the numbers and names that IREE's compilers give them; those in which nothing happens
 * here are left out. The last one, 9.executable-targets, has the operations and attributes of
 * Torq's compiler, whatever the machine: 'tacho annotate' joins it with a runtime profile.
 */
#ifndef TACHO_COMPILE_DUMP_H
#define TACHO_COMPILE_DUMP_H

#include "base/output.h"
#include "compile/fuse.h"
#include "program/program.h"

/* The input of a dump. */
typedef struct tacho_dump {
    const tacho_fusion *fusion; /* and its graph */
    const tacho_program *program;
    bool has_profile; /* show memory footprints and cycles, too */
} tacho_dump;

typedef struct tacho_dump_phase {
    uint32_t number;
    const char *name;
    const char *pass;     /* after which the network looks like this */
    const char *argument; /* the same as MLIR's tools spell it */
    tacho_status (*write)(const tacho_dump *dump, tacho_output *output);
} tacho_dump_phase;

/* In their order; after the last one is an entry whose |pass| is NULL. */
extern const tacho_dump_phase tacho_dump_phases[];

/* The last phase of one dispatch alone: the file for --torq-debug-info. */
tacho_status tacho_dump_dispatch(const tacho_dump *dump, size_t dispatch,
                                 tacho_output *output) TACHO_MUST_USE;

/* ---- one writer per phase ------------------------------------------------------------------ */

tacho_status tacho_dump_input(const tacho_dump *dump, tacho_output *output) TACHO_MUST_USE;
tacho_status tacho_dump_folded(const tacho_dump *dump, tacho_output *output) TACHO_MUST_USE;
tacho_status tacho_dump_fused(const tacho_dump *dump, tacho_output *output) TACHO_MUST_USE;
tacho_status tacho_dump_placed(const tacho_dump *dump, tacho_output *output) TACHO_MUST_USE;
tacho_status tacho_dump_tiled(const tacho_dump *dump, tacho_output *output) TACHO_MUST_USE;
tacho_status tacho_dump_scheduled(const tacho_dump *dump, tacho_output *output) TACHO_MUST_USE;
tacho_status tacho_dump_targets(const tacho_dump *dump, tacho_output *output) TACHO_MUST_USE;

#endif
