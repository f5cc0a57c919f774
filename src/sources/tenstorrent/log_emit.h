/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a device log as events: a part for each chip (log_chips.h), in it a track of ops and
 * a track for each processor of each core. Zones are spans, sums and values are instants with their
 * data.
 *
 * Starts and ends are paired per processor as they are read, and chips follow one another. Where
 * rows go back in time or to an earlier chip, or where executions cannot be separated row by row,
 * the file is read again, and rows are held in a spool until its end (tacho_reading.holds_events);
 * each firmware zone then keeps an entry of 16 bytes in memory.
 */
#ifndef TACHO_SOURCES_TENSTORRENT_LOG_EMIT_H
#define TACHO_SOURCES_TENSTORRENT_LOG_EMIT_H

#include "profile/spool.h"
#include "sources/open_spans.h"
#include "sources/source.h"
#include "sources/tenstorrent/log_chips.h"
#include "sources/tenstorrent/log_ops.h"
#include "sources/tenstorrent/log_read.h"
#include "sources/tenstorrent/log_sync.h"

/* Names of ops; NULL functions: named by their number. */
typedef struct tt_op_names {
    tacho_str (*find)(const void *self, uint64_t host); /* empty: not known */
    const void *self;
} tt_op_names;

/* Receives the events of a log. */
typedef struct tt_log_target {
    const tacho_reading *reading;
    const tt_log_header *header; /* facts of the first lines */
    bool has_markers;            /* the input has rows of processors; else only ops are known */
    uint32_t covered_classes;    /* of the part of each chip, see tacho_part_facts */
    bool is_file;                /* the part of the first chip is named after the file */
    tt_op_names names;
    /* Maps cycles of chips to ticks of |clock|, in |part|; NULL: each chip is a part in cycles. */
    const tt_sync *sync;
    uint32_t part, clock;
    /* Called for each op, with its id, before the row of its execution is pushed; or NULL. */
    tacho_status (*arrow)(void *self, uint64_t host, const tacho_row *span);
    /* Called for each execution; or NULL. */
    void (*note)(void *self, const tt_device_op *op);
    void *self; /* of both */
} tt_log_target;

/* A processor's track. */
typedef struct tt_emit_lane {
    uint32_t track;
    uint32_t chip; /* of |chips| */
    bool has_map;  /* else its chip's clock is not related to the part's */
    tt_time_map map;
    int64_t last; /* time of its last start or end */
    uint64_t open_count;
    tt_op_key key; /* of its last row that was held */
    uint32_t cut;  /* index of that key in |cuts|; or TACHO_NONE */
} tt_emit_lane;

/* The last site of a zone. */
typedef struct tt_emit_zone {
    uint32_t site;
    uint32_t name; /* string */
    uint32_t line;
    uint32_t file; /* string */
} tt_emit_zone;

typedef struct tt_log_emit {
    tacho_events events; /* receives the held rows in time order */
    tt_log_target target;
    tacho_dict *dict;
    tt_lanes lanes;
    tt_chips chips;
    uint32_t current; /* chip whose part is being pushed, or TACHO_NONE */
    tt_log_ops ops;   /* of that chip, or of all chips of one part */
    tacho_open_spans open;
    tacho_spool *spool; /* NULL while rows are paired as they are read */
    uint64_t held_count;
    tt_log_cuts cuts;         /* keys of all held rows; executions of keys without numbers */
    tt_emit_lane *emit_lanes; /* by lane */
    size_t lane_count, lane_capacity;
    tt_emit_zone *zones; /* by zone */
    size_t zone_count, zone_capacity;
    uint32_t *runs; /* by op, until ops are finished */
    size_t run_count, run_capacity;
    uint32_t data_key, meta_key, cycles_key;
    uint64_t row_count;
} tt_log_emit;

/* Call deinit even if init failed. */
tacho_status tt_log_emit_init(tt_log_emit *emit, const tt_log_target *target) TACHO_MUST_USE;
void tt_log_emit_deinit(tt_log_emit *emit);

/* Reads all rows and lost lines of |log|. */
tacho_status tt_log_emit_read(tt_log_emit *emit, tt_log *log) TACHO_MUST_USE;

/* Adds an execution without rows. */
tacho_status tt_log_emit_add_op(tt_log_emit *emit, const tt_device_op *op) TACHO_MUST_USE;

/* Call after the last line. Finishes and pushes ops, and ends the parts of chips. */
tacho_status tt_log_emit_finish(tt_log_emit *emit) TACHO_MUST_USE;

#endif
