/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public face of the compiler.
 */
#include "estimates/estimate_tables.h"
#include "api/entry.h"
#include "api/model_request.h"
#include "api/view_files.h"
#include "api/tables.h"
#include "base/input.h"
#include "program/container.h"
#include "session/compilation.h"
#include "session/run_device.h"
#include "session/compile_dumps.h"
#include "session/find_machine.h"
#include "sinks/torq/timeline.h"
#include "estimates/estimates.h"

#include <stdlib.h>
#include <string.h>

struct tacho_compiled {
    tacho_arena arena; /* of the machine and the path */
    tacho_machine *machine;
    tacho_str path; /* of the model */
    tacho_compilation compilation;
    bool is_estimate;
};

/* ---- open and close -------------------------------------------------------------------------- */

static tacho_status compile(tacho_compiled *self, tacho_model_request *request)
{
    const tacho_notes *notes = tacho_model_request_notes(request);
    const char *machine = request->options->machine;
    TACHO_TRY(tacho_session_find_machine(machine != NULL ? machine : TACHO_DEFAULT_MACHINE, notes,
                                         &self->arena, &self->machine));
    TACHO_TRY(tacho_model_request_take_machine(request, self->machine));
    tacho_machine_use_cores(self->machine, request->compile.cores);
    tacho_compilation_request wanted = {self->path.data, &request->model, self->machine,
                                        &request->compile};
    TACHO_TRY(tacho_compilation_open(&self->compilation, &wanted));
    tacho_compilation_say_model(&self->compilation, notes);
    tacho_compilation_say_doubts(&self->compilation, notes);
    return TACHO_OK;
}

static tacho_status compile_new(tacho_compiled *self, const char *model,
                                const tacho_compiled_options *options)
{
    tacho_model_request request;
    TACHO_TRY(tacho_arena_copy(&self->arena, tacho_str_from_cstring(model), &self->path));
    tacho_status status = tacho_model_request_init(&request, options);
    if (status == TACHO_OK) {
        status = compile(self, &request);
    }
    tacho_model_request_deinit(&request);
    return status;
}

tacho_status tacho_compiled_open(const char *model, const tacho_compiled_options *options,
                                 tacho_compiled **out_compiled)
{
    const tacho_compiled_options defaults = {.machine = NULL};
    const tacho_compiled_options *chosen = options != NULL ? options : &defaults;
    if (out_compiled == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "a compiled model needs a place for its handle");
    }
    *out_compiled = NULL;
    if (model == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "no model given (NULL)");
    }
    tacho_compiled *compiled = calloc(1, sizeof(*compiled));
    if (compiled == NULL) {
        return tacho_no_memory();
    }
    tacho_arena_init(&compiled->arena);
    compiled->is_estimate = chosen->is_estimate;
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = compile_new(compiled, model, chosen);
    tacho_entry_end(entry);
    if (status != TACHO_OK) {
        tacho_compiled_close(compiled);
        return status;
    }
    *out_compiled = compiled;
    return TACHO_OK;
}

void tacho_compiled_close(tacho_compiled *compiled)
{
    if (compiled == NULL) {
        return;
    }
    tacho_compilation_close(&compiled->compilation);
    tacho_arena_deinit(&compiled->arena);
    free(compiled);
}

static tacho_status check(const tacho_compiled *compiled)
{
    return compiled != NULL ? TACHO_OK
                            : tacho_fail(TACHO_CODE_USAGE, "no compiled model given (NULL)");
}

/* ---- tables ---------------------------------------------------------------------------------- */

static tacho_status add_tables(const tacho_compiled *self, tacho_tables *tables)
{
    const tacho_estimate_table_options options = {.sort = TACHO_ESTIMATE_BY_ORDER};
    const tacho_compiled_subject subject = {&self->compilation.estimate, &self->compilation.program,
                                            self->machine, 0};
    tacho_tables_target target = {.tables = tables, .input = self->path.data};
    const tacho_table_taker taker = tacho_tables_taker(&target);
    TACHO_TRY(tacho_analysis_estimate.make(&subject, &options, &taker));
    return tacho_analysis_metrics.make(&subject, NULL, &taker);
}

