/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists a folder and parses file names.
 */
#include "sources/stats/stats_names.h"

#include "base/folder.h"
#include "base/grow.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#define PREFIX "aic-profiling-program-"
#define SUFFIX "-aiccyclecounts"

enum { NETWORK_MAX = 120 }; /* bytes of a network's name in file names */

/* ---- names --------------------------------------------------------------------------------- */

static bool accept_word(tacho_str *rest, tacho_str word)
{
    if (!tacho_str_starts_with(*rest, word)) {
        return false;
    }
    *rest = tacho_str_from(*rest, word.len);
    return true;
}

static bool take_number(tacho_str *rest, uint64_t *out_number)
{
    size_t len = 0;
    while (len < rest->len && rest->data[len] >= '0' && rest->data[len] <= '9') {
        len++;
    }
    bool is_number = tacho_str_parse_u64(tacho_str_make(rest->data, len), out_number);
    *rest = tacho_str_from(*rest, len);
    return is_number;
}

/* Cuts digits and |word| before them off the end. */
static bool cut_numbered(tacho_str *text, tacho_str word, uint64_t *out_number)
{
    size_t at = text->len;
    while (at > 0 && text->data[at - 1] >= '0' && text->data[at - 1] <= '9') {
        at--;
    }
    tacho_str front = tacho_str_make(text->data, at);
    if (!tacho_str_ends_with(front, word) ||
        !tacho_str_parse_u64(tacho_str_from(*text, at), out_number)) {
        return false;
    }
    text->len = at - word.len;
    return true;
}

/* Whether a file is meant to be raw stats, by both ends of its name. */
static bool stats_name_is_meant(tacho_str file)
{
    tacho_str base = file;
    if (!tacho_str_starts_with(file, TACHO_STR(PREFIX)) ||
        !tacho_str_ends_with(file, TACHO_STR(".bin"))) {
        return false;
    }
    base.len -= strlen(".bin");
    tacho_str front = base;
    while (front.len > 0 && front.data[front.len - 1] >= '0' && front.data[front.len - 1] <= '9') {
        front.len--;
    }
    return tacho_str_ends_with(base, TACHO_STR(SUFFIX)) ||
           (front.len < base.len && tacho_str_ends_with(front, TACHO_STR(SUFFIX "_")));
}

/* Parses a file's name; false for other names. Views are of |file|. */
static bool stats_name_parse(tacho_str file, tacho_stats_name *out_name)
{
    *out_name = (tacho_stats_name){.slice = UINT64_MAX, .copy = UINT64_MAX};
    tacho_str base = file;
    uint64_t copy = 0;
    if (!tacho_str_ends_with(base, TACHO_STR(".bin"))) {
        return false;
    }
    base.len -= strlen(".bin");
    bool has_copy = cut_numbered(&base, TACHO_STR(SUFFIX "_"), &copy);
    if (!has_copy && !tacho_str_ends_with(base, TACHO_STR(SUFFIX))) {
        return false;
    }
    base.len -= has_copy ? 0 : strlen(SUFFIX);
    tacho_str rest = base;
    if (!accept_word(&rest, TACHO_STR(PREFIX)) || !take_number(&rest, &out_name->program) ||
        !accept_word(&rest, TACHO_STR("-activation-")) ||
        !take_number(&rest, &out_name->activation) || !accept_word(&rest, TACHO_STR("-inf-")) ||
        !take_number(&rest, &out_name->inference) || !accept_word(&rest, TACHO_STR("-")) ||
        rest.len == 0) {
        return false;
    }
    out_name->copy = has_copy ? copy : UINT64_MAX;
    out_name->base = base;
    out_name->stem = base;
    out_name->network = rest;
    if (cut_numbered(&rest, TACHO_STR("_slice"), &out_name->slice) && rest.len > 0) {
        out_name->stem.len -= out_name->network.len - rest.len;
        out_name->network = rest;
    } else {
        out_name->slice = out_name->copy;
    }
    return true;
}

bool tacho_stats_name_is_sibling(const tacho_stats_name *a, const tacho_stats_name *b)
{
    return a->slice != b->slice && tacho_str_equal(a->stem, b->stem);
}

bool tacho_stats_name_is_of(const tacho_stats_name *file, tacho_str name)
{
    name.len = name.len > NETWORK_MAX ? NETWORK_MAX : name.len;
    if (file->network.len != name.len) {
        return false;
    }
    for (size_t i = 0; i < name.len; i++) {
        unsigned char byte = (unsigned char)name.data[i];
        bool is_odd = byte <= ' ' || byte == '/' || byte == '\\' || byte == 127;
        if (file->network.data[i] != (is_odd ? '_' : name.data[i])) {
            return false;
        }
    }
    return true;
}

