/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most notes are short; a long one is truncated when out of memory.
 */
#include "base/notes.h"

#include <stdio.h>
#include <stdlib.h>

enum { SHORT_MAX = 512 };

static void say(const tacho_notes *notes, tacho_hint hint, const char *kind, const char *format,
                va_list arguments) TACHO_PRINTF(4, 0);

static void say(const tacho_notes *notes, tacho_hint hint, const char *kind, const char *format,
                va_list arguments)
{
    char text[SHORT_MAX];
    char *all = NULL;
    va_list again;
    va_copy(again, arguments);
    int len = vsnprintf(text, sizeof(text), format, arguments);
    if (len >= SHORT_MAX) {
        all = malloc((size_t)len + 1);
    }
    if (all != NULL) {
        vsnprintf(all, (size_t)len + 1, format, again);
    }
    notes->take(notes->self, kind, all != NULL ? all : text, hint);
    va_end(again);
    free(all);
}

void tacho_note_list(const tacho_notes *notes, const char *kind, const char *format,
                     va_list arguments)
{
    if (notes != NULL) {
        say(notes, (tacho_hint){TACHO_HINT_NONE, ""}, kind, format, arguments);
    }
}

void tacho_note(const tacho_notes *notes, const char *kind, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tacho_note_list(notes, kind, format, arguments);
    va_end(arguments);
}

void tacho_note_hint(const tacho_notes *notes, tacho_hint hint, const char *kind,
                     const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (notes != NULL) {
        say(notes, hint, kind, format, arguments);
    }
    va_end(arguments);
}
