/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sizes worked out by hand.
 */
#include "compile/work_of.h"

#include "base/index.h"
#include "compile/place.h"

#include <stdio.h>

#include "graph/graph_testing.h"

typedef struct fixture {
    tacho_graph graph;
    tacho_fusion fusion;
    tacho_work work;
} fixture;

static void setup(fixture *self)
{
    assert_null(tacho_graph_init(&self->graph));
    self->graph.path = TACHO_STR("m.onnx");
}

static uint64_t macs(const tacho_work *work)
{
    return work->batch * work->m * work->n * work->k_channels * work->k_window;
}

/* Measures the last operator, all of it in shared memory. */
static void measure(fixture *self)
{
    tacho_work_options options = {.dtype = TACHO_DTYPE_NONE};
    assert_null(tacho_fusion_init(&self->fusion, &self->graph));
    assert_true(self->fusion.op_count > 0);
    assert_null(tacho_work_compute(&self->fusion, &self->fusion.ops[self->fusion.op_count - 1],
                                   &options, &self->work));
}

static void teardown(fixture *self)
{
    tacho_fusion_deinit(&self->fusion);
    tacho_graph_deinit(&self->graph);
}

static tacho_attr int_attr(const char *name, int64_t value)
{
    return (tacho_attr){
        .name = tacho_str_from_cstring(name), .kind = TACHO_ATTR_INT, .value.as_int = value};
}

/* The first layer of a ResNet: 7x7, stride 2, 3 to 64 channels, 224 to 112. */
static void test_convolution(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t x = TEST_F32(g, 2, 3, 224, 224), w = TEST_CONST(g, 64, 3, 7, 7);
    uint32_t b = TEST_CONST(g, 64), y = TEST_F32(g, 2, 64, 112, 112);
    uint32_t r = TEST_F32(g, 2, 64, 112, 112);
    TEST_NODE(g, "Conv", y, x, w, b);
    TEST_NODE(g, "Relu", r, y);
    measure(&f);
    assert_int_equal(f.work.kind, TACHO_WORK_MATRIX);
    assert_int_equal(f.work.batch, 1);
    assert_int_equal(f.work.m, 2 * 112 * 112);
    assert_int_equal(f.work.n, 64);
    assert_int_equal(f.work.k_channels, 3);
    assert_int_equal(f.work.k_window, 49);
    assert_int_equal(macs(&f.work), 2 * UINT64_C(118013952));
    assert_int_equal(f.work.input.bytes, 2 * 3 * 224 * 224 * 4);
    assert_int_equal(f.work.weights.bytes, (64 * 3 * 49 + 64) * 4);
    assert_int_equal(f.work.output.bytes, 2 * 64 * 112 * 112 * 4);
    assert_int_equal(f.work.steps, 1);
    assert_int_equal(f.work.elements, 2 * 64 * 112 * 112);
    teardown(&f);
}

/* 6 channels in 3 groups to 9: each group 2 to 3. */
static void test_groups(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t x = TEST_F32(g, 1, 6, 10), w = TEST_CONST(g, 9, 2, 3), y = TEST_F32(g, 1, 9, 8);
    tacho_attr group = int_attr("group", 3);
    test_node(g, "Conv", (const uint32_t[]){x, w, TACHO_NONE}, y, &group);
    measure(&f);
    assert_int_equal(f.work.batch, 3);
    assert_int_equal(f.work.m, 8);
    assert_int_equal(f.work.n, 3);
    assert_int_equal(f.work.k_channels, 2);
    assert_int_equal(f.work.k_window, 3);
    assert_int_equal(macs(&f.work), 8 * 9 * 2 * 3);
    teardown(&f);
}

