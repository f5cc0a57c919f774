/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listing folders. What readdir says of an entry saves a look at it, which costs on shared disks.
 */
#define _DEFAULT_SOURCE /* d_type */
#include "pipeline/input_list.h"

#include "base/beneath.h"
#include "base/folder.h"
#include "base/grow.h"
#include "base/input.h"
#include "pipeline/baseline.h"
#include "sources/source.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE_HEAD_BYTES = 1024 };

void tacho_input_list_init(tacho_input_list *list)
{
    *list = (tacho_input_list){0};
    tacho_arena_init(&list->arena);
}

void tacho_input_list_deinit(tacho_input_list *list)
{
    free(list->paths);
    free(list->links);
    tacho_arena_deinit(&list->arena);
    *list = (tacho_input_list){0};
}

tacho_status tacho_input_list_add_some(tacho_input_list *list, const char *path,
                                       const char *output_path)
{
    size_t before = list->path_count + list->link_count;
    TACHO_TRY(tacho_input_list_add(list, path, output_path));
    return list->path_count + list->link_count > before
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_BAD_DATA, "%s: no files in this directory", path);
}

tacho_status tacho_input_list_add_file(tacho_input_list *list, const char *path)
{
    TACHO_TRY(tacho_grow(&list->paths, &list->path_capacity, list->path_count + 1));
    list->paths[list->path_count++] = path;
    return TACHO_OK;
}

static tacho_status join(tacho_input_list *list, const char *folder, const char *name,
                         const char **out_path)
{
    size_t folder_len = strlen(folder);
    while (folder_len > 1 && folder[folder_len - 1] == '/') {
        folder_len--;
    }
    size_t room = folder_len + 1 + strlen(name) + 1;
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&list->arena, room, &memory));
    snprintf(memory, room, "%.*s%s%s", (int)folder_len, folder,
             folder[folder_len - 1] == '/' ? "" : "/", name);
    *out_path = memory;
    return TACHO_OK;
}

static bool is_page_name(const char *name)
{
    tacho_str path = tacho_str_from_cstring(name);
    return tacho_str_ends_with(path, TACHO_STR(".html")) ||
           tacho_str_ends_with(path, TACHO_STR(".html.gz")) ||
           tacho_str_ends_with(path, TACHO_STR(".html.zst"));
}

bool tacho_input_list_is_page(const char *path)
{
    static const tacho_str mark =
        TACHO_STR_INIT("<meta name=\"generator\" content=\"tacho report\">");
    tacho_input input;
    tacho_str head = TACHO_STR("");
    bool is_found = false;
    tacho_status status = tacho_input_open(path, &input);
    if (status == TACHO_OK) {
        status = tacho_input_peek(&input, PAGE_HEAD_BYTES, &head);
        head.len = head.len < PAGE_HEAD_BYTES ? head.len : PAGE_HEAD_BYTES;
        for (; status == TACHO_OK && head.len >= mark.len && !is_found;
             head = tacho_str_from(head, 1)) {
            is_found = tacho_str_starts_with(head, mark);
        }
        tacho_input_close(&input);
    }
    tacho_status_free(status);
    return is_found;
}

/* Whether |joined| is the page of an earlier run: one that is to be replaced, or another. */
static bool is_old_page(const char *joined, const char *output_path)
{
    return (is_page_name(output_path) && tacho_input_is_same_file(joined, output_path)) ||
           (is_page_name(joined) && tacho_input_list_is_page(joined));
}

/* Whether |name| in |folder|, which is |joined|, is a symbolic link to a file elsewhere. */
static bool leads_out(const char *folder, const char *name, const char *joined)
{
    struct stat facts;
    int file = -1;
    if (lstat(joined, &facts) != 0 || !S_ISLNK(facts.st_mode)) {
        return false;
    }
    tacho_status status = tacho_beneath_open(folder, name, &file);
    bool is_inside = status == TACHO_OK;
    if (is_inside) {
        close(file);
    }
    tacho_status_free(status);
    return !is_inside;
}

static tacho_status add_link(tacho_input_list *list, const char *path)
{
    TACHO_TRY(tacho_grow(&list->links, &list->link_capacity, list->link_count + 1));
    list->links[list->link_count++] = path;
    return TACHO_OK;
}

