/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators one after the other, and the jobs between them.
 */
#include "compile/schedule.h"

#include "base/grow.h"
#include "base/index.h"
#include "base/maths.h"
#include "compile/machine_view.h"
#include "machine/cost.h"
#include "program/traffic.h"

#include <inttypes.h>
#include <stdlib.h>

/*
 * Jobs up to which operators are gathered into one program of a sequencer. The hardware has no such
 * number: a program is a chain of parts of 640 bytes. It is our choice, so that a program that the
 * host starts and waits for is a few operators, and small next to local memory. An operator with
 * more jobs is a program of its own: waits of the host within it would cost time.
 */
enum { BLOCK_JOBS_MAX = 32 };

bool tacho_schedule_is_tiled(const tacho_machine *machine)
{
    bool is_closed =
        tacho_quantity_is_set(&machine->mesh.buffer_bytes) || tacho_machine_is_gpu(machine);
    for (size_t i = 0; i < machine->engine_count; i++) {
        is_closed |= tacho_quantity_is_set(&machine->engines[i].block_overhead_cycles) ||
                     machine->engines[i].class == TACHO_ENGINE_HOST;
    }
    return !is_closed && tacho_machine_dma(machine, TACHO_ENGINE_DMA_IN) != NULL &&
           tacho_machine_dma(machine, TACHO_ENGINE_DMA_OUT) != NULL;
}

/* ---- engines ------------------------------------------------------------------------------- */

typedef struct engine_row {
    tacho_str name;
    const char *class_name;
    uint32_t count;
    uint32_t issue_cycles;
    uint32_t first_thread; /* among the core's threads; TACHO_NONE: the last */
} engine_row;

static tacho_status add_engine(tacho_schedule *self, const engine_row *row, uint32_t device_core)
{
    tacho_program *program = self->program;
    bool is_one = tacho_machine_is_sequenced(self->estimate->machine);
    uint32_t threads = program->facts.thread_count;
    for (uint32_t i = 0; i < row->count; i++) {
        tacho_program_engine engine = {
            .device = (uint16_t)(device_core / self->cores),
            .core = (uint16_t)(device_core % self->cores),
            .index = (uint16_t)i,
            .is_sequenced = is_one ? 1 : 0,
            .issue_cycles = row->issue_cycles,
        };
        uint32_t thread = row->first_thread == TACHO_NONE ? threads : row->first_thread + i;
        engine.thread = (uint16_t)(thread < threads ? thread : threads - 1);
        TACHO_TRY(tacho_strings_ensure(&program->strings, row->name, &engine.name));
        TACHO_TRY(tacho_strings_ensure(&program->strings, tacho_str_from_cstring(row->class_name),
                                       &engine.class_name));
        TACHO_TRY(
            tacho_grow(&program->engines, &program->engine_capacity, program->engine_count + 1));
        program->engines[program->engine_count++] = engine;
    }
    return TACHO_OK;
}

/* Vector engines have the first threads, then others: t0-t3 HVX, t4 HMX, t5 DMA on AIC 100. */
static uint32_t thread_of(const tacho_machine *machine, size_t engine)
{
    uint32_t before = 0;
    bool is_vector = machine->engines[engine].class == TACHO_ENGINE_VECTOR;
    for (size_t i = 0; i < machine->engine_count; i++) {
        bool is_first = machine->engines[i].class == TACHO_ENGINE_VECTOR;
        if ((is_first && !is_vector) || (is_first == is_vector && i < engine)) {
            before += (uint32_t)tacho_quantity_whole(&machine->engines[i].count);
        }
    }
    return before;
}

