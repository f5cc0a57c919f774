/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dumps to files and to standard error.
 */
#include "session/compile_dumps.h"

#include "base/folder.h"
#include "base/utf8.h"

#include <stdio.h>

/* As MLIR calls the folder of a module without a name. */
#define TREE_FOLDER "builtin_module_no-symbol-name"

/* What every dump starts with. */
#define FIRST_BYTES "#loc0 = loc("

/*
 * Of names of files: what file systems take, less the longest of what follows. One that is longer
 * keeps its end, which tells the parts of a network apart.
 */
enum { STEM_MAX = 200, STEM_HEAD = 120, STEM_TAIL = 60, STEM_ROOM = STEM_MAX + 1 };

/* ---- names --------------------------------------------------------------------------------- */

static bool is_inside_character(tacho_str text, size_t at)
{
    return at > 0 && at < text.len && ((unsigned char)text.data[at] & 0xc0) == 0x80;
}

static uint32_t hash_of(tacho_str text)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < text.len; i++) {
        hash = (hash ^ (unsigned char)text.data[i]) * 16777619u;
    }
    return hash;
}

/* |text| as the beginning of a file's name: in one folder, seen by 'ls', and not too long. */
static void make_stem(tacho_str text, char out_stem[STEM_ROOM])
{
    size_t head = text.len;
    size_t tail = text.len;
    if (text.len > STEM_MAX) {
        head = tacho_utf8_cut(text, STEM_HEAD).len;
        tail = text.len - STEM_TAIL;
        for (; is_inside_character(text, tail); tail++) {
        }
    }
    int len = snprintf(out_stem, STEM_ROOM, "%.*s", (int)head, text.data);
    if (text.len > STEM_MAX) {
        len += snprintf(out_stem + len, STEM_ROOM - (size_t)len, "-%08x-%.*s", hash_of(text),
                        (int)(text.len - tail), text.data + tail);
    }
    if (len == 0) {
        len = snprintf(out_stem, STEM_ROOM, "module");
    }
    for (int i = 0; i < len; i++) {
        unsigned char byte = (unsigned char)out_stem[i];
        bool is_bad = byte < ' ' || byte == 0x7f || byte == '/' || (i == 0 && byte == '.');
        out_stem[i] = is_bad ? '_' : out_stem[i];
    }
}

/* "fc" of "samples/tosa/fc.mlir". */
static tacho_str stem_of(const char *model_path)
{
    tacho_str name = tacho_str_basename(tacho_str_from_cstring(model_path));
    for (size_t i = name.len; i > 1; i--) {
        if (name.data[i - 1] == '.') {
            return tacho_str_make(name.data, i - 1);
        }
    }
    return tacho_str_equal(name, TACHO_STR("-")) ? TACHO_STR("module") : name;
}

/* ---- opening ------------------------------------------------------------------------------- */

static tacho_status open_in(tacho_compile_outputs *outputs, const char *folder, const char *name,
                            tacho_compile_dump_file **at, const char **out_path)
{
    TACHO_TRY(tacho_folder_join(folder, tacho_str_from_cstring(name), &outputs->arena, out_path));
    TACHO_TRY(
        tacho_compile_outputs_open_chosen(outputs, *out_path, "dump", FIRST_BYTES, &(*at)->output));
    (*at)++;
    return TACHO_OK;
}

static tacho_status open_phases(const tacho_compile_dumps *dumps, const char *model_path,
                                tacho_compile_outputs *outputs, tacho_compile_dump_file **at)
{
    char stem[STEM_ROOM];
    char name[STEM_ROOM + 64];
    const char *path = NULL;
    make_stem(stem_of(model_path), stem);
    TACHO_TRY(tacho_compile_outputs_folder(outputs, dumps->phases_dir));
    for (const tacho_dump_phase *phase = tacho_dump_phases; phase->pass != NULL; phase++) {
        snprintf(name, sizeof(name), "%s.%u.%s.mlir", stem, phase->number, phase->name);
        (*at)->phase = phase;
        TACHO_TRY(open_in(outputs, dumps->phases_dir, name, at, &path));
    }
    return TACHO_OK;
}

