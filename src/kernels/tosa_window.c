/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TOSA's operators with windows: convolutions, pools and resampling, with the channels last.
 * Integer sums are exact: operands have 16 bits at most, so doubles hold the sums of 2^22 products
 * and a bias of 48 bits. Values out of the output type's range wrap.
 */
#include "kernels/convolve.h"
#include "base/whole.h"
#include "kernels/product.h"
#include "kernels/tosa.h"
#include "kernels/walk.h"

#include <math.h>

/* ---- convolutions -------------------------------------------------------------------------- */

typedef struct finish {
    tacho_array *output;
    const tacho_array *bias;
} finish;

static void finish_row(const tacho_convolution *self, int64_t image, int64_t channel, int64_t place,
                       int64_t count, double *values)
{
    const finish *to = self->user;
    int64_t channels = self->groups * self->out_channels;
    int64_t places = tacho_window_places(self->window.out, self->window.spatial);
    double bias =
        to->bias == NULL ? 0 : tacho_real_at(to->bias, tacho_each_or_one(to->bias, channel));
    for (int64_t i = 0; i < count; i++) {
        int64_t at = (image * places + place + i) * channels + channel;
        if (tacho_is_real(to->output)) {
            tacho_set_real(to->output, at, values[i] + bias);
        } else {
            tacho_set_int(to->output, at, tacho_whole_i64(values[i] + bias));
        }
    }
}

static tacho_status check_types(const tacho_array *data, const tacho_array *filters,
                                const finish *to)
{
    bool is_real = tacho_is_real(data) && tacho_is_real(filters) && tacho_is_real(to->output) &&
                   (to->bias == NULL || tacho_is_real(to->bias));
    bool is_int = tacho_is_int(data) && tacho_is_int(filters) && tacho_tosa_is_sum(to->output) &&
                  tacho_dtype_element_bytes(data->dtype) <= 2 &&
                  tacho_dtype_element_bytes(filters->dtype) <= 2 &&
                  (to->bias == NULL || tacho_tosa_is_sum(to->bias));
    return is_real || is_int ? TACHO_OK : tacho_unsupported_type("a convolution", data->dtype);
}

/* Filters O x spatial x I, or (depthwise) spatial x C x M. */
static tacho_status convolve(const tacho_kernel_call *call, bool is_depthwise)
{
    const tacho_array *data = call->inputs[0], *filters = call->inputs[1];
    finish to = {.output = &call->outputs[0], .bias = tacho_call_input(call, 2)};
    tacho_convolution conv = {.data = data, .filters = filters, .emit = finish_row, .user = &to};
    int32_t rank = data->shape.rank;
    TACHO_TRY(check_types(data, filters, &to));
    if (rank < 3 || filters->shape.rank != rank || to.output->shape.rank != rank ||
        !tacho_window_read_tosa(call, &data->shape, &to.output->shape,
                                filters->shape.dims + (is_depthwise ? 0 : 1), &conv.window)) {
        return tacho_wrong_shapes("a convolution");
    }
    int64_t data_steps[TACHO_RANK_MAX] = {0}, filter_steps[TACHO_RANK_MAX] = {0};
    tacho_shape_steps(&data->shape, data_steps);
    tacho_shape_steps(&filters->shape, filter_steps);
    int64_t channels = data->shape.dims[rank - 1];
    conv.images = data->shape.dims[0];
    conv.groups = is_depthwise ? channels : 1;
    conv.in_channels = is_depthwise ? 1 : channels;
    conv.out_channels = is_depthwise ? filters->shape.dims[rank - 1] : filters->shape.dims[0];
    conv.data_steps = (tacho_conv_steps){.image = data_steps[0], .group = 1, .channel = 1};
    conv.filter_steps = (tacho_conv_steps){.image = is_depthwise ? 1 : filter_steps[0],
                                           .group = is_depthwise ? filter_steps[rank - 2] : 0,
                                           .channel = 1};
    for (int32_t i = 0; i < conv.window.spatial; i++) {
        conv.data_steps.spatial[i] = data_steps[i + 1];
        conv.filter_steps.spatial[i] = filter_steps[is_depthwise ? i : i + 1];
    }
    int64_t made = conv.groups * conv.out_channels;
    bool fits = filters->shape.dims[is_depthwise ? rank - 2 : rank - 1] == channels &&
                to.output->shape.dims[rank - 1] == made &&
                to.output->shape.dims[0] == conv.images &&
                (to.bias == NULL || tacho_array_elements(to.bias) == 1 ||
                 tacho_array_elements(to.bias) == made);
    if (!fits) {
        return tacho_wrong_shapes("a convolution");
    }
    const tacho_array *zeros = tacho_call_input(call, 4);
    conv.data_zero = (double)tacho_tosa_zero(call, 3, data->dtype, false);
    conv.filter_zeros =
        zeros != NULL && tacho_is_int(zeros) && tacho_array_elements(zeros) == 1 ? zeros : NULL;
    return tacho_array_elements(to.output) == 0 ? TACHO_OK : tacho_convolve(&conv);
}

