/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options, and what is said at the end.
 */
#include "cli/ops_join.h"

#include "cli/talk.h"
#include "session/tt_join.h"

#include <inttypes.h>
#include <stdio.h>

static void say_done(const char *path, const tacho_tt_join_result *result)
{
    char text[512];
    snprintf(text, sizeof(text), "%s: %" PRIu64 " row%s", path, result->row_count,
             result->row_count == 1 ? "" : "s");
    tacho_talk_line("wrote", text);
}

/* An option that a joined table has no use for; NULL for none. */
static const char *find_stray(const tacho_arguments *arguments)
{
    static const char *const strays[] = {"by",     "sort", "top",       "filter", "class",
                                         "format", "from", "clock-mhz", "slices", "program"};
    for (size_t i = 0; i < sizeof(strays) / sizeof(strays[0]); i++) {
        if (tacho_arguments_has(arguments, strays[i])) {
            return strays[i];
        }
    }
    return NULL;
}

int tacho_ops_join_run(const tacho_arguments *arguments)
{
    const char *output = tacho_arguments_value(arguments, "output");
    tacho_tt_join_request request = {
        .paths = arguments->words,
        .path_count = arguments->word_count,
        .output_path = output != NULL ? output : "-",
        .is_quiet = tacho_arguments_has(arguments, "quiet"),
        .is_strict = tacho_arguments_has(arguments, "strict"),
        .notes = &tacho_talk_notes,
    };
    tacho_tt_join_result result;
    if (arguments->word_count == 0) {
        return tacho_command_misuse(arguments->command,
                                    "--join: no logs given; name the files, or the directory that "
                                    "holds them");
    }
    const char *stray = find_stray(arguments);
    if (stray != NULL) {
        return tacho_command_misuse(arguments->command,
                                    "--%s does not go with --join, which writes the vendor's CSV",
                                    stray);
    }
    tacho_status status = tacho_tt_join_run(&request, &result);
    if (status != TACHO_OK) {
        return tacho_talk_failure(status);
    }
    if (output != NULL && !tacho_arguments_has(arguments, "quiet")) {
        say_done(output, &result);
    }
    return result.loss_count > 0 ? TACHO_EXIT_LOSSY : TACHO_EXIT_DONE;
}
