/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment carries --color to where text is written.
 */
#include "cli/common_options.h"

#include "base/budget.h"
#include "base/color.h"

#include <stdlib.h>

const char *tacho_common_format(const tacho_arguments *arguments)
{
    const char *format = tacho_arguments_value(arguments, "format");
    return format != NULL                           ? format
           : tacho_arguments_has(arguments, "json") ? "json"
           : tacho_arguments_has(arguments, "csv")  ? "csv"
                                                    : NULL;
}

/* --json and --csv and --format may say the same thing, but not different ones. */
static int check_format(const tacho_arguments *arguments)
{
    static const char *const names[] = {"json", "csv"};
    const char *format = tacho_common_format(arguments);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (tacho_arguments_has(arguments, names[i]) && strcmp(format, names[i]) != 0) {
            return tacho_command_misuse(
                arguments->command, "--%s contradicts the format %s; choose one", names[i], format);
        }
    }
    return TACHO_EXIT_DONE;
}

static int apply_color(const tacho_arguments *arguments)
{
    const char *color = tacho_arguments_value(arguments, "color");
    if (color == NULL) {
        return TACHO_EXIT_DONE;
    }
    if (strcmp(color, "auto") != 0 && strcmp(color, "always") != 0 && strcmp(color, "never") != 0) {
        return tacho_command_misuse(
            arguments->command, "--color: unknown value '%s'; use auto, always or never", color);
    }
    return setenv(TACHO_COLOR_VARIABLE, color, 1) == 0 ? TACHO_EXIT_DONE
                                                       : tacho_command_no_memory();
}

/* --memory, else the environment's word, else the default. */
static int apply_memory(const tacho_arguments *arguments)
{
    bool is_dropin = arguments->command->is_dropin;
    const char *option = is_dropin ? NULL : tacho_arguments_value(arguments, "memory");
    const char *text = option != NULL ? option : getenv(TACHO_BUDGET_VARIABLE);
    uint64_t bytes = tacho_budget_default();
    if (text != NULL && !tacho_budget_parse(tacho_str_from_cstring(text), &bytes)) {
        return tacho_command_misuse(arguments->command,
                                    "%s: not a size of memory: '%s'; use 512M, 2G or none, and 16M "
                                    "at least",
                                    option != NULL ? "--memory" : TACHO_BUDGET_VARIABLE, text);
    }
    tacho_budget_set(bytes);
    return TACHO_EXIT_DONE;
}

int tacho_common_options_apply(const tacho_arguments *arguments)
{
    int exit_code = apply_memory(arguments);
    if (arguments->command->is_dropin || exit_code != TACHO_EXIT_DONE) {
        return exit_code;
    }
    if (tacho_arguments_has(arguments, "quiet") && tacho_arguments_has(arguments, "verbose")) {
        return tacho_command_misuse(arguments->command,
                                    "use either --quiet or --verbose, not both");
    }
    exit_code = check_format(arguments);
    return exit_code == TACHO_EXIT_DONE ? apply_color(arguments) : exit_code;
}

tacho_talk_level tacho_common_talk_level(const tacho_arguments *arguments)
{
    return tacho_arguments_has(arguments, "quiet")     ? TACHO_TALK_QUIET
           : tacho_arguments_has(arguments, "verbose") ? TACHO_TALK_VERBOSE
                                                       : TACHO_TALK_NORMAL;
}
