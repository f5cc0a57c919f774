/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of launches and queues, and of the longest gaps.
 */
#include "questions/breakdown/breakdown.h"
#include "questions/breakdown/breakdown_average.h"
#include "base/grow.h"

#include <stdlib.h>

enum { PERCENT = 100, MEDIAN = 50, HIGH = 99 };

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const tacho_column launch_columns[] = {
    TACHO_BREAKDOWN_WHO,
    TACHO_COLUMN(STREAM, "stream", TEXT),
    TACHO_COLUMN(LAUNCH_COUNT, "launches", INT),
    TACHO_COLUMN(MEAN_NS, "delay mean", DURATION),
    TACHO_COLUMN(P50_NS, "p50", DURATION),
    TACHO_COLUMN(P99_NS, "p99", DURATION),
    TACHO_COLUMN(MAX_NS, "max", DURATION),
    TACHO_COLUMN(QUEUE_MEAN, "queue mean", REAL),
    TACHO_COLUMN(QUEUE_MAX, "queue max", INT),
    TACHO_COLUMN(CALL_MEAN_NS, "call mean", DURATION),
    TACHO_COLUMN(SHORT_COUNT, "shorter than call", INT),
    TACHO_COLUMN(SHORT_PERCENT, "shorter %", PERCENT),
};

static const tacho_column gap_columns[] = {
    TACHO_COLUMN(FILE, "file", TEXT),
    TACHO_COLUMN(RANK, "rank", INT),
    TACHO_COLUMN(DEVICE, "device", TEXT),
    TACHO_COLUMN(START_NS, "start", DURATION),
    TACHO_COLUMN(GAP_NS, "gap", DURATION),
    TACHO_COLUMN(CAUSE, "cause", TEXT),
    TACHO_COLUMN(KIND, "kind", TEXT),
    TACHO_COLUMN(HOST_OP, "host did", TEXT),
    TACHO_COLUMN(HOST_PERCENT, "of gap", PERCENT),
    TACHO_COLUMN(THREAD, "thread", TEXT),
    TACHO_COLUMN(BEFORE, "before", TEXT),
    TACHO_COLUMN(AFTER, "after", TEXT),
};

/* ---- launches ------------------------------------------------------------------------------ */

/* |count|: of inferences. */
static tacho_status add_calls(const tacho_launch_stats *stats, uint64_t count, tacho_table *table)
{
    if (stats->call_count == 0) {
        TACHO_TRY(tacho_table_add_absent(table));
        TACHO_TRY(tacho_table_add_absent(table));
        return tacho_table_add_absent(table);
    }
    TACHO_TRY(
        tacho_table_add_int(table, (int64_t)tacho_mean(stats->call_sum_ns, stats->call_count)));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)((stats->short_count + count / 2) / count)));
    return tacho_table_add_real(table,
                                PERCENT * (double)stats->short_count / (double)stats->call_count);
}

/* How long the device's span is in all inferences but warm-up. */
static double span_of(const tacho_breakdown_gather *gather, const tacho_breakdown_subject *subject)
{
    double span = 0;
    for (size_t i = subject->warm_up_count; i < subject->count; i++) {
        const tacho_breakdown_device *device = tacho_breakdown_subject_device(gather, subject, i);
        span += (double)tacho_device_time_span(&device->time);
    }
    return span;
}

static tacho_status add_launches(const tacho_breakdown_gather *gather,
                                 const tacho_breakdown_subject *subject, uint32_t name,
                                 const tacho_launch_stats *stats, tacho_table *table)
{
    uint64_t count = subject->count - subject->warm_up_count;
    double span = span_of(gather, subject);
    TACHO_TRY(tacho_breakdown_add_subject(gather, subject, table));
    TACHO_TRY(tacho_table_add_text(table, tacho_dict_string(gather->events.dict, name)));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)((stats->count + count / 2) / count)));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)tacho_mean(stats->delay_sum_ns, stats->count)));
    TACHO_TRY(tacho_table_add_int(table, tacho_durations_percentile(&stats->delays, MEDIAN)));
    TACHO_TRY(tacho_table_add_int(table, tacho_durations_percentile(&stats->delays, HIGH)));
    TACHO_TRY(tacho_table_add_int(table, stats->delay_max_ns));
    TACHO_TRY(tacho_table_add_real(table, span > 0 ? (double)stats->delay_sum_ns / span : 0));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)stats->queue_max));
    return add_calls(stats, count, table);
}

