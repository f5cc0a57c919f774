/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ONNX models that are put together field by field: graphs, attributes, dimensions, and
 * refusals.
 */
#include "graph/onnx_testing.h"

static void assert_text(tacho_str found, const char *expected)
{
    assert_int_equal(found.len, strlen(expected));
    assert_memory_equal(found.data, expected, found.len);
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
    put_attr(&many, "real", 0, &value); /* no type: the field decides */
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
                   "dimension 1 ('seq') of input 'x.1' has no value; give a size for seq, x.1.2");
    tacho_graph read;
    tacho_status status = read_bytes(whole.bytes, whole.len, &no_options, &read);
    static const char *const sizes[] = {"seq=VALUE", "x.1.2=1"};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(tacho_status_hint(status, 0, i).id, TACHO_HINT_SIZE);
        assert_string_equal(tacho_status_hint(status, 0, i).detail, sizes[i]);
    }
    assert_int_equal(tacho_status_hint(status, 0, 2).id, TACHO_HINT_NONE);
    tacho_status_free(status);
    tacho_graph_deinit(&read);
    tacho_model_dim dims[] = {{TACHO_STR_INIT("batch"), 4},
                              {TACHO_STR_INIT("x.1.1"), 6},
                              {TACHO_STR_INIT("x.1.2"), 7},
                              {TACHO_STR_INIT("other"), 1}};
    tacho_model_options options = {.dims = dims, .dim_count = 2};
    assert_refused(&whole, &options, TACHO_CODE_USAGE,
                   "dimension 2 of input 'x.1' has no value; give a size for x.1.2");
    options.dims = dims + 1; /* the batch is 1 unless a size is given */
    read_ok(&whole, &options, &read);
    assert_int_equal(find_tensor(&read, "x.1")->shape->dims[0], 1);
    assert_string_equal(read.note.data, "dimension 0 ('batch') of input 'x.1' is open: 1 is used");
    tacho_graph_deinit(&read);
    options.dims = dims;
    options.dim_count = 3;
    read_ok(&whole, &options, &read);
    assert_int_equal(read.note.len, 0);
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
    read_ok(&whole, &no_options, &read); /* no elements, as in the file */
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
    assert_graph_refused(11, &unknown, "'z' has the unknown data type 99");
    message shapeless = {.len = 0}, type = {.len = 0}, tensor = {.len = 0};
    put_number(&tensor, 1, 1);
    put_message(&type, 1, &tensor);
    put_text(&shapeless, 1, "z");
    put_message(&shapeless, 2, &type);
    assert_graph_refused(11, &shapeless, "input 'z' has no shape");
}

/* Sizes of the value that is given for an input, of which there is one. */
static tacho_status give_shape(void *self, tacho_str name, size_t index, tacho_shape *out_shape)
{
    const tacho_shape *given = self;
    assert_true(index == 0 && tacho_str_equal(name, TACHO_STR("x.1")));
    *out_shape = *given;
    return TACHO_OK;
}

/* They settle open dimensions, also of other tensors, and replace what the file has. */
static void test_dims_of_values(void **state)
{
    (void)state;
    message whole = symbolic_model();
    tacho_graph read;
    tacho_shape given = {4, {3, 6, 7, 5}};
    tacho_model_values values = {.self = &given, .shape = give_shape};
    tacho_model_dim batch = {TACHO_STR_INIT("batch"), 2};
    tacho_model_options options = {.values = &values};
    read_ok(&whole, &options, &read);
    assert_int_equal(read.note.len, 0);
    assert_true(tacho_shape_equal(find_tensor(&read, "x.1")->shape, &given));
    assert_int_equal(find_tensor(&read, "y")->shape->dims[0], 3); /* the same name */
    tacho_graph_deinit(&read);
    options.dims = &batch; /* what is asked for counts, and then the value does not fit */
    options.dim_count = 1;
    read_ok(&whole, &options, &read);
    assert_int_equal(find_tensor(&read, "x.1")->shape->dims[0], 2);
    assert_int_equal(find_tensor(&read, "x.1")->shape->dims[1], 6);
    tacho_graph_deinit(&read);
    options.dim_count = 0;
    given.dims[3] = 9;
    read_ok(&whole, &options, &read);
    assert_string_equal(read.note.data, "dimension 3 of input 'x.1' is 5 in the model and 9 in the "
                                        "value that is given, which is used");
    assert_true(tacho_shape_equal(find_tensor(&read, "x.1")->shape, &given));
    tacho_graph_deinit(&read);
    given.rank = 3; /* of another rank it settles nothing */
    assert_refused(&whole, &options, TACHO_CODE_USAGE,
                   "dimension 1 ('seq') of input 'x.1' has no value; give a size for seq, x.1.2");
}

/* Of two nodes that make the same, the second counts for those that follow. */
static void test_made_twice(void **state)
{
    (void)state;
    message graph = small_graph(), again = node("Neg", "y", "y"), last = node("Abs", "y", "z");
    put_message(&graph, 1, &again);
    put_message(&graph, 1, &last);
    message whole = model(&graph);
    tacho_graph read;
    read_ok(&whole, &no_options, &read);
    assert_string_equal(read.note.data, "nodes 0 and 1 both make 'y'; the second counts");
    uint32_t first = read.links[read.nodes[0].first_output];
    assert_int_equal(read.links[read.nodes[1].first_input], first);
    assert_int_not_equal(read.links[read.nodes[1].first_output], first);
    assert_int_equal(read.links[read.nodes[2].first_input], read.links[read.nodes[1].first_output]);
    assert_int_equal(read.outputs[0], read.links[read.nodes[1].first_output]);
    tacho_graph_deinit(&read);
}

/* ---- refused models ------------------------------------------------------------------------- */

static void test_bad_graphs(void **state)
{
    (void)state;
    message bad = node("Relu", "y", "x");
    assert_graph_refused(1, &bad, "node 1 produces 'x', which is already an input of the model");
    bad = node("Relu", "lost", "z");
    assert_graph_refused(1, &bad, "m.onnx: node 1 '' (Relu) needs 'lost', which no node produces");
    bad = node("", "x", "z");
    assert_graph_refused(1, &bad, "node 1 has no operator");
    bad = vector_info("lost", 4);
    assert_graph_refused(12, &bad, "no node produces output 'lost'");
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
                   "node 0 produces 'y', which is already an initializer");

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
        cmocka_unit_test(test_older_inputs), cmocka_unit_test(test_dims),
        cmocka_unit_test(test_dims_of_values),
        cmocka_unit_test(test_made_twice),   cmocka_unit_test(test_bad_graphs),
        cmocka_unit_test(test_is_mine),      cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
