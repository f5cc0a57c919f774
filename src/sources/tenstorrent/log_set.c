/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of a folder are examined in the order of their names.
 */
#include "sources/tenstorrent/log_set.h"

#include "base/folder.h"
#include "base/grow.h"
#include "base/input.h"
#include "sources/tenstorrent/log_messages.h"
#include "sources/tenstorrent/log_read.h"
#include "sources/tenstorrent/log_times.h"
#include "sources/tenstorrent/tenstorrent.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

enum { HEAD_BYTES = 4096 };

static const char *const file_titles[TT_SET_FILE_COUNT] = {
    [TT_SET_DEVICE_LOG] = "device logs (profile_log_device.csv)",
    [TT_SET_MESSAGES] = "files of messages (tracy_ops_data.csv)",
    [TT_SET_TIMES] = "files of host times (tracy_ops_times.csv)",
    [TT_SET_REPORT] = "device reports (cpp_device_perf_report.csv)",
    [TT_SET_OPS] = "op tables (ops_perf_results*.csv)",
    [TT_SET_SYNC] = "files of clock synchronisation (sync_device_info.csv)",
};

void tt_log_set_init(tt_log_set *set, tacho_arena *arena)
{
    *set = (tt_log_set){.arena = arena};
}

bool tt_log_set_has_any(const tt_log_set *set)
{
    return set->paths[TT_SET_DEVICE_LOG] != NULL || set->paths[TT_SET_MESSAGES] != NULL ||
           set->paths[TT_SET_REPORT] != NULL;
}

/* The header of the runtime's own report; copies may be cut to their first columns. */
static bool is_report(tacho_str line)
{
    return tacho_str_starts_with(line, TACHO_STR("GLOBAL CALL COUNT,METAL TRACE ID,"));
}

tt_set_file tt_set_file_of(tacho_str head)
{
    tt_times_header times;
    tacho_str line = tacho_str_make(head.data, tacho_str_find_byte(head, '\n'));
    line = tacho_str_trim(line);
    if (tt_messages_probe(line)) {
        return TT_SET_MESSAGES;
    }
    if (tacho_str_starts_with(line, TACHO_STR("ARCH:")) ||
        tacho_str_starts_with(line, TACHO_STR("Chip clock is at "))) {
        return tt_log_probe(head) ? TT_SET_DEVICE_LOG : TT_SET_FILE_NONE;
    }
    if (is_report(line)) {
        return TT_SET_REPORT;
    }
    if (tacho_source_tenstorrent_ops.probe(head) == TACHO_PROBE_SURE) {
        return TT_SET_OPS;
    }
    if (tacho_str_starts_with(line, TACHO_STR("device id,core_x")) ||
        tacho_str_starts_with(line, TACHO_STR("device id, core_x"))) {
        return TT_SET_SYNC;
    }
    return tt_times_header_take(&times, line) ? TT_SET_TIMES : TT_SET_FILE_NONE;
}

static tt_set_file look_at(const char *path)
{
    char head[HEAD_BYTES];
    size_t len = tacho_input_read_content(path, head, sizeof(head));
    return len > 0 ? tt_set_file_of(tacho_str_make(head, len)) : TT_SET_FILE_NONE;
}

/* Uses |path| as |file|; a second file of one kind is an error. */
static tacho_status add_file(tt_log_set *set, tt_set_file file, const char *path)
{
    if (set->paths[file] != NULL) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s, %s: two %s; join the logs of one run at a time",
                          set->paths[file], path, file_titles[file]);
    }
    tacho_str kept;
    TACHO_TRY(tacho_arena_copy(set->arena, tacho_str_from_cstring(path), &kept));
    set->paths[file] = kept.data;
    return TACHO_OK;
}

/* ---- folders ------------------------------------------------------------------------------- */

typedef struct name_list {
    const char **items;
    size_t item_count, item_capacity;
} name_list;

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static tacho_status list_names(tt_log_set *set, const char *path, name_list *names)
{
    DIR *folder = opendir(path);
    if (folder == NULL) {
        return tacho_fail(TACHO_CODE_IO, "%s: cannot list it: %s", path, strerror(errno));
    }
    tacho_status status = TACHO_OK;
    for (const struct dirent *entry; status == TACHO_OK && (entry = readdir(folder)) != NULL;) {
        const char *joined = NULL;
        if (entry->d_name[0] == '.') {
            continue;
        }
        status =
            tacho_folder_join(path, tacho_str_from_cstring(entry->d_name), set->arena, &joined);
        if (status == TACHO_OK) {
            status = tacho_grow(&names->items, &names->item_capacity, names->item_count + 1);
        }
        if (status == TACHO_OK) {
            names->items[names->item_count++] = joined;
        }
    }
    closedir(folder);
    if (names->item_count > 1) {
        qsort(names->items, names->item_count, sizeof(*names->items), compare_names);
    }
    return status;
}

