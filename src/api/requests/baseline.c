/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho baseline: the profiles that later ones are compared with.
 */
#include "api/requests/registry.h"
#include "base/duration.h"
#include "api/requests/outputs.h"
#include "api/requests/inputs.h"
#include "api/requests/request.h"
#include "api/requests/values.h"
#include "pipeline/intake_notes.h"
#include "pipeline/baseline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

typedef struct baseline_choice {
    tacho_request *given;
    tacho_baseline_request request;
    tacho_intake intake;
    tacho_input_set inputs;
    bool is_quiet;
} baseline_choice;

static const tacho_option options[] = {
    TACHO_OPT_VALUE("dir", 0, "DIR", "directory of the baselines (default: baselines)",
                    TACHO_INTO_TEXT(baseline_choice, request.folder)),
    TACHO_OPT_VALUE("reason", 0, "TEXT", "why; 'accept' needs one",
                    TACHO_INTO_TEXT(baseline_choice, request.reason)),
    TACHO_OPTION_FROM,
    TACHO_OPTION_CLOCK,
    TACHO_OPTION_SLICES,
    TACHO_OPTION_PROGRAM,
    TACHO_OPTION_STRICT,
    TACHO_OPTIONS_TABLES,
    TACHO_OPTION_OUTPUT,
    TACHO_OPTIONS_COMMON,
};

/* ---- save and accept ----------------------------------------------------------------------- */

static void say_read(void *user, const tacho_dict *dict)
{
    const baseline_choice *choice = user;
    tacho_request_end_progress(choice->given);
    tacho_intake_say_losses(dict, &choice->given->notes);
}

static int save(baseline_choice *choice)
{
    tacho_request *given = choice->given;
    tacho_baseline_request *request = &choice->request;
    bool has_losses = false;
    tacho_request_begin_progress(given, "saving", NULL, &choice->intake.progress);
    tacho_status status = tacho_baseline_save(request, &has_losses);
    tacho_request_end_progress(given);
    if (status != TACHO_OK) {
        return tacho_request_fail(given, status);
    }
    if (!choice->is_quiet) {
        tacho_request_note(given, "wrote", "%s/%s: %zu profile%s", request->folder, request->name,
                           choice->intake.input_count, choice->intake.input_count == 1 ? "" : "s");
    }
    return has_losses || choice->inputs.skipped_count > 0 ? TACHO_OUTCOME_LOSSY
                                                          : TACHO_OUTCOME_DONE;
}

static int choose_and_save(baseline_choice *choice, tacho_request *given)
{
    const tacho_request_inputs_options how = {.first_word = 2};
    if (given->word_count < 3) {
        return tacho_request_misuse(given, "'%s' takes a name and at least one profile",
                                    given->words[0]);
    }
    choice->request.name = given->words[1];
    choice->request.replaces = strcmp(given->words[0], "accept") == 0;
    if (choice->request.replaces && choice->request.reason[0] == '\0') {
        return tacho_request_misuse(given,
                                    "'accept' replaces a baseline; say why with {reason} TEXT");
    }
    int outcome = tacho_request_inputs_open(&choice->inputs, given, &how, &choice->intake);
    if (outcome != TACHO_OUTCOME_DONE) {
        return outcome;
    }
    const tacho_input_skips skips = tacho_request_input_skips(given);
    tacho_input_set_skip_links(&choice->inputs, &skips);
    tacho_status status = tacho_input_set_skip_strangers(&choice->inputs, &skips, &choice->intake);
    if (status != TACHO_OK) {
        return tacho_request_fail(given, status);
    }
    return tacho_value_source_options(given, &choice->intake.options) ? save(choice)
                                                                      : TACHO_OUTCOME_USAGE;
}

/* ---- list ---------------------------------------------------------------------------------- */

typedef struct listing {
    tacho_request *given;
    tacho_table table;
    size_t skipped_count;
} listing;

static void skip(void *user, tacho_status status)
{
    listing *self = user;
    self->skipped_count++;
    tacho_request_note_status(self->given, "skipped", status);
}

static tacho_status add_table(void *user, tacho_table_report *report)
{
    const listing *self = user;
    return tacho_table_report_add(report, &self->table);
}

static int list(const baseline_choice *choice, tacho_request *given)
{
    const char *path = tacho_request_output(given, "output");
    const tacho_table_sink *sink = tacho_request_table_sink(given, path);
    const tacho_table_target to = tacho_request_target(given, sink, path);
    listing self = {.given = given};
    if (sink == NULL) {
        return TACHO_OUTCOME_USAGE;
    }
    tacho_status status = tacho_baseline_table(choice->request.folder, skip, &self, &self.table);
    if (status == TACHO_OK) {
        status = tacho_table_report_write(&to, add_table, &self);
    }
    tacho_table_deinit(&self.table);
    return status != TACHO_OK       ? tacho_request_fail(given, status)
           : self.skipped_count > 0 ? TACHO_OUTCOME_LOSSY
                                    : TACHO_OUTCOME_DONE;
}

/* ---- the verb ------------------------------------------------------------------------------ */

/* Builds that are to be the same set the time. */
static int64_t now_s(void)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    uint64_t seconds = 0;
    bool is_set = epoch != NULL && tacho_str_parse_u64(tacho_str_from_cstring(epoch), &seconds) &&
                  seconds <= INT32_MAX;
    return is_set ? (int64_t)seconds : (int64_t)time(NULL);
}

static int baseline_command_run(tacho_request *given)
{
    baseline_choice choice = {
        .given = given,
        .request = {.folder = "baselines",
                    .reason = "",
                    .saved_s = now_s(),
                    .is_strict = tacho_request_has(given, "strict"),
                    .read = say_read},
        .is_quiet = given->is_quiet,
    };
    const char *action = given->word_count > 0 ? given->words[0] : "";
    bool is_list = strcmp(action, "list") == 0;
    choice.request.intake = &choice.intake;
    choice.request.user = &choice;
    if (!is_list && strcmp(action, "save") != 0 && strcmp(action, "accept") != 0) {
        return action[0] == '\0'
                   ? tacho_request_misuse(given, "no action given; use save, list or accept")
                   : tacho_request_misuse(given, "unknown action '%s'; use save, list or accept",
                                          action);
    }
    if (!tacho_request_fill(given, &choice)) {
        return TACHO_OUTCOME_USAGE;
    }
    if (is_list && given->word_count > 1) {
        return tacho_request_misuse(given, "'list' takes no profile");
    }
    int outcome = is_list ? list(&choice, given) : choose_and_save(&choice, given);
    tacho_input_set_close(&choice.inputs);
    return outcome;
}

const tacho_request_type tacho_request_type_baseline = {
    .name = "baseline",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = baseline_command_run,
};
