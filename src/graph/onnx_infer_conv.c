/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types and shapes of operators that slide a window over a tensor: convolutions and pools.
 */
#include "graph/onnx_infer.h"

#include <inttypes.h>

enum { SPATIAL_MAX = TACHO_RANK_MAX - 2 };

typedef enum auto_pad { PAD_AS_GIVEN, PAD_NONE, PAD_SAME } auto_pad;

/* A window and how it slides, by spatial dimension. */
typedef struct sliding {
    size_t spatial;
    int64_t kernel[SPATIAL_MAX]; /* unknown where neither weights nor attribute have it */
    int64_t strides[SPATIAL_MAX];
    int64_t dilations[SPATIAL_MAX];
    int64_t pads[2 * SPATIAL_MAX]; /* all begins, then all ends */
    auto_pad auto_pad;
    bool is_ceil;
} sliding;

/* ---- the window ---------------------------------------------------------------------------- */

/* |count| integers of an attribute, each |min| to INT32_MAX; all |fallback| when it is absent. */
static tacho_status read_list(const tacho_infer *infer, const char *name, size_t count,
                              int64_t fallback, int64_t min, int64_t *out_values)
{
    size_t given;
    const int64_t *values = tacho_onnx_ints(infer, name, &given);
    if (values != NULL && given != count) {
        return tacho_infer_fail(infer, "%s has %zu values, expected %zu", name, given, count);
    }
    for (size_t i = 0; i < count; i++) {
        out_values[i] = values == NULL ? fallback : values[i];
        if (values != NULL && (values[i] < min || values[i] > INT32_MAX)) {
            return tacho_infer_fail(infer, "%s has the value %" PRId64, name, values[i]);
        }
    }
    return TACHO_OK;
}

static tacho_status read_auto_pad(const tacho_infer *infer, auto_pad *out_auto_pad)
{
    tacho_str text = tacho_onnx_text(infer, "auto_pad");
    *out_auto_pad = PAD_AS_GIVEN;
    if (text.len == 0 || tacho_str_equal(text, TACHO_STR("NOTSET"))) {
        return TACHO_OK;
    }
    *out_auto_pad = tacho_str_equal(text, TACHO_STR("VALID")) ? PAD_NONE : PAD_SAME;
    if (*out_auto_pad == PAD_NONE || tacho_str_equal(text, TACHO_STR("SAME_UPPER")) ||
        tacho_str_equal(text, TACHO_STR("SAME_LOWER"))) {
        return TACHO_OK;
    }
    return tacho_infer_fail(infer,
                            "auto_pad is '%.*s', expected NOTSET, VALID, SAME_UPPER or SAME_LOWER",
                            TACHO_STR_ARG(text));
}

static tacho_status read_window(const tacho_infer *infer, int32_t rank, sliding *out_window)
{
    size_t spatial = (size_t)rank - 2;
    *out_window = (sliding){.spatial = spatial};
    TACHO_TRY(read_list(infer, "kernel_shape", spatial, TACHO_DIM_UNKNOWN, 1, out_window->kernel));
    TACHO_TRY(read_list(infer, "strides", spatial, 1, 1, out_window->strides));
    TACHO_TRY(read_list(infer, "dilations", spatial, 1, 1, out_window->dilations));
    TACHO_TRY(read_list(infer, "pads", 2 * spatial, 0, 0, out_window->pads));
    TACHO_TRY(read_auto_pad(infer, &out_window->auto_pad));
    out_window->is_ceil = tacho_onnx_int(infer, "ceil_mode", 0) != 0;
    if (out_window->auto_pad != PAD_AS_GIVEN) {
        memset(out_window->pads, 0, sizeof(out_window->pads));
    }
    return TACHO_OK;
}

