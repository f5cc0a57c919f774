/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables that SQL sees: a description of each, and a profile that they are read from. The
 * profile is not copied; further data of a column is computed when a statement first needs it.
 *
 * Adding a table is adding a tacho_sql_table to the list in tables.c.
 */
#ifndef TACHO_SQL_DATA_H
#define TACHO_SQL_DATA_H

#include "profile/arg_walk.h"
#include "profile/nests.h"
#include "profile/profile.h"

#include <sqlite3.h>

/* Bits of data for columns that is computed on demand. */
enum {
    TACHO_SQL_NEEDS_NESTING = 1 << 0,   /* parents, and time in nested spans */
    TACHO_SQL_NEEDS_OPERATORS = 1 << 1, /* operators that arguments name */
    TACHO_SQL_NEEDS_OPS = 1 << 2,       /* sums of the spans of an operation; the other two first */
    TACHO_SQL_NEEDS_STEPS = 1 << 3,
};

typedef struct tacho_sql_op tacho_sql_op;
typedef struct tacho_sql_step tacho_sql_step;

typedef struct tacho_sql_data {
    tacho_profile *profile;
    tacho_str *texts; /* strings of the dictionary as valid UTF-8, by id */
    size_t text_count, text_capacity;
    uint32_t bytes_key;  /* string, TACHO_NONE when no argument is called so */
    tacho_arena arena;   /* of cleaned text */
    uint8_t *site_kinds; /* a tacho_category_kind, by site */
    bool *has_operators; /* by part: some of its spans are whole operators; NULL: in no part */
    unsigned ready;      /* TACHO_SQL_NEEDS_* that are made */
    uint32_t *parents;   /* by span, TACHO_NONE for none */
    int64_t *inner_ns;   /* by span: time in spans directly inside */
    uint32_t *operators; /* by span: a string, TACHO_NONE: as the site; NULL: all as the site */
    tacho_sql_op *ops;   /* in the order of file, operation, class and origin */
    size_t op_count;
    tacho_sql_step *steps; /* by file, runs first */
    size_t step_count, step_capacity;
} tacho_sql_data;

/* Over |profile|, which is complete and outlives it. Call deinit even after a failure. */
tacho_status tacho_sql_data_init(tacho_sql_data *data, tacho_profile *profile) TACHO_MUST_USE;
void tacho_sql_data_deinit(tacho_sql_data *data);

/* Computes the parts in |needs|. */
tacho_status tacho_sql_data_prepare(tacho_sql_data *data, unsigned needs) TACHO_MUST_USE;

/* A place in a table: a row, and in the table of arguments the argument of a span. */
typedef struct tacho_sql_place {
    tacho_sql_data *data;
    size_t row;
    size_t end; /* the first row that is not wanted */
    /* Of spans: the last one that was read, |span_row| - 1; 0: none was. */
    tacho_span span;
    size_t span_row;
    /* Of arguments. */
    tacho_arg_walk walk;
    tacho_arg *args;
    size_t arg_capacity;
    const tacho_arg *arg;
    int64_t number; /* of the argument, counted from 0 */
} tacho_sql_place;

typedef struct tacho_sql_column {
    const char *name;
    const char *type; /* INTEGER, REAL or TEXT */
    unsigned needs;   /* TACHO_SQL_NEEDS_* */
    bool has_key;     /* rows can be grouped by it, without sorting */
} tacho_sql_column;

typedef struct tacho_sql_table {
    const char *name;
    const tacho_sql_column *columns; /* the first is the number of the row, or of its span */
    int column_count;
    unsigned needs;   /* TACHO_SQL_NEEDS_* of every row */
    bool is_internal; /* only views read it; databases do not have it */
    size_t (*count)(const tacho_sql_data *data);
    void (*put)(tacho_sql_place *place, int column, sqlite3_context *context);
    /* A number for the value of a column that has a key, the same for equal values only. */
    uint32_t (*key)(const tacho_sql_data *data, size_t row, int column);
    /* Which of two rows is first by a column that has a key: as SQL sorts, NULL first. */
    int (*compare)(const tacho_sql_data *data, size_t left, size_t right, int column);
    /* Moves to the first entry from place->row on; false when there is none. (optional) */
    bool (*find_next)(tacho_sql_place *place, tacho_status *out_status);
} tacho_sql_table;

/* All tables, NULL-terminated. */
extern const tacho_sql_table *const tacho_sql_tables[];

extern const tacho_sql_table tacho_sql_table_spans;
extern const tacho_sql_table tacho_sql_table_args;
extern const tacho_sql_table tacho_sql_table_op_sums;
extern const tacho_sql_table tacho_sql_table_step_rows;

/* Fills data->ops; nesting and operators are made. */
tacho_status tacho_sql_ops_make(tacho_sql_data *data) TACHO_MUST_USE;

/* Fills data->steps; the dictionary may get new strings. */
tacho_status tacho_sql_steps_make(tacho_sql_data *data) TACHO_MUST_USE;

/* ---- values ---------------------------------------------------------------------------------- */

/* The string |id| of the dictionary as valid UTF-8; data is NULL where it is TACHO_NONE. */
tacho_str tacho_sql_text(const tacho_sql_data *data, uint32_t id);

/* The string |id| of the dictionary; NULL of SQL where it is TACHO_NONE. */
void tacho_sql_put_string(const tacho_sql_data *data, uint32_t id, sqlite3_context *context);

/* Text that may have bytes which are not UTF-8; a copy is made. */
void tacho_sql_put_text(tacho_str text, sqlite3_context *context);

/* A word that lasts. */
void tacho_sql_put_word(const char *word, sqlite3_context *context);

/* Values of the track of a row. */
uint32_t tacho_sql_process_name(const tacho_dict *dict, uint32_t track);
int64_t tacho_sql_ns(const tacho_sql_data *data, uint32_t track, int64_t ticks);

#endif
