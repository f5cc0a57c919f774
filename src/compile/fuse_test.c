/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes that become one operator, and nodes that must not.
 */
#include "compile/fuse.h"
#include "compile/gpu_form.h"

#include "base/index.h"

#include <stdio.h>

#include "graph/graph_testing.h"

typedef struct fixture {
    tacho_graph graph;
    tacho_fusion fusion;
} fixture;

static void setup(fixture *self)
{
    assert_null(tacho_graph_init(&self->graph));
    self->graph.path = TACHO_STR("m.onnx");
}

static void fuse(fixture *self)
{
    const tacho_fusion *fusion = &self->fusion;
    assert_null(tacho_fusion_init(&self->fusion, &self->graph));
    assert_int_equal(self->graph.node_count, fusion->folded_count + fusion->view_count +
                                                 fusion->unused_count + fusion->op_count +
                                                 tacho_fusion_fused_count(fusion));
}

static void teardown(fixture *self)
{
    tacho_fusion_deinit(&self->fusion);
    tacho_graph_deinit(&self->graph);
}

static const char *root_type(const fixture *self, size_t op)
{
    const tacho_node *node = &self->graph.nodes[self->fusion.ops[op].root];
    return tacho_graph_string(&self->graph, node->type).data;
}

static uint32_t listed(const fixture *self, uint32_t first, uint32_t i)
{
    return self->fusion.tensors[first + i];
}

/* Conv, batch norm, scale, bias, Relu; a view between; then a pool. */
static void test_convolution(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t x = TEST_F32(g, 1, 3, 8, 8), w = TEST_CONST(g, 4, 3, 3, 3);
    uint32_t y = TEST_F32(g, 1, 4, 8, 8), c = TEST_CONST(g, 4), y2 = TEST_F32(g, 1, 4, 8, 8);
    uint32_t y3 = TEST_F32(g, 1, 4, 8, 8), y4 = TEST_F32(g, 1, 4, 8, 8);
    uint32_t v = TEST_F32(g, 4, 8, 8), y5 = TEST_F32(g, 4, 8, 8), p = TEST_F32(g, 4, 4, 4);
    uint32_t scale = TEST_CONST(g, 4, 1, 1);
    TEST_NODE(g, "Conv", y, x, w);
    TEST_NODE(g, "BatchNormalization", y2, y, c, c, c, c);
    TEST_NODE(g, "Mul", y3, y2, scale);
    TEST_NODE(g, "Add", y4, scale, y3);
    TEST_NODE(g, "Reshape", v, y4, c);
    TEST_NODE(g, "Relu", y5, v);
    TEST_NODE(g, "MaxPool", p, y5);
    g->tensors[p].is_output = true;
    fuse(&f);
    assert_int_equal(f.fusion.op_count, 2);
    assert_int_equal(f.fusion.view_count, 1);
    const tacho_fused_op *op = &f.fusion.ops[0];
    assert_int_equal(op->kind, TACHO_OP_CONVOLUTION);
    assert_int_equal(op->member_count, 5);
    assert_int_equal(f.fusion.members[op->first_member + 4], 5);
    assert_int_equal(op->fused_steps, 1); /* the Relu; the rest is in the weights */
    assert_int_equal(op->input_count, 1);
    assert_int_equal(listed(&f, op->first_input, 0), x);
    assert_int_equal(op->weight_count, 2); /* of the batch norm only the data is read */
    assert_int_equal(listed(&f, op->first_weight, 0), w);
    assert_int_equal(listed(&f, op->first_weight, 1), scale);
    assert_int_equal(op->output_count, 1);
    assert_int_equal(listed(&f, op->first_output, 0), y5);
    assert_string_equal(root_type(&f, 1), "MaxPool");
    assert_int_equal(listed(&f, f.fusion.ops[1].first_input, 0), y5);
    teardown(&f);
}

