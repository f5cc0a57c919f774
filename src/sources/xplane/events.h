/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of a plane and their events: a line becomes a track, an event a span, an instant or a
 * sample of a counter.
 */
#ifndef TACHO_SOURCES_XPLANE_EVENTS_H
#define TACHO_SOURCES_XPLANE_EVENTS_H

#include "sources/source.h"
#include "sources/xplane/arrows.h"
#include "sources/xplane/plane.h"

typedef struct xp_events {
    tacho_events *events;
    uint32_t part;
    int64_t zero_ns;    /* subtracted from the times of lines that count from 1970 */
    int64_t shift_ns;   /* added to all */
    uint32_t bytes_key; /* string: "bytes" */
    tacho_args_wanted wanted;
    xp_arrows arrows;
    tacho_arg *args;
    size_t arg_count, arg_capacity;
    bool has_step; /* the current event is a step, of this number */
    uint64_t step;
    uint32_t plane_count;
    uint64_t unknown_kind_count, early_count, late_count, summed_count, bad_count;
} xp_events;

/* Times of lines above this count from 1970, in nanoseconds; others from the session's start. */
#define XP_EPOCH_NS INT64_C(1000000000000000000)

/* Pushes all lines of a plane. */
tacho_status xp_events_push_plane(xp_events *self, xp_plane *plane) TACHO_MUST_USE;

void xp_events_deinit(xp_events *self);

#endif
