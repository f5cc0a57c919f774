/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Talk: everything the program says to a person goes to standard error through here, made safe
 * for a terminal. Standard output is for data.
 */
#ifndef TACHO_CLI_TALK_H
#define TACHO_CLI_TALK_H

#include "base/input.h"
#include "base/notes.h"
#include "profile/dict.h"

/* How much is said: errors and losses always are. */
typedef enum tacho_talk_level {
    TACHO_TALK_QUIET,
    TACHO_TALK_NORMAL,
    TACHO_TALK_VERBOSE,
} tacho_talk_level;

/* "tacho: <kind>: <text>". */
void tacho_talk(const char *kind, const char *format, ...) TACHO_PRINTF(2, 3);

/* "tacho: <kind>: <text>" of what other rooms have to say. */
extern const tacho_notes tacho_talk_notes;

typedef struct tacho_hint_dialect tacho_hint_dialect; /* cli/hints.h */

/* Notes that wait, so that they stand below what is written meanwhile. Zero-initialise. */
typedef struct tacho_talk_held {
    struct {
        char kind[16], text[320], detail[64];
        tacho_hint_id hint;
    } items[8];
    size_t item_count;
} tacho_talk_held;

/* Notes that go to |held|; those beyond its room are printed at once. */
tacho_notes tacho_talk_hold(tacho_talk_held *held);

/* Prints what was held. */
void tacho_talk_release(tacho_talk_held *held);

/* Prints a failure with its notes and frees it; returns the exit code that fits it. */
int tacho_talk_failure(tacho_status status);
int tacho_talk_failure_in(const tacho_hint_dialect *dialect, tacho_status status);

/* Prints why one input of several is left out, and frees it. */
void tacho_talk_skipped(tacho_status status);

/* Prints one line per part and reason of loss. */
void tacho_talk_losses(const tacho_dict *dict);

/* Prints one line per part: its format and how many events were read. */
void tacho_talk_inputs(const tacho_dict *dict);

/* A clock for durations. */
int64_t tacho_talk_now_ns(void);

/* Prints the time since |started_ns| and the memory that was used. */
void tacho_talk_cost(int64_t started_ns);

/* A progress line that appears when work takes long and standard error is a terminal. */
typedef struct tacho_talk_progress {
    const char *label;
    const char *unit; /* of what is counted; NULL: bytes that are read */
    bool is_enabled;
    bool is_shown;
    int64_t started_ns;
    int64_t updated_ns;
} tacho_talk_progress;

/* Fills |out_hook| for base/input; |is_quiet| keeps it silent. */
void tacho_talk_progress_init(tacho_talk_progress *progress, const char *label, bool is_quiet,
                              tacho_progress *out_hook);

/* tacho_talk_notes that remove the line first. */
tacho_notes tacho_talk_progress_notes(tacho_talk_progress *progress);

/*
 * Shows |text| as the state of things: on a terminal in place of the last one, in one line that is
 * cut where the terminal ends; elsewhere as a line of its own.
 */
void tacho_talk_progress_show(tacho_talk_progress *progress, const char *text);

/* Removes the line. */
void tacho_talk_progress_end(tacho_talk_progress *progress);

#endif
