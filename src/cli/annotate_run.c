/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The job is read whole before the first output is opened.
 */
#include "cli/annotate_run.h"

#include "cli/outputs.h"

#include "cli/talk.h"
#include "pipeline/annotated_notes.h"
#include "sinks/xlsx.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- outputs ---------------------------------------------------------------------------- */

static bool misuse_suffix(const tacho_command *command, const char *path)
{
    tacho_command_misuse(command,
                         "'%s' has no known suffix; use .csv, .xlsx or .txt for a table, .pb, "
                         ".json or .jsonl for a trace",
                         path);
    return false;
}

/* JSON is a trace here; as a table it is asked for by --format. */
static const tacho_table_sink *table_sink_of(tacho_str path)
{
    const tacho_table_sink *sink = tacho_table_sink_find_suffix(path);
    return sink != &tacho_table_sink_jsonl ? sink : NULL;
}

static bool choose_by_format(const tacho_command *command, const char *path, const char *format,
                             tacho_annotate_output *output)
{
    output->table_sink = tacho_cli_table_format(command, format);
    if (output->table_sink == NULL) {
        return false;
    }
    tacho_str name = tacho_str_from_cstring(path);
    if (tacho_trace_sink_find_for_path(name) != NULL && table_sink_of(name) == NULL &&
        tacho_table_sink_find_suffix(name) != output->table_sink) {
        tacho_command_misuse(command, "--format applies to tables, but '%s' is a trace", path);
        return false;
    }
    return true;
}

bool tacho_annotate_choose_output(const tacho_command *command, const char *path,
                                  const char *format, tacho_annotate_output *out_output)
{
    tacho_str name = tacho_str_from_cstring(path);
    bool is_stdout = tacho_str_equal(name, TACHO_STR("-"));
    *out_output = (tacho_annotate_output){.path = path};
    if (format != NULL && !choose_by_format(command, path, format, out_output)) {
        return false;
    }
    if (format == NULL && is_stdout) {
        out_output->table_sink = &tacho_table_sink_text;
    } else if (format == NULL) {
        out_output->table_sink = table_sink_of(name);
        out_output->trace_sink =
            out_output->table_sink == NULL ? tacho_trace_sink_find_for_path(name) : NULL;
    }
    if (out_output->table_sink == NULL && out_output->trace_sink == NULL) {
        return misuse_suffix(command, path);
    }
    return out_output->table_sink != &tacho_table_sink_xlsx || tacho_cli_takes_bytes(command, path);
}

/* ---- running ---------------------------------------------------------------------------- */

static void print_summary(const tacho_annotate_job *job, const tacho_annotate_output *output,
                          uint64_t count)
{
    const char *what = output->table_sink != NULL ? "row" : "event";
    tacho_talk("wrote", "%s: %" PRIu64 " %s%s from %zu input%s", output->path, count, what,
               count == 1 ? "" : "s", job->request.intake.input_count,
               job->request.intake.input_count == 1 ? "" : "s");
}

static tacho_status write_output(const tacho_annotate_job *job, tacho_annotated *annotated,
                                 const tacho_annotate_output *output)
{
    uint64_t count = 0;
    if (output->trace_sink != NULL) {
        TACHO_TRY(tacho_annotated_write_trace(annotated, output->trace_sink, output->path, &count));
    } else {
        const tacho_annotation_set *set =
            job->set != NULL ? job->set
                             : job->choose_set(job, &annotated->dict, output->table_sink);
        size_t row_count = 0;
        TACHO_TRY(tacho_annotated_write_table(annotated, set, output->table_sink, output->path,
                                              &row_count));
        count = row_count;
    }
    if (!job->is_quiet && strcmp(output->path, "-") != 0) {
        print_summary(job, output, count);
    }
    return TACHO_OK;
}

/* Models and debug information are read from many places; none of them is ever written. */
static tacho_status refuse_model_name(const char *path)
{
    tacho_str name = tacho_str_from_cstring(path);
    bool is_model = tacho_str_ends_with(name, TACHO_STR(".mlir")) ||
                    tacho_str_ends_with(name, TACHO_STR(".mlirb"));
    return is_model ? tacho_fail(TACHO_CODE_USAGE,
                                 "refusing to replace %s: this is the name of a model or debug "
                                 "information; choose another name",
                                 path)
                    : TACHO_OK;
}

static tacho_status check_outputs(const tacho_annotate_job *job)
{
    for (size_t i = 0; i < job->output_count; i++) {
        TACHO_TRY(refuse_model_name(job->outputs[i].path));
        TACHO_TRY(tacho_annotate_request_check_output(&job->request, job->outputs[i].path));
    }
    return TACHO_OK;
}

static tacho_status write_outputs(const tacho_annotate_job *job, tacho_annotated *annotated)
{
    for (size_t i = 0; i < job->output_count; i++) {
        TACHO_TRY(write_output(job, annotated, &job->outputs[i]));
    }
    return TACHO_OK;
}

static int run_checked(tacho_annotate_job *job)
{
    tacho_talk_progress progress;
    tacho_talk_progress_init(&progress, "annotating", job->is_quiet, &job->request.intake.progress);
    tacho_annotated annotated;
    tacho_status status = tacho_annotated_open(&annotated, &job->request);
    tacho_talk_progress_end(&progress);
    const tacho_annotated_notes notes = {&tacho_talk_notes, job->is_quiet, job->says_all};
    tacho_annotated_say(&annotated, job->request.debug_path, &notes);
    if (status == TACHO_OK && job->is_verbose) {
        tacho_talk_inputs(&annotated.dict);
    }
    if (status == TACHO_OK) {
        status = write_outputs(job, &annotated);
    }
    int exit_code = tacho_annotated_is_lossy(&annotated) ? TACHO_EXIT_LOSSY : TACHO_EXIT_DONE;
    if (status != TACHO_OK) {
        exit_code = tacho_talk_failure(status);
    }
    tacho_annotated_close(&annotated);
    return exit_code;
}

int tacho_annotate_run(tacho_annotate_job *job)
{
    tacho_status status = check_outputs(job);
    return status == TACHO_OK ? run_checked(job) : tacho_talk_failure(status);
}
