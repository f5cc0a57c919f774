/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One walk over the nodes gives each its operator; a second collects what operators read and write.
 */
#include "compile/fuse.h"

#include "base/grow.h"
#include "base/index.h"

#include <stdlib.h>

/* Inputs of a node that are searched for duplicates; a node with more may stay apart. */
enum { LOOK_BACK = 64 };

/* An operator while it grows. */
typedef struct draft {
    uint32_t root;
    tacho_op_kind kind;
    uint32_t result; /* tensor that the last member makes; TACHO_NONE: takes no more members */
    uint32_t fused_steps;
    uint32_t merged_into; /* draft, or TACHO_NONE */
    bool is_integer;
    bool is_linear; /* everything fused so far can be part of the weights */
} draft;

typedef struct fuser {
    const tacho_graph *graph;
    tacho_fusion *fusion;
    draft *drafts;
    size_t draft_count;
    uint32_t *op_of;       /* by node: draft, or TACHO_NONE */
    uint32_t *uses;        /* by tensor, views seen through: nodes that read it */
    uint32_t *dequantised; /* by node: nodes that a dequantisation serves already */
    uint32_t *seen;        /* by tensor: 1 + the operator whose list it was put in last */
    bool *is_output;       /* by tensor, views seen through */
    bool *is_wanted;       /* by tensor: the network returns it or something made from it */
    bool *is_unused;       /* by node: nothing that the network returns depends on it */
    bool is_eager;         /* operators run as the framework has them */
    bool is_as_written;    /* and attention, too */
} fuser;

static bool is_matrix(tacho_op_kind kind)
{
    return kind == TACHO_OP_CONVOLUTION || kind == TACHO_OP_DECONVOLUTION ||
           kind == TACHO_OP_MATMUL;
}

/*
 * Whether the node runs no code: a shape, a constant or a check, or its result is its input under
 * another shape. A view of a network input that the network returns has its own bytes: a copy.
 */
static bool is_free(const fuser *self, const tacho_node *node)
{
    tacho_op_kind kind = tacho_op_kind_of(self->graph, node);
    uint32_t made = node->output_count > 0 ? self->graph->links[node->first_output] : TACHO_NONE;
    bool is_check = tacho_op_has(node->def, TACHO_OP_IS_CHECK);
    if (made != TACHO_NONE && !is_check && kind != TACHO_OP_SHAPE && kind != TACHO_OP_CONSTANT) {
        return self->fusion->alias[made] != made;
    }
    return is_check || kind == TACHO_OP_VIEW || kind == TACHO_OP_SHAPE || kind == TACHO_OP_CONSTANT;
}

/* The tensor that input |i| reads, views seen through, or TACHO_NONE. */
static uint32_t input_of(const fuser *self, const tacho_node *node, size_t i)
{
    uint32_t tensor = self->graph->links[node->first_input + i];
    return tensor == TACHO_NONE ? TACHO_NONE : self->fusion->alias[tensor];
}

static bool is_constant(const fuser *self, uint32_t tensor)
{
    return tensor != TACHO_NONE && self->graph->tensors[tensor].is_constant;
}

static bool is_activation(const fuser *self, uint32_t tensor)
{
    return tensor != TACHO_NONE && !self->graph->tensors[tensor].is_constant;
}

static uint64_t element_count(const fuser *self, uint32_t tensor)
{
    uint64_t count = 0;
    return tacho_shape_elements(self->graph->tensors[tensor].shape, &count) ? count : UINT64_MAX;
}

/* Whether the node is folded away: all its results are constant. */
static bool is_folded(const fuser *self, const tacho_node *node)
{
    uint32_t made = node->output_count > 0 ? self->graph->links[node->first_output] : TACHO_NONE;
    return node->is_folded || tacho_op_kind_of(self->graph, node) == TACHO_OP_CONSTANT ||
           is_constant(self, made);
}

/* ---- uses of tensors ----------------------------------------------------------------------- */

