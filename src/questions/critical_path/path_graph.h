/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graph of dependencies between pieces of work of streams and of host threads.
 *
 * A node runs for its length. It starts when all of these allow it:
 *
 *   before   the previous node on its stream or thread has ended
 *   launch   the call that launched it has begun, and the launch has taken its time
 *   other    something on another stream, or the work that a call waited for, has ended
 *
 * One of them is the reason why it started when it did: the time between is the weight of that
 * edge. A launch that was not the reason weighs as much as the shortest one of the graph, the least
 * that a launch takes; other edges that were not the reason weigh nothing. So the longest path to
 * each node ends exactly when the node did.
 */
#ifndef TACHO_QUESTIONS_CRITICAL_PATH_PATH_GRAPH_H
#define TACHO_QUESTIONS_CRITICAL_PATH_PATH_GRAPH_H

#include "base/index.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tacho_path_node {
    int64_t start_ns, end_ns;
    int64_t launch_ns; /* start of the call; with |launch| */
    /* Nodes that were added earlier, or TACHO_NONE. */
    uint32_t before, launch, other;
    uint32_t name;   /* given by the caller */
    bool is_work;    /* of a device */
    bool has_waited; /* a call that only waited, for the next node's |other|: it takes no time */
} tacho_path_node;

/* Why a node started when it did. */
typedef enum tacho_path_reason {
    TACHO_PATH_BEGINS, /* no known predecessor */
    TACHO_PATH_BEFORE,
    TACHO_PATH_LAUNCH,
    TACHO_PATH_OTHER,
    TACHO_PATH_REASON_COUNT,
} tacho_path_reason;

typedef struct tacho_path_graph {
    tacho_path_node *nodes;
    size_t node_count, node_capacity;
    int64_t least_launch_ns; /* the shortest launch */
    int64_t *ends;           /* of each node, in the last solution */
    size_t end_capacity;
} tacho_path_graph;

void tacho_path_graph_deinit(tacho_path_graph *graph);
/* Forgets all nodes. */
void tacho_path_graph_clear(tacho_path_graph *graph);

tacho_status tacho_path_graph_add(tacho_path_graph *graph, const tacho_path_node *node,
                                  uint32_t *out_id) TACHO_MUST_USE;

/* Why |node| started, and the time from there to its start. */
tacho_path_reason tacho_path_graph_reason(const tacho_path_graph *graph,
                                          const tacho_path_node *node, int64_t *out_weight_ns);

/* The node at the other end of that edge, or TACHO_NONE. */
uint32_t tacho_path_graph_from(const tacho_path_node *node, tacho_path_reason reason);

/*
 * When the last work ends if all nodes of |name| and |is_work| take no time; with TACHO_NONE, the
 * actual end of the last work. Call it once all nodes are added.
 */
tacho_status tacho_path_graph_solve(tacho_path_graph *graph, uint32_t name, bool is_work,
                                    int64_t *out_end_ns) TACHO_MUST_USE;

#endif
