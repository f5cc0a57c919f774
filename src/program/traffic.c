/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traffic with shared memory, job by job.
 */
#include "program/traffic.h"

/* A core's part of data cast to several cores; the remainder of the division goes to the next. */
static uint64_t count_share(tacho_traffic *self, uint64_t bytes, uint32_t readers)
{
    for (size_t i = 0; i < TACHO_TRAFFIC_CASTS_MAX; i++) {
        if (self->casts[i].readers == 0 || self->casts[i].readers == readers) {
            uint64_t rest = self->casts[i].rest + bytes % readers;
            self->casts[i].readers = readers;
            self->casts[i].rest = (uint32_t)(rest % readers);
            return bytes / readers + rest / readers;
        }
    }
    return bytes / readers;
}

uint64_t tacho_traffic_read(tacho_traffic *traffic, const tacho_job *job)
{
    if (job->kind == TACHO_JOB_P2P) {
        return job->bytes;
    }
    if (job->kind != TACHO_JOB_LOAD) {
        return 0;
    }
    return job->readers > 1 ? count_share(traffic, job->bytes, job->readers) : job->bytes;
}

uint64_t tacho_traffic_written(const tacho_job *job)
{
    return job->kind == TACHO_JOB_STORE || job->kind == TACHO_JOB_P2P ? job->bytes : 0;
}

size_t tacho_traffic_reader(const tacho_program *program, const tacho_job *job)
{
    const tacho_program_engine *engine = &program->engines[job->engine];
    size_t cores = program->facts.core_count;
    return job->kind == TACHO_JOB_P2P ? job->partner * cores
                                      : engine->device * cores + engine->core;
}
