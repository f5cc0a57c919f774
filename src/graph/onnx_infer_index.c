/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types and shapes of operators that pick elements by index, by value or by place in a picture.
 */
#include "graph/onnx_infer.h"

#include "base/whole.h"

#include <inttypes.h>
#include <math.h>

/* ---- by index ------------------------------------------------------------------------------ */

tacho_status tacho_onnx_infer_gather(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 2));
    const tacho_shape *data = tacho_infer_shape(infer, 0), *at = tacho_infer_shape(infer, 1);
    tacho_shape shape = tacho_onnx_any_shape(-1);
    TACHO_TRY(tacho_onnx_need_rank(infer, 0, 1, TACHO_RANK_MAX));
    if (data->rank >= 0 && at->rank >= 0) {
        int32_t axis;
        TACHO_TRY(tacho_onnx_attr_axis(infer, 0, data->rank, &axis));
        if (data->rank + at->rank - 1 > TACHO_RANK_MAX) {
            return tacho_infer_fail(infer, "more than %d dimensions", TACHO_RANK_MAX);
        }
        shape.rank = 0;
        for (int32_t i = 0; i < data->rank; i++) {
            for (int32_t j = 0; i == axis && j < at->rank; j++) {
                shape.dims[shape.rank++] = at->dims[j];
            }
            if (i != axis) {
                shape.dims[shape.rank++] = data->dims[i];
            }
        }
    }
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

tacho_status tacho_onnx_infer_gather_elements(const tacho_infer *infer)
{
    int32_t axis, rank = tacho_infer_shape(infer, 0)->rank;
    TACHO_TRY(tacho_onnx_need(infer, 2));
    TACHO_TRY(tacho_onnx_need_rank(infer, 0, 1, TACHO_RANK_MAX));
    if (rank >= 0) {
        TACHO_TRY(tacho_onnx_attr_axis(infer, 0, rank, &axis));
        TACHO_TRY(tacho_onnx_need_rank(infer, 1, rank, rank));
    }
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), tacho_infer_shape(infer, 1));
}

/* The indices' last dimension is the number of the data's dimensions that each index picks. */
tacho_status tacho_onnx_infer_gather_nd(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 2));
    TACHO_TRY(tacho_onnx_need_rank(infer, 0, 1, TACHO_RANK_MAX));
    TACHO_TRY(tacho_onnx_need_rank(infer, 1, 1, TACHO_RANK_MAX));
    const tacho_shape *data = tacho_infer_shape(infer, 0), *at = tacho_infer_shape(infer, 1);
    tacho_shape shape = tacho_onnx_any_shape(-1);
    int64_t batches = tacho_onnx_int(infer, "batch_dims", 0);
    if (data->rank >= 0 && at->rank >= 1 && at->dims[at->rank - 1] >= 0) {
        int64_t depth = at->dims[at->rank - 1];
        if (batches < 0 || batches >= at->rank || depth < 1 || depth > data->rank - batches ||
            at->rank - 1 + data->rank - batches - depth > TACHO_RANK_MAX) {
            return tacho_infer_fail(infer,
                                    "indices of %" PRId64 " with %" PRId64
                                    " batch dimensions do not fit %" PRId32 " dimensions",
                                    depth, batches, data->rank);
        }
        shape.rank = 0;
        for (int32_t i = 0; i < at->rank - 1; i++) {
            shape.dims[shape.rank++] = at->dims[i];
        }
        for (int64_t i = batches + depth; i < data->rank; i++) {
            shape.dims[shape.rank++] = data->dims[i];
        }
    }
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

/* Scatter, ScatterElements, ScatterND: the data, with some elements replaced. */
tacho_status tacho_onnx_infer_scatter(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 3));
    return tacho_onnx_set_same(infer);
}

/* A cache, the data written to it, maybe the place. */
tacho_status tacho_onnx_infer_tensor_scatter(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 2));
    return tacho_onnx_set_same(infer);
}

