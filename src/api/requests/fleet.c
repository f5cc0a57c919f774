/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho fleet: what the profiles of many hosts say together.
 */
#include "api/requests/registry.h"
#include "base/suggest.h"
#include "api/requests/outputs.h"
#include "api/requests/fleet_parts.h"
#include "api/requests/inputs.h"
#include "api/requests/selection.h"
#include "api/requests/values.h"
#include "pipeline/fleet_inputs.h"

#include <stdlib.h>

enum { DEFAULT_TOP = 20, JOBS_MAX = 256, TASKS_MAX = 100000 };

static const tacho_option options[] = {
    TACHO_OPT_VALUE("top", 'n', "N", "the first N rows of each table, 0 for all (default: 20)",
                    TACHO_INTO_NUMBER(tacho_fleet_choice, tables.top, 0, SIZE_MAX)),
    TACHO_OPT_VALUE("sort", 0, "KEY",
                    "of 'ops': self, total, count, mean, p50, p99, min, max or bytes, largest "
                    "first; name or location, alphabetical (default: self)"),
    TACHO_OPT_EACH("run", 0, "ID",
                   "only files of this run; of 'diff', given twice, the runs to compare"),
    TACHO_OPT_VALUE("jobs", 'j', "N", "read N files at a time (default: one per processor)",
                    TACHO_INTO_NUMBER(tacho_fleet_choice, job.worker_count, 1, JOBS_MAX)),
    TACHO_OPT_VALUE("share", 0, "I/N",
                    "of 'map': only every Nth file, from the Ith of 0 to N-1 on (default: as "
                    "Slurm's job arrays, srun and mpirun say)",
                    TACHO_INTO_TEXT(tacho_fleet_choice, share)),
    TACHO_OPT_VALUE("slurm", 0, "N",
                    "first make parts of all files in a Slurm job array of N tasks, and wait "
                    "for it; parts that are up to date are kept",
                    TACHO_INTO_NUMBER(tacho_fleet_choice, slurm_tasks, 1, TASKS_MAX)),
    TACHO_OPT_VALUE(
        "parts", 0, "DIR",
        "directory for the parts of {slurm}, which all nodes see (default: fleet-parts)",
        TACHO_INTO_TEXT(tacho_fleet_choice, parts)),
    TACHO_OPT_FLAG("split", 0, "of 'report': a page of its own for each rank, however small",
                   TACHO_INTO_FLAG(tacho_fleet_choice, is_split)),
    TACHO_OPT_VALUE(
        "filter", 0, "TEXT|/REGEX/",
        "of 'ops' and 'diff': only operations whose name, of 'ops' also whose location, "
        "contains TEXT, or matches the extended regular expression between slashes"),
    TACHO_OPT_VALUE("window", 0, "A..B",
                    TACHO_WINDOW_HELP "; not of 'stragglers', 'collectives' and 'clocks'"),
    TACHO_OPTIONS_TABLES,
    TACHO_OPTION_OUTPUT_AND(TACHO_WRITES_PAGE | TACHO_WRITES_TRACE | TACHO_WRITES_PART),
    TACHO_OPTION_FROM,
    TACHO_OPTION_CLOCK,
    TACHO_OPTION_SLICES,
    TACHO_OPTION_PROGRAM,
    TACHO_OPTION_STRICT,
    TACHO_OPTIONS_COMMON,
};

/* ---- tables -------------------------------------------------------------------------------- */

/* The views that tables are made of: one, or the two of 'diff'. */
typedef struct answer {
    tacho_fleet_choice *choice;
    const tacho_fleet_question *question; /* NULL: 'diff' or 'health' */
    tacho_fleet_view views[2];
    size_t view_count;
    bool shows_health;
    size_t problem_count;
} answer;

static tacho_status add_tables(void *user, tacho_table_report *report)
{
    answer *self = user;
    const tacho_fleet_options *how = &self->choice->tables;
    const tacho_table_taker taker = {tacho_table_report_take, report};
    const tacho_table_taker nobody = {.take = NULL};
    if (self->question != NULL) {
        TACHO_TRY(self->question->write(&self->views[0], how, &taker));
    } else if (self->view_count == 2) {
        TACHO_TRY(tacho_fleet_diff(self->views, how, &taker));
        TACHO_TRY(tacho_fleet_diff_steps(self->views, self->shows_health ? &taker : &nobody));
    }
    for (size_t i = 0; i < self->view_count; i++) {
        size_t count = 0;
        TACHO_TRY(
            tacho_fleet_health(&self->views[i], self->shows_health ? &taker : &nobody, &count));
        self->problem_count += count;
    }
    if (self->choice->is_strict && self->problem_count > 0) {
        return tacho_request_failure(
            self->choice->given, TACHO_CODE_BAD_DATA,
            "%zu problem%s with the files ({strict}); '{/fleet health}' lists %s",
            self->problem_count, self->problem_count == 1 ? "" : "s",
            self->problem_count == 1 ? "it" : "them");
    }
    return TACHO_OK;
}

