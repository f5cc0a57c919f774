/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of ONNX on models composed here, message by message: nodes and attributes, values in
 * all their encodings, external data, dimensions, and everything that is refused. Then one model
 * cut at every byte and with bits turned over.
 */
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

static void put_number(message *to, uint32_t field, uint64_t value)
{
    assert_true(to->len + TACHO_PB_UINT_MAX < sizeof(to->bytes));
    to->len = (size_t)(tacho_pb_put_uint(to->bytes + to->len, field, value) - to->bytes);
}

static void put_bytes(message *to, uint32_t field, const void *bytes, size_t len)
{
    assert_true(to->len + len + TACHO_PB_BYTES_MAX < sizeof(to->bytes));
    to->len = (size_t)(tacho_pb_put_bytes(to->bytes + to->len, field, tacho_str_make(bytes, len)) -
                       to->bytes);
}

static void put_text(message *to, uint32_t field, const char *text)
{
    put_bytes(to, field, text, strlen(text));
}

static void put_message(message *to, uint32_t field, const message *inner)
{
    put_bytes(to, field, inner->bytes, inner->len);
}

static void put_float(message *to, uint32_t field, float value)
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

static message value_info(const char *name, uint64_t data_type, const dim *dims, size_t count)
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

static message vector_info(const char *name, int64_t count)
{
    return value_info(name, 1, &(dim){count, NULL}, 1);
}

/* A TensorProto of one dimension without values. */
static message vector(const char *name, uint64_t data_type, uint64_t count)
{
    message tensor = {.len = 0};
    put_number(&tensor, 1, count);
    put_number(&tensor, 2, data_type);
    put_text(&tensor, 8, name);
    return tensor;
}

static message node(const char *op, const char *input, const char *output)
{
    message made = {.len = 0};
    put_text(&made, 1, input);
    put_text(&made, 2, output);
    put_text(&made, 4, op);
    return made;
}

/* A model around a graph. */
static message model(const message *graph)
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
static message small_graph(void)
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

static tacho_status read_bytes(const void *bytes, size_t len, const tacho_model_options *options,
                               tacho_graph *graph)
{
    assert_null(tacho_graph_init(graph));
    graph->path = tacho_str_from_cstring(model_path);
    return tacho_onnx_reader.read(graph, tacho_str_make(bytes, len), options);
}

/* Reads a graph that is sound; |from| must outlive it. */
static void read_ok(const message *from, const tacho_model_options *options, tacho_graph *graph)
{
    tacho_status status = read_bytes(from->bytes, from->len, options, graph);
    if (status != TACHO_OK) {
        fail_msg("%s", tacho_status_message(status));
    }
}

static void assert_refused(const message *from, const tacho_model_options *options, tacho_code code,
                           const char *text)
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
static void assert_graph_refused(uint32_t number, const message *extra, const char *text)
{
    message graph = small_graph();
    put_message(&graph, number, extra);
    message whole = model(&graph);
    assert_refused(&whole, &no_options, TACHO_CODE_BAD_DATA, text);
}

static void assert_text(tacho_str found, const char *expected)
{
    assert_int_equal(found.len, strlen(expected));
    assert_memory_equal(found.data, expected, found.len);
}

static const tacho_tensor *find_tensor(const tacho_graph *graph, const char *name)
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

/* ---- graphs --------------------------------------------------------------------------------- */

