/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A GPU of round numbers, worked out by hand, and properties of the built-in ones.
 */
#include "compile/op_gpu.h"

#include "base/index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static tacho_quantity whole(int64_t value)
{
    return (tacho_quantity){.value = {value, 1}};
}

typedef struct fixture {
    tacho_arena arena;
    tacho_machine *machine;
} fixture;

/* Two cores; 1000 MAC/cycle in f16, 100 in f32; memory of 10 B/cycle and a fast cache. */
static void setup(fixture *self)
{
    tacho_arena_init(&self->arena);
    assert_null(tacho_machine_find("h200", &self->arena, &self->machine));
    tacho_machine *machine = self->machine;
    machine->grid_x = whole(2);
    machine->grid_y = whole(1);
    for (size_t i = 0; i < machine->engine_count; i++) {
        for (size_t j = 0; j < machine->engines[i].mac_count; j++) {
            tacho_dtype dtype = machine->engines[i].macs[j].dtype;
            bool is_wide = dtype == TACHO_DTYPE_F32 || dtype == TACHO_DTYPE_F64;
            machine->engines[i].macs[j].per_cycle = whole(dtype == TACHO_DTYPE_F64 ? 50
                                                          : is_wide                ? 100
                                                                                   : 1000);
        }
    }
    for (size_t i = 0; i < machine->memory_count; i++) {
        machine->memories[i].bytes_per_cycle = whole(10);
        machine->memories[i].efficiency = whole(1);
    }
    tacho_gpu *gpu = &machine->gpu;
    gpu->hot_bytes = whole(1000000);
    gpu->cold_bytes = whole(3000000);
    gpu->l2_bytes_per_cycle = whole(1000);
    gpu->overlap = whole(0);
    gpu->switch_cycles = whole(50);
    tacho_gpu_product plain = {
        .start_cycles = whole(100), .efficiency = whole(1), .step_cycles = whole(0)};
    gpu->tensor = gpu->vector = gpu->vector_bias = plain;
    gpu->tensor_window = gpu->vector_window = plain;
    for (size_t i = 0; i < gpu->kernel_count; i++) {
        gpu->kernels[i].latency_cycles = whole(20);
        gpu->kernels[i].elements_per_cycle = whole(1);
        gpu->kernels[i].line_cycles = whole(10);
        gpu->kernels[i].depth_cycles = whole(2);
        gpu->kernels[i].is_serial = gpu->kernels[i].form == TACHO_FORM_NORM;
    }
}

static void teardown(fixture *self)
{
    tacho_arena_deinit(&self->arena);
}

static tacho_work product(uint64_t m, uint64_t n, uint64_t k, tacho_dtype dtype)
{
    tacho_work work = {.kind = TACHO_WORK_MATRIX, .batch = 1, .m = m, .n = n, .k_channels = k};
    work.k_window = 1;
    work.kernel = (tacho_work_kernel){.form = TACHO_FORM_PRODUCT, .is_alone = true};
    work.input.dtype = work.weights.dtype = work.output.dtype = dtype;
    assert_true(tacho_dtype_bytes(dtype, m * k, &work.input.bytes));
    assert_true(tacho_dtype_bytes(dtype, k * n, &work.weights.bytes));
    assert_true(tacho_dtype_bytes(dtype, m * n, &work.output.bytes));
    return work;
}

static tacho_op_cost cost_of(const tacho_machine *machine, const tacho_work *work)
{
    tacho_cost_options options = {.grid_x = 0};
    tacho_op_cost cost;
    assert_null(tacho_op_cost_estimate(machine, work, &options, &cost));
    return cost;
}

