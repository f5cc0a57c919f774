/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows, durations and names from the command line.
 */
#include "cli/selection.h"

#include "cli/talk.h"
#include "cli/values.h"

#include <errno.h>
#include <stdlib.h>

static bool contains(tacho_str text, tacho_str part)
{
    for (; text.len >= part.len; text = tacho_str_from(text, 1)) {
        if (tacho_str_starts_with(text, part)) {
            return true;
        }
        if (text.len == 0) {
            break;
        }
    }
    return false;
}

static bool accepts_text(const void *self, tacho_str name, tacho_str location)
{
    const tacho_cli_filter *filter = self;
    return contains(name, filter->text) || contains(location, filter->text);
}

/* Without memory glibc says that nothing matches; only errno tells. */
static bool matches(const tacho_cli_filter *filter, tacho_str text)
{
    errno = 0;
    int code = regexec(&filter->regex, text.data, 0, NULL, 0);
    if (code != 0 && (code == REG_ESPACE || errno == ENOMEM)) {
        *filter->has_no_memory = true;
    }
    return code == 0;
}

static bool accepts_regex(const void *self, tacho_str name, tacho_str location)
{
    const tacho_cli_filter *filter = self;
    return matches(filter, name) || matches(filter, location);
}

static int compile_regex(tacho_cli_filter *filter, const tacho_arguments *arguments)
{
    tacho_str text = filter->text;
    char *pattern = calloc(text.len, 1); /* two slashes less, one NUL more */
    if (pattern == NULL) {
        return tacho_command_no_memory();
    }
    memcpy(pattern, text.data + 1, text.len - 2);
    int code = regcomp(&filter->regex, pattern, REG_EXTENDED | REG_NOSUB);
    free(pattern);
    filter->has_regex = code == 0;
    if (code == REG_ESPACE) {
        return tacho_command_no_memory();
    }
    if (code != 0) {
        char why[128];
        regerror(code, &filter->regex, why, sizeof(why));
        return tacho_command_misuse(arguments->command, "--filter: '%s': %s", text.data, why);
    }
    return TACHO_EXIT_DONE;
}

static int choose_filter(tacho_cli_selection *selection, const tacho_arguments *arguments)
{
    const char *value = tacho_arguments_value(arguments, "filter");
    tacho_cli_filter *filter = &selection->filter;
    if (value == NULL) {
        return TACHO_EXIT_DONE;
    }
    filter->text = tacho_str_from_cstring(value);
    filter->has_no_memory = &selection->has_no_memory;
    selection->events.names = (tacho_name_filter){accepts_text, filter, &selection->has_no_memory};
    if (filter->text.len > 2 && value[0] == '/' && value[filter->text.len - 1] == '/') {
        selection->events.names.accepts = accepts_regex;
        return compile_regex(filter, arguments);
    }
    return TACHO_EXIT_DONE;
}

int tacho_cli_selection_open(tacho_cli_selection *selection, const tacho_arguments *arguments)
{
    *selection = (tacho_cli_selection){.events = TACHO_SELECT_ALL};
    tacho_selection *events = &selection->events;
    const char *window = tacho_arguments_value(arguments, "window");
    if (window != NULL && !tacho_value_window(tacho_str_from_cstring(window),
                                              &events->window_begin_ns, &events->window_end_ns)) {
        return tacho_command_misuse(arguments->command,
                                    "--window: invalid range '%s'; expected A..B with A before B, "
                                    "in ns, us, ms or s, such as 10us..2ms",
                                    window);
    }
    const char *least = tacho_arguments_value(arguments, "min-duration");
    if (least != NULL &&
        !tacho_value_duration(tacho_str_from_cstring(least), &events->min_duration_ns)) {
        return tacho_command_misuse(
            arguments->command,
            "--min-duration: invalid duration '%s'; expected ns, us, ms or s, such as 5us", least);
    }
    return choose_filter(selection, arguments);
}

void tacho_cli_selection_close(tacho_cli_selection *selection)
{
    if (selection->filter.has_regex) {
        regfree(&selection->filter.regex);
    }
    selection->filter.has_regex = false;
}
