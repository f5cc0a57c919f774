/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 'tacho fleet report': profiles of many ranks to one page.
 */
#include "cli/file_kind.h"
#include "cli/fleet_parts.h"
#include "cli/talk.h"
#include "pipeline/fleet_inputs.h"
#include "pipeline/fleet_page.h"

static tacho_status explain(void *user, tacho_status status, const tacho_intake *only)
{
    (void)user;
    return tacho_cli_note_kinds(status, only);
}

static void skip(void *user, tacho_status status)
{
    (void)user;
    tacho_status_free(status); /* the table of problems has it */
}

static int say_written(const tacho_fleet_choice *choice, const tacho_fleet_page *made)
{
    if (!choice->is_quiet) {
        tacho_talk("wrote", "%s: %zu rank%s%s", choice->output_path, made->rank_count,
                   made->rank_count == 1 ? "" : "s",
                   made->page_count > 0 ? ", each with a page of its own beside it" : "");
    }
    if (made->problem_count > 0) {
        tacho_talk("warning", "%zu problem%s with the files; 'tacho fleet health' lists %s",
                   made->problem_count, made->problem_count == 1 ? "" : "s",
                   made->problem_count == 1 ? "it" : "them");
    }
    return made->problem_count > 0 || made->result.has_losses ? TACHO_EXIT_LOSSY : TACHO_EXIT_DONE;
}

int tacho_fleet_page_run(tacho_fleet_choice *choice, const tacho_arguments *arguments)
{
    if (strcmp(choice->output_path, "-") == 0) {
        return tacho_command_misuse(arguments->command, "no output file given; use -o OUT.html");
    }
    tacho_fleet_inputs inputs;
    tacho_page_request request = {.output_path = choice->output_path,
                                  .title = "Ranks",
                                  .selection = choice->job.selection,
                                  .source = choice->job.source,
                                  .is_strict = choice->is_strict,
                                  .notes = &choice->notes,
                                  .explain = explain,
                                  .skip = skip};
    request.intake.options = choice->source_options;
    tacho_fleet_page page = {.job = &choice->job,
                             .tables = &choice->tables,
                             .page = &request,
                             .is_split = choice->is_split,
                             .fleet = &choice->fleets[0]};
    tacho_status status =
        tacho_fleet_inputs_init(&inputs, arguments->words + 1, arguments->word_count - 1);
    choice->job.paths = inputs.list.paths;
    choice->job.path_count = inputs.list.path_count;
    choice->job.runs = &inputs.runs;
    choice->job.refused = inputs.refused;
    choice->job.refused_count = inputs.refused_count;
    choice->job.run = choice->runs[0];
    if (status == TACHO_OK) {
        tacho_talk_progress_init(&choice->progress, "reading", choice->is_quiet,
                                 &choice->job.progress);
        choice->progress.unit = "files";
        status = tacho_fleet_page_write(&page);
        tacho_talk_progress_end(&choice->progress);
    }
    tacho_fleet_inputs_deinit(&inputs);
    return status == TACHO_OK ? say_written(choice, &page) : tacho_talk_failure(status);
}
