/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constant folding. A value is found in the first of these ways that applies: it is an attribute of
 * the node; it is the input's under another shape; the inputs are splats, so it is one; it is
 * small enough to compute. Else the tensor is only marked as a constant.
 */
#include "graph/fold.h"

#include "kernels/kernel.h"

void tacho_folder_init(tacho_folder *folder, tacho_graph *graph)
{
    *folder = (tacho_folder){.graph = graph};
    tacho_arena_init(&folder->scratch);
}

void tacho_folder_deinit(tacho_folder *folder)
{
    tacho_arena_deinit(&folder->scratch);
}

static const tacho_constant *value_of(const tacho_graph *graph, const tacho_tensor *tensor)
{
    bool has_value = tensor != NULL && tensor->constant != TACHO_NONE;
    return has_value ? &graph->constants[tensor->constant] : NULL;
}

/* Copies the one element of a tensor that has only one, or is a splat. */
static bool uniform_element(const tacho_graph *graph, const tacho_tensor *tensor,
                            unsigned char out_element[16])
{
    const tacho_constant *value = value_of(graph, tensor);
    size_t size = value == NULL ? 0 : tacho_dtype_element_bytes(tensor->dtype);
    uint64_t count;
    if (size == 0 || size > 16 || !tacho_shape_elements(tensor->shape, &count)) {
        return false;
    }
    memset(out_element, 0, 16);
    if (value->kind == TACHO_CONSTANT_SPLAT) {
        memcpy(out_element, value->splat, size);
        return true;
    }
    if (value->kind == TACHO_CONSTANT_BYTES && count == 1) {
        memcpy(out_element, value->bytes, size);
        return true;
    }
    return false;
}

/* ---- foldable nodes ------------------------------------------------------------------------ */

static bool has_constant_inputs(const tacho_graph *graph, const tacho_node *node)
{
    size_t present = 0;
    for (size_t i = 0; i < node->input_count; i++) {
        const tacho_tensor *tensor = tacho_graph_input(graph, node, i);
        if (tensor != NULL && !tensor->is_constant) {
            return false;
        }
        present += tensor != NULL ? 1 : 0;
    }
    return present > 0;
}

/* Whether a view is switched to compute, or might be: Dropout in training, by its input 2. */
static bool is_switched(const tacho_graph *graph, const tacho_node *node)
{
    const tacho_tensor *tensor = tacho_graph_input(graph, node, 2);
    if (node->def->kind != TACHO_OP_VIEW || tensor == NULL || tensor->dtype != TACHO_DTYPE_BOOL) {
        return false;
    }
    unsigned char element[16];
    return !uniform_element(graph, tensor, element) || element[0] != 0;
}

/* Operators of other kinds may be random, and those of control are not looked into. */
static bool is_foldable(const tacho_graph *graph, const tacho_node *node)
{
    const tacho_tensor *first = tacho_graph_input(graph, node, 0);
    if (node->def == NULL || node->def->kind == TACHO_OP_CONTROL ||
        node->def->kind == TACHO_OP_OTHER || is_switched(graph, node)) {
        return false;
    }
    if (node->def->kind == TACHO_OP_SHAPE && first != NULL && tacho_shape_is_known(first->shape)) {
        return true;
    }
    return (node->def->kind == TACHO_OP_CONSTANT && node->input_count == 0) ||
           has_constant_inputs(graph, node);
}

/* Makes the outputs constants; false when one is an input of the network. */
static bool mark_outputs(const tacho_graph *graph, const tacho_node *node)
{
    for (size_t i = 0; i < node->output_count; i++) {
        const tacho_tensor *tensor = tacho_graph_output(graph, node, i);
        if (tensor != NULL && tensor->is_input) {
            return false;
        }
    }
    for (size_t i = 0; i < node->output_count; i++) {
        tacho_tensor *tensor = tacho_graph_output(graph, node, i);
        if (tensor != NULL) {
            tensor->is_constant = true;
        }
    }
    return true;
}

static bool has_values(const tacho_graph *graph, const tacho_node *node)
{
    for (size_t i = 0; i < node->output_count; i++) {
        const tacho_tensor *tensor = tacho_graph_output(graph, node, i);
        if (tensor != NULL && tensor->constant == TACHO_NONE) {
            return false;
        }
    }
    return node->output_count > 0;
}

