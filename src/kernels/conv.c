/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ONNX's convolutions: of reals, of integers, quantised, transposed. N x C x spatial, filters
 * M x C/groups x spatial.
 */
#include "kernels/convolve.h"
#include "base/whole.h"
#include "kernels/product.h"
#include "kernels/quantise.h"
#include "kernels/walk.h"

/* ---- shared -------------------------------------------------------------------------------- */

/* The last step of results. */
typedef struct finish {
    tacho_array *output;
    const tacho_array *bias;   /* or NULL */
    const tacho_requant *made; /* for quantised outputs, or NULL */
} finish;

static void finish_row(const tacho_convolution *self, int64_t image, int64_t channel, int64_t place,
                       int64_t count, double *values)
{
    const finish *to = self->user;
    int64_t channels = self->groups * self->out_channels;
    int64_t places = tacho_window_places(self->window.out, self->window.spatial);
    int64_t at = (image * channels + channel) * places + place;
    double bias = to->bias == NULL ? 0 : tacho_real_at(to->bias, channel);
    for (int64_t i = 0; i < count; i++) {
        values[i] += bias;
    }
    if (to->made != NULL) {
        tacho_requantise(to->made, channel, values, (size_t)count);
    }
    if (tacho_is_real(to->output)) {
        tacho_write_reals(to->output, at, (size_t)count, values);
        return;
    }
    int64_t ints[TACHO_TILE_COLUMNS];
    for (int64_t i = 0; i < count; i++) {
        ints[i] = tacho_whole_i64(values[i]);
    }
    tacho_write_ints(to->output, at, (size_t)count, ints);
}

/* Sizes and steps of ONNX's layout; false when the shapes do not fit. */
static bool lay_out(const tacho_kernel_call *call, tacho_convolution *conv,
                    const tacho_shape *output)
{
    const tacho_shape *data = &conv->data->shape, *filters = &conv->filters->shape;
    int64_t groups = tacho_call_int(call, "group", 1);
    int64_t data_steps[TACHO_RANK_MAX] = {0}, filter_steps[TACHO_RANK_MAX] = {0};
    if (data->rank < 3 || filters->rank != data->rank || output->rank != data->rank || groups < 1 ||
        filters->dims[0] % groups != 0 || data->dims[1] % groups != 0 ||
        data->dims[1] / groups != filters->dims[1] || output->dims[0] != data->dims[0] ||
        output->dims[1] != filters->dims[0] ||
        !tacho_window_read(call, data, output, filters->dims + 2, &conv->window)) {
        return false;
    }
    tacho_shape_steps(data, data_steps);
    tacho_shape_steps(filters, filter_steps);
    conv->images = data->dims[0];
    conv->groups = groups;
    conv->in_channels = filters->dims[1];
    conv->out_channels = filters->dims[0] / groups;
    conv->data_steps = (tacho_conv_steps){.image = data_steps[0],
                                          .group = data_steps[1] * conv->in_channels,
                                          .channel = data_steps[1]};
    conv->filter_steps = (tacho_conv_steps){.image = filter_steps[0],
                                            .group = filter_steps[0] * conv->out_channels,
                                            .channel = filter_steps[1]};
    memcpy(conv->data_steps.spatial, data_steps + 2, sizeof(conv->data_steps.spatial));
    memcpy(conv->filter_steps.spatial, filter_steps + 2, sizeof(conv->filter_steps.spatial));
    return true;
}

static tacho_status convolve(const tacho_kernel_call *call, tacho_convolution *conv,
                             const finish *to)
{
    const tacho_array *bias = to->bias;
    if (!lay_out(call, conv, &to->output->shape) ||
        (bias != NULL && tacho_array_elements(bias) != conv->groups * conv->out_channels)) {
        return tacho_wrong_shapes("a convolution");
    }
    conv->emit = finish_row;
    conv->user = to;
    return tacho_array_elements(to->output) == 0 ? TACHO_OK : tacho_convolve(conv);
}

/* A zero point: absent, one for all, or one for each of |count|. */
static bool is_zero_point(const tacho_array *zero, int64_t count)
{
    return zero == NULL || (tacho_is_int(zero) && (tacho_array_elements(zero) == 1 ||
                                                   tacho_array_elements(zero) == count));
}

/* ---- kernels ------------------------------------------------------------------------------- */

