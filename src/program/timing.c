/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts and ends of jobs.
 */
#include "program/timing.h"

#include "base/grow.h"

#include <stdlib.h>

tacho_status tacho_timer_init(tacho_timer *timer, const tacho_program *program)
{
    size_t cores = (size_t)program->facts.device_count * program->facts.core_count;
    *timer = (tacho_timer){
        .engine_free = tacho_items_alloc(program->engine_count, sizeof(int64_t)),
        .sequencer_free = tacho_items_alloc(cores, sizeof(int64_t)),
        .core_count = program->facts.core_count,
    };
    if (timer->engine_free == NULL || timer->sequencer_free == NULL) {
        return tacho_no_memory();
    }
    return TACHO_OK;
}

void tacho_timer_deinit(tacho_timer *timer)
{
    free(timer->engine_free);
    free(timer->sequencer_free);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static tacho_status time_job(tacho_timer *timer, const tacho_program *program, tacho_job *job)
{
    const tacho_program_engine *engine = &program->engines[job->engine];
    int64_t *sequencer =
        &timer->sequencer_free[(size_t)engine->device * timer->core_count + engine->core];
    int64_t start = timer->engine_free[job->engine];
    bool is_over = false;
    for (uint32_t i = 0; i < job->need_count; i++) {
        const tacho_need *need = &program->needs[job->first_need + i];
        int64_t ready = 0;
        is_over |= __builtin_add_overflow(program->jobs[need->job].end, need->lag, &ready);
        start = later(start, ready);
    }
    if (engine->is_sequenced != 0) {
        start = later(start, *sequencer);
        is_over |= __builtin_add_overflow(start, engine->issue_cycles, sequencer);
    }
    is_over |= __builtin_add_overflow(start, job->cycles, &job->end);
    if (is_over) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "the program's cycles do not fit 63 bits");
    }
    job->start = start;
    timer->engine_free[job->engine] = job->end;
    timer->end = later(timer->end, job->end);
    return TACHO_OK;
}

tacho_status tacho_timer_run(tacho_timer *timer, tacho_program *program)
{
    for (; timer->next_job < program->job_count; timer->next_job++) {
        TACHO_TRY(time_job(timer, program, &program->jobs[timer->next_job]));
    }
    return TACHO_OK;
}

int64_t tacho_program_op_span(const tacho_program *program, const tacho_program_op *op,
                              int64_t *out_start)
{
    int64_t first = INT64_MAX;
    int64_t last = 0;
    for (uint32_t i = 0; i < op->job_count; i++) {
        const tacho_job *job = &program->jobs[op->first_job + i];
        first = job->start < first ? job->start : first;
        last = later(last, job->end);
    }
    *out_start = op->job_count > 0 ? first : 0;
    return last - *out_start;
}

tacho_status tacho_program_time(tacho_program *program)
{
    tacho_timer timer;
    tacho_status status = tacho_timer_init(&timer, program);
    if (status == TACHO_OK) {
        status = tacho_timer_run(&timer, program);
    }
    program->facts.total_cycles = timer.end;
    tacho_timer_deinit(&timer);
    for (size_t i = 0; status == TACHO_OK && i < program->op_count; i++) {
        int64_t start;
        program->ops[i].cycles = tacho_program_op_span(program, &program->ops[i], &start);
    }
    return status;
}