/* Whether the name of a file begins with one of |names|, a NULL-terminated list. */
static bool has_log_name(const char *path, const char *const *names)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    for (size_t i = 0; names[i] != NULL; i++) {
        if (strncmp(name, names[i], strlen(names[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether a file has the name of a log, perhaps compressed. */
static bool is_called_log(const char *path)
{
    static const char *const names[] = {"profile_log_device.csv", "tracy_ops_data.csv",
                                        "tracy_ops_times.csv",    "cpp_device_perf_report.csv",
                                        "sync_device_info.csv",   NULL};
    return has_log_name(path, names);
}

/* Whether a file only lists the source places of zones; device logs repeat those. */
static bool is_zone_list(const char *path)
{
    static const char *const names[] = {"zone_src_locations.log", "new_zone_src_locations.log",
                                        NULL};
    return has_log_name(path, names);
}

/* Notes a file with the name of a log that is not one: its data is missing. */
static void note_bad(tt_log_set *set, const char *path)
{
    if (!tacho_path_is_folder(path) && is_called_log(path)) {
        set->bad_path = set->bad_path != NULL ? set->bad_path : path;
        set->bad_count++;
    }
}

static tacho_status add_files(tt_log_set *set, const char *path)
{
    name_list names = {NULL, 0, 0};
    tacho_status status = list_names(set, path, &names);
    for (size_t i = 0; status == TACHO_OK && i < names.item_count; i++) {
        tt_set_file file = look_at(names.items[i]);
        /* Op tables are made from the other files: the first is enough. */
        bool is_wanted =
            file != TT_SET_FILE_NONE && !(file == TT_SET_OPS && set->paths[TT_SET_OPS] != NULL);
        status = is_wanted ? add_file(set, file, names.items[i]) : TACHO_OK;
        if (file == TT_SET_FILE_NONE) {
            note_bad(set, names.items[i]);
        }
    }
    free(names.items);
    return status;
}

tacho_status tt_log_set_add(tt_log_set *set, const char *path)
{
    const char *inner = NULL;
    if (!tacho_path_is_folder(path)) {
        tt_set_file file = look_at(path);
        if (file != TT_SET_FILE_NONE && file != TT_SET_OPS) {
            return add_file(set, file, path);
        }
        tacho_input input;
        TACHO_TRY(tacho_input_open(path, &input));
        tacho_input_close(&input);
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "%s: not a log of Tenstorrent's profiler; expected "
                          "profile_log_device.csv, tracy_ops_data.csv, tracy_ops_times.csv or "
                          "cpp_device_perf_report.csv",
                          path);
    }
    TACHO_TRY(add_files(set, path));
    TACHO_TRY(tacho_folder_join(path, TACHO_STR(".logs"), set->arena, &inner));
    return tacho_path_is_folder(inner) ? add_files(set, inner) : TACHO_OK;
}

bool tt_log_set_is_folder(const char *path)
{
    tacho_arena arena;
    tt_log_set set;
    if (!tacho_path_is_folder(path)) {
        return false;
    }
    tacho_arena_init(&arena);
    tt_log_set_init(&set, &arena);
    tacho_status status = tt_log_set_add(&set, path);
    bool has_any = tt_log_set_has_any(&set);
    tacho_status_free(status);
    tacho_arena_deinit(&arena);
    return has_any;
}

tacho_status tt_log_set_find_table(const char *folder, tacho_arena *arena, const char **out_path)
{
    tt_log_set set;
    *out_path = NULL;
    if (!tacho_path_is_folder(folder)) {
        return TACHO_OK;
    }
    tt_log_set_init(&set, arena);
    TACHO_TRY(tt_log_set_add(&set, folder));
    *out_path = set.paths[TT_SET_OPS];
    return TACHO_OK;
}

static bool tt_log_set_has_path(const tt_log_set *set, const char *path)
{
    for (size_t i = 0; i < TT_SET_FILE_COUNT; i++) {
        if (set->paths[i] != NULL && tacho_input_is_same_file(set->paths[i], path)) {
            return true;
        }
    }
    return false;
}

tacho_status tt_log_set_drop_own(const char *folder, const char **paths, size_t *path_count)
{
    tacho_arena arena;
    tt_log_set set;
    size_t kept = 0;
    tacho_arena_init(&arena);
    tt_log_set_init(&set, &arena);
    tacho_status status = tt_log_set_add(&set, folder);
    for (size_t i = 0; i < *path_count; i++) {
        if (!is_called_log(paths[i]) && !is_zone_list(paths[i]) &&
            !tt_log_set_has_path(&set, paths[i])) {
            paths[kept++] = paths[i];
        }
    }
    *path_count = kept;
    tacho_arena_deinit(&arena);
    /* An inconsistent set fails with a reason when it is read. */
    return tacho_status_forgive_data(status);
}

bool tt_log_set_holds(const char *folder, const char *path)
{
    tacho_arena arena;
    tt_log_set set;
    bool holds = false;
    if (!tacho_path_is_folder(folder)) {
        return false;
    }
    tacho_arena_init(&arena);
    tt_log_set_init(&set, &arena);
    tacho_status status = tt_log_set_add(&set, folder);
    holds = tt_log_set_has_path(&set, path);
    tacho_status_free(status);
    tacho_arena_deinit(&arena);
    return holds;
}

tacho_status tt_set_read_table(tt_table *table, tacho_input *input, tt_losses *losses)
{
    tacho_str line;
    bool has_line = false;
    TACHO_TRY(tacho_input_line(input, &line, &has_line));
    TACHO_TRY(tt_table_set_header(table, line));
    for (;;) {
        bool is_good = false;
        TACHO_TRY(tacho_input_line(input, &line, &has_line));
        if (!has_line) {
            break;
        }
        if (line.len == 0) {
            continue;
        }
        TACHO_TRY(tt_table_add_line(table, line, input->line_number, &is_good));
        if (!is_good) {
            tt_losses_add(losses, TT_LOSS_BAD_ROW, input->line_number);
        }
    }
    if (tacho_input_damage(input) != NULL) {
        tt_losses_add(losses, TT_LOSS_CUT_FILE, input->line_number);
    }
    return TACHO_OK;
}
