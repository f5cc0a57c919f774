/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quick pools of TOSA, and normalisations of images. A pool goes through the window of one place,
 * and takes in all channels of each element of it, which are side by side.
 */
#include "kernels/quick.h"
#include "kernels/tosa.h"
#include "kernels/window.h"

#include <math.h>

enum { CHANNELS = 256 }; /* of sums at a time */

/* Sums of 32 bits hold this many bytes. */
static const int64_t places_max = 1 << 23;

/* ---- pools --------------------------------------------------------------------------------- */

static bool read_window(const tacho_kernel_call *call, tacho_window *out)
{
    const tacho_shape *in = &call->inputs[0]->shape, *made = &call->outputs[0].shape;
    return in->rank == 4 && made->rank == 4 && tacho_window_read_tosa(call, in, made, NULL, out) &&
           in->dims[0] == made->dims[0] && in->dims[3] == made->dims[3] &&
           tacho_window_places(out->in, 2) <= places_max &&
           tacho_window_places(out->kernel, 2) <= places_max;
}

bool tacho_quick_fits_pool(const tacho_kernel_call *call)
{
    tacho_window window;
    tacho_dtype dtype = call->inputs[0]->dtype;
    return (dtype == TACHO_DTYPE_I8 || dtype == TACHO_DTYPE_F32) &&
           call->outputs[0].dtype == dtype && read_window(call, &window);
}

/* The elements of the kernel that are within the data, of one dimension at one place. */
typedef struct span {
    int64_t first, end, at; /* |at|: index of the first in the data */
} span;

static span find_span(const tacho_window *window, int dim, int64_t place)
{
    int64_t start = place * window->strides[dim] - window->begins[dim];
    int64_t step = window->dilations[dim];
    span found = {0, window->kernel[dim], start};
    found.first = start < 0 ? (-start + step - 1) / step : 0;
    int64_t within = window->in[dim] - start; /* the data ends there */
    int64_t end = within <= 0 ? 0 : (within + step - 1) / step;
    found.end = end < found.end ? end : found.end;
    found.at = start + found.first * step;
    return found;
}

/* A place of a pool: rows of |channels| elements, by their distance from the first. */
typedef struct pool_place {
    const void *first;
    int64_t rows, columns, row_step, column_step, channels;
} pool_place;

#define MAX_PLACE(name, type, takes)                                                               \
    static void name(const pool_place *self, type *to)                                             \
    {                                                                                              \
        memcpy(to, self->first, (size_t)self->channels * sizeof(type));                            \
        for (int64_t k = 1; k < self->rows * self->columns; k++) {                                 \
            const type *from = (const type *)self->first + k / self->columns * self->row_step +    \
                               k % self->columns * self->column_step;                              \
            for (int64_t i = 0; i < self->channels; i++) {                                         \
                type x = from[i], best = to[i];                                                    \
                to[i] = (takes) ? x : best;                                                        \
            }                                                                                      \
        }                                                                                          \
    }

MAX_PLACE(max_i8, int8_t, x > best)
MAX_PLACE(max_f32, float, x > best || isnan(x))

#define SUM_PLACE(name, type, wide)                                                                \
    static void name(const pool_place *self, int64_t channel, int64_t count, wide *sums)           \
    {                                                                                              \
        memset(sums, 0, (size_t)count * sizeof(*sums));                                            \
        for (int64_t k = 0; k < self->rows * self->columns; k++) {                                 \
            const type *from = (const type *)self->first + k / self->columns * self->row_step +    \
                               k % self->columns * self->column_step + channel;                    \
            for (int64_t i = 0; i < count; i++) {                                                  \
                sums[i] += (wide)from[i];                                                          \
            }                                                                                      \
        }                                                                                          \
    }

SUM_PLACE(sum_i8, int8_t, int32_t)
SUM_PLACE(sum_f32, float, double)

/* Parameters of means. */
typedef struct averaging {
    int64_t in_zero, out_zero;
} averaging;

/* Sums by TOSA's reciprocal in fixed point. */
static void divide_i8(const averaging *self, int64_t places, const int32_t *sums, int64_t count,
                      int8_t *to)
{
    uint32_t below = (uint32_t)places - 1;
    int64_t power = below == 0 ? 0 : 32 - __builtin_clz(below);
    int64_t multiplier = (int64_t)((((tacho_i128)1 << 30) + 1) * ((tacho_i128)1 << power) / places);
    int64_t shift = 30 + power, half = (int64_t)1 << (shift - 1), zeros = places * self->in_zero;
    for (int64_t i = 0; i < count; i++) {
        int64_t mean = (((int64_t)sums[i] - zeros) * multiplier + half) >> shift;
        to[i] = (int8_t)tacho_clamp_int(mean + self->out_zero, INT8_MIN, INT8_MAX);
    }
}

static void average(const averaging *self, const pool_place *place, tacho_dtype dtype, void *to)
{
    int32_t sums[CHANNELS];
    double reals[CHANNELS];
    int64_t places = place->rows * place->columns;
    for (int64_t at = 0; at < place->channels; at += CHANNELS) {
        int64_t count = place->channels - at < CHANNELS ? place->channels - at : CHANNELS;
        if (dtype == TACHO_DTYPE_I8) {
            sum_i8(place, at, count, sums);
            divide_i8(self, places, sums, count, (int8_t *)to + at);
            continue;
        }
        sum_f32(place, at, count, reals);
        for (int64_t i = 0; i < count; i++) {
            ((float *)to)[at + i] = (float)(reals[i] / (double)places);
        }
    }
}

