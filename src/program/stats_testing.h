/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests: raw stats of the program of program_testing.h, made by hand. Every job runs as the
 * compiler expects; a tick of the timer is ten cycles; transfers are issued in a tick. Include it
 * after <cmocka.h>.
 */
#ifndef TACHO_PROGRAM_STATS_TESTING_H
#define TACHO_PROGRAM_STATS_TESTING_H

#include "base/output_testing.h"
#include "program/program_testing.h"
#include "program/stats_stream.h"

enum {
    TEST_CYCLES_PER_TICK = 10,
    TEST_START_U = 1000, /* of the inference */
    TEST_FLUSH_U = 1125,
    TEST_END_U = 1130,
    TEST_ENGINES = 8,
    TEST_STATS_ROOM = 16384,
};

typedef struct test_stats {
    tacho_program program;
    tacho_stats_layout layout;
    tacho_stats_clock clock;
    tacho_stats_thread threads[8];
    tacho_stats_pmu pmus[8];
    tacho_stats_core_pmu core_pmus[2];
    tacho_stats_ddr ddrs[2];
    tacho_stats_port ports[2];
    tacho_stats_doorbell bell;
    tacho_stats_op ops[TEST_ENGINES][4];
    tacho_stats_op_pmu op_pmus[TEST_ENGINES][4];
    tacho_stats_stall stall;
    tacho_stats_array arrays[32];
    tacho_stats_buffer buffer;
    char bytes[TEST_STATS_ROOM]; /* the file */
    size_t byte_count;
} test_stats;

static inline uint64_t test_tick(int64_t cycle)
{
    return (uint64_t)(TEST_START_U + cycle / TEST_CYCLES_PER_TICK);
}

static inline void add_test_array(test_stats *self, tacho_stats_type type, uint32_t stream,
                                  uint32_t count, const void *records)
{
    tacho_stats_array *arrays = self->arrays;
    arrays[self->buffer.array_count++] = (tacho_stats_array){type, stream, count, records};
}

static inline void fill_test_ops(test_stats *self, uint32_t engine)
{
    const tacho_program *program = &self->program;
    bool is_async = tacho_stats_is_async(program, engine);
    uint64_t free_u = TEST_START_U;
    uint32_t count = 0;
    for (uint32_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        if (job->engine != engine) {
            continue;
        }
        uint64_t start = test_tick(job->start);
        uint64_t end = test_tick(job->end);
        bool is_issued = is_async && end > start;
        tacho_stats_op *op = &self->ops[engine][count];
        *op = (tacho_stats_op){.oc = self->layout.job_task[i],
                               .flags = is_issued ? TACHO_STATS_OP_ASYNC : 0,
                               .repeat = 1,
                               .sync_start_u = free_u,
                               .op_start_u = start,
                               .op_end_u = is_issued ? start + 1 : end,
                               .async_done_u = is_issued ? end : 0,
                               .op_start_p = (uint64_t)job->start,
                               .op_end_p = (uint64_t)(is_issued ? job->start + 10 : job->end)};
        op->barrier_end_u = op->op_end_u + (is_async ? 0 : 2);
        free_u = op->barrier_end_u;
        self->op_pmus[engine][count] = (tacho_stats_op_pmu){.oc = op->oc, .values = {7, 9 + i}};
        count++;
    }
    if (count > 0) {
        add_test_array(self, TACHO_STATS_TYPE_op, engine, count, self->ops[engine]);
    }
    if (count > 0 && program->facts.stats.level >= TACHO_STATS_LEVEL_OP_PMU) {
        add_test_array(self, TACHO_STATS_TYPE_op_pmu, engine, count, self->op_pmus[engine]);
    }
}

static inline void fill_test_threads(test_stats *self)
{
    for (uint16_t i = 0; i < 8; i++) {
        self->threads[i] = (tacho_stats_thread){
            .core = i / 4,
            .thread = i % 4,
            .start_u = TEST_START_U,
            .end_u = TEST_END_U + i / 4,
            .start_p = 0,
            .end_p = 1300,
            .activate_start_u = 970,
            .activate_end_u = (uint64_t)(990 + i),
            .flush_start_u = TEST_FLUSH_U,
        };
        self->pmus[i] = (tacho_stats_pmu){.core = i / 4,
                                          .thread = i % 4,
                                          .event_count = 2,
                                          .events = {0x3, 0x1a4},
                                          .values = {100u + i, 1000u + i}};
    }
    for (uint16_t i = 0; i < 2; i++) {
        self->core_pmus[i] = (tacho_stats_core_pmu){
            .core = i, .event_count = 2, .events = {0x3, 0x1a4}, .values = {400u + i, 4000u + i}};
    }
}

