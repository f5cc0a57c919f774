/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups: a step that a fast kernel computes, with the steps after it that the same kernel can do
 * on the way. A group is put together, prepared, and becomes a task; where oneDNN refuses the
 * whole, it is tried without followers, and then left to reference kernels.
 */
#include "base/grow.h"
#include "device/execute_parts.h"

#include <math.h>
#include <stdlib.h>

/* ---- inputs -------------------------------------------------------------------------------- */

static bool is_known_type(tacho_dtype dtype)
{
    return dtype == TACHO_DTYPE_F32 || dtype == TACHO_DTYPE_I8 || dtype == TACHO_DTYPE_U8 ||
           dtype == TACHO_DTYPE_I32;
}

bool tacho_group_add_input(tacho_group *group, uint32_t id, tacho_group_wish wish)
{
    tacho_execution *self = group->self;
    tacho_fast_spec *spec = &group->spec;
    size_t at = spec->input_count + spec->post_input_count;
    if (id == TACHO_NONE || at >= TACHO_FAST_INPUTS_MAX ||
        !is_known_type((tacho_dtype)self->values[id].dtype)) {
        return false;
    }
    id = tacho_value_whole(self, id);
    const tacho_value *value = &self->values[id];
    tacho_fast_tensor *to = &group->inputs[at];
    *to = (tacho_fast_tensor){.dtype = (tacho_dtype)value->dtype, .shape = *value->shape};
    group->ids[at] = id;
    if (value->bytes == 0) {
        return false; /* nothing to compute */
    }
    if (to->shape.rank == 0) {
        to->shape = (tacho_shape){1, {1}};
    }
    if (value->state == TACHO_VALUE_CONSTANT) {
        tacho_status status = tacho_execution_load_constant(self, id);
        if (status != TACHO_OK) {
            tacho_status_free(status); /* the fallback reports it again */
            return false;
        }
        to->data = value->data;
        group->ids[at] = TACHO_NONE;
    } else if (wish == TACHO_WISH_AS_IT_IS) {
        to->layout = tacho_value_layout(self, id);
    }
    to->is_free = wish == TACHO_WISH_FREE;
    spec->input_count++;
    return true;
}

float *tacho_group_memory(tacho_group *group, int64_t count)
{
    if (group->owned_count >= TACHO_GROUP_OWNED_MAX || count <= 0) {
        return NULL;
    }
    float *memory = calloc((size_t)count, sizeof(*memory));
    group->owned[group->owned_count] = memory;
    group->owned_count += memory != NULL ? 1 : 0;
    return memory;
}

const float *tacho_group_floats(tacho_group *group, uint32_t id, int64_t count)
{
    tacho_execution *self = group->self;
    if (id == TACHO_NONE || self->values[id].state != TACHO_VALUE_CONSTANT ||
        self->values[id].dtype != TACHO_DTYPE_F32 ||
        self->values[id].bytes != (uint64_t)count * sizeof(float)) {
        return NULL;
    }
    tacho_status status = tacho_execution_load_constant(self, id);
    if (status != TACHO_OK) {
        tacho_status_free(status);
        return NULL;
    }
    return self->values[id].data;
}

bool tacho_group_scalar(tacho_group *group, uint32_t id, float *out_value)
{
    const float *value = tacho_group_floats(group, id, 1);
    *out_value = value == NULL ? 0 : *value;
    return value != NULL;
}

void tacho_group_set_output(tacho_group *group, uint32_t id, bool is_free)
{
    const tacho_value *value = &group->self->values[id];
    group->output = id;
    group->spec.output = (tacho_fast_tensor){
        .dtype = (tacho_dtype)value->dtype, .shape = *value->shape, .is_free = is_free};
    if (value->shape->rank == 0) {
        group->spec.output.shape = (tacho_shape){1, {1}};
    }
}

/* ---- followers ----------------------------------------------------------------------------- */

static bool is_type(const tacho_execution *self, uint32_t step, const char *type)
{
    return tacho_str_equal(tacho_step_type(self, step), tacho_str_from_cstring(type));
}

