/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The closed-form estimate of one operator that has the whole machine to itself: it is spread over
 * the cores, each core's engines and memories are asked (machine/cost.h), and the slowest decides.
 */
#ifndef TACHO_COMPILE_OP_COST_H
#define TACHO_COMPILE_OP_COST_H

#include "base/status.h"
#include "machine/machine.h"
#include "machine/work.h"

typedef struct tacho_cost_options {
    uint32_t grid_x, grid_y; /* cores to use; 0: all, or as many as pay */
    uint32_t fidelity;       /* index of the machine's fidelity list + 1; 0: its default */
    tacho_dtype compute;     /* dtype to compute in; NONE: the model's, legalised */
    bool is_tuned;           /* blocks and placement as an expert would choose, where the machine
                                distinguishes the two */
    bool is_eager;           /* GPU: the host launches each kernel; else a graph replays them all */
} tacho_cost_options;

typedef enum tacho_bound {
    TACHO_BOUND_NONE,    /* takes no time: a view */
    TACHO_BOUND_COMPUTE, /* the engine */
    TACHO_BOUND_MEMORY,  /* the memory all cores share */
    TACHO_BOUND_LOCAL,   /* local memory or the network between the cores */
    TACHO_BOUND_LAUNCH,  /* starting it */
    TACHO_BOUND_LINK,    /* the link that moves tensors of other devices */
} tacho_bound;

/* How work is cut: numbers of parts of a product; one part for each core. */
typedef struct tacho_cut {
    uint64_t batch, rows, columns;
} tacho_cut;

typedef struct tacho_op_cost {
    uint32_t engine;        /* of the machine, or TACHO_NONE */
    uint32_t cores;         /* that take part */
    uint32_t engine_count;  /* engines of that kind at work, over all cores */
    int64_t cycles;         /* of the core clock, from start to end */
    int64_t compute_cycles; /* the busiest engine */
    int64_t read_cycles;    /* bringing inputs and weights */
    int64_t write_cycles;
    int64_t launch_cycles;
    int64_t host_cycles;  /* GPU: at its start, until the host has launched it */
    int64_t ideal_cycles; /* compute at the peak rate of all engines, nothing padded */
    uint64_t macs;        /* of the model */
    uint64_t padded_macs; /* that the engines do */
    tacho_dtype compute;  /* after legalising */
    tacho_bound bound;
    tacho_cut cut; /* of a product that is cut by the general rules; else zeros */
} tacho_op_cost;

/* The engine that does most of |dtype| per cycle and core; TACHO_NONE when none does any. */
uint32_t tacho_op_cost_engine(const tacho_machine *machine, tacho_work_kind kind,
                              tacho_dtype dtype);

/* |work| with absurd sizes is a failure (overflow), never a wrong number. */
tacho_status tacho_op_cost_estimate(const tacho_machine *machine, const tacho_work *work,
                                    const tacho_cost_options *options,
                                    tacho_op_cost *out_cost) TACHO_MUST_USE;

/*
 * Steps of a sequence, which need each other: how many follow the first, and the work of the first
 * and of each other. Weights stay in local memory from step to step where they take no more than
 * half of it. 0: it is none, and |out_steps| has the work as it is.
 */
uint64_t tacho_op_cost_sequence(const tacho_machine *machine, const tacho_work *work,
                                tacho_work out_steps[2]);

#endif
