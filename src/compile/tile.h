/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiling: one core's share of an operator's space (compile/space.h) is cut into tiles, so that the
 * data of a tile fits local memory, with a second buffer for the next tile. Of the tilings that fit
 * the fastest is taken, even where the whole share fits: tiles overlap.
 *
 * An operand is loaded in turns, each tile's part into one of two buffers; or, where there is room,
 * piece by piece into a buffer that has all of it, and nothing is loaded twice.
 */
#ifndef TACHO_COMPILE_TILE_H
#define TACHO_COMPILE_TILE_H

#include "compile/op_cost.h"
#include "compile/space.h"

/* Where a share is worked on. */
typedef struct tacho_tile_place {
    const tacho_machine *machine;
    const tacho_engine *engine; /* NULL: nothing is computed */
    tacho_dtype dtype;
    tacho_dtype source; /* that operands are read in */
    tacho_dtype result; /* that results are written in */
    uint32_t fidelity;
    uint64_t elements, steps; /* vector work of the whole operator; of products the fused steps */
    uint64_t room_bytes;      /* of local memory */
    bool spills;              /* that memory is a cache: more than it holds runs, too */
    tacho_ratio shared_rate;  /* of shared memory, for each core; 0: no limit */
    tacho_ratio network_rate; /* the same of the network that copies share */
    uint64_t cores;           /* that have such a share each */
} tacho_tile_place;

/* Buffers of one access. */
typedef struct tacho_slots {
    bool moves;       /* into or out of this core's memory: given */
    bool is_shared;   /* it does so from or to the memory that cores share: given */
    uint64_t readers; /* cores that get the same bytes of it at once: given */
    bool is_whole;    /* one buffer for all of it, filled piece by piece */
    uint32_t count;   /* 1 or 2; 0: it does not move */
    uint64_t bytes;   /* of each */
    /* of the way that is being tried */
    uint64_t share_bytes; /* of all that the share touches */
    uint64_t tile_bytes;  /* the most that a tile touches */
    uint64_t distinct;    /* pieces that tiles touch ... */
    uint64_t changes;     /* ... and how often it is another than before */
} tacho_slots;

typedef struct tacho_tiling {
    uint64_t parts[TACHO_AXES_MAX]; /* of each axis */
    uint32_t cut;                   /* axes with more than one part, as bits */
    uint64_t tile_count;            /* passes and parts, multiplied */
    uint32_t passes;                /* over lines that are cut */
    uint32_t order[TACHO_AXES_MAX]; /* axes, the outermost loop first; passes before SUM */
    uint64_t scratch_bytes;         /* for partial sums and statistics */
    bool has_sums;                  /* sums are cut: results are complete only with the last part */
} tacho_tiling;

/*
 * Tiles of an operator: as many as are looked at first on a core, and more where memory asks for
 * it. The compiler's own choice: more of them overlap more (one tile's part of the loads does not),
 * fewer are read. More than the first number on all cores have to be worth it.
 */
enum { TACHO_TILES_MAX = 64, TACHO_TILES_TRIED_MAX = 1024, TACHO_TILES_LIMIT = 1 << 16 };

/* A share: a range of each axis. */
typedef struct tacho_share {
    const tacho_space *space;
    const tacho_range *ranges;
} tacho_share;

/*
 * |slots|, one for each access, select the moved operands and are filled. A share that does not fit
 * however it is cut is a LIMIT failure that reports how much it needs.
 */
tacho_status tacho_tile(const tacho_tile_place *place, const tacho_share *share, tacho_slots *slots,
                        tacho_tiling *out_tiling) TACHO_MUST_USE;

/* The work of one engine on a tile. */
typedef struct tacho_piece {
    uint64_t batch, m, n, k; /* MATRIX */
    uint64_t results;        /* MATRIX: elements that it writes; else elements ... */
    uint64_t steps;          /* ... and steps for each; MATRIX: fused */
    uint64_t read, written;  /* elements in and out, not of products; 0: not known */
    uint32_t engines;        /* that share the tile */
    bool is_partial;         /* MATRIX: sums are not complete; nothing is fused yet */
} tacho_piece;

tacho_status tacho_piece_cycles(const tacho_tile_place *place, tacho_work_kind kind,
                                const tacho_piece *piece, int64_t *out_cycles) TACHO_MUST_USE;

/* Steps of |steps| that pass |pass| of |passes| does. */
uint64_t tacho_pass_steps(uint64_t steps, uint32_t passes, uint32_t pass);

/* The |i|-th of |count| parts of |total|, as equal as they can be. */
static inline uint64_t tacho_part(uint64_t total, uint64_t count, uint64_t i)
{
    uint64_t each = total / count;
    uint64_t rest = total % count;
    return each + (i < rest ? 1 : 0);
}

/* The same as a range. */
static inline tacho_range tacho_part_range(tacho_range of, uint64_t count, uint64_t i)
{
    uint64_t total = of.end - of.first;
    uint64_t rest = total % count;
    uint64_t first = of.first + total / count * i + (i < rest ? i : rest);
    return (tacho_range){first, first + tacho_part(total, count, i)};
}

#endif
