/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types, shapes and constants. In one walk over a sorted graph each node's outputs get their
 * type and shape; a node that depends on constants alone is folded: computed at once where the
 * result is small (shape arithmetic) or stays a splat or a view of its input, else only marked, so
 * that weights are never expanded for an estimate. A node that chooses between graphs (If) by a
 * condition that is known is replaced by the nodes of the one it runs.
 */
#ifndef TACHO_GRAPH_INFER_H
#define TACHO_GRAPH_INFER_H

#include "graph/op_def.h"

enum {
    TACHO_FOLD_VALUE_MAX = 64 << 10,  /* bytes of a value that folding computes */
    TACHO_FOLD_INPUT_MAX = 256 << 10, /* bytes of inputs that one node may cost to read */
    TACHO_FOLD_GRAPH_MAX = 32 << 20,  /* bytes of all values that folding makes in a graph */
};

/*
 * Infers and folds the whole graph. A contradiction (an inner dimension that does not match, a
 * shape that differs from the file's) is BAD_DATA naming node and location. Outputs of unknown
 * operators keep the file's types and shapes, if it has any.
 */
tacho_status tacho_graph_infer(tacho_graph *graph) TACHO_MUST_USE;

/* ---- for the rows of graph/op_def.h ---- */

/* The shape of an input; one of unknown rank when it is absent. */
const tacho_shape *tacho_infer_shape(const tacho_infer *infer, size_t input);
tacho_dtype tacho_infer_dtype(const tacho_infer *infer, size_t input);

/*
 * The integers of a constant input of rank 0 or 1 (of any integer type but bool), at most |max| of
 * them; false when it is absent, not constant, not computed or longer.
 */
bool tacho_infer_ints(const tacho_infer *infer, size_t input, int64_t *out_ints, size_t max,
                      size_t *out_count);

/* The same for real numbers. */
bool tacho_infer_reals(const tacho_infer *infer, size_t input, double *out_reals, size_t max,
                       size_t *out_count);

/* Sets the inferred type and shape; a shape that contradicts the file's is a failure. */
tacho_status tacho_infer_set(const tacho_infer *infer, size_t output, tacho_dtype dtype,
                             const tacho_shape *shape) TACHO_MUST_USE;

/* A failure that names the node: "model.onnx: node 12 'conv1' (Conv): ...; at <its location>". */
tacho_status tacho_infer_fail(const tacho_infer *infer, const char *format, ...)
    TACHO_PRINTF(2, 3) TACHO_MUST_USE;

/* Numpy's broadcasting of two shapes; unknown dimensions stay so. False when they do not fit. */
bool tacho_shape_broadcast(const tacho_shape *a, const tacho_shape *b, tacho_shape *out_shape);

#endif