static tacho_status compute_conv(const tacho_kernel_call *call)
{
    tacho_convolution conv = {.data = call->inputs[0], .filters = call->inputs[1]};
    finish to = {.output = &call->outputs[0], .bias = tacho_call_input(call, 2)};
    if (!tacho_is_real(conv.data) || conv.filters->dtype != conv.data->dtype ||
        to.output->dtype != conv.data->dtype ||
        (to.bias != NULL && to.bias->dtype != conv.data->dtype)) {
        return tacho_unsupported_type("a convolution", conv.data->dtype);
    }
    return convolve(call, &conv, &to);
}

static bool is_byte(const tacho_array *array)
{
    return array->dtype == TACHO_DTYPE_I8 || array->dtype == TACHO_DTYPE_U8;
}

static tacho_status compute_conv_integer(const tacho_kernel_call *call)
{
    const tacho_array *zero = tacho_call_input(call, 2);
    tacho_convolution conv = {.data = call->inputs[0],
                              .filters = call->inputs[1],
                              .filter_zeros = tacho_call_input(call, 3)};
    finish to = {.output = &call->outputs[0]};
    if (!is_byte(conv.data) || !is_byte(conv.filters) || to.output->dtype != TACHO_DTYPE_I32) {
        return tacho_unsupported_type("a convolution", conv.data->dtype);
    }
    if (!is_zero_point(zero, 1) || !is_zero_point(conv.filter_zeros, conv.filters->shape.dims[0])) {
        return tacho_wrong_shapes("a zero point");
    }
    conv.data_zero = zero == NULL ? 0 : tacho_real_at(zero, 0);
    return convolve(call, &conv, &to);
}

static tacho_status compute_qlinear_conv(const tacho_kernel_call *call)
{
    tacho_convolution conv = {
        .data = call->inputs[0], .filters = call->inputs[3], .filter_zeros = call->inputs[5]};
    finish to = {.output = &call->outputs[0], .bias = tacho_call_input(call, 8)};
    tacho_requant made = {.scales = {call->inputs[1], call->inputs[4]},
                          .out_scale = call->inputs[6],
                          .out_zero = call->inputs[7],
                          .dtype = to.output->dtype};
    if (!is_byte(conv.data) || !is_byte(conv.filters) || !is_byte(to.output) ||
        (to.bias != NULL && to.bias->dtype != TACHO_DTYPE_I32)) {
        return tacho_unsupported_type("a convolution", conv.data->dtype);
    }
    if (!is_zero_point(call->inputs[2], 1) ||
        !is_zero_point(conv.filter_zeros, conv.filters->shape.dims[0]) ||
        !tacho_requant_is_fit(&made, conv.filters->shape.dims[0])) {
        return tacho_wrong_shapes("a zero point or scale");
    }
    conv.data_zero = tacho_real_at(call->inputs[2], 0);
    to.made = &made;
    return convolve(call, &conv, &to);
}

/* ---- transposed ---------------------------------------------------------------------------- */

/* The padding that leaves the output as large as it is, where it is not given. */
static void pad_transposed(const tacho_kernel_call *call, tacho_window *window)
{
    size_t count;
    bool is_upper = tacho_call_is(call, "auto_pad", "SAME_UPPER");
    const int64_t *more = tacho_call_ints(call, "output_padding", &count);
    if (!is_upper && !tacho_call_is(call, "auto_pad", "SAME_LOWER") &&
        !tacho_call_has(call, "output_shape")) {
        return;
    }
    for (int32_t i = 0; i < window->spatial; i++) {
        int64_t extra = more != NULL && count == (size_t)window->spatial
                            ? tacho_clamp_int(more[i], 0, INT32_MAX)
                            : 0;
        int64_t total = window->strides[i] * (window->in[i] - 1) + extra +
                        (window->kernel[i] - 1) * window->dilations[i] + 1 - window->out[i];
        total = total < 0 ? 0 : total;
        window->begins[i] = is_upper ? total / 2 : total - total / 2;
    }
}

