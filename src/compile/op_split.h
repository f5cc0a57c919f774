/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ways to cut one operator into blocks, one per core, and their cycles.
 */
#ifndef TACHO_COMPILE_OP_SPLIT_H
#define TACHO_COMPILE_OP_SPLIT_H

#include "compile/op_cost.h"
#include "machine/cost.h"

/*
 * The compiler's own choice: partial sums that wait in local memory for the rest of k are kept in
 * 32 bits, for any type of operands. Accumulators of an engine have |sum_bytes|.
 */
enum { TACHO_SUM_BYTES = 4 };

/* Cycles of one way to cut, by the core clock. */
typedef struct tacho_parts {
    uint32_t cores;
    uint32_t engines;
    int64_t cycles; /* all in all */
    int64_t compute_cycles;
    int64_t read_cycles;
    int64_t write_cycles;
    int64_t launch_cycles;
    int64_t host_cycles; /* of them: waiting for the host */
    /* The bottleneck is the largest of computing, starting and these two. */
    int64_t memory_cycles; /* of the memory that all share, and of the path to it */
    int64_t local_cycles;  /* of data from the cores' memories and between them */
    uint64_t padded_macs;
    tacho_cut cut;
} tacho_parts;

/*
 * Cycles of one core for |elements| of the steps fused after a product: on the engine that does
 * most of them. 0 when the machine has none.
 */
tacho_status tacho_op_fused_cycles(const tacho_machine *machine, uint64_t elements, uint64_t steps,
                                   tacho_dtype dtype, int64_t *out_cycles) TACHO_MUST_USE;

/* |cost| names the engine and the type to compute in. */
tacho_status tacho_op_split_best(const tacho_machine *machine, const tacho_work *work,
                                 const tacho_cost_options *options, const tacho_op_cost *cost,
                                 tacho_parts *out_parts) TACHO_MUST_USE;

#endif