static int write_answer(answer *self)
{
    tacho_request *given = self->choice->given;
    tacho_fleet_choice *choice = self->choice;
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < self->view_count && status == TACHO_OK; i++) {
        status = tacho_fleet_view_init(&self->views[i], &choice->fleets[i]);
    }
    self->shows_health = tacho_table_sink_tells_tables(choice->sink) ||
                         (self->question == NULL && self->view_count == 1);
    const tacho_table_target to = tacho_request_target(given, choice->sink, choice->output_path);
    if (status == TACHO_OK) {
        status = tacho_table_report_write(&to, add_tables, self);
    }
    for (size_t i = 0; i < self->view_count; i++) {
        tacho_fleet_view_deinit(&self->views[i]);
    }
    if (status != TACHO_OK) {
        return tacho_request_fail(given, status);
    }
    tacho_request_release(&choice->held);
    if (self->problem_count > 0) {
        tacho_fleet_say_problems(given, self->problem_count, self->shows_health);
    }
    if (self->question != NULL && !choice->is_quiet) {
        tacho_fleet_say_runs(given, &choice->fleets[0]);
    }
    bool is_health = self->question == NULL && self->view_count == 1;
    if (self->problem_count == 0 && is_health && !choice->is_quiet) {
        tacho_request_note(given, "note", "no problems found");
    }
    return self->problem_count > 0 ? TACHO_OUTCOME_LOSSY : TACHO_OUTCOME_DONE;
}

/* ---- reading ------------------------------------------------------------------------------- */

/* Reads what |words| name into fleet |index|. */
static int read_fleet(tacho_fleet_choice *choice, const char *const *words, size_t word_count,
                      size_t index)
{
    tacho_request *given = choice->given;
    tacho_fleet_inputs inputs;
    tacho_fleet_run_set others;
    tacho_status status = tacho_fleet_inputs_init(&inputs, words, word_count);
    status = tacho_status_first(status, tacho_fleet_run_set_init(&others));
    choice->job.other_runs = &others;
    choice->job.paths = inputs.list.paths;
    choice->job.path_count = inputs.list.path_count;
    choice->job.runs = &inputs.runs;
    choice->job.refused = inputs.refused;
    choice->job.refused_count = inputs.refused_count;
    if (status == TACHO_OK) {
        status = tacho_fleet_init(&choice->fleets[index], choice->job.sections);
    }
    if (status == TACHO_OK) {
        tacho_request_begin_progress(given, choice->ranks.rank > 0 ? NULL : "reading", "files",
                                     &choice->job.progress);
        status = tacho_fleet_ranks_run(&choice->ranks, &choice->job, &choice->fleets[index]);
        tacho_request_end_progress(given);
    }
    choice->has_failed = status != TACHO_OK;
    if (status == TACHO_OK && choice->ranks.rank == 0) {
        status = tacho_fleet_check_read(choice, &choice->fleets[index]);
    }
    choice->job.other_runs = NULL;
    tacho_fleet_run_set_deinit(&others);
    tacho_fleet_inputs_deinit(&inputs);
    return status == TACHO_OK ? TACHO_OUTCOME_DONE : tacho_request_fail(given, status);
}

static int run_timeline(tacho_fleet_choice *choice, tacho_request *given)
{
    if (!tacho_request_is_file(choice->output_path)) {
        return tacho_request_misuse(given, "no output file given; use {o|output} OUT.pb");
    }
    choice->job.sections = TACHO_FLEET_COLLECTIVES;
    choice->job.run = choice->runs[0];
    int outcome = read_fleet(choice, given->words + 1, given->word_count - 1, 0);
    return outcome == TACHO_OUTCOME_DONE && choice->ranks.rank == 0
               ? tacho_fleet_timeline_run(choice, given)
               : outcome;
}

/* Reads what |words| name, of 'diff' both sides, and answers. */
static int answer_words(answer *self, const char *const *words, size_t count, bool is_diff)
{
    tacho_fleet_choice *choice = self->choice;
    bool has_runs = choice->runs[1] != NULL;
    bool is_pair = is_diff && !has_runs;
    choice->job.run = choice->runs[0];
    int outcome = read_fleet(choice, words, is_pair ? 1 : count, 0);
    choice->has_failed |= outcome != TACHO_OUTCOME_DONE && is_diff; /* others go on to the second */
    if (outcome == TACHO_OUTCOME_DONE && is_diff) {
        self->view_count = 2;
        choice->job.run = has_runs ? choice->runs[1] : choice->runs[0];
        outcome =
            is_pair ? read_fleet(choice, words + 1, 1, 1) : read_fleet(choice, words, count, 1);
    }
    return outcome == TACHO_OUTCOME_DONE && choice->ranks.rank == 0 ? write_answer(self) : outcome;
}