/* A result that the network returns, that two read, or that grows is not passed inside. */
static void test_not_fused(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t x = TEST_F32(g, 1, 4, 1, 8), w = TEST_CONST(g, 4, 4, 1, 1);
    uint32_t a = TEST_F32(g, 1, 4, 1, 8), b = TEST_F32(g, 1, 4, 1, 8);
    uint32_t c = TEST_F32(g, 1, 4, 1, 8), d = TEST_F32(g, 1, 4, 1, 8);
    uint32_t e = TEST_F32(g, 1, 4, 1, 8), tall = TEST_CONST(g, 1, 1, 5, 1);
    uint32_t grown = TEST_F32(g, 1, 4, 5, 8);
    TEST_NODE(g, "Conv", a, x, w);
    TEST_NODE(g, "Relu", b, a); /* a is returned */
    TEST_NODE(g, "Conv", c, b, w);
    TEST_NODE(g, "Relu", d, c); /* c is read twice */
    TEST_NODE(g, "Add", e, c, d);
    TEST_NODE(g, "Add", grown, e, tall);
    g->tensors[a].is_output = true;
    g->tensors[grown].is_output = true;
    fuse(&f);
    static const char *const expected[] = {"Conv", "Relu", "Conv", "Add", "Add"};
    assert_int_equal(f.fusion.op_count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(root_type(&f, i), expected[i]);
    }
    /* Relu and Add read c one after the other: Relu is done on the way into the Add. */
    const tacho_fused_op *op = &f.fusion.ops[3];
    assert_int_equal(op->member_count, 2);
    assert_int_equal(op->input_count, 1);
    assert_int_equal(listed(&f, op->first_input, 0), c);
    assert_int_equal(op->fused_steps, 1);
    teardown(&f);
}

/* DQ -> Conv -> Relu -> Q: integers in, integers out; the weights as they are stored. */
static void test_quantised(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t xq = test_tensor(g, TACHO_DTYPE_U8, TEST_DIMS(1, 3, 8, 8));
    uint32_t wq = test_constant(g, TACHO_DTYPE_I8, TEST_DIMS(4, 3, 3, 3));
    uint32_t s = TEST_CONST(g, 1), x = TEST_F32(g, 1, 3, 8, 8);
    uint32_t w = TEST_F32(g, 4, 3, 3, 3), y = TEST_F32(g, 1, 4, 8, 8);
    uint32_t r = TEST_F32(g, 1, 4, 8, 8);
    uint32_t q = test_tensor(g, TACHO_DTYPE_U8, TEST_DIMS(1, 4, 8, 8));
    uint32_t d = TEST_F32(g, 1, 4, 8, 8), sm = TEST_F32(g, 1, 4, 8, 8);
    TEST_NODE(g, "DequantizeLinear", x, xq, s, s);
    TEST_NODE(g, "DequantizeLinear", w, wq, s, s)->is_folded = true;
    g->tensors[w].is_constant = true;
    TEST_NODE(g, "Conv", y, x, w);
    TEST_NODE(g, "Relu", r, y);
    TEST_NODE(g, "QuantizeLinear", q, r, s, s);
    TEST_NODE(g, "DequantizeLinear", d, q, s, s);
    TEST_NODE(g, "Fancy", sm, d); /* unknown: reads the dequantised input */
    g->tensors[sm].is_output = true;
    fuse(&f);
    assert_int_equal(f.fusion.op_count, 3);
    assert_int_equal(f.fusion.folded_count, 1);
    const tacho_fused_op *op = &f.fusion.ops[0];
    assert_string_equal(root_type(&f, 0), "Conv");
    assert_true(op->is_integer);
    assert_int_equal(op->member_count, 4);
    assert_int_equal(op->input_count, 1);
    assert_int_equal(listed(&f, op->first_input, 0), xq);
    assert_int_equal(op->weight_count, 1);
    assert_int_equal(listed(&f, op->first_weight, 0), wq);
    assert_int_equal(listed(&f, op->first_output, 0), q);
    assert_int_equal(op->fused_steps, 1); /* the Relu; quantising is part of writing */
    assert_string_equal(root_type(&f, 1), "DequantizeLinear");
    assert_int_equal(f.fusion.ops[2].kind, TACHO_OP_OTHER);
    assert_int_equal(listed(&f, f.fusion.ops[2].first_input, 0), d);
    teardown(&f);
}

/* Weights that are not quantised keep their convolution real, and its input dequantised. */
static void test_half_quantised(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t xq = test_tensor(g, TACHO_DTYPE_U8, TEST_DIMS(1, 3, 8, 8));
    uint32_t s = TEST_CONST(g, 1), x = TEST_F32(g, 1, 3, 8, 8), w = TEST_CONST(g, 4, 3, 3, 3);
    uint32_t y = TEST_F32(g, 1, 4, 8, 8);
    TEST_NODE(g, "DequantizeLinear", x, xq, s, s);
    TEST_NODE(g, "Conv", y, x, w);
    fuse(&f);
    assert_int_equal(f.fusion.op_count, 2);
    assert_false(f.fusion.ops[1].is_integer);
    assert_int_equal(listed(&f, f.fusion.ops[1].first_input, 0), x);
    teardown(&f);
}

