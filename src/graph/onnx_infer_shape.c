/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types and shapes of operators that change a shape: views, parts, joins, repetitions.
 */
#include "graph/onnx_infer.h"

#include "kernels/slice.h"

#include <inttypes.h>

/* Sets the output to |shape|, with the input's type. */
static tacho_status set_shape(const tacho_infer *infer, const tacho_shape *shape)
{
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), shape);
}

/* A shape of unknown dimensions, as many as input |i|, which is a shape, has elements. */
static tacho_shape any_said_by(const tacho_infer *infer, size_t i)
{
    const tacho_shape *said = tacho_infer_shape(infer, i);
    return tacho_onnx_any_shape(said->rank == 1 ? said->dims[0] : -1);
}

/* ---- views --------------------------------------------------------------------------------- */

/* Fills in the dimension that is -1; the number of elements must stay the same. */
static tacho_status resolve_rest(const tacho_infer *infer, const tacho_shape *from, int32_t rest,
                                 tacho_shape *to)
{
    uint64_t have, want;
    if (!tacho_shape_elements(from, &have)) {
        return TACHO_OK;
    }
    if (rest >= 0) {
        to->dims[rest] = 1;
    }
    if (!tacho_shape_elements(to, &want)) {
        if (tacho_shape_is_known(to)) {
            return tacho_infer_fail(infer, "the shape has too many elements");
        }
        if (rest >= 0) {
            to->dims[rest] = TACHO_DIM_UNKNOWN;
        }
        return TACHO_OK;
    }
    bool fits = rest >= 0 ? (want == 0 ? have == 0 : have % want == 0) : have == want;
    if (!fits) {
        char text_from[TACHO_SHAPE_TEXT_MAX], text_to[TACHO_SHAPE_TEXT_MAX];
        if (rest >= 0) {
            to->dims[rest] = TACHO_DIM_UNKNOWN;
        }
        return tacho_infer_fail(infer, "%s cannot be reshaped to %s",
                                tacho_shape_print(from, text_from, sizeof(text_from)),
                                tacho_shape_print(to, text_to, sizeof(text_to)));
    }
    if (rest >= 0) {
        to->dims[rest] = want == 0 ? 0 : (int64_t)(have / want);
    }
    return TACHO_OK;
}

tacho_status tacho_onnx_infer_reshape(const tacho_infer *infer)
{
    bool is_attr = tacho_onnx_before(infer, 5);
    TACHO_TRY(tacho_onnx_need(infer, is_attr ? 1 : 2));
    const tacho_shape *from = tacho_infer_shape(infer, 0);
    int64_t room[TACHO_RANK_MAX];
    size_t count;
    const int64_t *dims = tacho_onnx_ints(infer, "shape", &count);
    if (!is_attr && !tacho_infer_ints(infer, 1, room, TACHO_RANK_MAX, &count)) {
        tacho_shape any = any_said_by(infer, 1);
        return set_shape(infer, &any);
    }
    if (is_attr && (dims == NULL || count > TACHO_RANK_MAX)) {
        return tacho_infer_fail(infer, "attribute 'shape' has %zu values", count);
    }
    dims = is_attr ? dims : room;
    bool zero_copies = tacho_onnx_int(infer, "allowzero", 0) == 0;
    tacho_shape to = {.rank = (int32_t)count};
    int32_t rest = -1;
    for (int32_t i = 0; i < to.rank; i++) {
        to.dims[i] = dims[i];
        if (dims[i] < -1 || (dims[i] == -1 && rest >= 0) ||
            (dims[i] == 0 && zero_copies && from->rank >= 0 && i >= from->rank)) {
            return tacho_infer_fail(infer, "dimension %" PRId32 " of the shape is %" PRId64, i,
                                    dims[i]);
        }
        rest = dims[i] == -1 ? i : rest;
        if (dims[i] == 0 && zero_copies) {
            to.dims[i] = from->rank >= 0 ? from->dims[i] : TACHO_DIM_UNKNOWN;
        }
    }
    TACHO_TRY(resolve_rest(infer, from, rest, &to));
    return set_shape(infer, &to);
}

