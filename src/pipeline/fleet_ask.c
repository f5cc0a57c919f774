/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs to fleets, and fleets to tables.
 */
#include "pipeline/fleet_ask.h"

#include "pipeline/fleet_inputs.h"

/* ---- reading --------------------------------------------------------------------------------- */

size_t tacho_fleet_count_failed(const tacho_fleet *fleet)
{
    size_t failed = 0;
    for (size_t i = 0; i < fleet->file_count; i++) {
        failed += fleet->files[i].state == TACHO_FLEET_FAILED ? 1 : 0;
    }
    return failed;
}

/* Only parts of nothing leave nothing. */
static tacho_status refuse_nothing(const tacho_fleet_job *job)
{
    return job->path_count == 1
               ? tacho_fail(TACHO_CODE_BAD_DATA, "%s: this part holds no profile; make it again",
                            job->paths[0])
               : tacho_fail(TACHO_CODE_BAD_DATA, "none of the %zu parts holds a profile",
                            job->path_count);
}

/* No file is of the run that was asked for. */
static tacho_status refuse_run(const tacho_fleet_job *job)
{
    char text[TACHO_FLEET_RUN_SET_TEXT_MAX] = "";
    if (job->other_runs != NULL) {
        tacho_fleet_run_set_print(job->other_runs, text);
    }
    return tacho_fail(TACHO_CODE_BAD_DATA, "no file of run '%s'%s%s", job->run,
                      text[0] != '\0' ? "; there are " : "", text);
}

static tacho_status check_read(const tacho_fleet_job *job, const tacho_fleet *fleet)
{
    size_t failed = tacho_fleet_count_failed(fleet);
    if (fleet->file_count == 0) {
        return job->run == NULL ? refuse_nothing(job) : refuse_run(job);
    }
    if (failed < fleet->file_count || job->sections == 0 || job->sections == TACHO_FLEET_ALL) {
        return TACHO_OK;
    }
    tacho_str reason = tacho_strings_get(&fleet->texts, fleet->files[0].reason);
    return failed == 1
               ? tacho_fail(TACHO_CODE_BAD_DATA, "%.*s", TACHO_STR_ARG(reason))
               : tacho_fail(TACHO_CODE_BAD_DATA, "none of the %zu files could be read, as in: %.*s",
                            failed, TACHO_STR_ARG(reason));
}

static tacho_status read_inputs(tacho_fleet_ask *ask, const tacho_fleet_inputs *inputs,
                                tacho_fleet *fleet)
{
    tacho_fleet_job *job = &ask->job;
    job->paths = inputs->list.paths;
    job->path_count = inputs->list.path_count;
    job->runs = &inputs->runs;
    job->refused = inputs->refused;
    job->refused_count = inputs->refused_count;
    TACHO_TRY(tacho_fleet_init(fleet, job->sections));
    return tacho_fleet_ranks_run(&ask->ranks, job, fleet);
}

tacho_status tacho_fleet_ask_read(tacho_fleet_ask *ask, const char *const *paths, size_t path_count,
                                  size_t index)
{
    tacho_fleet_inputs inputs;
    tacho_fleet_run_set others;
    tacho_status status = tacho_fleet_inputs_init(&inputs, paths, path_count);
    status = tacho_status_first(status, tacho_fleet_run_set_init(&others));
    ask->job.other_runs = &others;
    if (status == TACHO_OK) {
        status = read_inputs(ask, &inputs, &ask->fleets[index]);
    }
    ask->has_failed = status != TACHO_OK;
    if (status == TACHO_OK && ask->ranks.rank == 0) {
        status = check_read(&ask->job, &ask->fleets[index]);
    }
    ask->job.other_runs = NULL;
    tacho_fleet_run_set_deinit(&others);
    tacho_fleet_inputs_deinit(&inputs);
    return status;
}

void tacho_fleet_ask_close(tacho_fleet_ask *ask)
{
    tacho_ranks_close(&ask->ranks);
    tacho_fleet_deinit(&ask->fleets[0]);
    tacho_fleet_deinit(&ask->fleets[1]);
}

/* ---- tables ---------------------------------------------------------------------------------- */

typedef struct writing {
    tacho_fleet_answer *answer;
    tacho_fleet_view views[2];
    size_t view_count;
} writing;

static tacho_status add_health(const writing *self, const tacho_table_taker *to)
{
    tacho_fleet_answer *answer = self->answer;
    for (size_t i = 0; i < self->view_count; i++) {
        size_t count = 0;
        TACHO_TRY(tacho_fleet_health(&self->views[i], to, &count));
        answer->problem_count += count;
    }
    return answer->is_strict && answer->problem_count > 0
               ? tacho_status_add_hint(
                     tacho_fail(TACHO_CODE_BAD_DATA, "%zu problem%s with the files",
                                answer->problem_count, answer->problem_count == 1 ? "" : "s"),
                     TACHO_HINT_STRICT_HEALTH, answer->problem_count == 1 ? "it" : "them")
               : TACHO_OK;
}

static tacho_status add_tables(void *user, tacho_table_report *report)
{
    const writing *self = user;
    const tacho_fleet_answer *answer = self->answer;
    const tacho_table_taker taker = {tacho_table_report_take, report};
    const tacho_table_taker nobody = {.take = NULL};
    const tacho_table_taker *health = answer->shows_health ? &taker : &nobody;
    if (answer->question != NULL) {
        TACHO_TRY(answer->question->write(&self->views[0], answer->options, &taker));
    } else if (answer->is_diff) {
        TACHO_TRY(tacho_fleet_diff(self->views, answer->options, &taker));
        TACHO_TRY(tacho_fleet_diff_steps(self->views, health));
    }
    return add_health(self, health);
}

tacho_status tacho_fleet_ask_write(tacho_fleet_ask *ask, tacho_fleet_answer *answer,
                                   const tacho_table_target *to)
{
    writing self = {.answer = answer, .view_count = answer->is_diff ? 2 : 1};
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < self.view_count && status == TACHO_OK; i++) {
        status = tacho_fleet_view_init(&self.views[i], &ask->fleets[i]);
    }
    answer->shows_health =
        tacho_table_sink_tells_tables(to->sink) || (answer->question == NULL && !answer->is_diff);
    if (status == TACHO_OK) {
        status = tacho_table_report_write(to, add_tables, &self);
    }
    for (size_t i = 0; i < self.view_count; i++) {
        tacho_fleet_view_deinit(&self.views[i]);
    }
    return status;
}
