/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads debug information as 'tacho annotate' does, each input by itself, and prints its tables.
 */
#include "cli/info_debug.h"

#include "analyses/debug_info_table.h"
#include "base/grow.h"
#include "base/input.h"
#include "cli/annotate_talk.h"
#include "cli/file_kind.h"
#include "cli/talk.h"
#include "sources/torq/ir_files.h"

#include <stdio.h>
#include <stdlib.h>

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
    *out_is_debug_info = tacho_cli_is_debug_info(path);
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
    tacho_annotate_talk_debug_info(&opened->info, path, TACHO_TALK_NORMAL);
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

void tacho_debug_list_say_next(const tacho_debug_list *list)
{
    char text[512];
    bool is_named = list->item_count == 1 && strcmp(list->items[0]->path, "-") != 0;
    if (list->item_count > 0) {
        snprintf(text, sizeof(text),
                 "'tacho annotate %.300s RUNTIME' joins it with a runtime profile of its program",
                 is_named ? list->items[0]->path : "DEBUG");
        tacho_talk_line("note", text);
    }
}
