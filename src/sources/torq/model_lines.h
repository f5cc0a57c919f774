/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model's source files: which operator stands on a line that a location names.
 *
 *     12:   %2 = tosa.add %0, %1 : ...                    -> tosa.add@L12
 *     18:   %3 = "tosa.mul"(%2, %1) ...                   -> tosa.mul@L18
 *     20:   %4 = torch.operator "onnx.Relu"(%3) ...       -> onnx.Relu@L20
 *
 * A location without a file is of a model whose nodes have names, as ONNX has; then it is the debug
 * information that says what a name stands for: loc("n0") -> onnx.Conv@n0 onnx.Relu@n1.
 *
 * Locations may name any path. A file is only ever read, only when it is a regular one, and once;
 * one that is not there is no error, but noted.
 */
#ifndef TACHO_SOURCES_TORQ_MODEL_LINES_H
#define TACHO_SOURCES_TORQ_MODEL_LINES_H

#include "profile/debug_info.h"

/* Bytes of one source file. */
enum { TORQ_MODEL_FILE_MAX = 256 << 20 };

/* Where a file that is not found under its own path is looked for, by its last component. */
typedef struct torq_model_search {
    const char *const *dirs; /* of the user, tried first */
    size_t dir_count;
    const char *debug_path; /* file or folder of the debug info, whose folder comes next; or NULL */
    bool is_compared;       /* locations will be compared with one another: make marks */
} torq_model_search;

/*
 * Fills |info->places| for every location of its dictionary: the short text and the operators.
 * Call it when all files are read. Notes of |info| name the source files that are missing, and
 * debug information that has no locations: its operations then have those of its own lines, which
 * are no source lines and are compared with nothing.
 */
tacho_status torq_model_lines_resolve(tacho_debug_info *info,
                                      const torq_model_search *search) TACHO_MUST_USE;

/* The operator of one source line, "tosa.add"; empty when it has none. A view of |line|. */
tacho_str torq_model_line_operator(tacho_str line);

#endif
