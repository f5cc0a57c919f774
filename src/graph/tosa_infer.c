/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shapes of TOSA operators that move, pick or combine elements (see graph/tosa_infer.h);
 * windows that slide over images are in tosa_infer_window.c.
 */
#include "graph/tosa_infer.h"

#include <inttypes.h>

static bool is_ranked(const tacho_shape *shape)
{
    return shape->rank != TACHO_RANK_UNKNOWN;
}

static const tacho_shape unranked = {.rank = TACHO_RANK_UNKNOWN};

/* ---- element by element ---- */

tacho_status tacho_tosa_infer_same(const tacho_infer *infer)
{
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), tacho_infer_shape(infer, 0));
}

tacho_status tacho_tosa_check_zero_points(const tacho_infer *infer, size_t first)
{
    for (size_t i = first; i < infer->node->input_count; i++) {
        uint64_t count = 1;
        const tacho_shape *shape = tacho_infer_shape(infer, i);
        if (tacho_shape_is_known(shape) && (!tacho_shape_elements(shape, &count) || count != 1)) {
            return tacho_infer_fail(
                infer, "operand %zu is a zero point and has %" PRIu64 " elements; it must have one",
                i, count);
        }
    }
    return TACHO_OK;
}

tacho_status tacho_tosa_infer_same_shape(const tacho_infer *infer)
{
    return tacho_infer_set(infer, 0, TACHO_DTYPE_NONE, tacho_infer_shape(infer, 0));
}

tacho_status tacho_tosa_infer_negate(const tacho_infer *infer)
{
    TACHO_TRY(tacho_tosa_check_zero_points(infer, 1));
    return tacho_tosa_infer_same(infer);
}

tacho_status tacho_tosa_infer_rescale(const tacho_infer *infer)
{
    TACHO_TRY(tacho_tosa_check_zero_points(infer, 3));
    return tacho_tosa_infer_same_shape(infer);
}

/* Joins input |i| to |shape|. */
static tacho_status broadcast(const tacho_infer *infer, size_t i, tacho_shape *shape)
{
    const tacho_shape *other = tacho_infer_shape(infer, i);
    tacho_shape joined;
    char left[TACHO_SHAPE_TEXT_MAX];
    char right[TACHO_SHAPE_TEXT_MAX];
    if (!tacho_shape_broadcast(shape, other, &joined)) {
        return tacho_infer_fail(infer, "operands of %s and %s are incompatible",
                                tacho_shape_print(shape, left, sizeof(left)),
                                tacho_shape_print(other, right, sizeof(right)));
    }
    *shape = joined;
    return TACHO_OK;
}

/* Operands |first| and the one after it must have one type. */
static tacho_status check_types(const tacho_infer *infer, size_t first)
{
    tacho_dtype left = tacho_infer_dtype(infer, first);
    tacho_dtype right = tacho_infer_dtype(infer, first + 1);
    bool is_known = left != TACHO_DTYPE_NONE && right != TACHO_DTYPE_NONE;
    return !is_known || left == right
               ? TACHO_OK
               : tacho_infer_fail(infer, "operands of %s and %s; expected one type",
                                  tacho_dtype_name(left), tacho_dtype_name(right));
}

static tacho_status infer_pair(const tacho_infer *infer, tacho_dtype dtype)
{
    tacho_shape shape = *tacho_infer_shape(infer, 0);
    TACHO_TRY(check_types(infer, 0));
    TACHO_TRY(broadcast(infer, 1, &shape));
    return tacho_infer_set(infer, 0, dtype, &shape);
}

tacho_status tacho_tosa_infer_binary(const tacho_infer *infer)
{
    return infer_pair(infer, tacho_infer_dtype(infer, 0));
}

tacho_status tacho_tosa_infer_product(const tacho_infer *infer)
{
    return infer_pair(infer, TACHO_DTYPE_NONE);
}

tacho_status tacho_tosa_infer_compare(const tacho_infer *infer)
{
    return infer_pair(infer, TACHO_DTYPE_BOOL);
}

tacho_status tacho_tosa_infer_select(const tacho_infer *infer)
{
    tacho_shape shape = *tacho_infer_shape(infer, 0);
    TACHO_TRY(check_types(infer, 1));
    TACHO_TRY(broadcast(infer, 1, &shape));
    TACHO_TRY(broadcast(infer, 2, &shape));
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 1), &shape);
}

