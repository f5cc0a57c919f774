/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions: for each element of the output, a walk over what falls together in it. Real numbers
 * are summed in double and rounded once.
 */
#include "kernels/element.h"
#include "kernels/kernel.h"
#include "kernels/walk.h"

#include <math.h>

typedef enum reduction { SUM, MEAN, PROD, MIN, MAX } reduction;

/* Which dimensions go; false when the axes are not the tensor's. */
static bool reduced_axes(const tacho_kernel_call *call, bool out_is_reduced[TACHO_RANK_MAX])
{
    const tacho_array *given = call->input_count > 1 ? call->inputs[1] : NULL;
    int64_t rank = call->inputs[0]->shape.rank, room[TACHO_RANK_MAX];
    size_t count;
    const int64_t *axes = tacho_attr_ints(call->attrs, call->attr_count, "axes", &count);
    if (given != NULL) {
        count = (size_t)tacho_array_elements(given);
        if (count > TACHO_RANK_MAX) {
            return false;
        }
        tacho_read_ints(given, 0, 1, count, room);
        axes = room;
    }
    bool is_all =
        count == 0 && tacho_attr_int(call->attrs, call->attr_count, "noop_with_empty_axes", 0) == 0;
    for (int64_t i = 0; i < rank; i++) {
        out_is_reduced[i] = is_all;
    }
    for (size_t i = 0; i < count; i++) {
        int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
        if (axis < 0 || axis >= rank) {
            return false;
        }
        out_is_reduced[axis] = true;
    }
    return true;
}

/* The kept or the reduced dimensions as a space, with the steps of the input through it. */
static void begin_dims(tacho_walk *walk, const tacho_shape *shape, const bool *is_reduced,
                       bool wanted)
{
    int64_t dense[TACHO_RANK_MAX] = {0}, steps[TACHO_RANK_MAX] = {0};
    tacho_shape space = {0};
    tacho_shape_steps(shape, dense);
    for (int32_t i = 0; i < shape->rank; i++) {
        if (is_reduced[i] == wanted) {
            steps[space.rank] = dense[i];
            space.dims[space.rank++] = shape->dims[i];
        }
    }
    tacho_walk_begin(walk, &space);
    memcpy(walk->steps[0], steps, sizeof(steps));
}

static double first_real(reduction how)
{
    switch (how) {
    case PROD:
        return 1;
    case MIN:
        return (double)INFINITY;
    case MAX:
        return -(double)INFINITY;
    case SUM:
    case MEAN:
    default:
        return 0;
    }
}

static double join_reals(reduction how, double a, double b)
{
    switch (how) {
    case PROD:
        return a * b;
    case MIN:
        return isnan(b) || b < a ? b : a;
    case MAX:
        return isnan(b) || b > a ? b : a;
    case SUM:
    case MEAN:
    default:
        return a + b;
    }
}

static void reduce_real(const tacho_array *input, tacho_walk walk, reduction how,
                        tacho_array *output, int64_t to)
{
    double result = first_real(how);
    int64_t count = 0;
    for (; !walk.is_done; tacho_walk_next(&walk)) {
        int64_t row = tacho_walk_row(&walk), step = tacho_walk_row_step(&walk, 0);
        for (int64_t i = 0; i < row; i++) {
            double value;
            tacho_read_reals(input, walk.at[0] + i * step, step, 1, &value);
            result = join_reals(how, result, value);
        }
        count += row;
    }
    result = how == MEAN ? result / (double)count : result;
    tacho_write_reals(output, to, 1, &result);
}

/* Of no elements: the least or the greatest of the type, as infinity is for real numbers. */
static int64_t first_int(reduction how, tacho_dtype dtype)
{
    int unused = 64 - (int)tacho_dtype_element_bytes(dtype) * 8;
    bool is_signed = tacho_element_kind(dtype) == TACHO_DTYPE_SIGNED;
    bool is_bool = dtype == TACHO_DTYPE_BOOL;
    switch (how) {
    case PROD:
        return 1;
    case MIN:
        return is_bool ? 1 : is_signed ? INT64_MAX >> unused : (int64_t)(UINT64_MAX >> unused);
    case MAX:
        return is_signed ? INT64_MIN >> unused : 0;
    case SUM:
    case MEAN:
    default:
        return 0;
    }
}

