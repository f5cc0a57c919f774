/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums over the records of one file.
 */
#include "questions/opstats/opstats_waits.h"

#include "base/attributes.h"
#include "base/grow.h"
#include "base/maths.h"

#include <stdlib.h>

enum { THREADS_MAX = 1 << 20 };

/* ---- memory -------------------------------------------------------------------------------- */

/* Sorts engines by device and thread; within a thread in the order of the program. */
static tacho_status order_engines(tacho_opstats *self)
{
    const tacho_program *program = self->program;
    size_t of_device = (size_t)program->facts.core_count * program->facts.thread_count;
    size_t threads = of_device * program->facts.device_count;
    size_t *first = NULL;
    TACHO_TRY(tacho_items_make(&first, threads));
    for (size_t i = 0; i < program->engine_count; i++) {
        first[program->engines[i].device * of_device + self->engine_thread[i] + 1]++;
    }
    for (size_t i = 0; i < threads; i++) {
        first[i + 1] += first[i];
    }
    for (uint32_t i = 0; i < program->engine_count; i++) {
        size_t thread = program->engines[i].device * of_device + self->engine_thread[i];
        self->engine_order[first[thread]++] = i;
    }
    self->thread_end = first; /* each now points to the end of its own */
    return TACHO_OK;
}

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
    stats->sums = tacho_items_alloc(plan->row_count, sizeof(*stats->sums));
    stats->tasks = tacho_items_alloc(layout->task_count, sizeof(*stats->tasks));
    stats->threads = tacho_items_alloc(threads, sizeof(*stats->threads));
    stats->cores = tacho_items_alloc((size_t)program->facts.core_count, sizeof(*stats->cores));
    stats->engine_thread = tacho_items_alloc(program->engine_count, sizeof(*stats->engine_thread));
    stats->first_array = tacho_items_alloc(program->engine_count, sizeof(*stats->first_array));
    stats->cursors = tacho_items_alloc(program->engine_count, sizeof(*stats->cursors));
    stats->engine_order = tacho_items_alloc(program->engine_count, sizeof(*stats->engine_order));
    stats->engine_records =
        tacho_items_alloc(program->engine_count, sizeof(*stats->engine_records));
    stats->engine_counters =
        tacho_items_alloc(program->engine_count, sizeof(*stats->engine_counters));
    stats->core_bytes =
        tacho_items_alloc((size_t)program->facts.device_count * program->facts.core_count,
                          sizeof(*stats->core_bytes));
    if (stats->engine_order == NULL || stats->engine_records == NULL ||
        stats->engine_counters == NULL || stats->core_bytes == NULL || stats->first_array == NULL ||
        stats->cursors == NULL || stats->sums == NULL || stats->tasks == NULL ||
        stats->threads == NULL || stats->cores == NULL || stats->engine_thread == NULL) {
        return tacho_no_memory();
    }
    for (size_t i = 0; i < program->engine_count; i++) {
        const tacho_program_engine *engine = &program->engines[i];
        size_t thread = engine->thread < thread_count ? engine->thread : thread_count - 1;
        stats->engine_thread[i] = (uint32_t)(engine->core * thread_count + thread);
    }
    tacho_stats_layout_core_bytes(layout, stats->core_bytes);
    return order_engines(stats);
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
    free(stats->engine_order);
    free(stats->thread_end);
    free(stats->engine_records);
    free(stats->engine_counters);
    free(stats->core_bytes);
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
    size_t engines = self->program->engine_count;
    memset(self->engine_records, 0, engines * sizeof(*self->engine_records));
    memset(self->engine_counters, 0, engines * sizeof(*self->engine_counters));
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

static bool is_wait(const tacho_opstats *self, size_t task)
{
    return self->plan->words->layout->tasks[task].kind == TACHO_JOB_WAIT;
}

