/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of cycles by engine, of one kind of jobs after the other.
 */
#include "compile/op_busy.h"

#include "base/maths.h"

/* Kinds of busy time, as in the table of operators. */
typedef enum busy_part {
    BUSY_COMPUTE,
    BUSY_READ,
    BUSY_WRITE,
    BUSY_COPY,
    BUSY_LAUNCH,
    BUSY_LINK
} busy_part;

/* Launches and barriers are control jobs, too, where a machine has no semaphores. */
static bool is_barrier(const tacho_program *program, const tacho_job *job)
{
    uint32_t name = program->engines[job->engine].class_name;
    return tacho_str_equal(tacho_strings_get(&program->strings, name), TACHO_STR("sync"));
}

static busy_part part_of(const tacho_program *program, const tacho_job *job)
{
    switch ((tacho_job_kind)job->kind) {
    case TACHO_JOB_LOAD:
        return BUSY_READ;
    case TACHO_JOB_STORE:
        return BUSY_WRITE;
    case TACHO_JOB_COPY:
        return BUSY_COPY;
    case TACHO_JOB_CONTROL:
        return is_barrier(program, job) ? BUSY_LAUNCH : BUSY_COMPUTE;
    case TACHO_JOB_COMPUTE:
        return BUSY_COMPUTE;
    case TACHO_JOB_P2P:
        return BUSY_LINK;
    case TACHO_JOB_SIGNAL:
    case TACHO_JOB_WAIT:
    case TACHO_JOB_KIND_COUNT:
        break;
    }
    return BUSY_LAUNCH;
}

/* The busiest engine in jobs of one part. */
static int64_t busiest(const tacho_program *program, const tacho_program_op *op, int64_t *busy,
                       busy_part part)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < op->job_count; i++) {
        const tacho_job *job = &program->jobs[op->first_job + i];
        if (part_of(program, job) == part) {
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
    timing->cores = count_cores(program, op, busy);
    timing->compute_cycles = busiest(program, op, busy, BUSY_COMPUTE);
    timing->read_cycles = busiest(program, op, busy, BUSY_READ);
    timing->write_cycles = busiest(program, op, busy, BUSY_WRITE);
    timing->copy_cycles = busiest(program, op, busy, BUSY_COPY);
    timing->launch_cycles = busiest(program, op, busy, BUSY_LAUNCH);
}
