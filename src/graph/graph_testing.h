/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests: graphs written as text, one node at a time, or by calls, with operators of every kind
 * whose steps are easy to count with (TEST_NODE and what it needs, below).
 *
 *     tensors     f32:1x3x8x8   ? is a dimension and * a rank that is not known, "scalar" has none
 *                 i64=1,2       a constant list; i64~5 a constant scalar; f32#2x3=7 a splat
 *                 -             an input that is absent
 *                 @name         what another node made
 *     attributes  k=1  k=1.5  k=[1,2]  k=(1.5,2)  k='text'  k=<i64=1,2> (a tensor)
 */
#ifndef TACHO_GRAPH_TESTING_H
#define TACHO_GRAPH_TESTING_H

#include "graph/infer.h"
#include "graph/op_def.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static inline void *testing_alloc(tacho_graph *graph, size_t size)
{
    void *memory;
    assert_null(tacho_arena_alloc(&graph->arena, size, &memory));
    return memory;
}

static inline void testing_put(unsigned char *to, tacho_dtype dtype, double value)
{
    float as_float = (float)value;
    int64_t as_int = (int64_t)value;
    size_t size = tacho_dtype_element_bytes(dtype);
    if (dtype == TACHO_DTYPE_F32) {
        memcpy(to, &as_float, size);
    } else if (dtype == TACHO_DTYPE_F64) {
        memcpy(to, &value, size);
    } else {
        memcpy(to, &as_int, size); /* little-endian */
    }
}

static inline void testing_shape(const char *text, tacho_shape *out_shape)
{
    *out_shape = (tacho_shape){.rank = TACHO_RANK_UNKNOWN};
    if (*text == '*') {
        return;
    }
    out_shape->rank = 0;
    for (char *end; *text != '\0' && *text != '=' && *text != 's'; text = end) {
        bool is_unknown = *text == '?';
        int64_t dim = is_unknown ? -1 : strtoll(text, &end, 10);
        end = is_unknown ? (char *)(uintptr_t)(text + 1) : end;
        out_shape->dims[out_shape->rank++] = dim;
        end += *end == 'x' ? 1 : 0;
    }
}

/* Adds the tensor that |text| describes, or finds it. */
static inline uint32_t testing_tensor(tacho_graph *graph, const char *text)
{
    if (strcmp(text, "-") == 0) {
        return TACHO_NONE;
    }
    for (uint32_t i = 0; text[0] == '@' && i < graph->tensor_count; i++) {
        if (strcmp(tacho_graph_string(graph, graph->tensors[i].name).data, text + 1) == 0) {
            return i;
        }
    }
    uint32_t id;
    size_t len = strcspn(text, ":=~#");
    assert_null(tacho_graph_add_tensor(graph, TACHO_STR("in"), &id));
    tacho_tensor *tensor = &graph->tensors[id];
    tensor->dtype = tacho_dtype_find(tacho_str_make(text, len));
    const char *rest = text + len + 1;
    tacho_shape shape = {.rank = TACHO_RANK_UNKNOWN};
    if (text[len] == ':') {
        testing_shape(rest, &shape);
        assert_null(tacho_graph_set_shape(graph, tensor, &shape));
        return id;
    }
    tacho_constant constant = {.kind = TACHO_CONSTANT_BYTES};
    if (text[len] == '#') {
        testing_shape(rest, &shape);
        constant.kind = TACHO_CONSTANT_SPLAT;
        testing_put(constant.splat, tensor->dtype, strtod(strchr(rest, '=') + 1, NULL));
    } else {
        int64_t count = 0;
        unsigned char *bytes = testing_alloc(graph, strlen(rest) * 8 + 8);
        size_t size = tacho_dtype_element_bytes(tensor->dtype);
        for (char *end; *rest != '\0'; rest = end + (*end == ',' ? 1 : 0)) {
            testing_put(bytes + (size_t)count++ * size, tensor->dtype, strtod(rest, &end));
        }
        constant.bytes = bytes;
        shape = (tacho_shape){.rank = text[len] == '=' ? 1 : 0, .dims = {count}};
    }
    assert_null(tacho_graph_set_shape(graph, tensor, &shape));
    assert_null(tacho_graph_set_constant(graph, id, &constant));
    return id;
}

static inline tacho_attr testing_attr(tacho_graph *graph, const char *word)
{
    size_t len = strcspn(word, "=");
    const char *value = word + len + 1;
    tacho_attr attr = {.name = {word, len}, .kind = TACHO_ATTR_INT};
    if (value[0] == '\'') {
        attr.kind = TACHO_ATTR_TEXT;
        attr.value.as_text = tacho_str_make(value + 1, strlen(value) - 2);
    } else if (value[0] == '<') {
        char text[64];
        snprintf(text, sizeof(text), "%.*s", (int)strlen(value) - 2, value + 1);
        attr.kind = TACHO_ATTR_TENSOR;
        attr.value.as_tensor = testing_tensor(graph, text);
    } else if (value[0] == '[' || value[0] == '(') {
        int64_t *ints = testing_alloc(graph, strlen(value) * sizeof(*ints));
        double *reals = testing_alloc(graph, strlen(value) * sizeof(*reals));
        attr.kind = value[0] == '[' ? TACHO_ATTR_INTS : TACHO_ATTR_REALS;
        const char *at = value + 1;
        for (char *end; *at != ']' && *at != ')'; at = end + (*end == ',' ? 1 : 0)) {
            ints[attr.count] = strtoll(at, &end, 10);
            reals[attr.count++] = strtod(at, &end);
        }
        if (attr.kind == TACHO_ATTR_INTS) {
            attr.value.as_ints = ints;
        } else {
            attr.value.as_reals = reals;
        }
    } else if (strchr(value, '.') != NULL) {
        attr.kind = TACHO_ATTR_REAL;
        attr.value.as_real = strtod(value, NULL);
    } else {
        attr.value.as_int = strtoll(value, NULL, 10);
    }
    return attr;
}