tacho_status tacho_onnx_infer_squeeze(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 1));
    const tacho_shape *from = tacho_infer_shape(infer, 0);
    if (from->rank == TACHO_RANK_UNKNOWN) {
        return set_shape(infer, from);
    }
    tacho_onnx_axes axes;
    TACHO_TRY(tacho_onnx_read_axes(infer, 1, from->rank, &axes));
    tacho_shape to = {0};
    for (int32_t i = 0; i < from->rank; i++) {
        int64_t dim = from->dims[i];
        if (axes.is_given && axes.has[i] && dim != 1 && dim != TACHO_DIM_UNKNOWN) {
            return tacho_infer_fail(
                infer, "axis %" PRId32 " has %" PRId64 " elements and cannot be removed", i, dim);
        }
        if (!axes.is_known || (!axes.is_given && dim == TACHO_DIM_UNKNOWN)) {
            to = tacho_onnx_any_shape(
                axes.is_given && axes.count > 0 ? from->rank - (int64_t)axes.count : -1);
            break;
        }
        bool goes = axes.is_given ? axes.has[i] : dim == 1;
        if (!goes) {
            to.dims[to.rank++] = dim;
        }
    }
    return set_shape(infer, &to);
}

/* How many axes Unsqueeze adds, or -1. */
static int64_t added_axes(const tacho_infer *infer)
{
    size_t count;
    if (tacho_onnx_ints(infer, "axes", &count) != NULL) {
        return (int64_t)count;
    }
    const tacho_shape *axes = tacho_infer_shape(infer, 1);
    return axes->rank == 1 ? axes->dims[0] : axes->rank == 0 ? 1 : -1;
}

tacho_status tacho_onnx_infer_unsqueeze(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 1));
    const tacho_shape *from = tacho_infer_shape(infer, 0);
    int64_t added = added_axes(infer);
    if (from->rank == TACHO_RANK_UNKNOWN || added < 0) {
        if (!tacho_onnx_has(infer, 1) && added < 0) {
            return tacho_infer_fail(infer, "neither attribute nor input 'axes' is given");
        }
        tacho_shape any = tacho_onnx_any_shape(-1);
        return set_shape(infer, &any);
    }
    if (added > TACHO_RANK_MAX - from->rank) {
        return tacho_infer_fail(infer, "more than %d dimensions", TACHO_RANK_MAX);
    }
    tacho_shape to = {.rank = from->rank + (int32_t)added};
    tacho_onnx_axes axes;
    TACHO_TRY(tacho_onnx_read_axes(infer, 1, to.rank, &axes));
    int32_t at = 0;
    for (int32_t i = 0; i < to.rank; i++) {
        to.dims[i] = axes.has[i] ? 1 : axes.is_known ? from->dims[at++] : TACHO_DIM_UNKNOWN;
    }
    return set_shape(infer, &to);
}

tacho_status tacho_onnx_infer_flatten(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 1));
    const tacho_shape *from = tacho_infer_shape(infer, 0);
    if (from->rank == TACHO_RANK_UNKNOWN) {
        tacho_shape any = tacho_onnx_any_shape(2);
        return set_shape(infer, &any);
    }
    int64_t axis = tacho_onnx_int(infer, "axis", 1);
    if (axis < -(int64_t)from->rank || axis > from->rank) {
        return tacho_infer_fail(infer, "axis %" PRId64 " is not one of the %" PRId32 " dimensions",
                                axis, from->rank);
    }
    axis += axis < 0 ? from->rank : 0;
    tacho_shape to = {.rank = 2, .dims = {1, 1}};
    for (int32_t i = 0; i < from->rank; i++) {
        int64_t *dim = &to.dims[i < axis ? 0 : 1];
        if (!tacho_onnx_mul(*dim, from->dims[i], dim)) {
            return tacho_infer_fail(infer, "the shape has too many elements");
        }
    }
    return set_shape(infer, &to);
}

