/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels and layouts of oneDNN 2. A kernel that oneDNN would compute with its own plain loops
 * ("ref") is refused: reference kernels do that without reordering.
 */
#include "base/grow.h"
#include "base/pages.h"
#include "kernels/onednn_library.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    ALIGN = 64,
    KERNEL_ROOM = 32 << 20, /* that making a kernel may take */
};

/* ---- layouts ------------------------------------------------------------------------------- */

static bool type_of(dnnl_data_type_t *out_type, tacho_dtype dtype)
{
    *out_type = dtype == TACHO_DTYPE_F32   ? dnnl_f32
                : dtype == TACHO_DTYPE_I32 ? dnnl_s32
                : dtype == TACHO_DTYPE_I8  ? dnnl_s8
                : dtype == TACHO_DTYPE_U8  ? dnnl_u8
                                           : dnnl_data_type_undef;
    return *out_type != dnnl_data_type_undef;
}

/* A descriptor with dimensions in |order|, the outermost first; NULL: row-major. */
static bool lay_out(const tacho_fast *fast, int rank, const dnnl_dim_t *dims, dnnl_data_type_t type,
                    const uint8_t *order, dnnl_memory_desc_t *out_desc)
{
    dnnl_dims_t strides = {0};
    int64_t stride = 1;
    for (int i = rank - 1; i >= 0; i--) {
        int dim = order != NULL ? order[i] : i;
        strides[dim] = stride;
        stride *= dims[dim] > 0 ? dims[dim] : 1;
    }
    return fast->call.memory_desc_init_by_strides(out_desc, rank, dims, type, strides) ==
           dnnl_success;
}

/* The descriptor of a tensor in the layout of its spec. */
static bool describe(const tacho_fast *fast, const tacho_fast_tensor *tensor,
                     dnnl_memory_desc_t *out_desc)
{
    dnnl_data_type_t type;
    dnnl_dims_t dims = {0};
    const tacho_shape *shape = &tensor->shape;
    if (tensor->layout != NULL) {
        *out_desc = tensor->layout->desc;
        return true;
    }
    if (!type_of(&type, tensor->dtype) || shape->rank < 1) {
        return false;
    }
    memcpy(dims, shape->dims, (size_t)shape->rank * sizeof(dims[0]));
    if (tensor->is_free && tensor->data == NULL) {
        return fast->call.memory_desc_init_by_tag(out_desc, shape->rank, dims, type,
                                                  dnnl_format_tag_any) == dnnl_success;
    }
    return lay_out(fast, shape->rank, dims, type, tensor->has_order ? tensor->order : NULL,
                   out_desc);
}

/* The same, but free where the kernel may choose, also of a constant. */
static bool describe_wish(const tacho_fast *fast, const tacho_fast_tensor *tensor,
                          dnnl_memory_desc_t *out_desc)
{
    tacho_fast_tensor wish = *tensor;
    wish.data = tensor->is_free ? NULL : tensor->data;
    wish.layout = tensor->is_free ? NULL : tensor->layout;
    return describe(fast, &wish, out_desc);
}

/* Strides of dimensions of one element may be any: a row-major layout gets its plain strides, since
 * oneDNN 2 mistakes some of the others for broadcasts. */
static const tacho_layout *intern(tacho_fast *fast, const dnnl_memory_desc_t *desc)
{
    dnnl_memory_desc_t plain;
    if (lay_out(fast, desc->ndims, desc->dims, desc->data_type, NULL, &plain) &&
        fast->call.memory_desc_equal(&plain, desc)) {
        desc = &plain;
    }
    for (size_t i = 0; i < fast->layout_count; i++) {
        if (fast->call.memory_desc_equal(&fast->layouts[i]->desc, desc)) {
            return fast->layouts[i];
        }
    }
    tacho_layout *layout = malloc(sizeof(*layout));
    tacho_status status =
        tacho_grow(&fast->layouts, &fast->layout_capacity, fast->layout_count + 1);
    if (layout == NULL || status != TACHO_OK) {
        tacho_status_free(status);
        free(layout);
        return NULL;
    }
    layout->desc = *desc;
    fast->layouts[fast->layout_count++] = layout;
    return layout;
}

