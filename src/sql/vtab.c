/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One module for all tables. The plan of a statement is a number: the parts to prepare, and whether
 * one row is wanted; its text lists the columns to group by.
 */
#include "sql/vtab.h"

#include "base/whole.h"
#include "sql/grouping.h"

#include <stdlib.h>
#include <string.h>

enum { PLAN_NEEDS_MASK = 0xff, PLAN_ONE_ROW = 1 << 8 };

typedef struct table_module {
    const tacho_sql_table *table;
    tacho_sql_data *data;
} table_module;

typedef struct virtual_table {
    sqlite3_vtab base;
    table_module module;
} virtual_table;

typedef struct virtual_cursor {
    sqlite3_vtab_cursor base;
    tacho_sql_place place;
    bool is_at_end;
    uint32_t *order; /* rows in groups; NULL: in table order */
    size_t at;       /* in |order| */
} virtual_cursor;

static virtual_table *table_of(sqlite3_vtab *base)
{
    return (virtual_table *)(void *)base;
}

static virtual_cursor *cursor_of(sqlite3_vtab_cursor *base)
{
    return (virtual_cursor *)(void *)base;
}

/* Leaves the message of |status| where SQLite looks for it. */
static int fail(virtual_table *table, tacho_status status)
{
    bool has_memory = tacho_status_code(status) != TACHO_CODE_NO_MEMORY;
    sqlite3_free(table->base.zErrMsg);
    table->base.zErrMsg = sqlite3_mprintf("%s", tacho_status_message(status));
    tacho_status_free(status);
    return has_memory ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* ---- tables ---------------------------------------------------------------------------------- */

char *tacho_sql_columns_text(const tacho_sql_table *table, bool has_primary_key)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (int i = 0; i < table->column_count; i++) {
        sqlite3_str_appendf(text, "%s%s%s%s%s", i > 0 ? ", " : "", table->columns[i].name,
                            table->columns[i].type[0] != '\0' ? " " : "", table->columns[i].type,
                            i == 0 && has_primary_key ? " PRIMARY KEY" : "");
    }
    return sqlite3_str_finish(text);
}

static int connect_table(sqlite3 *db, void *user, int word_count, const char *const *words,
                         sqlite3_vtab **out_table, char **out_error)
{
    const table_module *module = user;
    (void)word_count;
    (void)words;
    (void)out_error;
    char *columns = tacho_sql_columns_text(module->table, false);
    char *declaration = columns != NULL ? sqlite3_mprintf("CREATE TABLE x(%s)", columns) : NULL;
    int code = declaration != NULL ? sqlite3_declare_vtab(db, declaration) : SQLITE_NOMEM;
    sqlite3_free(declaration);
    sqlite3_free(columns);
    virtual_table *table = code == SQLITE_OK ? calloc(1, sizeof(*table)) : NULL;
    if (table == NULL) {
        return code == SQLITE_OK ? SQLITE_NOMEM : code;
    }
    table->module = *module;
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    *out_table = &table->base;
    return SQLITE_OK;
}

static int disconnect_table(sqlite3_vtab *base)
{
    free(table_of(base));
    return SQLITE_OK;
}

/* ---- plans ----------------------------------------------------------------------------------- */

/* Whether a statement gives the number of the row, and takes it. */
static bool takes_row_number(const tacho_sql_table *shape, sqlite3_index_info *info)
{
    for (int i = 0; i < info->nConstraint; i++) {
        int column = info->aConstraint[i].iColumn;
        bool is_number = column == 0 || (column < 0 && shape->find_next == NULL);
        if (is_number && info->aConstraint[i].usable != 0 &&
            info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ) {
            info->aConstraintUsage[i].argvIndex = 1;
            return true;
        }
    }
    return false;
}