/* Whether the node's result has the bytes of its input: a view, or a cast to the same type. */
static bool is_view(const tacho_graph *graph, const tacho_node *node)
{
    const tacho_tensor *from = tacho_graph_input(graph, node, 0);
    const tacho_tensor *to = tacho_graph_output(graph, node, 0);
    if (from == NULL || to == NULL || to->is_constant || node->def == NULL) {
        return false;
    }
    bool is_cast = tacho_op_has(node->def, TACHO_OP_IS_CAST);
    return node->def->kind == TACHO_OP_VIEW || (is_cast && from->dtype == to->dtype);
}

static void see_through_views(fuser *self)
{
    const tacho_graph *graph = self->graph;
    uint32_t *alias = self->fusion->alias;
    for (uint32_t i = 0; i < graph->tensor_count; i++) {
        alias[i] = i;
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        const tacho_node *node = &graph->nodes[i];
        if (!is_view(graph, node)) {
            continue;
        }
        uint32_t from = graph->links[node->first_input];
        uint32_t to = graph->links[node->first_output];
        bool is_copy = graph->tensors[to].is_output && graph->tensors[alias[from]].is_input;
        alias[to] = is_copy ? to : alias[from];
    }
}

/*
 * Nodes whose results are unused. Nodes that run for more than their results keep their inputs:
 * nodes without results, and control flow, whose bodies read tensors that are not listed. A network
 * that returns nothing is a fragment: all of it is kept.
 */
static void find_unused(fuser *self)
{
    const tacho_graph *graph = self->graph;
    bool *is_wanted = self->is_wanted;
    bool has_outputs = false;
    for (uint32_t i = 0; i < graph->tensor_count; i++) {
        is_wanted[i] = graph->tensors[i].is_output;
        has_outputs = has_outputs || is_wanted[i];
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        if (tacho_op_kind_of(graph, &graph->nodes[i]) == TACHO_OP_CONTROL) {
            return;
        }
    }
    for (size_t i = graph->node_count; i-- > 0 && has_outputs;) {
        const tacho_node *node = &graph->nodes[i];
        bool is_used = node->output_count == 0 || tacho_op_has(node->def, TACHO_OP_IS_CHECK);
        for (size_t j = 0; j < node->output_count && !is_used; j++) {
            uint32_t tensor = graph->links[node->first_output + j];
            is_used = tensor != TACHO_NONE && is_wanted[tensor];
        }
        self->is_unused[i] = !is_used;
        for (size_t j = 0; j < node->input_count && is_used; j++) {
            uint32_t tensor = graph->links[node->first_input + j];
            if (tensor != TACHO_NONE) {
                is_wanted[tensor] = true;
            }
        }
        if (is_used && node->guard.when != TACHO_WHEN_ALWAYS) {
            is_wanted[node->guard.condition] = true;
        }
    }
}

/* Whether input |i| is the first of the node that reads its tensor: x + x reads x once. */
static bool is_first_use(const fuser *self, const tacho_node *node, size_t i)
{
    uint32_t tensor = input_of(self, node, i);
    bool is_first = tensor != TACHO_NONE;
    for (size_t j = i > LOOK_BACK ? i - LOOK_BACK : 0; j < i && is_first; j++) {
        is_first = input_of(self, node, j) != tensor;
    }
    return is_first;
}

static void count_uses(fuser *self)
{
    const tacho_graph *graph = self->graph;
    for (size_t i = 0; i < graph->node_count; i++) {
        const tacho_node *node = &graph->nodes[i];
        bool reads = !self->is_unused[i] && !is_free(self, node) && !is_folded(self, node);
        for (size_t j = 0; j < node->input_count && reads; j++) {
            if (is_first_use(self, node, j)) {
                self->uses[input_of(self, node, j)]++;
            }
        }
    }
    for (uint32_t i = 0; i < graph->tensor_count; i++) {
        if (graph->tensors[i].is_output) {
            self->is_output[self->fusion->alias[i]] = true;
        }
    }
}

/* The draft that makes |tensor| for one reader alone, and is not done; TACHO_NONE otherwise. */
static uint32_t sole_maker(const fuser *self, uint32_t tensor)
{
    uint32_t producer = self->graph->tensors[tensor].producer;
    if (producer == TACHO_NONE || self->uses[tensor] != 1 || self->is_output[tensor]) {
        return TACHO_NONE;
    }
    uint32_t made_by = self->op_of[producer];
    bool is_last = made_by != TACHO_NONE && self->drafts[made_by].result == tensor;
    return is_last ? made_by : TACHO_NONE;
}

