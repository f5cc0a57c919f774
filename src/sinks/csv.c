/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables as RFC 4180 CSV, with the guard against spreadsheet formulas. Each table of a report
 * has its own header line; the first column names the table.
 */
#include "codec/csv.h"

#include "sinks/table_sink.h"

#include <inttypes.h>

static void write_cell(const tacho_cell *cell, tacho_column_type type, tacho_output *output)
{
    if (cell->is_absent) {
        return;
    }
    switch (type) {
    case TACHO_COLUMN_TEXT:
        tacho_csv_write_guarded(output, cell->value.text, ',');
        break;
    case TACHO_COLUMN_INT:
    case TACHO_COLUMN_DURATION:
        tacho_output_printf(output, "%" PRId64, cell->value.integer);
        break;
    case TACHO_COLUMN_REAL:
        tacho_output_printf(output, "%.17g", cell->value.real);
        break;
    }
}

static tacho_status csv_write(const tacho_table *table, size_t index, tacho_output *output)
{
    if (index > 0) {
        tacho_output_write(output, "\n", 1);
    }
    tacho_output_printf(output, "table");
    for (size_t column = 0; column < table->column_count; column++) {
        tacho_output_printf(output, ",%s", table->columns[column].name);
    }
    for (size_t i = 0; i < table->cell_count; i++) {
        size_t column = i % table->column_count;
        if (column == 0) {
            tacho_output_printf(output, "\n%s", table->name);
        }
        tacho_output_write(output, ",", 1);
        write_cell(&table->cells[i], table->columns[column].type, output);
    }
    tacho_output_write(output, "\n", 1);
    return TACHO_OK;
}

const tacho_table_sink tacho_table_sink_csv = {
    .name = "csv",
    .title = "comma-separated values, durations in ns",
    .write = csv_write,
};
