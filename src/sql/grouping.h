/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows put in groups without comparing their texts: two passes over the rows and a counting sort.
 * Only groups are sorted by their values.
 */
#ifndef TACHO_SQL_GROUPING_H
#define TACHO_SQL_GROUPING_H

#include "sql/data.h"

/*
 * The group of each row of |table|, numbered from 0 in the order of their values; |columns| as
 * below. The caller frees them.
 */
tacho_status tacho_sql_group_numbers(const tacho_sql_table *table, const tacho_sql_data *data,
                                     const char *columns, uint32_t **out_groups,
                                     size_t *out_group_count) TACHO_MUST_USE;

/*
 * The rows of |table| sorted by |columns|: letters from 'A' on, from 'a' on for descending order.
 * The caller frees them.
 */
tacho_status tacho_sql_group(const tacho_sql_table *table, const tacho_sql_data *data,
                             const char *columns, uint32_t **out_order) TACHO_MUST_USE;

#endif
