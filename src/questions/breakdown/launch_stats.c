/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delays are exact while they are few; the queue is found by a search in a ring of starts.
 */
#include "questions/breakdown/launch_stats.h"

#include "base/grow.h"

#include <stdlib.h>

/* A queue is never longer than the ring; percentiles are exact up to this count. */
enum { STARTS_MAX = 1 << 16, EXACT_MAX = 1 << 16 };

void tacho_launch_stats_init(tacho_launch_stats *stats)
{
    *stats = (tacho_launch_stats){.count = 0};
    tacho_durations_init(&stats->delays);
}

void tacho_launch_stats_deinit(tacho_launch_stats *stats)
{
    tacho_durations_deinit(&stats->delays);
    free(stats->starts);
    *stats = (tacho_launch_stats){.count = 0};
}

/* How many of the latest starts are after |time_ns|. */
static uint64_t count_after(const tacho_launch_stats *stats, int64_t time_ns)
{
    size_t first = stats->start_count < STARTS_MAX ? 0 : stats->start_next;
    size_t low = 0;
    size_t high = stats->start_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool is_after = stats->starts[(first + middle) % STARTS_MAX] > time_ns;
        low = is_after ? low : middle + 1;
        high = is_after ? middle : high;
    }
    return stats->start_count - low;
}

static tacho_status keep_start(tacho_launch_stats *stats, int64_t start_ns)
{
    if (stats->start_count < STARTS_MAX) {
        TACHO_TRY(tacho_grow(&stats->starts, &stats->start_capacity, stats->start_count + 1));
        stats->start_count++;
    }
    stats->starts[stats->start_next] = start_ns;
    stats->start_next = (stats->start_next + 1) % STARTS_MAX;
    return TACHO_OK;
}

/* Times of a damaged file may be arbitrarily large. */
static int64_t add_capped(int64_t sum, int64_t more)
{
    int64_t result = 0;
    return __builtin_add_overflow(sum, more, &result) ? INT64_MAX : result;
}

tacho_status tacho_launch_stats_add(tacho_launch_stats *stats, const tacho_launch *launch,
                                    int64_t start_ns, int64_t end_ns)
{
    int64_t delay_ns = start_ns - launch->start_ns;
    uint64_t queue = count_after(stats, launch->start_ns) + (delay_ns > 0 ? 1 : 0);
    stats->queue_max = queue > stats->queue_max ? queue : stats->queue_max;
    stats->count++;
    stats->delay_sum_ns = add_capped(stats->delay_sum_ns, delay_ns);
    stats->delay_max_ns = delay_ns > stats->delay_max_ns ? delay_ns : stats->delay_max_ns;
    if (launch->end_ns >= 0) {
        int64_t call_ns = launch->end_ns - launch->start_ns;
        stats->call_count++;
        stats->call_sum_ns = add_capped(stats->call_sum_ns, call_ns);
        stats->short_count += end_ns - start_ns < call_ns ? 1 : 0;
    }
    if (stats->count == EXACT_MAX) {
        TACHO_TRY(tacho_durations_compact(&stats->delays));
    }
    TACHO_TRY(tacho_durations_add(&stats->delays, delay_ns));
    return keep_start(stats, start_ns);
}

tacho_status tacho_launch_stats_merge(tacho_launch_stats *stats, const tacho_launch_stats *more)
{
    stats->count += more->count;
    stats->delay_sum_ns = add_capped(stats->delay_sum_ns, more->delay_sum_ns);
    stats->delay_max_ns =
        more->delay_max_ns > stats->delay_max_ns ? more->delay_max_ns : stats->delay_max_ns;
    stats->call_count += more->call_count;
    stats->call_sum_ns = add_capped(stats->call_sum_ns, more->call_sum_ns);
    stats->short_count += more->short_count;
    stats->queue_max = more->queue_max > stats->queue_max ? more->queue_max : stats->queue_max;
    return tacho_durations_merge(&stats->delays, &more->delays);
}

void tacho_launch_stats_finish(tacho_launch_stats *stats)
{
    tacho_durations_sort(&stats->delays);
    free(stats->starts);
    stats->starts = NULL;
    stats->start_count = stats->start_capacity = 0;
}
