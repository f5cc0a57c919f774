/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiles: shares that fit local memory and shares that do not, the use of more memory, and shares
 * too large for the machine.
 */
#include "compile/tile.h"

#include "compile/memory_check.h"

#include <stdio.h>

#include "compile/compile_testing.h"

/* A product of bytes whose operands and results are all moved. */
typedef struct test_product {
    tacho_access accesses[3];
    tacho_slots slots[3];
    tacho_range ranges[3];
    tacho_space space;
    tacho_tiling tiling;
} test_product;

static tacho_status tile_product(const tacho_tile_place *place, uint64_t m, uint64_t n, uint64_t k,
                                 test_product *p)
{
    const uint64_t sizes[] = {m, n, k};
    const tacho_axis_role roles[] = {TACHO_AXIS_ROW, TACHO_AXIS_COLUMN, TACHO_AXIS_SUM};
    const uint32_t axes[3][2] = {{0, 2}, {2, 1}, {0, 1}};
    *p = (test_product){.space = {.kind = TACHO_WORK_MATRIX, .axis_count = 3, .depth = 1}};
    for (size_t i = 0; i < 3; i++) {
        p->space.axes[i] = (tacho_axis){.role = roles[i], .size = sizes[i], .counted = sizes[i]};
        p->ranges[i] = (tacho_range){0, sizes[i]};
        p->slots[i].moves = true;
        p->accesses[i] = (tacho_access){
            .kept = TACHO_DTYPE_I8, .is_output = i == 2, .is_known = true, .rank = 2};
        p->accesses[i].bytes = sizes[axes[i][0]] * sizes[axes[i][1]];
        for (size_t d = 0; d < 2; d++) {
            p->accesses[i].reach[d] = tacho_reach_along(axes[i][d], sizes[axes[i][d]]);
        }
    }
    p->space.accesses = p->accesses;
    p->space.access_count = 3;
    tacho_space_mark_axes(&p->space);
    tacho_share share = {&p->space, p->ranges};
    return tacho_tile(place, &share, p->slots, &p->tiling);
}

static uint64_t slot_bytes(const test_product *p)
{
    uint64_t bytes = p->tiling.scratch_bytes;
    for (size_t i = 0; i < 3; i++) {
        bytes += p->slots[i].count * p->slots[i].bytes;
    }
    return bytes;
}

static void test_tiles(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "torq-sl2610");
    tacho_tile_place place = {.machine = f.machine,
                              .engine = &f.machine->engines[0],
                              .dtype = TACHO_DTYPE_I8,
                              .room_bytes = 512 * 1024};
    test_product p;
    const uint64_t *parts = p.tiling.parts;
    assert_null(tile_product(&place, 256, 512, 512, &p)); /* 128 + 256 + 128 KiB */
    assert_in_range(parts[0] * parts[1] * parts[2], 2, TACHO_TILES_MAX);
    assert_in_range(slot_bytes(&p), 1, place.room_bytes);
    assert_null(tile_product(&place, 4096, 128, 512, &p)); /* weights stay, rows pass */
    assert_true(parts[0] > 1 && parts[2] == 1);
    assert_true(p.slots[1].is_whole);
    assert_int_equal(p.slots[0].count, 2);
    assert_in_range(slot_bytes(&p), 1, place.room_bytes);
    /* An operand that fits is loaded once, though rows and columns are cut. */
    place.room_bytes = 200 * 1024;
    assert_null(tile_product(&place, 128, 1024, 1024, &p));
    assert_true(p.slots[0].is_whole);
    assert_int_equal(p.slots[0].bytes, 128 * 1024);
    assert_in_range(slot_bytes(&p), 1, place.room_bytes);
    place.room_bytes = 5; /* two of each operand, which has one element, and a result */
    tacho_status status = tile_product(&place, 8, 8, 1, &p);
    assert_non_null(status);
    assert_string_equal(tacho_status_message(status),
                        "its smallest tile needs 6 bytes of local memory, and 5 are free");
    tacho_status_free(status);
    place.room_bytes = 512 * 1024;
    status = tile_product(&place, 1 << 20, 1 << 20, 1 << 20, &p);
    assert_non_null(status);
    assert_string_equal(tacho_status_message(status),
                        "it takes more than 65536 tiles to fit 524288 bytes of local memory; give "
                        "smaller sizes, or a machine with more local memory");
    tacho_status_free(status);
    tacho_graph_deinit(&f.graph);
    tacho_arena_deinit(&f.arena);
}