/* ---- joining earlier nodes ----------------------------------------------------------------- */

/*
 * Whether |tensor| has one number for all of |made|, or one for each channel of the product that
 * |root| is. Views between the two may have moved the channels: then their number decides.
 */
static bool is_per_channel(const fuser *self, const tacho_node *root, uint32_t tensor,
                           uint32_t made)
{
    const tacho_shape *factor = self->graph->tensors[tensor].shape;
    const tacho_shape *shape = self->graph->tensors[made].shape;
    const tacho_tensor *product = tacho_graph_output(self->graph, root, 0);
    uint64_t count = element_count(self, tensor);
    if (count == 1) {
        return true;
    }
    int32_t rank = product->shape->rank;
    int32_t from_end = 1; /* the axis of channels */
    if (tacho_op_kind_of(self->graph, root) == TACHO_OP_MATMUL) {
        from_end =
            is_constant(self, input_of(self, root, tacho_op_second_operand(root->def))) ? 1 : 2;
    } else if (!tacho_op_has(root->def, TACHO_OP_CHANNELS_LAST)) {
        from_end = rank - 1;
    }
    if (rank < from_end || from_end < 1 ||
        count != (uint64_t)product->shape->dims[rank - from_end]) {
        return false;
    }
    for (int32_t i = 1; i <= factor->rank && i <= shape->rank; i++) {
        if ((uint64_t)factor->dims[factor->rank - i] == count) {
            return (shape->rank != rank || i == from_end) &&
                   (uint64_t)shape->dims[shape->rank - i] == count;
        }
    }
    return false;
}

/* Whether an operand of the product that |root| is, is constant. */
static bool has_weights(const fuser *self, const tacho_node *root)
{
    size_t second = tacho_op_second_operand(root->def);
    return root->input_count > second && (is_constant(self, input_of(self, root, 0)) ||
                                          is_constant(self, input_of(self, root, second)));
}

/*
 * Whether |node|, after the product |root|, becomes part of the product's weights and bias:
 * additions and products with one constant per channel, where there are weights to change.
 */
static bool joins_weights(const fuser *self, const tacho_node *root, const tacho_node *node)
{
    if (!tacho_op_has(node->def, TACHO_OP_IS_LINEAR) || !has_weights(self, root)) {
        return false;
    }
    if (node->def->kind == TACHO_OP_AFFINE) {
        return true;
    }
    if (tacho_op_has(node->def, TACHO_OP_IS_QUOTIENT) &&
        is_constant(self, input_of(self, node, 0))) {
        return false; /* a constant divided by the result */
    }
    for (size_t i = 0; i < node->input_count; i++) {
        uint32_t tensor = input_of(self, node, i);
        if (is_constant(self, tensor) &&
            !is_per_channel(self, root, tensor, self->graph->links[node->first_output])) {
            return false;
        }
    }
    return true;
}

/* Vector steps of a node that is part of an operator: scaling to and from integers is part of how
 * engines read operands and write results. */
static uint32_t steps_within(const fuser *self, const tacho_node *node)
{
    bool is_scaling = tacho_op_has(node->def, TACHO_OP_IS_SCALING);
    return is_scaling ? 0 : tacho_op_steps_of(self->graph, node);
}

/* The one activation that a node reads; TACHO_NONE when there are more or none. */
static uint32_t only_activation(const fuser *self, const tacho_node *node)
{
    uint32_t found = TACHO_NONE;
    for (size_t i = 0; i < node->input_count; i++) {
        uint32_t tensor = input_of(self, node, i);
        if (is_activation(self, tensor)) {
            if (found != TACHO_NONE) {
                return TACHO_NONE;
            }
            found = tensor;
        }
    }
    return found;
}

