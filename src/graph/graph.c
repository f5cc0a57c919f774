/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building a graph, and putting its nodes in order.
 */
#include "graph/graph.h"

#include "base/grow.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

tacho_status tacho_graph_init(tacho_graph *graph)
{
    *graph = (tacho_graph){.format = "", .note = TACHO_STR("")};
    tacho_arena_init(&graph->arena);
    return tacho_strings_init(&graph->strings);
}

void tacho_graph_close_branches(tacho_graph *graph)
{
    if (graph->branches.self != NULL) {
        graph->branches.close(graph->branches.self);
    }
    graph->branches = (tacho_branches){0};
}

void tacho_graph_deinit(tacho_graph *graph)
{
    tacho_graph_close_branches(graph);
    tacho_mappings_close(&graph->mappings);
    free(graph->tensors);
    free(graph->nodes);
    free(graph->links);
    free(graph->attrs);
    free(graph->constants);
    free(graph->inputs);
    free(graph->outputs);
    free(graph->given_sizes);
    tacho_strings_deinit(&graph->strings);
    tacho_shapes_deinit(&graph->shapes);
    tacho_arena_deinit(&graph->arena);
}

void tacho_graph_trim(tacho_graph *graph)
{
    tacho_strings_pack(&graph->strings);
    tacho_grow_trim(&graph->tensors, &graph->tensor_capacity, graph->tensor_count);
    tacho_grow_trim(&graph->nodes, &graph->node_capacity, graph->node_count);
    tacho_grow_trim(&graph->links, &graph->link_capacity, graph->link_count);
    tacho_grow_trim(&graph->attrs, &graph->attr_capacity, graph->attr_count);
    tacho_mappings_release(&graph->mappings);
}

void tacho_graph_add_note(tacho_graph *graph, const char *format, ...)
{
    enum { NOTES_MAX = 290 };
    char text[NOTES_MAX + 1];
    tacho_str kept;
    size_t used = graph->note.len;
    if (used > NOTES_MAX / 2) {
        return; /* the next one would be cut */
    }
    memcpy(text, graph->note.data, used);
    if (used > 0) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, "; ");
    }
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, sizeof(text) - used, format, args);
    va_end(args);
    tacho_status status = tacho_arena_copy(&graph->arena, tacho_str_from_cstring(text), &kept);
    if (status == TACHO_OK) {
        graph->note = kept;
    }
    tacho_status_free(status);
}

tacho_status tacho_graph_add_absent(tacho_graph *graph, tacho_str name, tacho_str file,
                                    tacho_stand_in stand_in)
{
    if (graph->absent_weight_count == 0) {
        TACHO_TRY(tacho_arena_copy(&graph->arena, file, &graph->absent_file));
    }
    graph->absent_weight_count++;
    graph->zero_weight_count += stand_in == TACHO_STAND_IN_ZEROS ? 1 : 0;
    graph->random_weight_count += stand_in == TACHO_STAND_IN_RANDOM ? 1 : 0;
    if (name.len == 0 || graph->absent_name_count == TACHO_ABSENT_NAMED_MAX) {
        return TACHO_OK;
    }
    return tacho_strings_ensure(&graph->strings, name,
                                &graph->absent_names[graph->absent_name_count++]);
}

tacho_status tacho_graph_add_tensor(tacho_graph *graph, tacho_str name, uint32_t *out_id)
{
    TACHO_TRY(tacho_grow(&graph->tensors, &graph->tensor_capacity, graph->tensor_count + 1));
    tacho_tensor *tensor = &graph->tensors[graph->tensor_count];
    *tensor = (tacho_tensor){.producer = TACHO_NONE, .constant = TACHO_NONE};
    TACHO_TRY(tacho_graph_set_shape(graph, tensor, &(tacho_shape){.rank = TACHO_RANK_UNKNOWN}));
    TACHO_TRY(tacho_strings_ensure(&graph->strings, name, &tensor->name));
    *out_id = (uint32_t)graph->tensor_count++;
    return TACHO_OK;
}

tacho_status tacho_graph_set_shape(tacho_graph *graph, tacho_tensor *tensor,
                                   const tacho_shape *shape)
{
    uint32_t number;
    TACHO_TRY(tacho_shapes_ensure(&graph->shapes, shape, &number));
    tensor->shape = graph->shapes.items[number];
    return TACHO_OK;
}

tacho_status tacho_graph_set_constant(tacho_graph *graph, uint32_t tensor,
                                      const tacho_constant *constant)
{
    TACHO_TRY(tacho_grow(&graph->constants, &graph->constant_capacity, graph->constant_count + 1));
    graph->constants[graph->constant_count] = *constant;
    graph->tensors[tensor].constant = (uint32_t)graph->constant_count++;
    graph->tensors[tensor].is_constant = true;
    return TACHO_OK;
}

