/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outputs by suffix, and a line of progress.
 */
#include "api/requests/annotate_run.h"

#include "api/requests/outputs.h"

#include "api/requests/request.h"
#include "sinks/xlsx.h"

/* ---- outputs ---------------------------------------------------------------------------- */

static bool misuse_suffix(tacho_request *given, const char *path)
{
    tacho_request_misuse(given,
                         "'%s' has no known suffix; use .csv, .xlsx or .txt for a table, .pb, "
                         ".json or .jsonl for a trace",
                         path);
    return false;
}

static bool choose_by_format(tacho_request *given, const char *path, const char *format,
                             tacho_annotate_output *output)
{
    output->table_sink = tacho_request_table_format(given, format);
    if (output->table_sink == NULL) {
        return false;
    }
    tacho_str name = tacho_str_from_cstring(path != NULL ? path : "-");
    if (tacho_trace_sink_find_for_path(name) != NULL && tacho_annotate_table_sink(name) == NULL &&
        tacho_table_sink_find_suffix(name) != output->table_sink) {
        tacho_request_misuse(given, "{format} applies to tables, but '%s' is a trace", path);
        return false;
    }
    return true;
}

bool tacho_annotate_choose_output(tacho_request *given, const char *path, const char *format,
                                  tacho_annotate_output *out_output)
{
    tacho_str name = tacho_str_from_cstring(path != NULL ? path : "-");
    bool is_stdout = !tacho_request_is_file(path);
    *out_output = (tacho_annotate_output){.path = path};
    if (format != NULL && !choose_by_format(given, path, format, out_output)) {
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
        return misuse_suffix(given, path);
    }
    return out_output->table_sink != &tacho_table_sink_xlsx ||
           tacho_request_takes_bytes(given, path);
}

/* ---- running ---------------------------------------------------------------------------- */

static void end_progress(void *user)
{
    tacho_request_end_progress(user);
}

int tacho_annotate_run(tacho_request *given, tacho_annotate_job *job)
{
    bool is_lossy = false;
    tacho_request_begin_progress(given, "annotating", NULL, &job->request.intake.progress);
    job->notes = &given->notes;
    job->read = end_progress;
    job->user = given;
    job->keeper = given->listener.output == NULL ? &given->keeper : NULL;
    tacho_status status = tacho_annotate_job_run(job, &is_lossy);
    return status != TACHO_OK ? tacho_request_fail(given, status)
           : is_lossy         ? TACHO_OUTCOME_LOSSY
                              : TACHO_OUTCOME_DONE;
}
