/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sizes of operators, from the shapes of what they read and write. ONNX has channels before
 * positions and its kernels as [out, in, window], of deconvolutions [in, out, window]; TOSA has
 * channels last, [out, window, in], and of depthwise convolutions [window, in, multiplier].
 */
#include "compile/work_of.h"

#include "compile/machine_view.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

typedef struct measurer {
    const tacho_fusion *fusion;
    const tacho_fused_op *op;
    const tacho_work_options *options;
    const tacho_node *root;
    const tacho_tensor *output; /* the root's first, or NULL */
    tacho_work *work;
} measurer;

tacho_status tacho_work_fail(const tacho_fusion *fusion, const tacho_fused_op *op,
                             const char *format, ...)
{
    const tacho_graph *graph = fusion->graph;
    const tacho_node *node = &graph->nodes[op->root];
    tacho_str name = tacho_graph_string(graph, node->name);
    tacho_str type = tacho_graph_string(graph, node->type);
    tacho_str location = tacho_graph_string(graph, node->location);
    char what[512];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof(what), format, list);
    va_end(list);
    const char *quote = name.len > 0 ? "'" : "";
    return tacho_fail(TACHO_CODE_BAD_DATA, "%.*s: node %" PRIu32 " %s%.*s%s%s(%.*s) at %.*s: %s",
                      TACHO_STR_ARG(graph->path), node->index, quote, TACHO_STR_ARG(name), quote,
                      name.len > 0 ? " " : "", TACHO_STR_ARG(type), TACHO_STR_ARG(location), what);
}

static tacho_status too_large(const measurer *self)
{
    return tacho_work_fail(self->fusion, self->op, "its sizes do not fit 63 bits");
}

static tacho_status no_shape(const measurer *self, const tacho_tensor *tensor)
{
    char shape[TACHO_SHAPE_TEXT_MAX];
    tacho_str name = tacho_graph_string(self->fusion->graph, tensor->name);
    uint64_t elements;
    if (tensor->dtype != TACHO_DTYPE_NONE && tacho_shape_is_known(&tensor->shape) &&
        !tacho_shape_elements(&tensor->shape, &elements)) {
        return too_large(self);
    }
    char of[128] = "a tensor";
    if (name.len > 0) {
        snprintf(of, sizeof(of), "'%.100s'", name.data);
    }
    return tacho_work_fail(
        self->fusion, self->op,
        "the %s of %s is not known (%s %s), so it cannot be estimated; give symbolic dimensions a "
        "value with --dim NAME=N, or use a model that says its shapes",
        tensor->dtype == TACHO_DTYPE_NONE ? "type" : "shape", of, tacho_dtype_name(tensor->dtype),
        tacho_shape_print(&tensor->shape, shape, sizeof(shape)));
}

/* Products that stick at the top once they do not fit 63 bits. */
static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t product;
    bool is_over = __builtin_mul_overflow(a, b, &product);
    return is_over || product > INT64_MAX ? UINT64_MAX : product;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    uint64_t sum;
    bool is_over = __builtin_add_overflow(a, b, &sum);
    return is_over || sum > INT64_MAX ? UINT64_MAX : sum;
}

/* The product of dimensions [from, to). */
static uint64_t volume(const tacho_shape *shape, int32_t from, int32_t to)
{
    uint64_t product = 1;
    for (int32_t i = from; i < to; i++) {
        product = times(product, (uint64_t)shape->dims[i]);
    }
    return product;
}

static tacho_status elements_of(const measurer *self, const tacho_tensor *tensor,
                                uint64_t *out_count)
{
    return tacho_shape_elements(&tensor->shape, out_count) ? TACHO_OK : no_shape(self, tensor);
}

static bool is_tosa(const measurer *self)
{
    return self->root->def != NULL &&
           tacho_str_starts_with(tacho_str_from_cstring(self->root->def->name), TACHO_STR("tosa."));
}

/* ---- matrices ------------------------------------------------------------------------------ */