static tacho_status compute_conv(const tacho_kernel_call *call)
{
    return convolve(call, false);
}

static tacho_status compute_depthwise(const tacho_kernel_call *call)
{
    return convolve(call, true);
}

/* A convolution of rows by one element: data N x I, filters O x I. */
static tacho_status compute_fully_connected(const tacho_kernel_call *call)
{
    const tacho_array *data = call->inputs[0], *filters = call->inputs[1];
    finish to = {.output = &call->outputs[0], .bias = tacho_call_input(call, 2)};
    TACHO_TRY(check_types(data, filters, &to));
    const int64_t *rows = data->shape.dims, *made = filters->shape.dims;
    const int64_t *out = to.output->shape.dims;
    if (data->shape.rank != 2 || filters->shape.rank != 2 || to.output->shape.rank != 2 ||
        rows[1] != made[1] || out[0] != rows[0] || out[1] != made[0] ||
        (to.bias != NULL && tacho_array_elements(to.bias) != 1 &&
         tacho_array_elements(to.bias) != made[0])) {
        return tacho_wrong_shapes("a fully connected layer");
    }
    tacho_convolution conv = {.data = data, .filters = filters, .emit = finish_row, .user = &to};
    conv.images = conv.groups = 1;
    conv.in_channels = rows[1];
    conv.out_channels = made[0];
    conv.window = (tacho_window){.spatial = 1,
                                 .in = {rows[0]},
                                 .out = {rows[0]},
                                 .kernel = {1},
                                 .strides = {1},
                                 .dilations = {1}};
    conv.data_steps = (tacho_conv_steps){.channel = 1, .spatial = {rows[1]}};
    conv.filter_steps = (tacho_conv_steps){.image = made[1], .channel = 1};
    return tacho_array_elements(to.output) == 0 ? TACHO_OK : tacho_convolve(&conv);
}

/* ---- pools --------------------------------------------------------------------------------- */

/* A sum divided by |count|, by TOSA's reciprocal in fixed point. */
static int64_t divide_sum(int64_t sum, int64_t count)
{
    uint32_t below = (uint32_t)count - 1;
    int64_t power = below == 0 ? 0 : 32 - __builtin_clz(below);
    int64_t multiplier = (int64_t)((((tacho_i128)1 << 30) + 1) * ((tacho_i128)1 << power) / count);
    return tacho_tosa_scale(sum, multiplier, 30 + power, false);
}

