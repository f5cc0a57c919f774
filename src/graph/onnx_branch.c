/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The branches of an If. Inference asks for the one that is chosen; its nodes are read as those of
 * the model are, with names of their own that hide those around them. What the branch gives back
 * is what the If made: the tensor that a node of the branch makes becomes the If's, and what comes
 * from elsewhere (a constant, a value from outside, the same tensor twice) passes an Identity.
 */
#include "base/grow.h"
#include "graph/onnx_reader.h"
#include "graph/op_def.h"

#include <inttypes.h>

tacho_status tacho_onnx_note_branch(tacho_onnx_state *state, tacho_str name, tacho_str bytes)
{
    bool is_then = tacho_str_equal(name, TACHO_STR("then_branch"));
    if (!is_then && !tacho_str_equal(name, TACHO_STR("else_branch"))) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&state->branches, &state->branch_capacity, state->branch_count + 1));
    state->branches[state->branch_count++] =
        (tacho_onnx_branch){(uint32_t)state->graph->node_count, state->scope, is_then, bytes};
    return TACHO_OK;
}

/* Branches are noted in the order of their nodes. */
static const tacho_onnx_branch *find_branch(const tacho_onnx_state *state, uint32_t node,
                                            bool is_then)
{
    size_t low = 0, high = state->branch_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (state->branches[middle].node < node) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < state->branch_count && state->branches[low].node == node; low++) {
        if (state->branches[low].is_then == is_then) {
            return &state->branches[low];
        }
    }
    return NULL;
}

/* ---- scopes --------------------------------------------------------------------------------- */

static tacho_status add_scope(tacho_onnx_state *state, tacho_onnx_scope scope)
{
    TACHO_TRY(tacho_grow(&state->scopes, &state->scope_capacity, state->scope_count + 1));
    state->scopes[state->scope_count++] = scope;
    return TACHO_OK;
}

/* Enters a scope of its own inside that of the If. */
static tacho_status enter(tacho_onnx_state *state, const tacho_onnx_branch *branch)
{
    if (state->scope_count == 0) {
        TACHO_TRY(tacho_index_init(&state->local_index));
        TACHO_TRY(add_scope(state, (tacho_onnx_scope){0, 0}));
    }
    uint32_t depth = state->scopes[branch->scope].depth + 1;
    if (depth > TACHO_ONNX_DEPTH_MAX) {
        return tacho_onnx_fail(state, TACHO_CODE_LIMIT, branch->bytes.data,
                               "branches nested more than %d deep are not supported",
                               (int)TACHO_ONNX_DEPTH_MAX);
    }
    TACHO_TRY(add_scope(state, (tacho_onnx_scope){branch->scope, depth}));
    state->scope = (uint32_t)state->scope_count - 1;
    return TACHO_OK;
}

/* ---- what the branch gives back ------------------------------------------------------------- */

/* One taking of a branch. */
typedef struct taking {
    tacho_onnx_state *state;
    uint32_t node; /* the If */
    size_t first_node, first_tensor, first_local;
    uint32_t *becomes; /* by tensor of the branch: the If's that it is, or TACHO_NONE */
    uint32_t *given;   /* what each output of the If is given */
} taking;

/* Types that the branch tells; the shape that the If is said to have may be that of the other. */
static void merge_type(tacho_graph *graph, uint32_t from, uint32_t to)
{
    tacho_tensor *tensor = &graph->tensors[to];
    const tacho_tensor *inner = &graph->tensors[from];
    tensor->dtype = tensor->dtype == TACHO_DTYPE_NONE ? inner->dtype : tensor->dtype;
    if (!tensor->is_output) {
        tensor->shape = inner->shape;
    }
}

static tacho_status find_given(const taking *self, tacho_str graph)
{
    tacho_onnx_state *state = self->state;
    const tacho_node *node = &state->graph->nodes[self->node];
    tacho_pb_reader reader = tacho_onnx_open(state, graph);
    for (uint32_t i = 0; i < node->output_count; i++) {
        tacho_str name = TACHO_STR("");
        bool got;
        TACHO_TRY(tacho_onnx_next_output(state, &reader, &name, &got));
        if (!got) {
            return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, graph.data,
                                   "a branch gives %" PRIu32 " values, the If has %" PRIu32, i,
                                   node->output_count);
        }
        uint32_t tensor = tacho_onnx_tensor_find(state, name);
        const tacho_tensor *found = tensor == TACHO_NONE ? NULL : &state->graph->tensors[tensor];
        if (found == NULL ||
            (found->producer == TACHO_NONE && !found->is_constant && !found->is_input)) {
            return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, name.data,
                                   "no node produces output '%.*s' of a branch",
                                   TACHO_STR_ARG(tacho_onnx_shown(name)));
        }
        self->given[i] = tensor;
    }
    return TACHO_OK;
}

