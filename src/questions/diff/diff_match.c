/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each step visits only the operators that earlier steps left, in lists sorted by the key that the
 * step compares; no step visits every pair.
 */
#include "questions/diff/diff_match.h"

#include "questions/diff/diff_left.h"
#include "base/grow.h"

#include <stdlib.h>

const char *tacho_diff_kind_word(tacho_diff_kind kind)
{
    static const char *const words[] = {
#define TACHO_DIFF_KIND_WORD(id, word) word,
        TACHO_DIFF_KINDS(TACHO_DIFF_KIND_WORD)
#undef TACHO_DIFF_KIND_WORD
    };
    return words[kind];
}

/* ---- names and locations ------------------------------------------------------------------- */

/* The operator of |samples| with name, location and layer of |op|, which is one of |other|. */
static uint32_t find_op(const tacho_samples *samples, const tacho_samples *other,
                        const tacho_sampled_op *op)
{
    const uint32_t strings[3] = {op->name, op->location, op->layer};
    uint32_t key[3];
    for (size_t i = 0; i < 3; i++) {
        key[i] =
            tacho_strings_find(&samples->strings, tacho_strings_get(&other->strings, strings[i]));
        if (key[i] == TACHO_NONE) {
            return TACHO_NONE;
        }
    }
    uint32_t hash =
        tacho_index_hash(&samples->index, tacho_str_make((const char *)key, sizeof(key)));
    size_t at = tacho_index_begin(&samples->index, hash);
    for (uint32_t id; (id = tacho_index_next(&samples->index, hash, &at)) != TACHO_NONE;) {
        const tacho_sampled_op *found = &samples->ops[id];
        if (found->name == key[0] && found->location == key[1] && found->layer == key[2]) {
            return id;
        }
    }
    return TACHO_NONE;
}

static tacho_status match_exactly(tacho_diff_match *match)
{
    const tacho_samples *side = match->sides[0];
    for (uint32_t i = 0; i < side->op_count; i++) {
        uint32_t other = find_op(match->sides[1], side, &side->ops[i]);
        if (other != TACHO_NONE) {
            TACHO_TRY(tacho_left_pair(match, i, other, TACHO_DIFF_SAME));
        }
    }
    return TACHO_OK;
}

/* ---- leftover operators
 * -------------------------------------------------------------------------- */

static tacho_status list_left(const tacho_diff_match *match, size_t side, tacho_left_list *out_list)
{
    const tacho_samples *samples = match->sides[side];
    *out_list = (tacho_left_list){0};
    TACHO_TRY(tacho_items_make(&out_list->items, samples->op_count));
    for (uint32_t i = 0; i < samples->op_count; i++) {
        const tacho_sampled_op *op = &samples->ops[i];
        if (match->groups[side][i] == TACHO_NONE) {
            out_list->items[out_list->item_count++] = (tacho_left_op){
                .op = i,
                .order = op->order,
                .name = tacho_strings_get(&samples->strings, op->name),
                .type = tacho_strings_get(&samples->strings, op->type),
                .location = tacho_strings_get(&samples->strings, op->location),
                .layer = tacho_strings_get(&samples->strings, op->layer),
            };
        }
    }
    return TACHO_OK;
}

static int compare_orders(const tacho_left_op *a, const tacho_left_op *b)
{
    return (a->order > b->order) - (a->order < b->order);
}

static int compare_names(const void *left, const void *right)
{
    int order = tacho_str_compare(((const tacho_left_op *)left)->name,
                                  ((const tacho_left_op *)right)->name);
    return order != 0 ? order : compare_orders(left, right);
}

static int compare_locations(const void *left, const void *right)
{
    int order = tacho_str_compare(((const tacho_left_op *)left)->location,
                                  ((const tacho_left_op *)right)->location);
    return order != 0 ? order : compare_orders(left, right);
}

static int compare_layers(const void *left, const void *right)
{
    int order = tacho_str_compare(((const tacho_left_op *)left)->layer,
                                  ((const tacho_left_op *)right)->layer);
    return order != 0 ? order : compare_orders(left, right);
}

static int compare_names_in_layers(const void *left, const void *right)
{
    int order = tacho_str_compare(((const tacho_left_op *)left)->layer,
                                  ((const tacho_left_op *)right)->layer);
    return order != 0 ? order : compare_names(left, right);
}

/* A step over the leftover operators of both sides, in the order of |compare|. */
typedef tacho_status (*left_step)(tacho_diff_match *match, tacho_left_list *a, tacho_left_list *b);

