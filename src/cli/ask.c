/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a command line to a request, and from its results to an exit status.
 */
#include "cli/ask.h"

#include "cli/foreign_memory.h"
#include "cli/talk.h"

#include <stdlib.h>
#include <unistd.h>

#define MEMORY_VARIABLE "TACHO_MEMORY"

/* ---- options of all commands ----------------------------------------------------------------- */

/* --json and --csv and --format may name the same format, but not different ones. */
static int check_format(const tacho_arguments *arguments)
{
    static const char *const names[] = {"json", "csv"};
    const char *format = tacho_arguments_value(arguments, "format");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!tacho_arguments_has(arguments, names[i])) {
            continue;
        }
        format = format != NULL ? format : names[i];
        if (strcmp(format, names[i]) != 0) {
            return tacho_command_misuse(
                arguments->command, "--%s contradicts the format %s; choose one", names[i], format);
        }
    }
    return TACHO_OUTCOME_DONE;
}

static int apply_color(const tacho_arguments *arguments)
{
    const char *color = tacho_arguments_value(arguments, "color");
    tacho_status status = color != NULL ? tacho_front_set_color(color) : TACHO_OK;
    int exit_code = TACHO_OUTCOME_DONE;
    if (status != TACHO_OK) {
        exit_code =
            tacho_command_misuse(arguments->command, "--color: %s", tacho_status_message(status));
    }
    tacho_status_free(status);
    return exit_code;
}

/* --memory, else the environment's value, else the default. */
static int apply_memory(const tacho_arguments *arguments)
{
    bool is_dropin = arguments->command->is_dropin;
    const char *option = is_dropin ? NULL : tacho_arguments_value(arguments, "memory");
    const char *text = option != NULL ? option : getenv(MEMORY_VARIABLE);
    if (!tacho_front_limit_memory(text)) {
        return tacho_command_misuse(arguments->command,
                                    "%s: not a size of memory: '%s'; use 512M, 2G or none, and 16M "
                                    "at least",
                                    option != NULL ? "--memory" : MEMORY_VARIABLE, text);
    }
    return TACHO_OUTCOME_DONE;
}

int tacho_common_options_apply(const tacho_arguments *arguments)
{
    int exit_code = apply_memory(arguments);
    if (arguments->command->is_dropin || exit_code != TACHO_OUTCOME_DONE) {
        return exit_code;
    }
    if (tacho_arguments_has(arguments, "quiet") && tacho_arguments_has(arguments, "verbose")) {
        return tacho_command_misuse(arguments->command,
                                    "use either --quiet or --verbose, not both");
    }
    exit_code = check_format(arguments);
    return exit_code == TACHO_OUTCOME_DONE ? apply_color(arguments) : exit_code;
}

/* ---- what a person sees ---------------------------------------------------------------------- */

typedef struct listening {
    const tacho_command *command;
    tacho_talk_progress progress;
} listening;

static void show_note(void *user, const tacho_result_note *note)
{
    listening *self = user;
    tacho_talk_progress_end(&self->progress);
    tacho_talk_note(self->command->dialect, note);
}

static bool show_progress(void *user, const tacho_request_progress *told)
{
    listening *self = user;
    tacho_talk_progress_update(&self->progress, told);
    return true;
}

/* A yes from a person who sees the question. */
static bool ask_person(void *user, const char *path)
{
    (void)user;
    if (isatty(STDIN_FILENO) != 1 || isatty(STDERR_FILENO) != 1) {
        return false;
    }
    tacho_talk("question", "%s was not written by tacho; replace it? [y/N]", path);
    char answer[16] = "";
    ssize_t len = read(STDIN_FILENO, answer, sizeof(answer) - 1);
    return len > 0 && (answer[0] == 'y' || answer[0] == 'Y');
}

/* ---- the request ----------------------------------------------------------------------------- */

static tacho_status fill(tacho_request *request, const tacho_arguments *arguments)
{
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < arguments->item_count && status == TACHO_OK; i++) {
        const tacho_argument *item = &arguments->items[i];
        if (item->option != NULL) {
            status = tacho_request_set(request, item->option->name, item->value);
        }
    }
    for (size_t i = 0; i <= arguments->word_count && status == TACHO_OK; i++) {
        if (i == arguments->ended_at) {
            tacho_request_divide(request);
        }
        status = i < arguments->word_count ? tacho_request_add_input(request, arguments->words[i])
                                           : TACHO_OK;
    }
    return status;
}

/* A failure of its own is printed; the outcome is the exit status in any case. */
static int finish(listening *self, tacho_status status, tacho_results *results)
{
    bool is_misuse = tacho_results_is_misuse(results);
    bool has_started = results != NULL || !self->command->runs_program;
    int outcome = has_started ? tacho_results_outcome(results) : TACHO_OUTCOME_NOT_STARTED;
    tacho_talk_progress_end(&self->progress);
    if (status != TACHO_OK) {
        tacho_talk_failure(self->command->dialect, status);
    }
    if (is_misuse) {
        tacho_command_show_help(self->command);
    }
    tacho_results_free(results);
    return outcome;
}

int tacho_command_ask(const tacho_arguments *arguments)
{
    const tacho_command *command = arguments->command;
    listening self = {.command = command};
    const tacho_listener listener = {
        .note = show_note,
        .progress = show_progress,
        .may_replace = ask_person,
        .user = &self,
        .output = "-",
        .spelling = tacho_command_spelling(command),
    };
    tacho_request *request = NULL;
    tacho_results *results = NULL;
    if (command->computes_values) {
        tacho_cli_guard_foreign_memory();
    }
    tacho_status status = tacho_request_create(command->name, &request);
    if (status == TACHO_OK) {
        tacho_request_listen(request, &listener);
        status = fill(request, arguments);
    }
    if (status == TACHO_OK) {
        status = tacho_request_run(request, &results);
    }
    int exit_code = finish(&self, status, results);
    tacho_request_free(request);
    return exit_code;
}
