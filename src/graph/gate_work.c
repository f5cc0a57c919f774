/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A step reads and writes each element once, and computes by its kind: of a window, a product or a
 * recurrence so many times for each. Sizes that windows and weights may have are bounded by no
 * tensor of the file: a pool of one element can have a window of 2^62.
 */
#include "graph/gate_work.h"

#include "base/maths.h"
#include "graph/infer.h"
#include "kernels/equation.h"

static uint64_t elements_of(const tacho_tensor *tensor)
{
    uint64_t count = 0;
    if (tensor == NULL) {
        return 0;
    }
    return tacho_shape_elements(tensor->shape, &count) ? count : UINT64_MAX;
}

static uint64_t input_elements(const tacho_graph *graph, const tacho_node *node, size_t i)
{
    return elements_of(tacho_graph_input(graph, node, i));
}

static uint64_t output_elements(const tacho_graph *graph, const tacho_node *node)
{
    return elements_of(tacho_graph_output(graph, node, 0));
}

static uint64_t dim_of(const tacho_tensor *tensor, int32_t i)
{
    bool has_it = tensor != NULL && i >= 0 && i < tensor->shape->rank && tensor->shape->dims[i] > 0;
    return has_it ? (uint64_t)tensor->shape->dims[i] : 1;
}

static uint64_t product_of(const tacho_graph *graph, const tacho_node *node, const char *name)
{
    size_t count;
    uint64_t product = 1;
    const int64_t *ints =
        tacho_attr_ints(tacho_graph_attrs(graph, node), node->attr_count, name, &count);
    for (size_t i = 0; i < count; i++) {
        product = tacho_size_multiply(product, ints[i] > 0 ? (uint64_t)ints[i] : 1);
    }
    return product;
}

static uint64_t pool_work(const tacho_graph *graph, const tacho_node *node)
{
    uint64_t window = tacho_size_multiply(product_of(graph, node, "kernel_shape"),
                                          product_of(graph, node, "kernel"));
    return tacho_size_multiply(output_elements(graph, node), window);
}

/* Weights per output channel for each output; of transposed ones per input channel for each
 * input. */
static uint64_t convolution_work(const tacho_graph *graph, const tacho_node *node)
{
    size_t place = tacho_op_has(node->def, TACHO_OP_HAS_SCALES) ? 3 : 1;
    const tacho_tensor *weights = tacho_graph_input(graph, node, place);
    uint64_t each = elements_of(weights), by = dim_of(weights, 0);
    bool is_last = tacho_op_has(node->def, TACHO_OP_CHANNELS_LAST) ||
                   tacho_op_has(node->def, TACHO_OP_IS_DEPTHWISE);
    int32_t rank = weights != NULL ? weights->shape->rank : 0;
    if (tacho_op_has(node->def, TACHO_OP_IS_DEPTHWISE)) {
        by = tacho_size_multiply(dim_of(weights, rank - 1), dim_of(weights, rank - 2));
    }
    if (node->def->kind == TACHO_OP_CONVOLUTION) {
        return tacho_size_multiply(output_elements(graph, node), each / by);
    }
    by = is_last ? dim_of(weights, rank - 1) : by;
    return tacho_size_multiply(input_elements(graph, node, 0), each / by);
}

/* The product of the extents of all indices, each once. */
static uint64_t einsum_work(const tacho_graph *graph, const tacho_node *node)
{
    uint64_t extents[TACHO_EQUATION_LABELS] = {0}, work = 1;
    tacho_str operands, result,
        equation = tacho_attr_text(tacho_graph_attrs(graph, node), node->attr_count, "equation");
    (void)tacho_equation_split(equation, &operands, &result);
    for (size_t i = 0; i < node->input_count; i++) {
        const tacho_tensor *input = tacho_graph_input(graph, node, i);
        tacho_equation_term term;
        if (input == NULL || !tacho_equation_read(tacho_equation_next(&operands), &term) ||
            !tacho_equation_fits(&term, input->shape->rank)) {
            return UINT64_MAX;
        }
        for (int32_t k = 0; k < input->shape->rank; k++) {
            uint64_t *extent = &extents[tacho_equation_label(&term, input->shape->rank, k)];
            *extent = dim_of(input, k) > *extent ? dim_of(input, k) : *extent;
        }
    }
    for (size_t i = 0; i < TACHO_EQUATION_LABELS; i++) {
        work = tacho_size_multiply(work, extents[i] > 0 ? extents[i] : 1);
    }
    return work;
}

static uint64_t matmul_work(const tacho_graph *graph, const tacho_node *node)
{
    if (tacho_op_has(node->def, TACHO_OP_IS_EINSUM)) {
        return einsum_work(graph, node);
    }
    const tacho_tensor *left = tacho_graph_input(graph, node, 0);
    bool is_turned =
        tacho_attr_int(tacho_graph_attrs(graph, node), node->attr_count, "transA", 0) != 0;
    uint64_t depth = left == NULL ? 1 : dim_of(left, is_turned ? 0 : left->shape->rank - 1);
    return tacho_size_multiply(output_elements(graph, node), depth);
}

/* Both matrices, of all directions, for each step of each sequence. */
static uint64_t recurrent_work(const tacho_graph *graph, const tacho_node *node)
{
    const tacho_tensor *data = tacho_graph_input(graph, node, 0);
    uint64_t steps = tacho_size_multiply(dim_of(data, 0), dim_of(data, 1));
    return tacho_size_multiply(
        steps, tacho_size_add(input_elements(graph, node, 1), input_elements(graph, node, 2)));
}

/* The work for each output element, or each input element where there are more. */
static uint64_t each_work(const tacho_graph *graph, const tacho_node *node, uint64_t moved)
{
    int64_t size = tacho_attr_int(tacho_graph_attrs(graph, node), node->attr_count, "size", 1);
    uint64_t each = tacho_op_steps_of(graph, node) + (uint64_t)1;
    if (node->def->kind == TACHO_OP_NORMALISATION && size > 1) {
        each = tacho_size_add(each, (uint64_t)size); /* LRN */
    }
    if (tacho_op_has(node->def, TACHO_OP_BY_RESULT)) {
        each = tacho_size_add(each, dim_of(tacho_graph_output(graph, node, 0), 0));
    }
    if (tacho_op_has(node->def, TACHO_OP_BY_ROW)) {
        const tacho_tensor *input = tacho_graph_input(graph, node, 0);
        each = tacho_size_multiply(each, input == NULL ? 1 : dim_of(input, input->shape->rank - 1));
    }
    return tacho_size_multiply(moved, each);
}

uint64_t tacho_gate_work(const tacho_graph *graph, const tacho_node *node)
{
    uint64_t moved = 0;
    for (size_t i = 0; i < node->input_count; i++) {
        moved = tacho_size_add(moved, input_elements(graph, node, i));
    }
    for (size_t i = 0; i < node->output_count; i++) {
        moved = tacho_size_add(moved, elements_of(tacho_graph_output(graph, node, i)));
    }
    switch ((int)node->def->kind) { /* most kinds do about the same for each element */
    case TACHO_OP_POOL:
        return tacho_size_add(moved, pool_work(graph, node));
    case TACHO_OP_CONVOLUTION:
    case TACHO_OP_DECONVOLUTION:
        return tacho_size_add(moved, convolution_work(graph, node));
    case TACHO_OP_MATMUL:
        return tacho_size_add(moved, matmul_work(graph, node));
    case TACHO_OP_RECURRENT:
        return tacho_size_add(moved, recurrent_work(graph, node));
    default:
        return each_work(graph, node, moved);
    }
}
