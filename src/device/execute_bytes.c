/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantised models: DequantizeLinear, an operator of reals, QuantizeLinear, in which the operator
 * is computed on bytes by one kernel. A dequantisation waits until its reals are needed; mostly
 * they are not.
 *
 * With data x = sx * (qx - zx), filters w = sw * qw and results y = sy * (qy - zy), a kernel sums
 * up qw * (qx - zx) exactly, adds the bias in units of sx * sw, multiplies by sx * sw / sy, which
 * may differ by channel, rounds and adds zy. Reference kernels round the reals on the way, too; so
 * results are the same or a neighbour.
 */
#include "device/execute_parts.h"
#include "kernels/byte_sum.h"
#include "kernels/quick.h"

#include <math.h>
#include <stdlib.h>

/* The source of a dequantised tensor. */
typedef struct quantised {
    uint32_t id;         /* value of the integers */
    const float *scales; /* one, or one for each of |count| */
    int64_t count;
    int32_t axis; /* of several scales */
    int32_t zero;
} quantised;

static bool is_type(const tacho_execution *self, uint32_t step, const char *type)
{
    return step != TACHO_NONE &&
           tacho_str_equal(tacho_step_type(self, step), tacho_str_from_cstring(type));
}

static bool is_byte(const tacho_value *value)
{
    return value->dtype == TACHO_DTYPE_I8 || value->dtype == TACHO_DTYPE_U8;
}

/* Bytes of a constant that is not itself put off; NULL without any. */
static const void *constant_data(tacho_execution *self, uint32_t id)
{
    if (id == TACHO_NONE || self->values[id].state != TACHO_VALUE_CONSTANT ||
        self->values[id].is_deferred) {
        return NULL;
    }
    tacho_status status = tacho_execution_load_constant(self, id);
    bool is_fine = status == TACHO_OK;
    tacho_status_free(status);
    return is_fine ? self->values[id].data : NULL;
}

/* The zero point, which has to be the same for all; of the type of the integers. */
static bool read_zero(tacho_execution *self, uint32_t id, tacho_dtype dtype, int32_t *out_zero)
{
    *out_zero = 0;
    if (id == TACHO_NONE) {
        return true;
    }
    const unsigned char *data = constant_data(self, id);
    size_t size = tacho_dtype_element_bytes(dtype);
    uint64_t bytes = self->values[id].bytes;
    if (data == NULL || self->values[id].dtype != dtype || bytes < size) {
        return false;
    }
    for (uint64_t i = size; i < bytes; i += size) {
        if (memcmp(data, data + i, size) != 0) {
            return false;
        }
    }
    int8_t as_i8;
    int32_t as_i32 = 0;
    memcpy(&as_i8, data, 1);
    memcpy(&as_i32, data, size == 4 ? 4 : 0);
    *out_zero = dtype == TACHO_DTYPE_U8 ? data[0] : dtype == TACHO_DTYPE_I8 ? as_i8 : as_i32;
    return true;
}

/* Integers |id| with their scale and zero point; without a scale it is 1. */
static bool read_scaled(tacho_execution *self, uint32_t id, uint32_t scale, uint32_t zero,
                        int64_t axis, quantised *out)
{
    static const float one = 1;
    const tacho_value *value = &self->values[id];
    tacho_dtype dtype = value->dtype;
    *out = (quantised){.id = id, .scales = &one, .count = 1};
    if (!(is_byte(value) || dtype == TACHO_DTYPE_I32)) {
        return false;
    }
    if (scale != TACHO_NONE) {
        out->scales = constant_data(self, scale);
        out->count = (int64_t)(self->values[scale].bytes / sizeof(float));
        if (out->scales == NULL || self->values[scale].dtype != TACHO_DTYPE_F32 ||
            self->values[scale].shape->rank > 1) {
            return false;
        }
    }
    if (out->count != 1 && (!tacho_axis_resolve(axis, value->shape->rank, &out->axis) ||
                            value->shape->dims[out->axis] != out->count)) {
        return false;
    }
    for (int64_t i = 0; i < out->count; i++) {
        if (!(out->scales[i] > 0) || !isfinite((double)out->scales[i])) {
            return false;
        }
    }
    return read_zero(self, zero, dtype, &out->zero);
}

