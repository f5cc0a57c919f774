/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho info of programs: containers in, tables of what they hold out.
 */
#ifndef TACHO_SESSION_PROGRAM_INFO_H
#define TACHO_SESSION_PROGRAM_INFO_H

#include "base/mapping.h"
#include "base/notes.h"
#include "questions/analysis.h"
#include "estimates/program_tables.h"

typedef struct tacho_program_list {
    tacho_opened_program *items;
    size_t item_count, item_capacity;
    tacho_mappings mappings;
    tacho_arena arena;
    size_t problem_count; /* said already */
    bool has_several;     /* inputs, so that files are told apart by their whole paths */
    bool is_for_people;
    const tacho_notes *notes; /* who is told what is damaged */
} tacho_program_list;

void tacho_program_list_init(tacho_program_list *list);
void tacho_program_list_deinit(tacho_program_list *list);

/*
 * Opens |path|, or the program in the folder |path|, and says what is damaged; |out_is_program| is
 * false for what is none. One whose structure is wrong, or that is |output_path|, is a failure.
 */
tacho_status tacho_program_list_add(tacho_program_list *list, const char *path,
                                    const char *output_path, bool *out_is_program) TACHO_MUST_USE;

/* Makes the tables. */
tacho_status tacho_program_list_write(const tacho_program_list *list,
                                      const tacho_table_taker *to) TACHO_MUST_USE;

#endif
