/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ONNX's operators in the words of fast kernels, one function for each family. Only operators that
 * mean the same in both are translated; everything else is left to reference kernels. Shapes that
 * do not fit each other are refused by oneDNN, and reported by the reference kernel.
 */
#include "device/execute_parts.h"
#include "kernels/quick.h"

#include <math.h>

static bool is_named(const tacho_group *group, uint32_t step, const char *type)
{
    return tacho_str_equal(tacho_step_type(group->self, step), tacho_str_from_cstring(type));
}

/* The step's input |i|, or TACHO_NONE. */
static uint32_t input_of(const tacho_group *group, size_t i)
{
    return tacho_step_input(group->self, group->step, i);
}

static const tacho_value *value_of(const tacho_group *group, uint32_t id)
{
    return id == TACHO_NONE ? NULL : &group->self->values[id];
}

static bool is_live_f32(const tacho_group *group, uint32_t id)
{
    const tacho_value *value = value_of(group, id);
    return value != NULL && value->state == TACHO_VALUE_LIVE && value->dtype == TACHO_DTYPE_F32;
}

/* Whatever its state. */
static bool is_f32(const tacho_group *group, uint32_t id)
{
    const tacho_value *value = value_of(group, id);
    return value != NULL && value->state != TACHO_VALUE_NONE && value->dtype == TACHO_DTYPE_F32;
}

static bool is_constant_f32(const tacho_group *group, uint32_t id)
{
    const tacho_value *value = value_of(group, id);
    return value != NULL && value->state == TACHO_VALUE_CONSTANT && value->dtype == TACHO_DTYPE_F32;
}

static const tacho_shape *shape_of(const tacho_group *group, uint32_t id)
{
    return group->self->values[id].shape;
}

/* ---- windows ------------------------------------------------------------------------------- */

bool tacho_group_split(tacho_group *group, int64_t groups, bool is_transposed)
{
    tacho_fast_tensor *filters = &group->inputs[1];
    tacho_shape *shape = &filters->shape;
    if (groups < 1 || shape->rank >= TACHO_RANK_MAX || shape->dims[0] % groups != 0) {
        return false;
    }
    if (groups > 1) {
        for (int32_t i = shape->rank; i > 0; i--) {
            shape->dims[i] = shape->dims[i - 1];
        }
        shape->dims[0] = groups;
        shape->dims[1] /= groups;
        shape->rank++;
    }
    if (is_transposed) { /* oneDNN has outputs first, ONNX inputs */
        int32_t first = groups > 1 ? 1 : 0;
        int64_t in = shape->dims[first];
        shape->dims[first] = shape->dims[first + 1];
        shape->dims[first + 1] = in;
        filters->has_order = true;
        for (int32_t i = 0; i < shape->rank; i++) {
            filters->order[i] = (uint8_t)(i == first ? first + 1 : i == first + 1 ? first : i);
        }
    }
    return true;
}

/* Filters with their groups. Filters that are made while the program runs and described in another
 * shape stay in row-major memory. */
static bool add_filters(tacho_group *group, uint32_t id, bool is_transposed)
{
    int64_t groups = tacho_call_int(&group->call, "group", 1);
    bool is_free = is_constant_f32(group, id) || (groups == 1 && !is_transposed);
    return tacho_group_add_input(group, id, is_free ? TACHO_WISH_FREE : TACHO_WISH_PLAIN) &&
           tacho_group_split(group, groups, is_transposed);
}

static bool add_bias(tacho_group *group, uint32_t id, int64_t channels)
{
    const tacho_value *bias = value_of(group, id);
    if (bias == NULL) {
        return true;
    }
    bool is_fit = is_f32(group, id) && bias->shape->rank == 1 && bias->shape->dims[0] == channels;
    return is_fit && tacho_group_add_input(group, id, TACHO_WISH_PLAIN);
}