/* The same of a QuantizeLinear or DequantizeLinear. */
static bool read_scaling(tacho_execution *self, uint32_t step, uint32_t id, quantised *out)
{
    const tacho_step *at = &self->program->steps[step];
    int64_t axis = tacho_attr_int(tacho_step_attrs(self, at), at->attr_count, "axis", 1);
    uint32_t scale = tacho_step_input(self, step, 1);
    return scale != TACHO_NONE &&
           tacho_attr_int(tacho_step_attrs(self, at), at->attr_count, "block_size", 0) == 0 &&
           read_scaled(self, id, scale, tacho_step_input(self, step, 2), axis, out);
}

/* The source of the dequantised reals |id|, views seen through; false when there is none. */
static bool find_quantised(tacho_execution *self, uint32_t id, quantised *out)
{
    if (id == TACHO_NONE) {
        return false;
    }
    uint32_t root = self->values[id].root, step = self->values[root].producer;
    if (!is_type(self, step, "DequantizeLinear") || tacho_step_output(self, step, 0) != root) {
        return false;
    }
    uint32_t from = tacho_step_input(self, step, 0);
    return from != TACHO_NONE && self->values[from].state != TACHO_VALUE_NONE &&
           read_scaling(self, step, from, out);
}

static bool is_same(const tacho_execution *self, const quantised *a, const quantised *b)
{
    return a->count == 1 && b->count == 1 && a->scales[0] == b->scales[0] && a->zero == b->zero &&
           self->values[a->id].dtype == self->values[b->id].dtype;
}

/* ---- no kernel ----------------------------------------------------------------------------- */

static bool defer(tacho_execution *self, uint32_t step)
{
    uint32_t from = tacho_step_input(self, step, 0), to = tacho_step_output(self, step, 0);
    quantised found;
    if (from == TACHO_NONE || to == TACHO_NONE || !read_scaling(self, step, from, &found) ||
        self->values[to].dtype != TACHO_DTYPE_F32 || self->values[from].is_deferred ||
        !tacho_shape_equal(self->values[from].shape, self->values[to].shape)) {
        return false;
    }
    bool is_constant = self->values[from].state == TACHO_VALUE_CONSTANT;
    self->values[to].state = is_constant ? TACHO_VALUE_CONSTANT : TACHO_VALUE_LIVE;
    self->values[to].is_deferred = true;
    self->counts.free += is_constant ? 0 : 1; /* of constants it is counted by the caller */
    return true;
}

/* A quantisation that undoes a dequantisation: the integers are available. */
static bool undo(tacho_execution *self, uint32_t step)
{
    uint32_t from = tacho_step_input(self, step, 0), to = tacho_step_output(self, step, 0);
    quantised before, behind;
    if (from == TACHO_NONE || to == TACHO_NONE || !find_quantised(self, from, &before) ||
        !read_scaling(self, step, to, &behind) || !is_same(self, &before, &behind) ||
        self->values[before.id].bytes != self->values[to].bytes ||
        self->values[before.id].state != TACHO_VALUE_LIVE) {
        return false;
    }
    self->values[to].state = TACHO_VALUE_LIVE;
    self->values[to].root = self->values[before.id].root;
    self->counts.free++;
    return true;
}

bool tacho_bytes_take(tacho_execution *self, uint32_t step)
{
    if (is_type(self, step, "DequantizeLinear")) {
        return defer(self, step);
    }
    return is_type(self, step, "QuantizeLinear") && undo(self, step);
}

/* ---- followers ----------------------------------------------------------------------------- */

/* Whether a function times a positive number is the function of numbers times it. */
static bool is_scalable(const tacho_fast_post *post)
{
    return post->function == TACHO_FAST_RELU || post->function == TACHO_FAST_CLIP;
}

