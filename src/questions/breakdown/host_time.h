/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time of hosts by call, where no device works: each call's own, without that of calls inside.
 * Spans are added in order of start, the longer first.
 */
#ifndef TACHO_QUESTIONS_BREAKDOWN_HOST_TIME_H
#define TACHO_QUESTIONS_BREAKDOWN_HOST_TIME_H

#include "questions/breakdown/work_patterns.h"

typedef struct tacho_host_time {
    tacho_work_patterns calls; /* only operators: the time of each site */
    uint64_t operator_count;   /* spans of a framework's operators */
    size_t thread_count;       /* that have spans */
    int64_t start_ns, end_ns;
    int64_t busy_ns;                  /* of all threads together */
    struct tacho_host_stack *threads; /* by track */
    size_t track_count, track_capacity;
} tacho_host_time;

void tacho_host_time_deinit(tacho_host_time *time);

tacho_status tacho_host_time_add(tacho_host_time *time, uint32_t track, uint32_t site,
                                 const int64_t times_ns[2]) TACHO_MUST_USE;

#endif