static void test_products(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    /* 4 tiles of 256 x 128 for 2 cores: 2 waves of 64 * 32768 / 1000. */
    tacho_work work = product(512, 256, 64, TACHO_DTYPE_F16);
    tacho_op_cost cost = cost_of(f.machine, &work);
    assert_int_equal(cost.cycles, 100 + 4195);
    assert_int_equal(cost.bound, TACHO_BOUND_COMPUTE);
    assert_int_equal(cost.padded_macs, cost.macs);
    /* In a network the weights, 32768 bytes, are in memory: still hidden; a kernel is new. */
    work.kernel.is_alone = false;
    assert_int_equal(cost_of(f.machine, &work).cycles, 150 + 4195);
    /* 128 KiB of results in the cache at 1000 B/cycle ... */
    work = product(8, 8192, 8, TACHO_DTYPE_F16);
    cost = cost_of(f.machine, &work);
    assert_int_equal(cost.cycles, 100 + 263); /* 262.272 rounded up; 8 x 256: 16 waves of 16384 */
    assert_int_equal(cost.padded_macs, cost.macs);
    /* ... and half of a multiplication more than 3 MB at 10 B/cycle. */
    work = product(1, 1, 2000000, TACHO_DTYPE_F32);
    cost = cost_of(f.machine, &work);
    assert_int_equal(cost.cycles, 100 + 1600001); /* 16,000,004 bytes */
    assert_int_equal(cost.bound, TACHO_BOUND_MEMORY);
    teardown(&f);
}

/* A result more than tiles hold is a wave more for some, and never less time. */
static void test_waves(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_work even = product(512, 256, 512, TACHO_DTYPE_F16);
    tacho_work odd = product(513, 256, 512, TACHO_DTYPE_F16);
    tacho_op_cost before = cost_of(f.machine, &even);
    tacho_op_cost after = cost_of(f.machine, &odd);
    assert_true(after.cycles > before.cycles && after.padded_macs > after.macs);
    /* Rows of 1021 numbers are not multiples of 16 bytes. */
    tacho_work unaligned = product(512, 256, 1021, TACHO_DTYPE_F16);
    tacho_work aligned = product(512, 256, 1024, TACHO_DTYPE_F16);
    assert_true(cost_of(f.machine, &unaligned).cycles > 2 * cost_of(f.machine, &aligned).cycles);
    /* Products of 32 bits that add a bias have rules of their own, without a tile of 32 x 32. */
    f.machine->gpu.vector_bias.start_cycles = whole(1000);
    tacho_work plain = product(64, 32, 64, TACHO_DTYPE_F32);
    tacho_work biased = plain;
    biased.kernel.has_bias = true;
    assert_int_equal(cost_of(f.machine, &plain).cycles, 100 + 656);
    assert_int_equal(cost_of(f.machine, &biased).cycles, 1000 + 1311);
    plain = product(32, 32, 64, TACHO_DTYPE_F32);
    biased = plain;
    biased.kernel.has_bias = true;
    assert_int_equal(cost_of(f.machine, &biased).cycles, cost_of(f.machine, &plain).cycles);
    teardown(&f);
}

static void test_kernels(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_work work = {.kind = TACHO_WORK_VECTOR, .elements = 1000, .steps = 1};
    work.input = (tacho_operand){TACHO_DTYPE_F32, TACHO_PLACE_DDR, 4000};
    work.output = work.input;
    work.kernel = (tacho_work_kernel){.form = TACHO_FORM_ELEMENT, .reach = 1000, .is_alone = true};
    assert_int_equal(cost_of(f.machine, &work).cycles, 20 + 500);
    work.kernel.form = TACHO_FORM_SOFTMAX; /* 10 lines of 100: 2 * 100 deep, 10 * 10 / 2 in all */
    work.kernel.lines = 10;
    assert_int_equal(cost_of(f.machine, &work).cycles, 20 + 200 + 500 + 50);
    work.kernel.form = TACHO_FORM_NORM; /* and 8000 bytes at 1000 in turn */
    assert_int_equal(cost_of(f.machine, &work).cycles, 20 + 200 + 500 + 50 + 8);
    work.kernel.form = TACHO_FORM_VIEW;
    assert_int_equal(cost_of(f.machine, &work).cycles, 0);
    work.kernel.form = TACHO_FORM_ELEMENT;
    work.kernel.reach = 0;
    assert_int_equal(cost_of(f.machine, &work).cycles, 0);
    teardown(&f);
}

