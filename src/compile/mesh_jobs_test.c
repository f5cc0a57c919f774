/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs of a mesh take the cycles of the operator's sum, move the bytes of its streams, and wait
 * only for jobs before them.
 */
#include "compile/mesh_jobs.h"

#include "base/index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char *const machines[] = {"wormhole-n150", "blackhole-p150"};

typedef struct fixture {
    tacho_arena arena;
    tacho_machine *machine;
    tacho_cost_options options;
    tacho_op_cost cost;
    tacho_mesh_jobs jobs;
} fixture;

static void setup(fixture *f, const char *name)
{
    *f = (fixture){.machine = NULL};
    tacho_arena_init(&f->arena);
    assert_null(tacho_machine_find(name, &f->arena, &f->machine));
    f->options.grid_x = (uint32_t)tacho_quantity_whole(&f->machine->grid_x);
    f->options.grid_y = (uint32_t)tacho_quantity_whole(&f->machine->grid_y);
}

static tacho_work product(uint64_t batch, uint64_t m, uint64_t n, uint64_t k)
{
    return (tacho_work){
        .kind = TACHO_WORK_MATRIX,
        .input = {.dtype = TACHO_DTYPE_BF16, .bytes = 2 * batch * m * k},
        .weights = {.dtype = TACHO_DTYPE_BF16, .bytes = 2 * batch * k * n},
        .output = {.dtype = TACHO_DTYPE_BF16, .bytes = 2 * batch * m * n},
        .batch = batch,
        .m = m,
        .n = n,
        .k_channels = k,
        .k_window = 1,
    };
}

static void check_needs(const tacho_mesh_jobs *jobs)
{
    for (size_t i = 0; i < jobs->job_count; i++) {
        const tacho_mesh_job *job = &jobs->jobs[i];
        assert_true(job->cycles > 0);
        assert_in_range(job->need_count, 0, TACHO_MESH_NEEDS_MAX);
        for (size_t k = 0; k < job->need_count; k++) {
            assert_true(job->needs[k].job < i || job->needs[k].job == TACHO_MESH_ENTRY);
            assert_true(job->needs[k].lag >= 0);
        }
    }
}

/* Bytes that jobs of a kind move, over all cores: a multicast transfer counts once per team. */
static uint64_t moved(const tacho_mesh_jobs *jobs, tacho_job_kind kind)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < jobs->job_count; i++) {
        const tacho_mesh_job *job = &jobs->jobs[i];
        uint64_t all = 0;
        for (uint32_t core = 0; job->kind == kind && core < job->cores.count; core++) {
            tacho_mesh_place place = tacho_mesh_place_of(job, core);
            assert_true(place.team < place.teams);
            bool is_first = place.readers == 1 || core == 0 ||
                            tacho_mesh_place_of(job, core - 1).team != place.team;
            bool is_column = job->team == TACHO_MESH_COLUMN;
            is_first = is_column ? core < job->cores.columns : is_first;
            all += is_first ? tacho_mesh_part(job->bytes, place.team, place.teams) : 0;
        }
        assert_true(job->kind != kind || all == job->bytes);
        bytes += all;
    }
    return bytes;
}

/* The engine starts after the first data and ends after the last; sending ends last. */
static void check_order(const tacho_mesh_jobs *jobs)
{
    int64_t ends[TACHO_MESH_JOBS_MAX];
    int64_t is_free[TACHO_MESH_UNIT_COUNT] = {0};
    int64_t came = 0;
    int64_t worked = 0;
    int64_t sent = INT64_MAX;
    for (size_t i = 0; i < jobs->job_count; i++) {
        const tacho_mesh_job *job = &jobs->jobs[i];
        int64_t start = is_free[job->unit];
        for (size_t k = 0; k < job->need_count; k++) {
            uint8_t of = job->needs[k].job;
            int64_t ready = (of == TACHO_MESH_ENTRY ? 0 : ends[of]) + job->needs[k].lag;
            start = ready > start ? ready : start;
        }
        ends[i] = is_free[job->unit] = start + job->cycles;
        bool is_engine = job->unit == TACHO_MESH_ENGINE;
        bool is_result = job->kind == TACHO_JOB_STORE;
        came = !is_engine && !is_result && ends[i] > came ? ends[i] : came;
        worked = is_engine && ends[i] > worked ? ends[i] : worked;
        sent = is_result ? ends[i] : sent;
    }
    assert_true(worked == 0 || worked >= came);
    assert_true(sent >= worked && sent >= came);
}

static void check(fixture *f, const tacho_work *work)
{
    assert_null(tacho_op_cost_estimate(f->machine, work, &f->options, &f->cost));
    for (uint32_t segments = 1; segments <= 3; segments++) {
        f->jobs.segments = segments;
        assert_null(tacho_mesh_jobs_make(f->machine, work, &f->options, &f->cost, &f->jobs));
        check_needs(&f->jobs);
        check_order(&f->jobs);
        assert_int_equal(tacho_mesh_jobs_cycles(&f->jobs), f->cost.cycles);
        uint64_t macs = 0;
        for (size_t i = 0; i < f->jobs.job_count; i++) {
            macs += f->jobs.jobs[i].macs;
        }
        assert_int_equal(macs, f->cost.macs);
        bool is_stored = work->output.place == TACHO_PLACE_DDR;
        uint64_t written = is_stored ? work->output.bytes : 0;
        assert_int_equal(moved(&f->jobs, TACHO_JOB_STORE), written);
    }
}

