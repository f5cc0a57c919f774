/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho fleet: what the profiles of many hosts say together.
 */
#include "base/suggest.h"
#include "cli/common_options.h"
#include "cli/fleet_parts.h"
#include "cli/inputs.h"
#include "cli/outputs.h"
#include "cli/selection.h"
#include "cli/values.h"
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
        "directory for the parts of --slurm, which all nodes see (default: fleet-parts)",
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
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "%zu problem%s with the files (--strict); 'tacho fleet health' lists %s",
                          self->problem_count, self->problem_count == 1 ? "" : "s",
                          self->problem_count == 1 ? "it" : "them");
    }
    return TACHO_OK;
}

static int write_answer(answer *self)
{
    tacho_fleet_choice *choice = self->choice;
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < self->view_count && status == TACHO_OK; i++) {
        status = tacho_fleet_view_init(&self->views[i], &choice->fleets[i]);
    }
    self->shows_health = tacho_table_sink_tells_tables(choice->sink) ||
                         (self->question == NULL && self->view_count == 1);
    if (status == TACHO_OK) {
        status = tacho_table_report_write(choice->output_path, choice->sink, add_tables, self);
    }
    for (size_t i = 0; i < self->view_count; i++) {
        tacho_fleet_view_deinit(&self->views[i]);
    }
    if (status != TACHO_OK) {
        return tacho_talk_failure(status);
    }
    tacho_talk_release(&choice->held);
    if (self->problem_count > 0) {
        tacho_talk("warning", "%zu problem%s with the files%s", self->problem_count,
                   self->problem_count == 1 ? "" : "s",
                   self->shows_health         ? "; see the table 'Health'"
                   : self->problem_count == 1 ? "; 'tacho fleet health' lists it"
                                              : "; 'tacho fleet health' lists them");
    }
    if (self->question != NULL && !choice->is_quiet) {
        tacho_fleet_say_runs(&choice->fleets[0]);
    }
    bool is_health = self->question == NULL && self->view_count == 1;
    if (self->problem_count == 0 && is_health && !choice->is_quiet) {
        tacho_talk("note", "no problems found");
    }
    return self->problem_count > 0 ? TACHO_EXIT_LOSSY : TACHO_EXIT_DONE;
}

/* ---- reading ------------------------------------------------------------------------------- */

/* Reads what |words| name into fleet |index|. */
static int read_fleet(tacho_fleet_choice *choice, const char *const *words, size_t word_count,
                      size_t index)
{
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
        tacho_talk_progress_init(&choice->progress, "reading",
                                 choice->is_quiet || choice->ranks.rank > 0, &choice->job.progress);
        choice->progress.unit = "files";
        status = tacho_fleet_ranks_run(&choice->ranks, &choice->job, &choice->fleets[index]);
        tacho_talk_progress_end(&choice->progress);
    }
    choice->has_failed = status != TACHO_OK;
    if (status == TACHO_OK && choice->ranks.rank == 0) {
        status = tacho_fleet_check_read(choice, &choice->fleets[index]);
    }
    choice->job.other_runs = NULL;
    tacho_fleet_run_set_deinit(&others);
    tacho_fleet_inputs_deinit(&inputs);
    return status == TACHO_OK ? TACHO_EXIT_DONE : tacho_talk_failure(status);
}

static int run_timeline(tacho_fleet_choice *choice, const tacho_arguments *arguments)
{
    if (strcmp(choice->output_path, "-") == 0) {
        return tacho_command_misuse(arguments->command, "no output file given; use -o OUT.pb");
    }
    choice->job.sections = TACHO_FLEET_COLLECTIVES;
    choice->job.run = choice->runs[0];
    int exit_code = read_fleet(choice, arguments->words + 1, arguments->word_count - 1, 0);
    return exit_code == TACHO_EXIT_DONE && choice->ranks.rank == 0
               ? tacho_fleet_timeline_run(choice, arguments)
               : exit_code;
}