static tacho_status add_core(tacho_schedule *self, uint32_t device_core)
{
    const tacho_machine *machine = self->estimate->machine;
    tacho_core_engines *engines = &self->engines;
    uint32_t before = (uint32_t)self->program->engine_count;
    for (size_t i = 0; i < machine->engine_count; i++) {
        const tacho_engine *engine = &machine->engines[i];
        engines->first[i] = (uint32_t)self->program->engine_count - before;
        engine_row row = {engine->name, tacho_engine_class_name(engine->class),
                          (uint32_t)tacho_quantity_whole(&engine->count),
                          (uint32_t)tacho_quantity_whole(&engine->issue_cycles),
                          thread_of(machine, i)};
        TACHO_TRY(add_engine(self, &row, device_core));
    }
    static const tacho_engine_class classes[] = {TACHO_ENGINE_DMA_IN, TACHO_ENGINE_DMA_OUT,
                                                 TACHO_ENGINE_DMA_LOCAL};
    uint32_t *const places[] = {&engines->dma_in, &engines->dma_out, &engines->dma_local};
    for (size_t i = 0; i < 3; i++) {
        *places[i] = (uint32_t)self->program->engine_count - before;
        engine_row row = {tacho_machine_view_dma_name(machine, classes[i]),
                          tacho_engine_class_name(classes[i]), 1, 0, TACHO_NONE};
        TACHO_TRY(add_engine(self, &row, device_core));
    }
    engines->sync = (uint32_t)self->program->engine_count - before;
    engine_row sync = {TACHO_STR("SYNC"), "sync", 1, 0, TACHO_NONE};
    TACHO_TRY(add_engine(self, &sync, device_core));
    engines->count = (uint32_t)self->program->engine_count - before;
    return TACHO_OK;
}

/* Jobs outside any operator's own work have the machine's name for them, or are named by kind. */
static tacho_status name_jobs(tacho_schedule *self)
{
    static const char *const names[TACHO_JOB_NAME_COUNT] = {
        [TACHO_JOB_LOAD] = "load",        [TACHO_JOB_STORE] = "store",
        [TACHO_JOB_COPY] = "copy",        [TACHO_JOB_COMPUTE] = "",
        [TACHO_JOB_CONTROL] = "control",  [TACHO_JOB_SIGNAL] = "signal",
        [TACHO_JOB_WAIT] = "wait",        [TACHO_JOB_P2P] = "p2p",
        [TACHO_JOB_NAME_INPUT] = "input",
    };
    tacho_program *program = self->program;
    for (size_t i = 0; i < TACHO_JOB_NAME_COUNT; i++) {
        tacho_str name =
            tacho_machine_op_name(self->estimate->machine, tacho_str_from_cstring(names[i]));
        TACHO_TRY(tacho_strings_ensure(&program->strings, name, &program->facts.job_names[i]));
    }
    return TACHO_OK;
}

static tacho_status add_engines(tacho_schedule *self)
{
    TACHO_TRY(name_jobs(self));
    TACHO_TRY(tacho_items_make(&self->engines.first, self->estimate->machine->engine_count));
    for (uint32_t i = 0; i < self->devices * self->cores; i++) {
        TACHO_TRY(add_core(self, i));
    }
    self->finals = tacho_items_alloc(self->program->engine_count, sizeof(*self->finals));
    self->last_job = tacho_items_alloc(self->program->engine_count, sizeof(*self->last_job));
    size_t tensors = self->estimate->fusion->graph->tensor_count;
    self->tensor_device = malloc((tensors + 1) * sizeof(*self->tensor_device));
    self->resident_first = malloc((tensors + 1) * sizeof(*self->resident_first));
    self->resident_count = tacho_items_alloc(tensors, sizeof(*self->resident_count));
    if (self->finals == NULL || self->last_job == NULL || self->tensor_device == NULL ||
        self->resident_first == NULL || self->resident_count == NULL) {
        return tacho_no_memory();
    }
    memset(self->tensor_device, 0xff, (tensors + 1) * sizeof(*self->tensor_device));
    memset(self->resident_first, 0xff, (tensors + 1) * sizeof(*self->resident_first));
    return TACHO_OK;
}

uint32_t tacho_schedule_queue(const tacho_schedule *schedule, uint32_t core, uint32_t place)
{
    uint32_t device = schedule->device_of[schedule->op];
    return (device * schedule->cores + core) * schedule->engines.count + place;
}

uint32_t tacho_schedule_engine(const tacho_schedule *schedule, uint32_t core, uint32_t engine,
                               uint32_t index)
{
    return tacho_schedule_queue(schedule, core, schedule->engines.first[engine] + index);
}

/* ---- jobs ---------------------------------------------------------------------------------- */

tacho_status tacho_schedule_need(tacho_schedule *schedule, uint32_t job, bool is_false, int64_t lag)
{
    TACHO_TRY(tacho_grow(&schedule->needs, &schedule->need_capacity, schedule->need_count + 1));
    schedule->needs[schedule->need_count++] = (tacho_need){job, is_false ? 1 : 0, lag};
    return TACHO_OK;
}

