/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --window, --min-duration and --filter: the events that a verb reads, the same for all verbs.
 */
#ifndef TACHO_CLI_SELECTION_H
#define TACHO_CLI_SELECTION_H

#include "cli/command.h"
#include "profile/dict.h"
#include "profile/select.h"

#include <regex.h>

/* A filter of names: text to find, or an extended regular expression. */
typedef struct tacho_cli_filter {
    tacho_str text;
    regex_t regex;
    bool has_regex;
    bool *has_no_memory; /* set when it could not be told whether a name matches */
} tacho_cli_filter;

typedef struct tacho_cli_selection {
    tacho_selection events;
    tacho_cli_filter filter;
    bool has_no_memory;
} tacho_cli_selection;

/*
 * Reads the options, those that the verb has. Prints what is wrong, and returns TACHO_EXIT_DONE or
 * the exit status of a command that cannot run. |selection| stays where it is; close it in any
 * case.
 */
int tacho_cli_selection_open(tacho_cli_selection *selection, const tacho_arguments *arguments);
void tacho_cli_selection_close(tacho_cli_selection *selection);

#endif
