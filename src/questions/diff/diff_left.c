/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matches leftover operators, by layer and by place.
 */
#include "questions/diff/diff_left.h"

#include "base/grow.h"

#include <stdlib.h>

enum {
    LOOK_AHEAD = 64, /* consecutive operators searched for a renamed one */
    LAYER_FEW = 8,   /* in a layer of at most so few operators the match is clear */
};

/* ---- rows ---------------------------------------------------------------------------------- */

tacho_status tacho_left_add_row(tacho_diff_match *match, tacho_diff_kind kind, uint32_t *out_row)
{
    TACHO_TRY(tacho_grow(&match->kinds, &match->kind_capacity, match->kind_count + 1));
    *out_row = (uint32_t)match->kind_count;
    match->kinds[match->kind_count++] = kind;
    return TACHO_OK;
}

tacho_status tacho_left_pair(tacho_diff_match *match, uint32_t a, uint32_t b, tacho_diff_kind kind)
{
    uint32_t row = 0;
    TACHO_TRY(tacho_left_add_row(match, kind, &row));
    match->groups[0][a] = row;
    match->groups[1][b] = row;
    return TACHO_OK;
}

static void put_in_row(uint32_t *groups, const tacho_left_range *range, uint32_t row)
{
    for (size_t i = range->first; i < range->end; i++) {
        groups[range->list->items[i].op] = row;
    }
}

tacho_status tacho_left_group(tacho_diff_match *match, const tacho_left_range *a,
                              const tacho_left_range *b)
{
    uint32_t row = 0;
    tacho_diff_kind kind = tacho_left_length(a) > 1   ? TACHO_DIFF_MERGED
                           : tacho_left_length(b) > 1 ? TACHO_DIFF_SPLIT
                                                      : TACHO_DIFF_RENAMED;
    TACHO_TRY(tacho_left_add_row(match, kind, &row));
    put_in_row(match->groups[0], a, row);
    put_in_row(match->groups[1], b, row);
    return TACHO_OK;
}

/* Equal except for digits: "MatMul_12" and "MatMul_13". */
static bool is_same_but_digits(tacho_str a, tacho_str b)
{
    size_t i = 0;
    size_t k = 0;
    for (;;) {
        while (i < a.len && a.data[i] >= '0' && a.data[i] <= '9') {
            i++;
        }
        while (k < b.len && b.data[k] >= '0' && b.data[k] <= '9') {
            k++;
        }
        if (i == a.len || k == b.len) {
            return i == a.len && k == b.len;
        }
        if (a.data[i++] != b.data[k++]) {
            return false;
        }
    }
}

/* Whether one may be the renamed other: equal types, or names equal except for digits. */
static bool left_is_alike(const tacho_left_op *a, const tacho_left_op *b)
{
    bool has_type = a->type.len > 0 && !tacho_str_equal(a->type, a->name);
    return (has_type && tacho_str_equal(a->type, b->type)) || is_same_but_digits(a->name, b->name);
}

/* ---- one layer ----------------------------------------------------------------------------- */

static bool are_alike(const tacho_left_range *a, const tacho_left_range *b)
{
    for (size_t i = 0; i < tacho_left_length(a); i++) {
        if (!left_is_alike(&a->list->items[a->first + i], &b->list->items[b->first + i])) {
            return false;
        }
    }
    return true;
}

/* How many operators of |side| are in each layer, by string. */
static tacho_status count_layers(const tacho_samples *side, uint32_t **out_counts)
{
    TACHO_TRY(tacho_items_make(out_counts, side->strings.item_count));
    for (size_t i = 0; i < side->op_count; i++) {
        (*out_counts)[side->ops[i].layer]++;
    }
    return TACHO_OK;
}

/* Matches the leftover operators of one layer on both sides. */
static tacho_status group_layer(tacho_diff_match *match, const tacho_left_range *a,
                                const tacho_left_range *b, uint32_t *const counts[2])
{
    const tacho_sampled_op *ops[2] = {&match->sides[0]->ops[a->list->items[a->first].op],
                                      &match->sides[1]->ops[b->list->items[b->first].op]};
    bool is_small = counts[0][ops[0]->layer] <= LAYER_FEW && counts[1][ops[1]->layer] <= LAYER_FEW;
    if (is_small && (tacho_left_length(a) == 1 || tacho_left_length(b) == 1)) {
        return tacho_left_group(match, a, b);
    }
    if (tacho_left_length(a) != tacho_left_length(b) || !are_alike(a, b)) {
        return TACHO_OK;
    }
    for (size_t i = 0; i < tacho_left_length(a); i++) {
        TACHO_TRY(tacho_left_pair(match, a->list->items[a->first + i].op,
                                  b->list->items[b->first + i].op, TACHO_DIFF_RENAMED));
    }
    return TACHO_OK;
}

static size_t layer_end(const tacho_left_list *list, size_t at)
{
    size_t end = at;
    while (end < list->item_count &&
           tacho_str_equal(list->items[end].layer, list->items[at].layer)) {
        end++;
    }
    return end;
}

