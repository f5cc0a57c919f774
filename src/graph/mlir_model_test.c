/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MLIR models: types, numbers, constants, the choice of a function, refusals and their messages,
 * files that are cut or damaged.
 */
#include "graph/mlir_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "graph/mlir_testing.h"

/* ---- types ---- */

static void check_type(const char *text, const char *expected)
{
    tacho_mlir_type type;
    char shape[TACHO_SHAPE_TEXT_MAX];
    char found[TACHO_SHAPE_TEXT_MAX + 64];
    const char *problem = tacho_mlir_type_parse(tacho_str_from_cstring(text), &type);
    snprintf(found, sizeof(found), "%s %s%s", tacho_shape_print(&type.shape, shape, sizeof(shape)),
             tacho_dtype_name(type.dtype), type.is_absent ? " absent" : "");
    assert_string_equal(problem != NULL ? problem : found, expected);
}

static void test_types(void **state)
{
    (void)state;
    check_type("tensor<1x56x56x24xi8>", "1x56x56x24 i8");
    check_type("tensor<?x3xf32>", "?x3 f32");
    check_type("tensor<*xbf16>", "? bf16");
    check_type("tensor<f16>", "scalar f16");
    check_type("tensor<0x4xi1>", "0x4 bool");
    check_type("tensor<2x3xf8E4M3FN, #tosa.dense>", "2x3 f8e4m3");
    check_type("tensor<4xcomplex<f32>>", "4 complex64");
    check_type("tensor<4x!quant.uniform<i8:f32, 0.5:10>>", "4 i8");
    check_type("tensor<4x!quant.uniform<u8<1:255>:f32:0, {0.5,0.25}>>", "4 u8");
    check_type("tensor<2xi48>", "2 i48");
    check_type("!tosa.shape<4>", "4 i64");
    check_type("!tosa.shape<0>", "0 i64");
    check_type("!torch.vtensor<[1,3,224,224],f32>", "1x3x224x224 f32");
    check_type("!torch.vtensor<[],si64>", "scalar i64");
    check_type("!torch.vtensor<[?,2],ui8>", "?x2 u8");
    check_type("!torch.vtensor<*,f32>", "? f32");
    check_type("!torch.vtensor<[2],!torch.quint8>", "2 u8");
    check_type("!torch.none", "? unknown absent");
    check_type("!torch.list<int>", "? unknown");
    check_type("i32", "scalar i32");
    check_type("index", "scalar i64");
    check_type("tensor<4xi7>", "its element type is unknown");
    check_type("tensor<4x4>", "it has no element type");
    check_type("tensor<99999999999999999999xi8>", "one of its dimensions is not a number");
    check_type("tensor<1x1x1x1x1x1x1x1x1xi8>", "it has more than 8 dimensions");
    check_type("vector<4xi8>", "vectors and memrefs are not supported in models; expected tensors");
    check_type("!vendor.thing", "expected tensor<...>, !tosa.shape<...> or !torch.vtensor<...>");
    check_type("!torch.vtensor<[1,x],f32>", "one of its dimensions is not a number");
    check_type("!torch.vtensor<[1", "? unknown");
    check_type("tensor<", "expected tensor<...>, !tosa.shape<...> or !torch.vtensor<...>");
    check_type("", "expected tensor<...>, !tosa.shape<...> or !torch.vtensor<...>");
}

/* ---- numbers ---- */

static uint64_t bits_of(const char *text, tacho_dtype dtype)
{
    unsigned char bytes[16];
    uint64_t bits = 0;
    if (!tacho_mlir_element_parse(tacho_str_from_cstring(text), dtype, bytes)) {
        return UINT64_MAX;
    }
    memcpy(&bits, bytes, sizeof(bits));
    return bits;
}

