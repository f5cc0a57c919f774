/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk that finds types, shapes and constants.
 */
#include "graph/infer.h"

tacho_status tacho_graph_infer(tacho_graph *graph)
{
    for (size_t i = 0; i < graph->node_count; i++) {
        const tacho_node *node = &graph->nodes[i];
        if (node->def != NULL && node->def->infer != NULL) {
            TACHO_TRY(node->def->infer(&(tacho_infer){graph, node}));
        }
    }
    return TACHO_OK;
}
