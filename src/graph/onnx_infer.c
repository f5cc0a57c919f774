/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the families of ONNX inference.
 */
#include "graph/onnx_infer.h"

#include "graph/onnx_reader.h"

#include <inttypes.h>

int64_t tacho_onnx_int(const tacho_infer *infer, const char *name, int64_t fallback)
{
    return tacho_attr_int(tacho_graph_attrs(infer->graph, infer->node), infer->node->attr_count,
                          name, fallback);
}

const int64_t *tacho_onnx_ints(const tacho_infer *infer, const char *name, size_t *out_count)
{
    return tacho_attr_ints(tacho_graph_attrs(infer->graph, infer->node), infer->node->attr_count,
                           name, out_count);
}

tacho_str tacho_onnx_text(const tacho_infer *infer, const char *name)
{
    return tacho_attr_text(tacho_graph_attrs(infer->graph, infer->node), infer->node->attr_count,
                           name);
}

bool tacho_onnx_before(const tacho_infer *infer, int32_t opset)
{
    return infer->node->opset > 0 && infer->node->opset < opset;
}

bool tacho_onnx_has(const tacho_infer *infer, size_t i)
{
    return tacho_graph_input(infer->graph, infer->node, i) != NULL;
}

tacho_status tacho_onnx_need(const tacho_infer *infer, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!tacho_onnx_has(infer, i)) {
            return tacho_infer_fail(infer, "input %zu is missing; the operator needs %zu", i,
                                    count);
        }
    }
    return TACHO_OK;
}

tacho_status tacho_onnx_need_rank(const tacho_infer *infer, size_t i, int32_t min, int32_t max)
{
    int32_t rank = tacho_infer_shape(infer, i)->rank;
    if (rank == TACHO_RANK_UNKNOWN || (rank >= min && rank <= max)) {
        return TACHO_OK;
    }
    if (min == max) {
        return tacho_infer_fail(infer, "input %zu has %" PRId32 " dimensions, expected %" PRId32, i,
                                rank, min);
    }
    return tacho_infer_fail(
        infer, "input %zu has %" PRId32 " dimensions, expected %" PRId32 " to %" PRId32, i, rank,
        min, max);
}

tacho_status tacho_onnx_axis(const tacho_infer *infer, int64_t axis, int32_t rank,
                             int32_t *out_axis)
{
    *out_axis = 0;
    if (axis < -(int64_t)rank || axis >= rank) {
        return tacho_infer_fail(infer, "axis %" PRId64 " is not one of the %" PRId32 " dimensions",
                                axis, rank);
    }
    *out_axis = (int32_t)(axis < 0 ? axis + rank : axis);
    return TACHO_OK;
}

tacho_status tacho_onnx_attr_axis(const tacho_infer *infer, int64_t fallback, int32_t rank,
                                  int32_t *out_axis)
{
    return tacho_onnx_axis(infer, tacho_onnx_int(infer, "axis", fallback), rank, out_axis);
}

tacho_status tacho_onnx_read_axes(const tacho_infer *infer, size_t input, int32_t rank,
                                  tacho_onnx_axes *out_axes)
{
    int64_t room[TACHO_RANK_MAX];
    size_t count;
    *out_axes = (tacho_onnx_axes){.is_known = true};
    const int64_t *axes = tacho_onnx_ints(infer, "axes", &count);
    if (axes == NULL && tacho_onnx_has(infer, input)) {
        TACHO_TRY(tacho_onnx_need_rank(infer, input, 0, 1));
        out_axes->is_known = tacho_infer_ints(infer, input, room, TACHO_RANK_MAX, &count);
        axes = room;
        const tacho_shape *shape = tacho_infer_shape(infer, input);
        if (!out_axes->is_known && shape->rank == 1 && shape->dims[0] > 0) {
            count = (size_t)shape->dims[0];
        }
    }
    out_axes->is_given = axes != NULL;
    out_axes->count = count;
    if (count > (size_t)rank) {
        return tacho_infer_fail(infer, "%zu axes are given for %" PRId32 " dimensions", count,
                                rank);
    }
    for (size_t i = 0; out_axes->is_known && i < count; i++) {
        int32_t axis;
        TACHO_TRY(tacho_onnx_axis(infer, axes[i], rank, &axis));
        if (out_axes->has[axis]) {
            return tacho_infer_fail(infer, "axis %" PRId32 " is given twice", axis);
        }
        out_axes->has[axis] = true;
    }
    return TACHO_OK;
}

tacho_dtype tacho_onnx_dtype_of(int64_t number)
{
    tacho_dtype dtype = TACHO_DTYPE_NONE;
    return number > 0 && tacho_onnx_dtype((uint64_t)number, &dtype) ? dtype : TACHO_DTYPE_NONE;
}

tacho_shape tacho_onnx_any_shape(int64_t rank)
{
    tacho_shape shape = {.rank = TACHO_RANK_UNKNOWN};
    if (rank >= 0 && rank <= TACHO_RANK_MAX) {
        shape.rank = (int32_t)rank;
        for (int32_t i = 0; i < shape.rank; i++) {
            shape.dims[i] = TACHO_DIM_UNKNOWN;
        }
    }
    return shape;
}

tacho_status tacho_onnx_match(const tacho_infer *infer, const char *what, int64_t a, int64_t b)
{
    if (a == b || a == TACHO_DIM_UNKNOWN || b == TACHO_DIM_UNKNOWN) {
        return TACHO_OK;
    }
    return tacho_infer_fail(infer, "%s do not match: %" PRId64 " and %" PRId64, what, a, b);
}

bool tacho_onnx_mul(int64_t a, int64_t b, int64_t *out_product)
{
    if (a == TACHO_DIM_UNKNOWN || b == TACHO_DIM_UNKNOWN) {
        *out_product = a == 0 || b == 0 ? 0 : TACHO_DIM_UNKNOWN;
        return true;
    }
    return !__builtin_mul_overflow(a, b, out_product);
}

tacho_status tacho_onnx_set_same(const tacho_infer *infer)
{
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), tacho_infer_shape(infer, 0));
}
