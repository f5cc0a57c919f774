/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs are recognised by their first bytes; everything else is taken for a model.
 */
#include "session/run_module.h"

#include "base/folder.h"
#include "base/input.h"
#include "program/container.h"
#include "session/compilation.h"
#include "session/find_machine.h"

#include <stdio.h>
#include <sys/stat.h>

/* Compilers name a folder, and put a program into it under this name. */
#define PROGRAM_IN_FOLDER "programqpc.bin"

tacho_status tacho_run_program_path(const char *path, tacho_arena *arena, const char **out_path)
{
    struct stat facts;
    const char *inside = NULL;
    *out_path = path;
    if (strcmp(path, "-") == 0 || stat(path, &facts) != 0 || !S_ISDIR(facts.st_mode)) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_folder_join(path, TACHO_STR(PROGRAM_IN_FOLDER), arena, &inside));
    *out_path = stat(inside, &facts) == 0 && S_ISREG(facts.st_mode) ? inside : path;
    return TACHO_OK;
}

static bool has_magic(const char *path)
{
    char head[4];
    return tacho_input_read_head(path, head, sizeof(head)) == sizeof(head) &&
           tacho_qpc_is_container(tacho_str_make(head, sizeof(head)));
}

bool tacho_run_is_program(const char *path)
{
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status = tacho_run_program_path(path, &arena, &path);
    bool is_program = status == TACHO_OK && has_magic(path);
    tacho_status_free(status);
    tacho_arena_deinit(&arena);
    return is_program;
}

/* ---- models -------------------------------------------------------------------------------- */

/* Cores of a machine that runs so many activations, or on so many threads of this computer. */
static uint32_t choose_cores(const tacho_run_compile *options, const tacho_machine *machine)
{
    uint32_t cores = (uint32_t)tacho_machine_cores(machine);
    if (options->compile.cores > 0) {
        return options->compile.cores;
    }
    if (options->activations > 1) {
        return cores >= options->activations ? cores / options->activations : 1;
    }
    return options->threads < cores ? options->threads : cores;
}

/* Nothing of the model is needed once the program is there. */
static tacho_status compile_on(tacho_machine *machine, const char *path,
                               const tacho_run_compile *options, tacho_program *program)
{
    tacho_compile_options chosen = options->compile;
    tacho_compilation_request request = {path, &options->model, machine, &chosen};
    tacho_compilation compilation;
    chosen.has_values = true;
    chosen.cores = choose_cores(options, machine);
    tacho_machine_use_cores(machine, chosen.cores);
    tacho_status status = tacho_compilation_open(&compilation, &request);
    if (status == TACHO_OK) {
        if (!options->is_quiet) {
            tacho_compilation_say_model(&compilation, options->notes);
        }
        *program = compilation.program;
        compilation.program = (tacho_program){0};
        status = tacho_mappings_remember(&program->mappings, &compilation.graph.mappings);
    }
    tacho_compilation_close(&compilation);
    return status;
}

static tacho_status compile_path(const char *path, const tacho_run_compile *options,
                                 tacho_program *program)
{
    tacho_machine *machine = NULL;
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status =
        tacho_session_find_machine(options->machine, options->notes, &arena, &machine);
    if (status == TACHO_OK) {
        status = compile_on(machine, path, options, program);
    }
    tacho_arena_deinit(&arena);
    return status;
}

/* ---- modules ------------------------------------------------------------------------------- */

tacho_status tacho_run_module_open(tacho_run_module *module, const char *path,
                                   const tacho_run_compile *compile)
{
    *module = (tacho_run_module){.was_compiled = false};
    if (tacho_run_is_program(path)) {
        return tacho_program_read(path, &module->program);
    }
    module->was_compiled = true;
    return compile_path(path, compile, &module->program);
}

void tacho_run_module_deinit(tacho_run_module *module)
{
    tacho_program_deinit(&module->program);
}

static bool is_called(tacho_str function, tacho_str name)
{
    size_t end = tacho_str_find_byte(function, '$');
    return tacho_str_equal(function, name) ||
           tacho_str_equal(tacho_str_make(function.data, end), name);
}

tacho_status tacho_run_module_check_function(const tacho_run_module *module, const char *name)
{
    const tacho_program *program = &module->program;
    tacho_str wanted = tacho_str_from_cstring(name);
    tacho_str network = tacho_strings_get(&program->strings, program->facts.name);
    char known[400];
    size_t used = (size_t)snprintf(known, sizeof(known), "%.100s", network.data);
    bool is_known = is_called(network, wanted);
    for (size_t i = 0; i < program->dispatch_count && !is_known; i++) {
        tacho_str function = tacho_strings_get(&program->strings, program->dispatches[i].name);
        is_known = is_called(function, wanted);
        if (used < 200 && !tacho_str_equal(function, network)) {
            used += (size_t)snprintf(known + used, sizeof(known) - used, ", %.100s", function.data);
        }
    }
    if (is_known) {
        return TACHO_OK;
    }
    return tacho_fail(TACHO_CODE_USAGE, "no function '%.100s' in the program; it has %s", name,
                      known);
}
