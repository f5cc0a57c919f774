/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Select filter: lets through what lies in a time window and lasts long enough.
 *
 * A span is kept whole when any of it lies in the window; nothing is clipped, so durations stay
 * true. What was left out is counted and recorded as metadata, not as loss: it was asked for.
 */
#ifndef TACHO_PROFILE_SELECT_H
#define TACHO_PROFILE_SELECT_H

#include "profile/events.h"

typedef struct tacho_selection {
    int64_t window_begin_ns;
    int64_t window_end_ns;   /* exclusive; INT64_MAX for no end */
    int64_t min_duration_ns; /* 0 keeps every span */
} tacho_selection;

#define TACHO_SELECT_ALL ((tacho_selection){0, INT64_MAX, 0})

static inline bool tacho_selection_is_all(const tacho_selection *selection)
{
    return selection->window_begin_ns <= 0 && selection->window_end_ns == INT64_MAX &&
           selection->min_duration_ns <= 0;
}

typedef struct tacho_select {
    tacho_events events;
    tacho_events *next;
    tacho_selection selection;
    uint64_t outside_window_count;
    uint64_t too_short_count;
} tacho_select;

void tacho_select_init(tacho_select *select, const tacho_selection *selection, tacho_events *next);

#endif