static bool translate_conv(tacho_group *group)
{
    uint32_t data = input_of(group, 0), filters = input_of(group, 1);
    if (!is_live_f32(group, data) || !is_f32(group, filters)) {
        return false;
    }
    const tacho_shape *in = shape_of(group, data), *out = shape_of(group, group->output);
    group->spec.kind = TACHO_FAST_CONVOLUTION;
    return in->rank >= 3 && in->rank <= 5 && shape_of(group, filters)->rank == in->rank &&
           tacho_window_read(&group->call, in, out, shape_of(group, filters)->dims + 2,
                             &group->window) &&
           tacho_group_add_input(group, data, TACHO_WISH_FREE) &&
           add_filters(group, filters, false) && add_bias(group, input_of(group, 2), out->dims[1]);
}

/* Padding that takes (in - 1) * stride + kernel to the output that was inferred. */
static bool translate_conv_transpose(tacho_group *group)
{
    uint32_t data = input_of(group, 0), filters = input_of(group, 1);
    if (!is_live_f32(group, data) || !is_f32(group, filters)) {
        return false;
    }
    const tacho_shape *in = shape_of(group, data), *out = shape_of(group, group->output);
    tacho_window *window = &group->window;
    size_t count;
    bool has_auto = !tacho_group_has_text(group, "auto_pad", "NOTSET", true);
    (void)tacho_call_ints(&group->call, "output_shape", &count);
    if (has_auto || count > 0 || in->rank < 3 || in->rank > 5 ||
        shape_of(group, filters)->rank != in->rank ||
        !tacho_window_read(&group->call, in, out, shape_of(group, filters)->dims + 2, window)) {
        return false;
    }
    for (int32_t i = 0; i < window->spatial; i++) { /* extra elements are padding that is less */
        if (window->strides[i] > 1 << 20 || window->dilations[i] > 1 << 20) {
            return false;
        }
        int64_t reach = (window->kernel[i] - 1) * window->dilations[i] + 1;
        window->ends[i] =
            (window->in[i] - 1) * window->strides[i] + reach - window->begins[i] - window->out[i];
    }
    group->spec.kind = TACHO_FAST_DECONVOLUTION;
    return tacho_group_add_input(group, data, TACHO_WISH_FREE) &&
           add_filters(group, filters, true) && add_bias(group, input_of(group, 2), out->dims[1]);
}

/* Padding at the end that the window reaches; more than declared where sizes are rounded up. */
static bool reach_out(tacho_window *window, bool counts_padding)
{
    for (int32_t i = 0; i < window->spatial; i++) {
        if (window->strides[i] > 1 << 20 || window->dilations[i] > 1 << 20) {
            return false;
        }
        int64_t reach = (window->kernel[i] - 1) * window->dilations[i] + 1;
        int64_t needed =
            (window->out[i] - 1) * window->strides[i] + reach - window->in[i] - window->begins[i];
        if (needed > window->ends[i]) {
            if (counts_padding) {
                return false;
            }
            window->ends[i] = needed;
        }
        if (window->begins[i] >= reach || window->ends[i] >= reach || window->begins[i] < 0 ||
            window->ends[i] < 0) {
            return false; /* windows of padding alone, and cut data */
        }
    }
    return true;
}

static bool translate_pool(tacho_group *group, tacho_fast_function function)
{
    uint32_t data = input_of(group, 0);
    bool counts_padding = tacho_call_int(&group->call, "count_include_pad", 0) != 0;
    bool has_indices = tacho_step_output(group->self, group->step, 1) != TACHO_NONE;
    const tacho_value *value = value_of(group, data);
    if (value == NULL || has_indices || value->shape->rank < 3 || value->shape->rank > 5 ||
        !tacho_window_read(&group->call, value->shape, shape_of(group, group->output), NULL,
                           &group->window) ||
        !reach_out(&group->window, counts_padding && function == TACHO_FAST_POOL_MEAN)) {
        return false;
    }
    group->spec.kind = TACHO_FAST_POOL;
    group->spec.function =
        counts_padding && function == TACHO_FAST_POOL_MEAN ? TACHO_FAST_POOL_MEAN_PADDED : function;
    return is_live_f32(group, data) && tacho_group_add_input(group, data, TACHO_WISH_AS_IT_IS);
}