/*
 * Cuts that do not divide evenly, in 4 KiB: each is the best by less than a cycle of transfers,
 * which round up. Rounded down, other cuts seem to be as good (4 x 16, 4 x 8), as they do where
 * padding is not counted (1 x 40 x 16).
 */
static void test_uneven_tiles_round_up(void **state)
{
    (void)state;
    static const uint64_t cases[][2][3] = {
        {{24, 161, 23}, {2, 32, 1}},
        {{58, 55, 75}, {4, 55, 1}},
        {{17, 40, 234}, {1, 1, 64}},
    };
    fixture f;
    begin(&f, "torq-sl2610");
    tacho_tile_place place = {.machine = f.machine,
                              .engine = &f.machine->engines[0],
                              .dtype = TACHO_DTYPE_I8,
                              .room_bytes = 4 * 1024};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        test_product p;
        const uint64_t *sizes = cases[i][0];
        assert_null(tile_product(&place, sizes[0], sizes[1], sizes[2], &p));
        for (size_t axis = 0; axis < 3; axis++) {
            assert_int_equal(p.tiling.parts[axis], cases[i][1][axis]);
        }
        assert_in_range(slot_bytes(&p), 1, place.room_bytes);
    }
    tacho_graph_deinit(&f.graph);
    tacho_arena_deinit(&f.arena);
}

/* The failure names the operator, the number of bytes and the memory. */
static void test_too_large(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "torq-sl2610");
    tacho_memory *memory = &f.machine->memories[0];
    assert_int_equal(memory->kind, TACHO_MEMORY_LOCAL);
    memory->size_bytes.value = (tacho_ratio){2, 1};
    uint32_t x = add_input(&f, TACHO_DTYPE_I8, TEST_DIMS(64, 64));
    uint32_t w = test_constant(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(64, 64));
    uint32_t y = test_tensor(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(64, 64));
    TEST_NODE(&f.graph, "MatMul", y, x, w);
    add_output(&f, y);
    assert_null(tacho_fusion_init(&f.fusion, &f.graph));
    tacho_status status = tacho_compile_program(&f.fusion, f.machine, &(tacho_compile_options){0},
                                                &f.estimate, &f.program);
    assert_non_null(status);
    assert_string_equal(tacho_status_message(status),
                        "its smallest tile needs 9 bytes of local memory, and 2 are free");
    assert_string_equal(tacho_status_note(status, 0),
                        "node 0 'n0' (MatMul) of m does not fit LRAM of torq-sl2610");
    tacho_status_free(status);
    end(&f);
}

static tacho_status compile_outer(fixture *self, int64_t rows, bool has_values)
{
    begin(self, "torq-sl2610");
    uint32_t x = add_input(self, TACHO_DTYPE_I8, TEST_DIMS(rows, 1));
    uint32_t w = add_input(self, TACHO_DTYPE_I8, TEST_DIMS(1, 65536));
    uint32_t y = test_tensor(&self->graph, TACHO_DTYPE_I8, TEST_DIMS(rows, 65536));
    TEST_NODE(&self->graph, "MatMul", y, x, w);
    add_output(self, y);
    assert_null(tacho_fusion_init(&self->fusion, &self->graph));
    tacho_compile_options options = {.has_values = has_values};
    return tacho_compile_program(&self->fusion, self->machine, &options, &self->estimate,
                                 &self->program);
}

/* 4 GiB of shared memory: a program's tensors fit it, to the byte; an estimate only reports it. */
static void test_shared_memory(void **state)
{
    (void)state;
    fixture f;
    assert_null(compile_outer(&f, 65534, true));
    assert_int_equal(f.program.facts.ddr_bytes, UINT64_C(65534) * 65536 + 65534 + 65536);
    assert_null(tacho_memory_check(&f.estimate, &f.program));
    end(&f);
    assert_null(compile_outer(&f, 65535, false));
    tacho_status status = tacho_memory_check(&f.estimate, &f.program);
    assert_non_null(status);
    tacho_status_free(status);
    end(&f);
    status = compile_outer(&f, 65535, true);
    assert_non_null(status);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_LIMIT);
    assert_string_equal(tacho_status_message(status),
                        "its tensors need 4295032831 bytes of XRAM, and torq-sl2610 has "
                        "4294967296; the largest is 't2' with 4294901760; give smaller sizes");
    tacho_status_free(status);
    end(&f);
}

