/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues as counter tracks: for each stream, the amount of work that is launched but has not
 * started. The counter goes up when the call that launches starts, and down when the work starts,
 * to the nanosecond. Work without a known launch does not count.
 *
 * It is a filter: rows pass through, and when a part is complete, the counters of its streams
 * follow. Spans are kept in the timeline's spool and changes in another, so memory is bounded.
 */
#ifndef TACHO_QUESTIONS_TIMELINE_QUEUE_TRACKS_H
#define TACHO_QUESTIONS_TIMELINE_QUEUE_TRACKS_H

#include "questions/timeline/timeline.h"

typedef struct tacho_queue_tracks {
    tacho_events events; /* push here; a part's rows in any order */
    tacho_events *next;
    tacho_timeline timeline;
    tacho_spool *changes; /* samples of 1 and -1 on the counters' tracks */
    struct tacho_queue_track *tracks;
    size_t track_count, track_capacity;
} tacho_queue_tracks;

void tacho_queue_tracks_init(tacho_queue_tracks *tracks, tacho_events *next);
void tacho_queue_tracks_deinit(tacho_queue_tracks *tracks);

#endif
