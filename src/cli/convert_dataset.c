/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the person sees of a data set being written.
 */
#include "cli/convert_dataset.h"

#include "base/folder.h"
#include "cli/common_options.h"
#include "cli/inputs.h"
#include "cli/talk.h"
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

bool tacho_convert_check_dataset(const tacho_arguments *arguments)
{
    static const char *const others[] = {"to", "queues", NULL};
    const char *other = tacho_arguments_find(arguments, others);
    if (other != NULL) {
        tacho_command_misuse(arguments->command,
                             "--%s does not go with a dataset; name a file without / at its end",
                             other);
        return false;
    }
    for (size_t i = 0; i < arguments->word_count; i++) {
        if (strcmp(arguments->words[i], "-") == 0) {
            tacho_command_misuse(arguments->command,
                                 "a dataset is made of files, not of standard input");
            return false;
        }
    }
    if (arguments->word_count == 0) {
        tacho_command_misuse(arguments->command, "no files; name directories or profiles");
    }
    return arguments->word_count > 0;
}

/* What is not sound, without what there is none of: "2 files could not be read, 1 copy left out".
 */
static void warn(const tacho_dataset_job *job)
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
    tacho_talk("warning", "%s; see the table 'loss'", text);
}

static int report(const tacho_dataset_job *job, bool is_quiet)
{
    size_t left_out = job->copy_count + job->failed_count;
    if (!is_quiet) {
        tacho_talk("wrote", "%s/: %" PRIu64 " span%s of %zu file%s", job->folder, job->span_count,
                   job->span_count == 1 ? "" : "s", job->written_count,
                   job->written_count == 1 ? "" : "s");
    }
    if (job->replaced_count > 0 && !is_quiet) {
        tacho_talk("note", "removed what earlier conversions wrote of %zu of these profiles",
                   job->replaced_count);
    }
    if (left_out + job->lossy_count > 0) {
        warn(job);
    }
    return left_out + job->lossy_count > 0 ? TACHO_EXIT_LOSSY : TACHO_EXIT_DONE;
}

static int write_dataset(tacho_dataset_job *job, tacho_fleet_inputs *inputs, bool is_quiet)
{
    tacho_talk_progress progress;
    tacho_fleet_inputs_leave_out(inputs, job->folder);
    job->paths = inputs->list.paths;
    job->path_count = inputs->list.path_count;
    job->runs = &inputs->runs;
    tacho_talk_progress_init(&progress, "converting", is_quiet, &job->progress);
    progress.unit = "files";
    const tacho_notes notes = tacho_talk_progress_notes(&progress);
    job->notes = &notes;
    tacho_status status = tacho_dataset_write(job);
    tacho_talk_progress_end(&progress);
    return status == TACHO_OK ? report(job, is_quiet) : tacho_talk_failure(status);
}

int tacho_convert_dataset(const tacho_arguments *arguments, const tacho_conversion *conversion)
{
    tacho_fleet_inputs inputs;
    bool is_quiet = tacho_common_talk_level(arguments) == TACHO_TALK_QUIET;
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
    if (folder == NULL || !tacho_cli_inputs_source(arguments, &job.source)) {
        free(folder);
        return folder == NULL ? tacho_talk_failure(tacho_no_memory()) : TACHO_EXIT_USAGE;
    }
    tacho_status status = tacho_fleet_inputs_init(&inputs, arguments->words, arguments->word_count);
    int exit_code =
        status == TACHO_OK ? write_dataset(&job, &inputs, is_quiet) : tacho_talk_failure(status);
    tacho_fleet_inputs_deinit(&inputs);
    free(folder);
    return exit_code;
}
