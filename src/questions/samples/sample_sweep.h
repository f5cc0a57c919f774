/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces of operators' busy time, and the sweep that assigns each moment to one of them.
 */
#ifndef TACHO_QUESTIONS_SAMPLES_SAMPLE_SWEEP_H
#define TACHO_QUESTIONS_SAMPLES_SAMPLE_SWEEP_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* A stretch of one operator's work; a call is cut into pieces by its inner calls. */
typedef struct tacho_sample_piece {
    int64_t start_ns, end_ns;
    uint32_t op; /* TACHO_NONE for an empty piece that bounds its sample */
    uint32_t sample;
    uint32_t axis;  /* pieces of one axis share a zero; times of different axes add up */
    uint32_t rank;  /* of two that are busy at once, the lower counts */
    uint32_t count; /* spans that begin with this piece: 0 or 1 */
    uint32_t part;
    int64_t bytes; /* moved by these, -1 if unknown */
} tacho_sample_piece;

typedef struct tacho_sample_pieces {
    tacho_sample_piece *items;
    size_t item_count, item_capacity;
} tacho_sample_pieces;

/* Receives the results of the sweep, sample by sample and in order of time. */
typedef struct tacho_sweep_taker {
    /* |piece| starts; called for empty ones too. */
    tacho_status (*start)(void *self, const tacho_sample_piece *piece);
    /* |wall_ns| count for |piece|, after |gap_ns| in which none was busy. */
    tacho_status (*count)(void *self, const tacho_sample_piece *piece, int64_t wall_ns,
                          int64_t gap_ns);
    void *self;
} tacho_sweep_taker;

/* Reserves room for |count|, since growing a list of millions copies it; more may be added. */
tacho_status tacho_sample_pieces_reserve(tacho_sample_pieces *pieces, size_t count) TACHO_MUST_USE;

tacho_status tacho_sample_pieces_add(tacho_sample_pieces *pieces,
                                     const tacho_sample_piece *piece) TACHO_MUST_USE;
void tacho_sample_pieces_deinit(tacho_sample_pieces *pieces);

/* Visits the pieces in order, and assigns every busy moment to one of them. */
tacho_status tacho_sample_pieces_sweep(const tacho_sample_pieces *pieces,
                                       const tacho_sweep_taker *taker) TACHO_MUST_USE;

#endif