/* The next word of |text|, copied; NULL at its end. */
static inline const char *testing_word(tacho_graph *graph, const char **text)
{
    *text += strspn(*text, " ");
    size_t len = strcspn(*text, " ");
    char *word = testing_alloc(graph, len + 1);
    memcpy(word, *text, len);
    *text += len;
    return len == 0 ? NULL : word;
}

/* Adds a node: operator and opset, inputs, attributes, names of the outputs. */
static inline void testing_node(tacho_graph *graph, const char *type, int opset,
                                const char *const texts[3])
{
    uint32_t inputs[16], outputs[16];
    tacho_attr attrs[16];
    tacho_node_lists lists = {.inputs = inputs, .outputs = outputs, .attrs = attrs};
    const char *word, *rest = texts[0];
    while ((word = testing_word(graph, &rest)) != NULL) {
        inputs[lists.input_count++] = testing_tensor(graph, word);
    }
    rest = texts[1];
    while ((word = testing_word(graph, &rest)) != NULL) {
        attrs[lists.attr_count++] = testing_attr(graph, word);
    }
    rest = texts[2];
    while ((word = testing_word(graph, &rest)) != NULL) {
        assert_null(tacho_graph_add_tensor(graph, tacho_str_from_cstring(word),
                                           &outputs[lists.output_count++]));
    }
    tacho_node node = {.index = (uint32_t)graph->node_count,
                       .opset = opset,
                       .def = tacho_op_def_find(tacho_str_from_cstring(type))};
    assert_null(tacho_strings_ensure(&graph->strings, tacho_str_from_cstring(type), &node.type));
    assert_null(tacho_strings_ensure(&graph->strings, TACHO_STR("n"), &node.name));
    assert_null(tacho_strings_ensure(&graph->strings, TACHO_STR("here"), &node.location));
    assert_null(tacho_graph_add_node(graph, &node, &lists));
}

static inline void testing_init(tacho_graph *graph)
{
    assert_null(tacho_graph_init(graph));
    graph->path = TACHO_STR("m.onnx");
}

static inline tacho_tensor *testing_find(const tacho_graph *graph, const char *name)
{
    for (size_t i = 0; i < graph->tensor_count; i++) {
        if (strcmp(tacho_graph_string(graph, graph->tensors[i].name).data, name) == 0) {
            return &graph->tensors[i];
        }
    }
    fail_msg("no tensor %s", name);
    return NULL;
}

/* "f32:1x2" of a tensor. */
static inline const char *testing_type(const tacho_tensor *tensor, char *to, size_t size)
{
    char shape[TACHO_SHAPE_TEXT_MAX];
    tacho_shape_print(tensor->shape, shape, sizeof(shape));
    bool is_open = tensor->shape->rank == TACHO_RANK_UNKNOWN;
    snprintf(to, size, "%s:%s", tacho_dtype_name(tensor->dtype), is_open ? "*" : shape);
    return to;
}

/* ---- by calls ------------------------------------------------------------------------------ */

static const tacho_op_def test_defs[] = {
    {.name = "Conv", .kind = TACHO_OP_CONVOLUTION},
    {.name = "ConvTranspose", .kind = TACHO_OP_DECONVOLUTION},
    {.name = "MatMul", .kind = TACHO_OP_MATMUL},
    {.name = "LSTM", .kind = TACHO_OP_RECURRENT, .steps = 3},
    {.name = "MaxPool", .kind = TACHO_OP_POOL, .steps = 1},
    {.name = "ReduceSum",
     .kind = TACHO_OP_REDUCTION,
     .steps = 1,
     .flags = TACHO_OP_HAS_PARAMETERS},
    {.name = "ArgMax", .kind = TACHO_OP_REDUCTION, .steps = 1},
    {.name = "ArgMin", .kind = TACHO_OP_REDUCTION, .steps = 1},
    {.name = "CumSum", .kind = TACHO_OP_REDUCTION, .steps = 1},
    {.name = "BatchNormalization",
     .kind = TACHO_OP_AFFINE,
     .steps = 2,
     .flags = TACHO_OP_IS_LINEAR},
    {.name = "Softmax", .kind = TACHO_OP_SOFTMAX, .steps = 8},
    {.name = "Relu", .kind = TACHO_OP_UNARY, .steps = 1},
    {.name = "Sigmoid", .kind = TACHO_OP_UNARY, .steps = 6},
    {.name = "Resize", .kind = TACHO_OP_UNARY, .steps = 8},
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
    {.name = "Pad", .kind = TACHO_OP_MOVE, .flags = TACHO_OP_HAS_PARAMETERS},
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
    tacho_shape shape = {.rank = 0};
    for (; *dims != 0; dims++) {
        shape.dims[shape.rank++] = *dims;
    }
    assert_null(tacho_graph_set_shape(graph, tensor, &shape));
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
