/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part is named after the path of its profile.
 */
#define _DEFAULT_SOURCE /* realpath */
#include "pipeline/fleet_map.h"

#include "base/folder.h"
#include "base/launcher.h"
#include "base/sha256.h"
#include "pipeline/fleet_inputs.h"
#include "pipeline/fleet_terms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_BYTES = 160, PATH_BYTES = 4096, HASH_DIGITS = 16 };

/* ---- shares -------------------------------------------------------------------------------- */

bool tacho_fleet_share_parse(tacho_str text, tacho_fleet_share *out_share)
{
    size_t slash = tacho_str_find_byte(text, '/');
    return slash < text.len &&
           tacho_str_parse_u64(tacho_str_make(text.data, slash), &out_share->index) &&
           tacho_str_parse_u64(tacho_str_from(text, slash + 1), &out_share->count) &&
           out_share->index < out_share->count;
}

static bool find_variable(const char *name, uint64_t *out_value)
{
    const char *value = getenv(name);
    return value != NULL && tacho_str_parse_u64(tacho_str_from_cstring(value), out_value);
}

void tacho_fleet_share_find(tacho_fleet_share *out_share)
{
    uint64_t task = 0, first = 0, count = 0;
    bool is_array = find_variable("SLURM_ARRAY_TASK_ID", &task) &&
                    find_variable("SLURM_ARRAY_TASK_MIN", &first) &&
                    find_variable("SLURM_ARRAY_TASK_COUNT", &count);
    tacho_rank own;
    bool has_rank = tacho_launcher_find_own_rank(&own) && own.rank < own.world_size;
    const tacho_fleet_share rank = {has_rank ? own.rank : 0, has_rank ? own.world_size : 1};
    *out_share = rank;
    if (is_array && task >= first && task - first < count) {
        *out_share =
            (tacho_fleet_share){(task - first) * rank.count + rank.index, count * rank.count};
    }
}

/* ---- parts --------------------------------------------------------------------------------- */

/* "DIR/rank0.json-0123456789abcdef.tpart": the digits tell paths with one last component apart. */
static tacho_status part_path(const tacho_fleet_map *map, const char *path, char *to)
{
    char hex[TACHO_SHA256_HEX_BYTES];
    char *real = realpath(path, NULL); /* however it is spelt, it has one part */
    tacho_str name = tacho_str_basename(tacho_str_from_cstring(path));
    name.len = name.len < NAME_BYTES ? name.len : NAME_BYTES;
    tacho_sha256_hex(tacho_str_from_cstring(real != NULL ? real : path), hex);
    free(real);
    int len = snprintf(to, PATH_BYTES, "%s/%.*s-%.*s" TACHO_FLEET_PART_SUFFIX, map->folder,
                       TACHO_STR_ARG(name), HASH_DIGITS, hex);
    return len < PATH_BYTES ? TACHO_OK
                            : tacho_fail(TACHO_CODE_IO, "%s: the path is too long", map->folder);
}

/* Whether the part of |path| is there, whole, and what |job| would make of it as it is now. */
static bool is_there(const tacho_fleet_job *job, const char *part, const char *path)
{
    tacho_fleet fleet;
    tacho_fleet_terms terms;
    if (access(part, F_OK) != 0) {
        return false;
    }
    tacho_fleet_terms_init(&terms, job, path);
    tacho_status status = tacho_fleet_read_part(part, &fleet);
    bool is_same = status == TACHO_OK && fleet.sections == TACHO_FLEET_ALL &&
                   tacho_fleet_terms_are_of(&terms, &fleet) && fleet.file_count == 1 &&
                   fleet.files[0].state != TACHO_FLEET_FAILED; /* it may be readable by now */
    tacho_status_free(status);
    tacho_fleet_deinit(&fleet);
    return is_same;
}

static bool has_part(void *user, const char *path)
{
    tacho_fleet_map *map = user;
    char part[PATH_BYTES];
    tacho_status status = part_path(map, path, part);
    bool is_skipped = status == TACHO_OK && is_there(map->job, part, path);
    tacho_status_free(status);
    pthread_mutex_lock(&map->lock);
    map->kept_count += is_skipped ? 1 : 0;
    pthread_mutex_unlock(&map->lock);
    return is_skipped;
}

static tacho_status write_one(void *user, const char *path, tacho_fleet *one)
{
    tacho_fleet_map *map = user;
    char part[PATH_BYTES];
    TACHO_TRY(part_path(map, path, part));
    TACHO_TRY(tacho_fleet_write_part(one, part));
    bool has_failed = one->file_count > 0 && one->files[0].state == TACHO_FLEET_FAILED;
    pthread_mutex_lock(&map->lock);
    map->made_count++;
    map->failed_count += has_failed ? 1 : 0;
    pthread_mutex_unlock(&map->lock);
    return TACHO_OK;
}

