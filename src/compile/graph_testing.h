/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs written by hand, for tests: operators of every kind under plain names.
 */
#ifndef TACHO_COMPILE_GRAPH_TESTING_H
#define TACHO_COMPILE_GRAPH_TESTING_H

#include "graph/op_def.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const tacho_op_def test_defs[] = {
    {.name = "Conv", .kind = TACHO_OP_CONVOLUTION},
    {.name = "ConvTranspose", .kind = TACHO_OP_DECONVOLUTION},
    {.name = "MatMul", .kind = TACHO_OP_MATMUL},
    {.name = "LSTM", .kind = TACHO_OP_RECURRENT, .steps = 3},
    {.name = "MaxPool", .kind = TACHO_OP_POOL, .steps = 1},
    {.name = "ReduceSum", .kind = TACHO_OP_REDUCTION, .steps = 1},
    {.name = "BatchNormalization",
     .kind = TACHO_OP_AFFINE,
     .steps = 2,
     .flags = TACHO_OP_IS_LINEAR},
    {.name = "Softmax", .kind = TACHO_OP_SOFTMAX, .steps = 8},
    {.name = "Relu", .kind = TACHO_OP_UNARY, .steps = 1},
    {.name = "Sigmoid", .kind = TACHO_OP_UNARY, .steps = 6},
    {.name = "Add", .kind = TACHO_OP_BINARY, .steps = 1, .flags = TACHO_OP_IS_LINEAR},
    {.name = "Mul", .kind = TACHO_OP_BINARY, .steps = 1, .flags = TACHO_OP_IS_LINEAR},
    {.name = "Div",
     .kind = TACHO_OP_BINARY,
     .steps = 4,
     .flags = TACHO_OP_IS_LINEAR | TACHO_OP_IS_QUOTIENT},
    {.name = "Where", .kind = TACHO_OP_BINARY, .steps = 1},
    {.name = "PRelu", .kind = TACHO_OP_BINARY, .steps = 2},
    {.name = "Max", .kind = TACHO_OP_BINARY, .steps = 1, .flags = TACHO_OP_IS_VARIADIC},
    {.name = "QuantizeLinear", .kind = TACHO_OP_QUANTISE, .steps = 3, .flags = TACHO_OP_IS_SCALING},
    {.name = "DequantizeLinear",
     .kind = TACHO_OP_DEQUANTISE,
     .steps = 2,
     .flags = TACHO_OP_IS_SCALING},
    {.name = "Transpose", .kind = TACHO_OP_MOVE},
    {.name = "Concat", .kind = TACHO_OP_MOVE},
    {.name = "Einsum", .kind = TACHO_OP_MATMUL, .steps = 1, .flags = TACHO_OP_IS_EINSUM},
    {.name = "tosa.matmul", .kind = TACHO_OP_MATMUL},
    {.name = "Reshape", .kind = TACHO_OP_VIEW},
    {.name = "tosa.conv2d", .kind = TACHO_OP_CONVOLUTION, .flags = TACHO_OP_CHANNELS_LAST},
    {.name = "tosa.depthwise_conv2d",
     .kind = TACHO_OP_CONVOLUTION,
     .flags = TACHO_OP_CHANNELS_LAST | TACHO_OP_IS_DEPTHWISE},
    {.name = "tosa.transpose_conv2d",
     .kind = TACHO_OP_DECONVOLUTION,
     .flags = TACHO_OP_CHANNELS_LAST},
    {.name = "tosa.rescale", .kind = TACHO_OP_UNARY, .steps = 4, .flags = TACHO_OP_IS_SCALING},
    {.name = "tosa.clamp", .kind = TACHO_OP_UNARY, .steps = 2},
    {.name = "tosa.add", .kind = TACHO_OP_BINARY, .steps = 1, .flags = TACHO_OP_IS_LINEAR},
    {.name = "tosa.avg_pool2d", .kind = TACHO_OP_POOL, .steps = 1},
};

/* The row of |name|; NULL for one that is not in the table. */
static inline const tacho_op_def *test_def(const char *name)
{
    for (size_t i = 0; i < sizeof(test_defs) / sizeof(test_defs[0]); i++) {
        if (strcmp(test_defs[i].name, name) == 0) {
            return &test_defs[i];
        }
    }
    return NULL;
}

/* A tensor of dimensions that end with 0. */
static inline uint32_t test_tensor(tacho_graph *graph, tacho_dtype dtype, const int64_t *dims)
{
    char name[16];
    snprintf(name, sizeof(name), "t%zu", graph->tensor_count);
    uint32_t id;
    assert_null(tacho_graph_add_tensor(graph, tacho_str_from_cstring(name), &id));
    tacho_tensor *tensor = &graph->tensors[id];
    tensor->dtype = dtype;
    tensor->shape.rank = 0;
    for (; *dims != 0; dims++) {
        tensor->shape.dims[tensor->shape.rank++] = *dims;
    }
    return id;
}

#define TEST_DIMS(...) ((const int64_t[]){__VA_ARGS__, 0})
#define TEST_F32(graph, ...) test_tensor(graph, TACHO_DTYPE_F32, TEST_DIMS(__VA_ARGS__))

static inline uint32_t test_constant(tacho_graph *graph, tacho_dtype dtype, const int64_t *dims)
{
    uint32_t id = test_tensor(graph, dtype, dims);
    tacho_constant constant = {.kind = TACHO_CONSTANT_SPLAT};
    assert_null(tacho_graph_set_constant(graph, id, &constant));
    return id;
}

#define TEST_CONST(graph, ...) test_constant(graph, TACHO_DTYPE_F32, TEST_DIMS(__VA_ARGS__))

/* A node from tensors that end with TACHO_NONE to one. */
static inline tacho_node *test_node(tacho_graph *graph, const char *type, const uint32_t *inputs,
                                    uint32_t output, const tacho_attr *attr)
{
    tacho_node node = {.index = (uint32_t)graph->node_count, .def = test_def(type)};
    char text[32];
    snprintf(text, sizeof(text), "n%u", (unsigned)node.index);
    assert_null(tacho_strings_ensure(&graph->strings, tacho_str_from_cstring(text), &node.name));
    assert_null(tacho_strings_ensure(&graph->strings, tacho_str_from_cstring(type), &node.type));
    snprintf(text, sizeof(text), "loc(\"m\":%u:1)", (unsigned)node.index + 1);
    assert_null(
        tacho_strings_ensure(&graph->strings, tacho_str_from_cstring(text), &node.location));
    tacho_node_lists lists = {
        .inputs = inputs,
        .outputs = &output,
        .output_count = 1,
        .attrs = attr,
        .attr_count = attr != NULL ? 1 : 0,
    };
    while (inputs[lists.input_count] != TACHO_NONE) {
        lists.input_count++;
    }
    assert_null(tacho_graph_add_node(graph, &node, &lists));
    return &graph->nodes[graph->node_count - 1];
}

#define TEST_NODE(graph, type, output, ...)                                                        \
    test_node(graph, type, (const uint32_t[]){__VA_ARGS__, TACHO_NONE}, output, NULL)

#endif
