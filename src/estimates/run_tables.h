/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facts of a run as tables: program and machine, durations of inferences, results.
 */
#ifndef TACHO_ESTIMATES_RUN_TABLES_H
#define TACHO_ESTIMATES_RUN_TABLES_H

#include "program/recording.h"
#include "table/table.h"

/* Durations of the inferences that ran; percentiles by nearest rank. All 0 if none ran. */
typedef struct tacho_run_latency {
    size_t count;
    int64_t mean_ns, p50_ns, p99_ns, min_ns, max_ns;
    double inferences_per_second; /* of all activations and the batch; 0: not known */
} tacho_run_latency;

tacho_run_latency tacho_run_latency_of(const tacho_recording *recording);

/* For users: properties and their values. */
tacho_status tacho_run_summary_table(const tacho_recording *recording,
                                     tacho_table *out_table) TACHO_MUST_USE;

/* One row; some columns are only for programs. */
tacho_status tacho_run_latency_table(const tacho_recording *recording,
                                     tacho_table *out_table) TACHO_MUST_USE;

/* For programs: one row of facts. */
tacho_status tacho_run_facts_table(const tacho_recording *recording,
                                   tacho_table *out_table) TACHO_MUST_USE;

/* Options of tacho_analysis_run. */
typedef struct tacho_run_tables_options {
    bool is_for_people; /* a summary line by line, else one row of facts */
} tacho_run_tables_options;

#endif
