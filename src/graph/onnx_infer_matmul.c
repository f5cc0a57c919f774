/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types and shapes of products of matrices and of what is made of them: Einsum, recurrent layers.
 */
#include "graph/onnx_infer.h"

#include <inttypes.h>

/* ---- two matrices -------------------------------------------------------------------------- */

/* Numpy's product: vectors are a row or a column, dimensions before the last two broadcast. */
static tacho_status matmul_shape(const tacho_infer *infer, const tacho_shape *a,
                                 const tacho_shape *b, tacho_shape *out_shape)
{
    char text_a[TACHO_SHAPE_TEXT_MAX], text_b[TACHO_SHAPE_TEXT_MAX];
    *out_shape = tacho_onnx_any_shape(-1);
    if (a->rank == TACHO_RANK_UNKNOWN || b->rank == TACHO_RANK_UNKNOWN) {
        return TACHO_OK;
    }
    if (a->rank == 0 || b->rank == 0) {
        return tacho_infer_fail(infer, "a scalar is no matrix");
    }
    TACHO_TRY(tacho_onnx_match(infer, "inner dimensions", a->dims[a->rank - 1],
                               b->dims[b->rank > 1 ? b->rank - 2 : 0]));
    tacho_shape outer_a = *a, outer_b = *b;
    outer_a.rank = a->rank > 2 ? a->rank - 2 : 0;
    outer_b.rank = b->rank > 2 ? b->rank - 2 : 0;
    if (!tacho_shape_broadcast(&outer_a, &outer_b, out_shape)) {
        return tacho_infer_fail(infer, "batches of %s and %s cannot be broadcast",
                                tacho_shape_print(a, text_a, sizeof(text_a)),
                                tacho_shape_print(b, text_b, sizeof(text_b)));
    }
    if (a->rank > 1) {
        out_shape->dims[out_shape->rank++] = a->dims[a->rank - 2];
    }
    if (b->rank > 1) {
        out_shape->dims[out_shape->rank++] = b->dims[b->rank - 1];
    }
    return TACHO_OK;
}

tacho_status tacho_onnx_infer_matmul(const tacho_infer *infer)
{
    tacho_shape shape;
    TACHO_TRY(tacho_onnx_need(infer, 2));
    TACHO_TRY(
        matmul_shape(infer, tacho_infer_shape(infer, 0), tacho_infer_shape(infer, 1), &shape));
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

tacho_status tacho_onnx_infer_matmul_integer(const tacho_infer *infer)
{
    tacho_shape shape;
    TACHO_TRY(tacho_onnx_need(infer, 2));
    TACHO_TRY(
        matmul_shape(infer, tacho_infer_shape(infer, 0), tacho_infer_shape(infer, 1), &shape));
    return tacho_infer_set(infer, 0, TACHO_DTYPE_I32, &shape);
}

/* a, its scale and zero point, b, its scale and zero point, the result's. */
tacho_status tacho_onnx_infer_qlinear_matmul(const tacho_infer *infer)
{
    tacho_shape shape;
    TACHO_TRY(tacho_onnx_need(infer, 8));
    TACHO_TRY(
        matmul_shape(infer, tacho_infer_shape(infer, 0), tacho_infer_shape(infer, 3), &shape));
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 7), &shape);
}

tacho_status tacho_onnx_infer_gemm(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, tacho_onnx_before(infer, 11) ? 3 : 2));
    TACHO_TRY(tacho_onnx_need_rank(infer, 0, 2, 2));
    TACHO_TRY(tacho_onnx_need_rank(infer, 1, 2, 2));
    const tacho_shape *a = tacho_infer_shape(infer, 0), *b = tacho_infer_shape(infer, 1);
    int32_t flip_a = tacho_onnx_int(infer, "transA", 0) != 0 ? 1 : 0;
    int32_t flip_b = tacho_onnx_int(infer, "transB", 0) != 0 ? 1 : 0;
    tacho_shape shape = tacho_onnx_any_shape(2), joined;
    if (a->rank == 2) {
        shape.dims[0] = a->dims[flip_a];
    }
    if (b->rank == 2) {
        shape.dims[1] = b->dims[1 - flip_b];
    }
    if (a->rank == 2 && b->rank == 2) {
        TACHO_TRY(
            tacho_onnx_match(infer, "inner dimensions", a->dims[1 - flip_a], b->dims[flip_b]));
    }
    const tacho_shape *c = tacho_infer_shape(infer, 2);
    if (tacho_shape_is_known(&shape) && tacho_shape_is_known(c) &&
        (!tacho_shape_broadcast(&shape, c, &joined) || !tacho_shape_equal(&joined, &shape))) {
        char text[TACHO_SHAPE_TEXT_MAX], text_c[TACHO_SHAPE_TEXT_MAX];
        return tacho_infer_fail(infer, "input 2 of shape %s cannot be added to %s",
                                tacho_shape_print(c, text_c, sizeof(text_c)),
                                tacho_shape_print(&shape, text, sizeof(text)));
    }
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