/* A window of padding alone. */
static void fill_empty(bool is_max, tacho_dtype dtype, int64_t channels, void *to)
{
    for (int64_t i = 0; i < channels; i++) {
        if (dtype == TACHO_DTYPE_I8) {
            ((int8_t *)to)[i] = INT8_MIN;
        } else {
            ((float *)to)[i] = is_max ? 0 : (float)NAN;
        }
    }
}

static void pool_rows(const tacho_kernel_call *call, const tacho_window *window, int64_t place,
                      const averaging *means)
{
    const tacho_array *input = call->inputs[0];
    tacho_dtype dtype = input->dtype;
    size_t size = tacho_dtype_element_bytes(dtype);
    int64_t channels = input->shape.dims[3], width = window->in[1] * channels;
    int64_t image = place / window->out[1] / window->out[0];
    span rows = find_span(window, 0, place / window->out[1] % window->out[0]);
    span columns = find_span(window, 1, place % window->out[1]);
    void *to = (unsigned char *)call->outputs[0].data + (size_t)(place * channels) * size;
    if (rows.end <= rows.first || columns.end <= columns.first) {
        fill_empty(means == NULL, dtype, channels, to);
        return;
    }
    int64_t at = (image * window->in[0] + rows.at) * width + columns.at * channels;
    pool_place self = {.first = (const unsigned char *)input->data + (size_t)at * size,
                       .rows = rows.end - rows.first,
                       .columns = columns.end - columns.first,
                       .row_step = window->dilations[0] * width,
                       .column_step = window->dilations[1] * channels,
                       .channels = channels};
    if (means != NULL) {
        average(means, &self, dtype, to);
    } else if (dtype == TACHO_DTYPE_I8) {
        max_i8(&self, to);
    } else {
        max_f32(&self, to);
    }
}

static tacho_status pool(const tacho_kernel_call *call, const averaging *means)
{
    tacho_window window;
    if (!read_window(call, &window)) {
        return tacho_wrong_shapes("a pool");
    }
    int64_t channels = call->outputs[0].shape.dims[3];
    int64_t places = channels == 0 ? 0 : tacho_array_elements(&call->outputs[0]) / channels;
    for (int64_t i = 0; i < places; i++) {
        pool_rows(call, &window, i, means);
    }
    return TACHO_OK;
}

tacho_status tacho_quick_max_pool(const tacho_kernel_call *call)
{
    return pool(call, NULL);
}

tacho_status tacho_quick_avg_pool(const tacho_kernel_call *call)
{
    tacho_dtype dtype = call->inputs[0]->dtype;
    averaging means = {.in_zero = tacho_tosa_zero(call, 1, dtype, false),
                       .out_zero = tacho_tosa_zero(call, 2, dtype, false)};
    return pool(call, &means);
}

/* ---- normalisations ------------------------------------------------------------------------ */

bool tacho_quick_fits_instance_norm(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0];
    bool is_fit = input->dtype == TACHO_DTYPE_F32 && call->outputs[0].dtype == TACHO_DTYPE_F32 &&
                  input->shape.rank >= 2 &&
                  tacho_shape_equal(&input->shape, &call->outputs[0].shape) &&
                  call->input_count == 3;
    for (size_t i = 1; is_fit && i < 3; i++) {
        is_fit = call->inputs[i] != NULL && call->inputs[i]->dtype == TACHO_DTYPE_F32 &&
                 tacho_array_elements(call->inputs[i]) == input->shape.dims[1];
    }
    return is_fit;
}

/* The sum of (x - |away|) to the power of 1 or 2, in lanes that are added up at the end. */
static double sum_of(const float *from, int64_t count, double away, bool is_squared)
{
    enum { LANES = 8 };
    double lanes[LANES] = {0}, sum = 0;
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (int j = 0; j < LANES; j++) {
            double x = (double)from[i + j] - away;
            lanes[j] += is_squared ? x * x : x;
        }
    }
    for (; i < count; i++) {
        double x = (double)from[i] - away;
        sum += is_squared ? x * x : x;
    }
    for (int j = 0; j < LANES; j++) {
        sum += lanes[j];
    }
    return sum;
}

tacho_status tacho_quick_instance_norm(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0];
    int64_t channels = input->shape.dims[1], size = tacho_shape_split(&input->shape, 1).inner;
    const float *scales = call->inputs[1]->data, *shifts = call->inputs[2]->data;
    double epsilon = tacho_call_real(call, "epsilon", (double)1e-5f);
    for (int64_t i = 0; size > 0 && i < input->shape.dims[0] * channels; i++) {
        const float *from = (const float *)input->data + i * size;
        float *to = (float *)call->outputs[0].data + i * size;
        double mean = sum_of(from, size, 0, false) / (double)size;
        double variance = sum_of(from, size, mean, true) / (double)size;
        double factor = (double)scales[i % channels] / sqrt(variance + epsilon);
        double shift = (double)shifts[i % channels];
        for (int64_t j = 0; j < size; j++) {
            to[j] = (float)(((double)from[j] - mean) * factor + shift);
        }
    }
    return TACHO_OK;
}