/* Functions and a quantisation after the root. |out_made| is the quantisation of the results. */
static bool follow_all(tacho_group *group, tacho_fast_post *posts, size_t *out_count,
                       quantised *out_made)
{
    tacho_execution *self = group->self;
    *out_count = 0;
    for (;;) {
        uint32_t step = tacho_group_follower(group);
        if (step == TACHO_NONE) {
            return false;
        }
        uint32_t made = tacho_step_output(self, step, 0);
        if (self->values[made].state != TACHO_VALUE_NONE || self->values[made].bytes == 0 ||
            !tacho_shape_equal(self->values[made].shape, self->values[group->output].shape)) {
            return false;
        }
        if (is_type(self, step, "QuantizeLinear")) {
            tacho_group_take_over(group, step);
            return read_scaling(self, step, made, out_made) && out_made->count == 1 &&
                   is_byte(&self->values[made]);
        }
        if (*out_count + 3 >= TACHO_FAST_POSTS_MAX ||
            !tacho_group_function(group, step, &posts[*out_count])) {
            return false;
        }
        (*out_count)++;
        tacho_group_take_over(group, step);
    }
}

/* Posts of results in units of |scale|, 1 being the reals themselves. */
static bool add_posts(tacho_group *group, const tacho_fast_post *posts, size_t count, float scale)
{
    bool is_done = true;
    for (size_t i = 0; i < count && is_done; i++) {
        tacho_fast_post post = posts[i];
        if (post.function == TACHO_FAST_CLIP) {
            post.alpha /= scale;
            post.beta /= scale;
        }
        is_done = tacho_group_add_post(group, post);
    }
    return is_done;
}

/* A zero point is added to integers: added before rounding, it would move ties. */
static bool add_rounding(tacho_group *group, int32_t zero)
{
    return zero == 0 || tacho_group_add_post(group, (tacho_fast_post){TACHO_FAST_ROUND, 0, 0, 0});
}

/* ---- products ------------------------------------------------------------------------------ */

/* How the sums become results. */
typedef enum product_kind {
    BY_STEPS,  /* between DequantizeLinear and QuantizeLinear */
    QUANTISED, /* by the operator itself */
    SUMS,      /* they are the result */
} product_kind;

/* A product of bytes while it is put together. */
typedef struct product {
    product_kind kind;
    quantised data, filters, made;
    uint32_t bias; /* value, or TACHO_NONE */
    bool has_live_zero;
    uint32_t live_zero; /* of the data, if it is known only when it runs */
    int64_t channels;
    tacho_fast_post posts[TACHO_FAST_POSTS_MAX];
    size_t post_count;
} product;

static float filter_scale(const product *self, int64_t channel)
{
    return self->data.scales[0] * self->filters.scales[self->filters.count == 1 ? 0 : channel];
}

/* Factors of the sums; the rest of the scale is applied by posts after functions. */
static bool set_scales(tacho_group *group, const product *self)
{
    bool can_scale = true;
    for (size_t i = 0; i < self->post_count; i++) {
        can_scale = can_scale && is_scalable(&self->posts[i]);
    }
    float out = can_scale ? self->made.scales[0] : 1;
    int64_t count = self->filters.count;
    float *scales = tacho_group_memory(group, count);
    if (scales == NULL) {
        return false;
    }
    for (int64_t i = 0; i < count; i++) {
        scales[i] = filter_scale(self, i) / out;
    }
    group->spec.scales = scales;
    group->spec.scale_count = (size_t)count;
    group->spec.input_zero = self->data.zero;
    group->spec.output_zero = self->made.zero;
    tacho_fast_post last = {TACHO_FAST_LINEAR, 1 / self->made.scales[0], 0, 0};
    return add_posts(group, self->posts, self->post_count, out) &&
           (can_scale || tacho_group_add_post(group, last)) && add_rounding(group, self->made.zero);
}

