/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Estimates of networks written by hand, on built-in machines: sums, places, unknown sizes.
 */
#include "compile/estimate.h"

#include "base/index.h"

#include <stdio.h>

#include "graph/graph_testing.h"

typedef struct fixture {
    tacho_graph graph;
    tacho_fusion fusion;
    tacho_arena arena;
    tacho_machine *machine;
    tacho_estimate estimate;
} fixture;

static void setup(fixture *self, const char *machine)
{
    assert_null(tacho_graph_init(&self->graph));
    self->graph.path = TACHO_STR("m.onnx");
    tacho_arena_init(&self->arena);
    assert_null(tacho_machine_find(machine, &self->arena, &self->machine));
}

static void estimate(fixture *self, const tacho_estimate_options *options)
{
    assert_null(tacho_fusion_init(&self->fusion, &self->graph));
    assert_null(tacho_estimate_init(&self->estimate, &self->fusion, self->machine, options));
}

static void teardown(fixture *self)
{
    tacho_estimate_deinit(&self->estimate);
    tacho_fusion_deinit(&self->fusion);
    tacho_graph_deinit(&self->graph);
    tacho_arena_deinit(&self->arena);
}

/* 75,264 bytes in, 16 lanes of two slices, 75,264 out: they overlap, after one start. */
static void test_torq_overlap(void **state)
{
    (void)state;
    fixture f;
    setup(&f, "torq-sl2610");
    tacho_graph *g = &f.graph;
    uint32_t x = test_tensor(g, TACHO_DTYPE_I8, TEST_DIMS(1, 56, 56, 24));
    uint32_t y = test_tensor(g, TACHO_DTYPE_I8, TEST_DIMS(1, 56, 56, 24));
    TEST_NODE(g, "tosa.add", y, x, x);
    g->tensors[x].is_input = true;
    g->tensors[y].is_output = true;
    estimate(&f, &(tacho_estimate_options){0});
    const tacho_op_cost *cost = &f.estimate.ops[0].cost;
    assert_int_equal(cost->read_cycles, 15831);
    assert_int_equal(cost->write_cycles, 15831);
    assert_int_equal(cost->compute_cycles, 2352);
    assert_int_equal(cost->cycles, cost->launch_cycles + 15831);
    assert_int_equal(cost->bound, TACHO_BOUND_MEMORY);
    assert_int_equal(f.estimate.ddr_bytes, 2 * 75264);
    teardown(&f);
}

/* Two operators share weights and pass a tensor that stays local; the third is not known. */
static void test_sums(void **state)
{
    (void)state;
    fixture f;
    setup(&f, "torq-sl2610");
    tacho_graph *g = &f.graph;
    uint32_t x = TEST_F32(g, 1, 16, 8, 8), w = TEST_CONST(g, 16, 16, 1, 1);
    uint32_t y = TEST_F32(g, 1, 16, 8, 8), z = TEST_F32(g, 1, 16, 8, 8);
    uint32_t u = TEST_F32(g, 1, 16, 8, 8);
    TEST_NODE(g, "Conv", y, x, w);
    TEST_NODE(g, "Conv", z, y, w);
    TEST_NODE(g, "Fancy", u, z);
    g->tensors[x].is_input = true;
    g->tensors[u].is_output = true;
    estimate(&f, &(tacho_estimate_options){0});
    const tacho_estimate *e = &f.estimate;
    assert_int_equal(f.fusion.op_count, 3);
    assert_int_equal(e->macs, 2 * 64 * 16 * 16);
    assert_int_equal(e->weight_bytes, 16 * 16 * 4); /* as the model has them, once */
    assert_int_equal(e->unknown_count, 1);
    assert_true(e->ops[2].cost.cycles > 0);
    assert_int_equal(e->cycles,
                     e->ops[0].cost.cycles + e->ops[1].cost.cycles + e->ops[2].cost.cycles);
    assert_int_equal(e->ops[2].start_cycles, e->cycles - e->ops[2].cost.cycles);
    assert_true(e->ideal_cycles <= e->cycles);
    /* bf16 on this machine: the input and the weights are read, the result stays. */
    assert_int_equal(e->ops[0].ddr_read_bytes, 1024 * 2 + 256 * 2);
    assert_int_equal(e->ops[0].ddr_write_bytes, 0);
    assert_int_equal(e->ops[0].local_bytes, 1024 * 2);
    assert_int_equal(e->ops[2].ddr_write_bytes, 1024 * 2);
    assert_int_equal(e->local_peak_bytes, 2 * 1024 * 2);
    teardown(&f);
}

/*
 * A convolution of one position is what vendors call fully connected, and one of as many groups as
 * channels depthwise; others are neither.
 */