/* One place and channel. */
static void pool_place(const tacho_kernel_call *call, const tacho_window *window, int64_t image,
                       int64_t place, int64_t channel, bool is_max)
{
    const tacho_array *input = call->inputs[0];
    tacho_array *output = &call->outputs[0];
    int64_t channels = input->shape.dims[3], count = 0, whole = 0;
    double real = 0;
    int64_t in_zero = is_max ? 0 : tacho_tosa_zero(call, 1, input->dtype, false);
    for (int64_t k = 0; k < window->kernel[0] * window->kernel[1]; k++) {
        int64_t in[TACHO_SPATIAL_MAX];
        bool is_beyond;
        if (!tacho_window_find(window, place, k, in, &is_beyond)) {
            continue;
        }
        int64_t at = ((image * window->in[0] + in[0]) * window->in[1] + in[1]) * channels + channel;
        if (tacho_is_real(input)) {
            double x = tacho_real_at(input, at);
            real = !is_max ? real + x : count == 0 || isnan(x) || x > real ? x : real;
        } else {
            int64_t x = tacho_int_at(input, at) - in_zero;
            whole = !is_max ? whole + x : count == 0 || x > whole ? x : whole;
        }
        count++;
    }
    int64_t places = window->out[0] * window->out[1];
    int64_t to = (image * places + place) * channels + channel;
    if (tacho_is_real(input)) {
        tacho_set_real(output, to, is_max ? real : real / (double)count);
    } else if (is_max || count == 0) {
        tacho_set_int(output, to, count == 0 ? tacho_int_min(input->dtype) : whole);
    } else {
        int64_t mean = divide_sum(whole, count) + tacho_tosa_zero(call, 2, input->dtype, false);
        tacho_set_int(
            output, to,
            tacho_clamp_int(mean, tacho_int_min(input->dtype), tacho_int_max(input->dtype)));
    }
}

static tacho_status pool(const tacho_kernel_call *call, bool is_max)
{
    const tacho_array *input = call->inputs[0];
    tacho_array *output = &call->outputs[0];
    tacho_window window;
    bool is_fit = tacho_is_real(input) ||
                  (tacho_is_int(input) && tacho_dtype_element_bytes(input->dtype) <= 2);
    if (!is_fit || output->dtype != input->dtype) {
        return tacho_unsupported_type("a pool", input->dtype);
    }
    if (input->shape.rank != 4 || output->shape.rank != 4 ||
        !tacho_window_read_tosa(call, &input->shape, &output->shape, NULL, &window) ||
        tacho_window_places(window.kernel, 2) > INT32_MAX ||
        input->shape.dims[0] != output->shape.dims[0] ||
        input->shape.dims[3] != output->shape.dims[3]) {
        return tacho_wrong_shapes("a pool");
    }
    int64_t total = tacho_array_elements(output), channels = output->shape.dims[3];
    for (int64_t i = 0; i < total; i++) {
        int64_t place = i / channels, places = window.out[0] * window.out[1];
        pool_place(call, &window, place / places, place % places, i % channels, is_max);
    }
    return TACHO_OK;
}

static tacho_status compute_max_pool(const tacho_kernel_call *call)
{
    return pool(call, true);
}

static tacho_status compute_avg_pool(const tacho_kernel_call *call)
{
    return pool(call, false);
}

/* ---- resampling ---------------------------------------------------------------------------- */

/* One axis: place i is at position (i * below + offset) / above. */
typedef struct axis {
    int64_t above, below, offset, in;
} axis;

/* The elements around a place and its distance from the first, in |above| steps. */
typedef struct around {
    int64_t at[2], rest;
} around;

static around find_around(const axis *self, int64_t i)
{
    int64_t place = i * self->below + self->offset;
    int64_t index = place / self->above - (place % self->above < 0 ? 1 : 0);
    around found = {.rest = place - index * self->above};
    found.at[0] = tacho_clamp_int(index, 0, self->in - 1);
    found.at[1] = tacho_clamp_int(index + 1, 0, self->in - 1);
    return found;
}

