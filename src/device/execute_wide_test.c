/* SPDX-License-Identifier: Apache-2.0 */
/*
 * f16 and bf16 by fast kernels, which compute in f32, against reference kernels, which compute in
 * double: single operations to the bit, longer ones to two units of the last place of the largest
 * element. Steps that know only the short type stand between, before and after the others.
 */
#include "device/execute_fast_testing.h"

static const tacho_dtype dtypes[] = {TACHO_DTYPE_F16, TACHO_DTYPE_BF16};

/* Two units of the last place of elements below 4. */
static double close_to(tacho_dtype dtype)
{
    return dtype == TACHO_DTYPE_F16 ? 0x1p-8 : 0x1p-5;
}

static uint32_t short_number(fixture *f, tacho_dtype dtype, double value)
{
    uint16_t bits;
    tacho_array array = {.dtype = dtype, .shape = {0}, .data = &bits};
    tacho_write_reals(&array, 0, 1, &value);
    return constant(f, dtype, (tacho_shape){0}, &bits);
}

static void single_operations_are_exact(void **state)
{
    static const char *const pairs[] = {"Add", "Sub", "Mul", "Div", "Max"};
    static const char *const singles[] = {"Sqrt", "Abs", "Neg", "Relu"};
    (void)state;
    fixture f;
    uint64_t differing;
    for (size_t type = 0; type < 2; type++) {
        tacho_shape shape = {2, {33, 7}};
        for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
            begin(&f);
            uint32_t x = input(&f, dtypes[type], shape),
                     y = constant(&f, dtypes[type], shape, NULL);
            assert_true(compare(&f, step(&f, pairs[i], INPUTS(x, y), x), 0, &differing) == 0);
        }
        for (size_t i = 0; i < sizeof(singles) / sizeof(singles[0]); i++) {
            begin(&f);
            uint32_t x = input(&f, dtypes[type], shape);
            x = step(&f, "Abs", INPUTS(x), x);
            assert_true(compare(&f, step(&f, singles[i], INPUTS(x), x), 0, &differing) == 0);
        }
    }
}

static void products_are_close(void **state)
{
    (void)state;
    fixture f;
    uint64_t differing;
    for (size_t type = 0; type < 2; type++) {
        begin(&f);
        uint32_t x = input(&f, dtypes[type], (tacho_shape){2, {9, 24}});
        uint32_t w = constant(&f, dtypes[type], (tacho_shape){2, {24, 17}}, NULL);
        uint32_t y = made(&f, dtypes[type], (tacho_shape){2, {9, 17}});
        add_step(&f.program, 0, "MatMul", INPUTS(x, w), y);
        assert_true(compare(&f, step(&f, "Softmax", INPUTS(y), y), 0, &differing) <=
                    close_to(dtypes[type]));
        begin(&f);
        x = input(&f, dtypes[type], convs[0].data);
        w = constant(&f, dtypes[type], convs[0].filters, NULL);
        y = made(&f, dtypes[type], convs[0].out);
        add_window(&f, &convs[0]);
        add_step(&f.program, 0, "Conv", INPUTS(x, w), y);
        assert_true(compare(&f, step(&f, "Relu", INPUTS(y), y), 0, &differing) <=
                    close_to(dtypes[type]));
    }
}

/* A step without a twin reads and makes the short type: CumSum in the middle, and at the end. */
static void other_steps_stand_between(void **state)
{
    (void)state;
    fixture f;
    uint64_t differing;
    int64_t axis = 1;
    for (size_t type = 0; type < 2; type++) {
        for (int has_end = 0; has_end < 2; has_end++) {
            begin(&f);
            uint32_t x = input(&f, dtypes[type], (tacho_shape){2, {5, 6}});
            uint32_t along = constant(&f, TACHO_DTYPE_I64, (tacho_shape){0}, &axis);
            uint32_t a = step(&f, "Mul", INPUTS(x, x), x); /* read as it is, and by its twin */
            uint32_t b = step(&f, "CumSum", INPUTS(a, along), x);
            uint32_t c = step(&f, "Add", INPUTS(a, b), x);
            uint32_t d = step(&f, "Sub", INPUTS(c, x), x);
            d = has_end == 1 ? step(&f, "CumSum", INPUTS(d, along), x) : d;
            assert_true(compare(&f, d, 1 + (unsigned)has_end, &differing) <=
                        close_to(dtypes[type]));
        }
    }
}

/* f32 between: from a twin without a copy, and back with rounding. */
static void casts_round_once(void **state)
{
    (void)state;
    fixture f;
    uint64_t differing;
    for (size_t type = 0; type < 2; type++) {
        begin(&f);
        tacho_shape shape = {2, {11, 13}};
        uint32_t x = input(&f, dtypes[type], shape);
        uint32_t y = step(&f, "Mul", INPUTS(x, x), x);
        uint32_t wide = made(&f, TACHO_DTYPE_F32, shape), back = made(&f, dtypes[type], shape);
        add_step(&f.program, 0, "Cast", INPUTS(y), wide);
        wide = step(&f, "Mul", INPUTS(wide, number(&f, 1.2345f)), wide);
        add_step(&f.program, 0, "Cast", INPUTS(wide), back);
        assert_true(compare(&f, step(&f, "Add", INPUTS(back, x), x), 0, &differing) == 0);
    }
}

/* A program may leave out the one result of a step. */
static void results_may_be_absent(void **state)
{
    (void)state;
    fixture f;
    uint64_t differing;
    for (size_t type = 0; type < 2; type++) {
        begin(&f);
        uint32_t x = input(&f, dtypes[type], (tacho_shape){2, {5, 6}});
        add_step(&f.program, 0, "Cast", INPUTS(x), TACHO_NONE);
        assert_true(compare(&f, step(&f, "Mul", INPUTS(x, x), x), 0, &differing) == 0);
    }
}

/* A number out of f16's range is infinite in the next step, though f32 could hold it. */
static void large_numbers_become_infinite(void **state)
{
    (void)state;
    fixture f;
    tacho_execution_counts counts;
    begin(&f);
    uint32_t x = input(&f, TACHO_DTYPE_F16, (tacho_shape){1, {16}});
    for (size_t i = 0; i < 16; i++) {
        ((uint16_t *)f.input.data)[i] = i % 2 == 0 ? 0x5cb0 : 0x4900; /* 300, 10 */
    }
    uint32_t y = step(&f, "Mul", INPUTS(x, x), x);
    uint32_t shape = constant(&f, TACHO_DTYPE_I64, (tacho_shape){1, {1}}, &(int64_t){16});
    y = step(&f, "Reshape", INPUTS(y, shape), y);
    y = step(&f, "Mul", INPUTS(y, short_number(&f, TACHO_DTYPE_F16, 0.5)), y);
    add_all_ends(&f, y);
    tacho_array output = run(&f, TACHO_KERNELS_FAST, &counts);
    assert_true(isinf(element(&output, 0)));
    assert_true(element(&output, 1) == 50);
    free(output.data);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_operations_are_exact),
        cmocka_unit_test(products_are_close),
        cmocka_unit_test(other_steps_stand_between),
        cmocka_unit_test(casts_round_once),
        cmocka_unit_test(results_may_be_absent),
        cmocka_unit_test(large_numbers_become_infinite),
    };
    return cmocka_run_group_tests(tests, look_for_fast, NULL);
}
