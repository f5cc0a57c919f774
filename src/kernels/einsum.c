/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Einsum: sums of products over labelled axes. Labels of the result are counted through in its
 * order; the others are summed over, in double, in the order of the alphabet, capitals first, the
 * last one fastest, and then the axes under ellipses. As in numpy an axis of 1 is broadcast to what
 * its label has in another operand, but not to what it has in the same one.
 *
 * The quick kernel has two operands of f32: labels become those of rows, columns and depth of a
 * product of matrices (kernels/real_product.h), and those over which such products repeat.
 */
#include "base/arena.h"
#include "base/maths.h"
#include "kernels/call.h"
#include "kernels/equation.h"
#include "kernels/quick.h"
#include "kernels/real_product.h"

enum {
    OPERANDS_MAX = 8,
    LABELS_MAX = TACHO_EQUATION_LABELS,
};

/* This many take minutes; several operands without a common label soon take years. */
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

/* Without "->" the result has the labels that occur once, in the order of the alphabet. */
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

/* Reads the equation of a call; |out_is_empty|: sums have no summands. */
static tacho_status read_call(equation *self, bool *out_is_empty)
{
    const tacho_kernel_call *call = self->call;
    if (call->input_count > OPERANDS_MAX || !tacho_is_real(call->inputs[0])) {
        return tacho_unsupported_type("Einsum", call->inputs[0]->dtype);
    }
    for (size_t i = 0; i < call->input_count; i++) {
        if (call->inputs[i] == NULL || call->inputs[i]->dtype != call->outputs[0].dtype) {
            return tacho_wrong_shapes("Einsum");
        }
    }
    TACHO_TRY(read_equation(self));
    uint64_t products = 1;
    *out_is_empty = false;
    for (int32_t i = 0; i < self->order_count; i++) {
        int64_t size = self->sizes[self->order[i]];
        *out_is_empty = *out_is_empty || (size == 0 && i >= self->output_count);
        products = tacho_size_multiply(products, (uint64_t)size);
    }
    return products > products_max
               ? tacho_fail(TACHO_CODE_LIMIT, "Einsum of more than 2^36 products")
               : TACHO_OK;
}

static tacho_status compute_each(equation *self, bool is_empty)
{
    int64_t at[LABELS_MAX] = {0}, places[OPERANDS_MAX] = {0};
    tacho_array *output = &self->call->outputs[0];
    int64_t total = tacho_array_elements(output);
    for (int64_t i = 0; i < total; i++) {
        tacho_set_real(output, i, is_empty ? 0 : sum_products(self, at, places));
        (void)advance(self, 0, self->output_count, at, places);
    }
    return TACHO_OK;
}

static tacho_status compute_einsum(const tacho_kernel_call *call)
{
    equation self = {.call = call};
    bool is_empty;
    TACHO_TRY(read_call(&self, &is_empty));
    return compute_each(&self, is_empty);
}

/* ---- as products of matrices --------------------------------------------------------------- */

/* The role of a label in the product: OUTER are batches. */
typedef enum role { OUTER, ROWS, COLUMNS, DEPTH, ROLES } role;
enum { LEFT, RIGHT, RESULT, SIDES };
enum { COLUMNS_MAX = 256 }; /* that are packed at a time */

/* Places of the elements along all labels of each role, in both operands and the result. */
typedef struct places {
    int64_t counts[ROLES];
    int64_t *at[ROLES][SIDES];
} places;

static role role_of(const equation *self, int32_t i)
{
    uint8_t label = self->order[i];
    if (i >= self->output_count) {
        return DEPTH;
    }
    bool is_left = self->steps[LEFT][label] != 0, is_right = self->steps[RIGHT][label] != 0;
    return is_left && is_right ? OUTER : is_left ? ROWS : COLUMNS;
}

/* Lists the places of one role, its last label fastest. */
static void list_places(const equation *self, role which, const int64_t *result_steps, places *out)
{
    int64_t count = 1;
    for (int side = 0; side < SIDES; side++) {
        out->at[which][side][0] = 0;
    }
    for (int32_t i = self->order_count; i-- > 0;) {
        uint8_t label = self->order[i];
        if (role_of(self, i) != which) {
            continue;
        }
        int64_t steps[SIDES] = {self->steps[LEFT][label], self->steps[RIGHT][label],
                                i < self->output_count ? result_steps[i] : 0};
        for (int side = 0; side < SIDES; side++) {
            int64_t *at = out->at[which][side];
            for (int64_t j = count; j < count * self->sizes[label]; j++) {
                at[j] = at[j - count] + steps[side];
            }
        }
        count *= self->sizes[label];
    }
}

