/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types and shapes of ONNX operators, one line for each rule: the forms of early and late opsets,
 * unknown shapes, contradictions.
 */
#include "graph/graph_testing.h"

/* A node and its inferred outputs, or ! and a part of the message. */
typedef struct rule {
    const char *type;
    int opset;
    const char *inputs, *attrs, *expected;
} rule;

static void check_failure(const rule *row, tacho_status status)
{
    const char *wanted = row->expected + 1;
    if (status == TACHO_OK || strstr(tacho_status_message(status), wanted) == NULL) {
        fail_msg("%s-%d %s %s: expected a failure with '%s', not %s", row->type, row->opset,
                 row->inputs, row->attrs, wanted,
                 status == TACHO_OK ? "none" : tacho_status_message(status));
    }
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    char head[64];
    snprintf(head, sizeof(head), "m.onnx: node 0 'n' (%s): ", row->type);
    assert_non_null(strstr(tacho_status_message(status), head));
    assert_non_null(strstr(tacho_status_message(status), "; at here"));
    tacho_status_free(status);
}

static void check_rule(const rule *row)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    tacho_graph graph;
    testing_init(&graph);
    bool is_bad = row->expected[0] == '!';
    size_t count = 1;
    for (const char *c = row->expected; !is_bad && *c != '\0'; c++) {
        count += *c == ' ' ? 1 : 0;
    }
    char outputs[16] = "", found[TACHO_SHAPE_TEXT_MAX + 16];
    for (size_t i = 0; i < count; i++) {
        snprintf(outputs + 2 * i, sizeof(outputs) - 2 * i, "%s ", names[i]);
    }
    const char *const texts[] = {row->inputs, row->attrs, outputs};
    testing_node(&graph, row->type, row->opset, texts);
    assert_non_null(graph.nodes[0].def);
    tacho_status status = tacho_graph_infer(&graph);
    if (is_bad) {
        check_failure(row, status);
    } else {
        if (status != TACHO_OK) {
            fail_msg("%s-%d %s %s: %s", row->type, row->opset, row->inputs, row->attrs,
                     tacho_status_message(status));
        }
        const char *rest = row->expected, *word;
        for (size_t i = 0; (word = testing_word(&graph, &rest)) != NULL; i++) {
            testing_type(testing_find(&graph, names[i]), found, sizeof(found));
            if (strcmp(found, word) != 0) {
                fail_msg("%s-%d %s %s: output %zu is %s, expected %s", row->type, row->opset,
                         row->inputs, row->attrs, i, found, word);
            }
        }
    }
    tacho_graph_deinit(&graph);
}

#define CHECK(rules)                                                                               \
    for (size_t i = 0; i < sizeof(rules) / sizeof((rules)[0]); i++) {                              \
        check_rule(&(rules)[i]);                                                                   \
    }

