/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shape table: every distinct shape once. A network has many tensors and few shapes, so tensors
 * point to theirs. A zeroed table is empty.
 */
#ifndef TACHO_BASE_SHAPES_H
#define TACHO_BASE_SHAPES_H

#include "base/arena.h"
#include "base/index.h"
#include "base/tensor.h"

typedef struct tacho_shapes {
    tacho_arena arena;
    tacho_index index;
    const tacho_shape **items;
    size_t item_count, item_capacity;
} tacho_shapes;

void tacho_shapes_deinit(tacho_shapes *shapes);

/*
 * The number of the shape that equals |shape|, in order of first appearance. items[number] is it:
 * dimensions past the rank are 0, and it stays where it is for the table's life.
 */
tacho_status tacho_shapes_ensure(tacho_shapes *shapes, const tacho_shape *shape,
                                 uint32_t *out_number) TACHO_MUST_USE;

#endif