/* 5x5 positions of 4 channels, each to 3x3 of 2: every input meets every weight. */
static void test_deconvolution(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t x = TEST_F32(g, 1, 4, 5, 5), w = TEST_CONST(g, 4, 2, 3, 3);
    uint32_t y = TEST_F32(g, 1, 2, 11, 11);
    TEST_NODE(g, "ConvTranspose", y, x, w);
    measure(&f);
    assert_int_equal(macs(&f.work), 25 * 4 * 2 * 9);
    teardown(&f);
    setup(&f);
    x = TEST_F32(g, 1, 5, 5, 4), w = TEST_CONST(g, 2, 3, 3, 4), y = TEST_F32(g, 1, 11, 11, 2);
    TEST_NODE(g, "tosa.transpose_conv2d", y, x, w);
    measure(&f);
    assert_int_equal(macs(&f.work), 25 * 4 * 2 * 9);
    teardown(&f);
}

static void test_tosa_convolutions(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t x = test_tensor(g, TACHO_DTYPE_I8, TEST_DIMS(1, 16, 16, 8));
    uint32_t w = test_constant(g, TACHO_DTYPE_I8, TEST_DIMS(12, 3, 5, 8));
    uint32_t y = test_tensor(g, TACHO_DTYPE_I32, TEST_DIMS(1, 14, 12, 12));
    TEST_NODE(g, "tosa.conv2d", y, x, w);
    measure(&f);
    assert_int_equal(f.work.m, 14 * 12);
    assert_int_equal(f.work.n, 12);
    assert_int_equal(f.work.k_channels, 8);
    assert_int_equal(f.work.k_window, 15);
    assert_int_equal(f.work.input.dtype, TACHO_DTYPE_I8);
    teardown(&f);
    setup(&f);
    x = test_tensor(g, TACHO_DTYPE_I8, TEST_DIMS(1, 16, 16, 8));
    w = test_constant(g, TACHO_DTYPE_I8, TEST_DIMS(3, 3, 8, 2));
    y = test_tensor(g, TACHO_DTYPE_I32, TEST_DIMS(1, 14, 14, 16));
    TEST_NODE(g, "tosa.depthwise_conv2d", y, x, w);
    measure(&f);
    assert_int_equal(f.work.batch, 8);
    assert_int_equal(f.work.n, 2);
    assert_int_equal(f.work.k_channels, 1);
    assert_int_equal(macs(&f.work), 14 * 14 * 16 * 9);
    teardown(&f);
}

static void test_matmul(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t a = TEST_F32(g, 2, 3, 128, 64), b = TEST_F32(g, 2, 3, 64, 32);
    uint32_t y = TEST_F32(g, 2, 3, 128, 32);
    TEST_NODE(g, "MatMul", y, a, b);
    measure(&f);
    assert_int_equal(f.work.batch, 6);
    assert_int_equal(f.work.m, 128);
    assert_int_equal(f.work.n, 32);
    assert_int_equal(f.work.k_channels, 64);
    assert_int_equal(f.work.weights.bytes, 2 * 3 * 64 * 32 * 4); /* the second matrix */
    teardown(&f);
    setup(&f); /* one weight for a batch of sequences: a taller product */
    a = TEST_F32(g, 8, 128, 64), b = TEST_CONST(g, 64, 32), y = TEST_F32(g, 8, 128, 32);
    TEST_NODE(g, "MatMul", y, a, b);
    measure(&f);
    assert_int_equal(f.work.batch, 1);
    assert_int_equal(f.work.m, 8 * 128);
    teardown(&f);
    setup(&f); /* vectors */
    a = TEST_F32(g, 64), b = TEST_F32(g, 64), y = TEST_F32(g, 1);
    assert_null(tacho_graph_set_shape(g, &g->tensors[y], &(tacho_shape){.rank = 0}));
    TEST_NODE(g, "MatMul", y, a, b);
    measure(&f);
    assert_int_equal(macs(&f.work), 64);
    teardown(&f);
    setup(&f); /* Gemm with its first matrix transposed */
    a = TEST_F32(g, 64, 5), b = TEST_CONST(g, 7, 64), y = TEST_F32(g, 5, 7);
    tacho_attr transposed = int_attr("transA", 1);
    test_node(g, "MatMul", (const uint32_t[]){a, b, TACHO_NONE}, y, &transposed);
    measure(&f);
    assert_int_equal(f.work.m, 5);
    assert_int_equal(f.work.n, 7);
    assert_int_equal(f.work.k_channels, 64);
    teardown(&f);
}