/* Records by task: keeps the slowest thread of each. Pure waits are not ops. */
static void read_tasks(tacho_opstats *self, const tacho_stats_array *array)
{
    const tacho_stats_op *ops = array->records;
    size_t first = tacho_stats_words_task(self->plan->words, array->stream, 0);
    bool has_waits = self->plan->has_waits[array->stream];
    tacho_opstats_task *tasks = &self->tasks[first];
    uint64_t cycles = 0;
    uint32_t bad_count = 0;
    for (uint32_t i = 0; i < array->count; i++) {
        const tacho_stats_op *op = &ops[i];
        if (TACHO_UNLIKELY(op->oc == TACHO_NONE)) {
            bad_count++;
            continue; /* damaged, and counted */
        }
        if (TACHO_UNLIKELY(has_waits && is_wait(self, first + op->oc))) {
            continue;
        }
        tacho_opstats_task *task = &tasks[op->oc];
        uint64_t before = task->op_u == UINT64_MAX ? 0 : task->op_u;
        task->op_u = larger(before, op_ticks(op));
        task->op_p = larger(task->op_p, op->op_end_p - op->op_start_p);
        cycles += op->op_end_p - op->op_start_p;
    }
    self->threads[self->engine_thread[array->stream]].op_p += cycles;
    self->engine_records[array->stream] += array->count - bad_count;
    self->record_count += array->count;
}

/* Records by op of the program: each counts separately. */
static void read_ops(tacho_opstats *self, const tacho_stats_array *array)
{
    const tacho_stats_op *ops = array->records;
    size_t core = self->program->engines[array->stream].core;
    /* One thread starts all of them, regardless of the program's engines. */
    tacho_opstats_thread *thread = &self->threads[core * self->program->facts.thread_count];
    for (uint32_t i = 0; i < array->count; i++) {
        const tacho_stats_op *op = &ops[i];
        if (op->oc == TACHO_NONE) {
            continue;
        }
        add_sum(&self->sums[self->plan->op_row[op->oc]], op_ticks(op),
                op->op_end_p - op->op_start_p, self->program->ops[op->oc].output_bytes);
        thread->waits.op_u += op->op_end_u - op->op_start_u;
        thread->waits.sync_u += op->op_start_u - op->sync_start_u;
        thread->waits.barrier_u += op->barrier_end_u - op->op_end_u;
        thread->op_p += op->op_end_p - op->op_start_p;
    }
    self->record_count += array->count;
}

static void sum_tasks(tacho_opstats *self)
{
    const tacho_stats_layout *layout = self->plan->words->layout;
    size_t cores = self->program->facts.core_count;
    size_t first = layout->core_first_task[self->file->head.device * cores];
    size_t end = layout->core_first_task[(self->file->head.device + 1) * cores];
    for (size_t i = first; i < end; i++) {
        const tacho_opstats_task *task = &self->tasks[i];
        if (task->op_u != UINT64_MAX) {
            add_sum(&self->sums[self->plan->task_row[i]], task->op_u, task->op_p,
                    self->plan->words->task_bytes[i]);
        }
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
        self->engine_counters[array->stream]++;
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
        thread->flush_p = tacho_stats_flush_cycles(record);
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
        thread->has_pmu = true;
        memcpy(thread->pmu, records[i].values, sizeof(thread->pmu));
    }
}

