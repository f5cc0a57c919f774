/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes spans from the stamps of a Torq host profile, one BEGIN or END per row.
 *
 * A stamp waits for its partner: the one with the same run, action and name. Partners may be in
 * either order and any distance apart; memory grows with waiting stamps and runs, not with rows. Of
 * several stamps waiting under one key the newest is taken, so that equal names nest.
 */
#ifndef TACHO_SOURCES_TORQ_HOST_PAIRING_H
#define TACHO_SOURCES_TORQ_HOST_PAIRING_H

#include "sources/torq/host_runs.h"

/* A stamp waiting for its partner. */
typedef struct torq_host_waiting {
    torq_host_stamp stamp;
    uint64_t line;
    uint32_t base;
    uint32_t hash;
    uint32_t next; /* in its chain, newest first; in the list of free ones */
    bool is_begin;
} torq_host_waiting;

typedef struct torq_host_pairing {
    torq_part *part;
    torq_host_events events;
    torq_host_spans spans;
    torq_host_runs runs;
    torq_host_waiting *waiting; /* slots */
    size_t waiting_count, waiting_capacity;
    uint32_t free_waiting;
    uint32_t *heads; /* chains of waiting stamps by hash */
    size_t head_mask;
    size_t chained_count;
    torq_host_waiting last; /* the last row, for its key and hash */
    int64_t latest_time;    /* in the file; known at its end */
} torq_host_pairing;

/* |part| is open and outlives |pairing|, which does not move. */
tacho_status torq_host_pairing_init(torq_host_pairing *pairing, torq_part *part) TACHO_MUST_USE;
void torq_host_pairing_deinit(torq_host_pairing *pairing);

/* Adds the stamp of the input's current line. */
tacho_status torq_host_pairing_add(torq_host_pairing *pairing,
                                   const torq_host_stamp *stamp) TACHO_MUST_USE;

/* Call after the last stamp: stamps still waiting become spans of their own. */
tacho_status torq_host_pairing_finish(torq_host_pairing *pairing) TACHO_MUST_USE;

#endif
