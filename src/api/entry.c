/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The locale of a thread is a thread's own; that of the process stays as it is.
 */
#include "api/entry.h"

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
