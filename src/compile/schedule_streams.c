/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One operator by its closed form: in its window data is loaded from the start, results are stored
 * until the end, and engines compute as late as they can but no later than all data is there. Each
 * waits for the operator before and a number of cycles more.
 */
#include "base/index.h"
#include "base/maths.h"
#include "compile/schedule.h"

typedef struct window {
    tacho_schedule *schedule;
    const tacho_op_cost *cost;
    uint32_t buffer;
} window;

/* Adds a job that starts |from| and ends |to| cycles into the window, cut to it; none if empty. */
static tacho_status add_stream(const window *self, tacho_job job, int64_t from, int64_t to)
{
    from = from < 0 ? 0 : from;
    to = to > self->cost->cycles ? self->cost->cycles : to;
    if (to <= from) {
        return TACHO_OK;
    }
    uint32_t id;
    job.cycles = to - from;
    job.buffer = self->buffer;
    TACHO_TRY(tacho_schedule_need_entry(self->schedule, from));
    return tacho_schedule_add(self->schedule, job, &id);
}

/* An operator without loads needs a job that marks its start: it takes no time. */
static tacho_status add_begin(const window *self)
{
    tacho_schedule *schedule = self->schedule;
    tacho_job job = {.engine = tacho_schedule_queue(schedule, 0, schedule->engines.sync),
                     .kind = TACHO_JOB_CONTROL,
                     .buffer = TACHO_NONE};
    uint32_t id;
    return tacho_schedule_add(schedule, job, &id);
}

/* Engines of a core compute together; MACs are those of all cores. */
static tacho_status add_compute(const window *self, int64_t ready)
{
    tacho_schedule *schedule = self->schedule;
    const tacho_op_cost *cost = self->cost;
    const tacho_machine *machine = schedule->estimate->machine;
    uint64_t count = (uint64_t)tacho_quantity_whole(&machine->engines[cost->engine].count);
    int64_t latest = cost->cycles - cost->compute_cycles;
    int64_t from = ready < latest ? ready : latest;
    for (uint32_t i = 0; i < count; i++) {
        tacho_job job = {
            .engine = tacho_schedule_engine(schedule, 0, cost->engine, i),
            .kind = TACHO_JOB_COMPUTE,
            .macs = cost->macs / count + (i < cost->macs % count ? 1 : 0),
        };
        TACHO_TRY(add_stream(self, job, from, from + cost->compute_cycles));
    }
    return TACHO_OK;
}

/* The working buffer of the operator: its operands, twice, as far as there is room. */
static tacho_status add_buffer(window *self)
{
    tacho_schedule *schedule = self->schedule;
    const tacho_machine *machine = schedule->estimate->machine;
    const tacho_memory *local = tacho_machine_memory(machine, TACHO_MEMORY_LOCAL);
    const tacho_op_estimate *op = &schedule->estimate->ops[schedule->op];
    uint64_t from = schedule->placement->free_from[schedule->op];
    uint64_t room = (uint64_t)tacho_quantity_whole(&local->size_bytes) - from;
    uint64_t cores = self->cost->cores > 0 ? self->cost->cores : 1;
    uint64_t bytes = (op->ddr_read_bytes + op->ddr_write_bytes) / cores;
    tacho_buffer buffer = {
        .tensor = TACHO_NONE,
        .device = (uint16_t)schedule->device_of[schedule->op],
        .offset = from,
        .bytes = bytes > room / 2 ? room : 2 * bytes,
        .first_job = schedule->entry,
    };
    TACHO_TRY(tacho_strings_ensure(&schedule->program->strings, local->name, &buffer.memory));
    return tacho_schedule_add_buffer(schedule, &buffer, &self->buffer);
}