/* ---- order --------------------------------------------------------------------------------- */

tacho_status tacho_onnx_infer_transpose(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 1));
    const tacho_shape *from = tacho_infer_shape(infer, 0);
    size_t count;
    const int64_t *order = tacho_onnx_ints(infer, "perm", &count);
    if (from->rank == TACHO_RANK_UNKNOWN) {
        tacho_shape any = tacho_onnx_any_shape(order == NULL ? -1 : (int64_t)count);
        return set_shape(infer, &any);
    }
    if (order != NULL && count != (size_t)from->rank) {
        return tacho_infer_fail(infer, "perm has %zu values for %" PRId32 " dimensions", count,
                                from->rank);
    }
    tacho_shape to = {.rank = from->rank};
    bool is_used[TACHO_RANK_MAX] = {false};
    for (int32_t i = 0; i < from->rank; i++) {
        int64_t at = order == NULL ? from->rank - 1 - i : order[i];
        if (at < 0 || at >= from->rank || is_used[at]) {
            return tacho_infer_fail(infer, "perm has the value %" PRId64 " at %" PRId32, at, i);
        }
        is_used[at] = true;
        to.dims[i] = from->dims[at];
    }
    return set_shape(infer, &to);
}

/* Blocks of channels become space, or the other way round. */
static tacho_status move_blocks(const tacho_infer *infer, bool to_space)
{
    TACHO_TRY(tacho_onnx_need(infer, 1));
    TACHO_TRY(tacho_onnx_need_rank(infer, 0, 4, 4));
    tacho_shape shape = *tacho_infer_shape(infer, 0);
    int64_t block = tacho_onnx_int(infer, "blocksize", 0);
    if (block < 1 || block > INT16_MAX) {
        return tacho_infer_fail(infer, "blocksize is %" PRId64, block);
    }
    for (int32_t i = 1; i < shape.rank; i++) {
        bool shrinks = (i == 1) == to_space;
        int64_t factor = i == 1 ? block * block : block;
        if (shape.dims[i] == TACHO_DIM_UNKNOWN) {
            continue;
        }
        if ((shrinks && shape.dims[i] % factor != 0) ||
            (!shrinks && !tacho_onnx_mul(shape.dims[i], factor, &shape.dims[i]))) {
            return tacho_infer_fail(infer,
                                    "dimension %" PRId32 " of %" PRId64
                                    " elements does not fit blocks of %" PRId64,
                                    i, shape.dims[i], block);
        }
        shape.dims[i] /= shrinks ? factor : 1;
    }
    return set_shape(infer, &shape);
}

tacho_status tacho_onnx_infer_depth_to_space(const tacho_infer *infer)
{
    return move_blocks(infer, true);
}

tacho_status tacho_onnx_infer_space_to_depth(const tacho_infer *infer)
{
    return move_blocks(infer, false);
}

/* ---- joins and parts ----------------------------------------------------------------------- */

static tacho_status join(const tacho_infer *infer, size_t input, int32_t axis, tacho_shape *to)
{
    const tacho_shape *shape = tacho_infer_shape(infer, input);
    TACHO_TRY(tacho_onnx_need_rank(infer, input, to->rank, to->rank));
    for (int32_t i = 0; i < to->rank; i++) {
        int64_t dim = shape->rank < 0 ? TACHO_DIM_UNKNOWN : shape->dims[i];
        if (i != axis) {
            TACHO_TRY(tacho_onnx_match(infer, "dimensions beside the axis", to->dims[i], dim));
            to->dims[i] = to->dims[i] == TACHO_DIM_UNKNOWN ? dim : to->dims[i];
        } else if (dim == TACHO_DIM_UNKNOWN || to->dims[i] == TACHO_DIM_UNKNOWN) {
            to->dims[i] = TACHO_DIM_UNKNOWN;
        } else if (__builtin_add_overflow(to->dims[i], dim, &to->dims[i])) {
            return tacho_infer_fail(infer, "the shape has too many elements");
        }
    }
    return TACHO_OK;
}

