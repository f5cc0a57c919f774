/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When each operator of a recorded inference ran, on which cores, and what its reading, computing
 * and writing took: from the records of its jobs.
 */
#ifndef TACHO_VENDORS_TENSTORRENT_RUN_OP_TIMES_H
#define TACHO_VENDORS_TENSTORRENT_RUN_OP_TIMES_H

#include "program/recording.h"
#include "program/stats_words.h"

/* What a job does for its operator: the vendor's processors of a core. */
typedef enum tacho_op_role {
    TACHO_OP_READS,    /* into the core: NCRISC */
    TACHO_OP_COMPUTES, /* TRISC 0 to 2 */
    TACHO_OP_WRITES,   /* out of the core: BRISC */
    TACHO_OP_ROLE_COUNT
} tacho_op_role;

/* From the first start to the last end, in cycles of the core clock; count 0: there is none. */
typedef struct tacho_cycle_range {
    uint64_t first, last;
    uint64_t count;
} tacho_cycle_range;

typedef struct tacho_op_times {
    uint32_t op;
    uint32_t device;
    tacho_cycle_range all;    /* with waiting and control */
    tacho_cycle_range kernel; /* of all roles */
    tacho_cycle_range roles[TACHO_OP_ROLE_COUNT];
    uint32_t core_count;
    uint64_t core_last_start;                 /* the first job of the core that starts last */
    uint64_t core_least, core_most, core_sum; /* cycles from a core's first job to its last */
    uint64_t shared_bytes;                    /* from and to shared memory */
    int64_t stall_cycles;                     /* waiting for shared memory and networks */
    bool has_stalls;
} tacho_op_times;

/* A job's record, or several in a row of one engine and operator. */
typedef struct tacho_op_piece {
    uint32_t op, core;
    uint32_t role; /* TACHO_OP_ROLE_COUNT: none of them */
    tacho_cycle_range range;
    uint64_t shared_bytes;
} tacho_op_piece;

/* Memory is kept from inference to inference. */
typedef struct tacho_op_timer {
    const tacho_program *program;
    tacho_stats_layout layout;
    tacho_stats_words words;
    tacho_op_piece *pieces;
    size_t piece_count, piece_capacity;
    tacho_op_times *times; /* by op, those that ran */
    size_t time_count, time_capacity;
} tacho_op_timer;

/* |program| outlives it. Call deinit even after a failure. */
tacho_status tacho_op_timer_init(tacho_op_timer *timer,
                                 const tacho_program *program) TACHO_MUST_USE;
void tacho_op_timer_deinit(tacho_op_timer *timer);

/* Fills |times| with what |buffer|, of one device and activation, says. */
tacho_status tacho_op_timer_take(tacho_op_timer *timer,
                                 const tacho_stats_buffer *buffer) TACHO_MUST_USE;

#endif
