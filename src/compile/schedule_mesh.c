/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One operator on a mesh: a launch, and then the jobs of compile/mesh_jobs.h on each core that it
 * uses. The next operator waits for all of them.
 */
#include "base/index.h"
#include "base/maths.h"
#include "compile/mesh_jobs.h"
#include "compile/schedule.h"

/* One core of the operator. */
typedef struct core_jobs {
    tacho_schedule *schedule;
    const tacho_mesh_jobs *plan;
    uint32_t launch;
    uint32_t ids[TACHO_MESH_JOBS_MAX]; /* by job of the plan; TACHO_NONE: not of this core */
    uint32_t buffers[TACHO_MESH_ROLE_COUNT];
} core_jobs;

/* Starting the operator: everything that it does waits for that. */
static tacho_status add_launch(tacho_schedule *schedule, int64_t cycles, uint32_t *out_id)
{
    tacho_job job = {.engine = tacho_schedule_queue(schedule, 0, schedule->engines.sync),
                     .kind = TACHO_JOB_CONTROL,
                     .buffer = TACHO_NONE,
                     .cycles = tacho_most(cycles, 1)};
    return tacho_schedule_add(schedule, job, out_id);
}

/* Circular buffers of a core, as far as there is room: results give way last. */
static tacho_status add_buffers(core_jobs *self, uint32_t core)
{
    static const tacho_mesh_role order[] = {TACHO_MESH_RESULT, TACHO_MESH_IN0, TACHO_MESH_IN1};
    tacho_schedule *schedule = self->schedule;
    const tacho_memory *local =
        tacho_machine_memory(schedule->estimate->machine, TACHO_MEMORY_LOCAL);
    uint64_t offset = schedule->placement->free_from[schedule->op];
    uint64_t room = (uint64_t)tacho_quantity_whole(&local->size_bytes) - offset;
    for (size_t i = 0; i < TACHO_MESH_ROLE_COUNT; i++) {
        tacho_buffer buffer = {
            .tensor = TACHO_NONE,
            .device = (uint16_t)schedule->device_of[schedule->op],
            .core = (uint16_t)core,
            .offset = offset,
            .bytes = tacho_least(self->plan->buffer_bytes[order[i]], room),
            .role = TACHO_BUFFER_TILE,
            .first_job = (uint32_t)schedule->program->job_count,
        };
        self->buffers[order[i]] = TACHO_NONE;
        if (buffer.bytes > 0) {
            TACHO_TRY(
                tacho_strings_ensure(&schedule->program->strings, local->name, &buffer.memory));
            TACHO_TRY(tacho_schedule_add_buffer(schedule, &buffer, &self->buffers[order[i]]));
            offset += buffer.bytes;
            room -= buffer.bytes;
        }
    }
    return TACHO_OK;
}

static void end_buffers(const core_jobs *self)
{
    tacho_program *program = self->schedule->program;
    for (size_t i = 0; i < TACHO_MESH_ROLE_COUNT; i++) {
        if (self->buffers[i] != TACHO_NONE) {
            program->buffers[self->buffers[i]].last_job = (uint32_t)program->job_count - 1;
        }
    }
}

static uint32_t engine_of(const tacho_schedule *schedule, tacho_mesh_unit unit, uint32_t core)
{
    uint32_t engine = schedule->estimate->ops[schedule->op].cost.engine;
    return unit == TACHO_MESH_READER
               ? tacho_schedule_queue(schedule, core, schedule->engines.dma_in)
           : unit == TACHO_MESH_WRITER
               ? tacho_schedule_queue(schedule, core, schedule->engines.dma_out)
               : tacho_schedule_engine(schedule, core, engine != TACHO_NONE ? engine : 0, 0);
}

/* |index| counts the cores of the job's phase. */
static tacho_status add_job(core_jobs *self, size_t number, uint32_t index, uint32_t core)
{
    tacho_schedule *schedule = self->schedule;
    const tacho_mesh_job *of = &self->plan->jobs[number];
    tacho_mesh_place place = tacho_mesh_place_of(of, index);
    tacho_job job = {
        .engine = engine_of(schedule, of->unit, core),
        .kind = (uint16_t)of->kind,
        .readers = (uint16_t)(place.readers > 1 ? place.readers : 0),
        .tile = (uint32_t)number,
        .buffer = self->buffers[of->role],
        .cycles = of->cycles,
        .bytes = tacho_mesh_part(of->bytes, place.team, place.teams),
        .macs = tacho_mesh_part(of->macs, index, of->cores.count),
    };
    for (size_t i = 0; i < of->need_count; i++) {
        const tacho_mesh_need *need = &of->needs[i];
        uint32_t id = need->job == TACHO_MESH_ENTRY ? self->launch : self->ids[need->job];
        if (id != TACHO_NONE) {
            TACHO_TRY(tacho_schedule_need(schedule, id, need->is_false, need->lag));
        }
    }
    if (schedule->need_count == 0) {
        TACHO_TRY(tacho_schedule_need(schedule, self->launch, false, 0));
    }
    return tacho_schedule_add(schedule, job, &self->ids[number]);
}

static tacho_status add_core(core_jobs *self, uint32_t core, uint32_t width)
{
    const tacho_mesh_jobs *plan = self->plan;
    bool has_any = false;
    for (size_t i = 0; i < plan->job_count; i++) {
        const tacho_mesh_cores *cores = &plan->jobs[i].cores;
        uint32_t index = tacho_mesh_index_of(cores, core, width);
        self->ids[i] = TACHO_NONE;
        if (index == TACHO_NONE) {
            continue;
        }
        TACHO_TRY(has_any ? TACHO_OK : add_buffers(self, core));
        has_any = true;
        TACHO_TRY(add_job(self, i, index, core));
    }
    if (has_any) {
        end_buffers(self);
    }
    return TACHO_OK;
}

tacho_status tacho_schedule_mesh(tacho_schedule *schedule)
{
    const tacho_estimate *estimate = schedule->estimate;
    const tacho_op_estimate *op = &estimate->ops[schedule->op];
    tacho_mesh_jobs plan = {.segments = schedule->segments};
    TACHO_TRY(
        tacho_mesh_jobs_make(estimate->machine, &op->work, &schedule->options, &op->cost, &plan));
    core_jobs self = {.schedule = schedule, .plan = &plan};
    bool has_launch = plan.job_count > 0; /* else it is a view, kept for its name */
    TACHO_TRY(add_launch(schedule, has_launch ? plan.launch : op->cost.cycles, &self.launch));
    uint32_t width = schedule->options.grid_x;
    for (uint32_t i = 0; i < schedule->cores && has_launch; i++) {
        TACHO_TRY(add_core(&self, i, width > 0 ? width : schedule->cores));
    }
    return TACHO_OK;
}