uint32_t tacho_group_follower(const tacho_group *group)
{
    const tacho_execution *self = group->self;
    const tacho_value *value = &self->values[group->output];
    uint32_t next = value->reader;
    bool is_sole = value->uses == 1 && next != TACHO_NONE && next > group->step &&
                   group->step_count < TACHO_GROUP_STEPS_MAX && !self->is_done[next] &&
                   tacho_step_is_with(self, group->step, next) &&
                   self->program->steps[next].op == self->program->steps[group->step].op &&
                   self->program->steps[next].output_count == 1 &&
                   tacho_step_output(self, next, 0) != TACHO_NONE;
    return is_sole ? next : TACHO_NONE;
}

/* Whether the result of |step| is like the group's, so that it can take its place. */
static bool is_like(const tacho_group *group, uint32_t step)
{
    const tacho_value *mine = &group->self->values[group->output];
    const tacho_value *other = &group->self->values[tacho_step_output(group->self, step, 0)];
    return mine->dtype == other->dtype && other->state == TACHO_VALUE_NONE &&
           tacho_shape_equal(mine->shape, other->shape);
}

void tacho_group_take_over(tacho_group *group, uint32_t step)
{
    group->steps[group->step_count++] = step;
    group->output = tacho_step_output(group->self, step, 0);
}

/* Factor and summand of each channel of a BatchNormalization with constants. */
static bool read_norm(tacho_group *group, uint32_t step, int64_t channels, float *factors,
                      float *summands)
{
    const tacho_step *at = &group->self->program->steps[step];
    const tacho_attr *attrs = tacho_step_attrs(group->self, at);
    const float *parts[4];
    for (size_t i = 0; i < 4; i++) {
        parts[i] = tacho_group_floats(group, tacho_step_input(group->self, step, i + 1), channels);
        if (parts[i] == NULL) {
            return false;
        }
    }
    double epsilon = tacho_attr_real(attrs, at->attr_count, "epsilon", (double)1e-5f);
    bool is_training = tacho_attr_int(attrs, at->attr_count, "training_mode", 0) != 0 ||
                       tacho_attr_int(attrs, at->attr_count, "spatial", 1) == 0 || at->opset < 7;
    for (int64_t i = 0; i < channels; i++) {
        double factor = (double)parts[0][i] / sqrt((double)parts[3][i] + epsilon);
        factors[i] = (float)factor;
        summands[i] = (float)((double)parts[1][i] - (double)parts[2][i] * factor);
    }
    return !is_training;
}

/* Weights and bias of a convolution absorb the normalisation after it. */
static bool follow_norm(tacho_group *group, uint32_t step)
{
    tacho_fast_spec *spec = &group->spec;
    tacho_fast_tensor *filters = &group->inputs[1];
    int64_t channels = spec->output.shape.rank > 1 ? spec->output.shape.dims[1] : 0;
    uint64_t count;
    if (spec->kind != TACHO_FAST_CONVOLUTION || spec->post_count > 0 || filters->data == NULL ||
        filters->dtype != TACHO_DTYPE_F32 || channels < 1 ||
        tacho_step_input(group->self, step, 0) != group->output ||
        !tacho_shape_elements(&filters->shape, &count) || count % (uint64_t)channels != 0 ||
        (spec->input_count > 2 && group->inputs[2].data == NULL)) {
        return false;
    }
    float *scaled = tacho_group_memory(group, (int64_t)count);
    float *bias = tacho_group_memory(group, 2 * channels);
    if (scaled == NULL || bias == NULL ||
        !read_norm(group, step, channels, bias + channels, bias)) {
        return false;
    }
    const float *factors = bias + channels, *from = filters->data;
    const float *old = spec->input_count > 2 ? group->inputs[2].data : NULL;
    uint64_t each = count / (uint64_t)channels;
    for (uint64_t i = 0; i < count; i++) {
        scaled[i] = from[i] * factors[i / each];
    }
    for (int64_t i = 0; i < channels; i++) {
        bias[i] += old == NULL ? 0 : old[i] * factors[i];
    }
    filters->data = scaled;
    group->inputs[2] =
        (tacho_fast_tensor){.dtype = TACHO_DTYPE_F32, .shape = {1, {channels}}, .data = bias};
    group->ids[2] = TACHO_NONE;
    spec->input_count = 3;
    return true;
}

/* oneDNN 2 computes the second of two equal functions with the first one's numbers: the second is
 * refused, unless the two can be merged. */
