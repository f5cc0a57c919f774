/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiles a model, runs it and prints its operators, the slowest first:
 *
 *     cc model_ops.c $(pkg-config --cflags --libs tacho) -o model_ops
 *     ./model_ops model.onnx aic100
 */
#include <inttypes.h>
#include <stdio.h>
#include <tacho/tacho.h>

/* Reads a cell by the ids of its table and column. */
static tacho_cell_view cell_of(const tacho_tables *tables, const char *table, size_t row,
                               const char *column)
{
    tacho_cell_view cell = {.type = TACHO_CELL_ABSENT};
    size_t number = tacho_tables_find(tables, table);
    tacho_tables_cell(tables, number, row, tacho_tables_find_column(tables, number, column), &cell);
    return cell;
}

static void print_operators(const tacho_tables *tables)
{
    tacho_table_view ops;
    if (!tacho_tables_get(tables, tacho_tables_find(tables, "ops"), &ops)) {
        return;
    }
    printf("%-24s %8s %12s\n", "operator", "count", "self (ns)");
    for (size_t row = 0; row < ops.row_count; row++) {
        printf("%-24s %8" PRId64 " %12" PRId64 "\n", cell_of(tables, "ops", row, "operation").text,
               cell_of(tables, "ops", row, "count").as_int,
               cell_of(tables, "ops", row, "self_ns").as_int);
    }
}

/* The program that the model becomes is written to |program|. */
static tacho_status compile(const char *model, const char *machine, const char *program)
{
    const tacho_compiled_options options = {.machine = machine, .stats_level = 70};
    tacho_compiled *compiled = NULL;
    tacho_status status = tacho_compiled_open(model, &options, &compiled);
    if (status == TACHO_OK) {
        status = tacho_compiled_write_program(compiled, program);
    }
    tacho_compiled_close(compiled);
    return status;
}

static tacho_status run(const char *program)
{
    tacho_runner *runner = NULL;
    tacho_tables *tables = NULL;
    tacho_status status = tacho_runner_open(program, NULL, &runner);
    if (status == TACHO_OK) {
        status = tacho_runner_go(runner, NULL);
    }
    if (status == TACHO_OK) {
        status = tacho_runner_tables(runner, &tables);
    }
    if (status == TACHO_OK) {
        print_operators(tables);
    }
    tacho_tables_free(tables);
    tacho_runner_close(runner);
    return status;
}

int main(int argc, char **argv)
{
    const char program[] = "model_ops.bin";
    if (argc < 2) {
        fprintf(stderr, "usage: model_ops MODEL [MACHINE]\n");
        return 2;
    }
    tacho_status status = compile(argv[1], argc > 2 ? argv[2] : NULL, program);
    if (status == TACHO_OK) {
        status = run(program);
    }
    if (status != TACHO_OK) {
        fprintf(stderr, "%s\n", tacho_status_message(status));
        tacho_status_free(status);
        return 1;
    }
    return 0;
}