static void test_graph(void **state)
{
    (void)state;
    message graph = small_graph();
    message named = {.len = 0}, fancy = {.len = 0}, domain = {.len = 0};
    put_text(&named, 1, "y");
    put_text(&named, 1, ""); /* an optional input that is absent */
    put_text(&named, 2, "z");
    put_text(&named, 3, "a \"b\"\\");
    put_text(&named, 4, "Clip");
    put_text(&named, 7, "ai.onnx");
    put_message(&graph, 1, &named);
    put_text(&fancy, 4, "Fancy");
    put_text(&fancy, 7, "com.example");
    put_text(&fancy, 1, "z");
    put_text(&fancy, 2, "unused");
    put_message(&graph, 1, &fancy);
    message hidden = value_info("z", 10, (dim[]){{4, NULL}, {0, "later"}}, 2);
    put_message(&graph, 13, &hidden);
    message lonely = {.len = 0};
    put_text(&lonely, 4, "Lonely"); /* no operands, no results */
    put_message(&graph, 1, &lonely);
    message whole = model(&graph);
    put_text(&domain, 1, "com.example");
    put_number(&domain, 2, 3);
    put_message(&whole, 8, &domain);

    tacho_graph read;
    read_ok(&whole, &no_options, &read);
    assert_text(tacho_graph_string(&read, read.name), "small");
    assert_int_equal(read.node_count, 4);
    assert_int_equal(read.nodes[3].input_count + read.nodes[3].output_count, 0);
    assert_int_equal(read.input_count, 1);
    assert_int_equal(read.output_count, 1);
    static const struct {
        const char *type, *name, *location;
        int32_t opset;
        uint32_t input_count;
    } expected[] = {
        {"Relu", "", "\"Relu_0\"", 13, 1},
        {"Clip", "a \"b\"\\", "\"a \\22b\\22\\\\\"", 13, 2},
        {"com.example.Fancy", "", "\"Fancy_2\"", 3, 1},
    };
    for (size_t i = 0; i < 3; i++) {
        const tacho_node *at = &read.nodes[i];
        assert_text(tacho_graph_string(&read, at->type), expected[i].type);
        assert_text(tacho_graph_string(&read, at->name), expected[i].name);
        assert_text(tacho_graph_string(&read, at->location), expected[i].location);
        assert_int_equal(at->opset, expected[i].opset);
        assert_int_equal(at->input_count, expected[i].input_count);
        assert_int_equal(at->output_count, 1);
        assert_int_equal(at->index, i);
    }
    assert_null(tacho_graph_input(&read, &read.nodes[1], 1));
    const tacho_tensor *x = find_tensor(&read, "x");
    assert_true(x->is_input && !x->is_constant && x->dtype == TACHO_DTYPE_F32);
    assert_ptr_equal(tacho_graph_input(&read, &read.nodes[0], 0), x);
    const tacho_tensor *z = find_tensor(&read, "z");
    assert_int_equal(z->producer, 1);
    assert_int_equal(z->dtype, TACHO_DTYPE_F16);
    assert_int_equal(z->shape->rank, 2);
    assert_int_equal(z->shape->dims[0], 4);
    assert_int_equal(z->shape->dims[1], TACHO_DIM_UNKNOWN);
    assert_true(find_tensor(&read, "y")->is_output && !z->is_output);
    tacho_graph_deinit(&read);
}

static void put_attr(message *to, const char *name, uint64_t type, const message *value)
{
    message attr = {.len = 0};
    put_text(&attr, 1, name);
    assert_true(attr.len + value->len < sizeof(attr.bytes));
    memcpy(attr.bytes + attr.len, value->bytes, value->len);
    attr.len += value->len;
    if (type != 0) {
        put_number(&attr, 20, type);
    }
    put_message(to, 5, &attr);
}

static message attributes(void)
{
    message many = node("Many", "x", "m");
    message value = {.len = 0};
    put_number(&value, 3, (uint64_t)-5);
    put_attr(&many, "int", 2, &value);
    value.len = 0;
    put_float(&value, 2, 0.5f);
    put_attr(&many, "real", 0, &value); /* no type: the field tells */
    value.len = 0;
    put_text(&value, 4, "SAME");
    put_attr(&many, "text", 3, &value);
    value.len = 0;
    put_number(&value, 8, 300);
    put_bytes(&value, 8, "\x01\xac\x02", 3); /* packed: 1, 300 */
    put_attr(&many, "ints", 7, &value);
    value.len = 0;
    put_float(&value, 7, 1.5f);
    put_bytes(&value, 7, "\0\0\0\xc0", 4); /* packed: -2 */
    put_attr(&many, "reals", 6, &value);
    value.len = 0;
    put_text(&value, 9, "a");
    put_text(&value, 9, "");
    put_attr(&many, "texts", 8, &value);
    value.len = 0;
    message tensor = vector("t", 7, 1);
    put_number(&tensor, 7, 42);
    put_message(&value, 5, &tensor);
    put_attr(&many, "tensor", 4, &value);
    value.len = 0;
    message body = small_graph();
    put_message(&value, 6, &body);
    put_attr(&many, "graph", 5, &value);
    value.len = 0;
    put_attr(&many, "none", 7, &value); /* an empty list */
    put_attr(&many, "type", 13, &value);
    put_attr(&many, "zero", 2, &value); /* a default that is not written */
    return many;
}

