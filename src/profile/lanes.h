/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lane filter: moves spans that would cross another one to extra tracks, so that every track a
 * trace sink sees is properly nested.
 *
 * On an engine track a span may not start before the previous one has ended; on a stack track it
 * may nest inside it. Intervals are half open: [0,5) and [5,9) do not meet. A span that does not
 * fit goes to the first lane where it does; lanes are tracks of the same name with lane_of set.
 * Rows must arrive in track order. A flow end that knows its span is passed on directly ahead of
 * it; among spans that start together, the source of an arrow is passed on ahead of its target.
 */
#ifndef TACHO_PROFILE_LANES_H
#define TACHO_PROFILE_LANES_H

#include "profile/events.h"

typedef struct tacho_lanes tacho_lanes;

tacho_status tacho_lanes_create(tacho_events *next, tacho_lanes **out_lanes) TACHO_MUST_USE;
void tacho_lanes_destroy(tacho_lanes *lanes);
tacho_events *tacho_lanes_events(tacho_lanes *lanes);

#endif
