/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work: what an operator asks of a machine, without the network around it.
 */
#ifndef TACHO_MACHINE_WORK_H
#define TACHO_MACHINE_WORK_H

#include "base/dtype.h"

typedef enum tacho_work_kind {
    TACHO_WORK_MATRIX, /* products of matrices, convolutions included */
    TACHO_WORK_VECTOR, /* something done to every element */
    TACHO_WORK_MOVE,   /* bytes change place */
} tacho_work_kind;

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

typedef struct tacho_work {
    tacho_work_kind kind;
    tacho_operand input;   /* activations */
    tacho_operand weights; /* constants, or the second matrix; no bytes when there is none */
    tacho_operand output;
    /*
     * MATRIX: |batch| products of m x k by k x n. A convolution has its output positions as m, its
     * output channels (of one group) as n, and k = k_channels * k_window; batch counts groups.
     */
    uint64_t batch, m, n, k_channels, k_window;
    /*
     * MATRIX: rows and elements come in so many parts, each of which needs the one before (the time
     * steps of a recurrent operator); 0 and 1: all at once.
     */
    uint64_t sequence;
    /*
     * MATRIX: of the bytes of |input| and |weights| those of operands beside the two matrices, that
     * what is fused reads once with each result: a residual, a mask, a matrix to add.
     */
    uint64_t input_extra_bytes, weights_extra_bytes;
    tacho_dtype compute; /* type of the numbers that are computed with; NONE: that of |input| */
    /* VECTOR: this many elements, each so many elementary steps; MATRIX: fused, per output. */
    uint64_t elements;
    uint64_t steps;
    /* VECTOR: elements that one result needs, a line that is reduced or normalised; 0: one. */
    uint64_t line;
} tacho_work;

#endif
