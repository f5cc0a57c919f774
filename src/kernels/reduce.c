/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions: for each element of the output, a walk over what falls together in it. Real numbers
 * are summed in double and rounded once.
 */
#include "kernels/call.h"
#include "kernels/functions.h"
#include "kernels/walk.h"

#include <math.h>

typedef enum reduction {
    SUM,
    MEAN,
    PROD,
    MIN,
    MAX,
    L1,
    L2,
    LOG_SUM,
    LOG_SUM_EXP,
    SQUARES
} reduction;

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
    case L1:
    case L2:
    case LOG_SUM:
    case LOG_SUM_EXP:
    case SQUARES:
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
    case L1:
        return a + fabs(b);
    case L2:
    case SQUARES:
        return a + b * b;
    case LOG_SUM_EXP:
        return a + tacho_exp(b);
    case SUM:
    case MEAN:
    case LOG_SUM:
    default:
        return a + b;
    }
}

/* The final step on the joined elements; |top| was subtracted before an exponential. */
static double finish_real(reduction how, double result, int64_t count, double top)
{
    switch (how) {
    case MEAN:
        return result / (double)count;
    case L2:
        return sqrt(result);
    case LOG_SUM:
        return tacho_log(result);
    case LOG_SUM_EXP:
        return tacho_log(result) + top;
    case SUM:
    case PROD:
    case MIN:
    case MAX:
    case L1:
    case SQUARES:
    default:
        return result;
    }
}

/* The greatest, where it is finite: the exponentials of smaller ones stay small. */
static double top_of(const tacho_array *input, tacho_walk walk)
{
    double top = -(double)INFINITY;
    for (; !walk.is_done; tacho_walk_next(&walk)) {
        for (int64_t i = 0; i < tacho_walk_row(&walk); i++) {
            double value = tacho_real_at(input, walk.at[0] + i * tacho_walk_row_step(&walk, 0));
            top = value > top ? value : top;
        }
    }
    return isinf(top) ? 0 : top;
}

