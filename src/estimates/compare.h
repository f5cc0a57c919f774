/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the compiler expected of each operator beside what the device recorded. On a device that
 * simulates, both are cycles and the difference is the sum of named stalls. On one that measures,
 * the clock is fitted at which the estimate takes as long as was measured, and operators are
 * compared at that. A clock beyond the machine's own is none: then the estimate is scaled, which
 * compares shares, and the reason is said.
 */
#ifndef TACHO_ESTIMATES_COMPARE_H
#define TACHO_ESTIMATES_COMPARE_H

#include "base/notes.h"
#include "program/recording.h"
#include "table/table.h"

/* One operator; of several samples and activations the median. */
typedef struct tacho_run_compared {
    uint32_t op;
    uint32_t count;     /* of records */
    int64_t estimated;  /* cycles */
    int64_t taken;      /* cycles, or ns: the median of the records */
    bool is_elsewhere;  /* measured: part of a kernel that runs with another one, or a view */
    int64_t difference; /* cycles, or ns at the fitted clock */
    int64_t stalls[TACHO_STALL_COUNT];
} tacho_run_compared;

typedef struct tacho_run_compare {
    const tacho_recording *recording;
    bool is_simulated;
    tacho_run_compared *items; /* operators with records, in order */
    size_t item_count;
    uint32_t record_count_max; /* of an operator */
    double clock_hz;   /* nominal, or the one at which the estimate takes as long as was measured */
    double nominal_hz; /* the machine's */
    bool is_beyond;    /* no clock of the machine fits: it would have to be higher than its own */
    double error;      /* mean of |difference| / estimate */
} tacho_run_compare;

/* A program that does not record operators is USAGE. */
tacho_status tacho_run_compare_check(const tacho_program *program) TACHO_MUST_USE;

/* Call deinit even after a failure. */
tacho_status tacho_run_compare_init(tacho_run_compare *compare,
                                    const tacho_recording *recording) TACHO_MUST_USE;
void tacho_run_compare_deinit(tacho_run_compare *compare);

/* All operators in order, and their sum; for people (|omits_equal|) only those to which simulation
 * adds something, and nothing where there are none. */
tacho_status tacho_run_compare_table(const tacho_run_compare *compare, bool omits_equal,
                                     tacho_table *out_table) TACHO_MUST_USE;

/* The |top| whose difference is largest; those without one are left out. */
tacho_status tacho_run_worst_table(const tacho_run_compare *compare, size_t top,
                                   tacho_table *out_table) TACHO_MUST_USE;

/* For people: the clock, the error, what stalls mean; one line where nothing contends. */
tacho_status tacho_run_fit_table(const tacho_run_compare *compare, bool omits_equal,
                                 tacho_table *out_table) TACHO_MUST_USE;

/* Of tacho_analysis_compare. */
typedef struct tacho_compare_options {
    bool omits_equal;         /* operators that simulation gives their estimate */
    size_t worst_count;       /* also the operators furthest off, and how it fits; 0: without */
    const tacho_notes *notes; /* who is told of operators that spoil the fit (optional) */
} tacho_compare_options;

#endif
