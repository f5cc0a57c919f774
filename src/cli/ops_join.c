/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options, and what is said at the end.
 */
#include "cli/ops_join.h"

#include "cli/talk.h"
#include "session/tt_join.h"
#include "sinks/table_sink.h"

#include <inttypes.h>
#include <stdio.h>

static void say_done(const char *path, const tacho_tt_join_result *result)
{
    char text[512];
    snprintf(text, sizeof(text), "%s: %" PRIu64 " row%s", path, result->row_count,
             result->row_count == 1 ? "" : "s");
    tacho_talk_line("wrote", text);
}

static void say_rate(const tacho_tt_join_result *result)
{
    char text[128];
    snprintf(text, sizeof(text),
             "the log does not say the rate of its cycles; %" PRIu64
             " MHz is assumed (--clock-mhz sets another)",
             result->assumed_mhz);
    tacho_talk_line("warning", text);
}

/* An option that a joined table has no use for; NULL for none. */
static const char *find_stray(const tacho_arguments *arguments)
{
    static const char *const strays[] = {"by",     "sort", "top",    "filter", "class",
                                         "format", "from", "slices", "program"};
    for (size_t i = 0; i < sizeof(strays) / sizeof(strays[0]); i++) {
        if (tacho_arguments_has(arguments, strays[i])) {
            return strays[i];
        }
    }
    return NULL;
}

static tacho_str text_of(const tacho_arguments *arguments, const char *name)
{
    const char *value = tacho_arguments_value(arguments, name);
    return value == NULL ? TACHO_STR("") : tacho_str_from_cstring(value);
}

/* Whether the name of the output asks for another format than CSV. */
static bool asks_for_other(const char *path)
{
    tacho_str name = tacho_str_basename(tacho_str_from_cstring(path));
    bool has_suffix = tacho_str_find_byte(name, '.') < name.len;
    return has_suffix && tacho_table_sink_find_for_path(name) != &tacho_table_sink_csv;
}

int tacho_ops_join_run(const tacho_arguments *arguments)
{
    const char *output = tacho_arguments_value(arguments, "output");
    tacho_tt_join_request request = {
        .paths = arguments->words,
        .path_count = arguments->word_count,
        .output_path = output != NULL ? output : "-",
        .clock_mhz = text_of(arguments, "clock-mhz"),
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
    if (asks_for_other(request.output_path)) {
        return tacho_command_misuse(arguments->command,
                                    "--join writes the vendor's CSV; name the output with .csv, "
                                    "not '%s'",
                                    request.output_path);
    }
    tacho_status status = tacho_tt_join_run(&request, &result);
    if (status != TACHO_OK) {
        return tacho_talk_failure(status);
    }
    if (result.assumed_mhz > 0) {
        say_rate(&result);
    }
    if (output != NULL && !tacho_arguments_has(arguments, "quiet")) {
        say_done(output, &result);
    }
    return result.loss_count > 0 ? TACHO_EXIT_LOSSY : TACHO_EXIT_DONE;
}
