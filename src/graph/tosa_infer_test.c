/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators of TOSA: a result type that does not follow from the operands is found, with its
 * place; all operators of the specification have a row.
 */
#include "graph/op_def.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "graph/mlir_testing.h"

/* A function with one operation: "%a: type, ..." and all of the operation after its result. */
static const char *one(const char *arguments, const char *op)
{
    static char text[4096];
    snprintf(text, sizeof(text), "func.func @main(%s) {\n  %%0 = %s\n  return\n}\n", arguments, op);
    return text;
}

#define GOOD(arguments, op) EXPECT_OK(one(arguments, op))
#define BAD(arguments, op, part)                                                                   \
    do {                                                                                           \
        EXPECT_FAILURE(one(arguments, op), part);                                                  \
        EXPECT_FAILURE(one(arguments, op), "at \"m.mlir\":2:8");                                   \
    } while (0)

/* Operands that may only have one element: a large one would be memory for nothing. */
static void test_zero_points(void **state)
{
    (void)state;
    static const char *const arguments =
        "%a: tensor<2x3xi8>, %b: tensor<1x2x3xi8>, %c: tensor<1x3x4xi8>, %m: tensor<1xi32>, %s: "
        "tensor<1xi8>, %n: tensor<2xi8>, %z: tensor<i8>";
    GOOD(arguments, "tosa.rescale %a, %m, %s, %s, %z : (tensor<2x3xi8>, tensor<1xi32>, "
                    "tensor<1xi8>, tensor<1xi8>, tensor<i8>) -> tensor<2x3xi8>");
    BAD(arguments,
        "tosa.rescale %a, %m, %s, %s, %n : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, "
        "tensor<1xi8>, tensor<2xi8>) -> tensor<2x3xi8>",
        "operand 4 is a zero point and has 2 elements; it must have one");
    GOOD(arguments, "tosa.negate %a, %s, %s : (tensor<2x3xi8>, tensor<1xi8>, tensor<1xi8>) -> "
                    "tensor<2x3xi8>");
    BAD(arguments,
        "tosa.negate %a, %n, %s : (tensor<2x3xi8>, tensor<2xi8>, tensor<1xi8>) -> tensor<2x3xi8>",
        "operand 1 is a zero point and has 2 elements");
    BAD(arguments,
        "tosa.matmul %b, %c, %s, %n : (tensor<1x2x3xi8>, tensor<1x3x4xi8>, tensor<1xi8>, "
        "tensor<2xi8>) -> tensor<1x2x4xi32>",
        "operand 3 is a zero point and has 2 elements");
}

static void test_elements(void **state)
{
    (void)state;
    static const char *const arguments =
        "%a: tensor<2x3xf32>, %b: tensor<1x3xf32>, %c: tensor<2x4xf32>, %i: tensor<2x3xi32>, %p: "
        "tensor<2x3xi1>";
    GOOD(arguments, "tosa.exp %a : (tensor<2x3xf32>) -> tensor<2x3xf32>");
    BAD(arguments, "tosa.exp %a : (tensor<2x3xf32>) -> tensor<3x2xf32>", "2x3");
    BAD(arguments, "tosa.exp %a : (tensor<2x3xf32>) -> tensor<2x3xf16>", "f16");
    GOOD(arguments, "tosa.cast %a : (tensor<2x3xf32>) -> tensor<2x3xf16>");
    BAD(arguments, "tosa.cast %a : (tensor<2x3xf32>) -> tensor<2x2xf16>", "2x2");
    GOOD(arguments, "tosa.add %a, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>");
    BAD(arguments, "tosa.add %a, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>",
        "1x3");
    BAD(arguments, "tosa.add %a, %c : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>",
        "operands of 2x3 and 2x4 are incompatible");
    BAD(arguments, "tosa.add %a, %i : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xf32>",
        "operands of f32 and i32; expected one type");
    GOOD(arguments, "tosa.mul %i, %i : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>");
    BAD(arguments, "tosa.mul %i, %i : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x2xi32>",
        "2x2");
    GOOD(arguments, "tosa.greater %a, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xi1>");
    BAD(arguments, "tosa.greater %a, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>",
        "bool");
    GOOD(arguments, "tosa.select %p, %a, %b : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<1x3xf32>) "
                    "-> tensor<2x3xf32>");
    BAD(arguments,
        "tosa.select %p, %a, %c : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x4xf32>) -> "
        "tensor<2x3xf32>",
        "are incompatible");
}

