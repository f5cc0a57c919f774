/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An arena for the shapes, an array to number them, an index to find them.
 */
#include "base/shapes.h"

#include "base/grow.h"

#include <stdlib.h>

void tacho_shapes_deinit(tacho_shapes *shapes)
{
    tacho_arena_deinit(&shapes->arena);
    tacho_index_deinit(&shapes->index);
    free(shapes->items);
    *shapes = (tacho_shapes){0};
}

static uint32_t hash_of(const tacho_shapes *shapes, const tacho_shape *shape)
{
    size_t rank = shape->rank > 0 ? (size_t)shape->rank : 0;
    uint32_t hash = tacho_index_hash(&shapes->index, tacho_str_make((const char *)shape->dims,
                                                                    rank * sizeof(*shape->dims)));
    return hash ^ (uint32_t)shape->rank;
}

static uint32_t find(const tacho_shapes *shapes, const tacho_shape *shape, uint32_t hash)
{
    size_t at = tacho_index_begin(&shapes->index, hash);
    uint32_t number;
    do {
        number = tacho_index_next(&shapes->index, hash, &at);
    } while (number != TACHO_NONE && !tacho_shape_equal(shapes->items[number], shape));
    return number;
}

static tacho_status add(tacho_shapes *shapes, const tacho_shape *shape, uint32_t hash)
{
    void *memory = NULL;
    TACHO_TRY(tacho_grow(&shapes->items, &shapes->item_capacity, shapes->item_count + 1));
    TACHO_TRY(tacho_arena_alloc(&shapes->arena, sizeof(*shape), &memory));
    tacho_shape *kept = memory;
    kept->rank = shape->rank;
    for (int32_t i = 0; i < shape->rank; i++) {
        kept->dims[i] = shape->dims[i];
    }
    TACHO_TRY(tacho_index_add(&shapes->index, hash, (uint32_t)shapes->item_count));
    shapes->items[shapes->item_count++] = kept;
    return TACHO_OK;
}

tacho_status tacho_shapes_ensure(tacho_shapes *shapes, const tacho_shape *shape,
                                 uint32_t *out_number)
{
    if (shapes->index.slots == NULL) {
        TACHO_TRY(tacho_index_init(&shapes->index));
    }
    uint32_t hash = hash_of(shapes, shape);
    *out_number = find(shapes, shape, hash);
    if (*out_number != TACHO_NONE) {
        return TACHO_OK;
    }
    *out_number = (uint32_t)shapes->item_count;
    return add(shapes, shape, hash);
}
