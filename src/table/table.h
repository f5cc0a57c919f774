/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one result shape: a titled table of typed, unit-carrying columns. Analyses return tables;
 * table sinks decide how they look. Times are integers until a sink prints them.
 */
#ifndef TACHO_TABLE_TABLE_H
#define TACHO_TABLE_TABLE_H

#include "base/arena.h"

typedef enum tacho_column_type {
    TACHO_COLUMN_TEXT,
    TACHO_COLUMN_INT,      /* signed 64 bits */
    TACHO_COLUMN_REAL,     /* finite; a sink prints three decimals */
    TACHO_COLUMN_PERCENT,  /* a real number; sinks print two decimals */
    TACHO_COLUMN_DURATION, /* nanoseconds; people see 1.234 ms, programs the integer */
    TACHO_COLUMN_FLAG,    /* yes or no; people see True and False, programs what they have for it */
    TACHO_COLUMN_PICTURE, /* text drawn for people; sinks for programs leave it out */
} tacho_column_type;

typedef struct tacho_column {
    const char *name;  /* for programs, with the unit as suffix: total_ns */
    const char *title; /* for people */
    tacho_column_type type;
} tacho_column;

typedef struct tacho_cell {
    bool is_absent;
    union {
        tacho_str text;
        int64_t integer; /* of a flag 0 or 1 */
        double real;
    } value;
} tacho_cell;

/* Owns its cells and the text in them, but what was added as lasting. */
typedef struct tacho_table {
    const char *name;  /* for programs */
    const char *title; /* for people */
    const tacho_column *columns;
    size_t column_count;
    tacho_cell *cells; /* row after row */
    size_t cell_count, cell_capacity;
    size_t next_column; /* of the next cell */
    /*
     * Where there is no room for all columns: names, parted by blanks, of those that stay the
     * longest, the most important first, and of texts that are never cut. NULL: none.
     */
    const char *kept, *whole;
    tacho_arena arena;
} tacho_table;

/* An empty table; |columns| are constant and outlive it. */
void tacho_table_init(tacho_table *table, const char *name, const char *title,
                      const tacho_column *columns, size_t column_count);

/* The same over copies of |columns| and their texts, which the table owns. */
tacho_status tacho_table_init_owned(tacho_table *table, const char *name, const char *title,
                                    const tacho_column *columns,
                                    size_t column_count) TACHO_MUST_USE;
void tacho_table_deinit(tacho_table *table);

/* Drops the rows and their texts, and keeps the room. Not for a table that owns its columns. */
void tacho_table_clear(tacho_table *table);

static inline size_t tacho_table_row_count(const tacho_table *table)
{
    return table->cell_count / table->column_count;
}

static inline const tacho_cell *tacho_table_cell(const tacho_table *table, size_t row,
                                                 size_t column)
{
    return &table->cells[row * table->column_count + column];
}

/* Cells are added from left to right, row by row, each of its column's type. */
tacho_status tacho_table_add_text(tacho_table *table, tacho_str text) TACHO_MUST_USE;
/* The same of a text that outlives the table: no copy is made. */
tacho_status tacho_table_add_lasting_text(tacho_table *table, tacho_str text) TACHO_MUST_USE;
tacho_status tacho_table_add_flag(tacho_table *table, bool value) TACHO_MUST_USE;
tacho_status tacho_table_add_int(tacho_table *table, int64_t value) TACHO_MUST_USE;
tacho_status tacho_table_add_real(tacho_table *table, double value) TACHO_MUST_USE;
tacho_status tacho_table_add_absent(tacho_table *table) TACHO_MUST_USE;

/* Two cells of text, of a table that people read line by line: what, and its value. */
tacho_status tacho_table_add_property(tacho_table *table, const char *what, const char *format, ...)
    TACHO_PRINTF(3, 4) TACHO_MUST_USE;

#endif
