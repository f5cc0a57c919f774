/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes: what a person should know although nothing has failed. Rooms of the library say it through
 * this; whoever called decides whether it is printed, kept or dropped.
 */
#ifndef TACHO_BASE_NOTES_H
#define TACHO_BASE_NOTES_H

#include "base/attributes.h"

typedef struct tacho_notes {
    /* |kind| is "note", "warning" or "wrote"; |text| is good until it returns. */
    void (*take)(void *self, const char *kind, const char *text);
    void *self;
} tacho_notes;

/* Says it to |notes|; to nobody where that is NULL. */
void tacho_note(const tacho_notes *notes, const char *kind, const char *format, ...)
    TACHO_PRINTF(3, 4);

#endif
