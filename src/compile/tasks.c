/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order of the starts and waits of jobs, and where one task ends and the next begins.
 */
#include "compile/tasks.h"

#include "base/grow.h"

#include <stdlib.h>

/*
 * At one time, jobs that have ended are waited for before any starts, so that engines are free
 * again. Then transfers start, which takes the sequencer no time, then engines, which takes it a
 * cycle each. A job that takes no time is waited for once it has started.
 */
enum { RANK_ENDED, RANK_FREE_START, RANK_ISSUED_START };

static int compare_events(const void *left, const void *right)
{
    const tacho_task_event *a = left;
    const tacho_task_event *b = right;
    if (a->time != b->time) {
        return a->time < b->time ? -1 : 1;
    }
    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    if (a->job != b->job) {
        return a->job < b->job ? -1 : 1;
    }
    return a->is_wait == b->is_wait ? 0 : (a->is_wait ? 1 : -1);
}

bool tacho_job_is_instant(const tacho_job *job)
{
    return job->kind == TACHO_JOB_SIGNAL || job->kind == TACHO_JOB_WAIT;
}

tacho_status tacho_task_events_collect(const tacho_program *program, const tacho_block *block,
                                       tacho_task_events *events)
{
    events->count = 0;
    TACHO_TRY(tacho_grow(&events->items, &events->capacity, 2 * (size_t)block->job_count + 1));
    for (uint32_t i = 0; i < block->job_count; i++) {
        uint32_t id = block->first_job + i;
        const tacho_job *job = &program->jobs[id];
        const tacho_program_engine *engine = &program->engines[job->engine];
        uint32_t issue = engine->is_sequenced != 0 ? engine->issue_cycles : 0;
        uint32_t rank = issue > 0 ? RANK_ISSUED_START : RANK_FREE_START;
        events->items[events->count++] = (tacho_task_event){job->start, id, false, rank, issue};
        if (!tacho_job_is_instant(job)) {
            uint32_t end_rank = job->start == job->end ? rank : RANK_ENDED;
            events->items[events->count++] = (tacho_task_event){job->end, id, true, end_rank, 0};
        }
    }
    qsort(events->items, events->count, sizeof(*events->items), compare_events);
    return TACHO_OK;
}

bool tacho_task_is_same(const tacho_task_event *a, const tacho_task_event *b)
{
    return a->time == b->time && (a->rank == RANK_ENDED) == (b->rank == RANK_ENDED);
}

/* A job has the number of the task that starts it. */
static void number_events(const tacho_task_events *events, uint32_t *next_task, uint32_t *tasks)
{
    for (size_t i = 0; i < events->count; i++) {
        const tacho_task_event *event = &events->items[i];
        *next_task += i > 0 && !tacho_task_is_same(&events->items[i - 1], event) ? 1 : 0;
        tasks[event->job] = event->is_wait ? tasks[event->job] : *next_task;
    }
    *next_task += events->count > 0 ? 1 : 0;
}

tacho_status tacho_tasks_number(const tacho_program *program, uint32_t *out_tasks)
{
    uint32_t *next_task = tacho_items_alloc(program->dispatch_count, sizeof(*next_task));
    tacho_task_events events = {0};
    tacho_status status = next_task != NULL ? TACHO_OK : tacho_no_memory();
    for (size_t i = 0; status == TACHO_OK && i < program->block_count; i++) {
        status = tacho_task_events_collect(program, &program->blocks[i], &events);
        if (status == TACHO_OK) {
            number_events(&events, &next_task[program->blocks[i].dispatch], out_tasks);
        }
    }
    free(events.items);
    free(next_task);
    return status;
}
