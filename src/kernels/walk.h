/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk through an index space, row by row, with up to four tensors that each go through it in
 * steps of their own: 0 where they are broadcast, negative where they are read backwards. A
 * broadcast, transpose, slice, join or split is one such walk.
 *
 *     for (tacho_walk_begin(&walk, &shape); !walk.is_done; tacho_walk_next(&walk)) { ... }
 */
#ifndef TACHO_KERNELS_WALK_H
#define TACHO_KERNELS_WALK_H

#include "base/tensor.h"

enum { TACHO_WALK_OPERANDS = 4 };

typedef struct tacho_walk {
    int32_t rank; /* of the space, at least 1 */
    int64_t dims[TACHO_RANK_MAX];
    int64_t index[TACHO_RANK_MAX]; /* the last one stays 0: rows are the caller's */
    int64_t steps[TACHO_WALK_OPERANDS][TACHO_RANK_MAX]; /* elements to the next index */
    int64_t at[TACHO_WALK_OPERANDS];                    /* element at the present row's start */
    bool is_done;
} tacho_walk;

/* The first row of |space|; a scalar is one row of one element. Steps are all 0. */
void tacho_walk_begin(tacho_walk *walk, const tacho_shape *space);

void tacho_walk_next(tacho_walk *walk);

/* Makes |operand| a dense tensor of |shape|, broadcast to the space. Before the first step. */
void tacho_walk_broadcast(tacho_walk *walk, size_t operand, const tacho_shape *shape);

/* Whether a tensor of |shape| can be broadcast to |space|. */
bool tacho_shape_fits(const tacho_shape *shape, const tacho_shape *space);

/* Steps of a dense tensor of |shape|, by its dimensions. */
void tacho_shape_steps(const tacho_shape *shape, int64_t out_steps[TACHO_RANK_MAX]);

static inline int64_t tacho_walk_row(const tacho_walk *walk)
{
    return walk->dims[walk->rank - 1];
}

static inline int64_t tacho_walk_row_step(const tacho_walk *walk, size_t operand)
{
    return walk->steps[operand][walk->rank - 1];
}

#endif