/* ---- attributes and views ------------------------------------------------------------------ */

static tacho_status set_value(tacho_folder *folder, const tacho_node *node, size_t output,
                              const tacho_constant *constant)
{
    uint32_t tensor = folder->graph->links[node->first_output + output];
    return tensor == TACHO_NONE ? TACHO_OK
                                : tacho_graph_set_constant(folder->graph, tensor, constant);
}

/* The output is the same bytes as |from|, whatever its shape. */
static void share_value(const tacho_graph *graph, const tacho_node *node, const tacho_tensor *from)
{
    tacho_tensor *to = tacho_graph_output(graph, node, 0);
    uint64_t from_bytes, to_bytes;
    if (to != NULL && value_of(graph, from) != NULL && from->dtype == to->dtype &&
        tacho_tensor_bytes(from, &from_bytes) && tacho_tensor_bytes(to, &to_bytes) &&
        from_bytes == to_bytes) {
        to->constant = from->constant;
    }
}

/* Integers as they are, real numbers as f32: the lists of ONNX's Constant. */
static tacho_status fold_list(tacho_folder *folder, const tacho_node *node, const tacho_attr *attr)
{
    bool is_int = attr->kind == TACHO_ATTR_INT || attr->kind == TACHO_ATTR_INTS;
    bool is_list = attr->kind == TACHO_ATTR_INTS || attr->kind == TACHO_ATTR_REALS;
    size_t count = is_list ? attr->count : 1, size = is_int ? sizeof(int64_t) : sizeof(float);
    tacho_constant constant = {.kind = is_list ? TACHO_CONSTANT_BYTES : TACHO_CONSTANT_SPLAT};
    unsigned char *to = constant.splat;
    if (is_list) {
        void *memory;
        TACHO_TRY(tacho_arena_alloc(&folder->graph->arena, count * size, &memory));
        constant.bytes = to = memory;
    }
    for (size_t i = 0; i < count; i++) {
        int64_t as_int = is_list && is_int ? attr->value.as_ints[i] : attr->value.as_int;
        double as_real = is_list && !is_int ? attr->value.as_reals[i] : attr->value.as_real;
        float as_float = is_int ? 0 : (float)as_real;
        memcpy(to + i * size, is_int ? (const void *)&as_int : (const void *)&as_float, size);
    }
    return set_value(folder, node, 0, &constant);
}

/* A constant that is written in an attribute. */
static tacho_status fold_attribute(tacho_folder *folder, const tacho_node *node)
{
    const tacho_graph *graph = folder->graph;
    const tacho_tensor *output = tacho_graph_output(graph, node, 0);
    for (size_t i = 0; i < node->attr_count; i++) {
        const tacho_attr *attr = &tacho_graph_attrs(graph, node)[i];
        bool is_int = attr->kind == TACHO_ATTR_INT || attr->kind == TACHO_ATTR_INTS;
        bool is_real = attr->kind == TACHO_ATTR_REAL || attr->kind == TACHO_ATTR_REALS;
        if (attr->kind == TACHO_ATTR_TENSOR) {
            share_value(graph, node, &graph->tensors[attr->value.as_tensor]);
            return TACHO_OK;
        }
        if (output != NULL && ((is_int && output->dtype == TACHO_DTYPE_I64) ||
                               (is_real && output->dtype == TACHO_DTYPE_F32))) {
            return fold_list(folder, node, attr);
        }
    }
    return TACHO_OK;
}

/* The tensor of the node's one tensor attribute, or NULL. */
static const tacho_tensor *attr_tensor(const tacho_graph *graph, const tacho_node *node)
{
    for (size_t i = 0; i < node->attr_count; i++) {
        const tacho_attr *attr = &tacho_graph_attrs(graph, node)[i];
        if (attr->kind == TACHO_ATTR_TENSOR) {
            return &graph->tensors[attr->value.as_tensor];
        }
    }
    return NULL;
}

