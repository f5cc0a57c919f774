/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ops of Tenstorrent's op tables, gathered from events: each span with a row number is one row of
 * the table, and its arguments are the cells. So tables, captures and traces made from them give
 * the same result.
 */
#ifndef TACHO_ESTIMATES_TENSTORRENT_TT_OPS_H
#define TACHO_ESTIMATES_TENSTORRENT_TT_OPS_H

#include "profile/events.h"

#include <math.h>

/* The tensors that the report uses: the first two inputs and the first output. */
typedef enum tacho_tt_tensor {
    TACHO_TT_INPUT_0,
    TACHO_TT_INPUT_1,
    TACHO_TT_OUTPUT_0,
    TACHO_TT_TENSOR_COUNT,
} tacho_tt_tensor;

/* A missing number; test it with isnan. */
#define TACHO_TT_NONE ((double)NAN)

/* A dimension's place in a shape. */
enum { TACHO_TT_W, TACHO_TT_Z, TACHO_TT_Y, TACHO_TT_X, TACHO_TT_DIM_COUNT };

/* One row of a table. Missing numbers are NaN, missing texts are empty. */
typedef struct tacho_tt_op {
    uint32_t part; /* until rows are sorted; then the number of the table */
    uint64_t row;  /* as in a spreadsheet; several tables count as one */
    tacho_str code, type, arch, attributes, fidelity;
    tacho_str datatypes[TACHO_TT_TENSOR_COUNT], memories[TACHO_TT_TENSOR_COUNT];
    double shapes[TACHO_TT_TENSOR_COUNT][TACHO_TT_DIM_COUNT]; /* padded */
    double call_count, device, cores, worker_cores, host_start, kernel_ns, latency_ns, session;
    double kernel_part_ns; /* the longer of Quasar's two kinds of processors; 0: none */
} tacho_tt_op;

typedef struct tacho_tt_ops {
    tacho_events events; /* takes rows in any order */
    tacho_arena arena;
    tacho_tt_op *items; /* by table and row, once sorted */
    size_t item_count, item_capacity;
    uint8_t *fields; /* by string: the field with that name; 0: not looked up yet */
    size_t field_count, field_capacity;
    bool has_datatypes[TACHO_TT_TENSOR_COUNT]; /* some row has */
} tacho_tt_ops;

void tacho_tt_ops_init(tacho_tt_ops *ops, tacho_dict *dict);
void tacho_tt_ops_deinit(tacho_tt_ops *ops);

/* Sorts rows once all are added; row numbers continue from table to table. */
tacho_status tacho_tt_ops_sort(tacho_tt_ops *ops) TACHO_MUST_USE;

#endif