static void resize_place(const tacho_kernel_call *call, const axis axes[2], int64_t to,
                         bool is_nearest)
{
    const tacho_array *input = call->inputs[0];
    tacho_array *output = &call->outputs[0];
    const int64_t *dims = output->shape.dims;
    int64_t c = to % dims[3], x = to / dims[3] % dims[2], y = to / dims[3] / dims[2] % dims[1];
    int64_t n = to / dims[3] / dims[2] / dims[1], whole = 0;
    around ys = find_around(&axes[0], y), xs = find_around(&axes[1], x);
    double real = 0;
    if (is_nearest) {
        int64_t iy = ys.at[2 * ys.rest >= axes[0].above ? 1 : 0];
        int64_t ix = xs.at[2 * xs.rest >= axes[1].above ? 1 : 0];
        int64_t at = ((n * axes[0].in + iy) * axes[1].in + ix) * dims[3] + c;
        size_t size = tacho_dtype_element_bytes(output->dtype);
        memcpy((unsigned char *)output->data + (size_t)to * size,
               (const unsigned char *)input->data + (size_t)at * size, size);
        return;
    }
    for (int corner = 0; corner < 4; corner++) {
        int64_t iy = ys.at[corner / 2], ix = xs.at[corner % 2];
        int64_t wy = corner / 2 == 1 ? ys.rest : axes[0].above - ys.rest;
        int64_t wx = corner % 2 == 1 ? xs.rest : axes[1].above - xs.rest;
        int64_t at = ((n * axes[0].in + iy) * axes[1].in + ix) * dims[3] + c;
        if (tacho_is_real(input)) {
            real += tacho_real_at(input, at) * ((double)wy / (double)axes[0].above) *
                    ((double)wx / (double)axes[1].above);
        } else {
            whole = (int64_t)((uint64_t)whole +
                              (uint64_t)tacho_int_at(input, at) * (uint64_t)(wy * wx));
        }
    }
    if (tacho_is_real(output)) {
        tacho_set_real(output, to, real);
    } else {
        tacho_set_int(output, to, whole);
    }
}

static tacho_status compute_resize(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0], *scale = tacho_call_input(call, 1);
    const tacho_array *offset = tacho_call_input(call, 2);
    tacho_array *output = &call->outputs[0];
    bool is_nearest = tacho_tosa_mentions(call, "mode", "NEAREST");
    bool is_fit =
        is_nearest ? output->dtype == input->dtype : tacho_is_real(input) == tacho_is_real(output);
    if (!is_fit || tacho_element_kind(input->dtype) == TACHO_DTYPE_OTHER ||
        tacho_element_kind(output->dtype) == TACHO_DTYPE_OTHER || scale == NULL || offset == NULL ||
        !tacho_is_int(scale) || !tacho_is_int(offset)) {
        return tacho_unsupported_type("a resampling", input->dtype);
    }
    if (input->shape.rank != 4 || output->shape.rank != 4 || tacho_array_elements(scale) != 4 ||
        tacho_array_elements(offset) != 2 || input->shape.dims[0] != output->shape.dims[0] ||
        input->shape.dims[3] != output->shape.dims[3]) {
        return tacho_wrong_shapes("a resampling");
    }
    axis axes[2];
    for (int i = 0; i < 2; i++) {
        axes[i] = (axis){.above = tacho_int_at(scale, 2 * i),
                         .below = tacho_int_at(scale, 2 * i + 1),
                         .offset = tacho_int_at(offset, i),
                         .in = input->shape.dims[i + 1]};
        if (axes[i].above < 1 || axes[i].above > INT16_MAX || axes[i].below < 1 ||
            axes[i].below > INT16_MAX || axes[i].offset < INT32_MIN || axes[i].offset > INT32_MAX ||
            axes[i].in < 1 || output->shape.dims[i + 1] > INT32_MAX) {
            return tacho_fail(TACHO_CODE_BAD_DATA, "a scale or an offset is not within bounds");
        }
    }
    int64_t total = tacho_array_elements(output);
    for (int64_t i = 0; i < total; i++) {
        resize_place(call, axes, i, is_nearest);
    }
    return TACHO_OK;
}

const tacho_kernel tacho_tosa_window_kernels[] = {
    {"tosa.avg_pool2d", TACHO_KERNEL_HEAVY, compute_avg_pool},
    {"tosa.conv2d", TACHO_KERNEL_HEAVY, compute_conv},
    {"tosa.conv3d", TACHO_KERNEL_HEAVY, compute_conv},
    {"tosa.depthwise_conv2d", TACHO_KERNEL_HEAVY, compute_depthwise},
    {"tosa.fully_connected", TACHO_KERNEL_HEAVY, compute_fully_connected},
    {"tosa.max_pool2d", TACHO_KERNEL_HEAVY, compute_max_pool},
    {"tosa.resize", TACHO_KERNEL_PLAIN, compute_resize},
    {0},
};
