/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole operators: laws over all machines, and a few numbers worked out by hand.
 */
#include "compile/op_cost.h"

#include "base/index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static tacho_work gemm(uint64_t m, uint64_t n, uint64_t k, tacho_dtype dtype)
{
    tacho_work work = {
        .kind = TACHO_WORK_MATRIX,
        .input = {.dtype = dtype},
        .weights = {.dtype = dtype},
        .output = {.dtype = dtype},
        .batch = 1,
        .m = m,
        .n = n,
        .k_channels = k,
        .k_window = 1,
    };
    assert_true(tacho_dtype_bytes(dtype, m * k, &work.input.bytes));
    assert_true(tacho_dtype_bytes(dtype, k * n, &work.weights.bytes));
    assert_true(tacho_dtype_bytes(dtype, m * n, &work.output.bytes));
    return work;
}

static tacho_op_cost estimate(const tacho_machine *machine, const tacho_work *work)
{
    tacho_cost_options options = {.grid_x = 0};
    tacho_op_cost cost;
    assert_null(tacho_op_cost_estimate(machine, work, &options, &cost));
    return cost;
}

/* Nothing is free, nothing is faster than its parts, more work takes no less time. */
static void test_laws(void **state)
{
    (void)state;
    for (size_t i = 0; tacho_machine_builtin(i) != NULL; i++) {
        tacho_arena arena;
        tacho_arena_init(&arena);
        tacho_machine *machine = NULL;
        assert_null(tacho_machine_find(tacho_machine_builtin(i), &arena, &machine));
        int64_t before = 0;
        for (uint64_t size = 1; size <= 4096; size *= 4) {
            tacho_work work = gemm(size, size, size, TACHO_DTYPE_I8);
            tacho_op_cost cost = estimate(machine, &work);
            assert_true(cost.cycles >= 1);
            assert_true(cost.cycles >= cost.compute_cycles);
            assert_true(cost.compute_cycles >= cost.ideal_cycles);
            assert_true(cost.cycles >= cost.read_cycles && cost.cycles >= cost.write_cycles);
            assert_true(cost.padded_macs >= cost.macs);
            assert_int_equal(cost.macs, size * size * size);
            assert_true(cost.cores >= 1 && cost.engine != TACHO_NONE);
            assert_true(cost.cycles >= before);
            before = cost.cycles;
        }
        tacho_work add = {.kind = TACHO_WORK_VECTOR, .elements = 1000, .steps = 1};
        add.input = (tacho_operand){TACHO_DTYPE_F32, TACHO_PLACE_DDR, 8000};
        add.output = (tacho_operand){TACHO_DTYPE_F32, TACHO_PLACE_DDR, 4000};
        assert_true(estimate(machine, &add).cycles > 0);
        tacho_work move = {.kind = TACHO_WORK_MOVE};
        move.input = add.input;
        move.output = add.input;
        tacho_op_cost cost = estimate(machine, &move);
        assert_true(cost.cycles > 0 && cost.engine == TACHO_NONE && cost.macs == 0);
        tacho_work view = {.kind = TACHO_WORK_MOVE};
        cost = estimate(machine, &view);
        assert_true(cost.cycles == 0 && cost.bound == TACHO_BOUND_NONE);
        tacho_arena_deinit(&arena);
    }
}