/* ---- along an axis ---- */

/* The attribute "axis", which must be a dimension of input 0. */
static tacho_status find_axis(const tacho_infer *infer, int32_t rank, int32_t *out_axis)
{
    int64_t axis = tacho_attr_int(tacho_graph_attrs(infer->graph, infer->node),
                                  infer->node->attr_count, "axis", -1);
    *out_axis = 0;
    if (axis < 0 || axis >= rank) {
        return tacho_infer_fail(infer, "axis %" PRId64 " of an operand with %" PRId32 " dimensions",
                                axis, rank);
    }
    *out_axis = (int32_t)axis;
    return TACHO_OK;
}

tacho_status tacho_tosa_infer_reduce(const tacho_infer *infer)
{
    tacho_shape shape = *tacho_infer_shape(infer, 0);
    int32_t axis = 0;
    if (is_ranked(&shape)) {
        TACHO_TRY(find_axis(infer, shape.rank, &axis));
        shape.dims[axis] = 1;
    }
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

tacho_status tacho_tosa_infer_argmax(const tacho_infer *infer)
{
    tacho_shape shape = *tacho_infer_shape(infer, 0);
    int32_t axis = 0;
    if (is_ranked(&shape)) {
        TACHO_TRY(find_axis(infer, shape.rank, &axis));
        shape.rank--;
        for (int32_t i = axis; i < shape.rank; i++) {
            shape.dims[i] = shape.dims[i + 1];
        }
    }
    return tacho_infer_set(infer, 0, TACHO_DTYPE_NONE, &shape);
}

static bool may_be_equal(int64_t a, int64_t b)
{
    return a == b || a == TACHO_DIM_UNKNOWN || b == TACHO_DIM_UNKNOWN;
}

/* Adds |other| to |shape| along |axis|; false when another dimension is not the same. */
static bool append(tacho_shape *shape, const tacho_shape *other, int32_t axis)
{
    bool fits = shape->rank == other->rank;
    for (int32_t i = 0; fits && i < shape->rank; i++) {
        fits = i == axis || may_be_equal(shape->dims[i], other->dims[i]);
    }
    for (int32_t i = 0; fits && i < shape->rank; i++) {
        int64_t *dim = &shape->dims[i];
        if (i != axis) {
            *dim = *dim == TACHO_DIM_UNKNOWN ? other->dims[i] : *dim;
        } else if (*dim == TACHO_DIM_UNKNOWN || other->dims[i] == TACHO_DIM_UNKNOWN ||
                   __builtin_add_overflow(*dim, other->dims[i], dim)) {
            *dim = TACHO_DIM_UNKNOWN;
        }
    }
    return fits;
}

tacho_status tacho_tosa_infer_concat(const tacho_infer *infer)
{
    tacho_shape shape = *tacho_infer_shape(infer, 0);
    int32_t axis = 0;
    char left[TACHO_SHAPE_TEXT_MAX];
    char right[TACHO_SHAPE_TEXT_MAX];
    if (!is_ranked(&shape)) {
        return TACHO_OK;
    }
    TACHO_TRY(find_axis(infer, shape.rank, &axis));
    for (size_t i = 1; i < infer->node->input_count; i++) {
        const tacho_shape *other = tacho_infer_shape(infer, i);
        if (!is_ranked(other)) {
            return TACHO_OK;
        }
        TACHO_TRY(check_types(infer, i - 1));
        if (!append(&shape, other, axis)) {
            return tacho_infer_fail(infer,
                                    "operand %zu of %s does not match %s along axis %" PRId32, i,
                                    tacho_shape_print(other, right, sizeof(right)),
                                    tacho_shape_print(&shape, left, sizeof(left)), axis);
        }
    }
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

/* ---- other places ---- */

/* Integers of operand |input|, or, before 1.0, of attribute |name|. */
static bool find_ints(const tacho_infer *infer, size_t input, const char *name, int64_t *out_ints,
                      size_t *out_count)
{
    size_t max = 2 * TACHO_RANK_MAX;
    size_t count = 0;
    const int64_t *ints = tacho_attr_ints(tacho_graph_attrs(infer->graph, infer->node),
                                          infer->node->attr_count, name, &count);
    if (ints != NULL && count <= max) {
        memcpy(out_ints, ints, count * sizeof(*ints));
        *out_count = count;
        return true;
    }
    return tacho_infer_ints(infer, input, out_ints, max, out_count);
}

static tacho_status fail_count(const tacho_infer *infer, const char *what, size_t found,
                               size_t expected)
{
    return tacho_infer_fail(infer, "%zu numbers of its %s; expected %zu", found, what, expected);
}

/* The permutation is an attribute since 1.0, an operand before; never both, unless they agree. */
static tacho_status check_perms(const tacho_infer *infer)
{
    int64_t operand[2 * TACHO_RANK_MAX];
    size_t count = 0, operand_count = 0;
    const int64_t *ints = tacho_attr_ints(tacho_graph_attrs(infer->graph, infer->node),
                                          infer->node->attr_count, "perms", &count);
    bool has_operand = tacho_graph_input(infer->graph, infer->node, 1) != NULL;
    if (ints == NULL && !has_operand) {
        return tacho_infer_fail(infer, "it has no permutation: expected the attribute perms");
    }
    bool is_known =
        ints != NULL && tacho_infer_ints(infer, 1, operand, 2 * TACHO_RANK_MAX, &operand_count);
    bool is_same =
        !is_known || (count == operand_count && memcmp(ints, operand, count * sizeof(*ints)) == 0);
    return is_same ? TACHO_OK
                   : tacho_infer_fail(infer, "its permutation is given twice, by the attribute "
                                             "perms and by an operand, and they differ");
}

tacho_status tacho_tosa_infer_transpose(const tacho_infer *infer)
{
    const tacho_shape *from = tacho_infer_shape(infer, 0);
    int64_t perms[2 * TACHO_RANK_MAX];
    size_t count = 0;
    TACHO_TRY(check_perms(infer));
    if (!is_ranked(from) || !find_ints(infer, 1, "perms", perms, &count)) {
        return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &unranked);
    }
    if (count != (size_t)from->rank) {
        return fail_count(infer, "permutation", count, (size_t)from->rank);
    }
    tacho_shape shape = {.rank = from->rank};
    unsigned seen = 0;
    for (size_t i = 0; i < count; i++) {
        if (perms[i] < 0 || perms[i] >= from->rank || (seen >> perms[i] & 1) != 0) {
            return tacho_infer_fail(infer,
                                    "%" PRId64 " in its permutation of %" PRId32
                                    " dimensions is out of range or repeated",
                                    perms[i], from->rank);
        }
        seen |= 1U << perms[i];
        shape.dims[i] = from->dims[perms[i]];
    }
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

/* Whether |shape|, one of whose dimensions may be open, can have |count| elements; fills it in. */
static bool fit_elements(tacho_shape *shape, uint64_t count)
{
    uint64_t known = 1;
    int32_t open = -1;
    for (int32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] == TACHO_DIM_UNKNOWN) {
            if (open >= 0) {
                return true; /* more than one: nothing is known */
            }
            open = i;
        } else if (__builtin_mul_overflow(known, (uint64_t)shape->dims[i], &known)) {
            return false;
        }
    }
    if (open < 0) {
        return known == count;
    }
    if (known == 0) {
        return count == 0;
    }
    if (count % known == 0) {
        shape->dims[open] = (int64_t)(count / known);
    }
    return count % known == 0;
}

