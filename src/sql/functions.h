/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of SQL that profiles need and SQLite has not:
 *
 *     percentile(x, p)   the smallest x that is at least as large as p percent of all values
 *     only_value(x)      x where it is the same in all rows, else NULL
 */
#ifndef TACHO_SQL_FUNCTIONS_H
#define TACHO_SQL_FUNCTIONS_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/* Adds them to |db|; a code of SQLite. */
int tacho_sql_functions_add(sqlite3 *db);

/* percentile() of |item_count| > 0 numbers, which are moved about. */
int64_t tacho_sql_percentile(int64_t *items, size_t item_count, int percent);

#endif
