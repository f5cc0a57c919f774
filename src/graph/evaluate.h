/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of a network: every node computed in order by its reference kernel. Tests compare with
 * it, and devices that have no faster kernel compute through it.
 */
#ifndef TACHO_GRAPH_EVALUATE_H
#define TACHO_GRAPH_EVALUATE_H

#include "graph/graph.h"

/* Bytes of one tensor, and of all live tensors; more is LIMIT. */
static const uint64_t tacho_evaluate_bytes_max = (uint64_t)1 << 34;

/*
 * Computes the outputs of a sorted, inferred graph from |inputs|, one for each of the graph's, of
 * the same type and shape. Shapes that depend on values become known on the way and are set in the
 * graph, so it is good for inputs of these shapes only. |out_outputs| has room for all outputs;
 * their memory is the caller's: tacho_arrays_free, also after a failure.
 *
 * A node without a kernel, or of types that it does not compute, is UNSUPPORTED and named.
 */
tacho_status tacho_graph_evaluate(tacho_graph *graph, const tacho_array *inputs, size_t input_count,
                                  tacho_array *out_outputs) TACHO_MUST_USE;

void tacho_arrays_free(tacho_array *arrays, size_t array_count);

/* The elements of a constant in a row; |to| has room for tacho_tensor_bytes. Seeded-random ones
 * are the same everywhere: reals of -1/8 to 1/8, integers of all bits. */
void tacho_constant_expand(const tacho_constant *constant, const tacho_tensor *tensor, void *to);

#endif
