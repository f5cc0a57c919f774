/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forwards every row to two consumers.
 */
#ifndef TACHO_PROFILE_EVENTS_FORK_H
#define TACHO_PROFILE_EVENTS_FORK_H

#include "profile/events.h"

typedef struct tacho_events_fork {
    tacho_events events;
    tacho_events *first, *second;
} tacho_events_fork;

/* Both are opened, and stay the caller's. */
void tacho_events_fork_init(tacho_events_fork *fork, tacho_events *first, tacho_events *second);

#endif
