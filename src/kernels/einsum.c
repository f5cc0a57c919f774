/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Einsum: sums of products over labelled axes. Labels of the result are counted through in its
 * order; the others are summed over, in double, in the order of the alphabet, capitals first, the
 * last one fastest, and then the axes under ellipses. As in numpy an axis of 1 is broadcast to what
 * its label has in another operand, but not to what it has in the same one.
 */
#include "base/maths.h"
#include "kernels/call.h"
#include "kernels/equation.h"

enum {
    OPERANDS_MAX = 8,
    LABELS_MAX = TACHO_EQUATION_LABELS,
};

/* What takes minutes; several operands without a common label soon take years. */
static const uint64_t products_max = (uint64_t)1 << 36;

typedef struct equation {
    const tacho_kernel_call *call;
    int64_t sizes[LABELS_MAX];
    uint32_t uses[LABELS_MAX];               /* in the equation's left side */
    int64_t steps[OPERANDS_MAX][LABELS_MAX]; /* how far an operand goes along a label */
    uint8_t order[LABELS_MAX];               /* labels of the result, then those summed over */
    int32_t order_count, output_count;
    int32_t wide; /* axes under the widest ellipsis */
} equation;

static tacho_status bad_equation(const char *why)
{
    return tacho_fail(TACHO_CODE_BAD_DATA, "Einsum: %s", why);
}

/* Sizes of labels and steps of an operand. */
static tacho_status measure(equation *self, size_t operand, const tacho_equation_term *term)
{
    const tacho_shape *shape = &self->call->inputs[operand]->shape;
    int64_t own[LABELS_MAX], step = 1;
    bool has_own[LABELS_MAX] = {false};
    for (int32_t i = shape->rank; i-- > 0;) {
        uint8_t label = tacho_equation_label(term, shape->rank, i);
        int64_t size = shape->dims[i];
        int64_t *known = &self->sizes[label];
        bool is_first = self->uses[label]++ == 0;
        bool is_same = has_own[label] ? own[label] == size
                                      : is_first || size == *known || size == 1 || *known == 1;
        if (!is_same) {
            return bad_equation("a label stands for two sizes");
        }
        has_own[label] = true;
        own[label] = size;
        *known = is_first || *known == 1 ? size : *known;
        self->steps[operand][label] += size == 1 ? 0 : step;
        step *= size;
    }
    return TACHO_OK;
}

static tacho_status read_inputs(equation *self, tacho_str operands)
{
    const tacho_kernel_call *call = self->call;
    if (tacho_equation_count(operands) != call->input_count) {
        return bad_equation("the equation has the wrong number of operands");
    }
    for (size_t i = 0; i < call->input_count; i++) {
        tacho_equation_term term;
        int32_t rank = call->inputs[i]->shape.rank;
        if (!tacho_equation_read(tacho_equation_next(&operands), &term)) {
            return bad_equation("a term may contain only letters and an ellipsis");
        }
        if (!tacho_equation_fits(&term, rank)) {
            return bad_equation("a term and its operand differ in the number of axes");
        }
        self->wide = rank - term.count > self->wide ? rank - term.count : self->wide;
        TACHO_TRY(measure(self, i, &term));
    }
    return TACHO_OK;
}

/* Without "->" the result has what is there once, in the order of the alphabet. */
static tacho_status imply_output(const equation *self, tacho_equation_term *out_term)
{
    *out_term = (tacho_equation_term){.ellipsis = 0};
    for (uint8_t i = 0; i < TACHO_EQUATION_LETTERS; i++) {
        if (self->uses[i] == 1 && out_term->count == TACHO_RANK_MAX) {
            return bad_equation("the result has too many axes");
        }
        if (self->uses[i] == 1) {
            out_term->letters[out_term->count++] = i;
        }
    }
    return TACHO_OK;
}

