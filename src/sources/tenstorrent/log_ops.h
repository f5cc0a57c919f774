/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the markers of a device log to ops: for each execution of a program on a chip, when its
 * first and last markers were, by kind and processor, and on which cores.
 *
 * A program that is replayed writes its id again and again. Where the log does not number the
 * replays, the n-th firmware zone of a processor for an id belongs to the n-th execution. Rows may
 * come in any order of cores and processors. Where those of one processor go back in time, or where
 * a processor lacks a zone, that is wrong: such executions are doubtful, and the rows have to be
 * taken again with |cuts|. Memory goes by ops and the cores they ran on: an entry of 64 bytes each,
 * and nothing by rows.
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
    uint32_t id;      /* what tt_log_ops_add calls it; ops are sorted in the end */
    uint32_t ordinal; /* of executions that the log does not number: 0 for the first */
    uint32_t next;    /* the next execution of the same key, or TACHO_NONE */
    tt_range firmware, kernel, mover, kernel_starts;
    tt_range riscs[TT_RISC_COUNT]; /* kernels of each */
    uint64_t wait_front, reserve_back;
    bool has_wait_front, has_reserve_back;
    int64_t sub_device;  /* -1: none */
    uint32_t core_count; /* with firmware markers */
    /* Firmware and kernel zones that lack their end or their start. */
    uint32_t missing_end_count, missing_start_count;
    bool is_shuffled; /* the time of its rows goes back on a processor, in a log without numbers */
    bool is_doubtful; /* which of several executions its rows belong to is not known */
    uint32_t started_count; /* processors whose firmware has started */
    uint32_t lost_count;    /* firmware and kernel zones that other executions have */
    /* Processors with firmware in it, and in any execution of its program. */
    uint32_t firmware_count, program_firmware_count;
    uint32_t repeated_count; /* firmware markers that the log has twice; where |cuts| tell */
    /* Of the time from the first to the last kernel marker of a core, over cores that have two. */
    uint32_t timed_core_count;
    int64_t core_min, core_max;
    uint64_t core_sum;
    int64_t core_first,
        core_first_begin; /* of the core with the earliest marker, and when it was */
} tt_device_op;

/* Zones of one kind, a bit for each processor: those with a start more than ends, and the reverse.
 */
typedef struct tt_open_zones {
    uint32_t begun, ended;
} tt_open_zones;

/* What one core did for one op. */
typedef struct tt_op_cell {
    uint32_t op;
    uint32_t next; /* the same core's next execution, or TACHO_NONE */
    uint32_t core;
    uint32_t flags;
    /* A bit for each processor, 31 for all others: those whose firmware has started, and those that
     * have a kernel zone. */
    uint32_t started, kernels;
    int64_t begin;       /* time of its earliest marker */
    int64_t first, last; /* of its kernels' markers */
    tt_open_zones firmware, kernel;
} tt_op_cell;

/* Where a processor stands. */
typedef struct tt_op_lane {
    tt_op_key key; /* of its last row */
    uint32_t cut;  /* that key in |cuts|, or TACHO_NONE */
    uint32_t cell; /* of that; TACHO_NONE: there was none */
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

/* Where a row stands: its lane and its zone. */
typedef struct tt_log_place {
    uint32_t lane, zone;
} tt_log_place;

/*
 * Takes a row whose time fits 62 bits. |*out_op| is the id of the execution that it belongs to, an
 * index of |ops| until tt_log_ops_finish; TACHO_NONE for none.
 */
tacho_status tt_log_ops_add(tt_log_ops *ops, const tt_log_row *row, tt_log_place place,
                            uint32_t *out_op) TACHO_MUST_USE;

/*
 * No more rows will come: works out the times of cores, finds doubtful executions, counts lost
 * zones, and sorts ops by chip and time.
 */
tacho_status tt_log_ops_finish(tt_log_ops *ops) TACHO_MUST_USE;

/*
 * Adds to each execution the zones that it lacks and other executions of the same program have on
 * the same processor: kernels where its firmware is there, and firmware where replays are numbered;
 * |cuts| tell the other firmware. Ops are not sorted yet. A part of tt_log_ops_finish.
 */
tacho_status tt_log_ops_count_lost(tt_log_ops *ops) TACHO_MUST_USE;

/* How many bits are set. */
static inline uint32_t tt_count_bits(uint32_t bits)
{
    uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

/* The first doubtful execution, or NULL; ops are finished. */
const tt_device_op *tt_log_ops_find_doubtful(const tt_log_ops *ops);

/* Whether a range spans a time: it has two markers. */
static inline bool tt_range_has(const tt_range *range)
{
    return range->count > 1;
}

#endif
