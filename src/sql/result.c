/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of SQL have a type each, cells of a table that of their column: rows are kept until the
 * types of all are known.
 */
#include "sql/result.h"

#include "base/grow.h"
#include "base/real.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct value {
    int type; /* SQLITE_INTEGER, FLOAT, TEXT or NULL */
    union {
        int64_t integer;
        double real;
        tacho_str text;
    } of;
} value;

typedef struct result {
    sqlite3_stmt *statement;
    size_t column_count;
    tacho_column *columns;
    value *values; /* row after row */
    size_t value_count, value_capacity;
    tacho_arena arena;
} result;

/* ---- reading --------------------------------------------------------------------------------- */

/* The text itself where the row before has the same: columns repeat names, files and classes. */
static tacho_status keep_text(result *self, tacho_str text, value *out_value)
{
    const value *before = self->value_count > 0 ? out_value - (ptrdiff_t)self->column_count : NULL;
    out_value->type = SQLITE_TEXT;
    if (before != NULL && before->type == SQLITE_TEXT && tacho_str_equal(before->of.text, text)) {
        out_value->of.text = before->of.text;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_arena_copy(&self->arena, text, &text));
    return tacho_utf8_clean(text, &self->arena, &out_value->of.text);
}

/* Bytes as SQL writes them: X'00ff'. */
static tacho_status keep_bytes(result *self, const unsigned char *bytes, size_t len,
                               value *out_value)
{
    static const char digits[] = "0123456789abcdef";
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&self->arena, 2 * len + 3, &memory));
    char *text = memory;
    memcpy(text, "X'", 2);
    for (size_t i = 0; i < len; i++) {
        text[2 + 2 * i] = digits[bytes[i] >> 4];
        text[3 + 2 * i] = digits[bytes[i] & 15];
    }
    text[2 + 2 * len] = '\'';
    *out_value = (value){.type = SQLITE_TEXT, .of.text = tacho_str_make(text, 2 * len + 3)};
    return TACHO_OK;
}

static tacho_status keep_value(result *self, int column, value *out_value)
{
    sqlite3_stmt *statement = self->statement;
    *out_value = (value){.type = sqlite3_column_type(statement, column)};
    size_t len = (size_t)sqlite3_column_bytes(statement, column);
    switch (out_value->type) {
    case SQLITE_INTEGER:
        out_value->of.integer = sqlite3_column_int64(statement, column);
        return TACHO_OK;
    case SQLITE_FLOAT:
        out_value->of.real = sqlite3_column_double(statement, column);
        return isfinite(out_value->of.real)
                   ? TACHO_OK
                   : keep_text(self,
                               out_value->of.real > 0 ? TACHO_STR("Infinity")
                                                      : TACHO_STR("-Infinity"),
                               out_value);
    case SQLITE_TEXT:
        return keep_text(self,
                         tacho_str_make((const char *)sqlite3_column_text(statement, column), len),
                         out_value);
    case SQLITE_BLOB:
        return keep_bytes(self, sqlite3_column_blob(statement, column), len, out_value);
    default:
        return TACHO_OK;
    }
}

static tacho_status read_rows(result *self, uint64_t row_max, int *out_code)
{
    while ((*out_code = sqlite3_step(self->statement)) == SQLITE_ROW) {
        if (row_max > 0 && self->value_count / self->column_count >= row_max) {
            return tacho_fail(TACHO_CODE_LIMIT,
                              "the SQL statement selects more than %" PRIu64
                              " rows; allow more, or end it with LIMIT",
                              row_max);
        }
        TACHO_TRY(tacho_grow(&self->values, &self->value_capacity,
                             self->value_count + self->column_count));
        for (size_t i = 0; i < self->column_count; i++) {
            TACHO_TRY(keep_value(self, (int)i, &self->values[self->value_count + i]));
        }
        self->value_count += self->column_count;
    }
    return TACHO_OK;
}

/* ---- columns --------------------------------------------------------------------------------- */

