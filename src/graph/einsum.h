/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Einsum as the product it is: each index of the equation is, by the terms it is in, one of a
 * batch, a row, a column or one that is summed over.
 */
#ifndef TACHO_GRAPH_EINSUM_H
#define TACHO_GRAPH_EINSUM_H

#include "graph/graph.h"

/* Extents; their product is that of all indices of the equation, each once. */
typedef struct tacho_einsum {
    size_t operand_count;
    uint64_t batch; /* in both operands and the result; of one operand: in it and the result */
    uint64_t m;     /* in the first operand and the result */
    uint64_t n;     /* in the second operand and the result */
    uint64_t k;     /* not in the result */
} tacho_einsum;

/*
 * Measures one or two operands; of more only the number. False when the equation or a shape is not
 * known, or an extent does not fit 63 bits.
 */
bool tacho_einsum_measure(const tacho_graph *graph, const tacho_node *node,
                          tacho_einsum *out_einsum);

#endif
