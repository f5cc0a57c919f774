/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facts of a run as tables: program and machine, durations of inferences, results.
 */
#ifndef TACHO_ESTIMATES_RUN_TABLES_H
#define TACHO_ESTIMATES_RUN_TABLES_H

#include "program/recording.h"
#include "table/table.h"

/* Options of tacho_analysis_run. */
typedef struct tacho_run_tables_options {
    bool is_for_people; /* a summary line by line, else one row of facts */
} tacho_run_tables_options;

#endif
