/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of a diff: the two sides, what explains the difference, every operator, how an estimate
 * fits what was measured, and the verdict of a gate.
 */
#ifndef TACHO_ANALYSES_DIFF_TABLES_H
#define TACHO_ANALYSES_DIFF_TABLES_H

#include "analyses/analysis.h"
#include "analyses/diff.h"

/* Hands them over, in the order in which they are shown. */
tacho_status tacho_diff_tables(const tacho_diff *diff, const tacho_table_taker *to) TACHO_MUST_USE;

#endif