/* The bias in units of the sums: the integers it was quantised to, else reals divided. */
static bool add_bias(tacho_group *group, const product *self)
{
    tacho_execution *execution = group->self;
    quantised found;
    tacho_fast_tensor *to = &group->inputs[2];
    if (self->bias == TACHO_NONE) {
        return true;
    }
    if (execution->values[self->bias].bytes != (uint64_t)self->channels * sizeof(float)) {
        return false;
    }
    *to = (tacho_fast_tensor){.shape = {1, {self->channels}}};
    if (group->spec.kind == TACHO_FAST_MATMUL) {
        to->shape = (tacho_shape){2, {1, self->channels}};
    }
    if (self->kind != BY_STEPS) { /* in these units already */
        to->dtype = execution->values[self->bias].dtype;
        to->data = constant_data(execution, self->bias);
        group->ids[2] = TACHO_NONE;
        group->spec.input_count = 3;
        return to->dtype == TACHO_DTYPE_I32 && to->data != NULL;
    }
    bool is_int = find_quantised(execution, self->bias, &found) && found.zero == 0 &&
                  execution->values[found.id].dtype == TACHO_DTYPE_I32 &&
                  execution->values[found.id].bytes == execution->values[self->bias].bytes &&
                  (found.count == 1 || found.count == self->channels);
    for (int64_t i = 0; is_int && i < self->channels; i++) {
        float scale = found.scales[found.count == 1 ? 0 : i];
        is_int = fabsf(scale - filter_scale(self, i)) <= 1e-5f * scale;
    }
    if (is_int) {
        to->dtype = TACHO_DTYPE_I32;
        to->data = constant_data(execution, found.id);
    } else {
        const float *reals = tacho_group_floats(group, self->bias, self->channels);
        float *scaled = reals == NULL ? NULL : tacho_group_memory(group, self->channels);
        for (int64_t i = 0; scaled != NULL && i < self->channels; i++) {
            scaled[i] = reals[i] / filter_scale(self, i);
        }
        to->dtype = TACHO_DTYPE_F32;
        to->data = scaled;
    }
    group->ids[2] = TACHO_NONE;
    group->spec.input_count = 3;
    return to->data != NULL;
}

/* Where operators that are quantised themselves have their operands; NO: nowhere. */
enum { NO = 63 };

static const struct {
    const char *type;
    product_kind kind;
    uint8_t data, data_scale, data_zero, filters, filter_scale, filter_zero, made_scale, made_zero;
    uint8_t bias;
} operators[] = {
    {"ConvInteger", SUMS, 0, NO, 2, 1, NO, 3, NO, NO, NO},
    {"MatMulInteger", SUMS, 0, NO, 2, 1, NO, 3, NO, NO, NO},
    {"QLinearConv", QUANTISED, 0, 1, 2, 3, 4, 5, 6, 7, 8},
    {"QLinearMatMul", QUANTISED, 0, 1, 2, 3, 4, 5, 6, 7, NO},
};

/* Whether the zero point of |data| is a value that is computed: one byte of its type. */
static bool is_live_zero(const tacho_execution *self, uint32_t data, uint32_t zero)
{
    return zero != TACHO_NONE && data != TACHO_NONE &&
           self->values[zero].state == TACHO_VALUE_LIVE && self->values[zero].bytes == 1 &&
           self->values[zero].dtype == self->values[data].dtype;
}

static bool read_operands(tacho_group *group, product *self, size_t row)
{
    tacho_execution *execution = group->self;
    uint32_t inputs[NO + 1];
    for (size_t i = 0; i <= NO; i++) {
        inputs[i] = tacho_step_input(execution, group->step, i);
    }
    inputs[NO] = TACHO_NONE;
    uint32_t data = inputs[operators[row].data], filters = inputs[operators[row].filters];
    int64_t axis = is_type(execution, group->step, "QLinearConv") ? 0 : -1;
    self->kind = operators[row].kind;
    self->bias = inputs[operators[row].bias];
    self->live_zero = inputs[operators[row].data_zero];
    self->has_live_zero = self->kind == SUMS && is_live_zero(execution, data, self->live_zero);
    if (self->has_live_zero) {
        inputs[operators[row].data_zero] = TACHO_NONE;
    }
    return data != TACHO_NONE && filters != TACHO_NONE &&
           execution->values[data].state != TACHO_VALUE_NONE &&
           read_scaled(execution, data, inputs[operators[row].data_scale],
                       inputs[operators[row].data_zero], 0, &self->data) &&
           read_scaled(execution, filters, inputs[operators[row].filter_scale],
                       inputs[operators[row].filter_zero], axis, &self->filters) &&
           read_scaled(execution, group->output, inputs[operators[row].made_scale],
                       inputs[operators[row].made_zero], 0, &self->made) &&
           self->made.count == 1;
}

