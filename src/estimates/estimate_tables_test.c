/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of a network compiled for a built-in machine: their names and order, the order of
 * operators, and sums that must agree.
 */
#include "estimates/estimate_tables.h"

#include "estimates/estimates.h"
#include "compile/compile.h"

#include <string.h>

#include "graph/graph_testing.h"

typedef struct fixture {
    tacho_graph graph;
    tacho_fusion fusion;
    tacho_arena arena;
    tacho_machine *machine;
    tacho_estimate estimate;
    tacho_program program;
} fixture;

/* A softmax, and a matrix product with far more work. */
static void setup(fixture *self)
{
    tacho_graph *g = &self->graph;
    assert_null(tacho_graph_init(g));
    g->path = TACHO_STR("m.onnx");
    tacho_arena_init(&self->arena);
    assert_null(tacho_machine_find("aic100", &self->arena, &self->machine));
    uint32_t x = TEST_F32(g, 1, 1024), w = TEST_CONST(g, 1024, 1024), y = TEST_F32(g, 1, 1024);
    uint32_t z = TEST_F32(g, 1, 1024);
    TEST_NODE(g, "Softmax", y, x);
    TEST_NODE(g, "MatMul", z, y, w);
    g->tensors[x].is_input = true;
    g->tensors[z].is_output = true;
    assert_null(tacho_fusion_init(&self->fusion, g));
    const tacho_compile_options options = {.cores = 1, .batch = 2};
    assert_null(tacho_compile_program(&self->fusion, self->machine, &options, &self->estimate,
                                      &self->program));
}

static void teardown(fixture *self)
{
    tacho_program_deinit(&self->program);
    tacho_estimate_deinit(&self->estimate);
    tacho_fusion_deinit(&self->fusion);
    tacho_graph_deinit(&self->graph);
    tacho_arena_deinit(&self->arena);
}

/* Names of tables in their order, and the cells that the tests check. */
typedef struct seen_tables {
    char names[128];
    size_t operator_rows;
    int64_t first_operator, operator_cycles, total_cycles;
    bool has_batch;
} seen_tables;

static int64_t sum_of(const tacho_table *table, tacho_column_id id)
{
    int64_t sum = 0;
    size_t column = tacho_table_column(table, id);
    for (size_t i = 0; i < tacho_table_row_count(table); i++) {
        sum += tacho_table_cell(table, i, column)->value.integer;
    }
    return sum;
}

static tacho_status see(void *self, const tacho_table *table)
{
    seen_tables *seen = self;
    strncat(seen->names, table->name, sizeof(seen->names) - strlen(seen->names) - 2);
    strncat(seen->names, " ", 2);
    if (strcmp(table->name, "operators") == 0) {
        seen->operator_rows = tacho_table_row_count(table);
        seen->first_operator = tacho_table_cell(table, 0, 0)->value.integer;
        seen->operator_cycles = sum_of(table, TACHO_COL_CYCLES);
    }
    if (strcmp(table->name, "total") == 0 && table->columns[0].id == TACHO_COL_MODEL) {
        seen->total_cycles = sum_of(table, TACHO_COL_CYCLES);
    }
    for (size_t i = 0; i < table->cell_count; i++) {
        bool is_text = table->columns[i % table->column_count].type == TACHO_COLUMN_TEXT;
        seen->has_batch =
            seen->has_batch || (is_text && !table->cells[i].is_absent &&
                                tacho_str_equal(table->cells[i].value.text, TACHO_STR("batch")));
    }
    return TACHO_OK;
}

static seen_tables ask(const fixture *f, const tacho_analysis *analysis, const void *options)
{
    seen_tables seen = {.names = ""};
    const tacho_table_taker taker = {see, &seen};
    const tacho_compiled_subject subject = {&f->estimate, &f->program, f->machine, 0};
    assert_null(analysis->make(&subject, options, &taker));
    return seen;
}

static void test_for_programs(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_estimate_table_options options = {.sort = TACHO_ESTIMATE_BY_ORDER};
    seen_tables seen = ask(&f, &tacho_analysis_estimate, &options);
    assert_string_equal(seen.names, "operators total bounds memory ");
    assert_int_equal(seen.operator_rows, 2);
    assert_int_equal(seen.first_operator, 0);
    assert_true(seen.total_cycles > 0);
    assert_int_equal(seen.total_cycles, f.estimate.cycles);
    teardown(&f);
}

/* The summary is first and explains the batch; the largest operator is the matrix product. */
static void test_for_people(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_estimate_table_options options = {
        .sort = TACHO_ESTIMATE_BY_MACS, .top = 1, .is_for_people = true};
    seen_tables seen = ask(&f, &tacho_analysis_estimate, &options);
    assert_string_equal(seen.names, "summary memory bounds operators ");
    assert_int_equal(seen.operator_rows, 1);
    assert_int_equal(seen.first_operator, 1);
    assert_true(seen.has_batch);
    teardown(&f);
}

static void test_metrics(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    assert_string_equal(ask(&f, &tacho_analysis_metrics, NULL).names, "metrics cores ");
    teardown(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_for_programs),
        cmocka_unit_test(test_for_people),
        cmocka_unit_test(test_metrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
