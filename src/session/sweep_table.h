/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The points of a sweep as the table "sweep".
 */
#ifndef TACHO_SESSION_SWEEP_TABLE_H
#define TACHO_SESSION_SWEEP_TABLE_H

#include "compile/live_bytes.h"
#include "session/sweep_dims.h"

typedef struct tacho_sweep_point {
    tacho_sweep_phase phase;
    int64_t batch, sequence; /* -1: there is none */
    char sizes[96];          /* of other axes: "width=320 height=240" */
    bool is_estimated;       /* else it does not fit the machine, and what follows is not known */
    bool is_scheduled;       /* else operators were added up: it has too many jobs to schedule */
    int64_t time_ns;
    double tokens_per_s; /* 0: it has no tokens */
    double inferences_per_s;
    uint64_t ddr_bytes, cache_bytes;
    tacho_live_bytes live;
    bool fits; /* the memory that the machine has */
    const char *bound;
    double bound_percent, utilisation_percent;
} tacho_sweep_point;

tacho_status tacho_sweep_table_write(const tacho_sweep_point *points, size_t point_count,
                                     const tacho_sweep_request *request,
                                     const tacho_table_taker *to) TACHO_MUST_USE;

#endif
