/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of named columns in memory, for Tenstorrent's CSV files. Columns are found by name, never
 * by place, since they differ between releases. Cells are text; a missing cell is empty. Memory
 * grows with the file, which has a row per op.
 */
#ifndef TACHO_SOURCES_TENSTORRENT_TT_TABLE_H
#define TACHO_SOURCES_TENSTORRENT_TT_TABLE_H

#include "base/arena.h"
#include "base/input.h"
#include "profile/tt_columns.h"

#define TT_NO_COLUMN SIZE_MAX

/* The limit on columns. */
enum { TT_COLUMNS_MAX = 4096 };

typedef struct tt_table {
    tacho_arena arena;   /* names and cells */
    tacho_arena scratch; /* of one line */
    tacho_str *names;    /* of columns, trimmed */
    bool *is_repeated;   /* by column: an earlier one has the same name and is read instead */
    size_t column_count;
    tacho_str *cells; /* row after row */
    size_t cell_count, cell_capacity;
    uint64_t *lines; /* of the file, by row */
    size_t row_count, line_capacity;
    size_t known[TACHO_TT_COLUMN_COUNT]; /* index of each known column, or TT_NO_COLUMN */
} tt_table;

void tt_table_init(tt_table *table);
void tt_table_deinit(tt_table *table);

/* Splits |line| into the names of columns; call once, before any row. */
tacho_status tt_table_set_header(tt_table *table, tacho_str line) TACHO_MUST_USE;

/* Splits |line| and adds it as a row. |*out_is_good| is false when it does not fit the header. */
tacho_status tt_table_add_line(tt_table *table, tacho_str line, uint64_t line_number,
                               bool *out_is_good) TACHO_MUST_USE;

/* The column of that name, or TT_NO_COLUMN. */
size_t tt_table_find(const tt_table *table, const char *name);

/* The name of a known column. */
const char *tt_column_name(tacho_tt_column column);

/* A cell, trimmed; empty if the column is missing. */
static inline tacho_str tt_table_at(const tt_table *table, size_t row, size_t column)
{
    return column == TT_NO_COLUMN ? TACHO_STR("")
                                  : table->cells[row * table->column_count + column];
}

static inline tacho_str tt_table_cell(const tt_table *table, size_t row, tacho_tt_column column)
{
    return tt_table_at(table, row, table->known[column]);
}

/* The whole number in a cell; "8.0" counts as one. */
bool tt_table_int(const tt_table *table, size_t row, tacho_tt_column column, int64_t *out_value);

/* Like tt_table_int, for a number that may have decimals, rounded to the nearest. */
bool tt_table_rounded(const tt_table *table, size_t row, tacho_tt_column column,
                      int64_t *out_value);

#endif