bool tacho_group_add_post(tacho_group *group, tacho_fast_post post)
{
    tacho_fast_spec *spec = &group->spec;
    tacho_fast_post *last = spec->post_count > 0 ? &spec->posts[spec->post_count - 1] : NULL;
    if (last != NULL && last->function == TACHO_FAST_LINEAR && post.function == TACHO_FAST_LINEAR) {
        float alpha = last->alpha * post.alpha, beta = last->beta * post.alpha + post.beta;
        if (!isfinite(alpha) || !isfinite(beta)) {
            return false; /* one after the other they may give something else */
        }
        last->alpha = alpha;
        last->beta = beta;
        return true;
    }
    for (size_t i = 0; i < spec->post_count; i++) {
        if (spec->posts[i].function == post.function &&
            (spec->posts[i].alpha != post.alpha || spec->posts[i].beta != post.beta)) {
            return false;
        }
    }
    if (spec->post_count >= TACHO_FAST_POSTS_MAX) {
        return false;
    }
    spec->posts[spec->post_count++] = post;
    return true;
}

static const struct {
    const char *type;
    tacho_fast_function function;
    bool is_swappable;
} binaries[] = {
    {"Add", TACHO_FAST_ADD, true},  {"Sum", TACHO_FAST_ADD, true},  {"Mul", TACHO_FAST_MUL, true},
    {"Sub", TACHO_FAST_SUB, false}, {"Div", TACHO_FAST_DIV, false}, {"Max", TACHO_FAST_MAX, true},
    {"Min", TACHO_FAST_MIN, true},
};

bool tacho_group_binary(const tacho_group *group, uint32_t step, tacho_fast_function *out_function,
                        bool *out_is_swappable)
{
    for (size_t i = 0; i < sizeof(binaries) / sizeof(binaries[0]); i++) {
        if (is_type(group->self, step, binaries[i].type)) {
            *out_function = binaries[i].function;
            *out_is_swappable = binaries[i].is_swappable;
            return true;
        }
    }
    return false;
}

/* An operand with the rank of |shape|: ones in front. */
bool tacho_group_widen(tacho_fast_tensor *tensor, const tacho_shape *shape)
{
    tacho_shape wide = {.rank = shape->rank};
    int32_t more = shape->rank - tensor->shape.rank;
    if (more < 0) {
        return false;
    }
    for (int32_t i = 0; i < shape->rank; i++) {
        wide.dims[i] = i < more ? 1 : tensor->shape.dims[i - more];
        if (wide.dims[i] != 1 && wide.dims[i] != shape->dims[i]) {
            return false;
        }
    }
    if (more > 0) {
        tensor->layout = NULL;
        tensor->is_free = false;
    }
    tensor->shape = wide;
    return true;
}

/* An operation with another operand becomes a post. */
bool tacho_group_is_thin(const tacho_shape *shape)
{
    bool is_thin = false;
    for (int32_t i = 2; i < shape->rank; i++) {
        is_thin |= shape->dims[i] == 1;
    }
    return is_thin;
}

static bool follow_binary(tacho_group *group, uint32_t step)
{
    tacho_fast_post post = {0};
    tacho_execution *self = group->self;
    tacho_fast_spec *spec = &group->spec;
    bool is_swappable;
    if (!tacho_group_binary(group, step, &post.function, &is_swappable) ||
        self->program->steps[step].input_count != 2) {
        return false;
    }
    uint32_t first = tacho_step_input(self, step, 0), second = tacho_step_input(self, step, 1);
    uint32_t other = first == group->output ? second : first;
    if ((first != group->output && !is_swappable) || other == group->output ||
        other == TACHO_NONE || self->values[other].state == TACHO_VALUE_NONE) {
        return false;
    }
    size_t kept = spec->input_count;
    bool is_whole = tacho_shape_equal(self->values[other].shape, &spec->output.shape);
    if ((!is_whole && tacho_group_is_thin(&spec->output.shape)) ||
        !tacho_group_add_input(group, other, is_whole ? TACHO_WISH_FREE : TACHO_WISH_PLAIN)) {
        spec->input_count = kept;
        return false;
    }
    spec->input_count = kept;
    post.input = (uint32_t)(kept + spec->post_input_count);
    if (group->inputs[post.input].dtype != TACHO_DTYPE_F32 ||
        !tacho_group_widen(&group->inputs[post.input], &spec->output.shape)) {
        return false;
    }
    spec->post_input_count++;
    spec->posts[spec->post_count++] = post;
    return true;
}

