/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading tables of an SQLite database from others, which is hostile input: one table at a time,
 * in order of its rows, columns by name.
 *
 *     static const char *const columns[] = {"start", "end"};
 *     TACHO_TRY(tacho_sqlite_scan(file, "KERNELS", columns, 2, &scan));
 *     while (status == TACHO_OK && scan row) ...
 *
 * Nothing of the database runs: no views, triggers, virtual tables, generated columns or functions
 * (all are refused), and nothing is written or locked. A value has the type that its row gives it,
 * whatever the table declares. Damage ends a table early and is remembered: the reader counts it as
 * loss. Memory is that of a page cache and of the longest row.
 */
#ifndef TACHO_CODEC_SQLITE_FILE_H
#define TACHO_CODEC_SQLITE_FILE_H

#include "base/attributes.h"
#include "base/input.h"
#include "base/status.h"
#include "base/str.h"

enum {
    TACHO_SQLITE_COLUMNS_MAX = 40,     /* of one scan */
    TACHO_SQLITE_TABLES_MAX = 4096,    /* of one database; more are not seen */
    TACHO_SQLITE_VALUE_MAX = 64 << 20, /* bytes; reading a longer one ends its table */
    TACHO_SQLITE_TEXT_MAX = 1 << 20,   /* bytes; a longer value is not a text */
};

typedef struct tacho_sqlite_file tacho_sqlite_file;

/* Whether |head| is that of a database. */
bool tacho_sqlite_is_head(tacho_str head);

/*
 * Opens the database of |input|, all of it: in place if it is a plain file, else as a copy in a
 * temporary file. A database with changes in a file beside it (a write-ahead log, a journal) is
 * refused. Messages name |input|.
 */
tacho_status tacho_sqlite_open(tacho_input *input, tacho_sqlite_file **out_file) TACHO_MUST_USE;
void tacho_sqlite_close(tacho_sqlite_file *file);

/* Why the database, or a table scanned so far, ended early; NULL while sound. */
const char *tacho_sqlite_damage(const tacho_sqlite_file *file);

/* The tables, in the order of their creation; views and virtual tables are not among them. */
size_t tacho_sqlite_table_count(const tacho_sqlite_file *file);
tacho_str tacho_sqlite_table(const tacho_sqlite_file *file, size_t index);
bool tacho_sqlite_has_table(const tacho_sqlite_file *file, tacho_str name);

/* A pass over a table, or a place in it. All zero is one without rows. */
typedef struct tacho_sqlite_scan {
    tacho_sqlite_file *file;
    void *statement;
    int64_t row_id;     /* of the current row */
    uint64_t row_count; /* rows that were read */
    bool is_seek;
    bool has_row;
    uint64_t missing_columns; /* a bit for each column that the table does not have */
} tacho_sqlite_scan;

/*
 * Begins a pass over |table|, at most TACHO_SQLITE_COLUMNS_MAX |columns| of it. Columns that the
 * table does not have are NULL in each row. A table that does not exist has no rows.
 */
tacho_status tacho_sqlite_begin(tacho_sqlite_file *file, tacho_str table,
                                const char *const *columns, size_t column_count,
                                tacho_sqlite_scan *out_scan) TACHO_MUST_USE;

/* The same for single rows by their number, tacho_sqlite_seek. */
tacho_status tacho_sqlite_begin_seek(tacho_sqlite_file *file, tacho_str table,
                                     const char *const *columns, size_t column_count,
                                     tacho_sqlite_scan *out_scan) TACHO_MUST_USE;
void tacho_sqlite_end(tacho_sqlite_scan *scan);

/* Moves to the next row; scan->has_row is false at the end. */
tacho_status tacho_sqlite_next(tacho_sqlite_scan *scan) TACHO_MUST_USE;

/* Moves to the row of that number; scan->has_row is false where there is none. */
tacho_status tacho_sqlite_seek(tacho_sqlite_scan *scan, int64_t row_id) TACHO_MUST_USE;

static inline bool tacho_sqlite_has_column(const tacho_sqlite_scan *scan, size_t column)
{
    return scan->statement != NULL && (scan->missing_columns >> column & 1) == 0;
}

/* Values of the current row; false if the value has another type. Texts are good until the next. */
bool tacho_sqlite_int(const tacho_sqlite_scan *scan, size_t column, int64_t *out_value);
bool tacho_sqlite_real(const tacho_sqlite_scan *scan, size_t column, double *out_value);
bool tacho_sqlite_text(const tacho_sqlite_scan *scan, size_t column, tacho_str *out_text);

/* The integer there, else |absent|. */
int64_t tacho_sqlite_int_or(const tacho_sqlite_scan *scan, size_t column, int64_t absent);

#endif