/* Data and the second operand of the root; with scales and zero points between them it is later. */
static tacho_status operands(const measurer *self, const tacho_tensor **out_data,
                             const tacho_tensor **out_kernel)
{
    enum { QUANTISED_OPERANDS = 8, QUANTISED_KERNEL = 3 };
    const tacho_graph *graph = self->fusion->graph;
    size_t second = self->root->input_count >= QUANTISED_OPERANDS ? QUANTISED_KERNEL : 1;
    *out_data = tacho_graph_input(graph, self->root, 0);
    *out_kernel = tacho_graph_input(graph, self->root, second);
    if (*out_data == NULL || *out_kernel == NULL || self->output == NULL) {
        return tacho_work_fail(self->fusion, self->op, "an operand is missing");
    }
    const tacho_tensor *const all[] = {*out_data, *out_kernel, self->output};
    for (size_t i = 0; i < 3; i++) {
        uint64_t count;
        TACHO_TRY(elements_of(self, all[i], &count));
    }
    return TACHO_OK;
}

static tacho_status wrong_rank(const measurer *self, const tacho_tensor *tensor)
{
    char shape[TACHO_SHAPE_TEXT_MAX];
    tacho_str name = tacho_graph_string(self->fusion->graph, tensor->name);
    return tacho_work_fail(self->fusion, self->op, "'%.*s' cannot be %s", TACHO_STR_ARG(name),
                           tacho_shape_print(&tensor->shape, shape, sizeof(shape)));
}

static tacho_status measure_onnx_convolution(measurer *self)
{
    const tacho_tensor *data;
    const tacho_tensor *kernel;
    TACHO_TRY(operands(self, &data, &kernel));
    const tacho_shape *window = &kernel->shape;
    bool is_transposed = self->op->kind == TACHO_OP_DECONVOLUTION;
    const tacho_shape *positions = is_transposed ? &data->shape : &self->output->shape;
    if (window->rank < 3 || data->shape.rank != window->rank ||
        self->output->shape.rank != window->rank) {
        return wrong_rank(self, kernel);
    }
    const tacho_graph *graph = self->fusion->graph;
    int64_t groups =
        tacho_attr_int(tacho_graph_attrs(graph, self->root), self->root->attr_count, "group", 1);
    if (groups < 1 || window->dims[0] % groups != 0) {
        return tacho_work_fail(self->fusion, self->op, "%" PRId64 " groups of %" PRId64 " channels",
                               groups, window->dims[0]);
    }
    tacho_work *work = self->work;
    work->batch = (uint64_t)groups;
    work->m = times((uint64_t)positions->dims[0], volume(positions, 2, positions->rank));
    uint64_t per_group = (uint64_t)(window->dims[0] / groups);
    uint64_t area = volume(window, 2, window->rank);
    if (is_transposed) { /* each input position makes a window of outputs */
        work->k_channels = per_group;
        work->k_window = 1;
        work->n = times((uint64_t)window->dims[1], area);
    } else {
        work->k_channels = (uint64_t)window->dims[1];
        work->k_window = area;
        work->n = per_group;
    }
    return TACHO_OK;
}

static tacho_status measure_tosa_convolution(measurer *self)
{
    const tacho_tensor *data;
    const tacho_tensor *kernel;
    TACHO_TRY(operands(self, &data, &kernel));
    const tacho_shape *window = &kernel->shape;
    bool is_transposed = self->op->kind == TACHO_OP_DECONVOLUTION;
    const tacho_shape *positions = is_transposed ? &data->shape : &self->output->shape;
    if (window->rank < 4 || positions->rank != window->rank) {
        return wrong_rank(self, kernel);
    }
    int32_t last = window->rank - 1;
    tacho_work *work = self->work;
    work->m = volume(positions, 0, positions->rank - 1);
    if (strcmp(self->root->def->name, "tosa.depthwise_conv2d") == 0) {
        work->batch = (uint64_t)window->dims[2];
        work->n = (uint64_t)window->dims[3];
        work->k_channels = 1;
        work->k_window = volume(window, 0, 2);
        return TACHO_OK;
    }
    uint64_t area = volume(window, 1, last);
    work->batch = 1;
    work->k_channels = (uint64_t)window->dims[last];
    work->k_window = is_transposed ? 1 : area;
    work->n = times((uint64_t)window->dims[0], is_transposed ? area : 1);
    return TACHO_OK;
}

