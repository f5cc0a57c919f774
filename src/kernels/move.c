/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements at other places: copies of whole elements, of any type.
 */
#include "kernels/element.h"
#include "kernels/kernel.h"
#include "kernels/slice.h"
#include "kernels/walk.h"

/* Copies by a walk from operand 1 to operand 0. */
static void copy_walk(tacho_walk *walk, const void *from, void *to, size_t size)
{
    for (; !walk->is_done; tacho_walk_next(walk)) {
        int64_t row = tacho_walk_row(walk);
        int64_t step_to = tacho_walk_row_step(walk, 0), step_from = tacho_walk_row_step(walk, 1);
        unsigned char *row_to = (unsigned char *)to + walk->at[0] * (int64_t)size;
        const unsigned char *row_from = (const unsigned char *)from + walk->at[1] * (int64_t)size;
        if (step_to == 1 && step_from == 1) {
            memcpy(row_to, row_from, (size_t)row * size);
            continue;
        }
        for (int64_t i = 0; i < row; i++) {
            memcpy(row_to + i * step_to * (int64_t)size, row_from + i * step_from * (int64_t)size,
                   size);
        }
    }
}

/* The bytes of an element, if they are whole ones. */
static tacho_status element_size(const tacho_kernel_call *call, size_t input, size_t *out_size)
{
    tacho_dtype dtype = call->inputs[input]->dtype;
    *out_size = tacho_dtype_element_bytes(dtype);
    bool is_fit = *out_size > 0 && dtype == call->outputs[0].dtype;
    return is_fit ? TACHO_OK : tacho_unsupported_type("a copy", dtype);
}

static int64_t axis_of(const tacho_kernel_call *call, int32_t rank, int64_t fallback)
{
    int64_t axis = tacho_attr_int(call->attrs, call->attr_count, "axis", fallback);
    return axis < 0 ? axis + rank : axis;
}

/* Reshape, Squeeze, Unsqueeze, Flatten, Identity. */
static tacho_status compute_same(const tacho_kernel_call *call)
{
    size_t size;
    uint64_t bytes;
    bool is_packed = tacho_dtype_is_packed(call->outputs[0].dtype) &&
                     call->outputs[0].dtype == call->inputs[0]->dtype;
    if (!is_packed) {
        TACHO_TRY(element_size(call, 0, &size));
    }
    int64_t count = tacho_array_elements(&call->outputs[0]);
    if (count != tacho_array_elements(call->inputs[0]) ||
        !tacho_dtype_bytes(call->outputs[0].dtype, (uint64_t)count, &bytes)) {
        return tacho_wrong_shapes("a copy");
    }
    if (bytes > 0) {
        memcpy(call->outputs[0].data, call->inputs[0]->data, bytes);
    }
    return TACHO_OK;
}

static tacho_status compute_expand(const tacho_kernel_call *call)
{
    size_t size;
    TACHO_TRY(element_size(call, 0, &size));
    if (!tacho_shape_fits(&call->inputs[0]->shape, &call->outputs[0].shape)) {
        return tacho_wrong_shapes("an expansion");
    }
    tacho_walk walk;
    tacho_walk_begin(&walk, &call->outputs[0].shape);
    tacho_walk_broadcast(&walk, 0, &call->outputs[0].shape);
    tacho_walk_broadcast(&walk, 1, &call->inputs[0]->shape);
    copy_walk(&walk, call->inputs[0]->data, call->outputs[0].data, size);
    return TACHO_OK;
}

/* Integers of input |i|, or of the attribute |name| in early opsets; NULL when both are absent. */
static const int64_t *slice_ints(const tacho_kernel_call *call, size_t i, const char *name,
                                 int64_t room[TACHO_RANK_MAX], size_t *out_count)
{
    if (call->opset > 0 && call->opset < 10) {
        return tacho_attr_ints(call->attrs, call->attr_count, name, out_count);
    }
    const tacho_array *input = i < call->input_count ? call->inputs[i] : NULL;
    *out_count = input == NULL ? 0 : (size_t)tacho_array_elements(input);
    if (input == NULL || *out_count > TACHO_RANK_MAX) {
        return NULL;
    }
    tacho_read_ints(input, 0, 1, *out_count, room);
    return room;
}

