/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensors that are made of few numbers: shapes, ranges, fills.
 */
#include "kernels/call.h"
#include "kernels/element.h"
#include "kernels/functions.h"
#include "kernels/kernel.h"

/* Dimensions |start| to |end|; the input's elements are not looked at. */
static tacho_status compute_shape(const tacho_kernel_call *call)
{
    const tacho_shape *shape = &call->inputs[0]->shape;
    int64_t start = tacho_attr_int(call->attrs, call->attr_count, "start", 0);
    start += start < 0 ? shape->rank : 0;
    start = start < 0 ? 0 : start > shape->rank ? shape->rank : start;
    int64_t count = tacho_array_elements(&call->outputs[0]);
    if (call->outputs[0].dtype != TACHO_DTYPE_I64) {
        return tacho_unsupported_type("a shape", call->outputs[0].dtype);
    }
    if (start + count > shape->rank) {
        return tacho_wrong_shapes("a shape");
    }
    if (count > 0) {
        tacho_write_ints(&call->outputs[0], 0, (size_t)count, shape->dims + start);
    }
    return TACHO_OK;
}

static tacho_status compute_size(const tacho_kernel_call *call)
{
    int64_t count = tacho_array_elements(call->inputs[0]);
    if (tacho_array_elements(&call->outputs[0]) != 1) {
        return tacho_wrong_shapes("a size");
    }
    tacho_write_ints(&call->outputs[0], 0, 1, &count);
    return TACHO_OK;
}

static tacho_status compute_range(const tacho_kernel_call *call)
{
    tacho_array *output = &call->outputs[0];
    const tacho_array *start = call->inputs[0], *delta = call->inputs[2];
    tacho_dtype_kind kind = tacho_element_kind(output->dtype);
    if (kind == TACHO_DTYPE_OTHER || start->dtype != output->dtype ||
        delta->dtype != output->dtype) {
        return tacho_unsupported_type("a range", output->dtype);
    }
    if (tacho_array_elements(start) != 1 || tacho_array_elements(delta) != 1) {
        return tacho_wrong_shapes("a range");
    }
    double real_start = 0, real_delta = 0;
    int64_t int_start = 0, int_delta = 0, count = tacho_array_elements(output);
    if (kind == TACHO_DTYPE_REAL) {
        tacho_read_reals(start, 0, 1, 1, &real_start);
        tacho_read_reals(delta, 0, 1, 1, &real_delta);
    } else {
        tacho_read_ints(start, 0, 1, 1, &int_start);
        tacho_read_ints(delta, 0, 1, 1, &int_delta);
    }
    for (int64_t i = 0; i < count; i++) {
        double real = real_start + (double)i * real_delta;
        int64_t integer = (int64_t)((uint64_t)int_start + (uint64_t)i * (uint64_t)int_delta);
        if (kind == TACHO_DTYPE_REAL) {
            tacho_write_reals(output, i, 1, &real);
        } else {
            tacho_write_ints(output, i, 1, &integer);
        }
    }
    return TACHO_OK;
}

static tacho_status compute_constant_of_shape(const tacho_kernel_call *call)
{
    tacho_array *output = &call->outputs[0];
    size_t size = tacho_dtype_element_bytes(output->dtype);
    unsigned char zero[16] = {0};
    if (size == 0 || (call->attr_tensor != NULL && call->attr_tensor->dtype != output->dtype)) {
        return tacho_unsupported_type("a fill", output->dtype);
    }
    if (call->attr_tensor != NULL && tacho_array_elements(call->attr_tensor) != 1) {
        return tacho_wrong_shapes("a fill");
    }
    int64_t count = tacho_array_elements(output);
    for (int64_t i = 0; i < count; i++) {
        memcpy((unsigned char *)output->data + (size_t)i * size,
               call->attr_tensor == NULL ? zero : call->attr_tensor->data, size);
    }
    return TACHO_OK;
}

/* A sum of cosines of the place in the window, of one and two turns. */
static tacho_status compute_window(const tacho_kernel_call *call, double constant, double once,
                                   double twice)
{
    static const double two_pi = 6.283185307179586;
    tacho_array *output = &call->outputs[0];
    int64_t count = tacho_array_elements(output);
    bool is_periodic = tacho_attr_int(call->attrs, call->attr_count, "periodic", 1) != 0;
    if (!tacho_is_real(output) || !tacho_is_int(call->inputs[0])) {
        return tacho_unsupported_type("a window", output->dtype);
    }
    if (tacho_array_elements(call->inputs[0]) != 1 || tacho_int_at(call->inputs[0], 0) != count) {
        return tacho_wrong_shapes("a window");
    }
    int64_t turn = is_periodic ? count : count - 1;
    for (int64_t i = 0; i < count; i++) {
        double angle = two_pi * (double)i / (double)(turn > 0 ? turn : 1);
        tacho_set_real(output, i,
                       constant - once * tacho_cos(angle) + twice * tacho_cos(2 * angle));
    }
    return TACHO_OK;
}

static tacho_status compute_hann(const tacho_kernel_call *call)
{
    return compute_window(call, 0.5, 0.5, 0);
}

static tacho_status compute_hamming(const tacho_kernel_call *call)
{
    return compute_window(call, 25.0 / 46, 21.0 / 46, 0);
}

static tacho_status compute_blackman(const tacho_kernel_call *call)
{
    return compute_window(call, 0.42, 0.5, 0.08);
}

const tacho_kernel tacho_make_kernels[] = {
    {"BlackmanWindow", TACHO_KERNEL_PLAIN, compute_blackman},
    {"ConstantOfShape", TACHO_KERNEL_PLAIN, compute_constant_of_shape},
    {"HammingWindow", TACHO_KERNEL_PLAIN, compute_hamming},
    {"HannWindow", TACHO_KERNEL_PLAIN, compute_hann},
    {"Range", TACHO_KERNEL_PLAIN, compute_range},
    {"Shape", TACHO_KERNEL_PLAIN, compute_shape},
    {"Size", TACHO_KERNEL_PLAIN, compute_size},
    {0},
};