const tacho_layout *tacho_layout_plain(tacho_fast *fast, tacho_dtype dtype,
                                       const tacho_shape *shape)
{
    dnnl_memory_desc_t desc;
    tacho_fast_tensor tensor = {.dtype = dtype, .shape = *shape};
    if (shape->rank == 0) {
        tensor.shape = (tacho_shape){1, {1}};
    }
    return describe(fast, &tensor, &desc) ? intern(fast, &desc) : NULL;
}

const tacho_layout *tacho_layout_along(tacho_fast *fast, tacho_dtype dtype,
                                       const tacho_shape *shape, int32_t axis)
{
    dnnl_memory_desc_t desc;
    tacho_fast_tensor tensor = {.dtype = dtype, .shape = *shape, .has_order = true};
    for (int32_t i = 0; i < shape->rank; i++) {
        tensor.order[i] = (uint8_t)(i < axis ? i : i + 1 < shape->rank ? i + 1 : axis);
    }
    return describe(fast, &tensor, &desc) ? intern(fast, &desc) : NULL;
}

uint64_t tacho_layout_bytes(const tacho_fast *fast, const tacho_layout *layout)
{
    return fast->call.memory_desc_get_size(&layout->desc);
}

/* ---- operators ----------------------------------------------------------------------------- */

/* A kernel under construction. */
typedef struct draft {
    tacho_fast *fast;
    const tacho_fast_spec *spec;
    dnnl_memory_desc_t inputs[TACHO_FAST_INPUTS_MAX], output;
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t made;
} draft;

static dnnl_alg_kind_t theirs(tacho_fast_function function)
{
    static const dnnl_alg_kind_t kinds[] = {
#define THEIRS(name, theirs) dnnl_##theirs,
#define dnnl_undef dnnl_alg_kind_undef
        TACHO_FAST_FUNCTIONS(THEIRS)
#undef dnnl_undef
#undef THEIRS
    };
    return kinds[function];
}

static dnnl_status_t make(draft *self, const void *desc)
{
    return self->fast->call.primitive_desc_create(&self->made, desc, self->attr, self->fast->engine,
                                                  NULL);
}

static const dnnl_memory_desc_t *bias_of(const draft *self)
{
    return self->spec->input_count > 2 ? &self->inputs[2] : NULL;
}

/* A window in oneDNN's words. */
typedef struct window_dims {
    dnnl_dims_t strides, dilations, kernel, begins, ends;
} window_dims;

static window_dims window_of(const tacho_window *window)
{
    window_dims dims;
    memset(&dims, 0, sizeof(dims));
    for (int32_t i = 0; i < window->spatial; i++) {
        dims.strides[i] = window->strides[i];
        dims.dilations[i] = window->dilations[i] - 1;
        dims.kernel[i] = window->kernel[i];
        dims.begins[i] = window->begins[i];
        dims.ends[i] = window->ends[i];
    }
    return dims;
}

static dnnl_status_t make_convolution(draft *self)
{
    window_dims at = window_of(self->spec->window);
    dnnl_convolution_desc_t desc;
    dnnl_status_t status = self->fast->call.dilated_convolution_forward_desc_init(
        &desc, dnnl_forward_inference, dnnl_convolution_direct, &self->inputs[0], &self->inputs[1],
        bias_of(self), &self->output, at.strides, at.dilations, at.begins, at.ends);
    return status == dnnl_success ? make(self, &desc) : status;
}

static dnnl_status_t make_deconvolution(draft *self)
{
    window_dims at = window_of(self->spec->window);
    dnnl_deconvolution_desc_t desc;
    dnnl_status_t status = self->fast->call.dilated_deconvolution_forward_desc_init(
        &desc, dnnl_forward_inference, dnnl_deconvolution_direct, &self->inputs[0],
        &self->inputs[1], bias_of(self), &self->output, at.strides, at.dilations, at.begins,
        at.ends);
    return status == dnnl_success ? make(self, &desc) : status;
}