tacho_status tacho_schedule_need_entry(tacho_schedule *schedule, int64_t lag)
{
    for (size_t i = 0; i < schedule->final_count; i++) {
        TACHO_TRY(
            tacho_schedule_need(schedule, schedule->finals[i], !schedule->reads_previous, lag));
    }
    return TACHO_OK;
}

tacho_status tacho_schedule_add(tacho_schedule *schedule, tacho_job job, uint32_t *out_id)
{
    tacho_program *program = schedule->program;
    if (schedule->need_count == 0) {
        TACHO_TRY(tacho_schedule_need_entry(schedule, 0));
    }
    size_t all_needs = program->need_count + schedule->need_count;
    if (program->job_count + 1 >= TACHO_NONE || all_needs >= TACHO_NONE) {
        return tacho_fail(TACHO_CODE_LIMIT, "the program has more than 2^32 jobs or needs");
    }
    TACHO_TRY(tacho_grow(&program->needs, &program->need_capacity, all_needs + 1));
    TACHO_TRY(tacho_grow(&program->jobs, &program->job_capacity, program->job_count + 1));
    job.op = schedule->op;
    job.first_need = (uint32_t)program->need_count;
    job.need_count = (uint32_t)schedule->need_count;
    job.first_region = (uint32_t)schedule->region_mark;
    job.region_count = (uint32_t)(program->region_count - schedule->region_mark);
    schedule->region_mark = program->region_count;
    bool has_partner =
        job.kind == TACHO_JOB_SIGNAL || job.kind == TACHO_JOB_WAIT || job.kind == TACHO_JOB_P2P;
    job.partner = has_partner ? job.partner : TACHO_NONE;
    if (schedule->need_count > 0) {
        memcpy(program->needs + program->need_count, schedule->needs,
               schedule->need_count * sizeof(tacho_need));
    }
    program->need_count = all_needs;
    schedule->need_count = 0;
    schedule->last_job[job.engine] = (uint32_t)program->job_count;
    *out_id = (uint32_t)program->job_count;
    program->jobs[program->job_count++] = job;
    return TACHO_OK;
}

tacho_status tacho_schedule_add_buffer(tacho_schedule *schedule, const tacho_buffer *buffer,
                                       uint32_t *out_id)
{
    tacho_program *program = schedule->program;
    TACHO_TRY(tacho_grow(&program->buffers, &program->buffer_capacity, program->buffer_count + 1));
    *out_id = (uint32_t)program->buffer_count;
    program->buffers[program->buffer_count++] = *buffer;
    return TACHO_OK;
}

/* ---- between operators --------------------------------------------------------------------- */

static bool has_semaphores(const tacho_schedule *self)
{
    return tacho_quantity_whole(&self->estimate->machine->semaphores) > 0;
}

/* Of a core that raises a semaphore. */
static int64_t signal_cycles(const tacho_schedule *self)
{
    return has_semaphores(self) ? tacho_quantity_whole(&self->estimate->machine->semaphore_cycles)
                                : 0;
}

static tacho_job sync_job(const tacho_schedule *self, uint32_t core, tacho_job_kind kind)
{
    int64_t semaphores = tacho_quantity_whole(&self->estimate->machine->semaphores);
    tacho_job job = {
        .engine = tacho_schedule_queue(self, core, self->engines.sync),
        .kind = (uint16_t)(has_semaphores(self) ? kind : TACHO_JOB_CONTROL),
        .buffer = TACHO_NONE,
        .partner = semaphores > 0 ? self->op % (uint32_t)semaphores : TACHO_NONE,
        .cycles = kind == TACHO_JOB_SIGNAL ? signal_cycles(self) : 0,
    };
    return job;
}

/* Everything that engines of a core did last in this operator. */
static tacho_status need_core(tacho_schedule *self, uint32_t core, bool *out_any)
{
    *out_any = false;
    for (uint32_t i = 0; i < self->engines.count; i++) {
        uint32_t job = self->last_job[tacho_schedule_queue(self, core, i)];
        if (job != TACHO_NONE) {
            *out_any = true;
            TACHO_TRY(tacho_schedule_need(self, job, false, 0));
        }
    }
    return TACHO_OK;
}

