/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words of 'map', 'reduce' and 'timeline'; the work is in pipeline/fleet_map and pipeline.
 */
#include "api/requests/fleet_parts.h"

#include "base/duration.h"
#include "api/requests/outputs.h"
#include "pipeline/fleet_inputs.h"
#include "pipeline/fleet_timeline.h"
#include "pipeline/intake_notes.h"
#include "pipeline/fleet_slurm.h"

#include <stdio.h>

/* The share that --share says, else that of the launcher. */
static bool choose_share(const tacho_fleet_choice *choice, tacho_request *given,
                         tacho_fleet_share *out_share)
{
    if (choice->share == NULL) {
        tacho_fleet_share_find(out_share);
        return true;
    }
    if (!tacho_fleet_share_parse(tacho_str_from_cstring(choice->share), out_share)) {
        tacho_request_misuse(given, "{share}: expected I/N with I below N, as in 0/4, not '%s'",
                             choice->share);
        return false;
    }
    return true;
}

static void begin_progress(tacho_fleet_choice *choice)
{
    tacho_request *given = choice->given;
    tacho_request_begin_progress(given, "reading", "files", &choice->ask.job.progress);
}

/* Says how many files are not in what was written to |path|; returns the exit status. */
static int say_failed(const tacho_request *given, size_t count, const char *path)
{
    if (count > 0) {
        tacho_request_note(given, "warning",
                           "%zu file%s could not be read; '{/fleet health} %s' lists %s", count,
                           count == 1 ? "" : "s", path, count == 1 ? "it" : "them");
    }
    return count > 0 ? TACHO_OUTCOME_LOSSY : TACHO_OUTCOME_DONE;
}

int tacho_fleet_map_run(tacho_fleet_choice *choice, tacho_request *given)
{
    tacho_fleet_map map = {.folder = choice->output_path, .job = &choice->ask.job};
    if (!tacho_request_is_file(choice->output_path)) {
        return tacho_request_misuse(given, "no directory for the parts given; use {o|output} DIR");
    }
    if (!choose_share(choice, given, &map.share)) {
        return TACHO_OUTCOME_USAGE;
    }
    begin_progress(choice);
    choice->ask.job.sections = TACHO_FLEET_ALL;
    tacho_status status = tacho_fleet_map_all(&map, given->words + 1, given->word_count - 1);
    tacho_request_end_progress(given);
    if (status != TACHO_OK) {
        return tacho_request_fail(given, status);
    }
    if (!choice->is_quiet) {
        tacho_request_note(given, "wrote", "%s: %zu part%s written, %zu already up to date",
                           map.folder, map.made_count, map.made_count == 1 ? "" : "s",
                           map.kept_count);
    }
    if (!choice->is_quiet && map.passed_count > 0) {
        tacho_request_note(given, "note", "%zu input%s passed over", map.passed_count,
                           map.passed_count == 1 ? " is a part already and was"
                                                 : "s are parts already and were");
    }
    if (map.refused_count > 0) {
        tacho_request_note(given, "warning",
                           "%zu link%s or director%s passed over; '{/fleet health}' of the inputs "
                           "says why",
                           map.refused_count, map.refused_count == 1 ? "" : "s",
                           map.refused_count == 1 ? "y was" : "ies were");
    }
    int outcome = say_failed(given, map.failed_count, map.folder);
    return map.refused_count > 0 ? TACHO_OUTCOME_LOSSY : outcome;
}

int tacho_fleet_reduce_run(tacho_fleet_choice *choice, tacho_request *given)
{
    tacho_fleet *fleet = &choice->ask.fleets[0];
    if (!tacho_request_is_file(choice->output_path)) {
        return tacho_request_misuse(given, "no output file given; use {o|output} OUT.tpart");
    }
    choice->ask.job.sections = TACHO_FLEET_ALL;
    begin_progress(choice);
    tacho_status status =
        tacho_fleet_ask_read(&choice->ask, given->words + 1, given->word_count - 1, 0);
    tacho_request_end_progress(given);
    bool is_first = choice->ask.ranks.rank == 0;
    if (status == TACHO_OK && is_first) {
        status = tacho_fleet_write_part(fleet, choice->output_path);
    }
    if (status != TACHO_OK) {
        return tacho_request_fail(given, status);
    }
    if (!choice->is_quiet && is_first) {
        tacho_request_note(given, "wrote", "%s: %zu file%s", choice->output_path, fleet->file_count,
                           fleet->file_count == 1 ? "" : "s");
    }
    return is_first ? say_failed(given, tacho_fleet_count_failed(fleet), choice->output_path)
                    : TACHO_OUTCOME_DONE;
}