/* One output channel of one image: each element of the data spreads the filter over |sums|. */
static void spread(const tacho_convolution *conv, int64_t data_at, int64_t filter_at, double *sums)
{
    const tacho_window *window = &conv->window;
    int64_t places = tacho_window_places(window->in, window->spatial);
    int64_t kernel_size = tacho_window_places(window->kernel, window->spatial);
    for (int64_t c = 0; c < conv->in_channels; c++) {
        for (int64_t p = 0; p < places; p++) {
            double value = tacho_real_at(conv->data, data_at + c * places + p);
            for (int64_t k = 0; k < kernel_size; k++) {
                int64_t to = 0, step = 1, place = p, rest = k;
                bool is_inside = true;
                for (int32_t i = window->spatial - 1; i >= 0 && is_inside; i--) {
                    int64_t at = place % window->in[i] * window->strides[i] - window->begins[i] +
                                 rest % window->kernel[i] * window->dilations[i];
                    is_inside = at >= 0 && at < window->out[i];
                    to += is_inside ? at * step : 0;
                    step *= window->out[i];
                    place /= window->in[i];
                    rest /= window->kernel[i];
                }
                if (is_inside) {
                    sums[to] += value * tacho_real_at(conv->filters,
                                                      filter_at + c * conv->filter_steps.image + k);
                }
            }
        }
    }
}

static tacho_status transposed(const tacho_convolution *conv, const tacho_array *bias,
                               tacho_array *output, tacho_arena *arena)
{
    int64_t in_places = tacho_window_places(conv->window.in, conv->window.spatial);
    int64_t places = tacho_window_places(conv->window.out, conv->window.spatial);
    int64_t kernel_size = tacho_window_places(conv->window.kernel, conv->window.spatial);
    double *sums = NULL;
    TACHO_TRY(tacho_scratch_reals(arena, 1, places, &sums));
    for (int64_t image = 0; image < conv->images; image++) {
        for (int64_t m = 0; m < conv->groups * conv->out_channels; m++) {
            int64_t group = m / conv->out_channels, first = group * conv->in_channels;
            memset(sums, 0, (size_t)places * sizeof(*sums));
            spread(conv, (image * conv->groups * conv->in_channels + first) * in_places,
                   first * conv->filter_steps.image + m % conv->out_channels * kernel_size, sums);
            for (int64_t i = 0; bias != NULL && i < places; i++) {
                sums[i] += tacho_real_at(bias, m);
            }
            tacho_write_reals(output, (image * conv->groups * conv->out_channels + m) * places,
                              (size_t)places, sums);
        }
    }
    return TACHO_OK;
}

static tacho_status compute_conv_transpose(const tacho_kernel_call *call)
{
    const tacho_array *data = call->inputs[0], *filters = call->inputs[1];
    const tacho_array *bias = tacho_call_input(call, 2);
    tacho_array *output = &call->outputs[0];
    int64_t groups = tacho_call_int(call, "group", 1);
    tacho_convolution conv = {.data = data, .filters = filters, .groups = groups};
    if (!tacho_is_real(data) || filters->dtype != data->dtype || output->dtype != data->dtype ||
        (bias != NULL && bias->dtype != data->dtype)) {
        return tacho_unsupported_type("a convolution", data->dtype);
    }
    if (data->shape.rank < 3 || filters->shape.rank != data->shape.rank || groups < 1 ||
        data->shape.dims[1] != filters->shape.dims[0] || data->shape.dims[1] % groups != 0 ||
        output->shape.rank != data->shape.rank || output->shape.dims[0] != data->shape.dims[0] ||
        output->shape.dims[1] % groups != 0 ||
        output->shape.dims[1] / groups != filters->shape.dims[1] ||
        (bias != NULL && tacho_array_elements(bias) != output->shape.dims[1]) ||
        !tacho_window_read(call, &data->shape, &output->shape, filters->shape.dims + 2,
                           &conv.window)) {
        return tacho_wrong_shapes("a convolution");
    }
    int64_t steps[TACHO_RANK_MAX] = {0};
    tacho_shape_steps(&filters->shape, steps);
    conv.filter_steps.image = steps[0];
    conv.images = data->shape.dims[0];
    conv.in_channels = data->shape.dims[1] / groups;
    conv.out_channels = filters->shape.dims[1];
    pad_transposed(call, &conv.window);
    if (tacho_array_elements(output) == 0) {
        return TACHO_OK;
    }
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status = transposed(&conv, bias, output, &arena);
    tacho_arena_deinit(&arena);
    return status;
}

const tacho_kernel tacho_conv_kernels[] = {
    {"Conv", TACHO_KERNEL_HEAVY, compute_conv},
    {"ConvInteger", TACHO_KERNEL_HEAVY, compute_conv_integer},
    {"ConvTranspose", TACHO_KERNEL_HEAVY, compute_conv_transpose},
    {"QLinearConv", TACHO_KERNEL_HEAVY, compute_qlinear_conv},
    {0},
};