/* Cores signal, and the first one waits for all of them and until |least_cycles| have passed. */
static tacho_status add_barrier(tacho_schedule *self, int64_t cycles, int64_t least_cycles)
{
    uint32_t *signals = calloc(self->cores, sizeof(*signals));
    if (signals == NULL) {
        return tacho_no_memory();
    }
    tacho_status status = TACHO_OK;
    size_t count = 0;
    bool has_any = false;
    for (uint32_t i = 0; status == TACHO_OK && self->cores > 1 && i < self->cores; i++) {
        status = need_core(self, i, &has_any);
        if (status == TACHO_OK && has_any) {
            status =
                tacho_schedule_add(self, sync_job(self, i, TACHO_JOB_SIGNAL), &signals[count++]);
        }
    }
    for (size_t i = 0; status == TACHO_OK && i < count; i++) {
        status = tacho_schedule_need(self, signals[i], false, 0);
    }
    free(signals);
    TACHO_TRY(status);
    if (self->cores == 1) {
        TACHO_TRY(need_core(self, 0, &has_any));
    }
    /* The signals before it are a part of the time from one operator to the next. */
    int64_t signal = count > 0 ? signal_cycles(self) : 0;
    signal = signal < cycles ? signal : cycles;
    TACHO_TRY(tacho_schedule_need_entry(self, tacho_cycles_add(least_cycles, signal)));
    tacho_job barrier = sync_job(self, 0, TACHO_JOB_WAIT);
    barrier.cycles = cycles - signal;
    uint32_t id;
    TACHO_TRY(tacho_schedule_add(self, barrier, &id));
    self->finals[0] = id;
    self->final_count = 1;
    return TACHO_OK;
}

/* Cycles that the operator's loads and stores keep shared memory busy. */
static tacho_status shared_cycles(const tacho_schedule *self, int64_t *out_cycles)
{
    tacho_ratio rate = self->shared_rate;
    tacho_traffic traffic = {0};
    uint64_t bytes = 0;
    for (size_t i = self->entry; i < self->program->job_count; i++) {
        const tacho_job *job = &self->program->jobs[i];
        if (job->kind != TACHO_JOB_P2P) {
            bytes += tacho_traffic_read(&traffic, job) + tacho_traffic_written(job);
        }
    }
    return rate.num == 0 || tacho_ratio_ceil_divide(bytes, rate, out_cycles)
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_BAD_DATA, "the operator moves too many bytes");
}

void tacho_schedule_take_finals(tacho_schedule *self)
{
    uint32_t first = tacho_schedule_queue(self, 0, 0);
    self->final_count = 0;
    for (uint32_t i = 0; i < self->engines.count * self->cores; i++) {
        uint32_t job = self->last_job[first + i];
        if (job != TACHO_NONE) {
            self->finals[self->final_count++] = job;
        }
    }
}

static bool reads_from(const tacho_fusion *fusion, uint32_t op, uint32_t other)
{
    const tacho_fused_op *reader = &fusion->ops[op];
    const tacho_fused_op *writer = &fusion->ops[other];
    for (uint32_t i = 0; i < reader->input_count; i++) {
        for (uint32_t j = 0; j < writer->output_count; j++) {
            if (fusion->tensors[reader->first_input + i] ==
                fusion->tensors[writer->first_output + j]) {
                return true;
            }
        }
    }
    return false;
}

static tacho_status end_op(tacho_schedule *self)
{
    const tacho_op_estimate *op = &self->estimate->ops[self->op];
    tacho_op_timing *timing = &self->timings[self->op];
    timing->is_tiled = self->is_tiled || self->segments > 0;
    timing->has_bound = self->is_tiled;
    if (self->segments > 0) { /* the next launch waits for all */
        tacho_schedule_take_finals(self);
        return TACHO_OK;
    }
    if (!self->is_tiled) {
        return add_barrier(self, 0, op->cost.cycles);
    }
    if (!self->has_barrier) {
        tacho_schedule_take_finals(self);
        return TACHO_OK;
    }
    TACHO_TRY(tacho_memory_turns_take(&self->turns, self->program, &self->timer, self->entry,
                                      self->anchor));
    TACHO_TRY(shared_cycles(self, &timing->shared_cycles));
    return add_barrier(self, tacho_quantity_whole(&self->estimate->machine->launch_cycles), 0);
}

