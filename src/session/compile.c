/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is written of a compilation: all of it, or nothing.
 */
#include "session/compile.h"

#include "estimates/estimates.h"
#include "estimates/program_metrics.h"
#include "base/input.h"
#include "program/container.h"
#include "session/compilation.h"
#include "session/run_inputs.h"
#include "session/compile_verdict.h"

#include <inttypes.h>
#include <stdio.h>

/* What there is to write. */
typedef struct compiled {
    const tacho_compile_request *request;
    const tacho_compilation *compilation;
    const tacho_estimate *estimate;
    const tacho_program *program;
    uint64_t program_bytes; /* once it is written */
} compiled;

/* ---- tables -------------------------------------------------------------------------------- */

static tacho_status add_tables(const compiled *self, tacho_table_report *report)
{
    const tacho_compile_request *request = self->request;
    const tacho_table_taker taker = {tacho_table_report_take, report};
    const tacho_compiled_subject subject = {self->estimate, self->program, request->machine,
                                            self->program_bytes};
    bool is_wanted = request->output_path != NULL || request->keeper != NULL;
    if (request->has_advice && is_wanted && tacho_table_sink_tells_tables(request->table_sink)) {
        TACHO_TRY(tacho_session_judge_compilation(self->compilation, &taker));
    }
    if (is_wanted) {
        TACHO_TRY(tacho_analysis_estimate.make(&subject, &request->table, &taker));
    }
    return request->has_metrics ? tacho_analysis_metrics.make(&subject, NULL, &taker) : TACHO_OK;
}

static tacho_status write_tables(const compiled *self, tacho_output *output)
{
    tacho_table_report report;
    TACHO_TRY(tacho_table_report_open(&report, self->request->table_sink, output));
    report.keeper = self->request->keeper;
    tacho_status status = add_tables(self, &report);
    if (status == TACHO_OK) {
        status = tacho_table_report_finish(&report);
    }
    tacho_table_report_close(&report);
    return status;
}

/* ---- outputs ------------------------------------------------------------------------------- */

/* What is open; NULL where it is not wanted. */
typedef struct open_outputs {
    tacho_compile_outputs files;
    tacho_output *program, *profile, *report;
    tacho_compile_dump_files dumps;
} open_outputs;

static tacho_status open_wanted(open_outputs *outputs, const char *path, const char *what,
                                tacho_output **out_output)
{
    return path != NULL ? tacho_compile_outputs_open(&outputs->files, path, what, out_output)
                        : TACHO_OK;
}

static tacho_status open_all(const compiled *self, open_outputs *outputs)
{
    const tacho_compile_request *request = self->request;
    const char *report = request->output_path;
    if (report == NULL && request->keeper == NULL && request->has_metrics) {
        report = "-";
    }
    outputs->files.mappings = &self->estimate->fusion->graph->mappings;
    TACHO_TRY(tacho_compile_outputs_add_input(&outputs->files, request->machine->path.data));
    if (request->program_path != NULL && request->program_folder != NULL) {
        TACHO_TRY(tacho_compile_outputs_folder(&outputs->files, request->program_folder));
    }
    TACHO_TRY(tacho_compile_dumps_open(&request->dumps, self->program, request->model_path,
                                       &outputs->files, &outputs->dumps));
    TACHO_TRY(request->program_folder != NULL && request->program_path != NULL
                  ? tacho_compile_outputs_open_chosen(&outputs->files, request->program_path,
                                                      "program", TACHO_QPC_MARK, &outputs->program)
                  : open_wanted(outputs, request->program_path, "program", &outputs->program));
    TACHO_TRY(open_wanted(outputs, request->profile_path, "timeline", &outputs->profile));
    return open_wanted(outputs, report, "tables", &outputs->report);
}

static tacho_status write_all(compiled *self, open_outputs *outputs)
{
    const tacho_compile_request *request = self->request;
    tacho_dump dump = {
        .fusion = self->estimate->fusion,
        .program = self->program,
        .has_profile = request->dumps.has_profile,
    };
    if (outputs->program != NULL) {
        TACHO_TRY(tacho_program_write_to(self->program, outputs->program));
        self->program_bytes = tacho_output_offset(outputs->program);
    }
    if (outputs->profile != NULL) {
        TACHO_TRY(tacho_compilation_write_timeline(self->compilation, request->profile_sink,
                                                   outputs->profile));
    }
    TACHO_TRY(tacho_compile_dumps_write(&request->dumps, &dump, &outputs->dumps));
    bool is_wanted = outputs->report != NULL || self->request->keeper != NULL;
    return is_wanted ? write_tables(self, outputs->report) : TACHO_OK;
}

