/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The critical path of an inference: from the job that ended last back to the one it waited for
 * longest, a need of it or the job before it on its engine, and so on to the start. Its steps cover
 * the whole time, so their sum is that of the inference without the stats' flush.
 */
#ifndef TACHO_QUESTIONS_OPSTATS_OPSTATS_PATH_H
#define TACHO_QUESTIONS_OPSTATS_OPSTATS_PATH_H

#include "questions/opstats/opstats_rollup.h"

enum { TACHO_OPSTATS_PATH_COLUMN_COUNT = 13 };
extern const tacho_column tacho_opstats_path_columns[TACHO_OPSTATS_PATH_COLUMN_COUNT];

/* Adds a row per op on the path and kind of task, the longest first. */
tacho_status tacho_opstats_path_add(const tacho_rollup_files *files,
                                    tacho_table *table) TACHO_MUST_USE;

#endif
