/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints what inference finds in model files, a line for each tensor that a node makes, for another
 * program to compare: dump_shapes [--dim NAME=VALUE]... FILE...
 *
 *     == FILE                                  or, when it is refused,  ! MESSAGE
 *     tensor NAME DTYPE SHAPE run|constant|BYTES
 *     nodes COUNT folded=COUNT
 *
 * BYTES are the value, in hexadecimal, of what is small and has become constant. Names are
 * percent-encoded, so that they are words.
 */
#include "graph/infer.h"
#include "graph/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { VALUE_MAX = 4096 };

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

static void print_value(const tacho_graph *graph, const tacho_tensor *tensor)
{
    uint64_t bytes;
    size_t size = tacho_dtype_element_bytes(tensor->dtype);
    const tacho_constant *value =
        tensor->constant == TACHO_NONE ? NULL : &graph->constants[tensor->constant];
    if (value == NULL || value->kind == TACHO_CONSTANT_RANDOM || size == 0 ||
        !tacho_tensor_bytes(tensor, &bytes) || bytes == 0 || bytes > VALUE_MAX) {
        printf(tensor->is_constant ? "constant" : "run");
        return;
    }
    for (size_t i = 0; i < bytes; i++) {
        bool is_splat = value->kind == TACHO_CONSTANT_SPLAT;
        printf("%02x", (is_splat ? value->splat[i % size] : value->bytes[i]) & 0xffu);
    }
}

static void print_graph(const tacho_graph *graph)
{
    size_t folded = 0;
    for (size_t i = 0; i < graph->node_count; i++) {
        const tacho_node *node = &graph->nodes[i];
        folded += node->is_folded ? 1 : 0;
        for (size_t j = 0; j < node->output_count; j++) {
            const tacho_tensor *tensor = tacho_graph_output(graph, node, j);
            char shape[TACHO_SHAPE_TEXT_MAX];
            if (tensor != NULL) {
                printf("tensor ");
                print_word(tacho_graph_string(graph, tensor->name));
                printf(" %s %s ", tacho_dtype_name(tensor->dtype),
                       tacho_shape_print(tensor->shape, shape, sizeof(shape)));
                print_value(graph, tensor);
                printf("\n");
            }
        }
    }
    printf("nodes %zu folded=%zu\n", graph->node_count, folded);
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
        status = status != TACHO_OK ? status : tacho_model_read(argv[i], &options, &graph);
        if (status == TACHO_OK) {
            print_graph(&graph);
        } else {
            printf("! %s\n", tacho_status_message(status));
            tacho_status_free(status);
            failed = 1;
        }
        tacho_graph_deinit(&graph);
    }
    return failed;
}
