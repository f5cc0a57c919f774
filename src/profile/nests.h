/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the parent of a span: the span that directly contains it. Spans nest only on tracks of
 * calls. Moments, and phases that are drawn around the work of others, neither contain nor are
 * contained; nor is a span that crosses the one around it.
 */
#ifndef TACHO_PROFILE_NESTS_H
#define TACHO_PROFILE_NESTS_H

#include "profile/events.h"

/* A span that is open around the next spans of its track. */
typedef struct tacho_nest_open {
    int64_t end;
    uint32_t span;
} tacho_nest_open;

typedef struct tacho_nest_stack {
    tacho_nest_open *items;
    size_t item_count, item_capacity;
} tacho_nest_stack;

/* All zero but the dictionary at first: the category "" is not a phase. */
typedef struct tacho_nests {
    const tacho_dict *dict;
    uint32_t last_category;   /* string, and ... */
    bool is_last_phase;       /* ... whether its spans are phases */
    tacho_nest_stack *stacks; /* by track */
    size_t stack_count, stack_capacity;
} tacho_nests;

void tacho_nests_deinit(tacho_nests *nests);

/* Adds the next span of its track, called |span|; the parent is TACHO_NONE when it has none. */
tacho_status tacho_nests_push(tacho_nests *nests, const tacho_row *row, uint32_t span,
                              uint32_t *out_parent) TACHO_MUST_USE;

#endif
