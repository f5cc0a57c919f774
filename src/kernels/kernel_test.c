/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of reference kernels: types, broadcasting, negative axes, tensors of no size, and the
 * divisions of integers.
 */
#include "kernels/kernel_testing.h"

#include "kernels/slice.h"
#include "kernels/walk.h"

static void test_arithmetic(void **state)
{
    (void)state;
    const tacho_array *column = ARRAY(I64, SHAPE(2, 1), 10, -20);
    const tacho_array *row = ARRAY(I64, SHAPE(3), 1, 2, 3);
    check(&(trial){.name = "Add", .inputs = {column, row}},
          ARRAY(I64, SHAPE(2, 3), 11, 12, 13, -19, -18, -17));
    check(&(trial){.name = "Sub", .inputs = {row, column}},
          ARRAY(I64, SHAPE(2, 3), -9, -8, -7, 21, 22, 23));
    check(&(trial){.name = "Mul", .inputs = {ARRAY(I8, SHAPE(2), 100, -128), ARRAY(I8, SCALAR, 2)}},
          ARRAY(I8, SHAPE(2), -56, 0));
    check(&(trial){.name = "Add", .inputs = {ARRAY(I64, SHAPE(0, 3), 0), row}},
          ARRAY(I64, SHAPE(0, 3), 0));
    check(&(trial){.name = "Div",
                   .inputs = {ARRAY(I64, SHAPE(4), 7, -7, 7, INT64_MIN),
                              ARRAY(I64, SHAPE(4), 2, 2, -2, -1)}},
          ARRAY(I64, SHAPE(4), 3, -3, -3, INT64_MIN));
    check(&(trial){.name = "Div",
                   .inputs = {ARRAY(U64, SHAPE(1), UINT64_MAX), ARRAY(U64, SHAPE(1), 2)}},
          ARRAY(U64, SHAPE(1), UINT64_MAX / 2));
    check(&(trial){.name = "Mod",
                   .inputs = {ARRAY(I32, SHAPE(4), 7, -7, 7, -7),
                              ARRAY(I32, SHAPE(4), 3, 3, -3, -3)}},
          ARRAY(I32, SHAPE(4), 1, 2, -2, -1));
    check(&(trial){.name = "Mod",
                   .inputs = {ARRAY(I32, SHAPE(2), -7, 7), ARRAY(I32, SHAPE(2), 3, -3)},
                   .attrs = {INT("fmod", 1)}},
          ARRAY(I32, SHAPE(2), -1, 1));
    check(&(trial){.name = "Mod",
                   .inputs = {ARRAY(F32, SHAPE(1), -7.5f), ARRAY(F32, SHAPE(1), 2)},
                   .attrs = {INT("fmod", 1)}},
          ARRAY(F32, SHAPE(1), -1.5f));
    check(&(trial){.name = "Div",
                   .inputs = {ARRAY(F32, SHAPE(3), 1, -1, 1), ARRAY(F32, SHAPE(3), 3, 0, 0.1f)}},
          ARRAY(F32, SHAPE(3), 1.0f / 3, -INFINITY, 1.0f / 0.1f));
    check(&(trial){.name = "Max",
                   .inputs = {ARRAY(F32, SHAPE(3), 1, 5, 3), ARRAY(F32, SHAPE(1), 2),
                              ARRAY(F32, SHAPE(3), 0, 0, 9)}},
          ARRAY(F32, SHAPE(3), 2, 5, 9));
    check(&(trial){.name = "Min", .inputs = {row}}, row);
    check(&(trial){.name = "Min", .inputs = {ARRAY(U8, SHAPE(2), 200, 3), ARRAY(U8, SCALAR, 100)}},
          ARRAY(U8, SHAPE(2), 100, 3));
    check(&(trial){.name = "Sum", .inputs = {row, row, row}}, ARRAY(I64, SHAPE(3), 3, 6, 9));
    /* f16: 1, 0.5 -> 1.5; the greatest and itself -> infinity; bf16: 1 + 2^-9 is a tie to 1. */
    check(&(trial){.name = "Add",
                   .inputs = {ARRAY(F16, SHAPE(2), 0x3c00, 0x7bff),
                              ARRAY(F16, SHAPE(2), 0x3800, 0x7bff)}},
          ARRAY(F16, SHAPE(2), 0x3e00, 0x7c00));
    check(&(trial){.name = "Add",
                   .inputs = {ARRAY(BF16, SHAPE(1), 0x3f80), ARRAY(BF16, SHAPE(1), 0x3b80)}},
          ARRAY(BF16, SHAPE(1), 0x3f80));
    check_failure(&(trial){.name = "Div", .inputs = {row, ARRAY(I64, SCALAR, 0)}}, TACHO_DTYPE_I64,
                  SHAPE(3), TACHO_CODE_BAD_DATA);
    check_failure(&(trial){.name = "Add", .inputs = {row, ARRAY(I64, SHAPE(2), 0, 0)}},
                  TACHO_DTYPE_I64, SHAPE(3), TACHO_CODE_BAD_DATA);
    check_failure(&(trial){.name = "Add", .inputs = {row, row}}, TACHO_DTYPE_C64, SHAPE(3),
                  TACHO_CODE_UNSUPPORTED);
}

