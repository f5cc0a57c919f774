/* SPDX-License-Identifier: Apache-2.0 */
/*
 * String table: every distinct string once, named by a 32-bit id in order of first appearance.
 * Id 0 is always the empty string.
 */
#ifndef TACHO_BASE_STRINGS_H
#define TACHO_BASE_STRINGS_H

#include "base/arena.h"
#include "base/index.h"

typedef struct tacho_strings {
    tacho_arena arena;
    tacho_index index;
    tacho_str *items;
    size_t item_count;
    size_t item_capacity;
} tacho_strings;

tacho_status tacho_strings_init(tacho_strings *strings) TACHO_MUST_USE;
void tacho_strings_deinit(tacho_strings *strings);

/* The id of |text|, which is copied if it is new. */
tacho_status tacho_strings_ensure(tacho_strings *strings, tacho_str text,
                                  uint32_t *out_id) TACHO_MUST_USE;

/* The id of |text|, or TACHO_NONE. */
uint32_t tacho_strings_find(const tacho_strings *strings, tacho_str text);

/* The string of |id|; stays good for the table's life, NUL-terminated. */
static inline tacho_str tacho_strings_get(const tacho_strings *strings, uint32_t id)
{
    return strings->items[id];
}

#endif