static bool takes_followers(tacho_op_kind kind, tacho_op_kind follower)
{
    switch (kind) {
    case TACHO_OP_CONVOLUTION:
    case TACHO_OP_DECONVOLUTION:
    case TACHO_OP_MATMUL:
    case TACHO_OP_POOL:
    case TACHO_OP_REDUCTION:
    case TACHO_OP_NORMALISATION:
    case TACHO_OP_AFFINE:
    case TACHO_OP_SOFTMAX:
    case TACHO_OP_UNARY:
    case TACHO_OP_BINARY:
        return true;
    case TACHO_OP_MOVE:
    case TACHO_OP_QUANTISE:
        return follower == TACHO_OP_QUANTISE;
    case TACHO_OP_RECURRENT:
    case TACHO_OP_DEQUANTISE:
    case TACHO_OP_VIEW:
    case TACHO_OP_SHAPE:
    case TACHO_OP_CONSTANT:
    case TACHO_OP_CONTROL:
    case TACHO_OP_OTHER:
    case TACHO_OP_KIND_COUNT:
        break;
    }
    return false;
}

/*
 * Steps of quantising the result of |op|: none after a product, whose engine scales its sums as it
 * writes them, and none where integers were only moved or chosen from and mean the same before and
 * after. Elsewhere a vector engine has to do it.
 */
static uint32_t steps_of_quantising(const fuser *self, const draft *op, const tacho_node *node)
{
    if (is_matrix(op->kind)) {
        return 0;
    }
    const tacho_node *root = &self->graph->nodes[op->root];
    bool is_moved = op->kind == TACHO_OP_MOVE || op->kind == TACHO_OP_POOL;
    bool is_same = op->is_integer && is_moved && op->fused_steps == 0;
    for (size_t i = 0; i < root->input_count && is_same; i++) {
        uint32_t tensor = input_of(self, root, i);
        uint32_t before =
            is_activation(self, tensor) ? self->graph->tensors[tensor].producer : TACHO_NONE;
        if (before == TACHO_NONE ||
            tacho_op_kind_of(self->graph, &self->graph->nodes[before]) != TACHO_OP_DEQUANTISE) {
            continue;
        }
        const tacho_node *scaling = &self->graph->nodes[before];
        for (size_t j = 1; j < 3; j++) {
            uint32_t in = j < scaling->input_count ? input_of(self, scaling, j) : TACHO_NONE;
            uint32_t out = j < node->input_count ? input_of(self, node, j) : TACHO_NONE;
            is_same = is_same && tacho_fusion_is_same(self->graph, in, out);
        }
    }
    return is_same ? 0 : tacho_op_steps_of(self->graph, node);
}

/* Whether a framework that runs operator after operator adds this to the product before it. */
static bool is_bias(const fuser *self, const draft *op, const tacho_node *node)
{
    const tacho_node *root = &self->graph->nodes[op->root];
    return op->kind == TACHO_OP_MATMUL && op->is_linear && node->scope == root->scope &&
           op->result == self->graph->links[root->first_output] &&
           tacho_op_has(node->def, TACHO_OP_IS_LINEAR) && joins_weights(self, root, node);
}

/* Whether the node became part of the operator that makes its input. */
static bool try_follow(fuser *self, uint32_t number)
{
    const tacho_node *node = &self->graph->nodes[number];
    tacho_op_kind kind = tacho_op_kind_of(self->graph, node);
    bool is_follower = kind == TACHO_OP_UNARY || kind == TACHO_OP_BINARY ||
                       kind == TACHO_OP_AFFINE || kind == TACHO_OP_QUANTISE;
    if (!is_follower || node->output_count != 1) {
        return false;
    }
    uint32_t read = only_activation(self, node);
    uint32_t made_by = read != TACHO_NONE ? sole_maker(self, read) : TACHO_NONE;
    uint32_t made = self->graph->links[node->first_output];
    if (made_by == TACHO_NONE || !takes_followers(self->drafts[made_by].kind, kind) ||
        element_count(self, read) != element_count(self, made)) {
        return false;
    }
    draft *op = &self->drafts[made_by];
    if (self->is_eager && !is_bias(self, op, node)) {
        return false;
    }
    const tacho_node *root = &self->graph->nodes[op->root];
    op->is_linear = op->is_linear && joins_weights(self, root, node);
    op->fused_steps += op->is_linear               ? 0
                       : kind == TACHO_OP_QUANTISE ? steps_of_quantising(self, op, node)
                                                   : steps_within(self, node);
    op->result = made;
    self->op_of[number] = made_by;
    return true;
}

