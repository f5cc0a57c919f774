/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model's source files: finds the operator on a line that a location names.
 *
 *     12:   %2 = tosa.add %0, %1 : ...                    -> tosa.add@L12
 *     18:   %3 = "tosa.mul"(%2, %1) ...                   -> tosa.mul@L18
 *     20:   %4 = torch.operator "onnx.Relu"(%3) ...       -> onnx.Relu@L20
 *
 * A location without a file is of a model whose nodes have names, as in ONNX; then the debug
 * information lists the operators of a name: loc("n0") -> onnx.Conv@n0 onnx.Relu@n1.
 *
 * Locations may name any path. Only regular files are read, once each, and never written; a missing
 * file is not an error, but noted.
 */
#ifndef TACHO_SOURCES_TORQ_MODEL_LINES_H
#define TACHO_SOURCES_TORQ_MODEL_LINES_H

#include "profile/debug_info.h"

/* Limit on the bytes of one source file. */
enum { TORQ_MODEL_FILE_MAX = 256 << 20 };

/* Where to search for a file that does not exist under its own path, by its last component. */
typedef struct torq_model_search {
    const char *const *dirs; /* of the user, tried first */
    size_t dir_count;
    const char *debug_path; /* file or folder of debug info, whose folder is next; or NULL */
    bool is_compared;       /* locations will be compared: make marks */
} torq_model_search;

/*
 * Fills |info->places| for every location of its dictionary: the short text and the operators. Call
 * it after all files are read. Adds notes to |info| for missing source files, and for debug
 * information without locations: its operations then have lines of the file itself, which are not
 * source lines and are never compared.
 */
tacho_status torq_model_lines_resolve(tacho_debug_info *info,
                                      const torq_model_search *search) TACHO_MUST_USE;

/* The operator of one source line, "tosa.add"; empty for lines without one. A view of |line|. */
tacho_str torq_model_line_operator(tacho_str line);

#endif
