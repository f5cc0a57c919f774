/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations, added up in two passes over the spans: SQLite takes four times as long for the same
 * sums, since it reads every column of every span. The view ops adds shares to it.
 */
#include "sql/spans.h"

#include "base/grow.h"
#include "base/maths.h"
#include "sql/functions.h"
#include "sql/grouping.h"

#include <stdlib.h>
#include <string.h>

struct tacho_sql_op {
    tacho_i128 total_ns, self_ns, bytes;
    int64_t p50_ns, p99_ns, min_ns, max_ns;
    uint64_t count;
    uint32_t row; /* one of its spans */
    uint32_t location;
    bool has_bytes;
    bool has_locations; /* several: none is shown */
};

enum { /* columns */
       OP_ID,
       FILE_NAME,
       OPERATION,
       CLASS,
       ORIGIN,
       COUNT,
       TOTAL_NS,
       SELF_NS,
       MEAN_NS,
       P50_NS,
       P99_NS,
       MIN_NS,
       MAX_NS,
       BYTES,
       LOCATION,
       COLUMN_COUNT,
};

static const tacho_sql_column columns[] = {
    [OP_ID] = {"op_id", "INTEGER", 0, false},       [FILE_NAME] = {"file", "TEXT", 0, false},
    [OPERATION] = {"operation", "TEXT", 0, false},  [CLASS] = {"class", "TEXT", 0, false},
    [ORIGIN] = {"origin", "TEXT", 0, false},        [COUNT] = {"count", "INTEGER", 0, false},
    [TOTAL_NS] = {"total_ns", "INTEGER", 0, false}, [SELF_NS] = {"self_ns", "INTEGER", 0, false},
    [MEAN_NS] = {"mean_ns", "INTEGER", 0, false},   [P50_NS] = {"p50_ns", "INTEGER", 0, false},
    [P99_NS] = {"p99_ns", "INTEGER", 0, false},     [MIN_NS] = {"min_ns", "INTEGER", 0, false},
    [MAX_NS] = {"max_ns", "INTEGER", 0, false},     [BYTES] = {"bytes", "INTEGER", 0, false},
    [LOCATION] = {"location", "TEXT", 0, false},
};

/* ---- adding up ------------------------------------------------------------------------------- */

static void add_location(const tacho_sql_data *data, tacho_sql_op *op, uint32_t location)
{
    if (op->count == 0) {
        op->location = location;
    } else if (location != op->location) {
        tacho_str a = tacho_sql_text(data, op->location), b = tacho_sql_text(data, location);
        op->has_locations |= a.data == NULL || b.data == NULL || !tacho_str_equal(a, b);
    }
}

static void add_span(const tacho_sql_data *data, size_t row, const tacho_span *span,
                     tacho_sql_op *op)
{
    int64_t duration_ns =
        tacho_sql_ns(data, span->track, span->end) - tacho_sql_ns(data, span->track, span->start);
    int64_t bytes = 0;
    op->has_bytes |= tacho_sql_span_bytes(data, span, &bytes);
    add_location(data, op, tacho_sql_span_location(data->profile->events.dict, span));
    op->row = (uint32_t)row;
    op->min_ns = op->count == 0 || duration_ns < op->min_ns ? duration_ns : op->min_ns;
    op->max_ns = op->count == 0 || duration_ns > op->max_ns ? duration_ns : op->max_ns;
    op->total_ns += duration_ns;
    op->self_ns += duration_ns - data->inner_ns[row];
    op->bytes += bytes;
    op->count++;
}

/* |groups| becomes TACHO_NONE where a span is not work. */
static void add_spans(tacho_sql_data *data, uint32_t *groups)
{
    for (size_t i = 0; i < data->profile->span_count; i++) {
        tacho_span span = tacho_profile_span(data->profile, i);
        if (tacho_sql_span_is_work(data, &span)) {
            add_span(data, i, &span, &data->ops[groups[i]]);
        } else {
            groups[i] = TACHO_NONE;
        }
    }
}

/* ---- percentiles ----------------------------------------------------------------------------- */

/* Durations by group; |ends| is where each group begins, and then where it ends. */
static void sort_durations(const tacho_sql_data *data, const uint32_t *groups, size_t *ends,
                           int64_t *durations)
{
    for (size_t i = 0; i < data->profile->span_count; i++) {
        if (groups[i] != TACHO_NONE) {
            tacho_span span = tacho_profile_span(data->profile, i);
            durations[ends[groups[i]]++] = tacho_sql_ns(data, span.track, span.end) -
                                           tacho_sql_ns(data, span.track, span.start);
        }
    }
}

