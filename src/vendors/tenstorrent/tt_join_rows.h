/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a joined op table: which op, which replay, and where the device tells of it.
 */
#ifndef TACHO_VENDORS_TENSTORRENT_TT_JOIN_ROWS_H
#define TACHO_VENDORS_TENSTORRENT_TT_JOIN_ROWS_H

#include "vendors/tenstorrent/tt_join_columns.h"
#include "sources/tenstorrent/log_counters.h"
#include "sources/tenstorrent/log_dispatch.h"
#include "sources/tenstorrent/log_host.h"
#include "sources/tenstorrent/log_ops.h"
#include "sources/tenstorrent/log_row.h"
#include "sources/tenstorrent/log_set.h"
#include "sources/tenstorrent/tt_table.h"

/* An execution as the device has it: a row of its report, or an op of its log. */
typedef struct tt_record {
    int64_t device;
    uint64_t id;
    int64_t trace, session; /* -1: none */
    size_t order;           /* of the file; index of the row or op */
    bool is_matched;
} tt_record;

typedef enum tt_row_kind {
    TT_ROW_OP,
    TT_ROW_REPLAY,
    TT_ROW_SIGNPOST,
    TT_ROW_DEVICE, /* an execution without anything of the host */
} tt_row_kind;

typedef struct tt_join_row {
    tt_row_kind kind;
    uint64_t time_ns; /* rows are sorted by it */
    size_t sequence;  /* and by this */
    size_t item;      /* host op or signpost */
    size_t record;    /* SIZE_MAX: none */
    int64_t trace, session;
} tt_join_row;

/* Where the report has the columns of the table, and some that the table has not. */
typedef struct tt_report_columns {
    size_t of[TT_JOIN_COLUMN_COUNT]; /* TT_NO_COLUMN: none */
    size_t kernel_start, kernel_end, mover_start, mover_end;
    size_t *shares; /* those of counters and networks, "... (%)", that the table does not have */
    size_t share_count;
} tt_report_columns;

/* All that was read of one run. */
typedef struct tt_join {
    tacho_arena arena;
    tt_log_set set; /* the files that were read */
    tt_losses losses;
    tt_host host;
    bool has_messages, has_times, has_report, has_log;
    tt_table report;
    tt_report_columns report_columns;
    tt_lanes lanes;
    tt_log_ops log_ops;
    tt_log_cuts cuts; /* of programs whose executions the log mixes up */
    tt_dispatch dispatch;
    tt_log_counters counters;
    tt_log_header log_header;
    tacho_index log_index; /* of |log_ops|, by key */
    tt_record *records;    /* by device, id and order */
    size_t record_count, record_capacity;
    tt_join_row *rows;
    size_t row_count, row_capacity;
} tt_join;

/* Call deinit even if init failed. */
tacho_status tt_join_init(tt_join *join) TACHO_MUST_USE;
void tt_join_deinit(tt_join *join);

/* Reads all files of the set that |paths| name. */
tacho_status tt_join_read(tt_join *join, const char *const *paths,
                          size_t path_count) TACHO_MUST_USE;

/* Puts the rows together, sorted. */
tacho_status tt_join_make_rows(tt_join *join) TACHO_MUST_USE;

/* The op of the log that |record| tells of: in a set without a report. */
static inline const tt_device_op *tt_join_log_op(const tt_join *join, size_t record)
{
    return &join->log_ops.ops[join->records[record].order];
}

/* The op of the log that |record|, of a report or a log, tells of; NULL: the log has none. */
const tt_device_op *tt_join_find_log_op(const tt_join *join, size_t record);

#endif
