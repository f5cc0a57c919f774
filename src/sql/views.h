/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views over the tables of a profile.
 */
#ifndef TACHO_SQL_VIEWS_H
#define TACHO_SQL_VIEWS_H

#include <sqlite3.h>

typedef struct tacho_sql_view {
    const char *name;
    const char *select;
} tacho_sql_view;

/* All views; the last has no name. */
extern const tacho_sql_view tacho_sql_views[];

/* Makes them in the schema temp of |db|; a code of SQLite. */
int tacho_sql_views_make(sqlite3 *db);

#endif