static dnnl_status_t make_pool(draft *self)
{
    window_dims window = window_of(self->spec->window);
    dnnl_pooling_v2_desc_t desc;
    dnnl_status_t status = self->fast->call.pooling_v2_forward_desc_init(
        &desc, dnnl_forward_inference, theirs(self->spec->function), &self->inputs[0],
        &self->output, window.strides, window.kernel, window.dilations, window.begins, window.ends);
    return status == dnnl_success ? make(self, &desc) : status;
}

static dnnl_status_t make_matmul(draft *self)
{
    dnnl_matmul_desc_t desc;
    dnnl_status_t status = self->fast->call.matmul_desc_init(
        &desc, &self->inputs[0], &self->inputs[1], bias_of(self), &self->output);
    return status == dnnl_success ? make(self, &desc) : status;
}

static dnnl_status_t make_eltwise(draft *self)
{
    dnnl_eltwise_desc_t desc;
    dnnl_status_t status = self->fast->call.eltwise_forward_desc_init(
        &desc, dnnl_forward_inference, theirs(self->spec->function), &self->inputs[0],
        self->spec->alpha, self->spec->beta);
    return status == dnnl_success ? make(self, &desc) : status;
}

static dnnl_status_t make_binary(draft *self)
{
    dnnl_binary_desc_t desc;
    dnnl_status_t status = self->fast->call.binary_desc_init(
        &desc, theirs(self->spec->function), &self->inputs[0], &self->inputs[1], &self->output);
    return status == dnnl_success ? make(self, &desc) : status;
}

static dnnl_status_t make_softmax(draft *self, dnnl_alg_kind_t kind)
{
    dnnl_softmax_v2_desc_t desc;
    dnnl_status_t status = self->fast->call.softmax_v2_forward_desc_init(
        &desc, dnnl_forward_inference, kind, &self->inputs[0], &self->output, self->spec->axis);
    return status == dnnl_success ? make(self, &desc) : status;
}

static dnnl_status_t make_reduction(draft *self)
{
    dnnl_reduction_desc_t desc;
    dnnl_status_t status = self->fast->call.reduction_desc_init(
        &desc, theirs(self->spec->function), &self->inputs[0], &self->output, 0, 0);
    return status == dnnl_success ? make(self, &desc) : status;
}

static dnnl_status_t make_resampling(draft *self)
{
    dnnl_resampling_desc_t desc;
    dnnl_status_t status = self->fast->call.resampling_forward_desc_init(
        &desc, dnnl_forward_inference, theirs(self->spec->function), NULL, &self->inputs[0],
        &self->output);
    return status == dnnl_success ? make(self, &desc) : status;
}

static dnnl_status_t make_lrn(draft *self)
{
    dnnl_lrn_desc_t desc;
    dnnl_status_t status = self->fast->call.lrn_forward_desc_init(
        &desc, dnnl_forward_inference, dnnl_lrn_across_channels, &self->inputs[0], self->spec->axis,
        self->spec->alpha, self->spec->beta, self->spec->gamma);
    return status == dnnl_success ? make(self, &desc) : status;
}

static dnnl_status_t make_layer_norm(draft *self)
{
    dnnl_layer_normalization_desc_t desc;
    unsigned flags = (self->spec->input_count > 1 ? (unsigned)dnnl_use_scale : 0) |
                     (self->spec->input_count > 2 ? (unsigned)dnnl_use_shift : 0);
    dnnl_status_t status = self->fast->call.layer_normalization_forward_desc_init(
        &desc, dnnl_forward_inference, &self->inputs[0], NULL, self->spec->alpha, flags);
    return status == dnnl_success ? make(self, &desc) : status;
}

