/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Critical path: which chain of host work, launches and device work ends with the last work, and
 * how much earlier would that end if an operator took no time? The answer is recomputed over all
 * dependencies (path_graph.h), not read off the path: another path may become critical.
 *
 * A synchronising host call takes no time of its own if work ended during it: it waited for that
 * work. Work whose start nothing else explains waits for the work that ended last on its device. A
 * whole part is held in memory.
 */
#ifndef TACHO_QUESTIONS_CRITICAL_PATH_CRITICAL_PATH_H
#define TACHO_QUESTIONS_CRITICAL_PATH_CRITICAL_PATH_H

#include "questions/analysis.h"
#include "questions/critical_path/path_graph.h"
#include "questions/timeline/timeline.h"

/* The pieces of the path. */
typedef enum tacho_path_kind {
    TACHO_PATH_KIND_WORK,
    TACHO_PATH_KIND_HOST,
    TACHO_PATH_KIND_LAUNCH,
    TACHO_PATH_KIND_QUEUE,
    TACHO_PATH_KIND_WAIT,
    TACHO_PATH_KIND_COUNT,
} tacho_path_kind;

/* One name on the path. */
typedef struct tacho_path_operator {
    uint32_t name;
    bool is_work;
    uint64_t count;
    int64_t time_ns;
    int64_t gain_ns; /* if all work of that name took no time */
} tacho_path_operator;

/* The path of one part. */
typedef struct tacho_path_result {
    uint32_t part;
    int64_t start_ns, end_ns;
    uint64_t counts[TACHO_PATH_KIND_COUNT];
    int64_t times[TACHO_PATH_KIND_COUNT];
    tacho_path_operator *operators; /* the longest first */
    size_t operator_count, operator_capacity;
} tacho_path_result;

/* The options are those of the breakdown: |top| is the number of operators to list. */
typedef struct tacho_path_gather {
    tacho_timeline timeline; /* push to its events */
    size_t top;
    tacho_path_graph graph;
    struct tacho_path_track *tracks;
    size_t track_count, track_capacity;
    uint32_t *devices; /* tracks of streams, device by device */
    size_t device_count, device_capacity;
    tacho_path_result *results;
    size_t result_count, result_capacity;
} tacho_path_gather;

/* Follows the path of the complete graph and computes the possible gains. */
tacho_status tacho_path_trace(tacho_path_gather *gather, uint32_t part) TACHO_MUST_USE;

/* The tables; as in tacho_analysis. */
tacho_status tacho_path_write(tacho_events *events, const void *options,
                              const tacho_table_taker *to) TACHO_MUST_USE;

#endif