/* Reads what |words| name, of 'diff' both sides, and answers. */
static int answer_words(answer *self, const char *const *words, size_t count, bool is_diff)
{
    tacho_fleet_choice *choice = self->choice;
    bool has_runs = choice->runs[1] != NULL;
    bool is_pair = is_diff && !has_runs;
    choice->job.run = choice->runs[0];
    int exit_code = read_fleet(choice, words, is_pair ? 1 : count, 0);
    choice->has_failed |= exit_code != TACHO_EXIT_DONE && is_diff; /* others go on to the second */
    if (exit_code == TACHO_EXIT_DONE && is_diff) {
        self->view_count = 2;
        choice->job.run = has_runs ? choice->runs[1] : choice->runs[0];
        exit_code =
            is_pair ? read_fleet(choice, words + 1, 1, 1) : read_fleet(choice, words, count, 1);
    }
    return exit_code == TACHO_EXIT_DONE && choice->ranks.rank == 0 ? write_answer(self) : exit_code;
}

/* Has Slurm make the parts of |words|, and answers from these alone. */
static int answer_by_slurm(answer *self, const char *const *words, size_t count)
{
    tacho_input_list parts;
    tacho_input_list_init(&parts);
    int exit_code = tacho_fleet_slurm_make(self->choice, words, count, &parts);
    if (exit_code == TACHO_EXIT_DONE) {
        exit_code = answer_words(self, parts.paths, parts.path_count, false);
    }
    tacho_input_list_deinit(&parts);
    return exit_code;
}

static int run_question(tacho_fleet_choice *choice, const tacho_arguments *arguments)
{
    const char *name = arguments->words[0];
    const char *const *words = arguments->words + 1;
    size_t count = arguments->word_count - 1;
    answer self = {.choice = choice, .view_count = 1};
    self.question = tacho_fleet_question_find(name);
    bool is_diff = strcmp(name, "diff") == 0;
    if (is_diff && choice->runs[1] == NULL && count != 2) {
        return tacho_command_misuse(arguments->command,
                                    "'diff' takes two directories, files or parts, or --run "
                                    "twice");
    }
    choice->job.sections = self.question != NULL ? self.question->sections
                           : is_diff             ? TACHO_FLEET_OPS | TACHO_FLEET_STEPS
                                                 : 0;
    return choice->slurm_tasks > 0 ? answer_by_slurm(&self, words, count)
                                   : answer_words(&self, words, count, is_diff);
}

/* ---- options ------------------------------------------------------------------------------- */

static bool choose_sort(tacho_fleet_choice *choice, const tacho_arguments *arguments)
{
    const char *sort = tacho_arguments_value(arguments, "sort");
    choice->tables.ops.sort =
        sort != NULL ? tacho_ops_key_find(tacho_str_from_cstring(sort)) : TACHO_OPS_BY_SELF;
    if (choice->tables.ops.sort == TACHO_OPS_KEY_COUNT) {
        tacho_command_misuse(arguments->command,
                             "--sort: unknown key '%s'; use self, total, count, mean, p50, p99, "
                             "min, max, bytes, name or location",
                             sort);
        return false;
    }
    return true;
}

/* One run, or the two of 'diff'; parts are made of all. */
static bool choose_runs(tacho_fleet_choice *choice, const tacho_arguments *arguments)
{
    bool is_diff = strcmp(arguments->words[0], "diff") == 0;
    bool is_part =
        strcmp(arguments->words[0], "map") == 0 || strcmp(arguments->words[0], "reduce") == 0;
    size_t count = 0, at = 0;
    for (const char *run; (run = tacho_arguments_next(arguments, "run", &at)) != NULL; count++) {
        if (count < 2) {
            choice->runs[count] = run;
        }
    }
    if (count > 0 && is_part) {
        tacho_command_misuse(arguments->command, "--run does not go with '%s'",
                             arguments->words[0]);
    } else if (count > (is_diff ? 2 : 1)) {
        tacho_command_misuse(arguments->command, is_diff ? "--run: 'diff' compares two runs"
                                                         : "--run: only 'diff' takes two runs");
    }
    return (count == 0 || !is_part) && count <= (is_diff ? 2 : 1);
}