static void test_numbers(void **state)
{
    (void)state;
    assert_int_equal(bits_of("-1", TACHO_DTYPE_I8), 0xff);
    assert_int_equal(bits_of("255", TACHO_DTYPE_I8), 0xff);
    assert_int_equal(bits_of("-128", TACHO_DTYPE_I8), 0x80);
    assert_int_equal(bits_of("-129", TACHO_DTYPE_I8), UINT64_MAX);
    assert_int_equal(bits_of("256", TACHO_DTYPE_I8), UINT64_MAX);
    assert_int_equal(bits_of("-1", TACHO_DTYPE_U8), UINT64_MAX);
    assert_int_equal(bits_of("-1", TACHO_DTYPE_I4), 0x0f);
    assert_int_equal(bits_of("16", TACHO_DTYPE_I4), UINT64_MAX);
    assert_int_equal(bits_of("0x1F", TACHO_DTYPE_I16), 0x1f);
    assert_int_equal(bits_of("-1", TACHO_DTYPE_I48), 0xffffffffffff);
    assert_int_equal(bits_of("true", TACHO_DTYPE_BOOL), 1);
    assert_int_equal(bits_of("true", TACHO_DTYPE_I8), UINT64_MAX);
    assert_int_equal(bits_of("1.5", TACHO_DTYPE_I8), UINT64_MAX);
    assert_int_equal(bits_of("1.0", TACHO_DTYPE_F32), 0x3f800000);
    assert_int_equal(bits_of("1.", TACHO_DTYPE_F32), 0x3f800000);
    assert_int_equal(bits_of("2.e+00", TACHO_DTYPE_F32), 0x40000000);
    assert_int_equal(bits_of("-0.0", TACHO_DTYPE_F16), 0x8000);
    assert_int_equal(bits_of("0x7FC0", TACHO_DTYPE_BF16), 0x7fc0);
    assert_int_equal(bits_of("0x17FC0", TACHO_DTYPE_BF16), UINT64_MAX);
    assert_int_equal(bits_of("1.0e39", TACHO_DTYPE_F32), 0x7f800000);
    assert_int_equal(bits_of("65519.0", TACHO_DTYPE_F16), 0x7bff);
    assert_int_equal(bits_of("65520.0", TACHO_DTYPE_F16), 0x7c00);
    assert_int_equal(bits_of("1.00390625", TACHO_DTYPE_BF16), 0x3f80); /* a tie, to even */
    assert_int_equal(bits_of("1.01171875", TACHO_DTYPE_BF16), 0x3f82); /* a tie, to even */
    assert_int_equal(bits_of("480.0", TACHO_DTYPE_F8E4M3), 0x7f);      /* no infinity */
    assert_int_equal(bits_of("464.0", TACHO_DTYPE_F8E4M3), 0x7e);
    assert_int_equal(bits_of("1.0e9", TACHO_DTYPE_F8E5M2), 0x7c);
    assert_int_equal(bits_of("(1.0, 2.0)", TACHO_DTYPE_C64), 0x400000003f800000);
    assert_int_equal(bits_of("abc", TACHO_DTYPE_F32), UINT64_MAX);
    assert_int_equal(bits_of("", TACHO_DTYPE_I32), UINT64_MAX);
}

/* Every number of 16 bits is restored from its value. */
static void test_float_round_trip(void **state)
{
    (void)state;
    static const tacho_mlir_float_format formats[] = {{5, 10, true}, {8, 7, true}};
    for (size_t f = 0; f < 2; f++) {
        for (uint64_t bits = 0; bits < 0x10000; bits++) {
            double value = tacho_mlir_float_value(bits, formats[f]);
            if (value == value) {
                assert_int_equal(tacho_mlir_float_bits(value, formats[f]), bits);
            }
        }
    }
    static const tacho_mlir_float_format wide = {8, 23, true};
    for (uint32_t i = 0; i < 100000; i++) {
        uint32_t bits = i * 2654435761U;
        float value;
        memcpy(&value, &bits, sizeof(value));
        if (value == value) {
            assert_int_equal(tacho_mlir_float_bits((double)value, wide), bits);
        }
    }
}

/* ---- constants ---- */

