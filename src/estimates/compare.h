/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compiler's estimate of each operator next to the device's records. On a simulating device,
 * both are cycles and the difference is the sum of named stalls. On a measuring device, the clock
 * is fitted so that the estimate takes as long as the measurement, and operators are compared at
 * that clock. If it exceeds the machine's own, the estimate is scaled instead, which compares
 * shares, and the reason is reported.
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
    double clock_hz;           /* nominal, or the fitted clock */
    double nominal_hz;         /* the machine's */
    bool is_beyond;            /* the fitted clock exceeds the machine's own */
    double error;              /* mean of |difference| / estimate */
} tacho_run_compare;

/* Fails with USAGE if the program does not record operators. */
tacho_status tacho_run_compare_check(const tacho_program *program) TACHO_MUST_USE;

/* Options of tacho_analysis_compare. */
typedef struct tacho_compare_options {
    bool omits_equal;         /* operators whose simulated time is the estimate */
    size_t worst_count;       /* also the operators furthest off, and the fit; 0: without */
    const tacho_notes *notes; /* receives notes on operators that spoil the fit (optional) */
} tacho_compare_options;

#endif
