/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This computer: ops run one after the other and the real clock is read between them. There is
 * one record per op; jobs are the accelerator's, so they have no times here.
 */
#include <stdlib.h>

#include "device/clock.h"
#include "device/cpu/counters.h"
#include "device/types.h"
#include "program/stats_layout.h"

enum { CLOCKS = 2, ARRAYS = 5, DROPS = 4, COST_READS = 256 };

static const uint64_t NS_HZ = 1000000000;

typedef struct cpu_device {
    tacho_device base;
    tacho_device_options options;
    tacho_stats_layout layout;
    bool has_layout;
    int64_t opened_ns; /* U counts from here */
    int64_t loaded_ns, ready_ns;
    int64_t *times; /* by op: its start, and the last one's end; NULL below level 70 */
    int64_t read_cost_ns;
    tacho_counters counters;
    /* records */
    tacho_stats_clock clocks[CLOCKS];
    tacho_stats_thread thread;
    tacho_stats_pmu pmu;
    tacho_stats_op *ops;
    tacho_stats_drop drops[DROPS];
    tacho_stats_array arrays[ARRAYS];
    tacho_stats_buffer buffer;
} cpu_device;

/* ---- life ---------------------------------------------------------------------------------- */

static void cpu_close(tacho_device *device)
{
    cpu_device *self = (cpu_device *)device;
    if (self->has_layout) {
        tacho_stats_layout_deinit(&self->layout);
    }
    tacho_counters_close(&self->counters);
    free(self->times);
    free(self->ops);
    free(self);
}

static tacho_status cpu_open(const tacho_device_options *options, tacho_str argument,
                             tacho_device **out_device)
{
    (void)argument;
    if (options->activations > 1) {
        return tacho_fail(TACHO_CODE_USAGE, "device cpu: it runs one activation at a time, not %u",
                          options->activations);
    }
    cpu_device *self = calloc(1, sizeof(*self));
    if (self == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "out of memory");
    }
    self->base.type = &tacho_device_cpu;
    self->options = *options;
    self->opened_ns = tacho_now_ns();
    *out_device = &self->base;
    return TACHO_OK;
}

/* ---- loading ------------------------------------------------------------------------------- */

static void measure_read_cost(cpu_device *self)
{
    int64_t best = INT64_MAX;
    int64_t before = tacho_now_ns();
    for (size_t i = 0; i < COST_READS; i++) {
        int64_t now = tacho_now_ns();
        best = now - before < best ? now - before : best;
        before = now;
    }
    self->read_cost_ns = best;
}

static void list_arrays(cpu_device *self)
{
    const tacho_program_facts *facts = &self->base.program->facts;
    size_t count = 0;
    self->arrays[count++] = (tacho_stats_array){TACHO_STATS_TYPE_clock, 0, CLOCKS, self->clocks};
    self->arrays[count++] = (tacho_stats_array){TACHO_STATS_TYPE_thread, 0, 1, &self->thread};
    if (self->counters.count > 0) {
        self->arrays[count++] = (tacho_stats_array){TACHO_STATS_TYPE_pmu, 0, 1, &self->pmu};
    }
    if (self->ops != NULL && self->base.program->op_count > 0) {
        self->arrays[count++] = (tacho_stats_array){
            TACHO_STATS_TYPE_op, 0, (uint32_t)self->base.program->op_count, self->ops};
    }
    static const uint32_t types[TACHO_STATS_TYPE_COUNT] = {
#define TYPE_FOURCC(a, b, c, d, name, level) [TACHO_STATS_TYPE_##name] = TACHO_FOURCC(a, b, c, d),
        TACHO_STATS_TYPES(TYPE_FOURCC)
#undef TYPE_FOURCC
    };
    for (size_t i = 0; i < count; i++) {
        uint64_t records = self->arrays[i].count;
        self->drops[i] = (tacho_stats_drop){
            .type = types[self->arrays[i].type], .emitted = records, .stored = records};
    }
    self->arrays[count] =
        (tacho_stats_array){TACHO_STATS_TYPE_drop, 0, (uint32_t)count, self->drops};
    self->buffer.arrays = self->arrays;
    self->buffer.array_count = count + 1;
    uint32_t features = self->ops != NULL ? TACHO_STATS_BY_OP : 0;
    features |= self->counters.count > 0 ? TACHO_STATS_HAS_PMU : 0;
    self->buffer.head = (tacho_stats_head){
        .layout_id = self->layout.id,
        .device_count = facts->device_count,
        .timer_hz = NS_HZ,
        .core_hz = NS_HZ,
        .level = (uint16_t)facts->stats.level,
        .features = (uint16_t)features,
        .core_count = (uint16_t)facts->core_count,
        .thread_count = (uint16_t)facts->thread_count,
        .batch_size = facts->stats.batch_size,
    };
}