static tacho_status make_places(const equation *self, tacho_arena *arena, places *out)
{
    int64_t result_steps[LABELS_MAX], step = 1;
    for (int32_t i = self->output_count; i-- > 0;) {
        result_steps[i] = step;
        step *= self->sizes[self->order[i]];
    }
    for (int which = 0; which < ROLES; which++) {
        out->counts[which] = 1;
    }
    for (int32_t i = 0; i < self->order_count; i++) {
        out->counts[role_of(self, i)] *= self->sizes[self->order[i]];
    }
    for (int which = 0; which < ROLES; which++) {
        for (int side = 0; side < SIDES; side++) {
            void *memory;
            TACHO_TRY(tacho_arena_alloc(arena, (size_t)(out->counts[which] + 1) * sizeof(int64_t),
                                        &memory));
            out->at[which][side] = memory;
        }
        list_places(self, (role)which, result_steps, out);
    }
    return TACHO_OK;
}

/* One batch: columns in blocks, so that a packed block stays in the cache. */
static void multiply(const equation *self, const places *at, int64_t batch, float *packed,
                     float *scratch)
{
    tacho_vector_set set = tacho_vector_best();
    float *data[SIDES] = {self->call->inputs[LEFT]->data, self->call->inputs[RIGHT]->data,
                          self->call->outputs[0].data};
    for (int side = 0; side < SIDES; side++) {
        data[side] += at->at[OUTER][side][batch];
    }
    tacho_real_matrix left = {data[LEFT], at->at[ROWS][LEFT], at->at[DEPTH][LEFT]};
    tacho_real_matrix right = {data[RIGHT], at->at[DEPTH][RIGHT], at->at[COLUMNS][RIGHT]};
    tacho_real_matrix result = {data[RESULT], at->at[ROWS][RESULT], at->at[COLUMNS][RESULT]};
    for (int64_t first = 0; first < at->counts[COLUMNS]; first += COLUMNS_MAX) {
        int64_t rest = at->counts[COLUMNS] - first;
        tacho_real_sizes sizes = {at->counts[ROWS], at->counts[DEPTH],
                                  rest < COLUMNS_MAX ? rest : COLUMNS_MAX};
        tacho_real_pack(set, &right, first, sizes.columns, sizes.depth, packed);
        tacho_real_multiply(set, &sizes, &left, packed, first, &result, scratch);
    }
}

static tacho_status multiply_all(const equation *self, tacho_arena *arena)
{
    places at;
    void *packed, *scratch;
    tacho_vector_set set = tacho_vector_best();
    TACHO_TRY(make_places(self, arena, &at));
    int64_t columns = at.counts[COLUMNS] < COLUMNS_MAX ? at.counts[COLUMNS] : COLUMNS_MAX;
    int64_t count = tacho_real_packed_count(set, at.counts[DEPTH], columns);
    TACHO_TRY(tacho_arena_alloc(arena, (size_t)count * sizeof(float), &packed));
    count = tacho_real_scratch_count(set, at.counts[DEPTH]);
    TACHO_TRY(tacho_arena_alloc(arena, (size_t)count * sizeof(float), &scratch));
    for (int64_t i = 0; i < at.counts[OUTER]; i++) {
        multiply(self, &at, i, packed, scratch);
    }
    return TACHO_OK;
}

bool tacho_quick_fits_einsum(const tacho_kernel_call *call)
{
    return call->input_count == 2 && call->inputs[1] != NULL &&
           call->inputs[0]->dtype == TACHO_DTYPE_F32 && call->inputs[1]->dtype == TACHO_DTYPE_F32 &&
           call->outputs[0].dtype == TACHO_DTYPE_F32;
}

tacho_status tacho_quick_einsum(const tacho_kernel_call *call)
{
    static const int64_t depth_max = (int64_t)1 << 20; /* packed columns are to fit in memory */
    equation self = {.call = call};
    bool is_empty;
    int64_t depth = 1;
    TACHO_TRY(read_call(&self, &is_empty));
    for (int32_t i = self.output_count; i < self.order_count && depth <= depth_max; i++) {
        depth *= self.sizes[self.order[i]]; /* each at most 2^36 */
    }
    if (is_empty || depth > depth_max) {
        return compute_each(&self, is_empty);
    }
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status =
        tacho_array_elements(&call->outputs[0]) > 0 ? multiply_all(&self, &arena) : TACHO_OK;
    tacho_arena_deinit(&arena);
    return status;
}

const tacho_kernel tacho_einsum_kernels[] = {
    {"Einsum", TACHO_KERNEL_HEAVY, compute_einsum},
    {0},
};
