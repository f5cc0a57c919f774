/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes follow their dependencies, so one pass finds the longest paths.
 */
#include "questions/critical_path/path_graph.h"

#include "base/grow.h"

#include <stdlib.h>

void tacho_path_graph_deinit(tacho_path_graph *graph)
{
    free(graph->nodes);
    free(graph->ends);
    *graph = (tacho_path_graph){.nodes = NULL};
}

void tacho_path_graph_clear(tacho_path_graph *graph)
{
    graph->node_count = 0;
    graph->least_launch_ns = 0;
}

tacho_status tacho_path_graph_add(tacho_path_graph *graph, const tacho_path_node *node,
                                  uint32_t *out_id)
{
    if (graph->node_count >= TACHO_NONE) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED, "too many spans for a critical path");
    }
    TACHO_TRY(tacho_grow(&graph->nodes, &graph->node_capacity, graph->node_count + 1));
    *out_id = (uint32_t)graph->node_count;
    graph->nodes[graph->node_count++] = *node;
    return TACHO_OK;
}

static int64_t latest(int64_t left, int64_t right)
{
    return left > right ? left : right;
}

tacho_path_reason tacho_path_graph_reason(const tacho_path_graph *graph,
                                          const tacho_path_node *node, int64_t *out_weight_ns)
{
    const tacho_path_node *nodes = graph->nodes;
    int64_t before_ns = node->before != TACHO_NONE ? nodes[node->before].end_ns : INT64_MIN;
    int64_t other_ns = node->other != TACHO_NONE ? nodes[node->other].end_ns : INT64_MIN;
    tacho_path_reason reason = TACHO_PATH_BEGINS;
    int64_t from_ns = node->start_ns;
    if (node->launch != TACHO_NONE && node->launch_ns >= before_ns) {
        reason = TACHO_PATH_LAUNCH;
        from_ns = node->launch_ns;
        before_ns = node->launch_ns + graph->least_launch_ns;
    } else if (node->before != TACHO_NONE) {
        reason = TACHO_PATH_BEFORE;
        from_ns = before_ns;
    }
    if (node->other != TACHO_NONE && other_ns > before_ns) {
        reason = TACHO_PATH_OTHER;
        from_ns = other_ns;
    }
    *out_weight_ns = node->start_ns - from_ns;
    return reason;
}

uint32_t tacho_path_graph_from(const tacho_path_node *node, tacho_path_reason reason)
{
    switch (reason) {
    case TACHO_PATH_BEFORE:
        return node->before;
    case TACHO_PATH_LAUNCH:
        return node->launch;
    case TACHO_PATH_OTHER:
        return node->other;
    case TACHO_PATH_BEGINS:
    case TACHO_PATH_REASON_COUNT:
        break;
    }
    return TACHO_NONE;
}

static void find_least_launch(tacho_path_graph *graph)
{
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < graph->node_count; i++) {
        const tacho_path_node *node = &graph->nodes[i];
        int64_t launch_ns = node->start_ns - node->launch_ns;
        least = node->launch != TACHO_NONE && launch_ns < least ? launch_ns : least;
    }
    graph->least_launch_ns = least != INT64_MAX ? least : 0;
}

/* The length of |node|; nodes of |name| take no time. */
static int64_t length_of(const tacho_path_node *node, uint32_t name, bool is_work)
{
    bool is_free =
        node->has_waited || (name != TACHO_NONE && node->name == name && node->is_work == is_work);
    return is_free ? 0 : node->end_ns - node->start_ns;
}

/* |ends| of earlier nodes are known, and lengths follow from them. */
static int64_t start_of(const tacho_path_graph *graph, const tacho_path_node *node, uint32_t name,
                        bool is_work)
{
    int64_t weight_ns = 0;
    int64_t start_ns = INT64_MIN;
    tacho_path_reason reason = tacho_path_graph_reason(graph, node, &weight_ns);
    if (reason == TACHO_PATH_BEGINS) {
        return node->start_ns;
    }
    if (node->before != TACHO_NONE) {
        start_ns = graph->ends[node->before] + (reason == TACHO_PATH_BEFORE ? weight_ns : 0);
    }
    if (node->launch != TACHO_NONE) {
        const tacho_path_node *call = &graph->nodes[node->launch];
        int64_t delay_ns = reason == TACHO_PATH_LAUNCH ? weight_ns : graph->least_launch_ns;
        int64_t call_ns = graph->ends[node->launch] - length_of(call, name, is_work) +
                          (node->launch_ns - call->start_ns);
        start_ns = latest(start_ns, call_ns + delay_ns);
    }
    if (node->other != TACHO_NONE) {
        int64_t other_ns = graph->ends[node->other];
        start_ns = latest(start_ns, other_ns + (reason == TACHO_PATH_OTHER ? weight_ns : 0));
    }
    return start_ns;
}

tacho_status tacho_path_graph_solve(tacho_path_graph *graph, uint32_t name, bool is_work,
                                    int64_t *out_end_ns)
{
    int64_t last_ns = INT64_MIN;
    TACHO_TRY(tacho_grow(&graph->ends, &graph->end_capacity, graph->node_count));
    find_least_launch(graph);
    for (size_t i = 0; i < graph->node_count; i++) {
        const tacho_path_node *node = &graph->nodes[i];
        graph->ends[i] = start_of(graph, node, name, is_work) + length_of(node, name, is_work);
        last_ns = node->is_work ? latest(last_ns, graph->ends[i]) : last_ns;
    }
    *out_end_ns = last_ns;
    return TACHO_OK;
}
