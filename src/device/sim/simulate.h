/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simulation of a program's jobs on a machine. Rules of the timeline (program/timing.h) hold; in
 * addition transfers share resources that exist once (device/sim/share.h): the shared memory of a
 * device, its network between cores, the links between devices. A DMA queue that is full holds up
 * the thread that posts to it, and with it everything that the thread would post after.
 *
 * Laws: without limits the result is the program's own timeline; no transfer is faster than
 * alone; and the delay of a job over its estimate is attributed to causes, exactly.
 */
#ifndef TACHO_DEVICE_SIM_SIMULATE_H
#define TACHO_DEVICE_SIM_SIMULATE_H

#include "machine/machine.h"
#include "program/program.h"
#include "program/stats_records.h"

/* Resources that exist once. A rate of 0: without limit. */
typedef struct tacho_sim_limits {
    tacho_ratio ddr_read, ddr_write;    /* bytes per cycle, of each device */
    uint64_t ddr_banks, ddr_page_bytes; /* that hold the pages of a tensor, in turn; 0: one */
    tacho_ratio noc;                    /* the same between cores ... */
    uint32_t noc_width, noc_height;     /* ... or, > 0, of each row and column */
    tacho_ratio link;                   /* into a device from others */
    uint32_t queue_depths[TACHO_ENGINE_CLASS_COUNT]; /* of transfers; 0: without limit */
} tacho_sim_limits;

tacho_status tacho_sim_limits_init(tacho_sim_limits *limits,
                                   const tacho_machine *machine) TACHO_MUST_USE;

typedef struct tacho_sim_op {
    int64_t start, end; /* of all its jobs; both 0 when it has none */
    int64_t stalls[TACHO_STALL_COUNT];
} tacho_sim_op;

/* Cycles count from the start of the inference. */
typedef struct tacho_simulation {
    uint32_t activations;
    size_t job_count, op_count;
    int64_t *starts, *ends;               /* by activation, then job */
    int64_t (*stalls)[TACHO_STALL_COUNT]; /* of starts: they sum up to simulated - estimated */
    tacho_sim_op *ops;                    /* by activation, then op */
    uint8_t *causes;                      /* by job: what makes it longer; a tacho_stall */
    int64_t cycles;                       /* until the last job ended */
    uint64_t event_count;
} tacho_simulation;

/*
 * Runs |activations| copies of |program|, which has passed tacho_program_check, on cores of their
 * own. Call deinit even after a failure.
 */
tacho_status tacho_simulate(tacho_simulation *simulation, const tacho_program *program,
                            const tacho_sim_limits *limits, uint32_t activations) TACHO_MUST_USE;
void tacho_simulation_deinit(tacho_simulation *simulation);

#endif
