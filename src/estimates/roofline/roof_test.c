/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine of these tests is the built-in template: 8 cores at 1 GHz, each with one engine of
 * 512 bf16 or 1024 i8 multiply-adds a cycle, two of 32 bf16 elements, 64 bytes a cycle into the
 * first; 32 bytes a cycle of shared memory. Its default fidelity takes two passes.
 */
#include "estimates/roofline/roof.h"
#include "estimates/roofline/roofline.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_near(double value, double expected)
{
    assert_true(fabs(value - expected) <= 1e-9 * fabs(expected));
}

typedef struct fixture {
    tacho_arena arena;
    tacho_machine *machine;
    tacho_roof roof;
} fixture;

static int set_up(void **state)
{
    static fixture self;
    tacho_arena_init(&self.arena);
    assert_null(tacho_machine_find("template", &self.arena, &self.machine));
    tacho_roof_init(&self.roof, self.machine);
    *state = &self;
    return 0;
}

static int tear_down(void **state)
{
    fixture *self = *state;
    tacho_arena_deinit(&self->arena);
    return 0;
}

static const tacho_roof_work product = {
    .kind = TACHO_WORK_MATRIX, .dtype = TACHO_DTYPE_BF16, .has_operations = true};

static void test_ceilings_of_a_machine(void **state)
{
    const fixture *self = *state;
    const tacho_roof *roof = &self->roof;
    tacho_roof_work work = product;
    assert_near(tacho_roof_compute_rate(roof, &work), 4096e9); /* 2 * 512 * 8 / 2 */
    work.fidelity = tacho_machine_fidelity_find(self->machine, TACHO_STR("fast"));
    assert_near(tacho_roof_compute_rate(roof, &work), 8192e9); /* one pass */
    work.fidelity = 0;
    work.dtype = TACHO_DTYPE_I8;
    assert_near(tacho_roof_compute_rate(roof, &work), 8192e9);
    work.dtype = TACHO_DTYPE_F32; /* computed in bf16 */
    assert_near(tacho_roof_compute_rate(roof, &work), 4096e9);
    work.cores = 12; /* the device has half as many again */
    assert_near(tacho_roof_compute_rate(roof, &work), 6144e9);
    work = (tacho_roof_work){.kind = TACHO_WORK_VECTOR, .dtype = TACHO_DTYPE_BF16};
    assert_near(tacho_roof_compute_rate(roof, &work), 512e9); /* 32 * 2 * 8 */
    assert_near(tacho_roof_memory_rate(roof, TACHO_ROOF_SHARED), 32e9);
    assert_near(tacho_roof_memory_rate(roof, TACHO_ROOF_LOCAL), 512e9); /* 64 * 8 */
    assert_near(roof->near_bytes, 8 * (512 + 32) * 1024);
}

static void test_the_lowest_ceiling_decides(void **state)
{
    const fixture *self = *state;
    tacho_roof_work work = product;
    work.operations = 4096000;             /* 1 us */
    work.bytes[TACHO_ROOF_SHARED] = 16000; /* 0.5 us */
    tacho_roof_least least = tacho_roof_find_least(&self->roof, &work);
    assert_int_equal(least.bound, TACHO_ROOF_BY_COMPUTE);
    assert_near(least.ns, 1000);
    work.bytes[TACHO_ROOF_SHARED] = 64000; /* 2 us */
    least = tacho_roof_find_least(&self->roof, &work);
    assert_int_equal(least.bound, TACHO_ROOF_BY_MEMORY);
    assert_near(least.ns, 2000);
    assert_near(least.compute_ns, 1000);
    work.bytes[TACHO_ROOF_LOCAL] = 2048000; /* 4 us */
    least = tacho_roof_find_least(&self->roof, &work);
    assert_int_equal(least.bound, TACHO_ROOF_BY_LOCAL);
    assert_near(least.ns, 4000);
    work.has_operations = false;
    work.bytes[TACHO_ROOF_SHARED] = work.bytes[TACHO_ROOF_LOCAL] = 0;
    assert_int_equal(tacho_roof_find_least(&self->roof, &work).bound, TACHO_ROOF_BY_NONE);
}