/* One dequantised tensor for two operators on integers: both read the integers instead. */
static void test_shared_dequantiser(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t xq = test_tensor(g, TACHO_DTYPE_U8, TEST_DIMS(1, 8));
    uint32_t s = TEST_CONST(g, 1), x = TEST_F32(g, 1, 8), a = TEST_F32(g, 1, 8);
    uint32_t b = TEST_F32(g, 1, 8);
    TEST_NODE(g, "DequantizeLinear", x, xq, s, s);
    TEST_NODE(g, "Relu", a, x);
    TEST_NODE(g, "Sigmoid", b, x);
    g->tensors[a].is_output = true;
    g->tensors[b].is_output = true;
    fuse(&f);
    assert_int_equal(f.fusion.op_count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(f.fusion.ops[i].input_count, 1);
        assert_int_equal(listed(&f, f.fusion.ops[i].first_input, 0), xq);
    }
    teardown(&f);
}

/* TOSA: rescale in, rescale in, add, rescale out, clamp: one operator from i8 to i8. */
static void test_tosa_add(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t x = test_tensor(g, TACHO_DTYPE_I8, TEST_DIMS(1, 56, 56, 24));
    uint32_t c = TEST_CONST(g, 1);
    uint32_t mid[4];
    for (size_t i = 0; i < 4; i++) {
        mid[i] = test_tensor(g, TACHO_DTYPE_I32, TEST_DIMS(1, 56, 56, 24));
    }
    uint32_t q = test_tensor(g, TACHO_DTYPE_I8, TEST_DIMS(1, 56, 56, 24));
    uint32_t y = test_tensor(g, TACHO_DTYPE_I8, TEST_DIMS(1, 56, 56, 24));
    TEST_NODE(g, "tosa.rescale", mid[0], x, c, c);
    TEST_NODE(g, "tosa.rescale", mid[1], mid[0], c, c);
    TEST_NODE(g, "tosa.rescale", mid[2], x, c, c);
    TEST_NODE(g, "tosa.add", mid[3], mid[1], mid[2]);
    TEST_NODE(g, "tosa.rescale", q, mid[3], c, c);
    TEST_NODE(g, "tosa.clamp", y, q);
    g->tensors[y].is_output = true;
    fuse(&f);
    assert_int_equal(f.fusion.op_count, 1);
    const tacho_fused_op *op = &f.fusion.ops[0];
    assert_int_equal(op->kind, TACHO_OP_BINARY);
    assert_int_equal(op->member_count, 6);
    assert_int_equal(op->input_count, 1);
    assert_int_equal(listed(&f, op->first_input, 0), x);
    assert_int_equal(listed(&f, op->first_output, 0), y);
    assert_int_equal(op->fused_steps, 2); /* the clamp */
    teardown(&f);
}

/* A network that returns its input under another shape copies it. */
static void test_copy(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t x = TEST_F32(g, 4, 4), v = TEST_F32(g, 16), y = TEST_F32(g, 2, 8);
    TEST_NODE(g, "Reshape", v, x);
    TEST_NODE(g, "Reshape", y, v);
    g->tensors[x].is_input = true;
    g->tensors[y].is_output = true;
    fuse(&f);
    assert_int_equal(f.fusion.op_count, 1);
    assert_int_equal(f.fusion.view_count, 1);
    assert_int_equal(f.fusion.ops[0].kind, TACHO_OP_MOVE);
    assert_int_equal(listed(&f, f.fusion.ops[0].first_input, 0), x);
    assert_int_equal(listed(&f, f.fusion.ops[0].first_output, 0), y);
    teardown(&f);
}

/* A network that returns a constant still has to store it. */
static void test_constant_output(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t c = TEST_CONST(g, 4), d = TEST_CONST(g, 4), e = TEST_CONST(g, 4);
    TEST_NODE(g, "Relu", d, c)->is_folded = true;
    TEST_NODE(g, "Relu", e, d)->is_folded = true;
    g->tensors[e].is_output = true;
    fuse(&f);
    assert_int_equal(f.fusion.op_count, 1);
    assert_int_equal(f.fusion.folded_count, 1);
    assert_int_equal(f.fusion.ops[0].kind, TACHO_OP_MOVE);
    assert_int_equal(listed(&f, f.fusion.ops[0].first_output, 0), e);
    teardown(&f);
}