static void test_unary(void **state)
{
    (void)state;
    const tacho_array *reals = ARRAY(F32, SHAPE(4), -1.5f, 2.5f, -0.5f, 4);
    check(&(trial){.name = "Ceil", .inputs = {reals}}, ARRAY(F32, SHAPE(4), -1, 3, -0.0f, 4));
    check(&(trial){.name = "Floor", .inputs = {reals}}, ARRAY(F32, SHAPE(4), -2, 2, -1, 4));
    check(&(trial){.name = "Round", .inputs = {reals}}, ARRAY(F32, SHAPE(4), -2, 2, -0.0f, 4));
    check(&(trial){.name = "Abs", .inputs = {reals}}, ARRAY(F32, SHAPE(4), 1.5f, 2.5f, 0.5f, 4));
    check(&(trial){.name = "Neg", .inputs = {ARRAY(I8, SHAPE(2), -128, 5)}},
          ARRAY(I8, SHAPE(2), -128, -5));
    check(&(trial){.name = "Sign", .inputs = {reals}}, ARRAY(F32, SHAPE(4), -1, 1, -1, 1));
    check(&(trial){.name = "Sqrt", .inputs = {ARRAY(F64, SHAPE(2), 2, 9)}},
          ARRAY(F64, SHAPE(2), sqrt(2), 3));
    check(&(trial){.name = "Reciprocal", .inputs = {reals}},
          ARRAY(F32, SHAPE(4), 1 / -1.5f, 0.4f, -2, 0.25f));
    check_failure(&(trial){.name = "Sqrt", .inputs = {ARRAY(I64, SHAPE(1), 4)}}, TACHO_DTYPE_I64,
                  SHAPE(1), TACHO_CODE_UNSUPPORTED);
}