static tacho_column_type type_of(const result *self, size_t column, tacho_str name)
{
    bool has_integer = false, has_real = false;
    for (size_t i = column; i < self->value_count; i += self->column_count) {
        int type = self->values[i].type;
        if (type == SQLITE_TEXT) {
            return TACHO_COLUMN_TEXT;
        }
        has_integer = has_integer || type == SQLITE_INTEGER;
        has_real = has_real || type == SQLITE_FLOAT;
    }
    return has_real                                      ? TACHO_COLUMN_REAL
           : !has_integer                                ? TACHO_COLUMN_TEXT
           : tacho_str_ends_with(name, TACHO_STR("_ns")) ? TACHO_COLUMN_DURATION
                                                         : TACHO_COLUMN_INT;
}

static bool is_taken(const result *self, size_t end, const char *name)
{
    for (size_t i = 0; i < end; i++) {
        if (strcmp(self->columns[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* The column's name in printable characters; a number makes it unique. */
static tacho_status name_column(result *self, size_t column, const char **out_name)
{
    const char *given = sqlite3_column_name(self->statement, (int)column);
    tacho_str name = tacho_str_from_cstring(given != NULL ? given : "");
    void *memory = NULL;
    TACHO_TRY(tacho_utf8_printable(name, &self->arena, &name));
    size_t size = name.len + 24;
    TACHO_TRY(tacho_arena_alloc(&self->arena, size, &memory));
    snprintf(memory, size, "%.*s", (int)name.len, name.data);
    for (size_t number = 2; is_taken(self, column, memory); number++) {
        snprintf(memory, size, "%.*s_%zu", (int)name.len, name.data, number);
    }
    *out_name = memory;
    return TACHO_OK;
}

static tacho_status make_columns(result *self)
{
    TACHO_TRY(tacho_items_make(&self->columns, self->column_count));
    for (size_t i = 0; i < self->column_count; i++) {
        const char *name = NULL;
        TACHO_TRY(name_column(self, i, &name));
        tacho_column_type type = type_of(self, i, tacho_str_from_cstring(name));
        self->columns[i] = (tacho_column){
            .id = TACHO_COL_OTHER,
            .title = name,
            .type = type,
            .name = name,
            .unit = type == TACHO_COLUMN_DURATION ? TACHO_COLUMN_UNIT_NS : TACHO_COLUMN_UNIT_NONE,
        };
    }
    return TACHO_OK;
}

/* ---- cells ----------------------------------------------------------------------------------- */

static tacho_status add_as_text(tacho_table *table, const value *item)
{
    char text[TACHO_REAL_MAX];
    if (item->type == SQLITE_TEXT) {
        return tacho_table_add_text(table, item->of.text);
    }
    if (item->type == SQLITE_INTEGER) {
        snprintf(text, sizeof(text), "%" PRId64, item->of.integer);
        return tacho_table_add_text(table, tacho_str_from_cstring(text));
    }
    char *end = tacho_real_put(text, item->of.real);
    return tacho_table_add_text(table, tacho_str_make(text, (size_t)(end - text)));
}

static tacho_status add_cell(tacho_table *table, tacho_column_type type, const value *item)
{
    if (item->type == SQLITE_NULL) {
        return tacho_table_add_absent(table);
    }
    if (type == TACHO_COLUMN_TEXT) {
        return add_as_text(table, item);
    }
    if (type == TACHO_COLUMN_REAL) {
        return tacho_table_add_real(table, item->type == SQLITE_FLOAT ? item->of.real
                                                                      : (double)item->of.integer);
    }
    return tacho_table_add_int(table, item->of.integer);
}

static tacho_status fill(result *self, tacho_table *table)
{
    TACHO_TRY(make_columns(self));
    TACHO_TRY(tacho_table_init_owned(table, "query", "Query", self->columns, self->column_count));
    table->shows_empty = true;
    table->shows_unused = true;
    for (size_t i = 0; i < self->value_count; i++) {
        TACHO_TRY(add_cell(table, self->columns[i % self->column_count].type, &self->values[i]));
    }
    return TACHO_OK;
}

tacho_status tacho_sql_result(sqlite3_stmt *statement, uint64_t row_max, tacho_table *out_table,
                              int *out_code)
{
    result self = {.statement = statement, .column_count = (size_t)sqlite3_column_count(statement)};
    tacho_arena_init(&self.arena);
    tacho_status status = read_rows(&self, row_max, out_code);
    if (status == TACHO_OK && *out_code == SQLITE_DONE) {
        status = fill(&self, out_table);
    }
    free(self.values);
    free(self.columns);
    tacho_arena_deinit(&self.arena);
    return status;
}
