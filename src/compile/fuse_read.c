/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inputs of operators whose tensors are stored as other numbers than they stand for.
 */
#include "compile/fuse.h"

#include "base/index.h"

#include <string.h>

bool tacho_fusion_is_same(const tacho_graph *graph, uint32_t a, uint32_t b)
{
    if (a == b) {
        return true;
    }
    uint64_t bytes[2];
    if (a == TACHO_NONE || b == TACHO_NONE || graph->tensors[a].constant == TACHO_NONE ||
        graph->tensors[b].constant == TACHO_NONE ||
        graph->tensors[a].dtype != graph->tensors[b].dtype ||
        !tacho_tensor_bytes(&graph->tensors[a], &bytes[0]) ||
        !tacho_tensor_bytes(&graph->tensors[b], &bytes[1]) || bytes[0] != bytes[1]) {
        return false;
    }
    const tacho_constant *first = &graph->constants[graph->tensors[a].constant];
    const tacho_constant *second = &graph->constants[graph->tensors[b].constant];
    if (first->kind != second->kind) {
        return false;
    }
    switch (first->kind) {
    case TACHO_CONSTANT_BYTES:
        return bytes[0] == 0 || memcmp(first->bytes, second->bytes, bytes[0]) == 0;
    case TACHO_CONSTANT_SPLAT:
        return memcmp(first->splat, second->splat, sizeof(first->splat)) == 0;
    case TACHO_CONSTANT_RANDOM:
        return first->seed == second->seed;
    }
    return false;
}

uint32_t tacho_fusion_stored(const tacho_graph *graph, uint32_t tensor)
{
    for (;;) {
        uint32_t producer = graph->tensors[tensor].producer;
        const tacho_node *node = producer != TACHO_NONE ? &graph->nodes[producer] : NULL;
        if (node == NULL || !graph->tensors[tensor].is_constant || node->input_count == 0 ||
            tacho_op_kind_of(graph, node) != TACHO_OP_DEQUANTISE ||
            graph->links[node->first_input] == TACHO_NONE) {
            return tensor;
        }
        tensor = graph->links[node->first_input];
    }
}

uint32_t tacho_fusion_read(const tacho_fusion *fusion, const tacho_fused_op *op, uint32_t tensor)
{
    const tacho_graph *graph = fusion->graph;
    tensor = fusion->alias[tensor];
    if (graph->tensors[tensor].is_constant) {
        return tacho_fusion_stored(graph, tensor);
    }
    uint32_t producer = graph->tensors[tensor].producer;
    const tacho_node *node = producer != TACHO_NONE ? &graph->nodes[producer] : NULL;
    bool is_seen_through = op->is_integer && node != NULL && node->input_count > 0 &&
                           tacho_op_kind_of(graph, node) == TACHO_OP_DEQUANTISE &&
                           graph->links[node->first_input] != TACHO_NONE;
    return is_seen_through ? fusion->alias[graph->links[node->first_input]] : tensor;
}
