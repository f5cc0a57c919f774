/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces of time that operators were busy, and the sweep that gives each moment to one of them.
 */
#ifndef TACHO_QUESTIONS_SAMPLES_SAMPLE_SWEEP_H
#define TACHO_QUESTIONS_SAMPLES_SAMPLE_SWEEP_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* A stretch in which an operator did one thing; that of a call is cut by the calls inside. */
typedef struct tacho_sample_piece {
    int64_t start_ns, end_ns;
    uint32_t op; /* TACHO_NONE for a bound of its sample, which is empty */
    uint32_t sample;
    uint32_t axis;  /* pieces of one axis have one zero; times of different axes add up */
    uint32_t rank;  /* which of two that are busy at a time counts: the lower */
    uint32_t count; /* spans that begin with it: 0 or 1 */
    uint32_t part;
    int64_t bytes; /* that those moved, -1 when unknown */
} tacho_sample_piece;

typedef struct tacho_sample_pieces {
    tacho_sample_piece *items;
    size_t item_count, item_capacity;
} tacho_sample_pieces;

/* Who is told what the sweep finds, sample after sample and by time. */
typedef struct tacho_sweep_taker {
    /* |piece| starts; empty ones do so too. */
    tacho_status (*start)(void *self, const tacho_sample_piece *piece);
    /* |wall_ns| of |piece| count, after |gap_ns| in which none was busy. */
    tacho_status (*count)(void *self, const tacho_sample_piece *piece, int64_t wall_ns,
                          int64_t gap_ns);
    void *self;
} tacho_sweep_taker;

/* Makes room for |count|, since a list of millions that grows is copied; there may be more. */
tacho_status tacho_sample_pieces_reserve(tacho_sample_pieces *pieces, size_t count) TACHO_MUST_USE;

tacho_status tacho_sample_pieces_add(tacho_sample_pieces *pieces,
                                     const tacho_sample_piece *piece) TACHO_MUST_USE;
void tacho_sample_pieces_deinit(tacho_sample_pieces *pieces);

/* Goes through the pieces in order, and gives every moment in which one is busy to one. */
tacho_status tacho_sample_pieces_sweep(const tacho_sample_pieces *pieces,
                                       const tacho_sweep_taker *taker) TACHO_MUST_USE;

#endif