static void test_axes(void **state)
{
    (void)state;
    static const char *const arguments = "%a: tensor<2x3x4xf32>, %b: tensor<2x5x4xf32>";
    GOOD(arguments, "tosa.reduce_sum %a {axis = 1 : i32} : (tensor<2x3x4xf32>) -> "
                    "tensor<2x1x4xf32>");
    BAD(arguments, "tosa.reduce_sum %a {axis = 2 : i32} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>",
        "2x1x4");
    BAD(arguments, "tosa.reduce_sum %a {axis = 3 : i32} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>",
        "axis 3 of an operand with 3 dimensions");
    GOOD(arguments, "tosa.argmax %a {axis = 0 : i32} : (tensor<2x3x4xf32>) -> tensor<3x4xi32>");
    BAD(arguments, "tosa.argmax %a {axis = 1 : i32} : (tensor<2x3x4xf32>) -> tensor<3x4xi32>",
        "3x4");
    GOOD(arguments, "tosa.concat %a, %b {axis = 1 : i32} : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) "
                    "-> tensor<2x8x4xf32>");
    BAD(arguments,
        "tosa.concat %a, %b {axis = 1 : i32} : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> "
        "tensor<2x7x4xf32>",
        "2x8x4");
    BAD(arguments,
        "tosa.concat %a, %b {axis = 0 : i32} : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> "
        "tensor<4x3x4xf32>",
        "operand 1 of 2x5x4 does not match 2x3x4 along axis 0");
    GOOD(arguments, "tosa.transpose %a {perms = array<i32: 2, 0, 1>} : (tensor<2x3x4xf32>) -> "
                    "tensor<4x2x3xf32>");
    BAD(arguments,
        "tosa.transpose %a {perms = array<i32: 2, 1, 0>} : (tensor<2x3x4xf32>) -> "
        "tensor<4x2x3xf32>",
        "4x3x2");
    BAD(arguments,
        "tosa.transpose %a {perms = array<i32: 2, 2, 0>} : (tensor<2x3x4xf32>) -> "
        "tensor<4x4x2xf32>",
        "2 in its permutation");
    BAD(arguments,
        "tosa.transpose %a {perms = array<i32: 1, 0>} : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>",
        "2 numbers of its permutation; expected 3");
    BAD(arguments,
        "tosa.transpose %a {perm = array<i32: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>",
        "it has no permutation: expected the attribute perms");
}

/* The same with integers that are constants before the operation, on line 3 then. */
#define WITH_SHAPE(values, count, op)                                                              \
    "func.func @main(%a: tensor<2x3x4xf32>) {\n  %s = tosa.const_shape {values = dense<" values    \
    "> : tensor<" count "xindex>} : () -> !tosa.shape<" count ">\n  %0 = " op "\n  return\n}\n"

static void test_shapes(void **state)
{
    (void)state;
    EXPECT_OK(WITH_SHAPE("[4, 6]", "2",
                         "tosa.reshape %a, %s : (tensor<2x3x4xf32>, !tosa.shape<2>) -> "
                         "tensor<4x6xf32>"));
    EXPECT_FAILURE(WITH_SHAPE("[4, 6]", "2",
                              "tosa.reshape %a, %s : (tensor<2x3x4xf32>, !tosa.shape<2>) -> "
                              "tensor<6x4xf32>"),
                   "at \"m.mlir\":3:8");
    EXPECT_FAILURE(WITH_SHAPE("[5, -1]", "2",
                              "tosa.reshape %a, %s : (tensor<2x3x4xf32>, !tosa.shape<2>) -> "
                              "tensor<5x4xf32>"),
                   "2x3x4 has 24 elements, which are not those of 5x?");
    EXPECT_OK(WITH_SHAPE("[1, 2, 0, 0, 0, 1]", "6",
                         "tosa.pad %a, %s : (tensor<2x3x4xf32>, !tosa.shape<6>) -> "
                         "tensor<5x3x5xf32>"));
    EXPECT_FAILURE(WITH_SHAPE("[1, 2, 0, 0, 0, 1]", "6",
                              "tosa.pad %a, %s : (tensor<2x3x4xf32>, !tosa.shape<6>) -> "
                              "tensor<5x3x4xf32>"),
                   "5x3x5");
    EXPECT_FAILURE(WITH_SHAPE("[1, 2]", "2",
                              "tosa.pad %a, %s : (tensor<2x3x4xf32>, !tosa.shape<2>) -> "
                              "tensor<5x3x4xf32>"),
                   "2 numbers of its padding; expected 6");
    EXPECT_OK(WITH_SHAPE("[1, 2, 3]", "3",
                         "tosa.tile %a, %s : (tensor<2x3x4xf32>, !tosa.shape<3>) -> "
                         "tensor<2x6x12xf32>"));
    EXPECT_FAILURE(WITH_SHAPE("[1, 2, 3]", "3",
                              "tosa.tile %a, %s : (tensor<2x3x4xf32>, !tosa.shape<3>) -> "
                              "tensor<2x6x4xf32>"),
                   "2x6x12");
    EXPECT_OK(WITH_SHAPE("[1, 1, 2]", "3",
                         "tosa.slice %a, %s, %s : (tensor<2x3x4xf32>, !tosa.shape<3>, "
                         "!tosa.shape<3>) -> tensor<1x1x2xf32>"));
    EXPECT_FAILURE(WITH_SHAPE("[2, 1, 2]", "3",
                              "tosa.slice %a, %s, %s : (tensor<2x3x4xf32>, !tosa.shape<3>, "
                              "!tosa.shape<3>) -> tensor<2x1x2xf32>"),
                   "2 elements from 2 on are not among the 2 of dimension 0");
}

