/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside a session with a Tracy client: shared by its files.
 */
#ifndef TACHO_CAPTURE_TRACY_STATE_H
#define TACHO_CAPTURE_TRACY_STATE_H

#include "capture/tracy_session.h"

enum { TACHO_TRACY_DEPTH_MAX = 1 << 16, TACHO_TRACY_THINGS_MAX = 1 << 20 };

/* A zone that has begun. */
typedef struct tacho_tracy_zone {
    int64_t start; /* ns */
    uint32_t place;
    uint32_t extra; /* TACHO_NONE: none */
    uint32_t check; /* the number that its end must repeat; 0: none */
} tacho_tracy_zone;

/* A thread, or a fiber. */
struct tacho_tracy_thread {
    uint64_t id; /* tid, or address */
    bool is_fiber;
    bool is_named;       /* its name is known, or was queried */
    uint32_t track;      /* TACHO_NONE: it has no rows yet */
    uint32_t name;       /* string; 0 for none */
    uint32_t told;       /* how often its name was */
    uint32_t fiber;      /* that runs on it; TACHO_NONE */
    uint32_t next_check; /* for the next event */
    tacho_tracy_zone *stack;
    size_t depth, capacity;
    size_t too_deep; /* zones beyond the limit */
};

/* Ticks to ns; false, and counted, where they are out of range. */
bool tacho_tracy_time(tacho_tracy_session *session, int64_t ticks, int64_t *out_ns);

/* The same of a running time that |delta| is added to. */
bool tacho_tracy_step(tacho_tracy_session *session, int64_t *running, int64_t delta,
                      int64_t *out_ns);

/* The string that was sent ahead of its event; it is taken. */
tacho_str tacho_tracy_take_single(tacho_tracy_session *session);

/* Threads. */
void tacho_tracy_free_threads(tacho_tracy_session *session);

/* Events of zones, messages and fibers; true where the event is one of them. */
tacho_status tacho_tracy_zone_event(tacho_tracy_session *session, const tacho_tracy_item *item,
                                    bool *out_is_taken) TACHO_MUST_USE;
tacho_status tacho_tracy_finish_zones(tacho_tracy_session *session) TACHO_MUST_USE;

/* Plots, frames, locks, memory. */
tacho_status tacho_tracy_things_make(tacho_tracy_session *session) TACHO_MUST_USE;
void tacho_tracy_things_free(tacho_tracy_session *session);
tacho_status tacho_tracy_thing_event(tacho_tracy_session *session, const tacho_tracy_item *item,
                                     bool *out_is_taken) TACHO_MUST_USE;
tacho_status tacho_tracy_finish_things(tacho_tracy_session *session) TACHO_MUST_USE;

/* Devices. */
tacho_status tacho_tracy_devices_make(tacho_tracy_session *session) TACHO_MUST_USE;
void tacho_tracy_devices_free(tacho_tracy_session *session);
tacho_status tacho_tracy_device_event(tacho_tracy_session *session, const tacho_tracy_item *item,
                                      bool *out_is_taken) TACHO_MUST_USE;
tacho_status tacho_tracy_finish_devices(tacho_tracy_session *session) TACHO_MUST_USE;

/* 0xRRGGBB of three bytes b, g, r. */
static inline uint32_t tacho_tracy_color(const unsigned char *bgr)
{
    return (uint32_t)bgr[0] | (uint32_t)bgr[1] << 8 | (uint32_t)bgr[2] << 16;
}

#endif