static int64_t join_ints(reduction how, int64_t a, int64_t b, bool is_signed)
{
    bool is_less = is_signed ? b < a : (uint64_t)b < (uint64_t)a;
    switch (how) {
    case PROD:
        return (int64_t)((uint64_t)a * (uint64_t)b);
    case MIN:
        return is_less ? b : a;
    case MAX:
        return is_less ? a : b;
    case SUM:
    case MEAN:
    default:
        return (int64_t)((uint64_t)a + (uint64_t)b);
    }
}

static void reduce_int(const tacho_array *input, tacho_walk walk, reduction how,
                       tacho_array *output, int64_t to)
{
    int64_t result = first_int(how, input->dtype), count = 0;
    bool is_signed = tacho_element_kind(input->dtype) == TACHO_DTYPE_SIGNED;
    for (; !walk.is_done; tacho_walk_next(&walk)) {
        int64_t row = tacho_walk_row(&walk), step = tacho_walk_row_step(&walk, 0);
        for (int64_t i = 0; i < row; i++) {
            int64_t value;
            tacho_read_ints(input, walk.at[0] + i * step, step, 1, &value);
            result = join_ints(how, result, value, is_signed);
        }
        count += row;
    }
    result = how == MEAN && count > 0 ? result / count : result;
    tacho_write_ints(output, to, 1, &result);
}

static tacho_status reduce(const tacho_kernel_call *call, reduction how)
{
    const tacho_array *input = call->inputs[0];
    tacho_array *output = &call->outputs[0];
    tacho_dtype_kind kind = tacho_element_kind(input->dtype);
    if (kind == TACHO_DTYPE_OTHER || input->dtype != output->dtype) {
        return tacho_unsupported_type("a reduction", input->dtype);
    }
    bool is_reduced[TACHO_RANK_MAX];
    if (!reduced_axes(call, is_reduced)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "an axis is not one of the tensor's");
    }
    tacho_walk kept, gone;
    begin_dims(&gone, &input->shape, is_reduced, true);
    begin_dims(&kept, &input->shape, is_reduced, false);
    int64_t to = 0, count = kept.is_done ? 0 : 1;
    bool fits = true;
    for (int32_t i = 0; !kept.is_done && i < kept.rank; i++) {
        fits = fits && !__builtin_mul_overflow(count, kept.dims[i], &count);
    }
    if (!fits || count != tacho_array_elements(output)) {
        return tacho_wrong_shapes("a reduction");
    }
    for (; !kept.is_done; tacho_walk_next(&kept)) {
        for (int64_t i = 0; i < tacho_walk_row(&kept); i++, to++) {
            gone.at[0] = kept.at[0] + i * tacho_walk_row_step(&kept, 0);
            if (kind == TACHO_DTYPE_REAL) {
                reduce_real(input, gone, how, output, to);
            } else {
                reduce_int(input, gone, how, output, to);
            }
        }
    }
    return TACHO_OK;
}

static tacho_status compute_sum(const tacho_kernel_call *call)
{
    return reduce(call, SUM);
}

static tacho_status compute_mean(const tacho_kernel_call *call)
{
    return reduce(call, MEAN);
}

static tacho_status compute_prod(const tacho_kernel_call *call)
{
    return reduce(call, PROD);
}

static tacho_status compute_min(const tacho_kernel_call *call)
{
    return reduce(call, MIN);
}

static tacho_status compute_max(const tacho_kernel_call *call)
{
    return reduce(call, MAX);
}

const tacho_kernel tacho_reduce_kernels[] = {
    {"ReduceMax", TACHO_KERNEL_PLAIN, compute_max},
    {"ReduceMean", TACHO_KERNEL_PLAIN, compute_mean},
    {"ReduceMin", TACHO_KERNEL_PLAIN, compute_min},
    {"ReduceProd", TACHO_KERNEL_PLAIN, compute_prod},
    {"ReduceSum", TACHO_KERNEL_PLAIN, compute_sum},
    {0},
};
