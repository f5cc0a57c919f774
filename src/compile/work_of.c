/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sizes of operators, from the shapes of what they read and write. Convolutions have channels
 * before positions and kernels as [out, in, window], of deconvolutions [in, out, window]; or, if
 * the operator's definition has channels last, [out, window, in], and of depthwise ones [window,
 * in, multiplier].
 */
#include "compile/work_of.h"

#include "base/index.h"
#include "base/maths.h"
#include "compile/machine_view.h"
#include "graph/einsum.h"
#include "graph/model.h"

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

/* Whether all inputs of a node have a shape: then its results' shapes follow from values. */
static bool has_input_shapes(const tacho_graph *graph, const tacho_node *node)
{
    bool has_them = true;
    for (size_t i = 0; i < node->input_count; i++) {
        const tacho_tensor *input = tacho_graph_input(graph, node, i);
        has_them = has_them && (input == NULL || tacho_shape_is_known(input->shape));
    }
    return has_them;
}

/* Fails for a shape that follows from values, and asks for its open sizes. */
static tacho_status no_size(const measurer *self, const tacho_tensor *tensor, const char *of)
{
    char shape[TACHO_SHAPE_TEXT_MAX], detail[160];
    tacho_str name = tacho_graph_string(self->fusion->graph, tensor->name);
    bool can_ask = tensor->shape->rank > 0 && name.len > 0 && name.len < 100;
    tacho_status status = tacho_work_fail(
        self->fusion, self->op,
        "the shape of %s (%s %s) follows from values, which are known only when it runs%s", of,
        tacho_dtype_name(tensor->dtype), tacho_shape_print(tensor->shape, shape, sizeof(shape)),
        can_ask ? "; give the size to estimate with" : ", so it cannot be estimated");
    for (int32_t i = 0; can_ask && i < tensor->shape->rank; i++) {
        if (tensor->shape->dims[i] == TACHO_DIM_UNKNOWN) {
            snprintf(detail, sizeof(detail), "%s.%d=VALUE", name.data, (int)i);
            status = tacho_status_add_hint(status, TACHO_HINT_SIZE, detail);
        }
    }
    return tacho_status_add_hint(status, TACHO_HINT_GIVE_VALUES, "");
}

/* Fails where a tensor's shape, or type, cannot be known before its maker runs. */
static tacho_status check_maker(const measurer *self, const tacho_tensor *tensor, const char *of)
{
    const tacho_graph *graph = self->fusion->graph;
    const tacho_node *maker =
        tensor->producer != TACHO_NONE ? &graph->nodes[tensor->producer] : NULL;
    const char *what = tensor->dtype == TACHO_DTYPE_NONE ? "type" : "shape";
    tacho_model_condition condition;
    if (maker == NULL || maker->def == NULL) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_model_condition_of(graph, maker, &condition));
    if (condition.text[0] != '\0') {
        tacho_status status =
            tacho_work_fail(self->fusion, self->op, "the %s of %s follows from an If, and %s", what,
                            of, condition.text);
        if (condition.hint.id != TACHO_HINT_NONE) {
            status = tacho_status_add_hint(status, condition.hint.id, condition.hint.detail);
        }
        return tacho_status_add_hint(status, TACHO_HINT_GIVE_VALUES, "");
    }
    if (maker->def->kind == TACHO_OP_CONTROL) {
        tacho_status status = tacho_work_fail(
            self->fusion, self->op,
            "the %s of %s follows from the graph inside %s, which is not analysed inside", what, of,
            maker->def->name);
        status = tacho_status_add_hint(status, TACHO_HINT_GIVE_VALUES, "");
        return graph->note.len > 0
                   ? tacho_status_add_note(status, "%.*s", TACHO_STR_ARG(graph->note))
                   : status;
    }
    if (tensor->dtype != TACHO_DTYPE_NONE && has_input_shapes(graph, maker)) {
        return no_size(self, tensor, of);
    }
    return TACHO_OK;
}

