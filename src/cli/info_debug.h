/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho info of debug information: dumps of compiled Torq programs in, tables of what they hold
 * out.
 */
#ifndef TACHO_CLI_INFO_DEBUG_H
#define TACHO_CLI_INFO_DEBUG_H

#include "analyses/analysis.h"

typedef struct tacho_opened_debug_info tacho_opened_debug_info;

typedef struct tacho_debug_list {
    tacho_opened_debug_info **items;
    size_t item_count, item_capacity;
    size_t problem_count; /* said already */
    bool has_several;     /* inputs, so that files are told apart by their whole paths */
} tacho_debug_list;

void tacho_debug_list_deinit(tacho_debug_list *list);

/*
 * Reads |path|, a file or a folder, and says what is damaged; |out_is_debug_info| is false for
 * what is none. One that cannot be read at all, or of which |output_path| is a file, is a failure.
 */
tacho_status tacho_debug_list_add(tacho_debug_list *list, const char *path, const char *output_path,
                                  bool *out_is_debug_info) TACHO_MUST_USE;

/* Makes the tables. */
tacho_status tacho_debug_list_write(const tacho_debug_list *list,
                                    const tacho_table_taker *to) TACHO_MUST_USE;

/* Says what can be done with them next. */
void tacho_debug_list_say_next(const tacho_debug_list *list);

#endif
