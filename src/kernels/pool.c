/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pools. Means are sums in double, in the order of the window, divided and rounded once.
 */
#include "kernels/functions.h"
#include "base/whole.h"
#include "kernels/window.h"

#include <math.h>

typedef enum pooling { MAXIMUM, AVERAGE, POWER } pooling;

/* One pool over N x C images of |window.in| elements in a row, |step| apart. */
typedef struct pool {
    pooling how;
    tacho_window window;
    bool counts_padding;
    double power;
    bool is_column_major; /* of the indices */
    const tacho_array *input;
    tacho_array *output, *indices; /* |indices| may be NULL */
} pool;

static double take_in(const pool *self, double sum, double value)
{
    switch (self->how) {
    case MAXIMUM:
        return isnan(value) || value > sum ? value : sum;
    case POWER:
        return sum + tacho_pow(fabs(value), self->power);
    case AVERAGE:
    default:
        return sum + value;
    }
}

static void put(const pool *self, int64_t at, double sum, int64_t count)
{
    if (self->how == AVERAGE) {
        sum /= (double)count;
    } else if (self->how == POWER) {
        sum = self->power == 2 ? sqrt(sum) : tacho_pow(sum, 1 / self->power);
    }
    if (tacho_is_real(self->output)) {
        tacho_set_real(self->output, at, sum);
    } else { /* of integers only the greatest: there may be none in a window of padding */
        tacho_set_int(self->output, at,
                      count > 0 ? tacho_whole_i64(sum) : tacho_int_min(self->output->dtype));
    }
}

/* Place |place| of the window over the image that begins at |base|. */
static void pool_place(const pool *self, int64_t base, int64_t place, int64_t kernel_size,
                       int64_t to)
{
    double sum = self->how == MAXIMUM ? -(double)INFINITY : 0;
    int64_t count = 0, best = -1;
    for (int64_t k = 0; k < kernel_size; k++) {
        int64_t in[TACHO_SPATIAL_MAX], at = 0, turned = 0;
        bool is_beyond;
        if (!tacho_window_find(&self->window, place, k, in, &is_beyond)) {
            count += self->counts_padding && !is_beyond ? 1 : 0;
            continue;
        }
        for (int32_t i = 0; i < self->window.spatial; i++) {
            at = at * self->window.in[i] + in[i];
        }
        for (int32_t i = self->window.spatial - 1; i >= 0; i--) {
            turned = turned * self->window.in[i] + in[i];
        }
        double value = tacho_real_at(self->input, base + at);
        best = best < 0 || value > sum ? (self->is_column_major ? turned : at) : best;
        sum = take_in(self, sum, value);
        count++;
    }
    put(self, to, sum, count);
    if (self->indices != NULL) {
        tacho_set_int(self->indices, to, base + best);
    }
}

static tacho_status run_pool(pool *self)
{
    int64_t in_places = tacho_window_places(self->window.in, self->window.spatial);
    int64_t places = tacho_window_places(self->window.out, self->window.spatial);
    int64_t kernel_size = tacho_window_places(self->window.kernel, self->window.spatial);
    int64_t total = tacho_array_elements(self->output);
    for (int64_t i = 0; i < total; i++) {
        pool_place(self, i / places * in_places, i % places, kernel_size, i);
    }
    return TACHO_OK;
}

static tacho_status pool_of(const tacho_kernel_call *call, pool *self)
{
    self->input = call->inputs[0];
    self->output = &call->outputs[0];
    bool is_fit =
        tacho_is_real(self->input) || (self->how == MAXIMUM && tacho_is_int(self->input) &&
                                       tacho_dtype_element_bytes(self->input->dtype) <= 4);
    if (!is_fit || self->output->dtype != self->input->dtype) {
        return tacho_unsupported_type("a pool", self->input->dtype);
    }
    const tacho_shape *in = &self->input->shape, *out = &self->output->shape;
    if (!tacho_window_read(call, in, out, NULL, &self->window) || in->dims[0] != out->dims[0] ||
        in->dims[1] != out->dims[1] ||
        (self->indices != NULL && (self->indices->dtype != TACHO_DTYPE_I64 ||
                                   !tacho_shape_equal(&self->indices->shape, out)))) {
        return tacho_wrong_shapes("a pool");
    }
    return run_pool(self);
}

static tacho_status compute_max_pool(const tacho_kernel_call *call)
{
    pool self = {.how = MAXIMUM,
                 .is_column_major = tacho_call_int(call, "storage_order", 0) != 0,
                 .indices = tacho_call_output(call, 1)};
    return pool_of(call, &self);
}

static tacho_status compute_average_pool(const tacho_kernel_call *call)
{
    pool self = {.how = AVERAGE,
                 .counts_padding = tacho_call_int(call, "count_include_pad", 0) != 0};
    return pool_of(call, &self);
}

static tacho_status compute_lp_pool(const tacho_kernel_call *call)
{
    pool self = {.how = POWER, .power = (double)tacho_call_int(call, "p", 2)};
    return pool_of(call, &self);
}