static tacho_status add_stream(const tacho_breakdown_gather *gather,
                               const tacho_breakdown_subject *subject,
                               const tacho_subject_stream *stream, tacho_table *table)
{
    tacho_launch_stats stats;
    tacho_launch_stats_init(&stats);
    tacho_status status = tacho_breakdown_merge_launches(gather, subject, stream, &stats);
    if (status == TACHO_OK && stats.count > 0) {
        status = add_launches(gather, subject, stream->name, &stats, table);
    }
    tacho_launch_stats_deinit(&stats);
    return status;
}

static tacho_status add_subject(const tacho_breakdown_gather *gather,
                                const tacho_breakdown_subject *subject, tacho_table *table)
{
    tacho_subject_stream *streams = NULL;
    size_t count = 0;
    tacho_status status = tacho_breakdown_subject_streams(gather, subject, &streams, &count);
    for (size_t i = 0; i < count && status == TACHO_OK; i++) {
        status = add_stream(gather, subject, &streams[i], table);
    }
    free(streams);
    return status;
}

tacho_status tacho_breakdown_launches_table(const tacho_breakdown_gather *gather,
                                            tacho_table *out_table)
{
    static const tacho_column_id kept[] = {
        TACHO_COL_DEVICE,      TACHO_COL_STREAM, TACHO_COL_LAUNCH_COUNT, TACHO_COL_P50_NS,
        TACHO_COL_QUEUE_MEAN,  TACHO_COL_MAX_NS, TACHO_COL_QUEUE_MAX,    TACHO_COL_CALL_MEAN_NS,
        TACHO_COL_SHORT_COUNT, TACHO_COL_FILE,   TACHO_COL_OTHER};
    tacho_table_init(out_table, "launches", "Launches and queues", launch_columns,
                     COUNT_OF(launch_columns));
    out_table->kept = kept;
    return tacho_breakdown_each_subject(gather, add_subject, out_table);
}

/* ---- gaps ---------------------------------------------------------------------------------- */

static tacho_status add_site(const tacho_dict *dict, uint32_t site, tacho_table *table)
{
    return site == TACHO_NONE
               ? tacho_table_add_absent(table)
               : tacho_table_add_text(table, tacho_dict_string(dict, dict->sites[site].name));
}

/* Adds the host's activity: three cells. */
static tacho_status add_deed(const tacho_dict *dict, const tacho_breakdown_gap *gap,
                             tacho_table *table)
{
    uint32_t track = gap->gap.launch_track;
    if (track == TACHO_NONE) {
        TACHO_TRY(tacho_table_add_absent(table));
        TACHO_TRY(tacho_table_add_absent(table));
        return tacho_table_add_absent(table);
    }
    int64_t length_ns = gap->gap.end_ns - gap->gap.start_ns;
    TACHO_TRY(gap->deed.site == TACHO_NONE
                  ? tacho_table_add_text(table, TACHO_STR("(nothing recorded)"))
                  : add_site(dict, gap->deed.site, table));
    TACHO_TRY(tacho_table_add_real(table, PERCENT * (double)gap->deed.time_ns / (double)length_ns));
    return tacho_table_add_text(table, tacho_dict_string(dict, tacho_dict_track_name(dict, track)));
}

/* Shorter gaps are not judged. */
static tacho_status add_kind(const tacho_breakdown_gap *gap, tacho_table *table)
{
    bool is_judged = gap->gap.end_ns - gap->gap.start_ns >= TACHO_LONG_GAP_NS;
    const char *kind = gap->is_once ? "once" : "repeats";
    return is_judged ? tacho_table_add_text(table, tacho_str_from_cstring(kind))
                     : tacho_table_add_absent(table);
}

