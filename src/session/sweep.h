/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model estimated at many sizes: a batch, a length of text, any dimension that it leaves open.
 *
 * A decoder with a cache of keys and values is estimated twice at each length: when it reads that
 * many tokens with an empty cache (prefill), and when it makes one token with that many in the
 * cache (decode). It is known by its inputs: one has a dimension such as past_sequence_length.
 */
#ifndef TACHO_SESSION_SWEEP_H
#define TACHO_SESSION_SWEEP_H

#include "questions/analysis.h"
#include "base/notes.h"
#include "compile/compile.h"
#include "graph/model.h"

enum { TACHO_SWEEP_AXES_MAX = 4, TACHO_SWEEP_VALUES_MAX = 64, TACHO_SWEEP_POINTS_MAX = 1024 };

/* One size, and the values that it is to have. */
typedef struct tacho_sweep_axis {
    tacho_str name; /* "batch", "seq", or that of a dimension */
    int64_t values[TACHO_SWEEP_VALUES_MAX];
    size_t value_count;
} tacho_sweep_axis;

typedef struct tacho_sweep_axes {
    tacho_sweep_axis items[TACHO_SWEEP_AXES_MAX];
    size_t count;
} tacho_sweep_axes;

/* "batch=1,4,16": one more axis. What does not fit is USAGE; |text| outlives it. */
tacho_status tacho_sweep_axes_add(tacho_sweep_axes *axes, const char *text) TACHO_MUST_USE;

typedef struct tacho_sweep_request {
    const char *model_path;
    const tacho_model_options *model; /* its sizes hold at all points */
    const tacho_machine *machine;
    const tacho_compile_options *compile;
    const tacho_sweep_axes *axes;
    const tacho_notes *notes;
} tacho_sweep_request;

/* Estimates every combination of values and hands the table "sweep" to |to|. */
tacho_status tacho_sweep_run(const tacho_sweep_request *request,
                             const tacho_table_taker *to) TACHO_MUST_USE;

#endif
