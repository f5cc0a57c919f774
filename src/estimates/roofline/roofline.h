/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Roofline: how far is each operator from the limits of its machine? A point per operator: its
 * operations and bytes, its time, the least time under the machine's roof
 * (estimates/roofline/roof.h), and the ceiling that decides.
 *
 * Sources of points are models and programs (estimates/roofline/roof_works.h), and profiles whose
 * spans identify their work (estimates/roofline/roof_gather.h). A point above its roof is
 * impossible: its time, its sizes or the machine is wrong. It is marked and counted.
 */
#ifndef TACHO_ESTIMATES_ROOFLINE_ROOFLINE_H
#define TACHO_ESTIMATES_ROOFLINE_ROOFLINE_H

#include "questions/analysis.h"
#include "estimates/roofline/roof.h"
#include "estimates/roofline/roofline_options.h"
#include "base/index.h"

/* Whether a point is plausible. */
typedef enum tacho_roof_verdict {
    TACHO_ROOF_FINE,
    TACHO_ROOF_ABOVE, /* above its roof: the point or the machine description is wrong */
    TACHO_ROOF_NEAR,  /* faster than the shared memory, which it may not have used */
    TACHO_ROOF_FEWER, /* a function of elements that took fewer steps than usual */
    TACHO_ROOF_VERDICT_COUNT,
} tacho_roof_verdict;

typedef struct tacho_roof_point {
    tacho_str file, name, type, location; /* the last two may be empty */
    tacho_origin origin;
    uint32_t roof; /* index in |roofs| */
    uint64_t count;
    double total_ns;
    tacho_roof_work work; /* of each execution */
    size_t order;
    /* Once judged: */
    tacho_roof_least least;
    tacho_roof_verdict verdict;
} tacho_roof_point;

typedef struct tacho_roofline {
    tacho_arena arena; /* of texts */
    tacho_roof *roofs;
    size_t roof_count, roof_capacity;
    tacho_roof_point *points;
    size_t point_count, point_capacity;
    tacho_index index;
    bool has_index;
    size_t above_count, left_out_count;
    uint64_t unknown_count; /* operators whose work is not known ... */
    double unknown_ns;      /* ... and their time */
    bool needs_model;       /* a model would provide the work of some of them */
} tacho_roofline;

void tacho_roofline_init(tacho_roofline *line);
void tacho_roofline_deinit(tacho_roofline *line);

/* The index of |roof| in |roofs|, which has each machine once. */
tacho_status tacho_roofline_ensure_roof(tacho_roofline *line, const tacho_roof *roof,
                                        uint32_t *out_number) TACHO_MUST_USE;

/* Adds a point; points with the same names, origin and work are merged. Texts are copied. */
tacho_status tacho_roofline_add(tacho_roofline *line, const tacho_roof_point *point) TACHO_MUST_USE;

/* Judges the points, sorts them, and makes the tables. */
tacho_status tacho_roofline_write(tacho_roofline *line, const tacho_roofline_options *options,
                                  const tacho_table_taker *to) TACHO_MUST_USE;

/* Per second; 0 if not known. */
double tacho_roof_point_rate(const tacho_roof_point *point);      /* operations */
double tacho_roof_point_bandwidth(const tacho_roof_point *point); /* shared memory */
/* Operations per byte of shared memory; 0 if one is not known. */
double tacho_roof_point_intensity(const tacho_roof_point *point);

/*
 * The letter for a point in a plot, by its place in the list; ' ' for points that cannot be drawn,
 * and after the 52nd.
 */
char tacho_roof_plot_mark(const tacho_roofline *line, size_t place);

/* The plot of a machine and its points: a table of one column, for users. */
tacho_status tacho_roof_plot_table(const tacho_roofline *line, uint32_t roof,
                                   tacho_table *out_table) TACHO_MUST_USE;

#endif
