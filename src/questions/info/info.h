/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Info: what do these files contain? A consumer of events that keeps sums per track and turns them
 * into tables; memory grows with the number of tracks, not of events.
 */
#ifndef TACHO_QUESTIONS_INFO_INFO_H
#define TACHO_QUESTIONS_INFO_INFO_H

#include "questions/info/activity.h"
#include "profile/events.h"
#include "table/table.h"

/* Sums of a track, or of a part over all its tracks. */
typedef struct tacho_info_sums {
    uint64_t row_count;
    uint64_t track_count; /* of a part: tracks with rows */
    int64_t first_start;  /* ticks */
    int64_t last_end;
    int64_t total_ns; /* sum of durations, as a trace has them; saturates */
} tacho_info_sums;

typedef struct tacho_info {
    tacho_events events; /* push here */
    tacho_info_sums *tracks;
    size_t track_count, track_capacity;
    tacho_activity **activities; /* by track, made on first use */
    size_t activity_count, activity_capacity;
    tacho_info_sums *parts;
    size_t part_count, part_capacity;
} tacho_info;

void tacho_info_init(tacho_info *info, tacho_dict *dict);
void tacho_info_deinit(tacho_info *info);

/* One row per input and reason of loss. */
tacho_status tacho_info_losses(const tacho_info *info, tacho_table *out_table) TACHO_MUST_USE;

#endif