static bool translate_max_pool(tacho_group *group)
{
    return translate_pool(group, TACHO_FAST_POOL_MAX);
}

static bool translate_average_pool(tacho_group *group)
{
    return translate_pool(group, TACHO_FAST_POOL_MEAN);
}

static bool translate_global_pool(tacho_group *group, tacho_fast_function function)
{
    uint32_t data = input_of(group, 0);
    const tacho_value *value = value_of(group, data);
    if (!is_live_f32(group, data) || value->shape->rank < 3 || value->shape->rank > 5) {
        return false;
    }
    group->window = (tacho_window){.spatial = value->shape->rank - 2};
    for (int32_t i = 0; i < group->window.spatial; i++) {
        group->window.kernel[i] = value->shape->dims[i + 2];
        group->window.strides[i] = group->window.dilations[i] = 1;
    }
    group->spec.kind = TACHO_FAST_POOL;
    group->spec.function = function;
    return tacho_group_add_input(group, data, TACHO_WISH_AS_IT_IS);
}

static bool translate_global_average(tacho_group *group)
{
    return translate_global_pool(group, TACHO_FAST_POOL_MEAN);
}

static bool translate_global_max(tacho_group *group)
{
    return translate_global_pool(group, TACHO_FAST_POOL_MAX);
}

/* ---- products ------------------------------------------------------------------------------ */

void tacho_group_transpose(tacho_fast_tensor *tensor)
{
    int32_t rank = tensor->shape.rank;
    int64_t last = tensor->shape.dims[rank - 1];
    tensor->shape.dims[rank - 1] = tensor->shape.dims[rank - 2];
    tensor->shape.dims[rank - 2] = last;
    tensor->has_order = true;
    for (uint8_t i = 0; i < TACHO_RANK_MAX; i++) {
        tensor->order[i] = i;
    }
    tensor->order[rank - 1] = (uint8_t)(rank - 2);
    tensor->order[rank - 2] = (uint8_t)(rank - 1);
}

/* The summand of a Gemm: its bias where it is a row, else the first post. */
static bool add_summand(tacho_group *group, uint32_t id)
{
    tacho_fast_spec *spec = &group->spec;
    if (id == TACHO_NONE) {
        return true;
    }
    bool is_row = is_constant_f32(group, id);
    if (!(is_row || is_live_f32(group, id)) ||
        !tacho_group_add_input(group, id, TACHO_WISH_PLAIN) ||
        !tacho_group_widen(&group->inputs[2], &spec->output.shape)) {
        return false;
    }
    is_row = is_row && spec->scale_count == 0 && group->inputs[2].shape.dims[0] == 1 &&
             group->inputs[2].shape.dims[1] == spec->output.shape.dims[1];
    if (!is_row) {
        spec->input_count--;
        spec->posts[spec->post_count++] = (tacho_fast_post){TACHO_FAST_ADD, 0, 0, 2};
        spec->post_input_count++;
    }
    return true;
}

/* alpha * a * b + beta * c is beta times the sum of alpha / beta * a * b and c. */
static bool add_factors(tacho_group *group, double alpha, double beta)
{
    uint32_t summand = input_of(group, 2);
    if (summand == TACHO_NONE || beta == 0) {
        beta = 1;
        summand = TACHO_NONE;
    }
    float *scale = tacho_group_memory(group, 1);
    if (scale == NULL || !isnormal((float)(alpha / beta)) || !isnormal((float)beta)) {
        return false;
    }
    *scale = (float)(alpha / beta);
    group->spec.scales = scale;
    group->spec.scale_count = alpha == 1 && beta == 1 ? 0 : 1;
    return add_summand(group, summand) &&
           (beta == 1 ||
            tacho_group_add_post(group, (tacho_fast_post){TACHO_FAST_LINEAR, (float)beta, 0, 0}));
}