#define FUNCTION(body) "func.func @main() {\n" body "\n  return\n}\n"
#define CONST(value, type)                                                                         \
    FUNCTION("  %0 = \"tosa.const\"() <{values = " value " : " type "}> : () -> " type)

static void test_bad_constants(void **state)
{
    (void)state;
    EXPECT_OK(CONST("dense<[[1, 2], [3, 4]]>", "tensor<2x2xi8>"));
    EXPECT_FAILURE(CONST("dense<[[1, 2], [3]]>", "tensor<2x2xi8>"),
                   "m.mlir: tosa.const at \"m.mlir\":2:8: expected numbers in brackets");
    EXPECT_FAILURE(CONST("dense<[[1, 2]]>", "tensor<2x2xi8>"), "numbers in brackets");
    EXPECT_FAILURE(CONST("dense<[1, 2, 3, 4]>", "tensor<2x2xi8>"), "numbers in brackets");
    EXPECT_FAILURE(CONST("dense<[[1, 2], [3, 4, 5]]>", "tensor<2x2xi8>"), "numbers in brackets");
    EXPECT_FAILURE(CONST("dense<[[1 2], [3, 4]]>", "tensor<2x2xi8>"), "numbers in brackets");
    EXPECT_FAILURE(CONST("dense<[[1, 2], [3, 400]]>", "tensor<2x2xi8>"), "numbers in brackets");
    EXPECT_FAILURE(CONST("dense<[[1, 2], [3, 4]>", "tensor<2x2xi8>"), "m.mlir:2");
    EXPECT_FAILURE(CONST("dense<[1, 2, 3]>", "tensor<2xi8>"), "numbers");
    EXPECT_FAILURE(CONST("dense<[1, 300]>", "tensor<2xi8>"), "300 is not a valid i8");
    EXPECT_FAILURE(CONST("dense<1.5>", "tensor<2x2xi8>"), "a number");
    EXPECT_FAILURE(CONST("dense<\"0x01\">", "tensor<2x2xi16>"), "which 1 bytes are not");
    EXPECT_FAILURE(CONST("dense<\"0x0102030\">", "tensor<2x2xi8>"), "hexadecimal");
    EXPECT_FAILURE(CONST("dense<\"0x010203GG\">", "tensor<2x2xi8>"), "hexadecimal");
    EXPECT_FAILURE(CONST("dense<[[1]]>", "tensor<1000000x1000000xi8>"), "as many numbers");
    EXPECT_FAILURE(CONST("dense<1>", "tensor<2x?xi8>"), "known dimensions");
    EXPECT_FAILURE(CONST("dense<1>", "tensor<4x4xi7>"), "its element type is unknown");
    EXPECT_FAILURE(CONST("#vendor.x", "tensor<4x4xi8>"), "a number");
    EXPECT_FAILURE(CONST("dense<0>", "tensor<4294967296x4294967296x4xi8>"),
                   "has more bytes than fit 63 bits");
    EXPECT_FAILURE(FUNCTION("  %0 = \"tosa.const\"() : () -> tensor<2xi8>"),
                   "expected one result and its value");
    EXPECT_FAILURE(FUNCTION("  %0 = \"tosa.const\"() <{values = dense<1> : tensor<2x2xi8>}> : () "
                            "-> tensor<2x3xi8>"),
                   "the result is 2x3 i8, but the constant is 2x2 i8");
    EXPECT_FAILURE(CONST("dense_resource<w>", "tensor<2xf32>") "{-# dialect_resources: { builtin: {"
                                                               " w: \"0x0400000000\" } } #-}",
                   "which 1 bytes are not");
    EXPECT_FAILURE(CONST("dense_resource<w>", "tensor<2xf32>") "{-# dialect_resources: { builtin: {"
                                                               " w: \"0x04\" } } #-}",
                   "an alignment");
    EXPECT_FAILURE(CONST("dense_resource<w>", "tensor<2xf32>") "{-# dialect_resources: { builtin: {"
                                                               " w: \"0x04\" } #-}",
                   "m.mlir:5: expected '}' after the resources");
}

