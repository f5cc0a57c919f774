/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs of a verb that takes folders: a folder stands for the files in it, sorted by name. Logs
 * that are read together, such as the logs of one run, are one input, which the path of
 * the folder stands for; the other files beside them are inputs, too.
 */
#ifndef TACHO_PIPELINE_INPUT_LIST_H
#define TACHO_PIPELINE_INPUT_LIST_H

#include "base/arena.h"

/* Paths in the order in which they are read; zeroed, it is empty. */
typedef struct tacho_input_list {
    const char **paths;
    size_t path_count, path_capacity;
    const char **links; /* in folders, to files elsewhere: the caller has not named those */
    size_t link_count, link_capacity;
    tacho_arena arena;
} tacho_input_list;

void tacho_input_list_init(tacho_input_list *list);
void tacho_input_list_deinit(tacho_input_list *list);

/*
 * Adds |path|, or what lies in it when it is a folder: plain files whose names do not start with
 * a dot, and not |output_path|, which may be the result of an earlier run. Folders in it are left
 * alone; symbolic links that lead out of it are listed apart.
 */
tacho_status tacho_input_list_add(tacho_input_list *list, const char *path,
                                  const char *output_path) TACHO_MUST_USE;

/* The same; a folder without such files is a failure. */
tacho_status tacho_input_list_add_some(tacho_input_list *list, const char *path,
                                       const char *output_path) TACHO_MUST_USE;

/* Adds |path|, whatever it is. */
tacho_status tacho_input_list_add_file(tacho_input_list *list, const char *path) TACHO_MUST_USE;

/* Whether the file at |path| is a page that 'tacho report' wrote, by the mark in its head. */
bool tacho_input_list_is_page(const char *path);

/* Why a symbolic link in a folder is not followed. */
tacho_status tacho_input_list_refuse_link(const char *path) TACHO_MUST_USE;

#endif