static tacho_status no_shape(const measurer *self, const tacho_tensor *tensor)
{
    char shape[TACHO_SHAPE_TEXT_MAX];
    tacho_str name = tacho_graph_string(self->fusion->graph, tensor->name);
    uint64_t elements;
    if (tensor->dtype != TACHO_DTYPE_NONE && tacho_shape_is_known(tensor->shape) &&
        !tacho_shape_elements(tensor->shape, &elements)) {
        return too_large(self);
    }
    char of[128] = "a tensor";
    if (name.len > 0) {
        snprintf(of, sizeof(of), "'%.100s'", name.data);
    }
    const tacho_graph *graph = self->fusion->graph;
    TACHO_TRY(check_maker(self, tensor, of));
    if (tensor->producer != TACHO_NONE && graph->nodes[tensor->producer].def == NULL) {
        return tacho_work_fail(
            self->fusion, self->op,
            "unknown operator %.80s, and the model does not give the %s of its output%s%s, so it "
            "cannot be estimated; export the model with the shapes of all tensors",
            tacho_graph_string(graph, graph->nodes[tensor->producer].type).data,
            tensor->dtype == TACHO_DTYPE_NONE ? "type and shape" : "shape", name.len > 0 ? " " : "",
            name.len > 0 ? of : "");
    }
    tacho_status status = tacho_work_fail(
        self->fusion, self->op,
        "the %s of %s is not known (%s %s), so it cannot be estimated; use a model that says its "
        "shapes, or give symbolic dimensions a value",
        tensor->dtype == TACHO_DTYPE_NONE ? "type" : "shape", of, tacho_dtype_name(tensor->dtype),
        tacho_shape_print(tensor->shape, shape, sizeof(shape)));
    return tacho_status_add_hint(status, TACHO_HINT_SIZES, "");
}

/* The product of dimensions [from, to). */
static uint64_t volume(const tacho_shape *shape, int32_t from, int32_t to)
{
    uint64_t product = 1;
    for (int32_t i = from; i < to; i++) {
        product = tacho_size_multiply(product, (uint64_t)shape->dims[i]);
    }
    return product;
}

static tacho_status elements_of(const measurer *self, const tacho_tensor *tensor,
                                uint64_t *out_count)
{
    return tacho_shape_elements(tensor->shape, out_count) ? TACHO_OK : no_shape(self, tensor);
}

/* ---- matrices ------------------------------------------------------------------------------ */

/* Data and the second operand of the root. */
static tacho_status operands(const measurer *self, const tacho_tensor **out_data,
                             const tacho_tensor **out_kernel)
{
    const tacho_graph *graph = self->fusion->graph;
    *out_data = tacho_graph_input(graph, self->root, 0);
    *out_kernel = tacho_graph_input(graph, self->root, tacho_op_second_operand(self->root->def));
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
                           tacho_shape_print(tensor->shape, shape, sizeof(shape)));
}

