/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What 'ops' needs of the rows that stream by: a cell for every site of every track, with sums
 * and durations. Rows are made of cells at the end, when classes of tracks are final. Memory goes
 * by names, tracks and how deep spans lie in one another, not by how many there are.
 */
#ifndef TACHO_ANALYSES_OPS_GATHER_H
#define TACHO_ANALYSES_OPS_GATHER_H

#include "analyses/durations.h"
#include "base/maths.h"
#include "profile/events.h"
#include "profile/operators.h"

/*
 * Percentiles are exact for profiles of up to |exact_span_max| spans, unless told otherwise
 * TACHO_OPS_EXACT_SPANS; of larger ones, for cells of up to TACHO_OPS_EXACT_OF_CELL.
 */
enum { TACHO_OPS_EXACT_SPANS = 1 << 20, TACHO_OPS_EXACT_OF_CELL = 128 };

typedef struct tacho_ops_cell {
    uint32_t track, site;
    uint32_t origin; /* the spans' own, 0 for that of the part */
    uint32_t type;   /* string: the operator that an argument names, TACHO_NONE for none */
    bool is_phase;   /* the spans are drawn around the work of others */
    uint64_t count;
    tacho_i128 total_ns;
    tacho_i128 inner_ns; /* of that, in spans directly inside */
    int64_t min_ns, max_ns;
    bool has_bytes;
    int64_t bytes; /* saturates */
    tacho_durations durations;
} tacho_ops_cell;

/* A span that is open around those that come next on its track. */
typedef struct tacho_ops_open {
    int64_t end;
    uint32_t cell;
} tacho_ops_open;

typedef struct tacho_ops_stack {
    tacho_ops_open *items;
    size_t item_count, item_capacity;
} tacho_ops_stack;

typedef struct tacho_ops_gather {
    tacho_events events; /* takes rows in track order */
    bool is_ready;
    tacho_operators operators;
    uint32_t bytes_key; /* string */
    uint64_t span_count, exact_span_max;
    tacho_ops_cell *cells; /* in the order of their first spans */
    size_t cell_count, cell_capacity;
    tacho_index index;
    uint32_t *last_cells; /* by site, TACHO_NONE for none */
    size_t site_count, site_capacity;
    tacho_ops_stack *stacks; /* by track */
    size_t stack_count, stack_capacity;
} tacho_ops_gather;

void tacho_ops_gather_init(tacho_ops_gather *gather, tacho_dict *dict);
void tacho_ops_gather_deinit(tacho_ops_gather *gather);

#endif
