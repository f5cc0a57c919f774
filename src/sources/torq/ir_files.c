/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding and loading the files. A file is read whole: both readers of MLIR need that.
 */
#include "sources/torq/ir_files.h"

#include "base/folder.h"
#include "base/grow.h"
#include "base/input.h"
#include "base/mapping.h"
#include "codec/mlir_bytecode.h"
#include "codec/mlir_text.h"
#include "sources/torq/ir_kind.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { PEEK_BYTES = 1 << 20, SHOWN_NAMES_MAX = 5, SHOWN_BYTES = 512, MAGIC_BYTES = 4 };

static const tacho_str phase_suffix = TACHO_STR_INIT("executable-targets");

/* ---- one file --------------------------------------------------------------------------- */

/* The bytes of a file: mapped if it is stored uncompressed, else read. */
typedef struct contents {
    tacho_str bytes;
    tacho_mappings mappings;
    char *items;
    size_t item_count, item_capacity;
} contents;

static void contents_free(contents *self)
{
    tacho_mappings_close(&self->mappings);
    free(self->items);
    *self = (contents){.items = NULL};
}

static tacho_status check_size(const char *name, size_t size)
{
    return size <= TORQ_IR_FILE_MAX
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_LIMIT, "%s: larger than the limit of %llu MiB", name,
                            (unsigned long long)(TORQ_IR_FILE_MAX >> 20));
}

static tacho_status load_input(tacho_input *input, contents *self)
{
    for (;;) {
        tacho_str seen;
        TACHO_TRY(tacho_input_peek(input, PEEK_BYTES, &seen));
        if (seen.len == 0) {
            break;
        }
        TACHO_TRY(check_size(input->name, self->item_count + seen.len));
        TACHO_TRY(tacho_grow(&self->items, &self->item_capacity, self->item_count + seen.len));
        memcpy(self->items + self->item_count, seen.data, seen.len);
        self->item_count += seen.len;
        tacho_input_skip(input, seen.len);
    }
    if (tacho_input_damage(input) != NULL) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s: %s", input->name, tacho_input_damage(input));
    }
    self->bytes = tacho_str_make(self->items, self->item_count);
    return TACHO_OK;
}

static tacho_status load_file(const char *path, contents *self)
{
    tacho_input input;
    TACHO_TRY(tacho_input_open(path, &input));
    if (tacho_input_is_rereadable(path) && tacho_input_compression(&input) == NULL) {
        tacho_input_close(&input);
        TACHO_TRY(tacho_mappings_open(&self->mappings, path, &self->bytes));
        return check_size(path, self->bytes.len);
    }
    tacho_status status = load_input(&input, self);
    tacho_input_close(&input);
    return status;
}

/*
 * Parses a file into |info|. Frees |from| once the module is made, which has copies of all it
 * needs.
 */
static tacho_status parse_file(const char *path, contents *from, tacho_debug_info *info)
{
    tacho_mlir_module module;
    size_t before = info->dispatch_count;
    bool is_bytecode = tacho_mlir_is_bytecode(from->bytes);
    tacho_status status = tacho_mlir_module_init(&module);
    if (status == TACHO_OK) {
        status = is_bytecode ? tacho_mlir_bytecode_read_lenient(path, from->bytes, &module)
                             : tacho_mlir_text_read_lenient(path, from->bytes, &module);
    }
    contents_free(from);
    if (status == TACHO_OK) {
        status = torq_ir_read_module(&module, tacho_str_from_cstring(path), info);
    }
    for (size_t i = before; i < info->dispatch_count; i++) {
        info->dispatches[i].is_bytecode = is_bytecode;
    }
    tacho_mlir_module_deinit(&module);
    return status;
}

static tacho_status read_file(const char *path, tacho_debug_info *info)
{
    contents from = {.items = NULL};
    tacho_status status = load_file(path, &from);
    if (status == TACHO_OK) {
        status = parse_file(path, &from, info);
    }
    contents_free(&from);
    return status;
}

static bool is_program_file(const char *path)
{
    contents from = {.items = NULL};
    tacho_status status = load_file(path, &from);
    bool is_program = status == TACHO_OK && torq_ir_is_program(from.bytes);
    tacho_status_free(status);
    contents_free(&from);
    return is_program;
}

/* ---- a folder --------------------------------------------------------------------------- */

typedef struct folder_file {
    tacho_str name;
    tacho_str stem; /* without the suffix; empty: another kind of file */
    int rank;       /* of several with one stem the lowest is read */
} folder_file;

