/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far the clocks of files are apart. All ranks leave a collective at about the same time, so
 * the ends of matched collectives tell: the offset of a file is the median of the differences to a
 * reference file, and its error is how far single differences are from that. A file without matched
 * collectives has the time of day of its host, if the capture says how its clock relates to it; how
 * well hosts agree on the time of day is not known here.
 */
#ifndef TACHO_ANALYSES_FLEET_FLEET_CLOCKS_H
#define TACHO_ANALYSES_FLEET_FLEET_CLOCKS_H

#include "analyses/fleet/fleet_view.h"

typedef enum tacho_fleet_method {
    TACHO_FLEET_BY_NOTHING,
    TACHO_FLEET_BY_COLLECTIVES,
    TACHO_FLEET_BY_TIME_OF_DAY,
} tacho_fleet_method;

typedef struct tacho_fleet_clock {
    uint64_t file; /* its number */
    tacho_fleet_method method;
    int64_t offset_ns; /* its clock is so much ahead of the reference */
    int64_t error_ns;
    size_t matched_count; /* collectives */
} tacho_fleet_clock;

typedef struct tacho_fleet_clocks {
    tacho_fleet_clock *items; /* by number of the file */
    size_t item_count;
} tacho_fleet_clocks;

/* The clocks of all files that were counted. Deinitialise it even after a failure. */
tacho_status tacho_fleet_clocks_init(tacho_fleet_clocks *clocks,
                                     const tacho_fleet_view *view) TACHO_MUST_USE;
void tacho_fleet_clocks_deinit(tacho_fleet_clocks *clocks);

#endif