static void test_products(void **state)
{
    (void)state;
    static const char *const arguments =
        "%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>, %c: tensor<3x4x5xf32>, %d: "
        "tensor<2x5x5xf32>, %i: tensor<2x7xi32>, %n: tensor<2x7x4xf32>";
    GOOD(arguments, "tosa.matmul %a, %b : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> "
                    "tensor<2x3x5xf32>");
    BAD(arguments,
        "tosa.matmul %a, %b : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x5x3xf32>",
        "2x3x5");
    BAD(arguments,
        "tosa.matmul %a, %c : (tensor<2x3x4xf32>, tensor<3x4x5xf32>) -> tensor<2x3x5xf32>",
        "dimension 0 of operand 0 is 2, but dimension 0 of operand 1 is 3");
    BAD(arguments,
        "tosa.matmul %a, %d : (tensor<2x3x4xf32>, tensor<2x5x5xf32>) -> tensor<2x3x5xf32>",
        "dimension 2 of operand 0 is 4, but dimension 1 of operand 1 is 5");
    GOOD(arguments, "tosa.gather %a, %i : (tensor<2x3x4xf32>, tensor<2x7xi32>) -> "
                    "tensor<2x7x4xf32>");
    BAD(arguments, "tosa.gather %a, %i : (tensor<2x3x4xf32>, tensor<2x7xi32>) -> tensor<2x3x4xf32>",
        "2x7x4");
    BAD(arguments, "tosa.gather %i, %i : (tensor<2x7xi32>, tensor<2x7xi32>) -> tensor<2x3x4xf32>",
        "operand 0 is 2x7; expected 3 dimensions");
    GOOD(arguments, "tosa.scatter %a, %i, %n : (tensor<2x3x4xf32>, tensor<2x7xi32>, "
                    "tensor<2x7x4xf32>) -> tensor<2x3x4xf32>");
    BAD(arguments,
        "tosa.scatter %a, %i, %b : (tensor<2x3x4xf32>, tensor<2x7xi32>, tensor<2x4x5xf32>) -> "
        "tensor<2x3x4xf32>",
        "dimension 1 of operand 1 is 7");
}

#define POOL(kernel, stride, pad, result)                                                          \
    "tosa.max_pool2d %a {kernel = array<i64: " kernel ">, pad = array<i64: " pad                   \
    ">, stride = array<i64: " stride ">} : (tensor<1x8x9x4xf32>) -> " result
#define CONV(op, weight, type, attrs, result)                                                      \
    "tosa." op " %a, " weight ", %b {" attrs "} : (tensor<1x8x9x4xf32>, " type                     \
    ", tensor<6xf32>) -> " result
#define UNIT                                                                                       \
    "acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = "         \
    "array<i64: 1, 1>"