/* A splat stays one; a resource that is not there is random, each another, and integers zero. */
static void test_kinds(void **state)
{
    (void)state;
    static const char text[] = FUNCTION(
        "  %0 = \"tosa.const\"() <{values = dense<2.0> : tensor<512x512x512xf32>}> : () -> "
        "tensor<512x512x512xf32>\n"
        "  %1 = \"tosa.const\"() <{values = dense_resource<a> : tensor<64xf32>}> : () -> "
        "tensor<64xf32>\n"
        "  %2 = \"tosa.const\"() <{values = dense_resource<b> : tensor<64xf32>}> : () -> "
        "tensor<64xf32>\n"
        "  %3 = \"tosa.const\"() <{values = dense_resource<c> : tensor<64xi32>}> : () -> "
        "tensor<64xi32>");
    tacho_graph graph;
    tacho_model_options options = {.seed = 7};
    assert_null(read_mlir(&graph, TACHO_STR(text), &options));
    assert_int_equal(graph.constant_count, 4);
    assert_int_equal(graph.constants[3].kind, TACHO_CONSTANT_SPLAT);
    assert_memory_equal(graph.constants[3].splat, "\0\0\0\0", 4);
    assert_int_equal(graph.constants[0].kind, TACHO_CONSTANT_SPLAT);
    assert_memory_equal(graph.constants[0].splat, "\0\0\0\x40", 4);
    assert_int_equal(graph.constants[1].kind, TACHO_CONSTANT_RANDOM);
    assert_int_equal(graph.constants[2].kind, TACHO_CONSTANT_RANDOM);
    assert_true(graph.constants[1].seed != graph.constants[2].seed);
    assert_true(graph.arena.used_bytes < 4096);
    tacho_graph_deinit(&graph);
}

/* Attributes can be shared: a small file must not ask for much memory. */
static void test_shared(void **state)
{
    (void)state;
    enum { DIGITS = 65536, OPS = 300, SIZE = DIGITS + OPS * 128 };
    char *text = malloc(SIZE);
    assert_non_null(text);
    int len = snprintf(text, SIZE, "#a = dense<\"0x");
    for (int i = 0; i < DIGITS; i++) {
        text[len++] = i % 2 != 0 ? '1' : '0';
    }
    len += snprintf(text + len, (size_t)(SIZE - len),
                    "\"> : tensor<2x131072xi1>\nfunc.func @main() {\n");
    for (int i = 0; i < OPS; i++) {
        len +=
            snprintf(text + len, (size_t)(SIZE - len),
                     "  %%%d = \"tosa.const\"() <{values = #a}> : () -> tensor<2x131072xi1>\n", i);
    }
    len += snprintf(text + len, (size_t)(SIZE - len), "  return\n}\n");
    assert_true(len < SIZE);
    EXPECT_FAILURE(text, "has constants of more than");
    free(text);
}

#define PRODUCT                                                                                    \
    "func.func @main(%a: tensor<1x2x2xf32>) -> tensor<1x2x2xf32> {\n"                              \
    "  %w = \"tosa.const\"() <{values = dense<2.0> : tensor<1x2x2xf32>}> : () -> "                 \
    "tensor<1x2x2xf32>\n"                                                                          \
    "  %z = \"tosa.const\"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>\n"      \
    "  %0 = tosa.matmul %a, %w, %z, %z : (tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1xf32>, "   \
    "tensor<1xf32>) -> tensor<1x2x2xf32>\n"                                                        \
    "  return %0 : tensor<1x2x2xf32>\n}\n"