static void test_attributes(void **state)
{
    (void)state;
    message graph = small_graph();
    message many = attributes();
    put_message(&graph, 1, &many);
    message whole = model(&graph);
    tacho_graph read;
    read_ok(&whole, &no_options, &read);
    const tacho_node *at = &read.nodes[1];
    const tacho_attr *attrs = tacho_graph_attrs(&read, at);
    size_t count = at->attr_count;
    size_t list_count;
    assert_int_equal(count, 11);
    assert_int_equal(tacho_attr_int(attrs, count, "int", 0), -5);
    assert_true(tacho_attr_real(attrs, count, "real", 0) == 0.5);
    assert_text(tacho_attr_text(attrs, count, "text"), "SAME");
    const int64_t *ints = tacho_attr_ints(attrs, count, "ints", &list_count);
    assert_int_equal(list_count, 3);
    assert_true(ints[0] == 300 && ints[1] == 1 && ints[2] == 300);
    const tacho_attr *attr = tacho_attr_find(attrs, count, "reals");
    assert_int_equal(attr->count, 2);
    assert_true(attr->value.as_reals[0] == 1.5 && attr->value.as_reals[1] == -2);
    attr = tacho_attr_find(attrs, count, "texts");
    assert_int_equal(attr->count, 2);
    assert_text(attr->value.as_texts[0], "a");
    assert_text(attr->value.as_texts[1], "");
    attr = tacho_attr_find(attrs, count, "tensor");
    assert_int_equal(attr->kind, TACHO_ATTR_TENSOR);
    const tacho_tensor *tensor = &read.tensors[attr->value.as_tensor];
    assert_int_equal(tensor->dtype, TACHO_DTYPE_I64);
    assert_int_equal(read.constants[tensor->constant].bytes[0], 42);
    attr = tacho_attr_find(attrs, count, "graph");
    assert_int_equal(attr->kind, TACHO_ATTR_GRAPH);
    assert_int_equal(attr->value.as_int, 1);
    assert_non_null(tacho_attr_ints(attrs, count, "none", &list_count));
    assert_int_equal(list_count, 0);
    assert_int_equal(tacho_attr_find(attrs, count, "type")->kind, TACHO_ATTR_OTHER);
    assert_int_equal(tacho_attr_int(attrs, count, "zero", 7), 0);
    tacho_graph_deinit(&read);

    message odd = node("Odd", "x", "o");
    message value = {.len = 0};
    put_attr(&odd, "odd", 99, &value);
    assert_graph_refused(1, &odd, "attribute 'odd' is of type 99, which is not known");
}

static void test_older_inputs(void **state)
{
    (void)state;
    message graph = small_graph();
    message weight = vector("w", 1, 2);
    put_bytes(&weight, 9, "\0\0\x80\x3f\0\0\0\x40", 8);
    put_message(&graph, 5, &weight);
    message info = vector_info("w", 2); /* before IR 4 initializers are inputs as well */
    put_message(&graph, 11, &info);
    message sparse = {.len = 0}, values = vector("s", 1, 1);
    put_float(&values, 4, 1.0f);
    put_message(&sparse, 1, &values);
    put_number(&sparse, 3, 10);
    put_number(&sparse, 3, 20);
    put_message(&graph, 15, &sparse);
    message whole = model(&graph);
    tacho_graph read;
    read_ok(&whole, &no_options, &read);
    assert_int_equal(read.input_count, 1);
    const tacho_tensor *w = find_tensor(&read, "w");
    assert_true(w->is_constant && !w->is_input);
    const unsigned char *bytes = read.constants[w->constant].bytes;
    assert_true(bytes > whole.bytes && bytes < whole.bytes + whole.len); /* borrowed */
    assert_memory_equal(bytes, "\0\0\x80\x3f\0\0\0\x40", 8);
    const tacho_tensor *s = find_tensor(&read, "s");
    assert_true(s->is_constant && s->constant == TACHO_NONE);
    assert_int_equal(s->shape->dims[1], 20);
    assert_int_equal(read.sparse_weight_count, 1);
    tacho_graph_deinit(&read);
}

/* ---- values --------------------------------------------------------------------------------- */

