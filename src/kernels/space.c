/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensors that become larger or smaller: padding, depth and space, resampling.
 */
#include "kernels/call.h"
#include "kernels/walk.h"

#include <math.h>

static void copy_element(tacho_array *to, int64_t to_at, const void *from, int64_t from_at)
{
    size_t size = tacho_dtype_element_bytes(to->dtype);
    memcpy((unsigned char *)to->data + (size_t)to_at * size,
           (const unsigned char *)from + (size_t)from_at * size, size);
}

/* ---- padding ------------------------------------------------------------------------------- */

typedef enum padding { CONSTANT, REFLECT, EDGE, WRAP } padding;

/* The element that stands at |at| of a row of |size|, or -1 for the constant. */
static int64_t padded_from(padding how, int64_t at, int64_t size)
{
    if (at >= 0 && at < size) {
        return at;
    }
    if (how == CONSTANT || size == 0) {
        return -1;
    }
    if (how == EDGE) {
        return at < 0 ? 0 : size - 1;
    }
    int64_t period = how == WRAP ? size : size > 1 ? 2 * (size - 1) : 1;
    int64_t rest = at % period;
    rest += rest < 0 ? period : 0;
    return rest < size ? rest : period - rest;
}

/* Elements before each dimension. */
static tacho_status read_pads(const tacho_kernel_call *call, int64_t begins[TACHO_RANK_MAX])
{
    int64_t rank = call->inputs[0]->shape.rank, room[2 * TACHO_RANK_MAX] = {0};
    const tacho_array *given = tacho_call_input(call, 1), *axes = tacho_call_input(call, 3);
    size_t count;
    const int64_t *pads =
        tacho_call_ints(call, tacho_call_before(call, 2) ? "paddings" : "pads", &count);
    memset(begins, 0, TACHO_RANK_MAX * sizeof(*begins));
    if (!tacho_call_before(call, 11) && given != NULL) {
        count = (size_t)tacho_array_elements(given);
        if (!tacho_is_int(given) || count > 2 * TACHO_RANK_MAX) {
            return tacho_wrong_shapes("a padding");
        }
        tacho_read_ints(given, 0, 1, count, room);
        pads = room;
    }
    int64_t axis_count = axes == NULL ? rank : tacho_array_elements(axes);
    if (pads == NULL || (int64_t)count != 2 * axis_count) {
        return tacho_wrong_shapes("a padding");
    }
    for (int64_t i = 0; i < axis_count; i++) {
        int32_t axis = (int32_t)i;
        if (axes != NULL && (!tacho_is_int(axes) ||
                             !tacho_axis_resolve(tacho_int_at(axes, i), (int32_t)rank, &axis))) {
            return tacho_wrong_shapes("a padding");
        }
        begins[axis] = pads[i];
    }
    return TACHO_OK;
}

/* |fill| is one element. */
static tacho_status pad(const tacho_array *input, tacho_array *output, padding how,
                        const int64_t *begins, const void *fill)
{
    int64_t steps[TACHO_RANK_MAX] = {0}, total = tacho_array_elements(output);
    if (input->shape.rank != output->shape.rank) {
        return tacho_wrong_shapes("a padding");
    }
    tacho_shape_steps(&input->shape, steps);
    for (int64_t i = 0; i < total; i++) {
        int64_t rest = i, at = 0;
        bool is_fill = false;
        for (int32_t j = input->shape.rank - 1; j >= 0; j--) {
            int64_t from = rest % output->shape.dims[j];
            from = __builtin_sub_overflow(from, begins[j], &from) ? -1 : from;
            from = padded_from(how, from, input->shape.dims[j]);
            is_fill = is_fill || from < 0;
            at += is_fill ? 0 : from * steps[j];
            rest /= output->shape.dims[j];
        }
        copy_element(output, i, is_fill ? fill : input->data, is_fill ? 0 : at);
    }
    return TACHO_OK;
}

static tacho_status compute_pad(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0];
    const tacho_array *value = tacho_call_before(call, 11) ? NULL : tacho_call_input(call, 2);
    tacho_str mode = tacho_attr_text(call->attrs, call->attr_count, "mode");
    padding how = tacho_str_equal(mode, TACHO_STR("reflect")) ? REFLECT
                  : tacho_str_equal(mode, TACHO_STR("edge"))  ? EDGE
                  : tacho_str_equal(mode, TACHO_STR("wrap"))  ? WRAP
                                                              : CONSTANT;
    int64_t begins[TACHO_RANK_MAX], room[2] = {0, 0};
    if (tacho_dtype_element_bytes(input->dtype) == 0 || call->outputs[0].dtype != input->dtype ||
        (value != NULL && value->dtype != input->dtype)) {
        return tacho_unsupported_type("a padding", input->dtype);
    }
    if (value != NULL && tacho_array_elements(value) != 1) {
        return tacho_wrong_shapes("a padding");
    }
    TACHO_TRY(read_pads(call, begins));
    tacho_array fill = {.dtype = input->dtype, .data = room};
    if (tacho_call_has(call, "value") && tacho_is_real(input)) {
        tacho_set_real(&fill, 0, tacho_call_real(call, "value", 0));
    }
    return pad(input, &call->outputs[0], how, begins, value == NULL ? fill.data : value->data);
}

