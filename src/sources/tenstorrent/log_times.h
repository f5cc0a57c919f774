/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The zones of tracy_ops_times.csv, as csvexport -u writes them, the vendor's or Tracy's own:
 *
 *   name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread,...
 *   TT_DNN_DEVICE_OP,/w/op.hpp,311,,"id:1024",5281544411,201198,1,
 *
 * Columns are found by name. The text of a zone may hold anything, commas too.
 */
#ifndef TACHO_SOURCES_TENSTORRENT_LOG_TIMES_H
#define TACHO_SOURCES_TENSTORRENT_LOG_TIMES_H

#include "base/input.h"

typedef enum tt_times_column {
    TT_TIMES_NAME,
    TT_TIMES_TEXT,
    TT_TIMES_START,
    TT_TIMES_DURATION,
    TT_TIMES_THREAD,
    TT_TIMES_PARENT,
    TT_TIMES_COLUMN_COUNT,
} tt_times_column;

enum { TT_TIMES_FIELDS_MAX = 32 };

typedef struct tt_times_header {
    size_t columns[TT_TIMES_COLUMN_COUNT]; /* SIZE_MAX: missing */
    size_t field_count;
} tt_times_header;

/* A zone; texts are views of the line. */
typedef struct tt_times_zone {
    tacho_str name;
    tacho_str text;
    tacho_str thread;
    tacho_str parent;
    uint64_t start_ns, duration_ns;
} tt_times_zone;

/* Whether |line| is such a header; then |header| receives its columns. */
bool tt_times_header_take(tt_times_header *header, tacho_str line);

/* False when the line does not fit the header. */
bool tt_times_zone_parse(const tt_times_header *header, tacho_str line, tt_times_zone *out_zone);

/* The number after the last colon of "id:1024"; false when it is missing. */
bool tt_times_op_id(tacho_str text, uint64_t *out_id);

#endif
