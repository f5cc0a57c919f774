/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types and shapes of reductions, of normalisations and of losses.
 */
#include "graph/onnx_infer.h"

#include <inttypes.h>

/* ---- reductions ---------------------------------------------------------------------------- */

/* |shape| without the axes, or with 1 in their place. */
static tacho_shape without_axes(const tacho_shape *shape, const bool *is_gone, bool keeps)
{
    tacho_shape left = {0};
    for (int32_t i = 0; i < shape->rank; i++) {
        if (!is_gone[i] || keeps) {
            left.dims[left.rank++] = is_gone[i] ? 1 : shape->dims[i];
        }
    }
    return left;
}

tacho_status tacho_onnx_infer_reduce(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 1));
    const tacho_shape *data = tacho_infer_shape(infer, 0);
    tacho_dtype dtype = tacho_infer_dtype(infer, 0);
    bool keeps = tacho_onnx_int(infer, "keepdims", 1) != 0;
    if (data->rank == TACHO_RANK_UNKNOWN) {
        return tacho_infer_set(infer, 0, dtype, data);
    }
    tacho_onnx_axes axes;
    TACHO_TRY(tacho_onnx_read_axes(infer, 1, data->rank, &axes));
    if (!axes.is_known) {
        tacho_shape any = tacho_onnx_any_shape(keeps ? data->rank : -1);
        return tacho_infer_set(infer, 0, dtype, &any);
    }
    bool is_all = axes.count == 0 && tacho_onnx_int(infer, "noop_with_empty_axes", 0) == 0;
    for (int32_t i = 0; is_all && i < data->rank; i++) {
        axes.has[i] = true;
    }
    tacho_shape shape = without_axes(data, axes.has, keeps);
    return tacho_infer_set(infer, 0, dtype, &shape);
}

/* ArgMax, ArgMin. */
tacho_status tacho_onnx_infer_arg(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 1));
    const tacho_shape *data = tacho_infer_shape(infer, 0);
    if (data->rank == TACHO_RANK_UNKNOWN) {
        return tacho_infer_set(infer, 0, TACHO_DTYPE_I64, data);
    }
    bool is_gone[TACHO_RANK_MAX] = {false};
    int32_t axis;
    TACHO_TRY(tacho_onnx_attr_axis(infer, 0, data->rank, &axis));
    is_gone[axis] = true;
    tacho_shape shape = without_axes(data, is_gone, tacho_onnx_int(infer, "keepdims", 1) != 0);
    return tacho_infer_set(infer, 0, TACHO_DTYPE_I64, &shape);
}

/* Before opset 10 k is an attribute, then an input. */
tacho_status tacho_onnx_infer_top_k(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, tacho_onnx_before(infer, 10) ? 1 : 2));
    tacho_shape shape = *tacho_infer_shape(infer, 0);
    int64_t k = tacho_onnx_int(infer, "k", TACHO_DIM_UNKNOWN);
    size_t count;
    if (tacho_onnx_has(infer, 1) && !(tacho_infer_ints(infer, 1, &k, 1, &count) && count == 1)) {
        k = TACHO_DIM_UNKNOWN;
    } else if (k < 0) {
        return tacho_infer_fail(infer, "k is %" PRId64, k);
    }
    if (shape.rank != TACHO_RANK_UNKNOWN) {
        int32_t axis;
        TACHO_TRY(tacho_onnx_attr_axis(infer, -1, shape.rank, &axis));
        if (shape.dims[axis] >= 0 && k > shape.dims[axis]) {
            return tacho_infer_fail(infer, "k is %" PRId64 ", but axis %" PRId32 " has %" PRId64, k,
                                    axis, shape.dims[axis]);
        }
        shape.dims[axis] = k;
    }
    TACHO_TRY(tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape));
    return tacho_infer_set(infer, 1, TACHO_DTYPE_I64, &shape);
}

/* ---- normalisations ------------------------------------------------------------------------ */

