/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How an operator's space is spread over cores, and with it each core's share of a result that
 * stays in local memory. Decided for all operators before tensors are placed: the room that a
 * tensor takes in a core follows from it.
 */
#ifndef TACHO_COMPILE_CORE_CUT_H
#define TACHO_COMPILE_CORE_CUT_H

#include "compile/space.h"

typedef struct tacho_core_cut {
    uint32_t cores;                 /* that take part */
    uint64_t parts[TACHO_AXES_MAX]; /* of each axis; their product is |cores| */
} tacho_core_cut;

/* All on one core. */
void tacho_core_cut_one(tacho_core_cut *cut);

/* The share of |core|: a range of each axis. The first core's is the largest. */
void tacho_core_cut_ranges(const tacho_space *space, const tacho_core_cut *cut, uint32_t core,
                           tacho_range *out_ranges);

/*
 * Cuts of all operators for |cores|, and in |shares|, by tensor, the most bytes that a core has of
 * it.
 */
tacho_status tacho_core_cuts_make(const tacho_estimate *estimate, uint32_t cores,
                                  tacho_core_cut *cuts, uint64_t *shares) TACHO_MUST_USE;

#endif