/* A gate of 96 numbers is made once, not with each of the 56 x 56 positions it is multiplied to. */
static void test_gate(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t x = TEST_F32(g, 1, 96, 1, 1), gate = TEST_F32(g, 1, 96, 1, 1);
    uint32_t data = TEST_F32(g, 1, 96, 56, 56), y = TEST_F32(g, 1, 96, 56, 56);
    TEST_NODE(g, "Sigmoid", gate, x);
    TEST_NODE(g, "Mul", y, gate, data);
    g->tensors[y].is_output = true;
    fuse(&f);
    assert_int_equal(f.fusion.op_count, 2);
    assert_string_equal(root_type(&f, 0), "Sigmoid");
    assert_int_equal(f.fusion.ops[1].fused_steps, 0);
    assert_int_equal(f.fusion.ops[1].input_count, 2);
    teardown(&f);
}

/* A product [8,16] by [16,8], then |type| with a constant of |dims|: its steps. */
static uint32_t steps_behind(bool has_weights, const char *type, const int64_t *dims,
                             bool is_constant_first)
{
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t a = TEST_F32(g, 8, 16);
    uint32_t b = has_weights ? TEST_CONST(g, 16, 8) : TEST_F32(g, 16, 8);
    uint32_t y = TEST_F32(g, 8, 8), z = TEST_F32(g, 8, 8);
    uint32_t c = test_constant(g, TACHO_DTYPE_F32, dims);
    TEST_NODE(g, "MatMul", y, a, b);
    if (is_constant_first) {
        TEST_NODE(g, type, z, c, y);
    } else {
        TEST_NODE(g, type, z, y, c);
    }
    fuse(&f);
    assert_int_equal(f.fusion.op_count, 1);
    uint32_t steps = f.fusion.ops[0].fused_steps;
    assert_int_equal(listed(&f, f.fusion.ops[0].first_weight, f.fusion.ops[0].weight_count - 1), c);
    teardown(&f);
    return steps;
}

/* Scales are free where weights can take them: one number, or one per column of the result. */
static void test_scales(void **state)
{
    (void)state;
    assert_int_equal(steps_behind(true, "Mul", TEST_DIMS(1), false), 0);
    assert_int_equal(steps_behind(true, "Mul", TEST_DIMS(8), false), 0);
    assert_int_equal(steps_behind(true, "Add", TEST_DIMS(1, 8), true), 0);
    assert_int_equal(steps_behind(true, "Div", TEST_DIMS(1), false), 0);
    assert_int_equal(steps_behind(true, "Div", TEST_DIMS(1), true), 4);     /* c / y */
    assert_int_equal(steps_behind(true, "Mul", TEST_DIMS(8, 1), false), 1); /* per row */
    assert_int_equal(steps_behind(true, "Mul", TEST_DIMS(8, 8), false), 1); /* a mask */
    assert_int_equal(steps_behind(false, "Mul", TEST_DIMS(1), false), 1);   /* no weights */
    assert_int_equal(steps_behind(true, "Max", TEST_DIMS(8), false), 1);
}

/* A scale that another operator makes is read; a constant one is part of the job. */
static void test_made_scale(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t x = TEST_F32(g, 6, 16), most = TEST_F32(g, 1), q = TEST_F32(g, 6, 16);
    uint32_t r = TEST_F32(g, 6, 16), one = TEST_CONST(g, 1);
    TEST_NODE(g, "ReduceMax", most, x);
    TEST_NODE(g, "QuantizeLinear", q, x, most);
    TEST_NODE(g, "QuantizeLinear", r, x, one);
    fuse(&f);
    assert_int_equal(f.fusion.op_count, 3);
    assert_int_equal(f.fusion.ops[1].input_count, 2);
    assert_int_equal(listed(&f, f.fusion.ops[1].first_input, 1), most);
    assert_int_equal(f.fusion.ops[2].input_count, 1);
    assert_int_equal(f.fusion.ops[2].weight_count, 0);
    teardown(&f);
}

