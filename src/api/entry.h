/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What public calls do around their work. A library runs in programs that it does not know: their
 * locale may write 1,5 for 1.5, which no trace format reads. A call that reads or writes files
 * therefore works in the locale "C", on its own thread only, and gives the program's back.
 */
#ifndef TACHO_API_ENTRY_H
#define TACHO_API_ENTRY_H

#include <locale.h>

typedef struct tacho_entry {
    locale_t own;
    locale_t before;
} tacho_entry;

tacho_entry tacho_entry_begin(void);
void tacho_entry_end(tacho_entry entry);

/* Hands a note to the caller's |note|, made printable. */
void tacho_entry_note(void (*note)(void *user, const char *kind, const char *text), void *user,
                      const char *kind, const char *text);

#endif
