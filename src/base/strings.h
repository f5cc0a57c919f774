/* SPDX-License-Identifier: Apache-2.0 */
/*
 * String table: every distinct string once, named by a 32-bit id in order of first appearance.
 * Id 0 is always the empty string.
 *
 * A string of n bytes takes n + 10 bytes and its share of the index (16 to 32 bytes), which
 * tacho_strings_pack gives back once a table is complete.
 */
#ifndef TACHO_BASE_STRINGS_H
#define TACHO_BASE_STRINGS_H

#include "base/arena.h"
#include "base/index.h"

/* The byte before a text is its length; this value: the length is before that byte. */
enum { TACHO_STRINGS_LONG = 255 };

typedef struct tacho_strings {
    tacho_arena arena;
    tacho_index index;  /* no slots while it is packed */
    const char **items; /* the length precedes each text, see tacho_strings_get */
    size_t item_count;
    size_t item_capacity;
} tacho_strings;

tacho_status tacho_strings_init(tacho_strings *strings) TACHO_MUST_USE;
void tacho_strings_deinit(tacho_strings *strings);

/* The id of |text|, which is copied if it is new. */
tacho_status tacho_strings_ensure(tacho_strings *strings, tacho_str text,
                                  uint32_t *out_id) TACHO_MUST_USE;

/* The id of |text|, or TACHO_NONE. In a packed table every string is looked at. */
uint32_t tacho_strings_find(const tacho_strings *strings, tacho_str text);

/*
 * Frees the index for adding and finding strings; the next tacho_strings_ensure makes it again.
 */
void tacho_strings_pack(tacho_strings *strings);

/* The string of |id|; stays good for the table's life, NUL-terminated. */
static inline tacho_str tacho_strings_get(const tacho_strings *strings, uint32_t id)
{
    const char *text = strings->items[id];
    size_t len = (unsigned char)text[-1];
    if (len == TACHO_STRINGS_LONG) {
        memcpy(&len, text - 1 - sizeof(len), sizeof(len));
    }
    return tacho_str_make(text, len);
}

#endif
