/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk: declared types and shapes against inferred ones, and all kinds of folding.
 */
#include "graph/graph_testing.h"

static void node(tacho_graph *graph, const char *type, const char *inputs, const char *attrs,
                 const char *outputs)
{
    const char *const texts[] = {inputs, attrs, outputs};
    testing_node(graph, type, 13, texts);
}

static void testing_set_shape(tacho_graph *graph, const char *name, const tacho_shape *shape)
{
    assert_null(tacho_graph_set_shape(graph, testing_find(graph, name), shape));
}

static void assert_type(const tacho_graph *graph, const char *name, const char *expected)
{
    char text[TACHO_SHAPE_TEXT_MAX + 16];
    assert_string_equal(testing_type(testing_find(graph, name), text, sizeof(text)), expected);
}

static const tacho_constant *value(const tacho_graph *graph, const char *name)
{
    const tacho_tensor *tensor = testing_find(graph, name);
    assert_true(tensor->is_constant);
    return tensor->constant == TACHO_NONE ? NULL : &graph->constants[tensor->constant];
}

static void assert_ints(const tacho_graph *graph, const char *name, const int64_t *expected,
                        size_t count)
{
    const tacho_constant *constant = value(graph, name);
    uint64_t elements;
    assert_non_null(constant);
    assert_int_equal(testing_find(graph, name)->dtype, TACHO_DTYPE_I64);
    assert_true(tacho_shape_elements(testing_find(graph, name)->shape, &elements));
    assert_int_equal(elements, count);
    for (size_t i = 0; i < count; i++) {
        int64_t element;
        bool is_splat = constant->kind == TACHO_CONSTANT_SPLAT;
        memcpy(&element, is_splat ? constant->splat : constant->bytes + i * 8, 8);
        assert_int_equal(element, expected[i]);
    }
}

static void assert_splat(const tacho_graph *graph, const char *name, float expected)
{
    const tacho_constant *constant = value(graph, name);
    float element;
    assert_non_null(constant);
    assert_int_equal(constant->kind, TACHO_CONSTANT_SPLAT);
    memcpy(&element, constant->splat, sizeof(element));
    assert_float_equal(element, expected, 0);
}

/* A reader may trust inferred shapes more than the file's. */
static void test_corrected(void **state)
{
    (void)state;
    tacho_graph graph;
    testing_init(&graph);
    graph.trusts_inference = true;
    node(&graph, "Relu", "f32:2x3", "", "y");
    node(&graph, "Abs", "f32:2x3", "", "z");
    testing_set_shape(&graph, "y", &(tacho_shape){.rank = 2, .dims = {2, 4}});
    testing_set_shape(&graph, "z", &(tacho_shape){.rank = 1, .dims = {6}});
    assert_null(tacho_graph_infer(&graph));
    assert_type(&graph, "y", "f32:2x3");
    assert_type(&graph, "z", "f32:2x3");
    assert_string_equal(graph.note.data,
                        "'y' has shape 2x3, not 2x4 as the file says; 'z' has shape "
                        "2x3, not 6 as the file says");
    tacho_graph_deinit(&graph);
}

/* The file's type and shape of an output are completed, or contradicted. */
static void test_merge(void **state)
{
    (void)state;
    tacho_graph graph;
    testing_init(&graph);
    node(&graph, "NonZero", "f32:2x3", "", "a");
    node(&graph, "Fancy", "@a", "", "b");
    testing_set_shape(&graph, "a", &(tacho_shape){.rank = 2, .dims = {-1, 5}});
    testing_set_shape(&graph, "b", &(tacho_shape){.rank = 1, .dims = {9}});
    testing_find(&graph, "b")->dtype = TACHO_DTYPE_F16;
    assert_null(tacho_graph_infer(&graph));
    assert_type(&graph, "a", "i64:2x5");
    assert_type(&graph, "b", "f16:9");
    assert_false(graph.nodes[0].is_folded);
    tacho_graph_deinit(&graph);
}

static void assert_contradiction(const tacho_shape *shape, tacho_dtype dtype, const char *expected)
{
    tacho_graph graph;
    testing_init(&graph);
    node(&graph, "Relu", "f32:2x3", "", "a");
    testing_set_shape(&graph, "a", shape);
    testing_find(&graph, "a")->dtype = dtype;
    tacho_status status = tacho_graph_infer(&graph);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    assert_string_equal(tacho_status_message(status), expected);
    tacho_status_free(status);
    tacho_graph_deinit(&graph);
}