static void test_windows(void **state)
{
    (void)state;
    static const rule rules[] = {
        {"Conv", 11, "f32:1x3x224x224 f32:64x3x7x7 f32:64", "strides=[2,2] pads=[3,3,3,3]",
         "f32:1x64x112x112"},
        {"Conv", 1, "f32:2x4x9 f32:6x2x3", "group=2 dilations=[2]", "f32:2x6x5"},
        {"Conv", 11, "f32:1x1x5x7 f32:1x1x3x3", "auto_pad='SAME_UPPER' strides=[2,3]",
         "f32:1x1x3x3"},
        {"Conv", 11, "f32:1x1x5x7 f32:1x1x3x3", "auto_pad='VALID' pads=[9,9,9,9]", "f32:1x1x3x5"},
        {"Conv", 11, "f16:0x3x8x8 f16:4x3x1x1", "", "f16:0x4x8x8"},
        {"Conv", 11, "f32:?x3x8x? f32:4x3x3x3", "", "f32:?x4x6x?"},
        {"Conv", 11, "f32:1x3x8x8 f32:*", "kernel_shape=[3,3]", "f32:1x?x6x6"},
        {"Conv", 11, "f32:* f32:4x3x3x3", "", "f32:*"},
        {"Conv", 11, "f32:1x3x8x8 f32:4x2x3x3", "", "!do not match: 3 and 2"},
        {"Conv", 11, "f32:1x4x8x8 f32:3x2x3x3", "group=2", "!3 output channels do not make 2"},
        {"Conv", 11, "f32:1x3x8x8 f32:4x3x3x3 f32:5", "", "!bias and output channels do not match"},
        {"Conv", 11, "f32:1x3x8x8 f32:4x3x3", "", "!input 1 has 3 dimensions, expected 4"},
        {"Conv", 11, "f32:1x3 f32:4x3", "", "!input 0 has 2 dimensions, expected 3 to 8"},
        {"Conv", 11, "f32:1x3x2x8 f32:4x3x3x3", "", "!covers 3 elements of spatial dimension 0"},
        {"Conv", 11, "f32:1x3x8x8 f32:4x3x3x3", "strides=[0,1]", "!strides has the value 0"},
        {"Conv", 11, "f32:1x3x8x8 f32:4x3x3x3", "pads=[1,1]", "!pads has 2 values, expected 4"},
        {"Conv", 11, "f32:1x3x8x8 f32:4x3x3x3", "pads=[1,1,1,-1]", "!pads has the value -1"},
        {"Conv", 11, "f32:1x3x8x8 f32:4x3x3x3", "kernel_shape=[3,5]", "!do not match: 5 and 3"},
        {"Conv", 11, "f32:1x3x8x8 f32:4x3x3x3", "auto_pad='SAME'", "!auto_pad is 'SAME'"},
        {"Conv", 11, "f32:1x3x8x8 f32:4x3x3x3", "group=0", "!group is 0"},
        {"Conv", 11, "f32:1x3x8x8", "", "!input 1 is missing"},
        {"ConvInteger", 10, "u8:1x1x3x3 u8:1x1x2x2 u8~1", "", "i32:1x1x2x2"},
        {"QLinearConv", 10, "u8:1x1x7x7 f32~1 u8~1 u8:1x1x1x1 f32~1 u8~1 f32~1 i8~1", "",
         "i8:1x1x7x7"},
        {"ConvTranspose", 11, "f32:1x1x3x3 f32:1x2x3x3", "strides=[3,2]", "f32:1x2x9x7"},
        {"ConvTranspose", 11, "f32:1x2x3x3 f32:2x2x3x3",
         "strides=[3,2] output_padding=[1,1] pads=[1,2,1,2] group=2", "f32:1x4x8x4"},
        {"ConvTranspose", 11, "f32:1x1x3x3 f32:1x2x3x3", "strides=[3,2] output_shape=[10,8]",
         "f32:1x2x10x8"},
        {"ConvTranspose", 11, "f32:1x1x3x3 f32:1x2x3x3", "strides=[2,2] auto_pad='SAME_LOWER'",
         "f32:1x2x6x6"},
        {"ConvTranspose", 11, "f32:1x1x1x3 f32:1x2x1x3", "pads=[1,0,1,0]", "!negative"},
        {"MaxPool", 12, "f32:1x3x32x32", "kernel_shape=[3,3] strides=[2,2] ceil_mode=1",
         "f32:1x3x16x16 i64:1x3x16x16"},
        {"MaxPool", 12, "f32:1x3x32x32", "kernel_shape=[3,3] strides=[2,2]", "f32:1x3x15x15"},
        {"MaxPool", 12, "f32:1x1x2x2",
         "kernel_shape=[1,1] strides=[2,2] ceil_mode=1 pads=[0,0,1,1]", "f32:1x1x2x2"},
        {"MaxPool", 12, "f32:1x1x3", "kernel_shape=[2] strides=[3] ceil_mode=1 pads=[0,1]",
         "f32:1x1x1"},
        {"MaxPool", 12, "f32:1x1x3", "kernel_shape=[2] strides=[3] ceil_mode=1 pads=[0,2]",
         "f32:1x1x2"},
        {"MaxPool", 12, "f32:1x3x8x8", "", "!'kernel_shape' is missing"},
        {"AveragePool", 11, "f32:1x3x8x8", "kernel_shape=[3,3] pads=[1,1,1,1] count_include_pad=1",
         "f32:1x3x8x8"},
        {"AveragePool", 19, "f32:1x3x8x8", "kernel_shape=[3,3] dilations=[2,2]", "f32:1x3x4x4"},
        {"LpPool", 11, "f32:1x3x8x8", "kernel_shape=[2,2]", "f32:1x3x7x7"},
        {"GlobalAveragePool", 1, "f32:2x3x7x9", "", "f32:2x3x1x1"},
        {"MaxUnpool", 11, "f32:1x1x2x2 i64:1x1x2x2", "kernel_shape=[2,2] strides=[2,2]",
         "f32:1x1x4x4"},
        {"MaxUnpool", 11, "f32:1x1x2x2 i64:1x1x2x2 i64=1,1,5,5", "kernel_shape=[2,2]",
         "f32:1x1x5x5"},
        {"RoiAlign", 10, "f32:1x7x9x9 f32:3x4 i64:3", "output_height=5 output_width=2",
         "f32:3x7x5x2"},
    };
    CHECK(rules);
}

