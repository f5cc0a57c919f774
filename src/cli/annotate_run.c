/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outputs by suffix, and a line of progress.
 */
#include "cli/annotate_run.h"

#include "cli/outputs.h"

#include "cli/talk.h"
#include "sinks/xlsx.h"

/* ---- outputs ---------------------------------------------------------------------------- */

static bool misuse_suffix(const tacho_command *command, const char *path)
{
    tacho_command_misuse(command,
                         "'%s' has no known suffix; use .csv, .xlsx or .txt for a table, .pb, "
                         ".json or .jsonl for a trace",
                         path);
    return false;
}

static bool choose_by_format(const tacho_command *command, const char *path, const char *format,
                             tacho_annotate_output *output)
{
    output->table_sink = tacho_cli_table_format(command, format);
    if (output->table_sink == NULL) {
        return false;
    }
    tacho_str name = tacho_str_from_cstring(path);
    if (tacho_trace_sink_find_for_path(name) != NULL && tacho_annotate_table_sink(name) == NULL &&
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
        out_output->table_sink = tacho_annotate_table_sink(name);
        out_output->trace_sink =
            out_output->table_sink == NULL ? tacho_trace_sink_find_for_path(name) : NULL;
    }
    if (out_output->table_sink == NULL && out_output->trace_sink == NULL) {
        return misuse_suffix(command, path);
    }
    return out_output->table_sink != &tacho_table_sink_xlsx || tacho_cli_takes_bytes(command, path);
}

/* ---- running ---------------------------------------------------------------------------- */

static void end_progress(void *user)
{
    tacho_talk_progress_end(user);
}

int tacho_annotate_run(tacho_annotate_job *job)
{
    tacho_talk_progress progress;
    bool is_lossy = false;
    tacho_talk_progress_init(&progress, "annotating", job->is_quiet, &job->request.intake.progress);
    job->notes = &tacho_talk_notes;
    job->read = end_progress;
    job->user = &progress;
    tacho_status status = tacho_annotate_job_run(job, &is_lossy);
    return status != TACHO_OK ? tacho_talk_failure(status)
           : is_lossy         ? TACHO_EXIT_LOSSY
                              : TACHO_EXIT_DONE;
}
