/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operators of TOSA 1.0, and those of before and after that files still have: kinds, vector
 * steps, types and shapes. What the operands are is in graph/tosa_infer.h.
 *
 * Steps are what vector units need per element: a multiplication, a shift and an addition for a
 * rescale, a series or a table and its interpolation for what has no instruction of its own.
 */
#include "graph/tosa_infer.h"

#define UNARY(name, steps)                                                                         \
    {                                                                                              \
        "tosa." name, TACHO_OP_UNARY, steps, tacho_tosa_infer_same                                 \
    }
#define BINARY(name, steps)                                                                        \
    {                                                                                              \
        "tosa." name, TACHO_OP_BINARY, steps, tacho_tosa_infer_binary                              \
    }
#define COMPARE(name)                                                                              \
    {                                                                                              \
        "tosa." name, TACHO_OP_BINARY, 1, tacho_tosa_infer_compare                                 \
    }
#define REDUCE(name)                                                                               \
    {                                                                                              \
        "tosa." name, TACHO_OP_REDUCTION, 1, tacho_tosa_infer_reduce                               \
    }
#define MOVE(name, infer)                                                                          \
    {                                                                                              \
        "tosa." name, TACHO_OP_MOVE, 0, infer                                                      \
    }
#define SHAPE(name)                                                                                \
    {                                                                                              \
        "tosa." name, TACHO_OP_SHAPE, 0, NULL                                                      \
    }