/* Data and constant filters. */
static bool find_operands(tacho_group *group, product *self)
{
    tacho_execution *execution = group->self;
    uint32_t step = group->step;
    bool is_found = false, is_own = false;
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
        if (is_type(execution, step, operators[i].type)) {
            is_own = true;
            is_found = read_operands(group, self, i);
        }
    }
    if (!is_own) {
        self->bias = tacho_step_input(execution, step, 2);
        is_found = find_quantised(execution, tacho_step_input(execution, step, 0), &self->data) &&
                   find_quantised(execution, tacho_step_input(execution, step, 1), &self->filters);
    }
    return is_found && self->data.count == 1 && is_byte(&execution->values[self->data.id]) &&
           execution->values[self->data.id].state == TACHO_VALUE_LIVE &&
           execution->values[self->filters.id].state == TACHO_VALUE_CONSTANT &&
           is_byte(&execution->values[self->filters.id]);
}

/* The upper bound of a sum, for any data. */
static uint64_t largest_sum(const tacho_group *group, const product *self)
{
    const tacho_fast_tensor *filters = &group->inputs[1];
    const signed char *data = filters->data;
    uint64_t count = group->self->values[self->filters.id].bytes;
    int largest = 0;
    for (uint64_t i = 0; i < count; i++) {
        largest = abs(data[i]) > largest ? abs(data[i]) : largest;
    }
    uint64_t depth = self->channels > 0 ? count / (uint64_t)self->channels : 0;
    return depth < (1 << 24) ? depth * (uint64_t)largest * 255 : UINT64_MAX;
}

/*
 * Kernels of oneDNN hand sums on as f32, exact up to 2^24, and know zero points before they run;
 * our own has 32 bits, and takes them with the data.
 */
static bool finish_sums(tacho_group *group, product *self)
{
    uint64_t largest = largest_sum(group, self);
    group->spec.input_zero = self->data.zero;
    group->spec.is_own = largest > 1 << 24;
    group->spec.has_live_zero = self->has_live_zero;
    return largest <= INT32_MAX &&
           (!self->has_live_zero ||
            tacho_group_add_input(group, self->live_zero, TACHO_WISH_PLAIN));
}

/* Adds the posts of the sums. */
static bool finish_product(tacho_group *group, product *self)
{
    if (self->kind == SUMS) {
        return finish_sums(group, self);
    }
    return (self->kind == QUANTISED ||
            follow_all(group, self->posts, &self->post_count, &self->made)) &&
           set_scales(group, self);
}

/* Filters less their zero point, which have to fit a signed byte. */
static bool add_filters(tacho_group *group, const quantised *filters, tacho_group_wish wish)
{
    const tacho_value *value = &group->self->values[filters->id];
    const unsigned char *from = constant_data(group->self, filters->id);
    size_t at = group->spec.input_count;
    if (from == NULL || !tacho_group_add_input(group, filters->id, wish)) {
        return false;
    }
    if (value->dtype == TACHO_DTYPE_I8 && filters->zero == 0) {
        return true;
    }
    int8_t *moved = (int8_t *)tacho_group_memory(group, (int64_t)(value->bytes / 4 + 1));
    for (uint64_t i = 0; moved != NULL && i < value->bytes; i++) {
        int byte = value->dtype == TACHO_DTYPE_U8 || from[i] < 128 ? from[i] : from[i] - 256;
        byte -= filters->zero;
        if (byte < INT8_MIN || byte > INT8_MAX) {
            return false;
        }
        moved[i] = (int8_t)byte;
    }
    group->inputs[at].data = moved;
    group->inputs[at].dtype = TACHO_DTYPE_I8;
    return moved != NULL;
}

static bool translate_conv(tacho_group *group)
{
    product self = {0};
    if (!find_operands(group, &self)) {
        return false;
    }
    const tacho_value *values = group->self->values;
    const tacho_shape *in = values[self.data.id].shape;
    const tacho_shape *filters = values[self.filters.id].shape;
    const tacho_shape *out = values[group->output].shape;
    self.channels = out->rank > 1 ? out->dims[1] : 0;
    group->spec.kind = TACHO_FAST_CONVOLUTION;
    return in->rank >= 3 && in->rank <= 5 && filters->rank == in->rank &&
           tacho_shape_equal(in, &group->call.inputs[0]->shape) &&
           (self.filters.count == 1 || self.filters.axis == 0) &&
           tacho_window_read(&group->call, in, out, filters->dims + 2, &group->window) &&
           tacho_group_add_input(group, self.data.id, TACHO_WISH_FREE) &&
           add_filters(group, &self.filters, TACHO_WISH_FREE) &&
           tacho_group_split(group, tacho_call_int(&group->call, "group", 1), false) &&
           add_bias(group, &self) && finish_product(group, &self);
}

