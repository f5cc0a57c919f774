/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators of a capture, collected from its rows.
 */
#ifndef TACHO_VENDORS_TENSTORRENT_TT_CAPTURE_ROWS_H
#define TACHO_VENDORS_TENSTORRENT_TT_CAPTURE_ROWS_H

#include "profile/events.h"

/* An operator on the host or on a device, or a signpost. */
typedef struct tt_report {
    uint32_t group; /* track: the process */
    uint32_t track;
    uint32_t site;
    bool is_device;
    bool is_signpost;
    bool has_call;
    uint64_t call;
    size_t order; /* in which they came */
    int64_t start_ns, end_ns;
    const tacho_arg *args; /* in the arena */
    size_t arg_count;
} tt_report;

/* A row of the table: a report of the host, one of a device, or both. */
typedef struct tt_capture_row {
    const tt_report *host, *device;
    int64_t start_ns;
    size_t order;
} tt_capture_row;

/* Takes rows, keeps those of operators. */
typedef struct tt_capture_rows {
    tacho_events events;
    tacho_arena arena;
    tt_report *reports;
    size_t report_count, report_capacity;
    tt_capture_row *rows; /* once they are joined */
    size_t row_count;
} tt_capture_rows;

void tt_capture_rows_init(tt_capture_rows *rows, tacho_dict *dict);
void tt_capture_rows_deinit(tt_capture_rows *rows);

/* Joins reports by process and call; rows are in the order in which they started on the host. */
tacho_status tt_capture_rows_join(tt_capture_rows *rows) TACHO_MUST_USE;

/* The argument called |name| of a report, or NULL; |report| may be NULL. */
const tacho_arg *tt_report_find(const tacho_dict *dict, const tt_report *report, tacho_str name);

#endif
