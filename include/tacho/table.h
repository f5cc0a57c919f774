/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables: the results of all analyses. A set of tables is read cell by cell, or written to a file.
 *
 *     tacho_tables *tables = NULL;
 *     ... tacho_analyse_ops(paths, 1, NULL, &tables) ...
 *     size_t ops = tacho_tables_find(tables, "ops");
 *     size_t name = tacho_tables_find_column(tables, ops, "operation");
 *     tacho_cell_view cell;
 *     for (size_t row = 0; tacho_tables_cell(tables, ops, row, name, &cell); row++) {
 *         printf("%s\n", cell.text);
 *     }
 *     tacho_tables_free(tables);
 *
 * Tables, rows and columns are numbered from 0. An accessor fills the caller's struct and returns
 * false if the number is out of range; NULL is allowed everywhere and gives false, a count
 * of 0, or TACHO_TABLES_NONE. Tables and columns are known by ids that do not change between
 * versions of one soname; titles are for people and may.
 *
 * Strings belong to the set and live until it is freed; they are never NULL unless noted and
 * end with NUL. A set does not change: several threads may read it at once.
 */
#ifndef TACHO_TABLE_H
#define TACHO_TABLE_H

#include <stdint.h>
#include <tacho/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tacho_tables tacho_tables;

/* In place of a number: not found. */
#define TACHO_TABLES_NONE SIZE_MAX

/* How many tables there are; some may have no rows. */
TACHO_API size_t tacho_tables_count(const tacho_tables *tables);

typedef struct tacho_table_view {
    const char *id;    /* for programs: "ops" */
    const char *title; /* for people: "Operations" */
    const char *input; /* the file that it covers; NULL: all of them */
    size_t row_count;
    size_t column_count;
    uint64_t reserved[4];
} tacho_table_view;

TACHO_API bool tacho_tables_get(const tacho_tables *tables, size_t table,
                                tacho_table_view *out_table);

/* The number of the first table whose id is |id|; TACHO_TABLES_NONE when there is none. */
TACHO_API size_t tacho_tables_find(const tacho_tables *tables, const char *id);

typedef enum tacho_cell_type {
    TACHO_CELL_ABSENT, /* not known, or does not apply; no column is of this type */
    TACHO_CELL_INT,
    TACHO_CELL_REAL,
    TACHO_CELL_TEXT,
    TACHO_CELL_BOOL,
} tacho_cell_type;

typedef struct tacho_column_view {
    const char *id;       /* for programs, ends with the unit where there is one: "total_ns" */
    const char *title;    /* for people */
    tacho_cell_type type; /* of its cells, which may also be absent */
    const char *unit;     /* "ns", "us", "bytes", "cycles", "percent" and so on; "": none */
    uint64_t reserved[4];
} tacho_column_view;

TACHO_API bool tacho_tables_column(const tacho_tables *tables, size_t table, size_t column,
                                   tacho_column_view *out_column);

/* The number of the column whose id is |id|; TACHO_TABLES_NONE when there is none. */
TACHO_API size_t tacho_tables_find_column(const tacho_tables *tables, size_t table, const char *id);

/* Members that the type does not name are 0. */
typedef struct tacho_cell_view {
    tacho_cell_type type;
    bool as_bool;
    int64_t as_int;
    double as_real;
    const char *text; /* NULL unless it is text */
    size_t text_len;  /* without the final NUL */
    uint64_t reserved[2];
} tacho_cell_view;

TACHO_API bool tacho_tables_cell(const tacho_tables *tables, size_t table, size_t row,
                                 size_t column, tacho_cell_view *out_cell);

/*
 * A cell as people read it, "1.234 ms", in printable characters: up to |text_bytes| of it with the
 * final NUL. Returns the length of the whole text without the NUL, 0 if the cell is absent or out
 * of range. |text| may be NULL if |text_bytes| is 0.
 */
TACHO_API size_t tacho_tables_cell_text(const tacho_tables *tables, size_t table, size_t row,
                                        size_t column, char *text, size_t text_bytes);

/*
 * The first |count| cells of a column, in arrays that the caller has allocated; NULL for those not
 * wanted. Returns how many were filled: fewer at the end of the rows, 0 for an unknown column, and
 * for reserved members that are set.
 */
typedef struct tacho_column_cells {
    int64_t *as_int;   /* of integers and truth values; 0 of others, and where absent */
    double *as_real;   /* of all that is a number or a truth value; NaN where absent, and of text */
    const char **text; /* of text; NULL of others, and where absent */
    uint8_t *is_present; /* 0 or 1 */
    void *reserved[4];   /* NULL */
} tacho_column_cells;

TACHO_API size_t tacho_tables_read_column(const tacho_tables *tables, size_t table, size_t column,
                                          size_t count, const tacho_column_cells *cells);

/*
 * Writes the tables that have rows to |path|, one below the other; "-" is standard output.
 * |format| is "text", "csv", "json" (one JSON object per line), "xlsx" (a workbook, one sheet per
 * table) or "parquet" (one table; a second one that has rows is TACHO_CODE_UNSUPPORTED), or
 * "overview": the table of that name as Torq's test framework prints it, and no other; NULL: by the
 * suffix of |path|, text when it has none. A path that ends in .gz or .zst is compressed. The file
 * is replaced as a whole or, on failure, left as it was.
 */
TACHO_API tacho_status tacho_tables_write(const tacho_tables *tables, const char *path,
                                          const char *format) TACHO_MUST_USE;

/* Releases them; NULL is allowed. */
TACHO_API void tacho_tables_free(tacho_tables *tables);

#ifdef __cplusplus
}
#endif

#endif