tacho_status tacho_compiled_tables(const tacho_compiled *compiled, tacho_tables **out_tables)
{
    tacho_tables *tables = NULL;
    TACHO_TRY(tacho_tables_check_place(out_tables));
    TACHO_TRY(check(compiled));
    TACHO_TRY(tacho_tables_create(&tables));
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = add_tables(compiled, tables);
    tacho_entry_end(entry);
    return tacho_tables_finish(tables, status, out_tables);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Neither the model nor a file of its weights, nor the machine's description, is replaced. */
static tacho_status check_output(const tacho_compiled *self, const char *path)
{
    if (path == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "no output file given (NULL)");
    }
    if (tacho_input_is_same_file(self->path.data, path) ||
        tacho_mappings_has(&self->compilation.graph.mappings, path) ||
        tacho_input_is_same_file(self->machine->path.data, path)) {
        return tacho_fail(TACHO_CODE_USAGE, "%s is an input and would be overwritten", path);
    }
    return TACHO_OK;
}

tacho_status tacho_compiled_write_program(const tacho_compiled *compiled, const char *path)
{
    TACHO_TRY(check(compiled));
    TACHO_TRY(check_output(compiled, path));
    if (compiled->is_estimate) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "%s: only an estimate was asked for, and a program needs the weights",
                          path);
    }
    TACHO_TRY(tacho_program_check_path(path));
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = tacho_program_write(&compiled->compilation.program, path);
    tacho_entry_end(entry);
    return status;
}

static tacho_status write_timeline(const tacho_compiled *self, const tacho_trace_sink *sink,
                                   const char *path)
{
    tacho_output output;
    TACHO_TRY(tacho_output_open(path, &output));
    tacho_status status = tacho_compilation_write_timeline(&self->compilation, sink, &output);
    if (status == TACHO_OK) {
        status = tacho_output_commit(&output);
    }
    tacho_output_close(&output);
    return status;
}

/* A .csv of Torq's machines is a timeline that can be read again. */
static tacho_status choose_sink(const tacho_machine *machine, const char *path, const char *format,
                                const tacho_trace_sink **out_sink)
{
    TACHO_TRY(tacho_view_sink(format, path, out_sink));
    if (format == NULL && tacho_machine_has_timeline(machine, "torq") &&
        strcmp((*out_sink)->name, "csv") == 0) {
        *out_sink = &tacho_sink_torq_t1;
    }
    const char *schedule = (*out_sink)->schedule;
    return schedule == NULL || tacho_machine_has_timeline(machine, schedule)
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_USAGE,
                            "t1 and t4 are Torq timelines, but %s is not a Torq machine",
                            machine->name.data);
}

tacho_status tacho_compiled_write_timeline(const tacho_compiled *compiled, const char *path,
                                           const char *format)
{
    const tacho_trace_sink *sink = NULL;
    TACHO_TRY(check(compiled));
    TACHO_TRY(check_output(compiled, path));
    TACHO_TRY(choose_sink(compiled->machine, path, format, &sink));
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = write_timeline(compiled, sink, path);
    tacho_entry_end(entry);
    return status;
}

/* ---- dumps ----------------------------------------------------------------------------------- */

static tacho_status write_dumps(const tacho_compiled *self, const tacho_compile_dumps *dumps,
                                tacho_compile_outputs *outputs)
{
    const tacho_compilation *compilation = &self->compilation;
    const tacho_dump dump = {.fusion = compilation->estimate.fusion,
                             .program = &compilation->program,
                             .has_profile = dumps->has_profile};
    tacho_compile_dump_files files = {.items = NULL};
    outputs->mappings = &compilation->graph.mappings;
    TACHO_TRY(tacho_compile_outputs_add_input(outputs, self->machine->path.data));
    TACHO_TRY(
        tacho_compile_dumps_open(dumps, &compilation->program, self->path.data, outputs, &files));
    TACHO_TRY(tacho_compile_dumps_write(dumps, &dump, &files));
    return tacho_compile_outputs_commit(outputs);
}

tacho_status tacho_compiled_write_dumps(const tacho_compiled *compiled, tacho_compiled_dumps which,
                                        const char *folder)
{
    tacho_compile_outputs outputs;
    tacho_compile_dumps dumps = {.has_profile = true};
    TACHO_TRY(check(compiled));
    if (folder == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "no folder given (NULL)");
    }
    if (which != TACHO_DUMPS_PHASES && which != TACHO_DUMPS_DISPATCHES) {
        return tacho_fail(TACHO_CODE_USAGE, "there are no dumps of number %d", (int)which);
    }
    *(which == TACHO_DUMPS_PHASES ? &dumps.phases_dir : &dumps.debug_dir) = folder;
    tacho_entry entry = tacho_entry_begin();
    tacho_compile_outputs_init(&outputs);
    tacho_status status = write_dumps(compiled, &dumps, &outputs);
    tacho_compile_outputs_deinit(&outputs);
    tacho_entry_end(entry);
    return status;
}