/* A constant summand per channel after a product without a bias becomes its bias. */
static bool follow_bias(tacho_group *group, uint32_t step)
{
    tacho_fast_spec *spec = &group->spec;
    tacho_execution *self = group->self;
    bool is_product = spec->kind == TACHO_FAST_MATMUL;
    bool is_window = spec->kind == TACHO_FAST_CONVOLUTION || spec->kind == TACHO_FAST_DECONVOLUTION;
    if ((!is_window && !is_product) || spec->input_count != 2 || spec->post_count > 0 ||
        !is_type(self, step, "Add")) {
        return false;
    }
    uint32_t first = tacho_step_input(self, step, 0), second = tacho_step_input(self, step, 1);
    uint32_t other = first == group->output ? second : first;
    int32_t rank = spec->output.shape.rank;
    int64_t channels = is_product ? spec->output.shape.dims[rank - 1] : spec->output.shape.dims[1];
    const float *bias = tacho_group_floats(group, other, channels);
    if (bias == NULL) {
        return false;
    }
    tacho_fast_tensor like = {.shape = *self->values[other].shape};
    if (like.shape.rank == 0 || !tacho_group_widen(&like, self->values[group->output].shape) ||
        like.shape.dims[is_product ? like.shape.rank - 1 : 1] != channels) {
        return false;
    }
    tacho_fast_tensor *to = &group->inputs[2];
    *to = (tacho_fast_tensor){.dtype = TACHO_DTYPE_F32, .shape = {1, {channels}}, .data = bias};
    if (is_product) { /* of the product's rank */
        to->shape = (tacho_shape){.rank = rank};
        for (int32_t i = 0; i < rank; i++) {
            to->shape.dims[i] = i == rank - 1 ? channels : 1;
        }
    }
    group->ids[2] = TACHO_NONE;
    spec->input_count = 3;
    return true;
}

/* A line between two bounds: two posts or none. */
static bool follow_hard_sigmoid(tacho_group *group, uint32_t step)
{
    const tacho_step *at = &group->self->program->steps[step];
    const tacho_attr *attrs = tacho_step_attrs(group->self, at);
    double alpha = tacho_attr_real(attrs, at->attr_count, "alpha", (double)0.2f);
    double beta = tacho_attr_real(attrs, at->attr_count, "beta", 0.5);
    tacho_fast_spec kept = group->spec;
    bool is_done = tacho_group_add_post(
                       group, (tacho_fast_post){TACHO_FAST_LINEAR, (float)alpha, (float)beta, 0}) &&
                   tacho_group_add_post(group, (tacho_fast_post){TACHO_FAST_CLIP, 0, 1, 0});
    group->spec = is_done ? group->spec : kept;
    return is_done;
}

/* oneDNN 2 works posts of a deconvolution off one element at a time: it takes but a bias. */
/* Adds the only reader of the output to the group; false if there is none. */
static bool group_follow(tacho_group *group)
{
    tacho_fast_spec *spec = &group->spec;
    uint32_t step = tacho_group_follower(group);
    bool takes_posts = spec->kind == TACHO_FAST_CONVOLUTION || spec->kind == TACHO_FAST_MATMUL ||
                       spec->kind == TACHO_FAST_BINARY;
    bool takes_bias = takes_posts || spec->kind == TACHO_FAST_DECONVOLUTION;
    if (step == TACHO_NONE || !takes_bias || spec->output.dtype != TACHO_DTYPE_F32 ||
        spec->post_count >= TACHO_FAST_POSTS_MAX - 2 || !is_like(group, step)) {
        return false;
    }
    bool is_done = spec->post_input_count == 0 && is_type(group->self, step, "BatchNormalization")
                       ? follow_norm(group, step)
                       : false;
    is_done = is_done || (spec->post_input_count == 0 && follow_bias(group, step));
    tacho_fast_post post;
    if (takes_posts && !is_done && is_type(group->self, step, "HardSigmoid")) {
        is_done = follow_hard_sigmoid(group, step);
    } else if (takes_posts && !is_done && tacho_group_function(group, step, &post)) {
        is_done = tacho_group_add_post(group, post);
    }
    is_done = is_done || (takes_posts && follow_binary(group, step));
    if (is_done) {
        tacho_group_take_over(group, step);
    }
    return is_done;
}

/* ---- tasks --------------------------------------------------------------------------------- */

