/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes: messages for people although nothing has failed. Rooms of the library send them here; the
 * caller decides whether they are printed, kept or dropped.
 */
#ifndef TACHO_BASE_NOTES_H
#define TACHO_BASE_NOTES_H

#include "base/attributes.h"
#include <tacho/hint.h>

#include <stdarg.h>

typedef struct tacho_notes {
    /*
     * |kind| is "note", "warning" or "wrote"; |hint| is the remedy, perhaps TACHO_HINT_NONE. Texts
     * are good until it returns.
     */
    void (*take)(void *self, const char *kind, const char *text, tacho_hint hint);
    void *self;
} tacho_notes;

/* Sends a note to |notes|; does nothing if that is NULL. */
void tacho_note(const tacho_notes *notes, const char *kind, const char *format, ...)
    TACHO_PRINTF(3, 4);

/* The same with the arguments in a list. */
void tacho_note_list(const tacho_notes *notes, const char *kind, const char *format,
                     va_list arguments) TACHO_PRINTF(3, 0);

/* The same with a hint. */
void tacho_note_hint(const tacho_notes *notes, tacho_hint hint, const char *kind,
                     const char *format, ...) TACHO_PRINTF(4, 5);

#endif
