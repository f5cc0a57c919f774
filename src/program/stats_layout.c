/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks of cores and places of records, from the jobs of a program.
 */
#include "program/stats_layout.h"

#include <stdlib.h>

#include "base/grow.h"
#include "program/bytes.h"
#include "program/stats_stream.h"

/* Whether a job has an op record at the program's stats level. */
static bool stats_records_job(const tacho_program *program, const tacho_job *job)
{
    uint32_t level = program->facts.stats.level;
    return level >= TACHO_STATS_LEVEL_OPS ||
           (level >= TACHO_STATS_LEVEL_PORTS && job->kind == TACHO_JOB_SIGNAL);
}

bool tacho_stats_is_async(const tacho_program *program, uint32_t engine)
{
    tacho_str name = tacho_strings_get(&program->strings, program->engines[engine].class_name);
    return tacho_str_starts_with(name, TACHO_STR("dma"));
}

/* ---- groups -------------------------------------------------------------------------------- */

/* Engines of a group follow one another in the table. */
static void find_groups(tacho_stats_layout *self)
{
    const tacho_program *program = self->program;
    for (uint32_t i = 0; i < program->engine_count; i++) {
        const tacho_program_engine *engine = &program->engines[i];
        const tacho_program_engine *before = i > 0 ? &program->engines[i - 1] : NULL;
        bool is_same = before != NULL && before->name == engine->name &&
                       before->class_name == engine->class_name &&
                       tacho_program_core_of(program, i - 1) == tacho_program_core_of(program, i);
        if (!is_same) {
            self->groups[self->group_count++] = (tacho_stats_group){.first_engine = i};
        }
        self->groups[self->group_count - 1].engine_count++;
        self->engine_group[i] = (uint32_t)self->group_count - 1;
    }
}

/* ---- tasks --------------------------------------------------------------------------------- */

/* The last task of a core while jobs are gone through. */
typedef struct open_task {
    uint32_t task; /* oc, TACHO_NONE before the first */
    uint32_t op, tile, group, engine, kind;
} open_task;

static bool goes_on(const tacho_stats_layout *self, const open_task *open, const tacho_job *job)
{
    return open->task != TACHO_NONE && open->op == job->op && open->tile == job->tile &&
           open->kind == job->kind && open->group == self->engine_group[job->engine] &&
           open->engine < job->engine;
}

/* Numbers the tasks of every core; returns how many each has in |counts|. */
static void number_tasks(tacho_stats_layout *self, open_task *open, size_t *counts)
{
    const tacho_program *program = self->program;
    for (size_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        size_t core = tacho_program_core_of(program, job->engine);
        if (!goes_on(self, &open[core], job)) {
            open[core] = (open_task){.task = (uint32_t)counts[core]++,
                                     .op = job->op,
                                     .tile = job->tile,
                                     .group = self->engine_group[job->engine],
                                     .kind = job->kind};
        }
        open[core].engine = job->engine;
        self->job_task[i] = open[core].task;
        self->job_slot[i] = TACHO_NONE;
        if (stats_records_job(program, job)) {
            self->job_slot[i] = self->engine_jobs[job->engine]++;
        }
    }
}

static tacho_status name_task(tacho_stats_layout *self, const tacho_job *job,
                              tacho_stats_task *task)
{
    const tacho_program *program = self->program;
    const uint32_t *names = program->facts.job_names;
    uint32_t name = names[job->kind];
    if (job->kind == TACHO_JOB_SIGNAL && job->need_count == 0) {
        name = names[TACHO_JOB_NAME_INPUT];
    }
    tacho_str text = tacho_strings_get(&program->strings, name);
    if (text.len == 0 && job->op != TACHO_NONE) {
        text = tacho_strings_get(&program->strings, program->ops[job->op].kind);
    }
    return tacho_strings_ensure(&self->names, text, &task->kind_name);
}

