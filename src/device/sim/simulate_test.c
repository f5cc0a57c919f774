/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simulations of programs made by hand: sharing, queues, activations, and their stalls by cause.
 */
#include "device/sim/simulate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/index.h"
#include "device/sim/share.h"
#include "program/program_testing.h"
#include "program/timing.h"

/* ---- sharing ------------------------------------------------------------------------------- */

static void test_parts(void **state)
{
    (void)state;
    tacho_ratio ten = {10, 1};
    uint64_t whole = tacho_sharing_part(1000, 100, ten);
    assert_int_equal(tacho_sharing_part(500, 100, ten), whole / 2);
    assert_int_equal(tacho_sharing_part(1001, 100, ten), whole);
    assert_int_equal(tacho_sharing_part(UINT64_MAX, 1, ten), whole);
    assert_true(tacho_sharing_part(999, 100, ten) < whole);
    assert_int_equal(tacho_sharing_part(100, 100, (tacho_ratio){5, 2}), whole * 2 / 5);
}

/*
 * Alone until 10, by two that need all of it until the first has done its other 90 at half speed,
 * then alone again: 10 + 2 * 90 = 190, and the second has 10 left.
 */
static void test_two_share(void **state)
{
    (void)state;
    tacho_sharing sharing = {.clock = 0};
    uint64_t whole = tacho_sharing_part(1, 1, (tacho_ratio){1, 1});
    int64_t time;
    uint64_t key;
    assert_false(tacho_sharing_next(&sharing, &time));
    assert_null(tacho_sharing_add(&sharing, 5, 100, whole));
    assert_true(tacho_sharing_next(&sharing, &time));
    assert_int_equal(time, 100);
    tacho_sharing_advance(&sharing, 10);
    assert_null(tacho_sharing_add(&sharing, 6, 100, whole));
    assert_true(tacho_sharing_next(&sharing, &time));
    assert_int_equal(time, 190);
    tacho_sharing_advance(&sharing, 189);
    assert_false(tacho_sharing_take(&sharing, &key));
    tacho_sharing_advance(&sharing, 190);
    assert_true(tacho_sharing_take(&sharing, &key));
    assert_int_equal(key, 5);
    assert_false(tacho_sharing_take(&sharing, &key));
    assert_true(tacho_sharing_next(&sharing, &time));
    assert_int_equal(time, 200);
    tacho_heap_deinit(&sharing.users);
}

/* ---- programs ------------------------------------------------------------------------------ */

/* Each core has a queue in (0), a queue out (1) and an engine (2). */
enum { ENGINES = 3 };

typedef struct job_row {
    uint32_t core, engine;
    tacho_job_kind kind;
    int64_t cycles;
    uint64_t bytes;
    uint32_t op;
    int32_t need; /* a job, or -1 */
} job_row;

static void add_engine(tacho_program *program, const char *name, const char *class_name,
                       uint32_t device_core)
{
    tacho_program_engine engine = {
        .device = (uint16_t)(device_core / program->facts.core_count),
        .core = (uint16_t)(device_core % program->facts.core_count),
    };
    assert_null(intern(program, name, &engine.name));
    assert_null(intern(program, class_name, &engine.class_name));
    assert_null(
        tacho_grow(&program->engines, &program->engine_capacity, program->engine_count + 1));
    program->engines[program->engine_count++] = engine;
}

static void add_job(tacho_program *program, job_row row)
{
    assert_null(tacho_grow(&program->jobs, &program->job_capacity, program->job_count + 1));
    assert_null(tacho_grow(&program->needs, &program->need_capacity, program->need_count + 1));
    program->jobs[program->job_count++] = (tacho_job){
        .op = row.op,
        .engine = row.core * ENGINES + row.engine,
        .kind = (uint16_t)row.kind,
        .cycles = row.cycles,
        .bytes = row.bytes,
        .buffer = TACHO_NONE,
        .first_need = (uint32_t)program->need_count,
        .need_count = row.need >= 0 ? 1 : 0,
    };
    if (row.need >= 0) {
        program->needs[program->need_count++] = (tacho_need){.job = (uint32_t)row.need};
    }
}

static void setup(tacho_program *program, uint32_t devices, uint32_t cores, uint32_t ops)
{
    assert_null(tacho_program_init(program));
    program->facts.device_count = devices;
    program->facts.core_count = cores;
    program->facts.thread_count = 1;
    for (uint32_t i = 0; i < devices * cores; i++) {
        add_engine(program, "DMA IN", "dma_in", i);
        add_engine(program, "DMA OUT", "dma_out", i);
        add_engine(program, "HMX", "compute", i);
    }
    for (uint32_t i = 0; i < ops; i++) {
        assert_null(tacho_grow(&program->ops, &program->op_capacity, program->op_count + 1));
        program->ops[program->op_count++] = (tacho_program_op){.cycles = 0};
    }
}