static tacho_status find_percentiles(tacho_sql_data *data, const uint32_t *groups, size_t *ends)
{
    int64_t *durations = NULL;
    size_t count = 0;
    for (size_t i = 0; i < data->op_count; i++) {
        ends[i] = count;
        count += data->ops[i].count;
    }
    TACHO_TRY(tacho_items_make(&durations, count));
    sort_durations(data, groups, ends, durations);
    for (size_t i = 0; i < data->op_count; i++) {
        tacho_sql_op *op = &data->ops[i];
        if (op->count > 0) {
            op->p50_ns = tacho_sql_percentile(durations + ends[i] - op->count, op->count, 50);
            op->p99_ns = tacho_sql_percentile(durations + ends[i] - op->count, op->count, 99);
        }
    }
    free(durations);
    return TACHO_OK;
}

static void drop_empty(tacho_sql_data *data)
{
    size_t kept = 0;
    for (size_t i = 0; i < data->op_count; i++) {
        if (data->ops[i].count > 0) {
            data->ops[kept++] = data->ops[i];
        }
    }
    data->op_count = kept;
}

static tacho_status sum_groups(tacho_sql_data *data, uint32_t *groups)
{
    size_t *ends = NULL;
    TACHO_TRY(tacho_items_make(&data->ops, data->op_count));
    TACHO_TRY(tacho_items_make(&ends, data->op_count));
    add_spans(data, groups);
    tacho_status status = find_percentiles(data, groups, ends);
    free(ends);
    drop_empty(data);
    return status;
}

tacho_status tacho_sql_ops_make(tacho_sql_data *data)
{
    static const char by[] = {'A' + TACHO_SQL_SPAN_FILE, 'A' + TACHO_SQL_SPAN_OPERATION,
                              'A' + TACHO_SQL_SPAN_CLASS, 'A' + TACHO_SQL_SPAN_ORIGIN, '\0'};
    uint32_t *groups = NULL;
    TACHO_TRY(tacho_sql_group_numbers(&tacho_sql_table_spans, data, by, &groups, &data->op_count));
    tacho_status status = sum_groups(data, groups);
    free(groups);
    return status;
}

/* ---- columns --------------------------------------------------------------------------------- */

static size_t count_ops(const tacho_sql_data *data)
{
    return data->op_count;
}

/* Values that all spans of an operation have in common. */
static void put_of_span(const tacho_sql_place *place, int column, sqlite3_context *context)
{
    tacho_sql_place span = {.data = place->data, .row = place->data->ops[place->row].row};
    tacho_sql_table_spans.put(&span, column, context);
}

/* The largest number where it is larger. */
static void put_sum(tacho_i128 sum, sqlite3_context *context)
{
    sqlite3_result_int64(context, sum > INT64_MAX   ? INT64_MAX
                                  : sum < INT64_MIN ? INT64_MIN
                                                    : (int64_t)sum);
}

/* The nearest whole number, halves upwards. */
static void put_mean(const tacho_sql_op *op, sqlite3_context *context)
{
    tacho_i128 count = (tacho_i128)op->count;
    sqlite3_result_int64(context, (int64_t)((2 * op->total_ns + count) / (2 * count)));
}

static void put_number(const tacho_sql_op *op, int column, sqlite3_context *context)
{
    sqlite3_result_int64(context, column == COUNT    ? (int64_t)op->count
                                  : column == P50_NS ? op->p50_ns
                                  : column == P99_NS ? op->p99_ns
                                  : column == MIN_NS ? op->min_ns
                                                     : op->max_ns);
}

static void put_op(tacho_sql_place *place, int column, sqlite3_context *context)
{
    const tacho_sql_op *op = &place->data->ops[place->row];
    switch (column) {
    case OP_ID:
        sqlite3_result_int64(context, (sqlite3_int64)place->row);
        break;
    case FILE_NAME:
        put_of_span(place, TACHO_SQL_SPAN_FILE, context);
        break;
    case OPERATION:
        put_of_span(place, TACHO_SQL_SPAN_OPERATION, context);
        break;
    case CLASS:
        put_of_span(place, TACHO_SQL_SPAN_CLASS, context);
        break;
    case ORIGIN:
        put_of_span(place, TACHO_SQL_SPAN_ORIGIN, context);
        break;
    case TOTAL_NS:
        put_sum(op->total_ns, context);
        break;
    case SELF_NS:
        put_sum(op->self_ns, context);
        break;
    case MEAN_NS:
        put_mean(op, context);
        break;
    case BYTES:
        if (op->has_bytes) {
            put_sum(op->bytes, context);
        }
        break;
    case LOCATION:
        tacho_sql_put_string(place->data, op->has_locations ? TACHO_NONE : op->location, context);
        break;
    default:
        put_number(op, column, context);
    }
}

const tacho_sql_table tacho_sql_table_op_sums = {
    .name = "op_sums",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .needs = TACHO_SQL_NEEDS_NESTING | TACHO_SQL_NEEDS_OPERATORS | TACHO_SQL_NEEDS_OPS,
    .is_internal = true,
    .count = count_ops,
    .put = put_op,
};
