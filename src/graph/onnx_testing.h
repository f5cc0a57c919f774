/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by tests of ONNX models: messages that are put together field by field.
 */
#ifndef TACHO_GRAPH_ONNX_TESTING_H
#define TACHO_GRAPH_ONNX_TESTING_H

#include "graph/model.h"

#include "codec/protobuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- composing ------------------------------------------------------------------------------ */

typedef struct message {
    unsigned char bytes[2048];
    size_t len;
} message;

static inline void put_number(message *to, uint32_t field, uint64_t value)
{
    assert_true(to->len + TACHO_PB_UINT_MAX < sizeof(to->bytes));
    to->len = (size_t)(tacho_pb_put_uint(to->bytes + to->len, field, value) - to->bytes);
}

static inline void put_bytes(message *to, uint32_t field, const void *bytes, size_t len)
{
    assert_true(to->len + len + TACHO_PB_BYTES_MAX < sizeof(to->bytes));
    to->len = (size_t)(tacho_pb_put_bytes(to->bytes + to->len, field, tacho_str_make(bytes, len)) -
                       to->bytes);
}

static inline void put_text(message *to, uint32_t field, const char *text)
{
    put_bytes(to, field, text, strlen(text));
}

static inline void put_message(message *to, uint32_t field, const message *inner)
{
    put_bytes(to, field, inner->bytes, inner->len);
}

static inline void put_float(message *to, uint32_t field, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    to->len =
        (size_t)(tacho_pb_put_tag(to->bytes + to->len, field, TACHO_PB_WIRE_FIXED32) - to->bytes);
    memcpy(to->bytes + to->len, &bits, sizeof(bits));
    to->len += sizeof(bits);
}

/* A dimension: a number, or "name". */
typedef struct dim {
    int64_t value;
    const char *name;
} dim;

static inline message value_info(const char *name, uint64_t data_type, const dim *dims,
                                 size_t count)
{
    message shape = {.len = 0}, tensor = {.len = 0}, type = {.len = 0}, info = {.len = 0};
    for (size_t i = 0; i < count; i++) {
        message one = {.len = 0};
        if (dims[i].name != NULL) {
            put_text(&one, 2, dims[i].name);
        } else if (dims[i].value != INT64_MIN) {
            put_number(&one, 1, (uint64_t)dims[i].value);
        }
        put_message(&shape, 1, &one);
    }
    put_number(&tensor, 1, data_type);
    put_message(&tensor, 2, &shape);
    put_message(&type, 1, &tensor);
    put_text(&info, 1, name);
    put_message(&info, 2, &type);
    return info;
}

static inline message vector_info(const char *name, int64_t count)
{
    return value_info(name, 1, &(dim){count, NULL}, 1);
}

/* A TensorProto of one dimension without values. */
static inline message vector(const char *name, uint64_t data_type, uint64_t count)
{
    message tensor = {.len = 0};
    put_number(&tensor, 1, count);
    put_number(&tensor, 2, data_type);
    put_text(&tensor, 8, name);
    return tensor;
}

static inline message node(const char *op, const char *input, const char *output)
{
    message made = {.len = 0};
    put_text(&made, 1, input);
    put_text(&made, 2, output);
    put_text(&made, 4, op);
    return made;
}

/* A model around a graph. */
static inline message model(const message *graph)
{
    message opset = {.len = 0}, made = {.len = 0};
    put_text(&opset, 1, "");
    put_number(&opset, 2, 13);
    put_number(&made, 1, 8);
    put_message(&made, 8, &opset);
    put_message(&made, 7, graph);
    return made;
}

/* x of 4 -> Relu -> y; the graph may be added to. */
static inline message small_graph(void)
{
    message graph = {.len = 0};
    message relu = node("Relu", "x", "y");
    message x = vector_info("x", 4), y = vector_info("y", 4);
    put_message(&graph, 1, &relu);
    put_text(&graph, 2, "small");
    put_message(&graph, 11, &x);
    put_message(&graph, 12, &y);
    return graph;
}

/* ---- reading -------------------------------------------------------------------------------- */

static const tacho_model_options no_options = {.dims = NULL};

static const char *model_path = "m.onnx";

static inline tacho_status read_bytes(const void *bytes, size_t len,
                                      const tacho_model_options *options, tacho_graph *graph)
{
    assert_null(tacho_graph_init(graph));
    graph->path = tacho_str_from_cstring(model_path);
    return tacho_onnx_reader.read(graph, tacho_str_make(bytes, len), options);
}

/* Reads a graph that is sound; |from| must outlive it. */
static inline void read_ok(const message *from, const tacho_model_options *options,
                           tacho_graph *graph)
{
    tacho_status status = read_bytes(from->bytes, from->len, options, graph);
    if (status != TACHO_OK) {
        fail_msg("%s", tacho_status_message(status));
    }
}

static inline void assert_refused(const message *from, const tacho_model_options *options,
                                  tacho_code code, const char *text)
{
    tacho_graph graph;
    tacho_status status = read_bytes(from->bytes, from->len, options, &graph);
    assert_non_null(status);
    assert_int_equal(tacho_status_code(status), code);
    if (strstr(tacho_status_message(status), text) == NULL) {
        fail_msg("expected '%s', found '%s'", text, tacho_status_message(status));
    }
    tacho_status_free(status);
    tacho_graph_deinit(&graph);
}

/* The small model with |extra| as field |number| of its graph is refused. */
static inline void assert_graph_refused(uint32_t number, const message *extra, const char *text)
{
    message graph = small_graph();
    put_message(&graph, number, extra);
    message whole = model(&graph);
    assert_refused(&whole, &no_options, TACHO_CODE_BAD_DATA, text);
}

static inline const tacho_tensor *find_tensor(const tacho_graph *graph, const char *name)
{
    for (size_t i = 0; i < graph->tensor_count; i++) {
        if (tacho_str_equal(tacho_graph_string(graph, graph->tensors[i].name),
                            tacho_str_from_cstring(name))) {
            return &graph->tensors[i];
        }
    }
    fail_msg("no tensor %s", name);
    return NULL;
}

/* ---- absent and external -------------------------------------------------------------------- */

static inline message external(const char *location, const char *offset, const char *length)
{
    message tensor = vector("v", 2, 4);
    const char *const pairs[][2] = {
        {"location", location}, {"offset", offset}, {"length", length}, {"checksum", "x"}};
    for (size_t i = 0; i < 4; i++) {
        if (pairs[i][1] != NULL) {
            message entry = {.len = 0};
            put_text(&entry, 1, pairs[i][0]);
            put_text(&entry, 2, pairs[i][1]);
            put_message(&tensor, 13, &entry);
        }
    }
    put_number(&tensor, 14, 1);
    return tensor;
}

#endif
