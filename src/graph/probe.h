/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of a network while it is being read. Where a branch, a number of steps or a size depends
 * on values, and the network is read with those of its inputs, a probe computes the requested
 * tensors, and those they depend on, by reference kernels. Such decisions are checked when the
 * network runs: with other inputs they may be wrong.
 */
#ifndef TACHO_GRAPH_PROBE_H
#define TACHO_GRAPH_PROBE_H

#include "graph/model.h"

typedef struct tacho_probe tacho_probe;

/* A probe of a graph that is inferred, or of which nodes so far are. */
tacho_status tacho_probe_open(tacho_graph *graph, const tacho_model_values *values,
                              tacho_probe **out_probe) TACHO_MUST_USE;
void tacho_probe_close(tacho_probe *probe); /* also NULL */

/* The value of a tensor; its memory is the probe's. */
tacho_status tacho_probe_value(tacho_probe *probe, uint32_t tensor,
                               tacho_array *out_value) TACHO_MUST_USE;

/* Finds the shapes of a node's outputs that depend on values; others stay open. */
tacho_status tacho_probe_shapes(tacho_probe *probe, size_t node) TACHO_MUST_USE;

/* Adds a node that fails when |tensor| has another value than now; it is named after |origin|. */
tacho_status tacho_probe_expect(tacho_probe *probe, uint32_t tensor,
                                const tacho_node *origin) TACHO_MUST_USE;

#endif
