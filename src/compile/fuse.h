/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fusing: nodes that an accelerator runs as one operator become one. A convolution takes its bias,
 * its batch normalisation and its activation with it; an operator between DequantizeLinear and
 * QuantizeLinear becomes an operator on integers; TOSA's rescale and clamp go with what they
 * follow.
 *
 * Views are seen through: neither they nor folded nodes are operators. A tensor is passed inside an
 * operator only where nothing else uses it and the network does not return it.
 */
#ifndef TACHO_COMPILE_FUSE_H
#define TACHO_COMPILE_FUSE_H

#include "graph/op_def.h"

/* Lists are stretches of |members| and |tensors| of the fusion. */
typedef struct tacho_fused_op {
    uint32_t root;         /* node that it is named after */
    tacho_op_kind kind;    /* of the root; OTHER when the operator is not known */
    uint32_t first_member; /* nodes, in the graph's order */
    uint32_t member_count;
    uint32_t first_input; /* non-constant tensors that it reads, each once */
    uint32_t input_count;
    uint32_t first_weight; /* constants, as they are stored: quantised if the model has them so */
    uint32_t weight_count;
    uint32_t first_output;
    uint32_t output_count;
    uint32_t fused_steps; /* vector steps per output of all members but the root */
    bool is_integer;      /* reads quantised inputs without dequantising */
} tacho_fused_op;

typedef struct tacho_fusion {
    const tacho_graph *graph;
    tacho_fused_op *ops; /* each after its producers */
    size_t op_count, op_capacity;
    uint32_t *members;
    size_t member_count;
    uint32_t *tensors;
    size_t tensor_count, tensor_capacity;
    uint32_t *alias;     /* by tensor: whose bytes it has, itself unless it is a view */
    size_t folded_count; /* nodes that depend on constants alone */
    size_t view_count;   /* nodes that only look at a tensor: views, questions about shapes */
    size_t unused_count; /* nodes with unused results: they are left out */
} tacho_fusion;

/* Fuses a sorted and inferred graph, which outlives the fusion. Linear in the size of the graph. */
tacho_status tacho_fusion_init(tacho_fusion *fusion, const tacho_graph *graph) TACHO_MUST_USE;

/*
 * The same for a GPU on which a framework launches its operators one by one: a product takes the
 * bias that is added to it, and nodes that the exporter split from one operator become one again.
 * Attention becomes one operator from any form; if operators run as written, only where it was one
 * before.
 */
tacho_status tacho_fusion_init_eager(tacho_fusion *fusion, const tacho_graph *graph,
                                     bool is_as_written) TACHO_MUST_USE;
void tacho_fusion_deinit(tacho_fusion *fusion);

/* Nodes that run as part of another's operator. Together with operators, views, and nodes that are
 * folded or left out they make up the graph. */
static inline size_t tacho_fusion_fused_count(const tacho_fusion *fusion)
{
    return fusion->member_count - fusion->op_count;
}

/* The tensor that is |i|-th of a list, which begins at |first|. */
static inline const tacho_tensor *tacho_fusion_tensor(const tacho_fusion *fusion, uint32_t first,
                                                      uint32_t i)
{
    return &fusion->graph->tensors[fusion->tensors[first + i]];
}

/* The tensor as it is stored: the input of a folded dequantisation, else the tensor itself. */
uint32_t tacho_fusion_stored(const tacho_graph *graph, uint32_t tensor);

/* Whether two tensors are known to be the same constant: scales, zero points; both may be absent.
 */
bool tacho_fusion_is_same(const tacho_graph *graph, uint32_t a, uint32_t b);

/* The tensor that |op| reads where its members name |tensor|: the source of views and
 * dequantisations that it sees through. */
uint32_t tacho_fusion_read(const tacho_fusion *fusion, const tacho_fused_op *op, uint32_t tensor);

/* ---- for fuse.c ---------------------------------------------------------------------------- */

/* Operators before they are gathered. */
typedef struct tacho_fuse_parts {
    const tacho_fusion *fusion;
    const uint32_t *op_of; /* by node: its operator, or TACHO_NONE */
    const uint32_t *uses;  /* by tensor, views seen through: nodes that read it */
    const bool *is_output; /* likewise */
    bool is_as_written;    /* see tacho_fusion_init_eager */
} tacho_fuse_parts;

/* |into|, by node, is the operator that the node's own becomes a part of, or TACHO_NONE. */
tacho_status tacho_fuse_origins(const tacho_fuse_parts *parts, uint32_t *into) TACHO_MUST_USE;
void tacho_fuse_attention(const tacho_fuse_parts *parts, uint32_t *into);

#endif
