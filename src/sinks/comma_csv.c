/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables as Python's csv module writes them: commas, CR LF, quotes where a field needs them, reals
 * with all their digits. Other tools read it, so nothing is added and formulas are not guarded
 * against.
 */
#include "base/decimal.h"
#include "base/real.h"
#include "codec/csv.h"
#include "sinks/table_sink.h"

#include <math.h>

static void write_cell(const tacho_cell *cell, tacho_column_type type, tacho_output *output)
{
    char text[TACHO_REAL_MAX + TACHO_DECIMAL_MAX];
    if (cell->is_absent) {
        return;
    }
    if (type == TACHO_COLUMN_TEXT || type == TACHO_COLUMN_PICTURE) {
        tacho_csv_write_field(output, cell->value.text, ',');
    } else if (type == TACHO_COLUMN_FLAG) {
        tacho_output_write_cstring(output, cell->value.integer != 0 ? "True" : "False");
    } else {
        bool is_real = type == TACHO_COLUMN_REAL || type == TACHO_COLUMN_PERCENT;
        if (is_real && isnan(cell->value.real)) {
            tacho_output_write_cstring(output, "nan");
            return;
        }
        const char *end = is_real ? tacho_real_put(text, cell->value.real)
                                  : tacho_decimal_put_signed(text, cell->value.integer);
        tacho_output_write(output, text, (size_t)(end - text));
    }
}

static tacho_status comma_csv_append(const tacho_table *more, tacho_output *output)
{
    for (size_t row = 0; row < tacho_table_row_count(more); row++) {
        for (size_t column = 0; column < more->column_count; column++) {
            if (column > 0) {
                tacho_output_write(output, ",", 1);
            }
            write_cell(tacho_table_cell(more, row, column), more->columns[column].type, output);
        }
        tacho_output_write(output, "\r\n", 2);
    }
    return TACHO_OK;
}

static tacho_status comma_csv_write(const tacho_table *table, size_t index, tacho_output *output)
{
    if (index > 0) {
        tacho_output_write(output, "\r\n", 2);
    }
    for (size_t column = 0; column < table->column_count; column++) {
        if (column > 0) {
            tacho_output_write(output, ",", 1);
        }
        tacho_csv_write_field(output, tacho_str_from_cstring(table->columns[column].name), ',');
    }
    tacho_output_write(output, "\r\n", 2);
    return comma_csv_append(table, output);
}

const tacho_table_sink tacho_table_sink_comma_csv = {
    .name = "csv",
    .title = "CSV as Python writes it",
    .suffix = ".csv",
    .write = comma_csv_write,
    .append = comma_csv_append,
};
