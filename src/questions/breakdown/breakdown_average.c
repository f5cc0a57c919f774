/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Averages over inferences: sums, divided.
 */
#include "questions/breakdown/breakdown_average.h"

#include "base/grow.h"
#include "base/maths.h"

#include <stdlib.h>

/* Idle time by cause, then busy time by kinds; all pieces together add up to the span. */
enum { PIECES = TACHO_IDLE_CAUSE_COUNT + TACHO_WORK_COMBINATIONS };

typedef struct time_sum {
    tacho_i128 pieces[PIECES];
    tacho_average_time rest; /* counts, and the longest gap */
} time_sum;

static void add_idle(const tacho_idle_time *idle, time_sum *sum)
{
    tacho_idle_time *to = &sum->rest.idle;
    for (size_t i = 0; i < TACHO_IDLE_CAUSE_COUNT; i++) {
        sum->pieces[i] += idle->causes[i];
    }
    to->gap_count += idle->gap_count;
    if (idle->longest_ns > to->longest_ns) {
        to->longest_ns = idle->longest_ns;
        to->longest_start_ns = idle->longest_start_ns;
    }
}

static void add_busy(const tacho_kind_time *busy, time_sum *sum)
{
    for (size_t i = 1; i < TACHO_WORK_COMBINATIONS; i++) { /* 0: nothing is done */
        sum->pieces[TACHO_IDLE_CAUSE_COUNT + i] += busy->sums[i];
    }
}

/* Divides the running sum up to each piece, so that the rounded pieces add up. */
static tacho_average_time divide(const time_sum *sum, size_t count)
{
    tacho_average_time average = sum->rest;
    tacho_i128 until = 0;
    int64_t before_ns = 0;
    for (size_t i = 0; i < PIECES; i++) {
        until += sum->pieces[i];
        int64_t now_ns = (int64_t)(until / (tacho_i128)count);
        int64_t *to = i < TACHO_IDLE_CAUSE_COUNT ? &average.idle.causes[i]
                                                 : &average.busy.sums[i - TACHO_IDLE_CAUSE_COUNT];
        *to = now_ns - before_ns;
        before_ns = now_ns;
    }
    average.span_ns = before_ns;
    average.idle.gap_count = (average.idle.gap_count + count / 2) / count;
    average.work_count = (average.work_count + count / 2) / count;
    return average;
}

tacho_average_time tacho_breakdown_average(const tacho_breakdown_gather *gather,
                                           const tacho_breakdown_subject *subject)
{
    time_sum sum = {.pieces = {0}};
    for (size_t i = subject->warm_up_count; i < subject->count; i++) {
        const tacho_device_time *time = &tacho_breakdown_subject_device(gather, subject, i)->time;
        add_busy(&time->busy, &sum);
        add_idle(&time->idle, &sum);
    }
    return divide(&sum, subject->count - subject->warm_up_count);
}

/* ---- streams ------------------------------------------------------------------------------- */

/* The stream of |device| that |stream| stands for, or TACHO_NONE. */
static uint32_t find_stream(const tacho_dict *dict, const tacho_breakdown_device *device,
                            const tacho_subject_stream *stream)
{
    uint32_t twin = 0;
    for (uint32_t i = 0; i < device->stream_count; i++) {
        if (tacho_dict_track_name(dict, device->streams[i].track) == stream->name) {
            if (twin++ == stream->twin) {
                return i;
            }
        }
    }
    return TACHO_NONE;
}

static tacho_subject_stream stream_at(const tacho_dict *dict, const tacho_breakdown_device *device,
                                      size_t index)
{
    tacho_subject_stream stream = {.track = device->streams[index].track};
    stream.name = tacho_dict_track_name(dict, stream.track);
    for (size_t i = 0; i < index; i++) {
        bool is_twin = tacho_dict_track_name(dict, device->streams[i].track) == stream.name;
        stream.twin += is_twin ? 1 : 0;
    }
    return stream;
}

static bool is_listed(const tacho_subject_stream *streams, size_t count,
                      const tacho_subject_stream *stream)
{
    for (size_t i = 0; i < count; i++) {
        if (streams[i].name == stream->name && streams[i].twin == stream->twin) {
            return true;
        }
    }
    return false;
}

tacho_status tacho_breakdown_subject_streams(const tacho_breakdown_gather *gather,
                                             const tacho_breakdown_subject *subject,
                                             tacho_subject_stream **out_streams, size_t *out_count)
{
    size_t capacity = 0;
    *out_streams = NULL;
    *out_count = 0;
    for (size_t i = 0; i < subject->count; i++) {
        const tacho_breakdown_device *device = tacho_breakdown_subject_device(gather, subject, i);
        for (size_t k = 0; k < device->stream_count; k++) {
            const tacho_subject_stream stream = stream_at(gather->events.dict, device, k);
            if (i == 0 || !is_listed(*out_streams, *out_count, &stream)) {
                TACHO_TRY(tacho_grow(out_streams, &capacity, *out_count + 1));
                (*out_streams)[(*out_count)++] = stream;
            }
        }
    }
    return TACHO_OK;
}

tacho_average_time tacho_breakdown_average_stream(const tacho_breakdown_gather *gather,
                                                  const tacho_breakdown_subject *subject,
                                                  const tacho_subject_stream *stream)
{
    time_sum sum = {.pieces = {0}};
    for (size_t i = subject->warm_up_count; i < subject->count; i++) {
        const tacho_breakdown_device *device = tacho_breakdown_subject_device(gather, subject, i);
        uint32_t at = find_stream(gather->events.dict, device, stream);
        if (at == TACHO_NONE) {
            sum.pieces[TACHO_IDLE_QUEUE_EMPTY] += tacho_device_time_span(&device->time);
            continue;
        }
        add_busy(&device->time.streams[at].busy, &sum);
        add_idle(&device->time.streams[at].idle, &sum);
        sum.rest.work_count += device->time.streams[at].work_count;
    }
    return divide(&sum, subject->count - subject->warm_up_count);
}

tacho_status tacho_breakdown_merge_launches(const tacho_breakdown_gather *gather,
                                            const tacho_breakdown_subject *subject,
                                            const tacho_subject_stream *stream,
                                            tacho_launch_stats *stats)
{
    for (size_t i = subject->warm_up_count; i < subject->count; i++) {
        const tacho_breakdown_device *device = tacho_breakdown_subject_device(gather, subject, i);
        uint32_t at = find_stream(gather->events.dict, device, stream);
        if (at != TACHO_NONE) {
            TACHO_TRY(tacho_launch_stats_merge(stats, &device->streams[at].launches));
        }
    }
    tacho_launch_stats_finish(stats);
    return TACHO_OK;
}