tacho_status tacho_onnx_infer_concat(const tacho_infer *infer)
{
    size_t count = infer->node->input_count;
    TACHO_TRY(tacho_onnx_need(infer, count > 0 ? count : 1));
    size_t first = 0;
    while (first + 1 < count && tacho_infer_shape(infer, first)->rank == TACHO_RANK_UNKNOWN) {
        first++;
    }
    tacho_shape shape = *tacho_infer_shape(infer, first);
    if (shape.rank == TACHO_RANK_UNKNOWN) {
        return set_shape(infer, &shape);
    }
    int32_t axis;
    TACHO_TRY(tacho_onnx_attr_axis(infer, 1, shape.rank, &axis));
    shape.dims[axis] = 0;
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(join(infer, i, axis, &shape));
    }
    return set_shape(infer, &shape);
}

/* Extent of output |i| when none is given; -1 when the dimension does not divide. */
static int64_t equal_part(const tacho_infer *infer, int64_t dim, int64_t parts, int64_t i)
{
    if (dim % parts == 0) {
        return dim / parts;
    }
    int64_t part = dim / parts + 1, rest = dim - part * (parts - 1);
    bool may_differ = !tacho_onnx_before(infer, 18) && rest >= 0;
    return !may_differ ? -1 : i < parts - 1 ? part : rest;
}

/* The extents that an attribute or input 1 gives: a count that is 0 where none are known. */
static tacho_status given_parts(const tacho_infer *infer, int64_t dim, tacho_arena *scratch,
                                const int64_t **out_parts, size_t *out_count)
{
    size_t outputs = infer->node->output_count;
    *out_parts = tacho_onnx_ints(infer, "split", out_count);
    if (*out_parts == NULL && tacho_onnx_has(infer, 1)) {
        const tacho_shape *shape = tacho_infer_shape(infer, 1);
        TACHO_TRY(tacho_onnx_need_rank(infer, 1, 1, 1));
        if (shape->rank == 1) {
            TACHO_TRY(
                tacho_onnx_match(infer, "parts and outputs", shape->dims[0], (int64_t)outputs));
        }
        void *room;
        TACHO_TRY(tacho_arena_alloc(scratch, outputs * sizeof(int64_t), &room));
        bool is_known = tacho_infer_ints(infer, 1, room, outputs, out_count);
        *out_parts = is_known ? room : NULL;
    }
    if (*out_parts == NULL) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_onnx_match(infer, "parts and outputs", (int64_t)*out_count, (int64_t)outputs));
    int64_t sum = 0;
    for (size_t i = 0; i < *out_count; i++) {
        if ((*out_parts)[i] < 0 || __builtin_add_overflow(sum, (*out_parts)[i], &sum)) {
            return tacho_infer_fail(infer, "part %zu has %" PRId64 " elements", i, (*out_parts)[i]);
        }
    }
    return tacho_onnx_match(infer, "the sum of the parts and the dimension", sum, dim);
}

static tacho_status set_parts(const tacho_infer *infer, int32_t axis, tacho_arena *scratch)
{
    tacho_shape shape = *tacho_infer_shape(infer, 0);
    int64_t dim = shape.dims[axis];
    int64_t outputs = infer->node->output_count;
    const int64_t *parts;
    size_t count;
    TACHO_TRY(given_parts(infer, dim, scratch, &parts, &count));
    bool is_open = dim == TACHO_DIM_UNKNOWN || (parts == NULL && tacho_onnx_has(infer, 1));
    for (int64_t i = 0; i < outputs; i++) {
        shape.dims[axis] = parts != NULL ? parts[i]
                           : is_open     ? TACHO_DIM_UNKNOWN
                                         : equal_part(infer, dim, outputs, i);
        if (parts == NULL && !is_open && shape.dims[axis] < 0) {
            return tacho_infer_fail(infer, "%" PRId64 " elements cannot be split in %" PRId64, dim,
                                    outputs);
        }
        TACHO_TRY(tacho_infer_set(infer, (size_t)i, tacho_infer_dtype(infer, 0), &shape));
    }
    return TACHO_OK;
}