/* Parts hold whole files, and 'diff' has two sides. */
static bool check_slurm(const tacho_fleet_choice *choice, const tacho_arguments *arguments)
{
    static const char *const others[] = {"window",     "from",    "clock-mhz",
                                         "num-slices", "program", NULL};
    const char *other = tacho_arguments_find(arguments, others);
    bool is_question = tacho_fleet_question_find(arguments->words[0]) != NULL ||
                       strcmp(arguments->words[0], "health") == 0;
    if (choice->slurm_tasks > 0 && !is_question) {
        tacho_command_misuse(arguments->command, "--slurm does not go with '%s'",
                             arguments->words[0]);
        return false;
    }
    if (choice->slurm_tasks > 0 && other != NULL) {
        tacho_command_misuse(arguments->command, "--slurm does not go with --%s", other);
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

static bool check_question_options(const tacho_arguments *arguments)
{
    const char *name = arguments->words[0];
    for (size_t i = 0; i < sizeof(heeded) / sizeof(heeded[0]); i++) {
        bool is_named = false;
        for (const char *const *question = heeded[i].questions; *question != NULL; question++) {
            is_named = is_named || strcmp(*question, name) == 0;
        }
        if (is_named == heeded[i].is_of_others &&
            tacho_arguments_has(arguments, heeded[i].option)) {
            tacho_command_misuse(arguments->command, "--%s does not go with '%s'", heeded[i].option,
                                 name);
            return false;
        }
    }
    return true;
}

/* Whether the first word is one that this command knows, with something behind it. */
static bool check_words(const tacho_arguments *arguments)
{
    static const char *const names[] = {
        "overview", "ops",    "breakdown", "steps",  "stragglers", "collectives", "clocks",
        "diff",     "health", "timeline",  "report", "map",        "reduce"};
    const char *name = arguments->word_count > 0 ? arguments->words[0] : "";
    tacho_suggestion near = {.typed = tacho_str_from_cstring(name)};
    bool is_known = false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        is_known = is_known || strcmp(names[i], name) == 0;
        tacho_suggestion_offer(&near, names[i]);
    }
    if (!is_known && near.name != NULL && name[0] != '\0') {
        tacho_command_misuse(arguments->command, "unknown question '%s'; did you mean '%s'?", name,
                             near.name);
    } else if (!is_known) {
        tacho_command_misuse(
            arguments->command,
            "%s%s%sgive one of overview, ops, breakdown, steps, stragglers, collectives, "
            "clocks, diff, health, timeline, report, map, reduce",
            name[0] != '\0' ? "unknown question '" : "", name,
            name[0] != '\0' ? "'; " : "no question; ");
    } else if (arguments->word_count < 2) {
        tacho_command_misuse(arguments->command, "no files; name directories or profiles");
    }
    return is_known && arguments->word_count >= 2;
}

static int choose(tacho_fleet_choice *choice, const tacho_arguments *arguments)
{
    const char *output = tacho_arguments_value(arguments, "output");
    if (!check_words(arguments) || !check_question_options(arguments) ||
        !tacho_arguments_fill(arguments, choice) || !choose_sort(choice, arguments) ||
        !choose_runs(choice, arguments) || !check_slurm(choice, arguments) ||
        !tacho_value_source_options(arguments, &choice->source_options) ||
        !tacho_cli_inputs_source(arguments, &choice->job.source)) {
        return TACHO_EXIT_USAGE;
    }
    int exit_code = tacho_cli_selection_open(&choice->selection, arguments);
    if (exit_code != TACHO_EXIT_DONE) {
        return exit_code;
    }
    choice->output_path = output != NULL ? output : "-";
    choice->is_quiet = tacho_arguments_has(arguments, "quiet");
    choice->is_strict = tacho_arguments_has(arguments, "strict");
    /* Names are those of operations: the filter is for rows of tables. */
    choice->tables.ops.filter = choice->selection.events.names;
    choice->selection.events.names = (tacho_name_filter){.accepts = NULL};
    choice->notes = tacho_talk_hold(&choice->held);
    choice->tables.ops.notes = choice->is_quiet ? NULL : &choice->notes;
    choice->job.options = &choice->source_options;
    choice->job.selection = &choice->selection.events;
    return TACHO_EXIT_DONE;
}

static int run_chosen(tacho_fleet_choice *choice, const tacho_arguments *arguments)
{
    const char *name = arguments->words[0];
    if (strcmp(name, "map") == 0) {
        return tacho_fleet_map_run(choice, arguments);
    }
    tacho_status status = tacho_ranks_open(&choice->ranks, &tacho_talk_notes);
    if (status != TACHO_OK) {
        return tacho_talk_failure(status);
    }
    if (strcmp(name, "reduce") == 0) {
        return tacho_fleet_reduce_run(choice, arguments);
    }
    if (strcmp(name, "timeline") == 0) {
        return run_timeline(choice, arguments);
    }
    if (strcmp(name, "report") == 0) { /* it keeps more than sums: rank 0 reads all files */
        return choice->ranks.rank == 0 ? tacho_fleet_page_run(choice, arguments) : TACHO_EXIT_DONE;
    }
    choice->sink = tacho_cli_table_sink(arguments, choice->output_path);
    return choice->sink != NULL ? run_question(choice, arguments) : TACHO_EXIT_USAGE;
}

static int fleet_command_run(const tacho_arguments *arguments)
{
    tacho_fleet_choice choice = {
        .tables = {.top = DEFAULT_TOP}, .parts = "fleet-parts", .ranks = {.size = 1}};
    int exit_code = choose(&choice, arguments);
    if (exit_code == TACHO_EXIT_DONE) {
        exit_code = run_chosen(&choice, arguments);
    }
    if (choice.has_failed) {
        tacho_ranks_give_up(&choice.ranks, exit_code);
    }
    tacho_ranks_close(&choice.ranks);
    tacho_cli_selection_close(&choice.selection);
    tacho_fleet_deinit(&choice.fleets[0]);
    tacho_fleet_deinit(&choice.fleets[1]);
    return exit_code;
}

const tacho_command tacho_command_fleet = {
    .name = "fleet",
    .summary = "answer questions over the profiles of many hosts",
    .usage = "QUESTION FILE|DIR|PART... [options]",
    .description =
        "Reads the profiles of all ranks of a job, on all processors, and answers one\n"
        "question about them. A directory stands for all files below it. Run, host and rank of a\n"
        "file are those of its path (run=ID/host=NAME/rank=N/), else what the file says\n"
        "(PyTorch's distributedInfo).\n"
        "\n"
        "overview  one row for each run: devices, steps, waiting\n"
        "ops  operations of all files together\n"
        "breakdown  where the time of devices went, by host, and the idlest devices\n"
        "steps  how long each step took, and on which rank it took the longest\n"
        "stragglers  which ranks the others waited for in collectives, and how long\n"
        "collectives  time in each kind of collective, and how much of it was waiting\n"
        "clocks  how far apart the clocks of ranks are, with an error bound\n"
        "diff  A B: how operations, per step, and steps of two fleets or runs (--run) differ\n"
        "health  files that are cut, damaged, copies, or of other versions; missing ranks\n"
        "timeline  writes one trace of all files to -o OUT.pb, on one time axis; fails if\n"
        "the clock of a file is unknown\n"
        "report  writes a page to -o OUT.html: ranks as a picture, by step and by\n"
        "collective, and the profile of each; more than two million spans together are in\n"
        "pages of their own, in OUT-ranks/\n"
        "map  writes a part (.tpart) of each file to the directory of -o; parts that are\n"
        "up to date are kept\n"
        "reduce  merges parts into one, -o\n"
        "\n"
        "Parts are small and stand for their files in every question. Any split of files\n"
        "and any order of merging gives the same answer. Counts, sums and extremes are\n"
        "exact; percentiles are within 0.8 % of the exact ones where there are many spans.\n"
        "\n"
        "Under mpirun, ranks share the files of every question, and rank 0 answers. Under srun\n"
        "and in Slurm's job arrays, 'map' takes the share of its rank: one command on all nodes\n"
        "maps all files. --slurm N does that first, in a job\n"
        "array, and waits for it.\n"
        "\n"
        "Collectives are matched by process group, name and number. The rank that spends\n"
        "the least time in a collective arrived last, and the others waited for it; no\n"
        "common clock is needed.\n"
        "\n"
        "One bad file never spoils the rest: it is listed under 'Health', and the exit\n"
        "status is 3. See docs/fleet.md.",
    .examples = "# the operations of all ranks, from all files below a directory\n"
                "tacho fleet ops traces/\n"
                "# who holds up the others\n"
                "tacho fleet stragglers traces/\n"
                "# a page with ranks as a picture, each of which opens\n"
                "tacho fleet report traces/ -o page.html\n"
                "# one part per profile, then answers; under srun or mpirun ranks share the work\n"
                "tacho fleet map traces/ -o parts/\n"
                "tacho fleet steps parts/\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = fleet_command_run,
};
