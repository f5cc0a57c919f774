/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the debug information of a Torq program lies: one file (`--dump-compilation-phases-to`
 * leaves MODEL.9.executable-targets.mlir) or a folder with a file for each dispatch
 * (`--torq-debug-info` leaves DISPATCH.mlirb). Text and bytecode are told apart by content; both
 * may be compressed.
 */
#ifndef TACHO_SOURCES_TORQ_IR_FILES_H
#define TACHO_SOURCES_TORQ_IR_FILES_H

#include "sources/torq/ir.h"

/* Bytes of one file, decompressed. */
#define TORQ_IR_FILE_MAX (UINT64_C(1) << 30)

/*
 * Collects in |wanted|, which is empty, the names of the dispatches that the runs of |dict| are
 * of. |*out_is_all| says that some input does not name its dispatches: then all are wanted.
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
 * one; told by content. The whole of a file is looked at, so ask only of what begins like MLIR.
 * What cannot be read is none.
 */
bool torq_ir_is_program_path(const char *path);

/*
 * Whether |path| is a folder, or a file that is called or begins like MLIR, and so no runtime
 * profile. Nothing but a regular file is opened.
 */
bool torq_ir_is_debug_path(const char *path);

#endif