static void test_elementwise(void **state)
{
    (void)state;
    static const rule rules[] = {
        {"Relu", 6, "f32:2x3", "", "f32:2x3"},
        {"Clip", 11, "f32:2x3 f32~0 f32~6", "", "f32:2x3"},
        {"Clip", 6, "f32:2x3", "min=0.0 max=6.0", "f32:2x3"},
        {"Add", 7, "f32:2x1x4 f32:3x1", "", "f32:2x3x4"},
        {"Add", 7, "f32:0x4 f32:1", "", "f32:0x4"},
        {"Add", 7, "f32:?x4 f32:3x1", "", "f32:3x4"},
        {"Add", 7, "f32:?x4 f32:1x1", "", "f32:?x4"},
        {"Add", 7, "f32:* f32:1x1", "", "f32:*"},
        {"Add", 7, "f32:2x3 f32:2x4", "", "!2x3 and 2x4 cannot be broadcast"},
        {"Add", 7, "f32:2x3", "", "!input 1 is missing"},
        {"Add", 6, "f32:2x3x4x5 f32:3x4", "broadcast=1 axis=1", "f32:2x3x4x5"},
        {"Add", 6, "f32:2x3x4x5 f32:3x4", "broadcast=1 axis=2", "!cannot be broadcast"},
        {"Less", 9, "f32:2x1 f32:3", "", "bool:2x3"},
        {"Not", 1, "bool:2", "", "bool:2"},
        {"IsNaN", 9, "f32:2", "", "bool:2"},
        {"Where", 9, "bool:2x1 f16:3 f16:4x1x1", "", "f16:4x2x3"},
        {"Sum", 8, "f32:2x1 f32:3 f32:1x1x1", "", "f32:1x2x3"},
        {"Mean", 8, "f32:2", "", "f32:2"},
        {"Max", 8, "f32:2 f32:3", "", "!cannot be broadcast"},
        {"Pow", 13, "f32:2x3 i64:1", "", "f32:2x3"},
        {"PRelu", 9, "f32:2x3 f32:3", "", "f32:2x3"},
        {"Cast", 9, "f32:2x3", "to=7", "i64:2x3"},
        {"Cast", 1, "f32:2x3", "to='FLOAT16'", "f16:2x3"},
        {"Cast", 13, "f32:2", "", "!'to' is missing"},
        {"Cast", 13, "f32:2", "to=99", "!to is 99, which is not a type"},
        {"CastLike", 15, "f32:2x3 bool:1", "", "bool:2x3"},
        {"QuantizeLinear", 10, "f32:2x3 f32~1 i8~0", "", "i8:2x3"},
        {"QuantizeLinear", 10, "f32:2x3 f32~1", "", "u8:2x3"},
        {"QuantizeLinear", 21, "f32:2x3 f32~1", "output_dtype=5", "i16:2x3"},
        {"DequantizeLinear", 19, "i8:2x3 f16~1", "", "f16:2x3"},
        {"DynamicQuantizeLinear", 11, "f32:2x3", "", "u8:2x3 f32:scalar u8:scalar"},
        {"Dropout", 7, "f32:2x3", "", "f32:2x3 f32:2x3"},
        {"Dropout", 12, "f32:2x3", "", "f32:2x3 bool:2x3"},
        {"RandomNormal", 1, "", "shape=[2,3] dtype=11", "f64:2x3"},
        {"RandomUniformLike", 1, "f16:2x3", "", "f16:2x3"},
        {"Trilu", 14, "f32:4x4", "", "f32:4x4"},
        {"CumSum", 14, "f32:4x4 i64~1", "", "f32:4x4"},
        {"CumProd", 26, "f32:4x4 i64~1", "", "f32:4x4"},
        {"BitCast", 26, "f32:2x3", "to=6", "i32:2x3"},
        {"BitCast", 26, "f32:2x3", "to=7", "!the bits of f32 cannot be those of i64"},
    };
    CHECK(rules);
}