static void test_torq(void **state)
{
    (void)state;
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_machine *machine = NULL;
    assert_null(tacho_machine_find("torq-sl2610", &arena, &machine));
    /* 64 x 64 x 256 on two slices of 256: 2048 cycles; 16 KiB in each way and 4 KiB out. */
    tacho_work work = gemm(64, 64, 256, TACHO_DTYPE_I8);
    tacho_op_cost cost = estimate(machine, &work);
    assert_int_equal(cost.compute_cycles, 2048);
    assert_int_equal(cost.engine_count, 2);
    assert_int_equal(cost.read_cycles, 6893); /* 32768 / 4.7543 */
    assert_int_equal(cost.write_cycles, 862); /* 4096 / 4.7543 */
    assert_int_equal(cost.launch_cycles, 1);
    assert_int_equal(cost.bound, TACHO_BOUND_MEMORY); /* all of it is read from shared memory */
    /* 4096 elements of 9 steps: 1152 cycles on two slices; 862 in and 862 out, that overlap. */
    work = (tacho_work){.kind = TACHO_WORK_VECTOR, .elements = 4096, .steps = 9};
    work.input = work.output = (tacho_operand){TACHO_DTYPE_I8, TACHO_PLACE_DDR, 4096};
    cost = estimate(machine, &work);
    assert_int_equal(cost.compute_cycles, 1152);
    assert_int_equal(cost.read_cycles, 862);
    assert_int_equal(cost.write_cycles, 862);
    assert_int_equal(cost.bound, TACHO_BOUND_COMPUTE);
    work.input.bytes = work.output.bytes = 1 << 20;
    work.elements = 1 << 20;
    cost = estimate(machine, &work); /* too large to be there at once */
    assert_int_equal(cost.compute_cycles, 294912);
    assert_int_equal(cost.read_cycles, 220554); /* 1048576 / 4.7543 */
    assert_int_equal(cost.bound, TACHO_BOUND_COMPUTE);
    /* Weights beyond half of local memory are read although the input is local already. */
    work = gemm(64, 640, 577, TACHO_DTYPE_I8);
    work.input.place = TACHO_PLACE_LOCAL;
    cost = estimate(machine, &work);
    assert_int_equal(cost.read_cycles, 77674); /* 640 x 577 = 369280 bytes */
    tacho_arena_deinit(&arena);
}

/* 512 x 1024 x 1024 on 8 x 8 cores: 2 x 4 tiles of each core, 8 steps of 4 tiles along k. */
static void test_mesh(void **state)
{
    (void)state;
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_machine *machine = NULL;
    assert_null(tacho_machine_find("wormhole-n150", &arena, &machine));
    tacho_work work = gemm(512, 1024, 1024, TACHO_DTYPE_BF16);
    work.input.place = work.output.place = TACHO_PLACE_LOCAL;
    tacho_cost_options options = {.is_tuned = true, .fidelity = 2};
    tacho_op_cost cost;
    assert_null(tacho_op_cost_estimate(machine, &work, &options, &cost));
    /* A step: 32 products of 32 cycles, 76.8 and one subblock of 2 x 4: 33. */
    assert_int_equal(cost.compute_cycles, 8 * (1024 + 77 + 33));
    /* Fetching 16 tiles of 2048 bytes: requests of 28.3, in and out over a link of 30 B/cycle. */
    assert_int_equal(cost.read_cycles, 8 * (453 + 2 * 1093));
    assert_int_equal(cost.launch_cycles, 4045);
    assert_int_equal(cost.cycles, 4045 + 8 * (453 + 2 * 1093) + (1024 + 77 + 33));
    assert_int_equal(cost.bound, TACHO_BOUND_LOCAL);
    assert_int_equal(cost.padded_macs, cost.macs);
    /* Left to itself from shared memory the vendor casts one way: 32 cores have one column. */
    work.input.place = work.output.place = TACHO_PLACE_DDR;
    options.is_tuned = false;
    assert_null(tacho_op_cost_estimate(machine, &work, &options, &cost));
    assert_int_equal(cost.cores, 32);
    /* Four cores take longer than sixty-four. */
    int64_t all = cost.cycles;
    options.grid_x = options.grid_y = 2;
    assert_null(tacho_op_cost_estimate(machine, &work, &options, &cost));
    assert_true(cost.cycles > all && cost.cores <= 4);
    tacho_arena_deinit(&arena);
}

/*
 * The same product with a mask to add: each core's 2 x 4 tiles of 1024 results are 64 cycles at 128
 * a cycle. The mask is 1 MiB of shared memory, 3958 cycles at 92 % of 288 bytes, of which the last
 * step hides 1134.
 */
