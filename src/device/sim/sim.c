/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulated accelerator: values as the program computes them, times as the machine that it was
 * compiled for would take them. All inferences take the same, so one is simulated once and moved to
 * the end of the one before.
 */
#include <stdlib.h>

#include "base/index.h"
#include "base/grow.h"
#include "base/maths.h"
#include "device/types.h"
#include "device/clock.h"
#include "device/program_machine.h"
#include "device/recorder.h"
#include "device/sim/host.h"
#include "machine/cost.h"

typedef struct sim_device {
    tacho_device base;
    tacho_device_options options;
    tacho_arena arena;
    char *argument; /* a machine's name or file; empty: the program's */
    tacho_machine *machine;
    tacho_simulation simulation;
    tacho_recorder *recorder; /* NULL: nothing is recorded */
    int64_t *flush_starts;    /* by activation, device and core */
    int64_t *flush_ends;      /* the same */
    int64_t launch;           /* cycles until the first inference begins */
    int64_t span;             /* of an inference, writing its stats included */
    tacho_sim_host host;
    tacho_block_time *blocks; /* of the inference that ran last */
    int64_t *block_starts;    /* cycles of the inference */
    int64_t *block_ends;
    int64_t *op_ns;  /* by op: when its values began to be computed, and the last one's end */
    bool is_missing; /* the program asks for something unsupported: |missing| */
    char missing[160];
} sim_device;

/* ---- opening ------------------------------------------------------------------------------- */

static void sim_close(tacho_device *device)
{
    sim_device *self = (sim_device *)device;
    tacho_simulation_deinit(&self->simulation);
    tacho_recorder_destroy(self->recorder);
    tacho_arena_deinit(&self->arena);
    free(self->flush_starts);
    free(self->blocks);
    free(self->block_starts);
    free(self->op_ns);
    free(self->argument);
    free(self);
}

static tacho_status sim_open(const tacho_device_options *options, tacho_str argument,
                             tacho_device **out_device)
{
    sim_device *self = calloc(1, sizeof(*self));
    char *copy = tacho_items_alloc(argument.len, 1);
    if (self == NULL || copy == NULL) {
        free(self);
        free(copy);
        return tacho_no_memory();
    }
    if (argument.len > 0) {
        memcpy(copy, argument.data, argument.len);
    }
    self->base.type = &tacho_device_sim;
    self->argument = copy;
    self->options = *options;
    self->options.activations = options->activations > 0 ? options->activations : 1;
    tacho_arena_init(&self->arena);
    *out_device = &self->base;
    return TACHO_OK;
}

/* ---- loading ------------------------------------------------------------------------------- */

static tacho_status check_cores(const sim_device *self, const tacho_program *program)
{
    uint64_t cores = tacho_machine_cores(self->machine);
    uint64_t needed = (uint64_t)self->options.activations * program->facts.core_count;
    return needed <= cores
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_USAGE,
                            "%u activations of %u cores need %llu cores; %.*s has %llu",
                            self->options.activations, program->facts.core_count,
                            (unsigned long long)needed, TACHO_STR_ARG(self->machine->name),
                            (unsigned long long)cores);
}

/* Cycles in which the memory that all cores of a device share takes |bytes|; 0: it has no limit. */
static tacho_status memory_cycles(const sim_device *self, uint64_t bytes, int64_t *out_cycles)
{
    const tacho_memory *ddr = tacho_machine_memory(self->machine, TACHO_MEMORY_DDR);
    tacho_ratio rate = {0, 1};
    *out_cycles = 0;
    if (ddr != NULL && tacho_quantity_is_set(&ddr->bytes_per_cycle)) {
        TACHO_TRY(tacho_cost_memory_write_rate(ddr, &rate));
    }
    return rate.num == 0 || tacho_ratio_ceil_divide(bytes, rate, out_cycles)
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_LIMIT, "the stats of a core are too large");
}

/* The records that one core writes: when it begins, and how long its port and the memory take. */
typedef struct flush {
    int64_t start;
    size_t core; /* of all activations */
    size_t device;
    int64_t port_cycles;
    int64_t memory_cycles;
} flush;

