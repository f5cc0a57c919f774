/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Select filter: passes rows that are in a time window, last long enough and have a wanted name.
 *
 * A span is kept whole when any of it is in the window; nothing is clipped, so durations stay
 * true. Rows left out are counted and recorded as metadata, not as loss: the user asked for it.
 */
#ifndef TACHO_PROFILE_SELECT_H
#define TACHO_PROFILE_SELECT_H

#include "profile/events.h"

/* Whether a name is wanted; |location| is empty when there is none. Both end with a NUL. */
typedef struct tacho_name_filter {
    bool (*accepts)(const void *self, tacho_str name, tacho_str location); /* NULL: everything */
    const void *self;
    const bool *has_no_memory; /* set by |accepts| when it ran out of memory; NULL: it never does */
} tacho_name_filter;

/* A failure when the filter ran out of memory. */
tacho_status tacho_name_filter_check(const tacho_name_filter *filter) TACHO_MUST_USE;

typedef struct tacho_selection {
    int64_t window_begin_ns;
    int64_t window_end_ns;   /* exclusive; INT64_MAX for no end */
    int64_t min_duration_ns; /* 0 keeps every span */
    /* Of spans; of samples the name of their track, of flows that of their span. */
    tacho_name_filter names;
} tacho_selection;

#define TACHO_SELECT_ALL ((tacho_selection){.window_end_ns = INT64_MAX})

static inline bool tacho_selection_is_all(const tacho_selection *selection)
{
    return selection->window_begin_ns <= 0 && selection->window_end_ns == INT64_MAX &&
           selection->min_duration_ns <= 0 && selection->names.accepts == NULL;
}

typedef struct tacho_select {
    tacho_events events;
    tacho_events *next;
    tacho_selection selection;
    uint64_t outside_window_count;
    uint64_t too_short_count;
    uint64_t other_name_count;
    unsigned char *verdicts; /* of sites, once they were asked for */
    size_t verdict_count, verdict_capacity;
} tacho_select;

/* Deinitialise it when all rows have passed. */
void tacho_select_init(tacho_select *select, const tacho_selection *selection, tacho_events *next);
void tacho_select_deinit(tacho_select *select);

#endif
