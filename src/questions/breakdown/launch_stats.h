/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches of one stream: how long work waited from the start of its call to its own start, how
 * long the queue became, and how often the call took longer than the work.
 *
 * The queue holds work that is launched but has not started. A stream starts its work in the order
 * of the launches, so the queue at a launch is the work launched before and started after it.
 */
#ifndef TACHO_QUESTIONS_BREAKDOWN_LAUNCH_STATS_H
#define TACHO_QUESTIONS_BREAKDOWN_LAUNCH_STATS_H

#include "questions/timeline/launch_window.h"
#include "questions/durations.h"

typedef struct tacho_launch_stats {
    uint64_t count;
    int64_t delay_sum_ns, delay_max_ns;
    tacho_durations delays;
    uint64_t call_count; /* calls whose end is known */
    int64_t call_sum_ns;
    uint64_t short_count; /* of these, calls that took longer than their work */
    uint64_t queue_max;
    int64_t *starts; /* a ring of the latest */
    size_t start_count, start_capacity, start_next;
} tacho_launch_stats;

void tacho_launch_stats_init(tacho_launch_stats *stats);
void tacho_launch_stats_deinit(tacho_launch_stats *stats);

/* Work that ran from |start_ns| to |end_ns|; work of a stream is added in order of start. */
tacho_status tacho_launch_stats_add(tacho_launch_stats *stats, const tacho_launch *launch,
                                    int64_t start_ns, int64_t end_ns) TACHO_MUST_USE;

/* Adds all of |more|, of another stream or another inference; queues do not continue across
 * these. */
tacho_status tacho_launch_stats_merge(tacho_launch_stats *stats,
                                      const tacho_launch_stats *more) TACHO_MUST_USE;

/* Call it after the last work: prepares percentiles and frees the ring of starts. */
void tacho_launch_stats_finish(tacho_launch_stats *stats);

#endif
