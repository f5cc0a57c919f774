/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps that fast kernels compute together, from which fuzz_run and soak_run make programs, too:
 * quantised operators, products with what follows them, functions that models write out. Written as
 * the calls of run_calls.h are, and
 *
 *     @2    what the second step before this one makes first
 *     #0    the first tensor of the chain
 */
#ifndef TACHO_FUZZ_RUN_CHAINS_H
#define TACHO_FUZZ_RUN_CHAINS_H

#include "run_calls.h"

enum { CHAIN_MAX = 9 };

#define DATA_IN                                                                                    \
    {                                                                                              \
        "DequantizeLinear", 13, 1, "u8:1x4x5x5 f32~0.5 u8~4", ""                                   \
    }
#define FILTERS_IN                                                                                 \
    {                                                                                              \
        "DequantizeLinear", 13, 1, "i8%6x4x3x3 f32~0.25 i8~0", ""                                  \
    }
#define FUNCTION_IN(type)                                                                          \
    {                                                                                              \
        type, 13, 1, "@1", ""                                                                      \
    }
#define BYTES_OUT                                                                                  \
    {                                                                                              \
        "QuantizeLinear", 13, 1, "@1 f32~0.5 u8~4", ""                                             \
    }

static const run_call run_chains[][CHAIN_MAX] = {
    /* products of bytes between reals */
    {DATA_IN, FILTERS_IN, {"Conv", 13, 1, "@2 @1", "pads=[1,1,1,1]"}, BYTES_OUT},
    {DATA_IN,
     {"DequantizeLinear", 13, 1, "i8%6x4x3x3 f32=0.25,0.5,1,2,0.125,0.75 i8=0,0,0,0,0,0", "axis=0"},
     {"Conv", 13, 1, "@2 @1 f32%6", "strides=[2,1]"},
     FUNCTION_IN("Relu"),
     BYTES_OUT},
    {DATA_IN,
     FILTERS_IN,
     {"DequantizeLinear", 13, 1, "i32%6 f32~0.125 i32~0", ""},
     {"Conv", 13, 1, "@3 @2 @1", "dilations=[2,1]"},
     {"Clip", 13, 1, "@1 f32~0 f32~6", ""},
     BYTES_OUT},
    {DATA_IN,
     {"DequantizeLinear", 13, 1, "i8%4x1x3x3 f32~0.25 i8~0", ""},
     {"Conv", 13, 1, "@2 @1 f32%4", "pads=[1,1,1,1] group=4"},
     FUNCTION_IN("Sigmoid Abs Sqrt Exp LeakyRelu"),
     BYTES_OUT},
    {{"DequantizeLinear", 13, 1, "i8:3x8 f32~0.5 i8~-3", ""},
     {"DequantizeLinear", 13, 1, "i8%5x8 f32~0.25 i8~0", ""},
     {"Gemm", 13, 1, "@2 @1 f32%5", "transB=1"},
     BYTES_OUT},
    {{"DequantizeLinear", 13, 1, "u8:2x3x8 f32~0.5 u8~7", ""},
     {"DequantizeLinear", 13, 1, "i8%8x5 f32=0.25,0.5,1,2,4 i8=0,0,0,0,0", "axis=1"},
     {"MatMul", 13, 1, "@2 @1", ""},
     FUNCTION_IN("Tanh Elu Gelu HardSwish Mish Swish"),
     BYTES_OUT},
    /* others of bytes */
    {{"DequantizeLinear", 13, 1, "u8:1x4x5x5 f32~0.5 u8~4", ""},
     {"DequantizeLinear", 13, 1, "i8:1x4x5x5 f32~0.25 i8~1", ""},
     {"Add", 13, 1, "@2 @1", ""},
     FUNCTION_IN("Relu"),
     BYTES_OUT},
    {DATA_IN, {"MaxPool", 13, 1, "@1", "kernel_shape=[2,2] strides=[2,2]"}, BYTES_OUT},
    {DATA_IN, {"AveragePool", 13, 1, "@1", "kernel_shape=[3,3]"}, BYTES_OUT},
    {DATA_IN, FUNCTION_IN("GlobalAveragePool GlobalMaxPool"), BYTES_OUT},
    {DATA_IN, {"Reshape", 13, 1, "@1 i64=4,25", ""}, BYTES_OUT},
    {DATA_IN, BYTES_OUT, {"DequantizeLinear", 13, 1, "@1 f32~0.5 u8~4", ""}, FUNCTION_IN("Exp")},
    {{"QLinearConv", 13, 1,
      "u8:1x4x5x5 f32~0.5 u8~3 i8%3x4x3x3 f32=0.25,0.5,1 i8=0,0,0 f32~1 u8~7 i32%3",
      "pads=[0,1,1,0]"},
     {"QLinearConv", 13, 1, "@1 f32~1 u8~7 u8%2x3x1x1 f32~0.25 u8~128 f32~2 u8~0", ""}},
    {{"MatMulInteger", 13, 1, "i8:3x8 i8%8x5", ""}, {"Cast", 13, 1, "@1", "to=1"}},
    {{"ConvInteger", 13, 1, "u8:1x4x5x5 i8%6x2x3x3 u8~3", "group=2"},
     {"Cast", 13, 1, "@1", "to=1"}},
    {{"tosa.conv2d", 0, 1, "i8:1x6x5x8 i8%3x3x2x8 i32=1,2,3 i8=1 i8=0",
      "stride=[2,1] pad=[1,1,0,0] dilation=[1,1]"},
     {"tosa.rescale", 0, 1, "@1 i32=1073741824 i8=40 i32=0 i8=2", "scale32=1 per_channel=0"}},
    {{"tosa.depthwise_conv2d", 0, 1, "i8:1x6x5x4 i8%3x2x4x2 i32=9 i8=1 i8=0",
      "stride=[1,2] pad=[1,1,0,0] dilation=[1,1]"}},
    {{"tosa.conv3d", 0, 1, "i8:1x4x4x4x2 i8%3x2x2x2x2 i32=0,0,0 i8=1 i8=0",
      "stride=[1,1,1] pad=[1,1,0,0,0,0] dilation=[1,1,1]"}},
    {{"tosa.conv2d", 0, 1, "i8:1x4x4x128 i8%2x3x3x128 i32=0 i8=0 i8=0", /* in parts */
      "stride=[1,1] pad=[0,0,0,0] dilation=[1,1]"}},
    {{"tosa.matmul", 0, 1, "i8:2x3x4 i8%2x4x5 i8=1 i8=2", ""}},
    {{"tosa.matmul", 0, 1, "i8:1x3x4 i8:1x4x5 i8=1 i8=0", ""}},
    /* products of reals and what follows */
    {{"Conv", 13, 1, "f32:1x4x6x6 f32%8x4x3x3 f32%8", "pads=[1,1,1,1]"},
     {"BatchNormalization", 15, 1, "@1 f32%8 f32%8 f32%8 f32=1,2,3,4,5,6,7,8", ""},
     FUNCTION_IN("Relu LeakyRelu HardSwish Sigmoid"),
     {"Conv", 13, 1, "@1 f32%4x8x1x1", ""},
     {"Add", 13, 1, "@1 #0", ""},
     {"Clip", 13, 1, "@1 f32~0 f32~6", ""}},
    {{"MatMul", 13, 1, "f32:2x3x8 f32%8x5", ""},
     {"Add", 13, 1, "@1 f32%5", ""},
     FUNCTION_IN("Gelu Relu Tanh Elu"),
     {"Mul", 13, 1, "@1 f32:2x3x5", ""},
     {"Softmax", 13, 1, "@1", "axis=2"}},
    {{"Gemm", 13, 1, "f32:3x8 f32%5x8 f32%5", "transB=1"},
     {"Sub", 13, 1, "@1 f32:3x5", ""},
     {"Max", 13, 1, "@1 f32:3x1", ""}},
    {{"ConvTranspose", 13, 1, "f32:1x4x3x4 f32%4x2x3x3 f32%2", "strides=[2,2]"},
     FUNCTION_IN("Relu"),
     {"Concat", 13, 1, "@1 @2", "axis=1"}},
    {{"Transpose", 13, 1, "f32:2x3x4", "perm=[0,2,1]"}, {"MatMul", 13, 1, "#0 @1", ""}},
    {{"Slice", 13, 1, "f32:4x6 i64=1,0 i64=3,6 i64=0,1 i64=1,2", ""},
     {"Squeeze", 11, 1, "@1", ""},
     {"Concat", 13, 1, "@1 @1", "axis=0"}},
    /* functions written out */
    {{"Sigmoid", 13, 1, "f32:2x9", ""}, {"Mul", 13, 1, "#0 @1", ""}},
    {{"Div", 13, 1, "f32:2x9 f32~1.4142135623730951", ""},
     FUNCTION_IN("Erf"),
     {"Add", 13, 1, "@1 f32~1", ""},
     {"Mul", 13, 1, "@1 #0", ""},
     {"Mul", 13, 1, "@1 f32~0.5", ""}},
    {{"Mul", 13, 1, "f32:2x9 f32~0.5", ""},
     {"Mul", 13, 1, "#0 f32~0.7071067811865476", ""},
     FUNCTION_IN("Erf"),
     {"Add", 13, 1, "@1 f32~1", ""},
     {"Mul", 13, 1, "@4 @1", ""}},
    {{"Pow", 13, 1, "f32:2x9 f32~3", ""},
     {"Mul", 13, 1, "@1 f32~0.044715", ""},
     {"Add", 13, 1, "#0 @1", ""},
     {"Mul", 13, 1, "@1 f32~0.7978845608028654", ""},
     FUNCTION_IN("Tanh"),
     {"Add", 13, 1, "@1 f32~1", ""},
     {"Mul", 13, 1, "@1 f32~0.5", ""},
     {"Mul", 13, 1, "@1 #0", ""}},
    {{"Mul", 13, 1, "f16:2x9 #0", ""},
     {"Mul", 13, 1, "@1 #0", ""},
     {"Mul", 13, 1, "@1 f16~0.044715", ""},
     {"Add", 13, 1, "#0 @1", ""},
     {"Mul", 13, 1, "@1 f16~0.7978845608028654", ""},
     FUNCTION_IN("Tanh"),
     {"Add", 13, 1, "@1 f16~1", ""},
     {"Mul", 13, 1, "@1 f16~0.5", ""},
     {"Mul", 13, 1, "@1 #0", ""}},
    /* short reals in f32, with steps between that know only the short type */
    {{"MatMul", 13, 1, "f16:3x4 f16%4x6", ""},
     {"CumSum", 14, 1, "@1 i64~1", ""},
     {"Add", 13, 1, "@2 @1", ""},
     {"Softmax", 13, 1, "@1", "axis=1"},
     {"Split", 13, 2, "@1 i64=2,4", "axis=1"},
     {"Transpose", 13, 1, "@1", "perm=[1,0]"},
     {"Cast", 13, 1, "@1", "to=1"}},
    {{"Conv", 13, 1, "bf16:1x4x5x5 bf16%6x4x3x3 bf16%6", "pads=[1,1,1,1]"},
     FUNCTION_IN("Relu"),
     {"GlobalAveragePool", 13, 1, "@1", ""},
     {"Reshape", 13, 1, "@1 i64=1,6", ""},
     {"Gemm", 13, 1, "@1 bf16%3x6 bf16%3", "transB=1"},
     {"Cast", 13, 1, "@1", "to=10"},
     FUNCTION_IN("Tanh")},
    {{"Gather", 13, 1, "f16%6x8 i64:3", ""},
     {"LayerNormalization", 17, 1, "@1 f16%8 f16%8", "axis=-1"},
     {"Slice", 13, 1, "@1 i64=0 i64=2 i64=0", ""},
     {"Concat", 13, 1, "@1 f16%1x8", "axis=0"},
     {"ReduceMean", 13, 1, "@1", "axes=[1] keepdims=0"}},
};

#undef DATA_IN
#undef FILTERS_IN
#undef FUNCTION_IN
#undef BYTES_OUT

#endif