/* Two elements (three of four bits), listed as |list| in field |field|, packed. */
static const struct {
    uint64_t data_type;
    uint32_t field;
    tacho_dtype dtype;
    tacho_str list;
    tacho_str bytes;
} listed[] = {
#define ROW(type, field, dtype, list, bytes)                                                       \
    {                                                                                              \
        type, field, TACHO_DTYPE_##dtype, TACHO_STR_INIT(list), TACHO_STR_INIT(bytes)              \
    }
    ROW(1, 4, F32, "\0\0\x80\x3f\0\0\0\x40", "\0\0\x80\x3f\0\0\0\x40"),
    ROW(2, 5, U8, "\x05\xff\x01", "\x05\xff"),
    ROW(3, 5, I8, "\x05\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x05\xff"),
    ROW(4, 5, U16, "\x05\xff\xff\x03", "\x05\0\xff\xff"),
    ROW(5, 5, I16, "\x05\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x05\0\xfe\xff"),
    ROW(6, 5, I32, "\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        "\x80\0\0\0\xff\xff\xff\xff"),
    ROW(7, 7, I64, "\x01\x80\x01", "\x01\0\0\0\0\0\0\0\x80\0\0\0\0\0\0\0"),
    ROW(9, 5, BOOL, "\x01\0", "\x01\0"),
    ROW(10, 5, F16, "\x80\x78\x80\x80\x02", "\0\x3c\0\x80"),
    ROW(11, 10, F64, "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\x40",
        "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\x40"),
    ROW(12, 11, U32, "\x01\xff\xff\xff\xff\x0f", "\x01\0\0\0\xff\xff\xff\xff"),
    ROW(13, 11, U64, "\x01\x02", "\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0"),
    ROW(14, 4, C64, "abcdefghijklmnop", "abcdefghijklmnop"),
    ROW(16, 5, BF16, "\x80\x7f\x80\x80\x01", "\x80\x3f\0\x40"),
    ROW(17, 5, F8E4M3, "\x05\x06", "\x05\x06"),
    ROW(20, 5, F8E5M2, "\x05\x06", "\x05\x06"),
    ROW(21, 5, U4, "\xa5\x01\x07", "\xa5\x07"),
    ROW(22, 5, I4, "\xa5\x01\x07", "\xa5\x07"),
#undef ROW
};

static void check_value(const message *tensor, tacho_dtype dtype, tacho_str bytes)
{
    message graph = small_graph();
    put_message(&graph, 5, tensor);
    message whole = model(&graph);
    tacho_graph read;
    read_ok(&whole, &no_options, &read);
    const tacho_tensor *found = find_tensor(&read, "v");
    uint64_t size;
    assert_int_equal(found->dtype, dtype);
    assert_true(tacho_tensor_bytes(found, &size) && size == bytes.len);
    assert_int_equal(read.constants[found->constant].kind, TACHO_CONSTANT_BYTES);
    assert_memory_equal(read.constants[found->constant].bytes, bytes.data, bytes.len);
    assert_int_equal(read.absent_weight_count, 0);
    tacho_graph_deinit(&read);
}

static void test_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(listed) / sizeof(listed[0]); i++) {
        bool is_small = listed[i].dtype == TACHO_DTYPE_I4 || listed[i].dtype == TACHO_DTYPE_U4;
        message packed = vector("v", listed[i].data_type, is_small ? 3 : 2);
        message raw = packed;
        put_bytes(&packed, listed[i].field, listed[i].list.data, listed[i].list.len);
        put_bytes(&raw, 9, listed[i].bytes.data, listed[i].bytes.len);
        check_value(&packed, listed[i].dtype, listed[i].bytes);
        check_value(&raw, listed[i].dtype, listed[i].bytes);
    }
    message single = vector("v", 1, 2); /* not packed, and in two pieces */
    put_float(&single, 4, 1.0f);
    put_bytes(&single, 4, "\0\0\0\x40", 4);
    check_value(&single, TACHO_DTYPE_F32, TACHO_STR("\0\0\x80\x3f\0\0\0\x40"));
    message empty = vector("v", 1, 0);
    check_value(&empty, TACHO_DTYPE_F32, TACHO_STR(""));
    message texts = vector("v", 8, 2);
    put_text(&texts, 6, "one");
    assert_graph_refused(5, &texts, "tensor 'v' does not have a text for each element");
}

static void test_bad_values(void **state)
{
    (void)state;
    message raw = vector("v", 1, 3);
    put_bytes(&raw, 9, "12345678", 8);
    message graph = small_graph();
    put_message(&graph, 5, &raw);
    message whole = model(&graph);
    char expected[128];
    size_t at = whole.len - 8;
    assert_memory_equal(whole.bytes + at, "12345678", 8);
    snprintf(expected, sizeof(expected),
             "m.onnx: byte %zu: tensor 'v' has 8 bytes of data; 3 of f32 needs 12", at);
    assert_refused(&whole, &no_options, TACHO_CODE_BAD_DATA, expected);

    message list = vector("v", 3, 2);
    put_number(&list, 5, 1);
    assert_graph_refused(5, &list, "tensor 'v' has 1 values; its shape and type need 2");
    put_number(&list, 5, 256);
    assert_graph_refused(5, &list, "tensor 'v': element 1 is 256, which does not fit i8");
    message cut = vector("v", 3, 2);
    put_bytes(&cut, 5, "\x01\x02\x80", 3);
    assert_graph_refused(5, &cut, "ends inside a varint");
    message uneven = vector("v", 1, 1);
    put_bytes(&uneven, 4, "12345", 5);
    assert_graph_refused(5, &uneven, "5 bytes are not a whole number of 4-byte values");
    message other = vector("v", 1, 2);
    put_bytes(&other, 7, "\x01\x02", 2);
    assert_graph_refused(5, &other, "tensor 'v' is of type f32, its values are not");
    put_float(&other, 4, 1.0f);
    assert_graph_refused(5, &other, "tensor 'v' has values of two types");
    message unknown = vector("v", 77, 2);
    assert_graph_refused(5, &unknown, "tensor 'v' has data type 77, which is not known");
    message none = {.len = 0};
    put_text(&none, 8, "v");
    assert_graph_refused(5, &none, "tensor 'v' has no data type");
    message negative = vector("v", 1, UINT64_MAX);
    assert_graph_refused(5, &negative, "tensor 'v' has a negative dimension");
    message absurd = vector("v", 1, INT64_MAX);
    put_bytes(&absurd, 9, "1234", 4);
    assert_graph_refused(5, &absurd, "tensor 'v' has more than 2^63 bytes");
    put_number(&absurd, 1, 2);
    assert_graph_refused(5, &absurd, "tensor 'v' has more than 2^63 elements");
    message nameless = vector("", 1, 0);
    assert_graph_refused(5, &nameless, "an initializer needs one");
    message deep = vector("v", 1, 1);
    put_bytes(&deep, 1, "\1\1\1\1\1\1\1\1", 8);
    graph = small_graph();
    put_message(&graph, 5, &deep);
    whole = model(&graph);
    assert_refused(&whole, &no_options, TACHO_CODE_LIMIT, "tensor 'v' has more than 8 dimensions");
}