static void test_contradictions(void **state)
{
    (void)state;
    tacho_shape shape = {.rank = 2, .dims = {2, 4}}, flat = {.rank = 1, .dims = {6}};
    assert_contradiction(&shape, TACHO_DTYPE_F32,
                         "m.onnx: node 0 'n' (Relu): output 0 'a' has shape 2x3, but the file "
                         "says 2x4; at here");
    assert_contradiction(&flat, TACHO_DTYPE_NONE,
                         "m.onnx: node 0 'n' (Relu): output 0 'a' has shape 2x3, but the file "
                         "says 6; at here");
    shape.dims[1] = 3;
    assert_contradiction(&shape, TACHO_DTYPE_F16,
                         "m.onnx: node 0 'n' (Relu): output 0 'a' is f32, but the file says f16; "
                         "at here");
    tacho_graph graph;
    testing_init(&graph);
    node(&graph, "Relu", "f32:4294967296x4294967296", "", "a");
    tacho_status status = tacho_graph_infer(&graph);
    assert_string_equal(tacho_status_message(status),
                        "m.onnx: tensor 'in' has shape 4294967296x4294967296: too many elements");
    tacho_status_free(status);
    tacho_graph_deinit(&graph);
    testing_init(&graph);
    node(&graph, "Split", "f32:7", "", "a b");
    status = tacho_graph_infer(&graph);
    assert_non_null(strstr(tacho_status_message(status), "7 elements cannot be split in 2"));
    tacho_status_free(status);
    tacho_graph_deinit(&graph);
}

/* As exporters flatten: reshape(x, concat(unsqueeze(gather(shape(x), 0)), [-1])). */
static void test_shape_arithmetic(void **state)
{
    (void)state;
    tacho_graph graph;
    testing_init(&graph);
    node(&graph, "Relu", "f32:2x3x4", "", "x");
    node(&graph, "Shape", "@x", "", "s");
    node(&graph, "Gather", "@s i64~0", "", "n");
    node(&graph, "Unsqueeze", "@n i64=0", "", "u");
    node(&graph, "Concat", "@u i64=-1", "axis=0", "c");
    node(&graph, "Reshape", "@x @c", "", "y");
    node(&graph, "Slice", "@s i64=1 i64=3", "", "hw");
    node(&graph, "Cast", "@hw", "to=1", "f");
    node(&graph, "Mul", "@f f32=0.5", "", "half");
    node(&graph, "Floor", "@half", "", "fl");
    node(&graph, "Cast", "@fl", "to=7", "i");
    node(&graph, "ReduceProd", "@s", "keepdims=0", "p");
    node(&graph, "Div", "@p i64~-5", "", "d");
    node(&graph, "Range", "i64~0 @n i64~1", "", "r");
    node(&graph, "Size", "@x", "", "z");
    node(&graph, "Equal", "@c i64=-1", "", "e");
    node(&graph, "Where", "@e i64=12 @c", "", "w");
    node(&graph, "Split", "@s i64=1,2", "", "s1 s2");
    assert_null(tacho_graph_infer(&graph));
    assert_ints(&graph, "s", (int64_t[]){2, 3, 4}, 3);
    assert_ints(&graph, "n", (int64_t[]){2}, 1);
    assert_ints(&graph, "c", (int64_t[]){2, -1}, 2);
    assert_type(&graph, "y", "f32:2x12");
    assert_ints(&graph, "i", (int64_t[]){1, 2}, 2);
    assert_ints(&graph, "p", (int64_t[]){24}, 1);
    assert_ints(&graph, "d", (int64_t[]){-4}, 1);
    assert_ints(&graph, "r", (int64_t[]){0, 1}, 2);
    assert_ints(&graph, "z", (int64_t[]){24}, 1);
    assert_ints(&graph, "w", (int64_t[]){2, 12}, 2);
    assert_ints(&graph, "s1", (int64_t[]){2}, 1);
    assert_ints(&graph, "s2", (int64_t[]){3, 4}, 2);
    for (size_t i = 0; i < graph.node_count; i++) {
        assert_int_equal(graph.nodes[i].is_folded, i != 0 && i != 5);
    }
    tacho_graph_deinit(&graph);
}

