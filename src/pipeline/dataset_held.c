/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names are all there is to know, so that nodes which convert at the same time share no file.
 */
#define _DEFAULT_SOURCE /* realpath */
#include "pipeline/dataset_held.h"

#include "base/folder.h"
#include "base/grow.h"
#include "base/sha256.h"
#include "pipeline/fleet_inputs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, BASE_BYTES = 120, SOURCE_DIGITS = 16, COMPUTER_DIGITS = 8 };

#define SUFFIX ".parquet"
#define COPY "-copy"

/* ---- names ----------------------------------------------------------------------------------- */

static uint64_t hash_text(const char *text)
{
    char hex[TACHO_SHA256_HEX_BYTES];
    tacho_sha256_hex(tacho_str_from_cstring(text), hex);
    hex[SOURCE_DIGITS] = '\0';
    return strtoull(hex, NULL, 16);
}

static void find_computer(char name[sizeof(((struct utsname *)NULL)->nodename)])
{
    struct utsname facts;
    snprintf(name, sizeof(facts.nodename), "%s", uname(&facts) == 0 ? facts.nodename : "");
}

void tacho_dataset_digits_find(const char *path, uint64_t content, bool is_copy,
                               tacho_dataset_digits *out_digits)
{
    char computer[sizeof(((struct utsname *)NULL)->nodename)];
    char *whole = realpath(path, NULL);
    find_computer(computer);
    *out_digits = (tacho_dataset_digits){
        .source = hash_text(whole != NULL ? whole : path),
        .content = is_copy ? hash_text(path) : content,
        .computer = (uint32_t)(hash_text(computer) >> 32),
        .is_copy = is_copy,
    };
    free(whole);
}

void tacho_dataset_name(const char *path, const tacho_dataset_digits *digits,
                        char out_name[TACHO_DATASET_NAME_BYTES])
{
    tacho_str base = tacho_str_basename(tacho_str_from_cstring(path));
    bool is_hidden = base.len > 0 && (base.data[0] == '_' || base.data[0] == '.');
    snprintf(out_name, TACHO_DATASET_NAME_BYTES,
             "%s%.*s-%016" PRIx64 "-%08" PRIx32 "-%016" PRIx64 "%s" SUFFIX, is_hidden ? "file" : "",
             (int)tacho_least(base.len, BASE_BYTES), base.data, digits->source, digits->computer,
             digits->content, digits->is_copy ? COPY : "");
}

/* Takes "-" and |count| digits off the end of |text|. */
static bool take_digits(tacho_str *text, size_t count, uint64_t *out_value)
{
    static const char digits[] = "0123456789abcdef";
    if (text->len < count + 1 || text->data[text->len - count - 1] != '-') {
        return false;
    }
    *out_value = 0;
    for (size_t i = text->len - count; i < text->len; i++) {
        const char *digit = memchr(digits, text->data[i], sizeof(digits) - 1);
        if (digit == NULL) {
            return false;
        }
        *out_value = *out_value * 16 + (uint64_t)(digit - digits);
    }
    text->len -= count + 1;
    return true;
}

static bool take_end(tacho_str *text, tacho_str end)
{
    bool is_there = tacho_str_ends_with(*text, end);
    text->len -= is_there ? end.len : 0;
    return is_there;
}

/* False: nothing that this program wrote. */
static bool parse_name(tacho_str name, tacho_dataset_digits *out_digits)
{
    uint64_t computer = 0;
    *out_digits = (tacho_dataset_digits){.source = 0};
    if (!take_end(&name, TACHO_STR(SUFFIX))) {
        return false;
    }
    out_digits->is_copy = take_end(&name, TACHO_STR(COPY));
    bool is_ours = take_digits(&name, SOURCE_DIGITS, &out_digits->content) &&
                   take_digits(&name, COMPUTER_DIGITS, &computer) &&
                   take_digits(&name, SOURCE_DIGITS, &out_digits->source);
    out_digits->computer = (uint32_t)computer;
    return is_ours;
}

/* ---- what is there --------------------------------------------------------------------------- */

static int compare_files(const void *left, const void *right)
{
    const tacho_dataset_held_file *a = left, *b = right;
    return strcmp(a->place, b->place);
}

static int compare_keys(const void *left, const void *right)
{
    const tacho_dataset_held_key *a = left, *b = right;
    return (a->digits > b->digits) - (a->digits < b->digits);
}

/* Adds the file at |path|, whose place begins behind |table|, where its name is one of ours. */
static tacho_status add_file(tacho_dataset_held *held, const char *path, tacho_str table)
{
    tacho_dataset_held_file file = {.place = NULL};
    tacho_str place = tacho_str_from(tacho_str_from_cstring(path), table.len + 1);
    if (!parse_name(tacho_str_basename(place), &file.digits)) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_arena_copy(&held->arena, tacho_str_make(place.data, place.len + 1), &place));
    file.place = place.data;
    TACHO_TRY(tacho_grow(&held->files, &held->file_capacity, held->file_count + 1));
    held->files[held->file_count++] = file;
    return TACHO_OK;
}

static tacho_status add_table(tacho_dataset_held *held, const char *folder, const char *table)
{
    char path[PATH_BYTES];
    const char *word = path;
    tacho_fleet_inputs inputs;
    if (snprintf(path, sizeof(path), "%s/%s", folder, table) >= PATH_BYTES) {
        return tacho_fail(TACHO_CODE_IO, "%s: the path is too long", folder);
    }
    if (!tacho_path_is_folder(path)) {
        return TACHO_OK;
    }
    tacho_status status = tacho_fleet_inputs_init(&inputs, &word, 1);
    if (tacho_status_code(status) == TACHO_CODE_BAD_DATA) { /* there are none */
        tacho_status_free(status);
        status = TACHO_OK;
    }
    for (size_t i = 0; i < inputs.list.path_count && status == TACHO_OK; i++) {
        status = add_file(held, inputs.list.paths[i], tacho_str_from_cstring(path));
    }
    tacho_fleet_inputs_deinit(&inputs);
    return status;
}