static uint64_t dim_from_end(const tacho_shape *shape, int32_t i)
{
    return shape->rank >= i ? (uint64_t)shape->dims[shape->rank - i] : 1;
}

static tacho_status measure_matmul(measurer *self)
{
    const tacho_tensor *a;
    const tacho_tensor *b;
    TACHO_TRY(operands(self, &a, &b));
    const tacho_graph *graph = self->fusion->graph;
    bool is_transposed = tacho_attr_int(tacho_graph_attrs(graph, self->root),
                                        self->root->attr_count, "transA", 0) != 0;
    if (a->shape.rank < 1 || b->shape.rank < 1) {
        return wrong_rank(self, a->shape.rank < 1 ? a : b);
    }
    tacho_work *work = self->work;
    uint64_t k = dim_from_end(&a->shape, is_transposed ? 2 : 1);
    uint64_t m = a->shape.rank == 1 ? 1 : dim_from_end(&a->shape, is_transposed ? 1 : 2);
    uint64_t n = b->shape.rank == 1 ? 1 : dim_from_end(&self->output->shape, 1);
    uint64_t outputs;
    TACHO_TRY(elements_of(self, self->output, &outputs));
    uint64_t matrix = times(m, n);
    uint64_t batch = matrix > 0 ? outputs / matrix : 0;
    if (b->shape.rank <= 2) { /* one matrix for all: a taller product */
        m = times(m, batch);
        batch = 1;
    }
    work->batch = batch;
    work->m = m;
    work->n = n;
    work->k_channels = k;
    work->k_window = 1;
    return TACHO_OK;
}

/* Gates of all steps of a sequence: X by W and the state by R. */
static tacho_status measure_recurrent(measurer *self)
{
    const tacho_graph *graph = self->fusion->graph;
    const tacho_tensor *sequence;
    const tacho_tensor *kernel;
    TACHO_TRY(operands(self, &sequence, &kernel));
    const tacho_tensor *state = tacho_graph_input(graph, self->root, 2);
    if (state == NULL || sequence->shape.rank != 3 || kernel->shape.rank != 3 ||
        state->shape.rank != 3 || !tacho_shape_is_known(&state->shape)) {
        return wrong_rank(self, kernel);
    }
    tacho_work *work = self->work;
    work->batch = 1;
    work->m = volume(&sequence->shape, 0, 2);
    work->n = volume(&kernel->shape, 0, 2);
    work->k_channels = plus((uint64_t)kernel->shape.dims[2], (uint64_t)state->shape.dims[2]);
    work->k_window = 1;
    work->elements = times(work->m, work->n);
    work->steps = self->root->def->steps;
    return TACHO_OK;
}

static tacho_status measure_matrix(measurer *self)
{
    self->work->kind = TACHO_WORK_MATRIX;
    if (self->op->kind == TACHO_OP_RECURRENT) {
        return measure_recurrent(self);
    }
    TACHO_TRY(self->op->kind == TACHO_OP_MATMUL ? measure_matmul(self)
              : is_tosa(self)                   ? measure_tosa_convolution(self)
                                                : measure_onnx_convolution(self));
    self->work->steps = self->op->fused_steps;
    return self->work->steps == 0 ? TACHO_OK
                                  : elements_of(self, self->output, &self->work->elements);
}

/* ---- vectors ------------------------------------------------------------------------------- */

