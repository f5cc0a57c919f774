/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects the data of 'breakdown' from the timeline.
 *
 * A device is a group of tracks of engines or streams; tracks directly below a file form one
 * device.
 */
#ifndef TACHO_QUESTIONS_BREAKDOWN_BREAKDOWN_GATHER_H
#define TACHO_QUESTIONS_BREAKDOWN_BREAKDOWN_GATHER_H

#include "questions/breakdown/breakdown_story.h"
#include "questions/breakdown/device_time.h"
#include "questions/breakdown/launch_stats.h"

typedef struct tacho_breakdown_stream {
    uint32_t track;
    tacho_launch_stats launches; /* of work with a launch */
    int64_t steady_ns;           /* busy in steps that are not warm-up */
} tacho_breakdown_stream;

/* The work of one origin on one device. */
typedef struct tacho_breakdown_device {
    uint32_t part;
    uint32_t group; /* track */
    tacho_origin origin;
    bool is_starting;      /* some of its work starts now */
    uint32_t launch_track; /* of its latest work; TACHO_NONE: not known */
    tacho_device_time time;
    tacho_device_steps steps;
    tacho_device_story story;
    tacho_breakdown_stream *streams; /* as in |time| */
    size_t stream_count, stream_capacity;
} tacho_breakdown_device;

typedef struct tacho_breakdown_gather {
    union {
        tacho_events events; /* push here; a part's rows in any order */
        tacho_timeline timeline;
    };
    size_t top;      /* number of longest gaps to list */
    size_t step_top; /* number of longest steps to list */
    struct tacho_breakdown_track *tracks;
    size_t track_count, track_capacity;
    uint32_t *starting; /* devices */
    size_t starting_count, starting_capacity;
    tacho_breakdown_device *devices; /* by part, then by first work */
    size_t device_count, device_capacity;
    uint32_t part;           /* the current part */
    tacho_part_steps *steps; /* by part */
    size_t step_part_count, step_part_capacity;
    int64_t *ranks; /* by part, of its process in a job; -1: not known */
    size_t rank_count, rank_capacity;
    size_t fact_count;     /* facts of the dictionary seen so far */
    size_t finished_count; /* devices whose parts have ended */
    bool omits_story;      /* no patterns are needed, and no gaps */
    tacho_host_scope scope;
    tacho_host_story *hosts; /* by part */
    size_t host_count, host_capacity;
    struct tacho_breakdown_site *sites; /* traits of kernels */
    size_t site_count, site_capacity;
} tacho_breakdown_gather;

/* The rank of the process of |part|, -1 if not known. */
int64_t tacho_breakdown_rank(const tacho_breakdown_gather *gather, uint32_t part);

/* Sorts devices by rank if all have one. */
tacho_status tacho_breakdown_sort_ranks(tacho_breakdown_gather *gather) TACHO_MUST_USE;

/* The steps of the part of |device| if they represent the device; else NULL. */
const tacho_part_steps *tacho_breakdown_steady(const tacho_breakdown_gather *gather,
                                               const tacho_breakdown_device *device);

void tacho_breakdown_gather_init(tacho_breakdown_gather *gather, tacho_dict *dict);
/* Leaves out patterns and gaps, for callers that need sums of times only. Call it before the first
 * row. */
void tacho_breakdown_omit_story(tacho_breakdown_gather *gather);

void tacho_breakdown_gather_deinit(tacho_breakdown_gather *gather);

#endif
