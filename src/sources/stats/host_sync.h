/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock-sync record of a host's trace: it relates the times of the trace to the host's
 * monotonic clock, and so to the timer of a device whose stats have such pairs, too.
 *
 *     {"ph": "c", "name": "clock_sync", "ts": 12.5, "args": {"host_ns": 81723000012500}}
 */
#ifndef TACHO_SOURCES_STATS_HOST_SYNC_H
#define TACHO_SOURCES_STATS_HOST_SYNC_H

#include "program/stats_stream.h"

typedef struct tacho_host_sync {
    int64_t trace_ns;     /* a time of the trace ... */
    int64_t monotonic_ns; /* ... and the same moment on the host's monotonic clock */
    int64_t first_ns;     /* of its events, in the time of the trace */
} tacho_host_sync;

/* Reads Chrome JSON for its record. BAD_DATA, with the reason, when there is none. */
tacho_status tacho_host_sync_read(const char *path, tacho_host_sync *out_sync) TACHO_MUST_USE;

/*
 * The tick of the device's timer at a moment of the host's monotonic clock, by the first pair that
 * the file has; false when it has none, or the tick would not fit.
 */
bool tacho_host_sync_tick(const tacho_stats_file *file, int64_t monotonic_ns, int64_t *out_tick);

/* The moment of the host's monotonic clock at a tick; false as above. */
bool tacho_host_sync_ns(const tacho_stats_file *file, int64_t tick, int64_t *out_ns);

#endif
