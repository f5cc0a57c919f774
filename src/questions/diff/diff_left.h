/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators that no step of the matching has found a partner for yet, and the steps that have a
 * file of their own.
 */
#ifndef TACHO_QUESTIONS_DIFF_DIFF_LEFT_H
#define TACHO_QUESTIONS_DIFF_DIFF_LEFT_H

#include "questions/diff/diff_match.h"

typedef struct tacho_left_op {
    uint32_t op;
    uint32_t order;
    uint32_t gap; /* the order, on side B, of the last operator ahead of it that has a partner */
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

/* What was |a| is |b| now; one of them is one operator. */
tacho_status tacho_left_group(tacho_diff_match *match, const tacho_left_range *a,
                              const tacho_left_range *b) TACHO_MUST_USE;

/* Whether one may be the other's new name: of one type, or of one name but for digits. */
bool tacho_left_is_alike(const tacho_left_op *a, const tacho_left_op *b);

/*
 * Steps. Layers, in lists by layer and order: in a layer that both sides have, one operator that
 * became one or several others, or as many that are alike. Gaps: between operators that have
 * partners, those that are alike.
 */
tacho_status tacho_left_group_layers(tacho_diff_match *match, tacho_left_list *a,
                                     tacho_left_list *b) TACHO_MUST_USE;
tacho_status tacho_left_pair_in_gaps(tacho_diff_match *match, tacho_left_list *a,
                                     tacho_left_list *b) TACHO_MUST_USE;

#endif
