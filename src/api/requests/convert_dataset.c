/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the person sees of a data set being written.
 */
#include "api/requests/convert_dataset.h"

#include "base/folder.h"
#include "api/requests/outputs.h"
#include "api/requests/inputs.h"
#include "api/requests/request.h"
#include "pipeline/dataset.h"
#include "pipeline/fleet_inputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

bool tacho_convert_is_dataset(const char *path)
{
    tacho_str text = tacho_str_from_cstring(path);
    return tacho_str_ends_with(text, TACHO_STR("/"));
}

bool tacho_convert_check_dataset(tacho_request *given)
{
    static const char *const others[] = {"to", "queues", NULL};
    const char *other = tacho_request_find(given, others);
    if (other != NULL) {
        tacho_request_misuse(
            given, "{%s} does not go with a dataset; name a file without / at its end", other);
        return false;
    }
    for (size_t i = 0; i < given->word_count; i++) {
        if (strcmp(given->words[i], "-") == 0) {
            tacho_request_misuse(given, "a dataset is made of files, not of standard input");
            return false;
        }
    }
    if (given->word_count == 0) {
        tacho_request_misuse(given, "no files; name directories or profiles");
    }
    return given->word_count > 0;
}

/* What is not sound, without what there is none of: "2 files could not be read, 1 copy left out".
 */
static void warn(const tacho_request *given, const tacho_dataset_job *job)
{
    const struct {
        size_t count;
        const char *one, *many;
    } parts[] = {{job->failed_count, "file could not be read", "files could not be read"},
                 {job->lossy_count, "file lost records", "files lost records"},
                 {job->copy_count, "copy left out", "copies left out"}};
    char text[256] = "";
    size_t at = 0;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (parts[i].count > 0) {
            at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%zu %s", at > 0 ? ", " : "",
                                   parts[i].count,
                                   parts[i].count == 1 ? parts[i].one : parts[i].many);
        }
    }
    tacho_request_note(given, "warning", "%s; see the table 'loss'", text);
}

static int report(const tacho_request *given, const tacho_dataset_job *job)
{
    bool is_quiet = given->is_quiet;
    size_t left_out = job->copy_count + job->failed_count;
    if (!is_quiet) {
        tacho_request_note(given, "wrote", "%s/: %" PRIu64 " span%s of %zu file%s", job->folder,
                           job->span_count, job->span_count == 1 ? "" : "s", job->written_count,
                           job->written_count == 1 ? "" : "s");
    }
    if (job->replaced_count > 0 && !is_quiet) {
        tacho_request_note(given, "note",
                           "removed what earlier conversions wrote of %zu of these profiles",
                           job->replaced_count);
    }
    if (left_out + job->lossy_count > 0) {
        warn(given, job);
    }
    return left_out + job->lossy_count > 0 ? TACHO_OUTCOME_LOSSY : TACHO_OUTCOME_DONE;
}

static int write_dataset(tacho_request *given, tacho_dataset_job *job, tacho_fleet_inputs *inputs)
{
    tacho_fleet_inputs_leave_out(inputs, job->folder);
    job->paths = inputs->list.paths;
    job->path_count = inputs->list.path_count;
    job->runs = &inputs->runs;
    tacho_request_begin_progress(given, "converting", "files", &job->progress);
    job->notes = &given->notes;
    tacho_status status = tacho_dataset_write(job);
    tacho_request_end_progress(given);
    return status == TACHO_OK ? report(given, job) : tacho_request_fail(given, status);
}

int tacho_convert_dataset(tacho_request *given, const tacho_conversion *conversion)
{
    tacho_fleet_inputs inputs;
    size_t len = strlen(conversion->output_path);
    while (len > 1 && conversion->output_path[len - 1] == '/') {
        len--;
    }
    char *folder = strndup(conversion->output_path, len);
    tacho_dataset_job job = {
        .folder = folder,
        .options = &conversion->intake.options,
        .selection = &conversion->selection,
        .worker_count = conversion->worker_count,
        .omit_args = conversion->trace_options.omit_args,
        .is_strict = conversion->is_strict,
    };
    if (folder == NULL || !tacho_request_inputs_source(given, &job.source)) {
        free(folder);
        return folder == NULL ? tacho_request_fail(given, tacho_no_memory()) : TACHO_OUTCOME_USAGE;
    }
    tacho_status status = tacho_fleet_inputs_init(&inputs, given->words, given->word_count);
    int outcome = status == TACHO_OK ? write_dataset(given, &job, &inputs)
                                     : tacho_request_fail(given, status);
    tacho_fleet_inputs_deinit(&inputs);
    free(folder);
    return outcome;
}