/* Weights become random when asked; zero points do not. */
static void test_random_weights(void **state)
{
    (void)state;
    tacho_graph graph;
    tacho_model_options options = {.has_random_weights = true, .seed = 3};
    assert_null(read_mlir(&graph, TACHO_STR(PRODUCT), &options));
    assert_int_equal(graph.constants[0].kind, TACHO_CONSTANT_RANDOM);
    assert_int_equal(graph.constants[1].kind, TACHO_CONSTANT_SPLAT);
    assert_int_equal(graph.random_weight_count, 1);
    assert_int_equal(graph.absent_weight_count, 0);
    uint64_t seed = graph.constants[0].seed;
    tacho_graph_deinit(&graph);
    options.seed = 4;
    assert_null(read_mlir(&graph, TACHO_STR(PRODUCT), &options));
    assert_true(graph.constants[0].seed != seed);
    tacho_graph_deinit(&graph);
}

/* ---- attributes ---- */

static void test_attributes(void **state)
{
    (void)state;
    static const char text[] =
        FUNCTION("  \"v.op\"() {b = true, e = #tosa.resize_mode<BILINEAR>, f = 1.5 : f32, h = "
                 "0x7F800000 : f32, i = -3 : i8, l = array<i64: 1, -2>, r = [1.0, 2.5 : f32], s = "
                 "\"text\", t = [\"a\", \"b\"], u, y = i48} : () -> ()");
    tacho_graph graph;
    assert_null(read_mlir(&graph, TACHO_STR(text), NULL));
    const tacho_node *node = &graph.nodes[0];
    const tacho_attr *attrs = tacho_graph_attrs(&graph, node);
    size_t count = node->attr_count;
    size_t ints = 0;
    assert_null(node->def);
    assert_int_equal(count, 11);
    assert_int_equal(tacho_attr_int(attrs, count, "b", -1), 1);
    assert_int_equal(tacho_attr_int(attrs, count, "i", -1), -3);
    assert_int_equal(tacho_attr_int(attrs, count, "u", -1), 1);
    assert_true(tacho_attr_real(attrs, count, "f", 0) == 1.5);
    assert_true(tacho_attr_real(attrs, count, "h", 0) > 1e308);
    assert_true(tacho_str_equal(tacho_attr_text(attrs, count, "e"), TACHO_STR("BILINEAR")));
    assert_true(tacho_str_equal(tacho_attr_text(attrs, count, "s"), TACHO_STR("text")));
    assert_true(tacho_str_equal(tacho_attr_text(attrs, count, "y"), TACHO_STR("i48")));
    const int64_t *list = tacho_attr_ints(attrs, count, "l", &ints);
    assert_int_equal(ints, 2);
    assert_int_equal(list[1], -2);
    const tacho_attr *reals = tacho_attr_find(attrs, count, "r");
    assert_int_equal(reals->kind, TACHO_ATTR_REALS);
    assert_true(reals->count == 2 && reals->value.as_reals[1] == 2.5);
    const tacho_attr *texts = tacho_attr_find(attrs, count, "t");
    assert_int_equal(texts->kind, TACHO_ATTR_TEXTS);
    assert_true(texts->count == 2 && tacho_str_equal(texts->value.as_texts[1], TACHO_STR("b")));
    tacho_graph_deinit(&graph);
}

/* ---- functions ---- */

static void check_choice(const char *text, const char *name, const char *note)
{
    tacho_graph graph;
    assert_null(read_mlir(&graph, tacho_str_from_cstring(text), NULL));
    assert_string_equal(tacho_graph_string(&graph, graph.name).data, name);
    assert_string_equal(graph.note.data, note);
    assert_string_equal(graph.format, "tosa");
    tacho_graph_deinit(&graph);
}

#define EMPTY(name) "func.func " name "() {\n  return\n}\n"