/* Each place once: a file has rows in several tables. */
static void tidy(tacho_dataset_held *held)
{
    size_t count = 0;
    if (held->file_count > 0) {
        qsort(held->files, held->file_count, sizeof(*held->files), compare_files);
    }
    for (size_t i = 0; i < held->file_count; i++) {
        if (count == 0 || compare_files(&held->files[count - 1], &held->files[i]) != 0) {
            held->files[count++] = held->files[i];
        }
    }
    held->file_count = count;
}

static tacho_status make_keys(tacho_dataset_held *held)
{
    TACHO_TRY(tacho_items_make(&held->keys, 2 * held->file_count));
    for (size_t i = 0; i < held->file_count; i++) {
        held->keys[held->key_count++] = (tacho_dataset_held_key){held->files[i].digits.source, i};
        held->keys[held->key_count++] = (tacho_dataset_held_key){held->files[i].digits.content, i};
    }
    if (held->key_count > 0) {
        qsort(held->keys, held->key_count, sizeof(*held->keys), compare_keys);
    }
    return TACHO_OK;
}

tacho_status tacho_dataset_held_init(tacho_dataset_held *held, const char *folder,
                                     const char *const *tables, size_t table_count)
{
    tacho_status status = TACHO_OK;
    *held = (tacho_dataset_held){.file_count = 0};
    tacho_arena_init(&held->arena);
    find_computer(held->computer);
    for (size_t i = 0; i < table_count && status == TACHO_OK; i++) {
        status = add_table(held, folder, tables[i]);
    }
    tidy(held);
    return status == TACHO_OK ? make_keys(held) : status;
}

void tacho_dataset_held_deinit(tacho_dataset_held *held)
{
    free(held->files);
    free(held->keys);
    tacho_arena_deinit(&held->arena);
}

/* ---- what replaces what ---------------------------------------------------------------------- */

/* The host in "run=ID/host=NAME/rank=N/FILE"; empty: it has none. */
static tacho_str host_of(const char *place)
{
    const char *at = strstr(place, "/host=");
    tacho_str host = tacho_str_from_cstring(at != NULL ? at + strlen("/host=") : "");
    host.len = tacho_str_find_byte(host, '/');
    return tacho_str_equal(host, TACHO_STR(TACHO_DATASET_NO_VALUE)) ? TACHO_STR("") : host;
}

static bool is_same_host(const char *left, const char *right)
{
    return host_of(left).len > 0 && tacho_str_equal(host_of(left), host_of(right));
}

/* Runs that left nothing look alike. */
static bool is_same_run(const char *left, const char *right)
{
    size_t len = tacho_str_find_byte(tacho_str_from_cstring(left), '/');
    return strncmp(left, right, len + 1) == 0;
}

/* The first of |digits| among the keys. */
static size_t find_key(const tacho_dataset_held *held, uint64_t digits)
{
    size_t first = 0, end = held->key_count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        bool is_before = held->keys[middle].digits < digits;
        first = is_before ? middle + 1 : first;
        end = is_before ? end : middle;
    }
    return first;
}

/* Marks what is of the same source or content; returns what is not clear. */
static const char *mark(tacho_dataset_held *held, uint64_t key, const tacho_dataset_digits *digits,
                        const char *place)
{
    const char *unclear = NULL;
    for (size_t i = find_key(held, key); i < held->key_count && held->keys[i].digits == key; i++) {
        tacho_dataset_held_file *file = &held->files[held->keys[i].file];
        bool is_same_source = file->digits.source == digits->source;
        bool is_same_content = file->digits.content == digits->content;
        bool is_known =
            (is_same_content && is_same_run(file->place, place)) ||
            (is_same_source && (is_same_content || file->digits.computer == digits->computer ||
                                is_same_host(file->place, place)));
        file->is_written |= strcmp(file->place, place) == 0;
        file->is_replaced |= is_known;
        unclear = is_known || !is_same_source ? unclear : file->place;
    }
    return unclear;
}

const char *tacho_dataset_held_write(tacho_dataset_held *held, const tacho_dataset_digits *digits,
                                     const char *place)
{
    bool is_own_host = tacho_str_equal(host_of(place), tacho_str_from_cstring(held->computer));
    const char *unclear = mark(held, digits->source, digits, place);
    mark(held, digits->content, digits, place);
    return is_own_host ? NULL : unclear;
}

tacho_status tacho_dataset_held_remove(const tacho_dataset_held *held, const char *folder,
                                       const char *const *tables, size_t table_count,
                                       size_t *out_count)
{
    *out_count = 0;
    for (size_t i = 0; i < held->file_count; i++) {
        const tacho_dataset_held_file *file = &held->files[i];
        bool is_stale = file->is_replaced && !file->is_written;
        *out_count += is_stale ? 1 : 0;
        for (size_t j = table_count; j > 0 && is_stale; j--) {
            char path[PATH_BYTES];
            int len = snprintf(path, sizeof(path), "%s/%s/%s", folder, tables[j - 1], file->place);
            if (len < PATH_BYTES && unlink(path) != 0 && errno != ENOENT) {
                return tacho_fail(TACHO_CODE_IO, "%s: cannot remove it: %s", path, strerror(errno));
            }
        }
    }
    return TACHO_OK;
}
