/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A writer of Parquet files: flat tables of optional columns, in row groups. Text that repeats is a
 * dictionary, whole numbers are packed differences or a dictionary, whichever is smaller, pages are
 * compressed with zstd, and each column of a group has its least and greatest value and its number
 * of missing values.
 *
 *     TACHO_TRY(tacho_parquet_open(&writer, output, columns, column_count));
 *     for each row: one call for each column, from left to right
 *     tacho_status status = tacho_parquet_finish(writer);
 *     tacho_parquet_close(writer);
 */
#ifndef TACHO_CODEC_PARQUET_H
#define TACHO_CODEC_PARQUET_H

#include "base/output.h"

typedef enum tacho_parquet_type {
    TACHO_PARQUET_BOOL,
    TACHO_PARQUET_INT,  /* signed, 64 bits */
    TACHO_PARQUET_REAL, /* 64 bits */
    TACHO_PARQUET_TEXT, /* UTF-8 */
} tacho_parquet_type;

typedef struct tacho_parquet_column {
    const char *name; /* unique; good until the writer is closed */
    tacho_parquet_type type;
} tacho_parquet_column;

typedef struct tacho_parquet tacho_parquet;

/* Rows of a group; each is kept in memory. */
enum { TACHO_PARQUET_GROUP_ROWS = 1 << 18 };

/* |columns| are copied. */
tacho_status tacho_parquet_open(tacho_parquet **out_writer, tacho_output *output,
                                const tacho_parquet_column *columns,
                                size_t column_count) TACHO_MUST_USE;

/* The value of the next column. */
tacho_status tacho_parquet_add_null(tacho_parquet *writer) TACHO_MUST_USE;
tacho_status tacho_parquet_add_int(tacho_parquet *writer, int64_t value) TACHO_MUST_USE;
tacho_status tacho_parquet_add_bool(tacho_parquet *writer, bool value) TACHO_MUST_USE;
tacho_status tacho_parquet_add_real(tacho_parquet *writer, double value) TACHO_MUST_USE;

/* Text that is in the dictionary of its column under |key|: equal keys are equal text, which must
 * stay good until the writer is closed. A column has texts with keys, or texts without. */
tacho_status tacho_parquet_add_key(tacho_parquet *writer, uint32_t key,
                                   tacho_str text) TACHO_MUST_USE;

/* Whether the next column has text under |key|: then add_key needs no text. */
bool tacho_parquet_has_key(const tacho_parquet *writer, uint32_t key);

/* Text that is copied. */
tacho_status tacho_parquet_add_text(tacho_parquet *writer, tacho_str text) TACHO_MUST_USE;

/* A fact about the file for its readers. |value| is copied. */
tacho_status tacho_parquet_add_fact(tacho_parquet *writer, const char *key,
                                    tacho_str value) TACHO_MUST_USE;

/* Writes the last group and the footer. */
tacho_status tacho_parquet_finish(tacho_parquet *writer) TACHO_MUST_USE;
void tacho_parquet_close(tacho_parquet *writer);

#endif