static tacho_status add_entries(tacho_input_list *list, DIR *folder, const char *path,
                                const char *output_path)
{
    errno = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL; errno = 0) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        const char *joined = NULL;
        TACHO_TRY(join(list, path, entry->d_name, &joined));
        bool is_known = entry->d_type != DT_UNKNOWN && entry->d_type != DT_LNK;
        if (is_known ? entry->d_type != DT_REG : !tacho_path_is_file(joined)) {
            continue;
        }
        if (!is_known && leads_out(path, entry->d_name, joined)) {
            TACHO_TRY(add_link(list, joined));
        } else if (!is_old_page(joined, output_path)) {
            TACHO_TRY(tacho_input_list_add_file(list, joined));
        }
    }
    return errno == 0 ? TACHO_OK
                      : tacho_fail(TACHO_CODE_IO, "%s: cannot read the directory: %s", path,
                                   strerror(errno));
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts those from |first| on; where there are none, there may be no list at all. */
static void sort_paths(const char **paths, size_t first, size_t count)
{
    if (count - first > 1) {
        qsort(paths + first, count - first, sizeof(*paths), compare_paths);
    }
}

static tacho_status add_folder(tacho_input_list *list, const char *path, const char *output_path)
{
    DIR *folder = opendir(path);
    if (folder == NULL) {
        return tacho_fail(TACHO_CODE_IO, "%s: cannot read the directory: %s", path,
                          strerror(errno));
    }
    size_t first = list->path_count, first_link = list->link_count;
    tacho_status status = add_entries(list, folder, path, output_path);
    closedir(folder);
    sort_paths(list->paths, first, list->path_count);
    sort_paths(list->links, first_link, list->link_count);
    return status;
}

/* A baseline is what its list says, whatever else lies there. */
static tacho_status add_baseline(tacho_input_list *list, const char *path)
{
    tacho_baseline baseline;
    tacho_status status = tacho_baseline_init(&baseline, path);
    for (size_t i = 0; i < baseline.capture_count && status == TACHO_OK; i++) {
        const char *capture = NULL;
        status = tacho_baseline_resolve(&baseline.captures[i], path, &list->arena, &capture);
        if (status == TACHO_OK) {
            status = tacho_input_list_add_file(list, capture);
        }
    }
    tacho_baseline_deinit(&baseline);
    return status;
}

/* Drops |output_path|, the result of an earlier run, from the paths from |first| on. */
static void drop_output(tacho_input_list *list, size_t first, const char *output_path)
{
    size_t kept = first;
    for (size_t i = first; i < list->path_count; i++) {
        if (!tacho_input_is_same_file(list->paths[i], output_path)) {
            list->paths[kept++] = list->paths[i];
        }
    }
    list->path_count = kept;
}

/* The logs of a run are one input; every other file beside them is one of its own. */
static tacho_status add_log_folder(tacho_input_list *list, const char *path,
                                   const char *output_path)
{
    TACHO_TRY(tacho_input_list_add_file(list, path));
    size_t first = list->path_count;
    TACHO_TRY(add_folder(list, path, output_path));
    size_t count = list->path_count - first;
    TACHO_TRY(tacho_source_folder_drop_own(path, list->paths + first, &count));
    list->path_count = first + count;
    drop_output(list, first, output_path);
    return TACHO_OK;
}

tacho_status tacho_input_list_add(tacho_input_list *list, const char *path, const char *output_path)
{
    if (tacho_path_is_folder(path) && tacho_baseline_is_there(path)) {
        return add_baseline(list, path);
    }
    if (!tacho_path_is_folder(path)) {
        return tacho_input_list_add_file(list, path);
    }
    return tacho_source_find_folder(path) == NULL ? add_folder(list, path, output_path)
                                                  : add_log_folder(list, path, output_path);
}

tacho_status tacho_input_list_refuse_link(const char *path)
{
    return tacho_fail(TACHO_CODE_BAD_DATA,
                      "%s: a symbolic link that leads out of the directory; to read that file, "
                      "name it",
                      path);
}