tacho_status tacho_onnx_infer_split(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 1));
    const tacho_shape *shape = tacho_infer_shape(infer, 0);
    if (shape->rank == TACHO_RANK_UNKNOWN || infer->node->output_count == 0) {
        for (size_t i = 0; i < infer->node->output_count; i++) {
            TACHO_TRY(tacho_infer_set(infer, i, tacho_infer_dtype(infer, 0), shape));
        }
        return TACHO_OK;
    }
    int32_t axis;
    TACHO_TRY(tacho_onnx_attr_axis(infer, 0, shape->rank, &axis));
    tacho_arena scratch;
    tacho_arena_init(&scratch);
    tacho_status status = set_parts(infer, axis, &scratch);
    tacho_arena_deinit(&scratch);
    return status;
}

/* Integers of an input, or of an attribute in early opsets. */
typedef struct slice_list {
    bool is_given, is_known;
    int64_t room[TACHO_RANK_MAX];
    const int64_t *values;
    size_t count;
} slice_list;

static tacho_status read_slice_list(const tacho_infer *infer, size_t input, const char *name,
                                    slice_list *list)
{
    *list = (slice_list){0};
    if (tacho_onnx_before(infer, 10)) {
        list->values = tacho_onnx_ints(infer, name, &list->count);
        list->is_given = list->is_known = list->values != NULL;
    } else {
        list->is_given = tacho_onnx_has(infer, input);
        list->is_known = tacho_infer_ints(infer, input, list->room, TACHO_RANK_MAX, &list->count);
        list->values = list->is_known ? list->room : NULL;
    }
    if (list->count > TACHO_RANK_MAX) {
        return tacho_infer_fail(infer, "%s has %zu values", name, list->count);
    }
    return TACHO_OK;
}

/* The input's rank, with every dimension open that may be cut. */
static tacho_status set_open_slice(const tacho_infer *infer, const slice_list *axes)
{
    const tacho_shape *from = tacho_infer_shape(infer, 0);
    tacho_shape shape = axes->is_known ? *from : tacho_onnx_any_shape(from->rank);
    for (size_t i = 0; axes->is_known && i < axes->count; i++) {
        int32_t axis;
        TACHO_TRY(tacho_onnx_axis(infer, axes->values[i], from->rank, &axis));
        shape.dims[axis] = TACHO_DIM_UNKNOWN;
    }
    return set_shape(infer, &shape);
}

tacho_status tacho_onnx_infer_slice(const tacho_infer *infer)
{
    static const char *const names[] = {"starts", "ends", "axes", "steps"};
    bool is_attr = tacho_onnx_before(infer, 10);
    TACHO_TRY(tacho_onnx_need(infer, is_attr ? 1 : 3));
    const tacho_shape *from = tacho_infer_shape(infer, 0);
    slice_list lists[4];
    for (size_t i = 0; i < 4; i++) {
        TACHO_TRY(read_slice_list(infer, i + 1, names[i], &lists[i]));
        if (is_attr && i < 2 && !lists[i].is_given) {
            return tacho_infer_fail(infer, "attribute '%s' is missing", names[i]);
        }
    }
    if (from->rank == TACHO_RANK_UNKNOWN) {
        return set_shape(infer, from);
    }
    for (size_t i = 0; i < 4; i++) {
        if (lists[i].is_given && !lists[i].is_known) {
            return set_open_slice(infer, &lists[2]);
        }
        if (lists[i].is_given) {
            TACHO_TRY(tacho_onnx_match(infer, "starts, ends, axes and steps",
                                       (int64_t)lists[i].count, (int64_t)lists[0].count));
        }
    }
    tacho_slice_spec spec = {lists[0].values, lists[1].values, lists[2].values, lists[3].values,
                             lists[0].count};
    tacho_slice slice;
    const char *problem = tacho_slice_resolve(from, &spec, &slice);
    return problem != NULL ? tacho_infer_fail(infer, "%s", problem)
                           : set_shape(infer, &slice.shape);
}