static void test_functions(void **state)
{
    (void)state;
    check_choice(EMPTY("@a") EMPTY("@main") EMPTY("@b"), "main",
                 "the file has 3 functions; 'main' is used as the model, 'a' and others are "
                 "not read");
    check_choice(EMPTY("@main") EMPTY("private @b"), "main",
                 "the file has 2 functions; 'main' is used as the model, 'b' is not read");
    check_choice(EMPTY("@a"), "a", "");
    check_choice(EMPTY("private @a") EMPTY("@b") EMPTY("private @c"), "b",
                 "the file has 3 functions; 'b' is used as the model (none is called main), "
                 "'a' and others are not read");
    check_choice(EMPTY("@a") EMPTY("@b"), "a",
                 "the file has 2 functions; 'a' is used as the model (none is called main), "
                 "'b' is not read");
    check_choice(EMPTY("private @a") EMPTY("private @b"), "a",
                 "the file has 2 functions; 'a' is used as the model (none is called main), "
                 "'b' is not read");
    check_choice("func.func private @d(tensor<2xf32>)\n" EMPTY("private @a"), "a", "");
    EXPECT_FAILURE("module {\n}\n", "m.mlir: expected a function with a body (func.func @main)");
    EXPECT_FAILURE("func.func @f() {\n  \"cf.br\"()[^bb1] : () -> ()\n^bb1:\n  return\n}\n",
                   "function 'f' has 2 blocks");
}

/* A call is a node of its own, named after the function that is not read. */
static void test_call(void **state)
{
    (void)state;
    tacho_graph graph;
    static const char text[] = "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
                               "  %0 = call @helper(%a) : (tensor<2xf32>) -> tensor<2xf32>\n"
                               "  return %0 : tensor<2xf32>\n}\n"
                               "func.func private @helper(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
                               "  return %a : tensor<2xf32>\n}\n";
    assert_null(read_mlir(&graph, tacho_str_from_cstring(text), NULL));
    assert_int_equal(graph.node_count, 1);
    assert_string_equal(tacho_graph_string(&graph, graph.nodes[0].type).data, "func.call");
    assert_string_equal(tacho_graph_string(&graph, graph.nodes[0].name).data, "helper");
    assert_non_null(strstr(graph.note.data, "'helper' is not read"));
    tacho_graph_deinit(&graph);
}

static void test_refused(void **state)
{
    (void)state;
    EXPECT_FAILURE("func.func @main(%a: tensor<?x2xf32>) {\n  return\n}\n",
                   "m.mlir: func.func at \"m.mlir\":1:1: dimension 0 of argument 0 is not known; "
                   "give arg0.0 a size");
    EXPECT_FAILURE("func.func @main(%a: tensor<*xf32>) {\n  return\n}\n",
                   "argument 0 has no known number of dimensions");
    EXPECT_FAILURE("func.func @main(%a: memref<2xf32>) {\n  return\n}\n", "type 'memref<2xf32>'");
    EXPECT_FAILURE("func.func @main(%a: tensor<2xi7>) {\n  return\n}\n", "type 'tensor<2xi7>'");
    EXPECT_FAILURE(
        FUNCTION("  %0 = tosa.abs %none : (tensor<2xf32>) -> tensor<2xf32>"),
        "m.mlir: tosa.abs at \"m.mlir\":2:8: operand 0 is neither an argument nor a result");
    EXPECT_FAILURE(FUNCTION("  linalg.fill ins(%a : f32) outs(%b : tensor<2xf32>)"),
                   "linalg is not supported as a model format");
    EXPECT_FAILURE("func.func @main() {\n  %0 = \n}\n", "m.mlir:3:1: expected an operation");
    EXPECT_FAILURE("func.func @main() {\n", "m.mlir:2:1: expected '}'");
}

/* ---- whose file ---- */

static bool is_ours(const char *text)
{
    return tacho_mlir_reader.is_mine(tacho_str_from_cstring(text));
}

