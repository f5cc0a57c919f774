/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The summary of raw stats as tables. The recorded data determines the tables; the table "missing"
 * lists what was not recorded, and how to compile so that it is.
 */
#ifndef TACHO_QUESTIONS_OPSTATS_OPSTATS_TABLES_H
#define TACHO_QUESTIONS_OPSTATS_OPSTATS_TABLES_H

#include "questions/opstats/opstats.h"
#include "table/opstats_tables.h"

/* Makes all tables, some without rows. Call deinit even after a failure. */
tacho_status tacho_opstats_tables_init(tacho_table tables[TACHO_OPSTATS_TABLE_COUNT],
                                       const tacho_opstats *stats) TACHO_MUST_USE;
void tacho_opstats_tables_deinit(tacho_table tables[TACHO_OPSTATS_TABLE_COUNT]);

#endif
