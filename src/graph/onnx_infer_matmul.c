/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types and shapes of products of matrices and of operators made of them: Einsum, recurrent layers.
 */
#include "graph/onnx_infer.h"

#include "kernels/equation.h"

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
        return tacho_infer_fail(infer, "a scalar is not a matrix");
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
    if (shape.rank >= 2) {
        shape.rank -= 2;
        TACHO_TRY(tacho_onnx_match(infer, "sides of a matrix", shape.dims[shape.rank],
                                   shape.dims[shape.rank + 1]));
    }
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

/* ---- Einsum -------------------------------------------------------------------------------- */

/* The dimensions of an equation's labels. */
typedef struct einsum {
    int64_t dims[TACHO_EQUATION_LABELS]; /* 1 may be broadcast */
    uint32_t uses[TACHO_EQUATION_LABELS];
    int32_t wide;          /* axes under the widest ellipsis */
    bool has_unknown_rank; /* an input whose rank is not known */
} einsum;

static tacho_status bad_term(const tacho_infer *infer, tacho_str term, size_t input)
{
    return tacho_infer_fail(infer, "'%.*s' of the equation does not fit input %zu",
                            TACHO_STR_ARG(term), input);
}

/* Within one term no dimension is broadcast: axes of one label are a diagonal. */
static tacho_status match_diagonals(const tacho_infer *infer, const tacho_equation_term *term,
                                    const tacho_shape *shape)
{
    for (int32_t i = 0; i < shape->rank; i++) {
        for (int32_t j = 0; j < i; j++) {
            if (tacho_equation_label(term, shape->rank, i) ==
                tacho_equation_label(term, shape->rank, j)) {
                TACHO_TRY(tacho_onnx_match(infer, "dimensions of one letter", shape->dims[j],
                                           shape->dims[i]));
            }
        }
    }
    return TACHO_OK;
}

static tacho_status take_axis(const tacho_infer *infer, einsum *self, uint8_t label, int64_t dim)
{
    int64_t *known = &self->dims[label];
    bool is_first = self->uses[label]++ == 0;
    if (is_first || *known == 1 || (*known == TACHO_DIM_UNKNOWN && dim != 1)) {
        *known = dim;
        return TACHO_OK;
    }
    return dim == 1 ? TACHO_OK : tacho_onnx_match(infer, "dimensions of one letter", *known, dim);
}

static tacho_status take_term(const tacho_infer *infer, einsum *self, tacho_str text, size_t input)
{
    const tacho_shape *shape = tacho_infer_shape(infer, input);
    tacho_equation_term term;
    if (!tacho_equation_read(text, &term)) {
        return bad_term(infer, text, input);
    }
    if (shape->rank == TACHO_RANK_UNKNOWN) {
        self->has_unknown_rank = true;
        return TACHO_OK;
    }
    if (!tacho_equation_fits(&term, shape->rank)) {
        return bad_term(infer, text, input);
    }
    int32_t wide = shape->rank - term.count;
    self->wide = wide > self->wide ? wide : self->wide;
    TACHO_TRY(match_diagonals(infer, &term, shape));
    for (int32_t i = 0; i < shape->rank; i++) {
        TACHO_TRY(
            take_axis(infer, self, tacho_equation_label(&term, shape->rank, i), shape->dims[i]));
    }
    return TACHO_OK;
}

/* Without "->", the ellipsis and then the letters used once, in the alphabet's order. */
static tacho_status imply_result(const tacho_infer *infer, const einsum *self,
                                 tacho_equation_term *out_term)
{
    *out_term = (tacho_equation_term){.ellipsis = 0};
    for (uint8_t i = 0; i < TACHO_EQUATION_LETTERS; i++) {
        if (self->uses[i] == 1 && out_term->count == TACHO_RANK_MAX) {
            return tacho_infer_fail(infer, "the result of the equation has too many axes");
        }
        if (self->uses[i] == 1) {
            out_term->letters[out_term->count++] = i;
        }
    }
    return TACHO_OK;
}

/* A letter of the result is in an input, and once in the result. */
static tacho_status check_result(const tacho_infer *infer, const einsum *self,
                                 const tacho_equation_term *term)
{
    for (int32_t i = 0; i < term->count; i++) {
        uint8_t label = term->letters[i];
        if (self->uses[label] == 0) {
            return tacho_infer_fail(infer, "'%c' of the result is in no input",
                                    tacho_equation_letter(label));
        }
        if (memchr(term->letters, label, (size_t)i) != NULL) {
            return tacho_infer_fail(infer, "'%c' is twice in the result of the equation",
                                    tacho_equation_letter(label));
        }
    }
    return TACHO_OK;
}

