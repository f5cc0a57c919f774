/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of the table of spans, for tables that add spans up.
 */
#ifndef TACHO_SQL_SPANS_H
#define TACHO_SQL_SPANS_H

#include "sql/data.h"

#define TACHO_SQL_SPAN_COLUMNS(X)                                                                  \
    X(SPAN_ID, "span_id", "INTEGER", 0, false)                                                     \
    X(PARENT_ID, "parent_id", "INTEGER", TACHO_SQL_NEEDS_NESTING, false)                           \
    X(TRACK_ID, "track_id", "INTEGER", 0, true)                                                    \
    X(FILE, "file", "TEXT", 0, true)                                                               \
    X(PROCESS, "process", "TEXT", 0, true)                                                         \
    X(TRACK, "track", "TEXT", 0, true)                                                             \
    X(CLASS, "class", "TEXT", 0, true)                                                             \
    X(KIND, "kind", "TEXT", 0, true)                                                               \
    X(NAME, "name", "TEXT", 0, true)                                                               \
    X(CATEGORY, "category", "TEXT", 0, true)                                                       \
    X(OPERATION, "operation", "TEXT", TACHO_SQL_NEEDS_OPERATORS, true)                             \
    X(LOCATION, "location", "TEXT", 0, true)                                                       \
    X(RUN, "run", "TEXT", 0, true)                                                                 \
    X(INVOCATION, "invocation", "INTEGER", 0, false)                                               \
    X(ORIGIN, "origin", "TEXT", 0, true)                                                           \
    X(START_NS, "start_ns", "INTEGER", 0, false)                                                   \
    X(END_NS, "end_ns", "INTEGER", 0, false)                                                       \
    X(DURATION_NS, "duration_ns", "INTEGER", 0, false)                                             \
    X(SELF_NS, "self_ns", "INTEGER", TACHO_SQL_NEEDS_NESTING, false)                               \
    X(CYCLES, "cycles", "INTEGER", 0, false)                                                       \
    X(BYTES, "bytes", "INTEGER", 0, false)                                                         \
    X(IS_WORK, "is_work", "INTEGER", 0, false)

enum {
#define TACHO_SQL_SPAN_COLUMN(id, name, type, needs, has_key) TACHO_SQL_SPAN_##id,
    TACHO_SQL_SPAN_COLUMNS(TACHO_SQL_SPAN_COLUMN)
#undef TACHO_SQL_SPAN_COLUMN
        TACHO_SQL_SPAN_COLUMN_COUNT,
};

/* Whether 'tacho ops' counts it. */
bool tacho_sql_span_is_work(const tacho_sql_data *data, const tacho_span *span);

/* The string of its location, TACHO_NONE for none. */
uint32_t tacho_sql_span_location(const tacho_dict *dict, const tacho_span *span);

/* The sum of arguments called "bytes", which saturates; false where it has none. */
bool tacho_sql_span_bytes(const tacho_sql_data *data, const tacho_span *span, int64_t *out_bytes);

#endif