/* Whether NaN stays NaN. Others compare, which is an invalid operation with NaN, and take the other
 * operand, or give the wrong infinity. */
static bool keeps_nan(tacho_fast_function function)
{
    switch ((int)function) {
    case TACHO_FAST_NONE:
    case TACHO_FAST_ABS:
    case TACHO_FAST_LINEAR:
    case TACHO_FAST_SQUARE:
    case TACHO_FAST_SQRT:
    case TACHO_FAST_ADD:
    case TACHO_FAST_SUB:
    case TACHO_FAST_MUL:
    case TACHO_FAST_DIV:
    case TACHO_FAST_POOL_MEAN:
    case TACHO_FAST_POOL_MEAN_PADDED:
    case TACHO_FAST_REDUCE_SUM:
    case TACHO_FAST_REDUCE_MEAN:
    case TACHO_FAST_NEAREST:
    case TACHO_FAST_BILINEAR:
        return true;
    default:
        return false;
    }
}

static bool is_lossy(const tacho_fast_spec *spec)
{
    bool keeps = keeps_nan(spec->function) && spec->kind != TACHO_FAST_SOFTMAX &&
                 spec->kind != TACHO_FAST_LOG_SOFTMAX;
    for (size_t i = 0; i < spec->post_count && keeps; i++) {
        keeps = keeps_nan(spec->posts[i].function);
    }
    bool is_to_bytes = spec->output.dtype != TACHO_DTYPE_F32 && spec->input_count > 0 &&
                       spec->inputs[0].dtype == TACHO_DTYPE_F32;
    return !keeps || is_to_bytes;
}

/* Turns a prepared group into a task. */
static tacho_status add_task(tacho_group *group, tacho_fast_kernel *kernel)
{
    tacho_execution *self = group->self;
    size_t count = group->spec.input_count + group->spec.post_input_count;
    tacho_task task = {
        .step = group->step,
        .fast = kernel,
        .is_lossy = is_lossy(&group->spec),
        .input_count = (uint8_t)count,
        .scratch_piece = TACHO_NONE,
    };
    void *memory;
    TACHO_TRY(tacho_task_list(self, count, &task.first_input));
    for (size_t i = 0; i < count; i++) {
        const tacho_fast_tensor *tensor = &group->inputs[i];
        uint32_t piece;
        if (group->ids[i] == TACHO_NONE) {
            continue;
        }
        /* In another shape than the value's own it is row-major memory and nothing else. */
        const tacho_shape *own = self->values[group->ids[i]].shape;
        bool is_own = tacho_shape_equal(own, &tensor->shape) && !tensor->has_order;
        TACHO_TRY(is_own ? tacho_value_ensure_layout(self, group->ids[i],
                                                     tacho_fast_input_layout(kernel, i),
                                                     group->step, &piece)
                         : tacho_value_ensure_plain(self, group->ids[i], group->step, &piece));
        self->input_pieces[task.first_input + i] = piece; /* reorders may have moved the list */
    }
    TACHO_TRY(tacho_task_guard(self, &task));
    uint32_t number = (uint32_t)self->task_count;
    for (size_t i = 0; i < count; i++) {
        tacho_piece_keep(self, self->input_pieces[task.first_input + i], number);
    }
    bool is_own = tacho_shape_equal(self->values[group->output].shape, &group->spec.output.shape) &&
                  !group->spec.output.has_order;
    TACHO_TRY(tacho_value_make(self, group->output,
                               is_own ? tacho_fast_output_layout(kernel) : NULL, number,
                               &task.output_piece));
    self->values[group->output].is_odd = group->is_odd;
    if (group->parts > 0) {
        TACHO_TRY(tacho_arena_alloc(&self->arena, sizeof(*task.parts), &memory));
        task.parts = memory;
        *task.parts = (tacho_task_parts){.count = group->parts, .length = group->part_length};
        TACHO_TRY(tacho_piece_add(self, self->values[group->output].bytes * group->parts, number,
                                  &task.parts->piece));
    }
    if (tacho_fast_scratch_bytes(kernel) > 0) {
        TACHO_TRY(
            tacho_piece_add(self, tacho_fast_scratch_bytes(kernel), number, &task.scratch_piece));
    }
    return tacho_task_append(self, &task);
}

/* Whether a tensor of the spec has the bytes of the value it stands for, and sizes that are no
 * trouble to anyone who counts in 32 bits. */