/* Padding is a tensor of pairs, the value an operand; older files have neither. */
static tacho_status compute_tosa_pad(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0], *pads = tacho_call_input(call, 1);
    const tacho_array *value = tacho_call_input(call, 2);
    int64_t begins[TACHO_RANK_MAX] = {0}, zero[2] = {0, 0};
    if (tacho_dtype_element_bytes(input->dtype) == 0 || call->outputs[0].dtype != input->dtype ||
        pads == NULL || !tacho_is_int(pads) || (value != NULL && value->dtype != input->dtype)) {
        return tacho_unsupported_type("a padding", input->dtype);
    }
    if (tacho_array_elements(pads) != 2 * (int64_t)input->shape.rank ||
        (value != NULL && tacho_array_elements(value) != 1)) {
        return tacho_wrong_shapes("a padding");
    }
    for (int32_t i = 0; i < input->shape.rank; i++) {
        begins[i] = tacho_int_at(pads, 2 * i);
    }
    return pad(input, &call->outputs[0], CONSTANT, begins, value == NULL ? zero : value->data);
}

/* Cut or padded with zeros at both ends, of an odd number one more at the end. */
static tacho_status compute_center_crop_pad(const tacho_kernel_call *call)
{
    static const unsigned char zero[16];
    const tacho_array *input = call->inputs[0];
    const tacho_shape *made = &call->outputs[0].shape;
    int64_t begins[TACHO_RANK_MAX] = {0};
    if (made->rank != input->shape.rank) {
        return tacho_wrong_shapes("a padding");
    }
    for (int32_t i = 0; i < made->rank; i++) {
        int64_t in = input->shape.dims[i], out = made->dims[i];
        begins[i] = out > in ? (out - in) / 2 : -((in - out) / 2);
    }
    return pad(input, &call->outputs[0], CONSTANT, begins, zero);
}

/* ---- depth and space ----------------------------------------------------------------------- */

/* Of the deep tensor N x C*b*b x H x W and the wide one N x C x H*b x W*b. */
static tacho_status regroup(const tacho_kernel_call *call, bool is_to_space)
{
    const tacho_array *input = call->inputs[0];
    tacho_array *output = &call->outputs[0];
    const tacho_shape *deep = is_to_space ? &input->shape : &output->shape;
    const tacho_shape *wide = is_to_space ? &output->shape : &input->shape;
    int64_t block = tacho_call_int(call, "blocksize", 0);
    bool is_crd = tacho_call_is(call, "mode", "CRD");
    int64_t total = tacho_array_elements(output);
    if (tacho_dtype_element_bytes(input->dtype) == 0 || output->dtype != input->dtype) {
        return tacho_unsupported_type("a regrouping", input->dtype);
    }
    if (deep->rank != 4 || wide->rank != 4 || total != tacho_array_elements(input) || block < 1 ||
        block > INT32_MAX || wide->dims[2] != deep->dims[2] * block ||
        wide->dims[3] != deep->dims[3] * block) {
        return tacho_wrong_shapes("a regrouping");
    }
    for (int64_t i = 0; i < total; i++) {
        int64_t x = i % wide->dims[3], y = i / wide->dims[3] % wide->dims[2];
        int64_t c = i / wide->dims[3] / wide->dims[2] % wide->dims[1];
        int64_t n = i / wide->dims[3] / wide->dims[2] / wide->dims[1];
        int64_t part = y % block * block + x % block;
        int64_t channel = is_crd ? c * block * block + part : part * wide->dims[1] + c;
        int64_t at =
            ((n * deep->dims[1] + channel) * deep->dims[2] + y / block) * deep->dims[3] + x / block;
        copy_element(output, is_to_space ? i : at, input->data, is_to_space ? at : i);
    }
    return TACHO_OK;
}

static tacho_status compute_depth_to_space(const tacho_kernel_call *call)
{
    return regroup(call, true);
}

static tacho_status compute_space_to_depth(const tacho_kernel_call *call)
{
    return regroup(call, false);
}

const tacho_kernel tacho_space_kernels[] = {
    {"CenterCropPad", TACHO_KERNEL_PLAIN, compute_center_crop_pad},
    {"DepthToSpace", TACHO_KERNEL_PLAIN, compute_depth_to_space},
    {"Pad", TACHO_KERNEL_PLAIN, compute_pad},
    {"SpaceToDepth", TACHO_KERNEL_PLAIN, compute_space_to_depth},
    {"tosa.pad", TACHO_KERNEL_PLAIN, compute_tosa_pad},
    {0},
};
