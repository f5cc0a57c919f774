/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs of nodes: branches of an If, bodies of loops, functions that are called. Inference
 * requests one when it reaches the node; its nodes are read as those of the model are, with names
 * of their own that hide those around them. Outputs of a branch or a call replace those of the
 * node: a tensor made by a node inside becomes the outer one, and any other output (a constant, a
 * value from outside, the same tensor twice) passes through an Identity.
 */
#include "base/grow.h"
#include "graph/onnx_reader.h"
#include "graph/op_def.h"

#include <inttypes.h>

tacho_status tacho_onnx_add_branch(tacho_onnx_state *state, tacho_body body, tacho_str bytes)
{
    TACHO_TRY(tacho_grow(&state->branches, &state->branch_capacity, state->branch_count + 1));
    state->branches[state->branch_count++] =
        (tacho_onnx_branch){(uint32_t)state->graph->node_count, state->scope, body, bytes};
    return TACHO_OK;
}

tacho_status tacho_onnx_note_branch(tacho_onnx_state *state, tacho_str name, tacho_str bytes)
{
    static const struct {
        tacho_str name;
        tacho_body body;
    } known[] = {{TACHO_STR_INIT("then_branch"), TACHO_BODY_THEN},
                 {TACHO_STR_INIT("else_branch"), TACHO_BODY_ELSE},
                 {TACHO_STR_INIT("body"), TACHO_BODY_STEP}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (tacho_str_equal(name, known[i].name)) {
            return tacho_onnx_add_branch(state, known[i].body, bytes);
        }
    }
    return TACHO_OK;
}

/* The first graph of a node, as branches are noted in the order of their nodes. */
static size_t first_branch(const tacho_onnx_state *state, uint32_t node)
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
    return low;
}

static const tacho_onnx_branch *find_branch(const tacho_onnx_state *state, uint32_t node,
                                            tacho_body body)
{
    size_t i = first_branch(state, node);
    for (; i < state->branch_count && state->branches[i].node == node; i++) {
        if (state->branches[i].body == body) {
            return &state->branches[i];
        }
    }
    return NULL;
}

bool tacho_onnx_has_body(const void *self, uint32_t node, tacho_body body)
{
    const tacho_onnx_state *state = self;
    return find_branch(state, state->graph->nodes[node].index, body) != NULL;
}

const void *tacho_onnx_find_body(const void *self, uint32_t node)
{
    const tacho_onnx_state *state = self;
    uint32_t index = state->graph->nodes[node].index;
    size_t i = first_branch(state, index);
    bool has_one = i < state->branch_count && state->branches[i].node == index;
    return has_one ? state->branches[i].bytes.data : NULL;
}

/* ---- scopes --------------------------------------------------------------------------------- */

static tacho_status add_scope(tacho_onnx_state *state, tacho_onnx_scope scope)
{
    TACHO_TRY(tacho_grow(&state->scopes, &state->scope_capacity, state->scope_count + 1));
    state->scopes[state->scope_count++] = scope;
    return TACHO_OK;
}

/* Enters a scope inside that of the node; of a call, one that sees nothing around it. */
static tacho_status enter_scope(tacho_onnx_state *state, const tacho_onnx_branch *branch,
                                uint32_t node)
{
    if (state->scope_count == 0) {
        TACHO_TRY(tacho_index_init(&state->local_index));
        TACHO_TRY(add_scope(state, (tacho_onnx_scope){.call = TACHO_NONE}));
    }
    bool is_call = branch->body == TACHO_BODY_CALL;
    tacho_onnx_scope scope = {.parent = branch->scope,
                              .depth = state->scopes[branch->scope].depth + 1,
                              .call = state->scopes[branch->scope].call,
                              .is_closed = is_call};
    if (scope.depth > TACHO_ONNX_DEPTH_MAX) {
        return tacho_onnx_fail(state, TACHO_CODE_LIMIT, branch->bytes.data,
                               "%s nested more than %d deep are not supported",
                               is_call ? "calls of functions" : "branches",
                               (int)TACHO_ONNX_DEPTH_MAX);
    }
    if (is_call) {
        tacho_node caller = state->graph->nodes[node];
        TACHO_TRY(tacho_onnx_add_call(state, &caller, branch->bytes, &scope.call));
    }
    TACHO_TRY(add_scope(state, scope));
    state->scope = (uint32_t)state->scope_count - 1;
    return TACHO_OK;
}

/* The name of the next input or output. */
static tacho_status next_name(const tacho_onnx_state *state, const tacho_onnx_branch *branch,
                              bool is_output, tacho_pb_reader *reader, tacho_str *out_name,
                              bool *out_got)
{
    return branch->body == TACHO_BODY_CALL
               ? tacho_onnx_next_parameter(state, reader, is_output, out_name, out_got)
               : tacho_onnx_next_value(state, reader, is_output, out_name, out_got);
}

static tacho_status bind_inputs(tacho_onnx_state *state, const tacho_onnx_branch *branch,
                                const tacho_body_use *use)
{
    tacho_pb_reader reader = tacho_onnx_open(state, branch->bytes);
    bool got = true;
    for (size_t i = 0; got; i++) {
        tacho_str name = TACHO_STR("");
        TACHO_TRY(next_name(state, branch, false, &reader, &name, &got));
        if (got && name.len > 0) {
            TACHO_TRY(tacho_onnx_tensor_bind(state, name,
                                             i < use->input_count ? use->inputs[i] : TACHO_NONE));
        }
        if (!got && i < use->input_count) {
            return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, branch->bytes.data,
                                   "it has %zu inputs, and %zu are given", i, use->input_count);
        }
    }
    return TACHO_OK;
}

