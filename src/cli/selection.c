/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows, durations and names from the command line.
 */
#include "cli/selection.h"

#include "base/duration.h"

int tacho_cli_filter_open(tacho_text_filter *filter, const tacho_arguments *arguments,
                          tacho_name_filter *out_names)
{
    const char *text = tacho_arguments_value(arguments, "filter");
    if (text == NULL) {
        return TACHO_EXIT_DONE;
    }
    tacho_status status = tacho_text_filter_open(filter, text);
    *out_names = tacho_text_filter_names(filter);
    return tacho_command_check(arguments->command, "filter", status);
}

int tacho_cli_selection_open(tacho_cli_selection *selection, const tacho_arguments *arguments)
{
    *selection = (tacho_cli_selection){.events = TACHO_SELECT_ALL};
    tacho_selection *events = &selection->events;
    const char *window = tacho_arguments_value(arguments, "window");
    if (window != NULL && !tacho_window_parse(tacho_str_from_cstring(window),
                                              &events->window_begin_ns, &events->window_end_ns)) {
        return tacho_command_misuse(arguments->command,
                                    "--window: invalid range '%s'; expected A..B with A before B, "
                                    "in ns, us, ms or s, such as 10us..2ms",
                                    window);
    }
    const char *least = tacho_arguments_value(arguments, "min-duration");
    if (least != NULL &&
        !tacho_duration_parse(tacho_str_from_cstring(least), &events->min_duration_ns)) {
        return tacho_command_misuse(
            arguments->command,
            "--min-duration: invalid duration '%s'; expected ns, us, ms or s, such as 5us", least);
    }
    return tacho_cli_filter_open(&selection->filter, arguments, &events->names);
}

void tacho_cli_selection_close(tacho_cli_selection *selection)
{
    tacho_text_filter_close(&selection->filter);
}