typedef struct folder {
    const char *path;
    const tacho_strings *wanted;
    tacho_debug_info *info;
    tacho_arena arena;
    folder_file *files;
    size_t file_count, file_capacity;
    size_t read_count;
    size_t fitting_count;
    tacho_str phase; /* stem of the phase dump to read; empty: not a folder of dumps */
} folder;

/* Splits "main$async_dispatch_0.mlirb". */
static void classify(folder_file *file)
{
    static const tacho_str suffixes[] = {
        TACHO_STR_INIT(".mlirb"),     TACHO_STR_INIT(".mlir"),    TACHO_STR_INIT(".mlirb.gz"),
        TACHO_STR_INIT(".mlirb.zst"), TACHO_STR_INIT(".mlir.gz"), TACHO_STR_INIT(".mlir.zst"),
    };
    file->stem = TACHO_STR("");
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        if (file->name.len > suffixes[i].len && tacho_str_ends_with(file->name, suffixes[i])) {
            file->stem = tacho_str_make(file->name.data, file->name.len - suffixes[i].len);
            file->rank = (int)i;
        }
    }
}

static bool is_digit(tacho_str text, size_t at)
{
    return at < text.len && text.data[at] >= '0' && text.data[at] <= '9';
}

/* The number of digits at |at|, after leading zeros, which are skipped. */
static size_t skip_zeros(tacho_str text, size_t *at)
{
    while (is_digit(text, *at) && text.data[*at] == '0' && is_digit(text, *at + 1)) {
        ++*at;
    }
    size_t len = 0;
    while (is_digit(text, *at + len)) {
        len++;
    }
    return len;
}

/* Compares numbers in names by value: dispatch_10 follows dispatch_9. */
static int compare_names(tacho_str a, tacho_str b)
{
    size_t i = 0;
    size_t j = 0;
    while (i < a.len && j < b.len) {
        if (is_digit(a, i) && is_digit(b, j)) {
            size_t len_a = skip_zeros(a, &i);
            size_t len_b = skip_zeros(b, &j);
            int order =
                len_a != len_b ? (len_a < len_b ? -1 : 1) : memcmp(a.data + i, b.data + j, len_a);
            if (order != 0) {
                return order;
            }
            i += len_a;
            j += len_b;
        } else if (a.data[i] != b.data[j]) {
            return (unsigned char)a.data[i] < (unsigned char)b.data[j] ? -1 : 1;
        } else {
            i++;
            j++;
        }
    }
    return i < a.len ? 1 : (j < b.len ? -1 : tacho_str_compare(a, b));
}

static int compare_files(const void *left, const void *right)
{
    const folder_file *a = left;
    const folder_file *b = right;
    int order = compare_names(a->stem, b->stem);
    if (order == 0) {
        order = a->rank - b->rank;
    }
    return order != 0 ? order : tacho_str_compare(a->name, b->name);
}

static tacho_status list_files(folder *self, DIR *dir)
{
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (entry == NULL) {
            break;
        }
        if (entry->d_name[0] == '.') {
            continue;
        }
        folder_file file = {.rank = 0};
        TACHO_TRY(
            tacho_arena_copy(&self->arena, tacho_str_from_cstring(entry->d_name), &file.name));
        classify(&file);
        TACHO_TRY(tacho_grow(&self->files, &self->file_capacity, self->file_count + 1));
        self->files[self->file_count++] = file;
    }
    if (errno != 0) {
        return tacho_fail(TACHO_CODE_IO, "%s: cannot list the directory: %s", self->path,
                          strerror(errno));
    }
    if (self->file_count > 1) {
        qsort(self->files, self->file_count, sizeof(*self->files), compare_files);
    }
    return TACHO_OK;
}

/* Whether "fc.9.executable-targets" is the last phase of the model at ".../fc.mlir". */
static bool is_phase_of(tacho_str stem, tacho_str model_path)
{
    tacho_str model = tacho_str_basename(model_path);
    while (model.len > 0 && model.data[model.len - 1] != '.') {
        model.len--;
    }
    if (model.len == 0 || !tacho_str_starts_with(stem, model)) {
        return false;
    }
    size_t at = model.len;
    while (is_digit(stem, at)) {
        at++;
    }
    return at < stem.len && stem.data[at] == '.' &&
           tacho_str_equal(tacho_str_from(stem, at + 1), phase_suffix);
}

/* Whether a location of the runtime profile is in the model of the dump |stem|. */
static bool is_of_profile(const tacho_dict *dict, tacho_str stem)
{
    uint32_t last = 0; /* most locations are in one file */
    for (size_t i = 0; i < dict->location_count; i++) {
        uint32_t file = dict->locations[i].file;
        if (file != last && is_phase_of(stem, tacho_dict_string(dict, file))) {
            return true;
        }
        last = file;
    }
    return false;
}

