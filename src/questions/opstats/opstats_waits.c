/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a thread spent its time. It may serve several engines, as one that starts transfers does:
 * each engine's records have the waits of that engine; the thread waited only while it served none
 * of them. So the records of a thread's engines are merged in order of time, from the thread's
 * start to its flush: sync + ops + barrier + flush is the time of the thread.
 *
 * This is the only place that sums up waits: threads, rows of the op table and the balance of cores
 * use its results.
 */
#include "questions/opstats/opstats_waits.h"

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

/* Moves |next| to the next whole record. */
static void skip_to_whole(const tacho_opstats *self, cursor *at)
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
    if (count == 1) {
        return cursors[0].next != cursors[0].end ? cursors : NULL;
    }
    cursor *found = NULL;
    for (size_t i = 0; i < count; i++) {
        if (cursors[i].next != cursors[i].end &&
            (found == NULL || cursors[i].next->op_start_u < found->next->op_start_u)) {
            found = &cursors[i];
        }
    }
    return found;
}

static void add_wait(uint64_t *sum, uint64_t *count, uint64_t from, uint64_t to)
{
    if (to > from) {
        *sum += to - from;
        (*count)++;
    }
}

/* Progress through the time of a thread. */
typedef struct progress {
    tacho_opstats_waits waits;
    uint64_t busy;    /* end of the time accounted for */
    uint64_t barrier; /* end of the wait after an op, unless another one starts before */
} progress;

/* Counts a wait from the current time until |to|. */
static void wait_until(progress *self, uint64_t to)
{
    uint64_t met = self->barrier < to ? self->barrier : to;
    add_wait(&self->waits.barrier_u, &self->waits.barrier_count, self->busy, met);
    self->busy = met > self->busy ? met : self->busy;
    add_wait(&self->waits.sync_u, &self->waits.sync_count, self->busy, to);
    self->busy = to > self->busy ? to : self->busy;
}

/* Merges the records of |cursors|, all of one thread. */
static tacho_opstats_waits merge(const tacho_opstats *self, const tacho_opstats_thread *thread,
                                 cursor *cursors, size_t count)
{
    const tacho_stats_layout *layout = self->plan->words->layout;
    const tacho_opstats_plan *plan = self->plan;
    progress now = {.busy = thread->start_u};
    for (cursor *at; (at = earliest(cursors, count)) != NULL;) {
        const tacho_stats_op *op = at->next++;
        bool is_wait = plan->has_waits[at->engine] &&
                       layout->tasks[at->first_task + op->oc].kind == TACHO_JOB_WAIT;
        wait_until(&now, is_wait ? op->op_end_u : op->op_start_u);
        now.waits.op_u += op->op_end_u > now.busy ? op->op_end_u - now.busy : 0;
        now.busy = op->op_end_u > now.busy ? op->op_end_u : now.busy;
        now.barrier = op->barrier_end_u > now.barrier ? op->barrier_end_u : now.barrier;
        skip_to_whole(self, at);
    }
    wait_until(&now, thread->end_u - thread->flush_u);
    return now.waits;
}

/* Sets cursors for the engines with records; only those of |row|, unless it is TACHO_NONE. */
static size_t set_cursors(tacho_opstats *self, const uint32_t *engines, size_t count, uint32_t row)
{
    size_t set = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t engine = engines[i];
        if (self->first_array[engine] == TACHO_NONE ||
            (row != TACHO_NONE && self->plan->sync_row[engine] != row)) {
            continue;
        }
        cursor *at = &self->cursors[set++];
        *at = (cursor){.array = self->first_array[engine],
                       .engine = engine,
                       .first_task = tacho_stats_words_task(self->plan->words, engine, 0)};
        skip_to_whole(self, at);
    }
    return set;
}

/* A group's wait is that of its thread that waited longest. */
static void take_waits(tacho_opstats *self, uint32_t engine, const tacho_opstats_waits *waits)
{
    tacho_opstats_sum *sync = &self->sums[self->plan->sync_row[engine]];
    tacho_opstats_sum *barrier = &self->sums[self->plan->barrier_row[engine]];
    if (waits->sync_u > sync->ucycles) {
        sync->ucycles = waits->sync_u;
        sync->count = waits->sync_count;
    }
    if (waits->barrier_u > barrier->ucycles) {
        barrier->ucycles = waits->barrier_u;
        barrier->count = waits->barrier_count;
    }
}

/* Reads the engines of one thread; if it has several rows, also those of each row alone. */
static void read_thread(tacho_opstats *self, const uint32_t *engines, size_t count)
{
    tacho_opstats_thread *thread = &self->threads[self->engine_thread[engines[0]]];
    size_t set = set_cursors(self, engines, count, TACHO_NONE);
    if (set == 0 || !thread->is_there) {
        return; /* without work, or unknown: see tacho_opstats_thread */
    }
    thread->waits = merge(self, thread, self->cursors, set);
    for (size_t i = 0; i < count; i++) {
        uint32_t row = self->plan->sync_row[engines[i]];
        bool is_first = true;
        bool is_only = true;
        for (size_t j = 0; j < count; j++) {
            bool is_same = self->plan->sync_row[engines[j]] == row;
            is_first &= j >= i || !is_same;
            is_only &= is_same;
        }
        set = is_only || !is_first ? set : set_cursors(self, engines, count, row);
        if (is_first && set > 0) {
            tacho_opstats_waits own =
                is_only ? thread->waits : merge(self, thread, self->cursors, set);
            take_waits(self, engines[i], &own);
        }
    }
}

tacho_status tacho_opstats_read_waits(tacho_opstats *stats)
{
    TACHO_TRY(list_arrays(stats));
    const uint32_t *order = stats->engine_order;
    size_t end = stats->program->engine_count;
    for (size_t first = 0, next = 0; first < end; first = next) {
        uint32_t device = stats->program->engines[order[first]].device;
        while (next < end && stats->program->engines[order[next]].device == device &&
               stats->engine_thread[order[next]] == stats->engine_thread[order[first]]) {
            next++;
        }
        if (device == stats->file->head.device) {
            read_thread(stats, order + first, next - first);
        }
    }
    return TACHO_OK;
}