/* ONNX has an attribute or nothing; TOSA an attribute, and an operand before it had that. */
static const int64_t *order_of(const tacho_kernel_call *call, int64_t room[TACHO_RANK_MAX],
                               size_t *out_count)
{
    bool is_tosa = call->opset == 0;
    const int64_t *order =
        tacho_attr_ints(call->attrs, call->attr_count, is_tosa ? "perms" : "perm", out_count);
    return order == NULL && is_tosa ? slice_ints(call, 1, "perms", room, out_count) : order;
}

static tacho_status compute_transpose(const tacho_kernel_call *call)
{
    size_t size, count;
    TACHO_TRY(element_size(call, 0, &size));
    const tacho_shape *shape = &call->inputs[0]->shape;
    int64_t room[TACHO_RANK_MAX];
    const int64_t *order = order_of(call, room, &count);
    if (order == NULL && call->opset == 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "a transposition without a permutation");
    }
    int64_t steps[TACHO_RANK_MAX] = {0};
    tacho_shape_steps(shape, steps);
    tacho_walk walk;
    tacho_walk_begin(&walk, &call->outputs[0].shape);
    tacho_walk_broadcast(&walk, 0, &call->outputs[0].shape);
    bool fits =
        shape->rank == call->outputs[0].shape.rank && (count == 0 || count == (size_t)shape->rank);
    unsigned seen = 0;
    for (int32_t i = 0; fits && i < shape->rank; i++) {
        int64_t from = count > 0 ? order[i] : shape->rank - 1 - i;
        fits = from >= 0 && from < shape->rank && shape->dims[from] == walk.dims[i] &&
               (seen >> from & 1) == 0;
        seen |= fits ? 1U << from : 0;
        walk.steps[1][i] = fits ? steps[from] : 0;
    }
    if (!fits) {
        return tacho_wrong_shapes("a transposition");
    }
    copy_walk(&walk, call->inputs[0]->data, call->outputs[0].data, size);
    return TACHO_OK;
}

/* ---- parts --------------------------------------------------------------------------------- */

static tacho_status compute_slice(const tacho_kernel_call *call)
{
    size_t size, count, ends, axes, steps;
    TACHO_TRY(element_size(call, 0, &size));
    int64_t rooms[4][TACHO_RANK_MAX];
    tacho_slice_spec spec = {
        .starts = slice_ints(call, 1, "starts", rooms[0], &count),
        .ends = slice_ints(call, 2, "ends", rooms[1], &ends),
        .axes = slice_ints(call, 3, "axes", rooms[2], &axes),
        .steps = slice_ints(call, 4, "steps", rooms[3], &steps),
        .count = count,
    };
    tacho_slice slice;
    bool is_fit = spec.starts != NULL && spec.ends != NULL && ends == count &&
                  (spec.axes == NULL || axes == count) && (spec.steps == NULL || steps == count);
    const char *problem = is_fit ? tacho_slice_resolve(&call->inputs[0]->shape, &spec, &slice)
                                 : "starts, ends, axes and steps do not match";
    if (problem != NULL || !tacho_shape_equal(&slice.shape, &call->outputs[0].shape)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s", problem == NULL ? "wrong shape" : problem);
    }
    int64_t dense[TACHO_RANK_MAX] = {0};
    tacho_shape_steps(&call->inputs[0]->shape, dense);
    tacho_walk walk;
    tacho_walk_begin(&walk, &slice.shape);
    tacho_walk_broadcast(&walk, 0, &slice.shape);
    for (int32_t i = 0; i < slice.shape.rank; i++) {
        walk.at[1] += slice.starts[i] * dense[i];
        walk.steps[1][i] = slice.steps[i] * dense[i];
    }
    copy_walk(&walk, call->inputs[0]->data, call->outputs[0].data, size);
    return TACHO_OK;
}

/* A walk over |part|, a section of |whole| from index |at| of |axis| on. Operand |whole_operand|
 * is the whole, the other the part. */
static void begin_part(tacho_walk *walk, const tacho_shape *part, const tacho_shape *whole,
                       int64_t axis, int64_t at, size_t whole_operand)
{
    int64_t steps[TACHO_RANK_MAX] = {0};
    tacho_shape_steps(whole, steps);
    tacho_walk_begin(walk, part);
    tacho_walk_broadcast(walk, 1 - whole_operand, part);
    for (int32_t i = 0; i < whole->rank; i++) {
        walk->steps[whole_operand][i] = steps[i];
    }
    walk->at[whole_operand] = at * steps[axis];
}

