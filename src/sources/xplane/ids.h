/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the ids of a plane's descriptions to their places. Nearly all ids are small, and events
 * look up several each, so those have an array.
 */
#ifndef TACHO_SOURCES_XPLANE_IDS_H
#define TACHO_SOURCES_XPLANE_IDS_H

#include "base/number_map.h"
#include "base/attributes.h"

enum { XP_SMALL_IDS = 1 << 16 };

typedef struct xp_ids {
    uint32_t *small; /* the place + 1; 0: unknown */
    size_t small_count, small_capacity;
    tacho_number_map others;
} xp_ids;

void xp_ids_clear(xp_ids *ids);
void xp_ids_deinit(xp_ids *ids);

tacho_status xp_ids_set(xp_ids *ids, uint64_t id, uint32_t place) TACHO_MUST_USE;

/* UINT32_MAX for an unknown id. */
static inline uint32_t xp_ids_find(const xp_ids *ids, uint64_t id)
{
    if (TACHO_LIKELY(id < ids->small_count)) {
        return ids->small[id] - 1;
    }
    const uint64_t *found = tacho_number_map_find(&ids->others, id);
    return found != NULL ? (uint32_t)*found : UINT32_MAX;
}

#endif
