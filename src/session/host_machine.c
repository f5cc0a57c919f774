/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the description of this computer where the XDG rules say that caches are. The file's name
 * has all that decides whether it holds: the processor, how many threads it has, and the version of
 * tacho, which knows how to measure. A file that cannot be read as a machine is measured again.
 */
#include "session/host_machine.h"

#include "base/cpu.h"
#include "base/folder.h"
#include "base/output.h"
#include "machine/calibrate.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <tacho/version.h>
#include <time.h>
#include <unistd.h>

#define NAME "host-cpu"

enum { TEXT_MAX = 1024 };

/* Where descriptions of this computer may be. */
typedef struct host_places {
    const char *pinned, *folder, *path; /* each NULL: none */
} host_places;

bool tacho_is_host_machine(const char *name)
{
    return strcmp(name, NAME) == 0;
}

/* ---- where it is kept ---------------------------------------------------------------------- */

/* The folder; NULL where the environment says nothing of one. */
static tacho_status find_folder(tacho_arena *arena, const char **out_folder)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    *out_folder = NULL;
    if (cache != NULL && cache[0] == '/') { /* others are to be ignored */
        return tacho_folder_join(cache, TACHO_STR("tacho"), arena, out_folder);
    }
    if (home == NULL || home[0] != '/') {
        return TACHO_OK;
    }
    return tacho_folder_join(home, TACHO_STR(".cache/tacho"), arena, out_folder);
}

static tacho_status find_file(const char *folder, tacho_arena *arena, const char **out_path)
{
    char processor[TACHO_CPU_NAME_MAX], name[TACHO_CPU_NAME_MAX + 64];
    TACHO_TRY(tacho_cpu_name(processor, sizeof(processor)));
    for (char *at = processor; *at != '\0'; at++) {
        *at = isalnum((unsigned char)*at) ? *at : '_';
    }
    snprintf(name, sizeof(name), NAME "-%s-%ld-threads-%s.json", processor,
             sysconf(_SC_NPROCESSORS_ONLN), TACHO_VERSION);
    return tacho_folder_join(folder, tacho_str_from_cstring(name), arena, out_path);
}

/* ---- measuring ----------------------------------------------------------------------------- */

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static tacho_status keep(const char *folder, const char *path, tacho_str text)
{
    bool is_new;
    tacho_output output;
    TACHO_TRY(tacho_folder_ensure(folder, &is_new));
    TACHO_TRY(tacho_output_open(path, &output));
    tacho_output_write_str(&output, text);
    tacho_status status = tacho_output_commit(&output);
    tacho_output_close(&output);
    return status;
}

/* The message of a failure, which is freed. */
static void print_reason(tacho_status status, char *to, size_t size)
{
    snprintf(to, size, "%s", tacho_status_message(status));
    tacho_status_free(status);
}

static tacho_status measure(const host_places *places, const tacho_notes *notes, tacho_arena *arena,
                            tacho_machine **out_machine)
{
    const char *path = places->path;
    char reason[TEXT_MAX];
    tacho_str text;
    double start = now_s();
    TACHO_TRY(tacho_machine_calibrate(true, arena, &text));
    double taken = now_s() - start;
    TACHO_TRY(tacho_machine_read(path != NULL ? path : NAME, text, arena, out_machine));
    tacho_status status =
        path == NULL ? tacho_fail(TACHO_CODE_NOT_FOUND, "neither XDG_CACHE_HOME nor HOME is set")
                     : keep(places->folder, path, text);
    if (status == TACHO_OK) {
        tacho_note(notes, "note",
                   "measured this computer as the machine " NAME
                   " in %.1f s; kept in %s (delete it "
                   "to measure again)",
                   taken, path);
    } else {
        print_reason(status, reason, sizeof(reason));
        tacho_note(notes, "note",
                   "measured this computer as the machine " NAME
                   " in %.1f s; it cannot be cached, so the next command measures again: %s",
                   taken, reason);
    }
    return TACHO_OK;
}

/* Descriptions of earlier versions do not have the mark. */
static void mark_cache(tacho_machine *machine)
{
    for (size_t i = 0; i < machine->memory_count; i++) {
        machine->memories[i].is_cache |= machine->memories[i].kind == TACHO_MEMORY_LOCAL;
    }
}

/* What was kept, if it is there; a failure where it is not good. */
static tacho_status read_kept(const char *path, tacho_arena *arena, tacho_machine **out_machine,
                              bool *out_is_there)
{
    *out_is_there = path != NULL && access(path, F_OK) == 0;
    if (!*out_is_there) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_machine_find(path, arena, out_machine));
    mark_cache(*out_machine);
    return tacho_str_equal((*out_machine)->name, TACHO_STR(NAME))
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_BAD_DATA, "%s: describes another machine", path);
}

/* ---- finding ------------------------------------------------------------------------------- */

static tacho_status find_places(tacho_arena *arena, host_places *out)
{
    *out = (host_places){.pinned = getenv("TACHO_HOST_CPU")};
    if (out->pinned != NULL && out->pinned[0] != '\0') {
        return TACHO_OK;
    }
    out->pinned = NULL;
    TACHO_TRY(find_folder(arena, &out->folder));
    return out->folder != NULL ? find_file(out->folder, arena, &out->path) : TACHO_OK;
}

static tacho_status read_pinned(const char *pinned, tacho_arena *arena, tacho_machine **out_machine)
{
    bool is_built_in = strcmp(pinned, "built-in") == 0;
    TACHO_TRY_NOTE(tacho_machine_find(is_built_in ? NAME : pinned, arena, out_machine),
                   "the environment variable TACHO_HOST_CPU names it");
    mark_cache(*out_machine);
    return TACHO_OK;
}

tacho_status tacho_host_machine(const tacho_notes *notes, tacho_arena *arena,
                                tacho_machine **out_machine)
{
    char reason[TEXT_MAX];
    host_places places;
    TACHO_TRY(find_places(arena, &places));
    if (places.pinned != NULL) {
        return read_pinned(places.pinned, arena, out_machine);
    }
    bool is_there;
    tacho_status status = read_kept(places.path, arena, out_machine, &is_there);
    if (is_there && (status == TACHO_OK || tacho_status_code(status) == TACHO_CODE_NO_MEMORY)) {
        return status;
    }
    if (status != TACHO_OK) {
        print_reason(status, reason, sizeof(reason));
        tacho_note(notes, "warning", "measuring again: %s", reason);
    }
    return measure(&places, notes, arena, out_machine);
}

/* Whether not the file is to blame, but the computer. */
static bool is_of_computer(tacho_status status)
{
    tacho_code code = tacho_status_code(status);
    return status != TACHO_OK && (code == TACHO_CODE_NO_MEMORY || code == TACHO_CODE_IO);
}

tacho_status tacho_host_machine_known(tacho_arena *arena, tacho_machine **out_machine,
                                      bool *out_is_known)
{
    host_places places;
    TACHO_TRY(find_places(arena, &places));
    *out_is_known = true;
    if (places.pinned != NULL) {
        return read_pinned(places.pinned, arena, out_machine);
    }
    bool is_there;
    tacho_status status = read_kept(places.path, arena, out_machine, &is_there);
    *out_is_known = is_there && status == TACHO_OK;
    if (*out_is_known || is_of_computer(status)) {
        return status;
    }
    tacho_status_free(status); /* who measures again says what is wrong */
    return tacho_machine_find(NAME, arena, out_machine);
}