/* An operator too large for shared memory is reported before it is cut. */
static void test_operator_memory(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "torq-sl2610");
    uint32_t x = add_input(&f, TACHO_DTYPE_I8, TEST_DIMS(1 << 17, 1 << 17));
    uint32_t w = add_input(&f, TACHO_DTYPE_I8, TEST_DIMS(1 << 17, 1 << 16));
    uint32_t y = test_tensor(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(1 << 17, 1 << 16));
    TEST_NODE(&f.graph, "MatMul", y, x, w);
    add_output(&f, y);
    assert_null(tacho_fusion_init(&f.fusion, &f.graph));
    tacho_compile_options options = {.has_values = true};
    tacho_status status =
        tacho_compile_program(&f.fusion, f.machine, &options, &f.estimate, &f.program);
    assert_non_null(status);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_LIMIT);
    assert_string_equal(tacho_status_message(status),
                        "its tensors need 34359738368 bytes of XRAM, and torq-sl2610 has "
                        "4294967296; the largest is 't0' with 17179869184; give smaller sizes");
    assert_string_equal(tacho_status_note(status, 0), "node 0 'n0' (MatMul) alone is that large");
    tacho_status_free(status);
    end(&f);
}

/* Tiles of one element, of which one core's share has too many: more cores do not mind. */
static void test_fewer_do_not_fit(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "aic100");
    assert_int_equal(f.machine->memories[0].kind, TACHO_MEMORY_LOCAL);
    f.machine->memories[0].size_bytes.value = (tacho_ratio){12, 1};
    uint32_t x = add_input(&f, TACHO_DTYPE_I8, TEST_DIMS(64, 32));
    uint32_t w = test_constant(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(32, 64));
    uint32_t y = test_tensor(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(64, 64));
    TEST_NODE(&f.graph, "MatMul", y, x, w);
    add_output(&f, y);
    assert_int_equal(64 * 32 * 64, 2 * TACHO_TILES_LIMIT);
    compile(&f, &(tacho_compile_options){.cores = 2});
    assert_int_equal(f.program.facts.core_count, 2);
    tacho_estimate_deinit(&f.estimate);
    tacho_program_deinit(&f.program);
    tacho_status status = tacho_compile_program(
        &f.fusion, f.machine, &(tacho_compile_options){.cores = 1}, &f.estimate, &f.program);
    assert_non_null(status);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_LIMIT);
    tacho_status_free(status);
    end(&f);
}

static int64_t torq_cycles(const char *type, int64_t rows, int64_t columns, int64_t depth)
{
    fixture f;
    begin(&f, "torq-sl2610");
    uint32_t x = add_input(&f, TACHO_DTYPE_I8, (int64_t[]){rows, depth > 0 ? depth : columns, 0});
    uint32_t y = test_tensor(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(rows, columns));
    if (depth > 0) {
        uint32_t w = test_constant(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(depth, columns));
        TEST_NODE(&f.graph, type, y, x, w);
    } else {
        TEST_NODE(&f.graph, type, y, x);
    }
    add_output(&f, y);
    compile(&f, &(tacho_compile_options){.has_values = false});
    int64_t cycles = f.program.facts.total_cycles;
    assert_int_equal(f.estimate.cycles, cycles);
    end(&f);
    return cycles;
}

/* More bytes never take less. */
static void check_grows(const char *type, int64_t first, int64_t last, int64_t step,
                        int64_t columns, int64_t depth)
{
    int64_t before = 0;
    for (int64_t rows = first; rows <= last; rows += step) {
        int64_t cycles = torq_cycles(type, rows, columns, depth);
        if (cycles < before) {
            fail_msg("%s of %d x %d x %d: %d cycles, with less %d", type, (int)rows, (int)columns,
                     (int)depth, (int)cycles, (int)before);
        }
        before = cycles;
    }
}

/* Local memory of 512 KiB: shares that fit, that fit with second buffers, and that do not. */
static void test_torq_border(void **state)
{
    (void)state;
    check_grows("Relu", 200, 300, 2, 1024, 0);
    check_grows("Relu", 250, 262, 1, 1000, 0);
    check_grows("Relu", 1, 64, 1, 64, 0);
    check_grows("Relu", 960, 1088, 16, 1024, 0);
    check_grows("Softmax", 200, 300, 4, 1024, 0);
    check_grows("MatMul", 64, 2048, 64, 256, 256);
    check_grows("MatMul", 1, 40, 1, 384, 1024);
    check_grows("Fancy", 200, 300, 4, 1024, 0);
}

