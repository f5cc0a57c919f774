/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is behind a tacho_view: for its accessors and their tests.
 */
#ifndef TACHO_API_PROFILE_VIEW_H
#define TACHO_API_PROFILE_VIEW_H

#include "profile/profile.h"

#include <tacho/profile.h>

enum { TACHO_VIEW_ROLES = 3, TACHO_VIEW_PHASES = 3 };

/* The numbers of words that columns are made of, by the values of their enums. */
typedef struct tacho_view_words {
    uint32_t origins[TACHO_ORIGIN_COUNT];
    uint32_t classes[TACHO_TRACK_CLASS_COUNT];
    uint32_t units[TACHO_UNIT_COUNT];
    uint32_t roles[TACHO_VIEW_ROLES];
    uint32_t phases[TACHO_VIEW_PHASES];
} tacho_view_words;

struct tacho_view {
    tacho_dict dict;
    tacho_profile profile;
    tacho_view_words words;
};

/* Fills the words of a view whose dictionary is there. */
tacho_status tacho_view_intern_words(tacho_view *view) TACHO_MUST_USE;

/* The end of a flow's span as the public header tells it. */
int64_t tacho_view_flow_span_end_ns(const tacho_view *view, const tacho_flow_end *flow);

#endif