/* The estimate, with the jobs of each op. */
static void estimate(tacho_program *program)
{
    for (size_t i = 0; i < program->op_count; i++) {
        program->ops[i].job_count = 0;
    }
    for (size_t i = 0; i < program->job_count; i++) {
        tacho_program_op *op = &program->ops[program->jobs[i].op];
        if (op->job_count++ == 0) {
            op->first_job = (uint32_t)i;
        }
    }
    assert_null(tacho_program_time(program));
}

static void simulate(tacho_simulation *simulation, const tacho_program *program,
                     const tacho_sim_limits *limits, uint32_t activations)
{
    assert_null(tacho_simulate(simulation, program, limits, activations));
    for (size_t i = 0; i < simulation->activations * simulation->op_count; i++) {
        const tacho_sim_op *op = &simulation->ops[i];
        int64_t sum = 0;
        for (size_t j = 0; j < TACHO_STALL_COUNT; j++) {
            sum += op->stalls[j];
        }
        assert_int_equal(sum, op->end - op->start - program->ops[i % program->op_count].cycles);
    }
}

static const tacho_sim_limits ten_bytes = {.ddr_read = {10, 1}, .ddr_write = {10, 1}};

/* Cores that each use all of DDR: k of them take k times as long, or they would go for nothing. */
static void test_cores_share_ddr(void **state)
{
    (void)state;
    for (uint32_t cores = 1; cores <= 16; cores++) {
        tacho_program program;
        tacho_simulation simulation;
        setup(&program, 1, cores, 1);
        for (uint32_t i = 0; i < 4 * cores; i++) {
            add_job(&program,
                    (job_row){i % cores, i / cores % 2, TACHO_JOB_LOAD, 100, 1000, 0, -1});
        }
        estimate(&program);
        assert_int_equal(program.facts.total_cycles, 200);
        simulate(&simulation, &program, &ten_bytes, 1);
        /* both queues of a core load, too */
        assert_int_equal(simulation.cycles, 400 * cores);
        assert_int_equal(simulation.ops[0].stalls[TACHO_STALL_DDR], 400 * cores - 200);
        tacho_simulation_deinit(&simulation);
        tacho_program_deinit(&program);
    }
}

/* With enough for all there are no waits; a multicast is read once. */
static void test_enough_for_all(void **state)
{
    (void)state;
    tacho_program program;
    tacho_simulation simulation;
    setup(&program, 1, 4, 1);
    for (uint32_t i = 0; i < 4; i++) {
        add_job(&program, (job_row){i, 0, TACHO_JOB_LOAD, 101, 252, 0, -1}); /* 4 * 252 < 1010 */
    }
    estimate(&program);
    simulate(&simulation, &program, &ten_bytes, 1);
    assert_int_equal(simulation.cycles, 101);
    tacho_simulation_deinit(&simulation);
    for (uint32_t i = 0; i < 4; i++) {
        program.jobs[i].bytes = 1010;
        program.jobs[i].readers = 4;
    }
    simulate(&simulation, &program, &ten_bytes, 1);
    assert_int_equal(simulation.cycles, 101);
    tacho_simulation_deinit(&simulation);
    program.jobs[3].readers = 1;
    simulate(&simulation, &program, &ten_bytes, 1);
    assert_int_equal(simulation.cycles, 177); /* 101 * (3/4 + 1), rounded up */
    tacho_simulation_deinit(&simulation);
    tacho_program_deinit(&program);
}

/*
 * One core loads for two ops, the other core for the second only: the second op's work waits for
 * a load of its own that is held up, and the first op ends as estimated.
 */
