/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk that computes a network. A tensor's memory is freed after its last reader.
 */
#include "graph/evaluate.h"

#include "base/grow.h"
#include "graph/expand.h"
#include "graph/infer.h"
#include "graph/probe.h"
#include "kernels/quantise.h"

#include <stdlib.h>

/* One tensor on the way. */
typedef struct slot {
    tacho_array array;
    bool has_value;
    bool is_owned;    /* |array.data| is ours to free */
    bool is_shown;    /* inference sees it as a constant of the graph, for now ... */
    bool is_constant; /* ... and this keeps the graph's own flag meanwhile */
    uint32_t readers; /* nodes that still need it; outputs of the network count as one more */
} slot;

typedef struct tacho_probe {
    tacho_graph *graph;
    slot *slots; /* by tensor */
    size_t slot_count, slot_capacity;
    uint64_t live_bytes;
    const tacho_array **inputs; /* of the node at hand */
    size_t input_capacity;
    tacho_array *outputs;
    size_t output_capacity;
    const tacho_model_values *values; /* of a probe */
    uint32_t *waiting;                /* nodes of a probe that wait for their inputs */
    size_t waiting_capacity;
} evaluation;

void tacho_arrays_free(tacho_array *arrays, size_t array_count)
{
    for (size_t i = 0; i < array_count; i++) {
        free(arrays[i].data);
        arrays[i].data = NULL;
    }
}

/* ---- constants ----------------------------------------------------------------------------- */

void tacho_constant_expand(const tacho_constant *constant, const tacho_tensor *tensor, void *to)
{
    uint64_t bytes;
    size_t size =
        tacho_dtype_is_packed(tensor->dtype) ? 1 : tacho_dtype_element_bytes(tensor->dtype);
    if (!tacho_tensor_bytes(tensor, &bytes) || bytes == 0) {
        return;
    }
    if (constant->kind == TACHO_CONSTANT_BYTES) {
        memcpy(to, constant->bytes, (size_t)bytes);
    } else if (constant->kind == TACHO_CONSTANT_RANDOM) {
        tacho_random_fill(tensor->dtype, constant->seed, bytes, to);
    } else {
        for (uint64_t at = 0; size > 0 && size <= 16 && at < bytes; at += size) {
            memcpy((unsigned char *)to + at, constant->splat, size);
        }
    }
}

/* ---- memory -------------------------------------------------------------------------------- */

static tacho_status fail_at(const evaluation *self, const tacho_node *node, tacho_code code,
                            const char *problem)
{
    const tacho_graph *graph = self->graph;
    return tacho_fail(code, "%.*s: node %u '%s' (%s): %s", TACHO_STR_ARG(graph->path),
                      (unsigned)node->index, tacho_graph_string(graph, node->name).data,
                      tacho_graph_string(graph, node->type).data, problem);
}

/* Room for a tensor's elements; a type without whole bytes has none here. */
static tacho_status make_room(evaluation *self, const tacho_tensor *tensor, slot *to)
{
    uint64_t bytes;
    to->array = (tacho_array){.dtype = tensor->dtype, .shape = *tensor->shape};
    if ((tacho_dtype_element_bytes(tensor->dtype) == 0 && !tacho_dtype_is_packed(tensor->dtype)) ||
        !tacho_tensor_bytes(tensor, &bytes)) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED, "tensors of %s are not supported",
                          tacho_dtype_name(tensor->dtype));
    }
    if (bytes > tacho_evaluate_bytes_max - self->live_bytes) {
        return tacho_fail(TACHO_CODE_LIMIT, "tensors of more than %llu bytes at once",
                          (unsigned long long)tacho_evaluate_bytes_max);
    }
    to->array.data = calloc(bytes == 0 ? 1 : (size_t)bytes, 1);
    if (to->array.data == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get %llu bytes for a tensor",
                          (unsigned long long)bytes);
    }
    self->live_bytes += bytes;
    to->is_owned = true;
    return TACHO_OK;
}

static void release(evaluation *self, slot *from)
{
    uint64_t count, bytes;
    if (from->is_owned) {
        free(from->array.data);
        if (tacho_shape_elements(&from->array.shape, &count) &&
            tacho_dtype_bytes(from->array.dtype, count, &bytes)) {
            self->live_bytes -= bytes;
        }
    }
    from->array.data = NULL;
    from->is_owned = from->has_value = false;
}

