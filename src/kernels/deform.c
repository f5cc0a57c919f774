/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DeformConv: a convolution whose window has each of its elements moved by an offset, and weighted
 * by a mask, of its own. Between elements of the picture it takes what lies between the four
 * around; outside there are zeros. Sums are in double, over channels, then over the window.
 */
#include "kernels/window.h"

#include <math.h>

typedef struct deform {
    const tacho_array *data, *filters, *offsets, *bias, *mask;
    tacho_window window;
    int64_t batch, inputs, outputs;
    int64_t groups, offset_groups;
    int64_t taps, places; /* elements of the window, and of a picture that is made */
} deform;

static bool has_dims(const tacho_array *array, int64_t a, int64_t b, const int64_t *out)
{
    const tacho_shape *shape = &array->shape;
    return shape->rank == 4 && shape->dims[0] == a && shape->dims[1] == b &&
           shape->dims[2] == out[0] && shape->dims[3] == out[1];
}

static bool is_fit(const tacho_kernel_call *call, deform *self)
{
    const tacho_shape *in = &self->data->shape, *by = &self->filters->shape;
    const tacho_shape *made = &call->outputs[0].shape;
    if (in->rank != 4 || by->rank != 4 || made->rank != 4 ||
        !tacho_window_read(call, in, made, by->dims + 2, &self->window)) {
        return false;
    }
    self->batch = in->dims[0];
    self->inputs = in->dims[1];
    self->outputs = by->dims[0];
    self->groups = tacho_call_int(call, "group", 1);
    self->offset_groups = tacho_call_int(call, "offset_group", 1);
    self->taps = by->dims[2] * by->dims[3];
    self->places = made->dims[2] * made->dims[3];
    int64_t moved;
    bool fits = self->groups >= 1 && self->offset_groups >= 1 && self->inputs % self->groups == 0 &&
                self->inputs % self->offset_groups == 0 &&
                by->dims[1] == self->inputs / self->groups && self->outputs % self->groups == 0 &&
                made->dims[0] == self->batch && made->dims[1] == self->outputs &&
                !__builtin_mul_overflow(self->offset_groups, 2 * self->taps, &moved);
    return fits && has_dims(self->offsets, self->batch, moved, made->dims + 2) &&
           (self->mask == NULL || has_dims(self->mask, self->batch, moved / 2, made->dims + 2)) &&
           (self->bias == NULL ||
            (self->bias->shape.rank == 1 && self->bias->shape.dims[0] == self->outputs));
}

static tacho_status read_deform(const tacho_kernel_call *call, deform *out)
{
    *out = (deform){.data = call->inputs[0],
                    .filters = call->inputs[1],
                    .offsets = call->inputs[2],
                    .bias = tacho_call_input(call, 3),
                    .mask = tacho_call_input(call, 4)};
    const tacho_array *all[] = {out->data, out->filters, out->offsets, out->bias, out->mask};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (all[i] != NULL && (!tacho_is_real(all[i]) || all[i]->dtype != out->data->dtype)) {
            return tacho_unsupported_type("a deformed convolution", all[i]->dtype);
        }
    }
    if (call->outputs[0].dtype != out->data->dtype) {
        return tacho_unsupported_type("a deformed convolution", call->outputs[0].dtype);
    }
    return is_fit(call, out) ? TACHO_OK : tacho_wrong_shapes("a deformed convolution");
}

/* What lies at a place of the plane that starts at |base|. */
static double value_at(const deform *self, int64_t base, double y, double x)
{
    int64_t height = self->window.in[0], width = self->window.in[1];
    if (!(y > -1 && y < (double)height && x > -1 && x < (double)width)) {
        return 0;
    }
    double top = floor(y), left = floor(x), sum = 0;
    for (int i = 0; i < 4; i++) {
        double at_y = top + i / 2, at_x = left + i % 2;
        double weight = (1 - fabs(y - at_y)) * (1 - fabs(x - at_x));
        if (at_y >= 0 && at_y < (double)height && at_x >= 0 && at_x < (double)width) {
            sum += weight * tacho_real_at(self->data, base + (int64_t)at_y * width + (int64_t)at_x);
        }
    }
    return sum;
}

/* What element |tap| of the window at |place| takes of a channel. */
static double sample_tap(const deform *self, int64_t picture, int64_t channel, int64_t tap,
                         int64_t place)
{
    const tacho_window *window = &self->window;
    int64_t group = channel / (self->inputs / self->offset_groups);
    int64_t row = (picture * self->offset_groups + group) * self->taps + tap;
    double shift_y = tacho_real_at(self->offsets, (row * 2) * self->places + place);
    double shift_x = tacho_real_at(self->offsets, (row * 2 + 1) * self->places + place);
    int64_t y = place / window->out[1] * window->strides[0] - window->begins[0] +
                tap / window->kernel[1] * window->dilations[0];
    int64_t x = place % window->out[1] * window->strides[1] - window->begins[1] +
                tap % window->kernel[1] * window->dilations[1];
    double weight = self->mask == NULL ? 1 : tacho_real_at(self->mask, row * self->places + place);
    int64_t base = (picture * self->inputs + channel) * window->in[0] * window->in[1];
    return weight * value_at(self, base, (double)y + shift_y, (double)x + shift_x);
}

static double sum_window(const deform *self, int64_t picture, int64_t filter, int64_t place)
{
    int64_t each = self->inputs / self->groups;
    int64_t first = filter / (self->outputs / self->groups) * each;
    double sum = self->bias == NULL ? 0 : tacho_real_at(self->bias, filter);
    for (int64_t i = 0; i < each; i++) {
        for (int64_t tap = 0; tap < self->taps; tap++) {
            sum += tacho_real_at(self->filters, (filter * each + i) * self->taps + tap) *
                   sample_tap(self, picture, first + i, tap, place);
        }
    }
    return sum;
}

static tacho_status compute_deform_conv(const tacho_kernel_call *call)
{
    deform self;
    TACHO_TRY(read_deform(call, &self));
    tacho_array *output = &call->outputs[0];
    for (int64_t i = 0; i < tacho_array_elements(output); i++) {
        int64_t row = i / self.places;
        tacho_set_real(output, i,
                       sum_window(&self, row / self.outputs, row % self.outputs, i % self.places));
    }
    return TACHO_OK;
}

const tacho_kernel tacho_deform_kernels[] = {
    {"DeformConv", TACHO_KERNEL_HEAVY, compute_deform_conv},
    {0},
};
