/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of bytes that are left to our own kernel (kernels/byte_product.h) instead of oneDNN:
 * without VNNI its sums saturate, and some products it computes by its own plain loops only.
 */
#include "kernels/onednn_library.h"

static bool is_byte(tacho_dtype dtype)
{
    return dtype == TACHO_DTYPE_I8 || dtype == TACHO_DTYPE_U8;
}

bool tacho_onednn_is_byte_product(const tacho_fast_spec *spec)
{
    return (spec->kind == TACHO_FAST_CONVOLUTION || spec->kind == TACHO_FAST_MATMUL) &&
           spec->input_count >= 2 && is_byte(spec->inputs[0].dtype) &&
           is_byte(spec->inputs[1].dtype);
}

/* Takes over the fields that both kinds have in common. */
static bool take_rest(const tacho_fast_spec *from, tacho_byte_spec *to)
{
    bool has_bias = from->input_count > 2 && !from->has_live_zero;
    const tacho_fast_tensor *bias = has_bias ? &from->inputs[2] : NULL;
    tacho_dtype made = from->output.dtype;
    to->data = from->inputs[0].dtype;
    to->zero = from->input_zero;
    to->filters = from->inputs[1].data;
    to->made = made;
    to->made_zero = from->output_zero;
    to->scales = from->scales;
    to->scale_count = from->scale_count;
    to->posts = from->posts;
    to->post_count = from->post_count;
    if (bias != NULL) {
        to->bias = bias->data;
        to->bias_dtype = bias->dtype;
        if (bias->data == NULL || !(bias->dtype == TACHO_DTYPE_I32 ||
                                    (bias->dtype == TACHO_DTYPE_F32 && is_byte(made)))) {
            return false;
        }
    }
    return from->inputs[1].dtype == TACHO_DTYPE_I8 && from->post_input_count == 0 &&
           (is_byte(made) ||
            (made == TACHO_DTYPE_I32 && from->scale_count == 0 && from->output_zero == 0)) &&
           (from->scale_count <= 1 || (int64_t)from->scale_count == to->outputs);
}

static bool take_convolution(const tacho_fast_spec *from, tacho_byte_spec *to)
{
    const tacho_shape *data = &from->inputs[0].shape, *made = &from->output.shape;
    const tacho_shape *filters = &from->inputs[1].shape;
    int32_t spatial = data->rank - 2, more = filters->rank - data->rank;
    if (spatial < 1 || spatial > TACHO_BYTE_SPATIAL || more < 0 || more > 1 ||
        made->rank != data->rank || from->inputs[1].data == NULL || from->inputs[1].has_order) {
        return false;
    }
    const int64_t *sizes = filters->dims + more;
    to->images = data->dims[0];
    to->groups = more == 0 ? 1 : filters->dims[0];
    to->inputs = data->dims[1];
    to->outputs = made->dims[1];
    for (int32_t i = 0; i < TACHO_BYTE_SPATIAL; i++) {
        int32_t j = i - (TACHO_BYTE_SPATIAL - spatial);
        const tacho_window *window = from->window;
        to->in[i] = j < 0 ? 1 : data->dims[j + 2];
        to->out[i] = j < 0 ? 1 : made->dims[j + 2];
        to->kernel[i] = j < 0 ? 1 : sizes[j + 2];
        to->strides[i] = j < 0 ? 1 : window->strides[j];
        to->dilations[i] = j < 0 ? 1 : window->dilations[j];
        to->begins[i] = j < 0 ? 0 : window->begins[j];
    }
    to->place_step = 1;
    to->input_step = to->kernel[0] * to->kernel[1] * to->kernel[2];
    to->output_step = sizes[1] * to->input_step;
    return to->groups * sizes[0] == to->outputs && to->groups * sizes[1] == to->inputs &&
           made->dims[0] == to->images;
}

static bool take_matmul(const tacho_fast_spec *from, tacho_byte_spec *to)
{
    const tacho_shape *a = &from->inputs[0].shape, *b = &from->inputs[1].shape;
    const tacho_shape *made = &from->output.shape;
    int32_t rank = a->rank;
    if ((rank != 2 && rank != 3) || b->rank != rank || made->rank != rank ||
        from->inputs[0].has_order || from->output.has_order) {
        return false;
    }
    int64_t rows = a->dims[rank - 2], depth = a->dims[rank - 1], columns = b->dims[rank - 1];
    bool is_turned = from->inputs[1].has_order; /* see tacho_group_transpose */
    to->images = rank == 3 ? a->dims[0] : 1;
    to->groups = 1;
    to->inputs = depth;
    to->outputs = columns;
    for (int32_t i = 0; i < TACHO_BYTE_SPATIAL; i++) {
        to->kernel[i] = to->strides[i] = to->dilations[i] = 1;
        to->in[i] = to->out[i] = i == TACHO_BYTE_SPATIAL - 1 ? rows : 1;
    }
    to->place_step = 1;
    to->input_step = is_turned ? 1 : columns;
    to->output_step = is_turned ? depth : 1;
    to->image_step = rank == 3 ? depth * columns : 0;
    return b->dims[rank - 2] == depth && made->dims[rank - 2] == rows &&
           made->dims[rank - 1] == columns &&
           (rank == 2 || (b->dims[0] == to->images && made->dims[0] == to->images));
}

tacho_status tacho_onednn_byte_product(const tacho_fast *fast, const tacho_fast_spec *spec,
                                       tacho_byte_product **out)
{
    tacho_byte_spec own = {0};
    bool is_fine = spec->kind == TACHO_FAST_CONVOLUTION ? take_convolution(spec, &own)
                                                        : take_matmul(spec, &own);
    *out = NULL;
    if (!is_fine || !take_rest(spec, &own)) {
        return TACHO_OK;
    }
    return tacho_byte_product_create(&own, fast->threads > 0 ? (uint32_t)fast->threads : 1, out);
}