/*
 * Chooses the dump in a folder of phase dumps: the other files are earlier phases of the same
 * program. With dumps of several models, which all name their dispatches alike, the profile
 * decides.
 */
static tacho_status choose_phase(folder *self)
{
    size_t count = 0;
    size_t fitting_count = 0;
    tacho_str first = TACHO_STR("");
    tacho_str last = TACHO_STR("");
    for (size_t i = 0; i < self->file_count; i++) {
        tacho_str stem = self->files[i].stem;
        if (!tacho_str_ends_with(stem, phase_suffix) || tacho_str_equal(stem, last)) {
            continue;
        }
        last = stem;
        first = count++ == 0 ? stem : first;
        if (is_of_profile(self->info->dict, stem)) {
            self->phase = stem;
            fitting_count++;
        }
    }
    if (count > 1 && fitting_count != 1) {
        bool has_profile = self->info->dict->part_count > 0;
        return tacho_fail(TACHO_CODE_USAGE,
                          "%s: phase dumps of %zu models are here, from %.*s to %.*s%s; name %s "
                          "file instead of the directory",
                          self->path, count, TACHO_STR_ARG(first), TACHO_STR_ARG(last),
                          has_profile ? ", and the runtime profile does not say which one it is of"
                                      : "",
                          has_profile ? "its" : "one");
    }
    self->phase = count == 1 ? first : self->phase;
    return TACHO_OK;
}

static bool is_wanted(const folder *self, const folder_file *file)
{
    if (self->phase.len > 0) {
        return tacho_str_equal(file->stem, self->phase);
    }
    return self->wanted == NULL || tacho_strings_find(self->wanted, file->stem) != TACHO_NONE;
}

/* Reads a file of the folder. A failure is a problem of |info|, except when out of memory. */
static tacho_status read_folder_file(folder *self, const folder_file *file)
{
    const char *path = NULL;
    TACHO_TRY(tacho_folder_join(self->path, file->name, &self->arena, &path));
    tacho_status status = tacho_path_is_file(path)
                              ? read_file(path, self->info)
                              : tacho_fail(TACHO_CODE_IO, "%s: not a regular file", path);
    if (status == TACHO_OK) {
        self->read_count++;
        return TACHO_OK;
    }
    if (tacho_status_code(status) == TACHO_CODE_NO_MEMORY) {
        return status;
    }
    tacho_status noted =
        tacho_debug_info_add_problem(self->info, "%s", tacho_status_message(status));
    tacho_status_free(status);
    return noted;
}

static tacho_status read_files(folder *self)
{
    const folder_file *last = NULL;
    TACHO_TRY(choose_phase(self));
    for (size_t i = 0; i < self->file_count; i++) {
        const folder_file *file = &self->files[i];
        if (file->stem.len == 0 || !is_wanted(self, file)) {
            continue;
        }
        if (last != NULL && tacho_str_equal(last->stem, file->stem)) {
            TACHO_TRY(tacho_debug_info_add_note(self->info, "%s: %.*s is ignored in favour of %.*s",
                                                self->path, TACHO_STR_ARG(file->name),
                                                TACHO_STR_ARG(last->name)));
            continue;
        }
        last = file;
        self->fitting_count++;
        TACHO_TRY(read_folder_file(self, file));
    }
    return TACHO_OK;
}

/* ---- messages when nothing was found ---------------------------------------------------- */

static void put_name(char *text, size_t index, tacho_str name)
{
    size_t len = strlen(text);
    if (index < SHOWN_NAMES_MAX) {
        snprintf(text + len, SHOWN_BYTES - len, "%s%.*s", index > 0 ? ", " : "",
                 TACHO_STR_ARG(name));
    } else if (index == SHOWN_NAMES_MAX) {
        snprintf(text + len, SHOWN_BYTES - len, ", ...");
    }
}

static tacho_status nothing_read(const folder *self)
{
    char names[SHOWN_BYTES] = "";
    if (self->fitting_count > 0) {
        return tacho_fail(
            TACHO_CODE_BAD_DATA, "%s: no readable debug information; first problem: %.*s",
            self->path,
            TACHO_STR_ARG(tacho_dict_string(self->info->dict, self->info->problems[0])));
    }
    if (self->file_count == 0) {
        return tacho_fail(TACHO_CODE_NOT_FOUND,
                          "%s: the directory is empty; expected the compiler's debug information, "
                          "a DISPATCH.mlirb for each dispatch",
                          self->path);
    }
    for (size_t i = 0; i < self->file_count; i++) {
        put_name(names, i, self->files[i].name);
    }
    if (self->wanted == NULL || self->wanted->item_count < 2) {
        return tacho_fail(TACHO_CODE_NOT_FOUND,
                          "%s: no .mlirb or .mlir file in the directory; it holds %s", self->path,
                          names);
    }
    return tacho_fail(TACHO_CODE_NOT_FOUND,
                      "%s: no file of dispatch %.*s, nor of any other that the runtime profile "
                      "names; the directory holds %s",
                      self->path, TACHO_STR_ARG(tacho_strings_get(self->wanted, 1)), names);
}

