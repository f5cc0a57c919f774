/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Indices are letters, and the axes under "..." counted from their end. An axis of 1 is broadcast:
 * it is none.
 */
#include "graph/einsum.h"

#include "base/maths.h"
#include "kernels/equation.h"

enum {
    IN_FIRST = 1,
    IN_SECOND = 2,
    IN_RESULT = 4,
};

/* By label. */
typedef struct indices {
    uint64_t extents[TACHO_EQUATION_LABELS]; /* 0: not in the equation, or 1 everywhere */
    uint32_t uses[TACHO_EQUATION_LABELS];    /* in operands */
    uint8_t terms[TACHO_EQUATION_LABELS];    /* IN_... */
} indices;

/* False when the term does not fit the shape. */
static bool take_operand(indices *self, tacho_str text, const tacho_shape *shape, uint8_t where)
{
    tacho_equation_term term;
    if (!tacho_shape_is_known(shape) || !tacho_equation_read(text, &term) ||
        !tacho_equation_fits(&term, shape->rank)) {
        return false;
    }
    for (int32_t i = 0; i < shape->rank; i++) {
        uint8_t label = tacho_equation_label(&term, shape->rank, i);
        self->uses[label]++;
        if (shape->dims[i] != 1) {
            self->extents[label] = (uint64_t)shape->dims[i];
            self->terms[label] |= where;
        }
    }
    return true;
}

/* |term| is NULL where it is implied. */
static void take_result(indices *self, const tacho_equation_term *term)
{
    for (size_t i = 0; i < TACHO_EQUATION_LABELS; i++) {
        bool is_in = i < TACHO_EQUATION_LETTERS ? term == NULL && self->uses[i] == 1
                                                : term == NULL || term->ellipsis >= 0;
        self->terms[i] |= is_in ? IN_RESULT : 0;
    }
    for (int32_t i = 0; term != NULL && i < term->count; i++) {
        self->terms[term->letters[i]] |= IN_RESULT;
    }
}

static bool sum_up(const indices *self, tacho_einsum *out)
{
    bool has_second = out->operand_count == 2;
    for (size_t i = 0; i < TACHO_EQUATION_LABELS; i++) {
        if ((self->terms[i] & (IN_FIRST | IN_SECOND)) == 0) {
            continue;
        }
        uint64_t *to = (self->terms[i] & IN_RESULT) == 0   ? &out->k
                       : !has_second                       ? &out->batch
                       : (self->terms[i] & IN_SECOND) == 0 ? &out->m
                       : (self->terms[i] & IN_FIRST) == 0  ? &out->n
                                                           : &out->batch;
        *to = tacho_size_multiply(*to, self->extents[i]);
    }
    return out->batch <= INT64_MAX && out->m <= INT64_MAX && out->n <= INT64_MAX &&
           out->k <= INT64_MAX;
}

bool tacho_einsum_measure(const tacho_graph *graph, const tacho_node *node,
                          tacho_einsum *out_einsum)
{
    *out_einsum =
        (tacho_einsum){.operand_count = node->input_count, .batch = 1, .m = 1, .n = 1, .k = 1};
    tacho_str equation =
        tacho_attr_text(tacho_graph_attrs(graph, node), node->attr_count, "equation");
    if (equation.len == 0 || node->input_count == 0 || node->input_count > 2) {
        return false;
    }
    tacho_str operands, result;
    tacho_equation_term term;
    bool is_told = tacho_equation_split(equation, &operands, &result);
    if ((is_told && !tacho_equation_read(result, &term)) ||
        tacho_equation_count(operands) != node->input_count) {
        return false;
    }
    indices self = {.extents = {0}};
    for (size_t i = 0; i < node->input_count; i++) {
        const tacho_tensor *tensor = tacho_graph_input(graph, node, i);
        if (tensor == NULL || !take_operand(&self, tacho_equation_next(&operands), tensor->shape,
                                            i == 0 ? IN_FIRST : IN_SECOND)) {
            return false;
        }
    }
    take_result(&self, is_told ? &term : NULL);
    return sum_up(&self, out_einsum);
}