static tacho_status make_flush(const sim_device *self, uint64_t bytes, flush *made)
{
    const tacho_dma *out = tacho_machine_dma(self->machine, TACHO_ENGINE_DMA_OUT);
    TACHO_TRY(memory_cycles(self, bytes, &made->memory_cycles));
    if (out != NULL) {
        TACHO_TRY(tacho_cost_transfer(out, bytes, &made->port_cycles));
    }
    if (self->options.is_unlimited && out != NULL) {
        made->memory_cycles = 0;
    }
    return TACHO_OK;
}

static int compare_flushes(const void *left, const void *right)
{
    const flush *a = left;
    const flush *b = right;
    if (a->device != b->device) {
        return a->device < b->device ? -1 : 1;
    }
    if (a->start != b->start) {
        return a->start < b->start ? -1 : 1;
    }
    return (a->core > b->core) - (a->core < b->core);
}

/*
 * Ports work side by side, but the memory serves one after the other: together cores are never
 * faster than it.
 */
static void end_flushes(sim_device *self, flush *flushes, size_t count)
{
    int64_t is_free = 0; /* from then on */
    qsort(flushes, count, sizeof(*flushes), compare_flushes);
    for (size_t i = 0; i < count; i++) {
        const flush *of = &flushes[i];
        bool is_other = i > 0 && of->device != flushes[i - 1].device;
        is_free = is_other ? 0 : is_free;
        is_free = tacho_most(is_free, of->start) + of->memory_cycles;
        self->flush_ends[of->core] = tacho_most(is_free, of->start + of->port_cycles);
        self->span = tacho_most(self->span, self->flush_ends[of->core]);
    }
}

/* When each core has written its records. */
static tacho_status share_flushes(sim_device *self, size_t cores, size_t count, size_t core_count)
{
    flush *flushes = tacho_items_alloc(count, sizeof(*flushes));
    tacho_status status = flushes != NULL ? TACHO_OK : tacho_no_memory();
    for (size_t i = 0; i < count && status == TACHO_OK; i++) {
        flushes[i] =
            (flush){.start = self->flush_starts[i], .core = i, .device = i % cores / core_count};
        if (self->recorder != NULL) {
            status =
                make_flush(self, tacho_recorder_core_bytes(self->recorder, i % cores), &flushes[i]);
        }
    }
    if (status == TACHO_OK) {
        end_flushes(self, flushes, count);
    }
    free(flushes);
    return status;
}

/* A core is done with its last job; one without any with the inference. */
static tacho_status place_flush(sim_device *self, const tacho_program *program)
{
    const tacho_simulation *simulation = &self->simulation;
    size_t cores = (size_t)program->facts.device_count * program->facts.core_count;
    size_t count = cores * simulation->activations;
    TACHO_TRY(tacho_items_make(&self->flush_starts, 2 * count));
    self->flush_ends = self->flush_starts + count;
    for (size_t i = 0; i < simulation->activations * simulation->job_count; i++) {
        const tacho_job *job = &program->jobs[i % simulation->job_count];
        const tacho_program_engine *engine = &program->engines[job->engine];
        size_t core = i / simulation->job_count * cores +
                      (size_t)engine->device * program->facts.core_count + engine->core;
        int64_t *start = &self->flush_starts[core];
        *start = simulation->ends[i] > *start ? simulation->ends[i] : *start;
    }
    self->span = simulation->cycles;
    for (size_t i = 0; i < count; i++) {
        if (self->flush_starts[i] == 0) {
            self->flush_starts[i] = simulation->cycles;
        }
    }
    return share_flushes(self, cores, count, program->facts.core_count);
}

