/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operators of TOSA 1.0, and those of other versions that files still have: kinds, vector
 * steps, types and shapes. graph/tosa_infer.h lists the operands.
 *
 * Steps of one function are those of the same function in ONNX (graph/op_def.h).
 */
#include "graph/tosa_infer.h"

#define UNARY(name, steps)                                                                         \
    {                                                                                              \
        "tosa." name, TACHO_OP_UNARY, steps, 0, tacho_tosa_infer_same                              \
    }
#define BINARY(name, steps)                                                                        \
    {                                                                                              \
        "tosa." name, TACHO_OP_BINARY, steps, 0, tacho_tosa_infer_binary                           \
    }
#define LINEAR(name)                                                                               \
    {                                                                                              \
        "tosa." name, TACHO_OP_BINARY, 1, TACHO_OP_IS_LINEAR, tacho_tosa_infer_binary              \
    }
#define COMPARE(name)                                                                              \
    {                                                                                              \
        "tosa." name, TACHO_OP_BINARY, 1, 0, tacho_tosa_infer_compare                              \
    }
#define REDUCE(name)                                                                               \
    {                                                                                              \
        "tosa." name, TACHO_OP_REDUCTION, 1, 0, tacho_tosa_infer_reduce                            \
    }
#define MOVE(name, infer)                                                                          \
    {                                                                                              \
        "tosa." name, TACHO_OP_MOVE, 0, 0, infer                                                   \
    }
#define ARRANGE(name, infer)                                                                       \
    {                                                                                              \
        "tosa." name, TACHO_OP_MOVE, 0, TACHO_OP_HAS_PARAMETERS, infer                             \
    }
#define SHAPE(name)                                                                                \
    {                                                                                              \
        "tosa." name, TACHO_OP_SHAPE, 0, 0, NULL                                                   \
    }

