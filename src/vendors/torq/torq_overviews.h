/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Overviews of profiles as Torq's converter prints them: kept while a trace is written, printed
 * when it is there.
 */
#ifndef TACHO_VENDORS_TORQ_TORQ_OVERVIEWS_H
#define TACHO_VENDORS_TORQ_TORQ_OVERVIEWS_H

#include "questions/overview/overview_tracks.h"
#include "base/output.h"

typedef struct tacho_torq_overview tacho_torq_overview;

/* Zeroed, it is empty. */
typedef struct tacho_torq_overviews {
    tacho_torq_overview *parts; /* by number of the part */
    size_t part_count, part_capacity;
} tacho_torq_overviews;

void tacho_torq_overviews_deinit(tacho_torq_overviews *overviews);

/* What a conversion tells of each part. */
tacho_overview_listener tacho_torq_overviews_listener(tacho_torq_overviews *overviews);

void tacho_torq_overviews_print(const tacho_torq_overviews *overviews, tacho_output *output);

#endif