static bool can_group(const virtual_table *table, sqlite3_index_info *info)
{
    int how = sqlite3_vtab_distinct(info);
    if (info->nOrderBy == 0 || (how != 1 && how != 2)) {
        return false;
    }
    for (int i = 0; i < info->nOrderBy; i++) {
        int column = info->aOrderBy[i].iColumn;
        if (column < 0 || !table->module.table->columns[column].has_key) {
            return false;
        }
    }
    return true;
}

/* Columns as letters: the first one is 'A', or 'a' for descending order. */
static int plan_groups(const virtual_table *table, sqlite3_index_info *info)
{
    char *columns = sqlite3_malloc64((sqlite3_uint64)info->nOrderBy + 1);
    if (columns == NULL) {
        return SQLITE_NOMEM;
    }
    for (int i = 0; i < info->nOrderBy; i++) {
        int column = info->aOrderBy[i].iColumn;
        columns[i] = (char)((info->aOrderBy[i].desc != 0 ? 'a' : 'A') + column);
        info->idxNum |= (int)table->module.table->columns[column].needs;
    }
    columns[info->nOrderBy] = '\0';
    info->idxStr = columns;
    info->needToFreeIdxStr = 1;
    info->orderByConsumed = 1;
    return SQLITE_OK;
}

static int plan(sqlite3_vtab *base, sqlite3_index_info *info)
{
    virtual_table *table = table_of(base);
    const tacho_sql_table *shape = table->module.table;
    double count = (double)shape->count(table->module.data);
    info->idxNum = (int)shape->needs;
    for (int i = 0; i < shape->column_count; i++) {
        bool is_used = (info->colUsed >> (i < 63 ? i : 63) & 1) != 0;
        info->idxNum |= is_used ? (int)shape->columns[i].needs : 0;
    }
    if (takes_row_number(shape, info)) {
        info->idxNum |= PLAN_ONE_ROW;
        info->estimatedCost = 1;
        info->estimatedRows = 1;
        info->idxFlags = shape->find_next == NULL ? SQLITE_INDEX_SCAN_UNIQUE : 0;
        return SQLITE_OK;
    }
    info->estimatedCost = count + 1;
    info->estimatedRows = tacho_whole_i64(count);
    return can_group(table, info) ? plan_groups(table, info) : SQLITE_OK;
}

/* ---- cursors --------------------------------------------------------------------------------- */

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **out_cursor)
{
    virtual_cursor *cursor = calloc(1, sizeof(*cursor));
    if (cursor == NULL) {
        return SQLITE_NOMEM;
    }
    cursor->place.data = table_of(base)->module.data;
    *out_cursor = &cursor->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    virtual_cursor *cursor = cursor_of(base);
    tacho_arg_walk_deinit(&cursor->place.walk);
    free(cursor->place.args);
    free(cursor->order);
    free(cursor);
    return SQLITE_OK;
}

/* Stops at a row, or at the end. */
static int find_row(virtual_cursor *cursor)
{
    virtual_table *table = table_of(cursor->base.pVtab);
    const tacho_sql_table *shape = table->module.table;
    tacho_sql_place *place = &cursor->place;
    tacho_status status = TACHO_OK;
    if (cursor->order != NULL) {
        cursor->is_at_end = cursor->at >= place->end;
        place->row = cursor->is_at_end ? 0 : cursor->order[cursor->at];
    } else {
        cursor->is_at_end =
            shape->find_next != NULL ? !shape->find_next(place, &status) : place->row >= place->end;
    }
    return status == TACHO_OK ? SQLITE_OK : fail(table, status);
}

/* Only the row of that number; no row if the number is out of range. */
static void choose_row(tacho_sql_place *place, sqlite3_value *number, size_t count)
{
    double real = sqlite3_value_double(number);
    sqlite3_int64 row = sqlite3_value_int64(number);
    bool is_number = sqlite3_value_numeric_type(number) == SQLITE_INTEGER ||
                     (sqlite3_value_numeric_type(number) == SQLITE_FLOAT && real == (double)row);
    bool is_there = is_number && row >= 0 && (uint64_t)row < count;
    place->row = is_there ? (size_t)row : 0;
    place->end = is_there ? (size_t)row + 1 : 0;
}