static void test_mesh_fused(void **state)
{
    (void)state;
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_machine *machine = NULL;
    assert_null(tacho_machine_find("wormhole-n150", &arena, &machine));
    tacho_work work = gemm(512, 1024, 1024, TACHO_DTYPE_BF16);
    work.input.place = work.output.place = TACHO_PLACE_LOCAL;
    tacho_cost_options options = {.is_tuned = true, .fidelity = 2};
    tacho_op_cost plain;
    tacho_op_cost cost;
    assert_null(tacho_op_cost_estimate(machine, &work, &options, &plain));
    work.elements = 512 * 1024;
    work.steps = 1;
    assert_null(tacho_op_cost_estimate(machine, &work, &options, &cost));
    assert_int_equal(cost.cycles, plain.cycles + 64);
    assert_int_equal(cost.compute_cycles, plain.compute_cycles + 64);
    work.weights_extra_bytes = 512 * 1024 * 2;
    work.weights.bytes += work.weights_extra_bytes;
    assert_null(tacho_op_cost_estimate(machine, &work, &options, &cost));
    assert_int_equal(cost.read_cycles, plain.read_cycles + 3958);
    assert_int_equal(cost.cycles, plain.cycles + 3958 - (1024 + 77 + 33) + 64);
    tacho_arena_deinit(&arena);
}

/* Ten steps of one row on an array of 8 x 8: each is padded to 8 rows. */
static void test_sequence(void **state)
{
    (void)state;
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_machine *machine = NULL;
    assert_null(tacho_machine_find("gemmini-8x8", &arena, &machine));
    tacho_work work = gemm(10, 8, 8, TACHO_DTYPE_I8);
    tacho_op_cost at_once = estimate(machine, &work);
    assert_int_equal(at_once.padded_macs, 16 * 8 * 8);
    work.sequence = 10;
    tacho_op_cost cost = estimate(machine, &work);
    assert_int_equal(cost.macs, 10 * 8 * 8);
    assert_int_equal(cost.padded_macs, 10 * 8 * 8 * 8);
    tacho_work step = gemm(1, 8, 8, TACHO_DTYPE_I8);
    tacho_op_cost first = estimate(machine, &step);
    step.weights.bytes = 0; /* local already */
    tacho_op_cost next = estimate(machine, &step);
    assert_int_equal(cost.compute_cycles, 10 * first.compute_cycles);
    assert_int_equal(cost.cycles, first.cycles + 9 * (next.cycles - next.launch_cycles));
    tacho_arena_deinit(&arena);
}

/* A requested type is for real numbers. */
static void test_types(void **state)
{
    (void)state;
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_machine *machine = NULL;
    assert_null(tacho_machine_find("wormhole-n150", &arena, &machine));
    tacho_cost_options options = {.compute = TACHO_DTYPE_BFP8};
    tacho_op_cost cost;
    tacho_work work = gemm(64, 64, 64, TACHO_DTYPE_I8);
    assert_null(tacho_op_cost_estimate(machine, &work, &options, &cost));
    assert_int_equal(cost.compute, TACHO_DTYPE_I8);
    work = gemm(64, 64, 64, TACHO_DTYPE_F32);
    assert_null(tacho_op_cost_estimate(machine, &work, &options, &cost));
    assert_int_equal(cost.compute, TACHO_DTYPE_BFP8);
    work = (tacho_work){.kind = TACHO_WORK_VECTOR, .elements = 64, .steps = 1};
    work.input.dtype = TACHO_DTYPE_BOOL; /* of a condition */
    work.compute = TACHO_DTYPE_F32;
    work.input.bytes = 64;
    assert_null(tacho_op_cost_estimate(machine, &work, &(tacho_cost_options){.grid_x = 0}, &cost));
    assert_int_equal(cost.compute, tacho_machine_legalise(machine, TACHO_DTYPE_F32));
    tacho_arena_deinit(&arena);
}

/* Sizes that no machine could have, and none at all, are refused in words. */
static void check_refused(const tacho_machine *machine, const tacho_work *work, const char *words)
{
    tacho_cost_options options = {.grid_x = 0};
    tacho_op_cost cost;
    tacho_status status = tacho_op_cost_estimate(machine, work, &options, &cost);
    assert_non_null(status);
    assert_string_equal(tacho_status_message(status), words);
    tacho_status_free(status);
}