/* Has Slurm make the parts of |words|, and answers from these alone. */
static int answer_by_slurm(answer *self, const char *const *words, size_t count)
{
    tacho_input_list parts;
    tacho_input_list_init(&parts);
    int outcome = tacho_fleet_slurm_make(self->choice, words, count, &parts);
    if (outcome == TACHO_OUTCOME_DONE) {
        outcome = answer_words(self, parts.paths, parts.path_count, false);
    }
    tacho_input_list_deinit(&parts);
    return outcome;
}

static int run_question(tacho_fleet_choice *choice, tacho_request *given)
{
    const char *name = given->words[0];
    const char *const *words = given->words + 1;
    size_t count = given->word_count - 1;
    answer self = {.choice = choice, .view_count = 1};
    self.question = tacho_fleet_question_find(name);
    bool is_diff = strcmp(name, "diff") == 0;
    if (is_diff && choice->runs[1] == NULL && count != 2) {
        return tacho_request_misuse(given, "'diff' takes two directories, files or parts, or {run} "
                                           "twice");
    }
    choice->job.sections = self.question != NULL ? self.question->sections
                           : is_diff             ? TACHO_FLEET_OPS | TACHO_FLEET_STEPS
                                                 : 0;
    return choice->slurm_tasks > 0 ? answer_by_slurm(&self, words, count)
                                   : answer_words(&self, words, count, is_diff);
}

/* ---- options ------------------------------------------------------------------------------- */

static bool choose_sort(tacho_fleet_choice *choice, tacho_request *given)
{
    const char *sort = tacho_request_value(given, "sort");
    return sort == NULL ||
           tacho_request_check(given, "sort",
                               tacho_ops_key_parse(tacho_str_from_cstring(sort),
                                                   &choice->tables.ops.sort)) == TACHO_OUTCOME_DONE;
}

/* One run, or the two of 'diff'; parts are made of all. */
static bool choose_runs(tacho_fleet_choice *choice, tacho_request *given)
{
    bool is_diff = strcmp(given->words[0], "diff") == 0;
    bool is_part = strcmp(given->words[0], "map") == 0 || strcmp(given->words[0], "reduce") == 0;
    size_t count = 0, at = 0;
    for (const char *run; (run = tacho_request_next(given, "run", &at)) != NULL; count++) {
        if (count < 2) {
            choice->runs[count] = run;
        }
    }
    if (count > 0 && is_part) {
        tacho_request_misuse(given, "{run} does not go with '%s'", given->words[0]);
    } else if (count > (is_diff ? 2 : 1)) {
        tacho_request_misuse(given, is_diff ? "{run}: 'diff' compares two runs"
                                            : "{run}: only 'diff' takes two runs");
    }
    return (count == 0 || !is_part) && count <= (is_diff ? 2 : 1);
}

/* Parts hold whole files, and 'diff' has two sides. */
static bool check_slurm(const tacho_fleet_choice *choice, tacho_request *given)
{
    static const char *const others[] = {"window",     "from",    "clock-mhz",
                                         "num-slices", "program", NULL};
    const char *other = tacho_request_find(given, others);
    bool is_question = tacho_fleet_question_find(given->words[0]) != NULL ||
                       strcmp(given->words[0], "health") == 0;
    if (choice->slurm_tasks > 0 && !is_question) {
        tacho_request_misuse(given, "{slurm} does not go with '%s'", given->words[0]);
        return false;
    }
    if (choice->slurm_tasks > 0 && other != NULL) {
        tacho_request_misuse(given, "{slurm} does not go with {%s}", other);
        return false;
    }
    return true;
}

/* Options that only some questions heed, or that some cannot: a window would cut late ranks out of
 * their collectives. */
static const struct {
    const char *option;
    bool is_of_others; /* than those named */
    const char *questions[4];
} heeded[] = {
    {"filter", false, {"ops", "diff"}},
    {"sort", false, {"ops"}},
    {"share", false, {"map"}},
    {"split", false, {"report"}},
    {"window", true, {"stragglers", "collectives", "clocks"}},
};

static bool check_question_options(tacho_request *given)
{
    const char *name = given->words[0];
    for (size_t i = 0; i < sizeof(heeded) / sizeof(heeded[0]); i++) {
        bool is_named = false;
        for (const char *const *question = heeded[i].questions; *question != NULL; question++) {
            is_named = is_named || strcmp(*question, name) == 0;
        }
        if (is_named == heeded[i].is_of_others && tacho_request_has(given, heeded[i].option)) {
            tacho_request_misuse(given, "{%s} does not go with '%s'", heeded[i].option, name);
            return false;
        }
    }
    return true;
}

