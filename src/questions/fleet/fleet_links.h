/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links files that share collectives, directly or through others. All ranks leave a collective at
 * about the same time, so the ends of the collectives that two files share give their clock offset:
 * the median of the differences, with the largest distance from it as the error. Along a chain of
 * files both add up; of several chains the one with the least error counts.
 */
#ifndef TACHO_QUESTIONS_FLEET_FLEET_LINKS_H
#define TACHO_QUESTIONS_FLEET_FLEET_LINKS_H

#include "questions/fleet/fleet_clocks.h"

/*
 * Fills the offsets of |clocks|, which are by number of the file: to the first file of their
 * cluster, the one with the most matches. Clusters are numbered by that, the most first.
 */
tacho_status tacho_fleet_links_find(const tacho_fleet *fleet, tacho_fleet_clocks *clocks,
                                    size_t *out_cluster_count) TACHO_MUST_USE;

#endif
