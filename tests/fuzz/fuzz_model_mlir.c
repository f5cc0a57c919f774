/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the MLIR model reader, text and bytecode, with sorting and inference. Laws: numbers are
 * in range, nodes and tensors know each other, each node comes after what it needs, values of
 * constants can be read to their last byte.
 */
#include "graph/infer.h"
#include "graph/model.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static bool succeeded(tacho_status status)
{
    bool is_ok = status == TACHO_OK;
    tacho_status_free(status);
    return is_ok;
}

static void check_node(const tacho_graph *graph, uint32_t index)
{
    const tacho_node *node = &graph->nodes[index];
    require(node->type < graph->strings.item_count && node->location < graph->strings.item_count);
    require((size_t)node->first_attr + node->attr_count <= graph->attr_count);
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t tensor = graph->links[node->first_input + i];
        require(tensor == TACHO_NONE || tensor < graph->tensor_count);
        uint32_t producer = tensor == TACHO_NONE ? TACHO_NONE : graph->tensors[tensor].producer;
        require(producer == TACHO_NONE || producer < index);
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        require(graph->tensors[graph->links[node->first_output + i]].producer == index);
    }
    for (uint32_t i = 0; i < node->attr_count; i++) {
        const tacho_attr *attr = &tacho_graph_attrs(graph, node)[i];
        require(attr->kind != TACHO_ATTR_TENSOR || attr->value.as_tensor < graph->tensor_count);
    }
}

static unsigned sum_constant(const tacho_graph *graph, const tacho_tensor *tensor)
{
    unsigned sum = 0;
    uint64_t bytes = 0;
    require(tensor->constant < graph->constant_count && tensor->is_constant);
    const tacho_constant *constant = &graph->constants[tensor->constant];
    if (constant->kind == TACHO_CONSTANT_BYTES) {
        require(tacho_tensor_bytes(tensor, &bytes));
    }
    for (uint64_t i = 0; i < bytes; i++) {
        sum += constant->bytes[i];
    }
    return sum;
}

static void check_graph(const tacho_graph *graph)
{
    unsigned sum = 0;
    for (size_t i = 0; i < graph->node_count; i++) {
        check_node(graph, (uint32_t)i);
    }
    for (size_t i = 0; i < graph->tensor_count; i++) {
        if (graph->tensors[i].constant != TACHO_NONE) {
            sum += sum_constant(graph, &graph->tensors[i]);
        }
    }
    for (size_t i = 0; i < graph->input_count; i++) {
        require(tacho_shape_is_known(graph->tensors[graph->inputs[i]].shape) ||
                graph->tensors[graph->inputs[i]].dtype == TACHO_DTYPE_NONE);
    }
    volatile unsigned seen = sum;
    (void)seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_graph graph;
    tacho_str bytes = tacho_str_make((const char *)data, size);
    static const tacho_model_dim dims[] = {{TACHO_STR_INIT("arg0.0"), 4},
                                           {TACHO_STR_INIT("arg1.1"), 6}};
    tacho_model_options options = {.dims = dims, .dim_count = 2, .seed = 1};
    options.has_random_weights = size % 2 != 0;
    require(succeeded(tacho_graph_init(&graph)));
    graph.path = TACHO_STR("f");
    (void)tacho_mlir_reader.is_mine(bytes);
    if (succeeded(tacho_mlir_reader.read(&graph, bytes, &options)) &&
        succeeded(tacho_graph_sort(&graph)) && succeeded(tacho_graph_infer(&graph))) {
        check_graph(&graph);
    }
    tacho_graph_deinit(&graph);
    return 0;
}