/* Axes, bounds and counts that are constant are part of the job; those that are made are read. */
static void test_parameters(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t x = TEST_F32(g, 6, 16), y = TEST_F32(g, 6, 16), made = TEST_F32(g, 2);
    uint32_t sum = TEST_F32(g, 6, 1), wide = TEST_F32(g, 6, 20), other = TEST_F32(g, 6, 20);
    uint32_t axes = test_constant(g, TACHO_DTYPE_I64, TEST_DIMS(1));
    uint32_t pads = test_constant(g, TACHO_DTYPE_I64, TEST_DIMS(4));
    TEST_NODE(g, "ReduceSum", sum, x, axes);
    TEST_NODE(g, "Pad", wide, y, pads);
    TEST_NODE(g, "Pad", other, y, made);
    fuse(&f);
    assert_int_equal(f.fusion.op_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(f.fusion.ops[i].input_count, i < 2 ? 1 : 2);
        assert_int_equal(f.fusion.ops[i].weight_count, 0);
    }
    teardown(&f);
}

/* Weights as the first operand have a row for each channel. */
static void test_weights_first(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t w = TEST_CONST(g, 6, 16), x = TEST_F32(g, 16, 8), rows = TEST_CONST(g, 6, 1);
    uint32_t columns = TEST_CONST(g, 8), y = TEST_F32(g, 6, 8), z = TEST_F32(g, 6, 8);
    uint32_t u = TEST_F32(g, 6, 8);
    TEST_NODE(g, "MatMul", y, w, x);
    TEST_NODE(g, "Mul", z, y, rows);
    TEST_NODE(g, "Mul", u, z, columns);
    fuse(&f);
    assert_int_equal(f.fusion.op_count, 1);
    assert_int_equal(f.fusion.ops[0].fused_steps, 1); /* of the columns */
    teardown(&f);
}

/* Two tensors, dequantised with scales |s| and |t|, joined and quantised with scale |s|: steps. */
static uint32_t steps_of_concat(unsigned char other)
{
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t a = test_tensor(g, TACHO_DTYPE_U8, TEST_DIMS(1, 8));
    uint32_t b = test_tensor(g, TACHO_DTYPE_U8, TEST_DIMS(1, 8));
    uint32_t s = TEST_CONST(g, 1), t = TEST_CONST(g, 1);
    g->constants[g->tensors[t].constant].splat[3] = other;
    uint32_t x = TEST_F32(g, 1, 8), y = TEST_F32(g, 1, 8), z = TEST_F32(g, 2, 8);
    uint32_t q = test_tensor(g, TACHO_DTYPE_U8, TEST_DIMS(2, 8));
    TEST_NODE(g, "DequantizeLinear", x, a, s, s);
    TEST_NODE(g, "DequantizeLinear", y, b, t, s);
    TEST_NODE(g, "Concat", z, x, y);
    TEST_NODE(g, "QuantizeLinear", q, z, s, s);
    g->tensors[q].is_output = true;
    fuse(&f);
    assert_int_equal(f.fusion.op_count, 1);
    assert_int_equal(f.fusion.ops[0].kind, TACHO_OP_MOVE);
    uint32_t steps = f.fusion.ops[0].fused_steps;
    teardown(&f);
    return steps;
}

/* Quantised after |type| of real numbers, or of integers of the same scale: steps. */
static uint32_t steps_of_quantised(const char *type, bool is_integer)
{
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t a = test_tensor(g, TACHO_DTYPE_U8, TEST_DIMS(1, 4, 8, 8)), s = TEST_CONST(g, 1);
    uint32_t x = TEST_F32(g, 1, 4, 8, 8), y = TEST_F32(g, 1, 4, 8, 8);
    uint32_t q = test_tensor(g, TACHO_DTYPE_U8, TEST_DIMS(1, 4, 8, 8));
    if (is_integer) {
        TEST_NODE(g, "DequantizeLinear", x, a, s, s);
    }
    TEST_NODE(g, type, y, x);
    TEST_NODE(g, "QuantizeLinear", q, y, s, s);
    g->tensors[q].is_output = true;
    fuse(&f);
    assert_int_equal(f.fusion.op_count, 1);
    uint32_t steps = f.fusion.ops[0].fused_steps;
    teardown(&f);
    return steps;
}

/* Vector engines quantise their results: 3 steps, except for results that are only chosen from. */
static void test_quantised_vectors(void **state)
{
    (void)state;
    assert_int_equal(steps_of_quantised("Softmax", false), 3);
    assert_int_equal(steps_of_quantised("Softmax", true), 3);
    assert_int_equal(steps_of_quantised("MaxPool", true), 0);
    assert_int_equal(steps_of_quantised("MaxPool", false), 3);
}

