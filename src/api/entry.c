/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The locale of a thread is a thread's own; that of the process stays as it is.
 */
#include "api/entry.h"

#include "base/arena.h"
#include "base/utf8.h"

tacho_entry tacho_entry_begin(void)
{
    tacho_entry entry = {.own = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    if (entry.own != (locale_t)0) {
        entry.before = uselocale(entry.own);
    }
    return entry;
}

void tacho_entry_end(tacho_entry entry)
{
    if (entry.own != (locale_t)0) {
        uselocale(entry.before);
        freelocale(entry.own);
    }
}

void tacho_entry_note(void (*note)(void *user, const char *kind, const char *text), void *user,
                      const char *kind, const char *text)
{
    tacho_str printable;
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status = tacho_utf8_printable(tacho_str_from_cstring(text), &arena, &printable);
    if (status == TACHO_OK) {
        note(user, kind, printable.data);
    }
    tacho_status_free(status); /* without memory there is no note */
    tacho_arena_deinit(&arena);
}
