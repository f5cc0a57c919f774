/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints what the reader of ONNX finds in model files, a line for each thing, for another program
 * to compare: dump_graph [--dim NAME=VALUE]... FILE...
 *
 *     == FILE                                  or, when it is refused,  ! MESSAGE
 *     graph NAME absent=N sparse=N
 *     input|output NAME DTYPE SHAPE
 *     constant NAME DTYPE SHAPE BYTES CRC      BYTES is - for text, "random" for absent ones,
 *                                            "each" and an element for absent integers
 *     node INDEX TYPE NAME OPSET IN,IN OUT,OUT LOCATION
 *     attr NAME KIND VALUE
 *
 * Names are percent-encoded, so that they are words.
 */
#include "graph/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

static void print_word(tacho_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        bool is_plain = byte > ' ' && byte <= '~' && byte != '%' && byte != ',';
        printf(is_plain ? "%c" : "%%%02X", byte);
    }
    if (text.len == 0) {
        printf("%%");
    }
}

static void print_type(const tacho_tensor *tensor)
{
    char shape[TACHO_SHAPE_TEXT_MAX];
    printf(" %s %s", tacho_dtype_name(tensor->dtype),
           tacho_shape_print(tensor->shape, shape, sizeof(shape)));
}

static void print_value(const tacho_graph *graph, const tacho_tensor *tensor)
{
    print_type(tensor);
    uint64_t bytes = 0;
    if (tensor->constant == TACHO_NONE) {
        printf(" -");
        return;
    }
    const tacho_constant *constant = &graph->constants[tensor->constant];
    if (constant->kind == TACHO_CONSTANT_RANDOM) {
        printf(" random");
    } else if (constant->kind == TACHO_CONSTANT_SPLAT) {
        printf(" each");
        for (size_t i = 0; i < sizeof(constant->splat); i++) {
            printf(" %02x", constant->splat[i]);
        }
    } else if (tacho_tensor_bytes(tensor, &bytes)) {
        printf(" %" PRIu64 " %08lx", bytes, crc32_z(0, constant->bytes, (size_t)bytes));
    }
}

static void print_tensors(const tacho_graph *graph)
{
    for (size_t i = 0; i < graph->input_count; i++) {
        printf("input ");
        print_word(tacho_graph_string(graph, graph->tensors[graph->inputs[i]].name));
        print_type(&graph->tensors[graph->inputs[i]]);
        printf("\n");
    }
    for (size_t i = 0; i < graph->output_count; i++) {
        printf("output ");
        print_word(tacho_graph_string(graph, graph->tensors[graph->outputs[i]].name));
        print_type(&graph->tensors[graph->outputs[i]]);
        printf("\n");
    }
}

static void print_attr(const tacho_graph *graph, const tacho_attr *attr)
{
    printf("attr ");
    print_word(attr->name);
    switch (attr->kind) {
    case TACHO_ATTR_INT:
        printf(" int %" PRId64, attr->value.as_int);
        break;
    case TACHO_ATTR_REAL:
        printf(" real %.9g", attr->value.as_real);
        break;
    case TACHO_ATTR_TEXT:
        printf(" text ");
        print_word(attr->value.as_text);
        break;
    case TACHO_ATTR_INTS:
        printf(" ints");
        for (uint32_t i = 0; i < attr->count; i++) {
            printf(" %" PRId64, attr->value.as_ints[i]);
        }
        break;
    case TACHO_ATTR_REALS:
        printf(" reals");
        for (uint32_t i = 0; i < attr->count; i++) {
            printf(" %.9g", attr->value.as_reals[i]);
        }
        break;
    case TACHO_ATTR_TEXTS:
        printf(" texts");
        for (uint32_t i = 0; i < attr->count; i++) {
            printf(" ");
            print_word(attr->value.as_texts[i]);
        }
        break;
    case TACHO_ATTR_TENSOR:
        printf(" tensor");
        print_value(graph, &graph->tensors[attr->value.as_tensor]);
        break;
    case TACHO_ATTR_GRAPH:
        printf(" graph %" PRId64, attr->value.as_int);
        break;
    case TACHO_ATTR_OTHER:
        printf(" other");
        break;
    }
    printf("\n");
}