/* Integers that mean the same are only moved; others are quantised anew: 3 steps each. */
static void test_moved(void **state)
{
    (void)state;
    assert_int_equal(steps_of_concat(0), 0);
    assert_int_equal(steps_of_concat(63), 3);
    fixture f;
    setup(&f); /* real numbers, moved and quantised */
    tacho_graph *g = &f.graph;
    uint32_t x = TEST_F32(g, 4, 8), y = TEST_F32(g, 8, 4), s = TEST_CONST(g, 1);
    uint32_t q = test_tensor(g, TACHO_DTYPE_U8, TEST_DIMS(8, 4));
    TEST_NODE(g, "Transpose", y, x);
    TEST_NODE(g, "QuantizeLinear", q, y, s, s);
    fuse(&f);
    assert_int_equal(f.fusion.op_count, 1);
    assert_int_equal(f.fusion.ops[0].fused_steps, 3);
    teardown(&f);
}

/* An unused node is left out, and does not keep others from being fused. */
static void test_unused(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t x = TEST_F32(g, 1, 4, 8, 8), w = TEST_CONST(g, 4, 4, 1, 1);
    uint32_t y = TEST_F32(g, 1, 4, 8, 8), r = TEST_F32(g, 1, 4, 8, 8);
    uint32_t a = TEST_F32(g, 1, 4, 8, 8), b = TEST_F32(g, 1, 4, 8, 8);
    TEST_NODE(g, "Conv", y, x, w);
    TEST_NODE(g, "Sigmoid", a, y);
    TEST_NODE(g, "Relu", r, y);
    TEST_NODE(g, "Sigmoid", b, a);
    g->tensors[r].is_output = true;
    fuse(&f);
    assert_int_equal(f.fusion.unused_count, 2);
    assert_int_equal(f.fusion.op_count, 1);
    assert_int_equal(f.fusion.ops[0].member_count, 2);
    teardown(&f);
}

/* A tensor read twice by one node has one reader: x + x takes in the node that makes x. */
static void test_same_operand(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t x = test_tensor(g, TACHO_DTYPE_I8, TEST_DIMS(1, 4));
    uint32_t a = test_tensor(g, TACHO_DTYPE_I32, TEST_DIMS(1, 4));
    uint32_t b = test_tensor(g, TACHO_DTYPE_I32, TEST_DIMS(1, 4));
    uint32_t c = test_tensor(g, TACHO_DTYPE_I8, TEST_DIMS(1, 4));
    uint32_t d = TEST_F32(g, 1, 4), e = TEST_F32(g, 1, 4), s = TEST_CONST(g, 1);
    uint32_t q = test_tensor(g, TACHO_DTYPE_I8, TEST_DIMS(1, 4));
    TEST_NODE(g, "tosa.rescale", a, x);
    TEST_NODE(g, "tosa.add", b, a, a);
    TEST_NODE(g, "tosa.rescale", c, b);
    TEST_NODE(g, "DequantizeLinear", d, c, s, s);
    TEST_NODE(g, "Mul", e, d, d);
    TEST_NODE(g, "QuantizeLinear", q, e, s, s);
    g->tensors[q].is_output = true;
    fuse(&f);
    assert_int_equal(f.fusion.op_count, 2);
    assert_string_equal(root_type(&f, 0), "tosa.add");
    assert_string_equal(root_type(&f, 1), "Mul");
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(f.fusion.ops[i].member_count, 3);
        assert_int_equal(f.fusion.ops[i].input_count, 1);
    }
    assert_int_equal(listed(&f, f.fusion.ops[0].first_input, 0), x);
    assert_int_equal(listed(&f, f.fusion.ops[1].first_input, 0), c);
    assert_true(f.fusion.ops[1].is_integer);
    teardown(&f);
}

/* Says of the last node which of PyTorch's operators it is a part of. */
static void set_origin(tacho_graph *graph, const char *origin)
{
    tacho_node *node = &graph->nodes[graph->node_count - 1];
    assert_null(
        tacho_strings_ensure(&graph->strings, tacho_str_from_cstring(origin), &node->scope));
}

/*
 * As PyTorch runs it: the bias goes with its product, nodes split from one operator are one again,
 * and everything else stands alone.
 */