static bool translate_gemm(tacho_group *group)
{
    uint32_t a = input_of(group, 0), b = input_of(group, 1);
    if (!is_live_f32(group, a) || !(is_live_f32(group, b) || is_constant_f32(group, b)) ||
        shape_of(group, a)->rank != 2 || shape_of(group, b)->rank != 2 ||
        !tacho_group_add_input(group, a, TACHO_WISH_PLAIN) ||
        !tacho_group_add_input(group, b, TACHO_WISH_PLAIN)) {
        return false;
    }
    group->spec.kind = TACHO_FAST_MATMUL;
    if (tacho_call_int(&group->call, "transA", 0) != 0) {
        tacho_group_transpose(&group->inputs[0]);
    }
    if (tacho_call_int(&group->call, "transB", 0) != 0) {
        tacho_group_transpose(&group->inputs[1]);
    }
    group->inputs[1].is_free = group->inputs[1].data != NULL;
    group->spec.output.is_free = false;
    return add_factors(group, tacho_call_real(&group->call, "alpha", 1),
                       tacho_call_real(&group->call, "beta", 1));
}

void tacho_group_flatten(tacho_fast_tensor *tensor)
{
    int64_t rows = 1;
    for (int32_t i = 0; i < tensor->shape.rank - 1; i++) {
        rows *= tensor->shape.dims[i];
    }
    tensor->shape = (tacho_shape){2, {rows, tensor->shape.dims[tensor->shape.rank - 1]}};
}

static bool translate_matmul(tacho_group *group)
{
    uint32_t a = input_of(group, 0), b = input_of(group, 1);
    tacho_fast_spec *spec = &group->spec;
    bool is_fit = (is_live_f32(group, a) || is_constant_f32(group, a)) &&
                  (is_live_f32(group, b) || is_constant_f32(group, b));
    if (!is_fit || shape_of(group, a)->rank < 2 || shape_of(group, b)->rank < 2 ||
        !tacho_group_add_input(group, a, TACHO_WISH_PLAIN) ||
        !tacho_group_add_input(group, b, TACHO_WISH_PLAIN)) {
        return false;
    }
    spec->kind = TACHO_FAST_MATMUL;
    spec->output.is_free = false;
    group->inputs[1].is_free = group->inputs[1].data != NULL && group->inputs[1].shape.rank == 2;
    if (group->inputs[1].shape.rank == 2 && group->inputs[0].shape.rank > 2 &&
        spec->output.shape.rank == group->inputs[0].shape.rank) {
        tacho_group_flatten(&group->inputs[0]);
        tacho_group_flatten(&spec->output);
    }
    for (int i = 0; i < 2; i++) { /* ones in front; only batches are broadcast */
        tacho_fast_tensor *tensor = &group->inputs[i];
        int32_t more = spec->output.shape.rank - tensor->shape.rank;
        if (more < 0) {
            return false;
        }
        for (int32_t j = spec->output.shape.rank - 1; j >= 0 && more > 0; j--) {
            tensor->shape.dims[j] = j < more ? 1 : tensor->shape.dims[j - more];
        }
        tensor->shape.rank += more;
    }
    return true;
}

/* ---- elements ------------------------------------------------------------------------------ */

static bool translate_function(tacho_group *group)
{
    tacho_fast_post post;
    tacho_pattern pattern;
    uint32_t data = input_of(group, 0);
    data = is_live_f32(group, data) ? data : input_of(group, 1);
    if (tacho_pattern_find(group->self, group->step, &pattern)) {
        post = (tacho_fast_post){pattern.function, 1, 0, 0};
        data = pattern.input;
        for (size_t i = 0; i < pattern.step_count; i++) {
            tacho_group_take_over(group, pattern.steps[i]);
        }
    } else if (!tacho_group_function(group, group->step, &post)) {
        return false;
    }
    if (!is_live_f32(group, data) || value_of(group, group->output)->dtype != TACHO_DTYPE_F32 ||
        !tacho_shape_equal(shape_of(group, data), shape_of(group, group->output)) ||
        !tacho_group_add_input(group, data, TACHO_WISH_AS_IT_IS)) {
        return false;
    }
    group->spec.kind = TACHO_FAST_ELTWISE;
    group->spec.function = post.function;
    group->spec.alpha = post.alpha;
    group->spec.beta = post.beta;
    group->spec.output.is_free = false; /* it has the input's layout */
    group->spec.output.layout = group->inputs[0].layout;
    return true;
}

