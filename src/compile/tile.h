/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiling: one core's share of an operator is cut so that what is worked on fits local memory, with
 * a second buffer for what comes next. Rows are cut first, then columns, then the depth of a
 * product; of the ways that fit the fastest is taken, also of what fits whole: tiles overlap.
 *
 * An operator has a bounded number of tiles. Only where memory asks for more, several follow one
 * another as one job: its bytes are those of all of them, and go through the buffer of one.
 */
#ifndef TACHO_COMPILE_TILE_H
#define TACHO_COMPILE_TILE_H

#include "compile/op_cost.h"

/* What one core does of an operator. */
typedef struct tacho_share {
    tacho_work_kind kind;
    uint64_t batch, m, n, k; /* MATRIX */
    uint64_t elements;       /* VECTOR; MATRIX: what is fused */
    uint64_t steps;
    uint64_t input_bytes, weight_bytes, output_bytes;
    bool moves_input, moves_weights, moves_output; /* into or out of this core's memory */
} tacho_share;

/* Where a share is worked on. */
typedef struct tacho_tile_place {
    const tacho_machine *machine;
    const tacho_engine *engine; /* NULL: nothing is computed */
    tacho_dtype dtype;
    uint32_t fidelity;
    uint64_t room_bytes;     /* of local memory */
    tacho_ratio shared_rate; /* of shared memory, for each core; 0: no limit */
    uint64_t input_readers;  /* cores that shared memory gives the same bytes at once; */
    uint64_t weight_readers; /* 0: one */
} tacho_tile_place;

/* Buffers of one operand. */
typedef struct tacho_slots {
    uint32_t count; /* 1 or 2; 0: it does not move */
    uint64_t bytes; /* of each */
    uint64_t loads; /* transfers, in jobs ... */
    uint64_t times; /* ... that move it so often, all in all */
} tacho_slots;

typedef struct tacho_tiling {
    uint64_t batch, m, n, k; /* numbers of tiles */
    uint32_t repeat;         /* of each job: tiles that follow one another, at most */
    bool rows_outside;       /* columns change faster than rows */
    tacho_slots input, weights, output;
} tacho_tiling;

/*
 * Tiles of an operator on a core, as jobs, and where a sequencer starts each of them in programs of
 * a few dozen jobs; and as they are, when ways to cut are looked for. The compiler's own choice:
 * more of them overlap more (of what comes, a part of one in so many does not), fewer are read.
 */
enum { TACHO_TILES_MAX = 64, TACHO_TILES_SEQUENCED_MAX = 16, TACHO_TILES_TRIED_MAX = 1024 };

/* A share that does not fit however it is cut is a LIMIT failure that says how much it needs. */
tacho_status tacho_tile(const tacho_tile_place *place, const tacho_share *share,
                        tacho_tiling *out_tiling) TACHO_MUST_USE;

/* Shares that were cut before: cores have few different ones, and networks repeat themselves. */
enum { TACHO_TILE_MEMO_COUNT = 16 };

typedef struct tacho_tile_memo {
    struct {
        tacho_tile_place place;
        tacho_share share;
        tacho_tiling tiling;
    } items[TACHO_TILE_MEMO_COUNT];
    size_t count; /* that were ever kept: a new one takes the place of the oldest */
} tacho_tile_memo;

/* As tacho_tile; |memo| starts as zeros. */
tacho_status tacho_tile_again(tacho_tile_memo *memo, const tacho_tile_place *place,
                              const tacho_share *share, tacho_tiling *out_tiling) TACHO_MUST_USE;

/* Bytes that are moved of an operand of |bytes|. */
uint64_t tacho_slots_moved(const tacho_slots *slots, uint64_t bytes);

/* What a share that is no product is cut along: elements, or bytes where there are none. */
uint64_t tacho_share_elements(const tacho_share *share);

/* The |i|-th of |count| parts of |total|, as equal as they can be. */
static inline uint64_t tacho_part(uint64_t total, uint64_t count, uint64_t i)
{
    uint64_t each = total / count;
    uint64_t rest = total % count;
    return each + (i < rest ? 1 : 0);
}

#endif
