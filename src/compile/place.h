/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where activations are kept: in the memories of the cores while they fit there together, else in
 * the memory that all share. The network's inputs and outputs are in shared memory, and so are
 * weights.
 */
#ifndef TACHO_COMPILE_PLACE_H
#define TACHO_COMPILE_PLACE_H

#include "compile/fuse.h"
#include "machine/machine.h"
#include "machine/work.h"

typedef struct tacho_placement {
    tacho_place *places;       /* by tensor of the graph */
    uint64_t *offsets;         /* by tensor: offset of its part in each core's memory ... */
    uint64_t *shares;          /* ... and how long it is */
    uint32_t *first_op;        /* by tensor: the operator that makes it ... */
    uint32_t *last_op;         /* ... and the one after which it is not needed */
    uint64_t *free_from;       /* by operator: above this nothing is kept while it runs */
    uint64_t local_peak_bytes; /* the most that was in local memory at one time, all cores */
} tacho_placement;

typedef struct tacho_placement_options {
    uint64_t local_bytes;         /* of each core, for this purpose */
    uint32_t cores;               /* that tensors are spread over; 0: one */
    uint64_t align;               /* of offsets; 0: none */
    uint64_t factor;              /* inferences that run as one; 0: one */
    const tacho_machine *machine; /* whose types tensors are kept in; NULL: the model's */
    tacho_dtype dtype;            /* for real numbers; NONE: as the machine does */
    const uint32_t *device_of;    /* by operator; inputs of other devices are shared; NULL: one */
    const uint64_t *shares;       /* by tensor: bytes in each core; NULL: spread evenly */
} tacho_placement_options;

/*
 * The usual split: half of local memory keeps activations and half is for working. On a mesh its
 * blocks' need is set aside, and the rest is for activations.
 */
tacho_placement_options tacho_placement_usual(const tacho_machine *machine, uint32_t cores,
                                              tacho_dtype dtype);

/* Places the tensors of operators that run one after the other. */
tacho_status tacho_placement_init(tacho_placement *placement, const tacho_fusion *fusion,
                                  const tacho_placement_options *options) TACHO_MUST_USE;
void tacho_placement_deinit(tacho_placement *placement);

#endif
