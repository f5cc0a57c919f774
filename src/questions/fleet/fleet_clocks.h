/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far the clocks of files are apart. The ends of matched collectives tell (fleet_links.h): the
 * offset of a file is that to a reference file of its run, the one with the most matches. Files
 * that no chain of collectives leads to are compared by the time of day, where both they and a file
 * that is linked to the reference know it; how well hosts agree on that is not known here. Where
 * there is nothing to match, the reference is the time of day itself.
 */
#ifndef TACHO_QUESTIONS_FLEET_FLEET_CLOCKS_H
#define TACHO_QUESTIONS_FLEET_FLEET_CLOCKS_H

#include "questions/fleet/fleet_view.h"

typedef enum tacho_fleet_method {
    TACHO_FLEET_BY_NOTHING,
    TACHO_FLEET_BY_COLLECTIVES,
    TACHO_FLEET_BY_TIME_OF_DAY,
} tacho_fleet_method;

typedef struct tacho_fleet_clock {
    uint64_t file; /* its number */
    tacho_fleet_method method;
    int64_t offset_ns; /* its clock is so much ahead of the reference of its run */
    int64_t error_ns;
    size_t matched_count; /* collectives, with the file that it is known from */
    bool has_day;         /* the reference is related to the time of day, ... */
    int64_t day_ns;       /* ... which is so much ahead of it, ... */
    int64_t day_error_ns; /* ... within this */
    /* For who finds these out. */
    size_t cluster;       /* files that collectives link have the same */
    int64_t own_error_ns; /* how sure the file is of the time of day; -1: it does not know it */
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
