/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Something that transfers share: a memory, a network, a link. Each needs a part of it to go as
 * fast as it would alone; when all parts together are more than the whole, all go slower by the
 * same factor.
 *
 * So one clock measures the progress of all of them: it runs with real cycles while there is enough
 * for all, and slower by that factor when there is not. A transfer ends when the clock has gone on
 * by as many cycles as it takes alone. All of this is in integers: a transfer that is not held up
 * is exact to the cycle, and rounding never makes one faster.
 */
#ifndef TACHO_DEVICE_SIM_SHARE_H
#define TACHO_DEVICE_SIM_SHARE_H

#include "base/heap.h"
#include "machine/quantity.h"

/* Times of a simulation are below 2^56 cycles, and no more than 2^20 transfers go on at once. */
enum { TACHO_SHARE_TIME_BITS = 56, TACHO_SHARE_USERS_MAX = 1 << 20 };

typedef struct tacho_sharing {
    tacho_u128 clock;    /* in small parts of a cycle */
    int64_t now;         /* up to where the clock was moved on */
    uint64_t used;       /* parts that all need together */
    tacho_heap users;    /* by the clock at their end */
    uint64_t generation; /* changes when the next end does */
} tacho_sharing;

/*
 * The part of |capacity| (bytes per cycle) that |bytes| in |cycles| > 0 need, rounded down; never
 * more than all of it.
 */
uint64_t tacho_sharing_part(uint64_t bytes, int64_t cycles, tacho_ratio capacity);

/* Moves the clock to |now|, which never goes back. */
void tacho_sharing_advance(tacho_sharing *sharing, int64_t now);

/* A transfer begins, now. */
tacho_status tacho_sharing_add(tacho_sharing *sharing, uint64_t key, int64_t cycles,
                               uint64_t part) TACHO_MUST_USE;

/* Takes out one that has ended by now; false when there is none. */
bool tacho_sharing_take(tacho_sharing *sharing, uint64_t *out_key);

/* When the next one will end if nothing changes; false when there is none. */
bool tacho_sharing_next(const tacho_sharing *sharing, int64_t *out_time);

#endif
