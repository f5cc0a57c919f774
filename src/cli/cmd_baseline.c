/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho baseline: the profiles that later ones are compared with.
 */
#include "base/duration.h"
#include "cli/common_options.h"
#include "cli/inputs.h"
#include "cli/outputs.h"
#include "cli/talk.h"
#include "cli/values.h"
#include "pipeline/baseline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

typedef struct baseline_choice {
    tacho_baseline_request request;
    tacho_intake intake;
    tacho_input_set inputs;
    tacho_talk_progress progress;
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
    baseline_choice *choice = user;
    tacho_talk_progress_end(&choice->progress);
    tacho_talk_losses(dict);
}

static int save(baseline_choice *choice)
{
    tacho_baseline_request *request = &choice->request;
    bool has_losses = false;
    tacho_talk_progress_init(&choice->progress, "saving", choice->is_quiet,
                             &choice->intake.progress);
    tacho_status status = tacho_baseline_save(request, &has_losses);
    tacho_talk_progress_end(&choice->progress);
    if (status != TACHO_OK) {
        return tacho_talk_failure(status);
    }
    if (!choice->is_quiet) {
        tacho_talk("wrote", "%s/%s: %zu profile%s", request->folder, request->name,
                   choice->intake.input_count, choice->intake.input_count == 1 ? "" : "s");
    }
    return has_losses || choice->inputs.skipped_count > 0 ? TACHO_EXIT_LOSSY : TACHO_EXIT_DONE;
}

static int choose_and_save(baseline_choice *choice, const tacho_arguments *arguments)
{
    const tacho_cli_inputs_options how = {.first_word = 2};
    if (arguments->word_count < 3) {
        return tacho_command_misuse(
            arguments->command, "'%s' takes a name and at least one profile", arguments->words[0]);
    }
    choice->request.name = arguments->words[1];
    choice->request.replaces = strcmp(arguments->words[0], "accept") == 0;
    if (choice->request.replaces && choice->request.reason[0] == '\0') {
        return tacho_command_misuse(arguments->command,
                                    "'accept' replaces a baseline; say why with --reason TEXT");
    }
    int exit_code = tacho_cli_inputs_open(&choice->inputs, arguments, &how, &choice->intake);
    if (exit_code != TACHO_EXIT_DONE) {
        return exit_code;
    }
    tacho_input_set_skip_links(&choice->inputs, &tacho_cli_skips);
    tacho_status status =
        tacho_input_set_skip_strangers(&choice->inputs, &tacho_cli_skips, &choice->intake);
    if (status != TACHO_OK) {
        return tacho_talk_failure(status);
    }
    return tacho_value_source_options(arguments, &choice->intake.options) ? save(choice)
                                                                          : TACHO_EXIT_USAGE;
}

/* ---- list ---------------------------------------------------------------------------------- */

typedef struct listing {
    tacho_table table;
    size_t skipped_count;
} listing;

static void skip(void *user, tacho_status status)
{
    listing *self = user;
    self->skipped_count++;
    tacho_talk_skipped(status);
}

static tacho_status add_table(void *user, tacho_table_report *report)
{
    const listing *self = user;
    return tacho_table_report_add(report, &self->table);
}

static int list(const baseline_choice *choice, const tacho_arguments *arguments)
{
    const char *output = tacho_arguments_value(arguments, "output");
    const char *path = output != NULL ? output : "-";
    const tacho_table_sink *sink = tacho_cli_table_sink(arguments, path);
    listing self = {.skipped_count = 0};
    if (sink == NULL) {
        return TACHO_EXIT_USAGE;
    }
    tacho_status status = tacho_baseline_table(choice->request.folder, skip, &self, &self.table);
    if (status == TACHO_OK) {
        status = tacho_table_report_write(path, sink, add_table, &self);
    }
    tacho_table_deinit(&self.table);
    return status != TACHO_OK       ? tacho_talk_failure(status)
           : self.skipped_count > 0 ? TACHO_EXIT_LOSSY
                                    : TACHO_EXIT_DONE;
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

static int baseline_command_run(const tacho_arguments *arguments)
{
    baseline_choice choice = {
        .request = {.folder = "baselines",
                    .reason = "",
                    .saved_s = now_s(),
                    .is_strict = tacho_arguments_has(arguments, "strict"),
                    .read = say_read},
        .is_quiet = tacho_arguments_has(arguments, "quiet"),
    };
    const char *action = arguments->word_count > 0 ? arguments->words[0] : "";
    bool is_list = strcmp(action, "list") == 0;
    choice.request.intake = &choice.intake;
    choice.request.user = &choice;
    if (!is_list && strcmp(action, "save") != 0 && strcmp(action, "accept") != 0) {
        return action[0] == '\0'
                   ? tacho_command_misuse(arguments->command,
                                          "no action given; use save, list or accept")
                   : tacho_command_misuse(arguments->command,
                                          "unknown action '%s'; use save, list or accept", action);
    }
    if (!tacho_arguments_fill(arguments, &choice)) {
        return TACHO_EXIT_USAGE;
    }
    if (is_list && arguments->word_count > 1) {
        return tacho_command_misuse(arguments->command, "'list' takes no profile");
    }
    int exit_code = is_list ? list(&choice, arguments) : choose_and_save(&choice, arguments);
    tacho_input_set_close(&choice.inputs);
    return exit_code;
}

const tacho_command tacho_command_baseline = {
    .name = "baseline",
    .summary = "keep profiles that later ones are compared with",
    .usage = "save NAME FILE|DIR... | accept NAME FILE|DIR... --reason TEXT | list [options]",
    .description =
        "A baseline is a directory of captures, one per profile, with a list of their\n"
        "checksums and of when and why they were saved. 'save' makes one from profiles of\n"
        "any format, 'accept' replaces it and needs a reason, 'list' shows all.\n"
        "\n"
        "Name the directory wherever profiles are read: 'tacho diff baselines/NAME new/'\n"
        "compares new profiles with it. A capture that was changed, cut or removed since\n"
        "is refused.\n"
        "\n"
        "A baseline is replaced in one step: whatever interrupts 'accept', the old or the\n"
        "new one is there. Its captures hold all that the profiles did, so they can be\n"
        "kept under version control in their place. SOURCE_DATE_EPOCH sets the time that\n"
        "is recorded.",
    .examples = "# five runs as the baseline of a gate\n"
                "tacho baseline save main old/\n"
                "tacho diff baselines/main new/ --gate rel=3%,abs=20us\n"
                "# a slower run that is the price of a feature\n"
                "tacho baseline accept main new/ --reason \"attention in f32\"\n"
                "tacho baseline list\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = baseline_command_run,
};