/* Cycles with so much local memory; a job's bytes go through its buffer, tile by tile. */
static int64_t cycles_with(int64_t kib, int64_t rows, int64_t depth, int64_t columns)
{
    fixture f;
    begin(&f, "torq-sl2610");
    f.machine->memories[0].size_bytes.value = (tacho_ratio){kib * 1024, 1};
    uint32_t x = add_input(&f, TACHO_DTYPE_BF16, (int64_t[]){rows, depth, 0});
    uint32_t w = test_constant(&f.graph, TACHO_DTYPE_BF16, TEST_DIMS(depth, columns));
    uint32_t y = test_tensor(&f.graph, TACHO_DTYPE_BF16, TEST_DIMS(rows, columns));
    TEST_NODE(&f.graph, "MatMul", y, x, w);
    add_output(&f, y);
    compile(&f, &(tacho_compile_options){.has_values = false});
    int64_t cycles = f.program.facts.total_cycles;
    for (size_t i = 0; i < f.program.job_count; i++) {
        const tacho_job *job = &f.program.jobs[i];
        bool is_moved = job->kind == TACHO_JOB_LOAD || job->kind == TACHO_JOB_STORE;
        assert_true(!is_moved || job->bytes <= f.program.buffers[job->buffer].bytes);
    }
    end(&f);
    return cycles;
}

/*
 * More local memory is not slower, except for the compiler's preference for fewer tiles: little
 * memory forces many, whose first load and last store are short; where 64 are enough, it adds
 * more only for a gain of one part in 64.
 */
static void test_more_memory(void **state)
{
    (void)state;
    static const int64_t products[][3] = {
        {12544, 147, 64}, {3136, 576, 64}, {49, 4608, 512}, {512, 2048, 2048}, {1, 512, 1000}};
    for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++) {
        int64_t before = INT64_MAX / 2;
        int64_t least = INT64_MAX / 2;
        for (int64_t kib = 16; kib <= 4096; kib += kib / 2) {
            int64_t cycles = cycles_with(kib, products[i][0], products[i][1], products[i][2]);
            least = cycles < least ? cycles : least;
            if (cycles - cycles / 64 > before || cycles - cycles / 32 > least) {
                fail_msg("product %zu, %d KiB: %d cycles, with less %d", i, (int)kib, (int)cycles,
                         (int)before);
            }
            before = cycles;
        }
    }
}

/* Columns are not cut through: a tile's weights are in its buffer, and are all that it uses. */
static void test_whole_columns(void **state)
{
    (void)state;
    enum { ROWS = 8, DEPTH = 1280, COLUMNS = 1001 };
    fixture f;
    begin(&f, "torq-sl2610");
    uint32_t x = add_input(&f, TACHO_DTYPE_I8, TEST_DIMS(ROWS, DEPTH));
    uint32_t w = test_constant(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(DEPTH, COLUMNS));
    uint32_t y = test_tensor(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(ROWS, COLUMNS));
    TEST_NODE(&f.graph, "MatMul", y, x, w);
    add_output(&f, y);
    compile(&f, &(tacho_compile_options){.has_values = false});
    uint64_t weights[TACHO_TILES_MAX] = {0};
    uint64_t macs[TACHO_TILES_MAX] = {0};
    uint64_t results[TACHO_TILES_MAX] = {0};
    for (size_t i = 0; i < f.program.job_count; i++) {
        const tacho_job *job = &f.program.jobs[i];
        bool is_load = job->kind == TACHO_JOB_LOAD;
        bool is_weights =
            is_load && f.program.tensors[f.program.regions[job->first_region].tensor].storage >=
                           TACHO_STORAGE_BYTES;
        weights[job->tile] += is_weights ? job->bytes : 0;
        macs[job->tile] += job->macs;
        results[job->tile] += job->kind == TACHO_JOB_STORE ? job->bytes : 0;
        assert_true(job->kind == TACHO_JOB_COMPUTE ||
                    job->bytes <= f.program.buffers[job->buffer].bytes);
    }
    uint64_t all = 0;
    for (size_t i = 0; i < TACHO_TILES_MAX; i++) {
        uint64_t columns = results[i] / ROWS;
        assert_int_equal(weights[i], columns * DEPTH);
        assert_int_equal(macs[i], columns * DEPTH * ROWS);
        assert_int_equal(results[i], columns * ROWS);
        all += columns;
    }
    assert_int_equal(all, COLUMNS);
    end(&f);
}

