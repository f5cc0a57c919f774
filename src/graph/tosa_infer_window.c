/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shapes of TOSA operators whose results are places of a window over an image: pools,
 * convolutions and their kin, resizing. Channels are last.
 */
#include "graph/tosa_infer.h"

#include <inttypes.h>

enum { AXES_MAX = 3 };

/* One operator: its spatial axes are dimensions 1 to |axes| of operand 0. */
typedef struct window {
    const tacho_infer *infer;
    int32_t axes;
    int64_t kernel[AXES_MAX]; /* sizes, or TACHO_DIM_UNKNOWN */
    int64_t stride[AXES_MAX];
    int64_t dilation[AXES_MAX];
    int64_t pad[2 * AXES_MAX]; /* before and after each axis */
    tacho_shape shape;         /* of the result */
} window;

static int64_t dim_of(const tacho_shape *shape, int32_t i)
{
    return i < shape->rank ? shape->dims[i] : TACHO_DIM_UNKNOWN;
}

static tacho_status check_rank(const tacho_infer *infer, size_t input, int32_t rank)
{
    const tacho_shape *shape = tacho_infer_shape(infer, input);
    char text[TACHO_SHAPE_TEXT_MAX];
    return shape->rank == TACHO_RANK_UNKNOWN || shape->rank == rank
               ? TACHO_OK
               : tacho_infer_fail(infer, "operand %zu is %s; expected %" PRId32 " dimensions",
                                  input, tacho_shape_print(shape, text, sizeof(text)), rank);
}

/* |count| integers of the attribute |name|, each at least |least|; |fallback| when it is absent. */
static tacho_status take_ints(const window *self, const char *name, size_t count, int64_t least,
                              int64_t *out_ints)
{
    size_t found = 0;
    const int64_t *ints = tacho_attr_ints(tacho_graph_attrs(self->infer->graph, self->infer->node),
                                          self->infer->node->attr_count, name, &found);
    for (size_t i = 0; ints == NULL && i < count; i++) {
        out_ints[i] = least > 0 ? 1 : 0;
    }
    if (ints == NULL) {
        return TACHO_OK;
    }
    if (found != count) {
        return tacho_infer_fail(self->infer, "attribute %s has %zu numbers; expected %zu", name,
                                found, count);
    }
    for (size_t i = 0; i < count; i++) {
        if (ints[i] < least || ints[i] > INT32_MAX) {
            return tacho_infer_fail(self->infer,
                                    "%" PRId64 " in attribute %s; expected %" PRId64 " to %" PRId32,
                                    ints[i], name, least, INT32_MAX);
        }
        out_ints[i] = ints[i];
    }
    return TACHO_OK;
}

/* Sizes that no product or sum of them below leaves 63 bits with. */
static bool is_small(int64_t size)
{
    return size >= 0 && size <= INT32_MAX;
}

/* Where the window's places along the axes are known, so is that dimension of the result. */
static tacho_status slide(window *self)
{
    const tacho_shape *input = tacho_infer_shape(self->infer, 0);
    for (int32_t i = 0; i < self->axes; i++) {
        int64_t size = dim_of(input, i + 1);
        int64_t kernel = self->kernel[i];
        self->shape.dims[i + 1] = TACHO_DIM_UNKNOWN;
        if (!is_small(size) || !is_small(kernel)) {
            continue;
        }
        int64_t room =
            size + self->pad[2 * i] + self->pad[2 * i + 1] - ((kernel - 1) * self->dilation[i] + 1);
        if (room < 0) {
            return tacho_infer_fail(self->infer,
                                    "a kernel of %" PRId64 " (dilation %" PRId64
                                    ") is larger than %" PRId64 " and its padding",
                                    kernel, self->dilation[i], size);
        }
        self->shape.dims[i + 1] = room / self->stride[i] + 1;
    }
    return TACHO_OK;
}

static tacho_status start(window *self, const tacho_infer *infer, int32_t axes)
{
    const tacho_shape *input = tacho_infer_shape(infer, 0);
    *self = (window){.infer = infer, .axes = axes, .shape = {.rank = axes + 2}};
    TACHO_TRY(check_rank(infer, 0, axes + 2));
    for (int32_t i = 0; i < axes + 2; i++) {
        self->shape.dims[i] = TACHO_DIM_UNKNOWN;
    }
    self->shape.dims[0] = dim_of(input, 0);
    size_t count = (size_t)axes;
    TACHO_TRY(take_ints(self, "stride", count, 1, self->stride));
    TACHO_TRY(take_ints(self, "dilation", count, 1, self->dilation));
    return take_ints(self, "pad", 2 * count, 0, self->pad);
}

tacho_status tacho_tosa_infer_pool(const tacho_infer *infer)
{
    window self;
    TACHO_TRY(start(&self, infer, 2));
    TACHO_TRY(tacho_tosa_check_zero_points(infer, 1));
    TACHO_TRY(take_ints(&self, "kernel", 2, 1, self.kernel));
    TACHO_TRY(slide(&self));
    self.shape.dims[3] = dim_of(tacho_infer_shape(infer, 0), 3);
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &self.shape);
}

/* The input's channels and the weights' must be the same. */
static tacho_status check_channels(const window *self, int64_t weight_channels)
{
    int64_t channels = dim_of(tacho_infer_shape(self->infer, 0), self->axes + 1);
    bool is_known = channels >= 0 && weight_channels >= 0;
    return !is_known || channels == weight_channels
               ? TACHO_OK
               : tacho_infer_fail(self->infer,
                                  "the input has %" PRId64 " channels, the weights are for "
                                  "%" PRId64,
                                  channels, weight_channels);
}