/* An LSTM of 16 units over 10 steps of 8 numbers, 2 at a time: 4 gates. */
static void test_recurrent(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t x = TEST_F32(g, 10, 2, 8), w = TEST_CONST(g, 1, 64, 8), r = TEST_CONST(g, 1, 64, 16);
    uint32_t y = TEST_F32(g, 10, 1, 2, 16);
    TEST_NODE(g, "LSTM", y, x, w, r);
    measure(&f);
    assert_int_equal(macs(&f.work), 10 * 2 * (64 * 8 + 64 * 16));
    assert_int_equal(f.work.sequence, 10); /* each of 2 rows */
    assert_int_equal(f.work.m, 10 * 2);
    assert_int_equal(f.work.n, 64);
    assert_int_equal(f.work.elements * f.work.steps, 10 * 2 * 64 * 3);
    teardown(&f);
    setup(&f); /* both ways, the batch first: two products for each step */
    x = TEST_F32(g, 2, 10, 8), w = TEST_CONST(g, 2, 64, 8), r = TEST_CONST(g, 2, 64, 16);
    y = TEST_F32(g, 2, 10, 2, 16);
    tacho_attr layout = int_attr("layout", 1);
    test_node(g, "LSTM", (const uint32_t[]){x, w, r, TACHO_NONE}, y, &layout);
    measure(&f);
    assert_int_equal(f.work.batch, 2);
    assert_int_equal(f.work.sequence, 10);
    assert_int_equal(macs(&f.work), 2 * 10 * 2 * (64 * 8 + 64 * 16));
    assert_int_equal(f.work.elements, 2 * 10 * 2 * 64);
    teardown(&f);
}

static void test_vectors(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    int64_t window[] = {3, 2};
    tacho_attr kernel = {.name = TACHO_STR("kernel_shape"),
                         .kind = TACHO_ATTR_INTS,
                         .count = 2,
                         .value.as_ints = window};
    uint32_t x = TEST_F32(g, 1, 4, 9, 8), y = TEST_F32(g, 1, 4, 3, 4), z = TEST_F32(g, 1, 4, 3, 4);
    test_node(g, "MaxPool", (const uint32_t[]){x, TACHO_NONE}, y, &kernel);
    TEST_NODE(g, "Sigmoid", z, y);
    measure(&f);
    assert_int_equal(f.work.kind, TACHO_WORK_VECTOR);
    assert_int_equal(f.work.elements, 48);
    assert_int_equal(f.work.steps, 6 + 6);
    assert_int_equal(f.work.input.bytes, 4 * 72 * 4);
    teardown(&f);
    setup(&f); /* a sum of everything, and a step on it */
    x = TEST_F32(g, 100, 10), y = TEST_F32(g, 10), z = TEST_F32(g, 10);
    TEST_NODE(g, "ReduceSum", y, x);
    TEST_NODE(g, "Sigmoid", z, y);
    measure(&f);
    assert_int_equal(f.work.elements, 1000 + 60);
    assert_int_equal(f.work.steps, 1);
    teardown(&f);
    setup(&f); /* three operands are two comparisons */
    x = TEST_F32(g, 5), y = TEST_F32(g, 5), z = TEST_F32(g, 5);
    uint32_t sum = TEST_F32(g, 5);
    TEST_NODE(g, "Max", sum, x, y, z);
    measure(&f);
    assert_int_equal(f.work.steps, 2);
    assert_int_equal(f.work.input.bytes, 60);
    teardown(&f);
}

