/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files that cut an operator into jobs: schedule_cores.c gives each core its share
 * and its buffers, schedule_tiles.c makes the jobs of computed shares, schedule_moves.c those of
 * shares that only move.
 */
#ifndef TACHO_COMPILE_SCHEDULE_TILES_H
#define TACHO_COMPILE_SCHEDULE_TILES_H

#include "compile/schedule.h"
#include "compile/tile.h"

enum { TACHO_ENGINES_MAX = 64, TACHO_SLOTS_MAX = 2 };

/* In the place of a job: a piece had no elements, and nothing was loaded before it. */
#define TACHO_CELL_EMPTY (TACHO_NONE - 1)

/* One access of a core: its buffers and who used them last. */
typedef struct tacho_operand_work {
    const tacho_access *access;
    const tacho_slots *slots;
    tacho_job_kind kind;               /* of its transfers */
    uint32_t queue;                    /* engine */
    const tacho_dma *dma;              /* its queue, and ... */
    tacho_ratio rate;                  /* ... the rate of that */
    uint32_t team;                     /* of cores that get the same bytes, which it is in */
    uint32_t resident;                 /* the buffer it stays in, or TACHO_NONE */
    bool is_own;                       /* |resident| holds all that the core touches */
    uint32_t buffers[TACHO_SLOTS_MAX]; /* of its loads and stores, or TACHO_NONE */
    uint64_t keys[TACHO_SLOTS_MAX];    /* piece in each */
    uint32_t filled[TACHO_SLOTS_MAX];  /* jobs that filled (or drained) them last, or TACHO_NONE */
    uint32_t users[TACHO_SLOTS_MAX][TACHO_ENGINES_MAX]; /* by engine: the last that used them */
    uint32_t slot;                                      /* of a result: where it is made */
    uint32_t last_load;
    uint64_t ahead;    /* the next tile that needs another piece ... */
    uint64_t reached;  /* ... and the last tile that one was loaded for */
    size_t first_cell; /* of all pieces: the job that loaded each, in |cells| of the schedule */
} tacho_operand_work;

typedef struct tacho_tile_at {
    uint64_t number;
    uint32_t pass;
    bool is_there; /* it has elements */
    uint64_t index[TACHO_AXES_MAX];
    tacho_range ranges[TACHO_AXES_MAX];
} tacho_tile_at;

/* Tiles that are looked at are close together: the last few are kept. */
enum { TACHO_TILES_KEPT = 4 };

typedef struct tacho_core_work {
    tacho_schedule *schedule;
    const tacho_space *space;
    const tacho_tiling *tiling;
    uint32_t part; /* of the operator */
    uint32_t core;
    tacho_range ranges[TACHO_AXES_MAX]; /* its share */
    tacho_tile_place place;
    uint32_t engine;       /* of the machine, or TACHO_NONE */
    uint32_t engine_count; /* on the core */
    uint32_t split;        /* the axis along which engines share a tile, or TACHO_NONE: one does */
    bool is_control;       /* a processor does it, as any operator */
    bool is_grouped;       /* there are batches around rows and columns */
    uint32_t scratch;      /* buffer, or TACHO_NONE */
    tacho_piece piece;     /* whose cycles were computed last ... */
    int64_t piece_cycles;  /* ... and those; -1: none */
    tacho_operand_work *operands;          /* by access */
    uint32_t last[TACHO_ENGINES_MAX];      /* by engine: its last job */
    tacho_tile_at tiles[TACHO_TILES_KEPT]; /* by number; an unused one has another's */
} tacho_core_work;

/* A region of the job that is added next. */
typedef struct tacho_region_spec {
    uint32_t tensor, buffer;
    uint16_t access; /* tacho_access_kind */
    uint32_t rank;
    tacho_extent box[TACHO_BOX_RANK_MAX];
    uint64_t bytes;
} tacho_region_spec;

tacho_status tacho_schedule_region(tacho_schedule *schedule,
                                   const tacho_region_spec *spec) TACHO_MUST_USE;

/* Whether the tensor of |access| stays in local memory between operators. */
bool tacho_schedule_is_local(const tacho_schedule *schedule, const tacho_access *access);

/*
 * The engine of a move that no queue can do, or TACHO_NONE: sets its type in |place|, too.
 */
uint32_t tacho_core_work_mover(tacho_core_work *self);

/* How engines share a tile. */
tacho_status tacho_core_work_split(tacho_core_work *self) TACHO_MUST_USE;

/* The jobs of a share that is computed, and of one that only moves. */
tacho_status tacho_core_work_tiles(tacho_core_work *self) TACHO_MUST_USE;
tacho_status tacho_core_work_moves(tacho_core_work *self) TACHO_MUST_USE;

/* ---- of schedule_tiles.c -------------------------------------------------------------------- */

tacho_tile_at tacho_core_work_at(const tacho_core_work *self, uint64_t number);

/* Call before using tiles of another share. */
void tacho_core_work_forget_tiles(tacho_core_work *self);
/* Loads the missing operands of tile |at|, while |now| is worked on. */
tacho_status tacho_core_work_load(tacho_core_work *self, const tacho_tile_at *at,
                                  const tacho_tile_at *now) TACHO_MUST_USE;

/* Loads operands of tiles after |now|, at most |most| pieces, while |now| is worked on. */
tacho_status tacho_core_work_ahead(tacho_core_work *self, const tacho_tile_at *now,
                                   uint32_t most) TACHO_MUST_USE;
uint32_t tacho_operand_slot(const tacho_core_work *self, const tacho_operand_work *of,
                            const tacho_tile_at *at);
tacho_region_spec tacho_region_of(const tacho_access *access, const tacho_range *ranges);
tacho_status tacho_transfer_cycles(const tacho_core_work *self, const tacho_operand_work *of,
                                   uint64_t bytes, int64_t *out_cycles) TACHO_MUST_USE;

/* Adds a need for the load of a tile's operand. */
tacho_status tacho_operand_need(tacho_core_work *self, const tacho_operand_work *of,
                                const tacho_tile_at *at) TACHO_MUST_USE;

#endif