static void test_stalls_by_op(void **state)
{
    (void)state;
    tacho_program program;
    tacho_simulation simulation;
    setup(&program, 1, 2, 2);
    add_job(&program, (job_row){0, 0, TACHO_JOB_LOAD, 100, 1000, 0, -1});
    add_job(&program, (job_row){0, 2, TACHO_JOB_COMPUTE, 300, 0, 0, 0});
    add_job(&program, (job_row){0, 0, TACHO_JOB_LOAD, 100, 1000, 1, 1});
    add_job(&program, (job_row){1, 0, TACHO_JOB_LOAD, 50, 500, 1, 1});
    add_job(&program, (job_row){0, 2, TACHO_JOB_COMPUTE, 30, 0, 1, 2});
    add_job(&program, (job_row){1, 2, TACHO_JOB_COMPUTE, 60, 0, 1, 3});
    estimate(&program);
    assert_int_equal(program.ops[1].cycles, 130);
    simulate(&simulation, &program, &ten_bytes, 1);
    assert_int_equal(simulation.ops[0].end, 400);
    assert_int_equal(simulation.ends[3], 500); /* half as fast */
    assert_int_equal(simulation.ends[2], 550);
    assert_int_equal(simulation.ends[5], 560);
    assert_int_equal(simulation.ends[4], 580);
    assert_int_equal(simulation.ops[1].stalls[TACHO_STALL_DDR], 50);
    assert_int_equal(simulation.ops[1].stalls[TACHO_STALL_SLACK], 0);
    tacho_simulation_deinit(&simulation);
    tacho_program_deinit(&program);
}

/* Waiting that the estimate has room for costs nothing. */
static void test_slack(void **state)
{
    (void)state;
    tacho_program program;
    tacho_simulation simulation;
    setup(&program, 1, 2, 1);
    add_job(&program, (job_row){0, 0, TACHO_JOB_LOAD, 100, 1000, 0, -1});
    add_job(&program, (job_row){1, 0, TACHO_JOB_LOAD, 100, 1000, 0, -1});
    add_job(&program, (job_row){0, 2, TACHO_JOB_COMPUTE, 150, 0, 0, -1});
    add_job(&program, (job_row){0, 2, TACHO_JOB_COMPUTE, 10, 0, 0, 0});
    estimate(&program);
    assert_int_equal(program.facts.total_cycles, 160);
    simulate(&simulation, &program, &ten_bytes, 1);
    assert_int_equal(simulation.cycles, 210); /* loads until 200, then 10 */
    assert_int_equal(simulation.ops[0].stalls[TACHO_STALL_DDR], 100);
    assert_int_equal(simulation.ops[0].stalls[TACHO_STALL_SLACK], -50);
    tacho_simulation_deinit(&simulation);
    tacho_program_deinit(&program);
}

/* Copies between cores share the network, those within the only core nothing. */
static void test_network(void **state)
{
    (void)state;
    static const tacho_sim_limits limits = {.noc = {20, 1}};
    for (uint32_t cores = 1; cores <= 2; cores++) {
        tacho_program program;
        tacho_simulation simulation;
        setup(&program, 1, cores, 1);
        add_job(&program, (job_row){0, 0, TACHO_JOB_COPY, 100, 2000, 0, -1});
        add_job(&program, (job_row){cores - 1, 1, TACHO_JOB_COPY, 100, 1000, 0, -1});
        estimate(&program);
        simulate(&simulation, &program, &limits, 1);
        assert_int_equal(simulation.cycles, cores == 1 ? 100 : 150);
        assert_int_equal(simulation.ops[0].stalls[TACHO_STALL_NOC], cores == 1 ? 0 : 50);
        tacho_simulation_deinit(&simulation);
        tacho_program_deinit(&program);
    }
}

/* On a mesh of 2 x 2 cores readers of a row share it, and writers of a column. */
static void test_mesh(void **state)
{
    (void)state;
    static const tacho_sim_limits limits = {.noc = {20, 1}, .noc_width = 2, .noc_height = 2};
    static const struct {
        uint32_t other, engine;
        int64_t cycles;
    } cases[] = {{1, 0, 200}, {2, 0, 100}, {3, 0, 100}, {1, 1, 100}, {2, 1, 200}, {3, 1, 100}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_program program;
        tacho_simulation simulation;
        setup(&program, 1, 4, 1);
        /* 40 bytes a cycle, which pass half of the row or column on average */
        add_job(&program, (job_row){0, cases[i].engine, TACHO_JOB_COPY, 100, 4000, 0, -1});
        add_job(&program,
                (job_row){cases[i].other, cases[i].engine, TACHO_JOB_COPY, 100, 4000, 0, -1});
        estimate(&program);
        simulate(&simulation, &program, &limits, 1);
        assert_int_equal(simulation.cycles, cases[i].cycles);
        assert_int_equal(simulation.ops[0].stalls[TACHO_STALL_NOC], cases[i].cycles - 100);
        tacho_simulation_deinit(&simulation);
        /* A cast fills the row or column once, however many it reaches; activations have their own.
         */
        program.jobs[0].readers = program.jobs[1].readers = 2;
        program.jobs[0].bytes = program.jobs[1].bytes = 2000;
        simulate(&simulation, &program, &limits, 2);
        assert_int_equal(simulation.cycles, 100);
        tacho_simulation_deinit(&simulation);
        tacho_program_deinit(&program);
    }
}

