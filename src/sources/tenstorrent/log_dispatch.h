/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the cores that hand out work did for each op, from the zones of their device log: logs have
 * them with TT_METAL_DEVICE_PROFILER_DISPATCH=1.
 *
 * The meta data of a marker in a zone says which command it was, and which op it was for; what
 * follows belongs to that op until the workers are told to go. BRISC gives commands, NCRISC sends
 * the signal: the n-th op of one is the n-th of the other. Of an op that comes again, the first
 * counts. Memory goes by ops.
 */
#ifndef TACHO_SOURCES_TENSTORRENT_LOG_DISPATCH_H
#define TACHO_SOURCES_TENSTORRENT_LOG_DISPATCH_H

#include "sources/tenstorrent/log_ops.h"

/* The commands of one processor for one op. */
typedef struct tt_dispatch_op {
    uint32_t lane;
    uint64_t op;       /* run host id; of NCRISC a number of its own; 0: none */
    int64_t first;     /* start of its first zone: ops are in this order */
    tt_range commands; /* of BRISC all commands, of NCRISC the signal to go */
} tt_dispatch_op;

/* Where a processor stands. */
typedef struct tt_dispatch_lane {
    uint64_t op;
    bool is_open;     /* in a zone ... */
    int64_t start;    /* ... since then */
    bool is_command;  /* the last command counts */
    bool is_finished; /* it was the last of its op */
} tt_dispatch_lane;

/* What an op table says of it, in cycles; -1: nothing. */
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
    tt_dispatch_times *times; /* by chip and op, once all rows are there */
    size_t time_count, time_capacity;
} tt_dispatch;

/* |lanes| outlives |dispatch|. Call deinit even if init failed. */
tacho_status tt_dispatch_init(tt_dispatch *dispatch, const tt_lanes *lanes) TACHO_MUST_USE;
void tt_dispatch_deinit(tt_dispatch *dispatch);

/* Takes a row of the log; those of other cores are passed over. */
tacho_status tt_dispatch_add(tt_dispatch *dispatch, const tt_log_row *row,
                             tt_log_place place) TACHO_MUST_USE;

/* No more rows will come. */
tacho_status tt_dispatch_finish(tt_dispatch *dispatch) TACHO_MUST_USE;

/* What was done for |op|; NULL for nothing. */
const tt_dispatch_times *tt_dispatch_find(const tt_dispatch *dispatch, uint32_t chip, uint64_t op);

#endif