/* The value of a tensor, brought from the graph where it is a constant. */
static tacho_status ensure_value(evaluation *self, uint32_t id, bool *out_has_it)
{
    const tacho_tensor *tensor = &self->graph->tensors[id];
    slot *to = &self->slots[id];
    *out_has_it = to->has_value;
    if (to->has_value || tensor->constant == TACHO_NONE) {
        return TACHO_OK;
    }
    const tacho_constant *constant = &self->graph->constants[tensor->constant];
    if (constant->kind == TACHO_CONSTANT_BYTES && (uintptr_t)constant->bytes % 16 == 0) {
        to->array = (tacho_array){.dtype = tensor->dtype, .shape = *tensor->shape};
        memcpy(&to->array.data, &constant->bytes, sizeof(to->array.data)); /* read only */
    } else {
        TACHO_TRY(make_room(self, tensor, to));
        tacho_constant_expand(constant, tensor, to->array.data);
    }
    *out_has_it = to->has_value = true;
    return TACHO_OK;
}

/* ---- nodes --------------------------------------------------------------------------------- */

/* Lets inference see a value, so that shapes which depend on it can be found. */
static tacho_status show_value(evaluation *self, uint32_t id)
{
    tacho_constant constant = {.kind = TACHO_CONSTANT_BYTES, .bytes = self->slots[id].array.data};
    self->slots[id].is_shown = true;
    self->slots[id].is_constant = self->graph->tensors[id].is_constant;
    return tacho_graph_set_constant(self->graph, id, &constant);
}

static bool has_shapes(const evaluation *self, const tacho_node *node)
{
    for (size_t i = 0; i < node->output_count; i++) {
        const tacho_tensor *tensor = tacho_graph_output(self->graph, node, i);
        if (tensor != NULL &&
            (tensor->dtype == TACHO_DTYPE_NONE || !tacho_shape_is_known(tensor->shape))) {
            return false;
        }
    }
    return true;
}

/* Infers once more, now that the values of the inputs are known. */
static tacho_status find_shapes(evaluation *self, const tacho_node *node)
{
    tacho_graph *graph = self->graph;
    if (node->def == NULL || node->def->infer == NULL) {
        return TACHO_OK;
    }
    for (size_t i = 0; i < node->input_count; i++) {
        uint32_t id = graph->links[node->first_input + i];
        if (id != TACHO_NONE && self->slots[id].has_value) {
            TACHO_TRY(
                tacho_graph_set_shape(graph, &graph->tensors[id], &self->slots[id].array.shape));
        }
    }
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < node->input_count && status == TACHO_OK; i++) {
        uint32_t id = graph->links[node->first_input + i];
        if (id != TACHO_NONE && self->slots[id].has_value &&
            graph->tensors[id].constant == TACHO_NONE) {
            status = show_value(self, id);
        }
    }
    status = status == TACHO_OK ? node->def->infer(&(tacho_infer){graph, node}) : status;
    for (size_t i = 0; i < node->input_count; i++) {
        uint32_t id = graph->links[node->first_input + i];
        if (id != TACHO_NONE && self->slots[id].is_shown) {
            graph->tensors[id].constant = TACHO_NONE; /* the memory is not the graph's */
            graph->tensors[id].is_constant = self->slots[id].is_constant;
            self->slots[id].is_shown = false;
        }
    }
    return status;
}

static tacho_status bring_inputs(evaluation *self, const tacho_node *node)
{
    for (size_t i = 0; i < node->input_count; i++) {
        uint32_t id = self->graph->links[node->first_input + i];
        bool has_it = false;
        self->inputs[i] = NULL;
        if (id == TACHO_NONE) {
            continue;
        }
        TACHO_TRY(ensure_value(self, id, &has_it));
        if (!has_it) {
            return fail_at(self, node, TACHO_CODE_UNSUPPORTED, "an input has no value");
        }
        self->inputs[i] = &self->slots[id].array;
    }
    return TACHO_OK;
}

