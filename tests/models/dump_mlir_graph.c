/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump_mlir_graph [--random SEED] [--dim NAME=N] FILE...: reads models and prints their graphs, a
 * line for each thing, fields with tabs between:
 *
 *     == path, format, name of the network, note
 *     N type, location, inputs (tensors, '-' for none), outputs (tensor and what it is), attributes
 *     C tensor, kind of value, its elements in hexadecimal or its hash
 *     I inputs' tensors and what they are; O outputs' tensors
 *
 * The exit status is 1 when a file cannot be read.
 */
#include "graph/model.h"
#include "graph/op_def.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void print_text(tacho_str text)
{
    printf("%.*s", TACHO_STR_ARG(text));
}

static void print_tensor(const tacho_graph *graph, uint32_t id)
{
    char text[TACHO_SHAPE_TEXT_MAX];
    if (id == TACHO_NONE) {
        printf("-");
        return;
    }
    const tacho_tensor *tensor = &graph->tensors[id];
    printf("%" PRIu32 "=%s:%s", id, tacho_shape_print(tensor->shape, text, sizeof(text)),
           tacho_dtype_name(tensor->dtype));
}

static void print_attr(const tacho_graph *graph, const tacho_attr *attr)
{
    print_text(attr->name);
    printf("=");
    switch (attr->kind) {
    case TACHO_ATTR_INT:
        printf("%" PRId64, attr->value.as_int);
        break;
    case TACHO_ATTR_GRAPH:
        printf("graph of %" PRId64, attr->value.as_int);
        break;
    case TACHO_ATTR_REAL:
        printf("%.9g", attr->value.as_real);
        break;
    case TACHO_ATTR_TEXT:
        print_text(attr->value.as_text);
        break;
    case TACHO_ATTR_INTS:
        for (uint32_t i = 0; i < attr->count; i++) {
            printf("%s%" PRId64, i > 0 ? "," : "[", attr->value.as_ints[i]);
        }
        break;
    case TACHO_ATTR_REALS:
        for (uint32_t i = 0; i < attr->count; i++) {
            printf("%s%.9g", i > 0 ? "," : "[", attr->value.as_reals[i]);
        }
        break;
    case TACHO_ATTR_TEXTS:
        for (uint32_t i = 0; i < attr->count; i++) {
            printf("%s", i > 0 ? "," : "[");
            print_text(attr->value.as_texts[i]);
        }
        break;
    case TACHO_ATTR_TENSOR:
        print_tensor(graph, attr->value.as_tensor);
        break;
    case TACHO_ATTR_OTHER:
        printf("other");
        break;
    }
}

static void print_node(const tacho_graph *graph, const tacho_node *node)
{
    printf("N\t");
    print_text(tacho_graph_string(graph, node->type));
    printf("\t");
    print_text(tacho_graph_string(graph, node->location));
    printf("\t");
    for (uint32_t i = 0; i < node->input_count; i++) {
        printf("%s", i > 0 ? " " : "");
        print_tensor(graph, graph->links[node->first_input + i]);
    }
    printf("\t");
    for (uint32_t i = 0; i < node->output_count; i++) {
        printf("%s", i > 0 ? " " : "");
        print_tensor(graph, graph->links[node->first_output + i]);
    }
    printf("\t%s%s%" PRId32, node->def != NULL ? tacho_op_kind_name(node->def->kind) : "unknown",
           node->is_folded ? " folded " : " ", node->opset);
    for (uint32_t i = 0; i < node->attr_count; i++) {
        printf("\t");
        print_attr(graph, &tacho_graph_attrs(graph, node)[i]);
    }
    printf("\n");
}

static void print_constant(const tacho_graph *graph, uint32_t id)
{
    enum { SHOWN_MAX = 64 };
    const tacho_tensor *tensor = &graph->tensors[id];
    const tacho_constant *constant = &graph->constants[tensor->constant];
    uint64_t bytes = 0;
    printf("C\t");
    print_tensor(graph, id);
    if (constant->kind == TACHO_CONSTANT_RANDOM) {
        printf("\trandom %016" PRIx64 "\n", constant->seed);
        return;
    }
    bool is_splat = constant->kind == TACHO_CONSTANT_SPLAT;
    printf("\t%s ", is_splat ? "splat" : "bytes");
    if (is_splat) {
        bytes = sizeof(constant->splat);
    } else if (!tacho_tensor_bytes(tensor, &bytes)) {
        bytes = 0;
    }
    uint64_t hash = 14695981039346656037U;
    for (uint64_t i = 0; i < bytes; i++) {
        unsigned char byte = is_splat ? constant->splat[i] : constant->bytes[i];
        hash = (hash ^ byte) * 1099511628211U;
        if (i < SHOWN_MAX) {
            printf("%02x", byte);
        }
    }
    printf(" %016" PRIx64 "\n", hash);
}

static void print_graph(const tacho_graph *graph)
{
    printf("== %.*s\t%s\t", TACHO_STR_ARG(graph->path), graph->format);
    print_text(tacho_graph_string(graph, graph->name));
    printf("\t%.*s\nI", TACHO_STR_ARG(graph->note));
    for (size_t i = 0; i < graph->input_count; i++) {
        printf("\t");
        print_tensor(graph, graph->inputs[i]);
    }
    printf("\n");
    for (size_t i = 0; i < graph->node_count; i++) {
        print_node(graph, &graph->nodes[i]);
    }
    for (size_t i = 0; i < graph->tensor_count; i++) {
        if (graph->tensors[i].constant != TACHO_NONE) {
            print_constant(graph, (uint32_t)i);
        }
    }
    printf("O");
    for (size_t i = 0; i < graph->output_count; i++) {
        printf("\t");
        print_tensor(graph, graph->outputs[i]);
    }
    printf("\n");
}

static int show(const char *path, const tacho_model_options *options)
{
    tacho_graph graph;
    tacho_status status = tacho_graph_init(&graph);
    if (status == TACHO_OK) {
        status = tacho_model_read(path, options, &graph);
    }
    if (status == TACHO_OK) {
        print_graph(&graph);
    } else {
        fprintf(stderr, "%s\n", tacho_status_message(status));
    }
    int result = status == TACHO_OK ? 0 : 1;
    tacho_status_free(status);
    tacho_graph_deinit(&graph);
    return result;
}

int main(int argc, char **argv)
{
    enum { DIMS_MAX = 16 };
    tacho_model_dim dims[DIMS_MAX];
    tacho_model_options options = {.dims = dims};
    int result = 0;
    for (int i = 1; i < argc; i++) {
        bool has_value = i + 1 < argc;
        if (has_value && strcmp(argv[i], "--random") == 0) {
            options.has_random_weights = true;
            options.seed = strtoull(argv[++i], NULL, 0);
        } else if (has_value && strcmp(argv[i], "--dim") == 0 && options.dim_count < DIMS_MAX) {
            tacho_str text = tacho_str_from_cstring(argv[++i]);
            size_t equals = tacho_str_find_byte(text, '=');
            dims[options.dim_count].name = tacho_str_make(text.data, equals);
            dims[options.dim_count++].value =
                equals < text.len ? strtoll(text.data + equals + 1, NULL, 10) : -1;
        } else {
            result |= show(argv[i], &options);
        }
    }
    return result;
}
