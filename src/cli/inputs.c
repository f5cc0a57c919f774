/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words to inputs.
 */
#include "cli/inputs.h"

#include "base/grow.h"
#include "cli/file_kind.h"
#include "session/debug_info.h"
#include "cli/talk.h"

#include <stdlib.h>

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

static tacho_status list_word(tacho_cli_inputs *inputs, const char *word,
                              const tacho_cli_inputs_options *options)
{
    size_t before = inputs->list.path_count + inputs->list.link_count;
    if (options->keeps_debug_info && tacho_is_debug_info(word)) {
        return tacho_input_list_add_file(&inputs->list, word);
    }
    if (!options->keeps_empty) {
        return tacho_input_list_add_some(&inputs->list, word, options->output_path);
    }
    TACHO_TRY(tacho_input_list_add(&inputs->list, word, options->output_path));
    return inputs->list.path_count + inputs->list.link_count > before
               ? TACHO_OK
               : tacho_input_list_add_file(&inputs->list, word);
}

static tacho_status list_words(tacho_cli_inputs *inputs, const tacho_arguments *arguments,
                               const tacho_cli_inputs_options *options)
{
    size_t end = options->word_end != 0 ? options->word_end : arguments->word_count;
    for (size_t i = options->first_word; i < end; i++) {
        TACHO_TRY(list_word(inputs, arguments->words[i], options));
    }
    return TACHO_OK;
}

int tacho_cli_inputs_open(tacho_cli_inputs *inputs, const tacho_arguments *arguments,
                          const tacho_cli_inputs_options *options, tacho_intake *out_intake)
{
    const tacho_source *source = NULL;
    *inputs = (tacho_cli_inputs){.inputs = NULL};
    tacho_input_list_init(&inputs->list);
    if (!tacho_cli_inputs_source(arguments, &source)) {
        return TACHO_EXIT_USAGE;
    }
    if (arguments->word_count <= options->first_word) {
        return tacho_command_misuse(arguments->command, "no input; name at least one profile");
    }
    tacho_status status = list_words(inputs, arguments, options);
    if (status != TACHO_OK) {
        return tacho_talk_failure(status);
    }
    inputs->inputs = tacho_items_alloc(inputs->list.path_count, sizeof(*inputs->inputs));
    if (inputs->inputs == NULL) {
        return tacho_command_no_memory();
    }
    for (size_t i = 0; i < inputs->list.path_count; i++) {
        inputs->inputs[i] = (tacho_intake_input){
            .path = inputs->list.paths[i], .source = source, .accepted = options->accepted};
    }
    out_intake->inputs = inputs->inputs;
    out_intake->input_count = inputs->list.path_count;
    return TACHO_EXIT_DONE;
}

void tacho_cli_inputs_close(tacho_cli_inputs *inputs)
{
    free(inputs->inputs);
    tacho_input_list_deinit(&inputs->list);
    *inputs = (tacho_cli_inputs){.inputs = NULL};
}

void tacho_cli_inputs_say_links(tacho_cli_inputs *inputs)
{
    for (size_t i = 0; i < inputs->list.link_count; i++) {
        tacho_talk_skipped(tacho_input_list_refuse_link(inputs->list.links[i]));
        inputs->skipped_count++;
    }
}

/* Whether |path| is a word of the command line, not a file of a directory. */
static bool is_named(const tacho_arguments *arguments, const char *path)
{
    for (size_t i = 0; i < arguments->word_count; i++) {
        if (arguments->words[i] == path) {
            return true;
        }
    }
    return false;
}

tacho_status tacho_cli_inputs_skip(tacho_cli_inputs *inputs, const tacho_arguments *arguments,
                                   tacho_intake *intake)
{
    size_t kept = 0;
    for (size_t i = 0; i < intake->input_count; i++) {
        const tacho_intake_input *input = &inputs->inputs[i];
        tacho_intake only = {.inputs = input, .input_count = 1};
        tacho_status status =
            is_named(arguments, input->path) ? TACHO_OK : tacho_intake_probe(input);
        if (tacho_status_code(status) == TACHO_CODE_NO_MEMORY) {
            return status;
        }
        if (status == TACHO_OK) {
            inputs->inputs[kept++] = *input;
        } else {
            tacho_talk_skipped(tacho_cli_note_kinds(status, &only));
            inputs->skipped_count++;
        }
    }
    intake->input_count = kept;
    return kept > 0 ? TACHO_OK : tacho_fail(TACHO_CODE_BAD_DATA, "no input could be read");
}