/* Where the new dimension goes: -1 is the end. */
tacho_status tacho_onnx_infer_one_hot(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 3));
    const tacho_shape *at = tacho_infer_shape(infer, 0);
    tacho_shape shape = tacho_onnx_any_shape(-1);
    int64_t depth = TACHO_DIM_UNKNOWN;
    double real_depth;
    size_t count;
    if (tacho_infer_reals(infer, 1, &real_depth, 1, &count) && count == 1 && real_depth >= 0 &&
        real_depth < INT32_MAX) {
        depth = tacho_whole_i64(real_depth);
    } else if (tacho_infer_ints(infer, 1, &depth, 1, &count) && depth < 0) {
        return tacho_infer_fail(infer, "depth is %" PRId64, depth);
    }
    if (at->rank >= 0) {
        int32_t axis;
        if (at->rank == TACHO_RANK_MAX) {
            return tacho_infer_fail(infer, "more than %d dimensions", TACHO_RANK_MAX);
        }
        TACHO_TRY(tacho_onnx_attr_axis(infer, -1, at->rank + 1, &axis));
        shape.rank = at->rank + 1;
        for (int32_t i = 0; i < shape.rank; i++) {
            shape.dims[i] = i < axis ? at->dims[i] : i == axis ? depth : at->dims[i - 1];
        }
    }
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 2), &shape);
}

/* ---- by value: how many is not known before ------------------------------------------------ */

tacho_status tacho_onnx_infer_non_zero(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 1));
    tacho_shape shape = tacho_onnx_any_shape(2);
    int32_t rank = tacho_infer_shape(infer, 0)->rank;
    shape.dims[0] = rank == TACHO_RANK_UNKNOWN ? TACHO_DIM_UNKNOWN : rank;
    return tacho_infer_set(infer, 0, TACHO_DTYPE_I64, &shape);
}

static bool has_attr(const tacho_infer *infer, const char *name)
{
    return tacho_attr_find(tacho_graph_attrs(infer->graph, infer->node), infer->node->attr_count,
                           name) != NULL;
}

/* Along an axis, or of all elements in a row. */
static tacho_status some_along_axis(const tacho_infer *infer, tacho_shape *out_shape)
{
    *out_shape = *tacho_infer_shape(infer, 0);
    if (!has_attr(infer, "axis")) {
        *out_shape = tacho_onnx_any_shape(1);
    } else if (out_shape->rank >= 0) {
        int32_t axis;
        TACHO_TRY(tacho_onnx_attr_axis(infer, 0, out_shape->rank, &axis));
        out_shape->dims[axis] = TACHO_DIM_UNKNOWN;
    }
    return TACHO_OK;
}

tacho_status tacho_onnx_infer_compress(const tacho_infer *infer)
{
    tacho_shape shape;
    TACHO_TRY(tacho_onnx_need(infer, 2));
    TACHO_TRY(some_along_axis(infer, &shape));
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

tacho_status tacho_onnx_infer_unique(const tacho_infer *infer)
{
    tacho_shape shape, any = tacho_onnx_any_shape(1);
    TACHO_TRY(tacho_onnx_need(infer, 1));
    TACHO_TRY(some_along_axis(infer, &shape));
    TACHO_TRY(tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape));
    for (size_t i = 1; i < 4; i++) {
        TACHO_TRY(tacho_infer_set(infer, i, TACHO_DTYPE_I64, &any));
    }
    return TACHO_OK;
}

