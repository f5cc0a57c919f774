/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables are few, so the first is found by looking at all of them.
 */
#include "sources/table_sweep.h"

#include "base/grow.h"

#include <stdlib.h>

void table_sweep_deinit(table_sweep *sweep)
{
    for (size_t i = 0; i < sweep->count; i++) {
        tacho_sqlite_end(&sweep->streams[i].scan);
    }
    free(sweep->streams);
    sweep->streams = NULL;
    sweep->count = 0;
}

static tacho_status find_times(const table_sweep *sweep, table_stream *stream, bool *out_has)
{
    if (sweep->times != NULL) {
        return sweep->times(sweep->self, stream, out_has);
    }
    *out_has = tacho_sqlite_int(&stream->scan, 0, &stream->start);
    stream->end = tacho_sqlite_int_or(&stream->scan, 1, stream->start);
    return TACHO_OK;
}

static tacho_status advance(const table_sweep *sweep, table_stream *stream)
{
    bool has_times = false;
    TACHO_TRY(tacho_sqlite_next(&stream->scan));
    while (stream->scan.has_row) {
        TACHO_TRY(find_times(sweep, stream, &has_times));
        if (has_times) {
            break;
        }
        TACHO_TRY(gpu_part_lose(sweep->part, TACHO_LOSS_NOT_A_NUMBER, 1, TACHO_STR("")));
        TACHO_TRY(tacho_sqlite_next(&stream->scan));
    }
    return TACHO_OK;
}

tacho_status table_sweep_add(table_sweep *sweep, const table_choice *choice)
{
    table_stream stream = {.kind = choice->kind, .context = choice->context};
    size_t column_count = 0;
    while (column_count < TACHO_SQLITE_COLUMNS_MAX && choice->columns[column_count] != NULL) {
        column_count++;
    }
    TACHO_TRY(tacho_grow(&sweep->streams, &sweep->capacity, sweep->count + 1));
    TACHO_TRY(tacho_sqlite_begin(sweep->file, choice->table, choice->columns, column_count,
                                 &stream.scan));
    tacho_status status = advance(sweep, &stream);
    if (status != TACHO_OK || !stream.scan.has_row) {
        tacho_sqlite_end(&stream.scan);
        return status;
    }
    sweep->streams[sweep->count++] = stream;
    return TACHO_OK;
}

/* The stream whose row starts first; of equal ones the longer, which is around the other. */
static table_stream *first_stream(const table_sweep *sweep)
{
    table_stream *first = &sweep->streams[0];
    for (size_t i = 1; i < sweep->count; i++) {
        table_stream *other = &sweep->streams[i];
        bool is_earlier = other->start < first->start ||
                          (other->start == first->start && other->end > first->end);
        first = is_earlier ? other : first;
    }
    return first;
}

tacho_status table_sweep_run(table_sweep *sweep)
{
    while (sweep->count > 0) {
        table_stream *stream = first_stream(sweep);
        TACHO_TRY(sweep->take(sweep->self, stream));
        TACHO_TRY(advance(sweep, stream));
        if (!stream->scan.has_row) {
            tacho_sqlite_end(&stream->scan);
            *stream = sweep->streams[--sweep->count];
        }
    }
    return TACHO_OK;
}