/* Positions of a pool's window; 0 when it is the whole plane. */
static uint64_t pool_window(const measurer *self)
{
    const tacho_attr *attrs = tacho_graph_attrs(self->fusion->graph, self->root);
    size_t count = 0;
    const int64_t *kernel = tacho_attr_ints(attrs, self->root->attr_count, "kernel_shape", &count);
    kernel =
        kernel != NULL ? kernel : tacho_attr_ints(attrs, self->root->attr_count, "kernel", &count);
    uint64_t window = kernel != NULL ? 1 : 0;
    for (size_t i = 0; i < count; i++) {
        window = times(window, kernel[i] > 0 ? (uint64_t)kernel[i] : 1);
    }
    return window;
}

/* Operands beyond the first that a binary operator joins. */
static uint64_t joins(const measurer *self)
{
    uint64_t count = 0;
    for (size_t i = 0; i < self->root->input_count; i++) {
        count += tacho_graph_input(self->fusion->graph, self->root, i) != NULL ? 1 : 0;
    }
    bool is_sum = self->op->kind == TACHO_OP_BINARY && count > 2 && !is_tosa(self);
    return is_sum ? count - 1 : 1;
}

static tacho_status measure_vector(measurer *self)
{
    tacho_work *work = self->work;
    const tacho_graph *graph = self->fusion->graph;
    const tacho_tensor *input = tacho_graph_input(graph, self->root, 0);
    work->kind = TACHO_WORK_VECTOR;
    uint64_t outputs = 0;
    if (self->output == NULL || input == NULL) {
        return tacho_work_fail(self->fusion, self->op, "an operand is missing");
    }
    TACHO_TRY(elements_of(self, self->output, &outputs));
    uint64_t steps = times(self->root->def->steps > 0 ? self->root->def->steps : 1, joins(self));
    uint64_t window = self->op->kind == TACHO_OP_POOL ? pool_window(self) : 1;
    bool is_gathering = window == 0 || self->op->kind == TACHO_OP_REDUCTION;
    if (!is_gathering) {
        work->elements = outputs;
        work->steps = plus(times(steps, window), self->op->fused_steps);
        return TACHO_OK;
    }
    uint64_t inputs = 0;
    TACHO_TRY(elements_of(self, input, &inputs));
    uint64_t after = times(outputs, self->op->fused_steps);
    work->elements = plus(inputs, after / steps);
    work->steps = steps;
    return TACHO_OK;
}

/* ---- bytes --------------------------------------------------------------------------------- */

static tacho_status add_tensor(const measurer *self, uint32_t id, uint64_t most_elements,
                               tacho_operand *operand)
{
    const tacho_tensor *tensor = &self->fusion->graph->tensors[id];
    uint64_t elements = 0;
    uint64_t bytes = 0;
    tacho_dtype dtype =
        tacho_machine_view_kept(self->options->machine, tensor->dtype, self->options->dtype);
    if (dtype == TACHO_DTYPE_NONE) {
        return no_shape(self, tensor);
    }
    TACHO_TRY(elements_of(self, tensor, &elements));
    elements = elements < most_elements ? elements : most_elements;
    if (!tacho_dtype_bytes(dtype, elements, &bytes)) {
        return too_large(self);
    }
    operand->dtype = operand->dtype == TACHO_DTYPE_NONE ? dtype : operand->dtype;
    operand->bytes = plus(operand->bytes, bytes);
    return TACHO_OK;
}

static tacho_place place_of(const measurer *self, uint32_t tensor)
{
    const tacho_place *places = self->options->places;
    return places != NULL ? places[tensor] : TACHO_PLACE_DDR;
}

/*
 * Activations: those that lie where the first one does are the input; the others, and the second
 * of two matrices, go with the weights where these do not lie elsewhere.
 */
static tacho_status add_inputs(const measurer *self, uint64_t most_elements)
{
    tacho_work *work = self->work;
    const tacho_fused_op *op = self->op;
    bool is_matmul = op->kind == TACHO_OP_MATMUL && op->weight_count == 0;
    for (uint32_t i = 0; i < op->input_count; i++) {
        uint32_t id = self->fusion->tensors[op->first_input + i];
        tacho_place place = place_of(self, id);
        if (i == 0) {
            work->input.place = place;
        }
        bool is_apart = i > 0 && (place != work->input.place || is_matmul);
        bool fits = work->weights.bytes == 0 || work->weights.place == place;
        if (is_apart && fits) {
            work->weights.place = place;
            TACHO_TRY(add_tensor(self, id, most_elements, &work->weights));
        } else {
            TACHO_TRY(add_tensor(self, id, most_elements, &work->input));
        }
    }
    return TACHO_OK;
}

