/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A heap of moments: the earliest first, and of equal ones that with the smaller key, so that the
 * order never depends on how things were added.
 */
#ifndef TACHO_BASE_HEAP_H
#define TACHO_BASE_HEAP_H

#include "base/maths.h"
#include "base/status.h"

typedef struct tacho_moment {
    tacho_u128 at;
    uint64_t key;
    uint64_t value;
} tacho_moment;

typedef struct tacho_heap {
    tacho_moment *items; /* the first is the earliest */
    size_t item_count, item_capacity;
} tacho_heap;

void tacho_heap_deinit(tacho_heap *heap);
tacho_status tacho_heap_add(tacho_heap *heap, tacho_moment moment) TACHO_MUST_USE;

/* Takes the earliest out; there is one. */
tacho_moment tacho_heap_take(tacho_heap *heap);

#endif