/* ---- quantised operators ------------------------------------------------------------------- */

/* The dequantisation that makes |tensor| from a tensor that is not constant, or TACHO_NONE. */
static uint32_t dequantiser(const fuser *self, uint32_t tensor)
{
    uint32_t producer =
        is_activation(self, tensor) ? self->graph->tensors[tensor].producer : TACHO_NONE;
    bool is_one =
        producer != TACHO_NONE &&
        tacho_op_kind_of(self->graph, &self->graph->nodes[producer]) == TACHO_OP_DEQUANTISE &&
        self->op_of[producer] != TACHO_NONE;
    return is_one ? producer : TACHO_NONE;
}

static bool is_dequantised_constant(const fuser *self, uint32_t tensor)
{
    return is_constant(self, tensor) && tacho_fusion_stored(self->graph, tensor) != tensor;
}

/* Whether all that a node computes with is dequantised right before it. */
static bool reads_quantised(const fuser *self, const tacho_node *node)
{
    tacho_op_kind kind = tacho_op_kind_of(self->graph, node);
    size_t quantised_count = 0;
    for (size_t i = 0; i < node->input_count; i++) {
        uint32_t tensor = input_of(self, node, i);
        if (dequantiser(self, tensor) != TACHO_NONE) {
            quantised_count++;
        } else if (is_activation(self, tensor) ||
                   (i == 1 && is_matrix(kind) && !is_dequantised_constant(self, tensor))) {
            return false;
        }
    }
    bool is_known = kind != TACHO_OP_OTHER && kind != TACHO_OP_CONTROL;
    return quantised_count > 0 && is_known && kind != TACHO_OP_DEQUANTISE;
}

/* The node reads the inputs of its dequantisations; those without other readers are part of it. */
static void take_dequantisers(fuser *self, uint32_t number)
{
    const tacho_node *node = &self->graph->nodes[number];
    uint32_t op = self->op_of[number];
    for (size_t i = 0; i < node->input_count; i++) {
        uint32_t tensor = input_of(self, node, i);
        uint32_t before = dequantiser(self, tensor);
        if (before == TACHO_NONE || !is_first_use(self, node, i)) {
            continue;
        }
        self->dequantised[before]++;
        if (self->dequantised[before] == self->uses[tensor] && !self->is_output[tensor]) {
            self->drafts[self->op_of[before]].merged_into = op;
            self->drafts[self->op_of[before]].result = TACHO_NONE;
        }
    }
    self->drafts[op].is_integer = true;
}

/* ---- the walk ------------------------------------------------------------------------------ */

/*
 * Elementwise work on one operand before two are joined becomes part of joining them. A broadcast
 * operand is excluded: it has fewer elements, and is better made once.
 */
static void take_leaders(fuser *self, uint32_t number)
{
    const tacho_node *node = &self->graph->nodes[number];
    uint32_t op = self->op_of[number];
    uint32_t made = node->output_count > 0 ? self->graph->links[node->first_output] : TACHO_NONE;
    for (size_t i = 0; i < node->input_count; i++) {
        uint32_t tensor = input_of(self, node, i);
        uint32_t before = is_activation(self, tensor) ? sole_maker(self, tensor) : TACHO_NONE;
        if (before == TACHO_NONE || before == op || self->drafts[before].kind != TACHO_OP_UNARY ||
            made == TACHO_NONE || element_count(self, tensor) != element_count(self, made)) {
            continue;
        }
        self->drafts[before].merged_into = op;
        self->drafts[before].result = TACHO_NONE;
        self->drafts[op].fused_steps +=
            self->drafts[before].fused_steps +
            steps_within(self, &self->graph->nodes[self->drafts[before].root]);
    }
}

static void add_draft(fuser *self, uint32_t number)
{
    const tacho_node *node = &self->graph->nodes[number];
    tacho_op_kind kind = tacho_op_kind_of(self->graph, node);
    if (kind == TACHO_OP_VIEW || is_folded(self, node)) {
        kind = TACHO_OP_MOVE; /* a copy */
    }
    bool has_result = node->output_count == 1 && node->def != NULL;
    self->op_of[number] = (uint32_t)self->draft_count;
    self->drafts[self->draft_count++] = (draft){
        .root = number,
        .kind = kind,
        .result = has_result ? self->graph->links[node->first_output] : TACHO_NONE,
        .merged_into = TACHO_NONE,
        .is_linear = is_matrix(kind),
    };
    if (reads_quantised(self, node)) {
        take_dequantisers(self, number);
    }
    if (kind == TACHO_OP_BINARY && !self->is_eager) {
        take_leaders(self, number);
    }
}