static void test_matrices(void **state)
{
    (void)state;
    static const rule rules[] = {
        {"MatMul", 9, "f32:2x3 f32:3x4", "", "f32:2x4"},
        {"MatMul", 9, "f32:5x1x2x3 f32:7x3x4", "", "f32:5x7x2x4"},
        {"MatMul", 9, "f32:3 f32:3", "", "f32:scalar"},
        {"MatMul", 9, "f32:3 f32:2x3x4", "", "f32:2x4"},
        {"MatMul", 9, "f32:2x3 f32:3", "", "f32:2"},
        {"MatMul", 9, "f32:2x3 f32:4x3", "", "!inner dimensions do not match: 3 and 4"},
        {"MatMul", 9, "f32:2x2x3 f32:3x3x4", "", "!batches of 2x2x3 and 3x3x4"},
        {"MatMul", 9, "f32:scalar f32:3", "", "!a scalar is not a matrix"},
        {"MatMulInteger", 10, "u8:2x3 i8:3x4", "", "i32:2x4"},
        {"QLinearMatMul", 10, "u8:2x3 f32~1 u8~1 u8:3x4 f32~1 u8~1 f32~1 u8~1", "", "u8:2x4"},
        {"Gemm", 7, "f32:2x3 f32:3x4 f32:4", "", "f32:2x4"},
        {"Gemm", 13, "f32:3x2 f32:4x3", "transA=1 transB=1", "f32:2x4"},
        {"Gemm", 13, "f32:3x2 f32:4x3", "transA=1", "!inner dimensions do not match: 3 and 4"},
        {"Gemm", 13, "f32:2x3 f32:3x4 f32:5", "", "!input 2 of shape 5 cannot be added to 2x4"},
        {"Gemm", 13, "f32:1x3 f32:3x4 f32:2x4", "", "!cannot be added to 1x4"},
        {"Gemm", 13, "f32:2x3x1 f32:3x4", "", "!input 0 has 3 dimensions, expected 2"},
        {"Einsum", 12, "f32:2x3 f32:3x4", "equation='ij,jk->ik'", "f32:2x4"},
        {"Einsum", 12, "f32:2x3 f32:3x4", "equation='ij,jk'", "f32:2x4"},
        {"Einsum", 12, "f32:5x2x3 f32:5x3x4", "equation='...ij,...jk->...ik'", "f32:5x2x4"},
        {"Einsum", 12, "f32:3x3", "equation='ii->i'", "f32:3"},
        {"Einsum", 12, "f32:2x3", "equation='ij->'", "f32:scalar"},
        {"Einsum", 12, "f32:2x3 f32:4x4", "equation='ij,jk->ik'", "!one letter do not match"},
        {"Einsum", 12, "f32:2x3", "equation='ij,jk->ik'", "!input 1, which is missing"},
        {"Einsum", 12, "f32:2x3", "equation='ijk->i'", "!'ijk' of the equation does not fit"},
        {"Einsum", 12, "f32:2x3", "equation='ij->z'", "!'z' of the result is in no input"},
        {"LSTM", 14, "f32:7x2x5 f32:1x12x5 f32:1x12x3", "hidden_size=3",
         "f32:7x1x2x3 f32:1x2x3 f32:1x2x3"},
        {"GRU", 14, "f32:2x7x5 f32:2x9x5 f32:2x9x3", "direction='bidirectional' layout=1",
         "f32:2x7x2x3 f32:2x2x3"},
        {"RNN", 7, "f32:7x2x5 f32:1x3x5 f32:1x3x3", "hidden_size=4", "!hidden_size and input 2"},
        {"RNN", 7, "f32:7x2x5 f32:1x3x6 f32:1x3x3", "", "!input sizes do not match: 5 and 6"},
        {"Det", 11, "f32:7x2x2", "", "f32:7"},
        {"Det", 11, "f32:7x2x3", "", "!sides of a matrix do not match: 2 and 3"},
    };
    CHECK(rules);
}