tacho_status tacho_onnx_infer_det(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 1));
    TACHO_TRY(tacho_onnx_need_rank(infer, 0, 2, TACHO_RANK_MAX));
    tacho_shape shape = *tacho_infer_shape(infer, 0);
    shape.rank -= shape.rank >= 2 ? 2 : 0;
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

/* ---- Einsum -------------------------------------------------------------------------------- */

/* What the letters of an equation stand for. */
typedef struct einsum {
    int64_t dims[128];     /* by letter; 1 may be broadcast */
    uint32_t uses[128];    /* by letter, in the inputs */
    tacho_shape ellipsis;  /* what "..." stands for, broadcast */
    bool has_unknown_rank; /* an input whose rank is not known */
} einsum;

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The letters of a term; an ellipsis counts as none. False on anything else. */
static bool count_letters(tacho_str term, int32_t *out_letters, bool *out_has_ellipsis)
{
    *out_letters = 0;
    *out_has_ellipsis = false;
    for (size_t i = 0; i < term.len; i++) {
        if (is_letter(term.data[i])) {
            *out_letters = *out_letters + 1;
        } else if (!*out_has_ellipsis &&
                   tacho_str_starts_with(tacho_str_from(term, i), TACHO_STR("..."))) {
            *out_has_ellipsis = true;
            i += 2;
        } else if (term.data[i] != ' ') {
            return false;
        }
        if (*out_letters > TACHO_RANK_MAX) {
            return false;
        }
    }
    return true;
}

static tacho_status bad_term(const tacho_infer *infer, tacho_str term, size_t input)
{
    return tacho_infer_fail(infer, "'%.*s' of the equation does not fit input %zu",
                            TACHO_STR_ARG(term), input);
}

static tacho_status take_letter(const tacho_infer *infer, einsum *self, char letter, int64_t dim)
{
    size_t at = (size_t)letter;
    int64_t *known = &self->dims[at];
    if (self->uses[at]++ == 0 || *known == 1 || *known == TACHO_DIM_UNKNOWN) {
        bool is_better = self->uses[at] == 1 || dim != TACHO_DIM_UNKNOWN;
        *known = is_better && !(self->uses[at] > 1 && dim == 1) ? dim : *known;
        return TACHO_OK;
    }
    return dim == 1 ? TACHO_OK : tacho_onnx_match(infer, "dimensions of one letter", *known, dim);
}

static tacho_status take_term(const tacho_infer *infer, einsum *self, tacho_str term, size_t input)
{
    const tacho_shape *shape = tacho_infer_shape(infer, input);
    int32_t letters, at = 0;
    bool has_ellipsis;
    if (!count_letters(term, &letters, &has_ellipsis)) {
        return bad_term(infer, term, input);
    }
    if (shape->rank == TACHO_RANK_UNKNOWN) {
        self->has_unknown_rank = true;
        return TACHO_OK;
    }
    if (shape->rank < letters || (!has_ellipsis && shape->rank != letters)) {
        return bad_term(infer, term, input);
    }
    for (size_t i = 0; i < term.len; i++) {
        if (is_letter(term.data[i])) {
            TACHO_TRY(take_letter(infer, self, term.data[i], shape->dims[at++]));
        } else if (term.data[i] == '.') {
            tacho_shape covered = {.rank = shape->rank - letters}, before = self->ellipsis;
            memcpy(covered.dims, shape->dims + at, (size_t)covered.rank * sizeof(int64_t));
            if (!tacho_shape_broadcast(&before, &covered, &self->ellipsis)) {
                return bad_term(infer, term, input);
            }
            at += covered.rank;
            i += 2;
        }
    }
    return TACHO_OK;
}

/* Without "->", the ellipsis and then the letters used once, in the alphabet's order. */
static void implied_shape(const einsum *self, tacho_shape *out_shape)
{
    *out_shape = self->ellipsis;
    for (size_t letter = 'A'; letter <= 'z' && out_shape->rank < TACHO_RANK_MAX; letter++) {
        if (self->uses[letter] == 1) {
            out_shape->dims[out_shape->rank++] = self->dims[letter];
        }
    }
}

