/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums over the records of one file.
 */
#include "analyses/opstats_issue.h"

#include "base/attributes.h"
#include "base/maths.h"

#include <stdlib.h>

enum { THREADS_MAX = 1 << 20 };

/* ---- memory -------------------------------------------------------------------------------- */

tacho_status tacho_opstats_init(tacho_opstats *stats, const tacho_opstats_plan *plan)
{
    const tacho_stats_layout *layout = plan->words->layout;
    const tacho_program *program = layout->program;
    size_t thread_count = program->facts.thread_count;
    size_t threads = (size_t)program->facts.core_count * thread_count;
    *stats = (tacho_opstats){.plan = plan, .program = program};
    if (thread_count == 0 || threads > THREADS_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "a program of %zu threads on a device", threads);
    }
    stats->sums = calloc(plan->row_count + 1, sizeof(*stats->sums));
    stats->tasks = calloc(layout->task_count + 1, sizeof(*stats->tasks));
    stats->threads = calloc(threads + 1, sizeof(*stats->threads));
    stats->cores = calloc((size_t)program->facts.core_count + 1, sizeof(*stats->cores));
    stats->engine_thread = calloc(program->engine_count + 1, sizeof(*stats->engine_thread));
    stats->first_array = calloc(program->engine_count + 1, sizeof(*stats->first_array));
    stats->cursors = calloc(program->engine_count + 1, sizeof(*stats->cursors));
    stats->engine_end = calloc(program->engine_count + 1, sizeof(*stats->engine_end));
    stats->device_bytes =
        calloc((size_t)program->facts.device_count + 1, sizeof(*stats->device_bytes));
    if (stats->engine_end == NULL || stats->device_bytes == NULL || stats->first_array == NULL ||
        stats->cursors == NULL || stats->sums == NULL || stats->tasks == NULL ||
        stats->threads == NULL || stats->cores == NULL || stats->engine_thread == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < program->engine_count; i++) {
        const tacho_program_engine *engine = &program->engines[i];
        size_t thread = engine->thread < thread_count ? engine->thread : thread_count - 1;
        stats->engine_thread[i] = (uint32_t)(engine->core * thread_count + thread);
    }
    tacho_stats_layout_device_bytes(layout, stats->device_bytes);
    return TACHO_OK;
}

void tacho_opstats_deinit(tacho_opstats *stats)
{
    free(stats->sums);
    free(stats->tasks);
    free(stats->threads);
    free(stats->cores);
    free(stats->engine_thread);
    free(stats->first_array);
    free(stats->next_array);
    free(stats->cursors);
    free(stats->engine_end);
    free(stats->device_bytes);
}

static void clear(tacho_opstats *self)
{
    const tacho_stats_layout *layout = self->plan->words->layout;
    const tacho_program_facts *facts = &self->program->facts;
    size_t first = layout->core_first_task[(size_t)self->file->head.device * facts->core_count];
    size_t end = layout->core_first_task[((size_t)self->file->head.device + 1) * facts->core_count];
    memset(self->sums, 0, self->plan->row_count * sizeof(*self->sums));
    memset(self->threads, 0,
           (size_t)facts->core_count * facts->thread_count * sizeof(*self->threads));
    memset(self->cores, 0, facts->core_count * sizeof(*self->cores));
    for (size_t i = first; i < end; i++) {
        self->tasks[i] = (tacho_opstats_task){.op_u = UINT64_MAX};
    }
    memset(self->engine_end, 0, self->program->engine_count * sizeof(*self->engine_end));
    self->record_count = 0;
    self->max_input_wait = self->max_output_wait = 0;
    self->has_ports = false;
}

/* ---- ops ----------------------------------------------------------------------------------- */

static inline uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t op_ticks(const tacho_stats_op *op)
{
    uint64_t end = op->flags & TACHO_STATS_OP_ASYNC ? op->async_done_u : op->op_end_u;
    return end - op->op_start_u;
}

static inline void add_to_thread(tacho_opstats_thread *thread, const tacho_stats_op *op)
{
    thread->op_u += op->op_end_u - op->op_start_u;
    thread->op_p += op->op_end_p - op->op_start_p;
    thread->sync_u += op->op_start_u - op->sync_start_u;
    thread->barrier_u += op->barrier_end_u - op->op_end_u;
}

static void add_sum(tacho_opstats_sum *sum, uint64_t ucycles, uint64_t pcycles, uint64_t bytes)
{
    sum->ucycles += ucycles;
    sum->pcycles += pcycles;
    sum->bytes += bytes;
    sum->count++;
    if (bytes > 0) {
        double ratio = (double)pcycles * 1024.0 / (double)bytes;
        sum->ratio_sum += ratio;
        sum->ratio_square_sum += ratio * ratio;
        sum->ratio_count++;
    }
}

