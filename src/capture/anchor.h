/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clock anchors: what two clocks of this computer show at one moment, and how sure that is. With
 * them, times of captures of several computers can be put on one axis.
 */
#ifndef TACHO_CAPTURE_ANCHOR_H
#define TACHO_CAPTURE_ANCHOR_H

#include <stdint.h>

typedef struct tacho_anchor {
    int64_t monotonic_ns; /* CLOCK_MONOTONIC, which captures count */
    int64_t realtime_ns;  /* CLOCK_REALTIME, which computers agree on as well as they can */
    int64_t error_ns;     /* uncertainty: the two readings were this close together */
} tacho_anchor;

/* The best of a few readings. */
tacho_anchor tacho_anchor_take(void);

/* Realtime ahead of monotonic time. */
static inline int64_t tacho_anchor_offset(const tacho_anchor *anchor)
{
    return anchor->realtime_ns - anchor->monotonic_ns;
}

/* How far the clock was set between two anchors that are less than a second apart; 0: it was not.
 * A clock that is slewed moves less than that. */
int64_t tacho_anchor_step(const tacho_anchor *before, const tacho_anchor *after);

#endif