/* Two operands, of which the second may be broadcast; more of a Sum are posts. */
static bool translate_binary(tacho_group *group)
{
    bool is_swappable;
    tacho_fast_spec *spec = &group->spec;
    size_t count = group->self->program->steps[group->step].input_count;
    const tacho_shape *out = shape_of(group, group->output);
    uint32_t a = input_of(group, 0), b = input_of(group, 1);
    if (!tacho_group_binary(group, group->step, &spec->function, &is_swappable) || count < 2 ||
        count > 2 + TACHO_FAST_POSTS_MAX / 2 || a == TACHO_NONE || b == TACHO_NONE) {
        return false;
    }
    if (is_swappable && (!is_live_f32(group, a) || !tacho_shape_equal(shape_of(group, a), out))) {
        uint32_t first = a;
        a = b;
        b = first;
    }
    if (!is_live_f32(group, a) || !(is_live_f32(group, b) || is_constant_f32(group, b)) ||
        !tacho_shape_equal(shape_of(group, a), out) ||
        !tacho_group_add_input(group, a, TACHO_WISH_AS_IT_IS) ||
        !tacho_group_add_input(group, b, TACHO_WISH_PLAIN) ||
        !tacho_group_widen(&group->inputs[1], out)) {
        return false;
    }
    if (tacho_shape_equal(&group->inputs[1].shape, out) && group->inputs[1].data == NULL &&
        tacho_shape_equal(shape_of(group, b), out)) {
        group->inputs[1].layout = group->inputs[0].layout;
    }
    spec->kind = TACHO_FAST_BINARY;
    for (size_t i = 2; i < count; i++) {
        uint32_t other = input_of(group, i);
        size_t kept = spec->input_count;
        bool is_fit = is_live_f32(group, other) && is_named(group, group->step, "Sum") &&
                      tacho_shape_equal(shape_of(group, other), out) &&
                      tacho_group_add_input(group, other, TACHO_WISH_FREE);
        spec->input_count = kept;
        if (!is_fit) {
            return false;
        }
        spec->posts[spec->post_count++] =
            (tacho_fast_post){TACHO_FAST_ADD, 0, 0, (uint32_t)(kept + spec->post_input_count)};
        spec->post_input_count++;
    }
    return true;
}

/* ---- normalisations ------------------------------------------------------------------------ */

/* With constants it is a factor and a summand for each channel. */
static bool translate_batch_norm(tacho_group *group)
{
    uint32_t data = input_of(group, 0);
    tacho_fast_spec *spec = &group->spec;
    if (!is_live_f32(group, data) || shape_of(group, data)->rank < 2 || group->call.opset < 7 ||
        tacho_call_int(&group->call, "training_mode", 0) != 0 ||
        tacho_call_int(&group->call, "spatial", 1) == 0 || group->call.output_count != 1 ||
        tacho_group_is_thin(shape_of(group, data))) {
        return false;
    }
    const tacho_shape *shape = shape_of(group, data);
    int64_t channels = shape->dims[1];
    const float *parts[4];
    for (size_t i = 0; i < 4; i++) {
        parts[i] = tacho_group_floats(group, input_of(group, i + 1), channels);
        if (parts[i] == NULL) {
            return false;
        }
    }
    float *numbers = tacho_group_memory(group, 2 * channels);
    if (numbers == NULL || !tacho_group_add_input(group, data, TACHO_WISH_AS_IT_IS)) {
        return false;
    }
    double epsilon = tacho_call_real(&group->call, "epsilon", (double)1e-5f);
    for (int64_t i = 0; i < channels; i++) {
        double factor = (double)parts[0][i] / sqrt((double)parts[3][i] + epsilon);
        numbers[i] = (float)factor;
        numbers[channels + i] = (float)((double)parts[1][i] - (double)parts[2][i] * factor);
    }
    for (int i = 1; i < 3; i++) {
        tacho_fast_tensor *to = &group->inputs[i];
        *to = (tacho_fast_tensor){.dtype = TACHO_DTYPE_F32, .data = numbers + (i - 1) * channels};
        to->shape.rank = shape->rank;
        for (int32_t j = 0; j < shape->rank; j++) {
            to->shape.dims[j] = j == 1 ? channels : 1;
        }
        group->ids[i] = TACHO_NONE;
    }
    spec->kind = TACHO_FAST_BINARY;
    spec->function = TACHO_FAST_MUL;
    spec->input_count = 2;
    spec->post_input_count = 1;
    spec->posts[spec->post_count++] = (tacho_fast_post){TACHO_FAST_ADD, 0, 0, 2};
    return true;
}