static tacho_status read_output(equation *self, const tacho_equation_term *term)
{
    const tacho_shape *made = &self->call->outputs[0].shape;
    bool is_used[LABELS_MAX] = {false};
    if (made->rank != term->count + (term->ellipsis >= 0 ? self->wide : 0)) {
        return tacho_wrong_shapes("Einsum");
    }
    for (int32_t i = 0; i < made->rank; i++) {
        uint8_t label = tacho_equation_label(term, made->rank, i);
        if (self->uses[label] == 0 || is_used[label]) {
            return bad_equation("a label of the result is in no operand, or twice in the result");
        }
        if (self->sizes[label] != made->dims[i]) {
            return tacho_wrong_shapes("Einsum");
        }
        is_used[label] = true;
        self->order[self->order_count++] = label;
    }
    self->output_count = self->order_count;
    for (int i = 0; i < LABELS_MAX; i++) {
        if (self->uses[i] != 0 && !is_used[i]) {
            self->order[self->order_count++] = (uint8_t)i;
        }
    }
    return TACHO_OK;
}

static tacho_status read_equation(equation *self)
{
    const tacho_kernel_call *call = self->call;
    tacho_str operands, result;
    tacho_equation_term term;
    bool is_told = tacho_equation_split(tacho_attr_text(call->attrs, call->attr_count, "equation"),
                                        &operands, &result);
    TACHO_TRY(read_inputs(self, operands));
    if (!is_told) {
        TACHO_TRY(imply_output(self, &term));
    } else if (!tacho_equation_read(result, &term)) {
        return bad_equation("the result may contain only letters and an ellipsis");
    }
    return read_output(self, &term);
}

/* The next combination of labels [first, end) of the order; false after the last. */
static bool advance(const equation *self, int32_t first, int32_t end, int64_t *at, int64_t *places)
{
    for (int32_t i = end; i-- > first;) {
        uint8_t label = self->order[i];
        bool is_last = ++at[i] == self->sizes[label];
        for (size_t j = 0; j < self->call->input_count; j++) {
            places[j] += self->steps[j][label] * (is_last ? 1 - self->sizes[label] : 1);
        }
        if (!is_last) {
            return true;
        }
        at[i] = 0;
    }
    return false;
}

/* One element of the result. */
static double sum_products(const equation *self, int64_t *at, int64_t *places)
{
    const tacho_kernel_call *call = self->call;
    double sum = 0;
    do {
        double product = 1;
        for (size_t i = 0; i < call->input_count; i++) {
            product *= tacho_real_at(call->inputs[i], places[i]);
        }
        sum += product;
    } while (advance(self, self->output_count, self->order_count, at, places));
    return sum;
}

static tacho_status compute_einsum(const tacho_kernel_call *call)
{
    equation self = {.call = call};
    int64_t at[LABELS_MAX] = {0}, places[OPERANDS_MAX] = {0};
    if (call->input_count > OPERANDS_MAX || !tacho_is_real(call->inputs[0])) {
        return tacho_unsupported_type("Einsum", call->inputs[0]->dtype);
    }
    for (size_t i = 0; i < call->input_count; i++) {
        if (call->inputs[i] == NULL || call->inputs[i]->dtype != call->outputs[0].dtype) {
            return tacho_wrong_shapes("Einsum");
        }
    }
    TACHO_TRY(read_equation(&self));
    bool is_empty = false;
    uint64_t products = 1;
    for (int32_t i = 0; i < self.order_count; i++) {
        int64_t size = self.sizes[self.order[i]];
        is_empty = is_empty || (size == 0 && i >= self.output_count);
        products = tacho_size_multiply(products, (uint64_t)size);
    }
    if (products > products_max) {
        return tacho_fail(TACHO_CODE_LIMIT, "Einsum of more than 2^36 products");
    }
    int64_t total = tacho_array_elements(&call->outputs[0]);
    for (int64_t i = 0; i < total; i++) {
        tacho_set_real(&call->outputs[0], i, is_empty ? 0 : sum_products(&self, at, places));
        (void)advance(&self, 0, self.output_count, at, places);
    }
    return TACHO_OK;
}

const tacho_kernel tacho_einsum_kernels[] = {
    {"Einsum", TACHO_KERNEL_HEAVY, compute_einsum},
    {0},
};
