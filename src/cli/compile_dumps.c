/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dumps to files and to standard error. Each file is there whole or not at all.
 */
#include "cli/compile_dumps.h"

#include "base/folder.h"

#include <stdio.h>

/* As MLIR calls the folder of a module without a name. */
#define TREE_FOLDER "builtin_module_no-symbol-name"

typedef struct job {
    const tacho_dump *dump;
    const tacho_dump_phase *phase; /* or NULL: */
    size_t dispatch;
} job;

static tacho_status write_to(const job *self, tacho_output *output)
{
    return self->phase != NULL ? self->phase->write(self->dump, output)
                               : tacho_dump_dispatch(self->dump, self->dispatch, output);
}

static tacho_status write_file(const job *self, const char *path)
{
    tacho_output output;
    TACHO_TRY(tacho_output_open(path, &output));
    tacho_status status = write_to(self, &output);
    if (status == TACHO_OK) {
        status = tacho_output_commit(&output);
    }
    tacho_output_close(&output);
    return status;
}

static tacho_status write_in(const job *self, const char *folder, const char *name)
{
    tacho_arena arena;
    const char *path = NULL;
    tacho_arena_init(&arena);
    tacho_status status = tacho_folder_join(folder, tacho_str_from_cstring(name), &arena, &path);
    if (status == TACHO_OK) {
        status = write_file(self, path);
    }
    tacho_arena_deinit(&arena);
    return status;
}

/* ---- phases -------------------------------------------------------------------------------- */

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

static tacho_status write_phase(const tacho_compile_dumps *dumps, const job *self, tacho_str stem)
{
    char name[512];
    snprintf(name, sizeof(name), "%.*s.%u.%s.mlir", stem.len > 200 ? 200 : (int)stem.len, stem.data,
             self->phase->number, self->phase->name);
    return write_in(self, dumps->phases_dir, name);
}

static tacho_status write_tree(const tacho_compile_dumps *dumps, const job *self, size_t number)
{
    char name[128];
    snprintf(name, sizeof(name), TREE_FOLDER "/%zu_%s.mlir", number, self->phase->argument);
    return write_in(self, dumps->tree_dir, name);
}

static tacho_status print(const job *self)
{
    tacho_output output;
    TACHO_TRY(tacho_output_open_standard_error(&output));
    tacho_output_printf(&output, "// -----// IR Dump After %s (%s) //----- //\n", self->phase->pass,
                        self->phase->argument);
    tacho_status status = write_to(self, &output);
    if (status == TACHO_OK) {
        tacho_output_write_cstring(&output, "\n");
        status = tacho_output_commit(&output);
    }
    tacho_output_close(&output);
    return status;
}

/* ---- dispatches ---------------------------------------------------------------------------- */

static tacho_status write_dispatches(const tacho_compile_dumps *dumps, const tacho_dump *dump)
{
    const tacho_program *program = dump->program;
    for (size_t i = 0; i < program->dispatch_count; i++) {
        job self = {.dump = dump, .dispatch = i};
        tacho_str name = tacho_strings_get(&program->strings, program->dispatchs[i].name);
        char file[256];
        int len = snprintf(file, sizeof(file), "%.*s.mlir", name.len > 200 ? 200 : (int)name.len,
                           name.data);
        for (int k = 0; k < len; k++) {
            file[k] = file[k] == '/' ? '_' : file[k];
        }
        TACHO_TRY(write_in(&self, dumps->debug_dir, file));
    }
    return TACHO_OK;
}

/* ---- all of them --------------------------------------------------------------------------- */

tacho_status tacho_compile_dumps_prepare(const tacho_compile_dumps *dumps)
{
    bool is_new = false;
    if (dumps->phases_dir != NULL) {
        TACHO_TRY(tacho_folder_ensure(dumps->phases_dir, &is_new));
    }
    if (dumps->debug_dir != NULL) {
        TACHO_TRY(tacho_folder_ensure(dumps->debug_dir, &is_new));
    }
    if (dumps->tree_dir == NULL) {
        return TACHO_OK;
    }
    tacho_arena arena;
    const char *path = NULL;
    tacho_arena_init(&arena);
    tacho_status status = tacho_folder_join(dumps->tree_dir, TACHO_STR(TREE_FOLDER), &arena, &path);
    if (status == TACHO_OK) {
        status = tacho_folder_ensure(path, &is_new);
    }
    tacho_arena_deinit(&arena);
    return status;
}

tacho_status tacho_compile_dumps_write(const tacho_compile_dumps *dumps, const tacho_dump *dump,
                                       const char *model_path)
{
    tacho_str stem = stem_of(model_path);
    for (size_t i = 0; tacho_dump_phases[i].pass != NULL; i++) {
        job self = {.dump = dump, .phase = &tacho_dump_phases[i]};
        if (dumps->phases_dir != NULL) {
            TACHO_TRY(write_phase(dumps, &self, stem));
        }
        if (dumps->tree_dir != NULL) {
            TACHO_TRY(write_tree(dumps, &self, i));
        } else if (dumps->is_printed) {
            TACHO_TRY(print(&self));
        }
    }
    return dumps->debug_dir != NULL ? write_dispatches(dumps, dump) : TACHO_OK;
}