static bool is_returned(const fuser *self, const tacho_node *node)
{
    uint32_t made = node->output_count > 0 ? self->graph->links[node->first_output] : TACHO_NONE;
    return made != TACHO_NONE && self->graph->tensors[made].is_output;
}

static void walk(fuser *self)
{
    const tacho_graph *graph = self->graph;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const tacho_node *node = &graph->nodes[i];
        self->op_of[i] = TACHO_NONE;
        if (is_folded(self, node) && is_returned(self, node)) {
            add_draft(self, i); /* known before, but still to be put where the network returns it */
        } else if (is_folded(self, node)) {
            self->fusion->folded_count++;
        } else if (self->is_unused[i]) {
            self->fusion->unused_count++;
        } else if (is_free(self, node)) {
            self->fusion->view_count++;
        } else if (!try_follow(self, i)) {
            add_draft(self, i);
        }
    }
}

/* ---- operators of a framework -------------------------------------------------------------- */

/* One operator has one product, and its work is not lost in a recurrence. */
static bool can_merge(const draft *from, const draft *to)
{
    return from->kind != TACHO_OP_RECURRENT && to->kind != TACHO_OP_RECURRENT &&
           (!is_matrix(from->kind) || !is_matrix(to->kind));
}

/* The draft becomes part of another one, whose last node is later. */
static void merge_draft(fuser *self, draft *from, draft *to)
{
    from->merged_into = (uint32_t)(to - self->drafts);
    to->fused_steps += from->fused_steps + steps_within(self, &self->graph->nodes[from->root]);
    bool is_more = is_matrix(from->kind) ? !is_matrix(to->kind)
                                         : to->kind == TACHO_OP_MOVE && from->kind != TACHO_OP_MOVE;
    if (is_more) {
        to->fused_steps += steps_within(self, &self->graph->nodes[to->root]);
        to->root = from->root;
        to->kind = from->kind;
    }
}

/* Attention has two products, other operators of the framework have one at most. */
static tacho_status gather(fuser *self)
{
    size_t count = self->graph->node_count;
    uint32_t *into = tacho_items_alloc(count, sizeof(*into));
    tacho_fuse_parts parts = {self->fusion, self->op_of, self->uses, self->is_output,
                              self->is_as_written};
    tacho_status status = into != NULL ? TACHO_OK : tacho_no_memory();
    for (int pass = 0; status == TACHO_OK && pass < 2; pass++) {
        bool is_attention = pass == 0;
        if (is_attention) {
            tacho_fuse_attention(&parts, into);
        } else {
            status = tacho_fuse_origins(&parts, into);
        }
        for (size_t i = count; status == TACHO_OK && i-- > 0;) {
            draft *from = into[i] != TACHO_NONE ? &self->drafts[self->op_of[i]] : NULL;
            draft *to = into[i] != TACHO_NONE ? &self->drafts[into[i]] : NULL;
            if (from != to && from->merged_into == TACHO_NONE &&
                (is_attention || can_merge(from, to))) {
                merge_draft(self, from, to);
            }
        }
    }
    free(into);
    return status;
}

/* ---- lists --------------------------------------------------------------------------------- */

static uint32_t final_draft(const fuser *self, uint32_t number)
{
    while (self->drafts[number].merged_into != TACHO_NONE) {
        number = self->drafts[number].merged_into;
    }
    return number;
}

