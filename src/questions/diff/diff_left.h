/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators that no matching step has found a partner for yet, and the steps in diff_left.c.
 */
#ifndef TACHO_QUESTIONS_DIFF_DIFF_LEFT_H
#define TACHO_QUESTIONS_DIFF_DIFF_LEFT_H

#include "questions/diff/diff_match.h"

typedef struct tacho_left_op {
    uint32_t op;
    uint32_t order;
    uint32_t gap; /* the order, on side B, of the last operator before it that has a partner */
    tacho_str name, type, location, layer;
} tacho_left_op;

typedef struct tacho_left_list {
    tacho_left_op *items;
    size_t item_count;
} tacho_left_list;

/* Operators [first, end) of a list. */
typedef struct tacho_left_range {
    const tacho_left_list *list;
    size_t first, end;
} tacho_left_range;

static inline size_t tacho_left_length(const tacho_left_range *range)
{
    return range->end - range->first;
}

/* A new row of |kind|, without operators. */
tacho_status tacho_left_add_row(tacho_diff_match *match, tacho_diff_kind kind,
                                uint32_t *out_row) TACHO_MUST_USE;

/* Operator |a| of side A is |b| of side B. */
tacho_status tacho_left_pair(tacho_diff_match *match, uint32_t a, uint32_t b,
                             tacho_diff_kind kind) TACHO_MUST_USE;

/* The operators |a| became |b|; one of the ranges is a single operator. */
tacho_status tacho_left_group(tacho_diff_match *match, const tacho_left_range *a,
                              const tacho_left_range *b) TACHO_MUST_USE;

/*
 * Matching steps. Layers, in lists by layer and order: in a layer that both sides have, one
 * operator that became one or several others, or equally many similar ones. Gaps: similar operators
 * between the same matched neighbours.
 */
tacho_status tacho_left_group_layers(tacho_diff_match *match, tacho_left_list *a,
                                     tacho_left_list *b) TACHO_MUST_USE;
tacho_status tacho_left_pair_in_gaps(tacho_diff_match *match, tacho_left_list *a,
                                     tacho_left_list *b) TACHO_MUST_USE;

#endif
