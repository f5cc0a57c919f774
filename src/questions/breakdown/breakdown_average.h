/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time of a subject, or of one of its streams: as measured for one device; averaged without
 * warm-up for a device in several inferences. Averages are whole nanoseconds and add up like the
 * values they average.
 */
#ifndef TACHO_QUESTIONS_BREAKDOWN_BREAKDOWN_AVERAGE_H
#define TACHO_QUESTIONS_BREAKDOWN_BREAKDOWN_AVERAGE_H

#include "questions/breakdown/breakdown_subjects.h"

typedef struct tacho_average_time {
    tacho_kind_time busy; /* only sums */
    tacho_idle_time idle; /* |longest_ns|: of all */
    int64_t span_ns;
    uint64_t work_count;
} tacho_average_time;

/* Of the whole device. */
tacho_average_time tacho_breakdown_average(const tacho_breakdown_gather *gather,
                                           const tacho_breakdown_subject *subject);

/* Streams of one name, one of each inference. */
typedef struct tacho_subject_stream {
    uint32_t track; /* of the first inference that has it */
    uint32_t name;  /* string */
    uint32_t twin;  /* how many earlier streams of the device have the same name */
} tacho_subject_stream;

/* The streams of all inferences; the caller frees them. */
tacho_status tacho_breakdown_subject_streams(const tacho_breakdown_gather *gather,
                                             const tacho_breakdown_subject *subject,
                                             tacho_subject_stream **out_streams,
                                             size_t *out_count) TACHO_MUST_USE;

/* The stream counts as idle in an inference that does not use it. */
tacho_average_time tacho_breakdown_average_stream(const tacho_breakdown_gather *gather,
                                                  const tacho_breakdown_subject *subject,
                                                  const tacho_subject_stream *stream);

/* All launches on the stream without warm-up, added to |stats|. */
tacho_status tacho_breakdown_merge_launches(const tacho_breakdown_gather *gather,
                                            const tacho_breakdown_subject *subject,
                                            const tacho_subject_stream *stream,
                                            tacho_launch_stats *stats) TACHO_MUST_USE;

#endif
