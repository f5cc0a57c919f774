/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --window, --min-duration and --filter: the events that a verb reads, the same for all verbs.
 */
#ifndef TACHO_CLI_SELECTION_H
#define TACHO_CLI_SELECTION_H

#include "cli/command.h"
#include "profile/text_filter.h"

typedef struct tacho_cli_selection {
    tacho_selection events;
    tacho_text_filter filter;
} tacho_cli_selection;

/*
 * Reads the options, those that the verb has. Prints what is wrong, and returns TACHO_EXIT_DONE or
 * the exit status of a command that cannot run. |selection| stays where it is; close it in any
 * case.
 */
int tacho_cli_selection_open(tacho_cli_selection *selection, const tacho_arguments *arguments);
void tacho_cli_selection_close(tacho_cli_selection *selection);

/* --filter alone, of a command that lists operators: |out_names| stays as it is without it. */
int tacho_cli_filter_open(tacho_text_filter *filter, const tacho_arguments *arguments,
                          tacho_name_filter *out_names);

#define TACHO_OPTION_OPERATORS(what)                                                               \
    TACHO_OPT_VALUE("filter", 0, "TEXT|/REGEX/",                                                   \
                    "only operators whose " what                                                   \
                    " contains TEXT, or matches the extended regular "                             \
                    "expression between slashes")

#endif
