/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the debug information of a Torq program: one file (`--dump-compilation-phases-to` leaves
 * MODEL.9.executable-targets.mlir) or a folder with a file for each dispatch (`--torq-debug-info`
 * leaves DISPATCH.mlirb). The content decides between text and bytecode; both may be compressed.
 */
#ifndef TACHO_SOURCES_TORQ_IR_FILES_H
#define TACHO_SOURCES_TORQ_IR_FILES_H

#include "sources/torq/ir.h"

/* Limit on the bytes of one file, decompressed. */
#define TORQ_IR_FILE_MAX (UINT64_C(1) << 30)

/*
 * Collects the names of the dispatches in the runs of |dict| in |wanted|, which is empty.
 * |*out_is_all| is true if some input does not name its dispatches: then all are wanted.
 */
tacho_status torq_ir_wanted(const tacho_dict *dict, tacho_strings *wanted,
                            bool *out_is_all) TACHO_MUST_USE;

/*
 * Reads the debug information at |path| into |info|: a file, or a folder, of which only the files
 * of dispatches in |wanted| are read (NULL: all), each once. In a folder, a file that cannot be
 * read is a problem of |info| and the others are read nevertheless. Fails when nothing is found.
 */
tacho_status torq_ir_read_path(const char *path, const tacho_strings *wanted,
                               tacho_debug_info *info) TACHO_MUST_USE;

/*
 * Whether |path| is a file of MLIR with operations or types of torq's dialects, or a folder with
 * one; decided by content. This reads the whole file, so call it only for files that begin like
 * MLIR. False for unreadable files.
 */
bool torq_ir_is_program_path(const char *path);

/*
 * Whether |path| is a folder, or a file with the name or the beginning of MLIR, and so not a
 * runtime profile. Only regular files are opened.
 */
bool torq_ir_is_debug_path(const char *path);

#endif
