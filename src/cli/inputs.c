/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words to inputs.
 */
#include "cli/inputs.h"

#include "cli/file_kind.h"
#include "cli/talk.h"

bool tacho_cli_inputs_source(const tacho_arguments *arguments, const tacho_source **out_source)
{
    const char *name = tacho_arguments_value(arguments, "from");
    *out_source = name == NULL ? NULL : tacho_source_find(tacho_str_from_cstring(name));
    if (name == NULL || *out_source != NULL) {
        return true;
    }
    tacho_command_misuse(arguments->command,
                         "--from: unknown input format '%s'; 'tacho help formats' lists them",
                         name);
    return false;
}

int tacho_cli_inputs_open(tacho_input_set *set, const tacho_arguments *arguments,
                          const tacho_cli_inputs_options *options, tacho_intake *out_intake)
{
    size_t end = options->word_end != 0 ? options->word_end : arguments->word_count;
    tacho_input_set_options how = options->set;
    *set = (tacho_input_set){.inputs = NULL};
    if (!tacho_cli_inputs_source(arguments, &how.source)) {
        return TACHO_EXIT_USAGE;
    }
    if (end <= options->first_word) {
        return tacho_command_misuse(arguments->command, "no input; name at least one profile");
    }
    tacho_status status = tacho_input_set_open(set, &arguments->words[options->first_word],
                                               end - options->first_word, &how, out_intake);
    return status == TACHO_OK ? TACHO_EXIT_DONE : tacho_talk_failure(status);
}

static void skip(void *user, const tacho_intake_input *input, tacho_status status)
{
    const tacho_intake only = {.inputs = input, .input_count = 1};
    (void)user;
    tacho_talk_skipped(tacho_cli_note_kinds(status, &only));
}

const tacho_input_skips tacho_cli_skips = {.skip = skip};