static tacho_status place_blocks(sim_device *self, const tacho_program *program)
{
    size_t count = program->block_count;
    self->blocks = tacho_items_alloc(count, sizeof(*self->blocks));
    self->block_starts = tacho_items_alloc(2 * count, sizeof(*self->block_starts));
    if (self->blocks == NULL || self->block_starts == NULL) {
        return tacho_no_memory();
    }
    self->block_ends = self->block_starts + count;
    for (size_t i = 0; i < count; i++) {
        self->block_starts[i] = INT64_MAX;
    }
    for (size_t i = 0; i < program->job_count; i++) {
        uint32_t block = program->jobs[i].block;
        if (block != TACHO_NONE) {
            int64_t start = self->simulation.starts[i];
            int64_t end = self->simulation.ends[i];
            int64_t *block_start = &self->block_starts[block];
            int64_t *block_end = &self->block_ends[block];
            *block_start = start < *block_start ? start : *block_start;
            *block_end = end > *block_end ? end : *block_end;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (self->block_starts[i] == INT64_MAX) {
            self->block_starts[i] = self->block_ends[i];
        }
    }
    return TACHO_OK;
}

static tacho_status make_recorder(sim_device *self, const tacho_program *program)
{
    if (program->facts.stats.level < TACHO_STATS_LEVEL_INFERENCE) {
        return TACHO_OK;
    }
    uint64_t core_hz = program->facts.core_clock_hz;
    tacho_recorder_options options = {
        .program = program,
        .activations = self->options.activations,
        .timer_hz = self->options.has_fine_timer ? core_hz : program->facts.timer_hz,
        .core_hz = core_hz,
        .features = TACHO_STATS_SIMULATED,
    };
    return tacho_recorder_create(&options, &self->recorder);
}

static tacho_recorder_turn make_recording(const sim_device *self, uint32_t activation)
{
    const tacho_program *program = self->base.program;
    const tacho_simulation *simulation = &self->simulation;
    size_t cores = (size_t)program->facts.device_count * program->facts.core_count;
    return (tacho_recorder_turn){
        .activation = activation,
        .activate_end = self->launch,
        .starts = simulation->starts + activation * simulation->job_count,
        .ends = simulation->ends + activation * simulation->job_count,
        .ops = simulation->ops + activation * simulation->op_count,
        .flush_starts = self->flush_starts + activation * cores,
        .flush_ends = self->flush_ends + activation * cores,
    };
}

static tacho_status count_events(sim_device *self)
{
    for (uint32_t i = 0; self->recorder != NULL && i < self->simulation.activations; i++) {
        tacho_recorder_turn recording = make_recording(self, i);
        TACHO_TRY(tacho_recorder_count(self->recorder, &recording));
    }
    return TACHO_OK;
}

/* A host that never delays the device is left out. */
static tacho_status place_host(sim_device *self, const tacho_program *program)
{
    TACHO_TRY(tacho_sim_host_init(&self->host, program, self->machine, self->options.activations));
    self->host.has_link &= !self->options.is_unlimited;
    self->host.cycles = self->simulation.cycles;
    self->host.span = self->span;
    self->host.is_free = self->launch;
    return TACHO_OK;
}

static tacho_status sim_load(tacho_device *device, const tacho_program *program)
{
    sim_device *self = (sim_device *)device;
    device->program = program;
    TACHO_TRY(tacho_program_machine(program, &self->arena, &self->machine));
    TACHO_TRY(tacho_program_machine_check(self->machine, self->argument, &self->arena));
    TACHO_TRY(check_cores(self, program));
    if (program->facts.core_clock_hz == 0 || program->facts.timer_hz == 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "program: it has a clock of 0 Hz");
    }
    tacho_sim_limits limits = {.noc = {0, 1}};
    if (!self->options.is_unlimited) {
        TACHO_TRY(tacho_sim_limits_init(&limits, self->machine));
    }
    TACHO_TRY(tacho_simulate(&self->simulation, program, &limits, self->options.activations));
    TACHO_TRY(make_recorder(self, program));
    TACHO_TRY(place_flush(self, program));
    TACHO_TRY(place_blocks(self, program));
    self->launch = tacho_quantity_whole(&self->machine->launch_cycles);
    TACHO_TRY(place_host(self, program));
    TACHO_TRY(count_events(self));
    self->is_missing = self->recorder != NULL &&
                       tacho_recorder_missing(program, self->missing, sizeof(self->missing));
    if (self->options.skips_values) {
        return TACHO_OK;
    }
    tacho_execution_options options = tacho_device_execution_options(&self->options);
    return tacho_execution_open(program, &options, &device->execution);
}