static void test_compare(void **state)
{
    (void)state;
    const tacho_array *a = ARRAY(I32, SHAPE(2, 1), -1, 2), *b = ARRAY(I32, SHAPE(2), -1, 3);
    const tacho_array *nan = ARRAY(F32, SHAPE(1), NAN), *one = ARRAY(F32, SHAPE(1), 1);
    check(&(trial){.name = "Equal", .inputs = {a, b}}, ARRAY(BOOL, SHAPE(2, 2), 1, 0, 0, 0));
    check(&(trial){.name = "Less", .inputs = {a, b}}, ARRAY(BOOL, SHAPE(2, 2), 0, 1, 0, 1));
    check(&(trial){.name = "LessOrEqual", .inputs = {a, b}}, ARRAY(BOOL, SHAPE(2, 2), 1, 1, 0, 1));
    check(&(trial){.name = "Greater", .inputs = {a, b}}, ARRAY(BOOL, SHAPE(2, 2), 0, 0, 1, 0));
    check(&(trial){.name = "GreaterOrEqual", .inputs = {a, b}},
          ARRAY(BOOL, SHAPE(2, 2), 1, 0, 1, 0));
    check(&(trial){.name = "GreaterOrEqual", .inputs = {nan, one}}, ARRAY(BOOL, SHAPE(1), 0));
    check(&(trial){.name = "Equal", .inputs = {nan, nan}}, ARRAY(BOOL, SHAPE(1), 0));
    check(&(trial){.name = "Less",
                   .inputs = {ARRAY(U64, SHAPE(1), 1), ARRAY(U64, SHAPE(1), UINT64_MAX)}},
          ARRAY(BOOL, SHAPE(1), 1));
    const tacho_array *p = ARRAY(BOOL, SHAPE(4), 0, 0, 1, 1),
                      *q = ARRAY(BOOL, SHAPE(4), 0, 1, 0, 1);
    check(&(trial){.name = "And", .inputs = {p, q}}, ARRAY(BOOL, SHAPE(4), 0, 0, 0, 1));
    check(&(trial){.name = "Or", .inputs = {p, q}}, ARRAY(BOOL, SHAPE(4), 0, 1, 1, 1));
    check(&(trial){.name = "Xor", .inputs = {p, q}}, ARRAY(BOOL, SHAPE(4), 0, 1, 1, 0));
    check(&(trial){.name = "Not", .inputs = {p}}, ARRAY(BOOL, SHAPE(4), 1, 1, 0, 0));
    check(&(trial){.name = "Where",
                   .inputs = {ARRAY(BOOL, SHAPE(2, 1), 1, 0), b, ARRAY(I32, SCALAR, 9)}},
          ARRAY(I32, SHAPE(2, 2), -1, 3, 9, 9));
}

static void test_cast(void **state)
{
    (void)state;
    const tacho_array *reals = ARRAY(F32, SHAPE(5), -1.9f, 300, NAN, 0.5f, -INFINITY);
    check(&(trial){.name = "Cast", .inputs = {reals}},
          ARRAY(I64, SHAPE(5), -1, 300, 0, 0, INT64_MIN));
    check(&(trial){.name = "Cast", .inputs = {reals}}, ARRAY(U8, SHAPE(5), 0, 255, 0, 0, 0));
    check(&(trial){.name = "Cast", .inputs = {reals}}, ARRAY(I8, SHAPE(5), -1, 127, 0, 0, -128));
    check(&(trial){.name = "Cast", .inputs = {reals}}, ARRAY(BOOL, SHAPE(5), 1, 1, 1, 1, 1));
    check(&(trial){.name = "Cast", .inputs = {reals}},
          ARRAY(F16, SHAPE(5), 0xbf9a, 0x5cb0, 0x7e00, 0x3800, 0xfc00));
    check(
        &(trial){.name = "Cast", .inputs = {ARRAY(F16, SHAPE(4), 0x0001, 0x7c00, 0xc000, 0x03ff)}},
        ARRAY(F32, SHAPE(4), 0x1p-24f, INFINITY, -2, 0x3ffp-24f));
    check(&(trial){.name = "Cast", .inputs = {ARRAY(F32, SHAPE(3), 0x1p-25f, 0x1.8p-25f, 65520)}},
          ARRAY(F16, SHAPE(3), 0x0000, 0x0001, 0x7c00));
    check(&(trial){.name = "Cast", .inputs = {ARRAY(I32, SHAPE(2), 300, -1)}},
          ARRAY(U8, SHAPE(2), 44, 255));
    check(&(trial){.name = "Cast", .inputs = {ARRAY(U64, SHAPE(1), UINT64_MAX)}},
          ARRAY(F64, SHAPE(1), 0x1p64));
    /* Halfway after rounding to double, past it in truth. */
    check(&(trial){.name = "Cast", .inputs = {ARRAY(I64, SHAPE(1), (1LL << 60) + (1LL << 36) + 1)}},
          ARRAY(F32, SHAPE(1), 0x1.000002p60f));
    check_failure(&(trial){.name = "Cast", .inputs = {reals}}, TACHO_DTYPE_STRING, SHAPE(5),
                  TACHO_CODE_UNSUPPORTED);
}