static dnnl_status_t make_any(draft *self)
{
    const tacho_onednn_calls *call = &self->fast->call;
    switch (self->spec->kind) {
    case TACHO_FAST_CONVOLUTION:
        return make_convolution(self);
    case TACHO_FAST_DECONVOLUTION:
        return make_deconvolution(self);
    case TACHO_FAST_MATMUL:
        return make_matmul(self);
    case TACHO_FAST_POOL:
        return make_pool(self);
    case TACHO_FAST_ELTWISE:
        return make_eltwise(self);
    case TACHO_FAST_BINARY:
        return make_binary(self);
    case TACHO_FAST_SOFTMAX:
        return make_softmax(self, dnnl_softmax_accurate);
    case TACHO_FAST_LOG_SOFTMAX:
        return make_softmax(self, dnnl_softmax_log);
    case TACHO_FAST_REDUCTION:
        return make_reduction(self);
    case TACHO_FAST_RESAMPLING:
        return make_resampling(self);
    case TACHO_FAST_LRN:
        return make_lrn(self);
    case TACHO_FAST_LAYER_NORM:
        return make_layer_norm(self);
    case TACHO_FAST_CONCAT:
        return call->concat_primitive_desc_create(&self->made, &self->output,
                                                  (int)self->spec->input_count, self->spec->axis,
                                                  self->inputs, self->attr, self->fast->engine);
    case TACHO_FAST_REORDER:
        return call->reorder_primitive_desc_create(&self->made, &self->inputs[0],
                                                   self->fast->engine, &self->output,
                                                   self->fast->engine, self->attr);
    case TACHO_FAST_NBIT_MATMUL: /* our own */
        break;
    }
    return dnnl_unimplemented;
}

/* ---- attributes ---------------------------------------------------------------------------- */

static dnnl_status_t add_posts(const draft *self, dnnl_post_ops_t posts)
{
    const tacho_fast_spec *spec = self->spec;
    const tacho_onednn_calls *call = &self->fast->call;
    dnnl_status_t status = dnnl_success;
    for (size_t i = 0; i < spec->post_count && status == dnnl_success; i++) {
        const tacho_fast_post *post = &spec->posts[i];
        dnnl_alg_kind_t kind = theirs(post->function);
        bool is_binary = post->function >= TACHO_FAST_ADD && post->function <= TACHO_FAST_MIN;
        status = is_binary ? call->post_ops_append_binary(posts, kind, &self->inputs[post->input])
                           : call->post_ops_append_eltwise(posts, 1, kind, post->alpha, post->beta);
    }
    return status;
}

static dnnl_status_t set_posts(const draft *self)
{
    const tacho_onednn_calls *call = &self->fast->call;
    dnnl_post_ops_t posts;
    dnnl_status_t status = call->post_ops_create(&posts);
    if (status != dnnl_success) {
        return status;
    }
    status = add_posts(self, posts);
    status = status == dnnl_success ? call->primitive_attr_set_post_ops(self->attr, posts) : status;
    call->post_ops_destroy(posts);
    return status;
}

/* Channels are dimension 1 of images, the last of products. */
static int channel_mask(const tacho_fast_spec *spec)
{
    return spec->kind == TACHO_FAST_MATMUL ? 1 << (spec->output.shape.rank - 1) : 1 << 1;
}

static dnnl_status_t set_scales(const draft *self)
{
    const tacho_fast_spec *spec = self->spec;
    const tacho_onednn_calls *call = &self->fast->call;
    dnnl_status_t status = dnnl_success;
    if (spec->scale_count > 0) {
        status = call->primitive_attr_set_output_scales(
            self->attr, (dnnl_dim_t)spec->scale_count,
            spec->scale_count > 1 ? channel_mask(spec) : 0, spec->scales);
    }
    for (int i = 0; i < 2 && status == dnnl_success; i++) {
        bool has_scale = spec->kind == TACHO_FAST_BINARY && spec->input_scales[i] != 0;
        status = has_scale
                     ? call->primitive_attr_set_scales(self->attr,
                                                       i == 0 ? DNNL_ARG_SRC_0 : DNNL_ARG_SRC_1, 1,
                                                       0, &spec->input_scales[i])
                     : status;
    }
    if (status == dnnl_success && spec->input_zero != 0) {
        status =
            call->primitive_attr_set_zero_points(self->attr, DNNL_ARG_SRC, 1, 0, &spec->input_zero);
    }
    if (status == dnnl_success && spec->output_zero != 0) {
        status = call->primitive_attr_set_zero_points(self->attr, DNNL_ARG_DST, 1, 0,
                                                      &spec->output_zero);
    }
    return status;
}

