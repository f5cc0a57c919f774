/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the reader of ONNX models.
 *
 * Laws: a file is read or refused with a message. What is read is sound: links, producers,
 * constants and attributes refer to things that exist, every node has a type and a location that
 * parses as a name, and bytes of constants can be read. With random weights the same nodes come
 * out.
 */
#include "codec/mlir_location.h"
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

static void check_links(const tacho_graph *graph, uint32_t first, uint32_t count)
{
    require((size_t)first + count <= graph->link_count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t tensor = graph->links[first + i];
        require(tensor == TACHO_NONE || tensor < graph->tensor_count);
    }
}

static void check_location(tacho_str text)
{
    tacho_arena arena;
    tacho_mlir_location location;
    tacho_arena_init(&arena);
    tacho_status status = tacho_mlir_location_parse(text, NULL, &arena, &location);
    require(status == TACHO_OK && location.nodes[0].kind == TACHO_MLIR_LOCATION_NAME);
    tacho_arena_deinit(&arena);
}

static void check_operands(const tacho_graph *graph, size_t i)
{
    const tacho_node *node = &graph->nodes[i];
    check_links(graph, node->first_input, node->input_count);
    check_links(graph, node->first_output, node->output_count);
    require((size_t)node->first_attr + node->attr_count <= graph->attr_count);
    for (uint32_t j = 0; j < node->output_count; j++) {
        const tacho_tensor *tensor = tacho_graph_output(graph, node, j);
        require(tensor == NULL || tensor->producer == i);
    }
}

static void check_nodes(const tacho_graph *graph)
{
    for (size_t i = 0; i < graph->node_count; i++) {
        const tacho_node *node = &graph->nodes[i];
        require(node->index == i && node->opset > 0);
        require(tacho_graph_string(graph, node->type).len > 0);
        check_location(tacho_graph_string(graph, node->location));
        check_operands(graph, i);
    }
}

static volatile unsigned seen; /* keeps the reading of bytes from being left out */

/* Reads every byte, for the sanitizer to see. */
static unsigned sum_bytes(const unsigned char *bytes, uint64_t count)
{
    unsigned sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        sum += bytes[i];
    }
    return sum;
}

static void check_tensors(const tacho_graph *graph)
{
    for (size_t i = 0; i < graph->tensor_count; i++) {
        const tacho_tensor *tensor = &graph->tensors[i];
        uint64_t bytes = 0;
        require(tensor->shape->rank <= TACHO_RANK_MAX);
        require(!(tensor->is_input && tensor->is_constant));
        if (tensor->constant != TACHO_NONE) {
            const tacho_constant *constant = &graph->constants[tensor->constant];
            require(tensor->constant < graph->constant_count && tensor->is_constant);
            require(constant->kind != TACHO_CONSTANT_BYTES ||
                    (tacho_tensor_bytes(tensor, &bytes) && constant->bytes != NULL));
            seen += constant->bytes != NULL ? sum_bytes(constant->bytes, bytes) : 0;
        }
    }
    for (size_t i = 0; i < graph->attr_count; i++) {
        const tacho_attr *attr = &graph->attrs[i];
        require(attr->name.len > 0);
        require(attr->kind != TACHO_ATTR_TENSOR || attr->value.as_tensor < graph->tensor_count);
        for (uint32_t j = 0; attr->kind == TACHO_ATTR_INTS && j < attr->count; j++) {
            seen += (unsigned)attr->value.as_ints[j];
        }
    }
}

/* Branches are read when it is known which are taken; the file may be a cycle, or a contradiction.
 */
static void infer(tacho_graph *graph)
{
    tacho_status status = tacho_graph_sort(graph);
    if (status == TACHO_OK) {
        status = tacho_graph_infer(graph);
    }
    for (size_t i = 0; status == TACHO_OK && i < graph->node_count; i++) {
        check_operands(graph, i);
    }
    for (size_t i = 0; status == TACHO_OK && i < graph->tensor_count; i++) {
        uint32_t producer = graph->tensors[i].producer;
        require(producer == TACHO_NONE || producer < graph->node_count);
    }
    tacho_status_free(status);
}

/* How many nodes there are, or SIZE_MAX when the file is refused. */
static size_t read_nodes(tacho_str bytes, const tacho_model_options *options)
{
    tacho_graph graph;
    require(tacho_graph_init(&graph) == TACHO_OK);
    graph.path = TACHO_STR("no-such-folder/fuzz.onnx");
    tacho_status status = tacho_onnx_reader.read(&graph, bytes, options);
    size_t count = SIZE_MAX;
    if (status == TACHO_OK) {
        check_nodes(&graph);
        check_tensors(&graph);
        count = graph.node_count;
        infer(&graph);
    } else {
        require(tacho_str_starts_with(tacho_str_from_cstring(tacho_status_message(status)),
                                      graph.path) ||
                tacho_status_code(status) == TACHO_CODE_NO_MEMORY);
        tacho_status_free(status);
    }
    tacho_graph_deinit(&graph);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_str bytes = tacho_str_make((const char *)data, size);
    tacho_model_options plain = {.dims = NULL};
    tacho_model_options random = {.has_random_weights = true, .seed = 1};
    (void)tacho_onnx_reader.is_mine(bytes);
    require(read_nodes(bytes, &plain) == read_nodes(bytes, &random));
    return 0;
}
