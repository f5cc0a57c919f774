/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the markers of a device log to ops: for each execution of a program on a chip, the times of
 * its first and last markers, by kind and processor, and its cores.
 *
 * A replayed program writes its id again and again. Where the log does not number the replays, the
 * n-th firmware zone of a processor for an id belongs to the n-th execution. Rows may be in any
 * order of cores and processors. Where rows of one processor go back in time, or a processor lacks
 * a zone, that rule fails: such executions are doubtful, and the rows have to be read again with
 * |cuts|. Memory grows with ops and the cores they ran on, with an entry of 64 bytes each, but not
 * with rows.
 */
#ifndef TACHO_SOURCES_TENSTORRENT_LOG_OPS_H
#define TACHO_SOURCES_TENSTORRENT_LOG_OPS_H

#include "sources/tenstorrent/log_cuts.h"
#include "sources/tenstorrent/log_lanes.h"

/* The first and last time of |count| markers. */
typedef struct tt_range {
    int64_t first, last;
    uint64_t count;
} tt_range;

/* One execution. */
typedef struct tt_device_op {
    tt_op_key key;
    uint32_t id;      /* as returned by tt_log_ops_add; ops are sorted at the end */
    uint32_t ordinal; /* among executions that the log does not number: 0 for the first */
    uint32_t next;    /* the next execution of the same key, or TACHO_NONE */
    tt_range firmware, kernel, mover, kernel_starts;
    tt_range riscs[TT_RISC_COUNT]; /* kernels of each */
    uint64_t wait_front, reserve_back;
    bool has_wait_front, has_reserve_back;
    int64_t sub_device;  /* -1: none */
    uint32_t core_count; /* with firmware markers */
    /* Firmware and kernel zones without an end or a start. */
    uint32_t missing_end_count, missing_start_count;
    bool is_shuffled;       /* in a log without numbers, time goes back on a processor */
    bool is_doubtful;       /* its rows may belong to another execution */
    uint32_t started_count; /* processors whose firmware has started */
    uint32_t lost_count;    /* firmware and kernel zones that other executions have */
    /* Processors with firmware in it, and in any execution of its program. */
    uint32_t firmware_count, program_firmware_count;
    uint32_t repeated_count; /* firmware markers that are twice in the log; counted by |cuts| */
    /* Times from the first to the last kernel marker of a core, over cores that have two. */
    uint32_t timed_core_count;
    int64_t core_min, core_max;
    uint64_t core_sum;
    int64_t core_first, core_first_begin; /* the core with the earliest marker, and its time */
} tt_device_op;

/*
 * Zones of one kind, a bit for each processor: those with more starts than ends, and the reverse.
 */
typedef struct tt_open_zones {
    uint32_t begun, ended;
} tt_open_zones;

/* Work of one core for one op. */
typedef struct tt_op_cell {
    uint32_t op;
    uint32_t next; /* the same core's next execution, or TACHO_NONE */
    uint32_t core;
    uint32_t flags;
    /*
     * A bit for each processor, 31 for all others: processors whose firmware has started, and
     * processors with a kernel zone.
     */
    uint32_t started, kernels;
    int64_t begin;       /* time of its earliest marker */
    int64_t first, last; /* of its kernels' markers */
    tt_open_zones firmware, kernel;
} tt_op_cell;

/* State of a processor. */
typedef struct tt_op_lane {
    tt_op_key key; /* of its last row */
    uint32_t cut;  /* index of that key in |cuts|, or TACHO_NONE */
    uint32_t cell; /* of that key; TACHO_NONE: none yet */
    int64_t last;  /* time of its last start or end of that key */
} tt_op_lane;

typedef struct tt_log_ops {
    tt_lanes *lanes;
    tt_device_op *ops;
    size_t op_count, op_capacity;
    tt_op_cell *cells;
    size_t cell_count, cell_capacity;
    tt_op_lane *at; /* by lane */
    size_t at_count, at_capacity;
    tacho_index op_index;    /* first executions, and all of |cuts|, by key */
    tacho_index cell_index;  /* their cells, by key and core */
    const tt_log_cuts *cuts; /* finished, or NULL; not owned */
} tt_log_ops;

/* |lanes| outlives |ops|. Call deinit even if init failed. */
tacho_status tt_log_ops_init(tt_log_ops *ops, tt_lanes *lanes) TACHO_MUST_USE;
void tt_log_ops_deinit(tt_log_ops *ops);

/* The place of a row: its lane and its zone. */
typedef struct tt_log_place {
    uint32_t lane, zone;
} tt_log_place;

/*
 * Adds a row whose time fits 62 bits. |*out_op| is the id of its execution, an index of |ops| until
 * tt_log_ops_finish; TACHO_NONE for none.
 */
tacho_status tt_log_ops_add(tt_log_ops *ops, const tt_log_row *row, tt_log_place place,
                            uint32_t *out_op) TACHO_MUST_USE;

/*
 * Call after the last row: computes the times of cores, finds doubtful executions, counts lost
 * zones, and sorts ops by chip and time.
 */
tacho_status tt_log_ops_finish(tt_log_ops *ops) TACHO_MUST_USE;

/*
 * Adds to each execution the number of zones it lacks and other executions of the same program have
 * on the same processor: kernels where its firmware is there, and firmware where replays are
 * numbered; |cuts| count the other firmware. Ops are not sorted yet. A part of tt_log_ops_finish.
 */
tacho_status tt_log_ops_count_lost(tt_log_ops *ops) TACHO_MUST_USE;

/* The number of bits set. */
static inline uint32_t tt_count_bits(uint32_t bits)
{
    uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

/* The first doubtful execution, or NULL; ops must be finished. */
const tt_device_op *tt_log_ops_find_doubtful(const tt_log_ops *ops);

/* Whether a range spans a time: it has two markers. */
static inline bool tt_range_has(const tt_range *range)
{
    return range->count > 1;
}

#endif
