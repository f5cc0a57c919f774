/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each step looks only at what those before it have left, in lists that are sorted by what the step
 * compares; no step looks at every pair.
 */
#include "analyses/diff_match.h"

#include "base/grow.h"

#include <stdlib.h>

enum { LOOK_AHEAD = 64 }; /* operators in a row of which one may be the other's new name */

const char *tacho_diff_kind_word(tacho_diff_kind kind)
{
    static const char *const words[] = {
#define TACHO_DIFF_KIND_WORD(id, word) word,
        TACHO_DIFF_KINDS(TACHO_DIFF_KIND_WORD)
#undef TACHO_DIFF_KIND_WORD
    };
    return words[kind];
}

/* An operator that no step has found a partner for yet. */
typedef struct left_op {
    uint32_t op;
    uint32_t order;
    uint32_t gap; /* the order, on side B, of the last operator ahead of it that has a partner */
    tacho_str name, type, location;
} left_op;

typedef struct left_list {
    left_op *items;
    size_t item_count;
} left_list;

/* ---- rows ---------------------------------------------------------------------------------- */

static tacho_status add_row(tacho_diff_match *match, tacho_diff_kind kind, uint32_t *out_row)
{
    TACHO_TRY(tacho_grow(&match->kinds, &match->kind_capacity, match->kind_count + 1));
    *out_row = (uint32_t)match->kind_count;
    match->kinds[match->kind_count++] = kind;
    return TACHO_OK;
}

static tacho_status pair(tacho_diff_match *match, uint32_t a, uint32_t b, tacho_diff_kind kind)
{
    uint32_t row = 0;
    TACHO_TRY(add_row(match, kind, &row));
    match->groups[0][a] = row;
    match->groups[1][b] = row;
    return TACHO_OK;
}

/* ---- names and locations ------------------------------------------------------------------- */

/* The operator of side B with that name and location, TACHO_NONE for none. */
static uint32_t find_op(const tacho_samples *samples, tacho_str name, tacho_str location)
{
    uint32_t key[2] = {tacho_strings_find(&samples->strings, name),
                       tacho_strings_find(&samples->strings, location)};
    if (key[0] == TACHO_NONE || key[1] == TACHO_NONE) {
        return TACHO_NONE;
    }
    uint32_t hash =
        tacho_index_hash(&samples->index, tacho_str_make((const char *)key, sizeof(key)));
    size_t at = tacho_index_begin(&samples->index, hash);
    for (uint32_t id; (id = tacho_index_next(&samples->index, hash, &at)) != TACHO_NONE;) {
        if (samples->ops[id].name == key[0] && samples->ops[id].location == key[1]) {
            return id;
        }
    }
    return TACHO_NONE;
}

static tacho_status match_exactly(tacho_diff_match *match)
{
    const tacho_samples *side = match->sides[0];
    for (uint32_t i = 0; i < side->op_count; i++) {
        uint32_t other =
            find_op(match->sides[1], tacho_strings_get(&side->strings, side->ops[i].name),
                    tacho_strings_get(&side->strings, side->ops[i].location));
        if (other != TACHO_NONE) {
            TACHO_TRY(pair(match, i, other, TACHO_DIFF_SAME));
        }
    }
    return TACHO_OK;
}

/* ---- what is left -------------------------------------------------------------------------- */

static tacho_status list_left(const tacho_diff_match *match, size_t side, left_list *out_list)
{
    const tacho_samples *samples = match->sides[side];
    *out_list = (left_list){0};
    TACHO_TRY(tacho_items_make(&out_list->items, samples->op_count));
    for (uint32_t i = 0; i < samples->op_count; i++) {
        const tacho_sampled_op *op = &samples->ops[i];
        if (match->groups[side][i] == TACHO_NONE) {
            out_list->items[out_list->item_count++] = (left_op){
                .op = i,
                .order = op->order,
                .name = tacho_strings_get(&samples->strings, op->name),
                .type = tacho_strings_get(&samples->strings, op->type),
                .location = tacho_strings_get(&samples->strings, op->location),
            };
        }
    }
    return TACHO_OK;
}

static int compare_orders(const left_op *a, const left_op *b)
{
    return (a->order > b->order) - (a->order < b->order);
}

static int compare_names(const void *left, const void *right)
{
    int order = tacho_str_compare(((const left_op *)left)->name, ((const left_op *)right)->name);
    return order != 0 ? order : compare_orders(left, right);
}

static int compare_locations(const void *left, const void *right)
{
    int order =
        tacho_str_compare(((const left_op *)left)->location, ((const left_op *)right)->location);
    return order != 0 ? order : compare_orders(left, right);
}

static int compare_gaps(const void *left, const void *right)
{
    const left_op *a = left;
    const left_op *b = right;
    return a->gap != b->gap ? (a->gap < b->gap ? -1 : 1) : compare_orders(a, b);
}

/* A step over what is left of both sides, in the order of |compare|. */
typedef tacho_status (*left_step)(tacho_diff_match *match, left_list *a, left_list *b);

static tacho_status with_left(tacho_diff_match *match, int (*compare)(const void *, const void *),
                              left_step step)
{
    left_list lists[2] = {{0}, {0}};
    tacho_status status = list_left(match, 0, &lists[0]);
    status = status == TACHO_OK ? list_left(match, 1, &lists[1]) : status;
    if (status == TACHO_OK && lists[0].item_count > 0 && lists[1].item_count > 0) {
        for (size_t i = 0; i < 2 && compare != NULL; i++) {
            qsort(lists[i].items, lists[i].item_count, sizeof(left_op), compare);
        }
        status = step(match, &lists[0], &lists[1]);
    }
    free(lists[0].items);
    free(lists[1].items);
    return status;
}