static void test_move(void **state)
{
    (void)state;
    const tacho_array *x = ARRAY(I32, SHAPE(2, 3), 1, 2, 3, 4, 5, 6);
    check(&(trial){.name = "Reshape", .inputs = {x}}, ARRAY(I32, SHAPE(6), 1, 2, 3, 4, 5, 6));
    check(&(trial){.name = "Identity", .inputs = {ARRAY(I32, SHAPE(0), 0)}},
          ARRAY(I32, SHAPE(0), 0));
    check(&(trial){.name = "Transpose", .inputs = {x}}, ARRAY(I32, SHAPE(3, 2), 1, 4, 2, 5, 3, 6));
    check(&(trial){.name = "Transpose",
                   .inputs = {ARRAY(I8, SHAPE(2, 1, 3), 1, 2, 3, 4, 5, 6)},
                   .attrs = {INTS("perm", 1, 2, 0)}},
          ARRAY(I8, SHAPE(1, 3, 2), 1, 4, 2, 5, 3, 6));
    check(&(trial){.name = "Expand", .inputs = {ARRAY(I32, SHAPE(2, 1), 1, 2)}},
          ARRAY(I32, SHAPE(2, 2, 2), 1, 1, 2, 2, 1, 1, 2, 2));
    check(&(trial){.name = "Tile", .inputs = {x}},
          ARRAY(I32, SHAPE(2, 6), 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6));
    check(&(trial){.name = "Concat",
                   .inputs = {x, ARRAY(I32, SHAPE(2, 1), 7, 8)},
                   .attrs = {INT("axis", -1)}},
          ARRAY(I32, SHAPE(2, 4), 1, 2, 3, 7, 4, 5, 6, 8));
    check(&(trial){.name = "Concat",
                   .inputs = {ARRAY(I32, SHAPE(0, 3), 0), x},
                   .attrs = {INT("axis", 0)}},
          x);
    check(&(trial){.name = "Gather",
                   .inputs = {x, ARRAY(I64, SHAPE(2), 2, -3)},
                   .attrs = {INT("axis", 1)}},
          ARRAY(I32, SHAPE(2, 2), 3, 1, 6, 4));
    check(&(trial){.name = "Gather", .inputs = {x, ARRAY(I32, SCALAR, -1)}},
          ARRAY(I32, SHAPE(3), 4, 5, 6));
    check(&(trial){.name = "Slice",
                   .inputs = {x, ARRAY(I64, SHAPE(2), -1, -1), ARRAY(I64, SHAPE(2), INT64_MIN, 0),
                              ARRAY(I64, SHAPE(2), 0, 1), ARRAY(I64, SHAPE(2), -1, -2)}},
          ARRAY(I32, SHAPE(2, 1), 6, 3));
    check(&(trial){.name = "Slice",
                   .inputs = {x},
                   .attrs = {INTS("starts", 1), INTS("ends", 9), INTS("axes", -1)},
                   .opset = 9},
          ARRAY(I32, SHAPE(2, 2), 2, 3, 5, 6));
    tacho_array parts[] = {{TACHO_DTYPE_I32, SHAPE(2, 1), (int32_t[2]){0}},
                           {TACHO_DTYPE_I32, SHAPE(2, 2), (int32_t[4]){0}}};
    assert_null(
        run(&(trial){.name = "Split", .inputs = {x}, .attrs = {INT("axis", -1)}}, parts, 2));
    assert_memory_equal(parts[0].data, ((int32_t[]){1, 4}), 8);
    assert_memory_equal(parts[1].data, ((int32_t[]){2, 3, 5, 6}), 16);
    check_failure(&(trial){.name = "Gather", .inputs = {x, ARRAY(I64, SCALAR, 2)}}, TACHO_DTYPE_I32,
                  SHAPE(3), TACHO_CODE_BAD_DATA);
    check_failure(&(trial){.name = "Reshape", .inputs = {x}}, TACHO_DTYPE_I32, SHAPE(7),
                  TACHO_CODE_BAD_DATA);
    check_failure(&(trial){.name = "Split", .inputs = {x}}, TACHO_DTYPE_I32, SHAPE(3, 3),
                  TACHO_CODE_BAD_DATA);
    check_failure(&(trial){.name = "Tile", .inputs = {ARRAY(I32, SHAPE(0), 0)}}, TACHO_DTYPE_I32,
                  SHAPE(3), TACHO_CODE_BAD_DATA);
    check_failure(&(trial){.name = "Transpose", .inputs = {x}, .attrs = {INTS("perm", 0, 2)}},
                  TACHO_DTYPE_I32, SHAPE(2, 3), TACHO_CODE_BAD_DATA);
}