/* Whether |part| is |whole| but for its extent along |axis|, which fits from |at| on. */
static bool is_part(const tacho_shape *part, const tacho_shape *whole, int64_t axis, int64_t at)
{
    bool fits = part->rank == whole->rank && axis >= 0 && axis < whole->rank &&
                part->dims[axis] <= whole->dims[axis] - at;
    for (int32_t i = 0; fits && i < part->rank; i++) {
        fits = i == axis || part->dims[i] == whole->dims[i];
    }
    return fits;
}

static tacho_status compute_concat(const tacho_kernel_call *call)
{
    size_t size;
    TACHO_TRY(element_size(call, 0, &size));
    tacho_array *output = &call->outputs[0];
    int64_t axis = axis_of(call, output->shape.rank, 1), at = 0;
    for (size_t i = 0; i < call->input_count; i++) {
        const tacho_array *input = call->inputs[i];
        tacho_walk walk;
        if (input == NULL || input->dtype != output->dtype ||
            !is_part(&input->shape, &output->shape, axis, at)) {
            return tacho_wrong_shapes("a concatenation");
        }
        begin_part(&walk, &input->shape, &output->shape, axis, at, 0);
        copy_walk(&walk, input->data, output->data, size);
        at += input->shape.dims[axis];
    }
    return TACHO_OK;
}

static tacho_status compute_split(const tacho_kernel_call *call)
{
    size_t size;
    TACHO_TRY(element_size(call, 0, &size));
    const tacho_array *input = call->inputs[0];
    int64_t axis = axis_of(call, input->shape.rank, 0), at = 0;
    for (size_t i = 0; i < call->output_count; i++) {
        tacho_array *output = &call->outputs[i];
        tacho_walk walk;
        if (output->dtype != input->dtype || !is_part(&output->shape, &input->shape, axis, at)) {
            return tacho_wrong_shapes("a split");
        }
        begin_part(&walk, &output->shape, &input->shape, axis, at, 1);
        copy_walk(&walk, input->data, output->data, size);
        at += output->shape.dims[axis];
    }
    return TACHO_OK;
}

static tacho_status compute_tile(const tacho_kernel_call *call)
{
    size_t size;
    TACHO_TRY(element_size(call, 0, &size));
    const tacho_shape *from = &call->inputs[0]->shape, *to = &call->outputs[0].shape;
    int64_t steps[TACHO_RANK_MAX] = {0}, total = tacho_array_elements(&call->outputs[0]);
    if (from->rank != to->rank || (total > 0 && tacho_array_elements(call->inputs[0]) == 0)) {
        return tacho_wrong_shapes("a tiling");
    }
    tacho_shape_steps(from, steps);
    for (int64_t i = 0; i < total; i++) {
        int64_t rest = i, at = 0;
        for (int32_t j = to->rank - 1; j >= 0; j--) {
            at += rest % to->dims[j] % from->dims[j] * steps[j];
            rest /= to->dims[j];
        }
        memcpy((unsigned char *)call->outputs[0].data + (size_t)i * size,
               (const unsigned char *)call->inputs[0]->data + (size_t)at * size, size);
    }
    return TACHO_OK;
}

/* ---- by index and by condition ------------------------------------------------------------- */

