/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table that was made with known numbers gives them back; one that says nothing of a number is
 * refused, and then nothing is written.
 */
#include "session/machine_fit.h"

#include "base/scratch_testing.h"
#include "compile/measured.h"
#include "machine/constant.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#define CONSTANTS                                                                                  \
    "launch_cycles,engines[0].step_overhead_cycles,"                                               \
    "memories[1].efficiency+memories[1].write_efficiency"

static const char heading[] = "M,K,N,dtype,fidelity,grid_x,grid_y,cycles\n";

/* What |machine| takes for a product, as a table has it. */
static int64_t cycles_of(const tacho_machine *machine, const char *row)
{
    char text[256];
    tacho_input input;
    tacho_measured_table table;
    tacho_measured_op op;
    int64_t cycles;
    snprintf(text, sizeof(text), "%s%s1\n", heading, row);
    assert_null(tacho_input_open_bytes("t", tacho_str_from_cstring(text), &input));
    assert_null(tacho_measured_init(&table, &input));
    assert_null(tacho_measured_op_init(&op, &table.rows[0], machine, TACHO_STR("t")));
    assert_null(tacho_measured_op_cycles(&op, machine, &cycles));
    tacho_measured_op_deinit(&op);
    tacho_measured_deinit(&table);
    tacho_input_close(&input);
    return cycles;
}

static void set(tacho_machine *machine, const char *path, double value)
{
    tacho_constant_ref ref;
    assert_null(tacho_constant_find(machine, tacho_str_from_cstring(path), &ref));
    tacho_constant_set(&ref, value);
}

/* A table of |sizes| products on a machine that is not the built-in one. */
static void make_table(const char *path, const int *sizes, size_t size_count)
{
    tacho_arena arena;
    tacho_machine *machine;
    tacho_arena_init(&arena);
    assert_null(tacho_machine_find("wormhole-n150", &arena, &machine));
    set(machine, "launch_cycles", 2000.0);
    set(machine, "engines[0].step_overhead_cycles", 6.0);
    set(machine, "memories[1].efficiency", 0.92 * 0.7);
    set(machine, "memories[1].write_efficiency", 0.69 * 0.7);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(heading, file);
    for (size_t i = 0; i < size_count; i++) {
        for (size_t j = 0; j < size_count; j++) {
            char row[128];
            snprintf(row, sizeof(row), "%d,%d,%d,%s,LoFi,8,8,", sizes[i], sizes[j],
                     sizes[(i + j) % size_count], j % 2 == 0 ? "bf16" : "bfp8");
            fprintf(file, "%s%lld\n", row, (long long)cycles_of(machine, row));
        }
    }
    assert_int_equal(fclose(file), 0);
    tacho_arena_deinit(&arena);
}

static void check_value(const tacho_table *table, size_t row, double expected)
{
    const tacho_cell *cell =
        tacho_table_cell(table, row, tacho_table_column(table, TACHO_COL_AFTER));
    double found = strtod(cell->value.text.data, NULL);
    if (found < expected * 0.98 || found > expected * 1.02) {
        fail_msg("row %zu is %g, not %g", row, found, expected);
    }
}

static void test_recovers(void **state)
{
    scratch *self = *state;
    static const int sizes[] = {256, 512, 1024, 2048, 3072, 4096};
    tacho_machine_fit_tables tables;
    make_table(self->path, sizes, sizeof(sizes) / sizeof(sizes[0]));
    tacho_machine_fit_request request = {.machine = "wormhole-n150",
                                         .table_path = self->path,
                                         .constants = CONSTANTS,
                                         .folds = 3,
                                         .out_path = self->other_path};
    assert_null(tacho_machine_fit(&request, &tables));
    check_value(&tables.constants, 0, 2000.0);
    check_value(&tables.constants, 1, 6.0);
    check_value(&tables.constants, 2, 0.92 * 0.7);
    check_value(&tables.constants, 3, 0.69 * 0.7);
    size_t mean = tacho_table_column(&tables.errors, TACHO_COL_MEAN_ERROR_PERCENT);
    assert_true(tacho_table_cell(&tables.errors, 0, mean)->value.real > 5.0);
    assert_true(tacho_table_cell(&tables.errors, 1, mean)->value.real < 0.5);
    assert_true(tacho_table_cell(&tables.errors, 2, mean)->value.real < 1.0);
    tacho_machine_fit_deinit(&tables);
    tacho_arena arena;
    tacho_machine *made;
    tacho_arena_init(&arena);
    assert_null(tacho_machine_find(self->other_path, &arena, &made));
    assert_true(tacho_str_starts_with(made->launch_cycles.source, TACHO_STR("fitted to file: ")));
    assert_true(tacho_quantity_whole(&made->launch_cycles) >= 1960);
    tacho_arena_deinit(&arena);
}

static void check_refused(const tacho_machine_fit_request *request, const char *expected)
{
    tacho_machine_fit_tables tables;
    tacho_status status = tacho_machine_fit(request, &tables);
    assert_non_null(status);
    if (strstr(tacho_status_message(status), expected) == NULL) {
        fail_msg("'%s' does not say '%s'", tacho_status_message(status), expected);
    }
    tacho_status_free(status);
    tacho_machine_fit_deinit(&tables);
    assert_int_not_equal(access(request->out_path, F_OK), 0);
}

static void test_refuses(void **state)
{
    scratch *self = *state;
    static const int small[] = {32, 64, 96}; /* where nothing but the launch counts */
    make_table(self->path, small, sizeof(small) / sizeof(small[0]));
    tacho_machine_fit_request request = {.machine = "wormhole-n150",
                                         .table_path = self->path,
                                         .constants = "launch_cycles,semaphores",
                                         .folds = 2,
                                         .out_path = self->other_path};
    check_refused(&request, "leaves 'semaphores' out");
    request.constants = "launch_cycles,dma[0].bytes_per_cycle";
    check_refused(&request, "does not determine dma[0].bytes_per_cycle (no row depends on it)");
    request.constants = CONSTANTS;
    check_refused(&request, "does not determine ");
    request.constants = "launch_cycles,launch_cycles";
    check_refused(&request, "'launch_cycles' is to be fitted twice");
    request.constants = "launch_cycles,";
    check_refused(&request, "no number ''");
    request.constants = "launch_cycles";
    request.folds = 20;
    check_refused(&request, "too few for 20 folds");
    request.machine = "aic100";
    request.constants = NULL;
    check_refused(&request, "lists no numbers under 'fitted'");
}

static int remove_scratch(void **state)
{
    scratch *self = *state;
    unlink(self->path);
    unlink(self->other_path);
    rmdir(self->folder);
    free(self);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_recovers, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(test_refuses, make_scratch, remove_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