static void test_reductions(void **state)
{
    (void)state;
    static const rule rules[] = {
        {"ReduceMean", 13, "f32:2x3x4", "axes=[1]", "f32:2x1x4"},
        {"ReduceMean", 13, "f32:2x3x4", "axes=[-1,0] keepdims=0", "f32:3"},
        {"ReduceMean", 18, "f32:2x3x4 i64=1", "", "f32:2x1x4"},
        {"ReduceSum", 11, "f32:2x3x4", "keepdims=0", "f32:scalar"},
        {"ReduceSum", 13, "f32:2x3x4", "", "f32:1x1x1"},
        {"ReduceSum", 13, "f32:2x3x4", "noop_with_empty_axes=1", "f32:2x3x4"},
        {"ReduceSum", 13, "f32:2x3x4 i64:1", "", "f32:?x?x?"},
        {"ReduceSum", 13, "f32:2x3x4 i64:1", "keepdims=0", "f32:*"},
        {"ReduceL2", 13, "f32:2x3x4", "axes=[3]", "!axis 3 is not one of the 3 dimensions"},
        {"ReduceMax", 13, "f32:2x3x4", "axes=[1,-2]", "!axis 1 is given twice"},
        {"ArgMax", 13, "f32:2x3x4", "axis=-1 keepdims=0", "i64:2x3"},
        {"ArgMin", 1, "f32:2x3x4", "", "i64:1x3x4"},
        {"TopK", 1, "f32:2x9", "k=3", "f32:2x3 i64:2x3"},
        {"TopK", 11, "f32:2x9 i64=3", "axis=0", "!k is 3, but axis 0 has 2"},
        {"TopK", 11, "f32:9x2 i64=3", "axis=0", "f32:3x2 i64:3x2"},
        {"TopK", 11, "f32:9x2 i64:1", "axis=0", "f32:?x2 i64:?x2"},
        {"Softmax", 13, "f32:2x3", "axis=2", "!axis 2"},
        {"Softmax", 9, "f32:2x3", "", "f32:2x3"},
        {"Softmax", 13, "f32:7", "", "f32:7"},
        {"BatchNormalization", 9, "f32:1x3x4 f32:3 f32:3 f32:3 f32:3", "", "f32:1x3x4"},
        {"BatchNormalization", 14, "f32:1x3x4 f32:3 f32:3 f32:3 f32:3", "training_mode=1",
         "f32:1x3x4 f32:3 f32:3"},
        {"BatchNormalization", 9, "f32:1x3x4 f32:3 f32:3 f32:4 f32:3", "",
         "!do not match: 3 and 4"},
        {"LayerNormalization", 17, "f16:2x3x4 f16:3x4", "axis=1", "f16:2x3x4 f32:2x1x1 f32:2x1x1"},
        {"InstanceNormalization", 6, "f32:1x3x4 f32:3 f32:2", "", "!do not match: 3 and 2"},
        {"RMSNormalization", 23, "f32:2x3 f32:3", "", "f32:2x3"},
        {"NegativeLogLikelihoodLoss", 13, "f32:2x5x3 i64:2x3", "reduction='none'", "f32:2x3"},
        {"SoftmaxCrossEntropyLoss", 13, "f32:2x5 i64:2", "", "f32:scalar f32:2x5"},
    };
    CHECK(rules);
}