static tacho_status with_left(tacho_diff_match *match, int (*compare)(const void *, const void *),
                              left_step step)
{
    tacho_left_list lists[2] = {{0}, {0}};
    tacho_status status = list_left(match, 0, &lists[0]);
    status = status == TACHO_OK ? list_left(match, 1, &lists[1]) : status;
    if (status == TACHO_OK && lists[0].item_count > 0 && lists[1].item_count > 0) {
        for (size_t i = 0; i < 2 && compare != NULL; i++) {
            qsort(lists[i].items, lists[i].item_count, sizeof(tacho_left_op), compare);
        }
        status = step(match, &lists[0], &lists[1]);
    }
    free(lists[0].items);
    free(lists[1].items);
    return status;
}

/* The end of the operators with the same name as the one at |at|, and how many of them have a
 * layer. */
static size_t name_end(const tacho_left_list *list, size_t at, size_t *out_layered_count)
{
    size_t end = at;
    *out_layered_count = 0;
    while (end < list->item_count && tacho_str_equal(list->items[end].name, list->items[at].name)) {
        *out_layered_count += list->items[end].layer.len > 0 ? 1 : 0;
        end++;
    }
    return end;
}

static tacho_status leave_alone(tacho_diff_match *match, size_t side, const tacho_left_range *range)
{
    tacho_diff_kind kind = side == 0 ? TACHO_DIFF_REMOVED : TACHO_DIFF_NEW;
    for (size_t i = range->first; i < range->end; i++) {
        uint32_t op = range->list->items[i].op;
        TACHO_TRY(tacho_left_add_row(match, kind, &match->groups[side][op]));
    }
    return TACHO_OK;
}

/*
 * The same name in any place, the first with the first. A kernel without a layer cannot be assigned
 * to one of several layers, so operators in these have no counterpart.
 */
static tacho_status pair_names(tacho_diff_match *match, tacho_left_list *a, tacho_left_list *b)
{
    size_t i = 0;
    size_t k = 0;
    while (i < a->item_count && k < b->item_count) {
        int order = tacho_str_compare(a->items[i].name, b->items[k].name);
        size_t layered[2];
        size_t end_a = name_end(a, i, &layered[0]);
        size_t end_b = name_end(b, k, &layered[1]);
        bool is_unclear = (layered[0] == 0) != (layered[1] == 0) && end_a - i != end_b - k;
        if (order == 0 && is_unclear) {
            TACHO_TRY(leave_alone(match, 0, &(tacho_left_range){a, i, end_a}));
            TACHO_TRY(leave_alone(match, 1, &(tacho_left_range){b, k, end_b}));
        }
        for (size_t n = 0; order == 0 && !is_unclear && i + n < end_a && k + n < end_b; n++) {
            TACHO_TRY(
                tacho_left_pair(match, a->items[i + n].op, b->items[k + n].op, TACHO_DIFF_SAME));
        }
        i = order <= 0 ? end_a : i;
        k = order >= 0 ? end_b : k;
    }
    return TACHO_OK;
}

/* The same name in the same layer, the first with the first. */
static tacho_status pair_names_in_layers(tacho_diff_match *match, tacho_left_list *a,
                                         tacho_left_list *b)
{
    size_t i = 0;
    size_t k = 0;
    while (i < a->item_count && k < b->item_count) {
        int order = tacho_str_compare(a->items[i].layer, b->items[k].layer);
        order = order != 0 ? order : tacho_str_compare(a->items[i].name, b->items[k].name);
        if (order == 0 && a->items[i].layer.len > 0) {
            TACHO_TRY(tacho_left_pair(match, a->items[i].op, b->items[k].op, TACHO_DIFF_SAME));
        }
        i += order <= 0 ? 1 : 0;
        k += order >= 0 ? 1 : 0;
    }
    return TACHO_OK;
}

/* ---- one location, several operators ------------------------------------------------------- */

static size_t location_end(const tacho_left_list *list, size_t at)
{
    size_t end = at;
    while (end < list->item_count &&
           tacho_str_equal(list->items[end].location, list->items[at].location)) {
        end++;
    }
    return end;
}

static tacho_status group_locations(tacho_diff_match *match, tacho_left_list *a, tacho_left_list *b)
{
    size_t i = 0;
    size_t k = 0;
    while (i < a->item_count && k < b->item_count) {
        int order = tacho_str_compare(a->items[i].location, b->items[k].location);
        if (order != 0) {
            i += order < 0 ? 1 : 0;
            k += order > 0 ? 1 : 0;
            continue;
        }
        size_t end_a = location_end(a, i);
        size_t end_b = location_end(b, k);
        bool is_one = end_a - i == 1 || end_b - k == 1;
        if (a->items[i].location.len > 0 && is_one) {
            TACHO_TRY(tacho_left_group(match, &(tacho_left_range){a, i, end_a},
                                       &(tacho_left_range){b, k, end_b}));
        }
        i = end_a;
        k = end_b;
    }
    return TACHO_OK;
}