static void read_core_pmu(tacho_opstats *self, const tacho_stats_array *array)
{
    const tacho_stats_core_pmu *records = array->records;
    for (uint32_t i = 0; i < array->count; i++) {
        tacho_opstats_core *core = &self->cores[records[i].core];
        core->has_pmu = true;
        memcpy(core->pmu, records[i].values, sizeof(core->pmu));
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

/*
 * Writing the stats is an op of every group at the end of its threads: all of them wait for the
 * core's buffer to be written. It may take less than a tick.
 */
static void sum_flush(tacho_opstats *self)
{
    const tacho_program *program = self->program;
    uint32_t device = self->file->head.device;
    for (uint32_t i = 0; i < program->engine_count; i++) {
        const tacho_opstats_thread *thread = &self->threads[self->engine_thread[i]];
        if (program->engines[i].device != device || !thread->is_there ||
            (thread->flush_u == 0 && thread->flush_p == 0)) {
            continue;
        }
        tacho_opstats_sum *sum = &self->sums[self->plan->flush_row[i]];
        if (sum->count == 0 || thread->flush_u > sum->ucycles) {
            *sum = (tacho_opstats_sum){0};
            add_sum(sum, thread->flush_u, thread->flush_p,
                    self->core_bytes[(size_t)device * program->facts.core_count +
                                     program->engines[i].core]);
        }
    }
}

/* ---- losses -------------------------------------------------------------------------------- */

/* Threads and counters that a core lacks. */
static void look_at_cores(tacho_opstats *self)
{
    const tacho_program_facts *facts = &self->program->facts;
    bool has_cycles = tacho_stats_has_cycles(&self->file->head);
    self->is_whole = true;
    for (uint32_t i = 0; i < facts->core_count; i++) {
        const tacho_opstats_thread *threads = &self->threads[(size_t)i * facts->thread_count];
        uint32_t there = 0;
        for (uint32_t j = 0; j < facts->thread_count; j++) {
            there += threads[j].is_there ? 1 : 0;
        }
        /* A host computer that runs the program has one thread, however many the machine has. */
        self->cores[i].is_whole = has_cycles
                                      ? there == facts->thread_count
                                      : there > 0 || !tacho_stats_is_damaged(&self->file->damage);
        self->is_whole &= self->cores[i].is_whole;
    }
}

/* Marks engines with missing records: their rows and threads have only sums of the rest. */
static void lose_engines(tacho_opstats *self)
{
    const tacho_stats_layout *layout = self->plan->words->layout;
    const tacho_program *program = self->program;
    uint32_t device = self->file->head.device;
    bool has_counters = (self->file->head.features & TACHO_STATS_HAS_OP_PMU) != 0;
    for (uint32_t i = 0; i < program->engine_count; i++) {
        tacho_opstats_thread *thread = &self->threads[self->engine_thread[i]];
        if (program->engines[i].device != device) {
            continue;
        }
        bool is_lost = self->engine_records[i] < layout->engine_jobs[i];
        thread->is_lost |= is_lost; /* rows of waits are shown from the level of ops on only */
        self->sums[self->plan->sync_row[i]].is_lost |=
            is_lost || (!thread->is_there && layout->engine_jobs[i] > 0);
        self->sums[self->plan->barrier_row[i]].is_lost |= is_lost;
        self->sums[self->plan->sync_row[i]].is_pmu_lost |=
            has_counters && self->engine_counters[i] < layout->engine_jobs[i];
    }
    size_t cores = program->facts.core_count;
    size_t first = layout->core_first_task[device * cores];
    size_t end = layout->core_first_task[(device + 1) * cores];
    for (size_t i = first; i < end; i++) {
        uint32_t engine = layout->tasks[i].engine;
        tacho_opstats_sum *sum = &self->sums[self->plan->task_row[i]];
        if (layout->tasks[i].kind != TACHO_JOB_WAIT) {
            sum->is_lost |= self->sums[self->plan->barrier_row[engine]].is_lost;
            sum->is_pmu_lost |= self->sums[self->plan->sync_row[engine]].is_pmu_lost;
        }
    }
    /* Ops are known without their thread; its waits after them are not. */
    for (uint32_t i = 0; i < program->engine_count; i++) {
        const tacho_opstats_thread *thread = &self->threads[self->engine_thread[i]];
        self->sums[self->plan->barrier_row[i]].is_lost |=
            program->engines[i].device == device && !thread->is_there;
    }
}

/* Records by op may be fewer than ops; in a damaged file all of their sums are unknown. */
static void lose_ops(tacho_opstats *self)
{
    bool is_lost = tacho_stats_is_damaged(&self->file->damage);
    for (size_t i = self->plan->first_op_row; is_lost && i < self->plan->row_count; i++) {
        self->sums[i].is_lost = self->sums[i].is_pmu_lost = self->sums[i].count > 0;
    }
    size_t threads = (size_t)self->program->facts.core_count * self->program->facts.thread_count;
    for (size_t i = 0; is_lost && i < threads; i++) {
        self->threads[i].is_lost = true;
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
        case TACHO_STATS_TYPE_core_pmu:
            read_core_pmu(stats, array);
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
    /* Below that level only some ops are recorded, so gaps between them are not waits. */
    bool has_ops = file->head.level >= TACHO_STATS_LEVEL_OPS;
    look_at_cores(stats);
    if (!is_by_op) {
        sum_tasks(stats);
    }
    if (!is_by_op && has_ops) {
        TACHO_TRY(tacho_opstats_read_waits(stats));
    }
    is_by_op ? lose_ops(stats) : lose_engines(stats);
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