/* Where local memory is a cache, a share that does not fit it is cut all the same. */
static void test_cache(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "torq-sl2610");
    tacho_tile_place place = {.machine = f.machine,
                              .engine = &f.machine->engines[0],
                              .dtype = TACHO_DTYPE_I8,
                              .room_bytes = 6};
    test_product p;
    assert_null(tile_product(&place, 8, 8, 1, &p));
    assert_in_range(slot_bytes(&p), 1, 6);
    place.spills = true;
    assert_null(tile_product(&place, 8, 8, 1, &p)); /* it fits: no more is taken */
    assert_in_range(slot_bytes(&p), 1, 6);
    place.room_bytes = 5;
    assert_null(tile_product(&place, 8, 8, 1, &p));
    assert_in_range(slot_bytes(&p), 6, UINT64_MAX);
    tacho_graph_deinit(&f.graph);
    tacho_arena_deinit(&f.arena);
}

/* A computer runs what exceeds its cache and its memory; its buffers are within the program's. */
static void test_computer(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "host-cpu");
    assert_true(tacho_machine_is_computer(f.machine));
    for (size_t i = 0; i < f.machine->memory_count; i++) {
        f.machine->memories[i].size_bytes.value = (tacho_ratio){2, 1};
    }
    uint32_t x = add_input(&f, TACHO_DTYPE_I8, TEST_DIMS(64, 64));
    uint32_t w = test_constant(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(64, 64));
    uint32_t y = test_tensor(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(64, 64));
    TEST_NODE(&f.graph, "MatMul", y, x, w);
    add_output(&f, y);
    compile(&f, &(tacho_compile_options){.has_values = true});
    assert_true(f.program.facts.local_bytes > 2);
    end(&f);
}

/* The most that a load of a resampling brings, of |in| x |in| numbers. */
static uint64_t largest_load(int64_t in, tacho_attr attr)
{
    fixture f;
    begin(&f, "torq-sl2610");
    uint32_t x = add_input(&f, TACHO_DTYPE_BF16, TEST_DIMS(1, 1, in, in));
    uint32_t y = test_tensor(&f.graph, TACHO_DTYPE_BF16, TEST_DIMS(1, 1, 2 * in, 2 * in));
    test_node(&f.graph, "Resize", (const uint32_t[]){x, TACHO_NONE}, y, &attr);
    add_output(&f, y);
    compile(&f, &(tacho_compile_options){.has_values = false});
    uint64_t most = 0;
    for (size_t i = 0; i < f.program.job_count; i++) {
        const tacho_job *job = &f.program.jobs[i];
        most = job->kind == TACHO_JOB_LOAD && job->bytes > most ? job->bytes : most;
    }
    end(&f);
    return most;
}

/* Rows of a picture are read with their neighbours, and not the whole of it: 2 MiB do not fit. */
static void test_resampled_rows(void **state)
{
    static const tacho_attr cubic = {.name = TACHO_STR_INIT("mode"),
                                     .kind = TACHO_ATTR_TEXT,
                                     .value.as_text = TACHO_STR_INIT("cubic")};
    static const tacho_attr region = {.name = TACHO_STR_INIT("coordinate_transformation_mode"),
                                      .kind = TACHO_ATTR_TEXT,
                                      .value.as_text = TACHO_STR_INIT("tf_crop_and_resize")};
    (void)state;
    assert_in_range(largest_load(1024, cubic), 1, 512 * 1024);
    assert_in_range(largest_load(256, cubic), 1, 256 * 256 * 2 - 1);
    assert_int_equal(largest_load(256, region), 256 * 256 * 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cache),
        cmocka_unit_test(test_computer),
        cmocka_unit_test(test_resampled_rows),
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_uneven_tiles_round_up),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_shared_memory),
        cmocka_unit_test(test_fewer_do_not_fit),
        cmocka_unit_test(test_torq_border),
        cmocka_unit_test(test_more_memory),
        cmocka_unit_test(test_whole_columns),
        cmocka_unit_test(test_operator_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
