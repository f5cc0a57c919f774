/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run as the run-module tools do it: the function, its results, and the time of each block.
 */
#include "vendors/torq/run_module.h"

#include "estimates/estimates.h"
#include "session/run_notes.h"
#include "sinks/table_sink.h"
#include "vendors/torq/run_files.h"

static tacho_status check_module(void *self, tacho_run_session *session)
{
    const tacho_module_run *run = self;
    const tacho_program *program = &session->module.program;
    tacho_str machine = tacho_run_string(session, program->facts.machine);
    if (run->is_torq && !tacho_str_starts_with(machine, TACHO_STR("torq"))) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "%s was compiled for %s, not for Torq; run it on the device sim",
                          run->request.path, machine.data);
    }
    if (session->inputs.random_count > 0 && run->request.input_count > 0) {
        return tacho_fail(TACHO_CODE_USAGE, "%zu input%s given, but the program has %zu",
                          run->request.input_count, run->request.input_count == 1 ? " is" : "s are",
                          program->input_count);
    }
    TACHO_TRY(tacho_run_torq_check_output(session, run->jobs.path));
    TACHO_TRY(tacho_run_torq_check_output(session, run->host.path));
    return tacho_run_outputs_check(&run->outputs, session);
}

static tacho_status print_table(void *output, const tacho_table *table)
{
    if (table->cell_count == 0) {
        return TACHO_OK;
    }
    tacho_output_write_cstring(output, "\n");
    return tacho_table_sink_text_alone.write(table, 0, output);
}

/* Where the device tells when blocks ran. */
static tacho_status print_blocks(const tacho_run_session *session, tacho_output *output)
{
    if (session->sample_count > 0 && session->samples[0].result.block_count == 0) {
        return TACHO_OK;
    }
    tacho_recording recording = tacho_run_recording(session);
    const tacho_table_taker taker = {print_table, output};
    return tacho_analysis_blocks.make(&recording, NULL, &taker);
}

/* What IREE's tool calls the function: "main" of main$async_dispatch_0. */
static void print_function(const tacho_module_run *run, const tacho_run_session *session,
                           tacho_output *output)
{
    tacho_str name = run->request.function != NULL
                         ? tacho_str_from_cstring(run->request.function)
                         : tacho_run_string(session, session->module.program.facts.name);
    tacho_output_write_cstring(output, "EXEC @");
    for (size_t i = 0; i < name.len && name.data[i] != '$'; i++) {
        tacho_output_write(output, name.data[i] >= ' ' ? &name.data[i] : "?", 1);
    }
    tacho_output_write_cstring(output, "\n");
}

static tacho_status print_results(const tacho_module_run *run, const tacho_run_session *session)
{
    bool is_profiled = run->jobs.path != NULL || run->host.path != NULL;
    tacho_output output;
    TACHO_TRY(tacho_output_open("-", &output));
    print_function(run, session, &output);
    tacho_status status = tacho_run_outputs_print(&run->outputs, session, &output);
    if (status == TACHO_OK && is_profiled && !run->request.is_quiet) {
        status = print_blocks(session, &output);
    }
    if (status == TACHO_OK) {
        status = tacho_output_commit(&output);
    }
    tacho_output_close(&output);
    return status;
}

static tacho_status write_file(const tacho_torq_run_file *file, const tacho_run_session *session)
{
    tacho_recording recording = tacho_run_recording(session);
    return file->path != NULL ? tacho_run_torq_write_file(&recording, file->torq_form, file->path)
                              : TACHO_OK;
}

static tacho_status finish(void *self, tacho_run_session *session, bool *out_is_lossy)
{
    const tacho_module_run *run = self;
    (void)out_is_lossy;
    const char *path = run->host.path != NULL ? run->host.path : run->jobs.path;
    TACHO_TRY(tacho_run_outputs_write(&run->outputs, session));
    TACHO_TRY(write_file(&run->jobs, session));
    TACHO_TRY(write_file(&run->host, session));
    if (path != NULL && !run->request.is_quiet) {
        tacho_run_torq_say_origin(session, path);
    }
    TACHO_TRY(print_results(run, session));
    if (run->request.is_quiet) {
        return TACHO_OK;
    }
    tacho_run_say_random(session, false);
    if (run->jobs.path != NULL) {
        tacho_note(run->request.notes, "wrote", "%s: the times of jobs", run->jobs.path);
    }
    if (run->host.path != NULL) {
        tacho_note(run->request.notes, "wrote", "%s: the times of the host", run->host.path);
    }
    return TACHO_OK;
}

static void put_result_name(size_t index, tacho_output *to)
{
    tacho_output_printf(to, "result[%zu]: hal.buffer_view\n", index);
}

tacho_run_job tacho_module_run_job(tacho_module_run *module)
{
    module->outputs.put_name = put_result_name;
    return (tacho_run_job){&module->request, NULL, check_module, finish, module};
}