/* ---- repetitions --------------------------------------------------------------------------- */

tacho_status tacho_onnx_infer_expand(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 2));
    const tacho_shape *from = tacho_infer_shape(infer, 0);
    tacho_shape to = {0}, joined;
    int64_t dims[TACHO_RANK_MAX];
    size_t count;
    bool is_known = tacho_infer_ints(infer, 1, dims, TACHO_RANK_MAX, &count);
    if (!is_known) {
        to = any_said_by(infer, 1);
    }
    for (; is_known && to.rank < (int32_t)count; to.rank++) {
        to.dims[to.rank] = dims[to.rank];
        if (dims[to.rank] < 0) {
            return tacho_infer_fail(infer, "dimension %" PRId32 " of the shape is %" PRId64,
                                    to.rank, dims[to.rank]);
        }
    }
    if (!tacho_shape_broadcast(from, &to, &joined)) {
        char text_from[TACHO_SHAPE_TEXT_MAX], text_to[TACHO_SHAPE_TEXT_MAX];
        return tacho_infer_fail(infer, "%s cannot be expanded to %s",
                                tacho_shape_print(from, text_from, sizeof(text_from)),
                                tacho_shape_print(&to, text_to, sizeof(text_to)));
    }
    return set_shape(infer, &joined);
}

/* The first opset repeats one axis, later ones each. */
static tacho_status read_repeats(const tacho_infer *infer, int32_t rank, int64_t *out_repeats,
                                 bool *out_is_known)
{
    size_t count, axis_count;
    int64_t axis;
    *out_is_known = tacho_infer_ints(infer, 1, out_repeats, TACHO_RANK_MAX, &count);
    if (!tacho_onnx_before(infer, 6)) {
        return *out_is_known
                   ? tacho_onnx_match(infer, "repeats and dimensions", (int64_t)count, rank)
                   : TACHO_OK;
    }
    *out_is_known = *out_is_known && count == 1 &&
                    tacho_infer_ints(infer, 2, &axis, 1, &axis_count) && axis_count == 1;
    if (*out_is_known) {
        int32_t at;
        int64_t times = out_repeats[0];
        TACHO_TRY(tacho_onnx_axis(infer, axis, rank, &at));
        for (int32_t i = 0; i < rank; i++) {
            out_repeats[i] = i == at ? times : 1;
        }
    }
    return TACHO_OK;
}

tacho_status tacho_onnx_infer_tile(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 2));
    tacho_shape shape = *tacho_infer_shape(infer, 0);
    int64_t repeats[TACHO_RANK_MAX];
    bool is_known;
    if (shape.rank == TACHO_RANK_UNKNOWN) {
        return set_shape(infer, &shape);
    }
    TACHO_TRY(read_repeats(infer, shape.rank, repeats, &is_known));
    for (int32_t i = 0; i < shape.rank; i++) {
        if (!is_known) {
            shape.dims[i] = TACHO_DIM_UNKNOWN;
        } else if (repeats[i] < 0 || !tacho_onnx_mul(shape.dims[i], repeats[i], &shape.dims[i])) {
            return tacho_infer_fail(infer, "dimension %" PRId32 " is repeated %" PRId64 " times", i,
                                    repeats[i]);
        }
    }
    return set_shape(infer, &shape);
}

