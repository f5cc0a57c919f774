/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tests of public calls share: failures that say something, and cells of tables by ids.
 * Include it after cmocka.h.
 */
#ifndef TACHO_API_TESTING_H
#define TACHO_API_TESTING_H

#include <string.h>
#include <tacho/table.h>

static inline void assert_ok(tacho_status status)
{
    if (status != TACHO_OK) {
        fail_msg("%s", tacho_status_message(status));
    }
}

/* |status| is a failure of this code, whose message has |part| in it. */
static inline void check_says(tacho_status status, tacho_code code, const char *part)
{
    assert_int_equal(tacho_status_code(status), code);
    if (strstr(tacho_status_message(status), part) == NULL) {
        fail_msg("'%s' does not say '%s'", tacho_status_message(status), part);
    }
    tacho_status_free(status);
}

static inline tacho_cell_view cell_of(const tacho_tables *tables, const char *table, size_t row,
                                      const char *column)
{
    tacho_cell_view cell;
    size_t found = tacho_tables_find(tables, table);
    assert_true(tacho_tables_cell(tables, found, row,
                                  tacho_tables_find_column(tables, found, column), &cell));
    return cell;
}

static inline size_t rows_of(const tacho_tables *tables, const char *table)
{
    tacho_table_view view;
    assert_true(tacho_tables_get(tables, tacho_tables_find(tables, table), &view));
    return view.row_count;
}

#endif
