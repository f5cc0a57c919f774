/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that starts transfers serves several engines. Each engine's records say how long that
 * engine waited; the thread waited only while it started none of them. So the records of a thread's
 * engines are gone through together, in order of time.
 */
#include "analyses/opstats_issue.h"

#include "base/grow.h"

typedef struct tacho_opstats_cursor cursor;

static tacho_status list_arrays(tacho_opstats *self)
{
    const tacho_stats_file *file = self->file;
    TACHO_TRY(tacho_grow(&self->next_array, &self->next_capacity, file->array_count + 1));
    for (size_t i = 0; i < self->program->engine_count; i++) {
        self->first_array[i] = TACHO_NONE;
    }
    for (size_t i = file->array_count; i-- > 0;) {
        const tacho_stats_array *array = &file->arrays[i];
        if (array->type == TACHO_STATS_TYPE_op) {
            self->next_array[i] = self->first_array[array->stream];
            self->first_array[array->stream] = (uint32_t)i;
        }
    }
    return TACHO_OK;
}

/* Makes |next| the next record that is whole. */
static void settle(const tacho_opstats *self, cursor *at)
{
    for (;;) {
        while (at->next != at->end && at->next->oc == TACHO_NONE) {
            at->next++;
        }
        if (at->next != at->end || at->array == TACHO_NONE) {
            return;
        }
        const tacho_stats_array *array = &self->file->arrays[at->array];
        at->next = array->records;
        at->end = at->next + array->count;
        at->array = self->next_array[at->array];
    }
}

static cursor *earliest(cursor *cursors, size_t count)
{
    cursor *found = NULL;
    for (size_t i = 0; i < count; i++) {
        if (cursors[i].next != cursors[i].end &&
            (found == NULL || cursors[i].next->op_start_u < found->next->op_start_u)) {
            found = &cursors[i];
        }
    }
    return found;
}

static void add_wait(tacho_opstats_sum *sum, uint64_t *total, uint64_t from, uint64_t to)
{
    if (to > from) {
        sum->ucycles += to - from;
        sum->count++;
        *total += to - from;
    }
}

static void merge(tacho_opstats *self, cursor *cursors, size_t count)
{
    if (count == 0) {
        return;
    }
    const tacho_stats_layout *layout = self->plan->words->layout;
    const tacho_opstats_plan *plan = self->plan;
    tacho_opstats_thread *thread = &self->threads[self->engine_thread[cursors[0].engine]];
    tacho_opstats_sum *sync = &self->sums[plan->sync_row[cursors[0].engine]];
    tacho_opstats_sum *barrier = &self->sums[plan->barrier_row[cursors[0].engine]];
    uint64_t busy = thread->start_u; /* until when the thread has something to do */
    for (cursor *at; (at = earliest(cursors, count)) != NULL;) {
        const tacho_stats_op *op = at->next++;
        bool is_wait = plan->has_waits[at->engine] &&
                       layout->tasks[at->first_task + op->oc].kind == TACHO_JOB_WAIT;
        add_wait(sync, &thread->sync_u, busy, is_wait ? op->op_end_u : op->op_start_u);
        busy = op->op_end_u > busy ? op->op_end_u : busy;
        add_wait(barrier, &thread->barrier_u, busy, op->barrier_end_u);
        busy = op->barrier_end_u > busy ? op->barrier_end_u : busy;
        settle(self, at);
    }
    if (thread->is_there) {
        add_wait(sync, &thread->sync_u, busy, thread->end_u - thread->flush_u);
    }
}

tacho_status tacho_opstats_read_issuers(tacho_opstats *stats)
{
    const tacho_program *program = stats->program;
    TACHO_TRY(list_arrays(stats));
    size_t count = 0;
    uint32_t thread = TACHO_NONE;
    for (uint32_t i = 0; i < program->engine_count; i++) {
        if (!stats->plan->words->is_issue[i] || stats->first_array[i] == TACHO_NONE) {
            continue;
        }
        if (stats->engine_thread[i] != thread) {
            merge(stats, stats->cursors, count);
            count = 0;
            thread = stats->engine_thread[i];
        }
        cursor *at = &stats->cursors[count++];
        *at = (cursor){.array = stats->first_array[i],
                       .engine = i,
                       .first_task = tacho_stats_words_task(stats->plan->words, i, 0)};
        settle(stats, at);
    }
    merge(stats, stats->cursors, count);
    return TACHO_OK;
}
