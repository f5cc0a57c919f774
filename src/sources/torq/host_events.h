/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The meaning of event names in a Torq host profile: the track they belong to, and whether a
 * program of the accelerator or of the host begins or ends with them. Parsed once per distinct
 * text.
 */
#ifndef TACHO_SOURCES_TORQ_HOST_EVENTS_H
#define TACHO_SOURCES_TORQ_HOST_EVENTS_H

#include "sources/torq/torq_part.h"

/* A program runs from its start by the host to the end of the host's wait for it. */
typedef enum torq_host_role {
    TORQ_HOST_ROLE_NONE,
    TORQ_HOST_ROLE_STARTS,
    TORQ_HOST_ROLE_WAITS,
} torq_host_role;

typedef struct torq_host_event {
    uint32_t base;                       /* string: the name without BEGIN or END */
    uint32_t site;                       /* of its span */
    uint32_t program_site;               /* of the program started or waited for */
    tacho_torq_host_track track;         /* TACHO_TORQ_HOST_TRACK_COUNT: no span of its own */
    tacho_torq_host_track program_track; /* likewise */
    torq_host_role role;
    bool is_begin;
    bool is_known; /* a known version of the runtime writes it */
} torq_host_event;

typedef struct torq_host_events {
    torq_part *part;
    tacho_strings keys; /* raw texts; the event of key i is items[i] */
    torq_host_event *items;
    size_t item_count, item_capacity;
} torq_host_events;

/* |part| is open and outlives |events|. */
tacho_status torq_host_events_init(torq_host_events *events, torq_part *part) TACHO_MUST_USE;
void torq_host_events_deinit(torq_host_events *events);

/* The event with the raw text |key|, or TACHO_NONE. */
static inline uint32_t torq_host_events_find(const torq_host_events *events, tacho_str key)
{
    return tacho_strings_find(&events->keys, key);
}

/* Facts in a raw text. */
typedef struct torq_host_event_facts {
    tacho_str base;
    tacho_str location; /* as in the file, perhaps empty */
    bool is_begin;
} torq_host_event_facts;

/* Files the event of |key|, which is new and not empty. */
tacho_status torq_host_events_add(torq_host_events *events, tacho_str key,
                                  const torq_host_event_facts *facts,
                                  uint32_t *out_id) TACHO_MUST_USE;

#endif