static void reduce_real(const tacho_array *input, tacho_walk walk, reduction how,
                        tacho_array *output, int64_t to)
{
    double result = first_real(how), top = how == LOG_SUM_EXP ? top_of(input, walk) : 0;
    int64_t count = 0;
    for (; !walk.is_done; tacho_walk_next(&walk)) {
        int64_t row = tacho_walk_row(&walk), step = tacho_walk_row_step(&walk, 0);
        for (int64_t i = 0; i < row; i++) {
            double value;
            tacho_read_reals(input, walk.at[0] + i * step, step, 1, &value);
            result = join_reals(how, result, value - top);
        }
        count += row;
    }
    result = finish_real(how, result, count, top);
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
    case L1:
    case L2:
    case LOG_SUM:
    case LOG_SUM_EXP:
    case SQUARES:
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
    case SQUARES:
        return (int64_t)((uint64_t)a + (uint64_t)b * (uint64_t)b);
    case L1:
        return (int64_t)((uint64_t)a + (is_signed && b < 0 ? 0 - (uint64_t)b : (uint64_t)b));
    case SUM:
    case MEAN:
    case L2:
    case LOG_SUM:
    case LOG_SUM_EXP:
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
    bool needs_reals = how == L2 || how == LOG_SUM || how == LOG_SUM_EXP;
    if (kind == TACHO_DTYPE_OTHER || input->dtype != output->dtype ||
        (needs_reals && kind != TACHO_DTYPE_REAL)) {
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

static tacho_status compute_l1(const tacho_kernel_call *call)
{
    return reduce(call, L1);
}

static tacho_status compute_l2(const tacho_kernel_call *call)
{
    return reduce(call, L2);
}

static tacho_status compute_log_sum(const tacho_kernel_call *call)
{
    return reduce(call, LOG_SUM);
}

static tacho_status compute_log_sum_exp(const tacho_kernel_call *call)
{
    return reduce(call, LOG_SUM_EXP);
}

static tacho_status compute_squares(const tacho_kernel_call *call)
{
    return reduce(call, SQUARES);
}

/* ---- where the greatest or the least is ---------------------------------------------------- */

/* Whether element |a| wins over element |b| in a search for the greatest (or the least). */
static bool is_better(const tacho_array *input, int64_t a, int64_t b, bool is_max)
{
    if (tacho_is_real(input)) {
        double x = tacho_real_at(input, a), y = tacho_real_at(input, b);
        return isnan(x) && !isnan(y) ? true : is_max ? x > y : x < y;
    }
    int64_t x = tacho_int_at(input, a), y = tacho_int_at(input, b);
    if (tacho_element_kind(input->dtype) == TACHO_DTYPE_SIGNED) {
        return is_max ? x > y : x < y;
    }
    return is_max ? (uint64_t)x > (uint64_t)y : (uint64_t)x < (uint64_t)y;
}

static tacho_status find_extreme(const tacho_kernel_call *call, bool is_max)
{
    const tacho_array *input = call->inputs[0];
    tacho_array *output = &call->outputs[0];
    bool is_last = tacho_call_int(call, "select_last_index", 0) != 0;
    int32_t axis;
    if (tacho_element_kind(input->dtype) == TACHO_DTYPE_OTHER || !tacho_is_int(output)) {
        return tacho_unsupported_type("a search", input->dtype);
    }
    if (!tacho_axis_resolve(tacho_call_int(call, "axis", 0), input->shape.rank, &axis)) {
        return tacho_wrong_shapes("a search");
    }
    tacho_split_shape split = tacho_shape_split(&input->shape, axis);
    if (split.outer * split.inner != tacho_array_elements(output)) {
        return tacho_wrong_shapes("a search");
    }
    for (int64_t i = 0; i < split.outer * split.inner; i++) {
        int64_t base = i / split.inner * split.dim * split.inner + i % split.inner, best = 0;
        for (int64_t j = 1; j < split.dim; j++) {
            int64_t at = base + j * split.inner, best_at = base + best * split.inner;
            bool is_taken = is_last ? !is_better(input, best_at, at, is_max)
                                    : is_better(input, at, best_at, is_max);
            best = is_taken ? j : best;
        }
        tacho_set_int(output, i, best);
    }
    return TACHO_OK;
}

static tacho_status compute_arg_max(const tacho_kernel_call *call)
{
    return find_extreme(call, true);
}

static tacho_status compute_arg_min(const tacho_kernel_call *call)
{
    return find_extreme(call, false);
}

/* One axis, which stays with the size 1. */
static tacho_status reduce_axis(const tacho_kernel_call *call, reduction how)
{
    int64_t axis = tacho_call_int(call, "axis", 0);
    tacho_attr axes = {
        .name = TACHO_STR("axes"), .kind = TACHO_ATTR_INTS, .count = 1, .value.as_ints = &axis};
    tacho_kernel_call made = *call;
    made.attrs = &axes;
    made.attr_count = 1;
    made.input_count = 1;
    return reduce(&made, how);
}

static tacho_status compute_tosa_sum(const tacho_kernel_call *call)
{
    return reduce_axis(call, SUM);
}

static tacho_status compute_tosa_product(const tacho_kernel_call *call)
{
    return reduce_axis(call, PROD);
}

/* Also of booleans: any, all. */
static tacho_status compute_tosa_max(const tacho_kernel_call *call)
{
    return reduce_axis(call, MAX);
}

static tacho_status compute_tosa_min(const tacho_kernel_call *call)
{
    return reduce_axis(call, MIN);
}

const tacho_kernel tacho_reduce_kernels[] = {
    {"ArgMax", TACHO_KERNEL_PLAIN, compute_arg_max},
    {"ArgMin", TACHO_KERNEL_PLAIN, compute_arg_min},
    {"ReduceL1", TACHO_KERNEL_PLAIN, compute_l1},
    {"ReduceL2", TACHO_KERNEL_PLAIN, compute_l2},
    {"ReduceLogSum", TACHO_KERNEL_PLAIN, compute_log_sum},
    {"ReduceLogSumExp", TACHO_KERNEL_PLAIN, compute_log_sum_exp},
    {"ReduceMax", TACHO_KERNEL_PLAIN, compute_max},
    {"ReduceMean", TACHO_KERNEL_PLAIN, compute_mean},
    {"ReduceMin", TACHO_KERNEL_PLAIN, compute_min},
    {"ReduceProd", TACHO_KERNEL_PLAIN, compute_prod},
    {"ReduceSum", TACHO_KERNEL_PLAIN, compute_sum},
    {"ReduceSumSquare", TACHO_KERNEL_PLAIN, compute_squares},
    {"tosa.argmax", TACHO_KERNEL_PLAIN, compute_arg_max},
    {"tosa.reduce_all", TACHO_KERNEL_PLAIN, compute_tosa_min},
    {"tosa.reduce_any", TACHO_KERNEL_PLAIN, compute_tosa_max},
    {"tosa.reduce_max", TACHO_KERNEL_PLAIN, compute_tosa_max},
    {"tosa.reduce_min", TACHO_KERNEL_PLAIN, compute_tosa_min},
    {"tosa.reduce_prod", TACHO_KERNEL_PLAIN, compute_tosa_product},
    {"tosa.reduce_product", TACHO_KERNEL_PLAIN, compute_tosa_product},
    {"tosa.reduce_sum", TACHO_KERNEL_PLAIN, compute_tosa_sum},
    {0},
};