static tacho_status fill_tasks(tacho_stats_layout *self)
{
    const tacho_program *program = self->program;
    for (size_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        size_t core = tacho_program_core_of(program, job->engine);
        tacho_stats_task *task = &self->tasks[self->core_first_task[core] + self->job_task[i]];
        if (task->job_count++ == 0) {
            task->op = job->op;
            task->first_job = (uint32_t)i;
            task->engine = job->engine;
            task->kind = job->kind;
            TACHO_TRY(name_task(self, job, task));
        }
        task->bytes += job->bytes;
    }
    return TACHO_OK;
}

static tacho_status find_tasks(tacho_stats_layout *self, size_t core_count)
{
    open_task *open = NULL;
    TACHO_TRY(tacho_items_make(&open, core_count));
    for (size_t i = 0; i < core_count; i++) {
        open[i].task = TACHO_NONE;
    }
    number_tasks(self, open, self->core_first_task + 1);
    free(open);
    for (size_t i = 0; i < core_count; i++) {
        self->core_first_task[i + 1] += self->core_first_task[i];
    }
    self->task_count = self->core_first_task[core_count];
    TACHO_TRY(tacho_items_make(&self->tasks, self->task_count));
    return fill_tasks(self);
}

/* ---- the whole ----------------------------------------------------------------------------- */

static uint64_t layout_id(const tacho_program *program)
{
    const tacho_stats_config *stats = &program->facts.stats;
    uint64_t hash = tacho_bytes_hash(TACHO_BYTES_HASH, stats->level);
    hash = tacho_bytes_hash(hash, stats->batch_size);
    hash = tacho_bytes_hash(hash, stats->counts_ddr);
    for (uint32_t i = 0; i < stats->pmu_event_count; i++) {
        hash = tacho_bytes_hash(hash, stats->pmu_events[i]);
    }
    for (size_t i = 0; i < program->engine_count; i++) {
        const tacho_program_engine *engine = &program->engines[i];
        hash = tacho_bytes_hash(hash, (uint64_t)engine->device << 32 | (uint32_t)engine->core);
        hash = tacho_bytes_hash(hash, (uint64_t)engine->thread << 32 | (uint32_t)engine->index);
    }
    for (size_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        hash = tacho_bytes_hash(hash, (uint64_t)job->op << 32 | job->engine);
        hash = tacho_bytes_hash(hash, (uint64_t)job->kind << 32 | job->tile);
        hash = tacho_bytes_hash(hash, (uint64_t)job->cycles);
    }
    return hash;
}

/* Of each job that is recorded. */
static uint64_t job_bytes(const tacho_stats_config *stats)
{
    bool has_pmu = stats->level >= TACHO_STATS_LEVEL_OP_PMU && stats->pmu_event_count > 0;
    return sizeof(tacho_stats_op) + (has_pmu ? sizeof(tacho_stats_op_pmu) : 0);
}

/* Of each core, whatever it does. */
static uint64_t fixed_bytes(const tacho_program *program)
{
    const tacho_stats_config *stats = &program->facts.stats;
    uint64_t each = sizeof(tacho_stats_thread);
    each += stats->pmu_event_count > 0 ? sizeof(tacho_stats_pmu) : 0;
    return program->facts.thread_count * each +
           (stats->pmu_event_count > 0 ? sizeof(tacho_stats_core_pmu) : 0) +
           (stats->counts_ddr != 0 ? sizeof(tacho_stats_ddr) : 0);
}

/* Adds up the records of cores, |cores_each| consecutive ones in each sum. */
static void sum_bytes(const tacho_stats_layout *self, size_t cores_each, uint64_t *sums)
{
    const tacho_program *program = self->program;
    size_t cores = (size_t)program->facts.device_count * program->facts.core_count;
    bool records = program->facts.stats.level >= TACHO_STATS_LEVEL_INFERENCE;
    memset(sums, 0, (cores + cores_each - 1) / cores_each * sizeof(*sums));
    for (size_t i = 0; records && i < cores; i++) {
        sums[i / cores_each] += fixed_bytes(program);
    }
    for (uint32_t i = 0; records && i < program->engine_count; i++) {
        sums[tacho_program_core_of(program, i) / cores_each] +=
            self->engine_jobs[i] * job_bytes(&program->facts.stats);
    }
}

