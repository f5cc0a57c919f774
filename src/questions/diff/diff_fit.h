/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How well an estimate or a simulation (A) agrees with the actual run (B): the scale at which both
 * take as long, what remains of each type of operator at that scale, and whether B drifts from
 * sample to sample.
 */
#ifndef TACHO_QUESTIONS_DIFF_DIFF_FIT_H
#define TACHO_QUESTIONS_DIFF_DIFF_FIT_H

#include "questions/analysis.h"
#include "questions/diff/diff.h"

/* Whether the sides are of different origin, so that there is something to fit. */
bool tacho_diff_has_fit(const tacho_diff *diff);

/* Passes the tables to |to|. */
tacho_status tacho_diff_fit_tables(const tacho_diff *diff,
                                   const tacho_table_taker *to) TACHO_MUST_USE;

#endif
