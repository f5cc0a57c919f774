/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sweep over several tables of a database in order of time, in one pass and without sorting:
 * each table has its rows in order of time, as a rule, and the row that starts first is next.
 */
#ifndef TACHO_SOURCES_TABLE_SWEEP_H
#define TACHO_SOURCES_TABLE_SWEEP_H

#include "codec/sqlite_file.h"
#include "sources/gpu_part.h"

/* A table at its current row. */
typedef struct table_stream {
    const void *kind;    /* as given to table_sweep_add */
    const void *context; /* the same */
    tacho_sqlite_scan scan;
    int64_t start, end;
} table_stream;

typedef struct table_sweep {
    gpu_part *part;
    tacho_sqlite_file *file;
    void *self;
    tacho_status (*take)(void *self, const table_stream *stream);
    /* Sets the times of a row, or |*out_has| to false. (optional: columns 0 and 1) */
    tacho_status (*times)(void *self, table_stream *stream, bool *out_has);
    table_stream *streams;
    size_t count, capacity; /* of streams that have a row */
} table_sweep;

void table_sweep_deinit(table_sweep *sweep);

/* A table to be read, and the columns that are read. */
typedef struct table_choice {
    tacho_str table;
    const char *const *columns; /* NULL-terminated */
    const void *kind, *context;
} table_choice;

/* Adds a table; nothing is added where it does not exist or has no rows. */
tacho_status table_sweep_add(table_sweep *sweep, const table_choice *choice) TACHO_MUST_USE;

/* Takes all rows of all tables. A row without times is counted as lost. */
tacho_status table_sweep_run(table_sweep *sweep) TACHO_MUST_USE;

#endif