/* Constants besides two non-constant matrices, and operands of steps fused after a product. */
static void test_operands(void **state)
{
    (void)state;
    fixture f;
    setup(&f); /* zero points of a byte each */
    tacho_graph *g = &f.graph;
    uint32_t a = test_tensor(g, TACHO_DTYPE_I8, TEST_DIMS(1, 128, 64));
    uint32_t b = test_tensor(g, TACHO_DTYPE_I8, TEST_DIMS(1, 64, 32));
    uint32_t zero = test_constant(g, TACHO_DTYPE_I8, TEST_DIMS(1));
    uint32_t zero2 = test_constant(g, TACHO_DTYPE_I8, TEST_DIMS(1));
    uint32_t y = test_tensor(g, TACHO_DTYPE_I32, TEST_DIMS(1, 128, 32));
    TEST_NODE(g, "tosa.matmul", y, a, b, zero, zero2);
    measure(&f);
    assert_int_equal(f.work.input.bytes, 128 * 64);
    assert_int_equal(f.work.weights.bytes, 64 * 32 + 2);
    assert_int_equal(f.work.weights_extra_bytes, 2);
    assert_int_equal(f.work.input_extra_bytes, 0);
    teardown(&f);
    setup(&f); /* a scaled product of attention: the scale is a step, for it has no weights */
    a = TEST_F32(g, 2, 128, 64), b = TEST_F32(g, 2, 64, 128), y = TEST_F32(g, 2, 128, 128);
    uint32_t scale = TEST_CONST(g, 1), z = TEST_F32(g, 2, 128, 128);
    TEST_NODE(g, "MatMul", y, a, b);
    TEST_NODE(g, "Mul", z, y, scale);
    measure(&f);
    assert_int_equal(f.work.input.bytes, 2 * 128 * 64 * 4);
    assert_int_equal(f.work.weights.bytes, 2 * 64 * 128 * 4 + 4);
    assert_int_equal(f.work.weights_extra_bytes, 4);
    assert_int_equal(f.work.elements * f.work.steps, 2 * 128 * 128);
    teardown(&f);
    setup(&f); /* a constant by a tensor, and a mask of the result's size */
    a = TEST_CONST(g, 16, 64), b = TEST_F32(g, 64, 8), y = TEST_F32(g, 16, 8);
    uint32_t mask = TEST_CONST(g, 16, 8);
    z = TEST_F32(g, 16, 8);
    TEST_NODE(g, "MatMul", y, a, b);
    TEST_NODE(g, "Add", z, y, mask);
    measure(&f);
    assert_int_equal(f.work.input.bytes, 16 * 64 * 4);
    assert_int_equal(f.work.weights.bytes, (64 * 8 + 16 * 8) * 4);
    assert_int_equal(f.work.weights_extra_bytes, 16 * 8 * 4);
    assert_int_equal(f.work.elements * f.work.steps, 16 * 8);
    teardown(&f);
    setup(&f); /* slopes as many as elements are read like them */
    a = TEST_F32(g, 10), b = TEST_CONST(g, 10), y = TEST_F32(g, 10);
    TEST_NODE(g, "PRelu", y, a, b);
    measure(&f);
    assert_int_equal(f.work.input.bytes + f.work.weights.bytes, 80);
    teardown(&f);
}

/* Measures Einsum of tensors of one or two shapes. */
static void measure_equation(fixture *self, const char *equation, const int64_t *a,
                             const int64_t *b, const int64_t *made)
{
    setup(self);
    tacho_graph *g = &self->graph;
    uint32_t inputs[3] = {test_tensor(g, TACHO_DTYPE_F32, a), TACHO_NONE, TACHO_NONE};
    if (b != NULL) {
        inputs[1] = test_tensor(g, TACHO_DTYPE_F32, b);
    }
    uint32_t y = test_tensor(g, TACHO_DTYPE_F32, made);
    tacho_attr attr = {.name = TACHO_STR("equation"),
                       .kind = TACHO_ATTR_TEXT,
                       .value.as_text = tacho_str_from_cstring(equation)};
    test_node(g, "Einsum", inputs, y, &attr);
    measure(self);
}