/* A matrix times a matrix of constants. */
static bool translate_product(tacho_group *group)
{
    product self = {0};
    bool is_gemm = is_type(group->self, group->step, "Gemm");
    bool is_turned = is_gemm && tacho_call_int(&group->call, "transB", 0) != 0;
    if (!find_operands(group, &self)) {
        return false;
    }
    const tacho_value *values = group->self->values;
    const tacho_shape *b = values[self.filters.id].shape;
    const tacho_shape *a = values[tacho_step_input(group->self, group->step, 0)].shape;
    const tacho_shape *out = values[group->output].shape;
    self.bias = is_gemm ? self.bias : TACHO_NONE; /* a MatMul has none */
    if (b->rank != 2 || a->rank < 2 || out->rank != a->rank || (is_gemm && a->rank != 2) ||
        tacho_call_int(&group->call, "transA", 0) != 0 ||
        tacho_call_real(&group->call, "alpha", 1) != 1 ||
        tacho_call_real(&group->call, "beta", 1) != 1 ||
        (self.filters.count > 1 && self.filters.axis != (is_turned ? 0 : 1))) {
        return false;
    }
    self.channels = out->dims[out->rank - 1];
    group->spec.kind = TACHO_FAST_MATMUL;
    if (!tacho_group_add_input(group, self.data.id, TACHO_WISH_PLAIN) ||
        !add_filters(group, &self.filters, TACHO_WISH_PLAIN)) {
        return false;
    }
    group->inputs[0].shape = *a;
    group->inputs[1].is_free = true;
    if (is_turned) {
        tacho_group_transpose(&group->inputs[1]);
    }
    group->spec.output.is_free = false;
    tacho_group_flatten(&group->inputs[0]);
    tacho_group_flatten(&group->spec.output);
    return add_bias(group, &self) && finish_product(group, &self);
}

/* ---- others -------------------------------------------------------------------------------- */

/* Bounds from functions after a sum; false when there are others. */
static bool read_bounds(tacho_byte_sum *self, const tacho_fast_post *posts, size_t count)
{
    self->low = -(float)INFINITY;
    self->high = (float)INFINITY;
    for (size_t i = 0; i < count; i++) {
        bool is_relu = posts[i].function == TACHO_FAST_RELU && posts[i].alpha == 0;
        if (!is_relu && posts[i].function != TACHO_FAST_CLIP) {
            return false;
        }
        float low = is_relu ? 0 : posts[i].alpha, high = is_relu ? (float)INFINITY : posts[i].beta;
        self->low = fminf(fmaxf(self->low, low), high); /* as one after the other */
        self->high = fminf(fmaxf(self->high, low), high);
    }
    return true;
}

/* Adds offset, bounds, and the zero point, which is added to rounded numbers. */
static bool add_sum_posts(tacho_group *group, const tacho_byte_sum *self)
{
    tacho_fast_spec *spec = &group->spec;
    float scale = self->made.scale;
    bool has_bounds = self->low > -(float)INFINITY || self->high < (float)INFINITY;
    tacho_fast_post shift = {TACHO_FAST_LINEAR, 1, self->offset, 0};
    tacho_fast_post clip = {TACHO_FAST_CLIP, fmaxf(self->low / scale, -1024),
                            fminf(self->high / scale, 1024), 0};
    if (!tacho_group_add_post(group, shift) || (has_bounds && !tacho_group_add_post(group, clip)) ||
        !add_rounding(group, self->made.zero)) {
        return false;
    }
    float *zero = tacho_group_memory(group, 1);
    if (self->made.zero == 0 || zero == NULL) {
        return zero != NULL;
    }
    *zero = (float)self->made.zero;
    group->inputs[2] = (tacho_fast_tensor){.dtype = TACHO_DTYPE_F32, .data = zero};
    group->inputs[2].shape.rank = spec->output.shape.rank;
    for (int32_t i = 0; i < spec->output.shape.rank; i++) {
        group->inputs[2].shape.dims[i] = 1;
    }
    group->ids[2] = TACHO_NONE;
    spec->post_input_count = 1;
    spec->posts[spec->post_count++] = (tacho_fast_post){TACHO_FAST_ADD, 0, 0, 2};
    return true;
}