/* Softmax, LogSoftmax, Hardmax and others with an axis that must be one. */
tacho_status tacho_onnx_infer_softmax(const tacho_infer *infer)
{
    int32_t axis, rank = tacho_infer_shape(infer, 0)->rank;
    TACHO_TRY(tacho_onnx_need(infer, 1));
    int64_t fallback = tacho_onnx_before(infer, 13) && rank > 1 ? 1 : -1;
    /* Before opset 13 the axis splits the shape in two, so it may be the end; scalars have none. */
    if (rank > 0 && !(tacho_onnx_before(infer, 13) && tacho_onnx_int(infer, "axis", 0) == rank)) {
        TACHO_TRY(tacho_onnx_attr_axis(infer, fallback, rank, &axis));
    }
    return tacho_onnx_set_same(infer);
}

/* Bytes, their scale and zero point, those of the result. */
tacho_status tacho_onnx_infer_qlinear_softmax(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 4));
    for (size_t i = 1; i < 5; i++) {
        const tacho_shape *shape = tacho_infer_shape(infer, i);
        uint64_t count = 1;
        if (tacho_shape_is_known(shape) && (!tacho_shape_elements(shape, &count) || count != 1)) {
            return tacho_infer_fail(infer, "input %zu has %" PRIu64 " values, expected one", i,
                                    count);
        }
    }
    return tacho_onnx_infer_softmax(infer);
}

static tacho_status match_channels(const tacho_infer *infer, size_t first, size_t count)
{
    const tacho_shape *data = tacho_infer_shape(infer, 0);
    for (size_t i = first; i < first + count; i++) {
        const tacho_shape *shape = tacho_infer_shape(infer, i);
        if (data->rank >= 2 && shape->rank == 1) {
            TACHO_TRY(
                tacho_onnx_match(infer, "channels and parameters", data->dims[1], shape->dims[0]));
        }
    }
    return TACHO_OK;
}

/* Outputs beyond the first, of training, have one value per channel. */
tacho_status tacho_onnx_infer_batch_norm(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 5));
    TACHO_TRY(match_channels(infer, 1, 4));
    TACHO_TRY(tacho_onnx_set_same(infer));
    const tacho_shape *data = tacho_infer_shape(infer, 0);
    tacho_shape channels = tacho_onnx_any_shape(1);
    if (data->rank >= 2) {
        channels.dims[0] = data->dims[1];
    }
    for (size_t i = 1; i < infer->node->output_count && i < 5; i++) {
        TACHO_TRY(
            tacho_infer_set(infer, i, tacho_infer_dtype(infer, i < 3 ? i + 2 : 3), &channels));
    }
    return TACHO_OK;
}

tacho_status tacho_onnx_infer_instance_norm(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 3));
    TACHO_TRY(match_channels(infer, 1, 2));
    return tacho_onnx_set_same(infer);
}

/* Mean and deviation keep a 1 for each dimension that is normalised. */
tacho_status tacho_onnx_infer_layer_norm(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 2));
    TACHO_TRY(tacho_onnx_set_same(infer));
    tacho_shape shape = *tacho_infer_shape(infer, 0);
    if (shape.rank == TACHO_RANK_UNKNOWN) {
        return TACHO_OK;
    }
    int32_t axis;
    TACHO_TRY(tacho_onnx_attr_axis(infer, -1, shape.rank, &axis));
    for (; axis < shape.rank; axis++) {
        shape.dims[axis] = 1;
    }
    tacho_dtype stash = tacho_onnx_dtype_of(tacho_onnx_int(infer, "stash_type", 1));
    TACHO_TRY(tacho_infer_set(infer, 1, stash, &shape));
    return tacho_infer_set(infer, 2, stash, &shape);
}

/* ---- losses -------------------------------------------------------------------------------- */

/* The target's shape, or a scalar once it is reduced. */
static tacho_status set_loss(const tacho_infer *infer)
{
    static const tacho_shape scalar = {0};
    TACHO_TRY(tacho_onnx_need(infer, 2));
    bool is_each = tacho_str_equal(tacho_onnx_text(infer, "reduction"), TACHO_STR("none"));
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0),
                           is_each ? tacho_infer_shape(infer, 1) : &scalar);
}

tacho_status tacho_onnx_infer_loss(const tacho_infer *infer)
{
    return set_loss(infer);
}

tacho_status tacho_onnx_infer_softmax_loss(const tacho_infer *infer)
{
    TACHO_TRY(set_loss(infer));
    return tacho_infer_set(infer, 1, tacho_infer_dtype(infer, 0), tacho_infer_shape(infer, 0));
}