static void test_eager(void **state)
{
    (void)state;
    static const char linear[] = "net: Net/fc: torch.nn.Linear/linear: aten.linear.default";
    static const char gelu[] = "net: Net/act: torch.nn.GELU/gelu: aten.gelu.default";
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t x = TEST_F32(g, 8, 16), w = TEST_CONST(g, 16, 4), b = TEST_CONST(g, 4);
    uint32_t one = TEST_CONST(g, 1), t[7];
    for (size_t i = 0; i < 7; i++) {
        t[i] = TEST_F32(g, 8, 4);
    }
    TEST_NODE(g, "MatMul", t[0], x, w);
    set_origin(g, linear);
    TEST_NODE(g, "Add", t[1], t[0], b);
    set_origin(g, linear);
    TEST_NODE(g, "Div", t[2], t[1], one);
    set_origin(g, gelu);
    TEST_NODE(g, "Erf", t[3], t[2]);
    set_origin(g, gelu);
    TEST_NODE(g, "Mul", t[4], t[1], t[3]);
    set_origin(g, gelu);
    TEST_NODE(g, "Relu", t[5], t[4]);
    TEST_NODE(g, "Relu", t[6], t[5]);
    g->tensors[t[6]].is_output = true;
    assert_string_equal(tacho_graph_origin(g, &g->nodes[0]).data, "linear.default");
    assert_int_equal(tacho_graph_origin(g, &g->nodes[5]).len, 0);
    assert_null(tacho_fusion_init_eager(&f.fusion, g, false));
    assert_int_equal(f.fusion.op_count, 4);
    assert_string_equal(root_type(&f, 0), "MatMul");
    assert_int_equal(f.fusion.ops[0].member_count, 2);
    assert_string_equal(root_type(&f, 1), "Mul");
    assert_int_equal(f.fusion.ops[1].member_count, 3);
    assert_int_equal(f.fusion.ops[1].input_count, 1);
    assert_int_equal(listed(&f, f.fusion.ops[1].first_input, 0), t[1]);
    assert_string_equal(root_type(&f, 3), "Relu");
    teardown(&f);
}

/* A node with another reader stays an operator of its own. */
static void test_eager_shared(void **state)
{
    (void)state;
    static const char gelu[] = "net: Net/act: torch.nn.GELU/gelu: aten.gelu.default";
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t x = TEST_F32(g, 8, 4), a = TEST_F32(g, 8, 4), b = TEST_F32(g, 8, 4);
    uint32_t c = TEST_F32(g, 8, 4), d = TEST_F32(g, 8, 4);
    TEST_NODE(g, "Erf", a, x);
    set_origin(g, gelu);
    TEST_NODE(g, "Relu", b, a); /* between the two, and reads the first */
    TEST_NODE(g, "Mul", c, x, a);
    set_origin(g, gelu);
    TEST_NODE(g, "Add", d, b, c);
    g->tensors[d].is_output = true;
    assert_null(tacho_fusion_init_eager(&f.fusion, g, false));
    assert_int_equal(f.fusion.op_count, 4);
    teardown(&f);
}

/* Attention as exporters write it: scaled queries, a mask, and a guard against empty rows. */
typedef struct attention {
    uint32_t scores, shares, guarded, sums, mask;
} attention;

static attention add_attention(tacho_graph *g)
{
    uint32_t q = TEST_F32(g, 2, 8, 4), k = TEST_F32(g, 2, 4, 8), v = TEST_F32(g, 2, 8, 4);
    uint32_t mask = TEST_F32(g, 1, 8, 8), scale = TEST_CONST(g, 1), zero = TEST_CONST(g, 1);
    uint32_t scaled = TEST_F32(g, 2, 8, 4), masked = TEST_F32(g, 2, 8, 8);
    uint32_t empty = TEST_F32(g, 2, 8, 8), y = TEST_F32(g, 2, 8, 4);
    attention made = {TEST_F32(g, 2, 8, 8), TEST_F32(g, 2, 8, 8), TEST_F32(g, 2, 8, 8), y, mask};
    TEST_NODE(g, "Mul", scaled, q, scale);
    TEST_NODE(g, "MatMul", made.scores, scaled, k);
    TEST_NODE(g, "Add", masked, made.scores, mask);
    TEST_NODE(g, "Softmax", made.shares, masked);
    TEST_NODE(g, "Relu", empty, made.shares); /* for IsNaN */
    TEST_NODE(g, "Where", made.guarded, empty, zero, made.shares);
    TEST_NODE(g, "MatMul", y, made.guarded, v);
    g->tensors[y].is_output = true;
    for (uint32_t i = 0; i < g->node_count; i++) {
        g->nodes[i].index = i;
    }
    return made;
}