/* A tensor of one value, given in an attribute; zero where it is not (ConstantOfShape). */
static tacho_status fold_filled(tacho_folder *folder, const tacho_node *node)
{
    const tacho_tensor *element = attr_tensor(folder->graph, node);
    const tacho_tensor *output = tacho_graph_output(folder->graph, node, 0);
    tacho_constant constant = {.kind = TACHO_CONSTANT_SPLAT};
    if (output == NULL || !tacho_shape_is_known(output->shape) ||
        (element != NULL && (element->dtype != output->dtype ||
                             !uniform_element(folder->graph, element, constant.splat)))) {
        return TACHO_OK;
    }
    return set_value(folder, node, 0, &constant);
}

/* ---- kernels ------------------------------------------------------------------------------- */

/* Inputs and outputs of a kernel, in scratch memory. */
typedef struct workbench {
    const tacho_kernel *kernel;
    tacho_array *inputs;
    const tacho_array **input_pointers;
    tacho_array *outputs;
    tacho_array attr;
} workbench;

static tacho_status make_workbench(tacho_folder *folder, const tacho_node *node, workbench *bench)
{
    void *memory;
    size_t inputs = node->input_count, outputs = node->output_count;
    TACHO_TRY(tacho_arena_alloc(&folder->scratch, inputs * sizeof(*bench->inputs), &memory));
    bench->inputs = memory;
    TACHO_TRY(
        tacho_arena_alloc(&folder->scratch, inputs * sizeof(*bench->input_pointers), &memory));
    bench->input_pointers = memory;
    TACHO_TRY(tacho_arena_alloc(&folder->scratch, outputs * sizeof(*bench->outputs), &memory));
    bench->outputs = memory;
    return TACHO_OK;
}

/* Runs the kernel; a node that it cannot compute is left without a value. */
static tacho_status compute(tacho_folder *folder, const tacho_node *node, const workbench *bench,
                            bool *out_is_done)
{
    tacho_kernel_call call = {
        .opset = node->opset,
        .inputs = bench->input_pointers,
        .input_count = node->input_count,
        .outputs = bench->outputs,
        .output_count = node->output_count,
        .attrs = tacho_graph_attrs(folder->graph, node),
        .attr_count = node->attr_count,
    };
    tacho_status status = tacho_kernel_compute(bench->kernel, &call);
    *out_is_done = status == TACHO_OK;
    if (status == TACHO_OK || tacho_status_code(status) == TACHO_CODE_NO_MEMORY) {
        return status;
    }
    tacho_status named = TACHO_OK;
    if (tacho_status_code(status) != TACHO_CODE_UNSUPPORTED) {
        named = tacho_infer_fail(&(tacho_infer){folder->graph, node}, "%s",
                                 tacho_status_message(status));
    }
    tacho_status_free(status);
    return named;
}

static tacho_status set_splats(tacho_folder *folder, const tacho_node *node,
                               const unsigned char *splats)
{
    for (size_t i = 0; i < node->output_count; i++) {
        tacho_constant constant = {.kind = TACHO_CONSTANT_SPLAT};
        memcpy(constant.splat, splats + i * 16, sizeof(constant.splat));
        TACHO_TRY(set_value(folder, node, i, &constant));
    }
    return TACHO_OK;
}

/* Element by element on splats: on one element each. */
static tacho_status try_each(tacho_folder *folder, const tacho_node *node, workbench *bench,
                             bool *out_is_done)
{
    const tacho_graph *graph = folder->graph;
    void *memory;
    TACHO_TRY(tacho_arena_alloc(&folder->scratch,
                                ((size_t)node->input_count + node->output_count) * 16, &memory));
    unsigned char *elements = memory, *splats = elements + (size_t)node->input_count * 16;
    for (size_t i = 0; i < node->input_count; i++) {
        const tacho_tensor *tensor = tacho_graph_input(graph, node, i);
        if (tensor != NULL && !uniform_element(graph, tensor, elements + i * 16)) {
            return TACHO_OK;
        }
        bench->input_pointers[i] = tensor == NULL ? NULL : &bench->inputs[i];
        if (tensor != NULL) {
            bench->inputs[i] = (tacho_array){.dtype = tensor->dtype, .data = elements + i * 16};
        }
    }
    for (size_t i = 0; i < node->output_count; i++) {
        const tacho_tensor *tensor = tacho_graph_output(graph, node, i);
        if (tensor == NULL || tacho_dtype_element_bytes(tensor->dtype) == 0) {
            return TACHO_OK;
        }
        bench->outputs[i] = (tacho_array){.dtype = tensor->dtype, .data = splats + i * 16};
    }
    TACHO_TRY(compute(folder, node, bench, out_is_done));
    return *out_is_done ? set_splats(folder, node, splats) : TACHO_OK;
}

