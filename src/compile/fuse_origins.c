/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes of one origin, an operator of the framework, become one operator, with the last of them, as
 * far as their results have no other readers.
 */
#include "base/grow.h"
#include "base/index.h"
#include "compile/fuse.h"

#include <stdlib.h>
#include <string.h>

typedef struct origins {
    const tacho_fuse_parts *parts;
    uint32_t *last_of; /* by scope: the operator of its last node */
    bool *is_needed;   /* by node: read by a node outside its group */
} origins;

/* The tensor that input |i| reads, views seen through, or TACHO_NONE. */
static uint32_t read_by(const origins *self, const tacho_node *node, size_t i)
{
    uint32_t tensor = self->parts->fusion->graph->links[node->first_input + i];
    return tensor == TACHO_NONE ? TACHO_NONE : self->parts->fusion->alias[tensor];
}

/* From the last node to the first: who reads a node is known before it. */
static void gather(origins *self, uint32_t *into)
{
    const tacho_graph *graph = self->parts->fusion->graph;
    const uint32_t *op_of = self->parts->op_of;
    for (size_t i = graph->node_count; i-- > 0;) {
        const tacho_node *node = &graph->nodes[i];
        into[i] = TACHO_NONE;
        if (op_of[i] == TACHO_NONE) {
            continue;
        }
        uint32_t *last = &self->last_of[node->scope];
        bool is_part = tacho_graph_origin(graph, node).len > 0 && node->output_count == 1;
        bool is_last = is_part && *last == TACHO_NONE;
        bool is_inside =
            is_part && !is_last && !self->is_needed[i] &&
            !self->parts->is_output[self->parts->fusion->alias[graph->links[node->first_output]]];
        *last = is_last ? op_of[i] : *last;
        into[i] = is_inside ? *last : TACHO_NONE;
        for (size_t j = 0; j < node->input_count; j++) {
            uint32_t tensor = read_by(self, node, j);
            uint32_t maker = tensor != TACHO_NONE ? graph->tensors[tensor].producer : TACHO_NONE;
            bool is_one = (is_last || is_inside) && maker != TACHO_NONE &&
                          graph->nodes[maker].scope == node->scope;
            if (maker != TACHO_NONE && !is_one) {
                self->is_needed[maker] = true;
            }
        }
    }
}

tacho_status tacho_fuse_origins(const tacho_fuse_parts *parts, uint32_t *into)
{
    const tacho_graph *graph = parts->fusion->graph;
    size_t scopes = graph->strings.item_count;
    origins self = {parts, tacho_items_alloc(scopes, sizeof(uint32_t)),
                    tacho_items_alloc(graph->node_count, sizeof(bool))};
    bool has_memory = self.last_of != NULL && self.is_needed != NULL;
    if (has_memory) {
        memset(self.last_of, 0xff, scopes * sizeof(uint32_t));
        gather(&self, into);
    }
    free(self.last_of);
    free(self.is_needed);
    return has_memory ? TACHO_OK : tacho_no_memory();
}