/* ---- absent and external -------------------------------------------------------------------- */

static message external(const char *location, const char *offset, const char *length)
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

static void write_file(const char *path, const char *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static void test_external(void **state)
{
    (void)state;
    char folder[400];
    const char *temp = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%s/tacho-onnx.XXXXXX",
             temp != NULL && temp[0] != '\0' ? temp : "/tmp");
    assert_non_null(mkdtemp(folder));
    char path[420], weights[420];
    snprintf(path, sizeof(path), "%s/m.onnx", folder);
    snprintf(weights, sizeof(weights), "%s/w.bin", folder);
    write_file(weights, "0123456789", 10);
    model_path = path;
    message tensor = external("w.bin", "3", "4");
    check_value(&tensor, TACHO_DTYPE_U8, TACHO_STR("3456"));
    tensor = external("./w.bin", "6", NULL);
    check_value(&tensor, TACHO_DTYPE_U8, TACHO_STR("6789"));
    tensor = external("w.bin", NULL, NULL);
    check_value(&tensor, TACHO_DTYPE_U8, TACHO_STR("0123"));
    tensor = external("w.bin", "7", NULL);
    assert_graph_refused(5, &tensor, "tensor 'v' needs bytes 7 to 11 of 'w.bin', which has 10");
    tensor = external("w.bin", "18446744073709551615", NULL);
    assert_graph_refused(5, &tensor, "of 'w.bin', which has 10");
    tensor = external("w.bin", "0", "5");
    assert_graph_refused(5, &tensor,
                         "tensor 'v' has 5 bytes of external data; its shape and type "
                         "need 4");
    tensor = external("w.bin", "-1", NULL);
    assert_graph_refused(5, &tensor, "'-1' is not a valid offset of external data");
    static const char *const outside[] = {"/etc/passwd", "../w.bin", "a/../../b", "a/..", "..", ""};
    for (size_t i = 0; i < sizeof(outside) / sizeof(outside[0]); i++) {
        tensor = external(outside[i], NULL, NULL);
        assert_graph_refused(5, &tensor, "expected a file in the model's directory");
    }
    tensor = external(NULL, NULL, NULL);
    assert_graph_refused(5, &tensor, "expected a file in the model's directory");
    unlink(weights);
    /* Names that look harmless, and are not. */
    assert_int_equal(symlink("/dev/zero", weights), 0);
    tensor = external("w.bin", NULL, NULL);
    assert_graph_refused(5, &tensor, "'w.bin' is outside the directory");
    unlink(weights);
    assert_int_equal(mkfifo(weights, 0600), 0);
    assert_graph_refused(5, &tensor, "is not a regular file");
    unlink(weights);
    rmdir(folder);
    model_path = "m.onnx";
}

static void check_random(const message *tensor, const tacho_model_options *options,
                         size_t absent_count, uint64_t *out_seed)
{
    message graph = small_graph();
    put_message(&graph, 5, tensor);
    message whole = model(&graph);
    tacho_graph read;
    read_ok(&whole, options, &read);
    const tacho_constant *constant = &read.constants[find_tensor(&read, "v")->constant];
    assert_int_equal(constant->kind, TACHO_CONSTANT_RANDOM);
    assert_int_equal(read.absent_weight_count, absent_count);
    assert_int_equal(read.zero_weight_count, 0);
    *out_seed = constant->seed;
    tacho_graph_deinit(&read);
}

