/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Access of kernels to their call.
 */
#ifndef TACHO_KERNELS_CALL_H
#define TACHO_KERNELS_CALL_H

#include "kernels/element.h"
#include "kernels/kernel.h"

/* Input |i|, or NULL when it is absent. */
static inline const tacho_array *tacho_call_input(const tacho_kernel_call *call, size_t i)
{
    return i < call->input_count ? call->inputs[i] : NULL;
}

/* Output |i|, or NULL if it is not wanted. */
static inline tacho_array *tacho_call_output(const tacho_kernel_call *call, size_t i)
{
    return i < call->output_count && call->outputs[i].data != NULL ? &call->outputs[i] : NULL;
}

static inline int64_t tacho_call_int(const tacho_kernel_call *call, const char *name,
                                     int64_t fallback)
{
    return tacho_attr_int(call->attrs, call->attr_count, name, fallback);
}

static inline double tacho_call_real(const tacho_kernel_call *call, const char *name,
                                     double fallback)
{
    return tacho_attr_real(call->attrs, call->attr_count, name, fallback);
}

static inline const int64_t *tacho_call_ints(const tacho_kernel_call *call, const char *name,
                                             size_t *out_count)
{
    return tacho_attr_ints(call->attrs, call->attr_count, name, out_count);
}

/* Whether the text attribute |name| is |value|. */
static inline bool tacho_call_is(const tacho_kernel_call *call, const char *name, const char *value)
{
    return tacho_str_equal(tacho_attr_text(call->attrs, call->attr_count, name),
                           tacho_str_from_cstring(value));
}

static inline bool tacho_call_has(const tacho_kernel_call *call, const char *name)
{
    return tacho_attr_find(call->attrs, call->attr_count, name) != NULL;
}

/* Whether the node is of an ONNX opset before |opset|. */
static inline bool tacho_call_before(const tacho_kernel_call *call, int64_t opset)
{
    return call->opset > 0 && call->opset < opset;
}

/* An axis counted from the front; false when the tensor has no such. */
static inline bool tacho_axis_resolve(int64_t axis, int32_t rank, int32_t *out_axis)
{
    axis += axis < 0 ? rank : 0;
    *out_axis = axis >= 0 && axis < rank ? (int32_t)axis : 0;
    return axis >= 0 && axis < rank;
}

/* A tensor as outer x axis x inner. */
typedef struct tacho_split_shape {
    int64_t outer, dim, inner;
} tacho_split_shape;

static inline tacho_split_shape tacho_shape_split(const tacho_shape *shape, int32_t axis)
{
    tacho_split_shape split = {1, 1, 1};
    uint64_t count;
    if (!tacho_shape_elements(shape, &count) || count == 0) {
        return (tacho_split_shape){0, 0, 0};
    }
    for (int32_t i = 0; i < shape->rank; i++) {
        split.outer *= i < axis ? shape->dims[i] : 1;
        split.dim *= i == axis ? shape->dims[i] : 1;
        split.inner *= i > axis ? shape->dims[i] : 1;
    }
    return split;
}

/* The real number or the integer of an input's element |i|; of one with a single element, that. */
static inline double tacho_real_at(const tacho_array *array, int64_t i)
{
    double value;
    tacho_read_reals(array, i, 1, 1, &value);
    return value;
}

static inline int64_t tacho_int_at(const tacho_array *array, int64_t i)
{
    int64_t value = 0;
    tacho_read_ints(array, i, 1, 1, &value);
    return value;
}

static inline void tacho_set_real(tacho_array *array, int64_t i, double value)
{
    tacho_write_reals(array, i, 1, &value);
}

static inline void tacho_set_int(tacho_array *array, int64_t i, int64_t value)
{
    tacho_write_ints(array, i, 1, &value);
}

/* |i| of an array of one element for all, or of one for each. */
static inline int64_t tacho_each_or_one(const tacho_array *array, int64_t i)
{
    return tacho_array_elements(array) == 1 ? 0 : i;
}

static inline bool tacho_is_real(const tacho_array *array)
{
    return tacho_element_kind(array->dtype) == TACHO_DTYPE_REAL;
}

static inline bool tacho_is_int(const tacho_array *array)
{
    tacho_dtype_kind kind = tacho_element_kind(array->dtype);
    return kind == TACHO_DTYPE_SIGNED || kind == TACHO_DTYPE_UNSIGNED;
}

static inline int tacho_int_bits(tacho_dtype dtype)
{
    return (int)tacho_dtype_element_bits(dtype);
}

/* The least and the greatest of an integer type of at most 32 bits, or of 64 signed ones. */
static inline int64_t tacho_int_min(tacho_dtype dtype)
{
    int bits = tacho_int_bits(dtype);
    return tacho_dtype_kind_of(dtype) == TACHO_DTYPE_SIGNED ? INT64_MIN >> (64 - bits) : 0;
}

static inline int64_t tacho_int_max(tacho_dtype dtype)
{
    int bits = tacho_int_bits(dtype);
    bool is_signed = tacho_dtype_kind_of(dtype) == TACHO_DTYPE_SIGNED;
    return bits == 64 ? INT64_MAX : (INT64_MAX >> (is_signed ? 64 - bits : 63 - bits));
}

static inline int64_t tacho_clamp_int(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

#endif