static tacho_status add_links(tacho_graph *graph, const uint32_t *tensors, size_t count,
                              uint32_t *out_first)
{
    TACHO_TRY(tacho_grow(&graph->links, &graph->link_capacity, graph->link_count + count + 1));
    *out_first = (uint32_t)graph->link_count;
    for (size_t i = 0; i < count; i++) {
        graph->links[graph->link_count++] = tensors[i];
    }
    return TACHO_OK;
}

tacho_status tacho_graph_add_node(tacho_graph *graph, const tacho_node *node,
                                  const tacho_node_lists *lists)
{
    tacho_node made = *node;
    made.input_count = (uint32_t)lists->input_count;
    made.output_count = (uint32_t)lists->output_count;
    made.first_attr = (uint32_t)graph->attr_count;
    made.attr_count = (uint32_t)lists->attr_count;
    TACHO_TRY(add_links(graph, lists->inputs, lists->input_count, &made.first_input));
    TACHO_TRY(add_links(graph, lists->outputs, lists->output_count, &made.first_output));
    TACHO_TRY(tacho_grow(&graph->attrs, &graph->attr_capacity,
                         graph->attr_count + lists->attr_count + 1));
    for (size_t i = 0; i < lists->attr_count; i++) {
        graph->attrs[graph->attr_count++] = lists->attrs[i];
    }
    for (size_t i = 0; i < lists->output_count; i++) {
        if (lists->outputs[i] != TACHO_NONE) {
            graph->tensors[lists->outputs[i]].producer = (uint32_t)graph->node_count;
        }
    }
    TACHO_TRY(tacho_grow(&graph->nodes, &graph->node_capacity, graph->node_count + 1));
    graph->nodes[graph->node_count++] = made;
    return TACHO_OK;
}

/* ---- order --------------------------------------------------------------------------------- */

/* The nodes that wait for others, and those that are ready, smallest number first. */
typedef struct sorter {
    tacho_graph *graph;
    uint32_t *waits;      /* by node: inputs whose producer is not placed yet */
    uint32_t *first_user; /* by tensor: where its users begin in |users| */
    uint32_t *users;      /* nodes */
    uint32_t *ready;      /* a heap */
    size_t ready_count;
    tacho_node *sorted;
    uint32_t *place; /* by node: its new number */
} sorter;

static void push_ready(sorter *self, uint32_t node)
{
    size_t at = self->ready_count++;
    for (; at > 0 && self->ready[(at - 1) / 2] > node; at = (at - 1) / 2) {
        self->ready[at] = self->ready[(at - 1) / 2];
    }
    self->ready[at] = node;
}

static uint32_t pop_ready(sorter *self)
{
    uint32_t first = self->ready[0];
    uint32_t last = self->ready[--self->ready_count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < self->ready_count; at = child) {
        if (child + 1 < self->ready_count && self->ready[child + 1] < self->ready[child]) {
            child++;
        }
        if (last <= self->ready[child]) {
            break;
        }
        self->ready[at] = self->ready[child];
    }
    self->ready[at] = last;
    return first;
}

/* The tensor of an input that some node makes, or TACHO_NONE. */
static uint32_t made_input(const tacho_graph *graph, const tacho_node *node, size_t i)
{
    uint32_t tensor = graph->links[node->first_input + i];
    bool is_made = tensor != TACHO_NONE && graph->tensors[tensor].producer != TACHO_NONE;
    return is_made ? tensor : TACHO_NONE;
}

static void count_users(sorter *self)
{
    const tacho_graph *graph = self->graph;
    for (size_t i = 0; i < graph->node_count; i++) {
        for (size_t j = 0; j < graph->nodes[i].input_count; j++) {
            uint32_t tensor = made_input(graph, &graph->nodes[i], j);
            if (tensor != TACHO_NONE) {
                self->waits[i]++;
                self->first_user[tensor + 1]++;
            }
        }
    }
    for (size_t i = 0; i < graph->tensor_count; i++) {
        self->first_user[i + 1] += self->first_user[i];
    }
}

/* Files each node under the tensors it uses; |first_user| ends up where each list ends. */
static void file_users(sorter *self)
{
    const tacho_graph *graph = self->graph;
    for (size_t i = 0; i < graph->node_count; i++) {
        for (size_t j = 0; j < graph->nodes[i].input_count; j++) {
            uint32_t tensor = made_input(graph, &graph->nodes[i], j);
            if (tensor != TACHO_NONE) {
                self->users[self->first_user[tensor]++] = (uint32_t)i;
            }
        }
    }
}