/* ---- folders ------------------------------------------------------------------------------- */

static tacho_status add_file(tacho_stats_names *self, const char *folder, tacho_str file)
{
    tacho_stats_name name;
    bool is_good = stats_name_parse(file, &name);
    if (!is_good && !stats_name_is_meant(file)) {
        self->other_count++;
        return TACHO_OK;
    }
    if (!is_good) {
        tacho_str copy;
        TACHO_TRY(tacho_arena_copy(&self->arena, file, &copy));
        TACHO_TRY(tacho_grow(&self->bad, &self->bad_capacity, self->bad_count + 1));
        self->bad[self->bad_count++] = copy.data;
        return TACHO_OK;
    }
    const char *path = NULL;
    TACHO_TRY(tacho_folder_join(folder, file, &self->arena, &path));
    /* Views of the name must point into the path, which lasts. */
    const char *last = path + strlen(path) - file.len;
    stats_name_parse(tacho_str_make(last, file.len), &name);
    name.path = path;
    TACHO_TRY(tacho_grow(&self->items, &self->item_capacity, self->item_count + 1));
    self->items[self->item_count++] = name;
    return TACHO_OK;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_names(const void *a, const void *b)
{
    const tacho_stats_name *left = a;
    const tacho_stats_name *right = b;
    int order = compare_numbers(left->program, right->program);
    order = order != 0 ? order : compare_numbers(left->activation, right->activation);
    order = order != 0 ? order : compare_numbers(left->inference, right->inference);
    order = order != 0 ? order : tacho_str_compare(left->stem, right->stem);
    order = order != 0 ? order : compare_numbers(left->slice, right->slice);
    return order != 0 ? order : strcmp(left->path, right->path);
}

static int compare_texts(const void *a, const void *b)
{
    const char *const *left = a;
    const char *const *right = b;
    return strcmp(*left, *right);
}

static tacho_status list_folder(tacho_stats_names *self, const char *path, DIR *folder)
{
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(folder);
        if (entry == NULL) {
            return errno == 0 ? TACHO_OK
                              : tacho_fail(TACHO_CODE_IO, "%s: %s", path, strerror(errno));
        }
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            TACHO_TRY(add_file(self, path, tacho_str_from_cstring(entry->d_name)));
        }
    }
}

static tacho_status add_one(tacho_stats_names *self, const char *path)
{
    tacho_str whole = tacho_str_from_cstring(path);
    tacho_str file = tacho_str_basename(whole);
    tacho_str copy;
    TACHO_TRY(tacho_arena_copy(&self->arena, whole, &copy));
    tacho_stats_name name;
    if (!stats_name_parse(tacho_str_from(copy, whole.len - file.len), &name)) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "%s: expected a directory, or a raw stats file called "
                          "aic-profiling-program-0-activation-0-inf-0-NETWORK" SUFFIX ".bin",
                          path);
    }
    name.path = copy.data;
    TACHO_TRY(tacho_grow(&self->items, &self->item_capacity, 1));
    self->items[self->item_count++] = name;
    return TACHO_OK;
}

tacho_status tacho_stats_names_init(tacho_stats_names *names, const char *path)
{
    *names = (tacho_stats_names){0};
    tacho_arena_init(&names->arena);
    struct stat facts;
    if (stat(path, &facts) != 0) {
        return tacho_fail(TACHO_CODE_IO, "%s: %s", path, strerror(errno));
    }
    if (!S_ISDIR(facts.st_mode)) {
        return add_one(names, path);
    }
    DIR *folder = opendir(path);
    if (folder == NULL) {
        return tacho_fail(TACHO_CODE_IO, "%s: %s", path, strerror(errno));
    }
    tacho_status status = list_folder(names, path, folder);
    closedir(folder);
    TACHO_TRY(status);
    if (names->item_count > 0) {
        qsort(names->items, names->item_count, sizeof(names->items[0]), compare_names);
    }
    if (names->bad_count > 0) {
        qsort(names->bad, names->bad_count, sizeof(names->bad[0]), compare_texts);
    }
    return TACHO_OK;
}

void tacho_stats_names_deinit(tacho_stats_names *names)
{
    free(names->items);
    free(names->bad);
    tacho_arena_deinit(&names->arena);
}