/* The weights' spatial dimensions are the window, and an attribute must agree. */
static tacho_status take_kernel(const tacho_infer *infer, const tacho_shape *weights,
                                sliding *window)
{
    for (size_t i = 0; i < window->spatial && weights->rank != TACHO_RANK_UNKNOWN; i++) {
        int64_t dim = weights->dims[i + 2];
        TACHO_TRY(tacho_onnx_match(infer, "kernel_shape and the weights", window->kernel[i], dim));
        window->kernel[i] = dim == TACHO_DIM_UNKNOWN ? window->kernel[i] : dim;
        if (window->kernel[i] == 0 || window->kernel[i] > INT32_MAX) {
            return tacho_infer_fail(infer, "the kernel has a dimension of %" PRId64,
                                    window->kernel[i]);
        }
    }
    return TACHO_OK;
}

/* Elements from the first to the last that a window covers. */
static int64_t extent(const sliding *window, size_t i)
{
    return (window->kernel[i] - 1) * window->dilations[i] + 1;
}

/*
 * Rounded up, the last window could begin in the padding after the data: it does not count. Files
 * older than this rule may have counted it, and their shape is accepted.
 */
static int64_t last_in_data(const tacho_infer *infer, const sliding *window, size_t i, int64_t in,
                            int64_t out)
{
    const tacho_tensor *output = tacho_graph_output(infer->graph, infer->node, 0);
    bool is_said = output != NULL && output->shape->rank == (int32_t)window->spatial + 2 &&
                   output->shape->dims[i + 2] == out;
    return !is_said && out > 1 && (out - 1) * window->strides[i] >= in + window->pads[i] ? out - 1
                                                                                         : out;
}

/* How many places the window has along spatial dimension |i| of |in| elements. */
static tacho_status slide(const tacho_infer *infer, const sliding *window, size_t i, int64_t in,
                          int64_t *out_dim)
{
    *out_dim = TACHO_DIM_UNKNOWN;
    if (in == TACHO_DIM_UNKNOWN || window->kernel[i] == TACHO_DIM_UNKNOWN) {
        return TACHO_OK;
    }
    int64_t stride = window->strides[i];
    if (window->auto_pad == PAD_SAME) {
        *out_dim = in / stride + (in % stride != 0 ? 1 : 0);
        return TACHO_OK;
    }
    int64_t padded;
    if (__builtin_add_overflow(in, window->pads[i] + window->pads[window->spatial + i], &padded)) {
        return tacho_infer_fail(infer, "a dimension is too long: %" PRId64, in);
    }
    int64_t room = padded - extent(window, i);
    if (room < 0) {
        return tacho_infer_fail(infer,
                                "the kernel covers %" PRId64
                                " elements of spatial dimension %zu, which has %" PRId64
                                " with its padding",
                                extent(window, i), i, padded);
    }
    *out_dim = room / stride + 1;
    if (window->is_ceil && room % stride != 0) {
        *out_dim = last_in_data(infer, window, i, in, *out_dim + 1);
    }
    return TACHO_OK;
}

/* ---- convolutions -------------------------------------------------------------------------- */

/* Where a kind of convolution has its operands. */
typedef struct conv_inputs {
    size_t data, weights, bias, needed;
} conv_inputs;

static tacho_status check_bias(const tacho_infer *infer, size_t bias, int64_t channels)
{
    const tacho_shape *shape = tacho_infer_shape(infer, bias);
    TACHO_TRY(tacho_onnx_need_rank(infer, bias, 1, 1));
    return shape->rank == 1
               ? tacho_onnx_match(infer, "bias and output channels", shape->dims[0], channels)
               : TACHO_OK;
}

/* The shapes of data and weights, checked for rank. */
static tacho_status conv_shapes(const tacho_infer *infer, const conv_inputs *inputs,
                                tacho_shape *out_data, tacho_shape *out_weights)
{
    TACHO_TRY(tacho_onnx_need(infer, inputs->needed));
    TACHO_TRY(tacho_onnx_need_rank(infer, inputs->data, 3, TACHO_RANK_MAX));
    *out_data = *tacho_infer_shape(infer, inputs->data);
    *out_weights = *tacho_infer_shape(infer, inputs->weights);
    if (out_data->rank == TACHO_RANK_UNKNOWN) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_onnx_need_rank(infer, inputs->weights, out_data->rank, out_data->rank));
    if (out_weights->rank == TACHO_RANK_UNKNOWN) {
        *out_weights = tacho_onnx_any_shape(out_data->rank);
    }
    return TACHO_OK;
}