tacho_status tacho_onnx_infer_non_max_suppression(const tacho_infer *infer)
{
    tacho_shape shape = {.rank = 2, .dims = {TACHO_DIM_UNKNOWN, 3}};
    TACHO_TRY(tacho_onnx_need(infer, 2));
    TACHO_TRY(tacho_onnx_need_rank(infer, 0, 3, 3));
    TACHO_TRY(tacho_onnx_need_rank(infer, 1, 3, 3));
    const tacho_shape *boxes = tacho_infer_shape(infer, 0), *scores = tacho_infer_shape(infer, 1);
    if (boxes->rank == 3 && scores->rank == 3) {
        TACHO_TRY(tacho_onnx_match(infer, "pictures", boxes->dims[0], scores->dims[0]));
        TACHO_TRY(tacho_onnx_match(infer, "boxes and scores", boxes->dims[1], scores->dims[2]));
        TACHO_TRY(tacho_onnx_match(infer, "sides of a box", boxes->dims[2], 4));
    }
    return tacho_infer_set(infer, 0, TACHO_DTYPE_I64, &shape);
}

/* ---- pictures ------------------------------------------------------------------------------ */

/* The nearest size below, in single precision as everywhere. */
static tacho_status scale_dim(const tacho_infer *infer, int64_t dim, double scale, int64_t *out_dim)
{
    double scaled = (double)floorf((float)dim * (float)scale);
    *out_dim = TACHO_DIM_UNKNOWN;
    if (dim == TACHO_DIM_UNKNOWN) {
        return TACHO_OK;
    }
    if (!(scale > 0) || scaled >= 0x1p62) {
        return tacho_infer_fail(infer, "%" PRId64 " elements are scaled by %g", dim, scale);
    }
    *out_dim = tacho_whole_i64(scaled);
    return TACHO_OK;
}

static tacho_status set_scaled(const tacho_infer *infer, const double *scales, size_t count,
                               const int64_t *axes)
{
    tacho_shape shape = *tacho_infer_shape(infer, 0);
    for (size_t i = 0; i < count; i++) {
        int32_t axis;
        TACHO_TRY(tacho_onnx_axis(infer, axes == NULL ? (int64_t)i : axes[i], shape.rank, &axis));
        TACHO_TRY(scale_dim(infer, shape.dims[axis], scales[i], &shape.dims[axis]));
    }
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

/* One scale for all axes, such that the given sizes are not exceeded, or at least reached. */
static void keep_aspect(const tacho_infer *infer, const tacho_shape *from, const int64_t *axes,
                        int64_t *sizes, size_t count)
{
    tacho_str policy = tacho_onnx_text(infer, "keep_aspect_ratio_policy");
    bool is_larger = tacho_str_equal(policy, TACHO_STR("not_smaller"));
    if (!is_larger && !tacho_str_equal(policy, TACHO_STR("not_larger"))) {
        return;
    }
    double scale = is_larger ? 0 : 0x1p62;
    for (size_t i = 0; i < count; i++) {
        int64_t axis = axes == NULL ? (int64_t)i : axes[i];
        int64_t dim = from->dims[axis < 0 ? axis + from->rank : axis];
        double mine = dim > 0 ? (double)sizes[i] / (double)dim : 0;
        scale = (mine > scale) == is_larger ? mine : scale;
    }
    for (size_t i = 0; i < count; i++) {
        int64_t axis = axes == NULL ? (int64_t)i : axes[i];
        int64_t dim = from->dims[axis < 0 ? axis + from->rank : axis];
        double size = floor(scale * (double)dim + 0.5);
        sizes[i] =
            dim < 0 || !(size >= 0 && size < 0x1p62) ? TACHO_DIM_UNKNOWN : tacho_whole_i64(size);
    }
}

static tacho_status set_sizes(const tacho_infer *infer, int64_t *sizes, size_t count,
                              const int64_t *axes)
{
    tacho_shape shape = *tacho_infer_shape(infer, 0);
    for (size_t i = 0; i < count; i++) {
        int32_t axis;
        TACHO_TRY(tacho_onnx_axis(infer, axes == NULL ? (int64_t)i : axes[i], shape.rank, &axis));
        if (sizes[i] < 0) {
            return tacho_infer_fail(infer, "a size is %" PRId64, sizes[i]);
        }
    }
    keep_aspect(infer, &shape, axes, sizes, count);
    for (size_t i = 0; i < count; i++) {
        int32_t axis;
        TACHO_TRY(tacho_onnx_axis(infer, axes == NULL ? (int64_t)i : axes[i], shape.rank, &axis));
        shape.dims[axis] = sizes[i];
    }
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

/* Opset 10 has data and scales; later ones data, region, scales, sizes, of which one is empty. */
tacho_status tacho_onnx_infer_resize(const tacho_infer *infer)
{
    bool is_first = infer->node->opset == 10;
    TACHO_TRY(tacho_onnx_need(infer, is_first ? 2 : 1));
    const tacho_shape *from = tacho_infer_shape(infer, 0);
    double scales[TACHO_RANK_MAX];
    int64_t sizes[TACHO_RANK_MAX];
    size_t count, axis_count;
    const int64_t *axes = tacho_onnx_ints(infer, "axes", &axis_count);
    tacho_shape any = tacho_onnx_any_shape(from->rank);
    if (from->rank == TACHO_RANK_UNKNOWN) {
        return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &any);
    }
    axis_count = axes == NULL ? (size_t)from->rank : axis_count;
    if (tacho_infer_reals(infer, is_first ? 1 : 2, scales, TACHO_RANK_MAX, &count) && count > 0) {
        TACHO_TRY(
            tacho_onnx_match(infer, "scales and dimensions", (int64_t)count, (int64_t)axis_count));
        return set_scaled(infer, scales, count, axes);
    }
    if (tacho_infer_ints(infer, 3, sizes, TACHO_RANK_MAX, &count) && count > 0) {
        TACHO_TRY(
            tacho_onnx_match(infer, "sizes and dimensions", (int64_t)count, (int64_t)axis_count));
        return set_sizes(infer, sizes, count, axes);
    }
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &any);
}