static void test_ceilings_as_written(void **state)
{
    (void)state;
    tacho_roof roof;
    tacho_roof_work work = {.kind = TACHO_WORK_MATRIX, .dtype = TACHO_DTYPE_F16};
    assert_null(tacho_roof_parse(&roof, "f16=989.5TFLOP/s, i8=2 POP/s,HBM=4.8TB/s,L2=50MB"));
    assert_near(tacho_roof_compute_rate(&roof, &work), 989.5e12);
    work.dtype = TACHO_DTYPE_I8;
    assert_near(tacho_roof_compute_rate(&roof, &work), 2e15);
    work.dtype = TACHO_DTYPE_F32;
    assert_true(tacho_roof_compute_rate(&roof, &work) <= 0);
    assert_near(tacho_roof_memory_rate(&roof, TACHO_ROOF_SHARED), 4.8e12);
    assert_true(tacho_str_equal(roof.levels[TACHO_ROOF_SHARED], TACHO_STR("HBM")));
    assert_near(roof.near_bytes, 50e6);
    static const char *const wrong[] = {"",
                                        "f16",
                                        "f16=",
                                        "=1TB/s",
                                        "f16=989",
                                        "f16=TFLOP/s",
                                        "q9=1TFLOP/s",
                                        "HBM=-1TB/s",
                                        "HBM=0B/s",
                                        "f16=1e99TFLOP/s",
                                        "f16=1TFLOP",
                                        "a=1B/s,b=1B/s,c=1B/s",
                                        "f16=1TFLOP/s,,"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        tacho_status status = tacho_roof_parse(&roof, wrong[i]);
        assert_int_equal(tacho_status_code(status), TACHO_CODE_USAGE);
        tacho_status_free(status);
    }
}

/* ---- points ------------------------------------------------------------------------------ */

typedef struct seen {
    size_t rows;
    bool is_above[8], is_near[8]; /* or in fewer steps */
    double percent[8];
    char names[8];
} seen;

static tacho_status see_table(void *self, const tacho_table *table)
{
    seen *to = self;
    for (size_t i = 0; i < tacho_table_row_count(table) && i < 8; i++) {
        const tacho_cell *verdict =
            tacho_table_cell(table, i, tacho_table_column(table, TACHO_COL_VERDICT));
        to->is_above[i] = !verdict->is_absent &&
                          tacho_str_equal(verdict->value.text, TACHO_STR("above the roof"));
        to->is_near[i] = !verdict->is_absent && !to->is_above[i];
        to->percent[i] =
            tacho_table_cell(table, i, tacho_table_column(table, TACHO_COL_ROOF_PERCENT))
                ->value.real;
        to->names[i] = tacho_table_cell(table, i, tacho_table_column(table, TACHO_COL_OPERATOR))
                           ->value.text.data[0];
        to->rows = i + 1;
    }
    return TACHO_OK;
}

/* One execution at the roof takes 2,000 ns: 64,000 bytes of shared memory. */
static tacho_roof_point make_point(const char *name, tacho_origin origin, uint64_t count, double ns)
{
    tacho_roof_point point = {.file = TACHO_STR("f"),
                              .name = tacho_str_from_cstring(name),
                              .type = TACHO_STR(""),
                              .location = TACHO_STR(""),
                              .origin = origin,
                              .count = count,
                              .total_ns = ns,
                              .work = product};
    point.work.operations = 4096000;
    point.work.bytes[TACHO_ROOF_SHARED] = 64000;
    return point;
}

static void judge_all(const fixture *self, const tacho_roof_point *points, size_t count,
                      tacho_roofline_options options, seen *out_seen)
{
    tacho_roofline line;
    *out_seen = (seen){0};
    const tacho_table_taker taker = {see_table, out_seen};
    tacho_roofline_init(&line);
    for (size_t i = 0; i < count; i++) {
        tacho_roof_point point = points[i];
        assert_null(tacho_roofline_ensure_roof(&line, &self->roof, &point.roof));
        assert_null(tacho_roofline_add(&line, &point));
    }
    options.is_single = true;
    assert_null(tacho_roofline_write(&line, &options, &taker));
    tacho_roofline_deinit(&line);
}

