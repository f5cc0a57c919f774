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

static void write_int(int64_t value, tacho_output *output)
{
    char *at = (char *)tacho_output_reserve(output, TACHO_DECIMAL_MAX + 1);
    output->cursor = (unsigned char *)tacho_decimal_put_signed(at, value);
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
        write_int(cell->value.integer, output);
        break;
    case TACHO_COLUMN_REAL:
        write_real(cell->value.real, output);
        break;
    case TACHO_COLUMN_PERCENT:
        tacho_output_printf(output, "%.2f", cell->value.real);
        break;
    case TACHO_COLUMN_FLAG:
        tacho_output_write_cstring(output, cell->value.integer != 0 ? "True" : "False");
        break;
    case TACHO_COLUMN_PICTURE:
        break;
    }
    return TACHO_OK;
}

/* Whole lines; |delimiter| is ',' or that of the plain form, whose lines do not name the table. */
static tacho_status write_rows(const tacho_table *table, bool is_plain, tacho_output *output)
{
    const char delimiter = is_plain ? PLAIN_DELIMITER : ',';
    tacho_str name = tacho_str_from_cstring(table->name);
    for (size_t i = 0; i < table->cell_count; i++) {
        size_t column = i % table->column_count;
        tacho_column_type type = table->columns[column].type;
        if (column == 0 && !is_plain) {
            tacho_output_write_str(output, name);
        }
        if (type != TACHO_COLUMN_PICTURE) {
            tacho_output_write(output, &delimiter, column == 0 && is_plain ? 0 : 1);
            TACHO_TRY(write_cell(&table->cells[i], type, is_plain, output));
        }
        tacho_output_write(output, "\n", column + 1 == table->column_count ? 1 : 0);
    }
    return TACHO_OK;
}

static tacho_status csv_append(const tacho_table *more, tacho_output *output)
{
    return write_rows(more, false, output);
}

static tacho_status csv_write(const tacho_table *table, size_t index, tacho_output *output)
{
    tacho_output_printf(output, "%stable", index > 0 ? "\n" : "");
    for (size_t column = 0; column < table->column_count; column++) {
        if (table->columns[column].type != TACHO_COLUMN_PICTURE) {
            tacho_output_printf(output, ",%s", table->columns[column].name);
        }
    }
    tacho_output_write(output, "\n", 1);
    return write_rows(table, false, output);
}

const tacho_table_sink tacho_table_sink_csv = {
    .name = "csv",
    .title = "comma-separated values, durations in ns",
    .suffix = ".csv",
    .write = csv_write,
    .append = csv_append,
};

static tacho_status plain_csv_append(const tacho_table *more, tacho_output *output)
{
    return write_rows(more, true, output);
}

static tacho_status plain_csv_write(const tacho_table *table, size_t index, tacho_output *output)
{
    const char delimiter = PLAIN_DELIMITER;
    tacho_output_write(output, "\n", index > 0 ? 1 : 0);
    for (size_t column = 0; column < table->column_count; column++) {
        tacho_output_write(output, &delimiter, column > 0 ? 1 : 0);
        TACHO_TRY(write_text(tacho_str_from_cstring(table->columns[column].name), true, output));
    }
    tacho_output_write(output, "\n", 1);
    return write_rows(table, true, output);
}

const tacho_table_sink tacho_table_sink_plain_csv = {
    .name = "csv",
    .title = "values between semicolons, as other tools print them",
    .suffix = ".csv",
    .write = plain_csv_write,
    .append = plain_csv_append,
};
