/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of measured operators: CSV with a heading, and a row for each operator: its kind and
 * sizes, how it ran and how long it took. docs/machines.md has the columns.
 */
#ifndef TACHO_COMPILE_MEASURED_H
#define TACHO_COMPILE_MEASURED_H

#include "base/input.h"
#include "compile/compile.h"

enum {
    TACHO_MEASURED_INPUTS_MAX = 8,
    TACHO_MEASURED_ATTRS_MAX = 12,
    TACHO_MEASURED_ROWS_MAX = 100000,
};

typedef struct tacho_measured_input {
    tacho_shape shape;
    const int64_t *values; /* of a constant list of integers; NULL: any */
} tacho_measured_input;

typedef struct tacho_measured {
    uint64_t line;
    tacho_str op; /* type in ONNX */
    tacho_measured_input inputs[TACHO_MEASURED_INPUTS_MAX];
    uint32_t input_count;
    tacho_attr attrs[TACHO_MEASURED_ATTRS_MAX];
    uint32_t attr_count;
    tacho_str shape_key; /* the same for rows of the same operator and sizes */
    tacho_dtype dtype;   /* NONE: f32, as the machine computes it */
    tacho_place_choice places[TACHO_OPERAND_ROLE_COUNT];
    uint32_t grid_x, grid_y; /* 0: all */
    tacho_str fidelity;      /* empty: the machine's own */
    bool is_tuned;
    double cycles; /* of the core clock, or ... */
    double ns;     /* ... where they are 0 */
} tacho_measured;

typedef struct tacho_measured_table {
    tacho_arena arena;
    tacho_measured *rows;
    size_t row_count, row_capacity;
    tacho_str timed;   /* the column that is the truth */
    tacho_str ignored; /* columns that nothing is known of, with commas */
} tacho_measured_table;

/*
 * Reads a table to its end. A column that is missing, a row that cannot be, or too many of them are
 * a failure that names line and column. Deinitialise it even after a failure.
 */
tacho_status tacho_measured_init(tacho_measured_table *table, tacho_input *input) TACHO_MUST_USE;
void tacho_measured_deinit(tacho_measured_table *table);

/* ---- interpretation of a row's words (measured_words.c) ---- */

/* As they stand in the table; empty: not given. */
typedef struct tacho_measured_words {
    tacho_str op, shape, attributes;
    tacho_str m, k, n;       /* a product */
    tacho_str loops, stride; /* a convolution by the sizes of its loops */
} tacho_measured_words;

/*
 * Sets operator, inputs, attributes and key of |row|, allocated in |arena|. A failure describes the
 * problem, but not its place in the table.
 */
tacho_status tacho_measured_understand(const tacho_measured_words *words, tacho_arena *arena,
                                       tacho_measured *row) TACHO_MUST_USE;

/* ---- estimates of a row (measured_op.c) ---- */

/* A row as a network of one operator, to be estimated again and again. */
typedef struct tacho_measured_op {
    const tacho_measured *row;
    tacho_graph graph;
    tacho_fusion fusion;
    tacho_compile_options options;
} tacho_measured_op;

/* |path| is for messages. Deinitialise it even after a failure. */
tacho_status tacho_measured_op_init(tacho_measured_op *op, const tacho_measured *row,
                                    const tacho_machine *machine, tacho_str path) TACHO_MUST_USE;
void tacho_measured_op_deinit(tacho_measured_op *op);

/* Cycles that the row takes when compiled for |machine|. */
tacho_status tacho_measured_op_cycles(const tacho_measured_op *op, const tacho_machine *machine,
                                      int64_t *out_cycles) TACHO_MUST_USE;

#endif
