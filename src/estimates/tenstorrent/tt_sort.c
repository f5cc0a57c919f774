/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The quicksort of numpy's argsort: median of three as pivot, the smaller side first, short ranges
 * by insertion. Its steps decide the order of equal keys, so they are reproduced exactly. At its
 * depth limit, numpy uses heapsort; this code uses a stable merge sort.
 */
#include "estimates/tenstorrent/tt_sort.h"

#include <stdbool.h>
#include <stdlib.h>

enum { SHORT_STRETCH = 15, STRETCHES_MAX = 128 };

/* A range of items, both ends included, and the remaining depth of cuts. */
typedef struct stretch {
    size_t *first, *last;
    int depth;
} stretch;

static void swap(size_t *a, size_t *b)
{
    size_t kept = *a;
    *a = *b;
    *b = kept;
}

/* Partitions the range around a pivot; returns the pivot's place. */
static size_t *divide(const double *keys, size_t *first, size_t *last)
{
    size_t *middle = first + (last - first) / 2;
    if (keys[*middle] < keys[*first]) {
        swap(middle, first);
    }
    if (keys[*last] < keys[*middle]) {
        swap(last, middle);
    }
    if (keys[*middle] < keys[*first]) {
        swap(middle, first);
    }
    double pivot = keys[*middle];
    size_t *low = first;
    size_t *high = last - 1;
    swap(middle, high);
    for (;;) {
        do {
            low++;
        } while (keys[*low] < pivot);
        do {
            high--;
        } while (pivot < keys[*high]);
        if (low >= high) {
            break;
        }
        swap(low, high);
    }
    swap(low, last - 1);
    return low;
}

/* Insertion sort: moves each item before those with greater keys. */
static void insert(const double *keys, size_t *first, const size_t *last)
{
    for (size_t *at = first + 1; at <= last; at++) {
        size_t item = *at;
        size_t *place = at;
        while (place > first && keys[item] < keys[place[-1]]) {
            *place = place[-1];
            place--;
        }
        *place = item;
    }
}

/* Merges two sorted halves, equal keys of the first half first. */
static void merge(const double *keys, size_t *items, size_t count, size_t *room)
{
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t start = 0; start < count; start += 2 * width) {
            size_t middle = start + width < count ? start + width : count;
            size_t end = start + 2 * width < count ? start + 2 * width : count;
            size_t left = start;
            size_t right = middle;
            for (size_t at = start; at < end; at++) {
                bool takes_left =
                    left < middle && (right == end || !(keys[items[right]] < keys[items[left]]));
                room[at] = takes_left ? items[left++] : items[right++];
            }
        }
        for (size_t i = 0; i < count; i++) {
            items[i] = room[i];
        }
    }
}

/* Sorts a range at the depth limit. */
static void sort_deep(const double *keys, size_t *first, size_t count)
{
    size_t *room = calloc(count, sizeof(*room));
    if (room != NULL) {
        merge(keys, first, count, room);
        free(room);
    } else {
        insert(keys, first, first + count - 1); /* slow but correct */
    }
}

static int allowed_depth(size_t count)
{
    int bits = 0;
    while (count >>= 1) {
        bits++;
    }
    return 2 * bits;
}

void tacho_tt_sort(const double *keys, size_t *items, size_t count)
{
    stretch waiting[STRETCHES_MAX]; /* the larger sides: at most one per bit of a size */
    size_t waiting_count = 0;
    if (count < 2) {
        return;
    }
    stretch at = {items, items + count - 1, allowed_depth(count)};
    for (;;) {
        bool is_deep = at.depth < 0;
        while (!is_deep && at.last - at.first > SHORT_STRETCH) {
            size_t *pivot = divide(keys, at.first, at.last);
            at.depth--;
            if (pivot - at.first < at.last - pivot) {
                waiting[waiting_count++] = (stretch){pivot + 1, at.last, at.depth};
                at.last = pivot - 1;
            } else {
                waiting[waiting_count++] = (stretch){at.first, pivot - 1, at.depth};
                at.first = pivot + 1;
            }
        }
        if (is_deep) {
            sort_deep(keys, at.first, (size_t)(at.last - at.first) + 1);
        } else {
            insert(keys, at.first, at.last);
        }
        if (waiting_count == 0) {
            return;
        }
        at = waiting[--waiting_count];
    }
}