static bool translate_softmax(tacho_group *group)
{
    uint32_t data = input_of(group, 0);
    bool is_old = tacho_call_before(&group->call, 13);
    if (!is_live_f32(group, data) ||
        !tacho_shape_equal(shape_of(group, data), shape_of(group, group->output))) {
        return false;
    }
    const tacho_shape *shape = shape_of(group, data);
    int32_t axis;
    if (!tacho_axis_resolve(tacho_call_int(&group->call, "axis", is_old ? 1 : -1), shape->rank,
                            &axis) ||
        !tacho_group_add_input(group, data, TACHO_WISH_PLAIN)) {
        return false;
    }
    group->spec.kind =
        is_named(group, group->step, "Softmax") ? TACHO_FAST_SOFTMAX : TACHO_FAST_LOG_SOFTMAX;
    group->spec.axis = axis;
    group->spec.output.is_free = false;
    if (is_old) { /* over all dimensions from there on */
        tacho_split_shape split = tacho_shape_split(shape, axis);
        group->inputs[0].shape = (tacho_shape){2, {split.outer, split.dim * split.inner}};
        group->spec.output.shape = group->inputs[0].shape;
        group->spec.axis = 1;
    } else if (axis != shape->rank - 1) { /* oneDNN wants its elements side by side */
        const tacho_layout *layout =
            tacho_layout_along(group->self->fast, TACHO_DTYPE_F32, shape, axis);
        group->inputs[0].layout = group->spec.output.layout = layout;
        group->is_odd = true;
    }
    return true;
}

static bool translate_lrn(tacho_group *group)
{
    uint32_t data = input_of(group, 0);
    int64_t size = tacho_call_int(&group->call, "size", 1);
    if (!is_live_f32(group, data) || shape_of(group, data)->rank != 4 || size < 1 || size > 1000 ||
        size % 2 == 0 ||
        !tacho_shape_equal(shape_of(group, data), shape_of(group, group->output)) ||
        !tacho_group_add_input(group, data, TACHO_WISH_AS_IT_IS)) {
        return false;
    }
    group->spec.kind = TACHO_FAST_LRN;
    group->spec.axis = (int32_t)size;
    group->spec.alpha = (float)tacho_call_real(&group->call, "alpha", (double)1e-4f);
    group->spec.beta = (float)tacho_call_real(&group->call, "beta", 0.75);
    group->spec.gamma = (float)tacho_call_real(&group->call, "bias", 1);
    group->spec.output.is_free = false;
    group->spec.output.layout = group->inputs[0].layout;
    return true;
}

static bool translate_layer_norm(tacho_group *group)
{
    uint32_t data = input_of(group, 0);
    int32_t axis;
    if (!is_live_f32(group, data) || shape_of(group, data)->rank < 2 ||
        !tacho_shape_equal(shape_of(group, data), shape_of(group, group->output)) ||
        tacho_step_output(group->self, group->step, 1) != TACHO_NONE ||
        tacho_step_output(group->self, group->step, 2) != TACHO_NONE ||
        !tacho_axis_resolve(tacho_call_int(&group->call, "axis", -1), shape_of(group, data)->rank,
                            &axis) ||
        axis != shape_of(group, data)->rank - 1 ||
        !tacho_group_add_input(group, data, TACHO_WISH_PLAIN)) {
        return false;
    }
    int64_t count = shape_of(group, data)->dims[axis];
    for (size_t i = 1; i < 3; i++) {
        uint32_t id = input_of(group, i);
        bool is_fit = id != TACHO_NONE && is_constant_f32(group, id) &&
                      shape_of(group, id)->rank == 1 && shape_of(group, id)->dims[0] == count &&
                      tacho_group_add_input(group, id, TACHO_WISH_PLAIN);
        if (!is_fit && (i == 1 || id != TACHO_NONE)) {
            return false;
        }
    }
    group->spec.kind = TACHO_FAST_LAYER_NORM;
    group->spec.alpha = (float)tacho_call_real(&group->call, "epsilon", (double)1e-5f);
    group->spec.output.is_free = false;
    return true;
}

