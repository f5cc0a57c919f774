/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrows between events: from a producer to its consumers, and from a call of the host to the work
 * that it launched on a device. The file identifies them by numbers of 64 bits and more; arrows of
 * a profile are counted.
 */
#ifndef TACHO_SOURCES_XPLANE_ARROWS_H
#define TACHO_SOURCES_XPLANE_ARROWS_H

#include "sources/xplane/stats.h"

enum { XP_ARROW_TYPES = 64, XP_ARROWS_MAX = 8 };

typedef struct xp_arrows {
    tacho_number_map typed[XP_ARROW_TYPES]; /* producers and consumers, by type */
    tacho_number_map flows, launches;
    uint64_t count;
} xp_arrows;

void xp_arrows_deinit(xp_arrows *arrows);

/* The ends of arrows that one event has. */
typedef struct xp_arrow_ends {
    uint64_t values[XP_ROLE_COUNT];
    uint32_t has; /* bits of roles */
} xp_arrow_ends;

static inline void xp_arrow_ends_add(xp_arrow_ends *ends, xp_role role, uint64_t value)
{
    ends->values[role] = value;
    ends->has |= UINT32_C(1) << role;
}

/* Pushes the ends of an event, whose row is |span|; one on a device is launched, not launching. */
tacho_status xp_arrows_push(xp_arrows *arrows, const xp_arrow_ends *ends, const tacho_row *span,
                            bool is_device, tacho_events *events) TACHO_MUST_USE;

#endif