/* ---- names that are made of names ---------------------------------------------------------- */

static bool is_name_byte(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
           (byte >= 'A' && byte <= 'Z') || byte == '_' || byte == '.' || byte == '/';
}

static tacho_left_op *find_name(tacho_left_list *sorted, tacho_str name)
{
    tacho_left_op wanted = {.name = name};
    size_t low = 0;
    size_t high = sorted->item_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_names(&sorted->items[middle], &wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool is_found = low < sorted->item_count && tacho_str_equal(sorted->items[low].name, name);
    return is_found ? &sorted->items[low] : NULL;
}

/* Puts the operators of |parts| that |whole| is named after into |row|; returns their number. */
static size_t put_parts_in_row(uint32_t *groups, tacho_left_list *parts, tacho_str whole,
                               uint32_t row)
{
    size_t count = 0;
    for (size_t at = 0; at < whole.len;) {
        size_t end = at;
        while (end < whole.len && is_name_byte(whole.data[end])) {
            end++;
        }
        tacho_left_op *part =
            end > at ? find_name(parts, tacho_str_make(whole.data + at, end - at)) : NULL;
        if (part != NULL && groups[part->op] == TACHO_NONE) {
            groups[part->op] = row;
            count++;
        }
        at = end > at ? end : at + 1;
    }
    return count;
}

/* Groups operators of |wholes|, on |side|, that are named after several on the other side. */
static tacho_status group_parts(tacho_diff_match *match, size_t side, const tacho_left_list *wholes,
                                tacho_left_list *parts)
{
    for (size_t i = 0; i < wholes->item_count; i++) {
        const tacho_left_op *whole = &wholes->items[i];
        uint32_t row = (uint32_t)match->kind_count;
        if (match->groups[side][whole->op] != TACHO_NONE) {
            continue;
        }
        size_t count = put_parts_in_row(match->groups[1 - side], parts, whole->name, row);
        if (count > 0) {
            tacho_diff_kind many = side == 1 ? TACHO_DIFF_MERGED : TACHO_DIFF_SPLIT;
            TACHO_TRY(tacho_left_add_row(match, count > 1 ? many : TACHO_DIFF_RENAMED, &row));
            match->groups[side][whole->op] = row;
        }
    }
    return TACHO_OK;
}

static tacho_status group_names(tacho_diff_match *match, tacho_left_list *a, tacho_left_list *b)
{
    TACHO_TRY(group_parts(match, 1, b, a));
    return group_parts(match, 0, a, b);
}

/* ---- the rest ------------------------------------------------------------------------------ */

static tacho_status add_rest(tacho_diff_match *match, size_t side, tacho_diff_kind kind)
{
    for (size_t i = 0; i < match->sides[side]->op_count; i++) {
        if (match->groups[side][i] == TACHO_NONE) {
            TACHO_TRY(tacho_left_add_row(match, kind, &match->groups[side][i]));
        }
    }
    return TACHO_OK;
}

tacho_status tacho_diff_match_init(tacho_diff_match *match, const tacho_samples *a,
                                   const tacho_samples *b)
{
    *match = (tacho_diff_match){.sides = {a, b}};
    for (size_t side = 0; side < 2; side++) {
        size_t count = match->sides[side]->op_count;
        TACHO_TRY(tacho_items_make(&match->groups[side], count));
        memset(match->groups[side], 0xff, count * sizeof(*match->groups[side]));
    }
    TACHO_TRY(match_exactly(match));
    if (a->has_layers && b->has_layers) {
        TACHO_TRY(with_left(match, compare_names_in_layers, pair_names_in_layers));
        TACHO_TRY(with_left(match, compare_layers, tacho_left_group_layers));
    }
    TACHO_TRY(with_left(match, compare_names, pair_names));
    TACHO_TRY(with_left(match, compare_names, group_names));
    TACHO_TRY(with_left(match, compare_locations, group_locations));
    TACHO_TRY(with_left(match, NULL, tacho_left_pair_in_gaps));
    TACHO_TRY(add_rest(match, 0, TACHO_DIFF_REMOVED));
    return add_rest(match, 1, TACHO_DIFF_NEW);
}

void tacho_diff_match_deinit(tacho_diff_match *match)
{
    free(match->groups[0]);
    free(match->groups[1]);
    free(match->kinds);
    *match = (tacho_diff_match){.sides = {NULL, NULL}};
}
