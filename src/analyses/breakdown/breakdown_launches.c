/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of launches and queues, and of the longest gaps.
 */
#include "analyses/breakdown/breakdown.h"

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
    TACHO_COLUMN(FILE, "file", TEXT),        TACHO_COLUMN(RANK, "rank", INT),
    TACHO_COLUMN(DEVICE, "device", TEXT),    TACHO_COLUMN(START_NS, "start", DURATION),
    TACHO_COLUMN(GAP_NS, "gap", DURATION),   TACHO_COLUMN(CAUSE, "cause", TEXT),
    TACHO_COLUMN(HOST_OP, "host did", TEXT), TACHO_COLUMN(HOST_PERCENT, "of gap", PERCENT),
    TACHO_COLUMN(THREAD, "thread", TEXT),    TACHO_COLUMN(BEFORE, "before", TEXT),
    TACHO_COLUMN(AFTER, "after", TEXT),
};

/* ---- launches ------------------------------------------------------------------------------ */

static tacho_status add_calls(const tacho_launch_stats *stats, tacho_table *table)
{
    if (stats->call_count == 0) {
        TACHO_TRY(tacho_table_add_absent(table));
        TACHO_TRY(tacho_table_add_absent(table));
        return tacho_table_add_absent(table);
    }
    TACHO_TRY(tacho_table_add_int(table, stats->call_sum_ns / (int64_t)stats->call_count));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)stats->short_count));
    return tacho_table_add_real(table,
                                PERCENT * (double)stats->short_count / (double)stats->call_count);
}

static tacho_status add_launches(const tacho_breakdown_gather *gather,
                                 const tacho_breakdown_device *device, size_t stream,
                                 tacho_table *table)
{
    const tacho_dict *dict = gather->events.dict;
    const tacho_launch_stats *stats = &device->streams[stream].launches;
    uint32_t name = tacho_dict_track_name(dict, device->streams[stream].track);
    int64_t span_ns = tacho_device_time_span(&device->time);
    double queue = span_ns > 0 ? (double)stats->delay_sum_ns / (double)span_ns : 0;
    TACHO_TRY(tacho_breakdown_add_who(gather, device, table));
    TACHO_TRY(tacho_table_add_text(table, tacho_dict_string(dict, name)));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)stats->count));
    TACHO_TRY(tacho_table_add_int(table, stats->delay_sum_ns / (int64_t)stats->count));
    TACHO_TRY(tacho_table_add_int(table, tacho_durations_percentile(&stats->delays, MEDIAN)));
    TACHO_TRY(tacho_table_add_int(table, tacho_durations_percentile(&stats->delays, HIGH)));
    TACHO_TRY(tacho_table_add_int(table, stats->delay_max_ns));
    TACHO_TRY(tacho_table_add_real(table, queue));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)stats->queue_max));
    return add_calls(stats, table);
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
    for (size_t i = 0; i < gather->device_count; i++) {
        const tacho_breakdown_device *device = &gather->devices[i];
        for (size_t k = 0; k < device->stream_count; k++) {
            if (device->streams[k].launches.count > 0) {
                TACHO_TRY(add_launches(gather, device, k, out_table));
            }
        }
    }
    return TACHO_OK;
}

/* ---- gaps ---------------------------------------------------------------------------------- */

static tacho_status add_site(const tacho_dict *dict, uint32_t site, tacho_table *table)
{
    return tacho_table_add_text(table, tacho_dict_string(dict, dict->sites[site].name));
}

/* What the host did: three cells. */
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
    TACHO_TRY(add_deed(dict, gap, table));
    TACHO_TRY(add_site(dict, gap->gap.site_before, table));
    return add_site(dict, gap->gap.site_after, table);
}

tacho_status tacho_breakdown_gaps_table(const tacho_breakdown_gather *gather,
                                        tacho_table *out_table)
{
    static const tacho_column_id kept[] = {TACHO_COL_RANK,   TACHO_COL_START_NS, TACHO_COL_GAP_NS,
                                           TACHO_COL_CAUSE,  TACHO_COL_HOST_OP,  TACHO_COL_AFTER,
                                           TACHO_COL_DEVICE, TACHO_COL_FILE,     TACHO_COL_OTHER};
    tacho_table_init(out_table, "gaps", "Longest gaps", gap_columns, COUNT_OF(gap_columns));
    out_table->kept = kept;
    for (size_t i = 0; i < gather->gap_count; i++) {
        TACHO_TRY(add_gap(gather, &gather->gaps[i], out_table));
    }
    return TACHO_OK;
}