/* Integers that are not there may be indexes or sizes, so they are zeros. */
static void check_zero(const message *tensor)
{
    message graph = small_graph();
    put_message(&graph, 5, tensor);
    message whole = model(&graph);
    tacho_graph read;
    read_ok(&whole, &no_options, &read);
    const tacho_constant *constant = &read.constants[find_tensor(&read, "v")->constant];
    assert_int_equal(constant->kind, TACHO_CONSTANT_SPLAT);
    for (size_t i = 0; i < sizeof(constant->splat); i++) {
        assert_int_equal(constant->splat[i], 0);
    }
    assert_int_equal(read.absent_weight_count, 1);
    assert_int_equal(read.zero_weight_count, 1);
    tacho_graph_deinit(&read);
}

static void test_absent(void **state)
{
    (void)state;
    uint64_t seeds[5];
    message tensor = external("nowhere.bin", "0", "4");
    check_zero(&tensor);
    message nothing = vector("v", 1, 1000); /* no values at all */
    check_random(&nothing, &no_options, 1, &seeds[0]);
    assert_int_equal(seeds[0], 0xaf63eb4c86020609u); /* FNV-1a of "v" */
    model_path = "-";                                /* lies in no folder */
    check_zero(&tensor);
    model_path = "m.onnx";
    static const uint32_t integers[] = {2, 3, 5, 6, 7, 9, 12, 13}; /* u8, i8, ..., bool, u64 */
    for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); i++) {
        message indexes = vector("v", integers[i], 5);
        check_zero(&indexes);
    }

    tacho_model_options random = {.has_random_weights = true, .seed = 7};
    message matrix = vector("v", 3, 3);
    put_number(&matrix, 1, 6);
    put_bytes(&matrix, 9, "123456789012345678", 18);
    check_random(&matrix, &random, 0, &seeds[2]);
    random.seed = 8;
    check_random(&matrix, &random, 0, &seeds[3]);
    assert_int_not_equal(seeds[2], seeds[3]);
    check_value(&matrix, TACHO_DTYPE_I8, TACHO_STR("123456789012345678"));
    /* Lists of one dimension (means, scales) and indexes stay what they are. */
    message graph = small_graph();
    message list = vector("list", 3, 18), indexes = vector("indexes", 6, 17);
    put_bytes(&list, 9, "123456789012345678", 18);
    put_number(&indexes, 1, 1);
    put_bytes(&indexes, 5, "12345678901234567", 17);
    put_message(&graph, 5, &list);
    put_message(&graph, 5, &indexes);
    message whole = model(&graph);
    tacho_graph read;
    read_ok(&whole, &random, &read);
    assert_int_equal(read.constants[0].kind, TACHO_CONSTANT_BYTES);
    assert_int_equal(read.constants[1].kind, TACHO_CONSTANT_BYTES);
    tacho_graph_deinit(&read);
}

/* ---- dimensions ----------------------------------------------------------------------------- */

/* x of batch x seq x ? x 5, with an output of batch x later. */
static message symbolic_model(void)
{
    message graph = {.len = 0};
    message relu = node("Relu", "x.1", "y");
    message x =
        value_info("x.1", 1, (dim[]){{0, "batch"}, {0, "seq"}, {INT64_MIN, NULL}, {5, NULL}}, 4);
    message y = value_info("y", 1, (dim[]){{0, "batch"}, {0, "later"}}, 2);
    put_message(&graph, 1, &relu);
    put_message(&graph, 11, &x);
    put_message(&graph, 12, &y);
    return model(&graph);
}