/* The live bytes, all of one meaning, that the step's input |i| is made from: its own shape. */
static bool add_summand(tacho_group *group, size_t i, tacho_byte_meaning *out_meaning)
{
    tacho_execution *self = group->self;
    quantised found;
    if (!find_quantised(self, tacho_step_input(self, group->step, i), &found) || found.count != 1) {
        return false;
    }
    const tacho_value *value = &self->values[found.id];
    *out_meaning = (tacho_byte_meaning){value->dtype, found.scales[0], found.zero};
    return is_byte(value) && value->state == TACHO_VALUE_LIVE &&
           tacho_shape_equal(self->values[group->output].shape, value->shape) &&
           tacho_group_add_input(group, found.id, TACHO_WISH_AS_IT_IS);
}

/* a + b: bytes times their scales, more a number for all zero points. */
static bool translate_add(tacho_group *group)
{
    tacho_execution *self = group->self;
    tacho_fast_spec *spec = &group->spec;
    tacho_byte_sum sum = {0};
    quantised made;
    tacho_fast_post posts[TACHO_FAST_POSTS_MAX];
    size_t post_count;
    if (self->program->steps[group->step].input_count != 2 || !add_summand(group, 0, &sum.a) ||
        !add_summand(group, 1, &sum.b) || !follow_all(group, posts, &post_count, &made) ||
        !read_bounds(&sum, posts, post_count)) {
        return false;
    }
    sum.made = (tacho_byte_meaning){self->values[group->output].dtype, made.scales[0], made.zero};
    if (!tacho_byte_sum_solve(&sum)) {
        return false;
    }
    if (sum.a.dtype == sum.b.dtype) {
        group->inputs[1].layout = group->inputs[0].layout;
    }
    spec->kind = TACHO_FAST_BINARY;
    spec->function = TACHO_FAST_ADD;
    spec->input_scales[0] = sum.factors[0];
    spec->input_scales[1] = sum.factors[1];
    return add_sum_posts(group, &sum);
}

/*
 * Whether a mean of bytes can be halfway between two: that of an odd number cannot. For ties,
 * kernels take the even byte, which agrees with the model only if the zero point is even.
 */
static bool has_ties(const tacho_window *window, const tacho_shape *in)
{
    bool is_odd = true;
    for (int32_t i = 0; i < window->spatial; i++) {
        int64_t size = in->dims[i + 2];
        bool is_within = window->begins[i] <= 0 && window->ends[i] <= 0;
        is_odd &= (is_within || window->kernel[i] == 1) && window->kernel[i] % 2 == 1;
        is_odd &= window->kernel[i] <= size;
    }
    return !is_odd;
}

/* A pool of bytes with the same scale and zero point before and after. */
static bool translate_pool(tacho_group *group)
{
    tacho_execution *self = group->self;
    quantised data, made;
    tacho_fast_post posts[TACHO_FAST_POSTS_MAX];
    size_t post_count;
    if (!find_quantised(self, tacho_step_input(self, group->step, 0), &data) || data.count != 1 ||
        self->values[data.id].state != TACHO_VALUE_LIVE || !is_byte(&self->values[data.id]) ||
        !tacho_shape_equal(self->values[data.id].shape,
                           self->values[tacho_step_input(self, group->step, 0)].shape) ||
        !tacho_group_translate(group) || group->spec.kind != TACHO_FAST_POOL ||
        group->spec.function == TACHO_FAST_POOL_MEAN_PADDED) {
        return false;
    }
    if (group->spec.function == TACHO_FAST_POOL_MEAN && data.zero % 2 != 0 &&
        has_ties(&group->window, self->values[data.id].shape)) {
        return false;
    }
    group->spec.input_count = 0;
    return tacho_group_add_input(group, data.id, TACHO_WISH_AS_IT_IS) &&
           follow_all(group, posts, &post_count, &made) && post_count == 0 &&
           is_same(self, &data, &made);
}

