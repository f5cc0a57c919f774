/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Talk: everything the program says to a person goes to standard error through here, made safe
 * for a terminal. Standard output is for data.
 */
#ifndef TACHO_CLI_TALK_H
#define TACHO_CLI_TALK_H

#include "cli/command.h"

#include <stdio.h>

/* "tacho: <kind>: <text>". */
void tacho_talk(const char *kind, const char *format, ...) TACHO_CLI_PRINTF(2, 3);

/* Prints |text| with control characters made visible. */
void tacho_talk_print_safe(const char *text, FILE *to);

/* A note of a request, and what can be done about it in the words of |dialect|; NULL: tacho's. */
void tacho_talk_note(const tacho_hint_dialect *dialect, const tacho_result_note *note);

/* Prints a failure with its notes and frees it. */
void tacho_talk_failure(const tacho_hint_dialect *dialect, tacho_status status);

/* A clock for durations. */
int64_t tacho_talk_now_ns(void);

/* Prints the time since |started_ns| and the memory that was used. */
void tacho_talk_cost(int64_t started_ns);

/* A progress line that appears when work takes long and standard error is a terminal. */
typedef struct tacho_talk_progress {
    const char *label; /* of what goes on */
    bool is_shown;
    int64_t started_ns;
    int64_t updated_ns;
} tacho_talk_progress;

/* Shows how far a request has come. */
void tacho_talk_progress_update(tacho_talk_progress *progress, const tacho_request_progress *told);

/* Removes the line. */
void tacho_talk_progress_end(tacho_talk_progress *progress);

#endif
