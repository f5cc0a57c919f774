/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TOSA's products of bytes in the words of fast kernels: convolutions with the channels last, and
 * products of matrices, whose sums are the results.
 *
 * Kernels sum up in 32 bits, but may pass sums on as f32: a product is for them where no partial
 * sum, for any data, can exceed 2^24. Where that is not so, a convolution's inputs are divided into
 * parts, as groups are, and the sums of parts are added up as integers. Everything else is left to
 * reference kernels.
 */
#include "device/execute_parts.h"
#include "kernels/call.h"

#include <stdlib.h>

enum { SUM_MAX = 1 << 24, BYTE_SPAN = 256, PARTS_MAX = 64 };

static const tacho_value *value_at(const tacho_group *group, size_t input)
{
    uint32_t id = tacho_step_input(group->self, group->step, input);
    return id == TACHO_NONE ? NULL : &group->self->values[id];
}

/* The elements of a constant input of integers, in |array|; NULL when it is something else. */
static const tacho_array *constant_at(tacho_group *group, size_t input, tacho_array *array)
{
    const tacho_value *value = value_at(group, input);
    if (value == NULL || value->state != TACHO_VALUE_CONSTANT || value->bytes == 0) {
        return NULL;
    }
    *array = tacho_value_array(value);
    if (!tacho_is_int(array)) {
        return NULL;
    }
    uint32_t id = tacho_step_input(group->self, group->step, input);
    tacho_status status = tacho_execution_load_constant(group->self, id);
    bool is_fine = status == TACHO_OK;
    tacho_status_free(status); /* the fallback reports it again */
    array->data = value->data;
    return is_fine ? array : NULL;
}

/* A zero point, 0 if absent; false when it is not one byte. */
static bool read_zero(tacho_group *group, size_t input, int32_t *out_zero)
{
    *out_zero = 0;
    if (value_at(group, input) == NULL) {
        return true;
    }
    tacho_array array;
    const tacho_array *zero = constant_at(group, input, &array);
    if (zero == NULL || tacho_array_elements(zero) != 1) {
        return false;
    }
    int64_t found = tacho_int_at(zero, 0);
    *out_zero = found >= INT8_MIN && found <= INT8_MAX ? (int32_t)found : 0;
    return found == *out_zero;
}

static bool is_of(const tacho_value *value, tacho_value_state state, tacho_dtype dtype)
{
    return value != NULL && value->state == state && value->dtype == dtype;
}

/* ---- filters ------------------------------------------------------------------------------- */

/* Constant filters: |channels| of them, each of |depth| inputs x |size| places. */
typedef struct filters {
    const int8_t *data;
    int32_t zero;
    int64_t channels, depth, size;
    int64_t parts;          /* of the inputs */
    bool has_channels_last; /* places x channels, of one input each; else channels x places x depth
                             */
} filters;

/* As parts x channels x inputs of the part x places, less their zero point; false when one is no
 * byte then. */
static bool transpose_filters(const filters *from, int8_t *to)
{
    int64_t inputs = from->depth / from->parts, each = inputs * from->size;
    for (int64_t row = 0; row < from->parts * from->channels; row++) {
        int64_t part = row / from->channels, channel = row % from->channels;
        for (int64_t i = 0; i < each; i++) {
            int64_t place = i % from->size, input = part * inputs + i / from->size;
            int64_t at = from->has_channels_last
                             ? place * from->channels + channel
                             : (channel * from->size + place) * from->depth + input;
            int value = from->data[at] - from->zero;
            if (value < INT8_MIN || value > INT8_MAX) {
                return false;
            }
            *to++ = (int8_t)value;
        }
    }
    return true;
}

/* Whether all sums with |count| filters of |each| elements, |step| apart, are exact. */
static bool is_exact(const int8_t *data, int64_t count, int64_t each, int64_t step,
                     const int32_t *bias)
{
    for (int64_t i = 0; i < count; i++) {
        const int8_t *row = step == 1 ? data + i * each : data + i;
        int64_t sum = 0;
        for (int64_t j = 0; j < each; j++) {
            sum += abs(row[j * step]);
        }
        int64_t most = sum * BYTE_SPAN + (bias == NULL ? 0 : llabs((long long)bias[i]));
        if (most > SUM_MAX) {
            return false;
        }
    }
    return true;
}

/* ---- convolutions -------------------------------------------------------------------------- */