/* Reals to bytes: a quotient in f32, as ONNX has it; the product with 1 / scale would move ties. */
static bool translate_quantise(tacho_group *group)
{
    tacho_execution *self = group->self;
    tacho_fast_spec *spec = &group->spec;
    uint32_t from = tacho_step_input(self, group->step, 0);
    quantised made;
    if (from == TACHO_NONE || self->values[from].state != TACHO_VALUE_LIVE ||
        self->values[from].dtype != TACHO_DTYPE_F32 ||
        !read_scaling(self, group->step, group->output, &made) || made.count != 1 ||
        !is_byte(&self->values[group->output]) ||
        !tacho_group_add_input(group, from, TACHO_WISH_AS_IT_IS)) {
        return false;
    }
    tacho_fast_tensor *scale = &group->inputs[1];
    *scale = (tacho_fast_tensor){.dtype = TACHO_DTYPE_F32, .data = made.scales};
    scale->shape.rank = spec->output.shape.rank;
    for (int32_t i = 0; i < scale->shape.rank; i++) {
        scale->shape.dims[i] = 1;
    }
    group->ids[1] = TACHO_NONE;
    spec->input_count = 2;
    spec->kind = TACHO_FAST_BINARY;
    spec->function = TACHO_FAST_DIV;
    tacho_fast_post shift = {TACHO_FAST_LINEAR, 1, (float)made.zero, 0};
    return add_rounding(group, made.zero) && (made.zero == 0 || tacho_group_add_post(group, shift));
}

/* Bytes to reals, in the layout of the bytes. One product, rounded once: as reference kernels. */
static bool translate_dequantise(tacho_group *group)
{
    tacho_execution *self = group->self;
    quantised data;
    if (!find_quantised(self, group->output, &data) || data.count != 1 ||
        self->values[data.id].state != TACHO_VALUE_LIVE || !is_byte(&self->values[data.id]) ||
        !tacho_group_add_input(group, data.id, TACHO_WISH_AS_IT_IS)) {
        return false;
    }
    group->spec.kind = TACHO_FAST_REORDER;
    group->spec.scales = data.scales;
    group->spec.scale_count = 1;
    group->spec.input_zero = data.zero;
    group->spec.output.is_free = false;
    return true;
}

static const struct {
    const char *type;
    bool (*translate)(tacho_group *group);
} translations[] = {
    {"Add", translate_add},
    {"AveragePool", translate_pool},
    {"Conv", translate_conv},
    {"ConvInteger", translate_conv},
    {"DequantizeLinear", translate_dequantise},
    {"Gemm", translate_product},
    {"GlobalAveragePool", translate_pool},
    {"GlobalMaxPool", translate_pool},
    {"MatMul", translate_product},
    {"MatMulInteger", translate_product},
    {"MaxPool", translate_pool},
    {"QLinearConv", translate_conv},
    {"QLinearMatMul", translate_product},
    {"QuantizeLinear", translate_quantise},
    {"tosa.conv2d", tacho_group_tosa_conv},
    {"tosa.conv3d", tacho_group_tosa_conv},
    {"tosa.depthwise_conv2d", tacho_group_tosa_depthwise},
    {"tosa.matmul", tacho_group_tosa_matmul},
};

bool tacho_group_translate_bytes(tacho_group *group)
{
    for (size_t i = 0; i < sizeof(translations) / sizeof(translations[0]); i++) {
        if (is_type(group->self, group->step, translations[i].type)) {
            tacho_group_set_output(group, group->output, true);
            bool is_done = group->self->fast != NULL && translations[i].translate(group);
            group->spec.output.dtype = group->self->values[group->output].dtype;
            return is_done;
        }
    }
    return false;
}

bool tacho_execution_knows_bytes(tacho_str type)
{
    for (size_t i = 0; i < sizeof(translations) / sizeof(translations[0]); i++) {
        if (tacho_str_equal(type, tacho_str_from_cstring(translations[i].type))) {
            return true;
        }
    }
    return tacho_quick_knows(type, false);
}