/* The window is the whole image. */
static tacho_status global_pool(const tacho_kernel_call *call, pool *self)
{
    self->input = call->inputs[0];
    self->output = &call->outputs[0];
    const tacho_shape *in = &self->input->shape;
    if (!tacho_is_real(self->input) || self->output->dtype != self->input->dtype) {
        return tacho_unsupported_type("a pool", self->input->dtype);
    }
    if (in->rank < 2 || self->output->shape.rank != in->rank ||
        self->output->shape.dims[0] != in->dims[0] || self->output->shape.dims[1] != in->dims[1]) {
        return tacho_wrong_shapes("a pool");
    }
    bool is_empty = tacho_array_elements(self->input) == 0;
    int64_t size = 1;
    for (int32_t i = 2; i < in->rank; i++) {
        size *= is_empty ? 1 : in->dims[i];
        if (self->output->shape.dims[i] != 1) {
            return tacho_wrong_shapes("a pool");
        }
    }
    if (is_empty) {
        return tacho_array_elements(self->output) == 0 ? TACHO_OK : tacho_wrong_shapes("a pool");
    }
    self->window = (tacho_window){
        .spatial = 1, .in = {size}, .out = {1}, .kernel = {size}, .strides = {1}, .dilations = {1}};
    return run_pool(self);
}

static tacho_status compute_global_average(const tacho_kernel_call *call)
{
    return global_pool(call, &(pool){.how = AVERAGE});
}

static tacho_status compute_global_max(const tacho_kernel_call *call)
{
    return global_pool(call, &(pool){.how = MAXIMUM});
}

static tacho_status compute_global_lp(const tacho_kernel_call *call)
{
    return global_pool(call, &(pool){.how = POWER, .power = (double)tacho_call_int(call, "p", 2)});
}

/* Values back to the places that a pool took them from; the indices are of the whole tensor. */
static tacho_status compute_max_unpool(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0], *indices = call->inputs[1];
    tacho_array *output = &call->outputs[0];
    size_t size = tacho_dtype_element_bytes(input->dtype);
    int64_t total = tacho_array_elements(output), count = tacho_array_elements(input);
    if (size == 0 || output->dtype != input->dtype || indices->dtype != TACHO_DTYPE_I64) {
        return tacho_unsupported_type("a pool", input->dtype);
    }
    if (count != tacho_array_elements(indices)) {
        return tacho_wrong_shapes("a pool");
    }
    memset(output->data, 0, (size_t)total * size);
    tacho_shape natural = input->shape;
    size_t kernel_count, stride_count, pad_count;
    const int64_t *kernel = tacho_call_ints(call, "kernel_shape", &kernel_count);
    const int64_t *strides = tacho_call_ints(call, "strides", &stride_count);
    const int64_t *pads = tacho_call_ints(call, "pads", &pad_count);
    size_t spatial = natural.rank < 2 ? 0 : (size_t)natural.rank - 2;
    bool is_fit = kernel_count == spatial && (strides == NULL || stride_count == spatial) &&
                  (pads == NULL || pad_count == 2 * spatial) && output->shape.rank == natural.rank;
    for (size_t i = 0; is_fit && i < spatial; i++) {
        int64_t *dim = &natural.dims[i + 2];
        is_fit = !__builtin_mul_overflow(*dim - 1, strides == NULL ? 1 : strides[i], dim) &&
                 !__builtin_add_overflow(*dim, kernel[i], dim) &&
                 !__builtin_sub_overflow(*dim, pads == NULL ? 0 : pads[i], dim) &&
                 !__builtin_sub_overflow(*dim, pads == NULL ? 0 : pads[spatial + i], dim);
    }
    for (int64_t i = 0; is_fit && i < count; i++) {
        int64_t rest = tacho_int_at(indices, i), to = 0, step = 1;
        for (int32_t j = natural.rank - 1; j >= 0 && is_fit; j--) {
            is_fit =
                natural.dims[j] > 0 && rest >= 0 && rest % natural.dims[j] < output->shape.dims[j];
            to += is_fit ? rest % natural.dims[j] * step : 0;
            step *= output->shape.dims[j];
            rest /= is_fit ? natural.dims[j] : 1;
        }
        if (is_fit && rest == 0) {
            memcpy((unsigned char *)output->data + (size_t)to * size,
                   (const unsigned char *)input->data + (size_t)i * size, size);
        }
        is_fit = is_fit && rest == 0;
    }
    return is_fit ? TACHO_OK : tacho_fail(TACHO_CODE_BAD_DATA, "an index is not in the output");
}

const tacho_kernel tacho_pool_kernels[] = {
    {"AveragePool", TACHO_KERNEL_HEAVY, compute_average_pool},
    {"GlobalAveragePool", TACHO_KERNEL_PLAIN, compute_global_average},
    {"GlobalLpPool", TACHO_KERNEL_PLAIN, compute_global_lp},
    {"GlobalMaxPool", TACHO_KERNEL_PLAIN, compute_global_max},
    {"LpPool", TACHO_KERNEL_HEAVY, compute_lp_pool},
    {"MaxPool", TACHO_KERNEL_HEAVY, compute_max_pool},
    {"MaxUnpool", TACHO_KERNEL_PLAIN, compute_max_unpool},
    {0},
};
