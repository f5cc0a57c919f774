/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making folders one below the other.
 */
#include "base/folder.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

bool tacho_path_is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

bool tacho_path_is_file(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

static tacho_status make_one(const char *path, bool *out_is_new)
{
    struct stat facts;
    *out_is_new = mkdir(path, 0777) == 0;
    if (*out_is_new) {
        return TACHO_OK;
    }
    int why = errno;
    if (stat(path, &facts) == 0) {
        return S_ISDIR(facts.st_mode) ? TACHO_OK
                                      : tacho_fail(TACHO_CODE_IO, "%s: not a directory", path);
    }
    return tacho_fail(TACHO_CODE_IO, "%s: cannot create the directory: %s", path, strerror(why));
}

static tacho_status make_all(char *path, bool *out_is_new)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        tacho_status status = make_one(path, out_is_new);
        *slash = '/';
        TACHO_TRY(status);
    }
    return make_one(path, out_is_new);
}

tacho_status tacho_folder_ensure(const char *path, bool *out_is_new)
{
    *out_is_new = false;
    if (path[0] == '\0') {
        return tacho_fail(TACHO_CODE_USAGE, "the directory name is empty");
    }
    char *copy = strdup(path);
    if (copy == NULL) {
        return tacho_no_memory();
    }
    tacho_status status = make_all(copy, out_is_new);
    free(copy);
    return status;
}

tacho_status tacho_folder_join(const char *folder, tacho_str name, tacho_arena *arena,
                               const char **out_path)
{
    size_t len = strlen(folder);
    void *memory = NULL;
    len -= len > 0 && folder[len - 1] == '/' ? 1 : 0;
    TACHO_TRY(tacho_arena_alloc(arena, len + name.len + 2, &memory));
    char *path = memory;
    memcpy(path, folder, len);
    path[len] = '/';
    memcpy(path + len + 1, name.data, name.len);
    *out_path = path;
    return TACHO_OK;
}

tacho_status tacho_folder_ensure_above(const char *path)
{
    tacho_arena arena;
    tacho_str folder = tacho_str_from_cstring(path);
    while (folder.len > 0 && folder.data[folder.len - 1] != '/') {
        folder.len--;
    }
    if (folder.len <= 1) {
        return TACHO_OK;
    }
    folder.len--;
    tacho_arena_init(&arena);
    bool is_new = false;
    tacho_status status = tacho_arena_copy(&arena, folder, &folder);
    if (status == TACHO_OK) {
        status = tacho_folder_ensure(folder.data, &is_new);
    }
    tacho_arena_deinit(&arena);
    return status;
}
