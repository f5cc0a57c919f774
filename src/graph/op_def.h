/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What operators mean: one row per operator name. Passes decide by kind, never by name.
 */
#ifndef TACHO_GRAPH_OP_DEF_H
#define TACHO_GRAPH_OP_DEF_H

#include "graph/graph.h"

/* One row per kind: name, what people read. */
#define TACHO_OP_KINDS(X)                                                                          \
    X(CONVOLUTION, "convolution")     /* data, weights, bias */                                    \
    X(DECONVOLUTION, "deconvolution") /* the same, transposed */                                   \
    X(MATMUL, "matmul")               /* two matrices, batches of them, maybe a third to add */    \
    X(RECURRENT, "recurrent")                                                                      \
    X(POOL, "pool")                                                                                \
    X(REDUCTION, "reduction")                                                                      \
    X(NORMALISATION, "normalisation") /* with statistics of the data: layer, instance, LRN */      \
    X(AFFINE, "affine")               /* a factor and a summand per channel: batch norm */         \
    X(SOFTMAX, "softmax")                                                                          \
    X(UNARY, "unary")   /* element by element of one tensor; the others are parameters */          \
    X(BINARY, "binary") /* element by element of two or more, broadcast */                         \
    X(QUANTISE, "quantise")                                                                        \
    X(DEQUANTISE, "dequantise")                                                                    \
    X(MOVE, "move")   /* elements change place, number or type, nothing is computed */             \
    X(VIEW, "view")   /* the same bytes under another shape: nothing moves */                      \
    X(SHAPE, "shape") /* asks about a tensor, not for its elements */                              \
    X(CONSTANT, "constant")                                                                        \
    X(CONTROL, "control") /* If, Loop, Scan */                                                     \
    X(OTHER, "other")     /* known by name; costed by bytes */

typedef enum tacho_op_kind {
#define TACHO_OP_KIND_ENUM(name, text) TACHO_OP_##name,
    TACHO_OP_KINDS(TACHO_OP_KIND_ENUM)
#undef TACHO_OP_KIND_ENUM
        TACHO_OP_KIND_COUNT
} tacho_op_kind;

const char *tacho_op_kind_name(tacho_op_kind kind);

/* A node whose outputs are to be found. */
typedef struct tacho_infer {
    tacho_graph *graph;
    const tacho_node *node;
} tacho_infer;

struct tacho_op_def {
    const char *name; /* "Conv", "tosa.conv2d" */
    tacho_op_kind kind;
    /*
     * Elementary vector operations per element of work: 1 for an addition, more for what vector
     * units compute in several (a division, an exponential). 0 where the kind does no arithmetic.
     */
    uint8_t steps;
    /* Finds types and shapes of the outputs (graph/infer.h has what it needs). */
    tacho_status (*infer)(const tacho_infer *infer);
};

/* The row of an operator: ONNX ones of the standard domain by their name, MLIR ones with their
 * dialect. NULL when there is none. */
const tacho_op_def *tacho_op_def_find(tacho_str name);

/* The tables behind it, one per format; ends with a row without a name. */
extern const tacho_op_def tacho_onnx_op_defs[];
extern const tacho_op_def tacho_tosa_op_defs[];

#endif