static dnnl_status_t make_attr(draft *self)
{
    const tacho_onednn_calls *call = &self->fast->call;
    dnnl_status_t status = call->primitive_attr_create(&self->attr);
    if (status == dnnl_success) {
        status = call->primitive_attr_set_scratchpad_mode(self->attr, dnnl_scratchpad_mode_user);
    }
    status = status == dnnl_success ? set_scales(self) : status;
    return status == dnnl_success && self->spec->post_count > 0 ? set_posts(self) : status;
}

/* ---- kernels ------------------------------------------------------------------------------- */

/* oneDNN's number of input |i|. */
static int argument_of(const tacho_fast_spec *spec, size_t i)
{
    static const int data[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS};
    static const int norm[] = {DNNL_ARG_SRC, DNNL_ARG_SCALE, DNNL_ARG_SHIFT};
    for (size_t j = 0; i >= spec->input_count && j < spec->post_count; j++) {
        const tacho_fast_post *post = &spec->posts[j];
        bool is_binary = post->function >= TACHO_FAST_ADD && post->function <= TACHO_FAST_MIN;
        if (is_binary && post->input == i) {
            return DNNL_ARG_ATTR_MULTIPLE_POST_OP((int)j) | DNNL_ARG_SRC_1;
        }
    }
    if (spec->kind == TACHO_FAST_CONCAT) {
        return DNNL_ARG_MULTIPLE_SRC + (int)i;
    }
    if (spec->kind == TACHO_FAST_BINARY) {
        return i == 0 ? DNNL_ARG_SRC_0 : DNNL_ARG_SRC_1;
    }
    return i < 3 ? (spec->kind == TACHO_FAST_LAYER_NORM ? norm[i] : data[i]) : 0;
}

/* The layout of an argument in the created descriptor; where it has none, the one of |wish|. */
static const tacho_layout *layout_of(draft *self, int id, const dnnl_memory_desc_t *wish)
{
    const dnnl_memory_desc_t *found =
        self->fast->call.primitive_desc_query_md(self->made, dnnl_query_exec_arg_md, id);
    bool is_there = found != NULL && found->ndims > 0;
    return intern(self->fast, is_there ? found : wish);
}

/* Whether oneDNN has nothing better than its own reference; keeps its name. */
static bool is_slow(const draft *self, tacho_fast_kernel *kernel)
{
    const char *name = NULL;
    if (self->fast->call.primitive_desc_query(self->made, dnnl_query_impl_info_str, 0, &name) ==
            dnnl_success &&
        name != NULL) {
        snprintf(kernel->name, sizeof(kernel->name), "%s", name);
    }
    return self->spec->kind != TACHO_FAST_REORDER && self->spec->kind != TACHO_FAST_CONCAT &&
           strstr(kernel->name, "ref") != NULL;
}

/* Puts a constant into the kernel's layout. */
static bool keep_constant(draft *self, const tacho_fast_tensor *tensor, tacho_onednn_argument *to)
{
    tacho_fast *fast = self->fast;
    dnnl_memory_desc_t desc;
    tacho_fast_kernel *reorder = NULL;
    tacho_fast_tensor from = *tensor;
    from.is_free = false;
    size_t bytes = fast->call.memory_desc_get_size(&to->layout->desc);
    to->constant = aligned_alloc(ALIGN, (bytes / ALIGN + 1) * ALIGN);
    if (to->constant == NULL || !describe(fast, &from, &desc)) {
        return false;
    }
    memset(to->constant, 0, (bytes / ALIGN + 1) * ALIGN);
    if (fast->call.memory_desc_equal(&desc, &to->layout->desc)) {
        memcpy(to->constant, tensor->data, bytes);
        return true;
    }
    from.data = NULL;
    tacho_fast_spec spec = {
        .kind = TACHO_FAST_REORDER,
        .inputs = &from,
        .input_count = 1,
        .output = {.dtype = tensor->dtype, .shape = tensor->shape, .layout = to->layout},
    };
    void *data, *scratch = NULL;
    memcpy(&data, &tensor->data, sizeof(data)); /* read only */
    tacho_status status = tacho_fast_prepare(fast, &spec, &reorder);
    if (status == TACHO_OK && reorder != NULL) {
        scratch = aligned_alloc(ALIGN, (reorder->scratch_bytes / ALIGN + 1) * ALIGN);
    }
    if (scratch != NULL) {
        void *pointers[3];
        tacho_fast_point(reorder, &data, to->constant, scratch, pointers);
        status = tacho_fast_run(reorder, pointers);
    }
    bool is_done = status == TACHO_OK && scratch != NULL;
    tacho_status_free(status);
    tacho_fast_kernel_free(reorder);
    free(scratch);
    return is_done;
}

