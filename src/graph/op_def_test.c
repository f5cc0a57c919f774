/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of operators: the same function costs the same in every format; effects of attributes.
 */
#include "graph/op_def.h"

#include "graph/graph_testing.h"

static void test_same_steps(void **state)
{
    (void)state;
    static const struct {
        const char *onnx, *tosa;
        uint32_t steps;
    } rows[] = {
        {"Abs", "tosa.abs", 1},
        {"Add", "tosa.add", 1},
        {"Clip", "tosa.clamp", 2},
        {"Conv", "tosa.conv2d", 1},
        {"Cos", "tosa.cos", 12},
        {"Div", "tosa.div", 4},
        {"Erf", "tosa.erf", 11},
        {"Exp", "tosa.exp", 8},
        {"Log", "tosa.log", 8},
        {"MatMul", "tosa.matmul", 1},
        {"Mul", "tosa.mul", 1},
        {"Pow", "tosa.pow", 16},
        {"Where", "tosa.select", 1},
        {"Reciprocal", "tosa.reciprocal", 4},
        {"Resize", "tosa.resize", 8},
        {"Sigmoid", "tosa.sigmoid", 12},
        {"Sin", "tosa.sin", 12},
        {"Sqrt", "tosa.rsqrt", 4},
        {"Tanh", "tosa.tanh", 12},
        {"ArgMax", "tosa.argmax", 2},
        {"MaxPool", "tosa.max_pool2d", 1},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const tacho_op_def *onnx = tacho_op_def_find(tacho_str_from_cstring(rows[i].onnx));
        const tacho_op_def *tosa = tacho_op_def_find(tacho_str_from_cstring(rows[i].tosa));
        assert_int_equal(onnx->steps, rows[i].steps);
        assert_int_equal(tosa->steps, rows[i].steps);
        assert_int_equal(onnx->kind, tosa->kind);
    }
}

/* LSTM: (3 * 12 + 2 * 12 + 8) / 4 = 17; GRU: (2 * 12 + 12 + 8) / 3 = 14.7; RNN: 12 + 1. */
static void test_gates(void **state)
{
    (void)state;
    assert_int_equal(tacho_op_def_find(TACHO_STR("LSTM"))->steps, 17);
    assert_int_equal(tacho_op_def_find(TACHO_STR("GRU"))->steps, 15);
    assert_int_equal(tacho_op_def_find(TACHO_STR("RNN"))->steps, 13);
}

static void check(const char *type, const char *inputs, const char *attrs, tacho_op_kind kind,
                  uint32_t steps)
{
    tacho_graph graph;
    testing_init(&graph);
    testing_node(&graph, type, 13, (const char *const[]){inputs, attrs, "y"});
    assert_int_equal(tacho_op_kind_of(&graph, &graph.nodes[0]), kind);
    assert_int_equal(tacho_op_steps_of(&graph, &graph.nodes[0]), steps);
    tacho_graph_deinit(&graph);
}

static void test_by_attribute(void **state)
{
    (void)state;
    check("Resize", "f32:1x1x2x2", "", TACHO_OP_MOVE, 0);
    check("Resize", "f32:1x1x2x2", "mode='nearest'", TACHO_OP_MOVE, 0);
    check("Resize", "f32:1x1x2x2", "mode='linear'", TACHO_OP_UNARY, 8);
    check("Resize", "f32:1x1x2x2", "mode='cubic'", TACHO_OP_UNARY, 24);
    check("tosa.resize", "f32:1x2x2x1", "mode='BILINEAR'", TACHO_OP_UNARY, 8);
    check("tosa.resize", "f32:1x2x2x1", "mode='NEAREST_NEIGHBOR'", TACHO_OP_MOVE, 0);
    check("Einsum", "f32:2x3 f32:3x4", "equation='ij,jk->ik'", TACHO_OP_MATMUL, 1);
    check("Einsum", "f32:2x3 f32:2x3", "equation='ij,ij->ij'", TACHO_OP_BINARY, 1);
    check("Einsum", "f32:2x3", "equation='ij->ji'", TACHO_OP_MOVE, 1);
    check("Einsum", "f32:2x3", "equation='ij->'", TACHO_OP_REDUCTION, 1);
    check("Einsum", "f32:2 f32:2 f32:2", "equation='i,i,i->'", TACHO_OP_OTHER, 1);
    check("Einsum", "f32:2x? f32:3x4", "equation='ij,jk->ik'", TACHO_OP_MATMUL, 1);
    check("Nothing", "f32:2", "", TACHO_OP_OTHER, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_steps),
        cmocka_unit_test(test_gates),
        cmocka_unit_test(test_by_attribute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
