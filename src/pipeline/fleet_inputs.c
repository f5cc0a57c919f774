/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Directories wait in a list, so their depth costs no stack.
 */
#define _DEFAULT_SOURCE /* realpath, d_type */
#include "pipeline/fleet_inputs.h"

#include "base/folder.h"
#include "base/grow.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { DEPTH_MAX = 16 };

typedef struct folder {
    const char *path;
    unsigned depth;
} folder;

typedef struct walk {
    tacho_fleet_inputs *inputs;
    folder *folders; /* still to be listed */
    size_t folder_count, folder_capacity;
} walk;

static tacho_status push_folder(walk *self, const char *path, unsigned depth)
{
    TACHO_TRY(tacho_grow(&self->folders, &self->folder_capacity, self->folder_count + 1));
    self->folders[self->folder_count++] = (folder){path, depth};
    return TACHO_OK;
}

static tacho_status refuse(tacho_fleet_inputs *inputs, const char *path, const char *reason)
{
    tacho_str kept;
    TACHO_TRY(tacho_arena_copy(&inputs->list.arena, tacho_str_from_cstring(reason), &kept));
    TACHO_TRY(tacho_grow(&inputs->refused, &inputs->refused_capacity, inputs->refused_count + 1));
    inputs->refused[inputs->refused_count++] = (tacho_fleet_refusal){path, kept.data};
    return TACHO_OK;
}

/* A real directory: links could lead anywhere, and back. */
static bool is_folder(const struct dirent *entry, const char *path)
{
    struct stat facts;
    return entry->d_type == DT_UNKNOWN ? lstat(path, &facts) == 0 && S_ISDIR(facts.st_mode)
                                       : entry->d_type == DT_DIR;
}

/* Notes a link that is not followed: to a directory, or to nothing. */
static tacho_status check_link(walk *self, const struct dirent *entry, const char *path)
{
    if (entry->d_type != DT_LNK || tacho_path_is_file(path)) {
        return TACHO_OK;
    }
    return refuse(self->inputs, path,
                  tacho_path_is_folder(path) ? "a link to a directory; name it to read it"
                                             : "a link that leads nowhere");
}

/* Adds the directories in |from|. */
static tacho_status push_folders(walk *self, const folder *from)
{
    DIR *stream = opendir(from->path);
    tacho_status status = stream != NULL
                              ? TACHO_OK
                              : tacho_fail(TACHO_CODE_IO, "%s: cannot read the directory: %s",
                                           from->path, strerror(errno));
    for (const struct dirent *entry; status == TACHO_OK && (entry = readdir(stream)) != NULL;) {
        const char *path = NULL;
        if (entry->d_name[0] == '.') {
            continue;
        }
        status = tacho_folder_join(from->path, tacho_str_from_cstring(entry->d_name),
                                   &self->inputs->list.arena, &path);
        if (status == TACHO_OK && is_folder(entry, path)) {
            status = push_folder(self, path, from->depth + 1);
        } else if (status == TACHO_OK) {
            status = check_link(self, entry, path);
        }
    }
    if (stream != NULL) {
        closedir(stream);
    }
    return status;
}

/* A directory below those that were named spoils nothing when it cannot be read. */
static tacho_status keep_going(walk *self, const folder *at, tacho_status status)
{
    if (status == TACHO_OK || at->depth == 0 || tacho_status_code(status) != TACHO_CODE_IO) {
        return status;
    }
    size_t count = self->inputs->refused_count;
    bool is_known = count > 0 && self->inputs->refused[count - 1].path == at->path;
    tacho_status failure =
        is_known ? TACHO_OK : refuse(self->inputs, at->path, tacho_status_message(status));
    tacho_status_free(status);
    return failure;
}

static tacho_status list_folders(walk *self)
{
    while (self->folder_count > 0) {
        const folder next = self->folders[--self->folder_count];
        if (next.depth > DEPTH_MAX) {
            TACHO_TRY(refuse(self->inputs, next.path, "more than 16 directories deep"));
            continue;
        }
        TACHO_TRY(
            keep_going(self, &next, tacho_input_list_add(&self->inputs->list, next.path, "")));
        TACHO_TRY(keep_going(self, &next, push_folders(self, &next)));
    }
    return TACHO_OK;
}

