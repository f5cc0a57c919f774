/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most notes are short; one that is not is cut where there is no memory for it.
 */
#include "base/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHORT_MAX = 512 };

void tacho_note(const tacho_notes *notes, const char *kind, const char *format, ...)
{
    char text[SHORT_MAX];
    char *all = NULL;
    va_list arguments, again;
    if (notes == NULL) {
        return;
    }
    va_start(arguments, format);
    va_copy(again, arguments);
    int len = vsnprintf(text, sizeof(text), format, arguments);
    if (len >= SHORT_MAX) {
        all = malloc((size_t)len + 1);
    }
    if (all != NULL) {
        vsnprintf(all, (size_t)len + 1, format, again);
    }
    notes->take(notes->self, kind, all != NULL ? all : text);
    va_end(again);
    va_end(arguments);
    free(all);
}