/* Fills the kernel from a made descriptor; false when it cannot be used. */
static bool finish(draft *self, tacho_fast_kernel *kernel)
{
    const tacho_onednn_calls *call = &self->fast->call;
    const tacho_fast_spec *spec = self->spec;
    if (is_slow(self, kernel)) {
        return false;
    }
    kernel->input_count = spec->input_count + spec->post_input_count;
    for (size_t i = 0; i < kernel->input_count; i++) {
        tacho_onednn_argument *to = &kernel->arguments[kernel->argument_count++];
        to->id = argument_of(spec, i);
        to->layout = layout_of(self, to->id, &self->inputs[i]);
        if (to->layout == NULL ||
            (spec->inputs[i].data != NULL && !keep_constant(self, &spec->inputs[i], to))) {
            return false;
        }
    }
    tacho_onednn_argument *output = &kernel->arguments[kernel->argument_count++];
    output->id = DNNL_ARG_DST;
    output->layout = layout_of(self, DNNL_ARG_DST, &self->output);
    const dnnl_memory_desc_t *scratch =
        call->primitive_desc_query_md(self->made, dnnl_query_scratchpad_md, 0);
    if (scratch != NULL) {
        kernel->scratch = *scratch;
        kernel->scratch_bytes = call->memory_desc_get_size(scratch);
    }
    if (kernel->scratch_bytes > 0) {
        kernel->arguments[kernel->argument_count++].id = DNNL_ARG_SCRATCHPAD;
    }
    return output->layout != NULL &&
           call->primitive_create(&kernel->primitive, self->made) == dnnl_success;
}

static bool describe_all(draft *self)
{
    const tacho_fast_spec *spec = self->spec;
    size_t count = spec->input_count + spec->post_input_count;
    if (count > TACHO_FAST_INPUTS_MAX) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!describe_wish(self->fast, &spec->inputs[i], &self->inputs[i])) {
            return false;
        }
    }
    return describe_wish(self->fast, &spec->output, &self->output);
}

/* NULL where oneDNN has none. */
static tacho_status make_theirs(tacho_fast *fast, const tacho_fast_spec *spec,
                                tacho_fast_kernel **out)
{
    size_t most = spec->input_count + spec->post_input_count + 2;
    draft *self = calloc(1, sizeof(*self));
    tacho_fast_kernel *kernel = calloc(1, sizeof(*kernel) + most * sizeof(kernel->arguments[0]));
    dnnl_exec_arg_t *executed = calloc(most, sizeof(*executed));
    bool has_memory =
        self != NULL && kernel != NULL && executed != NULL && tacho_pages_have_room(KERNEL_ROOM);
    bool is_made = false;
    if (has_memory) {
        self->fast = kernel->fast = fast;
        self->spec = spec;
        kernel->executed = executed;
        kernel->users = 1;
        kernel->place = TACHO_NONE;
        kernel->threads = tacho_onednn_threads_for(fast, spec);
        fast->shares |= kernel->threads > 1;
        tacho_onednn_set_threads(fast, kernel->threads);
        is_made = describe_all(self) && make_attr(self) == dnnl_success &&
                  make_any(self) == dnnl_success && finish(self, kernel);
        if (self->attr != NULL) {
            fast->call.primitive_attr_destroy(self->attr);
        }
        if (self->made != NULL) {
            fast->call.primitive_desc_destroy(self->made);
        }
    } else {
        free(kernel);
        free(executed);
    }
    free(self);
    if (has_memory && !is_made) {
        tacho_fast_kernel_free(kernel);
    }
    *out = is_made ? kernel : NULL;
    return has_memory ? TACHO_OK : tacho_no_memory();
}

