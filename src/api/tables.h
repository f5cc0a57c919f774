/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of tables that are handed out: copies that depend on nothing they were made from.
 */
#ifndef TACHO_API_TABLES_H
#define TACHO_API_TABLES_H

#include "questions/analysis.h"
#include "table/table.h"
#include <tacho/table.h>

/* What calls that return tables begin with: there is a place for them, and nothing in it. */
tacho_status tacho_tables_check_place(tacho_tables **out_tables) TACHO_MUST_USE;

tacho_status tacho_tables_create(tacho_tables **out_tables) TACHO_MUST_USE;

/*
 * Adds a copy of |table|, about |input| (NULL: all inputs), unless |status| is a failure. Frees the
 * table, and returns the first failure.
 */
tacho_status tacho_tables_add(tacho_tables *tables, tacho_status status, tacho_table *table,
                              const char *input) TACHO_MUST_USE;

/* Takes tables of an analysis into |tables|, about |input| (NULL: all inputs). */
typedef struct tacho_tables_target {
    tacho_tables *tables;
    const char *input;
    bool omits_empty; /* tables without rows are left out */
} tacho_tables_target;
tacho_table_taker tacho_tables_taker(tacho_tables_target *target);

/*
 * What calls that return tables end with: hands |tables| out, or frees them after a failure, which
 * is returned.
 */
tacho_status tacho_tables_finish(tacho_tables *tables, tacho_status status,
                                 tacho_tables **out_tables) TACHO_MUST_USE;

#endif