void tacho_stats_layout_core_bytes(const tacho_stats_layout *layout, uint64_t *out_bytes)
{
    sum_bytes(layout, 1, out_bytes);
}

void tacho_stats_layout_device_bytes(const tacho_stats_layout *layout, uint64_t *out_bytes)
{
    size_t cores = layout->program->facts.core_count;
    sum_bytes(layout, cores > 0 ? cores : 1, out_bytes);
}

static uint64_t record_bytes(const tacho_stats_layout *self)
{
    const tacho_program_facts *facts = &self->program->facts;
    size_t cores = (size_t)facts->device_count * facts->core_count;
    uint64_t bytes = 0;
    sum_bytes(self, cores > 0 ? cores : 1, &bytes);
    return bytes;
}

static bool allocate(tacho_stats_layout *self, size_t core_count)
{
    const tacho_program *program = self->program;
    self->job_task = tacho_items_alloc(program->job_count, sizeof(*self->job_task));
    self->job_slot = tacho_items_alloc(program->job_count, sizeof(*self->job_slot));
    self->engine_jobs = tacho_items_alloc(program->engine_count, sizeof(*self->engine_jobs));
    self->groups = tacho_items_alloc(program->engine_count, sizeof(*self->groups));
    self->engine_group = tacho_items_alloc(program->engine_count, sizeof(*self->engine_group));
    self->core_first_task = calloc(core_count + 2, sizeof(*self->core_first_task));
    return self->job_task != NULL && self->job_slot != NULL && self->engine_jobs != NULL &&
           self->groups != NULL && self->engine_group != NULL && self->core_first_task != NULL;
}

tacho_status tacho_stats_check_threads(const tacho_program *program)
{
    const tacho_program_facts *facts = &program->facts;
    uint64_t cores = (uint64_t)facts->device_count * facts->core_count; /* each below 2^16 */
    if (facts->thread_count == 0 || facts->thread_count > UINT16_MAX ||
        cores > TACHO_STATS_THREADS_MAX / facts->thread_count) {
        return tacho_fail(TACHO_CODE_LIMIT,
                          "the program has %u devices of %u cores of %u threads: expected 1 to "
                          "65535 threads, and no more than %d in all",
                          facts->device_count, facts->core_count, facts->thread_count,
                          TACHO_STATS_THREADS_MAX);
    }
    return TACHO_OK;
}

tacho_status tacho_stats_layout_init(tacho_stats_layout *layout, const tacho_program *program)
{
    *layout = (tacho_stats_layout){.program = program};
    size_t core_count = (size_t)program->facts.device_count * program->facts.core_count;
    TACHO_TRY(tacho_strings_init(&layout->names));
    TACHO_TRY(tacho_stats_check_threads(program));
    if (!allocate(layout, core_count)) {
        return tacho_no_memory();
    }
    find_groups(layout);
    TACHO_TRY(find_tasks(layout, core_count));
    layout->id = layout_id(program);
    layout->buffer_bytes = record_bytes(layout);
    return TACHO_OK;
}

void tacho_stats_layout_deinit(tacho_stats_layout *layout)
{
    free(layout->job_task);
    free(layout->job_slot);
    free(layout->engine_jobs);
    free(layout->groups);
    free(layout->engine_group);
    free(layout->core_first_task);
    free(layout->tasks);
    tacho_strings_deinit(&layout->names);
}

const tacho_stats_task *tacho_stats_layout_task(const tacho_stats_layout *layout, uint32_t device,
                                                uint32_t core, uint32_t oc)
{
    const tacho_program_facts *facts = &layout->program->facts;
    if (device >= facts->device_count || core >= facts->core_count) {
        return NULL;
    }
    size_t at = (size_t)device * facts->core_count + core;
    size_t count = layout->core_first_task[at + 1] - layout->core_first_task[at];
    return oc < count ? &layout->tasks[layout->core_first_task[at] + oc] : NULL;
}
