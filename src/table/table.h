/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one result shape: a titled table of typed, unit-carrying columns. Analyses return tables;
 * table sinks decide how they look. Times are integers until a sink prints them.
 */
#ifndef TACHO_TABLE_TABLE_H
#define TACHO_TABLE_TABLE_H

#include "base/arena.h"
#include "table/column.h"

/* How much a cell matters, for sinks that can show it. It adds no information to the cell. */
typedef enum tacho_mark {
    TACHO_MARK_NONE,
    TACHO_MARK_GOOD,  /* as it should be */
    TACHO_MARK_WEAK,  /* could be better */
    TACHO_MARK_BAD,   /* look here first */
    TACHO_MARK_MINOR, /* too little to look at */
    TACHO_MARK_COUNT,
} tacho_mark;

typedef struct tacho_cell {
    bool is_absent;
    uint8_t mark; /* a tacho_mark */
    union {
        tacho_str text;
        int64_t integer; /* of a flag 0 or 1 */
        double real;
    } value;
} tacho_cell;

/* Owns its cells and the text in them, except text added as lasting. */
typedef struct tacho_table {
    const char *name;  /* for programs */
    const char *title; /* for people */
    const tacho_column *columns;
    size_t column_count;
    tacho_cell *cells; /* row after row */
    size_t cell_count, cell_capacity;
    size_t next_column; /* of the next cell */
    /*
     * If not all columns fit: the columns that stay the longest, the most important first, and
     * texts that are never cut. TACHO_COL_OTHER ends a list; NULL: none.
     */
    const tacho_column_id *kept, *whole;
    bool shows_unused;  /* columns without any value are shown to people, too */
    bool is_of_several; /* rows name their subject, even where all have the same one */
    bool shows_empty;   /* its heading is for programs, which get it without rows too */
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

/* The place of the first column that is |id|; the table must have one. */
size_t tacho_table_column(const tacho_table *table, tacho_column_id id);

/* Cells are added from left to right, row by row, each of its column's type. */
tacho_status tacho_table_add_text(tacho_table *table, tacho_str text) TACHO_MUST_USE;
/* The same of a text that outlives the table: no copy is made. */
tacho_status tacho_table_add_lasting_text(tacho_table *table, tacho_str text) TACHO_MUST_USE;
tacho_status tacho_table_add_flag(tacho_table *table, bool value) TACHO_MUST_USE;
tacho_status tacho_table_add_int(tacho_table *table, int64_t value) TACHO_MUST_USE;
tacho_status tacho_table_add_real(tacho_table *table, double value) TACHO_MUST_USE;
tacho_status tacho_table_add_absent(tacho_table *table) TACHO_MUST_USE;

/* Marks the cell that was added last. */
void tacho_table_mark(tacho_table *table, tacho_mark mark);

/* Two cells of text, of a table that people read line by line: a name and its value. */
tacho_status tacho_table_add_property(tacho_table *table, const char *what, const char *format, ...)
    TACHO_PRINTF(3, 4) TACHO_MUST_USE;

/* Receives tables one by one. A table is freed once |take| returns, and may have no rows. */
typedef struct tacho_table_taker {
    tacho_status (*take)(void *self, const tacho_table *table); /* (optional: tables are dropped) */
    void *self;
} tacho_table_taker;

#endif
