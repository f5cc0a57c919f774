/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rights of a statement: read tables and compute with functions that read nothing else.
 */
#ifndef TACHO_SQL_AUTHORIZER_H
#define TACHO_SQL_AUTHORIZER_H

#include <sqlite3.h>

/* Takes away from |db| all that is not needed to make its own tables. */
void tacho_sql_restrict(sqlite3 *db);

/* From here on statements may only read; the tables exist by now. */
void tacho_sql_allow_reading(sqlite3 *db);

#endif
