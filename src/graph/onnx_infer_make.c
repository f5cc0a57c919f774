/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types and shapes of operators that make tensors from few numbers: constants, shapes, ranges.
 */
#include "graph/onnx_infer.h"

#include "base/whole.h"

#include <inttypes.h>
#include <math.h>

static const tacho_shape scalar = {0};

/* The dimensions |start| to |end|, cut at both ends. */
tacho_status tacho_onnx_infer_shape(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 1));
    int64_t rank = tacho_infer_shape(infer, 0)->rank;
    tacho_shape shape = tacho_onnx_any_shape(1);
    if (rank >= 0) {
        int64_t start = tacho_onnx_int(infer, "start", 0);
        int64_t end = tacho_onnx_int(infer, "end", rank);
        start += start < 0 ? rank : 0;
        end += end < 0 ? rank : 0;
        start = start < 0 ? 0 : start;
        end = end > rank ? rank : end;
        shape.dims[0] = end > start ? end - start : 0;
    }
    return tacho_infer_set(infer, 0, TACHO_DTYPE_I64, &shape);
}

tacho_status tacho_onnx_infer_size(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 1));
    return tacho_infer_set(infer, 0, TACHO_DTYPE_I64, &scalar);
}

/* One attribute, whose kind is the type's. */
tacho_status tacho_onnx_infer_constant(const tacho_infer *infer)
{
    const tacho_attr *attrs = tacho_graph_attrs(infer->graph, infer->node);
    for (size_t i = 0; i < infer->node->attr_count; i++) {
        const tacho_attr *attr = &attrs[i];
        tacho_shape list = {.rank = 1, .dims = {attr->count}};
        const tacho_tensor *tensor;
        switch (attr->kind) {
        case TACHO_ATTR_TENSOR:
            tensor = &infer->graph->tensors[attr->value.as_tensor];
            return tacho_infer_set(infer, 0, tensor->dtype, tensor->shape);
        case TACHO_ATTR_INT:
            return tacho_infer_set(infer, 0, TACHO_DTYPE_I64, &scalar);
        case TACHO_ATTR_REAL:
            return tacho_infer_set(infer, 0, TACHO_DTYPE_F32, &scalar);
        case TACHO_ATTR_TEXT:
            return tacho_infer_set(infer, 0, TACHO_DTYPE_STRING, &scalar);
        case TACHO_ATTR_INTS:
            return tacho_infer_set(infer, 0, TACHO_DTYPE_I64, &list);
        case TACHO_ATTR_REALS:
            return tacho_infer_set(infer, 0, TACHO_DTYPE_F32, &list);
        case TACHO_ATTR_TEXTS:
            return tacho_infer_set(infer, 0, TACHO_DTYPE_STRING, &list);
        case TACHO_ATTR_GRAPH:
        case TACHO_ATTR_OTHER:
        default:
            break;
        }
    }
    return TACHO_OK;
}

tacho_status tacho_onnx_infer_constant_of_shape(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 1));
    TACHO_TRY(tacho_onnx_need_rank(infer, 0, 1, 1));
    const tacho_attr *value = tacho_attr_find(tacho_graph_attrs(infer->graph, infer->node),
                                              infer->node->attr_count, "value");
    bool is_given = value != NULL && value->kind == TACHO_ATTR_TENSOR;
    tacho_dtype dtype =
        is_given ? infer->graph->tensors[value->value.as_tensor].dtype : TACHO_DTYPE_F32;
    const tacho_shape *said = tacho_infer_shape(infer, 0);
    tacho_shape shape = tacho_onnx_any_shape(said->rank == 1 ? said->dims[0] : -1);
    int64_t dims[TACHO_RANK_MAX];
    size_t count;
    if (tacho_infer_ints(infer, 0, dims, TACHO_RANK_MAX, &count)) {
        for (size_t i = 0; i < count; i++) {
            shape.dims[i] = dims[i];
            if (dims[i] < 0) {
                return tacho_infer_fail(infer, "dimension %zu of the shape is %" PRId64, i,
                                        dims[i]);
            }
        }
    } else if (said->rank == 1 && said->dims[0] > TACHO_RANK_MAX) {
        return tacho_infer_fail(infer, "more than %d dimensions", TACHO_RANK_MAX);
    }
    return tacho_infer_set(infer, 0, dtype, &shape);
}

/* ---- ranges -------------------------------------------------------------------------------- */

static bool one_real(const tacho_infer *infer, size_t input, double *out_value)
{
    size_t count;
    return tacho_infer_reals(infer, input, out_value, 1, &count) && count == 1;
}

static bool one_int(const tacho_infer *infer, size_t input, int64_t *out_value)
{
    size_t count;
    return tacho_infer_ints(infer, input, out_value, 1, &count) && count == 1;
}

/* How many steps lead from start to limit, or DIM_UNKNOWN; -2 when they never end. */
static int64_t range_count(const tacho_infer *infer)
{
    double reals[3];
    int64_t ints[3], distance;
    if (one_real(infer, 0, &reals[0]) && one_real(infer, 1, &reals[1]) &&
        one_real(infer, 2, &reals[2])) {
        double count = ceil((reals[1] - reals[0]) / reals[2]);
        return !(fabs(count) < 0x1p53) ? -2 : count < 0 ? 0 : tacho_whole_i64(count);
    }
    if (!one_int(infer, 0, &ints[0]) || !one_int(infer, 1, &ints[1]) ||
        !one_int(infer, 2, &ints[2])) {
        return TACHO_DIM_UNKNOWN;
    }
    if (ints[2] == 0 || __builtin_sub_overflow(ints[1], ints[0], &distance) ||
        distance == INT64_MIN) {
        return -2;
    }
    if (distance == 0 || (distance < 0) != (ints[2] < 0)) {
        return 0;
    }
    return distance / ints[2] + (distance % ints[2] != 0 ? 1 : 0);
}

tacho_status tacho_onnx_infer_range(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 3));
    tacho_shape shape = {.rank = 1, .dims = {range_count(infer)}};
    if (shape.dims[0] == -2) {
        return tacho_infer_fail(infer, "the range has no end, or too many elements");
    }
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

/* HannWindow, HammingWindow, BlackmanWindow. */
tacho_status tacho_onnx_infer_window(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 1));
    tacho_shape shape = tacho_onnx_any_shape(1);
    if (one_int(infer, 0, &shape.dims[0]) && shape.dims[0] < 0) {
        return tacho_infer_fail(infer, "the window has %" PRId64 " elements", shape.dims[0]);
    }
    return tacho_infer_set(
        infer, 0, tacho_onnx_dtype_of(tacho_onnx_int(infer, "output_datatype", 1)), &shape);
}
