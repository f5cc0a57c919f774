/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators that run graphs of their own, as the nodes of these graphs one after the other: both
 * branches of an If whose condition is known only when it runs, with a choice between their
 * outputs; all steps of a Loop or a Scan. Nodes of a branch that is not taken, and of steps after
 * the end of a loop, have a guard (graph/graph.h): they are not computed.
 *
 * A step is read when the one before it has been inferred, as its shapes and its condition decide
 * about the next. After any failure on the way, the operator can stay unchanged: nothing outside
 * has seen the added nodes.
 */
#ifndef TACHO_GRAPH_UNROLL_H
#define TACHO_GRAPH_UNROLL_H

#include "graph/infer.h"

enum { TACHO_UNROLL_STEPS_MAX = 1 << 14 };

/*
 * The attribute "equal_shapes" of a Where that chooses between two results of the same type and
 * shape: of branches, or of a step of a loop and the values before it.
 */
enum { TACHO_CHOICE_IF = 1, TACHO_CHOICE_LOOP = 2 };

typedef struct tacho_unroll tacho_unroll;

/*
 * Begins with node |node|; |*out_unroll| is NULL when it is not such an operator. Conditions and
 * numbers of steps are decided by the graph's probe if |decides|, or if it is impossible without.
 */
tacho_status tacho_unroll_begin(tacho_graph *graph, uint32_t node, bool decides,
                                tacho_unroll **out_unroll) TACHO_MUST_USE;

/*
 * Adds the next nodes after the graph's others, when all nodes added before have been inferred;
 * sets |*out_is_done| after the last ones, which make the operator's outputs.
 */
tacho_status tacho_unroll_next(tacho_unroll *self, bool *out_is_done) TACHO_MUST_USE;

/* When node |node|, one of the nodes added last, is computed. */
tacho_guard tacho_unroll_guard(const tacho_unroll *self, size_t node);

/* Whether it is the probe that decides. */
bool tacho_unroll_decides(const tacho_unroll *self);

/* Makes the outputs those of the operator again, which stays; |why| is for a note, or NULL. */
void tacho_unroll_abandon(const tacho_unroll *self, const char *why);

uint32_t tacho_unroll_node(const tacho_unroll *self);

void tacho_unroll_free(tacho_unroll *self);

#endif