static tacho_status measure_convolution(measurer *self)
{
    const tacho_tensor *data;
    const tacho_tensor *kernel;
    TACHO_TRY(operands(self, &data, &kernel));
    const tacho_shape *window = kernel->shape;
    bool is_transposed = self->op->kind == TACHO_OP_DECONVOLUTION;
    const tacho_shape *positions = is_transposed ? data->shape : self->output->shape;
    if (window->rank < 3 || data->shape->rank != window->rank ||
        self->output->shape->rank != window->rank) {
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
    work->m =
        tacho_size_multiply((uint64_t)positions->dims[0], volume(positions, 2, positions->rank));
    uint64_t per_group = (uint64_t)(window->dims[0] / groups);
    uint64_t area = volume(window, 2, window->rank);
    if (is_transposed) { /* each input position contributes a window of outputs */
        work->k_channels = per_group;
        work->k_window = 1;
        work->n = tacho_size_multiply((uint64_t)window->dims[1], area);
    } else {
        work->k_channels = (uint64_t)window->dims[1];
        work->k_window = area;
        work->n = per_group;
        if (window->rank == 4) {
            work->image = (tacho_image){(uint64_t)positions->dims[2], (uint64_t)positions->dims[3],
                                        (uint64_t)window->dims[2], (uint64_t)window->dims[3]};
        }
    }
    return TACHO_OK;
}

static tacho_status measure_channels_last(measurer *self)
{
    const tacho_tensor *data;
    const tacho_tensor *kernel;
    TACHO_TRY(operands(self, &data, &kernel));
    const tacho_shape *window = kernel->shape;
    bool is_transposed = self->op->kind == TACHO_OP_DECONVOLUTION;
    const tacho_shape *positions = is_transposed ? data->shape : self->output->shape;
    if (window->rank < 4 || positions->rank != window->rank) {
        return wrong_rank(self, kernel);
    }
    int32_t last = window->rank - 1;
    tacho_work *work = self->work;
    work->m = volume(positions, 0, positions->rank - 1);
    if (tacho_op_has(self->root->def, TACHO_OP_IS_DEPTHWISE)) {
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
    work->n = tacho_size_multiply((uint64_t)window->dims[0], is_transposed ? area : 1);
    if (window->rank == 4 && !is_transposed) {
        work->image = (tacho_image){(uint64_t)positions->dims[1], (uint64_t)positions->dims[2],
                                    (uint64_t)window->dims[1], (uint64_t)window->dims[2]};
    }
    return TACHO_OK;
}

static uint64_t dim_from_end(const tacho_shape *shape, int32_t i)
{
    return shape->rank >= i ? (uint64_t)shape->dims[shape->rank - i] : 1;
}

/* Whether the root is an Einsum, and then its sizes. */
static bool measure_einsum(measurer *self)
{
    tacho_einsum einsum;
    if (!tacho_op_has(self->root->def, TACHO_OP_IS_EINSUM) ||
        !tacho_einsum_measure(self->fusion->graph, self->root, &einsum)) {
        return false;
    }
    self->work->batch = einsum.batch;
    self->work->m = einsum.m;
    self->work->n = einsum.n;
    self->work->k_channels = einsum.k;
    self->work->k_window = 1;
    return true;
}

static tacho_status measure_matmul(measurer *self)
{
    if (measure_einsum(self)) {
        return TACHO_OK;
    }
    const tacho_tensor *a;
    const tacho_tensor *b;
    TACHO_TRY(operands(self, &a, &b));
    const tacho_graph *graph = self->fusion->graph;
    bool is_transposed = tacho_attr_int(tacho_graph_attrs(graph, self->root),
                                        self->root->attr_count, "transA", 0) != 0;
    if (a->shape->rank < 1 || b->shape->rank < 1) {
        return wrong_rank(self, a->shape->rank < 1 ? a : b);
    }
    tacho_work *work = self->work;
    uint64_t k = dim_from_end(a->shape, is_transposed ? 2 : 1);
    uint64_t m = a->shape->rank == 1 ? 1 : dim_from_end(a->shape, is_transposed ? 1 : 2);
    uint64_t n = b->shape->rank == 1 ? 1 : dim_from_end(self->output->shape, 1);
    uint64_t outputs;
    TACHO_TRY(elements_of(self, self->output, &outputs));
    uint64_t matrix = tacho_size_multiply(m, n);
    uint64_t batch = matrix > 0 ? outputs / matrix : 0;
    if (b->shape->rank <= 2 || volume(b->shape, 0, b->shape->rank - 2) == 1) {
        /* One matrix for all: a taller product. */
        m = tacho_size_multiply(m, batch);
        batch = 1;
    }
    work->batch = batch;
    work->m = m;
    work->n = n;
    work->k_channels = k;
    work->k_window = 1;
    return TACHO_OK;
}

/*
 * Gates of all steps of a sequence: X by W and the state by R, for each direction. The state of a
 * step is the result of the one before.
 */
static tacho_status measure_recurrent(measurer *self)
{
    const tacho_graph *graph = self->fusion->graph;
    const tacho_tensor *sequence;
    const tacho_tensor *kernel;
    TACHO_TRY(operands(self, &sequence, &kernel));
    const tacho_tensor *state = tacho_graph_input(graph, self->root, 2);
    if (state == NULL || sequence->shape->rank != 3 || kernel->shape->rank != 3 ||
        state->shape->rank != 3 || !tacho_shape_is_known(state->shape)) {
        return wrong_rank(self, kernel);
    }
    bool is_batch_first = tacho_attr_int(tacho_graph_attrs(graph, self->root),
                                         self->root->attr_count, "layout", 0) == 1;
    tacho_work *work = self->work;
    work->batch = (uint64_t)kernel->shape->dims[0];
    work->m = volume(sequence->shape, 0, 2);
    work->sequence = (uint64_t)sequence->shape->dims[is_batch_first ? 1 : 0];
    work->n = (uint64_t)kernel->shape->dims[1];
    work->k_channels =
        tacho_size_add((uint64_t)kernel->shape->dims[2], (uint64_t)state->shape->dims[2]);
    work->k_window = 1;
    work->elements = tacho_size_multiply(work->batch, tacho_size_multiply(work->m, work->n));
    work->steps = self->root->def->steps;
    return TACHO_OK;
}

/* A product of nothing reads nothing: its results, if any, are zeros. */
static void drop_empty_product(tacho_work *work)
{
    if (work->batch > 0 && work->m > 0 && work->n > 0 && work->k_channels > 0 &&
        work->k_window > 0) {
        return;
    }
    *work = (tacho_work){.kind = TACHO_WORK_MOVE,
                         .input = {.dtype = work->input.dtype, .place = work->input.place},
                         .weights = {.dtype = work->weights.dtype, .place = work->weights.place},
                         .output = work->output};
}

static tacho_status measure_matrix(measurer *self)
{
    self->work->kind = TACHO_WORK_MATRIX;
    if (self->op->kind == TACHO_OP_RECURRENT) {
        return measure_recurrent(self);
    }
    bool is_last = tacho_op_has(self->root->def, TACHO_OP_CHANNELS_LAST);
    TACHO_TRY(self->op->kind == TACHO_OP_MATMUL ? measure_matmul(self)
              : is_last                         ? measure_channels_last(self)
                                                : measure_convolution(self));
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
        window = tacho_size_multiply(window, kernel[i] > 0 ? (uint64_t)kernel[i] : 1);
    }
    return window;
}

/* How often an operator does its steps: a sum of several once for each but the first. */
static uint64_t joins(const measurer *self)
{
    if (!tacho_op_has(self->root->def, TACHO_OP_IS_VARIADIC)) {
        return 1;
    }
    uint64_t count = 0;
    for (size_t i = 0; i < self->root->input_count; i++) {
        count += tacho_graph_input(self->fusion->graph, self->root, i) != NULL ? 1 : 0;
    }
    return count > 2 ? count - 1 : 1;
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
    uint64_t each = tacho_op_steps_of(graph, self->root);
    uint64_t steps = tacho_size_multiply(each > 0 ? each : 1, joins(self));
    uint64_t window = self->op->kind == TACHO_OP_POOL ? pool_window(self) : 1;
    bool is_gathering = window == 0 || self->op->kind == TACHO_OP_REDUCTION;
    if (!is_gathering) {
        work->elements = outputs;
        work->steps = tacho_size_add(tacho_size_multiply(steps, window), self->op->fused_steps);
        return TACHO_OK;
    }
    uint64_t inputs = 0;
    TACHO_TRY(elements_of(self, input, &inputs));
    uint64_t after = tacho_size_multiply(outputs, self->op->fused_steps);
    work->elements = tacho_size_add(inputs, after / steps);
    work->steps = steps;
    return TACHO_OK;
}

/*
 * Operators of no other kind that have steps: what searches does them for each element that it
 * reads, others for each that they make.
 */
static tacho_status measure_other(measurer *self)
{
    const tacho_graph *graph = self->fusion->graph;
    const tacho_op_def *def = self->root->def;
    uint64_t most = 0, count = 0;
    if (def == NULL || def->kind != TACHO_OP_OTHER || def->steps == 0 || self->output == NULL) {
        return TACHO_OK;
    }
    bool is_by_row = tacho_op_has(def, TACHO_OP_BY_ROW);
    bool is_search = tacho_op_has(def, TACHO_OP_HAS_PARAMETERS) ||
                     tacho_op_has(def, TACHO_OP_BY_RESULT) || is_by_row;
    for (size_t i = 0; is_search && i < self->root->input_count; i++) {
        const tacho_tensor *input = tacho_graph_input(graph, self->root, i);
        if (input != NULL) {
            TACHO_TRY(elements_of(self, input, &count));
            most = count > most ? count : most;
        }
    }
    TACHO_TRY(elements_of(self, self->output, &count));
    self->work->kind = TACHO_WORK_VECTOR;
    self->work->elements = is_search ? most : count;
    self->work->steps = def->steps;
    if (is_by_row) {
        const tacho_shape *shape = tacho_graph_input(graph, self->root, 0)->shape;
        uint64_t row = (uint64_t)shape->dims[shape->rank - 1];
        self->work->elements = tacho_size_multiply(self->work->elements, row);
    }
    return TACHO_OK;
}

/* Whether elements become others, as the machine keeps them. */
static bool is_converted(const measurer *self)
{
    return tacho_op_has(self->root->def, TACHO_OP_IS_CAST) &&
           self->work->input.dtype != self->work->output.dtype;
}

/* A move that also quantises anew, or converts; nothing for a pure move. */
static tacho_status measure_move(measurer *self)
{
    uint64_t steps = self->op->fused_steps + (is_converted(self) ? 1 : 0);
    if (steps == 0 || self->output == NULL) {
        return TACHO_OK;
    }
    self->work->kind = TACHO_WORK_VECTOR;
    self->work->steps = steps;
    return elements_of(self, self->output, &self->work->elements);
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
    operand->bytes = tacho_size_add(operand->bytes, bytes);
    return TACHO_OK;
}

static tacho_place place_of(const measurer *self, uint32_t tensor)
{
    const tacho_place *places = self->options->places;
    return places != NULL ? places[tensor] : TACHO_PLACE_DDR;
}

/*
 * Activations in the same memory as the first one are the input; the others go with the weights
 * where these are in the same memory.
 */
static tacho_status add_inputs(const measurer *self, uint64_t most_elements)
{
    tacho_work *work = self->work;
    const tacho_fused_op *op = self->op;
    for (uint32_t i = 0; i < op->input_count; i++) {
        uint32_t id = self->fusion->tensors[op->first_input + i];
        tacho_place place = place_of(self, id);
        if (i == 0) {
            work->input.place = place;
        }
        bool is_apart = i > 0 && place != work->input.place;
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

static tacho_status add_constants(const measurer *self, uint64_t most_elements)
{
    for (uint32_t i = 0; i < self->op->weight_count; i++) {
        uint32_t id = self->fusion->tensors[self->op->first_weight + i];
        TACHO_TRY(add_tensor(self, id, most_elements, &self->work->weights));
    }
    return TACHO_OK;
}

/* The tensor that a product reads as its input |i|, or TACHO_NONE. */
static uint32_t read_by_root(const measurer *self, size_t i)
{
    uint32_t tensor = i < self->root->input_count
                          ? self->fusion->graph->links[self->root->first_input + i]
                          : TACHO_NONE;
    return tensor == TACHO_NONE ? TACHO_NONE : tacho_fusion_read(self->fusion, self->op, tensor);
}

/* An operand besides the two matrices goes with the matrix in the same memory. */
static tacho_status add_extra(const measurer *self, uint32_t id)
{
    tacho_work *work = self->work;
    bool is_constant = self->fusion->graph->tensors[id].is_constant;
    tacho_place place = is_constant ? TACHO_PLACE_DDR : place_of(self, id);
    bool is_input = work->input.place == place;
    bool is_weights = work->weights.place == place;
    bool goes_with_weights = is_constant ? is_weights || !is_input : is_weights && !is_input;
    tacho_operand *to = goes_with_weights ? &work->weights : &work->input;
    uint64_t before = to->bytes;
    TACHO_TRY(add_tensor(self, id, UINT64_MAX, to));
    uint64_t *extra = goes_with_weights ? &work->weights_extra_bytes : &work->input_extra_bytes;
    *extra = tacho_size_add(*extra, to->bytes - before);
    return TACHO_OK;
}

/* Of a product: its first operand is the input, its second the weights, whichever is constant. */
static tacho_status add_matrices(const measurer *self)
{
    tacho_work *work = self->work;
    const tacho_fused_op *op = self->op;
    const uint32_t ids[] = {read_by_root(self, 0),
                            read_by_root(self, tacho_op_second_operand(self->root->def))};
    tacho_operand *const operands_of[] = {&work->input, &work->weights};
    for (size_t i = 0; i < 2; i++) {
        if (ids[i] != TACHO_NONE) {
            bool is_constant = self->fusion->graph->tensors[ids[i]].is_constant;
            operands_of[i]->place = is_constant ? TACHO_PLACE_DDR : place_of(self, ids[i]);
            TACHO_TRY(add_tensor(self, ids[i], UINT64_MAX, operands_of[i]));
        }
    }
    const uint32_t firsts[] = {op->first_input, op->first_weight};
    const uint32_t counts[] = {op->input_count, op->weight_count};
    for (size_t i = 0; i < 2; i++) {
        for (uint32_t j = 0; j < counts[i]; j++) {
            uint32_t id = self->fusion->tensors[firsts[i] + j];
            if (id != ids[0] && id != ids[1]) {
                TACHO_TRY(add_extra(self, id));
            }
        }
    }
    return TACHO_OK;
}

static bool is_wider(tacho_dtype a, tacho_dtype b)
{
    bool is_real[] = {tacho_dtype_kind_of(a) == TACHO_DTYPE_REAL,
                      b != TACHO_DTYPE_NONE && tacho_dtype_kind_of(b) == TACHO_DTYPE_REAL};
    if (b == TACHO_DTYPE_NONE || is_real[0] != is_real[1]) {
        return b == TACHO_DTYPE_NONE || is_real[0];
    }
    uint64_t bytes[2] = {0, 0};
    enum { BLOCK = 64 }; /* elements, so that small types differ too */
    return tacho_dtype_bytes(a, BLOCK, &bytes[0]) && tacho_dtype_bytes(b, BLOCK, &bytes[1]) &&
           (bytes[0] > bytes[1] || (bytes[0] == bytes[1] && b == TACHO_DTYPE_BOOL));
}

/*
 * The type to compute in: of products their first operand's type; of elements the widest of their
 * sources and results, real numbers before integers, so that neither a condition nor a dequantised
 * operand decides.
 */
static tacho_dtype compute_dtype(const measurer *self)
{
    if (self->work->kind != TACHO_WORK_VECTOR) {
        bool is_moved = self->work->kind == TACHO_WORK_MOVE; /* the first may be where from */
        return is_moved ? self->work->output.dtype : self->work->input.dtype;
    }
    const tacho_fused_op *op = self->op;
    const uint32_t firsts[] = {op->first_input, op->first_output};
    const uint32_t counts[] = {op->input_count, op->output_count};
    tacho_dtype widest = TACHO_DTYPE_NONE;
    for (size_t i = 0; i < 2; i++) {
        for (uint32_t j = 0; j < counts[i]; j++) {
            const tacho_tensor *tensor = tacho_fusion_tensor(self->fusion, firsts[i], j);
            tacho_dtype dtype = tacho_machine_view_kept(self->options->machine, tensor->dtype,
                                                        self->options->dtype);
            widest = dtype != TACHO_DTYPE_NONE && is_wider(dtype, widest) ? dtype : widest;
        }
    }
    return widest != TACHO_DTYPE_NONE ? widest : self->work->input.dtype;
}

static bool is_product(const measurer *self)
{
    return self->op->kind == TACHO_OP_CONVOLUTION || self->op->kind == TACHO_OP_DECONVOLUTION ||
           self->op->kind == TACHO_OP_MATMUL;
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
            most_elements = tacho_size_add(most_elements, count);
        }
    }
    if (is_product(self)) {
        TACHO_TRY(add_matrices(self));
    } else {
        TACHO_TRY(add_constants(self, most_elements));
        TACHO_TRY(add_inputs(self, most_elements));
    }
    if (work->input.dtype == TACHO_DTYPE_NONE) { /* all of it is constant */
        work->input.dtype =
            work->weights.dtype != TACHO_DTYPE_NONE ? work->weights.dtype : work->output.dtype;
    }
    return TACHO_OK;
}

static bool fits(const tacho_work *work)
{
    uint64_t macs =
        tacho_size_multiply(tacho_size_multiply(work->batch, tacho_size_multiply(work->m, work->n)),
                            tacho_size_multiply(work->k_channels, work->k_window));
    uint64_t bytes =
        tacho_size_add(tacho_size_add(work->input.bytes, work->weights.bytes), work->output.bytes);
    return macs <= INT64_MAX && bytes <= INT64_MAX &&
           tacho_size_multiply(work->elements, work->steps) <= INT64_MAX;
}

/* The first output that is used: of a recurrent operator that may be its last state alone. */
static const tacho_tensor *first_output(const tacho_graph *graph, const tacho_node *root)
{
    const tacho_tensor *made = NULL;
    for (size_t i = 0; made == NULL && i < root->output_count; i++) {
        made = tacho_graph_output(graph, root, i);
    }
    return made;
}

tacho_status tacho_work_compute(const tacho_fusion *fusion, const tacho_fused_op *op,
                                const tacho_work_options *options, tacho_work *out_work)
{
    *out_work = (tacho_work){.kind = TACHO_WORK_MOVE};
    const tacho_node *root = &fusion->graph->nodes[op->root];
    measurer self = {
        .fusion = fusion,
        .op = op,
        .options = options,
        .root = root,
        .output = first_output(fusion->graph, root),
        .work = out_work,
    };
    TACHO_TRY(add_operands(&self));
    switch (op->kind) {
    case TACHO_OP_CONVOLUTION:
    case TACHO_OP_DECONVOLUTION:
    case TACHO_OP_MATMUL:
    case TACHO_OP_RECURRENT:
        TACHO_TRY(measure_matrix(&self));
        drop_empty_product(out_work);
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
        TACHO_TRY(measure_move(&self));
        break;
    case TACHO_OP_VIEW:
    case TACHO_OP_SHAPE:
    case TACHO_OP_CONSTANT:
    case TACHO_OP_CONTROL:
    case TACHO_OP_KIND_COUNT:
        break;
    case TACHO_OP_OTHER:
        TACHO_TRY(measure_other(&self));
        break;
    }
    out_work->compute = compute_dtype(&self);
    return fits(out_work) ? TACHO_OK : too_large(&self);
}