/* The layout of a tensor for our own product: images with their channels last, matrices row by row.
 * NULL when the tensor is bound to another layout. */
static const tacho_layout *own_layout(tacho_fast *fast, const tacho_fast_tensor *tensor,
                                      bool is_image)
{
    uint8_t order[TACHO_RANK_MAX] = {0};
    int32_t rank = tensor->shape.rank;
    dnnl_dims_t dims = {0};
    dnnl_data_type_t type;
    dnnl_memory_desc_t wanted, given;
    for (int32_t i = 0; i < rank && i < TACHO_RANK_MAX; i++) {
        order[i] = (uint8_t)(i == 0 ? 0 : i + 1 < rank ? i + 1 : 1);
        dims[i] = tensor->shape.dims[i];
    }
    bool is_fine = type_of(&type, tensor->dtype) &&
                   lay_out(fast, rank, dims, type, is_image ? order : NULL, &wanted) &&
                   (tensor->is_free || (describe(fast, tensor, &given) &&
                                        fast->call.memory_desc_equal(&wanted, &given)));
    return is_fine ? intern(fast, &wanted) : NULL;
}

/* Layouts of operands that are not constant; false when a layout is not available. */
static bool finish_own(tacho_fast_kernel *kernel, const tacho_fast_spec *spec)
{
    bool is_image = spec->kind == TACHO_FAST_CONVOLUTION, is_live = spec->inputs[1].data == NULL;
    tacho_onednn_argument *arguments = kernel->arguments;
    kernel->input_count = spec->input_count;
    kernel->argument_count = spec->input_count + 2;
    kernel->scratch_bytes = tacho_byte_product_scratch_bytes(kernel->own);
    snprintf(kernel->name, sizeof(kernel->name), "tacho:%s", tacho_byte_product_name(kernel->own));
    arguments[0].layout = own_layout(kernel->fast, &spec->inputs[0], is_image);
    arguments[1].layout = is_live ? own_layout(kernel->fast, &spec->inputs[1], false) : NULL;
    arguments[spec->input_count].layout = own_layout(kernel->fast, &spec->output, is_image);
    kernel->has_live_zero = spec->has_live_zero;
    if (spec->has_live_zero) {
        arguments[2].layout = own_layout(kernel->fast, &spec->inputs[2], false);
    }
    return (!spec->has_live_zero || arguments[2].layout != NULL) && arguments[0].layout != NULL &&
           (!is_live || arguments[1].layout != NULL) && arguments[spec->input_count].layout != NULL;
}

static tacho_status make_own(tacho_fast *fast, const tacho_fast_spec *spec, tacho_fast_kernel **out)
{
    size_t count = spec->input_count + 2;
    tacho_fast_kernel *kernel = calloc(1, sizeof(*kernel) + count * sizeof(kernel->arguments[0]));
    if (kernel == NULL) {
        return tacho_no_memory();
    }
    *kernel = (tacho_fast_kernel){
        .fast = fast, .users = 1, .place = TACHO_NONE, .threads = fast->threads};
    fast->shares |= kernel->threads > 1;
    tacho_status status = tacho_onednn_byte_product(fast, spec, &kernel->own);
    if (kernel->own != NULL && finish_own(kernel, spec)) {
        *out = kernel;
    } else {
        tacho_fast_kernel_free(kernel);
    }
    return status;
}

