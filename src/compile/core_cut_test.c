/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How operators are spread over the cores of an AIC 100: by rows and groups where columns do not
 * pay, by dimensions that divide well, and by directions.
 */
#include "compile/core_cut.h"

#include <stdlib.h>

#include "compile/compile_testing.h"

enum { CORES = 16, DIMS_MAX = 6 };

typedef struct case_row {
    const char *type;
    int64_t data[DIMS_MAX], weights[DIMS_MAX], more[DIMS_MAX], result[DIMS_MAX]; /* 0 ends them */
    tacho_attr attr;                                                             /* or no name */
    uint32_t cores;                 /* that take part, at least */
    uint64_t parts[TACHO_AXES_MAX]; /* of each axis, at most; 0: any number */
} case_row;

static void check_cut(const case_row *row)
{
    fixture f = {.program = {.job_count = 0}};
    begin(&f, "aic100");
    tacho_graph *g = &f.graph;
    uint32_t inputs[] = {add_input(&f, TACHO_DTYPE_F16, row->data),
                         test_constant(g, TACHO_DTYPE_F16, row->weights), TACHO_NONE, TACHO_NONE};
    if (row->more[0] > 0) {
        inputs[2] = test_constant(g, TACHO_DTYPE_F16, row->more);
    }
    uint32_t result = test_tensor(g, TACHO_DTYPE_F16, row->result);
    test_node(g, row->type, inputs, result, row->attr.name.len > 0 ? &row->attr : NULL);
    add_output(&f, result);
    assert_null(tacho_fusion_init(&f.fusion, g));
    tacho_estimate_options options = {.factor = 1};
    assert_null(tacho_estimate_init(&f.estimate, &f.fusion, f.machine, &options));
    tacho_core_cut cut;
    uint64_t *shares = calloc(g->tensor_count + 1, sizeof(*shares));
    assert_non_null(shares);
    assert_null(tacho_core_cuts_make(&f.estimate, CORES, &cut, shares));
    free(shares);
    assert_in_range(cut.cores, row->cores, CORES);
    for (size_t i = 0; i < TACHO_AXES_MAX; i++) {
        assert_true(row->parts[i] == 0 || cut.parts[i] <= row->parts[i]);
    }
    end(&f);
}

/* 21 columns take an engine that does 32 at once as long as one: images and rows are cut. */
static void test_narrow_columns(void **state)
{
    (void)state;
    static const case_row row = {.type = "Conv",
                                 .data = {2, 9, 25, 41, 24},
                                 .weights = {21, 9, 3, 3, 3},
                                 .result = {2, 21, 23, 39, 22},
                                 .cores = 4,
                                 .parts = {0, 1}};
    check_cut(&row);
}

/* Columns of a group stay together: cores have groups or rows of their own. */
static void test_groups(void **state)
{
    (void)state;
    static const case_row row = {
        .type = "Conv",
        .data = {1, 35, 317, 211},
        .weights = {55, 7, 5, 3},
        .result = {1, 55, 313, 209},
        .attr = {.name = {"group", 5}, .kind = TACHO_ATTR_INT, .value = {.as_int = 5}},
        .cores = 4};
    check_cut(&row);
}

/* Each direction has a core, and nothing else is cut. */
static void test_directions(void **state)
{
    (void)state;
    static const case_row row = {.type = "LSTM",
                                 .data = {43, 5, 51},
                                 .weights = {2, 388, 51},
                                 .more = {2, 388, 97},
                                 .result = {43, 2, 5, 97},
                                 .attr = {.name = {"direction", 9},
                                          .kind = TACHO_ATTR_TEXT,
                                          .value = {.as_text = {"bidirectional", 13}}},
                                 .cores = 2,
                                 .parts = {2, 1, 1}};
    check_cut(&row);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_narrow_columns),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_directions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
