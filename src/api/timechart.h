/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is behind a time chart: for entries (timechart.c) and for writing it (timechart_flush.c).
 */
#ifndef TACHO_API_TIMECHART_H
#define TACHO_API_TIMECHART_H

#include "profile/row_store.h"
#include "sinks/trace_sink.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <tacho/timechart.h>

/* A process that entries name; its id is that of its name. */
typedef struct chart_process {
    uint32_t part;     /* TACHO_NONE until the process is made */
    int32_t next_rank; /* of the next thread or counter */
} chart_process;

/* A span that has begun. */
typedef struct begun_span {
    int64_t start;
    uint32_t site;
} begun_span;

/* Spans that have begun on a track and not ended, the innermost last. */
typedef struct begun_stack {
    begun_span *items;
    size_t item_count, item_capacity;
} begun_stack;

struct tacho_timechart {
    pthread_mutex_t mutex;
    pid_t owner; /* the process that opened it */
    char *path;  /* absolute: programs change their folder */
    const tacho_trace_sink *sink;
    tacho_dict dict;
    tacho_row_store *store;
    tacho_clock clock; /* of entries; added to the dictionary with the first process */
    uint32_t clock_id;
    tacho_origin origin;
    tacho_strings process_names;
    chart_process *processes; /* by name */
    size_t process_count, process_capacity;
    begun_stack *begun; /* by track */
    size_t begun_count, begun_capacity;
    uint64_t flow_count;
    int64_t latest_time; /* of all entries */
    bool has_files;      /* parts that are not aligned with the rest */
    atomic_uint_fast64_t lost_count;
};

/* Whether the chart may be used by this process; leave must follow if so. */
tacho_status tacho_timechart_enter(tacho_timechart *chart) TACHO_MUST_USE;
tacho_status tacho_timechart_leave(tacho_timechart *chart, tacho_status status) TACHO_MUST_USE;

tacho_row tacho_timechart_make_span(uint32_t track, begun_span begun, int64_t end, uint32_t flags);

#endif
