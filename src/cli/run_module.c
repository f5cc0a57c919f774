/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs are recognised by their first bytes; everything else is taken for a model.
 */
#include "cli/run_module.h"

#include "cli/compile_run.h"
#include "cli/file_kind.h"
#include "cli/find_machine.h"
#include "cli/info_program.h"
#include "cli/talk.h"
#include "program/container.h"

#include <stdio.h>

bool tacho_run_is_program(const char *path)
{
    return tacho_info_is_program(path);
}

/* ---- models -------------------------------------------------------------------------------- */

/* What it takes to compile, in the order in which it is made. */
typedef struct compiling {
    const tacho_run_compile *options;
    tacho_machine *machine;
    tacho_estimate estimate;
} compiling;

static tacho_status compile_fusion(compiling *self, const tacho_fusion *fusion,
                                   tacho_program *program)
{
    tacho_compile_options options = self->options->compile;
    uint64_t cores = tacho_machine_cores(self->machine);
    options.has_values = true;
    if (options.cores == 0 && self->options->threads > 0 && self->options->activations <= 1) {
        options.cores = self->options->threads < cores ? self->options->threads : (uint32_t)cores;
    }
    if (options.cores == 0 && self->options->activations > 1) {
        options.cores = (uint32_t)(cores / self->options->activations);
        options.cores = options.cores > 0 ? options.cores : 1;
    }
    if (fusion->op_count == 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "%s: nothing to run: all %zu nodes are views or depend on constants "
                          "alone",
                          fusion->graph->path.data, fusion->graph->node_count);
    }
    tacho_machine_use_cores(self->machine, options.cores);
    TACHO_TRY(tacho_compile_program(fusion, self->machine, &options, &self->estimate, program));
    if (!self->options->is_quiet) {
        tacho_compile_say_model(fusion);
    }
    return TACHO_OK;
}

static tacho_status compile_graph(compiling *self, const char *path, tacho_graph *graph,
                                  tacho_program *program)
{
    TACHO_TRY(tacho_cli_note_no_model(tacho_model_read(path, &self->options->model, graph), path));
    tacho_fusion fusion;
    tacho_status status = tacho_fusion_init(&fusion, graph);
    if (status == TACHO_OK) {
        status = compile_fusion(self, &fusion, program);
    }
    tacho_fusion_deinit(&fusion);
    return status;
}

static tacho_status compile_model(compiling *self, const char *path, tacho_arena *arena,
                                  tacho_program *program)
{
    tacho_machine *machine = NULL;
    tacho_graph graph;
    TACHO_TRY(tacho_cli_find_machine(self->options->machine, arena, &machine));
    self->machine = machine;
    tacho_status status = tacho_graph_init(&graph);
    if (status == TACHO_OK) {
        status = compile_graph(self, path, &graph, program);
    }
    tacho_graph_deinit(&graph);
    return status;
}

/* Nothing of the model is needed once the program is there. */
static tacho_status compile_path(const char *path, const tacho_run_compile *options,
                                 tacho_program *program)
{
    compiling self = {.options = options};
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status = compile_model(&self, path, &arena, program);
    tacho_estimate_deinit(&self.estimate);
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
    return tacho_fail(TACHO_CODE_USAGE,
                      "--function: no function '%.100s' in the program; it has %s", name, known);
}