tacho_status tacho_tosa_infer_reshape(const tacho_infer *infer)
{
    const tacho_tensor *output = tacho_graph_output(infer->graph, infer->node, 0);
    int64_t sizes[2 * TACHO_RANK_MAX];
    size_t rank = 0;
    uint64_t count = 0;
    tacho_shape shape = output != NULL ? *output->shape : unranked;
    if (find_ints(infer, 1, "new_shape", sizes, &rank)) {
        if (rank > TACHO_RANK_MAX) {
            return fail_count(infer, "new shape", rank, TACHO_RANK_MAX);
        }
        shape.rank = (int32_t)rank;
        for (size_t i = 0; i < rank; i++) {
            shape.dims[i] = sizes[i] < 0 ? TACHO_DIM_UNKNOWN : sizes[i];
        }
    }
    char from[TACHO_SHAPE_TEXT_MAX];
    char to[TACHO_SHAPE_TEXT_MAX];
    if (is_ranked(&shape) && tacho_shape_elements(tacho_infer_shape(infer, 0), &count) &&
        !fit_elements(&shape, count)) {
        return tacho_infer_fail(infer, "%s has %" PRIu64 " elements, which are not those of %s",
                                tacho_shape_print(tacho_infer_shape(infer, 0), from, sizeof(from)),
                                count, tacho_shape_print(&shape, to, sizeof(to)));
    }
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

tacho_status tacho_tosa_infer_slice(const tacho_infer *infer)
{
    const tacho_shape *from = tacho_infer_shape(infer, 0);
    int64_t starts[2 * TACHO_RANK_MAX];
    int64_t sizes[2 * TACHO_RANK_MAX];
    size_t start_count = 0;
    size_t size_count = 0;
    bool has_starts = find_ints(infer, 1, "start", starts, &start_count);
    bool has_sizes = find_ints(infer, 2, "size", sizes, &size_count);
    if (!is_ranked(from) || !has_sizes) {
        return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &unranked);
    }
    if (size_count != (size_t)from->rank || (has_starts && start_count != size_count)) {
        return fail_count(infer, "slice", has_starts ? start_count : size_count,
                          (size_t)from->rank);
    }
    tacho_shape shape = {.rank = from->rank};
    for (int32_t i = 0; i < from->rank; i++) {
        int64_t start = has_starts ? starts[i] : 0;
        int64_t end = 0;
        bool is_open = sizes[i] < 0 || from->dims[i] < 0;
        if (!is_open &&
            (start < 0 || __builtin_add_overflow(start, sizes[i], &end) || end > from->dims[i])) {
            return tacho_infer_fail(infer,
                                    "%" PRId64 " elements from %" PRId64 " on are not among the "
                                    "%" PRId64 " of dimension %" PRId32,
                                    sizes[i], start, from->dims[i], i);
        }
        shape.dims[i] = sizes[i] < 0 ? TACHO_DIM_UNKNOWN : sizes[i];
    }
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

tacho_status tacho_tosa_infer_tile(const tacho_infer *infer)
{
    tacho_shape shape = *tacho_infer_shape(infer, 0);
    int64_t times[2 * TACHO_RANK_MAX];
    size_t count = 0;
    if (!is_ranked(&shape) || !find_ints(infer, 1, "multiples", times, &count)) {
        return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &unranked);
    }
    if (count != (size_t)shape.rank) {
        return fail_count(infer, "multiples", count, (size_t)shape.rank);
    }
    for (size_t i = 0; i < count; i++) {
        bool is_open = times[i] < 0 || shape.dims[i] < 0 ||
                       __builtin_mul_overflow(shape.dims[i], times[i], &shape.dims[i]);
        shape.dims[i] = is_open ? TACHO_DIM_UNKNOWN : shape.dims[i];
    }
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

tacho_status tacho_tosa_infer_pad(const tacho_infer *infer)
{
    tacho_shape shape = *tacho_infer_shape(infer, 0);
    int64_t padding[2 * TACHO_RANK_MAX];
    size_t count = 0;
    if (!is_ranked(&shape) || !find_ints(infer, 1, "padding", padding, &count)) {
        return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &unranked);
    }
    if (count != 2 * (size_t)shape.rank) {
        return fail_count(infer, "padding", count, 2 * (size_t)shape.rank);
    }
    for (int32_t i = 0; i < shape.rank; i++) {
        int64_t *dim = &shape.dims[i];
        bool is_open = *dim < 0 || __builtin_add_overflow(*dim, padding[2 * i], dim) ||
                       __builtin_add_overflow(*dim, padding[2 * i + 1], dim) || *dim < 0;
        *dim = is_open ? TACHO_DIM_UNKNOWN : *dim;
    }
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

/* ---- by index, and products ---- */

/* Whether operand |input| has |rank| dimensions, or it is not known how many. */
static tacho_status check_rank(const tacho_infer *infer, size_t input, int32_t rank)
{
    const tacho_shape *shape = tacho_infer_shape(infer, input);
    char text[TACHO_SHAPE_TEXT_MAX];
    return !is_ranked(shape) || shape->rank == rank
               ? TACHO_OK
               : tacho_infer_fail(infer, "operand %zu is %s; expected %" PRId32 " dimensions",
                                  input, tacho_shape_print(shape, text, sizeof(text)), rank);
}

/* Whether dimension |i| of operand |a| and |j| of |b| may be the same. */
static tacho_status check_dims(const tacho_infer *infer, size_t a, int32_t i, size_t b, int32_t j)
{
    const tacho_shape *left = tacho_infer_shape(infer, a);
    const tacho_shape *right = tacho_infer_shape(infer, b);
    if (!is_ranked(left) || !is_ranked(right) || may_be_equal(left->dims[i], right->dims[j])) {
        return TACHO_OK;
    }
    return tacho_infer_fail(infer,
                            "dimension %" PRId32 " of operand %zu is %" PRId64
                            ", but dimension %" PRId32 " of operand %zu is %" PRId64,
                            i, a, left->dims[i], j, b, right->dims[j]);
}

static int64_t dim_of(const tacho_shape *shape, int32_t i)
{
    return is_ranked(shape) && i < shape->rank ? shape->dims[i] : TACHO_DIM_UNKNOWN;
}

tacho_status tacho_tosa_infer_gather(const tacho_infer *infer)
{
    const tacho_shape *values = tacho_infer_shape(infer, 0);
    TACHO_TRY(check_rank(infer, 0, 3));
    TACHO_TRY(check_rank(infer, 1, 2));
    TACHO_TRY(check_dims(infer, 0, 0, 1, 0));
    tacho_shape shape = {
        .rank = 3,
        .dims = {dim_of(values, 0), dim_of(tacho_infer_shape(infer, 1), 1), dim_of(values, 2)}};
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

tacho_status tacho_tosa_infer_scatter(const tacho_infer *infer)
{
    TACHO_TRY(check_rank(infer, 0, 3));
    TACHO_TRY(check_rank(infer, 1, 2));
    TACHO_TRY(check_rank(infer, 2, 3));
    TACHO_TRY(check_dims(infer, 0, 0, 2, 0));
    TACHO_TRY(check_dims(infer, 1, 1, 2, 1));
    TACHO_TRY(check_dims(infer, 0, 2, 2, 2));
    return tacho_tosa_infer_same(infer);
}

tacho_status tacho_tosa_infer_matmul(const tacho_infer *infer)
{
    const tacho_shape *left = tacho_infer_shape(infer, 0);
    const tacho_shape *right = tacho_infer_shape(infer, 1);
    TACHO_TRY(check_rank(infer, 0, 3));
    TACHO_TRY(check_rank(infer, 1, 3));
    TACHO_TRY(check_dims(infer, 0, 0, 1, 0));
    TACHO_TRY(check_dims(infer, 0, 2, 1, 1));
    TACHO_TRY(tacho_tosa_check_zero_points(infer, 2));
    tacho_shape shape = {.rank = 3, .dims = {dim_of(left, 0), dim_of(left, 1), dim_of(right, 2)}};
    return tacho_infer_set(infer, 0, TACHO_DTYPE_NONE, &shape);
}

tacho_status tacho_tosa_infer_fully_connected(const tacho_infer *infer)
{
    TACHO_TRY(check_rank(infer, 0, 2));
    TACHO_TRY(check_rank(infer, 1, 2));
    TACHO_TRY(check_dims(infer, 0, 1, 1, 1));
    tacho_shape shape = {
        .rank = 2,
        .dims = {dim_of(tacho_infer_shape(infer, 0), 0), dim_of(tacho_infer_shape(infer, 1), 0)}};
    return tacho_infer_set(infer, 0, TACHO_DTYPE_NONE, &shape);
}

/* ---- Fourier transforms: real and imaginary parts of N,H,W ---- */

tacho_status tacho_tosa_infer_fft(const tacho_infer *infer)
{
    TACHO_TRY(check_rank(infer, 0, 3));
    tacho_dtype dtype = tacho_infer_dtype(infer, 0);
    TACHO_TRY(tacho_infer_set(infer, 0, dtype, tacho_infer_shape(infer, 0)));
    return tacho_infer_set(infer, 1, dtype, tacho_infer_shape(infer, 0));
}

tacho_status tacho_tosa_infer_rfft(const tacho_infer *infer)
{
    TACHO_TRY(check_rank(infer, 0, 3));
    tacho_shape shape = *tacho_infer_shape(infer, 0);
    if (is_ranked(&shape) && shape.dims[2] >= 0) {
        shape.dims[2] = shape.dims[2] / 2 + 1;
    }
    tacho_dtype dtype = tacho_infer_dtype(infer, 0);
    TACHO_TRY(tacho_infer_set(infer, 0, dtype, &shape));
    return tacho_infer_set(infer, 1, dtype, &shape);
}
