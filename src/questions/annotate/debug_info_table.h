/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contents of a compiler's debug information as tables: counts of dispatches, actions, jobs,
 * tasks and pieces of work by kind of engine, the compiler's estimate, and the place in the model.
 */
#ifndef TACHO_QUESTIONS_ANNOTATE_DEBUG_INFO_TABLE_H
#define TACHO_QUESTIONS_ANNOTATE_DEBUG_INFO_TABLE_H

#include "profile/debug_info.h"
#include "table/table.h"

typedef struct tacho_debug_input {
    const tacho_debug_info *info;
    tacho_str file;   /* the name to show: a file or a folder */
    bool shows_paths; /* full paths of the dispatches' files, else only their names */
} tacho_debug_input;

/* The subject of tacho_analysis_debug_info. */
typedef struct tacho_debug_inputs {
    const tacho_debug_input *items;
    size_t item_count;
} tacho_debug_inputs;

/* One row per input. */
tacho_status tacho_debug_info_inputs(const tacho_debug_input *inputs, size_t input_count,
                                     tacho_table *out_table) TACHO_MUST_USE;

/* One row per dispatch of each. */
tacho_status tacho_debug_info_dispatches(const tacho_debug_input *inputs, size_t input_count,
                                         tacho_table *out_table) TACHO_MUST_USE;

#endif