/* The bias of each channel, and 0 of those of other parts; |out_bias| is NULL without a bias. */
static bool read_bias(tacho_group *group, const filters *self, const int32_t **out_bias)
{
    *out_bias = NULL;
    if (value_at(group, 2) == NULL) {
        return true;
    }
    tacho_array array;
    const tacho_array *from = constant_at(group, 2, &array);
    if (from == NULL || from->dtype != TACHO_DTYPE_I32 ||
        (tacho_array_elements(from) != 1 && tacho_array_elements(from) != self->channels)) {
        return false;
    }
    int32_t *to = (int32_t *)(void *)tacho_group_memory(group, PARTS_MAX * self->channels);
    bool is_any = false;
    for (int64_t i = 0; to != NULL && i < self->channels; i++) {
        to[i] = (int32_t)tacho_int_at(from, tacho_each_or_one(from, i));
        is_any |= to[i] != 0;
    }
    *out_bias = is_any ? to : NULL;
    return to != NULL;
}

/* Turns filters, in as few parts as make all sums exact; NULL when no number of parts does. */
static const int8_t *divide(tacho_group *group, filters *self, const int32_t *bias)
{
    int64_t count = self->channels * self->depth * self->size;
    int8_t *turned = (int8_t *)tacho_group_memory(group, count / 4 + 1);
    for (self->parts = 1; turned != NULL && self->parts <= PARTS_MAX; self->parts++) {
        if (self->depth % self->parts != 0) {
            continue;
        }
        if (!transpose_filters(self, turned)) {
            return NULL;
        }
        int64_t rows = self->parts * self->channels;
        if (is_exact(turned, rows, count / rows, 1, bias)) {
            return turned;
        }
    }
    return NULL;
}

/* Describes a tensor with channels last as one with channels second; its memory stays in order. */
static void put_channels_first(tacho_fast_tensor *tensor)
{
    tacho_shape shape = tensor->shape;
    int32_t last = shape.rank - 1;
    tensor->is_free = false;
    tensor->has_order = true;
    tensor->layout = NULL;
    for (int32_t i = 1; i <= last; i++) {
        tensor->shape.dims[i] = i == 1 ? shape.dims[last] : shape.dims[i - 1];
        tensor->order[i] = (uint8_t)(i == last ? 1 : i + 1);
    }
}

/* Filters as input 1, with the number of groups in front, and the bias as input 2. */
static void add_filters(tacho_group *group, const filters *from, const int8_t *turned,
                        const int32_t *bias, int64_t groups)
{
    tacho_fast_tensor *to = &group->inputs[1];
    int64_t made = from->parts * from->channels;
    *to = (tacho_fast_tensor){.dtype = TACHO_DTYPE_I8, .is_free = true, .data = turned};
    tacho_shape *shape = &to->shape;
    groups *= from->parts;
    if (groups > 1) {
        shape->dims[shape->rank++] = groups;
    }
    shape->dims[shape->rank++] = made / groups;
    shape->dims[shape->rank++] = from->depth / from->parts;
    for (int32_t i = 0; i < group->window.spatial; i++) {
        shape->dims[shape->rank++] = group->window.kernel[i];
    }
    group->inputs[2] =
        (tacho_fast_tensor){.dtype = TACHO_DTYPE_I32, .shape = {1, {made}}, .data = bias};
    group->ids[1] = group->ids[2] = TACHO_NONE;
    group->spec.input_count = bias == NULL ? 2 : 3;
}

static bool translate_conv(tacho_group *group, bool is_depthwise)
{
    const tacho_value *data = value_at(group, 0), *made = &group->self->values[group->output];
    tacho_array array;
    const tacho_array *constant = constant_at(group, 1, &array);
    int32_t zero, rank = data == NULL ? 0 : data->shape->rank;
    if (!is_of(data, TACHO_VALUE_LIVE, TACHO_DTYPE_I8) || constant == NULL ||
        constant->dtype != TACHO_DTYPE_I8 || made->dtype != TACHO_DTYPE_I32 || rank < 4 ||
        rank > 5 || constant->shape.rank != rank || made->shape->rank != rank ||
        !tacho_window_read_tosa(&group->call, data->shape, made->shape,
                                constant->shape.dims + (is_depthwise ? 0 : 1), &group->window)) {
        return false;
    }
    const int64_t *dims = constant->shape.dims;
    int64_t inputs = data->shape->dims[rank - 1], groups = is_depthwise ? inputs : 1;
    filters from = {.data = constant->data,
                    .channels = is_depthwise ? inputs * dims[rank - 1] : dims[0],
                    .depth = is_depthwise ? 1 : inputs,
                    .size = tacho_window_places(group->window.kernel, group->window.spatial),
                    .has_channels_last = is_depthwise};
    if (dims[is_depthwise ? rank - 2 : rank - 1] != inputs ||
        made->shape->dims[rank - 1] != from.channels || !read_zero(group, 3, &zero) ||
        !read_zero(group, 4, &from.zero)) {
        return false;
    }
    const int32_t *bias;
    const int8_t *turned = read_bias(group, &from, &bias) ? divide(group, &from, bias) : NULL;
    if (turned == NULL ||
        !tacho_group_add_input(group, tacho_step_input(group->self, group->step, 0),
                               TACHO_WISH_PLAIN)) {
        return false;
    }
    put_channels_first(&group->inputs[0]);
    put_channels_first(&group->spec.output);
    add_filters(group, &from, turned, bias, groups);
    group->spec.kind = TACHO_FAST_CONVOLUTION;
    group->spec.input_zero = zero;
    if (from.parts > 1) {
        group->spec.output.shape.dims[1] *= from.parts;
        group->parts = (uint32_t)from.parts;
        group->part_length = (uint64_t)from.channels;
    }
    return true;
}

