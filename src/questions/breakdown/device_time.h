/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time of one device and its streams, exact to the nanosecond. Work is added in order of start;
 * work with the same start is settled together:
 *
 *     tacho_device_time_add(device, stream, &work);      ... all that starts now
 *     tacho_device_time_settle(device);                  ... before anything that starts later
 *     tacho_device_time_finish(device);                  ... after the last
 *
 * Busy time is kept per combination of kinds of work, so unions, overlaps and exposed times are
 * sums. Of nested spans on one stream the innermost counts; kernels and copies that a driver
 * reports contain nothing, and overlapping ones ran concurrently. A gap is a time in which the
 * device, or a stream, does nothing between its first and its last work. The work that ends the gap
 * gives its cause:
 *
 *   host late     it was launched after the device had become free
 *   queued        it was launched before, and nothing else ran: the device's own time between two
 *                 pieces of work, or a wait that the profile does not show
 *   dependency    an arrow other than a launch leads to it
 *   unknown       its launch is not known
 *
 * A stream that is idle while the whole device is has the device's cause. While others of the
 * device work, it waits for them (dependency) once its next work is launched, and its queue is
 * empty before that, and after its last work.
 */
#ifndef TACHO_QUESTIONS_BREAKDOWN_DEVICE_TIME_H
#define TACHO_QUESTIONS_BREAKDOWN_DEVICE_TIME_H

#include "questions/breakdown/kind_time.h"
#include "base/index.h"

typedef enum tacho_idle_cause {
    TACHO_IDLE_HOST_LATE,
    TACHO_IDLE_DEPENDENCY,
    TACHO_IDLE_QUEUE_EMPTY,
    TACHO_IDLE_QUEUED,
    TACHO_IDLE_UNKNOWN,
    TACHO_IDLE_CAUSE_COUNT,
} tacho_idle_cause;

/* "host late" */
const char *tacho_idle_cause_name(tacho_idle_cause cause);

/* Work that starts. */
typedef struct tacho_device_work {
    int64_t start_ns, end_ns;
    tacho_work_kind kind;
    bool is_whole; /* a kernel or a copy: it works for its whole duration */
    bool has_launch;
    bool has_dependency; /* an arrow other than a launch leads to it */
    int64_t launch_ns;   /* start of the call */
    uint32_t launch_track;
    uint32_t site;
} tacho_device_work;

/* A time without work. */
typedef struct tacho_device_gap {
    int64_t start_ns, end_ns;
    tacho_idle_cause cause;
    uint32_t site_before, site_after; /* of the last work before it and the first after it */
    uint32_t launch_track;            /* TACHO_NONE: not known */
} tacho_device_gap;

/* The host does other work in a gap that long: it is not the cost of launches. */
enum { TACHO_LONG_GAP_NS = 1000000 };

typedef struct tacho_idle_time {
    int64_t causes[TACHO_IDLE_CAUSE_COUNT];
    uint64_t gap_count;
    int64_t longest_ns, longest_start_ns;
    int64_t long_late_ns; /* of a device: host late for TACHO_LONG_GAP_NS or longer */
} tacho_idle_time;

int64_t tacho_idle_time_sum(const tacho_idle_time *idle);

/* The facts of the work that starts now that decide the cause of the gap before it. */
typedef struct tacho_gap_end {
    bool is_open; /* there is a gap */
    int64_t start_ns;
    bool has_launch, has_dependency;
    int64_t launch_ns; /* the first */
    uint32_t launch_track;
    uint32_t site_before, site; /* of the last work before and the first after */
} tacho_gap_end;

typedef struct tacho_stream_time {
    tacho_kind_time busy;
    tacho_nest *nest;                    /* work that may contain other work; NULL while unused */
    int64_t ends[TACHO_WORK_KIND_COUNT]; /* of work that is not in the nest */
    tacho_idle_time idle;
    bool has_begun;
    bool is_starting;
    int64_t end_ns;
    uint64_t work_count;
    tacho_gap_end gap;
    int64_t device_causes[TACHO_IDLE_CAUSE_COUNT]; /* when last busy */
} tacho_stream_time;

/* A past gap, to compute how long the device had been idle at some time. */
typedef struct tacho_past_gap {
    int64_t start_ns, end_ns;
    int64_t idle_before_ns;
} tacho_past_gap;

typedef struct tacho_device_time {
    tacho_kind_time busy;
    tacho_idle_time idle;
    bool has_begun;
    int64_t first_ns, end_ns;
    int64_t now_ns;     /* of the starting work */
    uint32_t last_site; /* of the work that ends last */
    tacho_gap_end gap;
    bool has_ended_gap; /* the last settle ended this gap: */
    tacho_device_gap ended_gap;
    tacho_stream_time *streams;
    size_t stream_count, stream_capacity;
    uint32_t *starting; /* streams */
    size_t starting_count, starting_capacity;
    tacho_past_gap *past; /* a ring of the latest */
    size_t past_count, past_capacity, past_next;
} tacho_device_time;

void tacho_device_time_deinit(tacho_device_time *device);

/* Appends a stream to |streams|. */
tacho_status tacho_device_time_add_stream(tacho_device_time *device) TACHO_MUST_USE;

tacho_status tacho_device_time_add(tacho_device_time *device, uint32_t stream,
                                   const tacho_device_work *work) TACHO_MUST_USE;
/* Adds the launch of the latest work of |stream|, which was found late; |late| has it. */
void tacho_device_time_add_launch(tacho_device_time *device, uint32_t stream,
                                  const tacho_device_work *late);
tacho_status tacho_device_time_settle(tacho_device_time *device) TACHO_MUST_USE;
tacho_status tacho_device_time_finish(tacho_device_time *device) TACHO_MUST_USE;

/* From the first start to the last end. */
static inline int64_t tacho_device_time_span(const tacho_device_time *device)
{
    return device->end_ns - device->first_ns;
}

#endif
