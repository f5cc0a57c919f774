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
                    TACHO_INTO_NUMBER(tacho_fleet_choice, ask.job.worker_count, 1, JOBS_MAX)),
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

/* ---- answering ----------------------------------------------------------------------------- */

static int write_answer(tacho_fleet_choice *choice, tacho_fleet_answer *answer)
{
    tacho_request *given = choice->given;
    const tacho_table_target to = tacho_request_target(given, choice->sink, choice->output_path);
    bool is_health = answer->question == NULL && !answer->is_diff;
    tacho_status status = tacho_fleet_ask_write(&choice->ask, answer, &to);
    if (status != TACHO_OK) {
        return tacho_request_fail(given, status);
    }
    tacho_request_release(&choice->held);
    if (answer->problem_count > 0) {
        tacho_fleet_say_problems(given, answer->problem_count, answer->shows_health);
    }
    if (answer->question != NULL && !choice->is_quiet) {
        tacho_fleet_say_runs(given, &choice->ask.fleets[0]);
    }
    if (answer->problem_count == 0 && is_health && !choice->is_quiet) {
        tacho_request_note(given, "note", "no problems found");
    }
    return answer->problem_count > 0 ? TACHO_OUTCOME_LOSSY : TACHO_OUTCOME_DONE;
}

/* Reads what |words| name into fleet |index|. */
static int read_fleet(tacho_fleet_choice *choice, const char *const *words, size_t word_count,
                      size_t index)
{
    tacho_request *given = choice->given;
    tacho_request_begin_progress(given, choice->ask.ranks.rank > 0 ? NULL : "reading", "files",
                                 &choice->ask.job.progress);
    tacho_status status = tacho_fleet_ask_read(&choice->ask, words, word_count, index);
    tacho_request_end_progress(given);
    return tacho_request_end(given, status);
}

static int run_timeline(tacho_fleet_choice *choice, tacho_request *given)
{
    if (!tacho_request_is_file(choice->output_path)) {
        return tacho_request_misuse(given, "no output file given; use {o|output} OUT.pb");
    }
    choice->ask.job.sections = TACHO_FLEET_COLLECTIVES;
    choice->ask.job.run = choice->runs[0];
    int outcome = read_fleet(choice, given->words + 1, given->word_count - 1, 0);
    return outcome == TACHO_OUTCOME_DONE && choice->ask.ranks.rank == 0
               ? tacho_fleet_timeline_run(choice, given)
               : outcome;
}

/* Reads what |words| name, of 'diff' both sides, and answers. */
static int answer_words(tacho_fleet_choice *choice, tacho_fleet_answer *answer,
                        const char *const *words, size_t count)
{
    bool has_runs = choice->runs[1] != NULL;
    bool is_pair = answer->is_diff && !has_runs;
    choice->ask.job.run = choice->runs[0];
    int outcome = read_fleet(choice, words, is_pair ? 1 : count, 0);
    /* Others go on to the second. */
    choice->ask.has_failed |= outcome != TACHO_OUTCOME_DONE && answer->is_diff;
    if (outcome == TACHO_OUTCOME_DONE && answer->is_diff) {
        choice->ask.job.run = has_runs ? choice->runs[1] : choice->runs[0];
        outcome =
            is_pair ? read_fleet(choice, words + 1, 1, 1) : read_fleet(choice, words, count, 1);
    }
    return outcome == TACHO_OUTCOME_DONE && choice->ask.ranks.rank == 0
               ? write_answer(choice, answer)
               : outcome;
}

/* Has Slurm make the parts of |words|, and answers from these alone. */
static int answer_by_slurm(tacho_fleet_choice *choice, tacho_fleet_answer *answer,
                           const char *const *words, size_t count)
{
    tacho_input_list parts;
    tacho_input_list_init(&parts);
    int outcome = tacho_fleet_slurm_make(choice, words, count, &parts);
    if (outcome == TACHO_OUTCOME_DONE) {
        outcome = answer_words(choice, answer, parts.paths, parts.path_count);
    }
    tacho_input_list_deinit(&parts);
    return outcome;
}

static int run_question(tacho_fleet_choice *choice, tacho_request *given)
{
    const char *name = given->words[0];
    const char *const *words = given->words + 1;
    size_t count = given->word_count - 1;
    tacho_fleet_answer answer = {
        .question = tacho_fleet_question_find(name),
        .options = &choice->tables,
        .is_diff = strcmp(name, "diff") == 0,
        .is_strict = choice->is_strict,
    };
    if (answer.is_diff && choice->runs[1] == NULL && count != 2) {
        return tacho_request_misuse(given, "'diff' takes two directories, files or parts, or {run} "
                                           "twice");
    }
    choice->ask.job.sections = answer.question != NULL ? answer.question->sections
                               : answer.is_diff        ? TACHO_FLEET_OPS | TACHO_FLEET_STEPS
                                                       : 0;
    return choice->slurm_tasks > 0 ? answer_by_slurm(choice, &answer, words, count)
                                   : answer_words(choice, &answer, words, count);
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
        !tacho_request_inputs_source(given, &choice->ask.job.source)) {
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
    choice->ask.job.options = &choice->source_options;
    choice->ask.job.selection = &choice->selection.events;
    return TACHO_OUTCOME_DONE;
}

static int run_chosen(tacho_fleet_choice *choice, tacho_request *given)
{
    const char *name = given->words[0];
    if (strcmp(name, "map") == 0) {
        return tacho_fleet_map_run(choice, given);
    }
    tacho_status status = tacho_ranks_open(&choice->ask.ranks, &given->notes);
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
        return choice->ask.ranks.rank == 0 ? tacho_fleet_page_run(choice, given)
                                           : TACHO_OUTCOME_DONE;
    }
    choice->sink = tacho_request_table_sink(given, choice->output_path);
    return choice->sink != NULL ? run_question(choice, given) : TACHO_OUTCOME_USAGE;
}

static int fleet_command_run(tacho_request *given)
{
    tacho_fleet_choice choice = {.given = given,
                                 .tables = {.top = DEFAULT_TOP, .ops = {.sort = TACHO_OPS_BY_SELF}},
                                 .parts = "fleet-parts",
                                 .ask = {.ranks = {.size = 1}}};
    int outcome = choose(&choice, given);
    if (outcome == TACHO_OUTCOME_DONE) {
        outcome = run_chosen(&choice, given);
    }
    if (choice.ask.has_failed) {
        if (choice.ask.ranks.size > 1) { /* this process ends here, and its results with it */
            tacho_request_note_status(given, "error", given->failure);
            given->failure = TACHO_OK;
        }
        tacho_ranks_give_up(&choice.ask.ranks, outcome);
    }
    tacho_request_selection_close(&choice.selection);
    tacho_fleet_ask_close(&choice.ask);
    return outcome;
}

const tacho_request_type tacho_request_type_fleet = {
    .name = "fleet",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = fleet_command_run,
};