/* ---- running ------------------------------------------------------------------------------- */

static int64_t ns_of(const sim_device *self, int64_t cycle)
{
    uint64_t hz = self->base.program->facts.core_clock_hz;
    return (int64_t)((tacho_u128)(uint64_t)cycle * 1000000000 / hz);
}

static void record(sim_device *self, uint64_t inference, const tacho_sim_turn *turn)
{
    for (uint32_t i = 0; i < self->simulation.activations; i++) {
        tacho_recorder_turn recording = make_recording(self, i);
        recording.inference = inference;
        recording.start = turn->start;
        recording.rung = turn->rung;
        recording.input_wait = turn->input_wait;
        recording.output_wait = turn->output_wait;
        tacho_recorder_fill(self->recorder, &recording);
    }
}

/* Computes the values; of an inference that is recorded with the times that it takes here. */
static tacho_status compute(sim_device *self, bool records)
{
    tacho_execution *execution = self->base.execution;
    uint32_t count = (uint32_t)self->base.program->op_count;
    if (!records || count == 0) {
        return tacho_execution_run(execution);
    }
    if (self->op_ns == NULL) {
        TACHO_TRY(tacho_items_make(&self->op_ns, (size_t)count + 1));
    }
    for (uint32_t i = 0; i < count; i++) {
        self->op_ns[i] = tacho_now_ns();
        TACHO_TRY(tacho_execution_run_op(execution, i));
    }
    self->op_ns[count] = tacho_now_ns();
    return TACHO_OK;
}

static tacho_status sim_run(tacho_device *device, uint64_t inference, bool records,
                            tacho_device_result *out_result)
{
    sim_device *self = (sim_device *)device;
    int64_t began = tacho_now_ns();
    tacho_sim_turn turn;
    TACHO_TRY(tacho_sim_host_turn(&self->host, &turn));
    int64_t start = turn.start;
    if (device->execution != NULL) {
        TACHO_TRY(compute(self, records));
    }
    *out_result = (tacho_device_result){
        .start_ns = ns_of(self, start),
        .end_ns = ns_of(self, start + self->span),
        .host = {.is_known = self->host.has_link,
                 .sent_ns = ns_of(self, turn.sent),
                 .fetched_ns = ns_of(self, turn.fetched),
                 .wait_ns =
                     ns_of(self, start) - ns_of(self, start - turn.input_wait - turn.output_wait)},
        .cycles = self->simulation.cycles,
        .host_op_ns = records && device->execution != NULL ? self->op_ns : NULL,
        .blocks = self->blocks,
        .block_count = device->program->block_count,
    };
    for (size_t i = 0; i < device->program->block_count; i++) {
        self->blocks[i].start_ns = ns_of(self, start + self->block_starts[i]);
        self->blocks[i].end_ns = ns_of(self, start + self->block_ends[i]);
    }
    if (records && self->recorder != NULL) {
        record(self, inference, &turn);
        out_result->stats = tacho_recorder_buffers(self->recorder, &out_result->stats_count);
    }
    out_result->wall_ns = tacho_now_ns() - began;
    return TACHO_OK;
}

static const char *sim_missing(const tacho_device *device)
{
    const sim_device *self = (const sim_device *)device;
    return self->is_missing ? self->missing : NULL;
}

const tacho_device_type tacho_device_sim = {
    .name = "sim",
    .about = "a simulated accelerator: exact values, cycle-based times",
    .is_simulated = true,
    .has_argument = true,
    .computes_values = true,
    .has_time_model = true,
    .open = sim_open,
    .load = sim_load,
    .run = sim_run,
    .close = sim_close,
    .missing = sim_missing,
};
