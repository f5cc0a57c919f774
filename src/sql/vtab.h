/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of a profile as virtual tables of SQLite. A row is found by its number without a
 * search, and rows are grouped by names and tracks without sorting.
 */
#ifndef TACHO_SQL_VTAB_H
#define TACHO_SQL_VTAB_H

#include "sql/data.h"

/* Makes each table of |data|, which outlives |db|, in its schema temp. */
tacho_status tacho_sql_vtabs_make(sqlite3 *db, tacho_sql_data *data) TACHO_MUST_USE;

/* The failure of the last call, whose result was |code|. */
tacho_status tacho_sql_failure(sqlite3 *db, int code) TACHO_MUST_USE;

/* "span_id INTEGER PRIMARY KEY, parent_id INTEGER, ...", to be freed with sqlite3_free; NULL
 * without memory. */
char *tacho_sql_columns_text(const tacho_sql_table *table, bool has_primary_key);

#endif