static void test_cache(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    const tacho_gpu *gpu = &f.machine->gpu;
    assert_int_equal(tacho_op_gpu_hot(gpu, 0), 0);
    assert_int_equal(tacho_op_gpu_hot(gpu, 1000000), 1000000);
    assert_int_equal(tacho_op_gpu_hot(gpu, 2000000), 500000);
    assert_int_equal(tacho_op_gpu_hot(gpu, 3000000), 0);
    assert_int_equal(tacho_op_gpu_hot(gpu, UINT64_MAX), 0);
    teardown(&f);
}

/* 96 blocks of 128 queries for 2 cores, one tile of keys each: 48 times a block's own cycles, the
 * softmax and two products of 128 x 128 x 64. */
static void test_attention(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    f.machine->gpu.attention_start_cycles = whole(300);
    f.machine->gpu.attention_block_cycles = whole(5);
    f.machine->gpu.attention_score_cycles = whole(8);
    f.machine->gpu.attention_fetch_bytes_per_cycle = (tacho_quantity){0};
    tacho_work work = product(128, 128, 64, TACHO_DTYPE_F16);
    work.batch = 96;
    work.k_window = 2;
    work.kernel.form = TACHO_FORM_ATTENTION;
    assert_int_equal(cost_of(f.machine, &work).cycles, 300 + 48 * (5 + 8 + 2098));
    /* Few queries: half of a tile. */
    work.m = 1;
    assert_int_equal(cost_of(f.machine, &work).cycles, 300 + 48 * (5 + 4 + 1049));
    /* One block for two cores: 1024 keys in four parts, so two waves of two tiles each; and 256
     * partial results to add, by two cores. */
    work.batch = 1;
    work.n = 1024;
    assert_int_equal(cost_of(f.machine, &work).cycles,
                     300 + 2 * 5 + 2 * 2 * (4 + 1049) + 20 + 64 * 4 / 2);
    work.n = 512; /* ... but not so few keys */
    assert_int_equal(cost_of(f.machine, &work).cycles, 300 + 5 + 4 * (4 + 1049));
    /* A block waits for its keys and values: 2 x 128 x 64 numbers of 2 bytes at 16 in a cycle. */
    f.machine->gpu.attention_fetch_bytes_per_cycle = whole(16);
    assert_int_equal(cost_of(f.machine, &work).cycles, 300 + 5 + 4 * 2048);
    work.k_channels = 65; /* padded to 96 */
    assert_int_equal(cost_of(f.machine, &work).cycles, 300 + 5 + 4 * 3072);
    teardown(&f);
}

/* Later keys are skipped: of four tiles a block walks over 2.5 on average, and cores wait for 3 in
 * the end. A single wave ends with the block that walks over all. */
static void test_causal_attention(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    f.machine->gpu.attention_start_cycles = whole(300);
    f.machine->gpu.attention_block_cycles = whole(5);
    f.machine->gpu.attention_score_cycles = whole(8);
    f.machine->gpu.attention_fetch_bytes_per_cycle = (tacho_quantity){0};
    tacho_work work = product(512, 512, 64, TACHO_DTYPE_F16);
    work.batch = 12;
    work.k_window = 2;
    work.kernel.form = TACHO_FORM_ATTENTION;
    const int64_t tile = 8 + 2098;
    assert_int_equal(cost_of(f.machine, &work).cycles, 300 + 24 * (5 + 4 * tile));
    work.kernel.is_causal = true;
    assert_int_equal(cost_of(f.machine, &work).cycles, 300 + 24 * 5 + (24 * 5 + 6) * tile / 2);
    work.batch = 1;
    work.m = work.n = 256;
    int64_t causal = cost_of(f.machine, &work).cycles;
    work.kernel.is_causal = false;
    assert_int_equal(cost_of(f.machine, &work).cycles, causal);
    teardown(&f);
}