/* Numbers the drafts that stay, and sorts the nodes by them. */
static tacho_status place_members(fuser *self, uint32_t *place)
{
    tacho_fusion *fusion = self->fusion;
    TACHO_TRY(tacho_grow(&fusion->ops, &fusion->op_capacity, self->draft_count + 1));
    for (size_t i = 0; i < self->draft_count; i++) {
        const draft *from = &self->drafts[i];
        if (from->merged_into == TACHO_NONE) {
            place[i] = (uint32_t)fusion->op_count;
            fusion->ops[fusion->op_count++] = (tacho_fused_op){
                .root = from->root,
                .kind = from->kind,
                .fused_steps = from->fused_steps,
                .is_integer = from->is_integer,
            };
        }
    }
    const tacho_graph *graph = self->graph;
    for (size_t i = 0; i < graph->node_count; i++) {
        if (self->op_of[i] != TACHO_NONE) {
            self->op_of[i] = place[final_draft(self, self->op_of[i])];
            fusion->ops[self->op_of[i]].member_count++;
        }
    }
    for (size_t i = 0; i < fusion->op_count; i++) {
        fusion->ops[i].first_member = (uint32_t)fusion->member_count;
        fusion->member_count += fusion->ops[i].member_count;
        fusion->ops[i].member_count = 0;
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (self->op_of[i] != TACHO_NONE) {
            tacho_fused_op *op = &fusion->ops[self->op_of[i]];
            fusion->members[op->first_member + op->member_count++] = i;
        }
    }
    return TACHO_OK;
}

static tacho_status list_tensor(fuser *self, uint32_t op, uint32_t tensor, uint32_t *count)
{
    tacho_fusion *fusion = self->fusion;
    if (self->seen[tensor] == op + 1) {
        return TACHO_OK;
    }
    self->seen[tensor] = op + 1;
    TACHO_TRY(tacho_grow(&fusion->tensors, &fusion->tensor_capacity, fusion->tensor_count + 1));
    fusion->tensors[fusion->tensor_count++] = tensor;
    (*count)++;
    return TACHO_OK;
}

/* How many inputs of a member hold data; the rest are parameters, which are built into jobs where
 * they are constant. */
static size_t data_count(const fuser *self, const tacho_fused_op *op, const tacho_node *node)
{
    tacho_op_kind kind = tacho_op_kind_of(self->graph, node);
    bool has_parameters = kind == TACHO_OP_QUANTISE || kind == TACHO_OP_DEQUANTISE ||
                          kind == TACHO_OP_UNARY ||
                          tacho_op_has(node->def, TACHO_OP_HAS_PARAMETERS);
    bool is_in_weights =
        kind == TACHO_OP_AFFINE && is_matrix(op->kind) && node != &self->graph->nodes[op->root];
    return (has_parameters || is_in_weights) && node->input_count > 1 ? 1 : node->input_count;
}

typedef enum list_kind { ACTIVATIONS, WEIGHTS } list_kind;

static tacho_status list_inputs(fuser *self, uint32_t number, list_kind which, uint32_t *count)
{
    const tacho_fused_op *op = &self->fusion->ops[number];
    for (uint32_t i = 0; i < op->member_count; i++) {
        const tacho_node *node = &self->graph->nodes[self->fusion->members[op->first_member + i]];
        size_t data = data_count(self, op, node);
        for (size_t j = 0; j < node->input_count; j++) {
            uint32_t tensor = input_of(self, node, j);
            if (tensor == TACHO_NONE || is_constant(self, tensor) != (which == WEIGHTS) ||
                (j >= data && is_constant(self, tensor))) {
                continue;
            }
            uint32_t before = op->is_integer ? dequantiser(self, tensor) : TACHO_NONE;
            if (before != TACHO_NONE) { /* also one that others need */
                tensor = input_of(self, &self->graph->nodes[before], 0);
            }
            uint32_t producer =
                tensor != TACHO_NONE ? self->graph->tensors[tensor].producer : TACHO_NONE;
            if (tensor == TACHO_NONE ||
                (producer != TACHO_NONE && self->op_of[producer] == number)) {
                continue;
            }
            tensor = which == WEIGHTS ? tacho_fusion_stored(self->graph, tensor) : tensor;
            TACHO_TRY(list_tensor(self, number, tensor, count));
        }
    }
    return TACHO_OK;
}

