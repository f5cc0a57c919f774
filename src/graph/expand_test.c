/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators that are replaced by simpler ones: which, with which shapes, and when they stay.
 * Values are compared by tests/models/composed_values.py.
 */
#include "graph/graph_testing.h"
#include "graph/infer.h"

/* Infers a graph of one node; its nodes are then "Add LayerNormalization", its output 0 |made|. */
static void check(const char *type, const char *inputs, const char *attrs, const char *nodes,
                  const char *made)
{
    tacho_graph graph;
    char text[TACHO_SHAPE_TEXT_MAX + 16], found[512] = "";
    testing_init(&graph);
    testing_node(&graph, type, 1, (const char *const[]){inputs, attrs, "y"});
    graph.nodes[0].def = strchr(type, '.') != NULL ? NULL : graph.nodes[0].def;
    testing_find(&graph, "y")->is_output = true;
    assert_null(tacho_graph_infer(&graph));
    for (size_t i = 0; i < graph.node_count; i++) {
        size_t len = strlen(found);
        snprintf(found + len, sizeof(found) - len, "%s%s", i > 0 ? " " : "",
                 tacho_graph_string(&graph, graph.nodes[i].type).data);
        assert_string_equal(tacho_graph_string(&graph, graph.nodes[i].location).data, "here");
    }
    assert_string_equal(found, nodes);
    assert_string_equal(testing_type(testing_find(&graph, "y"), text, sizeof(text)), made);
    uint32_t producer = testing_find(&graph, "y")->producer;
    assert_true(producer < graph.node_count);
    tacho_graph_deinit(&graph);
}

static void test_replaced(void **state)
{
    (void)state;
    check("com.microsoft.SkipLayerNormalization", "f32:2x3x8 f32:2x3x8 f32:8 f32:8 f32:8", "",
          "Add Add LayerNormalization", "f32:2x3x8");
    check("com.microsoft.SkipSimplifiedLayerNormalization", "f32:2x3x8 f32:2x3x8 f32:8", "",
          "Add RMSNormalization", "f32:2x3x8");
    check("com.microsoft.BiasGelu", "f32:2x8 f32:8", "", "Add Gelu", "f32:2x8");
    check("com.microsoft.FusedMatMul", "f16:2x3x8 f16:2x5x8", "transB=1 alpha=0.5",
          "Transpose MatMul Mul", "f16:2x3x5");
    check("com.microsoft.QLinearAdd", "u8:2x3 f32: u8: u8:3 f32: u8: f32: u8:", "",
          "DequantizeLinear DequantizeLinear Add QuantizeLinear", "u8:2x3");
    check("com.microsoft.QLinearSoftmax", "i8:2x3 f32: i8: f32: i8:", "axis=-1 opset=13",
          "com.microsoft.QLinearSoftmax", "i8:2x3");
    check("OptionalGetElement", "f32:2x3", "", "Identity", "f32:2x3");
    check("com.microsoft.DynamicQuantizeLSTM",
          "f32:7x2x5 i8:1x5x12 i8:1x3x12 f32:1x24 none none none none f32:1 i8:1 f32:1 i8:1", "",
          "DynamicQuantizeLinear Transpose Transpose tacho.QuantisedLSTM", "f32:7x1x2x3");
    check("com.microsoft.QLinearGlobalAveragePool",
          "u8:1x4x4x3 f32: u8: f32: u8:", "channels_last=1",
          "DequantizeLinear Transpose GlobalAveragePool Transpose QuantizeLinear", "u8:1x1x1x3");
}

static void test_attention(void **state)
{
    (void)state;
    check("Attention", "f32:1x2x3x8 f32:1x2x5x8 f32:1x2x5x4", "",
          "Mul Transpose MatMul Softmax MatMul", "f32:1x2x3x4");
    /* Six heads share two keys: no copies of keys or values. */
    check("Attention", "f16:1x3x48 f16:1x3x16 f16:1x3x16", "q_num_heads=6 kv_num_heads=2",
          "Reshape Transpose Reshape Transpose Reshape Transpose Mul Transpose Reshape MatMul "
          "Reshape Softmax Reshape MatMul Reshape Transpose Reshape",
          "f16:1x3x48");
    check("com.microsoft.RotaryEmbedding", "f32:2x4x3x8 i64:2x3 f32:9x4 f32:9x4", "",
          "Gather Gather Unsqueeze Unsqueeze Slice Slice Mul Mul Sub Mul Mul Add Concat",
          "f32:2x4x3x8");
}