static tacho_status attr_value(evaluation *self, const tacho_node *node, slot *out_slot)
{
    *out_slot = (slot){0};
    for (size_t i = 0; i < node->attr_count; i++) {
        const tacho_attr *attr = &tacho_graph_attrs(self->graph, node)[i];
        if (attr->kind == TACHO_ATTR_TENSOR) {
            const tacho_tensor *tensor = &self->graph->tensors[attr->value.as_tensor];
            if (tensor->constant == TACHO_NONE) {
                return fail_at(self, node, TACHO_CODE_UNSUPPORTED, "an attribute has no value");
            }
            TACHO_TRY(make_room(self, tensor, out_slot));
            tacho_constant_expand(&self->graph->constants[tensor->constant], tensor,
                                  out_slot->array.data);
            return TACHO_OK;
        }
    }
    return TACHO_OK;
}

static tacho_origin origin_of(const void *network, uint32_t tensor)
{
    const tacho_graph *graph = network;
    uint32_t id = tensor == TACHO_NONE ? TACHO_NONE : graph->tensors[tensor].producer;
    if (id == TACHO_NONE) {
        return (tacho_origin){{0}, TACHO_NONE};
    }
    const tacho_node *node = &graph->nodes[id];
    return (tacho_origin){tacho_graph_string(graph, node->type),
                          node->input_count > 0 ? graph->links[node->first_input] : TACHO_NONE};
}

/* Computes into fresh memory; outputs that are absent are NONE with no data. */
static tacho_status compute(evaluation *self, const tacho_node *node, const tacho_kernel *kernel,
                            const slot *attr)
{
    tacho_kernel_call call = {
        .opset = node->opset,
        .inputs = self->inputs,
        .input_count = node->input_count,
        .outputs = self->outputs,
        .output_count = node->output_count,
        .attrs = tacho_graph_attrs(self->graph, node),
        .attr_count = node->attr_count,
        .attr_tensor = attr->array.data == NULL ? NULL : &attr->array,
        .is_of_product =
            node->input_count > 0 &&
            tacho_is_of_product(origin_of, self->graph, self->graph->links[node->first_input]),
    };
    for (size_t i = 0; i < node->output_count; i++) {
        uint32_t id = self->graph->links[node->first_output + i];
        self->outputs[i] = (tacho_array){0};
        if (id != TACHO_NONE) {
            TACHO_TRY(make_room(self, &self->graph->tensors[id], &self->slots[id]));
            self->outputs[i] = self->slots[id].array;
        }
    }
    tacho_status status = tacho_kernel_compute(kernel, &call);
    for (size_t i = 0; i < node->output_count && status == TACHO_OK; i++) {
        uint32_t id = self->graph->links[node->first_output + i];
        if (id != TACHO_NONE) {
            self->slots[id].has_value = true;
        }
    }
    return status;
}

/* Shapes that depend on values: the kernel counts before it computes. */
static tacho_status count_shapes(evaluation *self, const tacho_node *node)
{
    for (size_t i = 0; i < node->output_count; i++) {
        const tacho_tensor *tensor = tacho_graph_output(self->graph, node, i);
        self->outputs[i] = (tacho_array){0};
        if (tensor != NULL) {
            self->outputs[i].dtype = tensor->dtype;
            self->outputs[i].shape = *tensor->shape;
        }
    }
    tacho_kernel_call call = {
        .opset = node->opset,
        .inputs = self->inputs,
        .input_count = node->input_count,
        .outputs = self->outputs,
        .output_count = node->output_count,
        .attrs = tacho_graph_attrs(self->graph, node),
        .attr_count = node->attr_count,
    };
    TACHO_TRY(tacho_kernel_count(tacho_graph_string(self->graph, node->type), &call));
    for (size_t i = 0; i < node->output_count; i++) {
        tacho_tensor *tensor = tacho_graph_output(self->graph, node, i);
        if (tensor != NULL) {
            tensor->dtype = self->outputs[i].dtype;
            TACHO_TRY(tacho_graph_set_shape(self->graph, tensor, &self->outputs[i].shape));
        }
    }
    return TACHO_OK;
}

static void drop_readers(evaluation *self, const tacho_node *node)
{
    if (node->guard.when != TACHO_WHEN_ALWAYS) {
        self->slots[node->guard.condition].readers--;
    }
    for (size_t i = 0; i < (size_t)node->input_count + node->output_count; i++) {
        uint32_t id = i < node->input_count
                          ? self->graph->links[node->first_input + i]
                          : self->graph->links[node->first_output + i - node->input_count];
        if (id == TACHO_NONE) {
            continue;
        }
        self->slots[id].readers -= i < node->input_count ? 1 : 0;
        if (self->slots[id].readers == 0) {
            release(self, &self->slots[id]);
        }
    }
}

