/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks through index spaces.
 */
#include "kernels/walk.h"

void tacho_walk_begin(tacho_walk *walk, const tacho_shape *space)
{
    *walk = (tacho_walk){.rank = space->rank > 0 ? space->rank : 1};
    walk->dims[0] = 1;
    for (int32_t i = 0; i < space->rank; i++) {
        walk->dims[i] = space->dims[i];
        walk->is_done = walk->is_done || space->dims[i] == 0;
    }
}

void tacho_walk_next(tacho_walk *walk)
{
    for (int32_t i = walk->rank - 2; i >= 0; i--) {
        bool is_last = ++walk->index[i] == walk->dims[i];
        int64_t moved = is_last ? 1 - walk->dims[i] : 1;
        for (size_t j = 0; j < TACHO_WALK_OPERANDS; j++) {
            walk->at[j] += moved * walk->steps[j][i];
        }
        if (!is_last) {
            return;
        }
        walk->index[i] = 0;
    }
    walk->is_done = true;
}

void tacho_shape_steps(const tacho_shape *shape, int64_t out_steps[TACHO_RANK_MAX])
{
    uint64_t count;
    bool is_walked = tacho_shape_elements(shape, &count) && count > 0;
    int64_t step = is_walked ? 1 : 0; /* of no elements, the other dimensions may be any */
    for (int32_t i = shape->rank - 1; i >= 0; i--) {
        out_steps[i] = step;
        step *= is_walked ? shape->dims[i] : 1;
    }
}

bool tacho_shape_fits(const tacho_shape *shape, const tacho_shape *space)
{
    bool fits = shape->rank <= space->rank;
    for (int32_t i = 0; fits && i < shape->rank; i++) {
        fits = shape->dims[i] == 1 || shape->dims[i] == space->dims[space->rank - shape->rank + i];
    }
    return fits;
}

void tacho_walk_broadcast(tacho_walk *walk, size_t operand, const tacho_shape *shape)
{
    int64_t steps[TACHO_RANK_MAX] = {0};
    tacho_shape_steps(shape, steps);
    for (int32_t i = 0; i < shape->rank; i++) {
        int32_t in_space = walk->rank - shape->rank + i;
        walk->steps[operand][in_space] = shape->dims[i] == 1 ? 0 : steps[i];
    }
}