static int begin(sqlite3_vtab_cursor *base, int number, const char *columns, int value_count,
                 sqlite3_value **values)
{
    virtual_cursor *cursor = cursor_of(base);
    virtual_table *table = table_of(base->pVtab);
    tacho_sql_place *place = &cursor->place;
    tacho_status status = tacho_sql_data_prepare(place->data, (unsigned)number & PLAN_NEEDS_MASK);
    size_t count = table->module.table->count(place->data);
    free(cursor->order);
    cursor->order = NULL;
    cursor->at = 0;
    place->arg = NULL;
    place->number = -1;
    place->row = 0;
    place->end = count;
    if (status == TACHO_OK && (number & PLAN_ONE_ROW) != 0 && value_count > 0) {
        choose_row(place, values[0], count);
    } else if (status == TACHO_OK && columns != NULL) {
        status = tacho_sql_group(table->module.table, place->data, columns, &cursor->order);
    }
    return status == TACHO_OK ? find_row(cursor) : fail(table, status);
}

static int step(sqlite3_vtab_cursor *base)
{
    virtual_cursor *cursor = cursor_of(base);
    cursor->at++;
    if (table_of(base->pVtab)->module.table->find_next == NULL) {
        cursor->place.row++;
    }
    return find_row(cursor);
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
    return cursor_of(base)->is_at_end;
}

static int put_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    table_of(base->pVtab)->module.table->put(&cursor_of(base)->place, column, context);
    return SQLITE_OK;
}

static int row_number(sqlite3_vtab_cursor *base, sqlite3_int64 *out_number)
{
    const tacho_sql_place *place = &cursor_of(base)->place;
    *out_number = place->arg != NULL ? place->number : (sqlite3_int64)place->row;
    return SQLITE_OK;
}

static const sqlite3_module module = {
    .xCreate = connect_table,
    .xConnect = connect_table,
    .xBestIndex = plan,
    .xDisconnect = disconnect_table,
    .xDestroy = disconnect_table,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = begin,
    .xNext = step,
    .xEof = is_at_end,
    .xColumn = put_column,
    .xRowid = row_number,
};

/* ---- all of them ----------------------------------------------------------------------------- */

tacho_status tacho_sql_failure(sqlite3 *db, int code)
{
    if (code == SQLITE_NOMEM) {
        return tacho_no_memory();
    }
    tacho_code kind = code == SQLITE_FULL || code == SQLITE_IOERR || code == SQLITE_CANTOPEN
                          ? TACHO_CODE_IO
                          : TACHO_CODE_BAD_DATA;
    return tacho_fail(kind, "SQLite: %s", sqlite3_errmsg(db));
}

static int make_table(sqlite3 *db, const tacho_sql_table *table, tacho_sql_data *data)
{
    table_module *user = malloc(sizeof(*user));
    char *text =
        sqlite3_mprintf("CREATE VIRTUAL TABLE temp.%s USING tacho_%s", table->name, table->name);
    char *name = sqlite3_mprintf("tacho_%s", table->name);
    int code = SQLITE_NOMEM;
    if (user != NULL && text != NULL && name != NULL) {
        *user = (table_module){table, data};
        code = sqlite3_create_module_v2(db, name, &module, user, free);
        user = NULL; /* SQLite frees it, even on failure */
    }
    if (code == SQLITE_OK) {
        code = sqlite3_exec(db, text, NULL, NULL, NULL);
    }
    free(user);
    sqlite3_free(text);
    sqlite3_free(name);
    return code;
}

tacho_status tacho_sql_vtabs_make(sqlite3 *db, tacho_sql_data *data)
{
    for (size_t i = 0; tacho_sql_tables[i] != NULL; i++) {
        int code = make_table(db, tacho_sql_tables[i], data);
        if (code != SQLITE_OK) {
            return tacho_sql_failure(db, code);
        }
    }
    return TACHO_OK;
}