/* The padding by dimension: all begins, then all ends; spread out where axes are given. */
static tacho_status read_pads(const tacho_infer *infer, int32_t rank, int64_t *out_pads,
                              bool *out_is_known)
{
    int64_t room[2 * TACHO_RANK_MAX], axes[TACHO_RANK_MAX];
    size_t count, axis_count = (size_t)rank;
    const int64_t *pads = tacho_onnx_ints(infer, "pads", &count);
    pads = pads == NULL ? tacho_onnx_ints(infer, "paddings", &count) : pads;
    if (pads == NULL) {
        pads = tacho_infer_ints(infer, 1, room, 2 * TACHO_RANK_MAX, &count) ? room : NULL;
    }
    bool has_axes = tacho_onnx_has(infer, 3);
    *out_is_known = pads != NULL &&
                    (!has_axes || tacho_infer_ints(infer, 3, axes, TACHO_RANK_MAX, &axis_count));
    if (!*out_is_known) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_onnx_match(infer, "pads and twice the dimensions", (int64_t)count,
                               2 * (int64_t)axis_count));
    memset(out_pads, 0, 2 * TACHO_RANK_MAX * sizeof(*out_pads));
    for (size_t i = 0; i < axis_count; i++) {
        int32_t axis;
        TACHO_TRY(tacho_onnx_axis(infer, has_axes ? axes[i] : (int64_t)i, rank, &axis));
        out_pads[axis] = pads[i];
        out_pads[rank + axis] = pads[axis_count + i];
    }
    return TACHO_OK;
}

tacho_status tacho_onnx_infer_pad(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, tacho_onnx_before(infer, 11) ? 1 : 2));
    tacho_shape shape = *tacho_infer_shape(infer, 0);
    int64_t pads[2 * TACHO_RANK_MAX];
    bool is_known;
    if (shape.rank == TACHO_RANK_UNKNOWN) {
        return set_shape(infer, &shape);
    }
    TACHO_TRY(read_pads(infer, shape.rank, pads, &is_known));
    for (int32_t i = 0; i < shape.rank; i++) {
        int64_t *dim = &shape.dims[i];
        if (!is_known || *dim == TACHO_DIM_UNKNOWN) {
            *dim = TACHO_DIM_UNKNOWN;
        } else if (__builtin_add_overflow(*dim, pads[i], dim) ||
                   __builtin_add_overflow(*dim, pads[shape.rank + i], dim) || *dim < 0) {
            return tacho_infer_fail(infer, "dimension %" PRId32 " is padded to a wrong size", i);
        }
    }
    return set_shape(infer, &shape);
}

/* Given sizes for the axes named, or all of them. */
tacho_status tacho_onnx_infer_center_crop_pad(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 2));
    tacho_shape shape = *tacho_infer_shape(infer, 0);
    int64_t sizes[TACHO_RANK_MAX];
    size_t count, axis_count;
    const int64_t *axes = tacho_onnx_ints(infer, "axes", &axis_count);
    bool is_known = tacho_infer_ints(infer, 1, sizes, TACHO_RANK_MAX, &count);
    if (shape.rank == TACHO_RANK_UNKNOWN || !is_known) {
        shape = tacho_onnx_any_shape(shape.rank);
        return set_shape(infer, &shape);
    }
    TACHO_TRY(tacho_onnx_match(infer, "sizes and axes", (int64_t)count,
                               axes == NULL ? shape.rank : (int64_t)axis_count));
    for (size_t i = 0; i < count; i++) {
        int32_t axis;
        TACHO_TRY(tacho_onnx_axis(infer, axes == NULL ? (int64_t)i : axes[i], shape.rank, &axis));
        if (sizes[i] < 0) {
            return tacho_infer_fail(infer, "a size is %" PRId64, sizes[i]);
        }
        shape.dims[axis] = sizes[i];
    }
    return set_shape(infer, &shape);
}
