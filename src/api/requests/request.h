/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request as the functions that run it see it: options and words that were given, whom to tell,
 * and the results in the making. Each type of request is one constant struct; all are listed in
 * registry.c.
 */
#ifndef TACHO_API_REQUESTS_REQUEST_H
#define TACHO_API_REQUESTS_REQUEST_H

#include "base/input.h"
#include "base/notes.h"
#include "base/status.h"
#include "base/str.h"
#include "sinks/table_sink.h"
#include <pthread.h>
#include <tacho/request.h>

/* An option that was given, or a plain word. */
typedef struct tacho_given_item {
    const tacho_option *option; /* NULL for a word */
    const char *value;          /* of a flag: "" */
} tacho_given_item;

typedef struct tacho_request_type {
    const char *name;
    bool is_dropin; /* options are another tool's: the last value counts */
    bool runs_program;
    const tacho_option *options;
    size_t option_count;
    int (*run)(tacho_request *given); /* returns the outcome */
} tacho_request_type;

struct tacho_request {
    const tacho_request_type *type;
    tacho_given_item *items;
    size_t item_count, item_capacity;
    const char **words; /* NULL-terminated */
    size_t word_count, word_capacity;
    size_t divided_at; /* how many words belong to the first side; SIZE_MAX: it has one */
    bool is_quiet, is_verbose;
    tacho_listener listener;
    pthread_mutex_t lock;        /* of notes, which threads may send */
    tacho_notes notes;           /* go to the listener and the results */
    const tacho_notes *remarks;  /* the same unless it is quiet: NULL */
    tacho_status failure;        /* for whoever runs it */
    bool is_misuse;              /* it failed for an option or a word */
    tacho_request_progress told; /* label and unit of what goes on */
    _Atomic bool is_cancelled;
    tacho_table_taker keeper; /* puts tables into the results */
    tacho_results *results;
    tacho_arena arena; /* of values and words */
};

/* All types, NULL-terminated. */
extern const tacho_request_type *const tacho_request_types[];

/* ---- what was given ------------------------------------------------------------------------- */

/*
 * Fills |target|, the request's own struct, as its table of options has it; members whose options
 * were not given stay as they are. Returns false, and refuses the request, if a value is wrong.
 */
bool tacho_request_fill(tacho_request *given, void *target);

/* An integer from |least| to |most|; |*value| stays if the option is absent. */
bool tacho_request_number(tacho_request *given, const char *name, uint64_t least, uint64_t most,
                          uint64_t *value);

/* The values of an option, one after the other: |*at| is 0 at first; NULL after the last. */
const char *tacho_request_next(const tacho_request *given, const char *name, size_t *at);

/* The last value of an option (of a flag: ""), or NULL if it was not given. */
const char *tacho_request_value(const tacho_request *given, const char *name);

static inline bool tacho_request_has(const tacho_request *given, const char *name)
{
    return tacho_request_value(given, name) != NULL;
}

/* The first of |names| that was given, or NULL; the last of |names| is NULL. */
const char *tacho_request_find(const tacho_request *given, const char *const *names);

/* The name of the option that fills the member at |offset|; "" if none does. */
const char *tacho_request_option_name(const tacho_request *given, size_t offset);

/* Says which options were given that have no effect: their help begins so. */
#define TACHO_IGNORED "accepted for compatibility; no effect"
void tacho_request_say_ignored(const tacho_request *given);

/* ---- how it ends ---------------------------------------------------------------------------- */

/*
 * Refuses the request for what an option or a word asks for; returns TACHO_OUTCOME_USAGE. Names of
 * options in |format| are in braces: "{sort}", "{%s}".
 */
int tacho_request_misuse(tacho_request *given, const char *format, ...) TACHO_PRINTF(2, 3);

/* A failure whose |format| may have names in braces. */
tacho_status tacho_request_failure(const tacho_request *given, tacho_code code, const char *format,
                                   ...) TACHO_PRINTF(3, 4) TACHO_MUST_USE;

/* Fails with |status|, which is taken over, or drops it after another failure; the outcome. */
int tacho_request_fail(tacho_request *given, tacho_status status);

/* The same, or TACHO_OUTCOME_DONE if |status| is no failure. */
int tacho_request_end(tacho_request *given, tacho_status status);

/* After a failure to read the value of option |name|, the same as misuse. */
int tacho_request_check(tacho_request *given, const char *name, tacho_status status);

/* ---- what it says --------------------------------------------------------------------------- */

/* Passes |note| on to the listener, and keeps it in the results. */
void tacho_request_pass_note(tacho_request *given, const tacho_result_note *note);

/* A note whose |format| may have names in braces. */
void tacho_request_note(const tacho_request *given, const char *kind, const char *format, ...)
    TACHO_PRINTF(3, 4);

/* |status| and its notes as messages, the first of |kind|; frees it. */
void tacho_request_note_status(const tacho_request *given, const char *kind, tacho_status status);

/* Notes that wait, so that they follow what is written meanwhile. Zero-initialise. */
typedef struct tacho_held_notes {
    const tacho_request *given;
    struct {
        char kind[16], text[320], detail[64];
        tacho_hint_id hint;
    } items[8];
    size_t item_count;
} tacho_held_notes;

/* Notes that go to |held|; those beyond its room are passed on at once. */
tacho_notes tacho_request_hold(const tacho_request *given, tacho_held_notes *held);
void tacho_request_release(tacho_held_notes *held);

/*
 * Begins to tell how far |label| (NULL: nobody is told) has come, in |unit|s (NULL: bytes that are
 * read): fills |out_hook| for whoever does the work.
 */
void tacho_request_begin_progress(tacho_request *given, const char *label, const char *unit,
                                  tacho_progress *out_hook);
void tacho_request_end_progress(tacho_request *given);
/* What becomes true if the listener stops the request; NULL if it never does. */
const _Atomic bool *tacho_request_stop_flag(const tacho_request *given);
/* Shows |text| in place of numbers. */
void tacho_request_show_progress(const tacho_request *given, const char *text);

/* Where tables go that option |name| has no file for; NULL: they are kept in the results. */
const char *tacho_request_output(const tacho_request *given, const char *name);

/* Whether |path| names a file: not NULL, and not "-". */
static inline bool tacho_request_is_file(const char *path)
{
    return path != NULL && strcmp(path, "-") != 0;
}

/* Tables in the format of |sink| to |path|, and into the results unless a front end prints them. */
tacho_table_target tacho_request_target(const tacho_request *given, const tacho_table_sink *sink,
                                        const char *path);

#endif