const tacho_op_def tacho_tosa_op_defs[] = {
    /* Tensor operators. */
    {"tosa.argmax", TACHO_OP_REDUCTION, 2, tacho_tosa_infer_argmax},
    {"tosa.avg_pool2d", TACHO_OP_POOL, 1, tacho_tosa_infer_pool},
    {"tosa.conv2d", TACHO_OP_CONVOLUTION, 0, tacho_tosa_infer_conv},
    {"tosa.conv3d", TACHO_OP_CONVOLUTION, 0, tacho_tosa_infer_conv},
    {"tosa.depthwise_conv2d", TACHO_OP_CONVOLUTION, 0, tacho_tosa_infer_depthwise},
    {"tosa.fft2d", TACHO_OP_OTHER, 8, tacho_tosa_infer_fft},
    {"tosa.fully_connected", TACHO_OP_MATMUL, 0, tacho_tosa_infer_fully_connected},
    {"tosa.matmul", TACHO_OP_MATMUL, 0, tacho_tosa_infer_matmul},
    {"tosa.max_pool2d", TACHO_OP_POOL, 1, tacho_tosa_infer_pool},
    {"tosa.rfft2d", TACHO_OP_OTHER, 8, tacho_tosa_infer_rfft},
    {"tosa.transpose_conv2d", TACHO_OP_DECONVOLUTION, 0, tacho_tosa_infer_transpose_conv},
    /* Activations. */
    UNARY("clamp", 2),
    UNARY("erf", 8),
    UNARY("sigmoid", 6),
    UNARY("tanh", 6),
    /* Two operands. */
    BINARY("add", 1),
    BINARY("arithmetic_right_shift", 1),
    BINARY("bitwise_and", 1),
    BINARY("bitwise_or", 1),
    BINARY("bitwise_xor", 1),
    BINARY("div", 4),
    BINARY("intdiv", 4),
    BINARY("int_div", 4),
    BINARY("logical_and", 1),
    BINARY("logical_left_shift", 1),
    BINARY("logical_or", 1),
    BINARY("logical_right_shift", 1),
    BINARY("logical_xor", 1),
    BINARY("maximum", 1),
    BINARY("minimum", 1),
    {"tosa.mul", TACHO_OP_BINARY, 1, tacho_tosa_infer_product},
    BINARY("pow", 8),
    BINARY("sub", 1),
    {"tosa.table", TACHO_OP_UNARY, 2, tacho_tosa_infer_same_shape},
    /* One operand. */
    UNARY("abs", 1),
    UNARY("bitwise_not", 1),
    UNARY("ceil", 1),
    UNARY("clz", 1),
    UNARY("cos", 6),
    UNARY("exp", 4),
    UNARY("floor", 1),
    UNARY("log", 4),
    UNARY("logical_not", 1),
    UNARY("negate", 1),
    UNARY("reciprocal", 4),
    UNARY("reluN", 2),
    UNARY("rsqrt", 4),
    UNARY("sin", 6),
    /* Three operands, comparisons. */
    {"tosa.select", TACHO_OP_BINARY, 1, tacho_tosa_infer_select},
    COMPARE("equal"),
    COMPARE("greater"),
    COMPARE("greater_equal"),
    /* Reductions. */
    REDUCE("reduce_all"),
    REDUCE("reduce_any"),
    REDUCE("reduce_max"),
    REDUCE("reduce_min"),
    REDUCE("reduce_prod"),
    REDUCE("reduce_product"),
    REDUCE("reduce_sum"),
    /* Elements that move. */
    MOVE("concat", tacho_tosa_infer_concat),
    MOVE("pad", tacho_tosa_infer_pad),
    {"tosa.reshape", TACHO_OP_VIEW, 0, tacho_tosa_infer_reshape},
    MOVE("reverse", tacho_tosa_infer_same),
    MOVE("slice", tacho_tosa_infer_slice),
    MOVE("tile", tacho_tosa_infer_tile),
    MOVE("transpose", tacho_tosa_infer_transpose),
    MOVE("gather", tacho_tosa_infer_gather),
    MOVE("scatter", tacho_tosa_infer_scatter),
    {"tosa.resize", TACHO_OP_UNARY, 8, tacho_tosa_infer_resize},
    /* Other types of elements. */
    MOVE("cast", tacho_tosa_infer_same_shape),
    {"tosa.rescale", TACHO_OP_UNARY, 4, tacho_tosa_infer_same_shape},
    /* Constants and what only passes on. */
    {"tosa.const", TACHO_OP_CONSTANT, 0, NULL},
    {"tosa.identity", TACHO_OP_VIEW, 0, tacho_tosa_infer_same},
    {"tosa.identityn", TACHO_OP_VIEW, 0, NULL},
    /* Others. */
    {"tosa.custom", TACHO_OP_OTHER, 1, NULL},
    {"tosa.cond_if", TACHO_OP_CONTROL, 0, NULL},
    {"tosa.while_loop", TACHO_OP_CONTROL, 0, NULL},
    {"tosa.variable", TACHO_OP_OTHER, 0, NULL},
    MOVE("variable_read", NULL),
    MOVE("variable.read", NULL),
    MOVE("variable_write", NULL),
    MOVE("variable.write", NULL),
    MOVE("cast_from_block_scaled", NULL),
    MOVE("cast_to_block_scaled", NULL),
    {"tosa.matmul_t_block_scaled", TACHO_OP_MATMUL, 0, NULL},
    /* Shapes. */
    {"tosa.const_shape", TACHO_OP_CONSTANT, 0, NULL},
    SHAPE("add_shape"),
    SHAPE("apply_scale"),
    SHAPE("assert_equal_shape"),
    SHAPE("concat_shape"),
    SHAPE("dim"),
    SHAPE("div_ceil_shape"),
    SHAPE("div_floor_shape"),
    SHAPE("div_shape"),
    SHAPE("exp2_shape"),
    SHAPE("log2_ceil_shape"),
    SHAPE("log2_floor_shape"),
    SHAPE("max_shape"),
    SHAPE("min_shape"),
    SHAPE("mod_shape"),
    SHAPE("mul_shape"),
    SHAPE("slice_shape"),
    SHAPE("sub_shape"),
    /* Constants of other dialects that TOSA and torch modules have. */
    {"arith.constant", TACHO_OP_CONSTANT, 0, NULL},
    {"torch.vtensor.literal", TACHO_OP_CONSTANT, 0, NULL},
    {"torch.tensor.literal", TACHO_OP_CONSTANT, 0, NULL},
    {"tensor.extract_slice", TACHO_OP_MOVE, 0, NULL},
    {"tensor.cast", TACHO_OP_VIEW, 0, NULL},
    {0},
};
