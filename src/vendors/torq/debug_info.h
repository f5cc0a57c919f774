/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debug information as an input by itself: dumps of compiled Torq programs in, tables of what they
 * hold out.
 */
#ifndef TACHO_VENDORS_TORQ_DEBUG_INFO_H
#define TACHO_VENDORS_TORQ_DEBUG_INFO_H

#include "questions/analysis.h"
#include "base/notes.h"

typedef struct tacho_opened_debug_info tacho_opened_debug_info;

typedef struct tacho_debug_list {
    tacho_opened_debug_info **items;
    size_t item_count, item_capacity;
    size_t problem_count; /* said already */
    const tacho_notes *notes;
    bool has_several; /* inputs, so that files are told apart by their whole paths */
} tacho_debug_list;

void tacho_debug_list_deinit(tacho_debug_list *list);

/*
 * Whether |path| is MLIR that a Torq program was compiled to, compressed or not, or a folder with
 * such a file. Told by content: a model is none, whatever its name. Pipes are not asked.
 */
bool tacho_is_debug_info(const char *path);

/*
 * Reads |path|, a file or a folder, and says what is damaged; |out_is_debug_info| is false for
 * what is none. One that cannot be read at all, or of which |output_path| is a file, is a failure.
 */
tacho_status tacho_debug_list_add(tacho_debug_list *list, const char *path, const char *output_path,
                                  bool *out_is_debug_info) TACHO_MUST_USE;

/* Makes the tables. */
tacho_status tacho_debug_list_write(const tacho_debug_list *list,
                                    const tacho_table_taker *to) TACHO_MUST_USE;

/* The path of the only one, where it can be named again; NULL: there are none, or several. */
const char *tacho_debug_list_path(const tacho_debug_list *list);

#endif
