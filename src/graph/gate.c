/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call is inferred as the one node of a graph with the outputs that the program declares;
 * inference must find the same. The graph is used again for each call, so that a program of a
 * million steps needs no more memory than its largest one.
 */
#include "graph/gate.h"

#include "base/grow.h"
#include "graph/gate_work.h"
#include "graph/infer.h"

#include <stdlib.h>

static tacho_status gate_open(void **out_self)
{
    tacho_graph *graph = calloc(1, sizeof(*graph));
    if (graph == NULL) {
        return tacho_no_memory();
    }
    *out_self = graph;
    return tacho_graph_init(graph);
}

static void gate_close(void *self)
{
    if (self != NULL) {
        tacho_graph_deinit(self);
        free(self);
    }
}

/* |array| NULL: absent. */
static tacho_status add_tensor(tacho_graph *graph, const tacho_array *array, uint32_t *out_id)
{
    *out_id = TACHO_NONE;
    if (array == NULL || array->dtype == TACHO_DTYPE_NONE) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_graph_add_tensor(graph, TACHO_STR(""), out_id));
    graph->tensors[*out_id].dtype = array->dtype;
    return tacho_graph_set_shape(graph, &graph->tensors[*out_id], &array->shape);
}

static tacho_status add_link(tacho_graph *graph, const tacho_array *array)
{
    uint32_t id;
    TACHO_TRY(add_tensor(graph, array, &id));
    if (id != TACHO_NONE && array->data != NULL) {
        tacho_constant constant = {.kind = TACHO_CONSTANT_BYTES, .bytes = array->data};
        TACHO_TRY(tacho_graph_set_constant(graph, id, &constant));
    }
    TACHO_TRY(tacho_grow(&graph->links, &graph->link_capacity, graph->link_count + 1));
    graph->links[graph->link_count++] = id;
    return TACHO_OK;
}

/* Attributes as they are, but for numbers of tensors: those are the program's. */
static tacho_status add_attrs(tacho_graph *graph, const tacho_kernel_call *call)
{
    uint32_t tensor;
    TACHO_TRY(add_tensor(graph, call->attr_tensor, &tensor));
    TACHO_TRY(tacho_grow(&graph->attrs, &graph->attr_capacity, call->attr_count + 1));
    for (size_t i = 0; i < call->attr_count; i++) {
        tacho_attr attr = call->attrs[i];
        if (attr.kind == TACHO_ATTR_TENSOR && tensor == TACHO_NONE) {
            attr.kind = TACHO_ATTR_OTHER;
        } else if (attr.kind == TACHO_ATTR_TENSOR) {
            attr.value.as_tensor = tensor;
        }
        graph->attrs[graph->attr_count++] = attr;
    }
    return TACHO_OK;
}

static tacho_status make_node(tacho_graph *graph, tacho_str type, const tacho_kernel_call *call,
                              tacho_node *out_node)
{
    *out_node = (tacho_node){
        .def = tacho_op_def_find(type),
        .opset = (int32_t)call->opset,
        .input_count = (uint32_t)call->input_count,
        .first_output = (uint32_t)call->input_count,
        .output_count = (uint32_t)call->output_count,
        .attr_count = (uint32_t)call->attr_count,
    };
    graph->tensor_count = graph->constant_count = graph->link_count = graph->attr_count = 0;
    for (size_t i = 0; i < call->input_count; i++) {
        TACHO_TRY(add_link(graph, call->inputs[i]));
    }
    for (size_t i = 0; i < call->output_count; i++) {
        tacho_array output = {.dtype = call->outputs[i].dtype, .shape = call->outputs[i].shape};
        TACHO_TRY(add_link(graph, &output));
    }
    return add_attrs(graph, call);
}

static tacho_status gate_check(void *self, tacho_str type, const tacho_kernel_call *call,
                               uint64_t *out_work)
{
    tacho_graph *graph = self;
    tacho_node node;
    *out_work = 0;
    TACHO_TRY(make_node(graph, type, call, &node));
    if (node.def == NULL || node.def->infer == NULL) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED, "the shapes of this operator are unknown");
    }
    TACHO_TRY(node.def->infer(&(tacho_infer){graph, &node}));
    *out_work = tacho_gate_work(graph, &node);
    return TACHO_OK;
}

const tacho_gate tacho_infer_gate = {
    .open = gate_open,
    .check = gate_check,
    .close = gate_close,
};