/* Whether the node is computed: its condition has a value by now. */
static tacho_status is_active(evaluation *self, const tacho_node *node, bool *out_is_active)
{
    bool has_it;
    *out_is_active = true;
    if (node->guard.when == TACHO_WHEN_ALWAYS) {
        return TACHO_OK;
    }
    TACHO_TRY(ensure_value(self, node->guard.condition, &has_it));
    if (!has_it) {
        return fail_at(self, node, TACHO_CODE_UNSUPPORTED, "its condition has no value");
    }
    const unsigned char *value = self->slots[node->guard.condition].array.data;
    *out_is_active = (value[0] != 0) == (node->guard.when == TACHO_WHEN_TRUE);
    return TACHO_OK;
}

/* Zeros for outputs that are not computed, which only a choice reads. */
static tacho_status skip_node(evaluation *self, const tacho_node *node)
{
    for (size_t i = 0; i < node->output_count; i++) {
        uint32_t id = self->graph->links[node->first_output + i];
        if (id != TACHO_NONE) {
            TACHO_TRY(make_room(self, &self->graph->tensors[id], &self->slots[id]));
            self->slots[id].has_value = true;
        }
    }
    return TACHO_OK;
}

static tacho_status run_node(evaluation *self, const tacho_node *node)
{
    bool is_computed;
    TACHO_TRY(is_active(self, node, &is_computed));
    if (!is_computed && has_shapes(self, node)) {
        return skip_node(self, node);
    }
    const tacho_kernel *kernel = tacho_kernel_find(tacho_graph_string(self->graph, node->type));
    if (kernel == NULL) {
        return fail_at(self, node, TACHO_CODE_UNSUPPORTED, "no kernel for this operator");
    }
    TACHO_TRY(bring_inputs(self, node));
    if (!has_shapes(self, node)) {
        TACHO_TRY(find_shapes(self, node));
    }
    if (!has_shapes(self, node)) {
        TACHO_TRY(count_shapes(self, node));
    }
    if (!has_shapes(self, node)) {
        return fail_at(self, node, TACHO_CODE_UNSUPPORTED, "the shape of an output is not known");
    }
    slot attr;
    TACHO_TRY(attr_value(self, node, &attr));
    tacho_status status = compute(self, node, kernel, &attr);
    release(self, &attr);
    if (status != TACHO_OK) {
        tacho_status named =
            fail_at(self, node, tacho_status_code(status), tacho_status_message(status));
        tacho_status_free(status);
        return named;
    }
    return TACHO_OK;
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* Whether something reads the node's outputs, or it is a check. */
static bool is_needed(const evaluation *self, const tacho_node *node)
{
    bool is_read = tacho_op_has(node->def, TACHO_OP_IS_CHECK);
    for (size_t i = 0; i < node->output_count; i++) {
        uint32_t id = self->graph->links[node->first_output + i];
        is_read = is_read || (id != TACHO_NONE && self->slots[id].readers > 0);
    }
    return is_read;
}

static tacho_status make_slots(evaluation *self)
{
    tacho_graph *graph = self->graph;
    size_t widest = 1;
    for (size_t i = 0; i < graph->node_count; i++) {
        size_t wide = (size_t)graph->nodes[i].input_count + graph->nodes[i].output_count;
        widest = wide > widest ? wide : widest;
    }
    self->slots = tacho_items_alloc(graph->tensor_count, sizeof(*self->slots));
    self->inputs = calloc(widest, sizeof(*self->inputs));
    self->outputs = calloc(widest, sizeof(*self->outputs));
    if (self->slots == NULL || self->inputs == NULL || self->outputs == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "no memory to evaluate %.*s",
                          TACHO_STR_ARG(graph->path));
    }
    for (size_t i = 0; i < graph->output_count; i++) {
        self->slots[graph->outputs[i]].readers++;
    }
    for (size_t i = graph->node_count; i-- > 0;) {
        const tacho_node *node = &graph->nodes[i];
        bool is_read = is_needed(self, node);
        for (size_t j = 0; j < node->input_count && is_read; j++) {
            uint32_t id = graph->links[node->first_input + j];
            self->slots[id == TACHO_NONE ? graph->tensor_count : id].readers++;
        }
        if (is_read && node->guard.when != TACHO_WHEN_ALWAYS) {
            self->slots[node->guard.condition].readers++;
        }
    }
    return TACHO_OK;
}

