/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges of two sorted lists.
 */
#include "analyses/intervals.h"

#include "base/grow.h"

#include <assert.h>
#include <stdlib.h>

void tacho_intervals_deinit(tacho_intervals *set)
{
    free(set->items);
    *set = (tacho_intervals){0};
}

tacho_status tacho_intervals_add(tacho_intervals *set, int64_t begin, int64_t end)
{
    assert(begin <= end);
    if (begin == end) {
        return TACHO_OK;
    }
    if (set->item_count > 0) {
        tacho_interval *last = &set->items[set->item_count - 1];
        if (begin >= last->begin && begin <= last->end) {
            last->end = end > last->end ? end : last->end;
            return TACHO_OK;
        }
        set->is_unsorted = set->is_unsorted || begin < last->begin;
    }
    TACHO_TRY(tacho_grow(&set->items, &set->item_capacity, set->item_count + 1));
    set->items[set->item_count++] = (tacho_interval){begin, end};
    return TACHO_OK;
}

tacho_status tacho_intervals_add_all(tacho_intervals *set, const tacho_intervals *other)
{
    assert(set != other);
    for (size_t i = 0; i < other->item_count; i++) {
        TACHO_TRY(tacho_intervals_add(set, other->items[i].begin, other->items[i].end));
    }
    return TACHO_OK;
}

static int compare_begins(const void *left, const void *right)
{
    const tacho_interval *a = left;
    const tacho_interval *b = right;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

void tacho_intervals_normalise(tacho_intervals *set)
{
    if (!set->is_unsorted) {
        return; /* adding has merged what touches */
    }
    qsort(set->items, set->item_count, sizeof(*set->items), compare_begins);
    size_t last = 0;
    for (size_t i = 1; i < set->item_count; i++) {
        tacho_interval item = set->items[i];
        if (item.begin > set->items[last].end) {
            set->items[++last] = item;
        } else if (item.end > set->items[last].end) {
            set->items[last].end = item.end;
        }
    }
    set->item_count = last + 1;
    set->is_unsorted = false;
}

static void check_operands(const tacho_intervals *a, const tacho_intervals *b,
                           const tacho_intervals *out_set)
{
    assert(!a->is_unsorted && !b->is_unsorted);
    assert(out_set != a && out_set != b && out_set->item_count == 0);
    (void)a;
    (void)b;
    (void)out_set;
}

tacho_status tacho_intervals_unite(const tacho_intervals *a, const tacho_intervals *b,
                                   tacho_intervals *out_set)
{
    check_operands(a, b, out_set);
    size_t at_a = 0;
    size_t at_b = 0;
    while (at_a < a->item_count || at_b < b->item_count) {
        bool take_a = at_b == b->item_count ||
                      (at_a < a->item_count && a->items[at_a].begin <= b->items[at_b].begin);
        const tacho_interval *item = take_a ? &a->items[at_a++] : &b->items[at_b++];
        TACHO_TRY(tacho_intervals_add(out_set, item->begin, item->end));
    }
    return TACHO_OK;
}

tacho_status tacho_intervals_subtract(const tacho_intervals *a, const tacho_intervals *b,
                                      tacho_intervals *out_set)
{
    check_operands(a, b, out_set);
    size_t at_b = 0;
    for (size_t i = 0; i < a->item_count; i++) {
        int64_t begin = a->items[i].begin;
        int64_t end = a->items[i].end;
        while (at_b < b->item_count && b->items[at_b].end <= begin) {
            at_b++;
        }
        /* The last hole may reach into the next interval of |a|: it is looked at again. */
        for (size_t j = at_b; j < b->item_count && b->items[j].begin < end; at_b = j++) {
            if (b->items[j].begin > begin) {
                TACHO_TRY(tacho_intervals_add(out_set, begin, b->items[j].begin));
            }
            begin = b->items[j].end;
        }
        if (begin < end) {
            TACHO_TRY(tacho_intervals_add(out_set, begin, end));
        }
    }
    return TACHO_OK;
}

tacho_status tacho_intervals_intersect(const tacho_intervals *a, const tacho_intervals *b,
                                       tacho_intervals *out_set)
{
    check_operands(a, b, out_set);
    size_t at_a = 0;
    size_t at_b = 0;
    while (at_a < a->item_count && at_b < b->item_count) {
        tacho_interval one = a->items[at_a];
        tacho_interval two = b->items[at_b];
        int64_t begin = one.begin > two.begin ? one.begin : two.begin;
        int64_t end = one.end < two.end ? one.end : two.end;
        if (begin < end) {
            TACHO_TRY(tacho_intervals_add(out_set, begin, end));
        }
        *(one.end < two.end ? &at_a : &at_b) += 1;
    }
    return TACHO_OK;
}

int64_t tacho_intervals_total(const tacho_intervals *set)
{
    assert(!set->is_unsorted);
    int64_t total = 0;
    for (size_t i = 0; i < set->item_count; i++) {
        total += set->items[i].end - set->items[i].begin;
    }
    return total;
}
