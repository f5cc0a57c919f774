/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attention by its form: queries by keys, a softmax of the scores, and a product with the values.
 * The nodes between the two products become part of the second, as far as nothing else reads them:
 * scales, masks, casts, caps; and so do scales of the queries and keys.
 */
#include "base/index.h"
#include "compile/fuse.h"

enum { STEPS_UP = 12, NODES_BETWEEN = 512, MEMBERS_MAX = 32 };

/* One that may be attention. */
typedef struct candidate {
    const tacho_fuse_parts *parts;
    const tacho_graph *graph;
    uint32_t scores, sums; /* nodes: the two products */
    uint32_t members[MEMBERS_MAX];
    uint32_t reads[MEMBERS_MAX]; /* by member: all nodes that read its results */
    size_t member_count;         /* the first is |scores| */
} candidate;

static uint32_t read_by(const candidate *self, const tacho_node *node, size_t i)
{
    uint32_t tensor =
        i < node->input_count ? self->graph->links[node->first_input + i] : TACHO_NONE;
    return tensor == TACHO_NONE ? TACHO_NONE : self->parts->fusion->alias[tensor];
}

static uint32_t maker_of(const candidate *self, uint32_t tensor)
{
    return tensor == TACHO_NONE ? TACHO_NONE : self->graph->tensors[tensor].producer;
}

static tacho_op_kind kind_at(const candidate *self, uint32_t node)
{
    return tacho_op_kind_of(self->graph, &self->graph->nodes[node]);
}

static uint64_t elements_of(const candidate *self, uint32_t tensor)
{
    uint64_t count = 0;
    return tensor != TACHO_NONE && tacho_shape_elements(self->graph->tensors[tensor].shape, &count)
               ? count
               : 0;
}

static bool runs(const candidate *self, uint32_t node)
{
    return node != TACHO_NONE && self->parts->op_of[node] != TACHO_NONE;
}

/* Whether both operands of a product are made by the network. */
static bool is_product(const candidate *self, uint32_t node)
{
    const tacho_node *one = &self->graph->nodes[node];
    uint32_t a = read_by(self, one, 0), b = read_by(self, one, 1);
    return kind_at(self, node) == TACHO_OP_MATMUL && one->output_count == 1 && a != TACHO_NONE &&
           b != TACHO_NONE && a != b && !self->graph->tensors[a].is_constant &&
           !self->graph->tensors[b].is_constant;
}

static bool is_between(tacho_op_kind kind)
{
    return kind == TACHO_OP_UNARY || kind == TACHO_OP_BINARY || kind == TACHO_OP_MOVE ||
           kind == TACHO_OP_SOFTMAX;
}

/*
 * The operand of |node| that carries the scores: the largest, for masks are broadcast or joined; of
 * several the one that was made last.
 */
static uint32_t leader_of(const candidate *self, const tacho_node *node)
{
    uint32_t best = TACHO_NONE;
    for (size_t i = 0; i < node->input_count; i++) {
        uint32_t maker = maker_of(self, read_by(self, node, i));
        uint64_t count = elements_of(self, read_by(self, node, i));
        uint64_t most =
            best == TACHO_NONE
                ? 0
                : elements_of(self, self->graph->links[self->graph->nodes[best].first_output]);
        bool is_better = count > most || (count == most && best != TACHO_NONE && maker > best);
        if (runs(self, maker) && is_better) {
            best = maker;
        }
    }
    return best;
}

/* The product whose scores the softmax |node| is of. */
static bool find_scores(candidate *self, uint32_t node)
{
    uint32_t at = leader_of(self, &self->graph->nodes[node]);
    for (int i = 0; i < STEPS_UP && at != TACHO_NONE; i++) {
        if (is_product(self, at)) {
            self->scores = at;
            return true;
        }
        at = is_between(kind_at(self, at)) ? leader_of(self, &self->graph->nodes[at]) : TACHO_NONE;
    }
    return false;
}

static uint32_t made_by(const candidate *self, size_t member)
{
    return self->graph->links[self->graph->nodes[self->members[member]].first_output];
}

/* Whether input |i| of |node| is made by a member, whose number is |out_member|. */
static bool reads_member(const candidate *self, const tacho_node *node, size_t i,
                         size_t *out_member)
{
    uint32_t maker = maker_of(self, read_by(self, node, i));
    for (size_t j = self->member_count; maker != TACHO_NONE && j-- > 0;) {
        if (self->members[j] == maker) {
            *out_member = j;
            return true;
        }
    }
    return false;
}

