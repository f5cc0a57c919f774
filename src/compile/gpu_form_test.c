/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel of a transpose on a GPU: none where elements keep their order in memory or no reader
 * needs the result in one piece. Kernels of sums, by where the elements of a line are.
 */
#include "compile/gpu_form.h"

#include "graph/graph_testing.h"

typedef struct transpose {
    int64_t dims[4]; /* ends with 0 */
    int64_t perm[3];
    bool is_returned; /* by the network, so that it has to be in one piece */
} transpose;

static tacho_work_kernel kernel_of(const transpose *given)
{
    tacho_graph graph;
    tacho_fusion fusion;
    tacho_work work = {.kernel = {.form = TACHO_FORM_COUNT}};
    int64_t dims[4] = {0};
    for (size_t i = 0; i < 3; i++) {
        dims[i] = given->dims[given->perm[i]];
    }
    const tacho_attr perm = {.name = TACHO_STR_INIT("perm"),
                             .kind = TACHO_ATTR_INTS,
                             .count = 3,
                             .value.as_ints = given->perm};
    assert_null(tacho_graph_init(&graph));
    graph.path = TACHO_STR("m");
    uint32_t x = test_tensor(&graph, TACHO_DTYPE_F32, given->dims);
    uint32_t y = test_tensor(&graph, TACHO_DTYPE_F32, dims);
    graph.tensors[y].is_output = given->is_returned;
    test_node(&graph, "Transpose", (const uint32_t[]){x, TACHO_NONE}, y, &perm);
    assert_null(tacho_fusion_init(&fusion, &graph));
    assert_int_equal(fusion.op_count, 1);
    tacho_gpu_form_set(&fusion, &fusion.ops[0], 1, &work);
    tacho_fusion_deinit(&fusion);
    tacho_graph_deinit(&graph);
    return work.kernel;
}

/* Axis 0 stays or moves like any other: only axes of one may change places in a view. */
static void test_a_view_moves_only_axes_of_one(void **state)
{
    (void)state;
    static const struct {
        transpose given;
        tacho_form form;
    } cases[] = {
        {{{8, 1, 16}, {0, 2, 1}, true}, TACHO_FORM_VIEW},
        {{{8, 2, 16}, {0, 2, 1}, true}, TACHO_FORM_TRANSPOSE},
        {{{1, 8, 16}, {1, 0, 2}, true}, TACHO_FORM_VIEW},
        {{{2, 8, 16}, {1, 0, 2}, true}, TACHO_FORM_STRIDED},
        {{{8, 16, 1}, {2, 0, 1}, true}, TACHO_FORM_VIEW},
        {{{8, 16, 2}, {2, 0, 1}, true}, TACHO_FORM_TRANSPOSE},
        {{{8, 2, 16}, {0, 1, 2}, true}, TACHO_FORM_VIEW},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(kernel_of(&cases[i].given).form, cases[i].form);
    }
}

static void test_a_view_unless_it_is_returned(void **state)
{
    (void)state;
    transpose given = {{8, 2, 16}, {0, 2, 1}, false};
    assert_int_equal(kernel_of(&given).form, TACHO_FORM_VIEW);
    given.is_returned = true;
    assert_int_equal(kernel_of(&given).form, TACHO_FORM_TRANSPOSE);
}

/* Columns of 149 rows fit in the cache together, those of 150 do not. */
static void test_few_rows_are_near(void **state)
{
    (void)state;
    transpose given = {{4, 149, 10}, {0, 2, 1}, true};
    assert_int_equal(kernel_of(&given).reach, 4 * 149 * 10 * 149 / 150);
    given.dims[1] = 150;
    assert_int_equal(kernel_of(&given).reach, 4 * 150 * 10);
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* The kernel of an operator that reduces 64 x |columns| numbers, |line| of them at a time. */
static tacho_work_kernel reduced(const char *type, int64_t columns, uint64_t line, uint64_t step)
{
    tacho_graph graph;
    tacho_fusion fusion;
    tacho_work work = {.kind = TACHO_WORK_VECTOR,
                       .line = line,
                       .line_step = step,
                       .output = {.dtype = TACHO_DTYPE_F32}};
    assert_null(tacho_graph_init(&graph));
    graph.path = TACHO_STR("m");
    uint32_t x = test_tensor(&graph, TACHO_DTYPE_F32, TEST_DIMS(64, columns));
    uint32_t y = test_tensor(&graph, TACHO_DTYPE_F32, TEST_DIMS(64 * columns / (int64_t)line));
    TEST_NODE(&graph, type, y, x);
    assert_null(tacho_fusion_init(&fusion, &graph));
    tacho_gpu_form_set(&fusion, &fusion.ops[0], 1, &work);
    tacho_fusion_deinit(&fusion);
    tacho_graph_deinit(&graph);
    return work.kernel;
}

static void test_lines(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        int64_t columns;
        uint64_t line, step;
        tacho_form form;
        uint64_t depth, reach;
    } cases[] = {
        /* 32 threads for each of 16 lines; the whole block from 256 numbers a thread on. */
        {"ReduceSum", 512, 512, 1, TACHO_FORM_REDUCE, 16, 64 * 512},
        {"ReduceSum", 8160, 8160, 1, TACHO_FORM_REDUCE, 255, 64 * 8160},
        {"ReduceSum", 8192, 8192, 1, TACHO_FORM_REDUCE, 16, 64 * 8192},
        {"ReduceSum", 64, 64 * 64, 1, TACHO_FORM_REDUCE_ALL, 8, 64 * 64},
        {"ReduceSum", 4096, 64 * 4096, 1, TACHO_FORM_REDUCE_ALL, 16, 64 * 4096},
        {"ReduceSum", 100, 64, 100, TACHO_FORM_REDUCE_COLUMNS, 64, 6400},
        {"ReduceSum", 100, 1, 1, TACHO_FORM_REDUCE_COLUMNS, 1, 6400},
        {"ArgMax", 512, 512, 1, TACHO_FORM_ARGMAX, 16, 64 * 512},
        {"ArgMax", 64, 64 * 64, 1, TACHO_FORM_ARGMAX, 8, 64 * 64},
        {"ArgMin", 100, 64, 100, TACHO_FORM_ARGMAX_COLUMNS, 64, 6400},
        /* 2^((9 + 10 - 6) / 2) threads add up twice as many numbers of eight lines at a time. */
        {"CumSum", 1024, 1024, 1, TACHO_FORM_SCAN, 8, 8 * 8},
        {"CumSum", 100, 64, 100, TACHO_FORM_SCAN_COLUMNS, 0, 6400},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_work_kernel kernel =
            reduced(cases[i].type, cases[i].columns, cases[i].line, cases[i].step);
        assert_int_equal(kernel.form, cases[i].form);
        assert_int_equal(kernel.depth, cases[i].depth);
        assert_int_equal(kernel.reach, cases[i].reach);
    }
}

/* Long columns are cut: from 257 numbers on, and never to more than 128. */
static void test_columns(void **state)
{
    (void)state;
    static const uint64_t cases[][2] = {{1, 1},     {256, 256},  {257, 17},
                                        {1024, 64}, {2048, 128}, {8192, 128}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(reduced("ReduceSum", 8192, cases[i][0], 2).depth, cases[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_view_moves_only_axes_of_one),
        cmocka_unit_test(test_a_view_unless_it_is_returned),
        cmocka_unit_test(test_few_rows_are_near),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
