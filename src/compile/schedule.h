/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheduling: operators become jobs on engines, with the jobs that each waits for, and the timeline
 * follows (program/timing.h). Operators run one after the other.
 *
 * On machines with separate queues for loads and stores, and no mesh, an operator is cut over the
 * cores and into tiles (compile/tile.h): LOAD, COMPUTE and STORE for each. The next tile is loaded
 * while one is worked on and the one before it is stored. Where cores work together, each signals
 * when it is done and a barrier ends the operator. Their transfers take turns at the memory that
 * they share (compile/memory_turns.h).
 *
 * A tensor made on another device is moved over the link between them before the operator starts.
 *
 * On a mesh each core that an operator uses has jobs of its reader, its writer and its engine
 * (compile/mesh_jobs.h), at the same time and in step.
 *
 * Elsewhere, and on a mesh for networks with so many operators that the jobs of all cores would
 * take too much memory, an operator takes the cycles of the closed form of compile/op_cost.h,
 * overlap and all: its jobs stand for all cores, and lags are the starts of the streams.
 */
#ifndef TACHO_COMPILE_SCHEDULE_H
#define TACHO_COMPILE_SCHEDULE_H

#include "compile/core_cut.h"
#include "compile/memory_turns.h"
#include "program/timing.h"

/* Engines of one core: the machine's, then its queues, then the synchronisation of cores. */
typedef struct tacho_core_engines {
    uint32_t count;
    uint32_t dma_in, dma_out, dma_local; /* places among them; TACHO_NONE: no such queue */
    uint32_t sync;
    uint32_t *first; /* by engine of the machine: the place of its first */
} tacho_core_engines;

enum { TACHO_BOXES_KEPT = 4096 };

/*
 * Called after each operator with the number done and the total; false ends compiling as CANCELLED.
 * (optional: never cancelled)
 */
typedef struct tacho_compile_pace {
    bool (*goes_on)(void *self, uint64_t done_count, uint64_t total_count);
    void *self;
} tacho_compile_pace;

typedef struct tacho_schedule {
    const tacho_estimate *estimate; /* on |cores| cores */
    const tacho_placement *placement;
    const uint32_t *device_of; /* by operator */
    uint32_t cores, devices;
    uint32_t fidelity;
    tacho_dtype compute; /* that real numbers are kept in; NONE: as the machine does */
    bool is_tiled;
    uint32_t segments;          /* mesh: of a product's steps; 0: jobs stand for all cores */
    tacho_cost_options options; /* mesh: as the estimate had them */
    bool has_barrier;           /* operators end with one */
    int64_t limit;              /* not worth going on beyond this cycle */
    bool is_abandoned;          /* for that */
    int64_t rest;               /* cycles that later operators take at least */
    tacho_compile_pace pace;
    uint64_t done_count, total_count; /* operators, of all ways that are tried */
    uint64_t bytes_max;               /* that the program's tables may take; more is LIMIT ... */
    bool is_too_large;                /* ... and sets this */
    tacho_program *program;
    tacho_op_timing *timings; /* by operator: its traffic is filled in */
    tacho_timer timer;
    tacho_memory_turns turns;
    tacho_core_engines engines;
    tacho_ratio shared_rate;                   /* of shared memory; 0: no limit */
    tacho_ratio network_rate;                  /* between cores; 0: no limit */
    tacho_ratio in_rate, out_rate, local_rate; /* of the queues of a core, where there are */
    /* of the operator that is being scheduled */
    uint32_t op;
    uint32_t entry;      /* its first job */
    uint32_t anchor;     /* a job that all that it moves and computes waits for */
    bool reads_previous; /* it reads a result of the operator before it */
    uint32_t *finals;    /* jobs that it waits for, of the one before */
    size_t final_count;
    uint32_t *last_job;         /* by engine: its last job in this operator, or TACHO_NONE */
    uint32_t *tensor_device;    /* by tensor: where an operator made it, or it was moved to last */
    const tacho_core_cut *cuts; /* by operator; NULL: all on one core */
    size_t region_mark;         /* regions from here on are those of the next job */
    uint32_t boxes[TACHO_BOXES_KEPT]; /* by hash: first extents of boxes that may be needed again */
    uint32_t *resident_first; /* by tensor: the buffer of its first core's part, or TACHO_NONE */
    uint32_t *resident_count;
    tacho_need *needs; /* scratch, as all that follows */
    size_t need_count, need_capacity;
    tacho_space space;
    struct tacho_operand_work *operands; /* compile/schedule_tiles.h */
    size_t operand_capacity;
    struct tacho_slots *slots; /* compile/tile.h */
    size_t slot_capacity;
    uint32_t *cells;
    size_t cell_count, cell_capacity;
} tacho_schedule;

/* Whether operators are cut into tiles on |machine|. */
bool tacho_schedule_is_tiled(const tacho_machine *machine);

/* Fills engines, jobs, needs, buffers, blocks and the jobs of ops; |schedule| has the ops. */
tacho_status tacho_schedule_run(tacho_schedule *schedule) TACHO_MUST_USE;

/* ---- for its parts ------------------------------------------------------------------------- */

/* Adds a job that the next one waits for. A job without needs waits for the operator before. */
tacho_status tacho_schedule_need(tacho_schedule *schedule, uint32_t job, bool is_false,
                                 int64_t lag) TACHO_MUST_USE;

/* Everything that the operator before ended with, and |lag| cycles. */
tacho_status tacho_schedule_need_entry(tacho_schedule *schedule, int64_t lag) TACHO_MUST_USE;

/* The next job waits for the last job of each engine in this operator. */
void tacho_schedule_take_finals(tacho_schedule *schedule);

/* Adds |job| of the operator, with the needs since the last one. */
tacho_status tacho_schedule_add(tacho_schedule *schedule, tacho_job job,
                                uint32_t *out_id) TACHO_MUST_USE;

/* The |index|-th engine like machine engine |engine| on a core of the operator's device. */
uint32_t tacho_schedule_engine(const tacho_schedule *schedule, uint32_t core, uint32_t engine,
                               uint32_t index);

/* The |place|-th queue (or synchronisation) of the core. */
uint32_t tacho_schedule_queue(const tacho_schedule *schedule, uint32_t core, uint32_t place);

tacho_status tacho_schedule_add_buffer(tacho_schedule *schedule, const tacho_buffer *buffer,
                                       uint32_t *out_id) TACHO_MUST_USE;

/* Cycles that operator |op| takes at least on the cores that there are (schedule_least.c). */
int64_t tacho_schedule_least(const tacho_schedule *schedule, uint32_t op);

/* Moves tensors that other devices made for the operator to its device (schedule_link.c). */
tacho_status tacho_schedule_link(tacho_schedule *schedule) TACHO_MUST_USE;

/* The jobs of the operator: tiles on cores, units of a mesh, or streams; and its transfers. */
tacho_status tacho_schedule_tiles(tacho_schedule *schedule) TACHO_MUST_USE;
tacho_status tacho_schedule_mesh(tacho_schedule *schedule) TACHO_MUST_USE;
tacho_status tacho_schedule_streams(tacho_schedule *schedule) TACHO_MUST_USE;

#endif