/* Rows are gathered first, and only they become numbers; their shape follows from the indices. */
static void test_gathered(void **state)
{
    (void)state;
    const char *attrs = "bits=8 block_size=16";
    check("com.microsoft.GatherBlockQuantized", "u8:9x32 i64:2x3 f32:9x2", attrs,
          "Gather Gather DequantizeLinear", "f32:2x3x32");
    check("com.microsoft.GatherBlockQuantized", "u8:9x16 i64:2x3 f32:9x2 u8:9x1", "block_size=16",
          "Gather BitwiseAnd BitShift Unsqueeze Unsqueeze Concat Reshape Gather Gather BitwiseAnd "
          "BitShift Unsqueeze Unsqueeze Concat Reshape DequantizeLinear",
          "f32:2x3x32");
    check("com.microsoft.GatherBlockQuantized", "u8:9x16 i64:2x3 f32:9x2", "gather_axis=1",
          "com.microsoft.GatherBlockQuantized", "unknown:*"); /* halves of bytes */
    check("com.microsoft.NhwcMaxPool", "u8:1x8x8x3", "kernel_shape=[2,2] strides=[2,2]",
          "Transpose MaxPool Transpose", "u8:1x4x4x3");
    check("com.microsoft.Trilu", "f32:4x5", "upper=0", "Trilu", "f32:4x5");
}

/* Without shapes an operator stays unchanged: unknown, or known by its row. */
static void test_kept(void **state)
{
    (void)state;
    check("com.microsoft.BiasGelu", "f32:2x? f32:8", "", "com.microsoft.BiasGelu", "unknown:*");
    check("com.microsoft.BiasGelu", "f32:* f32:8", "", "com.microsoft.BiasGelu", "unknown:*");
    check("com.microsoft.NoSuchThing", "f32:2x2", "", "com.microsoft.NoSuchThing", "unknown:*");
    /* Weights that are not constant have no bits to read in another way. */
    check("com.microsoft.MatMulNBits", "f32:2x32 u8:4x1x16 f32:4", "K=32 N=4 block_size=32",
          "com.microsoft.MatMulNBits", "unknown:*");
}

static void check_refused(const char *type, const char *inputs, const char *attrs,
                          const char *message)
{
    tacho_graph graph;
    testing_init(&graph);
    testing_node(&graph, type, 1, (const char *const[]){inputs, attrs, "y"});
    graph.nodes[0].def = NULL;
    tacho_status status = tacho_graph_infer(&graph);
    assert_non_null(status);
    assert_string_equal(tacho_status_message(status), message);
    tacho_status_free(status);
    tacho_graph_deinit(&graph);
}

static void test_refused(void **state)
{
    (void)state;
    check_refused(
        "com.microsoft.GroupQueryAttention",
        "f32:1x2x9 f32:1x2x4 f32:1x2x4 - - i32:1 i32:", "num_heads=2 kv_num_heads=1",
        "m.onnx: node 0 'n' (com.microsoft.GroupQueryAttention): 2 and 1 heads do not fit "
        "a width of 9; at here");
    check_refused("com.microsoft.GatherBlockQuantized", "u8:9x32 i64:2 f32:9x2",
                  "bits=8 quantize_axis=0",
                  "m.onnx: node 0 'n' (com.microsoft.GatherBlockQuantized): gather_axis and "
                  "quantize_axis are both 0; at here");
    check_refused("com.microsoft.BiasGelu", "f32:2x8", "",
                  "m.onnx: node 0 'n' (com.microsoft.BiasGelu): input 1 is missing; at here");
    check_refused("com.microsoft.BiasGelu", "f32:2x8 f32:2x8", "",
                  "m.onnx: node 0 'n' (com.microsoft.BiasGelu): input 1 has shape 2x8, expected 1 "
                  "to 1 dimensions; at here");
    check_refused(
        "com.microsoft.MatMulNBits", "f32:2x31 u8:4x1x16 f32:4", "K=32 N=4 block_size=32",
        "m.onnx: node 0 'n' (com.microsoft.MatMulNBits): K is 32, N 4, block_size 32; the "
        "input has 31 columns; at here");
    check_refused(
        "com.microsoft.QLinearConcat", "f32: u8: u8:2 f32:", "",
        "m.onnx: node 0 'n' (com.microsoft.QLinearConcat): 4 inputs; expected a scale and "
        "a zero point, then a tensor, a scale and a zero point for each part; at here");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replaced),
        cmocka_unit_test(test_attention),
        cmocka_unit_test(test_gathered),
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