/* Narrow, wide, square, cut into blocks, in batches, from either memory, with something fused. */
static void test_products(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 31, 32, 100, 512, 2048, 8192};
    for (size_t machine = 0; machine < 2; machine++) {
        fixture f;
        setup(&f, machines[machine]);
        for (size_t i = 0; i < 7 * 7 * 7; i++) {
            tacho_work work =
                product(i % 5 == 4 ? 12 : 1, sizes[i % 7], sizes[i / 7 % 7], sizes[i / 49]);
            check(&f, &work);
            work.elements = work.batch * work.m * work.n;
            work.steps = 2;
            work.input_extra_bytes = work.output.bytes;
            work.input.bytes += work.output.bytes;
            check(&f, &work);
            work.input.place = TACHO_PLACE_LOCAL;
            f.options.is_tuned = i % 2 == 0;
            check(&f, &work);
            work.output.place = TACHO_PLACE_LOCAL;
            check(&f, &work);
            work.weights.place = TACHO_PLACE_LOCAL;
            check(&f, &work);
        }
        tacho_arena_deinit(&f.arena);
    }
}

/* Buffers hold two steps: new data waits until the engine is done with the data before it. */
static void test_double_buffers(void **state)
{
    (void)state;
    fixture f;
    setup(&f, machines[0]);
    tacho_work work = product(1, 2048, 2048, 2048);
    check(&f, &work); /* in three segments */
    size_t waits = 0;
    for (size_t i = 0; i < f.jobs.job_count; i++) {
        const tacho_mesh_job *job = &f.jobs.jobs[i];
        for (size_t k = 0; k < job->need_count; k++) {
            uint8_t of = job->needs[k].job;
            bool is_engine = of != TACHO_MESH_ENTRY && f.jobs.jobs[of].unit == TACHO_MESH_ENGINE;
            waits += job->kind == TACHO_JOB_LOAD && is_engine && job->needs[k].is_false ? 1 : 0;
        }
    }
    assert_int_equal(waits, 2 * 2); /* both operands, all segments but the first */
    /* A step of 8 x 8 tiles of results and 8 along k, twice, and the results with partial sums. */
    assert_int_equal(f.jobs.buffer_bytes[TACHO_MESH_IN0], 2 * 8 * 8 * 2048);
    assert_int_equal(f.jobs.buffer_bytes[TACHO_MESH_IN1], 2 * 8 * 8 * 2048);
    assert_int_equal(f.jobs.buffer_bytes[TACHO_MESH_RESULT], 8 * 8 * 2048);
    tacho_arena_deinit(&f.arena);
}

/* Time steps of a recurrent operator: MACs are those of the operator, rounded steps or not. */
static void test_sequence(void **state)
{
    (void)state;
    fixture f;
    setup(&f, machines[0]);
    tacho_work work = product(1, 70, 256, 128);
    work.sequence = 7;
    check(&f, &work);
    work.sequence = 9; /* 8 rows each, 72 in all */
    assert_null(tacho_op_cost_estimate(f.machine, &work, &f.options, &f.cost));
    f.jobs.segments = 2;
    assert_null(tacho_mesh_jobs_make(f.machine, &work, &f.options, &f.cost, &f.jobs));
    assert_int_equal(tacho_mesh_jobs_cycles(&f.jobs), f.cost.cycles);
    tacho_arena_deinit(&f.arena);
}

/* Work on elements, and moves: from shared memory, in local memory, between both. */
static void test_flows(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 1000, 1024, 70000, 5000000};
    static const tacho_place places[] = {TACHO_PLACE_DDR, TACHO_PLACE_LOCAL};
    for (size_t i = 0; i < 2 * 5 * 2 * 2 * 2 * 3; i++) {
        fixture f;
        setup(&f, machines[i % 2]);
        uint64_t size = sizes[i / 2 % 5];
        tacho_work work = {
            .kind = i / 10 % 2 == 0 ? TACHO_WORK_VECTOR : TACHO_WORK_MOVE,
            .input = {TACHO_DTYPE_BF16, places[i / 20 % 2], 2 * size},
            .weights = {TACHO_DTYPE_BF16, TACHO_PLACE_DDR, i % 3 * size},
            .output = {TACHO_DTYPE_BF16, places[i / 40 % 2], 2 * size},
            .elements = size,
            .steps = 3,
            .line = i / 80 == 0   ? 0
                    : i / 80 == 1 ? 128
                                  : size,
        };
        check(&f, &work);
        assert_int_equal(moved(&f.jobs, TACHO_JOB_LOAD),
                         work.weights.bytes +
                             (work.input.place == TACHO_PLACE_DDR ? work.input.bytes : 0));
        tacho_arena_deinit(&f.arena);
    }
}

/* 100 tiles on 64 cores: 50 of them have two. A tile is loaded, worked on, and sent. */
static void test_flow_by_hand(void **state)
{
    (void)state;
    fixture f;
    setup(&f, machines[0]);
    tacho_work work = {
        .kind = TACHO_WORK_VECTOR,
        .input = {TACHO_DTYPE_BF16, TACHO_PLACE_DDR, 204800},
        .output = {TACHO_DTYPE_BF16, TACHO_PLACE_DDR, 204800},
        .elements = 102400,
        .steps = 1,
    };
    check(&f, &work);
    assert_int_equal(f.cost.cores, 50);
    /* Reading takes 204800 / (288 * 0.92) = 773 cycles, writing 204800 / (288 * 0.69) = 1031. */
    assert_int_equal(f.cost.read_cycles, 773 + 1031);
    assert_int_equal(f.cost.compute_cycles, 2048 / 128);
    /* The first tile is read in half of that and worked on in 8; all results leave after it. */
    assert_int_equal(f.cost.cycles, 4045 + 902 + 8 + 1804);
    tacho_arena_deinit(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),     cmocka_unit_test(test_double_buffers),
        cmocka_unit_test(test_sequence),     cmocka_unit_test(test_flows),
        cmocka_unit_test(test_flow_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
