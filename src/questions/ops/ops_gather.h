/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects the data of 'ops' from a stream of rows: a cell for every site of every track, with sums
 * and durations. Rows are made from cells at the end, when classes of tracks are final. Memory
 * grows with names, tracks and nesting depth, not with the number of spans.
 */
#ifndef TACHO_QUESTIONS_OPS_OPS_GATHER_H
#define TACHO_QUESTIONS_OPS_OPS_GATHER_H

#include "questions/durations.h"
#include "base/maths.h"
#include "profile/events.h"
#include "profile/operators.h"

/*
 * Percentiles are exact for profiles of up to |exact_span_max| spans (TACHO_OPS_EXACT_SPANS by
 * default); in larger ones, for cells of up to TACHO_OPS_EXACT_OF_CELL.
 */
enum { TACHO_OPS_EXACT_SPANS = 1 << 20, TACHO_OPS_EXACT_OF_CELL = 128 };

/* Sums over the spans of a cell. */
typedef struct tacho_ops_cell_sums {
    uint64_t count;
    tacho_i128 total_ns;
    tacho_i128 inner_ns; /* of that, in spans directly inside */
    int64_t min_ns, max_ns;
    bool has_bytes;
    int64_t bytes; /* saturates */
    tacho_durations durations;
} tacho_ops_cell_sums;

/* How many spans a cell has: sums are only kept for two or more, since most names have one span. */
typedef enum tacho_ops_size {
    TACHO_OPS_EMPTY,
    TACHO_OPS_ONE, /* without inner spans and bytes */
    TACHO_OPS_MANY,
} tacho_ops_size;

typedef struct tacho_ops_cell {
    uint32_t track, site;
    uint32_t type;   /* string: the operator that an argument names, TACHO_NONE for none */
    uint8_t origin;  /* the spans' own; 0: the part's */
    uint8_t size;    /* a tacho_ops_size */
    bool is_phase;   /* the spans are drawn around the work of others */
    bool is_indexed; /* in the index: the site has several cells */
    union {
        int64_t ns;    /* how long the only span lasted */
        uint32_t sums; /* index of its sums */
    } of;
} tacho_ops_cell;

/* An open span that may contain the next ones on its track. */
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
    tacho_ops_cell_sums *sums;
    size_t sums_count, sums_capacity;
    tacho_index index;    /* of cells of sites that have several */
    uint32_t *last_cells; /* by site, TACHO_NONE for none */
    size_t site_count, site_capacity;
    tacho_ops_stack *stacks; /* by track */
    size_t stack_count, stack_capacity;
} tacho_ops_gather;

void tacho_ops_gather_init(tacho_ops_gather *gather, tacho_dict *dict);
void tacho_ops_gather_deinit(tacho_ops_gather *gather);

/*
 * The sums of |cell|, valid until the next row; |one| is room for the sums of a cell of one span,
 * whose duration is |*value|.
 */
const tacho_ops_cell_sums *tacho_ops_gather_sums(const tacho_ops_gather *gather,
                                                 const tacho_ops_cell *cell,
                                                 tacho_ops_cell_sums *one, int64_t *value);

#endif
