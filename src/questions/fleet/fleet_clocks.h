/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Offsets between the clocks of files, from the ends of matched collectives (fleet_links.h). The
 * offset of a file is relative to a reference file of its run, the one with the most matches. Files
 * that no chain of collectives leads to are compared by the time of day, if both they and a file
 * linked to the reference know it; how well hosts agree on that is not known here. Without any
 * matches, the reference is the time of day itself.
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
    int64_t offset_ns; /* its clock ahead of the reference of its run */
    int64_t error_ns;
    size_t matched_count; /* collectives shared with the file that the offset is derived from */
    bool has_day;         /* the reference's relation to the time of day is known: ... */
    int64_t day_ns;       /* ... the time of day is ahead by this, ... */
    int64_t day_error_ns; /* ... within this */
    /* For the computation of the offsets. */
    size_t cluster;       /* the same for files that collectives link */
    int64_t own_error_ns; /* the file's error of the time of day; -1: not known */
} tacho_fleet_clock;

#define TACHO_FLEET_NO_CLUSTER SIZE_MAX

typedef struct tacho_fleet_clocks {
    tacho_fleet_clock *items; /* by number of the file */
    size_t item_count;
} tacho_fleet_clocks;

/* Computes the clocks of all counted files. Deinitialise it even after a failure. */
tacho_status tacho_fleet_clocks_init(tacho_fleet_clocks *clocks,
                                     const tacho_fleet_view *view) TACHO_MUST_USE;
void tacho_fleet_clocks_deinit(tacho_fleet_clocks *clocks);

#endif