static void test_reduce(void **state)
{
    (void)state;
    const tacho_array *x = ARRAY(I64, SHAPE(2, 3), 1, 2, 3, 4, 5, -6);
    check(&(trial){.name = "ReduceSum", .inputs = {x, ARRAY(I64, SHAPE(1), -1)}},
          ARRAY(I64, SHAPE(2, 1), 6, 3));
    check(&(trial){.name = "ReduceSum", .inputs = {x}, .attrs = {INTS("axes", 0)}, .opset = 11},
          ARRAY(I64, SHAPE(1, 3), 5, 7, -3));
    check(&(trial){.name = "ReduceSum", .inputs = {x}, .attrs = {INT("noop_with_empty_axes", 1)}},
          x);
    check(&(trial){.name = "ReduceProd", .inputs = {x}}, ARRAY(I64, SCALAR, -720));
    check(&(trial){.name = "ReduceMax", .inputs = {x}, .attrs = {INTS("axes", 1)}},
          ARRAY(I64, SHAPE(2), 3, 5));
    check(&(trial){.name = "ReduceMin", .inputs = {x}, .attrs = {INTS("axes", 1, 0)}},
          ARRAY(I64, SHAPE(1, 1), -6));
    check(&(trial){.name = "ReduceMean", .inputs = {ARRAY(F32, SHAPE(4), 1, 2, 3, 4)}},
          ARRAY(F32, SCALAR, 2.5f));
    check(&(trial){.name = "ReduceProd", .inputs = {ARRAY(I64, SHAPE(0), 0)}},
          ARRAY(I64, SCALAR, 1));
    check(&(trial){.name = "ReduceMax", .inputs = {ARRAY(F32, SHAPE(0), 0)}},
          ARRAY(F32, SCALAR, -INFINITY));
    check(&(trial){.name = "ReduceMin", .inputs = {ARRAY(U8, SHAPE(0), 0)}},
          ARRAY(U8, SCALAR, 255));
    check(&(trial){.name = "ReduceSum",
                   .inputs = {ARRAY(I64, SHAPE(2, 0), 0)},
                   .attrs = {INTS("axes", 1)}},
          ARRAY(I64, SHAPE(2), 0, 0));
    check_failure(&(trial){.name = "ReduceSum", .inputs = {x}, .attrs = {INTS("axes", 2)}},
                  TACHO_DTYPE_I64, SHAPE(2), TACHO_CODE_BAD_DATA);
}

static void test_make(void **state)
{
    (void)state;
    const tacho_array *x = &(tacho_array){TACHO_DTYPE_F32, SHAPE(2, 3, 4), NULL};
    check(&(trial){.name = "Shape", .inputs = {x}}, ARRAY(I64, SHAPE(3), 2, 3, 4));
    check(&(trial){.name = "Shape",
                   .inputs = {x},
                   .attrs = {INT("start", -2), INT("end", 9)},
                   .opset = 15},
          ARRAY(I64, SHAPE(2), 3, 4));
    check(&(trial){.name = "Size", .inputs = {x}}, ARRAY(I64, SCALAR, 24));
    check(
        &(trial){.name = "Range",
                 .inputs = {ARRAY(I32, SCALAR, 10), ARRAY(I32, SCALAR, 1), ARRAY(I32, SCALAR, -4)}},
        ARRAY(I32, SHAPE(3), 10, 6, 2));
    check(&(trial){.name = "Range",
                   .inputs = {ARRAY(F32, SCALAR, 0), ARRAY(F32, SCALAR, 1),
                              ARRAY(F32, SCALAR, 0.5f)}},
          ARRAY(F32, SHAPE(2), 0, 0.5f));
    check(&(trial){.name = "ConstantOfShape", .inputs = {ARRAY(I64, SHAPE(1), 2)}},
          ARRAY(F32, SHAPE(2), 0, 0));
}