/* Elements of splats at other places: the same splat. */
static tacho_status try_picks(tacho_folder *folder, const tacho_node *node, size_t input_count,
                              bool *out_is_done)
{
    const tacho_graph *graph = folder->graph;
    tacho_constant constant = {.kind = TACHO_CONSTANT_SPLAT};
    for (size_t i = 0; i < input_count; i++) {
        const tacho_tensor *tensor = tacho_graph_input(graph, node, i);
        const tacho_constant *value = value_of(graph, tensor);
        if (value == NULL || value->kind != TACHO_CONSTANT_SPLAT ||
            (i > 0 && memcmp(value->splat, constant.splat, sizeof(constant.splat)) != 0)) {
            return TACHO_OK;
        }
        constant = *value;
    }
    for (size_t i = 0; i < node->output_count; i++) {
        TACHO_TRY(set_value(folder, node, i, &constant));
    }
    *out_is_done = input_count > 0;
    return TACHO_OK;
}

/* An input in the kernels' form: |data| is NULL when it is not available. */
static tacho_status bring_input(tacho_folder *folder, const tacho_tensor *tensor, bool may_stay,
                                uint64_t *budget, tacho_array *to)
{
    const tacho_constant *value = value_of(folder->graph, tensor);
    size_t size = tacho_dtype_element_bytes(tensor->dtype);
    uint64_t bytes;
    *to = (tacho_array){.dtype = tensor->dtype, .shape = *tensor->shape};
    if (value == NULL || value->kind == TACHO_CONSTANT_RANDOM || size == 0 ||
        !tacho_tensor_bytes(tensor, &bytes)) {
        return TACHO_OK;
    }
    if (may_stay && value->kind == TACHO_CONSTANT_BYTES) {
        memcpy(&to->data, &value->bytes, sizeof(to->data)); /* read only */
        return TACHO_OK;
    }
    if (bytes > *budget) {
        return TACHO_OK;
    }
    *budget -= bytes;
    TACHO_TRY(tacho_arena_alloc(&folder->scratch, (size_t)bytes, &to->data));
    if (value->kind == TACHO_CONSTANT_BYTES) {
        memcpy(to->data, value->bytes, (size_t)bytes);
        return TACHO_OK;
    }
    for (size_t at = 0; at < bytes; at += size) {
        memcpy((unsigned char *)to->data + at, value->splat, size);
    }
    return TACHO_OK;
}

static tacho_status bring_inputs(tacho_folder *folder, const tacho_node *node, workbench *bench,
                                 bool *out_is_ready)
{
    uint64_t budget = TACHO_FOLD_INPUT_MAX;
    *out_is_ready = false;
    for (size_t i = 0; i < node->input_count; i++) {
        const tacho_tensor *tensor = tacho_graph_input(folder->graph, node, i);
        bench->input_pointers[i] = tensor == NULL ? NULL : &bench->inputs[i];
        if (tensor == NULL) {
            continue;
        }
        if (node->def->kind == TACHO_OP_SHAPE) {
            bench->inputs[i] = (tacho_array){.dtype = tensor->dtype, .shape = *tensor->shape};
            continue;
        }
        bool may_stay = i == 0 && bench->kernel->trait == TACHO_KERNEL_PICKS;
        TACHO_TRY(bring_input(folder, tensor, may_stay, &budget, &bench->inputs[i]));
        if (bench->inputs[i].data == NULL) {
            return TACHO_OK;
        }
    }
    *out_is_ready = true;
    return TACHO_OK;
}