static tacho_status result_shape(const tacho_infer *infer, const einsum *self,
                                 const tacho_equation_term *term, tacho_shape *out_shape)
{
    TACHO_TRY(check_result(infer, self, term));
    *out_shape = (tacho_shape){.rank = term->count + (term->ellipsis >= 0 ? self->wide : 0)};
    if (out_shape->rank > TACHO_RANK_MAX) {
        return tacho_infer_fail(infer, "the result of the equation has too many axes");
    }
    for (int32_t i = 0; i < out_shape->rank; i++) {
        out_shape->dims[i] = self->dims[tacho_equation_label(term, out_shape->rank, i)];
    }
    return TACHO_OK;
}

tacho_status tacho_onnx_infer_einsum(const tacho_infer *infer)
{
    tacho_str operands, result;
    tacho_equation_term term;
    einsum self = {.wide = 0};
    TACHO_TRY(tacho_onnx_need(infer, 1));
    bool is_told = tacho_equation_split(tacho_onnx_text(infer, "equation"), &operands, &result);
    size_t count = tacho_equation_count(operands);
    for (size_t i = 0; i < count; i++) {
        if (!tacho_onnx_has(infer, i)) {
            return tacho_infer_fail(infer,
                                    "the equation has a term for input %zu, which is missing", i);
        }
        TACHO_TRY(take_term(infer, &self, tacho_equation_next(&operands), i));
    }
    TACHO_TRY(tacho_onnx_match(infer, "terms of the equation and inputs", (int64_t)count,
                               infer->node->input_count));
    if (is_told && !tacho_equation_read(result, &term)) {
        return tacho_infer_fail(infer, "'%.*s' of the equation is not a result",
                                TACHO_STR_ARG(result));
    }
    tacho_shape shape = tacho_onnx_any_shape(-1);
    if (!self.has_unknown_rank && !is_told) {
        TACHO_TRY(imply_result(infer, &self, &term));
    }
    if (!self.has_unknown_rank) {
        TACHO_TRY(result_shape(infer, &self, &term, &shape));
    }
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

/* ---- LSTM, GRU, RNN ------------------------------------------------------------------------ */

static int64_t dim_of(const tacho_shape *shape, int32_t rank, int32_t i)
{
    return shape->rank == rank ? shape->dims[i] : TACHO_DIM_UNKNOWN;
}

/* Checks beyond shapes: the direction, the type of lengths, and two results for all but LSTM. */
static tacho_status check_recurrent(const tacho_infer *infer)
{
    tacho_str way = tacho_onnx_text(infer, "direction");
    if (way.len > 0 && !tacho_str_equal(way, TACHO_STR("forward")) &&
        !tacho_str_equal(way, TACHO_STR("reverse")) &&
        !tacho_str_equal(way, TACHO_STR("bidirectional"))) {
        return tacho_infer_fail(infer, "unknown direction '%.*s'", TACHO_STR_ARG(way));
    }
    if (tacho_onnx_has(infer, 4)) {
        tacho_dtype dtype = tacho_infer_dtype(infer, 4);
        tacho_dtype_kind kind = tacho_dtype_kind_of(dtype);
        if (dtype != TACHO_DTYPE_NONE && kind != TACHO_DTYPE_SIGNED &&
            kind != TACHO_DTYPE_UNSIGNED) {
            return tacho_infer_fail(infer, "lengths of sequences are %s, expected integers",
                                    tacho_dtype_name(dtype));
        }
    }
    const tacho_node *node = infer->node;
    bool is_lstm =
        strstr(node->def->name, "LSTM") != NULL; /* a call at the gate has no other name */
    for (uint32_t i = is_lstm ? 3 : 2; i < node->output_count; i++) {
        if (infer->graph->links[node->first_output + i] != TACHO_NONE) {
            return tacho_infer_fail(infer, "there is no output %u", (unsigned)i);
        }
    }
    return TACHO_OK;
}

tacho_status tacho_onnx_infer_recurrent(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 3));
    TACHO_TRY(check_recurrent(infer));
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
    tacho_dtype dtype = tacho_infer_dtype(infer, 0);
    dtype = dtype == TACHO_DTYPE_U8 ? TACHO_DTYPE_F32 : dtype; /* bytes stand for reals */
    TACHO_TRY(tacho_infer_set(infer, 0, dtype, &all));
    TACHO_TRY(tacho_infer_set(infer, 1, dtype, &last));
    return tacho_infer_set(infer, 2, dtype, &last);
}