/* ---- shapes -------------------------------------------------------------------------------- */

/* Which dimensions are summed up: by the attribute, or by a constant input. */
static bool read_axes(tacho_group *group, int32_t rank, bool out_is_reduced[TACHO_RANK_MAX])
{
    size_t count;
    const int64_t *axes = tacho_call_ints(&group->call, "axes", &count);
    uint32_t given = input_of(group, 1);
    if (given != TACHO_NONE) {
        const tacho_value *value = value_of(group, given);
        if (value->state != TACHO_VALUE_CONSTANT || value->dtype != TACHO_DTYPE_I64) {
            return false;
        }
        tacho_status status = tacho_execution_load_constant(group->self, given);
        bool has_value = status == TACHO_OK;
        tacho_status_free(status);
        axes = value->data;
        count = (size_t)(value->bytes / sizeof(int64_t));
        if (!has_value) {
            return false;
        }
    }
    if (count == 0 && tacho_call_int(&group->call, "noop_with_empty_axes", 0) != 0) {
        return false;
    }
    for (int32_t i = 0; i < rank; i++) {
        out_is_reduced[i] = count == 0;
    }
    for (size_t i = 0; i < count; i++) {
        int32_t axis;
        if (!tacho_axis_resolve(axes[i], rank, &axis)) {
            return false;
        }
        out_is_reduced[axis] = true;
    }
    return true;
}

static bool translate_reduction(tacho_group *group, tacho_fast_function function)
{
    uint32_t data = input_of(group, 0);
    bool is_reduced[TACHO_RANK_MAX] = {false};
    uint64_t count, elements;
    if (!is_live_f32(group, data) || shape_of(group, data)->rank < 1 ||
        !read_axes(group, shape_of(group, data)->rank, is_reduced) ||
        !tacho_group_add_input(group, data, TACHO_WISH_AS_IT_IS)) {
        return false;
    }
    tacho_shape *out = &group->spec.output.shape;
    *out = *shape_of(group, data);
    for (int32_t i = 0; i < out->rank; i++) {
        out->dims[i] = is_reduced[i] ? 1 : out->dims[i];
    }
    group->spec.kind = TACHO_FAST_REDUCTION;
    group->spec.function = function;
    group->spec.output.is_free = tacho_shape_equal(out, shape_of(group, group->output));
    return tacho_shape_elements(out, &count) &&
           tacho_shape_elements(shape_of(group, group->output), &elements) && count == elements;
}

static bool translate_reduce_mean(tacho_group *group)
{
    return translate_reduction(group, TACHO_FAST_REDUCE_MEAN);
}

static bool translate_reduce_sum(tacho_group *group)
{
    return translate_reduction(group, TACHO_FAST_REDUCE_SUM);
}

static bool translate_reduce_max(tacho_group *group)
{
    return translate_reduction(group, TACHO_FAST_REDUCE_MAX);
}

static bool translate_reduce_min(tacho_group *group)
{
    return translate_reduction(group, TACHO_FAST_REDUCE_MIN);
}