static tacho_status set_inputs(evaluation *self, const tacho_array *inputs, size_t input_count)
{
    tacho_graph *graph = self->graph;
    if (input_count != graph->input_count) {
        return tacho_fail(TACHO_CODE_USAGE, "%.*s: %zu inputs, but %zu values are given",
                          TACHO_STR_ARG(graph->path), graph->input_count, input_count);
    }
    for (size_t i = 0; i < input_count; i++) {
        const tacho_tensor *tensor = &graph->tensors[graph->inputs[i]];
        if (tensor->dtype != inputs[i].dtype ||
            !tacho_shape_equal(tensor->shape, &inputs[i].shape)) {
            char wanted[TACHO_SHAPE_TEXT_MAX], given[TACHO_SHAPE_TEXT_MAX];
            return tacho_fail(
                TACHO_CODE_USAGE, "%.*s: input '%s' is %s of %s, but %s of %s is given",
                TACHO_STR_ARG(graph->path), tacho_graph_string(graph, tensor->name).data,
                tacho_shape_print(tensor->shape, wanted, sizeof(wanted)),
                tacho_dtype_name(tensor->dtype),
                tacho_shape_print(&inputs[i].shape, given, sizeof(given)),
                tacho_dtype_name(inputs[i].dtype));
        }
        self->slots[graph->inputs[i]].array = inputs[i];
        self->slots[graph->inputs[i]].has_value = true;
    }
    return TACHO_OK;
}

/* Copies, as an output may be an input, a constant, or wanted twice. */
static tacho_status take_outputs(evaluation *self, tacho_array *out_outputs)
{
    for (size_t i = 0; i < self->graph->output_count; i++) {
        uint32_t id = self->graph->outputs[i];
        bool has_it;
        TACHO_TRY(ensure_value(self, id, &has_it));
        if (!has_it) {
            return tacho_fail(TACHO_CODE_UNSUPPORTED, "%.*s: output '%s' has no value",
                              TACHO_STR_ARG(self->graph->path),
                              tacho_graph_string(self->graph, self->graph->tensors[id].name).data);
        }
        uint64_t count, bytes = 0;
        out_outputs[i] = self->slots[id].array;
        out_outputs[i].data = NULL;
        if (!tacho_shape_elements(&out_outputs[i].shape, &count) ||
            !tacho_dtype_bytes(out_outputs[i].dtype, count, &bytes)) {
            bytes = 0;
        }
        out_outputs[i].data = malloc(bytes == 0 ? 1 : (size_t)bytes);
        if (out_outputs[i].data == NULL) {
            return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get %llu bytes for an output",
                              (unsigned long long)bytes);
        }
        if (bytes > 0) {
            memcpy(out_outputs[i].data, self->slots[id].array.data, (size_t)bytes);
        }
    }
    return TACHO_OK;
}

static tacho_status run_all(evaluation *self, const tacho_array *inputs, size_t input_count,
                            tacho_array *out_outputs)
{
    tacho_graph *graph = self->graph;
    TACHO_TRY(make_slots(self));
    TACHO_TRY(set_inputs(self, inputs, input_count));
    for (size_t i = 0; i < graph->node_count; i++) {
        const tacho_node *node = &graph->nodes[i];
        bool is_known = node->output_count > 0;
        if (!is_needed(self, node)) {
            continue; /* its readers were not counted either */
        }
        for (size_t j = 0; j < node->output_count; j++) {
            const tacho_tensor *tensor = tacho_graph_output(graph, node, j);
            is_known = is_known && (tensor == NULL || tensor->constant != TACHO_NONE);
        }
        if (!is_known) {
            TACHO_TRY(run_node(self, node));
        }
        drop_readers(self, node);
    }
    return take_outputs(self, out_outputs);
}

tacho_status tacho_graph_evaluate(tacho_graph *graph, const tacho_array *inputs, size_t input_count,
                                  tacho_array *out_outputs)
{
    evaluation self = {.graph = graph};
    memset(out_outputs, 0, graph->output_count * sizeof(*out_outputs));
    tacho_status status = run_all(&self, inputs, input_count, out_outputs);
    for (size_t i = 0; self.slots != NULL && i < graph->tensor_count; i++) {
        release(&self, &self.slots[i]);
    }
    free(self.slots);
    free(self.inputs);
    free(self.outputs);
    return status;
}

