/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --window, --min-duration and --filter: the events that a verb reads, the same for all verbs.
 */
#ifndef TACHO_API_REQUESTS_SELECTION_H
#define TACHO_API_REQUESTS_SELECTION_H

#include "api/requests/options.h"
#include "profile/text_filter.h"

typedef struct tacho_request_selection {
    tacho_selection events;
    tacho_text_filter filter;
} tacho_request_selection;

/*
 * Reads the options, those that the verb has. Prints what is wrong, and returns TACHO_OUTCOME_DONE
 * or the exit status of a command that cannot run. |selection| stays where it is; close it in any
 * case.
 */
int tacho_request_selection_open(tacho_request_selection *selection, tacho_request *given);
void tacho_request_selection_close(tacho_request_selection *selection);

/* --filter alone, of a command that lists operators: |out_names| stays as it is without it. */
int tacho_request_filter_open(tacho_text_filter *filter, tacho_request *given,
                              tacho_name_filter *out_names);

#define TACHO_OPTION_OPERATORS(what)                                                               \
    TACHO_OPT_VALUE("filter", 0, "TEXT|/REGEX/",                                                   \
                    "only operators whose " what                                                   \
                    " contains TEXT, or matches the extended regular "                             \
                    "expression between slashes")

#endif