/* Something that lags can count from: the start of the program. */
static tacho_status add_start(tacho_schedule *self)
{
    uint32_t id;
    TACHO_TRY(tacho_schedule_add(self, sync_job(self, 0, TACHO_JOB_SIGNAL), &id));
    self->finals[0] = id;
    self->final_count = 1;
    return TACHO_OK;
}

static tacho_status schedule_op(tacho_schedule *self, uint32_t number)
{
    tacho_program *program = self->program;
    self->op = number;
    self->entry = (uint32_t)program->job_count;
    self->reads_previous = number > 0 && reads_from(self->estimate->fusion, number, number - 1);
    memset(self->last_job, 0xff, program->engine_count * sizeof(*self->last_job));
    if (number == 0 && self->has_barrier && self->segments == 0) {
        TACHO_TRY(add_start(self));
    }
    TACHO_TRY(tacho_schedule_link(self));
    self->anchor = self->final_count > 0 ? self->finals[0] : TACHO_NONE;
    TACHO_TRY(self->is_tiled       ? tacho_schedule_tiles(self)
              : self->segments > 0 ? tacho_schedule_mesh(self)
                                   : tacho_schedule_streams(self));
    TACHO_TRY(end_op(self));
    TACHO_TRY(tacho_timer_run(&self->timer, program));
    self->rest -= tacho_schedule_least(self, number);
    self->is_abandoned = tacho_cycles_add(self->timer.end, self->rest) > self->limit;
    program->ops[number].first_job = self->entry;
    program->ops[number].job_count = (uint32_t)program->job_count - self->entry;
    return TACHO_OK;
}

/* ---- tensors that stay in local memory ----------------------------------------------------- */

/* A tensor that stays and that no tile has placed: a part of it in each core. */
static tacho_status keep_tensor(tacho_schedule *self, uint32_t tensor)
{
    const tacho_placement *placement = self->placement;
    const tacho_memory *local = tacho_machine_memory(self->estimate->machine, TACHO_MEMORY_LOCAL);
    uint32_t cores = self->is_tiled || self->segments > 0 ? self->cores : 1;
    for (uint32_t i = 0; i < cores; i++) {
        tacho_buffer buffer = {
            .device = (uint16_t)self->device_of[placement->first_op[tensor]],
            .core = (uint16_t)i,
            .offset = placement->offsets[tensor],
            .bytes = placement->shares[tensor],
            .role = TACHO_BUFFER_RESIDENT,
            .tensor = tensor,
        };
        uint32_t id;
        TACHO_TRY(tacho_strings_ensure(&self->program->strings, local->name, &buffer.memory));
        TACHO_TRY(tacho_schedule_add_buffer(self, &buffer, &id));
        if (i == 0) {
            self->resident_first[tensor] = id;
        }
    }
    self->resident_count[tensor] = cores;
    return TACHO_OK;
}

/* A kept tensor lives from the first job of its maker to the last operator that needs it. */
static tacho_status keep_tensors(tacho_schedule *self)
{
    const tacho_placement *placement = self->placement;
    for (uint32_t i = 0; i < self->estimate->fusion->graph->tensor_count; i++) {
        if (placement->places[i] != TACHO_PLACE_LOCAL || placement->shares[i] == 0) {
            continue;
        }
        if (self->resident_first[i] == TACHO_NONE) {
            TACHO_TRY(keep_tensor(self, i));
        }
        const tacho_program_op *first = &self->program->ops[placement->first_op[i]];
        const tacho_program_op *last = &self->program->ops[placement->last_op[i]];
        for (uint32_t k = 0; k < self->resident_count[i]; k++) {
            tacho_buffer *buffer = &self->program->buffers[self->resident_first[i] + k];
            buffer->first_job = first->first_job;
            buffer->last_job = last->first_job + last->job_count - 1;
        }
    }
    return TACHO_OK;
}

/* ---- blocks -------------------------------------------------------------------------------- */

static tacho_status add_block(tacho_schedule *self, uint32_t dispatch, uint32_t first,
                              uint32_t count)
{
    tacho_program *program = self->program;
    uint32_t id = (uint32_t)program->block_count;
    tacho_block block = {.dispatch = dispatch,
                         .first_job = first,
                         .job_count = count,
                         .start_action = 2 * id,
                         .wait_action = 2 * id + 1};
    block.name = program->dispatches[dispatch].name;
    TACHO_TRY(tacho_grow(&program->blocks, &program->block_capacity, program->block_count + 1));
    program->blocks[program->block_count++] = block;
    for (uint32_t i = 0; i < count; i++) {
        program->jobs[first + i].block = id;
    }
    return TACHO_OK;
}