static bool is_sound(const tacho_execution *self, const tacho_fast_tensor *tensor, uint32_t id)
{
    uint64_t count, bytes;
    for (int32_t i = 0; i < tensor->shape.rank; i++) {
        if (tensor->shape.dims[i] > 1 << 28) {
            return false;
        }
    }
    return tacho_shape_elements(&tensor->shape, &count) &&
           tacho_dtype_bytes(tensor->dtype, count, &bytes) &&
           (id == TACHO_NONE || bytes == self->values[id].bytes);
}

static bool is_all_sound(const tacho_group *group)
{
    const tacho_fast_spec *spec = &group->spec;
    bool is_fine =
        is_sound(group->self, &spec->output, group->parts > 0 ? TACHO_NONE : group->output);
    for (size_t i = 0; i < spec->input_count + spec->post_input_count && is_fine; i++) {
        is_fine = is_sound(group->self, &group->inputs[i], group->ids[i]);
    }
    for (int32_t i = 0; i < group->window.spatial && is_fine; i++) {
        const tacho_window *window = &group->window;
        int64_t largest = 1 << 20;
        is_fine = window->kernel[i] <= largest && window->strides[i] <= largest &&
                  window->dilations[i] <= largest && window->begins[i] <= largest &&
                  window->ends[i] <= largest && window->begins[i] >= -largest &&
                  window->ends[i] >= -largest;
    }
    return is_fine;
}

static tacho_status finish(tacho_group *group, bool *out_is_done)
{
    tacho_execution *self = group->self;
    tacho_fast_kernel *kernel;
    if (!is_all_sound(group)) {
        return TACHO_OK;
    }
    group->spec.inputs = group->inputs;
    group->spec.window = &group->window;
    TACHO_TRY(tacho_fast_prepare(self->fast, &group->spec, &kernel));
    if (kernel == NULL) {
        return TACHO_OK;
    }
    tacho_status status = add_task(group, kernel);
    if (status != TACHO_OK) {
        tacho_fast_kernel_free(kernel);
        return status;
    }
    for (size_t i = 0; i < group->step_count; i++) {
        self->is_done[group->steps[i]] = true;
    }
    self->counts.kernels++;
    self->counts.nbits += group->spec.kind == TACHO_FAST_NBIT_MATMUL ? 1 : 0;
    self->counts.fast += (uint32_t)group->step_count + 1;
    *out_is_done = true;
    return TACHO_OK;
}

/* Ways to translate a step, the best first. */
typedef enum way { BYTES, NBITS, FOLLOWED, ALONE, WAYS } way;

static bool translate(tacho_group *group, way how)
{
    return how == BYTES   ? tacho_group_translate_bytes(group)
           : how == NBITS ? tacho_group_translate_nbits(group)
                          : tacho_group_translate(group);
}

static tacho_status try_group(tacho_execution *self, uint32_t step, way how, bool *out_is_done)
{
    tacho_arena arena;
    tacho_group *group = calloc(1, sizeof(*group));
    if (group == NULL) {
        return tacho_no_memory();
    }
    group->self = self;
    group->step = step;
    group->output = tacho_step_output(self, step, 0);
    tacho_arena_init(&arena);
    tacho_status status = tacho_step_describe(self, step, &arena, &group->call);
    if (status == TACHO_OK && group->output != TACHO_NONE &&
        self->values[group->output].bytes > 0 &&
        translate(group, how)) {
        while (how == FOLLOWED && group_follow(group)) {
        }
        status = finish(group, out_is_done);
    }
    for (size_t i = 0; i < group->owned_count; i++) {
        free(group->owned[i]);
    }
    free(group);
    tacho_arena_deinit(&arena);
    return status;
}

tacho_status tacho_fast_take(tacho_execution *self, uint32_t step, bool *out_is_done)
{
    *out_is_done = tacho_bytes_take(self, step);
    return *out_is_done ? TACHO_OK : tacho_fast_compute(self, step, out_is_done);
}

tacho_status tacho_fast_compute(tacho_execution *self, uint32_t step, bool *out_is_done)
{
    *out_is_done = false;
    for (int how = BYTES; how < WAYS && !*out_is_done; how++) {
        TACHO_TRY(try_group(self, step, (way)how, out_is_done));
    }
    return TACHO_OK;
}