/* Profiles, and parts among them, which stand for profiles already. */
typedef struct work_list {
    tacho_fleet_inputs inputs;
    tacho_input_list parts; /* paths of |inputs| */
} work_list;

static tacho_status part_profiles(work_list *list)
{
    tacho_input_list *all = &list->inputs.list;
    size_t count = 0;
    for (size_t i = 0; i < all->path_count; i++) {
        const char *path = all->paths[i];
        if (tacho_fleet_is_part_at(path)) {
            TACHO_TRY(tacho_input_list_add_file(&list->parts, path));
        } else {
            all->paths[count++] = path;
        }
    }
    all->path_count = count;
    return TACHO_OK;
}

/* What lies in the directory of the parts was made here, unless inputs lie there themselves.
 * Deinitialise it even after a failure. */
static tacho_status work_list_init(work_list *list, const tacho_fleet_map *map,
                                   const char *const *paths, size_t path_count)
{
    tacho_input_list_init(&list->parts);
    TACHO_TRY(tacho_fleet_inputs_init(&list->inputs, paths, path_count));
    if (!tacho_fleet_inputs_are_in(paths, path_count, map->folder)) {
        tacho_fleet_inputs_leave_out(&list->inputs, map->folder);
    }
    return part_profiles(list);
}

static void work_list_deinit(work_list *list)
{
    tacho_input_list_deinit(&list->parts);
    tacho_fleet_inputs_deinit(&list->inputs);
}

/* Keeps the files of the share. */
static void keep_share(tacho_input_list *list, const tacho_fleet_share *share)
{
    size_t count = 0;
    for (size_t i = 0; i < list->path_count; i++) {
        if (i % share->count == share->index) {
            list->paths[count++] = list->paths[i];
        }
    }
    list->path_count = count;
}

static tacho_status map_files(tacho_fleet_map *map, const tacho_fleet_inputs *inputs)
{
    tacho_fleet unused;
    bool is_new = false;
    TACHO_TRY(tacho_folder_ensure(map->folder, &is_new));
    TACHO_TRY(tacho_fleet_init(&unused, map->job->sections));
    pthread_mutex_init(&map->lock, NULL);
    map->job->paths = inputs->list.paths;
    map->job->path_count = inputs->list.path_count;
    map->job->runs = &inputs->runs;
    map->job->take = write_one;
    map->job->skips = has_part;
    map->job->user = map;
    tacho_status status =
        inputs->list.path_count > 0 ? tacho_fleet_run(map->job, &unused) : TACHO_OK;
    pthread_mutex_destroy(&map->lock);
    tacho_fleet_deinit(&unused);
    return status;
}

tacho_status tacho_fleet_map_all(tacho_fleet_map *map, const char *const *paths, size_t path_count)
{
    work_list list;
    tacho_status status = work_list_init(&list, map, paths, path_count);
    if (status == TACHO_OK) {
        map->passed_count = list.parts.path_count;
        map->refused_count = list.inputs.refused_count;
        keep_share(&list.inputs.list, &map->share);
        status = map_files(map, &list.inputs);
    }
    work_list_deinit(&list);
    return status;
}

tacho_status tacho_fleet_map_missing(const tacho_fleet_map *map, const char *const *paths,
                                     size_t path_count, size_t *out_count)
{
    work_list list;
    char part[PATH_BYTES];
    tacho_fleet_job job = *map->job;
    *out_count = 0;
    tacho_status status = work_list_init(&list, map, paths, path_count);
    job.runs = &list.inputs.runs;
    for (size_t i = 0; i < list.inputs.list.path_count && status == TACHO_OK; i++) {
        const char *path = list.inputs.list.paths[i];
        status = part_path(map, path, part);
        *out_count += status == TACHO_OK && !is_there(&job, part, path) ? 1 : 0;
    }
    work_list_deinit(&list);
    return status;
}

/* Adds a copy of |path|. */
static tacho_status add_path(tacho_input_list *to, const char *path)
{
    tacho_str copy = TACHO_STR("");
    TACHO_TRY(tacho_arena_copy(&to->arena, tacho_str_make(path, strlen(path) + 1), &copy));
    return tacho_input_list_add_file(to, copy.data);
}

tacho_status tacho_fleet_map_list(const tacho_fleet_map *map, const char *const *paths,
                                  size_t path_count, tacho_input_list *parts)
{
    work_list list;
    char part[PATH_BYTES];
    tacho_status status = work_list_init(&list, map, paths, path_count);
    for (size_t i = 0; i < list.inputs.list.path_count && status == TACHO_OK; i++) {
        status = part_path(map, list.inputs.list.paths[i], part);
        status = status == TACHO_OK ? add_path(parts, part) : status;
    }
    for (size_t i = 0; i < list.parts.path_count && status == TACHO_OK; i++) {
        status = add_path(parts, list.parts.paths[i]);
    }
    work_list_deinit(&list);
    return status;
}