static void test_shapes(void **state)
{
    (void)state;
    static const rule rules[] = {
        {"Reshape", 1, "f32:2x3x4", "shape=[0,-1]", "f32:2x12"},
        {"Reshape", 5, "f32:2x3x4 i64=4,-1", "", "f32:4x6"},
        {"Reshape", 5, "f32:2x3x4 i64=0,0,4,-1", "", "f32:2x3x4x1"},
        {"Reshape", 14, "f32:0x3 i64=3,0", "allowzero=1", "f32:3x0"},
        {"Reshape", 5, "f32:2x3 i64:3", "", "f32:?x?x?"},
        {"Reshape", 5, "f32:?x3 i64=3,-1", "", "f32:3x?"},
        {"Reshape", 5, "f32:2x3 i64=4,-1", "", "!2x3 cannot be reshaped to 4x?"},
        {"Reshape", 5, "f32:2x3 i64=-1,-1", "", "!dimension 1 of the shape is -1"},
        {"Reshape", 5, "f32:2x3 i64=2,3,0", "", "!dimension 2 of the shape is 0"},
        {"Reshape", 5, "f32:2x3 i64=4294967296,4294967296", "", "!too many elements"},
        {"Squeeze", 1, "f32:1x2x1", "axes=[0]", "f32:2x1"},
        {"Squeeze", 13, "f32:1x2x1 i64=-1", "", "f32:1x2"},
        {"Squeeze", 13, "f32:1x2x1", "", "f32:2"},
        {"Squeeze", 13, "f32:1x2x1 i64=1", "", "!axis 1 has 2 elements and cannot be removed"},
        {"Squeeze", 13, "f32:1x2x1 i64:2", "", "f32:?"},
        {"Unsqueeze", 1, "f32:2", "axes=[0,2]", "f32:1x2x1"},
        {"Unsqueeze", 13, "f32:2x3 i64=-1", "", "f32:2x3x1"},
        {"Unsqueeze", 13, "f32:2x3 i64=0,0", "", "!axis 0 is given twice"},
        {"Unsqueeze", 13, "f32:2x3", "", "!'axes' is given"},
        {"Unsqueeze", 13, "f32:2x3 i64:1", "", "f32:?x?x?"},
        {"Flatten", 9, "f32:2x3x4", "", "f32:2x12"},
        {"Flatten", 11, "f32:2x3x4", "axis=-1", "f32:6x4"},
        {"Flatten", 9, "f32:2x3x4", "axis=3", "f32:24x1"},
        {"Transpose", 1, "f32:2x3x4", "", "f32:4x3x2"},
        {"Transpose", 1, "f32:2x3x4", "perm=[1,2,0]", "f32:3x4x2"},
        {"Transpose", 1, "f32:2x3x4", "perm=[1,1,0]", "!perm has the value 1 at 1"},
        {"Concat", 4, "f32:2x3 f32:2x4 f32:2x0", "axis=-1", "f32:2x7"},
        {"Concat", 1, "f32:2x3 f32:2x4", "", "f32:2x7"},
        {"Concat", 4, "f32:2x3 f32:?x?", "axis=1", "f32:2x?"},
        {"Concat", 4, "f32:2x3 f32:3x3", "axis=1", "!beside the axis do not match: 2 and 3"},
        {"Split", 2, "f32:2x6", "axis=1", "f32:2x3 f32:2x3"},
        {"Split", 11, "f32:2x6", "axis=1 split=[2,4]", "f32:2x2 f32:2x4"},
        {"Split", 13, "f32:2x6 i64=2,4", "axis=-1", "f32:2x2 f32:2x4"},
        {"Split", 18, "f32:7", "num_outputs=3", "f32:3 f32:3 f32:1"},
        {"Split", 13, "f32:7", "", "f32:7"},
        {"Concat", 4, "i8:4611686018427387904 i8:4611686018427387904", "axis=0",
         "!too many elements"},
        {"Add", 7, "i8:4294967296x1 i8:4294967296", "",
         "!shape 4294967296x4294967296: too many elements"},
        {"Split", 13, "f32:7 i64=3,5", "", "!parts and outputs do not match"},
        {"Slice", 1, "f32:10x20", "starts=[1] ends=[-1] axes=[1]", "f32:10x18"},
        {"Slice", 10, "f32:10x20 i64=0,0 i64=3,100", "", "f32:3x20"},
        {"Slice", 10, "f32:10 i64=-1 i64=-100 i64=0 i64=-3", "", "f32:4"},
        {"Slice", 10, "f32:10 i64=5 i64=2", "", "f32:0"},
        {"Slice", 10, "f32:10x20 i64:1 i64:1 i64=1", "", "f32:10x?"},
        {"Slice", 10, "f32:10 i64=0 i64=2 i64=0 i64=0", "", "!a step is 0"},
        {"Slice", 10, "f32:10 i64=0 i64=2 i64=1", "", "!an axis is not one of the tensor's"},
        {"Expand", 8, "f32:3x1 i64=2,1,6", "", "f32:2x3x6"},
        {"Expand", 8, "f32:3x1 i64:*", "", "f32:*"},
        {"Expand", 8, "f32:3x1 i64:1", "", "f32:3x?"},
        {"Expand", 8, "f32:3x1 i64:3", "", "f32:?x3x?"},
        {"Expand", 8, "f32:3 i64=2", "", "!3 cannot be expanded to 2"},
        {"Tile", 6, "f32:2x3 i64=1,2", "", "f32:2x6"},
        {"Tile", 1, "f32:2x3 i64~3 i64~0", "", "f32:6x3"},
        {"Tile", 6, "f32:2x3 i64=1", "", "!repeats and dimensions do not match: 1 and 2"},
        {"Tile", 6, "f32:2x3 i64=1,-1", "", "!dimension 1 is repeated -1 times"},
        {"Pad", 2, "f32:2x3", "pads=[0,1,0,2]", "f32:2x6"},
        {"Pad", 1, "f32:2x3", "paddings=[0,1,0,2]", "f32:2x6"},
        {"Pad", 11, "f32:2x3 i64=0,-1,0,0", "", "f32:2x2"},
        {"Pad", 18, "f32:2x3 i64=1,1 - i64=-1", "", "f32:2x5"},
        {"Pad", 11, "f32:2x3 i64=0,-4,0,0", "", "!dimension 1 is padded to a wrong size"},
        {"DepthToSpace", 11, "f32:1x8x2x3", "blocksize=2", "f32:1x2x4x6"},
        {"SpaceToDepth", 11, "f32:1x2x4x6", "blocksize=2", "f32:1x8x2x3"},
        {"SpaceToDepth", 11, "f32:1x2x4x5", "blocksize=2", "!does not fit blocks of 2"},
    };
    CHECK(rules);
}