static void test_einsum(void **state)
{
    (void)state;
    static const struct {
        const char *equation;
        int64_t a[5], b[5], made[5];
        uint64_t batch, m, n, k;
    } products[] = {
        {"ji,jk->ik", {64, 8}, {64, 16}, {8, 16}, 1, 8, 16, 64}, /* 8192 */
        {"ij,ij->", {16, 32}, {16, 32}, {0}, 1, 1, 1, 512},
        {"i,j->ij", {16}, {32}, {16, 32}, 1, 16, 32, 1},
        {"bhqd,bhkd->bhqk", {2, 3, 5, 7}, {2, 3, 11, 7}, {2, 3, 5, 11}, 6, 5, 11, 7},
        {"...ij, jk", {4, 5, 6}, {6, 7}, {4, 5, 7}, 1, 20, 7, 6}, /* one matrix for all */
        {"...ij,...jk->...ik", {1, 5, 6}, {4, 6, 7}, {4, 5, 7}, 1, 5, 28, 6}, /* broadcast */
        {"...ij,...jk->...ik", {4, 5, 6}, {4, 6, 7}, {4, 5, 7}, 4, 5, 7, 6},
    };
    fixture f;
    for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++) {
        measure_equation(&f, products[i].equation, products[i].a, products[i].b, products[i].made);
        assert_int_equal(f.work.kind, TACHO_WORK_MATRIX);
        assert_int_equal(f.work.batch, products[i].batch);
        assert_int_equal(f.work.m, products[i].m);
        assert_int_equal(f.work.n, products[i].n);
        assert_int_equal(f.work.k_channels * f.work.k_window, products[i].k);
        teardown(&f);
    }
    measure_equation(&f, "ij,ij->ij", TEST_DIMS(16, 32), TEST_DIMS(16, 32), TEST_DIMS(16, 32));
    assert_int_equal(f.work.kind, TACHO_WORK_VECTOR);
    assert_int_equal(f.work.elements * f.work.steps, 512);
    teardown(&f);
    measure_equation(&f, "ij->ji", TEST_DIMS(16, 32), NULL, TEST_DIMS(32, 16));
    assert_int_equal(f.work.kind, TACHO_WORK_MOVE);
    assert_int_equal(f.work.input.bytes, 2048);
    teardown(&f);
    measure_equation(&f, "ij->i", TEST_DIMS(16, 32), NULL, TEST_DIMS(16));
    assert_int_equal(f.work.kind, TACHO_WORK_VECTOR);
    assert_int_equal(f.work.elements * f.work.steps, 512);
    teardown(&f);
}

/* 32 real numbers, moved and quantised: 3 steps each. */
static void test_moved(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t x = TEST_F32(g, 4, 8), y = TEST_F32(g, 8, 4), s = TEST_CONST(g, 1);
    uint32_t q = test_tensor(g, TACHO_DTYPE_U8, TEST_DIMS(8, 4));
    TEST_NODE(g, "Transpose", y, x);
    TEST_NODE(g, "QuantizeLinear", q, y, s, s);
    measure(&f);
    assert_int_equal(f.work.kind, TACHO_WORK_VECTOR);
    assert_int_equal(f.work.elements * f.work.steps, 32 * 3);
    assert_int_equal(f.work.compute, TACHO_DTYPE_F32);
    assert_int_equal(f.work.input.bytes, 128);
    assert_int_equal(f.work.output.bytes, 32);
    teardown(&f);
}

/* Neither a condition nor a dequantised operand decides the type to compute in. */
static void test_types(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t c = test_tensor(g, TACHO_DTYPE_BOOL, TEST_DIMS(8)), a = TEST_F32(g, 8);
    uint32_t b = TEST_F32(g, 8), y = TEST_F32(g, 8);
    TEST_NODE(g, "Where", y, c, a, b);
    measure(&f);
    assert_int_equal(f.work.compute, TACHO_DTYPE_F32);
    assert_int_equal(f.work.steps, 1);
    teardown(&f);
    setup(&f);
    a = test_tensor(g, TACHO_DTYPE_I8, TEST_DIMS(8)), b = TEST_CONST(g, 1);
    y = test_tensor(g, TACHO_DTYPE_F16, TEST_DIMS(8));
    TEST_NODE(g, "DequantizeLinear", y, a, b);
    measure(&f);
    assert_int_equal(f.work.compute, TACHO_DTYPE_F16);
    teardown(&f);
    setup(&f);
    a = test_tensor(g, TACHO_DTYPE_I8, TEST_DIMS(8)),
    y = test_tensor(g, TACHO_DTYPE_I8, TEST_DIMS(8));
    TEST_NODE(g, "Relu", y, a);
    measure(&f);
    assert_int_equal(f.work.compute, TACHO_DTYPE_I8);
    teardown(&f);
}

