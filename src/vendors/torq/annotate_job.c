/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading, notes, and one output after the other.
 */
#include "vendors/torq/annotate_job.h"

#include "profile/torq_origin.h"
#include "questions/analysis.h"
#include "vendors/torq/annotated_notes.h"
#include "pipeline/intake_notes.h"

#include <inttypes.h>

/* JSON is a trace here; as a table it is asked for by its name. */
const tacho_table_sink *tacho_annotate_table_sink(tacho_str path)
{
    const tacho_table_sink *sink = tacho_table_sink_find_suffix(path);
    return sink != &tacho_table_sink_jsonl ? sink : NULL;
}

static void print_summary(const tacho_annotate_job *job, const tacho_annotate_output *output,
                          uint64_t count)
{
    const char *what = output->table_sink != NULL ? "row" : "event";
    tacho_note(job->notes, "wrote", "%s: %" PRIu64 " %s%s from %zu input%s", output->path, count,
               what, count == 1 ? "" : "s", job->request.intake.input_count,
               job->request.intake.input_count == 1 ? "" : "s");
}

static const tacho_annotation_set *choose_set(const tacho_annotate_job *job,
                                              const tacho_annotated *annotated,
                                              const tacho_table_sink *sink)
{
    return job->set != NULL          ? job->set
           : job->choose_set != NULL ? job->choose_set(job, &annotated->dict, sink)
                                     : tacho_annotation_set_find(TACHO_STR("native"));
}

static bool has_simulated_part(const tacho_dict *dict)
{
    bool found = false;
    for (size_t i = 0; i < dict->part_count && !found; i++) {
        found = dict->parts[i].origin == TACHO_ORIGIN_SIMULATED;
    }
    return found;
}

/* A table of simulated times has a note beside it, as the runtime profile has. */
static tacho_status note_origin(const tacho_annotate_job *job, const tacho_annotated *annotated,
                                const tacho_annotate_output *output)
{
    const tacho_table_sink *sink = output->table_sink;
    bool is_csv = sink == &tacho_table_sink_csv || sink == &tacho_table_sink_plain_csv ||
                  sink == &tacho_table_sink_comma_csv;
    if (!is_csv || strcmp(output->path, "-") == 0 || !has_simulated_part(&annotated->dict)) {
        return TACHO_OK;
    }
    TACHO_TRY(torq_origin_note_write(output->path));
    if (!job->is_quiet) {
        tacho_note(job->notes, "note",
                   "the times are simulated, as %s.origin says; keep it next to the file",
                   output->path);
    }
    return TACHO_OK;
}

static tacho_status write_output(const tacho_annotate_job *job, tacho_annotated *annotated,
                                 const tacho_annotate_output *output)
{
    uint64_t count = 0;
    if (output->trace_sink != NULL) {
        TACHO_TRY(tacho_annotated_write_trace(annotated, output->trace_sink, output->path, &count));
    } else {
        const tacho_annotation_set *set = choose_set(job, annotated, output->table_sink);
        size_t row_count = 0;
        if (output->path == NULL) {
            return tacho_analysis_annotate.make(&annotated->annotation, set, job->keeper);
        }
        TACHO_TRY(tacho_annotated_write_table(annotated, set, output->table_sink, output->path,
                                              &row_count));
        TACHO_TRY(note_origin(job, annotated, output));
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

/* The job is read whole before the first output is opened. */
tacho_status tacho_annotate_job_run(tacho_annotate_job *job, bool *out_is_lossy)
{
    tacho_annotated annotated;
    *out_is_lossy = false;
    TACHO_TRY(check_outputs(job));
    tacho_status status = tacho_annotated_open(&annotated, &job->request);
    if (job->read != NULL) {
        job->read(job->user);
    }
    const tacho_annotated_notes notes = {job->notes, job->is_quiet, job->says_all};
    tacho_annotated_say(&annotated, job->request.debug_path, &notes);
    if (status == TACHO_OK && job->is_verbose) {
        tacho_intake_say_inputs(&annotated.dict, job->notes);
    }
    if (status == TACHO_OK) {
        status = write_outputs(job, &annotated);
    }
    *out_is_lossy = tacho_annotated_is_lossy(&annotated);
    tacho_annotated_close(&annotated);
    return status;
}