static int compare_paths(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* "manifest.json", "manifest-2.json". */
static bool is_manifest(const char *path)
{
    tacho_str name = tacho_str_basename(tacho_str_from_cstring(path));
    return (tacho_str_starts_with(name, TACHO_STR(TACHO_FLEET_MANIFEST ".")) ||
            tacho_str_starts_with(name, TACHO_STR(TACHO_FLEET_MANIFEST "-"))) &&
           tacho_str_ends_with(name, TACHO_STR(TACHO_FLEET_MANIFEST_SUFFIX));
}

/* By path, each once, without manifests. */
static void tidy(tacho_input_list *list)
{
    size_t count = 0;
    if (list->path_count > 0) {
        qsort(list->paths, list->path_count, sizeof(*list->paths), compare_paths);
    }
    for (size_t i = 0; i < list->path_count; i++) {
        const char *path = list->paths[i];
        bool is_same = count > 0 && strcmp(list->paths[count - 1], path) == 0;
        if (!is_same && !is_manifest(path)) {
            list->paths[count++] = path;
        }
    }
    list->path_count = count;
}

tacho_status tacho_fleet_inputs_init(tacho_fleet_inputs *inputs, const char *const *paths,
                                     size_t path_count)
{
    walk self = {.inputs = inputs};
    tacho_status status = TACHO_OK;
    *inputs = (tacho_fleet_inputs){.runs = {.item_count = 0}};
    tacho_input_list_init(&inputs->list);
    for (size_t i = 0; i < path_count && status == TACHO_OK; i++) {
        status = tacho_path_is_folder(paths[i])
                     ? push_folder(&self, paths[i], 0)
                     : tacho_input_list_add_file(&inputs->list, paths[i]);
        status = status == TACHO_OK ? list_folders(&self) : status;
    }
    free(self.folders);
    for (size_t i = 0; i < inputs->list.link_count && status == TACHO_OK; i++) {
        status = refuse(inputs, inputs->list.links[i],
                        "a link that leads out of its directory; name it to read it");
    }
    tidy(&inputs->list);
    if (status == TACHO_OK) {
        status = tacho_fleet_runs_init(&inputs->runs, inputs->list.paths, inputs->list.path_count);
    }
    if (status == TACHO_OK && inputs->list.path_count + inputs->refused_count == 0) {
        status = tacho_fail(TACHO_CODE_BAD_DATA, "%s: no files in this directory or below it",
                            path_count > 0 ? paths[0] : ".");
    }
    return status;
}

void tacho_fleet_inputs_deinit(tacho_fleet_inputs *inputs)
{
    tacho_input_list_deinit(&inputs->list);
    free(inputs->refused);
    tacho_fleet_runs_deinit(&inputs->runs);
}

/* Whether |path| lies below |above|, which is absolute. */
static bool is_below(const char *path, tacho_str above)
{
    char *whole = realpath(path, NULL);
    bool is_there = whole != NULL && strlen(whole) > above.len && whole[above.len] == '/' &&
                    memcmp(whole, above.data, above.len) == 0;
    free(whole);
    return is_there;
}

void tacho_fleet_inputs_leave_out(tacho_fleet_inputs *inputs, const char *above)
{
    char *whole = realpath(above, NULL);
    size_t count = 0;
    for (size_t i = 0; i < inputs->list.path_count && whole != NULL; i++) {
        if (!is_below(inputs->list.paths[i], tacho_str_from_cstring(whole))) {
            inputs->list.paths[count++] = inputs->list.paths[i];
        }
    }
    inputs->list.path_count = whole != NULL ? count : inputs->list.path_count;
    free(whole);
}

bool tacho_fleet_inputs_are_in(const char *const *paths, size_t path_count, const char *above)
{
    char *whole = realpath(above, NULL);
    bool are_in = false;
    for (size_t i = 0; i < path_count && whole != NULL; i++) {
        char *path = realpath(paths[i], NULL);
        are_in = are_in || (path != NULL && strcmp(path, whole) == 0) ||
                 is_below(paths[i], tacho_str_from_cstring(whole));
        free(path);
    }
    free(whole);
    return are_in;
}

tacho_fleet_origin tacho_fleet_origin_of(const tacho_fleet_runs *runs, const char *path)
{
    tacho_fleet_origin origin = {.path = tacho_str_from_cstring(path), .rank = -1, .name_rank = -1};
    tacho_str rest = origin.path;
    uint64_t name_rank = 0;
    size_t ahead = 0;
    tacho_fleet_trace_name name;
    if (tacho_fleet_name_rank(origin.path, &name_rank, &ahead)) {
        origin.name_rank = (int64_t)name_rank;
    } else if (tacho_fleet_trace_name_parse(origin.path, &name)) {
        origin.name_host = name.host;
    }
    origin.name_run = tacho_fleet_runs_find(runs, path);
    while (rest.len > 0) {
        size_t len = tacho_str_find_byte(rest, '/');
        tacho_str piece = tacho_str_make(rest.data, len);
        uint64_t rank = 0;
        if (len < rest.len && tacho_str_starts_with(piece, TACHO_STR("run="))) {
            origin.run = tacho_str_from(piece, strlen("run="));
        } else if (len < rest.len && tacho_str_starts_with(piece, TACHO_STR("host="))) {
            origin.host = tacho_str_from(piece, strlen("host="));
        } else if (len < rest.len && tacho_str_starts_with(piece, TACHO_STR("rank=")) &&
                   tacho_str_parse_u64(tacho_str_from(piece, strlen("rank=")), &rank) &&
                   rank <= INT32_MAX) {
            origin.rank = (int64_t)rank;
        }
        rest = tacho_str_from(rest, len < rest.len ? len + 1 : len);
    }
    return origin;
}