/* A product with weights of few bits; rows and results are side by side. */
static tacho_status make_nbit(tacho_fast *fast, const tacho_fast_spec *spec,
                              tacho_fast_kernel **out)
{
    size_t count = spec->input_count;
    tacho_fast_kernel *kernel =
        calloc(1, sizeof(*kernel) + (count + 1) * sizeof(kernel->arguments[0]));
    if (kernel == NULL) {
        return tacho_no_memory();
    }
    *kernel = (tacho_fast_kernel){.fast = fast,
                                  .users = 1,
                                  .place = TACHO_NONE,
                                  .input_count = count,
                                  .argument_count = count + 1,
                                  .threads = fast->threads,
                                  .nbit_rows = spec->output.shape.dims[0]};
    fast->shares |= kernel->threads > 1;
    kernel->arguments[0].layout = own_layout(fast, &spec->inputs[0], false);
    kernel->arguments[count].layout = own_layout(fast, &spec->output, false);
    bool is_fine = kernel->arguments[0].layout != NULL && kernel->arguments[count].layout != NULL;
    tacho_status status =
        !is_fine ? TACHO_OK
                 : tacho_nbit_product_create(spec->weights, count > 1 ? spec->inputs[1].data : NULL,
                                             fast->threads > 0 ? (uint32_t)fast->threads : 1,
                                             &kernel->nbit);
    if (kernel->nbit == NULL) {
        tacho_fast_kernel_free(kernel);
        return status;
    }
    snprintf(kernel->name, sizeof(kernel->name), "tacho:nbit_%s",
             tacho_nbit_product_name(kernel->nbit));
    *out = kernel;
    return TACHO_OK;
}

/* A new kernel, oneDNN's or our own; NULL where neither supports the spec. */
static tacho_status make_kernel(tacho_fast *fast, const tacho_fast_spec *spec,
                                tacho_fast_kernel **out)
{
    bool is_product = tacho_onednn_is_byte_product(spec);
    *out = NULL;
    if (spec->kind == TACHO_FAST_NBIT_MATMUL) {
        return make_nbit(fast, spec, out);
    }
    bool is_theirs = tacho_onednn_has_exact_bytes(fast) && !spec->has_live_zero && !spec->is_own;
    if (!is_product || is_theirs) {
        TACHO_TRY(make_theirs(fast, spec, out));
    }
    return is_product && *out == NULL ? make_own(fast, spec, out) : TACHO_OK;
}

tacho_status tacho_fast_prepare(tacho_fast *fast, const tacho_fast_spec *spec,
                                tacho_fast_kernel **out)
{
    uint32_t place = TACHO_NONE;
    *out = NULL;
    if (fast == NULL) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_onednn_find(fast, spec, &place));
    if (place != TACHO_NONE && fast->shared[place].kernel != NULL) {
        *out = fast->shared[place].kernel;
        (*out)->users++;
        return TACHO_OK;
    }
    if (place != TACHO_NONE && fast->shared[place].is_refused) {
        return TACHO_OK;
    }
    TACHO_TRY(make_kernel(fast, spec, out));
    if (place != TACHO_NONE) {
        fast->shared[place] = (tacho_onednn_shared){*out, *out == NULL};
    }
    if (*out != NULL) {
        (*out)->place = place;
    }
    return TACHO_OK;
}

void tacho_fast_kernel_free(tacho_fast_kernel *kernel)
{
    if (kernel == NULL || --kernel->users > 0) {
        return;
    }
    const tacho_onednn_calls *call = &kernel->fast->call;
    if (kernel->place != TACHO_NONE) {
        kernel->fast->shared[kernel->place].kernel = NULL;
    }
    tacho_byte_product_free(kernel->own);
    tacho_nbit_product_free(kernel->nbit);
    for (size_t i = 0; i < kernel->argument_count; i++) {
        if (kernel->arguments[i].memory != NULL) {
            call->memory_destroy(kernel->arguments[i].memory);
        }
        free(kernel->arguments[i].constant);
    }
    if (kernel->primitive != NULL) {
        call->primitive_destroy(kernel->primitive);
    }
    free(kernel->executed);
    free(kernel);
}

const tacho_layout *tacho_fast_input_layout(const tacho_fast_kernel *kernel, size_t i)
{
    return kernel->arguments[i].layout;
}

const tacho_layout *tacho_fast_output_layout(const tacho_fast_kernel *kernel)
{
    return kernel->arguments[kernel->input_count].layout;
}

uint64_t tacho_fast_scratch_bytes(const tacho_fast_kernel *kernel)
{
    return kernel->scratch_bytes;
}

const char *tacho_fast_kernel_name(const tacho_fast_kernel *kernel)
{
    return kernel->name;
}
