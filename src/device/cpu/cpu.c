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

enum { CLOCKS = 2, ARRAYS = 7, COST_READS = 64 };

static const uint64_t NS_HZ = 1000000000;

typedef struct cpu_device {
    tacho_device base;
    tacho_device_options options;
    tacho_stats_layout layout;
    bool has_layout;
    int64_t opened_ns; /* U counts from here */
    int64_t loaded_ns, ready_ns;
    int64_t *times; /* by op: its start, and the last one's end; NULL below level 70 */
    uint64_t (*counts)[TACHO_PMU_EVENTS_MAX]; /* the same; NULL below level 100 */
    int64_t read_cost_ns; /* of the clock, and of counters where they are read */
    tacho_counters counters;
    /* records */
    tacho_stats_clock clocks[CLOCKS];
    tacho_stats_thread thread;
    tacho_stats_pmu pmu;
    tacho_stats_core_pmu core_pmu; /* the same: there is one thread */
    tacho_stats_op *ops;
    tacho_stats_op_pmu *op_pmus; /* NULL: none */
    tacho_stats_drop drops[TACHO_STATS_TYPE_COUNT];
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
    free(self->counts);
    free(self->ops);
    free(self->op_pmus);
    free(self);
}

static tacho_status cpu_open(const tacho_device_options *options, tacho_str argument,
                             tacho_device **out_device)
{
    (void)argument;
    if (options->activations > 1) {
        return tacho_fail(TACHO_CODE_USAGE, "device cpu runs one activation at a time, not %u",
                          options->activations);
    }
    cpu_device *self = calloc(1, sizeof(*self));
    if (self == NULL) {
        return tacho_no_memory();
    }
    self->base.type = &tacho_device_cpu;
    self->options = *options;
    self->opened_ns = tacho_now_ns();
    *out_device = &self->base;
    return TACHO_OK;
}

/* ---- loading ------------------------------------------------------------------------------- */

/* Reads the clock and the counters between two ops. */
static inline void read_clocks(cpu_device *self, uint32_t op)
{
    self->times[op] = tacho_now_ns();
    if (self->counts != NULL) {
        tacho_counters_read(&self->counters, self->counts[op]);
    }
}

static void measure_read_cost(cpu_device *self)
{
    int64_t best = INT64_MAX;
    for (size_t i = 0; self->times != NULL && i < COST_READS; i++) {
        int64_t before = tacho_now_ns();
        read_clocks(self, 0);
        int64_t cost = tacho_now_ns() - before;
        best = cost < best ? cost : best;
    }
    self->read_cost_ns = self->counts != NULL ? best : best / 2; /* the clock was read twice */
}

static void add_array(cpu_device *self, tacho_stats_type type, size_t count, const void *records)
{
    if (count > 0 && records != NULL) {
        self->arrays[self->buffer.array_count++] =
            (tacho_stats_array){type, 0, (uint32_t)count, records};
    }
}

static void list_arrays(cpu_device *self)
{
    size_t op_count = self->base.program->op_count;
    bool has_counters = self->counters.counted > 0;
    add_array(self, TACHO_STATS_TYPE_clock, CLOCKS, self->clocks);
    add_array(self, TACHO_STATS_TYPE_thread, 1, &self->thread);
    add_array(self, TACHO_STATS_TYPE_pmu, 1, has_counters ? &self->pmu : NULL);
    add_array(self, TACHO_STATS_TYPE_core_pmu, 1, has_counters ? &self->core_pmu : NULL);
    add_array(self, TACHO_STATS_TYPE_op, op_count, self->ops);
    add_array(self, TACHO_STATS_TYPE_op_pmu, op_count, self->op_pmus);
    add_array(self, TACHO_STATS_TYPE_drop,
              tacho_stats_account(self->arrays, self->buffer.array_count, self->drops),
              self->drops);
    uint32_t features = TACHO_STATS_ON_HOST;
    features |= self->ops != NULL ? TACHO_STATS_BY_OP : 0;
    features |= has_counters ? TACHO_STATS_HAS_PMU : 0;
    features |= self->op_pmus != NULL ? TACHO_STATS_HAS_OP_PMU : 0;
    self->buffer.arrays = self->arrays;
    self->buffer.head = tacho_stats_head_of(&self->layout, 0, features);
    self->buffer.head.timer_hz = NS_HZ;
    self->buffer.head.core_hz = NS_HZ;
}

static tacho_status allocate_ops(cpu_device *self)
{
    size_t count = self->base.program->op_count + 1;
    bool counts = self->base.program->facts.stats.level >= TACHO_STATS_LEVEL_OP_PMU &&
                  self->counters.counted > 0;
    self->times = calloc(count, sizeof(*self->times));
    self->ops = calloc(count, sizeof(*self->ops));
    self->counts = counts ? calloc(count, sizeof(*self->counts)) : NULL;
    self->op_pmus = counts ? calloc(count, sizeof(*self->op_pmus)) : NULL;
    bool is_good = self->times != NULL && self->ops != NULL &&
                   (!counts || (self->counts != NULL && self->op_pmus != NULL));
    return is_good ? TACHO_OK : tacho_no_memory();
}

static tacho_status prepare_records(cpu_device *self)
{
    const tacho_program *program = self->base.program;
    self->has_layout = true;
    TACHO_TRY(tacho_stats_layout_init(&self->layout, program));
    if (program->facts.stats.level >= TACHO_STATS_LEVEL_OPS && program->engine_count > 0) {
        TACHO_TRY(allocate_ops(self));
        measure_read_cost(self);
    }
    list_arrays(self);
    return TACHO_OK;
}

static tacho_status cpu_load(tacho_device *device, const tacho_program *program)
{
    cpu_device *self = (cpu_device *)device;
    device->program = program;
    self->loaded_ns = tacho_now_ns();
    tacho_execution_options options = tacho_device_execution_options(&self->options);
    bool records = program->facts.stats.level >= TACHO_STATS_LEVEL_INFERENCE;
    if (records) { /* counters are also of threads that start later */
        tacho_counters_open(&self->counters, program, NULL);
    }
    TACHO_TRY(tacho_execution_open(program, &options, &device->execution));
    if (records) {
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
        read_clocks(self, i);
        TACHO_TRY(tacho_execution_run_op(execution, i));
    }
    read_clocks(self, count);
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
        if (self->op_pmus != NULL) {
            self->op_pmus[i] = tacho_counters_between(self->counts[i], self->counts[i + 1], i);
        }
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
        self->pmu.events[i] = self->base.program->facts.stats.pmu_events[i];
        self->pmu.values[i] = self->counters.values[i];
    }
    self->core_pmu = (tacho_stats_core_pmu){.event_count = self->pmu.event_count};
    memcpy(self->core_pmu.events, self->pmu.events, sizeof(self->pmu.events));
    memcpy(self->core_pmu.values, self->pmu.values, sizeof(self->pmu.values));
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
    out_result->host_op_ns = records && device->program->op_count > 0 ? self->times : NULL;
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
    .about = "this computer: measured times, one record per operator",
    .machine = "host-cpu",
    .computes_values = true,
    .open = cpu_open,
    .load = cpu_load,
    .run = cpu_run,
    .close = cpu_close,
    .missing = cpu_missing,
};