static tacho_status write_outputs(compiled *self)
{
    open_outputs outputs = {0};
    tacho_compile_outputs_init(&outputs.files);
    tacho_status status = open_all(self, &outputs);
    if (status == TACHO_OK) {
        status = write_all(self, &outputs);
    }
    if (status == TACHO_OK) {
        status = tacho_compile_outputs_commit(&outputs.files);
    }
    tacho_compile_outputs_deinit(&outputs.files);
    return status;
}

/* ---- what is said -------------------------------------------------------------------------- */

static void say_file(const compiled *self, const char *path, const char *what, size_t count,
                     const char *unit)
{
    if (path != NULL) {
        tacho_note(self->request->notes, "wrote", "%.200s: %s%zu %s%s", path, what, count, unit,
                   count == 1 ? "" : "s");
    }
}

static void say_wrote(const compiled *self)
{
    const tacho_compile_request *request = self->request;
    const tacho_compile_dumps *dumps = &request->dumps;
    size_t phases = tacho_compile_dumps_phase_count();
    size_t op_count = self->estimate->fusion->op_count;
    bool has_file = request->output_path != NULL && strcmp(request->output_path, "-") != 0;
    say_file(self, request->program_path, "the program of ", op_count, "operator");
    say_file(self, request->profile_path, "the estimated timeline of ", op_count, "operator");
    say_file(self, has_file ? request->output_path : NULL, "the tables of ", op_count, "operator");
    say_file(self, dumps->phases_dir, "", phases, "dump");
    say_file(self, dumps->tree_dir, "", phases, "dump");
    say_file(self, dumps->debug_dir, "", self->program->dispatch_count, "dump");
}

/* Operators are not divided between devices. */
static void say_devices(const compiled *self)
{
    uint32_t used = self->program->facts.device_count;
    if (self->request->compile.devices > used) {
        tacho_note(self->request->notes, "note",
                   "%" PRIu32 " of %" PRIu32 " devices used: the model has no more operators", used,
                   self->request->compile.devices);
    }
}

/* ---- the run ------------------------------------------------------------------------------- */

static tacho_status finish(const tacho_compile_request *request,
                           const tacho_compilation *compilation)
{
    compiled self = {
        .request = request,
        .compilation = compilation,
        .estimate = &compilation->estimate,
        .program = &compilation->program,
    };
    TACHO_TRY(write_outputs(&self));
    if (!request->is_quiet) {
        tacho_compilation_say_model(compilation, request->notes);
        say_devices(&self);
    }
    tacho_compilation_say_doubts(compilation, request->notes);
    if (request->has_warnings) {
        TACHO_TRY(tacho_compile_warn(self.estimate, self.program, request->notes));
    }
    if (!request->is_quiet) {
        say_wrote(&self);
    }
    return TACHO_OK;
}

static tacho_status check_output(const tacho_compile_request *request, const char *path)
{
    if (path == NULL || !tacho_input_is_same_file(request->model_path, path)) {
        return TACHO_OK;
    }
    return tacho_fail(TACHO_CODE_USAGE, "%s is the model and would be overwritten", path);
}

static tacho_status compile(const tacho_compile_request *request, const tacho_model_options *model,
                            tacho_compile_result *out_result)
{
    tacho_compile_options options = request->compile;
    options.has_values = request->program_path != NULL;
    tacho_compilation_request wanted = {request->model_path, model, request->machine, &options};
    tacho_compilation compilation;
    tacho_status status = tacho_compilation_open(&compilation, &wanted);
    if (status == TACHO_OK) {
        status = finish(request, &compilation);
    }
    *out_result = (tacho_compile_result){.unknown_count = compilation.estimate.unknown_count};
    if (status == TACHO_OK) {
        status = tacho_estimate_count(&compilation.estimate, &request->table.filter,
                                      &out_result->op_count);
    }
    tacho_compilation_close(&compilation);
    return status;
}

tacho_status tacho_compile_run(const tacho_compile_request *request,
                               tacho_compile_result *out_result)
{
    TACHO_TRY(check_output(request, request->output_path));
    TACHO_TRY(check_output(request, request->profile_path));
    TACHO_TRY(check_output(request, request->program_path));
    if (request->program_path != NULL) {
        TACHO_TRY(tacho_program_check_path(request->program_path));
    }
    tacho_arena arena;
    tacho_run_inputs inputs;
    tacho_model_options model = request->model;
    const tacho_run_input_texts texts = {request->inputs, request->input_count, request->notes};
    tacho_arena_init(&arena);
    tacho_run_inputs_init(&inputs, &texts, 0, &arena);
    model.values = request->input_count > 0 ? &inputs.values : NULL;
    tacho_status status = compile(request, &model, out_result);
    if (status == TACHO_OK && request->input_count > 0 && !inputs.is_read && !request->is_quiet) {
        tacho_note(request->notes, "note",
                   "%s: nothing depends on values; the inputs that were given have no effect",
                   request->model_path);
    }
    tacho_arena_deinit(&arena);
    return status;
}