static tacho_status find_outputs(tacho_onnx_state *state, const tacho_onnx_branch *branch,
                                 const tacho_body_use *use)
{
    tacho_pb_reader reader = tacho_onnx_open(state, branch->bytes);
    for (size_t i = 0; i < use->output_count; i++) {
        tacho_str name = TACHO_STR("");
        bool got;
        TACHO_TRY(next_name(state, branch, true, &reader, &name, &got));
        if (!got) {
            return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, branch->bytes.data,
                                   "a branch gives %zu values, the node has %zu", i,
                                   use->output_count);
        }
        uint32_t tensor = tacho_onnx_tensor_find(state, name);
        bool is_there = tensor != TACHO_NONE && tensor != TACHO_ONNX_ABSENT;
        const tacho_tensor *found = is_there ? &state->graph->tensors[tensor] : NULL;
        if (found == NULL ||
            (found->producer == TACHO_NONE && !found->is_constant && !found->is_input)) {
            return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, name.data,
                                   "no node produces output '%.*s' of a branch",
                                   TACHO_STR_ARG(tacho_onnx_shown(name)));
        }
        use->outputs[i] = tensor;
    }
    return TACHO_OK;
}

/*
 * Loops and calls of calls could make more of a small file than any computer has room for: all that
 * the graph has grown by since it was read counts, and each scope.
 */
static tacho_status check_growth(const tacho_onnx_state *state, const char *at)
{
    size_t count = state->graph->node_count + state->graph->tensor_count + state->scope_count;
    return count - state->first_count <= TACHO_ONNX_ENTERED_MAX
               ? TACHO_OK
               : tacho_onnx_fail(state, TACHO_CODE_LIMIT, at,
                                 "loops and functions have more than %d nodes and tensors",
                                 (int)TACHO_ONNX_ENTERED_MAX);
}

tacho_status tacho_onnx_enter_body(void *self, const tacho_body_use *use)
{
    static const char *const names[] = {"the then branch", "the else branch", "the body",
                                        "the function"};
    tacho_onnx_state *state = self;
    uint32_t index = state->graph->nodes[use->node].index;
    tacho_onnx_branch branch = *find_branch(state, index, use->body);
    TACHO_TRY(enter_scope(state, &branch, use->node));
    TACHO_TRY(bind_inputs(state, &branch, use));
    TACHO_TRY_NOTE(branch.body == TACHO_BODY_CALL ? tacho_onnx_read_function(state, branch.bytes)
                                                  : tacho_onnx_read_body(state, branch.bytes),
                   "in %s of node %" PRIu32, names[use->body], index);
    TACHO_TRY(check_growth(state, branch.bytes.data));
    return find_outputs(state, &branch, use);
}

/* ---- outputs of the branch ------------------------------------------------------------------ */

/* One taking of a branch. */
typedef struct taking {
    tacho_onnx_state *state;
    uint32_t node; /* the If */
    size_t first_node, first_tensor, first_local;
    uint32_t *becomes; /* by tensor of the branch: the If's that it is, or TACHO_NONE */
    uint32_t *given;   /* the tensor for each output of the If */
} taking;

/* Takes types of the branch; the declared shape of the If may be that of the other branch. */
static void merge_type(tacho_graph *graph, uint32_t from, uint32_t to)
{
    tacho_tensor *tensor = &graph->tensors[to];
    const tacho_tensor *inner = &graph->tensors[from];
    tensor->dtype = tensor->dtype == TACHO_DTYPE_NONE ? inner->dtype : tensor->dtype;
    if (!tensor->is_output) {
        tensor->shape = inner->shape;
    }
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
    bool is_inner = tensor < TACHO_ONNX_ABSENT && tensor >= self->first_tensor;
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

/* Outputs that are not made by a node of this branch alone. */
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

/* Room for outputs; |given| is in the graph's arena, as nodes inside use the scratch. */
static tacho_status make_room(taking *self)
{
    tacho_graph *graph = self->state->graph;
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(
        &graph->arena, graph->nodes[self->node].output_count * sizeof(*self->given), &memory));
    self->given = memory;
    return TACHO_OK;
}

static tacho_status join(taking *self)
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
    join_outputs(self);
    rename_tensors(self);
    return copy_outputs(self);
}

tacho_status tacho_onnx_take_branch(void *self, uint32_t node, tacho_body body)
{
    tacho_onnx_state *state = self;
    tacho_graph *graph = state->graph;
    bool is_call = body == TACHO_BODY_CALL;
    taking now = {.state = state,
                  .node = node,
                  .first_node = graph->node_count,
                  .first_tensor = graph->tensor_count,
                  .first_local = state->local_count};
    TACHO_TRY(make_room(&now));
    tacho_body_use use = {.node = node,
                          .body = body,
                          .input_count = is_call ? graph->nodes[node].input_count : 0,
                          .outputs = now.given,
                          .output_count = graph->nodes[node].output_count};
    uint32_t *inputs = NULL;
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&graph->arena, use.input_count * sizeof(*inputs), &memory));
    inputs = memory;
    for (size_t i = 0; i < use.input_count; i++) {
        inputs[i] = graph->links[graph->nodes[node].first_input + i];
    }
    use.inputs = inputs;
    TACHO_TRY(tacho_onnx_enter_body(state, &use));
    return join(&now);
}