static void test_dims(void **state)
{
    (void)state;
    message whole = symbolic_model();
    assert_refused(&whole, &no_options, TACHO_CODE_USAGE,
                   "dimension 0 ('batch') of input 'x.1' has no value; give a size for batch, seq, "
                   "x.1.2");
    tacho_graph read;
    tacho_status status = read_bytes(whole.bytes, whole.len, &no_options, &read);
    static const char *const sizes[] = {"batch=VALUE", "seq=VALUE", "x.1.2=1"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(tacho_status_hint(status, 0, i).id, TACHO_HINT_SIZE);
        assert_string_equal(tacho_status_hint(status, 0, i).detail, sizes[i]);
    }
    assert_int_equal(tacho_status_hint(status, 0, 3).id, TACHO_HINT_NONE);
    tacho_status_free(status);
    tacho_graph_deinit(&read);
    tacho_model_dim dims[] = {{TACHO_STR_INIT("batch"), 4},
                              {TACHO_STR_INIT("x.1.1"), 6},
                              {TACHO_STR_INIT("x.1.2"), 7},
                              {TACHO_STR_INIT("other"), 1}};
    tacho_model_options options = {.dims = dims, .dim_count = 2};
    assert_refused(&whole, &options, TACHO_CODE_USAGE,
                   "dimension 2 of input 'x.1' has no value; give a size for x.1.2");
    options.dim_count = 3;
    read_ok(&whole, &options, &read);
    const tacho_shape *x = find_tensor(&read, "x.1")->shape;
    assert_true(x->rank == 4 && x->dims[0] == 4 && x->dims[1] == 6 && x->dims[2] == 7 &&
                x->dims[3] == 5);
    const tacho_shape *y = find_tensor(&read, "y")->shape;
    assert_true(y->rank == 2 && y->dims[0] == 4 && y->dims[1] == TACHO_DIM_UNKNOWN);
    tacho_graph_deinit(&read);
    options.dim_count = 4;
    assert_refused(&whole, &options, TACHO_CODE_USAGE, "no dimension is called 'other'");
    dims[3].name = TACHO_STR("x.1.3");
    assert_refused(&whole, &options, TACHO_CODE_USAGE,
                   "dimension 3 of input 'x.1' is 5 and cannot be made 1");

    message graph = small_graph();
    message zero = vector_info("z", 0);
    put_message(&graph, 11, &zero);
    whole = model(&graph);
    read_ok(&whole, &no_options, &read); /* no elements, as the file says */
    assert_int_equal(find_tensor(&read, "z")->shape->dims[0], 0);
    tacho_graph_deinit(&read);
    tacho_model_dim none = {TACHO_STR_INIT("z.0"), 3}; /* which some files mean by it */
    options = (tacho_model_options){.dims = &none, .dim_count = 1};
    read_ok(&whole, &options, &read);
    assert_int_equal(find_tensor(&read, "z")->shape->dims[0], 3);
    tacho_graph_deinit(&read);
    none.value = -1;
    assert_refused(&whole, &options, TACHO_CODE_USAGE, "dimension 'z.0': -1 is not a size");
    message absurd = vector_info("z", INT64_MAX);
    assert_graph_refused(11, &absurd, "'z' has more than 2^63 bytes");
    message more = node("Relu", "y", "z");
    absurd = value_info("z", 1, (dim[]){{INT64_MAX, NULL}, {4, NULL}}, 2);
    graph = small_graph();
    put_message(&graph, 1, &more);
    put_message(&graph, 13, &absurd);
    whole = model(&graph);
    assert_refused(&whole, &no_options, TACHO_CODE_BAD_DATA, "'z' has more than 2^63 bytes");
    message typeless = value_info("z", 0, NULL, 0);
    assert_graph_refused(11, &typeless, "input 'z' has no data type");
    message unknown = value_info("z", 99, NULL, 0);
    assert_graph_refused(11, &unknown, "'z' has data type 99, which is not known");
    message shapeless = {.len = 0}, type = {.len = 0}, tensor = {.len = 0};
    put_number(&tensor, 1, 1);
    put_message(&type, 1, &tensor);
    put_text(&shapeless, 1, "z");
    put_message(&shapeless, 2, &type);
    assert_graph_refused(11, &shapeless, "input 'z' has no shape");
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void test_bad_graphs(void **state)
{
    (void)state;
    message bad = node("Relu", "x", "y");
    assert_graph_refused(1, &bad, "node 1 makes 'y', which is another output already");
    bad = node("Relu", "y", "x");
    assert_graph_refused(1, &bad, "node 1 makes 'x', which is an input of the network already");
    bad = node("Relu", "lost", "z");
    assert_graph_refused(1, &bad, "m.onnx: node 1 '' (Relu) needs 'lost', which no node produces");
    bad = node("", "x", "z");
    assert_graph_refused(1, &bad, "node 1 has no operator");
    bad = vector_info("lost", 4);
    assert_graph_refused(12, &bad, "output 'lost' is made by no node");
    bad = vector_info("x", 4);
    assert_graph_refused(11, &bad, "input 'x' is listed twice");
    bad = vector_info("", 4);
    assert_graph_refused(11, &bad, "an input, output or value has no name");

    message graph = small_graph();
    message v = vector("v", 1, 0);
    put_message(&graph, 5, &v);
    put_message(&graph, 5, &v);
    message whole = model(&graph);
    assert_refused(&whole, &no_options, TACHO_CODE_BAD_DATA, "tensor 'v' is initialized twice");
    graph = small_graph();
    v = vector("y", 1, 0);
    put_message(&graph, 5, &v);
    whole = model(&graph);
    assert_refused(&whole, &no_options, TACHO_CODE_BAD_DATA,
                   "node 0 makes 'y', which is an initializer already");

    graph = small_graph();
    whole = model(&graph);
    put_message(&whole, 7, &graph);
    assert_refused(&whole, &no_options, TACHO_CODE_BAD_DATA, "a second graph");
    graph.len = 0;
    whole = model(&graph);
    assert_refused(&whole, &no_options, TACHO_CODE_BAD_DATA, "the graph is empty");
    whole.len = 0;
    put_number(&whole, 1, 8);
    assert_refused(&whole, &no_options, TACHO_CODE_BAD_DATA, "an ONNX model without a graph");
    put_number(&whole, 7, 8);
    assert_refused(&whole, &no_options, TACHO_CODE_BAD_DATA,
                   "m.onnx: byte 2: field 7 of a ModelProto cannot have wire type 0");
}

static void assert_mine(const char *bytes, size_t len, bool is_mine)
{
    assert_int_equal(tacho_onnx_reader.is_mine(tacho_str_make(bytes, len)), is_mine);
}

static void test_is_mine(void **state)
{
    (void)state;
    static const char *const others[] = {"",
                                         "module {\n}\n",
                                         "// a comment\nfunc",
                                         "ML\xefR\x01",
                                         "{\"traceEvents\": []}",
                                         "[1, 2]",
                                         "a,b,c\n1,2,3\n",
                                         "\"a\",\"b\"\n",
                                         ":graph",
                                         "#loc = loc(unknown)\n",
                                         "\x08",
                                         "\n\x04trace",
                                         "BBBB",
                                         "\x08\x7f\x10\x01"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_mine(others[i], strlen(others[i]), false);
    }
    message graph = small_graph();
    message whole = model(&graph);
    const char *bytes = (const char *)whole.bytes;
    for (size_t len = 2; len <= whole.len; len++) {
        assert_mine(bytes, len, true);
    }
    message tensor = vector("v", 1, 2); /* a TensorProto begins with a number, too */
    assert_mine((const char *)tensor.bytes, tensor.len, false);
    message future = {.len = 0};
    put_number(&future, 1, 12);
    put_text(&future, 26, "configuration");
    put_message(&future, 7, &graph);
    assert_mine((const char *)future.bytes, future.len, true);
    assert_mine("\x08\x00\x3a\x00", 4, false);
}

/* A model that has most things. */
static message rich_model(void)
{
    message graph = small_graph();
    message many = attributes(), weight = vector("w", 1, 2), list = vector("l", 6, 3);
    put_message(&graph, 1, &many);
    put_bytes(&weight, 9, "12345678", 8);
    put_message(&graph, 5, &weight);
    put_bytes(&list, 5, "\x01\x80\x01\x03", 4);
    put_message(&graph, 5, &list);
    message outside = external("nowhere.bin", "1", "4");
    put_message(&graph, 5, &outside);
    message hidden = value_info("m", 10, (dim[]){{4, NULL}, {0, "later"}}, 2);
    put_message(&graph, 13, &hidden);
    return model(&graph);
}

static bool is_read(const message *whole, size_t len)
{
    /* Exactly as large as it is, so that a byte too far is noticed. */
    unsigned char *bytes = malloc(len + 1);
    assert_non_null(bytes);
    memcpy(bytes + 1, whole->bytes, len);
    tacho_graph graph;
    tacho_status status = read_bytes(bytes + 1, len, &no_options, &graph);
    bool is_ok = status == TACHO_OK;
    if (!is_ok) {
        assert_true(strlen(tacho_status_message(status)) > 8);
        assert_memory_equal(tacho_status_message(status), "m.onnx: ", 8);
    }
    tacho_status_free(status);
    tacho_graph_deinit(&graph);
    free(bytes);
    return is_ok;
}

static void test_damage(void **state)
{
    (void)state;
    message whole = rich_model();
    assert_true(is_read(&whole, whole.len));
    for (size_t len = 0; len < whole.len; len++) {
        assert_false(is_read(&whole, len));
    }
    uint32_t random = 1;
    size_t read_count = 0;
    for (size_t i = 0; i < 20000; i++) {
        message damaged = whole;
        for (size_t flips = 0; flips <= i % 3; flips++) {
            random = random * 1664525u + 1013904223u;
            size_t bit = random % (whole.len * 8);
            damaged.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
        read_count += is_read(&damaged, whole.len);
    }
    assert_in_range(read_count, 1, 19999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graph),        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_older_inputs), cmocka_unit_test(test_values),
        cmocka_unit_test(test_bad_values),   cmocka_unit_test(test_external),
        cmocka_unit_test(test_absent),       cmocka_unit_test(test_dims),
        cmocka_unit_test(test_bad_graphs),   cmocka_unit_test(test_is_mine),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
