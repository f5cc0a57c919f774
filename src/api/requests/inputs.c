/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words to inputs.
 */
#include "api/requests/inputs.h"

#include "api/requests/file_kind.h"
#include "api/requests/request.h"

bool tacho_request_inputs_source(tacho_request *given, const tacho_source **out_source)
{
    const char *name = tacho_request_value(given, "from");
    *out_source = name == NULL ? NULL : tacho_source_find(tacho_str_from_cstring(name));
    if (name == NULL || *out_source != NULL) {
        return true;
    }
    tacho_request_misuse(given, "{from}: unknown input format '%s'; '{/help formats}' lists them",
                         name);
    return false;
}

int tacho_request_inputs_open(tacho_input_set *set, tacho_request *given,
                              const tacho_request_inputs_options *options, tacho_intake *out_intake)
{
    size_t end = options->word_end != 0 ? options->word_end : given->word_count;
    tacho_input_set_options how = options->set;
    *set = (tacho_input_set){.inputs = NULL};
    if (!tacho_request_inputs_source(given, &how.source)) {
        return TACHO_OUTCOME_USAGE;
    }
    if (end <= options->first_word) {
        return tacho_request_misuse(given, "no input; name at least one profile");
    }
    tacho_status status = tacho_input_set_open(set, &given->words[options->first_word],
                                               end - options->first_word, &how, out_intake);
    return status == TACHO_OK ? TACHO_OUTCOME_DONE : tacho_request_fail(given, status);
}

static void skip(void *user, const tacho_intake_input *input, tacho_status status)
{
    const tacho_intake only = {.inputs = input, .input_count = 1};
    tacho_request_note_status(user, "skipped", tacho_request_note_kinds(user, status, &only));
}

tacho_input_skips tacho_request_input_skips(tacho_request *given)
{
    return (tacho_input_skips){.skip = skip, .user = given};
}
