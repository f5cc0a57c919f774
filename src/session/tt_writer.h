/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing the vendor's op table: comma-separated, CR LF, every comma inside a value a semicolon, as
 * the vendor's scripts do. The columns that tt-torch adds keep their commas, in quotes.
 *
 *     init -> measure every row -> choose columns -> put the header -> put rows -> deinit
 */
#ifndef TACHO_SESSION_TT_WRITER_H
#define TACHO_SESSION_TT_WRITER_H

#include "base/output.h"
#include "base/text.h"
#include "session/tt_join_columns.h"
#include "sources/tenstorrent/log_host.h"

/* The shape of the table, and where writing it stands. */
typedef struct tt_writer {
    tacho_output *output;
    tacho_text text;
    size_t input_count, output_count; /* most tensors of a row */
    bool has_logical_shapes;          /* "32[1]" rather than "32" */
    const char *const *sizes;         /* of kernels, NULL-terminated */
    bool has_sizes;
    bool has_column[TT_JOIN_COLUMN_COUNT];
    const tacho_str *extra_names; /* of columns behind those of every table */
    size_t extra_count;
    bool has_mlir; /* LOC, CONST_EVAL_OP, PROGRAM_METADATA */
    bool is_first; /* of the line */
} tt_writer;

typedef struct tt_writer_row {
    const tacho_str *cells;        /* by tt_join_column */
    const tt_op_data *data;        /* its tensors and sizes of kernels; or NULL */
    const tacho_str *extras;       /* by extra name */
    tacho_str mlir[TT_MLIR_COUNT]; /* data NULL: not known */
} tt_writer_row;

void tt_writer_init(tt_writer *writer, tacho_output *output);
void tt_writer_deinit(tt_writer *writer);

/* Makes room for the tensors of |data|; says which generation of names its kernels' sizes have. */
void tt_writer_measure(tt_writer *writer, const tt_op_data *data);

/* The names that kernel sizes had until 2025-09. */
void tt_writer_use_old_sizes(tt_writer *writer);

tacho_status tt_writer_put_header(tt_writer *writer) TACHO_MUST_USE;
tacho_status tt_writer_put(tt_writer *writer, const tt_writer_row *row) TACHO_MUST_USE;

#endif