static void add_wait(tacho_opstats_sum *sum, uint64_t ucycles)
{
    sum->ucycles += ucycles;
    sum->count += ucycles > 0 ? 1 : 0;
}

static bool is_wait(const tacho_opstats *self, size_t task)
{
    return self->plan->words->layout->tasks[task].kind == TACHO_JOB_WAIT;
}

/* Records by task: the slowest thread of each is kept. What is nothing but waiting is no op. */
static void read_tasks(tacho_opstats *self, const tacho_stats_array *array)
{
    const tacho_stats_op *ops = array->records;
    size_t first = tacho_stats_words_task(self->plan->words, array->stream, 0);
    bool has_waits = self->plan->has_waits[array->stream];
    tacho_opstats_task *tasks = &self->tasks[first];
    tacho_opstats_thread thread = {0};
    uint64_t last = self->engine_end[array->stream];
    for (uint32_t i = 0; i < array->count; i++) {
        const tacho_stats_op *op = &ops[i];
        if (TACHO_UNLIKELY(op->oc == TACHO_NONE)) {
            continue; /* damaged, and counted */
        }
        tacho_opstats_task *task = &tasks[op->oc];
        last = larger(last, op->barrier_end_u);
        if (TACHO_UNLIKELY(has_waits && is_wait(self, first + op->oc))) {
            task->sync_u = larger(task->sync_u, op->op_end_u - op->sync_start_u);
            task->op_u = task->op_u == UINT64_MAX ? 0 : task->op_u;
            thread.sync_u += op->op_end_u - op->sync_start_u;
            thread.barrier_u += op->barrier_end_u - op->op_end_u;
            continue;
        }
        uint64_t before = task->op_u == UINT64_MAX ? 0 : task->op_u;
        task->op_u = larger(before, op_ticks(op));
        task->op_p = larger(task->op_p, op->op_end_p - op->op_start_p);
        task->sync_u = larger(task->sync_u, op->op_start_u - op->sync_start_u);
        task->barrier_u = larger(task->barrier_u, op->barrier_end_u - op->op_end_u);
        add_to_thread(&thread, op);
    }
    self->engine_end[array->stream] = last;
    tacho_opstats_thread *of = &self->threads[self->engine_thread[array->stream]];
    bool is_issue = self->plan->words->is_issue[array->stream];
    of->op_u += thread.op_u;
    of->op_p += thread.op_p;
    of->sync_u += is_issue ? 0 : thread.sync_u; /* else see opstats_issue.c */
    of->barrier_u += is_issue ? 0 : thread.barrier_u;
    self->record_count += array->count;
}

/* Records by op of the program: each counts by itself. */
static void read_ops(tacho_opstats *self, const tacho_stats_array *array)
{
    const tacho_stats_op *ops = array->records;
    size_t core = self->program->engines[array->stream].core;
    /* One thread starts them all, whatever engines the program was compiled for. */
    tacho_opstats_thread *thread = &self->threads[core * self->program->facts.thread_count];
    for (uint32_t i = 0; i < array->count; i++) {
        const tacho_stats_op *op = &ops[i];
        if (op->oc == TACHO_NONE) {
            continue;
        }
        add_sum(&self->sums[self->plan->op_row[op->oc]], op_ticks(op),
                op->op_end_p - op->op_start_p, self->program->ops[op->oc].output_bytes);
        add_to_thread(thread, op);
    }
    self->record_count += array->count;
}

static void sum_tasks(tacho_opstats *self, bool has_waits)
{
    const tacho_stats_layout *layout = self->plan->words->layout;
    size_t cores = self->program->facts.core_count;
    size_t first = layout->core_first_task[self->file->head.device * cores];
    size_t end = layout->core_first_task[(self->file->head.device + 1) * cores];
    for (size_t i = first; i < end; i++) {
        const tacho_opstats_task *task = &self->tasks[i];
        if (task->op_u == UINT64_MAX) {
            continue;
        }
        uint32_t engine = layout->tasks[i].engine;
        if (layout->tasks[i].kind != TACHO_JOB_WAIT) {
            add_sum(&self->sums[self->plan->task_row[i]], task->op_u, task->op_p,
                    self->plan->words->task_bytes[i]);
        }
        if (has_waits && !self->plan->words->is_issue[engine]) {
            add_wait(&self->sums[self->plan->sync_row[engine]], task->sync_u);
            add_wait(&self->sums[self->plan->barrier_row[engine]], task->barrier_u);
        }
    }
}

