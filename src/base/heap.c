/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heap of heap.h.
 */
#include "base/heap.h"

#include <stdlib.h>

#include "base/grow.h"

static bool is_before(const tacho_moment *a, const tacho_moment *b)
{
    return a->at != b->at ? a->at < b->at : a->key < b->key;
}

void tacho_heap_deinit(tacho_heap *heap)
{
    free(heap->items);
}

tacho_status tacho_heap_add(tacho_heap *heap, tacho_moment moment)
{
    TACHO_TRY(tacho_grow(&heap->items, &heap->item_capacity, heap->item_count + 1));
    size_t at = heap->item_count++;
    while (at > 0 && is_before(&moment, &heap->items[(at - 1) / 2])) {
        heap->items[at] = heap->items[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->items[at] = moment;
    return TACHO_OK;
}

tacho_moment tacho_heap_take(tacho_heap *heap)
{
    tacho_moment first = heap->items[0];
    tacho_moment last = heap->items[--heap->item_count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= heap->item_count) {
            break;
        }
        if (child + 1 < heap->item_count &&
            is_before(&heap->items[child + 1], &heap->items[child])) {
            child++;
        }
        if (!is_before(&heap->items[child], &last)) {
            break;
        }
        heap->items[at] = heap->items[child];
        at = child;
    }
    heap->items[at] = last;
    return first;
}