/* Of a mesh of 4 x 4 cores, a program uses 2 of each row: its third core is in the second row. */
static void test_narrow_grid(void **state)
{
    (void)state;
    static const tacho_sim_limits limits = {.noc = {20, 1}, .noc_width = 4, .noc_height = 4};
    static const struct {
        uint32_t width, other, engine;
        int64_t cycles;
    } cases[] = {{0, 2, 0, 200}, {2, 2, 0, 100}, {2, 1, 0, 200}, {2, 2, 1, 200},
                 {0, 2, 1, 100}, {4, 2, 0, 200}, {9, 2, 0, 200}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_program program;
        tacho_simulation simulation;
        setup(&program, 1, 4, 1);
        program.facts.grid_width = cases[i].width;
        add_job(&program, (job_row){0, cases[i].engine, TACHO_JOB_COPY, 100, 4000, 0, -1});
        add_job(&program,
                (job_row){cases[i].other, cases[i].engine, TACHO_JOB_COPY, 100, 4000, 0, -1});
        estimate(&program);
        simulate(&simulation, &program, &limits, 1);
        assert_int_equal(simulation.cycles, cases[i].cycles);
        tacho_simulation_deinit(&simulation);
        tacho_program_deinit(&program);
    }
}

/* Four banks of 10 bytes a cycle: data with fewer pages than banks is in some of them only. */
static void test_banks(void **state)
{
    (void)state;
    static const tacho_sim_limits limits = {
        .ddr_read = {40, 1}, .ddr_write = {40, 1}, .ddr_banks = 4, .ddr_page_bytes = 1000};
    static const struct {
        uint64_t bytes; /* of each of two loads in 100 cycles */
        int64_t cycles;
    } cases[] = {{250, 100}, {500, 100}, {501, 100}, {1000, 100}, {1500, 100}, {2000, 100}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_program program;
        tacho_simulation simulation;
        setup(&program, 1, 4, 1);
        /* One page in all: a bank gives 1000 bytes in 100 cycles. */
        add_job(&program, (job_row){0, 0, TACHO_JOB_LOAD, 100, cases[i].bytes, 0, -1});
        add_job(&program, (job_row){1, 0, TACHO_JOB_LOAD, 100, cases[i].bytes, 0, -1});
        estimate(&program);
        simulate(&simulation, &program, &limits, 1);
        assert_int_equal(simulation.cycles, cases[i].cycles);
        tacho_simulation_deinit(&simulation);
        tacho_program_deinit(&program);
    }
    tacho_program program;
    tacho_simulation simulation;
    setup(&program, 1, 4, 1);
    for (uint32_t core = 0; core < 4; core++) { /* two pages in two banks, in half the time */
        add_job(&program, (job_row){core, 0, TACHO_JOB_LOAD, 50, 500, 0, -1});
    }
    estimate(&program);
    simulate(&simulation, &program, &limits, 1);
    assert_int_equal(simulation.cycles, 100);
    assert_int_equal(simulation.ops[0].stalls[TACHO_STALL_DDR], 50);
    tacho_simulation_deinit(&simulation);
    tacho_program_deinit(&program);
}

/* Two cores of a device that read from another device share its one link. */
static void test_link(void **state)
{
    (void)state;
    static const tacho_sim_limits limits = {
        .ddr_read = {1000, 1}, .ddr_write = {1000, 1}, .link = {10, 1}};
    tacho_program program;
    tacho_simulation simulation;
    setup(&program, 2, 2, 2);
    add_job(&program, (job_row){0, 1, TACHO_JOB_STORE, 100, 1000, 0, -1});
    add_job(&program, (job_row){2, 0, TACHO_JOB_P2P, 100, 1000, 1, 0});
    add_job(&program, (job_row){3, 0, TACHO_JOB_P2P, 100, 1000, 1, 0});
    add_job(&program, (job_row){2, 0, TACHO_JOB_LOAD, 100, 1000, 1, 1}); /* of DDR alone */
    estimate(&program);
    simulate(&simulation, &program, &limits, 1);
    assert_int_equal(simulation.cycles, 400);
    assert_int_equal(simulation.ops[0].stalls[TACHO_STALL_LINK], 0);
    assert_int_equal(simulation.ops[1].stalls[TACHO_STALL_LINK], 100);
    tacho_simulation_deinit(&simulation);
    tacho_program_deinit(&program);
}