/* Counts the node's reads of members, each once. */
static size_t count_reads(candidate *self, const tacho_node *node)
{
    uint32_t seen = 0; /* a bit for each member */
    for (size_t i = 0; i < node->input_count; i++) {
        size_t member;
        if (reads_member(self, node, i, &member) && (seen >> member & 1) == 0) {
            seen |= 1u << member;
            self->reads[member]++;
        }
    }
    return (size_t)__builtin_popcount(seen);
}

/* All that depends on the scores, up to the product with the values. */
static bool find_sums(candidate *self)
{
    bool has_softmax = false;
    self->members[0] = self->scores;
    self->reads[0] = 0;
    self->member_count = 1;
    size_t end = self->scores + NODES_BETWEEN;
    for (uint32_t i = self->scores + 1; i < self->graph->node_count && i < end; i++) {
        const tacho_node *node = &self->graph->nodes[i];
        size_t unused;
        if (!runs(self, i) || count_reads(self, node) == 0) {
            continue;
        }
        if (is_product(self, i)) {
            self->sums = i;
            return has_softmax && reads_member(self, node, 0, &unused) &&
                   !reads_member(self, node, 1, &unused);
        }
        if (!is_between(kind_at(self, i)) || node->output_count != 1 ||
            self->member_count == MEMBERS_MAX) {
            return false;
        }
        has_softmax = has_softmax || kind_at(self, i) == TACHO_OP_SOFTMAX;
        self->reads[self->member_count] = 0;
        self->members[self->member_count++] = i;
    }
    return false;
}

/* Whether only members and the second product read the members' results. */
static bool is_closed(const candidate *self)
{
    for (size_t i = 0; i < self->member_count; i++) {
        uint32_t made = made_by(self, i);
        if (self->parts->is_output[made] || self->parts->uses[made] != self->reads[i]) {
            return false;
        }
    }
    return true;
}

/*
 * Whether the framework has one kernel for it. With PyTorch, the exporter's note decides. Elsewhere
 * single attention operators have one, and so has everything of this form unless operators run as
 * written.
 */
static bool is_one_kernel(const candidate *self)
{
    const tacho_node *scores = &self->graph->nodes[self->scores];
    const tacho_node *sums = &self->graph->nodes[self->sums];
    tacho_str origin = tacho_graph_origin(self->graph, scores);
    if (origin.len > 0) {
        return tacho_str_starts_with(origin, TACHO_STR("scaled_dot_product"));
    }
    return !self->parts->is_as_written || scores->index == sums->index;
}

/* A scale of queries or keys, by one number, after a transposition and with no other reader. */
static void join_scale(const candidate *self, size_t operand, uint32_t *into)
{
    uint32_t tensor = read_by(self, &self->graph->nodes[self->scores], operand);
    for (int i = 0; i < 2; i++) {
        uint32_t maker = maker_of(self, tensor);
        if (!runs(self, maker) || self->parts->uses[tensor] != 1 ||
            self->parts->is_output[tensor]) {
            return;
        }
        const tacho_node *node = &self->graph->nodes[maker];
        if (kind_at(self, maker) == TACHO_OP_MOVE && node->input_count == 1) {
            tensor = read_by(self, node, 0);
            continue;
        }
        bool is_scale = kind_at(self, maker) == TACHO_OP_BINARY &&
                        tacho_op_has(node->def, TACHO_OP_IS_LINEAR) && node->input_count == 2 &&
                        (elements_of(self, read_by(self, node, 0)) == 1 ||
                         elements_of(self, read_by(self, node, 1)) == 1);
        if (is_scale) {
            into[maker] = self->parts->op_of[self->sums];
        }
        return;
    }
}

void tacho_fuse_attention(const tacho_fuse_parts *parts, uint32_t *into)
{
    const tacho_graph *graph = parts->fusion->graph;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        into[i] = TACHO_NONE;
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        candidate self = {.parts = parts, .graph = graph};
        if (!runs(&self, i) || kind_at(&self, i) != TACHO_OP_SOFTMAX || !find_scores(&self, i) ||
            !find_sums(&self) || !is_closed(&self) || !is_one_kernel(&self)) {
            continue;
        }
        for (size_t j = 0; j < self.member_count; j++) {
            into[self.members[j]] = parts->op_of[self.sums];
        }
        join_scale(&self, 0, into);
        join_scale(&self, 1, into);
    }
}