/* Output channels of weights MxC/gx..., with the groups checked. */
static tacho_status conv_channels(const tacho_infer *infer, const tacho_shape *data,
                                  const tacho_shape *weights)
{
    int64_t group = tacho_onnx_int(infer, "group", 1), channels;
    if (group < 1) {
        return tacho_infer_fail(infer, "group is %" PRId64, group);
    }
    if (!tacho_onnx_mul(weights->dims[1], group, &channels)) {
        return tacho_infer_fail(infer, "too many channels");
    }
    if (weights->dims[0] > 0 && weights->dims[0] % group != 0) {
        return tacho_infer_fail(infer, "%" PRId64 " output channels do not make %" PRId64 " groups",
                                weights->dims[0], group);
    }
    return tacho_onnx_match(infer, "input channels and the weights' (by group)", data->dims[1],
                            channels);
}

static tacho_status infer_conv(const tacho_infer *infer, const conv_inputs *inputs,
                               tacho_dtype dtype)
{
    tacho_shape data, weights;
    TACHO_TRY(conv_shapes(infer, inputs, &data, &weights));
    if (data.rank == TACHO_RANK_UNKNOWN) {
        return tacho_infer_set(infer, 0, dtype, &data);
    }
    sliding window;
    TACHO_TRY(read_window(infer, data.rank, &window));
    TACHO_TRY(take_kernel(infer, &weights, &window));
    TACHO_TRY(conv_channels(infer, &data, &weights));
    TACHO_TRY(check_bias(infer, inputs->bias, weights.dims[0]));
    tacho_shape shape = {.rank = data.rank, .dims = {data.dims[0], weights.dims[0]}};
    window.is_ceil = false;
    for (size_t i = 0; i < window.spatial; i++) {
        TACHO_TRY(slide(infer, &window, i, data.dims[i + 2], &shape.dims[i + 2]));
    }
    return tacho_infer_set(infer, 0, dtype, &shape);
}

tacho_status tacho_onnx_infer_conv(const tacho_infer *infer)
{
    conv_inputs inputs = {.data = 0, .weights = 1, .bias = 2, .needed = 2};
    return infer_conv(infer, &inputs, tacho_infer_dtype(infer, 0));
}

tacho_status tacho_onnx_infer_conv_integer(const tacho_infer *infer)
{
    conv_inputs inputs = {.data = 0, .weights = 1, .bias = SIZE_MAX, .needed = 2};
    return infer_conv(infer, &inputs, TACHO_DTYPE_I32);
}

tacho_status tacho_onnx_infer_qlinear_conv(const tacho_infer *infer)
{
    conv_inputs inputs = {.data = 0, .weights = 3, .bias = 8, .needed = 8};
    return infer_conv(infer, &inputs, tacho_infer_dtype(infer, 7));
}

tacho_status tacho_onnx_infer_deform_conv(const tacho_infer *infer)
{
    conv_inputs inputs = {.data = 0, .weights = 1, .bias = 3, .needed = 3};
    return infer_conv(infer, &inputs, tacho_infer_dtype(infer, 0));
}

/* ---- transposed ---------------------------------------------------------------------------- */

/* The attribute output_shape: the spatial dimensions, or all of them. */
static tacho_status asked_shape(const tacho_infer *infer, size_t spatial, int64_t *out_dims,
                                bool *out_is_asked)
{
    size_t count;
    const int64_t *dims = tacho_onnx_ints(infer, "output_shape", &count);
    *out_is_asked = dims != NULL;
    if (dims == NULL) {
        return TACHO_OK;
    }
    if (count != spatial && count != spatial + 2) {
        return tacho_infer_fail(infer, "output_shape has %zu values, expected %zu", count, spatial);
    }
    for (size_t i = 0; i < spatial; i++) {
        out_dims[i] = dims[count - spatial + i];
        if (out_dims[i] < 0) {
            return tacho_infer_fail(infer, "output_shape has the value %" PRId64, out_dims[i]);
        }
    }
    return TACHO_OK;
}

