/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes: what a person should know although nothing has failed. Rooms of the library say it through
 * this; whoever called decides whether it is printed, kept or dropped.
 */
#ifndef TACHO_BASE_NOTES_H
#define TACHO_BASE_NOTES_H

#include "base/attributes.h"
#include "base/hint.h"

#include <stdarg.h>

typedef struct tacho_notes {
    /*
     * |kind| is "note", "warning" or "wrote"; |hint| is what can be done about it, perhaps
     * TACHO_HINT_NONE. Texts are good until it returns.
     */
    void (*take)(void *self, const char *kind, const char *text, tacho_hint hint);
    void *self;
} tacho_notes;

/* Says it to |notes|; does nothing if that is NULL. */
void tacho_note(const tacho_notes *notes, const char *kind, const char *format, ...)
    TACHO_PRINTF(3, 4);

/* The same with the arguments in a list. */
void tacho_note_list(const tacho_notes *notes, const char *kind, const char *format,
                     va_list arguments) TACHO_PRINTF(3, 0);

/* The same of what can be done something about. */
void tacho_note_hint(const tacho_notes *notes, tacho_hint hint, const char *kind,
                     const char *format, ...) TACHO_PRINTF(4, 5);

#endif
