/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Points from the rows of profiles, by the source of a span's work:
 *
 *     a model       spans that name one of its operators: tacho run, ONNX Runtime (here)
 *     Kineto        Input Dims of PyTorch's operators (estimates/roofline/roof_torch.h)
 *     Tenstorrent   columns of op tables (estimates/tenstorrent/tt_roof.h)
 *
 * Memory grows with operators and, for Kineto, with their calls.
 */
#ifndef TACHO_ESTIMATES_ROOFLINE_ROOF_GATHER_H
#define TACHO_ESTIMATES_ROOFLINE_ROOF_GATHER_H

#include "estimates/roofline/roof_found.h"
#include "estimates/roofline/roof_torch.h"
#include "estimates/roofline/roof_works.h"
#include "estimates/tenstorrent/tt_ops.h"

/* One run of an operator, on any engines. */
typedef struct tacho_roof_cell {
    uint32_t part, name, run; /* name: string of the operator; run: or TACHO_NONE */
    uint32_t origin;
    int64_t start_ns, end_ns; /* from the first to the last */
} tacho_roof_cell;

typedef struct tacho_roof_gather {
    tacho_events events; /* takes rows in track order */
    const tacho_roofline_options *options;
    tacho_roofline line;
    tacho_roof_found found; /* machines that profiles name */
    uint32_t part;          /* of the latest row; TACHO_NONE: none yet */
    tacho_torch torch;
    tacho_tt_ops tables; /* of Tenstorrent */
    bool is_ready;
    uint32_t op_key, table_key; /* strings */
    tacho_roof_cell *cells;
    size_t cell_count, cell_capacity;
    tacho_index index;
    uint32_t last_cell; /* TACHO_NONE: none yet */
} tacho_roof_gather;

#endif
