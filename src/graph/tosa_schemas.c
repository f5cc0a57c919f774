/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inherent attributes of TOSA's operations, which bytecode has without their names: sorted by
 * name, as MLIR writes them. Checked against what mlir-opt writes; several rows of one operation
 * are generations of the dialect.
 */
#include "graph/mlir_model.h"

#define ANY TACHO_MLIR_ATTR_UNKNOWN
#define NEED(name)                                                                                 \
    {                                                                                              \
        name, TACHO_MLIR_PROPERTY_REQUIRED, ANY, 0                                                 \
    }
#define MAY(name)                                                                                  \
    {                                                                                              \
        name, TACHO_MLIR_PROPERTY_OPTIONAL, ANY, 0                                                 \
    }
#define CONVOLUTION(op)                                                                            \
    {                                                                                              \
        op,                                                                                        \
        {                                                                                          \
            NEED("acc_type"), NEED("dilation"), MAY("local_bound"), NEED("pad"), NEED("stride")    \
        }                                                                                          \
    }
#define AXIS(op)                                                                                   \
    {                                                                                              \
        op,                                                                                        \
        {                                                                                          \
            NEED("axis")                                                                           \
        }                                                                                          \
    }
#define AXIS_AND_NAN(op)                                                                           \
    {                                                                                              \
        op,                                                                                        \
        {                                                                                          \
            NEED("axis"), MAY("nan_mode")                                                          \
        }                                                                                          \
    }

static const tacho_mlir_op_schema schemas[] = {
    {"tensor.extract_slice",
     {{"operandSegmentSizes", TACHO_MLIR_PROPERTY_SEGMENTS, TACHO_MLIR_ATTR_INTS, 4},
      NEED("static_offsets"),
      NEED("static_sizes"),
      NEED("static_strides")}},
    AXIS_AND_NAN("tosa.argmax"),
    {"tosa.arithmetic_right_shift", {NEED("round")}},
    {"tosa.avg_pool2d", {NEED("acc_type"), NEED("kernel"), NEED("pad"), NEED("stride")}},
    {"tosa.clamp", {NEED("max_val"), NEED("min_val"), MAY("nan_mode")}},
    AXIS("tosa.concat"),
    {"tosa.const", {NEED("values")}},
    {"tosa.const_shape", {NEED("values")}},
    CONVOLUTION("tosa.conv2d"),
    CONVOLUTION("tosa.conv3d"),
    {"tosa.custom", {NEED("domain_name"), NEED("implementation_attrs"), NEED("operator_name")}},
    CONVOLUTION("tosa.depthwise_conv2d"),
    {"tosa.fft2d", {NEED("inverse"), MAY("local_bound")}},
    {"tosa.max_pool2d", {NEED("kernel"), MAY("nan_mode"), NEED("pad"), NEED("stride")}},
    {"tosa.maximum", {MAY("nan_mode")}},
    {"tosa.minimum", {MAY("nan_mode")}},
    AXIS("tosa.reduce_all"),
    AXIS("tosa.reduce_any"),
    AXIS_AND_NAN("tosa.reduce_max"),
    AXIS_AND_NAN("tosa.reduce_min"),
    AXIS("tosa.reduce_product"),
    AXIS("tosa.reduce_sum"),
    {"tosa.rescale",
     {NEED("input_unsigned"), NEED("output_unsigned"), NEED("per_channel"), NEED("rounding_mode"),
      NEED("scale32")}},
    {"tosa.resize", {NEED("mode")}},
    AXIS("tosa.reverse"),
    {"tosa.rfft2d", {MAY("local_bound")}},
    {"tosa.transpose", {NEED("perms")}},
    {"tosa.transpose_conv2d",
     {NEED("acc_type"), MAY("local_bound"), NEED("out_pad"), NEED("stride")}},
    {"tosa.variable", {MAY("initial_value"), NEED("sym_name"), NEED("type"), NEED("var_shape")}},
    {"tosa.variable_read", {NEED("name")}},
    {"tosa.variable_write", {NEED("name")}},
};

const tacho_mlir_schemas tacho_tosa_schemas = {schemas, sizeof(schemas) / sizeof(*schemas)};