/* A bias for each channel of the result, or one for all. */
static tacho_status check_bias(const window *self, int64_t channels)
{
    const tacho_shape *bias = tacho_infer_shape(self->infer, 2);
    int64_t count = dim_of(bias, 0);
    bool is_known = bias->rank == 1 && count >= 0 && channels >= 0;
    return !is_known || count == channels || count == 1
               ? TACHO_OK
               : tacho_infer_fail(self->infer,
                                  "a bias of %" PRId64 " numbers for %" PRId64 " channels", count,
                                  channels);
}

static tacho_status finish_conv(window *self, int64_t channels)
{
    TACHO_TRY(check_bias(self, channels));
    TACHO_TRY(tacho_tosa_check_zero_points(self->infer, 3));
    self->shape.dims[self->axes + 1] = channels;
    return tacho_infer_set(self->infer, 0, TACHO_DTYPE_NONE, &self->shape);
}

/* Weights OHWI or ODHWI; so many axes as they have. */
tacho_status tacho_tosa_infer_conv(const tacho_infer *infer)
{
    window self;
    const tacho_shape *weight = tacho_infer_shape(infer, 1);
    if (weight->rank != TACHO_RANK_UNKNOWN && weight->rank != 4 && weight->rank != 5) {
        return check_rank(infer, 1, 4);
    }
    int32_t axes = weight->rank == 5 ? 3 : 2;
    TACHO_TRY(start(&self, infer, axes));
    for (int32_t i = 0; i < axes; i++) {
        self.kernel[i] = dim_of(weight, i + 1);
    }
    TACHO_TRY(check_channels(&self, dim_of(weight, axes + 1)));
    TACHO_TRY(slide(&self));
    return finish_conv(&self, dim_of(weight, 0));
}

/* Weights HWCM. */
tacho_status tacho_tosa_infer_depthwise(const tacho_infer *infer)
{
    window self;
    const tacho_shape *weight = tacho_infer_shape(infer, 1);
    TACHO_TRY(check_rank(infer, 1, 4));
    TACHO_TRY(start(&self, infer, 2));
    self.kernel[0] = dim_of(weight, 0);
    self.kernel[1] = dim_of(weight, 1);
    TACHO_TRY(check_channels(&self, dim_of(weight, 2)));
    TACHO_TRY(slide(&self));
    int64_t channels = dim_of(weight, 2);
    int64_t multiplier = dim_of(weight, 3);
    bool is_known = is_small(channels) && is_small(multiplier);
    return finish_conv(&self, is_known ? channels * multiplier : TACHO_DIM_UNKNOWN);
}

tacho_status tacho_tosa_infer_transpose_conv(const tacho_infer *infer)
{
    window self;
    const tacho_shape *input = tacho_infer_shape(infer, 0);
    const tacho_shape *weight = tacho_infer_shape(infer, 1);
    int64_t pad[2 * 2];
    TACHO_TRY(check_rank(infer, 1, 4));
    TACHO_TRY(start(&self, infer, 2));
    TACHO_TRY(take_ints(&self, "out_pad", 4, -INT32_MAX, pad));
    TACHO_TRY(check_channels(&self, dim_of(weight, 3)));
    for (int32_t i = 0; i < 2; i++) {
        int64_t size = dim_of(input, i + 1);
        int64_t kernel = dim_of(weight, i + 1);
        if (!is_small(size) || !is_small(kernel)) {
            continue;
        }
        int64_t places = (size - 1) * self.stride[i] + pad[2 * i] + pad[2 * i + 1] + kernel;
        if (places < 0) {
            return tacho_infer_fail(infer, "its padding removes more than there is");
        }
        self.shape.dims[i + 1] = places;
    }
    return finish_conv(&self, dim_of(weight, 0));
}

/* ((size - 1) * numerator - offset + border) / denominator + 1 along each axis. */
tacho_status tacho_tosa_infer_resize(const tacho_infer *infer)
{
    const tacho_shape *input = tacho_infer_shape(infer, 0);
    int64_t scale[4];
    int64_t offset[2];
    int64_t border[2];
    size_t counts[3] = {0};
    TACHO_TRY(check_rank(infer, 0, 4));
    tacho_shape shape = {
        .rank = 4,
        .dims = {dim_of(input, 0), TACHO_DIM_UNKNOWN, TACHO_DIM_UNKNOWN, dim_of(input, 3)}};
    bool is_known = tacho_infer_ints(infer, 1, scale, 4, &counts[0]) &&
                    tacho_infer_ints(infer, 2, offset, 2, &counts[1]) &&
                    tacho_infer_ints(infer, 3, border, 2, &counts[2]) && counts[0] == 4 &&
                    counts[1] == 2 && counts[2] == 2;
    for (int32_t i = 0; is_known && i < 2; i++) {
        int64_t size = dim_of(input, i + 1);
        bool is_sane = is_small(size) && is_small(scale[2 * i]) && is_small(scale[2 * i + 1]) &&
                       scale[2 * i + 1] > 0 && offset[i] >= INT32_MIN && offset[i] <= INT32_MAX &&
                       border[i] >= INT32_MIN && border[i] <= INT32_MAX;
        int64_t room = is_sane ? (size - 1) * scale[2 * i] - offset[i] + border[i] : -1;
        shape.dims[i + 1] = room >= 0 ? room / scale[2 * i + 1] + 1 : TACHO_DIM_UNKNOWN;
    }
    return tacho_infer_set(infer, 0, TACHO_DTYPE_NONE, &shape);
}
