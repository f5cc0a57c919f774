/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts of a program that the simulation gathers before it starts: the jobs that wait for each job,
 * and the resource that each job shares with others. All activations use the same plan.
 */
#ifndef TACHO_DEVICE_SIM_PLAN_H
#define TACHO_DEVICE_SIM_PLAN_H

#include "device/sim/simulate.h"

/* A job that waits for another. */
typedef struct tacho_sim_waiter {
    int64_t lag;
    uint32_t job;
} tacho_sim_waiter;

/*
 * Things that transfers share, of each device: its memory, its links, and then its networks. On a
 * mesh each row and each column of cores is one; activations have cores, and so rows, of their own.
 */
typedef enum tacho_sim_shared {
    TACHO_SIM_DDR,
    TACHO_SIM_LINK,
    TACHO_SIM_NOC,
} tacho_sim_shared;

typedef struct tacho_sim_job {
    uint32_t shared;         /* device * |shared_each| + what; TACHO_NONE: nothing */
    uint32_t next_on_engine; /* jobs, or TACHO_NONE */
    uint32_t next_started;   /* by the same sequencer */
    uint32_t next_posted;    /* by the same thread, where one of its queues has a depth */
    uint32_t next_in_queue;  /* that has room in its queue when this one has ended */
    uint32_t waits;          /* for so many before it may start */
    uint8_t post_waits;      /* for so many before it may be posted */
    bool is_posted;
    uint64_t part; /* of the shared resource */
} tacho_sim_job;

typedef struct tacho_sim_plan {
    const tacho_program *program;
    tacho_sim_job *jobs;
    uint32_t *first_waiter; /* by job, and one more: places in |waiters| */
    tacho_sim_waiter *waiters;
    uint32_t shared_each; /* things that a device has */
    uint32_t lanes;       /* of them those of an activation's own; 0: all share one network */
} tacho_sim_plan;

/* Call deinit even after a failure. */
tacho_status tacho_sim_plan_init(tacho_sim_plan *plan, const tacho_program *program,
                                 const tacho_sim_limits *limits,
                                 uint32_t activations) TACHO_MUST_USE;

/* The kind of a shared resource. */
tacho_sim_shared tacho_sim_plan_kind(const tacho_sim_plan *plan, uint32_t shared);
void tacho_sim_plan_deinit(tacho_sim_plan *plan);

#endif
