/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views: ops has the table of 'tacho ops', steps that of 'tacho breakdown', and numbered runs.
 */
#include "sql/views.h"

#include <stddef.h>

const tacho_sql_view tacho_sql_views[] = {
    {"ops", "SELECT file, operation, class, origin, count, total_ns, self_ns,"
            " coalesce(100.0 * self_ns / total(self_ns) OVER (PARTITION BY file, origin,"
            " CASE WHEN class IN ('control', 'dma_in', 'dma_out', 'dma_local', 'compute', 'vector')"
            " THEN 0 WHEN class IN ('host', 'host_copy', 'runtime') THEN 1 ELSE 2 END), 0.0)"
            " AS share_percent,"
            " mean_ns, p50_ns, p99_ns, min_ns, max_ns, bytes, location FROM op_sums"},
    {"steps", "SELECT file, kind, name, number, start_ns, end_ns, duration_ns, span_count, warm_up"
              " FROM step_rows"},
    {NULL, NULL},
};

int tacho_sql_views_make(sqlite3 *db)
{
    int code = SQLITE_OK;
    for (size_t i = 0; code == SQLITE_OK && tacho_sql_views[i].name != NULL; i++) {
        char *text = sqlite3_mprintf("CREATE TEMP VIEW %s AS %s", tacho_sql_views[i].name,
                                     tacho_sql_views[i].select);
        code = text != NULL ? sqlite3_exec(db, text, NULL, NULL, NULL) : SQLITE_NOMEM;
        sqlite3_free(text);
    }
    return code;
}
