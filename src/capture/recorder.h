/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture as rows: the events of one part, on CLOCK_MONOTONIC in ns.
 *
 * Rows are stored until storing fails, by a full disk; from then on they are counted. The watched
 * program must not suffer from that.
 */
#ifndef TACHO_CAPTURE_RECORDER_H
#define TACHO_CAPTURE_RECORDER_H

#include "profile/events.h"
#include "profile/process_facts.h"

/* The sum of the spans of a site. */
typedef struct tacho_site_sum {
    uint32_t site;
    int64_t total_ns;
    uint64_t count;
} tacho_site_sum;

typedef struct tacho_recorder {
    tacho_events *events;
    uint32_t part;
    bool has_part;                          /* else there is nothing to record into */
    uint32_t keys[TACHO_PROCESS_ARG_COUNT]; /* strings */
    uint64_t stored_count;
    uint64_t unstored_count; /* rows since storing failed */
    tacho_status failure;    /* why it failed */
    bool keeps_sums;         /* for who looks on while it records */
    tacho_site_sum *sums;    /* by site */
    size_t sum_count, sum_capacity;
} tacho_recorder;

/*
 * Opens the part of a capture that begins at |start_ns|; |command| is its command line. Close it
 * even after a failure.
 */
tacho_status tacho_recorder_open(tacho_recorder *recorder, tacho_events *events, tacho_str command,
                                 int64_t start_ns) TACHO_MUST_USE;
void tacho_recorder_close(tacho_recorder *recorder);

/* Stores |row|, or counts it. Times before the part's first are moved there. */
void tacho_recorder_store(tacho_recorder *recorder, const tacho_row *row);

/* Keeps |status| as the reason why storing stopped; success is ignored. */
void tacho_recorder_fail(tacho_recorder *recorder, tacho_status status);

/* A sample of a counter. */
void tacho_recorder_sample(tacho_recorder *recorder, uint32_t track, int64_t time_ns, double value);

/* The track |name| under |parent|, of the given class; counters are of |unit|. */
typedef struct tacho_recorder_track {
    uint32_t parent;
    tacho_track_class track_class;
    tacho_nesting nesting;
    tacho_unit unit;
    int64_t number; /* of the operating system; -1 for none */
    bool may_change;
} tacho_recorder_track;

tacho_status tacho_recorder_ensure_track(tacho_recorder *recorder,
                                         const tacho_recorder_track *facts, tacho_str name,
                                         uint32_t *out_track) TACHO_MUST_USE;

/* The site of that name and category, both texts. */
tacho_status tacho_recorder_ensure_site(tacho_recorder *recorder, tacho_str name,
                                        tacho_str category, uint32_t *out_site) TACHO_MUST_USE;

/*
 * The sites whose spans took the most time since the last call, at most |top_max| of them, the
 * largest first; returns their number. Spans around others count as well.
 */
size_t tacho_recorder_take_top(tacho_recorder *recorder, tacho_site_sum *out_top, size_t top_max);

/* Ends the part. */
tacho_status tacho_recorder_finish(tacho_recorder *recorder) TACHO_MUST_USE;

#endif
