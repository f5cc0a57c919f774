/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the open dimensions of a model mean, by their names, and their sizes at a point of a sweep.
 */
#ifndef TACHO_SESSION_SWEEP_DIMS_H
#define TACHO_SESSION_SWEEP_DIMS_H

#include "graph/model_facts.h"
#include "session/sweep.h"

typedef enum tacho_dim_role {
    TACHO_DIM_OTHER,
    TACHO_DIM_BATCH,
    TACHO_DIM_SEQUENCE, /* tokens that are read in a run */
    TACHO_DIM_PAST,     /* tokens in the cache */
    TACHO_DIM_TOTAL,    /* both */
} tacho_dim_role;

/* By a name such as batch_size, sequence_length, past_sequence_length, total_sequence_length. */
tacho_dim_role tacho_dim_role_of(tacho_str name);

/* An open dimension of the inputs, by its name. */
typedef struct tacho_sweep_dim {
    tacho_str name;
    tacho_dim_role role;
    size_t axis;   /* that gives it a value; TACHO_SWEEP_AXES_MAX: none does */
    bool is_given; /* by the options of the model */
} tacho_sweep_dim;

/* How a model is run. */
typedef enum tacho_sweep_phase {
    TACHO_SWEEP_FORWARD, /* it has no cache */
    TACHO_SWEEP_PREFILL,
    TACHO_SWEEP_DECODE,
} tacho_sweep_phase;

typedef struct tacho_sweep_dims {
    tacho_arena arena;
    tacho_sweep_dim *items;
    size_t item_count, item_capacity;
    size_t batch_axis, sequence_axis; /* TACHO_SWEEP_AXES_MAX: none */
    bool has_cache;                   /* and its length is swept */
    bool is_batch_joined;             /* no dimension is the batch: so many inferences run as one */
} tacho_sweep_dims;

/* Finds them in the model of |request|; an axis that means none is USAGE and says what is open. */
tacho_status tacho_sweep_dims_init(tacho_sweep_dims *dims,
                                   const tacho_sweep_request *request) TACHO_MUST_USE;
void tacho_sweep_dims_deinit(tacho_sweep_dims *dims);

/* Sizes of a point: those of the options, and one for each dimension that is swept. */
typedef struct tacho_sweep_sizes {
    tacho_sweep_phase phase;
    const int64_t *values; /* by axis */
} tacho_sweep_sizes;

/* |out| has room for those of the options and one for each of |dims|. Returns how many. */
size_t tacho_sweep_dims_fill(const tacho_sweep_dims *dims, const tacho_sweep_sizes *sizes,
                             const tacho_model_options *model, tacho_model_dim *out);

/* What a dimension of |role| is at the point; -1: it is not swept and not given. An open batch is
 * 1, as for all readers. */
int64_t tacho_sweep_dims_value(const tacho_sweep_dims *dims, const tacho_sweep_sizes *sizes,
                               const tacho_model_options *model, tacho_dim_role role);

#endif
