/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables as RFC 4180 CSV, with the guard against spreadsheet formulas. Each table of a report
 * has its own header line; the first column names the table. The plain form is what other tools
 * make and read: it has neither.
 */
#include "codec/csv.h"

#include "base/decimal.h"
#include "base/utf8.h"
#include "sinks/table_sink.h"

#include <inttypes.h>

enum { PLAIN_DELIMITER = ';' };

/* Bytes that are no UTF-8 would spoil the whole file for a spreadsheet. */
static tacho_status write_text(tacho_str text, bool is_plain, tacho_output *output)
{
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status = tacho_utf8_clean(text, &arena, &text);
    if (status == TACHO_OK && is_plain) {
        tacho_csv_write_field(output, text, PLAIN_DELIMITER);
    } else if (status == TACHO_OK) {
        tacho_csv_write_guarded(output, text, ',');
    }
    tacho_arena_deinit(&arena);
    return status;
}

static void write_real(double value, tacho_output *output)
{
    char *at = (char *)tacho_output_reserve(output, TACHO_DECIMAL_REAL_MAX);
    output->cursor = (unsigned char *)tacho_decimal_put_real(at, value);
}

static tacho_status write_cell(const tacho_cell *cell, tacho_column_type type, bool is_plain,
                               tacho_output *output)
{
    if (cell->is_absent) {
        return TACHO_OK;
    }
    switch (type) {
    case TACHO_COLUMN_TEXT:
        return write_text(cell->value.text, is_plain, output);
    case TACHO_COLUMN_INT:
    case TACHO_COLUMN_DURATION:
        tacho_output_printf(output, "%" PRId64, cell->value.integer);
        break;
    case TACHO_COLUMN_REAL:
        write_real(cell->value.real, output);
        break;
    case TACHO_COLUMN_PERCENT:
        tacho_output_printf(output, "%.2f", cell->value.real);
        break;
    case TACHO_COLUMN_PICTURE:
        break;
    }
    return TACHO_OK;
}

static tacho_status csv_write(const tacho_table *table, size_t index, tacho_output *output)
{
    if (index > 0) {
        tacho_output_write(output, "\n", 1);
    }
    tacho_output_printf(output, "table");
    for (size_t column = 0; column < table->column_count; column++) {
        if (table->columns[column].type != TACHO_COLUMN_PICTURE) {
            tacho_output_printf(output, ",%s", table->columns[column].name);
        }
    }
    for (size_t i = 0; i < table->cell_count; i++) {
        size_t column = i % table->column_count;
        if (column == 0) {
            tacho_output_printf(output, "\n%s", table->name);
        }
        if (table->columns[column].type == TACHO_COLUMN_PICTURE) {
            continue;
        }
        tacho_output_write(output, ",", 1);
        TACHO_TRY(write_cell(&table->cells[i], table->columns[column].type, false, output));
    }
    tacho_output_write(output, "\n", 1);
    return TACHO_OK;
}

const tacho_table_sink tacho_table_sink_csv = {
    .name = "csv",
    .title = "comma-separated values, durations in ns",
    .suffix = ".csv",
    .write = csv_write,
};

static tacho_status plain_csv_write(const tacho_table *table, size_t index, tacho_output *output)
{
    const char delimiter = PLAIN_DELIMITER;
    if (index > 0) {
        tacho_output_write(output, "\n", 1);
    }
    for (size_t column = 0; column < table->column_count; column++) {
        tacho_output_write(output, &delimiter, column > 0 ? 1 : 0);
        TACHO_TRY(write_text(tacho_str_from_cstring(table->columns[column].name), true, output));
    }
    for (size_t i = 0; i < table->cell_count; i++) {
        size_t column = i % table->column_count;
        tacho_output_write(output, column == 0 ? "\n" : &delimiter, 1);
        TACHO_TRY(write_cell(&table->cells[i], table->columns[column].type, true, output));
    }
    tacho_output_write(output, "\n", 1);
    return TACHO_OK;
}

const tacho_table_sink tacho_table_sink_plain_csv = {
    .name = "csv",
    .title = "values between semicolons, as other tools print them",
    .suffix = ".csv",
    .write = plain_csv_write,
};
