/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of SQL that look for one text in another. SQLite can stop a statement only between its
 * own steps, and its versions of these take the product of both lengths: hours in one step. Ours
 * give the same results, in linear time or with a look at the deadline now and then.
 *
 *     instr(x, y), replace(x, y, z), trim(x, y), ltrim(x, y), rtrim(x, y), x LIKE y, x GLOB y
 */
#ifndef TACHO_SQL_TEXT_FUNCTIONS_H
#define TACHO_SQL_TEXT_FUNCTIONS_H

#include <sqlite3.h>
#include <stdint.h>

/* When a statement has to end; INT64_MAX: at any time. */
typedef struct tacho_sql_deadline {
    int64_t until_ns;
} tacho_sql_deadline;

/* Puts them in the place of SQLite's; |deadline| outlives |db|. A code of SQLite. */
int tacho_sql_text_functions_add(sqlite3 *db, const tacho_sql_deadline *deadline);

#endif
