/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far the clocks of files are apart. The ends of matched collectives tell (fleet_links.h): the
 * offset of a file is that to a reference file, the one with the most matches. A file that no chain
 * of collectives leads to has the time of day of its host, if the capture says how its clock
 * relates to it; how well hosts agree on the time of day is not known here.
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
    int64_t own_error_ns; /* of its time of day, if it knows that */
    size_t matched_count; /* collectives, with the file that it is known from */
    size_t cluster;       /* files that collectives link have the same */
} tacho_fleet_clock;

#define TACHO_FLEET_NO_CLUSTER SIZE_MAX

typedef struct tacho_fleet_clocks {
    tacho_fleet_clock *items; /* by number of the file */
    size_t item_count;
} tacho_fleet_clocks;

/* The clocks of all files that were counted. Deinitialise it even after a failure. */
tacho_status tacho_fleet_clocks_init(tacho_fleet_clocks *clocks,
                                     const tacho_fleet_view *view) TACHO_MUST_USE;
void tacho_fleet_clocks_deinit(tacho_fleet_clocks *clocks);

#endif