/* With a mask, and in f32: tiles of 64 x 64, of which a core with one block does not do more. */
static void test_attention_small(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    f.machine->gpu.attention_wide_start_cycles = whole(400);
    f.machine->gpu.attention_wide_cycles = whole(7);
    f.machine->gpu.attention_wide_latency_cycles = whole(9000);
    f.machine->gpu.attention_masked_start_cycles = whole(200);
    f.machine->gpu.attention_masked_cycles = whole(500);
    f.machine->gpu.attention_masked_latency_cycles = whole(1200);
    tacho_work work = product(64, 128, 80, TACHO_DTYPE_F16);
    work.k_window = 2;
    work.kernel.form = TACHO_FORM_ATTENTION;
    work.kernel.has_mask = true;
    assert_int_equal(cost_of(f.machine, &work).cycles, 200 + 2 * 1200);
    work.batch = 6; /* three on a core, two tiles of keys each */
    assert_int_equal(cost_of(f.machine, &work).cycles, 200 + 2 * 3 * 500);
    work.k_channels = 129;
    assert_int_equal(cost_of(f.machine, &work).cycles, 200 + 2 * 3 * 1000);
    /* In f32 heads of 80 are padded to 128: 64 x 64 x 128 x 2 at 100 in a cycle. */
    work = product(64, 128, 80, TACHO_DTYPE_F32);
    work.k_window = 2;
    work.kernel.form = TACHO_FORM_ATTENTION;
    assert_int_equal(cost_of(f.machine, &work).cycles, 400 + 2 * (7 + 10486));
    work.k_channels = 64;
    assert_int_equal(cost_of(f.machine, &work).cycles, 400 + 2 * 9000);
    work.batch = 4;
    assert_int_equal(cost_of(f.machine, &work).cycles, 400 + 2 * 2 * (7 + 5243));
    teardown(&f);
}

/* Convolutions: 3x3 in f16 converts data, weights and results unless it is alone. */
static void test_convolutions(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_work work = product(128, 128, 64, TACHO_DTYPE_F16);
    work.k_window = 9;
    work.kernel.form = TACHO_FORM_CONVOLUTION;
    work.kernel.plane = 128;
    tacho_op_cost alone = cost_of(f.machine, &work); /* two tiles of 128 x 64 */
    assert_int_equal(alone.cycles, 100 + 4719);
    /* 40 channels are done as 64, and each of 9 places is 3 more: 128 x 64 x 9 x 67. */
    f.machine->gpu.tensor_window.place_channels = whole(3);
    work.k_channels = 40;
    assert_int_equal(cost_of(f.machine, &work).cycles, 100 + 4940);
    work.k_channels = 64;
    f.machine->gpu.tensor_window.place_channels = whole(0);
    work.kernel.is_alone = false;
    tacho_op_cost inside = cost_of(f.machine, &work);
    int64_t copies = 3 * (20 + 50) + 128 * 64 / 2 + 128 * 128 / 2 + 64 * 128 / 2;
    assert_int_equal(inside.cycles, alone.cycles + 50 + copies);
    work.kernel.has_affine = true; /* 128 lines of 128 results */
    tacho_op_cost normalised = cost_of(f.machine, &work);
    assert_int_equal(normalised.cycles,
                     inside.cycles + 20 + 50 + 2 * 128 + 128 * 128 / 2 + 128 * 10 / 2);
    teardown(&f);
}

/* Three channels: tiles of 128 positions and so many results, one step for each of 49 places. */
static void test_few_channels(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_gpu *gpu = &f.machine->gpu;
    gpu->position_cycles = gpu->position_wide_cycles = whole(3);
    gpu->position_macs_per_cycle = whole(128);
    gpu->position_wide_macs_per_cycle = whole(64);
    tacho_work work = product(512, 64, 3, TACHO_DTYPE_F16); /* 4 tiles of 128 x 64: 2 waves */
    work.k_window = 49;
    work.kernel.form = TACHO_FORM_CONVOLUTION;
    work.kernel.plane = 512;
    work.kernel.stride = 4;
    assert_int_equal(cost_of(f.machine, &work).cycles, 100 + 2 * 49 * (3 + 64));
    tacho_work wide = product(512, 16, 3, TACHO_DTYPE_F32); /* 128 x 32, however few there are */
    wide.k_window = 49;
    wide.kernel = work.kernel;
    assert_int_equal(cost_of(f.machine, &wide).cycles, 100 + 2 * 49 * (3 + 64));
    /* Time never falls with the number of images, and many have a kernel that is faster. */
    int64_t before = 0;
    gpu->position_cycles = whole(3000);
    for (uint64_t images = 1; images <= 64; images++) {
        tacho_work more = product(512 * images, 64, 3, TACHO_DTYPE_F16);
        more.k_window = 49;
        more.kernel = work.kernel;
        int64_t cycles = cost_of(f.machine, &more).cycles;
        assert_true(cycles >= before);
        before = cycles;
    }
    assert_true(before < 64 * 49 * 2 * 3064);
    teardown(&f);
}

