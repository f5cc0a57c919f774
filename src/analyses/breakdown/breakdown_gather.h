/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What 'breakdown' needs of the rows that stream by. Spans without their arguments, and the ends of
 * arrows, wait in a spool until their part ends and come out by time; then what tracks are is
 * final. So memory goes by names, tracks and windows, not by how many spans there are nor by their
 * order.
 *
 * A device is a group of tracks of engines or streams; what lies directly in a file is one device.
 * Calls of the host are joined to the work that they launch by arrows or, where there are none, by
 * the number that both have as an argument ("correlation").
 */
#ifndef TACHO_ANALYSES_BREAKDOWN_BREAKDOWN_GATHER_H
#define TACHO_ANALYSES_BREAKDOWN_BREAKDOWN_GATHER_H

#include "analyses/breakdown/device_time.h"
#include "analyses/breakdown/host_window.h"
#include "analyses/breakdown/launch_stats.h"
#include "profile/events.h"
#include "profile/spool.h"

typedef struct tacho_breakdown_stream {
    uint32_t track;
    tacho_launch_stats launches; /* of its work that has one */
} tacho_breakdown_stream;

/* A long gap of a device. */
typedef struct tacho_breakdown_gap {
    uint32_t device;
    tacho_device_gap gap;
    tacho_host_deed deed; /* of the thread that launched what ended it, where that is known */
} tacho_breakdown_gap;

/* The work of one origin on one device. */
typedef struct tacho_breakdown_device {
    uint32_t part;
    uint32_t group; /* track */
    tacho_origin origin;
    bool is_starting; /* something of it starts now */
    tacho_device_time time;
    tacho_breakdown_stream *streams; /* as in |time| */
    size_t stream_count, stream_capacity;
} tacho_breakdown_device;

enum { TACHO_CORRELATION_KEYS = 4 };

/* An arrow that has arrived and, in the order of the file's tracks, not left yet. */
typedef struct tacho_breakdown_early {
    uint64_t id;
    tacho_row row;
} tacho_breakdown_early;

enum { TACHO_BREAKDOWN_EARLY = 8 };

typedef struct tacho_breakdown_gather {
    tacho_events events; /* push here; a part's rows in any order */
    size_t top;          /* so many of the longest gaps are kept */
    tacho_spool *spool;
    uint32_t keys[TACHO_CORRELATION_KEYS]; /* strings */
    bool is_ready;
    bool has_launch_arrows; /* in the part that is read */
    struct tacho_breakdown_track *tracks;
    size_t track_count, track_capacity;
    uint8_t *sites; /* what kind of work each site is */
    size_t site_count, site_capacity;
    tacho_launch_window launches;
    int64_t now_ns;
    tacho_breakdown_early early[TACHO_BREAKDOWN_EARLY]; /* a ring of those that arrive now */
    size_t early_count;
    uint32_t *starting; /* devices */
    size_t starting_count, starting_capacity;
    tacho_breakdown_device *devices; /* by part, then by first work */
    size_t device_count, device_capacity;
    size_t finished_count;     /* devices whose parts have ended */
    tacho_breakdown_gap *gaps; /* the longest first */
    size_t gap_count, gap_capacity;
} tacho_breakdown_gather;

void tacho_breakdown_gather_init(tacho_breakdown_gather *gather, tacho_dict *dict);
void tacho_breakdown_gather_deinit(tacho_breakdown_gather *gather);

/* The device that |track| belongs to: the outermost group of its part below the part itself. */
uint32_t tacho_breakdown_device_group(const tacho_dict *dict, uint32_t track);

#endif
