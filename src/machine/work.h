/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work: the demands of an operator on a machine, without the network around it.
 */
#ifndef TACHO_MACHINE_WORK_H
#define TACHO_MACHINE_WORK_H

#include "base/dtype.h"

typedef enum tacho_work_kind {
    TACHO_WORK_MATRIX, /* products of matrices, convolutions included */
    TACHO_WORK_VECTOR, /* something done to every element */
    TACHO_WORK_MOVE,   /* bytes change place */
} tacho_work_kind;

/*
 * How a kernel of a GPU goes over its data; machines have a row for each that they run
 * (tacho_gpu_row). LAST: channels are last in memory. HALF: of 16 bits or less.
 */
#define TACHO_FORMS(X)                                                                             \
    X(NONE, "none")           /* unknown: by the kind of work */                                   \
    X(VIEW, "view")           /* no kernel */                                                      \
    X(PRODUCT, "product")     /* of matrices */                                                    \
    X(ATTENTION, "attention") /* scores, softmax and weighted sum in one */                        \
    X(CONVOLUTION, "convolution")                                                                  \
    X(ELEMENT, "element")     /* whole tensors, side by side */                                    \
    X(MATH, "math")           /* the same, with functions that take many instructions */           \
    X(STRIDED, "strided")     /* element by element, with an address computed for each */          \
    X(TRANSPOSE, "transpose") /* the same, one line of memory for each element */                  \
    X(CONCAT, "concat")                                                                            \
    X(SOFTMAX, "softmax") /* of lines that a warp holds */                                         \
    X(LONG_SOFTMAX, "long_softmax")                                                                \
    X(NORM, "norm")                                                                                \
    X(REDUCE, "reduce")                                                                            \
    X(REDUCE_LAST, "reduce_last")                                                                  \
    X(REDUCE_ALL, "reduce_all")         /* all elements to one */                                  \
    X(REDUCE_COLUMNS, "reduce_columns") /* lines whose elements are not side by side */            \
    X(ARGMAX, "argmax")                 /* places of elements, as reductions */                    \
    X(ARGMAX_COLUMNS, "argmax_columns")                                                            \
    X(SCAN, "scan") /* running sums */                                                             \
    X(SCAN_COLUMNS, "scan_columns")                                                                \
    X(RESAMPLE, "resample") /* weighted sums of neighbours */                                      \
    X(POOL, "pool")                                                                                \
    X(POOL_LAST, "pool_last")                                                                      \
    X(AFFINE, "affine") /* a factor and a summand for each channel */                              \
    X(AFFINE_HALF, "affine_half")                                                                  \
    X(CONVERT, "convert") /* channels to or from the last place */                                 \
    X(CONVERT_WEIGHTS, "convert_weights")                                                          \
    X(DEPTHWISE, "depthwise")                                                                      \
    X(DEPTHWISE_LAST, "depthwise_last")                                                            \
    X(DEPTHWISE_HALF, "depthwise_half")                                                            \
    X(DEPTHWISE_HALF_LAST, "depthwise_half_last")

typedef enum tacho_form {
#define TACHO_FORM_ENUM(name, text) TACHO_FORM_##name,
    TACHO_FORMS(TACHO_FORM_ENUM)
#undef TACHO_FORM_ENUM
        TACHO_FORM_COUNT
} tacho_form;

/* Facts that a GPU needs beyond sizes; of other machines all zeros. */
typedef struct tacho_work_kernel {
    tacho_form form;
    uint64_t reach;  /* elements that it goes over */
    uint64_t lines;  /* that are reduced or normalised; 0: none */
    uint64_t depth;  /* steps that a thread takes one after the other; 0: a line's elements */
    uint64_t plane;  /* CONVOLUTION: positions of one channel of one image */
    uint64_t stride; /* CONVOLUTION: between windows, the product over all axes */
    uint64_t copies; /* PRODUCT: operands that it has copied first */
    bool has_bias;   /* PRODUCT: and adds it; CONVOLUTION: another kernel does */
    bool is_linear;  /* PRODUCT: of a linear layer, whose weights are turned */
    bool has_affine; /* CONVOLUTION: a batch normalisation follows, which its weights hold */
    bool has_mask;   /* ATTENTION: one that the network computes or is given */
    bool is_causal;  /* ATTENTION: keys after a query do not count */
    bool is_alone;   /* the network is this operator: data has its kernel's layout */
} tacho_work_kernel;

typedef enum tacho_place {
    TACHO_PLACE_DDR,   /* the memory all cores share */
    TACHO_PLACE_LOCAL, /* the memories of the cores */
} tacho_place;

/* One tensor, or several of a kind, that the work reads or writes. */
typedef struct tacho_operand {
    tacho_dtype dtype;
    tacho_place place;
    uint64_t bytes;
} tacho_operand;

/* The positions of a convolution's results in one image, and its window; zeros: none. */
typedef struct tacho_image {
    uint64_t rows, columns;
    uint64_t window_rows, window_columns;
} tacho_image;

typedef struct tacho_work {
    tacho_work_kind kind;
    tacho_operand input;   /* activations */
    tacho_operand weights; /* constants, or the second matrix; no bytes without one */
    tacho_operand output;
    /*
     * MATRIX: |batch| products of m x k by k x n. A convolution has its output positions as m, its
     * output channels (of one group) as n, and k = k_channels * k_window; batch counts groups.
     */
    uint64_t batch, m, n, k_channels, k_window;
    tacho_image image;
    /*
     * MATRIX: rows and elements are in so many parts, each of which needs the one before (the time
     * steps of a recurrent operator); 0 and 1: all at once.
     */
    uint64_t sequence;
    /*
     * MATRIX: of the bytes of |input| and |weights| those of operands beside the two matrices, that
     * fused operators read once with each result: a residual, a mask, a matrix to add.
     */
    uint64_t input_extra_bytes, weights_extra_bytes;
    tacho_dtype compute; /* type of the numbers that are computed with; NONE: that of |input| */
    /* VECTOR: this many elements, each so many elementary steps; MATRIX: fused, per output. */
    uint64_t elements;
    uint64_t steps;
    /* VECTOR: elements that one result needs, a line that is reduced or normalised; 0: one. */
    uint64_t line;
    uint64_t line_step; /* elements from one of a line to the next; 0 or 1: side by side */
    tacho_work_kernel kernel;
} tacho_work;

#endif
