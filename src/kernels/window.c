/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading windows.
 */
#include "kernels/window.h"

/* Sizes below this make no product or sum of three of them overflow. */
static const int64_t size_max = (int64_t)1 << 31;

static bool read_ints(const tacho_kernel_call *call, const char *name, size_t count,
                      int64_t fallback, int64_t *out_values)
{
    size_t given;
    const int64_t *values = tacho_call_ints(call, name, &given);
    bool is_fine = values == NULL || given == count;
    for (size_t i = 0; is_fine && i < count; i++) {
        out_values[i] = values == NULL ? fallback : values[i];
        is_fine = out_values[i] >= -size_max && out_values[i] <= size_max;
    }
    return is_fine;
}

/* Padding for the given output size: the odd element at the end, or at the start. */
static void pad_same(const tacho_kernel_call *call, tacho_window *window)
{
    bool is_lower = tacho_call_is(call, "auto_pad", "SAME_LOWER");
    for (int32_t i = 0; i < window->spatial; i++) {
        int64_t total = (window->out[i] - 1) * window->strides[i] +
                        (window->kernel[i] - 1) * window->dilations[i] + 1 - window->in[i];
        total = total < 0 ? 0 : total;
        window->begins[i] = is_lower ? total - total / 2 : total / 2;
        window->ends[i] = total - window->begins[i];
    }
}

static bool is_sane(const tacho_window *window)
{
    for (int32_t i = 0; i < window->spatial; i++) {
        if (window->kernel[i] < 1 || window->kernel[i] > size_max || window->strides[i] < 1 ||
            window->dilations[i] < 1 || window->in[i] > size_max || window->out[i] > size_max) {
            return false;
        }
    }
    return true;
}

bool tacho_window_read(const tacho_kernel_call *call, const tacho_shape *in, const tacho_shape *out,
                       const int64_t *kernel, tacho_window *out_window)
{
    tacho_window *window = out_window;
    *window = (tacho_window){.spatial = in->rank - 2};
    if (in->rank < 3 || out->rank != in->rank) {
        return false;
    }
    size_t spatial = (size_t)window->spatial;
    int64_t pads[2 * TACHO_SPATIAL_MAX];
    if (!read_ints(call, "kernel_shape", spatial, 1, window->kernel) ||
        !read_ints(call, "strides", spatial, 1, window->strides) ||
        !read_ints(call, "dilations", spatial, 1, window->dilations) ||
        !read_ints(call, "pads", 2 * spatial, 0, pads)) {
        return false;
    }
    bool is_given = !tacho_call_is(call, "auto_pad", "VALID");
    for (size_t i = 0; i < spatial; i++) {
        window->in[i] = in->dims[i + 2];
        window->out[i] = out->dims[i + 2];
        window->kernel[i] = kernel == NULL ? window->kernel[i] : kernel[i];
        window->begins[i] = is_given ? pads[i] : 0;
        window->ends[i] = is_given ? pads[spatial + i] : 0;
    }
    if (!is_sane(window)) {
        return false;
    }
    if (tacho_call_is(call, "auto_pad", "SAME_UPPER") ||
        tacho_call_is(call, "auto_pad", "SAME_LOWER")) {
        pad_same(call, window);
    }
    return true;
}

bool tacho_window_read_tosa(const tacho_kernel_call *call, const tacho_shape *in,
                            const tacho_shape *out, const int64_t *kernel, tacho_window *out_window)
{
    tacho_window *window = out_window;
    *window = (tacho_window){.spatial = in->rank - 2};
    if (in->rank < 3 || out->rank != in->rank) {
        return false;
    }
    size_t spatial = (size_t)window->spatial;
    int64_t pads[2 * TACHO_SPATIAL_MAX];
    if (!read_ints(call, "kernel", spatial, 1, window->kernel) ||
        !read_ints(call, "stride", spatial, 1, window->strides) ||
        !read_ints(call, "dilation", spatial, 1, window->dilations) ||
        !read_ints(call, "pad", 2 * spatial, 0, pads)) {
        return false;
    }
    for (size_t i = 0; i < spatial; i++) {
        window->in[i] = in->dims[i + 1];
        window->out[i] = out->dims[i + 1];
        window->kernel[i] = kernel == NULL ? window->kernel[i] : kernel[i];
        window->begins[i] = pads[2 * i];
        window->ends[i] = pads[2 * i + 1];
    }
    return is_sane(window);
}

int64_t tacho_window_places(const int64_t *sizes, int32_t spatial)
{
    int64_t places = 1;
    for (int32_t i = 0; i < spatial; i++) {
        if (__builtin_mul_overflow(places, sizes[i], &places)) {
            return INT64_MAX;
        }
    }
    return places;
}

bool tacho_window_find(const tacho_window *window, int64_t place, int64_t element,
                       int64_t out_in[TACHO_SPATIAL_MAX], bool *out_is_beyond)
{
    bool is_inside = true;
    *out_is_beyond = false;
    for (int32_t i = window->spatial - 1; i >= 0; i--) {
        int64_t at = place % window->out[i] * window->strides[i] - window->begins[i] +
                     element % window->kernel[i] * window->dilations[i];
        out_in[i] = at;
        is_inside = is_inside && at >= 0 && at < window->in[i];
        *out_is_beyond = *out_is_beyond || at >= window->in[i] + window->ends[i];
        place /= window->out[i];
        element /= window->kernel[i];
    }
    return is_inside;
}