static void print_links(const tacho_graph *graph, uint32_t first, uint32_t count)
{
    printf(count == 0 ? " -" : " ");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t tensor = graph->links[first + i];
        printf(i > 0 ? "," : "");
        print_word(tensor == TACHO_NONE ? TACHO_STR("")
                                        : tacho_graph_string(graph, graph->tensors[tensor].name));
    }
}

static void print_nodes(const tacho_graph *graph)
{
    for (size_t i = 0; i < graph->node_count; i++) {
        const tacho_node *node = &graph->nodes[i];
        printf("node %" PRIu32 " ", node->index);
        print_word(tacho_graph_string(graph, node->type));
        printf(" ");
        print_word(tacho_graph_string(graph, node->name));
        printf(" %" PRId32, node->opset);
        print_links(graph, node->first_input, node->input_count);
        print_links(graph, node->first_output, node->output_count);
        printf(" ");
        print_word(tacho_graph_string(graph, node->location));
        printf("\n");
        for (uint32_t j = 0; j < node->attr_count; j++) {
            print_attr(graph, &tacho_graph_attrs(graph, node)[j]);
        }
    }
}

/* Constants that are no attributes: those have no name of their own in the graph. */
static void print_constants(const tacho_graph *graph)
{
    bool *is_attr = calloc(graph->tensor_count + 1, sizeof(*is_attr));
    for (size_t i = 0; is_attr != NULL && i < graph->attr_count; i++) {
        if (graph->attrs[i].kind == TACHO_ATTR_TENSOR) {
            is_attr[graph->attrs[i].value.as_tensor] = true;
        }
    }
    for (size_t i = 0; is_attr != NULL && i < graph->tensor_count; i++) {
        const tacho_tensor *tensor = &graph->tensors[i];
        if (tensor->is_constant && !is_attr[i]) {
            printf("constant ");
            print_word(tacho_graph_string(graph, tensor->name));
            print_value(graph, tensor);
            printf("\n");
        }
    }
    free(is_attr);
}

static tacho_status dump(const char *path, const tacho_model_options *options, tacho_graph *graph)
{
    tacho_str bytes;
    graph->path = tacho_str_from_cstring(path);
    TACHO_TRY(tacho_mappings_open(&graph->mappings, path, &bytes));
    if (!tacho_onnx_reader.is_mine(bytes)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s: not ONNX", path);
    }
    TACHO_TRY(tacho_onnx_reader.read(graph, bytes, options));
    printf("graph ");
    print_word(tacho_graph_string(graph, graph->name));
    printf(" absent=%zu sparse=%zu\n", graph->absent_weight_count, graph->sparse_weight_count);
    print_tensors(graph);
    print_constants(graph);
    print_nodes(graph);
    return tacho_graph_sort(graph);
}

int main(int argc, char **argv)
{
    tacho_model_dim dims[32];
    tacho_model_options options = {.dims = dims};
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        const char *equals = i + 1 < argc ? strchr(argv[i + 1], '=') : NULL;
        if (strcmp(argv[i], "--dim") == 0 && equals != NULL && options.dim_count < 32) {
            dims[options.dim_count++] =
                (tacho_model_dim){tacho_str_make(argv[i + 1], (size_t)(equals - argv[i + 1])),
                                  strtoll(equals + 1, NULL, 10)};
            i++;
            continue;
        }
        tacho_graph graph;
        printf("== %s\n", argv[i]);
        tacho_status status = tacho_graph_init(&graph);
        status = status != TACHO_OK ? status : dump(argv[i], &options, &graph);
        if (status != TACHO_OK) {
            printf("! %s\n", tacho_status_message(status));
            tacho_status_free(status);
            failed = 1;
        }
        tacho_graph_deinit(&graph);
    }
    return failed;
}
