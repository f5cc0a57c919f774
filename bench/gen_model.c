/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes models to standard output, the same for the same arguments:
 *
 *     gen_model chain N      ONNX: N nodes in a row, convolutions and activations by turns
 *     gen_model convs N      ONNX: N 3x3 convolutions in a row, none of which fuses
 *     gen_model resnet       ONNX: the layers of a ResNet-50, weights by ConstantOfShape
 *     gen_model tosa N       TOSA: N operators in a row
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- protobuf ------------------------------------------------------------------------------ */

typedef struct buffer {
    unsigned char *bytes;
    size_t len;
    size_t capacity;
} buffer;

static void put(buffer *to, const void *bytes, size_t len)
{
    if (to->len + len > to->capacity) {
        to->capacity = (to->len + len) * 2;
        to->bytes = realloc(to->bytes, to->capacity);
        if (to->bytes == NULL) {
            fputs("gen_model: out of memory\n", stderr);
            exit(1);
        }
    }
    memcpy(to->bytes + to->len, bytes, len);
    to->len += len;
}

static void put_varint(buffer *to, uint64_t value)
{
    do {
        unsigned char byte = (unsigned char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        put(to, &byte, 1);
        value >>= 7;
    } while (value > 0);
}

static void put_int(buffer *to, unsigned field, uint64_t value)
{
    put_varint(to, (uint64_t)field << 3);
    put_varint(to, value);
}

static void put_bytes(buffer *to, unsigned field, const void *bytes, size_t len)
{
    put_varint(to, (uint64_t)field << 3 | 2);
    put_varint(to, len);
    put(to, bytes, len);
}

static void put_text(buffer *to, unsigned field, const char *text)
{
    put_bytes(to, field, text, strlen(text));
}

/* Takes the message over into |to| and empties it. */
static void put_message(buffer *to, unsigned field, buffer *message)
{
    put_bytes(to, field, message->bytes, message->len);
    free(message->bytes);
    *message = (buffer){0};
}

/* ---- ONNX ---------------------------------------------------------------------------------- */

enum { FLOAT = 1, INT64 = 7 };

static void put_ints(buffer *node, const char *name, const int64_t *values, size_t count)
{
    buffer attr = {0};
    put_text(&attr, 1, name);
    for (size_t i = 0; i < count; i++) {
        put_int(&attr, 8, (uint64_t)values[i]);
    }
    put_int(&attr, 20, 7);
    put_message(node, 5, &attr);
}

static void put_value(buffer *graph, unsigned field, const char *name, const int64_t *dims,
                      size_t rank)
{
    buffer shape = {0}, tensor = {0}, type = {0}, value = {0};
    for (size_t i = 0; i < rank; i++) {
        buffer dim = {0};
        put_int(&dim, 1, (uint64_t)dims[i]);
        put_message(&shape, 1, &dim);
    }
    put_int(&tensor, 1, FLOAT);
    put_message(&tensor, 2, &shape);
    put_message(&type, 1, &tensor);
    put_text(&value, 1, name);
    put_message(&value, 2, &type);
    put_message(graph, field, &value);
}

static void put_shape_constant(buffer *graph, const char *name, const int64_t *dims, size_t rank)
{
    buffer tensor = {0};
    put_int(&tensor, 1, rank);
    put_int(&tensor, 2, INT64);
    put_text(&tensor, 8, name);
    put_bytes(&tensor, 9, dims, rank * sizeof(*dims)); /* little-endian hosts */
    put_message(graph, 5, &tensor);
}

/* A network that grows at its end. */
typedef struct network {
    buffer graph;
    unsigned node_count;
    char last[32]; /* tensor */
} network;

static void add_node(network *net, buffer *node, const char *type)
{
    char name[32];
    snprintf(name, sizeof(name), "%s_%u", type, net->node_count);
    snprintf(net->last, sizeof(net->last), "t%u", net->node_count++);
    put_text(node, 2, net->last);
    put_text(node, 3, name);
    put_text(node, 4, type);
    put_message(&net->graph, 1, node);
}

static void add_op(network *net, const char *type, const char *second)
{
    buffer node = {0};
    put_text(&node, 1, net->last);
    if (second != NULL) {
        put_text(&node, 1, second);
    }
    add_node(net, &node, type);
}

/* Weights of ones; their tensor is |out_name|. */
static void add_weights(network *net, const int64_t *dims, size_t rank, char out_name[32])
{
    char shape[32];
    char kept[32];
    snprintf(shape, sizeof(shape), "shape%u", net->node_count);
    memcpy(kept, net->last, sizeof(kept));
    put_shape_constant(&net->graph, shape, dims, rank);
    buffer node = {0};
    put_text(&node, 1, shape);
    add_node(net, &node, "ConstantOfShape");
    memcpy(out_name, net->last, 32);
    memcpy(net->last, kept, sizeof(kept));
}

static void add_conv(network *net, int64_t in, int64_t out, int64_t window, int64_t stride)
{
    char weights[32];
    add_weights(net, (const int64_t[]){out, in, window, window}, 4, weights);
    buffer node = {0};
    int64_t pad = window / 2;
    put_text(&node, 1, net->last);
    put_text(&node, 1, weights);
    put_ints(&node, "kernel_shape", (const int64_t[]){window, window}, 2);
    put_ints(&node, "strides", (const int64_t[]){stride, stride}, 2);
    put_ints(&node, "pads", (const int64_t[]){pad, pad, pad, pad}, 4);
    add_node(net, &node, "Conv");
}

static void write_model(network *net, const int64_t *in, const int64_t *out, size_t out_rank)
{
    buffer model = {0}, opset = {0};
    put_text(&net->graph, 2, "generated");
    put_value(&net->graph, 11, "x", in, 4);
    put_value(&net->graph, 12, net->last, out, out_rank);
    put_int(&opset, 2, 13);
    put_int(&model, 1, 7);
    put_message(&model, 7, &net->graph);
    put_message(&model, 8, &opset);
    fwrite(model.bytes, 1, model.len, stdout);
    free(model.bytes);
}

static void write_chain(unsigned count)
{
    enum { CHANNELS = 16, SIDE = 8 };
    network net = {.last = "x"};
    char weights[32];
    add_weights(&net, (const int64_t[]){CHANNELS, CHANNELS, 1, 1}, 4, weights);
    while (net.node_count < count) {
        add_op(&net, net.node_count % 2 == 1 ? "Conv" : "Relu",
               net.node_count % 2 == 1 ? weights : NULL);
    }
    static const int64_t shape[] = {1, CHANNELS, SIDE, SIDE};
    write_model(&net, shape, shape, 4);
}

static void write_convs(unsigned count)
{
    enum { CHANNELS = 16, SIDE = 8 };
    network net = {.last = "x"};
    char weights[32];
    add_weights(&net, (const int64_t[]){CHANNELS, CHANNELS, 3, 3}, 4, weights);
    while (net.node_count <= count) {
        buffer node = {0};
        put_text(&node, 1, net.last);
        put_text(&node, 1, weights);
        put_ints(&node, "pads", (const int64_t[]){1, 1, 1, 1}, 4);
        add_node(&net, &node, "Conv");
    }
    static const int64_t shape[] = {1, CHANNELS, SIDE, SIDE};
    write_model(&net, shape, shape, 4);
}

/* Three convolutions beside a shortcut. */
static void add_block(network *net, int64_t in, int64_t mid, int64_t stride)
{
    char start[32];
    char shortcut[32];
    memcpy(start, net->last, sizeof(start));
    memcpy(shortcut, net->last, sizeof(shortcut));
    if (in != mid * 4 || stride != 1) {
        add_conv(net, in, mid * 4, 1, stride);
        memcpy(shortcut, net->last, sizeof(shortcut));
        memcpy(net->last, start, sizeof(start));
    }
    add_conv(net, in, mid, 1, 1);
    add_op(net, "Relu", NULL);
    add_conv(net, mid, mid, 3, stride);
    add_op(net, "Relu", NULL);
    add_conv(net, mid, mid * 4, 1, 1);
    add_op(net, "Add", shortcut);
    add_op(net, "Relu", NULL);
}

static void write_resnet(void)
{
    static const int depths[] = {3, 4, 6, 3};
    network net = {.last = "x"};
    add_conv(&net, 3, 64, 7, 2);
    add_op(&net, "Relu", NULL);
    buffer pool = {0};
    put_text(&pool, 1, net.last);
    put_ints(&pool, "kernel_shape", (const int64_t[]){3, 3}, 2);
    put_ints(&pool, "strides", (const int64_t[]){2, 2}, 2);
    put_ints(&pool, "pads", (const int64_t[]){1, 1, 1, 1}, 4);
    add_node(&net, &pool, "MaxPool");
    int64_t in = 64;
    for (int stage = 0; stage < 4; stage++) {
        int64_t mid = (int64_t)64 << stage;
        for (int block = 0; block < depths[stage]; block++) {
            add_block(&net, in, mid, block == 0 && stage > 0 ? 2 : 1);
            in = mid * 4;
        }
    }
    add_op(&net, "GlobalAveragePool", NULL);
    add_op(&net, "Flatten", NULL);
    char weights[32];
    add_weights(&net, (const int64_t[]){2048, 1000}, 2, weights);
    add_op(&net, "MatMul", weights);
    write_model(&net, (const int64_t[]){1, 3, 224, 224}, (const int64_t[]){1, 1000}, 2);
}

/* ---- TOSA ---------------------------------------------------------------------------------- */

static void write_tosa(unsigned count)
{
    const char *type = "tensor<1x8x8x16xf32>";
    printf("module {\n  func.func @main(%%v0: %s) -> %s {\n", type, type);
    for (unsigned i = 0; i < count; i++) {
        if (i % 2 == 0) {
            printf("    %%v%u = tosa.add %%v%u, %%v%u : (%s, %s) -> %s\n", i + 1, i, i, type, type,
                   type);
        } else {
            printf("    %%v%u = tosa.tanh %%v%u : (%s) -> %s\n", i + 1, i, type, type);
        }
    }
    printf("    return %%v%u : %s\n  }\n}\n", count, type);
}

int main(int count, char **words)
{
    if (count == 3 && strcmp(words[1], "chain") == 0) {
        write_chain((unsigned)strtoul(words[2], NULL, 10));
    } else if (count == 3 && strcmp(words[1], "convs") == 0) {
        write_convs((unsigned)strtoul(words[2], NULL, 10));
    } else if (count == 2 && strcmp(words[1], "resnet") == 0) {
        write_resnet();
    } else if (count == 3 && strcmp(words[1], "tosa") == 0) {
        write_tosa((unsigned)strtoul(words[2], NULL, 10));
    } else {
        fputs("usage: gen_model chain N | convs N | resnet | tosa N\n", stderr);
        return 2;
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
