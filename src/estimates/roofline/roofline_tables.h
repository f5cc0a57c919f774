/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of a roofline.
 */
#ifndef TACHO_ESTIMATES_ROOFLINE_ROOFLINE_TABLES_H
#define TACHO_ESTIMATES_ROOFLINE_ROOFLINE_TABLES_H

#include "estimates/roofline/roofline.h"

/* The ceilings of the machines: arithmetic by type, memory by level. */
tacho_status tacho_roof_ceilings_table(const tacho_roofline *line,
                                       tacho_table *out_table) TACHO_MUST_USE;

/*
 * A row per point; |is_for_people|: with the letters of the plot, and with machines only if there
 * are several.
 */
tacho_status tacho_roof_points_table(const tacho_roofline *line, bool is_for_people,
                                     tacho_table *out_table) TACHO_MUST_USE;

/* A ceiling of arithmetic: of a native type, or of points. */
typedef struct tacho_roof_ceiling {
    uint32_t roof;
    tacho_roof_work work; /* kind, type, fidelity and cores of the work under it */
    double rate;          /* operations per second */
} tacho_roof_ceiling;

/* The ceilings of the points of |line|, each once, highest first. */
tacho_status tacho_roof_used_ceilings(const tacho_roofline *line, tacho_roof_ceiling **out_items,
                                      size_t *out_count) TACHO_MUST_USE;

#endif