static void test_points_above_the_roof(void **state)
{
    const fixture *self = *state;
    size_t above = 0;
    seen to;
    tacho_roof_point points[] = {
        make_point("a", TACHO_ORIGIN_ESTIMATED, 1, 2000),
        make_point("b", TACHO_ORIGIN_ESTIMATED, 1, 1999), /* each end is rounded */
        make_point("c", TACHO_ORIGIN_ESTIMATED, 1, 1998),
        make_point("d", TACHO_ORIGIN_MEASURED, 1, 1910), /* the clock may be 5 % higher */
        make_point("e", TACHO_ORIGIN_MEASURED, 1, 1890),
        make_point("f", TACHO_ORIGIN_MEASURED, 1, 1500),
        make_point("g", TACHO_ORIGIN_MEASURED, 1, 900),
        make_point("h", TACHO_ORIGIN_MEASURED, 1, 3000),
    };
    points[5].work.is_by_shapes = points[6].work.is_by_shapes = true; /* and fits near memory */
    /* 16 us of steps in 3 us: a function may take fewer steps */
    points[7].work.kind = TACHO_WORK_VECTOR;
    points[7].work.operations = 8192000;
    judge_all(self, points, 8,
              (tacho_roofline_options){.sort = TACHO_ROOFLINE_BY_NAME, .above_count = &above}, &to);
    assert_int_equal(to.rows, 8);
    static const bool is_above[] = {false, false, true, false, true, false, true, false};
    static const bool is_near[] = {false, false, false, false, false, true, false, true};
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(to.is_above[i], is_above[i]);
        assert_int_equal(to.is_near[i], is_near[i]); /* g also exceeds its compute ceiling */
    }
    assert_int_equal(above, 3);
    assert_near(to.percent[0], 100);
    assert_near(to.percent[4], 2000 / 1890.0 * 100);
}

static void test_equal_points_are_one(void **state)
{
    const fixture *self = *state;
    seen to;
    const tacho_roof_point points[] = {
        make_point("a", TACHO_ORIGIN_MEASURED, 1, 3000),
        make_point("b", TACHO_ORIGIN_MEASURED, 1, 9000),
        make_point("a", TACHO_ORIGIN_MEASURED, 2, 5000),
        make_point("a", TACHO_ORIGIN_ESTIMATED, 1, 2500),
    };
    judge_all(self, points, 4, (tacho_roofline_options){.sort = TACHO_ROOFLINE_BY_TIME}, &to);
    assert_int_equal(to.rows, 3);
    assert_memory_equal(to.names, "baa", 3);
    assert_near(to.percent[0], 2000 / 9000.0 * 100);
    assert_near(to.percent[1], 3 * 2000 / 8000.0 * 100);
    judge_all(self, points, 4, (tacho_roofline_options){.sort = TACHO_ROOFLINE_BY_ROOF, .top = 2},
              &to);
    assert_int_equal(to.rows, 2);
    assert_memory_equal(to.names, "ba", 2);
}

static void test_strict(void **state)
{
    const fixture *self = *state;
    tacho_roofline line;
    seen to = {0};
    const tacho_table_taker taker = {see_table, &to};
    const tacho_roofline_options options = {.is_strict = true, .is_single = true};
    tacho_roof_point point = make_point("a", TACHO_ORIGIN_MEASURED, 1, 1);
    tacho_roofline_init(&line);
    assert_null(tacho_roofline_ensure_roof(&line, &self->roof, &point.roof));
    assert_null(tacho_roofline_add(&line, &point));
    tacho_status status = tacho_roofline_write(&line, &options, &taker);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    assert_int_equal(to.rows, 0);
    tacho_status_free(status);
    tacho_roofline_deinit(&line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_ceilings_of_a_machine, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_lowest_ceiling_decides, set_up, tear_down),
        cmocka_unit_test(test_ceilings_as_written),
        cmocka_unit_test_setup_teardown(test_points_above_the_roof, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_equal_points_are_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_strict, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
