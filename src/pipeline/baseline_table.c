/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The baselines of a directory as a table, by name.
 */
#include "pipeline/baseline.h"

#include "base/folder.h"
#include "base/grow.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct name_list {
    const char **items;
    size_t item_count, item_capacity;
    tacho_arena arena;
} name_list;

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static tacho_status add_name(name_list *list, const char *folder, const char *name)
{
    const char *path = NULL;
    tacho_str copy;
    if (!tacho_baseline_is_name(name)) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_folder_join(folder, tacho_str_from_cstring(name), &list->arena, &path));
    if (!tacho_baseline_is_there(path)) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_arena_copy(&list->arena, tacho_str_from_cstring(name), &copy));
    TACHO_TRY(tacho_grow(&list->items, &list->item_capacity, list->item_count + 1));
    list->items[list->item_count++] = copy.data;
    return TACHO_OK;
}

static tacho_status list_names(name_list *list, const char *folder)
{
    DIR *opened = opendir(folder);
    tacho_status status = TACHO_OK;
    if (opened == NULL) {
        return tacho_fail(TACHO_CODE_IO, "%s: cannot read the directory of baselines: %s", folder,
                          strerror(errno));
    }
    for (const struct dirent *entry; status == TACHO_OK && (entry = readdir(opened)) != NULL;) {
        status = add_name(list, folder, entry->d_name);
    }
    closedir(opened);
    if (list->item_count > 1) {
        qsort(list->items, list->item_count, sizeof(*list->items), compare_names);
    }
    return status;
}

static tacho_status add_row(const tacho_baseline *baseline, const char *name, tacho_table *table)
{
    const tacho_baseline_entry *last = &baseline->entries[baseline->entry_count - 1];
    int64_t byte_count = 0;
    for (size_t i = 0; i < baseline->capture_count; i++) {
        if (__builtin_add_overflow(byte_count, baseline->captures[i].byte_count, &byte_count)) {
            byte_count = INT64_MAX;
        }
    }
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(name)));
    TACHO_TRY(tacho_table_add_text(table, last->saved));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)baseline->capture_count));
    TACHO_TRY(tacho_table_add_int(table, byte_count));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)baseline->entry_count));
    return tacho_table_add_text(table, last->reason);
}

static tacho_status add_baseline(name_list *list, const char *folder, const char *name,
                                 tacho_table *table)
{
    const char *path = NULL;
    tacho_baseline baseline;
    TACHO_TRY(tacho_folder_join(folder, tacho_str_from_cstring(name), &list->arena, &path));
    tacho_status status = tacho_baseline_init(&baseline, path);
    if (status == TACHO_OK) {
        status = add_row(&baseline, name, table);
    }
    tacho_baseline_deinit(&baseline);
    return status;
}

tacho_status tacho_baseline_table(const char *folder, void (*skip)(void *user, tacho_status status),
                                  void *user, tacho_table *out_table)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(NAME, "Name", TEXT),  TACHO_COLUMN(SAVED, "Saved", TEXT),
        TACHO_COLUMN(FILES, "Files", INT), TACHO_COLUMN(BYTES, "Bytes", INT),
        TACHO_COLUMN(SAVES, "Saves", INT), TACHO_COLUMN(REASON, "Reason", TEXT),
    };
    name_list list = {.items = NULL};
    tacho_table_init(out_table, "baselines", "Baselines", columns,
                     sizeof(columns) / sizeof(columns[0]));
    tacho_arena_init(&list.arena);
    tacho_status status = list_names(&list, folder);
    for (size_t i = 0; i < list.item_count && status == TACHO_OK; i++) {
        status = add_baseline(&list, folder, list.items[i], out_table);
        if (status != TACHO_OK && tacho_status_code(status) != TACHO_CODE_NO_MEMORY) {
            skip(user, status);
            status = TACHO_OK;
        }
    }
    free(list.items);
    tacho_arena_deinit(&list.arena);
    return status;
}