bool tacho_group_tosa_conv(tacho_group *group)
{
    return translate_conv(group, false);
}

bool tacho_group_tosa_depthwise(tacho_group *group)
{
    return translate_conv(group, true);
}

/* ---- products ------------------------------------------------------------------------------ */

/* Constant matrices less their zero point, as input 1. */
static bool add_matrices(tacho_group *group, const tacho_array *b, int32_t zero)
{
    const int64_t *dims = b->shape.dims;
    filters from = {.data = b->data,
                    .zero = zero,
                    .channels = tacho_array_elements(b),
                    .depth = 1,
                    .size = 1,
                    .parts = 1};
    int8_t *moved = (int8_t *)tacho_group_memory(group, from.channels / 4 + 1);
    group->inputs[1] = (tacho_fast_tensor){
        .dtype = TACHO_DTYPE_I8, .shape = b->shape, .is_free = true, .data = moved};
    group->ids[1] = TACHO_NONE;
    group->spec.input_count = 2;
    bool is_fine = moved != NULL && transpose_filters(&from, moved);
    for (int64_t i = 0; is_fine && i < dims[0]; i++) {
        is_fine = is_exact(moved + i * dims[1] * dims[2], dims[2], dims[1], dims[2], NULL);
    }
    return is_fine;
}

bool tacho_group_tosa_matmul(tacho_group *group)
{
    const tacho_value *a = value_at(group, 0), *b = value_at(group, 1);
    const tacho_value *made = &group->self->values[group->output];
    int32_t zero, other_zero;
    if (!is_of(a, TACHO_VALUE_LIVE, TACHO_DTYPE_I8) || b == NULL || b->dtype != TACHO_DTYPE_I8 ||
        made->dtype != TACHO_DTYPE_I32 || a->shape->rank != 3 || b->shape->rank != 3 ||
        made->shape->rank != 3 || a->shape->dims[0] != b->shape->dims[0] ||
        !read_zero(group, 2, &zero) || !read_zero(group, 3, &other_zero) ||
        !tacho_group_add_input(group, tacho_step_input(group->self, group->step, 0),
                               TACHO_WISH_PLAIN)) {
        return false;
    }
    tacho_array array;
    const tacho_array *constant = constant_at(group, 1, &array);
    int64_t depth = a->shape->dims[2];
    if (constant != NULL) {
        if (!add_matrices(group, constant, other_zero)) {
            return false;
        }
    } else if (b->state != TACHO_VALUE_LIVE || other_zero != 0 ||
               depth > SUM_MAX / (BYTE_SPAN * BYTE_SPAN / 2) ||
               !tacho_group_add_input(group, tacho_step_input(group->self, group->step, 1),
                                      TACHO_WISH_PLAIN)) {
        return false;
    }
    group->spec.kind = TACHO_FAST_MATMUL;
    group->spec.input_zero = zero;
    group->spec.output.is_free = false;
    tacho_fast_tensor *all[] = {&group->inputs[0], &group->inputs[1], &group->spec.output};
    bool is_one = a->shape->dims[0] == 1 && b->shape->dims[0] == 1;
    for (size_t i = 0; is_one && i < 3; i++) { /* matrices rather than batches of one */
        all[i]->shape = (tacho_shape){2, {all[i]->shape.dims[1], all[i]->shape.dims[2]}};
    }
    return true;
}