/* The extent of a window of |window| spread |in| times along spatial dimension |i|. */
static tacho_status spread(const tacho_infer *infer, const sliding *window, size_t i, int64_t in,
                           int64_t output_padding, int64_t *out_dim)
{
    int64_t pads = window->pads[i] + window->pads[window->spatial + i];
    *out_dim = TACHO_DIM_UNKNOWN;
    if (in == TACHO_DIM_UNKNOWN || window->kernel[i] == TACHO_DIM_UNKNOWN) {
        return TACHO_OK;
    }
    bool is_same = window->auto_pad == PAD_SAME;
    if (__builtin_mul_overflow(is_same ? in : in - 1, window->strides[i], out_dim) ||
        __builtin_add_overflow(*out_dim, is_same ? 0 : output_padding + extent(window, i) - pads,
                               out_dim) ||
        *out_dim < 0) {
        return tacho_infer_fail(infer,
                                "spatial dimension %zu would have a negative or too large size", i);
    }
    return TACHO_OK;
}

tacho_status tacho_onnx_infer_conv_transpose(const tacho_infer *infer)
{
    conv_inputs inputs = {.data = 0, .weights = 1, .bias = 2, .needed = 2};
    tacho_dtype dtype = tacho_infer_dtype(infer, 0);
    tacho_shape data, weights;
    TACHO_TRY(conv_shapes(infer, &inputs, &data, &weights));
    if (data.rank == TACHO_RANK_UNKNOWN) {
        return tacho_infer_set(infer, 0, dtype, &data);
    }
    sliding window;
    bool is_asked;
    int64_t group = tacho_onnx_int(infer, "group", 1), asked[SPATIAL_MAX], padding[SPATIAL_MAX];
    tacho_shape shape = {.rank = data.rank, .dims = {data.dims[0]}};
    TACHO_TRY(read_window(infer, data.rank, &window));
    TACHO_TRY(take_kernel(infer, &weights, &window));
    TACHO_TRY(read_list(infer, "output_padding", window.spatial, 0, 0, padding));
    TACHO_TRY(asked_shape(infer, window.spatial, asked, &is_asked));
    TACHO_TRY(
        tacho_onnx_match(infer, "channels of data and weights", data.dims[1], weights.dims[0]));
    if (group < 1 || (data.dims[1] > 0 && data.dims[1] % group != 0) ||
        !tacho_onnx_mul(weights.dims[1], group, &shape.dims[1])) {
        return tacho_infer_fail(infer, "group is %" PRId64 " for %" PRId64 " channels", group,
                                data.dims[1]);
    }
    TACHO_TRY(check_bias(infer, inputs.bias, shape.dims[1]));
    for (size_t i = 0; i < window.spatial; i++) {
        TACHO_TRY(spread(infer, &window, i, data.dims[i + 2], padding[i], &shape.dims[i + 2]));
        shape.dims[i + 2] = is_asked ? asked[i] : shape.dims[i + 2];
    }
    return tacho_infer_set(infer, 0, dtype, &shape);
}

/* ---- pools --------------------------------------------------------------------------------- */

static tacho_status pool_shape(const tacho_infer *infer, tacho_shape *out_shape)
{
    TACHO_TRY(tacho_onnx_need(infer, 1));
    TACHO_TRY(tacho_onnx_need_rank(infer, 0, 3, TACHO_RANK_MAX));
    *out_shape = *tacho_infer_shape(infer, 0);
    if (out_shape->rank == TACHO_RANK_UNKNOWN) {
        return TACHO_OK;
    }
    sliding window;
    TACHO_TRY(read_window(infer, out_shape->rank, &window));
    for (size_t i = 0; i < window.spatial; i++) {
        if (window.kernel[i] == TACHO_DIM_UNKNOWN) {
            return tacho_infer_fail(infer, "attribute 'kernel_shape' is missing");
        }
        TACHO_TRY(slide(infer, &window, i, out_shape->dims[i + 2], &out_shape->dims[i + 2]));
    }
    return TACHO_OK;
}

