/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolutions as products of matrices.
 */
#include "kernels/convolve.h"

#include "kernels/product.h"

/* One image and group. */
typedef struct part {
    const tacho_convolution *conv;
    int64_t image, group;
    int64_t kernel_size;
} part;

/* Divided, rounded up; |b| is positive. */
static int64_t div_up(int64_t a, int64_t b)
{
    return a / b + (a % b > 0 ? 1 : 0);
}

/*
 * A run of places in one row of the output, for one channel and element of the kernel: reads those
 * within the data, |step| apart. |rest| is the element's index in the kernel.
 */
static void fill_run(const part *self, int64_t channel, int64_t rest, int64_t place, int64_t count,
                     double *to)
{
    const tacho_convolution *conv = self->conv;
    const tacho_window *window = &conv->window;
    int32_t last = window->spatial - 1;
    int64_t at = self->image * conv->data_steps.image + self->group * conv->data_steps.group +
                 channel * conv->data_steps.channel;
    int64_t offset = rest % window->kernel[last] * window->dilations[last] - window->begins[last];
    int64_t column = place % window->out[last];
    place /= window->out[last];
    rest /= window->kernel[last];
    for (int32_t i = last - 1; i >= 0; i--) {
        int64_t in = place % window->out[i] * window->strides[i] - window->begins[i] +
                     rest % window->kernel[i] * window->dilations[i];
        if (in < 0 || in >= window->in[i]) {
            return;
        }
        at += in * conv->data_steps.spatial[i];
        place /= window->out[i];
        rest /= window->kernel[i];
    }
    int64_t stride = window->strides[last], step = conv->data_steps.spatial[last];
    int64_t first = offset >= 0 ? 0 : div_up(-offset, stride);
    int64_t end = offset >= window->in[last] ? 0 : (window->in[last] - 1 - offset) / stride + 1;
    first = first > column ? first : column;
    end = end < column + count ? end : column + count;
    if (first >= end) {
        return;
    }
    to += first - column;
    tacho_read_reals(conv->data, at + (first * stride + offset) * step, stride * step,
                     (size_t)(end - first), to);
    for (int64_t i = 0; conv->data_zero != 0 && i < end - first; i++) {
        to[i] -= conv->data_zero;
    }
}

static void fill(const void *user, int64_t depth, int64_t depth_count, int64_t column,
                 int64_t count, double *tile)
{
    const part *self = user;
    int64_t width = self->conv->window.out[self->conv->window.spatial - 1];
    for (int64_t i = 0; i < depth_count; i++) {
        int64_t channel = (depth + i) / self->kernel_size, rest = (depth + i) % self->kernel_size;
        double *row = tile + i * TACHO_TILE_COLUMNS;
        for (int64_t done = 0; done < count;) {
            int64_t run = width - (column + done) % width;
            run = run < count - done ? run : count - done;
            fill_run(self, channel, rest, column + done, run, row + done);
            done += run;
        }
    }
}

static void emit(const void *user, int64_t row, int64_t column, int64_t count, double *values)
{
    const part *self = user;
    self->conv->emit(self->conv, self->image, self->group * self->conv->out_channels + row, column,
                     count, values);
}

/* The filters of a group as a matrix: a row for each output channel. */
static void read_filters(const part *self, double *to)
{
    const tacho_convolution *conv = self->conv;
    const tacho_window *window = &conv->window;
    for (int64_t m = 0; m < conv->out_channels; m++) {
        double zero = 0;
        if (conv->filter_zeros != NULL) {
            zero = tacho_real_at(
                conv->filter_zeros,
                tacho_each_or_one(conv->filter_zeros, self->group * conv->out_channels + m));
        }
        for (int64_t c = 0; c < conv->in_channels; c++) {
            int64_t base = self->group * conv->filter_steps.group + m * conv->filter_steps.image +
                           c * conv->filter_steps.channel;
            for (int64_t k = 0; k < self->kernel_size; k++) {
                int64_t at = base, rest = k;
                for (int32_t i = window->spatial - 1; i >= 0; i--) {
                    at += rest % window->kernel[i] * conv->filter_steps.spatial[i];
                    rest /= window->kernel[i];
                }
                *to++ = tacho_real_at(conv->filters, at) - zero;
            }
        }
    }
}

/* A window of one element that goes from element to element: the places are one row. */
static void flatten(tacho_convolution *conv)
{
    tacho_window *window = &conv->window;
    bool is_plain = true;
    for (int32_t i = 0; i < window->spatial; i++) {
        is_plain =
            is_plain && window->kernel[i] == 1 && window->strides[i] == 1 &&
            window->begins[i] == 0 && window->in[i] == window->out[i] &&
            (i == window->spatial - 1 ||
             conv->data_steps.spatial[i] == conv->data_steps.spatial[i + 1] * window->in[i + 1]);
    }
    if (is_plain) {
        int64_t places = tacho_window_places(window->out, window->spatial);
        conv->data_steps.spatial[0] = conv->data_steps.spatial[window->spatial - 1];
        window->spatial = 1;
        window->in[0] = window->out[0] = places;
    }
}

static tacho_status run(const tacho_convolution *conv, tacho_arena *arena)
{
    part self = {.conv = conv,
                 .kernel_size = tacho_window_places(conv->window.kernel, conv->window.spatial)};
    int64_t places = tacho_window_places(conv->window.out, conv->window.spatial), depth;
    double *filters = NULL;
    if (__builtin_mul_overflow(self.kernel_size, conv->in_channels, &depth)) {
        return tacho_no_memory();
    }
    TACHO_TRY(tacho_scratch_reals(arena, conv->out_channels, depth, &filters));
    for (self.group = 0; self.group < conv->groups; self.group++) {
        read_filters(&self, filters);
        for (self.image = 0; self.image < conv->images; self.image++) {
            tacho_product product = {.rows = conv->out_channels,
                                     .depth = depth,
                                     .columns = places,
                                     .left = filters,
                                     .fill = fill,
                                     .emit = emit,
                                     .user = &self};
            TACHO_TRY(tacho_product_run(&product));
        }
    }
    return TACHO_OK;
}

tacho_status tacho_convolve(const tacho_convolution *convolution)
{
    tacho_convolution conv = *convolution;
    tacho_arena arena;
    tacho_arena_init(&arena);
    flatten(&conv);
    tacho_status status = run(&conv, &arena);
    tacho_arena_deinit(&arena);
    return status;
}