/* One slice along the axis for each index. */
static tacho_status compute_gather(const tacho_kernel_call *call)
{
    size_t size;
    TACHO_TRY(element_size(call, 0, &size));
    const tacho_array *data = call->inputs[0], *indices = call->inputs[1];
    if (tacho_element_kind(indices->dtype) != TACHO_DTYPE_SIGNED) {
        return tacho_unsupported_type("an index", indices->dtype);
    }
    int64_t axis = axis_of(call, data->shape.rank, 0);
    if (axis < 0 || axis >= data->shape.rank) {
        return tacho_wrong_shapes("a gathering");
    }
    if (tacho_array_elements(&call->outputs[0]) == 0) {
        return TACHO_OK;
    }
    if (tacho_array_elements(data) == 0) {
        return tacho_wrong_shapes("a gathering");
    }
    int64_t dim = data->shape.dims[axis];
    int64_t outer = 1, inner = (int64_t)size, count = tacho_array_elements(indices);
    for (int32_t i = 0; i < data->shape.rank; i++) {
        outer *= i < axis ? data->shape.dims[i] : 1;
        inner *= i > axis ? data->shape.dims[i] : 1;
    }
    unsigned char *to = call->outputs[0].data;
    int64_t total = tacho_array_elements(&call->outputs[0]) * (int64_t)size;
    if (outer > 0 && inner > 0 && count > 0 &&
        (total % inner != 0 || total / inner % count != 0 || total / inner / count != outer)) {
        return tacho_wrong_shapes("a gathering");
    }
    for (int64_t i = 0; i < outer; i++) {
        for (int64_t j = 0; j < count; j++, to += inner) {
            int64_t index;
            tacho_read_ints(indices, j, 1, 1, &index);
            if (index < -dim || index >= dim) {
                return tacho_fail(TACHO_CODE_BAD_DATA,
                                  "index %lld is not within the %lld of axis %lld",
                                  (long long)index, (long long)dim, (long long)axis);
            }
            index += index < 0 ? dim : 0;
            memcpy(to, (const unsigned char *)data->data + (i * dim + index) * inner,
                   (size_t)inner);
        }
    }
    return TACHO_OK;
}

static tacho_status compute_where(const tacho_kernel_call *call)
{
    size_t size;
    const tacho_array *condition = call->inputs[0];
    TACHO_TRY(element_size(call, 1, &size));
    TACHO_TRY(element_size(call, 2, &size));
    if (condition->dtype != TACHO_DTYPE_BOOL) {
        return tacho_unsupported_type("a condition", condition->dtype);
    }
    tacho_walk walk;
    tacho_walk_begin(&walk, &call->outputs[0].shape);
    tacho_walk_broadcast(&walk, 0, &call->outputs[0].shape);
    for (size_t i = 0; i < 3; i++) {
        if (!tacho_shape_fits(&call->inputs[i]->shape, &call->outputs[0].shape)) {
            return tacho_wrong_shapes("a choice");
        }
        tacho_walk_broadcast(&walk, i + 1, &call->inputs[i]->shape);
    }
    for (; !walk.is_done; tacho_walk_next(&walk)) {
        for (int64_t i = 0; i < tacho_walk_row(&walk); i++) {
            int64_t at = walk.at[1] + i * tacho_walk_row_step(&walk, 1);
            size_t from = ((const unsigned char *)condition->data)[at] != 0 ? 1 : 2;
            at = walk.at[from + 1] + i * tacho_walk_row_step(&walk, from + 1);
            memcpy((unsigned char *)call->outputs[0].data + (size_t)(walk.at[0] + i) * size,
                   (const unsigned char *)call->inputs[from]->data + (size_t)at * size, size);
        }
    }
    return TACHO_OK;
}

const tacho_kernel tacho_move_kernels[] = {
    {"Concat", TACHO_KERNEL_JOINS, compute_concat},
    {"Expand", TACHO_KERNEL_PICKS, compute_expand},
    {"Flatten", TACHO_KERNEL_PICKS, compute_same},
    {"Gather", TACHO_KERNEL_PICKS, compute_gather},
    {"Identity", TACHO_KERNEL_PICKS, compute_same},
    {"Reshape", TACHO_KERNEL_PICKS, compute_same},
    {"Slice", TACHO_KERNEL_PICKS, compute_slice},
    {"Split", TACHO_KERNEL_PICKS, compute_split},
    {"Squeeze", TACHO_KERNEL_PICKS, compute_same},
    {"Tile", TACHO_KERNEL_PICKS, compute_tile},
    {"Transpose", TACHO_KERNEL_PICKS, compute_transpose},
    {"Unsqueeze", TACHO_KERNEL_PICKS, compute_same},
    {"Where", TACHO_KERNEL_EACH, compute_where},
    {"tosa.concat", TACHO_KERNEL_JOINS, compute_concat},
    {"tosa.identity", TACHO_KERNEL_PICKS, compute_same},
    {"tosa.reshape", TACHO_KERNEL_PICKS, compute_same},
    {"tosa.select", TACHO_KERNEL_EACH, compute_where},
    {"tosa.tile", TACHO_KERNEL_PICKS, compute_tile},
    {"tosa.transpose", TACHO_KERNEL_PICKS, compute_transpose},
    {0},
};
