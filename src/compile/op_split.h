/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ways to cut one operator into blocks, one per core, and what each takes.
 */
#ifndef TACHO_COMPILE_OP_SPLIT_H
#define TACHO_COMPILE_OP_SPLIT_H

#include "compile/op_cost.h"
#include "machine/cost.h"

/* What one way to cut takes; cycles of the core clock. */
typedef struct tacho_parts {
    uint32_t cores;
    uint32_t engines;
    int64_t cycles; /* all in all */
    int64_t compute_cycles;
    int64_t read_cycles;
    int64_t write_cycles;
    int64_t launch_cycles;
    int64_t shared_cycles; /* of the memory that all share */
    int64_t core_cycles;   /* of the busiest core's own queues and links */
    uint64_t padded_macs;
    tacho_cut cut;
} tacho_parts;

/* |cost| names the engine and the type to compute in. */
tacho_status tacho_op_split_best(const tacho_machine *machine, const tacho_work *work,
                                 const tacho_cost_options *options, const tacho_op_cost *cost,
                                 tacho_parts *out_parts) TACHO_MUST_USE;

#endif