/* Room for the outputs in the graph's arena, if they are small enough to be had. */
static tacho_status make_outputs(tacho_folder *folder, const tacho_node *node, workbench *bench,
                                 bool *out_is_ready)
{
    uint64_t total = 0, bytes;
    *out_is_ready = false;
    for (size_t i = 0; i < node->output_count; i++) {
        const tacho_tensor *tensor = tacho_graph_output(folder->graph, node, i);
        if (tensor == NULL || tacho_dtype_element_bytes(tensor->dtype) == 0 ||
            !tacho_tensor_bytes(tensor, &bytes) || bytes > TACHO_FOLD_VALUE_MAX) {
            return TACHO_OK;
        }
        total += bytes;
    }
    if (total > TACHO_FOLD_VALUE_MAX || folder->made_bytes + total > TACHO_FOLD_GRAPH_MAX) {
        return TACHO_OK;
    }
    folder->made_bytes += total;
    for (size_t i = 0; i < node->output_count; i++) {
        const tacho_tensor *tensor = tacho_graph_output(folder->graph, node, i);
        tacho_array *to = &bench->outputs[i];
        *to = (tacho_array){.dtype = tensor->dtype, .shape = *tensor->shape};
        *out_is_ready = tacho_tensor_bytes(tensor, &bytes);
        TACHO_TRY(tacho_arena_alloc(&folder->graph->arena, (size_t)bytes, &to->data));
    }
    return TACHO_OK;
}

static tacho_status try_small(tacho_folder *folder, const tacho_node *node, workbench *bench)
{
    bool is_ready;
    TACHO_TRY(bring_inputs(folder, node, bench, &is_ready));
    if (!is_ready) {
        return TACHO_OK;
    }
    TACHO_TRY(make_outputs(folder, node, bench, &is_ready));
    if (!is_ready) {
        return TACHO_OK;
    }
    TACHO_TRY(compute(folder, node, bench, &is_ready));
    for (size_t i = 0; is_ready && i < node->output_count; i++) {
        tacho_constant constant = {.kind = TACHO_CONSTANT_BYTES, .bytes = bench->outputs[i].data};
        TACHO_TRY(set_value(folder, node, i, &constant));
    }
    return TACHO_OK;
}

static tacho_status fold_by_kernel(tacho_folder *folder, const tacho_node *node)
{
    workbench bench = {.kernel = tacho_kernel_find(tacho_graph_string(folder->graph, node->type))};
    if (bench.kernel == NULL || bench.kernel->trait == TACHO_KERNEL_HEAVY ||
        node->output_count == 0) {
        return TACHO_OK;
    }
    bool is_done = false;
    TACHO_TRY(make_workbench(folder, node, &bench));
    if (bench.kernel->trait == TACHO_KERNEL_EACH) {
        TACHO_TRY(try_each(folder, node, &bench, &is_done));
    } else if (bench.kernel->trait == TACHO_KERNEL_PICKS) {
        TACHO_TRY(try_picks(folder, node, node->input_count > 0 ? 1 : 0, &is_done));
    } else if (bench.kernel->trait == TACHO_KERNEL_JOINS) {
        TACHO_TRY(try_picks(folder, node, node->input_count, &is_done));
    }
    return is_done ? TACHO_OK : try_small(folder, node, &bench);
}

tacho_status tacho_folder_fold(tacho_folder *folder, tacho_node *node)
{
    const tacho_graph *graph = folder->graph;
    bool has_them = has_values(graph, node);
    if ((!has_them && !is_foldable(graph, node)) || !mark_outputs(graph, node)) {
        return TACHO_OK;
    }
    if (node->def != NULL &&
        (node->def->kind == TACHO_OP_QUANTISE || node->def->kind == TACHO_OP_DEQUANTISE)) {
        return TACHO_OK; /* later passes join them with their consumers */
    }
    node->is_folded = true;
    if (has_them) {
        return TACHO_OK;
    }
    if (node->def->kind == TACHO_OP_CONSTANT) {
        return node->input_count == 0 ? fold_attribute(folder, node) : fold_filled(folder, node);
    }
    if (node->def->kind == TACHO_OP_VIEW) {
        share_value(graph, node, tacho_graph_input(graph, node, 0));
        return TACHO_OK;
    }
    tacho_status status = fold_by_kernel(folder, node);
    tacho_arena_reset(&folder->scratch);
    return status;
}