/* ---- probes -------------------------------------------------------------------------------- */

tacho_status tacho_probe_open(tacho_graph *graph, const tacho_model_values *values,
                              tacho_probe **out_probe)
{
    *out_probe = calloc(1, sizeof(**out_probe));
    if (*out_probe == NULL) {
        return tacho_no_memory();
    }
    **out_probe = (tacho_probe){.graph = graph, .values = values};
    return TACHO_OK;
}

void tacho_probe_close(tacho_probe *probe)
{
    if (probe == NULL) {
        return;
    }
    for (size_t i = 0; i < probe->slot_count; i++) {
        release(probe, &probe->slots[i]);
    }
    free(probe->slots);
    free(probe->inputs);
    free(probe->outputs);
    free(probe->waiting);
    free(probe);
}

/* Room for tensors that were added to the graph since. */
static tacho_status grow_probe(tacho_probe *self, const tacho_node *node)
{
    size_t count = self->graph->tensor_count;
    TACHO_TRY(tacho_grow(&self->slots, &self->slot_capacity, count));
    while (self->slot_count < count) {
        self->slots[self->slot_count++] = (slot){0};
    }
    TACHO_TRY(tacho_grow(&self->inputs, &self->input_capacity, (size_t)node->input_count + 1));
    return tacho_grow(&self->outputs, &self->output_capacity, (size_t)node->output_count + 1);
}

static tacho_status take_input(tacho_probe *self, uint32_t tensor)
{
    const tacho_graph *graph = self->graph;
    for (size_t i = 0; i < graph->input_count; i++) {
        if (graph->inputs[i] == tensor) {
            TACHO_TRY(
                self->values->input(self->values->self, graph, i, &self->slots[tensor].array));
            self->slots[tensor].has_value = true;
        }
    }
    return TACHO_OK;
}

/* The node that has to be computed before |id| of |node|'s can be read, or TACHO_NONE. */
static tacho_status find_missing(tacho_probe *self, uint32_t id, uint32_t *out_node)
{
    const tacho_tensor *tensor = id == TACHO_NONE ? NULL : &self->graph->tensors[id];
    if (tensor == NULL || self->slots[id].has_value || tensor->constant != TACHO_NONE) {
        return TACHO_OK;
    }
    *out_node = tensor->producer;
    return tensor->producer == TACHO_NONE ? take_input(self, id) : TACHO_OK;
}

/* The first of the nodes that |node| waits for: that of its condition, or of an input. */
static tacho_status find_needed(tacho_probe *self, const tacho_node *node, uint32_t *out_node)
{
    bool is_computed = false;
    *out_node = TACHO_NONE;
    if (node->guard.when != TACHO_WHEN_ALWAYS) {
        TACHO_TRY(find_missing(self, node->guard.condition, out_node));
    }
    if (*out_node == TACHO_NONE) {
        TACHO_TRY(is_active(self, node, &is_computed));
    }
    for (size_t i = 0; i < node->input_count && is_computed && *out_node == TACHO_NONE; i++) {
        TACHO_TRY(find_missing(self, self->graph->links[node->first_input + i], out_node));
    }
    return TACHO_OK;
}

/* Computes |number| after all that it needs; no node twice. */
static tacho_status probe_node(tacho_probe *self, uint32_t number)
{
    size_t depth = 0;
    uint32_t node = number;
    for (bool is_done = false; !is_done;) {
        uint32_t needed;
        TACHO_TRY(grow_probe(self, &self->graph->nodes[node]));
        TACHO_TRY(find_needed(self, &self->graph->nodes[node], &needed));
        if (needed != TACHO_NONE) {
            TACHO_TRY(tacho_grow(&self->waiting, &self->waiting_capacity, depth + 1));
            self->waiting[depth++] = node;
            node = needed;
            continue;
        }
        TACHO_TRY(run_node(self, &self->graph->nodes[node]));
        is_done = depth == 0;
        node = depth > 0 ? self->waiting[--depth] : node;
    }
    return TACHO_OK;
}