/* Seals |self->buffer| into |self->bytes|. */
static inline void seal_test_stats(test_stats *self)
{
    tacho_output output;
    open_test_output(&output);
    tacho_stats_seal(&self->buffer, &output);
    self->byte_count = read_test_output(&output, self->bytes, sizeof(self->bytes));
    assert_true(self->byte_count < sizeof(self->bytes));
}

/* Fills |self| with stats of |level|; 100 has counters of ops, too. */
static inline void make_test_stats(test_stats *self, uint32_t level)
{
    memset(self, 0, sizeof(*self));
    assert_null(tacho_program_init(&self->program));
    assert_null(make_test_program(&self->program));
    self->program.facts.stats.level = level;
    assert_null(tacho_stats_layout_init(&self->layout, &self->program));
    self->buffer.head = (tacho_stats_head){
        .layout_id = self->layout.id,
        .inference = 3,
        .device_count = 1,
        .timer_hz = 100000000,
        .core_hz = 1000000000,
        .level = (uint16_t)level,
        .features = TACHO_STATS_SIMULATED | TACHO_STATS_HAS_DDR | TACHO_STATS_HAS_PMU |
                    (level >= TACHO_STATS_LEVEL_OP_PMU ? TACHO_STATS_HAS_OP_PMU : 0),
        .core_count = 2,
        .thread_count = 4,
        .batch_size = 4,
    };
    self->buffer.arrays = self->arrays;
    self->clock = (tacho_stats_clock){.host_ns = 500000, .timer = TEST_START_U};
    self->ddrs[0] = (tacho_stats_ddr){.core = 0, .read_bytes = 2048, .write_bytes = 0};
    self->ddrs[1] = (tacho_stats_ddr){.core = 1, .read_bytes = 1024, .write_bytes = 4096};
    self->ports[0] = (tacho_stats_port){
        .core = 0, .thread = 3, .port = 100, .wait_count = 1, .wait_u = 12, .longest_u = 12};
    self->ports[1] = (tacho_stats_port){
        .core = 1, .thread = 3, .port = 101, .is_output = 1, .wait_count = 2, .wait_u = 5};
    self->bell = (tacho_stats_doorbell){.core = 0, .port = 100, .ring_u = TEST_START_U + 12};
    self->stall = (tacho_stats_stall){.op = 0, .start_p = 0, .end_p = 900, .cycles = {40, 0, 0, 0}};
    fill_test_threads(self);
    add_test_array(self, TACHO_STATS_TYPE_clock, 0, 1, &self->clock);
    add_test_array(self, TACHO_STATS_TYPE_thread, 0, 8, self->threads);
    add_test_array(self, TACHO_STATS_TYPE_pmu, 0, 8, self->pmus);
    add_test_array(self, TACHO_STATS_TYPE_core_pmu, 0, 2, self->core_pmus);
    add_test_array(self, TACHO_STATS_TYPE_ddr, 0, 2, self->ddrs);
    if (level >= TACHO_STATS_LEVEL_PORTS) {
        add_test_array(self, TACHO_STATS_TYPE_port, 0, 2, self->ports);
        add_test_array(self, TACHO_STATS_TYPE_doorbell, 0, 1, &self->bell);
    }
    for (uint32_t i = 0; i < TEST_ENGINES && level >= TACHO_STATS_LEVEL_OPS; i++) {
        fill_test_ops(self, i);
    }
    if (level >= TACHO_STATS_LEVEL_OPS) {
        add_test_array(self, TACHO_STATS_TYPE_stall, 0, 1, &self->stall);
    }
    seal_test_stats(self);
}

static inline void free_test_stats(test_stats *self)
{
    tacho_stats_layout_deinit(&self->layout);
    tacho_program_deinit(&self->program);
}

#endif
