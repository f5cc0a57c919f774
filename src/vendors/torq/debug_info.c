/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads debug information as 'tacho annotate' does, each input by itself, and prints its tables.
 */
#include "vendors/torq/debug_info.h"

#include "questions/annotate/debug_info_table.h"
#include "base/grow.h"
#include "base/input.h"
#include "graph/model.h"
#include "vendors/torq/annotated_notes.h"
#include "sources/torq/ir_files.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOK_BYTES = 4096 };

/* ---- telling it ------------------------------------------------------------------------------ */

/* Whether |path| is compressed MLIR. */
static bool has_mlir_inside(const char *path)
{
    tacho_input input;
    tacho_str inside = TACHO_STR("");
    tacho_status status = tacho_input_open(path, &input);
    if (status != TACHO_OK) {
        tacho_status_free(status);
        return false;
    }
    status = tacho_input_compression(&input) != NULL ? tacho_input_peek(&input, LOOK_BYTES, &inside)
                                                     : TACHO_OK;
    bool is_mlir = status == TACHO_OK && inside.len > 0 && tacho_mlir_reader.is_mine(inside);
    tacho_status_free(status);
    tacho_input_close(&input);
    return is_mlir;
}

static bool begins_like_mlir(const char *path)
{
    char head[LOOK_BYTES];
    size_t len = tacho_input_read_head(path, head, sizeof(head));
    if (len == 0) {
        return false;
    }
    return tacho_mlir_reader.is_mine(tacho_str_make(head, len)) ||
           (tacho_input_is_rereadable(path) && has_mlir_inside(path));
}

bool tacho_is_debug_info(const char *path)
{
    struct stat facts;
    bool is_input = strcmp(path, "-") == 0;
    bool is_folder = !is_input && stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
    if (!is_folder && !begins_like_mlir(path)) {
        return false;
    }
    off_t at = is_input ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
    bool is_debug_info = at >= 0 && torq_ir_is_program_path(path);
    bool is_as_before = !is_input || lseek(STDIN_FILENO, at, SEEK_SET) == at;
    return is_debug_info && is_as_before;
}

/* ---- reading it ------------------------------------------------------------------------------ */

struct tacho_opened_debug_info {
    const char *path;
    tacho_dict dict;
    tacho_debug_info info;
};

static void close_item(tacho_opened_debug_info *opened)
{
    tacho_debug_info_deinit(&opened->info);
    tacho_dict_deinit(&opened->dict);
    free(opened);
}

void tacho_debug_list_deinit(tacho_debug_list *list)
{
    for (size_t i = 0; i < list->item_count; i++) {
        close_item(list->items[i]);
    }
    free(list->items);
    *list = (tacho_debug_list){0};
}

/* Files of a folder are no inputs by themselves. */
static tacho_status refuse_output(const tacho_debug_info *info, const char *output_path)
{
    for (size_t i = 0; i < info->dispatch_count; i++) {
        const char *file = tacho_dict_string(info->dict, info->dispatches[i].file).data;
        bool is_new = i == 0 || info->dispatches[i].file != info->dispatches[i - 1].file;
        if (is_new && tacho_input_is_same_file(file, output_path)) {
            return tacho_fail(TACHO_CODE_USAGE, "%s is an input and would be overwritten",
                              output_path);
        }
    }
    return TACHO_OK;
}

static tacho_status open_item(tacho_opened_debug_info *opened, const char *output_path)
{
    tacho_status status = tacho_dict_init(&opened->dict);
    tacho_debug_info_init(&opened->info, &opened->dict);
    TACHO_TRY(status);
    TACHO_TRY(torq_ir_read_path(opened->path, NULL, &opened->info));
    return refuse_output(&opened->info, output_path);
}

tacho_status tacho_debug_list_add(tacho_debug_list *list, const char *path, const char *output_path,
                                  bool *out_is_debug_info)
{
    const tacho_annotated_notes notes = {.to = list->notes};
    *out_is_debug_info = tacho_is_debug_info(path);
    if (!*out_is_debug_info) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&list->items, &list->item_capacity, list->item_count + 1));
    tacho_opened_debug_info *opened = calloc(1, sizeof(*opened));
    if (opened == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "%s: cannot get memory for debug information",
                          path);
    }
    opened->path = path;
    tacho_status status = open_item(opened, output_path);
    if (status != TACHO_OK) {
        close_item(opened);
        return status;
    }
    list->items[list->item_count++] = opened;
    list->problem_count += tacho_debug_info_trouble_count(&opened->info) > 0 ? 1 : 0;
    tacho_debug_info_say(&opened->info, path, &notes);
    return TACHO_OK;
}

/* What to call it: "dumps" of "/w/dumps/". */
static tacho_str name_of(const tacho_debug_list *list, const char *path)
{
    tacho_str name = tacho_str_from_cstring(path);
    if (strcmp(path, "-") == 0) {
        return TACHO_STR("standard input");
    }
    while (name.len > 1 && name.data[name.len - 1] == '/') {
        name.len--;
    }
    tacho_str base = tacho_str_basename(name);
    return list->has_several || base.len == 0 ? name : base;
}

tacho_status tacho_debug_list_write(const tacho_debug_list *list, const tacho_table_taker *to)
{
    if (list->item_count == 0) {
        return TACHO_OK;
    }
    tacho_debug_input *inputs = NULL;
    TACHO_TRY(tacho_items_make(&inputs, list->item_count));
    for (size_t i = 0; i < list->item_count; i++) {
        inputs[i] = (tacho_debug_input){
            .info = &list->items[i]->info,
            .file = name_of(list, list->items[i]->path),
            .shows_paths = list->has_several,
        };
    }
    const tacho_debug_inputs subject = {inputs, list->item_count};
    tacho_status status = tacho_analysis_debug_info.make(&subject, NULL, to);
    free(inputs);
    return status;
}

const char *tacho_debug_list_path(const tacho_debug_list *list)
{
    bool is_named = list->item_count == 1 && strcmp(list->items[0]->path, "-") != 0;
    return is_named ? list->items[0]->path : NULL;
}
