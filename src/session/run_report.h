/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a person, or a script, sees of a run: tables on standard output.
 */
#ifndef TACHO_SESSION_RUN_REPORT_H
#define TACHO_SESSION_RUN_REPORT_H

#include "session/run_outputs.h"
#include "session/run_profile.h"
#include "session/run_tables.h"
#include "sinks/table_sink.h"

typedef struct tacho_run_report {
    const tacho_table_sink *sink;
    const tacho_table_taker *keeper; /* gets the tables, and nothing is printed; NULL: nobody */
    const tacho_run_outputs *outputs;
    tacho_run_ops_choice ops;
    bool compares;     /* with the estimate */
    bool has_blocks;   /* also when each block ran */
    bool omits_tables; /* values alone */
    bool omits_advice; /* no verdict, and nothing to try */
} tacho_run_report;

/* Prints all of it. */
tacho_status tacho_run_report_print(const tacho_run_report *report, tacho_run_session *session,
                                    const tacho_run_profile *profile) TACHO_MUST_USE;

#endif
