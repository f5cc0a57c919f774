/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work of the dispatch cores for each op, from the zones of their device log: logs have them with
 * TT_METAL_DEVICE_PROFILER_DISPATCH=1.
 *
 * The meta data of a marker in a zone names the command and its op; the zones that follow belong to
 * that op until the go signal to the workers. BRISC gives commands, NCRISC sends the signal: the
 * n-th op of one is the n-th of the other. Of a repeated op the first counts. Memory grows with the
 * number of ops.
 */
#ifndef TACHO_SOURCES_TENSTORRENT_LOG_DISPATCH_H
#define TACHO_SOURCES_TENSTORRENT_LOG_DISPATCH_H

#include "sources/tenstorrent/log_ops.h"

/* The commands of one processor for one op. */
typedef struct tt_dispatch_op {
    uint32_t lane;
    uint64_t op;       /* run host id; of NCRISC its own number; 0: none */
    int64_t first;     /* start of its first zone: ops are in this order */
    tt_range commands; /* of BRISC all commands, of NCRISC the go signal */
} tt_dispatch_op;

/* State of a processor. */
typedef struct tt_dispatch_lane {
    uint64_t op;
    bool is_open;     /* in a zone ... */
    int64_t start;    /* ... since then */
    bool is_command;  /* the last command counts */
    bool is_finished; /* it was the op's last */
} tt_dispatch_lane;

/* The dispatch columns of an op in an op table, in cycles; -1: empty. */
typedef struct tt_dispatch_times {
    uint32_t chip;
    uint64_t op;
    int64_t total, go;
} tt_dispatch_times;

typedef struct tt_dispatch {
    const tt_lanes *lanes;
    tt_dispatch_lane *at; /* by lane */
    size_t at_count, at_capacity;
    tt_dispatch_op *ops;
    size_t op_count, op_capacity;
    tacho_index op_index;     /* by lane and op */
    tt_dispatch_times *times; /* by chip and op, after the last row */
    size_t time_count, time_capacity;
} tt_dispatch;

/* |lanes| outlives |dispatch|. Call deinit even if init failed. */
tacho_status tt_dispatch_init(tt_dispatch *dispatch, const tt_lanes *lanes) TACHO_MUST_USE;
void tt_dispatch_deinit(tt_dispatch *dispatch);

/* Adds a row of the log; rows of other cores are skipped. */
tacho_status tt_dispatch_add(tt_dispatch *dispatch, const tt_log_row *row,
                             tt_log_place place) TACHO_MUST_USE;

/* Call after the last row. */
tacho_status tt_dispatch_finish(tt_dispatch *dispatch) TACHO_MUST_USE;

/* The dispatch times of |op|; NULL if it has none. */
const tt_dispatch_times *tt_dispatch_find(const tt_dispatch *dispatch, uint32_t chip, uint64_t op);

#endif