/*
 * A sequencer's programs are short; elsewhere the cores run a dispatch as one. They end with
 * operators, which wait for one another, so that none starts before the host has waited for the one
 * before.
 */
static tacho_status add_blocks_of(tacho_schedule *self, uint32_t number)
{
    const tacho_program *program = self->program;
    const tacho_dispatch_info *dispatch = &program->dispatches[number];
    bool is_short = tacho_machine_is_sequenced(self->estimate->machine);
    uint32_t first = program->ops[dispatch->first_op].first_job;
    uint32_t count = 0;
    for (uint32_t i = 0; i < dispatch->op_count; i++) {
        uint32_t jobs = program->ops[dispatch->first_op + i].job_count;
        if (is_short && count > 0 && (uint64_t)count + jobs > BLOCK_JOBS_MAX) {
            TACHO_TRY(add_block(self, number, first, count));
            first += count;
            count = 0;
        }
        count += jobs;
    }
    return count > 0 ? add_block(self, number, first, count) : TACHO_OK;
}

static tacho_status add_blocks(tacho_schedule *self)
{
    for (uint32_t i = 0; i < self->program->dispatch_count; i++) {
        if (self->program->dispatches[i].op_count > 0) {
            TACHO_TRY(add_blocks_of(self, i));
        }
    }
    return TACHO_OK;
}

/* ---- the run ------------------------------------------------------------------------------- */

/* Rates of all transfers. */
static tacho_status find_rates(tacho_schedule *self)
{
    const tacho_machine *machine = self->estimate->machine;
    static const tacho_engine_class classes[] = {TACHO_ENGINE_DMA_IN, TACHO_ENGINE_DMA_OUT,
                                                 TACHO_ENGINE_DMA_LOCAL};
    tacho_ratio *const rates[] = {&self->in_rate, &self->out_rate, &self->local_rate};
    for (size_t i = 0; i < 3; i++) {
        const tacho_dma *dma = tacho_machine_dma(machine, classes[i]);
        TACHO_TRY(dma != NULL ? tacho_cost_dma_rate(dma, rates[i]) : TACHO_OK);
    }
    bool has_network = self->program->facts.core_count > 1;
    self->network_rate = has_network ? tacho_quantity_or(&machine->noc.link_bytes_per_cycle, 0)
                                     : (tacho_ratio){0, 1};
    return tacho_cost_memory_rate(tacho_machine_memory(machine, TACHO_MEMORY_DDR),
                                  &self->shared_rate);
}

/*
 * Room for the jobs of a usual network at once: tables that grow side by side are copied over and
 * over, and pages that jobs never touch cost nothing.
 */
static tacho_status reserve(tacho_program *program)
{
    enum { JOBS = 16384, EACH = 4 };
    TACHO_TRY(tacho_grow(&program->jobs, &program->job_capacity, JOBS));
    TACHO_TRY(tacho_grow(&program->needs, &program->need_capacity, EACH * JOBS));
    TACHO_TRY(tacho_grow(&program->regions, &program->region_capacity, EACH * JOBS));
    return tacho_grow(&program->extents, &program->extent_capacity, EACH * JOBS);
}

/* Whether there is room for more than the first |op_count| operators. */
static tacho_status check_bytes(tacho_schedule *self, uint32_t op_count)
{
    uint64_t bytes = tacho_program_table_bytes(self->program);
    self->is_too_large = bytes > self->bytes_max;
    return !self->is_too_large
               ? TACHO_OK
               : tacho_fail_hint(TACHO_CODE_LIMIT, TACHO_HINT_FORCE_COMPILE,
                                 "the jobs of the first %" PRIu32 " of %zu operators take %" PRIu64
                                 " bytes; the limit for the jobs of such a model is %" PRIu64
                                 "; give a smaller model or batch",
                                 op_count, self->estimate->fusion->op_count, bytes,
                                 self->bytes_max);
}