static void test_vendor_names(void **state)
{
    (void)state;
    static const struct {
        int64_t in[4], weights[4], out[4], groups;
        const char *word;
    } cases[] = {
        {{2, 16, 1, 1}, {8, 16, 1, 1}, {2, 8, 1, 1}, 1, "fully_connected"},
        {{2, 16, 2, 1}, {8, 16, 1, 1}, {2, 8, 2, 1}, 1, "conv2d"},
        {{2, 16, 3, 3}, {8, 16, 3, 3}, {2, 8, 1, 1}, 1, "conv2d"},
        {{1, 8, 3, 3}, {8, 1, 3, 3}, {1, 8, 1, 1}, 8, "depthwise_conv2d"},
        {{1, 8, 3, 3}, {16, 1, 3, 3}, {1, 16, 1, 1}, 8, "depthwise_conv2d"},
        {{1, 8, 3, 3}, {8, 2, 3, 3}, {1, 8, 1, 1}, 4, "conv2d"},
        {{1, 1, 3, 3}, {8, 1, 3, 3}, {1, 8, 1, 1}, 1, "conv2d"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fixture f;
        setup(&f, "torq-sl2610");
        tacho_graph *g = &f.graph;
        const int64_t *in = cases[i].in, *weights = cases[i].weights, *out = cases[i].out;
        uint32_t x = TEST_F32(g, in[0], in[1], in[2], in[3]);
        uint32_t w = TEST_CONST(g, weights[0], weights[1], weights[2], weights[3]);
        uint32_t y = TEST_F32(g, out[0], out[1], out[2], out[3]);
        tacho_attr group = {
            .name = TACHO_STR("group"), .kind = TACHO_ATTR_INT, .value.as_int = cases[i].groups};
        test_node(g, "Conv", (const uint32_t[]){x, w, TACHO_NONE}, y, &group);
        g->tensors[x].is_input = true;
        g->tensors[y].is_output = true;
        estimate(&f, &(tacho_estimate_options){0});
        assert_string_equal(tacho_estimate_vendor_name(&f.estimate, 0).data, cases[i].word);
        teardown(&f);
    }
}

static void test_choices(void **state)
{
    (void)state;
    fixture f;
    setup(&f, "wormhole-n150");
    tacho_graph *g = &f.graph;
    uint32_t a = TEST_F32(g, 256, 128), b = TEST_CONST(g, 128, 64), y = TEST_F32(g, 256, 64);
    TEST_NODE(g, "MatMul", y, a, b);
    g->tensors[a].is_input = true;
    g->tensors[y].is_output = true;
    tacho_estimate_options options = {
        .cost = {.compute = TACHO_DTYPE_BFP8, .grid_x = 2, .grid_y = 2},
        .places = {TACHO_PLACE_ALWAYS_LOCAL, TACHO_PLACE_AS_FITS, TACHO_PLACE_ALWAYS_LOCAL},
    };
    estimate(&f, &options);
    const tacho_op_estimate *op = &f.estimate.ops[0];
    assert_int_equal(op->cost.compute, TACHO_DTYPE_BFP8);
    assert_true(op->cost.cores <= 4);
    assert_int_equal(op->ddr_read_bytes, 128 * 64 * 17 / 16); /* 17 bytes for 16 numbers */
    assert_int_equal(op->ddr_write_bytes, 0);
    assert_int_equal(op->local_bytes, (256 * 128 + 256 * 64) * 17 / 16);
    teardown(&f);
}

/* Work of each core on its own elements moves nothing. */
static void test_local_vectors(void **state)
{
    (void)state;
    fixture f;
    setup(&f, "aic100");
    tacho_graph *g = &f.graph;
    uint32_t t[4];
    for (size_t i = 0; i < 4; i++) {
        t[i] = TEST_F32(g, 64, 1024);
    }
    for (size_t i = 0; i < 3; i++) {
        TEST_NODE(g, "Softmax", t[i + 1], t[i]);
    }
    g->tensors[t[0]].is_input = true;
    g->tensors[t[3]].is_output = true;
    estimate(&f, &(tacho_estimate_options){0});
    const tacho_op_estimate *middle = &f.estimate.ops[1];
    assert_int_equal(middle->ddr_read_bytes + middle->ddr_write_bytes, 0);
    assert_int_equal(middle->local_bytes, 2 * 64 * 1024 * 2);
    assert_int_equal(middle->cost.read_cycles, 0);
    assert_int_equal(middle->cost.write_cycles, 0);
    assert_true(f.estimate.ops[0].cost.read_cycles > 0);
    teardown(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_torq_overlap),  cmocka_unit_test(test_sums),
        cmocka_unit_test(test_choices),       cmocka_unit_test(test_vendor_names),
        cmocka_unit_test(test_local_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
