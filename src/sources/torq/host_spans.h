/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finished spans of a Torq host profile on their way out.
 *
 * Spans finish in the order of their ENDs, an inner one before the outer. So each track holds
 * finished spans while another is open on it, then pushes them in track order; and all tracks hold
 * theirs until the first span of the file is complete, since that is the zero of the part. Thus a
 * file whose rows are in time order passes the order filter without being spooled. The spans held
 * are one outermost scope of a track, at the start of the file of all tracks. A scope beyond the
 * limits here is pushed early, and at worst the order filter has to sort.
 */
#ifndef TACHO_SOURCES_TORQ_HOST_SPANS_H
#define TACHO_SOURCES_TORQ_HOST_SPANS_H

#include "sources/torq/torq_part.h"

enum {
    TORQ_HOST_HELD_MAX = 1 << 14,     /* spans held by one track */
    TORQ_HOST_STARTING_MAX = 1 << 17, /* by all, while the first one is open: 6 MiB */
};

typedef struct torq_host_span {
    int64_t start;
    int64_t end;
    int64_t action; /* -1 for none */
    uint32_t site;
    uint32_t run;
    uint32_t scope;    /* string, TACHO_NONE for none */
    uint32_t flags;    /* of a tacho_row */
    bool is_unmatched; /* an END without a BEGIN */
} torq_host_span;

typedef struct torq_host_line {
    uint32_t track;         /* in the dictionary, TACHO_NONE until first used */
    size_t open_count;      /* spans that have begun and not ended */
    int64_t earliest_start; /* of the spans held */
    int64_t latest_start;
    torq_host_span *held;
    size_t held_count, held_capacity;
} torq_host_line;

typedef struct torq_host_spans {
    torq_part *part;
    torq_host_line lines[TACHO_TORQ_HOST_TRACK_COUNT];
    torq_host_span *scratch;
    size_t scratch_capacity;
    size_t held_count; /* on all tracks; counted while is_starting */
    int64_t first_time;
    bool has_begun;
    bool is_starting; /* the span that begins at first_time is not complete */
    uint32_t action_key;
    uint32_t scope_key;
    uint32_t unmatched_key;
} torq_host_spans;

/* |part| is open and outlives |spans|. */
tacho_status torq_host_spans_init(torq_host_spans *spans, torq_part *part) TACHO_MUST_USE;
void torq_host_spans_deinit(torq_host_spans *spans);

/* Begins a span of |track|, whose end is not known yet. */
tacho_status torq_host_spans_begin(torq_host_spans *spans, tacho_torq_host_track track,
                                   int64_t time) TACHO_MUST_USE;

/* Completes a span of |track|; it was begun unless its BEGIN is missing. */
tacho_status torq_host_spans_end(torq_host_spans *spans, tacho_torq_host_track track,
                                 const torq_host_span *span) TACHO_MUST_USE;

/* Pushes all held spans. */
tacho_status torq_host_spans_finish(torq_host_spans *spans) TACHO_MUST_USE;

#endif