/* Reports progress; CANCELLED if the caller asks to stop. */
static tacho_status check_pace(tacho_schedule *self)
{
    bool goes_on = self->pace.goes_on == NULL ||
                   self->pace.goes_on(self->pace.self, ++self->done_count, self->total_count);
    return goes_on ? TACHO_OK : tacho_fail(TACHO_CODE_CANCELLED, "the caller asked to stop");
}

/* The size of local memory; of a cache, at least what buffers take. */
static uint64_t local_bytes(const tacho_schedule *self)
{
    const tacho_machine *machine = self->estimate->machine;
    const tacho_program *program = self->program;
    uint64_t bytes = (uint64_t)tacho_quantity_whole(
        &tacho_machine_memory(machine, TACHO_MEMORY_LOCAL)->size_bytes);
    for (size_t i = 0; i < program->buffer_count && tacho_machine_is_computer(machine); i++) {
        uint64_t end = tacho_size_add(program->buffers[i].offset, program->buffers[i].bytes);
        bytes = end > bytes ? end : bytes;
    }
    return bytes;
}

static tacho_status run(tacho_schedule *self)
{
    const tacho_machine *machine = self->estimate->machine;
    TACHO_TRY(find_rates(self));
    TACHO_TRY(self->is_tiled ? reserve(self->program) : TACHO_OK);
    TACHO_TRY(add_engines(self));
    TACHO_TRY(tacho_timer_init(&self->timer, self->program));
    TACHO_TRY(tacho_memory_turns_init(&self->turns, machine, self->program));
    uint32_t count = (uint32_t)self->estimate->fusion->op_count;
    for (uint32_t i = 0; i < count; i++) {
        self->rest = tacho_cycles_add(self->rest, tacho_schedule_least(self, i));
    }
    for (uint32_t i = 0; i < count && !self->is_abandoned; i++) {
        TACHO_TRY(schedule_op(self, i));
        TACHO_TRY(check_bytes(self, i + 1));
        TACHO_TRY(check_pace(self));
    }
    if (self->is_abandoned) {
        return TACHO_OK;
    }
    self->program->facts.total_cycles = self->timer.end;
    TACHO_TRY(keep_tensors(self));
    self->program->facts.local_bytes = local_bytes(self);
    return add_blocks(self);
}

/* Whether engines alone do not see to it that operators wait for one another and for memory. */
static bool needs_barrier(const tacho_schedule *self)
{
    const tacho_machine *machine = self->estimate->machine;
    const tacho_dma *in = tacho_machine_dma(machine, TACHO_ENGINE_DMA_IN);
    const tacho_dma *out = tacho_machine_dma(machine, TACHO_ENGINE_DMA_OUT);
    tacho_ratio both;
    tacho_ratio other;
    tacho_ratio shared;
    bool is_fast =
        in == NULL || out == NULL ||
        !tacho_ratio_multiply(in->bytes_per_cycle.value, tacho_quantity_or(&in->efficiency, 1),
                              &both) ||
        !tacho_ratio_multiply(out->bytes_per_cycle.value, tacho_quantity_or(&out->efficiency, 1),
                              &other) ||
        !tacho_ratio_add(both, other, &both) ||
        !tacho_ratio_multiply(
            tacho_machine_memory(machine, TACHO_MEMORY_DDR)->bytes_per_cycle.value,
            tacho_quantity_or(&tacho_machine_memory(machine, TACHO_MEMORY_DDR)->efficiency, 1),
            &shared) ||
        tacho_ratio_compare(both, shared) > 0;
    return !self->is_tiled || self->cores > 1 || is_fast ||
           tacho_quantity_whole(&machine->launch_cycles) > 0;
}

tacho_status tacho_schedule_run(tacho_schedule *schedule)
{
    schedule->is_tiled = tacho_schedule_is_tiled(schedule->estimate->machine);
    schedule->has_barrier = needs_barrier(schedule);
    tacho_status status = run(schedule);
    tacho_timer_deinit(&schedule->timer);
    tacho_memory_turns_deinit(&schedule->turns);
    free(schedule->engines.first);
    free(schedule->finals);
    free(schedule->last_job);
    free(schedule->tensor_device);
    free(schedule->resident_first);
    free(schedule->resident_count);
    free(schedule->needs);
    tacho_space_deinit(&schedule->space);
    free(schedule->operands);
    free(schedule->slots);
    free(schedule->cells);
    return status;
}
