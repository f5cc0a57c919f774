/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of a diff: the two sides, what explains the difference, every operator, how an estimate
 * fits the measurement, and the verdict of a gate.
 */
#ifndef TACHO_QUESTIONS_DIFF_DIFF_TABLES_H
#define TACHO_QUESTIONS_DIFF_DIFF_TABLES_H

#include "questions/analysis.h"
#include "questions/diff/diff.h"

/* Adds the name of |row| as a cell: "conv1", "conv1 -> conv_1", "conv1 (+2) -> conv1+relu1". */
tacho_status tacho_diff_add_name(const tacho_diff *diff, const tacho_diff_row *row,
                                 tacho_table *table) TACHO_MUST_USE;

/* Passes the tables to |to| in the order in which they are shown. */
tacho_status tacho_diff_tables(const tacho_diff *diff, const tacho_table_taker *to) TACHO_MUST_USE;

#endif