static void test_indices(void **state)
{
    (void)state;
    static const rule rules[] = {
        {"Gather", 1, "f32:5x6x7 i64:2x3", "axis=1", "f32:5x2x3x7"},
        {"Gather", 1, "f32:5 i64:scalar", "", "f32:scalar"},
        {"Gather", 1, "f32:5 i64:2", "axis=1", "!axis 1"},
        {"GatherElements", 11, "f32:5x6 i64:2x6", "axis=0", "f32:2x6"},
        {"GatherND", 12, "f32:2x3x4 i64:5x2", "", "f32:5x4"},
        {"GatherND", 12, "f32:2x3x4 i64:2x1", "batch_dims=1", "f32:2x4"},
        {"GatherND", 12, "f32:2x3 i64:5x3", "", "!do not fit 2 dimensions"},
        {"ScatterND", 11, "f32:4 i64:1x1 f32:1", "", "f32:4"},
        {"OneHot", 11, "i64:2x3 i64~5 f32:2", "axis=1", "f32:2x5x3"},
        {"OneHot", 11, "i64:2x3 f32~5 i32:2", "", "i32:2x3x5"},
        {"NonZero", 9, "f32:2x3", "", "i64:2x?"},
        {"Compress", 9, "f32:2x3 bool:2", "axis=0", "f32:?x3"},
        {"Unique", 11, "f32:2x3", "", "f32:? i64:? i64:? i64:?"},
        {"NonMaxSuppression", 10, "f32:1x6x4 f32:1x1x6", "", "i64:?x3"},
        {"Resize", 10, "f32:1x1x2x4 f32=1,1,2,3", "", "f32:1x1x4x12"},
        {"Resize", 11, "f32:1x1x2x4 f32= f32=1,1,0.6,0.6", "", "f32:1x1x1x2"},
        {"Resize", 13, "f32:1x1x2x4 - - i64=1,1,7,8", "", "f32:1x1x7x8"},
        {"Resize", 18, "f32:1x1x2x4 - - i64=7,8", "axes=[2,3]", "f32:1x1x7x8"},
        {"Resize", 18, "f32:1x1x2x4 - - i64=7,8",
         "axes=[2,3] keep_aspect_ratio_policy='not_larger'", "f32:1x1x4x8"},
        {"Resize", 13, "f32:1x1x2x4 - f32=1,1,0,1", "", "!2 elements are scaled by 0"},
        {"Resize", 13, "f32:1x1x2x4 - f32:4", "", "f32:?x?x?x?"},
        {"Upsample", 7, "f32:1x1x2x4", "scales=(1,1,2,3)", "f32:1x1x4x12"},
        {"Upsample", 9, "f32:1x1x2x4 f32=1,1,2,3", "", "f32:1x1x4x12"},
        {"Upsample", 1, "f32:1x1x2x4", "height_scale=2.0 width_scale=3.0", "f32:1x1x4x12"},
        {"GridSample", 16, "f32:1x3x5x5 f32:1x7x8x2", "", "f32:1x3x7x8"},
        {"Shape", 13, "f32:2x3x4", "", "i64:3"},
        {"Shape", 15, "f32:2x3x4", "start=-2 end=7", "i64:2"},
        {"Size", 13, "f32:2x3x4", "", "i64:scalar"},
        {"Constant", 13, "", "value_int=7", "i64:scalar"},
        {"Constant", 13, "", "value_floats=(1,2,3)", "f32:3"},
        {"Constant", 13, "", "value=<i32=1,2>", "i32:2"},
        {"Constant", 13, "", "value_string='x'", "string:scalar"},
        {"ConstantOfShape", 9, "i64=2,3", "value=<i32=5>", "i32:2x3"},
        {"ConstantOfShape", 9, "i64=2,3", "", "f32:2x3"},
        {"ConstantOfShape", 9, "i64:2", "", "f32:?x?"},
        {"ConstantOfShape", 9, "i64=2,-3", "", "!dimension 1 of the shape is -3"},
        {"Range", 11, "i64~1 i64~10 i64~4", "", "i64:3"},
        {"Range", 11, "i32~10 i32~1 i32~-4", "", "i32:3"},
        {"Range", 11, "f32~0 f32~1 f32~0.3", "", "f32:4"},
        {"Range", 11, "i64~10 i64~1 i64~4", "", "i64:0"},
        {"Range", 11, "i16~1 i16~10 i16~4", "", "i16:3"},
        {"Range", 11, "i16~1 i16~1 i16~4", "", "i16:0"},
        {"Range", 11, "u8~250 u8~255 u8~2", "", "u8:3"},
        {"Range", 11, "i64~1 i64~10 i64~0", "", "!no end"},
        {"Range", 11, "i64:scalar i64~10 i64~0", "", "i64:?"},
        {"Attention", 23, "f16:2x3x24 f16:2x5x12 f16:2x5x8", "q_num_heads=6 kv_num_heads=2",
         "!widths of query and key do not match: 4 and 6"},
        {"Attention", 23, "f16:2x3x24 f16:2x5x8 f16:2x5x10 - f16:2x2x7x4 f16:2x2x7x5",
         "q_num_heads=6 kv_num_heads=2", "f16:2x3x30 f16:2x2x12x4 f16:2x2x12x5"},
        {"Attention", 23, "f16:2x6x3x4 f16:2x6x5x4 f16:2x6x5x7", "", "f16:2x6x3x7"},
        {"DFT", 17, "f32:1x10x10x1", "axis=1 onesided=1", "f32:1x6x10x2"},
        {"DFT", 20, "f32:1x10x12x1 i64~8", "", "f32:1x10x8x2"},
        {"DFT", 20, "f32:1x10x2 - i64~-2", "inverse=1 onesided=1", "f32:1x18x1"},
        {"DFT", 20, "f32:1x10x2 i64~7", "inverse=1 onesided=1", "f32:1x7x1"},
        {"DFT", 20, "f32:1x10x1 i64:scalar", "", "f32:1x?x2"},
        {"DFT", 20, "f32:1x10x2 - i64~2", "", "!it goes along axis 2 of 3"},
        {"DFT", 20, "f32:1x10x3", "", "!the last has 3 elements"},
        {"DFT", 20, "f32:1x10x2 i64~-3", "", "!dft_length is -3"},
        {"STFT", 17, "f32:2x128x1 i64~8 f32:16", "", "f32:2x15x9x2"},
        {"STFT", 17, "f64:2x128x1 i64~8 - i64~16", "onesided=0", "f64:2x15x16x2"},
        {"STFT", 17, "f32:2x128x1 i64:scalar f32:16", "", "f32:2x?x9x2"},
        {"STFT", 17, "f32:2x128x1 i64~0 f32:16", "", "!every 0"},
        {"STFT", 17, "f32:2x8x1 i64~1 f32:16", "", "!frames of 16, every 1, of 8 samples"},
        {"STFT", 17, "f32:2x128x1 i64~8 f32:16 i64~15", "", "!window and frame_length"},
        {"MelWeightMatrix", 17, "i64~8 i64~16 i64~8192 f32~0 f32~4096", "", "f32:9x8"},
        {"MelWeightMatrix", 17, "i64~8 i64~16 i64~8192 f32~0 f32~4096", "output_datatype=11",
         "f64:9x8"},
        {"MelWeightMatrix", 17, "i64~-8 i64~16 i64~8192 f32~0 f32~4096", "", "!-8 bands"},
        {"AffineGrid", 20, "f32:2x2x3 i64=2,3,5,6", "", "f32:2x5x6x2"},
        {"Col2Im", 18, "f32:1x5x5 i64=5,6 i64=1,5", "", "f32:1x1x5x6"},
        {"Gemm", 0, "f32:2x3 f32:3x4", "", "f32:2x4"},
        {"Softmax", 0, "f32:2x3", "axis=-1", "f32:2x3"},
        {"EyeLike", 9, "f32:2x3", "dtype=11", "f64:2x3"},
    };
    CHECK(rules);
}

