/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timeline of a program: when its jobs start and end if nothing but their needs and engines
 * holds them up. An engine does one job at a time, in the order of the table; where one sequencer
 * starts the jobs of a core's engines, it starts none before the ones ahead of it.
 *
 * The laws that a timeline and its buffers keep are checked here, too.
 */
#ifndef TACHO_PROGRAM_TIMING_H
#define TACHO_PROGRAM_TIMING_H

#include "program/program.h"

/* Goes through the jobs as they are added. */
typedef struct tacho_timer {
    int64_t *engine_free;    /* by engine: when it has finished its jobs */
    int64_t *sequencer_free; /* by device and core */
    uint32_t core_count;
    size_t next_job;
    int64_t end; /* of all jobs so far */
} tacho_timer;

/* |program| has its engines and facts. */
tacho_status tacho_timer_init(tacho_timer *timer, const tacho_program *program) TACHO_MUST_USE;
void tacho_timer_deinit(tacho_timer *timer);

/* Sets start and end of all jobs that it has not seen yet. */
tacho_status tacho_timer_run(tacho_timer *timer, tacho_program *program) TACHO_MUST_USE;

/* Times all jobs anew, by their cycles; sets ops' cycles and the total. */
tacho_status tacho_program_time(tacho_program *program) TACHO_MUST_USE;

/* Cycles from the start of the op's first job to the end of its last; 0 where it has none. */
int64_t tacho_program_op_span(const tacho_program *program, const tacho_program_op *op,
                              int64_t *out_start);

/*
 * Checks the rules of the timeline: no engine does two jobs at a time, no job starts before the
 * jobs it needs or takes less than its cycles, an op takes the span of its jobs, and no stretch of
 * local memory holds two things at a time or exceeds the memory. |program| has passed
 * tacho_program_check.
 */
tacho_status tacho_program_check_timeline(const tacho_program *program) TACHO_MUST_USE;

/* Buffers that one core has at a time: more are refused. */
enum { TACHO_BUFFERS_AT_ONCE_MAX = 1024 };

/* The most bytes that buffers of one core take at a time; they keep the law above. */
tacho_status tacho_program_local_peak(const tacho_program *program,
                                      uint64_t *out_bytes) TACHO_MUST_USE;

/* The same while the jobs from |first| to |last| run. */
tacho_status tacho_program_jobs_peak(const tacho_program *program, uint32_t first, uint32_t last,
                                     uint64_t *out_bytes) TACHO_MUST_USE;

#endif