/* Weights as light models have them: nothing is expanded. */
static void test_splats(void **state)
{
    (void)state;
    tacho_graph graph;
    testing_init(&graph);
    node(&graph, "ConstantOfShape", "i64=4096,25088", "value=<f32=0.5>", "w");
    node(&graph, "Identity", "@w", "", "v");
    node(&graph, "Transpose", "@v", "", "t");
    node(&graph, "Mul", "@t f32~3", "", "m");
    node(&graph, "Neg", "@m", "", "k");
    node(&graph, "Unsqueeze", "@k i64=0", "", "u");
    node(&graph, "Expand", "f32#1=2 i64=1000000", "", "x");
    node(&graph, "Concat", "@x @x", "axis=0", "cc");
    node(&graph, "Concat", "@x f32#1000000=3", "axis=0", "cd");
    node(&graph, "Cast", "@x", "to=1", "ca");
    node(&graph, "Exp", "@x", "", "ex");
    node(&graph, "ConstantOfShape", "i64=2", "", "zero");
    size_t before = graph.arena.used_bytes;
    assert_null(tacho_graph_infer(&graph));
    assert_true(graph.arena.used_bytes - before < 4096);
    assert_splat(&graph, "w", 0.5f);
    assert_splat(&graph, "v", 0.5f);
    assert_splat(&graph, "t", 0.5f);
    assert_splat(&graph, "k", -1.5f);
    assert_splat(&graph, "u", -1.5f);
    assert_type(&graph, "u", "f32:1x25088x4096");
    assert_splat(&graph, "x", 2);
    assert_splat(&graph, "cc", 2);
    assert_splat(&graph, "ca", 2);
    assert_splat(&graph, "zero", 0);
    assert_null(value(&graph, "cd"));
    assert_splat(&graph, "ex", 7.3890562f);
    for (size_t i = 0; i < graph.node_count; i++) {
        assert_true(graph.nodes[i].is_folded);
    }
    tacho_graph_deinit(&graph);
}

/* Values are views where nothing moves, computed where small, else only marked. */
static void test_bytes(void **state)
{
    (void)state;
    tacho_graph graph;
    testing_init(&graph);
    static unsigned char big[1 << 20];
    uint32_t id = testing_tensor(&graph, "f32:512x512");
    tacho_constant constant = {.kind = TACHO_CONSTANT_BYTES, .bytes = big};
    assert_null(tacho_graph_set_constant(&graph, id, &constant));
    assert_null(tacho_strings_ensure(&graph.strings, TACHO_STR("big"), &graph.tensors[id].name));
    id = testing_tensor(&graph, "f32:6");
    constant = (tacho_constant){.kind = TACHO_CONSTANT_RANDOM, .seed = 7};
    assert_null(tacho_graph_set_constant(&graph, id, &constant));
    assert_null(tacho_strings_ensure(&graph.strings, TACHO_STR("rnd"), &graph.tensors[id].name));
    memcpy(big + 4 * 512 * 3, &(float){42}, 4);
    node(&graph, "Reshape", "@big i64=-1", "", "flat");
    node(&graph, "Transpose", "@big", "", "turned");
    node(&graph, "Relu", "@turned", "", "after");
    node(&graph, "Gather", "@big i64~3", "", "row");
    node(&graph, "ReduceSum", "@big", "", "sum");
    node(&graph, "Reshape", "@rnd i64=2,3", "", "rview");
    node(&graph, "Transpose", "@rview", "", "rturned");
    node(&graph, "QuantizeLinear", "@big f32~1 u8~0", "", "q");
    node(&graph, "DequantizeLinear", "@q f32~1 u8~0", "", "dq");
    node(&graph, "RandomNormalLike", "@big", "", "random");
    node(&graph, "If", "bool~1", "", "chosen");
    node(&graph, "Dropout", "@big f32~0.5 bool~1", "", "training");
    node(&graph, "Dropout", "@big f32~0.5 bool~0", "", "inference");
    assert_null(tacho_graph_infer(&graph));
    assert_ptr_equal(value(&graph, "flat")->bytes, big);
    assert_type(&graph, "flat", "f32:262144");
    assert_null(value(&graph, "turned"));
    assert_null(value(&graph, "after"));
    assert_memory_equal(value(&graph, "row")->bytes, big + 4 * 512 * 3, 4 * 512);
    assert_null(value(&graph, "sum"));
    assert_int_equal(value(&graph, "rview")->seed, 7);
    assert_null(value(&graph, "rturned"));
    assert_null(value(&graph, "q"));
    assert_null(value(&graph, "dq"));
    assert_ptr_equal(value(&graph, "inference")->bytes, big);
    assert_false(testing_find(&graph, "random")->is_constant);
    assert_false(testing_find(&graph, "chosen")->is_constant);
    assert_false(testing_find(&graph, "training")->is_constant);
    for (size_t i = 0; i < graph.node_count; i++) {
        assert_int_equal(graph.nodes[i].is_folded, i < 7 || i == 12);
    }
    tacho_graph_deinit(&graph);
}