/* Results of members that have readers outside. */
static tacho_status list_outputs(fuser *self, uint32_t number, uint32_t *count)
{
    const tacho_graph *graph = self->graph;
    const tacho_fused_op *op = &self->fusion->ops[number];
    const tacho_node *last =
        &graph->nodes[self->fusion->members[op->first_member + op->member_count - 1]];
    for (size_t i = 0; i < last->output_count; i++) {
        uint32_t tensor = graph->links[last->first_output + i];
        bool is_wanted =
            tensor != TACHO_NONE && (i == 0 || self->uses[tensor] > 0 || self->is_output[tensor]);
        if (is_wanted) {
            TACHO_TRY(list_tensor(self, number, tensor, count));
        }
    }
    return TACHO_OK;
}

static tacho_status make_lists(fuser *self)
{
    tacho_fusion *fusion = self->fusion;
    for (uint32_t i = 0; i < fusion->op_count; i++) {
        tacho_fused_op *op = &fusion->ops[i];
        op->first_input = (uint32_t)fusion->tensor_count;
        TACHO_TRY(list_inputs(self, i, ACTIVATIONS, &op->input_count));
        op->first_weight = (uint32_t)fusion->tensor_count;
        TACHO_TRY(list_inputs(self, i, WEIGHTS, &op->weight_count));
        op->first_output = (uint32_t)fusion->tensor_count;
        TACHO_TRY(list_outputs(self, i, &op->output_count));
    }
    return TACHO_OK;
}

static tacho_status run(fuser *self)
{
    const tacho_graph *graph = self->graph;
    uint32_t *place = tacho_items_alloc(graph->node_count, sizeof(*place));
    self->fusion->alias = tacho_items_alloc(graph->tensor_count, sizeof(uint32_t));
    self->fusion->members = tacho_items_alloc(graph->node_count, sizeof(uint32_t));
    bool has_memory = self->drafts != NULL && self->op_of != NULL && self->uses != NULL &&
                      self->dequantised != NULL && self->seen != NULL && self->is_output != NULL &&
                      self->is_wanted != NULL && self->is_unused != NULL && place != NULL &&
                      self->fusion->alias != NULL && self->fusion->members != NULL;
    tacho_status status = has_memory ? TACHO_OK : tacho_no_memory();
    if (has_memory) {
        see_through_views(self);
        find_unused(self);
        count_uses(self);
        walk(self);
        status = self->is_eager ? gather(self) : TACHO_OK;
        status = status == TACHO_OK ? place_members(self, place) : status;
        if (status == TACHO_OK) {
            status = make_lists(self);
        }
    }
    free(place);
    return status;
}

static tacho_status fuse(tacho_fusion *fusion, const tacho_graph *graph, bool is_eager,
                         bool is_as_written)
{
    *fusion = (tacho_fusion){.graph = graph};
    fuser self = {
        .graph = graph,
        .fusion = fusion,
        .drafts = tacho_items_alloc(graph->node_count, sizeof(draft)),
        .op_of = tacho_items_alloc(graph->node_count, sizeof(uint32_t)),
        .uses = tacho_items_alloc(graph->tensor_count, sizeof(uint32_t)),
        .dequantised = tacho_items_alloc(graph->node_count, sizeof(uint32_t)),
        .seen = tacho_items_alloc(graph->tensor_count, sizeof(uint32_t)),
        .is_output = tacho_items_alloc(graph->tensor_count, sizeof(bool)),
        .is_wanted = tacho_items_alloc(graph->tensor_count, sizeof(bool)),
        .is_unused = tacho_items_alloc(graph->node_count, sizeof(bool)),
        .is_eager = is_eager,
        .is_as_written = is_as_written,
    };
    tacho_status status = run(&self);
    free(self.drafts);
    free(self.op_of);
    free(self.uses);
    free(self.dequantised);
    free(self.seen);
    free(self.is_output);
    free(self.is_wanted);
    free(self.is_unused);
    return status;
}

tacho_status tacho_fusion_init(tacho_fusion *fusion, const tacho_graph *graph)
{
    return fuse(fusion, graph, false, false);
}

tacho_status tacho_fusion_init_eager(tacho_fusion *fusion, const tacho_graph *graph,
                                     bool is_as_written)
{
    return fuse(fusion, graph, true, is_as_written);
}

void tacho_fusion_deinit(tacho_fusion *fusion)
{
    free(fusion->ops);
    free(fusion->members);
    free(fusion->tensors);
    free(fusion->alias);
}
