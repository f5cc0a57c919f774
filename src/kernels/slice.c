/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which elements a slice takes.
 */
#include "kernels/slice.h"

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static void resolve_dim(int64_t dim, int64_t start, int64_t end, int64_t *step, int64_t *out_start,
                        int64_t *out_size)
{
    start += start < 0 ? dim : 0;
    end += end < 0 ? dim : 0;
    bool is_forward = *step > 0;
    start = is_forward ? clamp(start, 0, dim) : clamp(start, 0, dim - 1);
    end = is_forward ? clamp(end, 0, dim) : clamp(end, -1, dim - 1);
    int64_t distance = is_forward ? end - start : start - end;
    /* Divided by the step as it is: its negation may not fit. */
    int64_t more = distance <= 0 ? 0 : (distance - 1) / *step;
    *out_size = distance <= 0 || dim == 0 ? 0 : 1 + (is_forward ? more : -more);
    *out_start = *out_size == 0 ? 0 : start;
    *step = *out_size <= 1 ? 1 : *step;
}

const char *tacho_slice_resolve(const tacho_shape *shape, const tacho_slice_spec *spec,
                                tacho_slice *out_slice)
{
    tacho_slice *slice = out_slice;
    bool is_cut[TACHO_RANK_MAX] = {false};
    *slice = (tacho_slice){.shape = *shape};
    for (int32_t i = 0; i < shape->rank; i++) {
        slice->steps[i] = 1;
    }
    for (size_t i = 0; i < spec->count; i++) {
        int64_t axis = spec->axes == NULL ? (int64_t)i : spec->axes[i];
        axis += axis < 0 ? shape->rank : 0;
        if (axis < 0 || axis >= shape->rank) {
            return "an axis is not one of the tensor's";
        }
        if (is_cut[axis]) {
            return "an axis is sliced twice";
        }
        is_cut[axis] = true;
        slice->steps[axis] = spec->steps == NULL ? 1 : spec->steps[i];
        if (slice->steps[axis] == 0) {
            return "a step is 0";
        }
        if (shape->dims[axis] != TACHO_DIM_UNKNOWN) {
            resolve_dim(shape->dims[axis], spec->starts[i], spec->ends[i], &slice->steps[axis],
                        &slice->starts[axis], &slice->shape.dims[axis]);
        }
    }
    return NULL;
}
