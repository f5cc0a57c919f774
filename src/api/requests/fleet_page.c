/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 'tacho fleet report': profiles of many ranks to one page.
 */
#include "api/requests/file_kind.h"
#include "api/requests/fleet_parts.h"
#include "api/requests/request.h"
#include "pipeline/fleet_inputs.h"
#include "pipeline/fleet_page.h"

static tacho_status explain(void *user, tacho_status status, const tacho_intake *only)
{
    return tacho_request_note_kinds(user, status, only);
}

static void skip(void *user, tacho_status status)
{
    (void)user;
    tacho_status_free(status); /* the table of problems has it */
}

static int say_written(const tacho_fleet_choice *choice, const tacho_fleet_page *made)
{
    const tacho_request *given = choice->given;
    if (!choice->is_quiet) {
        tacho_request_note(given, "wrote", "%s: %zu rank%s%s", choice->output_path,
                           made->rank_count, made->rank_count == 1 ? "" : "s",
                           made->page_count > 0 ? ", each with a page of its own beside it" : "");
    }
    if (made->problem_count > 0) {
        tacho_fleet_say_problems(given, made->problem_count, false);
    }
    return made->problem_count > 0 || made->result.has_losses ? TACHO_OUTCOME_LOSSY
                                                              : TACHO_OUTCOME_DONE;
}

int tacho_fleet_page_run(tacho_fleet_choice *choice, tacho_request *given)
{
    if (!tacho_request_is_file(choice->output_path)) {
        return tacho_request_misuse(given, "no output file given; use {o|output} OUT.html");
    }
    tacho_fleet_inputs inputs;
    tacho_page_request request = {.output_path = choice->output_path,
                                  .title = "Ranks",
                                  .selection = choice->ask.job.selection,
                                  .source = choice->ask.job.source,
                                  .is_strict = choice->is_strict,
                                  .notes = &choice->notes,
                                  .explain = explain,
                                  .skip = skip,
                                  .user = given};
    request.intake.options = choice->source_options;
    tacho_fleet_page page = {.job = &choice->ask.job,
                             .tables = &choice->tables,
                             .page = &request,
                             .is_split = choice->is_split,
                             .fleet = &choice->ask.fleets[0]};
    tacho_status status = tacho_fleet_inputs_init(&inputs, given->words + 1, given->word_count - 1);
    choice->ask.job.paths = inputs.list.paths;
    choice->ask.job.path_count = inputs.list.path_count;
    choice->ask.job.runs = &inputs.runs;
    choice->ask.job.refused = inputs.refused;
    choice->ask.job.refused_count = inputs.refused_count;
    choice->ask.job.run = choice->runs[0];
    if (status == TACHO_OK) {
        tacho_request_begin_progress(given, "reading", "files", &choice->ask.job.progress);
        status = tacho_fleet_page_write(&page);
        tacho_request_end_progress(given);
    }
    tacho_fleet_inputs_deinit(&inputs);
    return status == TACHO_OK ? say_written(choice, &page) : tacho_request_fail(given, status);
}