tacho_status tacho_onnx_infer_average_pool(const tacho_infer *infer)
{
    tacho_shape shape;
    TACHO_TRY(pool_shape(infer, &shape));
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

tacho_status tacho_onnx_infer_max_pool(const tacho_infer *infer)
{
    tacho_shape shape;
    TACHO_TRY(pool_shape(infer, &shape));
    TACHO_TRY(tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape));
    return tacho_infer_set(infer, 1, TACHO_DTYPE_I64, &shape);
}

tacho_status tacho_onnx_infer_global_pool(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 1));
    TACHO_TRY(tacho_onnx_need_rank(infer, 0, 2, TACHO_RANK_MAX));
    tacho_shape shape = *tacho_infer_shape(infer, 0);
    for (int32_t i = 2; i < shape.rank; i++) {
        shape.dims[i] = 1;
    }
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

/* Back from a pool: of the requested size, else that covered by the windows. */
tacho_status tacho_onnx_infer_max_unpool(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 2));
    TACHO_TRY(tacho_onnx_need_rank(infer, 0, 3, TACHO_RANK_MAX));
    tacho_shape shape = *tacho_infer_shape(infer, 0);
    int64_t asked[TACHO_RANK_MAX];
    size_t count;
    bool is_known = tacho_infer_ints(infer, 2, asked, TACHO_RANK_MAX, &count);
    if (shape.rank == TACHO_RANK_UNKNOWN) {
        return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
    }
    sliding window;
    TACHO_TRY(read_window(infer, shape.rank, &window));
    if (is_known && count != (size_t)shape.rank) {
        return tacho_infer_fail(infer, "output_shape has %zu values, expected %" PRId32, count,
                                shape.rank);
    }
    for (size_t i = 0; i < window.spatial; i++) {
        TACHO_TRY(spread(infer, &window, i, shape.dims[i + 2], 0, &shape.dims[i + 2]));
        if (tacho_onnx_has(infer, 2)) {
            bool is_sane = is_known && asked[i + 2] >= 0;
            shape.dims[i + 2] = is_sane ? asked[i + 2] : TACHO_DIM_UNKNOWN;
        }
    }
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

/* Regions by channels by a grid of |height| x |width|. */
static tacho_status set_regions(const tacho_infer *infer, int64_t height, int64_t width)
{
    TACHO_TRY(tacho_onnx_need(infer, 2));
    TACHO_TRY(tacho_onnx_need_rank(infer, 0, 4, 4));
    TACHO_TRY(tacho_onnx_need_rank(infer, 1, 2, 2));
    const tacho_shape *data = tacho_infer_shape(infer, 0), *rois = tacho_infer_shape(infer, 1);
    if (height < 1 || width < 1) {
        return tacho_infer_fail(infer, "the grid is %" PRId64 " by %" PRId64, height, width);
    }
    tacho_shape shape = {.rank = 4,
                         .dims = {rois->rank == 2 ? rois->dims[0] : TACHO_DIM_UNKNOWN,
                                  data->rank == 4 ? data->dims[1] : TACHO_DIM_UNKNOWN, height,
                                  width}};
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

tacho_status tacho_onnx_infer_roi_pool(const tacho_infer *infer)
{
    int64_t grid[2] = {1, 1};
    TACHO_TRY(read_list(infer, "pooled_shape", 2, 1, 1, grid));
    return set_regions(infer, grid[0], grid[1]);
}

tacho_status tacho_onnx_infer_roi_align(const tacho_infer *infer)
{
    return set_regions(infer, tacho_onnx_int(infer, "output_height", 1),
                       tacho_onnx_int(infer, "output_width", 1));
}
