/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays. Growable ones, with |items|, |item_count|, |item_capacity| in the owner's struct:
 *
 *     TACHO_TRY(tacho_grow(&list->items, &list->item_capacity, list->item_count + 1));
 *     list->items[list->item_count++] = item;
 *
 * and those whose size is known: TACHO_TRY(tacho_items_make(&items, count)). Sizes are checked.
 */
#ifndef TACHO_BASE_GROW_H
#define TACHO_BASE_GROW_H

#include "base/status.h"

/*
 * Makes room for at least |need| elements of |element_size| bytes, doubling as it goes.
 * |items| is the address of the owner's array pointer, whatever its type.
 */
tacho_status tacho_grow_bytes(void *items, size_t *capacity, size_t need,
                              size_t element_size) TACHO_MUST_USE;

/* Gives back the room for more than |count| elements. */
void tacho_grow_trim_bytes(void *items, size_t *capacity, size_t count, size_t element_size);

#define tacho_grow_trim(items, capacity, count)                                                    \
    tacho_grow_trim_bytes((items), (capacity), (count), sizeof(**(items)))

/* The same; mostly there is room. */
TACHO_MUST_USE static inline tacho_status tacho_grow_if(void *items, size_t *capacity, size_t need,
                                                        size_t element_size)
{
    return need <= *capacity ? TACHO_OK : tacho_grow_bytes(items, capacity, need, element_size);
}

#define tacho_grow(items, capacity, need)                                                          \
    tacho_grow_if((items), (capacity), (need), sizeof(**(items)))

/*
 * |count| zeroed elements and one more, so that a list may end in a zero and an empty array is not
 * NULL. The caller frees it. NULL: no memory, or the size overflows.
 */
void *tacho_items_alloc(size_t count, size_t element_size) TACHO_MUST_USE;

/* The same with a status; |out_items| is the address of the owner's pointer, whatever its type. */
tacho_status tacho_items_make_bytes(void *out_items, size_t count,
                                    size_t element_size) TACHO_MUST_USE;

/* One zeroed struct, for data that few of many owners need. */
#define tacho_struct_make(out_struct)                                                              \
    tacho_items_make_bytes((out_struct), 0, sizeof(**(out_struct)))

#define tacho_items_make(out_items, count)                                                         \
    tacho_items_make_bytes((out_items), (count), sizeof(**(out_items)))

#endif
