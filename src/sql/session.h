/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SQL over a profile: a database in memory whose tables read the profile in place. Statements may
 * only read: no file is opened, and no table is changed.
 */
#ifndef TACHO_SQL_SESSION_H
#define TACHO_SQL_SESSION_H

#include "base/output.h"
#include "sql/data.h"
#include "sql/text_functions.h"
#include "table/table.h"

typedef struct tacho_sql {
    sqlite3 *db;
    tacho_sql_data data;
    tacho_sql_deadline deadline; /* of the statement that runs */
} tacho_sql;

/*
 * Over |profile|, which is complete and outlives it. |sql| must not move. Call close even after a
 * failure.
 */
tacho_status tacho_sql_open(tacho_sql *sql, tacho_profile *profile) TACHO_MUST_USE;
void tacho_sql_close(tacho_sql *sql);

/* How much a statement may take; 0: any. */
typedef struct tacho_sql_bounds {
    int64_t timeout_ns;
    uint64_t row_max; /* of the result */
} tacho_sql_bounds;

/*
 * The rows that |statement| selects; free the table even after a failure. |bounds| may be NULL: no
 * bounds. A statement that exceeds them is LIMIT.
 */
tacho_status tacho_sql_run(tacho_sql *sql, const char *statement, const tacho_sql_bounds *bounds,
                           tacho_table *out_table) TACHO_MUST_USE;

/* Whether |statement| is one that can be run, of any profile. */
tacho_status tacho_sql_check(const char *statement) TACHO_MUST_USE;

/* Writes the tables and views of |profile| as the file of a SQLite database. */
tacho_status tacho_sql_write(tacho_profile *profile, bool omits_args,
                             tacho_output *output) TACHO_MUST_USE;

#endif
