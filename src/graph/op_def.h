/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operator definitions: one row per operator name. Passes decide by kind, never by name.
 */
#ifndef TACHO_GRAPH_OP_DEF_H
#define TACHO_GRAPH_OP_DEF_H

#include "graph/graph.h"

/* One row per kind: id, name for people. */
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
    X(OTHER, "other")     /* known by name; costed by bytes, and by steps where it has them */

typedef enum tacho_op_kind {
#define TACHO_OP_KIND_ENUM(name, text) TACHO_OP_##name,
    TACHO_OP_KINDS(TACHO_OP_KIND_ENUM)
#undef TACHO_OP_KIND_ENUM
        TACHO_OP_KIND_COUNT
} tacho_op_kind;

const char *tacho_op_kind_name(tacho_op_kind kind);

/*
 * Vector steps, in additions or multiplications, of functions without a vector instruction: one
 * list for all formats, so that a function costs the same under any name. They follow the usual
 * polynomials in single precision: a reciprocal or its root is a first guess and two rounds of
 * Newton; an exponential or logarithm a range reduction and five or six terms; functions made of
 * these add a division; a power is a logarithm and an exponential.
 */
enum {
    TACHO_STEPS_MAC = 1,      /* a multiplication and the addition after it */
    TACHO_STEPS_CLIP = 2,     /* a maximum and a minimum */
    TACHO_STEPS_DIV = 4,      /* also a square root, a reciprocal and the reciprocal of a root */
    TACHO_STEPS_RESCALE = 4,  /* of integers: two zero points, a multiplication, a shift */
    TACHO_STEPS_EXP = 8,      /* also a logarithm */
    TACHO_STEPS_ERF = 11,     /* a rational function */
    TACHO_STEPS_TANH = 12,    /* an exponential and a division */
    TACHO_STEPS_SIGMOID = 12, /* the same */
    TACHO_STEPS_TRIG = 12,    /* range reduction, two polynomials; also hyperbolic, inverse ones */
    TACHO_STEPS_POW = 16,
    TACHO_STEPS_NORM = 8,    /* mean: 1; variance: 3; normalise, scale and shift: 4 */
    TACHO_STEPS_RESIZE = 8,  /* between lines: 4 neighbours and their 4 weights */
    TACHO_STEPS_SEARCH = 16, /* of boxes: a score finds its place, a box is held against a few */
    TACHO_STEPS_CUBIC = 24,  /* 16 neighbours, 4 weights along each axis */
    TACHO_STEPS_FOURIER =
        23, /* 5 log2(n) for each complex number: of 512, half of it for each part */
    /*
     * Of recurrent operators per gate, that is per element of the products' results. LSTM: 3
     * sigmoids, 2 tanhs, 4 biases, 3 products and a sum, over 4 gates. GRU: 2 sigmoids, a tanh, 3
     * biases, 3 products, a sum and a difference, over 3 gates, rounded up. RNN: a tanh and a bias.
     */
    TACHO_STEPS_LSTM = (3 * TACHO_STEPS_SIGMOID + 2 * TACHO_STEPS_TANH + 8) / 4,
    TACHO_STEPS_GRU = (2 * TACHO_STEPS_SIGMOID + TACHO_STEPS_TANH + 8 + 2) / 3,
    TACHO_STEPS_RNN = TACHO_STEPS_TANH + 1,
};

/* Facts that passes need about an operator beside its kind. */
typedef enum tacho_op_flag {
    TACHO_OP_IS_LINEAR = 1 << 0,     /* with a constant: can become part of weights and bias */
    TACHO_OP_IS_QUOTIENT = 1 << 1,   /* linear in its first operand alone */
    TACHO_OP_IS_SCALING = 1 << 2,    /* between integers and the reals they represent */
    TACHO_OP_IS_CAST = 1 << 3,       /* another type of elements; to the same one a view */
    TACHO_OP_CHANNELS_LAST = 1 << 4, /* convolution of [n, positions, c] by [out, window, in] */
    TACHO_OP_IS_DEPTHWISE = 1 << 5,  /* by [window, in, multiplier] */
    TACHO_OP_HAS_SCALES = 1 << 6,    /* scale and zero point follow each operand */
    TACHO_OP_IS_EINSUM = 1 << 7,     /* the attribute |equation| defines the product */
    TACHO_OP_IS_VARIADIC = 1 << 8,   /* joins any number of operands */
    TACHO_OP_BY_MODE = 1 << 9,       /* |mode| is the interpolation; by the nearest it is a move */
    TACHO_OP_HAS_PARAMETERS = 1 << 10, /* operands after the first are axes, bounds, counts ... */
    TACHO_OP_BY_RESULT = 1 << 11,      /* each element may be compared with each result */
    TACHO_OP_BY_ROW = 1 << 13,   /* each element takes part in as many steps as its row is long */
    TACHO_OP_IS_CHECK = 1 << 12, /* runs to fail, not for its result, which nothing reads */
} tacho_op_flag;

/* A node whose outputs are being inferred. */
typedef struct tacho_infer {
    tacho_graph *graph;
    const tacho_node *node;
} tacho_infer;

struct tacho_op_def {
    const char *name; /* "Conv", "tosa.conv2d" */
    tacho_op_kind kind;
    /*
     * Elementary vector operations per element of work: 1 for an addition, more for functions that
     * take several (a division, an exponential). 0 where the kind does no arithmetic.
     */
    uint8_t steps;
    uint16_t flags; /* of tacho_op_flag */
    /* Finds types and shapes of the outputs (helpers: graph/infer.h). */
    tacho_status (*infer)(const tacho_infer *infer);
};

static inline bool tacho_op_has(const tacho_op_def *def, tacho_op_flag flag)
{
    return def != NULL && (def->flags & flag) != 0;
}

/* Which input of a product is its second operand. */
static inline size_t tacho_op_second_operand(const tacho_op_def *def)
{
    return tacho_op_has(def, TACHO_OP_HAS_SCALES) ? 3 : 1;
}

/*
 * Kind and steps of a node: those of its row, unless an attribute decides. OTHER and 0 when the
 * operator is unknown.
 */
tacho_op_kind tacho_op_kind_of(const tacho_graph *graph, const tacho_node *node);
uint32_t tacho_op_steps_of(const tacho_graph *graph, const tacho_node *node);

/* The row of an operator: ONNX ones of the standard domain by their name, others with their domain,
 * MLIR ones with their dialect. NULL when there is none. */
const tacho_op_def *tacho_op_def_find(tacho_str name);

/* The tables it searches, one per format; each ends with a row without a name. */
extern const tacho_op_def tacho_onnx_op_defs[];
extern const tacho_op_def tacho_microsoft_op_defs[];
extern const tacho_op_def tacho_tosa_op_defs[];
extern const tacho_op_def tacho_own_op_defs[];

#endif
