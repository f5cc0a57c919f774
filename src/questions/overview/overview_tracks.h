/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The overview as tracks of a trace: a group with one slice per metric, from the start of the
 * trace and as long as the metric, called "DMA total: 453.000µs (3.53%)".
 *
 * It is a filter in front of the order filter: rows pass through, and when a part is complete, its
 * metrics follow. The tracks are phases, so no analysis counts them.
 */
#ifndef TACHO_QUESTIONS_OVERVIEW_OVERVIEW_TRACKS_H
#define TACHO_QUESTIONS_OVERVIEW_OVERVIEW_TRACKS_H

#include "questions/overview/overview.h"

/*
 * Called for each part once it is complete. An input that turns out to be out of order is read
 * again, with new calls for its parts.
 */
typedef struct tacho_overview_listener {
    tacho_status (*end_part)(void *user, const tacho_overview_gather *gather, uint32_t part);
    void *user;
} tacho_overview_listener;

/* How Torq's first tools show a part: in the unit of the file. */
typedef struct tacho_overview_form {
    bool is_first;  /* by the tool of the first timelines and runtime profiles; else the next one */
    bool in_cycles; /* else nanoseconds ... */
    int64_t unit;   /* ... by this many */
    const char *unit_name; /* the unit of numbers: cycles, us or ns */
} tacho_overview_form;

tacho_overview_form tacho_overview_form_of(const tacho_dict *dict, uint32_t part);

/*
 * The value of a metric as defined by Torq's first tools, or NULL if |block| does not record it:
 * their IDLE is the time in which no engine was busy, so without engines it is unknown.
 */
const int64_t *tacho_overview_find_torq(const tacho_overview *overview,
                                        const tacho_overview_block *block, tacho_metric metric,
                                        uint32_t index);

typedef struct tacho_overview_tracks {
    tacho_events events; /* push here */
    tacho_events *next;
    const tacho_overview_listener *listener; /* NULL: none */
    bool is_of_first_tools;                  /* like the tracks and numbers of Torq's first tools */
    tacho_overview_gather gather;
} tacho_overview_tracks;

void tacho_overview_tracks_init(tacho_overview_tracks *tracks, tacho_events *next);
void tacho_overview_tracks_deinit(tacho_overview_tracks *tracks);

/*
 * Whether |track| is an overview track of any tool: "04 OVERVIEW SLICE" in a "Host Profile
 * Overview". If so, its metric and, for a slice, the slice's number.
 */
bool tacho_overview_track_metric(const tacho_dict *dict, const tacho_track *track,
                                 tacho_metric *out_metric, uint32_t *out_index);

#endif
