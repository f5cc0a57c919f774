/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The job is read whole before the first output is opened.
 */
#include "cli/annotate_run.h"

#include "cli/annotate_talk.h"
#include "sinks/table_sink.h"
#include "cli/talk.h"
#include "sinks/xlsx.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

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
    output->table_sink = tacho_table_sink_find(tacho_str_from_cstring(format));
    if (output->table_sink == NULL) {
        char names[TACHO_TABLE_SINK_NAMES_BYTES];
        tacho_table_sink_names(names);
        tacho_command_misuse(command, "--format: unknown format '%s'; use one of %s", format,
                             names);
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
    if (is_stdout && out_output->table_sink == &tacho_table_sink_xlsx &&
        isatty(STDOUT_FILENO) == 1) {
        tacho_command_misuse(
            command,
            "refusing to write binary data to a terminal; redirect standard output or use -o FILE");
        return false;
    }
    return true;
}

/* ---- running ---------------------------------------------------------------------------- */

static void print_summary(const tacho_annotate_job *job, const tacho_annotate_output *output,
                          uint64_t count)
{
    char text[512];
    const char *what = output->table_sink != NULL ? "row" : "event";
    snprintf(text, sizeof(text), "%.200s: %" PRIu64 " %s%s from %zu input%s", output->path, count,
             what, count == 1 ? "" : "s", job->request.intake.input_count,
             job->request.intake.input_count == 1 ? "" : "s");
    tacho_talk_line("wrote", text);
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
    tacho_talk_level level = job->is_quiet   ? TACHO_TALK_QUIET
                             : job->says_all ? TACHO_TALK_VERBOSE
                                             : TACHO_TALK_NORMAL;
    tacho_annotate_talk(&annotated, job->request.debug_path, level);
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