/* The same name at other places: the first with the first. */
static tacho_status pair_names(tacho_diff_match *match, left_list *a, left_list *b)
{
    size_t i = 0;
    size_t k = 0;
    while (i < a->item_count && k < b->item_count) {
        int order = tacho_str_compare(a->items[i].name, b->items[k].name);
        if (order == 0) {
            TACHO_TRY(pair(match, a->items[i].op, b->items[k].op, TACHO_DIFF_SAME));
        }
        i += order <= 0 ? 1 : 0;
        k += order >= 0 ? 1 : 0;
    }
    return TACHO_OK;
}

/* ---- one location, several operators ------------------------------------------------------- */

static size_t location_end(const left_list *list, size_t at)
{
    size_t end = at;
    while (end < list->item_count &&
           tacho_str_equal(list->items[end].location, list->items[at].location)) {
        end++;
    }
    return end;
}

/* Puts [first, end) of |list| into |row|. */
static void put_in_row(uint32_t *groups, const left_list *list, size_t first, size_t end,
                       uint32_t row)
{
    for (size_t i = first; i < end; i++) {
        groups[list->items[i].op] = row;
    }
}

static tacho_status group_locations(tacho_diff_match *match, left_list *a, left_list *b)
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
            uint32_t row = 0;
            tacho_diff_kind kind = end_a - i > 1   ? TACHO_DIFF_MERGED
                                   : end_b - k > 1 ? TACHO_DIFF_SPLIT
                                                   : TACHO_DIFF_RENAMED;
            TACHO_TRY(add_row(match, kind, &row));
            put_in_row(match->groups[0], a, i, end_a, row);
            put_in_row(match->groups[1], b, k, end_b, row);
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

static left_op *find_name(left_list *sorted, tacho_str name)
{
    left_op wanted = {.name = name};
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

/* Puts the operators of |parts| that |whole| is named after into |row|; how many there are. */
static size_t put_parts_in_row(uint32_t *groups, left_list *parts, tacho_str whole, uint32_t row)
{
    size_t count = 0;
    for (size_t at = 0; at < whole.len;) {
        size_t end = at;
        while (end < whole.len && is_name_byte(whole.data[end])) {
            end++;
        }
        left_op *part =
            end > at ? find_name(parts, tacho_str_make(whole.data + at, end - at)) : NULL;
        if (part != NULL && groups[part->op] == TACHO_NONE) {
            groups[part->op] = row;
            count++;
        }
        at = end > at ? end : at + 1;
    }
    return count;
}

/* Operators of |wholes|, on |side|, that are named after several on the other side. */
static tacho_status group_parts(tacho_diff_match *match, size_t side, const left_list *wholes,
                                left_list *parts)
{
    for (size_t i = 0; i < wholes->item_count; i++) {
        const left_op *whole = &wholes->items[i];
        uint32_t row = (uint32_t)match->kind_count;
        if (match->groups[side][whole->op] != TACHO_NONE) {
            continue;
        }
        size_t count = put_parts_in_row(match->groups[1 - side], parts, whole->name, row);
        if (count > 0) {
            tacho_diff_kind many = side == 1 ? TACHO_DIFF_MERGED : TACHO_DIFF_SPLIT;
            TACHO_TRY(add_row(match, count > 1 ? many : TACHO_DIFF_RENAMED, &row));
            match->groups[side][whole->op] = row;
        }
    }
    return TACHO_OK;
}

static tacho_status group_names(tacho_diff_match *match, left_list *a, left_list *b)
{
    TACHO_TRY(group_parts(match, 1, b, a));
    return group_parts(match, 0, a, b);
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

/* Behind which operator, of those that have a partner, each one that has none ran. */
static tacho_status find_gaps(const tacho_diff_match *match, size_t side, left_list *list)
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

/* Digits apart: "MatMul_12" and "MatMul_13". */
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

static bool is_alike(const left_op *a, const left_op *b)
{
    bool has_type = a->type.len > 0 && !tacho_str_equal(a->type, a->name);
    return (has_type && tacho_str_equal(a->type, b->type)) || is_same_but_digits(a->name, b->name);
}

static tacho_status pair_in_gaps(tacho_diff_match *match, left_list *a, left_list *b)
{
    TACHO_TRY(find_gaps(match, 0, a));
    TACHO_TRY(find_gaps(match, 1, b));
    size_t first = 0;
    for (size_t i = 0; i < a->item_count; i++) {
        const left_op *op = &a->items[i];
        while (first < b->item_count && b->items[first].gap < op->gap) {
            first++;
        }
        for (size_t k = first; k < b->item_count && k < first + LOOK_AHEAD; k++) {
            if (b->items[k].gap != op->gap) {
                break;
            }
            if (match->groups[1][b->items[k].op] == TACHO_NONE && is_alike(op, &b->items[k])) {
                TACHO_TRY(pair(match, op->op, b->items[k].op, TACHO_DIFF_RENAMED));
                first = k + 1;
                break;
            }
        }
    }
    return TACHO_OK;
}

/* ---- the rest ------------------------------------------------------------------------------ */

static tacho_status add_rest(tacho_diff_match *match, size_t side, tacho_diff_kind kind)
{
    for (size_t i = 0; i < match->sides[side]->op_count; i++) {
        if (match->groups[side][i] == TACHO_NONE) {
            TACHO_TRY(add_row(match, kind, &match->groups[side][i]));
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
    TACHO_TRY(with_left(match, compare_names, pair_names));
    TACHO_TRY(with_left(match, compare_names, group_names));
    TACHO_TRY(with_left(match, compare_locations, group_locations));
    TACHO_TRY(with_left(match, NULL, pair_in_gaps));
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