static tacho_status prepare_records(cpu_device *self)
{
    const tacho_program *program = self->base.program;
    TACHO_TRY(tacho_counters_open(&self->counters, program));
    self->has_layout = true;
    TACHO_TRY(tacho_stats_layout_init(&self->layout, program));
    if (program->facts.stats.level >= TACHO_STATS_LEVEL_OPS && program->engine_count > 0) {
        self->times = calloc(program->op_count + 1, sizeof(*self->times));
        self->ops = calloc(program->op_count + 1, sizeof(*self->ops));
        if (self->times == NULL || self->ops == NULL) {
            return tacho_fail(TACHO_CODE_NO_MEMORY, "out of memory");
        }
    }
    measure_read_cost(self);
    list_arrays(self);
    return TACHO_OK;
}

static tacho_status cpu_load(tacho_device *device, const tacho_program *program)
{
    cpu_device *self = (cpu_device *)device;
    device->program = program;
    self->loaded_ns = tacho_now_ns();
    uint32_t threads = self->options.threads > 0 ? self->options.threads : 1;
    TACHO_TRY(tacho_execution_create(program, self->options.kernels, threads, &device->execution));
    if (program->facts.stats.level >= TACHO_STATS_LEVEL_INFERENCE) {
        TACHO_TRY(prepare_records(self));
    }
    self->ready_ns = tacho_now_ns();
    return TACHO_OK;
}

/* ---- running ------------------------------------------------------------------------------- */

static tacho_status run_ops(cpu_device *self)
{
    tacho_execution *execution = self->base.execution;
    uint32_t count = (uint32_t)self->base.program->op_count;
    if (self->times == NULL || count == 0) {
        return tacho_execution_run(execution);
    }
    for (uint32_t i = 0; i < count; i++) {
        self->times[i] = tacho_now_ns();
        TACHO_TRY(tacho_execution_run_op(execution, i));
    }
    self->times[count] = tacho_now_ns();
    return TACHO_OK;
}

static uint64_t tick(const cpu_device *self, int64_t ns)
{
    return (uint64_t)(ns - self->opened_ns);
}

static void record_ops(cpu_device *self)
{
    const tacho_program *program = self->base.program;
    for (uint32_t i = 0; self->ops != NULL && i < program->op_count; i++) {
        uint64_t start = tick(self, self->times[i]);
        uint64_t end = tick(self, self->times[i + 1]);
        self->ops[i] = (tacho_stats_op){
            .oc = i,
            .repeat = 1,
            .sync_start_u = start,
            .op_start_u = start,
            .op_end_u = end,
            .barrier_end_u = end,
            .op_start_p = start,
            .op_end_p = end,
        };
    }
    self->buffer.record_cost_ns =
        self->ops == NULL ? 0 : (uint64_t)self->read_cost_ns * (program->op_count + 1);
}

static void record(cpu_device *self, uint64_t inference, int64_t start, int64_t end)
{
    uint64_t start_u = tick(self, start);
    uint64_t end_u = tick(self, end);
    uint64_t loaded = tick(self, self->loaded_ns);
    uint64_t ready = tick(self, self->ready_ns);
    self->buffer.head.inference = inference;
    self->clocks[0] = (tacho_stats_clock){(uint64_t)start, start_u, 0};
    self->clocks[1] = (tacho_stats_clock){(uint64_t)end, end_u, 0};
    self->thread = (tacho_stats_thread){
        .start_u = start_u,
        .end_u = end_u,
        .start_p = start_u,
        .end_p = end_u,
        .activate_start_u = loaded,
        .activate_end_u = ready,
        .activate_start_p = loaded,
        .activate_end_p = ready,
        .flush_start_u = end_u,
    };
    self->pmu = (tacho_stats_pmu){.event_count = self->counters.count};
    for (uint32_t i = 0; i < self->counters.count; i++) {
        self->pmu.events[i] = self->counters.events[i];
        self->pmu.values[i] = self->counters.values[i];
    }
    record_ops(self);
}

static tacho_status cpu_run(tacho_device *device, uint64_t inference, bool records,
                            tacho_device_result *out_result)
{
    cpu_device *self = (cpu_device *)device;
    tacho_counters_start(&self->counters);
    int64_t start = tacho_now_ns();
    TACHO_TRY(run_ops(self));
    int64_t end = tacho_now_ns();
    tacho_counters_stop(&self->counters);
    /* Blocks are of jobs, which have no times here. */
    *out_result = (tacho_device_result){
        .start_ns = start,
        .end_ns = end,
        .cycles = -1,
        .wall_ns = end - start,
    };
    if (records && self->has_layout) {
        record(self, inference, start, end);
        out_result->stats = &self->buffer;
        out_result->stats_count = 1;
    }
    return TACHO_OK;
}

static const char *cpu_missing(const tacho_device *device)
{
    const cpu_device *self = (const cpu_device *)device;
    return self->counters.missing;
}

const tacho_device_type tacho_device_cpu = {
    .name = "cpu",
    .about = "this computer: real values in real time, one record per operator",
    .open = cpu_open,
    .load = cpu_load,
    .run = cpu_run,
    .close = cpu_close,
    .missing = cpu_missing,
};