/* Lists of Constant, and faults that computing finds. */
static void test_attributes(void **state)
{
    (void)state;
    tacho_graph graph;
    testing_init(&graph);
    node(&graph, "Constant", "", "value_ints=[3,-4]", "a");
    node(&graph, "Constant", "", "value_int=5", "b");
    node(&graph, "Constant", "", "value_float=2.5", "c");
    node(&graph, "Constant", "", "value=<i64=8,9>", "d");
    node(&graph, "Mod", "@a i64~3", "", "m");
    assert_null(tacho_graph_infer(&graph));
    assert_ints(&graph, "a", (int64_t[]){3, -4}, 2);
    assert_ints(&graph, "b", (int64_t[]){5}, 1);
    assert_splat(&graph, "c", 2.5f);
    assert_ints(&graph, "d", (int64_t[]){8, 9}, 2);
    assert_ints(&graph, "m", (int64_t[]){0, 2}, 2);
    tacho_graph_deinit(&graph);
    testing_init(&graph);
    node(&graph, "Gather", "i64=1,2 i64~2", "", "a");
    tacho_status status = tacho_graph_infer(&graph);
    assert_string_equal(tacho_status_message(status), "m.onnx: node 0 'n' (Gather): index 2 is not "
                                                      "within the 2 of axis 0; at here");
    tacho_status_free(status);
    tacho_graph_deinit(&graph);
}

/* A file may have shapes that no inference has checked: computing checks them itself. */
static void test_said_shapes(void **state)
{
    (void)state;
    tacho_graph graph;
    testing_init(&graph);
    node(&graph, "Reshape", "i64=1,2,3 i64=1,1,1,1,1,1,1,1,3", "", "a");
    testing_set_shape(&graph, "a", &(tacho_shape){.rank = 1, .dims = {1000}});
    testing_find(&graph, "a")->dtype = TACHO_DTYPE_I64;
    assert_null(tacho_graph_infer(&graph));
    assert_null(value(&graph, "a"));
    tacho_graph_deinit(&graph);
    testing_init(&graph);
    node(&graph, "Expand", "i64=1,2,3 f32=7", "", "a");
    testing_set_shape(&graph, "a", &(tacho_shape){.rank = 1, .dims = {1000}});
    tacho_status status = tacho_graph_infer(&graph);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    tacho_status_free(status);
    tacho_graph_deinit(&graph);
}

/* Ten thousand nodes, of which every second computes; values stay within their budget. */
static void test_long_chain(void **state)
{
    (void)state;
    enum { NODES = 10000 };
    tacho_graph graph;
    testing_init(&graph);
    node(&graph, "Relu", "f32:1x8192", "", "x0");
    uint32_t previous = testing_tensor(&graph, "@x0"), list = testing_tensor(&graph, "i64:8000");
    static int64_t numbers[8000] = {1, 2};
    tacho_constant constant = {.kind = TACHO_CONSTANT_BYTES, .bytes = (void *)numbers};
    assert_null(tacho_graph_set_constant(&graph, list, &constant));
    for (size_t i = 0; i < NODES; i++) {
        uint32_t inputs[] = {i % 2 == 0 ? list : previous, i % 2 == 0 ? list : previous}, output;
        assert_null(tacho_graph_add_tensor(&graph, TACHO_STR("t"), &output));
        tacho_node add = {.def = tacho_op_def_find(TACHO_STR("Add")), .opset = 13};
        assert_null(tacho_strings_ensure(&graph.strings, TACHO_STR("Add"), &add.type));
        tacho_node_lists lists = {
            .inputs = inputs, .input_count = 2, .outputs = &output, .output_count = 1};
        assert_null(tacho_graph_add_node(&graph, &add, &lists));
        list = i % 2 == 0 ? output : list;
        previous = i % 2 == 0 ? previous : output;
    }
    assert_null(tacho_graph_infer(&graph));
    assert_true(graph.tensors[list].is_constant);
    assert_true(graph.arena.used_bytes < TACHO_FOLD_GRAPH_MAX + (1 << 20));
    assert_int_equal(graph.tensors[previous].shape->dims[1], 8192);
    assert_false(graph.tensors[previous].is_constant);
    tacho_graph_deinit(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corrected),      cmocka_unit_test(test_merge),
        cmocka_unit_test(test_contradictions), cmocka_unit_test(test_shape_arithmetic),
        cmocka_unit_test(test_splats),         cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_attributes),     cmocka_unit_test(test_said_shapes),
        cmocka_unit_test(test_long_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