/* More or fewer results than the output has room for: nothing is written after the end, and the
 * message has both numbers. */
static void test_found(void **state)
{
    (void)state;
    const tacho_array *x = ARRAY(I64, SHAPE(4), 5, 0, 6, 7);
    const tacho_array *which = ARRAY(BOOL, SHAPE(4), 1, 0, 1, 1);
    for (int64_t room = 2; room <= 4; room++) {
        int64_t memory[5] = {-1, -1, -1, -1, -1};
        tacho_array outputs[] = {{TACHO_DTYPE_I64, SHAPE(1, room), memory},
                                 {TACHO_DTYPE_I64, SHAPE(room), memory}};
        const trial trials[] = {{.name = "NonZero", .inputs = {x}},
                                {.name = "Compress", .inputs = {x, which}}};
        for (size_t i = 0; i < 2; i++) {
            char expected[64];
            snprintf(expected, sizeof(expected),
                     "it finds 3 elements, the model is compiled for %d", (int)room);
            tacho_status status = run(&trials[i], &outputs[i], 1);
            assert_int_equal(memory[room], -1);
            assert_true((status == TACHO_OK) == (room == 3));
            if (status != TACHO_OK) {
                assert_string_equal(tacho_status_message(status), expected);
            }
            tacho_status_free(status);
        }
    }
}

/* Halves of 1, and quanta so small that their number is infinite in f32. */
static void test_quantised_softmax(void **state)
{
    (void)state;
    static const float scales[] = {1.0F / 128, 1e-38F, -1e-38F};
    static const uint8_t expected[] = {64 + 9, 255, 0};
    const tacho_array *x = ARRAY(U8, SHAPE(2), 7, 7), *zero = ARRAY(U8, SCALAR, 9);
    for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
        check(&(trial){.name = "com.microsoft.QLinearSoftmax",
                       .inputs = {x, ARRAY(F32, SCALAR, 1), zero, ARRAY(F32, SCALAR, scales[i]),
                                  zero}},
              ARRAY(U8, SHAPE(2), expected[i], expected[i]));
    }
}

static void test_slices(void **state)
{
    (void)state;
    static const struct {
        int64_t dim, start, end, step, first, size;
    } rows[] = {
        {10, 0, 10, 1, 0, 10},
        {10, 2, -1, 3, 2, 3},
        {10, -20, 20, 1, 0, 10},
        {10, 9, -20, -1, 9, 10},
        {10, 5, 2, 1, 0, 0},
        {0, 0, 5, 1, 0, 0},
        {0, 5, -5, -1, 0, 0},
        {10, INT64_MAX, INT64_MIN, INT64_MIN, 9, 1},
        {10, INT64_MIN, INT64_MAX, INT64_MAX, 0, 1},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        tacho_slice_spec spec = {&rows[i].start, &rows[i].end, NULL, &rows[i].step, 1};
        tacho_slice slice;
        assert_null(tacho_slice_resolve(&SHAPE(rows[i].dim), &spec, &slice));
        assert_int_equal(slice.starts[0], rows[i].first);
        assert_int_equal(slice.shape.dims[0], rows[i].size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic), cmocka_unit_test(test_unary),
        cmocka_unit_test(test_compare),    cmocka_unit_test(test_cast),
        cmocka_unit_test(test_move),       cmocka_unit_test(test_reduce),
        cmocka_unit_test(test_make),       cmocka_unit_test(test_found),
        cmocka_unit_test(test_slices),     cmocka_unit_test(test_quantised_softmax),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