/* Whether the first word is one that this command knows, with something behind it. */
static bool check_words(tacho_request *given)
{
    static const char *const names[] = {
        "overview", "ops",    "breakdown", "steps",  "stragglers", "collectives", "clocks",
        "diff",     "health", "timeline",  "report", "map",        "reduce"};
    const char *name = given->word_count > 0 ? given->words[0] : "";
    tacho_suggestion near = {.typed = tacho_str_from_cstring(name)};
    bool is_known = false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        is_known = is_known || strcmp(names[i], name) == 0;
        tacho_suggestion_offer(&near, names[i]);
    }
    if (!is_known && near.name != NULL && name[0] != '\0') {
        tacho_request_misuse(given, "unknown question '%s'; did you mean '%s'?", name, near.name);
    } else if (!is_known) {
        tacho_request_misuse(
            given,
            "%s%s%sgive one of overview, ops, breakdown, steps, stragglers, collectives, "
            "clocks, diff, health, timeline, report, map, reduce",
            name[0] != '\0' ? "unknown question '" : "", name,
            name[0] != '\0' ? "'; " : "no question; ");
    } else if (given->word_count < 2) {
        tacho_request_misuse(given, "no files; name directories or profiles");
    }
    return is_known && given->word_count >= 2;
}

static int choose(tacho_fleet_choice *choice, tacho_request *given)
{
    if (!check_words(given) || !check_question_options(given) ||
        !tacho_request_fill(given, choice) || !choose_sort(choice, given) ||
        !choose_runs(choice, given) || !check_slurm(choice, given) ||
        !tacho_value_source_options(given, &choice->source_options) ||
        !tacho_request_inputs_source(given, &choice->job.source)) {
        return TACHO_OUTCOME_USAGE;
    }
    int outcome = tacho_request_selection_open(&choice->selection, given);
    if (outcome != TACHO_OUTCOME_DONE) {
        return outcome;
    }
    choice->output_path = tacho_request_output(given, "output");
    choice->is_quiet = given->is_quiet;
    choice->is_strict = tacho_request_has(given, "strict");
    /* Names are those of operations: the filter is for rows of tables. */
    choice->tables.ops.filter = choice->selection.events.names;
    choice->selection.events.names = (tacho_name_filter){.accepts = NULL};
    choice->notes = tacho_request_hold(given, &choice->held);
    choice->tables.ops.notes = choice->is_quiet ? NULL : &choice->notes;
    choice->job.options = &choice->source_options;
    choice->job.selection = &choice->selection.events;
    return TACHO_OUTCOME_DONE;
}

static int run_chosen(tacho_fleet_choice *choice, tacho_request *given)
{
    const char *name = given->words[0];
    if (strcmp(name, "map") == 0) {
        return tacho_fleet_map_run(choice, given);
    }
    tacho_status status = tacho_ranks_open(&choice->ranks, &given->notes);
    if (status != TACHO_OK) {
        return tacho_request_fail(given, status);
    }
    if (strcmp(name, "reduce") == 0) {
        return tacho_fleet_reduce_run(choice, given);
    }
    if (strcmp(name, "timeline") == 0) {
        return run_timeline(choice, given);
    }
    if (strcmp(name, "report") == 0) { /* it keeps more than sums: rank 0 reads all files */
        return choice->ranks.rank == 0 ? tacho_fleet_page_run(choice, given) : TACHO_OUTCOME_DONE;
    }
    choice->sink = tacho_request_table_sink(given, choice->output_path);
    return choice->sink != NULL ? run_question(choice, given) : TACHO_OUTCOME_USAGE;
}

static int fleet_command_run(tacho_request *given)
{
    tacho_fleet_choice choice = {.given = given,
                                 .tables = {.top = DEFAULT_TOP, .ops = {.sort = TACHO_OPS_BY_SELF}},
                                 .parts = "fleet-parts",
                                 .ranks = {.size = 1}};
    int outcome = choose(&choice, given);
    if (outcome == TACHO_OUTCOME_DONE) {
        outcome = run_chosen(&choice, given);
    }
    if (choice.has_failed) {
        tacho_ranks_give_up(&choice.ranks, outcome);
    }
    tacho_ranks_close(&choice.ranks);
    tacho_request_selection_close(&choice.selection);
    tacho_fleet_deinit(&choice.fleets[0]);
    tacho_fleet_deinit(&choice.fleets[1]);
    return outcome;
}

const tacho_request_type tacho_request_type_fleet = {
    .name = "fleet",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = fleet_command_run,
};
