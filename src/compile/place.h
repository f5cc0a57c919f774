/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where activations lie: in the memories of the cores while they fit there together, else in the
 * memory that all share. What the network is given and what it returns is in shared memory, and so
 * are weights.
 */
#ifndef TACHO_COMPILE_PLACE_H
#define TACHO_COMPILE_PLACE_H

#include "compile/fuse.h"
#include "machine/machine.h"
#include "machine/work.h"

typedef struct tacho_placement {
    tacho_place *places;       /* by tensor of the graph */
    uint64_t local_peak_bytes; /* the most that was in local memory at one time */
} tacho_placement;

typedef struct tacho_placement_options {
    uint64_t local_bytes;         /* that there are */
    const tacho_machine *machine; /* whose types tensors are kept in; NULL: the model's */
    tacho_dtype dtype;            /* for real numbers; NONE: as the machine does */
} tacho_placement_options;

/* Places the tensors of operators that run one after the other. */
tacho_status tacho_placement_init(tacho_placement *placement, const tacho_fusion *fusion,
                                  const tacho_placement_options *options) TACHO_MUST_USE;
void tacho_placement_deinit(tacho_placement *placement);

#endif