/* What threads waited behind their last op; of a group that of the thread that waited longest. */
static void sum_tails(tacho_opstats *self)
{
    const tacho_stats_layout *layout = self->plan->words->layout;
    for (size_t i = 0; i < layout->group_count; i++) {
        const tacho_stats_group *group = &layout->groups[i];
        uint64_t longest = 0;
        for (uint32_t e = group->first_engine; e < group->first_engine + group->engine_count; e++) {
            tacho_opstats_thread *thread = &self->threads[self->engine_thread[e]];
            uint64_t flush = thread->end_u - thread->flush_u;
            if (self->engine_end[e] > 0 && thread->is_there && flush > self->engine_end[e] &&
                !self->plan->words->is_issue[e]) {
                thread->sync_u += flush - self->engine_end[e];
                longest = larger(longest, flush - self->engine_end[e]);
            }
        }
        add_wait(&self->sums[self->plan->sync_row[group->first_engine]], longest);
    }
}

/* Counters of op records, by row; all threads together. */
static void read_op_pmu(tacho_opstats *self, const tacho_stats_array *array)
{
    const tacho_stats_op_pmu *records = array->records;
    const tacho_stats_layout *layout = self->plan->words->layout;
    bool is_by_op = (self->file->head.features & TACHO_STATS_BY_OP) != 0;
    size_t first = tacho_stats_words_task(self->plan->words, array->stream, 0);
    const tacho_program_engine *engine = &self->program->engines[array->stream];
    size_t core = (size_t)engine->device * self->program->facts.core_count + engine->core;
    size_t count = is_by_op ? self->program->op_count : layout->core_first_task[core + 1] - first;
    for (uint32_t i = 0; i < array->count; i++) {
        if (records[i].oc >= count) {
            continue;
        }
        uint32_t row = is_by_op ? self->plan->op_row[records[i].oc]
                                : self->plan->task_row[first + records[i].oc];
        for (int j = 0; j < TACHO_PMU_EVENTS_MAX; j++) {
            self->sums[row].pmu[j] += records[i].values[j];
        }
    }
}

/* ---- threads, cores, ports ----------------------------------------------------------------- */

static bool is_possible(const tacho_stats_thread *thread)
{
    return thread->start_u <= thread->end_u && thread->end_u <= INT64_MAX &&
           thread->start_p <= thread->end_p && thread->end_p <= INT64_MAX &&
           thread->activate_start_u <= thread->activate_end_u &&
           thread->flush_start_u <= thread->end_u && thread->flush_start_u >= thread->start_u;
}

/* Cycles of the flush; where they are not known, the share of the thread's that its ticks are. */
static uint64_t flush_cycles(const tacho_stats_thread *thread)
{
    uint64_t cycles = thread->end_p - thread->start_p;
    uint64_t flush = thread->end_u - thread->flush_start_u;
    if (thread->flush_p > 0 || flush == 0) {
        return thread->flush_p < cycles ? thread->flush_p : cycles;
    }
    return (uint64_t)((tacho_u128)cycles * flush / (thread->end_u - thread->start_u));
}

static void add_to_core(tacho_opstats_core *core, const tacho_opstats_thread *thread)
{
    if (!core->is_there) {
        core->start_u = thread->start_u;
        core->start_p = thread->start_p;
        core->is_there = true;
    }
    core->start_u = thread->start_u < core->start_u ? thread->start_u : core->start_u;
    core->start_p = thread->start_p < core->start_p ? thread->start_p : core->start_p;
    if (thread->end_u >= core->end_u) {
        core->flush_u = thread->flush_u;
        core->flush_p = thread->flush_p;
    }
    core->end_u = larger(core->end_u, thread->end_u);
    core->end_p = larger(core->end_p, thread->end_p);
    core->max_u = larger(core->max_u, thread->end_u - thread->start_u);
    core->max_p = larger(core->max_p, thread->end_p - thread->start_p);
}

static void read_threads(tacho_opstats *self, const tacho_stats_array *array)
{
    const tacho_stats_thread *records = array->records;
    for (uint32_t i = 0; i < array->count; i++) {
        const tacho_stats_thread *record = &records[i];
        if (!is_possible(record)) {
            continue;
        }
        tacho_opstats_thread *thread =
            &self->threads[(size_t)record->core * self->program->facts.thread_count +
                           record->thread];
        thread->is_there = true;
        thread->start_u = record->start_u;
        thread->end_u = record->end_u;
        thread->start_p = record->start_p;
        thread->end_p = record->end_p;
        thread->activate_u = record->activate_end_u - record->activate_start_u;
        thread->flush_u = record->end_u - record->flush_start_u;
        thread->flush_p = flush_cycles(record);
        add_to_core(&self->cores[record->core], thread);
    }
}