int tacho_fleet_slurm_make(tacho_fleet_choice *choice, const char *const *words, size_t word_count,
                           tacho_input_list *parts)
{
    tacho_request *given = choice->given;
    char submit[128], map_words[96];
    unsigned long long count = (unsigned long long)choice->slurm_tasks;
    tacho_fleet_map map = {.folder = choice->parts, .job = &choice->ask.job};
    snprintf(submit, sizeof(submit),
             "sbatch --wait --quiet --job-name=tacho-fleet --output=/dev/null --array=0-%llu",
             count - 1);
    /* sbatch hands on the environment, and with it the rank of a launcher around this process. */
    snprintf(map_words, sizeof(map_words), "fleet map -q --share \"$SLURM_ARRAY_TASK_ID/%llu\" -o",
             count);
    const tacho_fleet_slurm slurm = {
        .submit = submit,
        .map_words = map_words,
        .map = &map,
        .paths = words,
        .path_count = word_count,
        .task_count = (size_t)choice->slurm_tasks,
        .notes = choice->is_quiet ? NULL : &given->notes,
    };
    tacho_status status = tacho_fleet_slurm_run(&slurm);
    if (status == TACHO_OK) {
        status = tacho_fleet_map_list(&map, words, word_count, parts);
    }
    return status == TACHO_OK ? TACHO_OUTCOME_DONE : tacho_request_fail(given, status);
}

void tacho_fleet_say_problems(const tacho_request *given, size_t count, bool is_shown)
{
    const char *plural = count == 1 ? "" : "s";
    if (is_shown) {
        tacho_request_note(given, "warning", "%zu problem%s with the files; see the table 'Health'",
                           count, plural);
    } else {
        tacho_request_note(given, "warning",
                           "%zu problem%s with the files; '{/fleet health}' lists %s", count,
                           plural, count == 1 ? "it" : "them");
    }
}

/* Says what was aligned, and how well. */
static void say_aligned(const tacho_request *given, const tacho_fleet_timeline *timeline)
{
    char text[TACHO_DURATION_TEXT_MAX];
    bool is_one = timeline->file_count == 1;
    tacho_duration_format(timeline->error_ns, text);
    if (is_one) {
        tacho_request_note(given, "wrote", "%s: 1 file", timeline->output_path);
        return;
    }
    tacho_request_note(given, "wrote", "%s: %zu files, clocks within %s of one another%s",
                       timeline->output_path, timeline->file_count, text,
                       timeline->is_by_day ? ", where hosts agree on the time of day" : "");
}

/* Counts what is wrong with the files, which no table can say beside a trace. */
static tacho_status count_problems(const tacho_fleet_choice *choice, const tacho_fleet_view *view,
                                   size_t *out_count)
{
    const tacho_table_taker nobody = {.take = NULL};
    TACHO_TRY(tacho_fleet_health(view, &nobody, out_count));
    return choice->is_strict && *out_count > 0
               ? tacho_fail_hint(TACHO_CODE_BAD_DATA, TACHO_HINT_STRICT,
                                 "%zu problem%s with the files", *out_count,
                                 *out_count == 1 ? "" : "s")
               : TACHO_OK;
}

static int end_timeline(const tacho_fleet_choice *choice, const tacho_fleet_timeline *timeline,
                        bool has_losses, size_t problem_count)
{
    tacho_request *given = choice->given;
    if (!choice->is_quiet) {
        say_aligned(given, timeline);
    }
    if (problem_count > 0) {
        tacho_fleet_say_problems(given, problem_count, false);
    }
    return has_losses || problem_count > 0 ? TACHO_OUTCOME_LOSSY : TACHO_OUTCOME_DONE;
}

int tacho_fleet_timeline_run(tacho_fleet_choice *choice, tacho_request *given)
{
    tacho_fleet_view view;
    tacho_dict dict;
    size_t problem_count = 0;
    tacho_fleet_timeline timeline = {.job = &choice->ask.job, .view = &view};
    timeline.output_path = choice->output_path;
    timeline.sink = tacho_request_trace_sink(given, "format", choice->output_path, "");
    if (timeline.sink == NULL) {
        return TACHO_OUTCOME_USAGE;
    }
    tacho_status status = tacho_fleet_view_init(&view, &choice->ask.fleets[0]);
    status = tacho_status_first(status, tacho_dict_init(&dict));
    if (status == TACHO_OK) {
        status = count_problems(choice, &view, &problem_count);
    }
    if (status == TACHO_OK) {
        status = tacho_fleet_timeline_write(&timeline, &dict);
    }
    bool has_losses = dict.loss_count > 0;
    tacho_intake_say_losses(&dict, &given->notes);
    tacho_dict_deinit(&dict);
    tacho_fleet_view_deinit(&view);
    return status != TACHO_OK ? tacho_request_fail(given, status)
                              : end_timeline(choice, &timeline, has_losses, problem_count);
}

/* ---- what was read --------------------------------------------------------------------------- */

void tacho_fleet_say_runs(const tacho_request *given, const tacho_fleet *fleet)
{
    char text[TACHO_FLEET_RUN_SET_TEXT_MAX];
    tacho_fleet_run_set runs;
    tacho_status status = tacho_fleet_run_set_init(&runs);
    for (size_t i = 0; i < fleet->file_count && status == TACHO_OK; i++) {
        const tacho_fleet_file *file = &fleet->files[i];
        bool is_read = file->state != TACHO_FLEET_FAILED;
        tacho_str run = tacho_strings_get(&fleet->texts, file->run);
        status = is_read ? tacho_fleet_run_set_add(&runs, run) : TACHO_OK;
    }
    size_t count = status == TACHO_OK ? tacho_fleet_run_set_count(&runs) : 0;
    if (count > 1) {
        tacho_fleet_run_set_print(&runs, text);
        tacho_request_note(given, "note", "files of %zu runs: %s; {run} ID chooses one", count,
                           text);
    }
    tacho_status_free(status);
    tacho_fleet_run_set_deinit(&runs);
}