static void test_attention(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    add_attention(&f.graph);
    assert_null(tacho_fusion_init_eager(&f.fusion, &f.graph, false));
    assert_int_equal(f.fusion.op_count, 1);
    assert_int_equal(f.fusion.ops[0].member_count, 7);
    assert_int_equal(f.fusion.ops[0].root, 6);
    assert_int_equal(f.fusion.ops[0].input_count, 4);
    tacho_fusion_deinit(&f.fusion);
    /* As written it is seven kernels, unless it was one operator of the model. */
    assert_null(tacho_fusion_init_eager(&f.fusion, &f.graph, true));
    assert_int_equal(f.fusion.op_count, 7);
    tacho_fusion_deinit(&f.fusion);
    for (uint32_t i = 0; i < f.graph.node_count; i++) {
        f.graph.nodes[i].index = 0;
    }
    assert_null(tacho_fusion_init_eager(&f.fusion, &f.graph, true));
    assert_int_equal(f.fusion.op_count, 1);
    teardown(&f);
}

/* With a mask from an input it is another kernel, which reads the mask, too. */
static void test_attention_mask(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    attention made = add_attention(&f.graph);
    assert_null(tacho_fusion_init_eager(&f.fusion, &f.graph, false));
    tacho_work work = {.output = {.bytes = 2 * 8 * 4 * 4}};
    tacho_gpu_form_set(&f.fusion, &f.fusion.ops[0], 1, &work);
    assert_int_equal(work.kernel.form, TACHO_FORM_ATTENTION);
    assert_true(work.kernel.has_mask);
    uint64_t masked_bytes = work.input.bytes;
    f.graph.tensors[made.mask].is_constant = true;
    tacho_gpu_form_set(&f.fusion, &f.fusion.ops[0], 1, &work);
    assert_false(work.kernel.has_mask);
    assert_int_equal(masked_bytes - work.input.bytes, 8 * 8 * 4);
    teardown(&f);
}

/* Scores with another reader, or computed one by one according to the exporter, stay apart. */
static void test_attention_apart(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        fixture f;
        setup(&f);
        tacho_graph *g = &f.graph;
        attention made = add_attention(g);
        uint32_t other = TEST_F32(g, 2, 8, 8);
        if (i == 0) {
            g->tensors[made.shares].is_output = true;
        } else if (i == 1) {
            TEST_NODE(g, "Relu", other, made.scores);
            g->tensors[other].is_output = true;
        } else if (i == 2) {
            TEST_NODE(g, "Relu", other, made.guarded);
            g->tensors[other].is_output = true;
        } else {
            TEST_NODE(g, "Relu", other, made.sums);
            g->tensors[other].is_output = true;
        }
        assert_null(tacho_fusion_init_eager(&f.fusion, g, false));
        assert_int_equal(f.fusion.op_count, i == 0 ? 7 : i == 3 ? 2 : 8);
        teardown(&f);
    }
}

/* The exporter's note decides. */
static void test_attention_origin(void **state)
{
    (void)state;
    static const struct {
        const char *scope;
        size_t ops;
    } cases[] = {
        {"n: N/a: A/sdpa: aten.scaled_dot_product_attention.default", 1},
        {"n: N/a: A/matmul: aten.matmul.default", 7},
    };
    for (size_t i = 0; i < 2; i++) {
        fixture f;
        setup(&f);
        add_attention(&f.graph);
        uint32_t scope;
        tacho_str text = tacho_str_from_cstring(cases[i].scope);
        assert_null(tacho_strings_ensure(&f.graph.strings, text, &scope));
        f.graph.nodes[1].scope = scope;
        assert_null(tacho_fusion_init_eager(&f.fusion, &f.graph, false));
        assert_int_equal(f.fusion.op_count, cases[i].ops);
        teardown(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attention),
        cmocka_unit_test(test_attention_mask),
        cmocka_unit_test(test_attention_apart),
        cmocka_unit_test(test_attention_origin),
        cmocka_unit_test(test_eager),
        cmocka_unit_test(test_eager_shared),
        cmocka_unit_test(test_convolution),
        cmocka_unit_test(test_not_fused),
        cmocka_unit_test(test_quantised),
        cmocka_unit_test(test_half_quantised),
        cmocka_unit_test(test_quantised_vectors),
        cmocka_unit_test(test_shared_dequantiser),
        cmocka_unit_test(test_tosa_add),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_constant_output),
        cmocka_unit_test(test_gate),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_made_scale),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_weights_first),
        cmocka_unit_test(test_moved),
        cmocka_unit_test(test_unused),
        cmocka_unit_test(test_same_operand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
