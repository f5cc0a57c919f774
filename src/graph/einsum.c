/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Indices are letters, and the axes under "..." counted from their end. An axis of 1 is broadcast:
 * it is none.
 */
#include "graph/einsum.h"

#include "base/maths.h"

enum {
    LETTERS = 128,
    INDICES = LETTERS + TACHO_RANK_MAX,
    IN_FIRST = 1,
    IN_SECOND = 2,
    IN_RESULT = 4,
};

typedef struct indices {
    uint64_t extents[INDICES]; /* 0: not in the equation, or 1 everywhere */
    uint32_t uses[INDICES];    /* in operands */
    uint8_t terms[INDICES];    /* IN_... */
} indices;

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int32_t letter_count(tacho_str term)
{
    int32_t count = 0;
    for (size_t i = 0; i < term.len; i++) {
        count += is_letter(term.data[i]) ? 1 : 0;
    }
    return count;
}

static void take_axis(indices *self, size_t index, int64_t dim, uint8_t where)
{
    self->uses[index]++;
    if (dim != 1) {
        self->extents[index] = (uint64_t)dim;
        self->terms[index] |= where;
    }
}

/* False when the term does not fit the shape. */
static bool take_operand(indices *self, tacho_str term, const tacho_shape *shape, uint8_t where)
{
    int32_t letters = letter_count(term);
    if (!tacho_shape_is_known(shape) || shape->rank < letters) {
        return false;
    }
    int32_t axis = 0;
    for (size_t i = 0; i < term.len; i++) {
        if (is_letter(term.data[i]) && axis < shape->rank) {
            take_axis(self, (size_t)term.data[i], shape->dims[axis++], where);
        } else if (term.data[i] == '.') {
            for (int32_t left = shape->rank - letters; left > 0; left--) {
                take_axis(self, LETTERS + (size_t)left - 1, shape->dims[axis++], where);
            }
            while (i + 1 < term.len && term.data[i + 1] == '.') {
                i++;
            }
        }
    }
    return axis == shape->rank;
}

static void take_result(indices *self, tacho_str term, bool is_implied)
{
    bool has_ellipsis = is_implied || tacho_str_find_byte(term, '.') < term.len;
    for (size_t i = 0; i < INDICES; i++) {
        bool is_in = i >= LETTERS ? has_ellipsis
                     : is_implied ? self->uses[i] == 1
                                  : tacho_str_find_byte(term, (char)i) < term.len;
        self->terms[i] |= is_in ? IN_RESULT : 0;
    }
}

static bool sum_up(const indices *self, tacho_einsum *out)
{
    bool has_second = out->operand_count == 2;
    for (size_t i = 0; i < INDICES; i++) {
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
    size_t arrow = 0;
    while (arrow < equation.len &&
           !tacho_str_starts_with(tacho_str_from(equation, arrow), TACHO_STR("->"))) {
        arrow++;
    }
    bool is_implied = arrow == equation.len;
    tacho_str rest = tacho_str_make(equation.data, arrow);
    indices self = {.extents = {0}};
    for (size_t i = 0; i < node->input_count; i++) {
        const tacho_tensor *tensor = tacho_graph_input(graph, node, i);
        size_t comma = tacho_str_find_byte(rest, ',');
        if (tensor == NULL || !take_operand(&self, tacho_str_make(rest.data, comma), &tensor->shape,
                                            i == 0 ? IN_FIRST : IN_SECOND)) {
            return false;
        }
        rest = tacho_str_from(rest, comma < rest.len ? comma + 1 : comma);
    }
    take_result(&self, is_implied ? rest : tacho_str_from(equation, arrow + 2), is_implied);
    return sum_up(&self, out_einsum);
}
