/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a statement as a table.
 */
#ifndef TACHO_SQL_RESULT_H
#define TACHO_SQL_RESULT_H

#include "table/table.h"

#include <sqlite3.h>

/*
 * Runs |statement| to its end. A column is of whole numbers, of numbers or of text, as its values
 * are; one called *_ns is a duration. |*out_code| is SQLITE_DONE, or what
 * stopped it. More rows than |row_max| are LIMIT; 0: any number.
 */
tacho_status tacho_sql_result(sqlite3_stmt *statement, uint64_t row_max, tacho_table *out_table,
                              int *out_code) TACHO_MUST_USE;

#endif