tacho_status tacho_probe_value(tacho_probe *probe, uint32_t tensor, tacho_array *out_value)
{
    uint32_t needed = TACHO_NONE;
    bool has_it;
    TACHO_TRY(grow_probe(probe, &(tacho_node){.name = 0}));
    TACHO_TRY(find_missing(probe, tensor, &needed));
    if (needed != TACHO_NONE) {
        TACHO_TRY(probe_node(probe, needed));
    }
    TACHO_TRY(ensure_value(probe, tensor, &has_it));
    if (!has_it) {
        return tacho_fail(
            TACHO_CODE_UNSUPPORTED, "'%.100s' has no value before the run",
            tacho_graph_string(probe->graph, probe->graph->tensors[tensor].name).data);
    }
    *out_value = probe->slots[tensor].array;
    return TACHO_OK;
}

/* Elements of an input that may decide a shape. */
enum { DECIDING_MAX = 64 };

/* Whether input |i| is a list that may have decided the shape of the node's outputs. */
static bool is_deciding(const tacho_graph *graph, const tacho_node *node, size_t i)
{
    static const char first_too[] = " ConstantOfShape Range ";
    const tacho_tensor *tensor = tacho_graph_input(graph, node, i);
    uint64_t count;
    return tensor != NULL && tensor->constant == TACHO_NONE &&
           tacho_shape_elements(tensor->shape, &count) && count <= DECIDING_MAX &&
           tensor->shape->rank <= 1 &&
           (i > 0 || strstr(first_too, tacho_graph_string(graph, node->type).data) != NULL);
}

static void say_shapes(tacho_graph *graph, const tacho_node *node)
{
    for (size_t i = 0; i < node->output_count; i++) {
        const tacho_tensor *tensor = tacho_graph_output(graph, node, i);
        char shape[TACHO_SHAPE_TEXT_MAX];
        if (tensor != NULL && tensor->name != 0) {
            tacho_graph_add_note(graph, "'%.60s' has shape %s with these inputs",
                                 tacho_graph_string(graph, tensor->name).data,
                                 tacho_shape_print(tensor->shape, shape, sizeof(shape)));
        }
    }
}

tacho_status tacho_probe_shapes(tacho_probe *probe, size_t number)
{
    tacho_graph *graph = probe->graph;
    const tacho_node node = graph->nodes[number]; /* nodes move when others are added */
    tacho_array value;
    for (size_t i = 0; i < node.input_count; i++) {
        uint32_t id = graph->links[node.first_input + i];
        if (id != TACHO_NONE) {
            TACHO_TRY(tacho_probe_value(probe, id, &value));
        }
    }
    TACHO_TRY(grow_probe(probe, &node));
    TACHO_TRY(bring_inputs(probe, &node));
    TACHO_TRY(find_shapes(probe, &node));
    bool is_inferred = has_shapes(probe, &node);
    if (!is_inferred) {
        TACHO_TRY(count_shapes(probe, &node));
    }
    say_shapes(graph, &node);
    for (size_t i = 0; i < node.input_count && is_inferred; i++) {
        if (is_deciding(graph, &node, i)) {
            TACHO_TRY(tacho_probe_expect(probe, graph->links[node.first_input + i], &node));
        }
    }
    return TACHO_OK;
}

tacho_status tacho_probe_expect(tacho_probe *probe, uint32_t tensor, const tacho_node *origin)
{
    tacho_graph *graph = probe->graph;
    tacho_expander expander = {.graph = graph, .origin = *origin, .first_node = graph->node_count};
    tacho_array value;
    uint64_t count, bytes;
    uint32_t expected;
    void *memory;
    TACHO_TRY(tacho_probe_value(probe, tensor, &value));
    if (!tacho_shape_elements(&value.shape, &count) ||
        !tacho_dtype_bytes(value.dtype, count, &bytes)) {
        return tacho_fail(TACHO_CODE_LIMIT, "a value is too large");
    }
    TACHO_TRY(tacho_arena_alloc(&graph->arena, (size_t)bytes + 1, &memory));
    memcpy(memory, value.data, (size_t)bytes);
    tacho_constant constant = {.kind = TACHO_CONSTANT_BYTES, .bytes = memory};
    TACHO_TRY(tacho_graph_add_tensor(graph, TACHO_STR(""), &expected));
    graph->tensors[expected].dtype = value.dtype;
    TACHO_TRY(tacho_graph_set_shape(graph, &graph->tensors[expected], &value.shape));
    TACHO_TRY(tacho_graph_set_constant(graph, expected, &constant));
    (void)TACHO_EXPAND_OP(&expander, "tacho.Expect", tensor, expected);
    return expander.status;
}