static void test_absurd(void **state)
{
    (void)state;
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_machine *machine = NULL;
    assert_null(tacho_machine_find("aic100", &arena, &machine));
    tacho_work work = gemm(1, 1, 1, TACHO_DTYPE_I8);
    work.m = (uint64_t)1 << 50;
    check_refused(machine, &work,
                  "it multiplies 1 times 1125899906842624 x 1 by 1 x 1: more than can be costed; "
                  "give smaller sizes");
    work.m = work.n = work.k_channels = (uint64_t)1 << 39;
    check_refused(machine, &work,
                  "it multiplies 1 times 549755813888 x 549755813888 by 549755813888 x "
                  "549755813888: more than can be costed; give smaller sizes");
    work.m = 0;
    work.n = work.k_channels = 7;
    check_refused(machine, &work,
                  "it multiplies 1 times 0 x 7 by 7 x 7: nothing to compute; give sizes of at "
                  "least 1");
    work = (tacho_work){.kind = TACHO_WORK_VECTOR, .elements = (uint64_t)1 << 41, .steps = 1};
    check_refused(machine, &work,
                  "it has 2199023255552 elements: more than can be costed (1099511627776); give "
                  "smaller sizes");
    work.elements = (uint64_t)1 << 39;
    work.steps = (uint64_t)1 << 22;
    check_refused(machine, &work,
                  "it computes 4194304 steps for each of 549755813888 elements: more than can be "
                  "costed; give smaller sizes");
    tacho_arena_deinit(&arena);
}

static int64_t placed_cycles(const tacho_machine *machine, tacho_work work, tacho_place place,
                             bool is_tuned)
{
    tacho_cost_options options = {.is_tuned = is_tuned};
    tacho_op_cost cost;
    work.input.place = place;
    assert_null(tacho_op_cost_estimate(machine, &work, &options, &cost));
    return cost.cycles;
}

/* An input in the cores is no slower than one in shared memory; nor are experts. */
static void test_never_slower(void **state)
{
    (void)state;
    static const char *const names[] = {"wormhole-n150", "blackhole-p150"};
    static const uint64_t sizes[] = {1, 32, 200, 1024, 4096, 14336};
    static const tacho_dtype dtypes[] = {TACHO_DTYPE_F32, TACHO_DTYPE_BF16, TACHO_DTYPE_BFP8};
    enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };
    for (size_t i = 0; i < 2 * SIZES * SIZES * SIZES * 3; i++) {
        tacho_arena arena;
        tacho_machine *machine = NULL;
        tacho_arena_init(&arena);
        assert_null(tacho_machine_find(names[i % 2], &arena, &machine));
        size_t at = i / 2;
        tacho_work work =
            gemm(sizes[at % SIZES], sizes[at / SIZES % SIZES], sizes[at / SIZES / SIZES % SIZES],
                 dtypes[at / SIZES / SIZES / SIZES]);
        int64_t shared = placed_cycles(machine, work, TACHO_PLACE_DDR, false);
        assert_true(placed_cycles(machine, work, TACHO_PLACE_LOCAL, false) <= shared);
        assert_true(placed_cycles(machine, work, TACHO_PLACE_DDR, true) <= shared);
        tacho_arena_deinit(&arena);
    }
}

/*
 * 64 channels of 56 x 56 by 3 x 3 on Gemmini: tiles of 15 lines, 17 columns and 8 channels, so that
 * a line passes as 8, 8 and 1, three times, and 5. By hand: 56 lines, 8 and 8 blocks of channels, 9
 * places of the window, 53 rows and 3 short passes of 4.15 in a line; 4 x 4 x 8 tiles of 66.
 */
static void test_image(void **state)
{
    (void)state;
    tacho_arena arena;
    tacho_machine *machine = NULL;
    tacho_arena_init(&arena);
    assert_null(tacho_machine_find("gemmini-8x8", &arena, &machine));
    tacho_work work = gemm(56 * 56, 64, 64, TACHO_DTYPE_I8);
    work.k_window = 9;
    work.weights.bytes *= 9;
    work.image = (tacho_image){56, 56, 3, 3};
    tacho_op_cost cost = estimate(machine, &work);
    assert_int_equal(cost.compute_cycles,
                     56 * 64 * 9 * 53 + (56 * 64 * 9 * 3 * 415 + 99) / 100 + 128 * 66 + 24);
    tacho_arena_deinit(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws),     cmocka_unit_test(test_torq),
        cmocka_unit_test(test_mesh),     cmocka_unit_test(test_mesh_fused),
        cmocka_unit_test(test_sequence), cmocka_unit_test(test_types),
        cmocka_unit_test(test_absurd),   cmocka_unit_test(test_never_slower),
        cmocka_unit_test(test_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