static void test_windows(void **state)
{
    (void)state;
    static const char *const arguments =
        "%a: tensor<1x8x9x4xf32>, %w: tensor<6x3x3x4xf32>, %v: tensor<6x3x3x5xf32>, %m: "
        "tensor<3x3x4x2xf32>, %b: tensor<6xf32>";
    GOOD(arguments, POOL("2, 3", "2, 2", "0, 0, 0, 0", "tensor<1x4x4x4xf32>"));
    GOOD(arguments, POOL("3, 3", "1, 1", "1, 1, 1, 1", "tensor<1x8x9x4xf32>"));
    BAD(arguments, POOL("2, 3", "2, 2", "0, 0, 0, 0", "tensor<1x4x3x4xf32>"), "1x4x4x4");
    BAD(arguments, POOL("2, 3", "2, 2", "0, 0, 0, 0", "tensor<1x4x4x5xf32>"), "1x4x4x4");
    BAD(arguments, POOL("2, 3", "0, 2", "0, 0, 0, 0", "tensor<1x4x4x4xf32>"),
        "0 in attribute stride; expected 1");
    BAD(arguments, POOL("2, 3", "2, 2", "0, 0, 0", "tensor<1x4x4x4xf32>"),
        "attribute pad has 3 numbers; expected 4");
    BAD(arguments, POOL("12, 3", "2, 2", "0, 0, 0, 0", "tensor<1x4x4x4xf32>"),
        "a kernel of 12 (dilation 1) is larger than 8 and its padding");
    GOOD(arguments, CONV("conv2d", "%w", "tensor<6x3x3x4xf32>", UNIT, "tensor<1x8x9x6xf32>"));
    BAD(arguments, CONV("conv2d", "%w", "tensor<6x3x3x4xf32>", UNIT, "tensor<1x8x9x7xf32>"),
        "1x8x9x6");
    BAD(arguments, CONV("conv2d", "%w", "tensor<6x3x3x4xf32>", UNIT, "tensor<1x8x8x6xf32>"),
        "1x8x9x6");
    BAD(arguments, CONV("conv2d", "%v", "tensor<6x3x3x5xf32>", UNIT, "tensor<1x8x9x6xf32>"),
        "the input has 4 channels, the weights are for 5");
    BAD(arguments,
        CONV("depthwise_conv2d", "%m", "tensor<3x3x4x2xf32>", UNIT, "tensor<1x8x9x8xf32>"),
        "a bias of 6 numbers for 8 channels");
    BAD(arguments,
        CONV("transpose_conv2d", "%w", "tensor<6x3x3x4xf32>",
             "acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>",
             "tensor<1x17x18x6xf32>"),
        "1x17x19x6");
    GOOD(arguments,
         CONV("transpose_conv2d", "%w", "tensor<6x3x3x4xf32>",
              "acc_type = f32, out_pad = array<i64: -1, 0, 0, 1>, stride = array<i64: 2, 2>",
              "tensor<1x16x20x6xf32>"));
}

/* Every operator of the specification. */
static const char *const names[] = {
    "argmax",
    "avg_pool2d",
    "conv2d",
    "conv3d",
    "depthwise_conv2d",
    "fft2d",
    "matmul",
    "max_pool2d",
    "rfft2d",
    "transpose_conv2d",
    "clamp",
    "erf",
    "sigmoid",
    "tanh",
    "add",
    "arithmetic_right_shift",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "intdiv",
    "logical_and",
    "logical_left_shift",
    "logical_right_shift",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "mul",
    "pow",
    "sub",
    "table",
    "abs",
    "bitwise_not",
    "ceil",
    "clz",
    "cos",
    "exp",
    "floor",
    "log",
    "logical_not",
    "negate",
    "reciprocal",
    "rsqrt",
    "sin",
    "select",
    "equal",
    "greater",
    "greater_equal",
    "reduce_all",
    "reduce_any",
    "reduce_max",
    "reduce_min",
    "reduce_product",
    "reduce_sum",
    "concat",
    "pad",
    "reshape",
    "reverse",
    "slice",
    "tile",
    "transpose",
    "gather",
    "scatter",
    "resize",
    "cast",
    "rescale",
    "const",
    "identity",
    "custom",
    "cond_if",
    "while_loop",
    "variable",
    "variable_read",
    "variable_write",
    "const_shape",
    "add_shape",
};

static void test_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        char name[64];
        int len = snprintf(name, sizeof(name), "tosa.%s", names[i]);
        const tacho_op_def *def = tacho_op_def_find(tacho_str_make(name, (size_t)len));
        assert_non_null(def);
        assert_string_equal(def->name, name);
    }
    assert_null(tacho_op_def_find(TACHO_STR("tosa.nothing")));
    for (size_t i = 0; tacho_tosa_op_defs[i].name != NULL; i++) {
        tacho_str name = tacho_str_from_cstring(tacho_tosa_op_defs[i].name);
        assert_ptr_equal(tacho_op_def_find(name), &tacho_tosa_op_defs[i]); /* none twice */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zero_points), cmocka_unit_test(test_elements),
        cmocka_unit_test(test_axes),        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_products),    cmocka_unit_test(test_windows),
        cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
