/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where activations lie: in the memories of the cores while they fit there together, else in the
 * memory that all share. What the network is given and what it returns is in shared memory, and so
 * are weights.
 */
#ifndef TACHO_COMPILE_PLACE_H
#define TACHO_COMPILE_PLACE_H

#include "compile/fuse.h"
#include "machine/work.h"

typedef struct tacho_placement {
    tacho_place *places;       /* by tensor of the graph */
    uint64_t local_peak_bytes; /* the most that was in local memory at one time */
} tacho_placement;

/* Places the tensors of operators that run one after the other; |local_bytes| are there. */
tacho_status tacho_placement_init(tacho_placement *placement, const tacho_fusion *fusion,
                                  uint64_t local_bytes) TACHO_MUST_USE;
void tacho_placement_deinit(tacho_placement *placement);

#endif