static void test_failures(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t x = TEST_F32(g, 4, 4), y = TEST_F32(g, 4, 4);
    TEST_NODE(g, "Relu", y, x);
    assert_null(
        tacho_graph_set_shape(g, &g->tensors[x], &(tacho_shape){2, {TACHO_DIM_UNKNOWN, 4}}));
    tacho_work_options options = {.dtype = TACHO_DTYPE_NONE};
    assert_null(tacho_fusion_init(&f.fusion, g));
    tacho_status status = tacho_work_compute(&f.fusion, &f.fusion.ops[0], &options, &f.work);
    assert_string_equal(
        tacho_status_message(status),
        "m.onnx: node 0 'n0' (Relu) at loc(\"m\":1:1): the shape of 't0' is not known (f32 ?x4), "
        "so it cannot be estimated; use a model that says its shapes, or give symbolic dimensions "
        "a value");
    assert_int_equal(tacho_status_hint(status, 0, 0).id, TACHO_HINT_SIZES);
    tacho_status_free(status);
    assert_null(tacho_graph_set_shape(g, &g->tensors[x], &(tacho_shape){2, {INT64_MAX / 2, 4}}));
    status = tacho_work_compute(&f.fusion, &f.fusion.ops[0], &options, &f.work);
    assert_non_null(strstr(tacho_status_message(status), "its sizes do not fit 63 bits"));
    tacho_status_free(status);
    teardown(&f);
}

/* 100 bytes of local memory: x is the network's, a (40) and b (40) fit, c (40) only without a. */
static void test_places(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_graph *g = &f.graph;
    uint32_t x = TEST_F32(g, 10), a = TEST_F32(g, 10), b = TEST_F32(g, 10), c = TEST_F32(g, 10);
    uint32_t d = TEST_F32(g, 10);
    TEST_NODE(g, "Transpose", a, x);
    TEST_NODE(g, "Transpose", b, a);
    TEST_NODE(g, "Transpose", c, b);
    TEST_NODE(g, "Add", d, a, c);
    g->tensors[d].is_output = true;
    assert_null(tacho_fusion_init(&f.fusion, g));
    tacho_placement placement;
    assert_null(tacho_placement_init(&placement, &f.fusion,
                                     &(tacho_placement_options){.local_bytes = 100}));
    assert_int_equal(placement.places[x], TACHO_PLACE_DDR);
    assert_int_equal(placement.places[a], TACHO_PLACE_LOCAL);
    assert_int_equal(placement.places[b], TACHO_PLACE_LOCAL);
    assert_int_equal(placement.places[c], TACHO_PLACE_DDR); /* a and b are still needed */
    assert_int_equal(placement.places[d], TACHO_PLACE_DDR);
    assert_int_equal(placement.local_peak_bytes, 80);
    tacho_work_options options = {.places = placement.places};
    assert_null(tacho_work_compute(&f.fusion, &f.fusion.ops[3], &options, &f.work));
    assert_int_equal(f.work.input.place, TACHO_PLACE_LOCAL);
    assert_int_equal(f.work.input.bytes, 40);
    assert_int_equal(f.work.weights.place, TACHO_PLACE_DDR); /* the other summand */
    assert_int_equal(f.work.weights.bytes, 40);
    tacho_placement_deinit(&placement);
    teardown(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_convolution),   cmocka_unit_test(test_groups),
        cmocka_unit_test(test_deconvolution), cmocka_unit_test(test_tosa_convolutions),
        cmocka_unit_test(test_matmul),        cmocka_unit_test(test_recurrent),
        cmocka_unit_test(test_vectors),       cmocka_unit_test(test_failures),
        cmocka_unit_test(test_places),        cmocka_unit_test(test_operands),
        cmocka_unit_test(test_einsum),        cmocka_unit_test(test_types),
        cmocka_unit_test(test_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