/* Scales are one attribute per side, then a list, then an input. */
tacho_status tacho_onnx_infer_upsample(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 1));
    const tacho_attr *attrs = tacho_graph_attrs(infer->graph, infer->node);
    const tacho_attr *list = tacho_attr_find(attrs, infer->node->attr_count, "scales");
    const tacho_shape *from = tacho_infer_shape(infer, 0);
    double room[TACHO_RANK_MAX] = {1, 1};
    const double *scales = room;
    size_t count;
    tacho_shape any = tacho_onnx_any_shape(from->rank);
    if (from->rank == TACHO_RANK_UNKNOWN) {
        return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &any);
    }
    if (list != NULL && list->kind == TACHO_ATTR_REALS) {
        scales = list->value.as_reals;
        count = list->count;
    } else if (has_attr(infer, "height_scale")) {
        room[2] = tacho_attr_real(attrs, infer->node->attr_count, "height_scale", 1);
        room[3] = tacho_attr_real(attrs, infer->node->attr_count, "width_scale", 1);
        count = 4;
    } else if (!tacho_infer_reals(infer, 1, room, TACHO_RANK_MAX, &count)) {
        return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &any);
    }
    TACHO_TRY(tacho_onnx_match(infer, "scales and dimensions", (int64_t)count, from->rank));
    return set_scaled(infer, scales, count, NULL);
}

/* Batch and channels of the data, space of the grid. */
tacho_status tacho_onnx_infer_grid_sample(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 2));
    const tacho_shape *data = tacho_infer_shape(infer, 0), *grid = tacho_infer_shape(infer, 1);
    TACHO_TRY(tacho_onnx_need_rank(infer, 0, 3, TACHO_RANK_MAX));
    tacho_shape shape = tacho_onnx_any_shape(data->rank);
    if (data->rank >= 0) {
        TACHO_TRY(tacho_onnx_need_rank(infer, 1, data->rank, data->rank));
        shape.dims[0] = data->dims[0];
        shape.dims[1] = data->dims[1];
        for (int32_t i = 2; grid->rank == data->rank && i < data->rank; i++) {
            shape.dims[i] = grid->dims[i - 1];
        }
    }
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}
