/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches under way: calls of the host whose work has not started yet, found by the number that
 * call and work share. The window has a fixed size and drops the oldest first: a device's queue
 * holds far fewer, and calls that start no work must not fill the memory.
 */
#ifndef TACHO_QUESTIONS_TIMELINE_LAUNCH_WINDOW_H
#define TACHO_QUESTIONS_TIMELINE_LAUNCH_WINDOW_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct tacho_launch {
    uint64_t id;
    int64_t start_ns; /* of the call */
    int64_t end_ns;   /* of the call; -1 when not known */
    uint32_t track;   /* of the call */
    uint32_t place;   /* the place, in the caller's terms */
} tacho_launch;

typedef struct tacho_launch_window {
    struct tacho_launch_slot *slots; /* NULL until the first launch */
    uint32_t serial;
} tacho_launch_window;

void tacho_launch_window_deinit(tacho_launch_window *window);

/* Forgets all launches, as another part begins. */
void tacho_launch_window_clear(tacho_launch_window *window);

tacho_status tacho_launch_window_add(tacho_launch_window *window,
                                     const tacho_launch *launch) TACHO_MUST_USE;

/* The same, but keeps launches with the same id. */
tacho_status tacho_launch_window_add_more(tacho_launch_window *window,
                                          const tacho_launch *launch) TACHO_MUST_USE;

/* Finds the launch |id|; false if there is none. It is kept: one call may start several pieces of
 * work. */
bool tacho_launch_window_find(const tacho_launch_window *window, uint64_t id,
                              tacho_launch *out_launch);

/* Sets the place of the launch |id| if it is in the window. */
void tacho_launch_window_move(tacho_launch_window *window, uint64_t id, uint32_t place);

/* Finds the launch |id| and removes it. */
bool tacho_launch_window_take(tacho_launch_window *window, uint64_t id, tacho_launch *out_launch);

#endif