/* The traffic of the kernels: from their start, and until their end. */
static tacho_status add_traffic(const window *self)
{
    tacho_schedule *schedule = self->schedule;
    const tacho_op_estimate *op = &schedule->estimate->ops[schedule->op];
    const tacho_op_cost *cost = self->cost;
    int64_t begin = cost->host_cycles;
    int64_t read = op->ddr_read_bytes == 0 ? 0 : tacho_most(cost->read_cycles, 1);
    int64_t written = op->ddr_write_bytes == 0 ? 0 : tacho_most(cost->write_cycles, 1);
    tacho_job load = {.engine = tacho_schedule_queue(schedule, 0, schedule->engines.dma_in),
                      .kind = TACHO_JOB_LOAD,
                      .bytes = op->ddr_read_bytes};
    tacho_job store = {.engine = tacho_schedule_queue(schedule, 0, schedule->engines.dma_out),
                       .kind = TACHO_JOB_STORE,
                       .bytes = op->ddr_write_bytes};
    TACHO_TRY(add_stream(self, load, begin, begin + read));
    return add_stream(self, store, cost->cycles - written, cost->cycles);
}

/* On a GPU an operator is kernels: one job for all of their time, besides their traffic. */
static tacho_status add_kernels(const window *self)
{
    const tacho_machine *machine = self->schedule->estimate->machine;
    const tacho_op_estimate *op = &self->schedule->estimate->ops[self->schedule->op];
    uint32_t engine = self->cost->engine;
    for (uint32_t i = 0; engine == TACHO_NONE && i < machine->engine_count; i++) {
        engine = machine->engines[i].class == TACHO_ENGINE_VECTOR ? i : TACHO_NONE;
    }
    if (engine == TACHO_NONE || op->work.kernel.form == TACHO_FORM_VIEW) {
        return add_begin(self);
    }
    tacho_job job = {
        .engine = tacho_schedule_engine(self->schedule, 0, engine, 0),
        .kind = TACHO_JOB_COMPUTE,
        .macs = self->cost->macs,
    };
    if (self->cost->host_cycles > 0) {
        TACHO_TRY(add_begin(self));
    }
    TACHO_TRY(add_stream(self, job, self->cost->host_cycles, self->cost->cycles));
    return add_traffic(self);
}

tacho_status tacho_schedule_streams(tacho_schedule *schedule)
{
    const tacho_op_estimate *op = &schedule->estimate->ops[schedule->op];
    const tacho_op_cost *cost = &op->cost;
    tacho_program *program = schedule->program;
    window self = {schedule, cost, TACHO_NONE};
    TACHO_TRY(add_buffer(&self));
    if (tacho_machine_is_gpu(schedule->estimate->machine)) {
        TACHO_TRY(add_kernels(&self));
        program->buffers[self.buffer].last_job = (uint32_t)program->job_count - 1;
        return TACHO_OK;
    }
    tacho_job read = {.engine = tacho_schedule_queue(schedule, 0, schedule->engines.dma_in),
                      .kind = TACHO_JOB_LOAD,
                      .bytes = op->ddr_read_bytes};
    int64_t read_cycles =
        op->ddr_read_bytes == 0 ? 0 : (cost->read_cycles > 0 ? cost->read_cycles : 1);
    if (read_cycles == 0) {
        TACHO_TRY(add_begin(&self));
    }
    TACHO_TRY(add_stream(&self, read, 0, read_cycles));
    if (cost->engine != TACHO_NONE && cost->compute_cycles > 0) {
        TACHO_TRY(add_compute(&self, read_cycles));
    }
    tacho_job write = {.engine = tacho_schedule_queue(schedule, 0, schedule->engines.dma_out),
                       .kind = TACHO_JOB_STORE,
                       .bytes = op->ddr_write_bytes};
    int64_t write_cycles =
        op->ddr_write_bytes == 0 ? 0 : (cost->write_cycles > 0 ? cost->write_cycles : 1);
    TACHO_TRY(add_stream(&self, write, cost->cycles - write_cycles, cost->cycles));
    if (op->ddr_read_bytes + op->ddr_write_bytes == 0 && cost->compute_cycles == 0) {
        tacho_job copy = {.engine = tacho_schedule_queue(schedule, 0, schedule->engines.dma_local),
                          .kind = TACHO_JOB_COPY,
                          .bytes = op->local_bytes};
        TACHO_TRY(add_stream(&self, copy, 0, cost->cycles));
    }
    program->buffers[self.buffer].last_job = (uint32_t)program->job_count - 1;
    return TACHO_OK;
}