/* Rows are in order, without gaps where arithmetic is done. */
static void test_table(void **state)
{
    (void)state;
    static const bool has_steps[TACHO_OP_KIND_COUNT] = {
        [TACHO_OP_CONVOLUTION] = true,   [TACHO_OP_DECONVOLUTION] = true,
        [TACHO_OP_MATMUL] = true,        [TACHO_OP_RECURRENT] = true,
        [TACHO_OP_POOL] = true,          [TACHO_OP_REDUCTION] = true,
        [TACHO_OP_NORMALISATION] = true, [TACHO_OP_AFFINE] = true,
        [TACHO_OP_SOFTMAX] = true,       [TACHO_OP_UNARY] = true,
        [TACHO_OP_BINARY] = true,        [TACHO_OP_QUANTISE] = true,
        [TACHO_OP_DEQUANTISE] = true,
    };
    size_t count = 0;
    for (const tacho_op_def *row = tacho_onnx_op_defs; row->name != NULL; row++, count++) {
        assert_ptr_equal(tacho_op_def_find(tacho_str_from_cstring(row->name)), row);
        if (row[1].name != NULL && strcmp(row->name, row[1].name) >= 0) {
            fail_msg("%s comes before %s", row->name, row[1].name);
        }
        bool is_other = row->kind == TACHO_OP_OTHER;
        if (!is_other && has_steps[row->kind] != (row->steps > 0)) {
            fail_msg("%s has %d steps", row->name, row->steps);
        }
    }
    assert_int_equal(count, 200);
    assert_null(tacho_op_def_find(TACHO_STR("Fancy")));
    assert_null(tacho_op_def_find(TACHO_STR("")));
    assert_int_equal(tacho_op_def_find(TACHO_STR("Softmax"))->steps, 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows),  cmocka_unit_test(test_elementwise),
        cmocka_unit_test(test_matrices), cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_shapes),   cmocka_unit_test(test_indices),
        cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
