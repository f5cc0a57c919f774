/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing the vendor's op table: comma-separated, CR LF, every comma inside a value a semicolon, as
 * the vendor's scripts do. The columns that tt-torch adds keep their commas, in quotes.
 *
 *     init -> measure every row -> choose columns -> put the header -> put rows -> deinit
 */
#ifndef TACHO_VENDORS_TENSTORRENT_TT_WRITER_H
#define TACHO_VENDORS_TENSTORRENT_TT_WRITER_H

#include "base/output.h"
#include "base/text.h"
#include "vendors/tenstorrent/tt_join_columns.h"
#include "sources/tenstorrent/log_host.h"

/* The shape of the table, and where writing it stands. */
typedef struct tt_writer {
    tacho_output *output;
    tacho_text text;
    size_t input_count, output_count; /* most tensors of a row */
    bool has_logical_shapes;          /* "32[1]" rather than "32" */
    tacho_str *sizes;                 /* names of kernel sizes */
    size_t size_count, size_capacity;
    bool has_fixed_sizes; /* those of a release, whatever the rows have */
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

/*
 * Makes room for the tensors and kernel sizes of |data|, whose texts outlive |writer|. Sizes that
 * no row has are no columns, as in the vendor's table since 2026-07.
 */
tacho_status tt_writer_measure(tt_writer *writer, const tt_op_data *data) TACHO_MUST_USE;

/* Has the kernel sizes of releases until 2025-09, or of those from then to 2026-07. */
tacho_status tt_writer_fix_sizes(tt_writer *writer, bool is_old) TACHO_MUST_USE;

tacho_status tt_writer_put_header(tt_writer *writer) TACHO_MUST_USE;
tacho_status tt_writer_put(tt_writer *writer, const tt_writer_row *row) TACHO_MUST_USE;

#endif