const tacho_op_def tacho_tosa_op_defs[] = {
    /* Tensor operators. */
    {"tosa.argmax", TACHO_OP_REDUCTION, 2, 0, tacho_tosa_infer_argmax},
    {"tosa.avg_pool2d", TACHO_OP_POOL, 1, 0, tacho_tosa_infer_pool},
    {"tosa.conv2d", TACHO_OP_CONVOLUTION, TACHO_STEPS_MAC, TACHO_OP_CHANNELS_LAST,
     tacho_tosa_infer_conv},
    {"tosa.conv3d", TACHO_OP_CONVOLUTION, TACHO_STEPS_MAC, TACHO_OP_CHANNELS_LAST,
     tacho_tosa_infer_conv},
    {"tosa.depthwise_conv2d", TACHO_OP_CONVOLUTION, TACHO_STEPS_MAC,
     TACHO_OP_CHANNELS_LAST | TACHO_OP_IS_DEPTHWISE, tacho_tosa_infer_depthwise},
    {"tosa.fft2d", TACHO_OP_OTHER, 8, 0, tacho_tosa_infer_fft},
    {"tosa.fully_connected", TACHO_OP_MATMUL, TACHO_STEPS_MAC, 0, tacho_tosa_infer_fully_connected},
    {"tosa.matmul", TACHO_OP_MATMUL, TACHO_STEPS_MAC, 0, tacho_tosa_infer_matmul},
    {"tosa.max_pool2d", TACHO_OP_POOL, 1, 0, tacho_tosa_infer_pool},
    {"tosa.rfft2d", TACHO_OP_OTHER, 8, 0, tacho_tosa_infer_rfft},
    {"tosa.transpose_conv2d", TACHO_OP_DECONVOLUTION, TACHO_STEPS_MAC, TACHO_OP_CHANNELS_LAST,
     tacho_tosa_infer_transpose_conv},
    /* Activations. */
    UNARY("clamp", TACHO_STEPS_CLIP),
    UNARY("erf", TACHO_STEPS_ERF),
    UNARY("sigmoid", TACHO_STEPS_SIGMOID),
    UNARY("tanh", TACHO_STEPS_TANH),
    /* Two operands. */
    LINEAR("add"),
    BINARY("arithmetic_right_shift", 1),
    BINARY("bitwise_and", 1),
    BINARY("bitwise_or", 1),
    BINARY("bitwise_xor", 1),
    BINARY("div", TACHO_STEPS_DIV),
    BINARY("intdiv", TACHO_STEPS_DIV),
    BINARY("int_div", TACHO_STEPS_DIV),
    BINARY("logical_and", 1),
    BINARY("logical_left_shift", 1),
    BINARY("logical_or", 1),
    BINARY("logical_right_shift", 1),
    BINARY("logical_xor", 1),
    BINARY("maximum", 1),
    BINARY("minimum", 1),
    {"tosa.mul", TACHO_OP_BINARY, 1, TACHO_OP_IS_LINEAR, tacho_tosa_infer_product},
    BINARY("pow", TACHO_STEPS_POW),
    LINEAR("sub"),
    {"tosa.table", TACHO_OP_UNARY, 2, 0, tacho_tosa_infer_same_shape},
    /* One operand. */
    UNARY("abs", 1),
    UNARY("bitwise_not", 1),
    UNARY("ceil", 1),
    UNARY("clz", 1),
    UNARY("cos", TACHO_STEPS_TRIG),
    UNARY("exp", TACHO_STEPS_EXP),
    UNARY("floor", 1),
    UNARY("log", TACHO_STEPS_EXP),
    UNARY("logical_not", 1),
    {"tosa.negate", TACHO_OP_UNARY, 1, 0, tacho_tosa_infer_negate},
    UNARY("reciprocal", TACHO_STEPS_DIV),
    UNARY("reluN", TACHO_STEPS_CLIP),
    UNARY("rsqrt", TACHO_STEPS_DIV),
    UNARY("sin", TACHO_STEPS_TRIG),
    /* Three operands, comparisons. */
    {"tosa.select", TACHO_OP_BINARY, 1, 0, tacho_tosa_infer_select},
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
    ARRANGE("pad", tacho_tosa_infer_pad),
    {"tosa.reshape", TACHO_OP_VIEW, 0, 0, tacho_tosa_infer_reshape},
    MOVE("reverse", tacho_tosa_infer_same),
    ARRANGE("slice", tacho_tosa_infer_slice),
    ARRANGE("tile", tacho_tosa_infer_tile),
    ARRANGE("transpose", tacho_tosa_infer_transpose),
    MOVE("gather", tacho_tosa_infer_gather),
    MOVE("scatter", tacho_tosa_infer_scatter),
    {"tosa.resize", TACHO_OP_UNARY, TACHO_STEPS_RESIZE, TACHO_OP_BY_MODE | TACHO_OP_HAS_PARAMETERS,
     tacho_tosa_infer_resize},
    /* Other types of elements. */
    {"tosa.cast", TACHO_OP_MOVE, 0, TACHO_OP_IS_CAST, tacho_tosa_infer_same_shape},
    {"tosa.rescale", TACHO_OP_UNARY, TACHO_STEPS_RESCALE, TACHO_OP_IS_SCALING,
     tacho_tosa_infer_rescale},
    /* Constants and identities. */
    {"tosa.const", TACHO_OP_CONSTANT, 0, 0, NULL},
    {"tosa.identity", TACHO_OP_VIEW, 0, 0, tacho_tosa_infer_same},
    {"tosa.identityn", TACHO_OP_VIEW, 0, 0, NULL},
    /* Others. */
    {"tosa.custom", TACHO_OP_OTHER, 1, 0, NULL},
    {"tosa.cond_if", TACHO_OP_CONTROL, 0, 0, NULL},
    {"tosa.while_loop", TACHO_OP_CONTROL, 0, 0, NULL},
    {"tosa.variable", TACHO_OP_OTHER, 0, 0, NULL},
    MOVE("variable_read", NULL),
    MOVE("variable.read", NULL),
    MOVE("variable_write", NULL),
    MOVE("variable.write", NULL),
    MOVE("cast_from_block_scaled", NULL),
    MOVE("cast_to_block_scaled", NULL),
    {"tosa.matmul_t_block_scaled", TACHO_OP_MATMUL, TACHO_STEPS_MAC, 0, NULL},
    /* Shapes. */
    {"tosa.const_shape", TACHO_OP_CONSTANT, 0, 0, NULL},
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
    {"arith.constant", TACHO_OP_CONSTANT, 0, 0, NULL},
    {"torch.vtensor.literal", TACHO_OP_CONSTANT, 0, 0, NULL},
    {"torch.tensor.literal", TACHO_OP_CONSTANT, 0, 0, NULL},
    {"tensor.extract_slice", TACHO_OP_MOVE, 0, 0, NULL},
    {"tensor.cast", TACHO_OP_VIEW, 0, 0, NULL},
    {0},
};