/* Call close even if this failed. */
static tacho_status open_folder(folder *self)
{
    tacho_arena_init(&self->arena);
    DIR *dir = opendir(self->path);
    if (dir == NULL) {
        return tacho_fail(TACHO_CODE_IO, "%s: cannot open the directory: %s", self->path,
                          strerror(errno));
    }
    tacho_status status = list_files(self, dir);
    closedir(dir);
    return status;
}

static void close_folder(folder *self)
{
    free(self->files);
    tacho_arena_deinit(&self->arena);
}

static tacho_status read_folder(const char *path, const tacho_strings *wanted,
                                tacho_debug_info *info)
{
    folder self = {.path = path, .wanted = wanted, .info = info};
    tacho_status status = open_folder(&self);
    if (status == TACHO_OK) {
        status = read_files(&self);
    }
    if (status == TACHO_OK && self.read_count == 0) {
        status = nothing_read(&self);
    }
    close_folder(&self);
    return status;
}

static bool is_program_folder(const char *path)
{
    folder self = {.path = path};
    bool is_program = false;
    tacho_status status = open_folder(&self);
    for (size_t i = 0; i < self.file_count && status == TACHO_OK && !is_program; i++) {
        const char *inside = NULL;
        if (self.files[i].stem.len > 0) {
            status = tacho_folder_join(path, self.files[i].name, &self.arena, &inside);
            is_program =
                status == TACHO_OK && tacho_path_is_file(inside) && is_program_file(inside);
        }
    }
    tacho_status_free(status);
    close_folder(&self);
    return is_program;
}

/* ---- interface -------------------------------------------------------------------------- */

tacho_status torq_ir_wanted(const tacho_dict *dict, tacho_strings *wanted, bool *out_is_all)
{
    *out_is_all = dict->run_count == 0;
    for (size_t i = 0; i < dict->run_count; i++) {
        const tacho_run *run = &dict->runs[i];
        tacho_str generation = tacho_dict_string(dict, dict->parts[run->part].generation);
        tacho_str name = tacho_dict_string(dict, run->name);
        uint32_t id = 0;
        *out_is_all = *out_is_all || tacho_str_starts_with(generation, TACHO_STR("R1"));
        if (!tacho_str_starts_with(name, TACHO_STR("__HAL_"))) {
            TACHO_TRY(tacho_strings_ensure(wanted, name, &id));
        }
    }
    return TACHO_OK;
}

static bool begins_like_bytecode(const char *path)
{
    tacho_input input;
    tacho_str head = TACHO_STR("");
    tacho_status status = tacho_input_open(path, &input);
    if (status == TACHO_OK) {
        status = tacho_input_peek(&input, MAGIC_BYTES, &head);
        bool is_bytecode = status == TACHO_OK && tacho_mlir_is_bytecode(head);
        tacho_input_close(&input);
        tacho_status_free(status);
        return is_bytecode;
    }
    tacho_status_free(status);
    return false;
}

bool torq_ir_is_debug_path(const char *path)
{
    struct stat facts;
    folder_file file = {.name = tacho_str_from_cstring(path)};
    if (stat(path, &facts) != 0) {
        return false;
    }
    classify(&file);
    return S_ISDIR(facts.st_mode) ||
           (S_ISREG(facts.st_mode) && (file.stem.len > 0 || begins_like_bytecode(path)));
}

bool torq_ir_is_program_path(const char *path)
{
    return tacho_path_is_folder(path) ? is_program_folder(path) : is_program_file(path);
}

tacho_status torq_ir_read_path(const char *path, const tacho_strings *wanted,
                               tacho_debug_info *info)
{
    size_t before = info->dispatch_count;
    if (tacho_path_is_folder(path)) {
        return read_folder(path, wanted, info);
    }
    TACHO_TRY(read_file(path, info));
    if (info->dispatch_count == before) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "%s: no function in it has an operation of torq; is this the last phase "
                          "(executable-targets) of the dump?",
                          path);
    }
    return TACHO_OK;
}