/*
 * The queue out holds one transfer. The second store waits for work, so it keeps its place until
 * 600; the third is not posted before, nor is the load after it, which could have gone at 10.
 */
static void test_full_queue(void **state)
{
    (void)state;
    tacho_sim_limits limits = {.noc = {0, 1}};
    tacho_program program;
    tacho_simulation simulation;
    setup(&program, 1, 1, 1);
    add_job(&program, (job_row){0, 2, TACHO_JOB_COMPUTE, 500, 0, 0, -1});
    add_job(&program, (job_row){0, 0, TACHO_JOB_LOAD, 10, 100, 0, -1});
    add_job(&program, (job_row){0, 1, TACHO_JOB_STORE, 100, 100, 0, 0});
    add_job(&program, (job_row){0, 1, TACHO_JOB_STORE, 100, 100, 0, -1});
    add_job(&program, (job_row){0, 0, TACHO_JOB_LOAD, 400, 100, 0, -1});
    estimate(&program);
    simulate(&simulation, &program, &limits, 1);
    assert_int_equal(simulation.cycles, 700);
    tacho_simulation_deinit(&simulation);
    limits.queue_depths[TACHO_ENGINE_DMA_OUT] = 1;
    simulate(&simulation, &program, &limits, 1);
    assert_int_equal(simulation.starts[3], 600);
    assert_int_equal(simulation.starts[4], 600);
    assert_int_equal(simulation.stalls[4][TACHO_STALL_QUEUE], 590);
    assert_int_equal(simulation.cycles, 1000);
    assert_int_equal(simulation.ops[0].stalls[TACHO_STALL_QUEUE], 590);
    assert_int_equal(simulation.ops[0].stalls[TACHO_STALL_SLACK], -290);
    tacho_simulation_deinit(&simulation);
    limits.queue_depths[TACHO_ENGINE_DMA_OUT] = 2;
    simulate(&simulation, &program, &limits, 1);
    assert_int_equal(simulation.cycles, 700);
    tacho_simulation_deinit(&simulation);
    tacho_program_deinit(&program);
}

static void test_activations(void **state)
{
    (void)state;
    tacho_program program;
    tacho_simulation simulation;
    setup(&program, 1, 1, 1);
    add_job(&program, (job_row){0, 0, TACHO_JOB_LOAD, 100, 500, 0, -1});
    add_job(&program, (job_row){0, 2, TACHO_JOB_COMPUTE, 70, 0, 0, 0});
    estimate(&program);
    for (uint32_t i = 1; i <= 5; i++) {
        simulate(&simulation, &program, &ten_bytes, i);
        assert_int_equal(simulation.cycles, (i <= 2 ? 100 : 50 * i) + 70);
        for (uint32_t j = 0; j < i; j++) {
            assert_int_equal(simulation.ends[2 * j + 1], simulation.cycles);
        }
        tacho_simulation_deinit(&simulation);
    }
    tacho_program_deinit(&program);
}

/* Cycles that overflow, and times that go backwards. */
static void test_refused(void **state)
{
    (void)state;
    tacho_program program;
    tacho_simulation simulation;
    setup(&program, 1, 1, 1);
    add_job(&program, (job_row){0, 0, TACHO_JOB_LOAD, (int64_t)1 << 55, 500, 0, -1});
    add_job(&program, (job_row){0, 2, TACHO_JOB_COMPUTE, (int64_t)1 << 55, 0, 0, 0});
    estimate(&program);
    tacho_status status = tacho_simulate(&simulation, &program, &ten_bytes, 1);
    assert_non_null(status);
    tacho_status_free(status);
    tacho_simulation_deinit(&simulation);
    program.jobs[0].cycles = 1;
    estimate(&program);
    program.needs[0].lag = -1;
    status = tacho_simulate(&simulation, &program, &ten_bytes, 1);
    assert_non_null(status);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    tacho_status_free(status);
    tacho_simulation_deinit(&simulation);
    tacho_program_deinit(&program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_two_share),
        cmocka_unit_test(test_cores_share_ddr),
        cmocka_unit_test(test_enough_for_all),
        cmocka_unit_test(test_stalls_by_op),
        cmocka_unit_test(test_slack),
        cmocka_unit_test(test_network),
        cmocka_unit_test(test_mesh),
        cmocka_unit_test(test_narrow_grid),
        cmocka_unit_test(test_banks),
        cmocka_unit_test(test_link),
        cmocka_unit_test(test_full_queue),
        cmocka_unit_test(test_activations),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
