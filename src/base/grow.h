/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Growable arrays: |items|, |item_count|, |item_capacity| kept in the owner's struct.
 *
 *     TACHO_TRY(tacho_grow(&list->items, &list->item_capacity, list->item_count + 1));
 *     list->items[list->item_count++] = item;
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

#define tacho_grow(items, capacity, need)                                                          \
    tacho_grow_bytes((items), (capacity), (need), sizeof(**(items)))

#endif
