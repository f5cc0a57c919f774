/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much a step computes, from its shapes and attributes: for a bound, not for an estimate.
 */
#ifndef TACHO_GRAPH_GATE_WORK_H
#define TACHO_GRAPH_GATE_WORK_H

#include "graph/op_def.h"

/* Elementary operations, one for an element that is read, written, added or multiplied; sticks at
 * UINT64_MAX. All shapes are known, and were inferred. */
uint64_t tacho_gate_work(const tacho_graph *graph, const tacho_node *node);

#endif
