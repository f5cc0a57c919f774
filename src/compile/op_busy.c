/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of cycles by engine, of one kind of jobs after the other.
 */
#include "compile/op_busy.h"

#include "base/maths.h"

static bool is_of(const tacho_job *job, tacho_job_kind first, tacho_job_kind second)
{
    return job->kind == (uint16_t)first || job->kind == (uint16_t)second;
}

/* The busiest engine in jobs of two kinds. */
static int64_t busiest(const tacho_program *program, const tacho_program_op *op, int64_t *busy,
                       const tacho_job_kind kinds[2])
{
    int64_t most = 0;
    for (uint32_t i = 0; i < op->job_count; i++) {
        const tacho_job *job = &program->jobs[op->first_job + i];
        if (is_of(job, kinds[0], kinds[1])) {
            busy[job->engine] = tacho_cycles_add(busy[job->engine], job->cycles);
            most = tacho_most(most, busy[job->engine]);
        }
    }
    for (uint32_t i = 0; i < op->job_count; i++) {
        busy[program->jobs[op->first_job + i].engine] = 0;
    }
    return most;
}

/* Cores that the jobs run on. */
static uint32_t count_cores(const tacho_program *program, const tacho_program_op *op, int64_t *busy)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < op->job_count; i++) {
        const tacho_program_engine *engine =
            &program->engines[program->jobs[op->first_job + i].engine];
        int64_t *mark = &busy[engine->core]; /* there are more engines than cores */
        count += *mark == 0 ? 1 : 0;
        *mark = 1;
    }
    for (uint32_t i = 0; i < op->job_count; i++) {
        busy[program->engines[program->jobs[op->first_job + i].engine].core] = 0;
    }
    return count;
}

void tacho_op_busy(const tacho_program *program, const tacho_program_op *op, int64_t *busy,
                   tacho_op_timing *timing)
{
    static const tacho_job_kind computes[] = {TACHO_JOB_COMPUTE, TACHO_JOB_CONTROL};
    static const tacho_job_kind reads[] = {TACHO_JOB_LOAD, TACHO_JOB_LOAD};
    static const tacho_job_kind writes[] = {TACHO_JOB_STORE, TACHO_JOB_STORE};
    static const tacho_job_kind copies[] = {TACHO_JOB_COPY, TACHO_JOB_COPY};
    static const tacho_job_kind waits[] = {TACHO_JOB_WAIT, TACHO_JOB_SIGNAL};
    timing->cores = count_cores(program, op, busy);
    timing->compute_cycles = busiest(program, op, busy, computes);
    timing->read_cycles = busiest(program, op, busy, reads);
    timing->write_cycles = busiest(program, op, busy, writes);
    timing->copy_cycles = busiest(program, op, busy, copies);
    timing->launch_cycles = busiest(program, op, busy, waits);
}