static void test_is_mine(void **state)
{
    (void)state;
    assert_true(is_ours("module {\n}"));
    assert_true(is_ours("// a comment\n\nmodule @m attributes {a} {}"));
    assert_true(is_ours("module attributes {a = 1 : i32} {\n}"));
    assert_true(is_ours("builtin.module {"));
    assert_true(is_ours("func.func @main() {"));
    assert_true(is_ours("\"builtin.module\"() ({"));
    assert_true(is_ours("#loc = loc(unknown)\nmodule {}"));
    assert_true(is_ours("#map1 = affine_map<(d0) -> (d0)>"));
    assert_true(is_ours("!act = tensor<2xf32>"));
    assert_true(is_ours("ML\xefR\x0d"));
    assert_false(is_ours(""));
    assert_false(is_ours("   \n"));
    assert_false(is_ours("{\"module\": 1}"));
    assert_false(is_ours("[1, 2]"));
    assert_false(is_ours("\"a.b\",\"c\"\n"));
    assert_false(is_ours("\"module\""));
    assert_false(is_ours("module,start,end\n"));
    assert_false(is_ours("func.func,1\n"));
    assert_false(is_ours("# a comment of another kind\n"));
    assert_false(is_ours("#,a,b\n"));
    assert_false(is_ours("\x08\x07\x12\x04onnx"));
    assert_false(is_ours("ML"));
}

/* ---- damage ---- */

static const char whole[] =
    "#loc1 = loc(\"net.py\":3:1)\n"
    "module @m {\n"
    "  func.func @main(%a: tensor<1x4x4x2xi8>) -> tensor<1x2x2x3xi32> attributes {x = [1, 2]} {\n"
    "    %w = \"tosa.const\"() <{values = dense<[[[[1, -2]]], [[[3, 4]]], [[[5, 6]]]]> : "
    "tensor<3x1x1x2xi8>}> : () -> tensor<3x1x1x2xi8>\n"
    "    %b = arith.constant dense<\"0x010000000200000003000000\"> : tensor<3xi32>\n"
    "    %z = \"tosa.const\"() <{values = dense_resource<zp> : tensor<1xi8>}> : () -> "
    "tensor<1xi8>\n"
    "    %p = tosa.max_pool2d %a {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride "
    "= array<i64: 2, 2>} : (tensor<1x4x4x2xi8>) -> tensor<1x2x2x2xi8> loc(#loc1)\n"
    "    %0 = tosa.conv2d %p, %w, %b, %z, %z {acc_type = i32, dilation = array<i64: 1, 1>, pad = "
    "array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x2x2x2xi8>, "
    "tensor<3x1x1x2xi8>, tensor<3xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x3xi32>\n"
    "    return %0 : tensor<1x2x2x3xi32>\n  }\n}\n"
    "{-# dialect_resources: { builtin: { zp: \"0x01000000FD\" } } #-}\n";

/* Reads a copy that ends where its memory does. */
static bool reads(const char *bytes, size_t len)
{
    char *copy = malloc(len + 1);
    assert_non_null(copy);
    memcpy(copy, bytes, len);
    char *exact = realloc(copy, len > 0 ? len : 1);
    tacho_graph graph;
    (void)tacho_mlir_reader.is_mine(tacho_str_make(exact, len));
    tacho_status status = read_mlir(&graph, tacho_str_make(exact, len), NULL);
    bool is_read = status == TACHO_OK;
    if (!is_read) {
        assert_true(strlen(tacho_status_message(status)) > 0);
    }
    tacho_status_free(status);
    tacho_graph_deinit(&graph);
    free(exact);
    return is_read;
}

static void test_cut(void **state)
{
    (void)state;
    size_t len = sizeof(whole) - 1;
    assert_true(reads(whole, len));
    /* Up to the last brace of the module a cut file is always refused. */
    const char *end = strstr(whole, "\n}\n{-#");
    assert_non_null(end);
    for (size_t i = 0; i < len; i++) {
        bool is_read = reads(whole, i);
        assert_false(is_read && i < (size_t)(end - whole) + 1);
    }
}

static void test_flips(void **state)
{
    (void)state;
    char copy[sizeof(whole)];
    for (size_t i = 0; i + 1 < sizeof(whole); i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            memcpy(copy, whole, sizeof(whole));
            copy[i] = (char)(copy[i] ^ (1 << bit));
            (void)reads(copy, sizeof(whole) - 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_float_round_trip),
        cmocka_unit_test(test_bad_constants),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_random_weights),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_call),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_is_mine),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_flips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
