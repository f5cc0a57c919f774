/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order of nodes: a diamond given backwards, free nodes in file order, a cycle.
 */
#include "graph/graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void setup(tacho_graph *graph, size_t tensor_count)
{
    assert_null(tacho_graph_init(graph));
    graph->path = TACHO_STR("m.onnx");
    for (size_t i = 0; i < tensor_count; i++) {
        uint32_t id;
        assert_null(tacho_graph_add_tensor(graph, TACHO_STR("t"), &id));
        assert_int_equal(id, i);
    }
}

/* A node from two tensors (or TACHO_NONE) to one. */
static void add(tacho_graph *graph, uint32_t a, uint32_t b, uint32_t to)
{
    tacho_node node = {.index = (uint32_t)graph->node_count};
    tacho_node_lists lists = {
        .inputs = (uint32_t[]){a, b}, .input_count = 2, .outputs = &to, .output_count = 1};
    assert_null(tacho_graph_add_node(graph, &node, &lists));
}

static void test_sort(void **state)
{
    (void)state;
    tacho_graph graph;
    setup(&graph, 6);
    add(&graph, 2, 3, 4);          /* 0: the end of the diamond */
    add(&graph, 1, TACHO_NONE, 2); /* 1 */
    add(&graph, 1, 1, 3);          /* 2: uses one tensor twice */
    add(&graph, 0, TACHO_NONE, 1); /* 3: the beginning */
    add(&graph, 0, 0, 5);          /* 4: free */
    assert_null(tacho_graph_sort(&graph));
    static const uint32_t expected[] = {3, 1, 2, 0, 4};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(graph.nodes[i].index, expected[i]);
    }
    assert_int_equal(graph.tensors[4].producer, 3);
    assert_int_equal(graph.tensors[1].producer, 0);
    assert_int_equal(graph.tensors[0].producer, TACHO_NONE);
    assert_ptr_equal(tacho_graph_input(&graph, &graph.nodes[3], 1), &graph.tensors[3]);
    assert_null(tacho_graph_input(&graph, &graph.nodes[1], 1));
    assert_null(tacho_graph_input(&graph, &graph.nodes[1], 2));
    tacho_graph_deinit(&graph);
}

static void test_cycle(void **state)
{
    (void)state;
    tacho_graph graph;
    setup(&graph, 4);
    add(&graph, 0, TACHO_NONE, 1);
    add(&graph, 1, 3, 2);
    add(&graph, 2, TACHO_NONE, 3);
    tacho_status status = tacho_graph_sort(&graph);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    assert_non_null(strstr(tacho_status_message(status), "m.onnx: the graph has a cycle: node 1"));
    tacho_status_free(status);
    tacho_graph_deinit(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