/* Makes tensors of the branch the If's, where they can be. */
static void join_outputs(const taking *self)
{
    tacho_graph *graph = self->state->graph;
    for (uint32_t i = 0; i < graph->nodes[self->node].output_count; i++) {
        uint32_t outer = graph->links[graph->nodes[self->node].first_output + i];
        uint32_t inner = self->given[i];
        bool is_made = inner >= self->first_tensor && graph->tensors[inner].producer != TACHO_NONE;
        if (outer == TACHO_NONE || !is_made ||
            self->becomes[inner - self->first_tensor] != TACHO_NONE) {
            continue;
        }
        self->becomes[inner - self->first_tensor] = outer;
        merge_type(graph, inner, outer);
        graph->tensors[outer].producer = graph->tensors[inner].producer;
        graph->tensors[inner].producer = TACHO_NONE;
        self->given[i] = TACHO_NONE;
    }
}

static uint32_t renamed(const taking *self, uint32_t tensor)
{
    bool is_inner = tensor != TACHO_NONE && tensor >= self->first_tensor;
    uint32_t becomes = is_inner ? self->becomes[tensor - self->first_tensor] : TACHO_NONE;
    return becomes == TACHO_NONE ? tensor : becomes;
}

/* In the nodes of the branch, and in its names, which branches inside it may use. */
static void rename_tensors(const taking *self)
{
    tacho_graph *graph = self->state->graph;
    for (size_t i = self->first_node; i < graph->node_count; i++) {
        const tacho_node *node = &graph->nodes[i];
        for (uint32_t j = 0; j < node->input_count; j++) {
            uint32_t *link = &graph->links[node->first_input + j];
            *link = renamed(self, *link);
        }
        for (uint32_t j = 0; j < node->output_count; j++) {
            uint32_t *link = &graph->links[node->first_output + j];
            *link = renamed(self, *link);
        }
    }
    for (size_t i = self->first_local; i < self->state->local_count; i++) {
        uint32_t *tensor = &self->state->locals[i].tensor;
        *tensor = renamed(self, *tensor);
    }
}

/* Outputs that are no node's of the branch alone. */
static tacho_status copy_outputs(const taking *self)
{
    tacho_graph *graph = self->state->graph;
    uint32_t type;
    TACHO_TRY(tacho_strings_ensure(&graph->strings, TACHO_STR("Identity"), &type));
    for (uint32_t i = 0; i < graph->nodes[self->node].output_count; i++) {
        const tacho_node *origin = &graph->nodes[self->node];
        uint32_t outer = graph->links[origin->first_output + i];
        if (outer == TACHO_NONE || self->given[i] == TACHO_NONE) {
            continue;
        }
        uint32_t inner = renamed(self, self->given[i]);
        merge_type(graph, inner, outer);
        tacho_node node = {.name = origin->name,
                           .type = type,
                           .def = tacho_op_def_find(TACHO_STR("Identity")),
                           .location = origin->location,
                           .index = (uint32_t)graph->node_count,
                           .opset = origin->opset};
        tacho_node_lists lists = {
            .inputs = &inner, .input_count = 1, .outputs = &outer, .output_count = 1};
        TACHO_TRY(tacho_graph_add_node(graph, &node, &lists));
    }
    return TACHO_OK;
}

static tacho_status join(taking *self, tacho_str graph)
{
    tacho_onnx_state *state = self->state;
    void *memory = NULL;
    size_t tensors = state->graph->tensor_count - self->first_tensor;
    tacho_arena_reset(&state->arena);
    TACHO_TRY(tacho_arena_alloc(&state->arena, tensors * sizeof(*self->becomes), &memory));
    self->becomes = memory;
    for (size_t i = 0; i < tensors; i++) {
        self->becomes[i] = TACHO_NONE;
    }
    TACHO_TRY(tacho_arena_alloc(&state->arena,
                                state->graph->nodes[self->node].output_count * sizeof(*self->given),
                                &memory));
    self->given = memory;
    TACHO_TRY(find_given(self, graph));
    join_outputs(self);
    rename_tensors(self);
    return copy_outputs(self);
}

tacho_status tacho_onnx_take_branch(void *self, uint32_t node, bool is_true, bool *out_taken)
{
    tacho_onnx_state *state = self;
    tacho_graph *graph = state->graph;
    const tacho_onnx_branch *found = find_branch(state, graph->nodes[node].index, is_true);
    *out_taken =
        found != NULL &&
        tacho_str_equal(tacho_graph_string(graph, graph->nodes[node].type), TACHO_STR("If"));
    if (!*out_taken) {
        return TACHO_OK;
    }
    tacho_onnx_branch branch = *found;
    taking now = {.state = state,
                  .node = node,
                  .first_node = graph->node_count,
                  .first_tensor = graph->tensor_count,
                  .first_local = state->local_count};
    TACHO_TRY(enter(state, &branch));
    TACHO_TRY_NOTE(tacho_onnx_read_body(state, branch.bytes), "in the %s branch of node %" PRIu32,
                   is_true ? "then" : "else", graph->nodes[node].index);
    return join(&now, branch.bytes);
}