static tacho_status add_operands(const measurer *self)
{
    tacho_work *work = self->work;
    const tacho_fused_op *op = self->op;
    uint64_t most_elements = UINT64_MAX;
    for (uint32_t i = 0; i < op->output_count; i++) {
        uint32_t id = self->fusion->tensors[op->first_output + i];
        work->output.place = i == 0 ? place_of(self, id) : work->output.place;
        TACHO_TRY(add_tensor(self, id, UINT64_MAX, &work->output));
    }
    if (op->kind == TACHO_OP_MOVE) { /* no more is read than is written */
        most_elements = 0;
        for (uint32_t i = 0; i < op->output_count; i++) {
            uint64_t count = 0;
            TACHO_TRY(
                elements_of(self, tacho_fusion_tensor(self->fusion, op->first_output, i), &count));
            most_elements = plus(most_elements, count);
        }
    }
    for (uint32_t i = 0; i < op->weight_count; i++) {
        uint32_t id = self->fusion->tensors[op->first_weight + i];
        TACHO_TRY(add_tensor(self, id, most_elements, &work->weights));
    }
    TACHO_TRY(add_inputs(self, most_elements));
    if (work->input.dtype == TACHO_DTYPE_NONE) { /* all of it is constant */
        work->input.dtype =
            work->weights.dtype != TACHO_DTYPE_NONE ? work->weights.dtype : work->output.dtype;
    }
    return TACHO_OK;
}

static bool fits(const tacho_work *work)
{
    uint64_t macs =
        times(times(work->batch, times(work->m, work->n)), times(work->k_channels, work->k_window));
    uint64_t bytes = plus(plus(work->input.bytes, work->weights.bytes), work->output.bytes);
    return macs <= INT64_MAX && bytes <= INT64_MAX &&
           times(work->elements, work->steps) <= INT64_MAX;
}

tacho_status tacho_work_of(const tacho_fusion *fusion, const tacho_fused_op *op,
                           const tacho_work_options *options, tacho_work *out_work)
{
    *out_work = (tacho_work){.kind = TACHO_WORK_MOVE};
    const tacho_node *root = &fusion->graph->nodes[op->root];
    measurer self = {
        .fusion = fusion,
        .op = op,
        .options = options,
        .root = root,
        .output = tacho_graph_output(fusion->graph, root, 0),
        .work = out_work,
    };
    TACHO_TRY(add_operands(&self));
    switch (op->kind) {
    case TACHO_OP_CONVOLUTION:
    case TACHO_OP_DECONVOLUTION:
    case TACHO_OP_MATMUL:
    case TACHO_OP_RECURRENT:
        TACHO_TRY(measure_matrix(&self));
        break;
    case TACHO_OP_POOL:
    case TACHO_OP_REDUCTION:
    case TACHO_OP_NORMALISATION:
    case TACHO_OP_AFFINE:
    case TACHO_OP_SOFTMAX:
    case TACHO_OP_UNARY:
    case TACHO_OP_BINARY:
    case TACHO_OP_QUANTISE:
    case TACHO_OP_DEQUANTISE:
        TACHO_TRY(measure_vector(&self));
        break;
    case TACHO_OP_MOVE:
    case TACHO_OP_VIEW:
    case TACHO_OP_SHAPE:
    case TACHO_OP_CONSTANT:
    case TACHO_OP_CONTROL:
    case TACHO_OP_OTHER:
    case TACHO_OP_KIND_COUNT:
        break;
    }
    return fits(out_work) ? TACHO_OK : too_large(&self);
}
