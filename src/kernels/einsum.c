/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Einsum: sums of products over labelled axes. Labels of the result are counted through in its
 * order, the others are summed over, in double, in the order in which the equation names them. An
 * ellipsis stands for axes that broadcast, aligned at their ends.
 */
#include "base/maths.h"
#include "kernels/call.h"

enum {
    OPERANDS_MAX = 8,
    LETTERS = 52,
    LABELS_MAX = LETTERS + TACHO_RANK_MAX, /* letters, then the axes of ellipses */
};

/* What takes minutes; several operands without a common label soon take years. */
static const uint64_t products_max = (uint64_t)1 << 36;

/* The labels of an operand's or the result's axes. */
typedef struct term {
    int32_t count;
    uint8_t labels[TACHO_RANK_MAX];
} term;

typedef struct equation {
    const tacho_kernel_call *call;
    term inputs[OPERANDS_MAX], output;
    int64_t sizes[LABELS_MAX];
    uint8_t uses[LABELS_MAX];                /* in the equation's left side */
    int64_t steps[OPERANDS_MAX][LABELS_MAX]; /* how far an operand goes along a label */
    uint8_t order[LABELS_MAX];               /* labels of the result, then those summed over */
    int32_t order_count, output_count;
} equation;

static tacho_status bad_equation(const char *why)
{
    return tacho_fail(TACHO_CODE_BAD_DATA, "Einsum: %s", why);
}

static int label_of(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? 26 + c - 'a' : -1;
}

/* Reads one term; |rank| is its number of axes, -1 where the labels and |dots| say it. */
static tacho_status read_term(tacho_str text, int32_t rank, int32_t dots, term *out_term)
{
    int32_t letters = 0;
    for (size_t i = 0; i < text.len; i++) {
        letters += label_of(text.data[i]) >= 0;
    }
    bool has_dots = tacho_str_find_byte(text, '.') < text.len;
    int32_t wide = !has_dots ? 0 : rank < 0 ? dots : rank - letters;
    *out_term = (term){.count = 0};
    if (wide < 0 || letters + wide > TACHO_RANK_MAX || (rank >= 0 && letters + wide != rank)) {
        return bad_equation("a term has another number of axes than its operand");
    }
    for (size_t i = 0; i < text.len; i++) {
        int label = label_of(text.data[i]);
        if (label >= 0) {
            out_term->labels[out_term->count++] = (uint8_t)label;
        } else if (text.data[i] == '.' && (i == 0 || text.data[i - 1] != '.')) {
            for (int32_t axis = wide; axis-- > 0;) { /* the last one is the first label */
                out_term->labels[out_term->count++] = (uint8_t)(LETTERS + axis);
            }
        } else if (text.data[i] != '.' && text.data[i] != ' ') {
            return bad_equation("a label is no letter");
        }
    }
    return TACHO_OK;
}

/* Sizes of labels and steps of operands; axes of size 1 broadcast where they are an ellipsis's. */
static tacho_status measure(equation *self, size_t operand)
{
    const tacho_array *array = self->call->inputs[operand];
    const term *labels = &self->inputs[operand];
    int64_t step = 1;
    for (int32_t i = labels->count; i-- > 0;) {
        uint8_t label = labels->labels[i];
        int64_t size = array->shape.dims[i];
        int64_t *known = &self->sizes[label];
        bool is_first = self->uses[label] == 0;
        bool may_spread = label >= LETTERS && (size == 1 || *known == 1);
        if (!is_first && size != *known && !may_spread) {
            return bad_equation("a label stands for two sizes");
        }
        *known = is_first || *known == 1 ? size : *known;
        self->uses[label] = 1;
        self->steps[operand][label] += size == 1 && label >= LETTERS ? 0 : step;
        step *= size;
    }
    return TACHO_OK;
}

/* Without "->" the result has what is there once, in the order of the alphabet. */
static tacho_status imply_output(equation *self, int32_t dots)
{
    uint8_t counts[LETTERS] = {0};
    for (size_t i = 0; i < self->call->input_count; i++) {
        for (int32_t j = 0; j < self->inputs[i].count; j++) {
            uint8_t label = self->inputs[i].labels[j];
            if (label < LETTERS && counts[label] < 2) {
                counts[label]++;
            }
        }
    }
    for (int32_t i = dots; i-- > 0;) {
        self->output.labels[self->output.count++] = (uint8_t)(LETTERS + i);
    }
    for (int i = 0; i < LETTERS; i++) {
        if (counts[i] == 1 && self->output.count == TACHO_RANK_MAX) {
            return bad_equation("the result has too many axes");
        }
        if (counts[i] == 1) {
            self->output.labels[self->output.count++] = (uint8_t)i;
        }
    }
    return TACHO_OK;
}

static tacho_status read_inputs(equation *self, tacho_str left, int32_t *dots)
{
    const tacho_kernel_call *call = self->call;
    for (size_t i = 0; i < call->input_count; i++) {
        size_t comma = tacho_str_find_byte(left, ',');
        if (call->inputs[i] == NULL || (comma == left.len) != (i + 1 == call->input_count)) {
            return bad_equation("the equation has another number of operands");
        }
        int32_t rank = call->inputs[i]->shape.rank;
        TACHO_TRY(read_term(tacho_str_make(left.data, comma), rank, 0, &self->inputs[i]));
        for (int32_t j = 0; j < self->inputs[i].count; j++) {
            int32_t axis = self->inputs[i].labels[j] - LETTERS;
            *dots = axis >= *dots ? axis + 1 : *dots;
        }
        TACHO_TRY(measure(self, i));
        left = tacho_str_from(left, comma == left.len ? comma : comma + 1);
    }
    return TACHO_OK;
}

static tacho_status read_equation(equation *self)
{
    const tacho_kernel_call *call = self->call;
    tacho_str text = tacho_attr_text(call->attrs, call->attr_count, "equation");
    size_t arrow = tacho_str_find_byte(text, '-');
    bool has_arrow = arrow + 1 < text.len && text.data[arrow + 1] == '>';
    int32_t dots = 0;
    TACHO_TRY(read_inputs(self, tacho_str_make(text.data, arrow), &dots));
    TACHO_TRY(has_arrow ? read_term(tacho_str_from(text, arrow + 2), -1, dots, &self->output)
                        : imply_output(self, dots));
    const tacho_shape *made = &call->outputs[0].shape;
    bool is_used[LABELS_MAX] = {false};
    if (made->rank != self->output.count) {
        return tacho_wrong_shapes("Einsum");
    }
    for (int32_t i = 0; i < self->output.count; i++) {
        uint8_t label = self->output.labels[i];
        if (self->uses[label] == 0 || is_used[label] || self->sizes[label] != made->dims[i]) {
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