static void release_users(sorter *self, const tacho_node *node)
{
    for (size_t i = 0; i < node->output_count; i++) {
        uint32_t tensor = self->graph->links[node->first_output + i];
        if (tensor == TACHO_NONE) {
            continue;
        }
        uint32_t begin = tensor == 0 ? 0 : self->first_user[tensor - 1];
        for (uint32_t j = begin; j < self->first_user[tensor]; j++) {
            if (--self->waits[self->users[j]] == 0) {
                push_ready(self, self->users[j]);
            }
        }
    }
}

static tacho_status place_nodes(sorter *self)
{
    tacho_graph *graph = self->graph;
    for (size_t i = 0; i < graph->node_count; i++) {
        if (self->waits[i] == 0) {
            push_ready(self, (uint32_t)i);
        }
    }
    uint32_t placed = 0;
    while (self->ready_count > 0) {
        uint32_t node = pop_ready(self);
        self->sorted[placed] = graph->nodes[node];
        self->place[node] = placed++;
        release_users(self, &graph->nodes[node]);
    }
    for (size_t i = 0; placed < graph->node_count && i < graph->node_count; i++) {
        if (self->waits[i] > 0) {
            const tacho_node *node = &graph->nodes[i];
            return tacho_fail(
                TACHO_CODE_BAD_DATA,
                "%.*s: the graph has a cycle: node %" PRIu32 " '%s' (%s) depends on its own result",
                TACHO_STR_ARG(graph->path), node->index, tacho_graph_string(graph, node->name).data,
                tacho_graph_string(graph, node->type).data);
        }
    }
    return TACHO_OK;
}

tacho_status tacho_graph_sort(tacho_graph *graph)
{
    tacho_arena scratch;
    tacho_arena_init(&scratch);
    sorter self = {.graph = graph};
    size_t nodes = graph->node_count;
    struct {
        void **memory;
        size_t size;
    } wanted[] = {
        {(void **)&self.waits, nodes * sizeof(*self.waits)},
        {(void **)&self.first_user, (graph->tensor_count + 1) * sizeof(*self.first_user)},
        {(void **)&self.users, graph->link_count * sizeof(*self.users)},
        {(void **)&self.ready, nodes * sizeof(*self.ready)},
        {(void **)&self.sorted, nodes * sizeof(*self.sorted)},
        {(void **)&self.place, nodes * sizeof(*self.place)},
    };
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]) && status == TACHO_OK; i++) {
        status = tacho_arena_alloc(&scratch, wanted[i].size, wanted[i].memory);
    }
    if (status == TACHO_OK) {
        count_users(&self);
        file_users(&self);
        status = place_nodes(&self);
    }
    if (status == TACHO_OK && nodes > 0) {
        memcpy(graph->nodes, self.sorted, nodes * sizeof(*self.sorted));
        for (size_t i = 0; i < graph->tensor_count; i++) {
            uint32_t *producer = &graph->tensors[i].producer;
            *producer = *producer == TACHO_NONE ? TACHO_NONE : self.place[*producer];
        }
    }
    tacho_arena_deinit(&scratch);
    return status;
}

/* ---- looking ------------------------------------------------------------------------------- */

static tacho_tensor *link_at(const tacho_graph *graph, uint32_t first, uint32_t count, size_t i)
{
    uint32_t tensor = i < count ? graph->links[first + i] : TACHO_NONE;
    return tensor == TACHO_NONE ? NULL : &graph->tensors[tensor];
}

tacho_tensor *tacho_graph_input(const tacho_graph *graph, const tacho_node *node, size_t i)
{
    return link_at(graph, node->first_input, node->input_count, i);
}

tacho_tensor *tacho_graph_output(const tacho_graph *graph, const tacho_node *node, size_t i)
{
    return link_at(graph, node->first_output, node->output_count, i);
}

tacho_str tacho_graph_origin(const tacho_graph *graph, const tacho_node *node)
{
    const tacho_str mark = TACHO_STR(": aten.");
    tacho_str last = tacho_str_basename(tacho_graph_string(graph, node->scope));
    tacho_str from = tacho_str_from(last, tacho_str_find_byte(last, ':'));
    return tacho_str_starts_with(from, mark) ? tacho_str_from(from, mark.len) : TACHO_STR("");
}

bool tacho_tensor_bytes(const tacho_tensor *tensor, uint64_t *out_bytes)
{
    uint64_t count;
    *out_bytes = 0;
    return tensor->dtype != TACHO_DTYPE_NONE && tacho_shape_elements(tensor->shape, &count) &&
           tacho_dtype_bytes(tensor->dtype, count, out_bytes);
}