static void read_pmu(tacho_opstats *self, const tacho_stats_array *array)
{
    const tacho_stats_pmu *records = array->records;
    for (uint32_t i = 0; i < array->count; i++) {
        tacho_opstats_thread *thread =
            &self->threads[(size_t)records[i].core * self->program->facts.thread_count +
                           records[i].thread];
        tacho_opstats_core *core = &self->cores[records[i].core];
        core->has_pmu = true;
        for (int j = 0; j < TACHO_PMU_EVENTS_MAX; j++) {
            thread->pmu[j] += records[i].values[j];
            core->pmu[j] += records[i].values[j];
        }
    }
}

static void read_ddr(tacho_opstats *self, const tacho_stats_array *array)
{
    const tacho_stats_ddr *records = array->records;
    for (uint32_t i = 0; i < array->count; i++) {
        tacho_opstats_core *core = &self->cores[records[i].core];
        core->has_ddr = true;
        core->read_bytes += records[i].read_bytes;
        core->write_bytes += records[i].write_bytes;
    }
}

static void read_ports(tacho_opstats *self, const tacho_stats_array *array)
{
    const tacho_stats_port *records = array->records;
    self->has_ports |= array->count > 0;
    for (uint32_t i = 0; i < array->count; i++) {
        uint64_t *max = records[i].is_output ? &self->max_output_wait : &self->max_input_wait;
        *max = larger(*max, records[i].wait_u);
    }
}

/* Writing the stats is an op of every group at the end of its threads. */
static void sum_flush(tacho_opstats *self)
{
    const tacho_program *program = self->program;
    uint64_t bytes = self->device_bytes[self->file->head.device];
    for (uint32_t i = 0; i < program->engine_count; i++) {
        const tacho_opstats_thread *thread = &self->threads[self->engine_thread[i]];
        if (program->engines[i].device != self->file->head.device || !thread->is_there ||
            thread->flush_u == 0) {
            continue;
        }
        tacho_opstats_sum *sum = &self->sums[self->plan->flush_row[i]];
        if (thread->flush_u > sum->ucycles) {
            *sum = (tacho_opstats_sum){0};
            add_sum(sum, thread->flush_u, thread->flush_p, bytes);
        }
    }
}

/* ---- the file ------------------------------------------------------------------------------ */

tacho_status tacho_opstats_read(tacho_opstats *stats, const tacho_stats_file *file)
{
    bool is_by_op = (file->head.features & TACHO_STATS_BY_OP) != 0;
    stats->file = file;
    clear(stats);
    for (size_t i = 0; i < file->array_count; i++) {
        const tacho_stats_array *array = &file->arrays[i];
        switch (array->type) {
        case TACHO_STATS_TYPE_op:
            is_by_op ? read_ops(stats, array) : read_tasks(stats, array);
            break;
        case TACHO_STATS_TYPE_op_pmu:
            read_op_pmu(stats, array);
            break;
        case TACHO_STATS_TYPE_thread:
            read_threads(stats, array);
            break;
        case TACHO_STATS_TYPE_pmu:
            read_pmu(stats, array);
            break;
        case TACHO_STATS_TYPE_ddr:
            read_ddr(stats, array);
            break;
        case TACHO_STATS_TYPE_port:
            read_ports(stats, array);
            break;
        case TACHO_STATS_TYPE_head:
        case TACHO_STATS_TYPE_clock:
        case TACHO_STATS_TYPE_doorbell:
        case TACHO_STATS_TYPE_stall:
        case TACHO_STATS_TYPE_drop:
        case TACHO_STATS_TYPE_end:
        case TACHO_STATS_TYPE_COUNT:
            break;
        }
    }
    /* Below that level single ops are recorded: what lies between them is no waiting. */
    bool has_ops = file->head.level >= TACHO_STATS_LEVEL_OPS;
    if (!is_by_op) {
        sum_tasks(stats, has_ops);
    }
    if (!is_by_op && has_ops) {
        sum_tails(stats);
        TACHO_TRY(tacho_opstats_read_issuers(stats));
    }
    if (has_ops) {
        sum_flush(stats);
    }
    return TACHO_OK;
}

bool tacho_opstats_extent(const tacho_opstats *stats, uint64_t *out_start, uint64_t *out_end)
{
    bool is_there = false;
    *out_start = UINT64_MAX;
    *out_end = 0;
    for (uint32_t i = 0; i < stats->program->facts.core_count; i++) {
        const tacho_opstats_core *core = &stats->cores[i];
        if (core->is_there) {
            is_there = true;
            *out_start = core->start_u < *out_start ? core->start_u : *out_start;
            *out_end = larger(*out_end, core->end_u);
        }
    }
    return is_there;
}

double tacho_opstats_mhz(const tacho_opstats *stats, const tacho_opstats_core *core)
{
    return core->max_u == 0 || !tacho_stats_has_cycles(&stats->file->head)
               ? 0.0
               : (double)(core->end_p - core->start_p) * (double)stats->file->head.timer_hz /
                     (double)core->max_u / 1e6;
}