static tacho_status group_each_layer(tacho_diff_match *match, const tacho_left_list *a,
                                     const tacho_left_list *b, uint32_t *const counts[2])
{
    size_t i = 0;
    size_t k = 0;
    while (i < a->item_count && k < b->item_count) {
        int order = tacho_str_compare(a->items[i].layer, b->items[k].layer);
        size_t end_a = order <= 0 ? layer_end(a, i) : i;
        size_t end_b = order >= 0 ? layer_end(b, k) : k;
        if (order == 0 && a->items[i].layer.len > 0) {
            TACHO_TRY(group_layer(match, &(tacho_left_range){a, i, end_a},
                                  &(tacho_left_range){b, k, end_b}, counts));
        }
        i = end_a;
        k = end_b;
    }
    return TACHO_OK;
}

/* In the same layer: one operator that became one or several others, or equally many similar
 * ones. */
tacho_status tacho_left_group_layers(tacho_diff_match *match, tacho_left_list *a,
                                     tacho_left_list *b)
{
    uint32_t *counts[2] = {NULL, NULL};
    tacho_status status = count_layers(match->sides[0], &counts[0]);
    status = status == TACHO_OK ? count_layers(match->sides[1], &counts[1]) : status;
    status = status == TACHO_OK ? group_each_layer(match, a, b, counts) : status;
    free(counts[0]);
    free(counts[1]);
    return status;
}

/* ---- renamed ------------------------------------------------------------------------------- */

/* An operator with a partner: when it ran on its own side, and on side B. */
typedef struct anchor {
    uint32_t order, order_b;
} anchor;

static int compare_anchors(const void *left, const void *right)
{
    const anchor *a = left;
    const anchor *b = right;
    return (a->order > b->order) - (a->order < b->order);
}

static tacho_status list_anchors(const tacho_diff_match *match, size_t side, anchor **out_anchors,
                                 size_t *out_count)
{
    const tacho_samples *samples = match->sides[side];
    const tacho_samples *other = match->sides[1];
    uint32_t *order_b = NULL; /* by row */
    *out_count = 0;
    TACHO_TRY(tacho_items_make(&order_b, match->kind_count));
    for (size_t i = 0; i < other->op_count; i++) {
        if (match->groups[1][i] != TACHO_NONE) {
            order_b[match->groups[1][i]] = other->ops[i].order;
        }
    }
    tacho_status status = tacho_items_make(out_anchors, samples->op_count);
    for (size_t i = 0; i < samples->op_count && status == TACHO_OK; i++) {
        if (match->groups[side][i] != TACHO_NONE) {
            (*out_anchors)[(*out_count)++] =
                (anchor){samples->ops[i].order, order_b[match->groups[side][i]]};
        }
    }
    free(order_b);
    if (status == TACHO_OK && *out_count > 0) {
        qsort(*out_anchors, *out_count, sizeof(**out_anchors), compare_anchors);
    }
    return status;
}

static int compare_gaps(const void *left, const void *right)
{
    const tacho_left_op *a = left;
    const tacho_left_op *b = right;
    return a->gap != b->gap ? (a->gap < b->gap ? -1 : 1)
                            : (a->order > b->order) - (a->order < b->order);
}

/* Finds, for each operator without a partner, the last operator before it that has one. */
static tacho_status find_gaps(const tacho_diff_match *match, size_t side, tacho_left_list *list)
{
    anchor *anchors = NULL;
    size_t count = 0;
    tacho_status status = list_anchors(match, side, &anchors, &count);
    for (size_t i = 0; i < list->item_count && status == TACHO_OK; i++) {
        size_t low = 0;
        size_t high = count;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (anchors[middle].order < list->items[i].order) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        list->items[i].gap = low > 0 ? anchors[low - 1].order_b + 1 : 0;
    }
    free(anchors);
    if (status == TACHO_OK) {
        qsort(list->items, list->item_count, sizeof(*list->items), compare_gaps);
    }
    return status;
}

tacho_status tacho_left_pair_in_gaps(tacho_diff_match *match, tacho_left_list *a,
                                     tacho_left_list *b)
{
    TACHO_TRY(find_gaps(match, 0, a));
    TACHO_TRY(find_gaps(match, 1, b));
    size_t first = 0;
    for (size_t i = 0; i < a->item_count; i++) {
        const tacho_left_op *op = &a->items[i];
        while (first < b->item_count && b->items[first].gap < op->gap) {
            first++;
        }
        for (size_t k = first; k < b->item_count && k < first + LOOK_AHEAD; k++) {
            if (b->items[k].gap != op->gap) {
                break;
            }
            if (match->groups[1][b->items[k].op] == TACHO_NONE && left_is_alike(op, &b->items[k])) {
                TACHO_TRY(tacho_left_pair(match, op->op, b->items[k].op, TACHO_DIFF_RENAMED));
                first = k + 1;
                break;
            }
        }
    }
    return TACHO_OK;
}
