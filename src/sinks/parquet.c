/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table as a Parquet file: a single table, because a file has one. Absent cells are missing
 * values.
 */
#include "sinks/parquet.h"

#include "base/grow.h"
#include "base/utf8.h"
#include "codec/parquet.h"

#include <stdlib.h>

static tacho_parquet_type type_of(tacho_column_type type)
{
    switch (type) {
    case TACHO_COLUMN_INT:
    case TACHO_COLUMN_DURATION:
        return TACHO_PARQUET_INT;
    case TACHO_COLUMN_REAL:
    case TACHO_COLUMN_PERCENT:
        return TACHO_PARQUET_REAL;
    case TACHO_COLUMN_FLAG:
        return TACHO_PARQUET_BOOL;
    case TACHO_COLUMN_TEXT:
    case TACHO_COLUMN_PICTURE:
        break;
    }
    return TACHO_PARQUET_TEXT;
}

static tacho_status put_cell(tacho_parquet *writer, const tacho_cell *cell, tacho_column_type type,
                             tacho_arena *arena)
{
    tacho_str text = {NULL, 0};
    if (cell->is_absent) {
        return tacho_parquet_add_null(writer);
    }
    switch (type_of(type)) {
    case TACHO_PARQUET_INT:
        return tacho_parquet_add_int(writer, cell->value.integer);
    case TACHO_PARQUET_REAL:
        return tacho_parquet_add_real(writer, cell->value.real);
    case TACHO_PARQUET_BOOL:
        return tacho_parquet_add_bool(writer, cell->value.integer != 0);
    case TACHO_PARQUET_TEXT:
        break;
    }
    TACHO_TRY(tacho_utf8_clean(cell->value.text, arena, &text));
    return tacho_parquet_add_text(writer, text);
}

static tacho_status put_rows(tacho_parquet *writer, const tacho_table *table, tacho_arena *arena)
{
    for (size_t row = 0; row < tacho_table_row_count(table); row++) {
        for (size_t i = 0; i < table->column_count; i++) {
            if (table->columns[i].type != TACHO_COLUMN_PICTURE) {
                TACHO_TRY(put_cell(writer, tacho_table_cell(table, row, i), table->columns[i].type,
                                   arena));
            }
        }
    }
    TACHO_TRY(tacho_parquet_add_fact(writer, "tacho.table", tacho_str_from_cstring(table->name)));
    return tacho_parquet_finish(writer);
}

static tacho_status write_table(const tacho_table *table, tacho_parquet_column *columns,
                                tacho_output *output)
{
    tacho_parquet *writer = NULL;
    tacho_arena arena;
    size_t count = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->columns[i].type != TACHO_COLUMN_PICTURE) {
            columns[count++] = (tacho_parquet_column){tacho_column_name(&table->columns[i]),
                                                      type_of(table->columns[i].type)};
        }
    }
    TACHO_TRY(tacho_parquet_open(&writer, output, columns, count));
    tacho_arena_init(&arena);
    tacho_status status = put_rows(writer, table, &arena);
    tacho_arena_deinit(&arena);
    tacho_parquet_close(writer);
    return status;
}

static tacho_status parquet_write(const tacho_table *table, size_t index, tacho_output *output)
{
    tacho_parquet_column *columns = NULL;
    if (index > 0) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED,
                          "a Parquet file holds one table, and there is a second one, \"%s\"; use "
                          "another format",
                          table->title);
    }
    TACHO_TRY(tacho_items_make(&columns, table->column_count));
    tacho_status status = write_table(table, columns, output);
    free(columns);
    return status;
}

const tacho_table_sink tacho_table_sink_parquet = {
    .name = "parquet",
    .title = "Parquet, one table",
    .suffix = ".parquet",
    .holds_one = true,
    .write = parquet_write,
};