static tacho_status result_shape(const tacho_infer *infer, const einsum *self, tacho_str term,
                                 tacho_shape *out_shape)
{
    int32_t letters;
    bool has_ellipsis;
    *out_shape = (tacho_shape){0};
    if (!count_letters(term, &letters, &has_ellipsis) ||
        letters + (has_ellipsis ? self->ellipsis.rank : 0) > TACHO_RANK_MAX) {
        return tacho_infer_fail(infer, "'%.*s' of the equation is no result", TACHO_STR_ARG(term));
    }
    for (size_t i = 0; i < term.len; i++) {
        if (is_letter(term.data[i])) {
            if (self->uses[(size_t)term.data[i]] == 0) {
                return tacho_infer_fail(infer, "'%c' of the result is in no input", term.data[i]);
            }
            out_shape->dims[out_shape->rank++] = self->dims[(size_t)term.data[i]];
        } else if (term.data[i] == '.') {
            for (int32_t j = 0; j < self->ellipsis.rank; j++) {
                out_shape->dims[out_shape->rank++] = self->ellipsis.dims[j];
            }
            i += 2;
        }
    }
    return TACHO_OK;
}

tacho_status tacho_onnx_infer_einsum(const tacho_infer *infer)
{
    tacho_str equation = tacho_onnx_text(infer, "equation"), inputs = equation, result = {0};
    bool has_result = false;
    TACHO_TRY(tacho_onnx_need(infer, 1));
    for (size_t i = 0; i + 1 < equation.len && !has_result; i++) {
        if (equation.data[i] == '-' && equation.data[i + 1] == '>') {
            inputs = tacho_str_make(equation.data, i);
            result = tacho_str_from(equation, i + 2);
            has_result = true;
        }
    }
    einsum self = {.ellipsis = {0}};
    size_t input = 0, at = 0;
    for (bool is_last = false; !is_last; input++) {
        tacho_str rest = tacho_str_from(inputs, at);
        size_t len = tacho_str_find_byte(rest, ',');
        is_last = len == rest.len;
        if (!tacho_onnx_has(infer, input)) {
            return tacho_infer_fail(
                infer, "the equation has a term for input %zu, which is missing", input);
        }
        TACHO_TRY(take_term(infer, &self, tacho_str_make(rest.data, len), input));
        at += is_last ? len : len + 1;
    }
    TACHO_TRY(tacho_onnx_match(infer, "terms of the equation and inputs", (int64_t)input,
                               infer->node->input_count));
    tacho_shape shape = tacho_onnx_any_shape(-1);
    if (!self.has_unknown_rank && has_result) {
        TACHO_TRY(result_shape(infer, &self, result, &shape));
    } else if (!self.has_unknown_rank) {
        implied_shape(&self, &shape);
    }
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

/* ---- LSTM, GRU, RNN ------------------------------------------------------------------------ */

static int64_t dim_of(const tacho_shape *shape, int32_t rank, int32_t i)
{
    return shape->rank == rank ? shape->dims[i] : TACHO_DIM_UNKNOWN;
}

tacho_status tacho_onnx_infer_recurrent(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 3));
    for (size_t i = 0; i < 3; i++) {
        TACHO_TRY(tacho_onnx_need_rank(infer, i, 3, 3));
    }
    const tacho_shape *x = tacho_infer_shape(infer, 0), *w = tacho_infer_shape(infer, 1);
    const tacho_shape *r = tacho_infer_shape(infer, 2);
    bool is_both = tacho_str_equal(tacho_onnx_text(infer, "direction"), TACHO_STR("bidirectional"));
    bool is_batch_first = tacho_onnx_int(infer, "layout", 0) != 0;
    int64_t directions = is_both ? 2 : 1, hidden = tacho_onnx_int(infer, "hidden_size", 0);
    int64_t steps = dim_of(x, 3, is_batch_first ? 1 : 0);
    int64_t batch = dim_of(x, 3, is_batch_first ? 0 : 1);
    if (hidden < 0) {
        return tacho_infer_fail(infer, "hidden_size is %" PRId64, hidden);
    }
    hidden = hidden > 0 ? hidden : dim_of(r, 3, 2);
    TACHO_TRY(tacho_onnx_match(infer, "hidden_size and input 2", hidden, dim_of(r, 3, 2)));
    TACHO_TRY(tacho_onnx_match(infer, "directions and input 1", directions, dim_of(w, 3, 0)));
    TACHO_TRY(tacho_onnx_match(infer, "input sizes", dim_of(x, 3, 2), dim_of(w, 3, 2)));
    tacho_shape all = {.rank = 4, .dims = {steps, directions, batch, hidden}};
    tacho_shape last = {.rank = 3, .dims = {directions, batch, hidden}};
    if (is_batch_first) {
        all = (tacho_shape){.rank = 4, .dims = {batch, steps, directions, hidden}};
        last = (tacho_shape){.rank = 3, .dims = {batch, directions, hidden}};
    }
    TACHO_TRY(tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &all));
    TACHO_TRY(tacho_infer_set(infer, 1, tacho_infer_dtype(infer, 0), &last));
    return tacho_infer_set(infer, 2, tacho_infer_dtype(infer, 0), &last);
}