static bool translate_concat(tacho_group *group)
{
    size_t count = group->self->program->steps[group->step].input_count;
    const tacho_shape *out = shape_of(group, group->output);
    int32_t axis;
    if (count > TACHO_FAST_INPUTS_MAX || !tacho_call_has(&group->call, "axis") ||
        !tacho_axis_resolve(tacho_call_int(&group->call, "axis", 1), out->rank, &axis)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t id = input_of(group, i);
        if (id == TACHO_NONE || value_of(group, id)->dtype != group->spec.output.dtype ||
            !tacho_group_add_input(group, id, TACHO_WISH_AS_IT_IS)) {
            return false;
        }
    }
    group->spec.kind = TACHO_FAST_CONCAT;
    group->spec.axis = axis;
    return true;
}

/* A reorder from memory that has the dimensions in another order. */
static bool translate_transpose(tacho_group *group)
{
    uint32_t data = input_of(group, 0);
    const tacho_value *value = value_of(group, data);
    if (value == NULL || value->state != TACHO_VALUE_LIVE ||
        value->dtype != group->spec.output.dtype ||
        !tacho_group_add_input(group, data, TACHO_WISH_PLAIN)) {
        return false;
    }
    size_t count;
    const int64_t *order = tacho_call_ints(&group->call, "perm", &count);
    int32_t rank = value->shape->rank;
    bool is_seen[TACHO_RANK_MAX] = {false};
    tacho_fast_tensor *input = &group->inputs[0];
    if (rank < 2 || (order != NULL && count != (size_t)rank)) {
        return false;
    }
    input->has_order = true;
    for (int32_t i = 0; i < rank; i++) {
        int64_t from = order == NULL ? rank - 1 - i : order[i];
        if (from < 0 || from >= rank || is_seen[from] ||
            value->shape->dims[from] != group->spec.output.shape.dims[i]) {
            return false;
        }
        is_seen[from] = true;
        input->order[from] = (uint8_t)i;
        input->shape.dims[i] = group->spec.output.shape.dims[i];
    }
    group->spec.kind = TACHO_FAST_REORDER;
    group->spec.output.is_free = false;
    return true;
}

static const struct {
    const char *type;
    bool (*translate)(tacho_group *group);
} translations[] = {
    {"AveragePool", translate_average_pool},
    {"BatchNormalization", translate_batch_norm},
    {"Concat", translate_concat},
    {"Conv", translate_conv},
    {"ConvTranspose", translate_conv_transpose},
    {"Gemm", translate_gemm},
    {"GlobalAveragePool", translate_global_average},
    {"GlobalMaxPool", translate_global_max},
    {"LRN", translate_lrn},
    {"LayerNormalization", translate_layer_norm},
    {"LogSoftmax", translate_softmax},
    {"MatMul", translate_matmul},
    {"MaxPool", translate_max_pool},
    {"ReduceMax", translate_reduce_max},
    {"ReduceMean", translate_reduce_mean},
    {"ReduceMin", translate_reduce_min},
    {"ReduceSum", translate_reduce_sum},
    {"Resize", tacho_group_resize},
    {"Softmax", translate_softmax},
    {"Transpose", translate_transpose},
    {"Upsample", tacho_group_resize},
};

/* Starts afresh, for the next way to translate it. */
static void restart(tacho_group *group)
{
    group->spec = (tacho_fast_spec){0};
    group->step_count = 0;
    tacho_group_set_output(group, tacho_step_output(group->self, group->step, 0), true);
}

bool tacho_group_translate(tacho_group *group)
{
    restart(group);
    for (size_t i = 0; i < sizeof(translations) / sizeof(translations[0]); i++) {
        if (is_named(group, group->step, translations[i].type)) {
            return translations[i].translate(group);
        }
    }
    if (group->spec.output.dtype != TACHO_DTYPE_F32 || group->call.output_count != 1) {
        return false;
    }
    if (translate_function(group)) {
        return true;
    }
    restart(group);
    return translate_binary(group);
}

bool tacho_execution_knows_reals(tacho_str type)
{
    for (size_t i = 0; i < sizeof(translations) / sizeof(translations[0]); i++) {
        if (tacho_str_equal(type, tacho_str_from_cstring(translations[i].type))) {
            return true;
        }
    }
    return tacho_function_is_known(type) || tacho_quick_knows(type, true);
}
