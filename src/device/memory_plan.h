/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory planning: pieces of memory that live for stretches of a run get places in one block, such
 * that pieces which live at the same time do not overlap, and the block is small.
 */
#ifndef TACHO_DEVICE_MEMORY_PLAN_H
#define TACHO_DEVICE_MEMORY_PLAN_H

#include "base/status.h"

#include <stdint.h>

enum { TACHO_MEMORY_ALIGN = 64 };

typedef struct tacho_memory_piece {
    uint64_t bytes;
    uint32_t first, last; /* moments at which it lives, both included */
    uint64_t offset;      /* found: a multiple of TACHO_MEMORY_ALIGN */
} tacho_memory_piece;

/*
 * Places every piece; |out_bytes| is the size of the block. The largest are placed first, each at
 * the lowest place that is free for as long as it lives. Beyond some thousands of pieces the
 * smallest are placed in order of time, where one of about their size has gone. LIMIT when the
 * block would not fit 63 bits.
 */
tacho_status tacho_memory_plan(tacho_memory_piece *pieces, size_t piece_count,
                               uint64_t *out_bytes) TACHO_MUST_USE;

/* The most bytes that live at one moment: no plan needs less. */
tacho_status tacho_memory_plan_bound(const tacho_memory_piece *pieces, size_t piece_count,
                                     uint64_t *out_bytes) TACHO_MUST_USE;

#endif