/* One channel each: multiplications, and every number that is read as four of them. */
static void test_groups(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_work work = product(100, 1, 1, TACHO_DTYPE_F32);
    work.batch = 10;
    work.k_window = 9;
    work.input.bytes = 10 * 100 * 4;
    work.kernel.form = TACHO_FORM_CONVOLUTION;
    work.kernel.plane = 100;
    /* 1000 results of 9 + 4 by 2 cores, 13 deep; the lines of the test's kernels take 10 each. */
    assert_int_equal(cost_of(f.machine, &work).cycles, 20 + 13 * 2 + 13000 / 2 + 1000 * 10 / 2);
    /* Groups of several channels in 32 bits are convolutions one after the other; of few, with
     * steps of their own: 4 tiles of 32 x 32 by 2 cores, 9 x 32 deep. */
    f.machine->gpu.group_step_cycles = whole(7);
    tacho_work one = product(100, 32, 32, TACHO_DTYPE_F32);
    one.k_window = 9;
    one.kernel = work.kernel;
    one.kernel.is_alone = false;
    tacho_work all = one;
    all.batch = 8;
    assert_int_equal(cost_of(f.machine, &all).cycles, 8 * (100 + 50 + 2 * 9 * 32 * 7));
    all.n = one.n = 33;
    assert_int_equal(cost_of(f.machine, &all).cycles, 8 * cost_of(f.machine, &one).cycles);
    teardown(&f);
}

/* No product is faster than the data sheet, and more of it takes no less time. */
static void test_peaks(void **state)
{
    (void)state;
    static const struct {
        tacho_dtype dtype;
        double peak; /* TFLOP/s */
    } types[] = {{TACHO_DTYPE_F16, 989.5},
                 {TACHO_DTYPE_BF16, 989.5},
                 {TACHO_DTYPE_F8E4M3, 1979.0},
                 {TACHO_DTYPE_F32, 67.0}};
    static const char *const names[] = {"h200", "h100"};
    for (size_t i = 0; i < 2; i++) {
        tacho_arena arena;
        tacho_arena_init(&arena);
        tacho_machine *machine = NULL;
        assert_null(tacho_machine_find(names[i], &arena, &machine));
        double hz = (double)machine->core_clock_hz.value.num;
        for (size_t j = 0; j < sizeof(types) / sizeof(types[0]); j++) {
            int64_t before = 0;
            for (uint64_t size = 64; size <= 32768; size *= 2) {
                tacho_work work = product(size, size, size, types[j].dtype);
                int64_t cycles = cost_of(machine, &work).cycles;
                double rate = 2e-12 * (double)(size * size * size) * hz / (double)cycles;
                assert_true(rate < types[j].peak && cycles > before);
                before = cycles;
            }
        }
        tacho_arena_deinit(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),        cmocka_unit_test(test_waves),
        cmocka_unit_test(test_kernels),         cmocka_unit_test(test_cache),
        cmocka_unit_test(test_attention),       cmocka_unit_test(test_causal_attention),
        cmocka_unit_test(test_attention_small), cmocka_unit_test(test_convolutions),
        cmocka_unit_test(test_peaks),           cmocka_unit_test(test_few_channels),
        cmocka_unit_test(test_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