static tacho_status open_tree(const tacho_compile_dumps *dumps, tacho_compile_outputs *outputs,
                              tacho_compile_dump_file **at)
{
    char name[128];
    const char *path = NULL;
    TACHO_TRY(tacho_folder_join(dumps->tree_dir, TACHO_STR(TREE_FOLDER), &outputs->arena, &path));
    TACHO_TRY(tacho_compile_outputs_folder(outputs, path));
    for (size_t i = 0; tacho_dump_phases[i].pass != NULL; i++) {
        snprintf(name, sizeof(name), TREE_FOLDER "/%zu_%s.mlir", i, tacho_dump_phases[i].argument);
        (*at)->phase = &tacho_dump_phases[i];
        TACHO_TRY(open_in(outputs, dumps->tree_dir, name, at, &path));
    }
    return TACHO_OK;
}

static tacho_status open_dispatches(const tacho_compile_dumps *dumps, const tacho_program *program,
                                    tacho_compile_outputs *outputs, tacho_compile_dump_file **at)
{
    char stem[STEM_ROOM];
    char name[STEM_ROOM + 64];
    const char *path = NULL;
    TACHO_TRY(tacho_compile_outputs_folder(outputs, dumps->debug_dir));
    for (size_t i = 0; i < program->dispatch_count; i++) {
        make_stem(tacho_strings_get(&program->strings, program->dispatches[i].name), stem);
        snprintf(name, sizeof(name), "%s.mlir", stem);
        (*at)->dispatch = i;
        TACHO_TRY(open_in(outputs, dumps->debug_dir, name, at, &path));
    }
    return TACHO_OK;
}

size_t tacho_compile_dumps_phase_count(void)
{
    size_t count = 0;
    while (tacho_dump_phases[count].pass != NULL) {
        count++;
    }
    return count;
}

tacho_status tacho_compile_dumps_open(const tacho_compile_dumps *dumps,
                                      const tacho_program *program, const char *model_path,
                                      tacho_compile_outputs *outputs,
                                      tacho_compile_dump_files *out_files)
{
    void *memory = NULL;
    size_t most = 2 * tacho_compile_dumps_phase_count() + program->dispatch_count;
    TACHO_TRY(tacho_arena_alloc(&outputs->arena, most * sizeof(tacho_compile_dump_file), &memory));
    *out_files = (tacho_compile_dump_files){.items = memory};
    tacho_compile_dump_file *at = memory;
    if (dumps->phases_dir != NULL) {
        TACHO_TRY(open_phases(dumps, model_path, outputs, &at));
    }
    if (dumps->tree_dir != NULL) {
        TACHO_TRY(open_tree(dumps, outputs, &at));
    }
    if (dumps->debug_dir != NULL) {
        TACHO_TRY(open_dispatches(dumps, program, outputs, &at));
    }
    out_files->item_count = (size_t)(at - out_files->items);
    return TACHO_OK;
}

/* ---- writing ------------------------------------------------------------------------------- */

static tacho_status print_to(const tacho_dump *dump, const tacho_dump_phase *phase,
                             tacho_output *output)
{
    tacho_output_printf(output, "// -----// IR Dump After %s (%s) //----- //\n", phase->pass,
                        phase->argument);
    TACHO_TRY(phase->write(dump, output));
    tacho_output_write_cstring(output, "\n");
    return tacho_output_commit(output);
}

static tacho_status print(const tacho_dump *dump)
{
    for (const tacho_dump_phase *phase = tacho_dump_phases; phase->pass != NULL; phase++) {
        tacho_output output;
        TACHO_TRY(tacho_output_open_standard_error(&output));
        tacho_status status = print_to(dump, phase, &output);
        tacho_output_close(&output);
        TACHO_TRY(status);
    }
    return TACHO_OK;
}

tacho_status tacho_compile_dumps_write(const tacho_compile_dumps *dumps, const tacho_dump *dump,
                                       const tacho_compile_dump_files *files)
{
    for (size_t i = 0; i < files->item_count; i++) {
        const tacho_compile_dump_file *file = &files->items[i];
        TACHO_TRY(file->phase != NULL ? file->phase->write(dump, file->output)
                                      : tacho_dump_dispatch(dump, file->dispatch, file->output));
    }
    return dumps->is_printed && dumps->tree_dir == NULL ? print(dump) : TACHO_OK;
}