static tacho_status add_gap(const tacho_breakdown_gather *gather, const tacho_breakdown_gap *gap,
                            tacho_table *table)
{
    const tacho_dict *dict = gather->events.dict;
    const tacho_breakdown_device *device = &gather->devices[gap->device];
    const tacho_part *part = &dict->parts[device->part];
    const char *cause = tacho_idle_cause_name(gap->gap.cause);
    int64_t rank = tacho_breakdown_rank(gather, device->part);
    TACHO_TRY(tacho_table_add_text(table, tacho_dict_string(dict, part->name)));
    TACHO_TRY(rank >= 0 ? tacho_table_add_int(table, rank) : tacho_table_add_absent(table));
    TACHO_TRY(device->group == part->root
                  ? tacho_table_add_absent(table)
                  : tacho_table_add_text(table, tacho_dict_string(dict, tacho_dict_track_name(
                                                                            dict, device->group))));
    TACHO_TRY(tacho_table_add_int(table, gap->gap.start_ns));
    TACHO_TRY(tacho_table_add_int(table, gap->gap.end_ns - gap->gap.start_ns));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(cause)));
    TACHO_TRY(add_kind(gap, table));
    TACHO_TRY(add_deed(dict, gap, table));
    TACHO_TRY(add_site(dict, gap->gap.site_before, table));
    return add_site(dict, gap->gap.site_after, table);
}

/* The longest first; equal ones by device, then by time. */
static int compare_gaps(const void *left, const void *right)
{
    const tacho_breakdown_gap *a = *(const tacho_breakdown_gap *const *)left;
    const tacho_breakdown_gap *b = *(const tacho_breakdown_gap *const *)right;
    int64_t lengths[2] = {a->gap.end_ns - a->gap.start_ns, b->gap.end_ns - b->gap.start_ns};
    if (lengths[0] != lengths[1]) {
        return lengths[0] > lengths[1] ? -1 : 1;
    }
    if (a->device != b->device) {
        return a->device < b->device ? -1 : 1;
    }
    return (a->gap.start_ns > b->gap.start_ns) - (a->gap.start_ns < b->gap.start_ns);
}

/* The gaps of all devices; the caller frees the list. */
static tacho_status list_gaps(const tacho_breakdown_gather *gather,
                              const tacho_breakdown_gap ***out_gaps, size_t *out_count)
{
    size_t capacity = 0;
    *out_count = 0;
    for (size_t i = 0; i < gather->device_count; i++) {
        const tacho_device_story *story = &gather->devices[i].story;
        TACHO_TRY(tacho_grow(out_gaps, &capacity, *out_count + story->gap_count));
        for (size_t k = 0; k < story->gap_count; k++) {
            (*out_gaps)[(*out_count)++] = &story->gaps[k];
        }
    }
    if (*out_count > 1) {
        qsort(*out_gaps, *out_count, sizeof(**out_gaps), compare_gaps);
    }
    return TACHO_OK;
}

tacho_status tacho_breakdown_gaps_table(const tacho_breakdown_gather *gather,
                                        tacho_table *out_table)
{
    static const tacho_column_id kept[] = {TACHO_COL_RANK,   TACHO_COL_START_NS, TACHO_COL_GAP_NS,
                                           TACHO_COL_CAUSE,  TACHO_COL_HOST_OP,  TACHO_COL_AFTER,
                                           TACHO_COL_DEVICE, TACHO_COL_FILE,     TACHO_COL_OTHER};
    tacho_table_init(out_table, "gaps", "Longest gaps", gap_columns, COUNT_OF(gap_columns));
    out_table->kept = kept;
    const tacho_breakdown_gap **gaps = NULL;
    size_t count = 0;
    tacho_status status = list_gaps(gather, &gaps, &count);
    for (size_t i = 0; i < count && i < gather->top && status == TACHO_OK; i++) {
        status = add_gap(gather, gaps[i], out_table);
    }
    free(gaps);
    return status;
}
