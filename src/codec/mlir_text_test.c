/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MLIR text, generic and custom forms, against modules in a notation of our own.
 */
#include "codec/mlir_text_testing.h"

static void test_generic(void **state)
{
    (void)state;
    check("", "- builtin.module(){}[0] @\"m\":0:0\n^0 [0]\n");
    check("\"a.b\"() : () -> ()\n  \"a.c\"() : () -> i32 loc(unknown)\n",
          "- builtin.module(){}[0] @\"m\":0:0\n0 a.b(){} @\"m\":1:1\n"
          "0 %0=a.c(){} : i32 @unknown\n^0 [0]\n");
    check(
        "\"builtin.module\"() ({\n"
        "  %a, %b:2 = \"d.op\"() <{p = 1 : i32}> {q} : () -> (i1, i2, (i3) -> i4) loc(\"x\":1:2)\n"
        "  \"d.use\"(%b#1, %a, %b, %b#0) : (i2, i1, i1, i1) -> () loc(\"y\")\n"
        "}, {\n"
        "^bb0(%x: i8 loc(\"z\":1:1), %y: !d.t<\"a>b\">):\n"
        "  \"d.br\"(%y)[^bb1, ^bb2(%x : i8)] : (!d.t<\"a>b\">) -> () loc(\"u\")\n"
        "^bb1:\n"
        "  \"d.ret\"(%y) : (!d.t<\"a>b\">) -> () loc(\"v\")\n"
        "}) {s = \"t\"} : () -> () loc(\"w\":3:4)\n",
        "- builtin.module(){s='t'}[0][1] @\"w\":3:4\n"
        "0 %0%1%2=d.op(){p=1; q} : i1, i2, (i3) -> i4 @\"x\":1:2\n"
        "0 d.use(%2,%0,%1,%1){} @\"y\"\n"
        "1 d.br(%4,%3){} @\"u\"\n"
        "2 d.ret(%4){} @\"v\"\n"
        "^0 [0]\n^1 [1] %3:i8 %4:!d.t<\"a>b\">\n^2 [1]\n");
}

/* Regions and blocks that are found with others in between become contiguous. */
static void test_numbers(void **state)
{
    (void)state;
    check("module {\n\"a.a\"() ({\n \"a.b\"() ({\n ^x(%i: i1):\n \"a.c\"() : () -> () loc(\"l\")\n"
          "}, {}) : () -> () loc(\"l\")\n^b(%j: i2):\n \"a.d\"(%j) : (i2) -> () loc(\"l\")\n"
          "}, {\n \"a.e\"() : () -> () loc(\"l\")\n}) : () -> i3 loc(\"l\")\n} loc(\"l\")",
          "- builtin.module(){}[0] @\"l\"\n0 %0=a.a(){}[1][2] : i3 @\"l\"\n1 a.b(){}[3][4] @\"l\"\n"
          "3 a.c(){} @\"l\"\n2 a.d(%2){} @\"l\"\n4 a.e(){} @\"l\"\n"
          "^0 [0]\n^1 [1]\n^2 [1] %2:i2\n^3 [3] %1:i1\n^4 [2]\n");
}

static void test_names(void **state)
{
    (void)state;
    /* Used before defined, here and in a region; of a pack; never defined. */
    check("module {\n\"a.a\"(%x, %p#1, %z) ({ \"a.b\"(%x) : (i1) -> () loc(\"l\") })"
          " : (i1, i1, i1) -> () loc(\"l\")\n%x = \"a.c\"() : () -> i1 loc(\"l\")\n"
          "%p:2 = \"a.d\"() : () -> (i1, i2) loc(\"l\") } loc(\"l\")",
          "- builtin.module(){}[0] @\"l\"\n0 a.a(%0,%2,%?){}[1] @\"l\"\n1 a.b(%0){} @\"l\"\n"
          "0 %0=a.c(){} : i1 @\"l\"\n0 %1%2=a.d(){} : i1, i2 @\"l\"\n^0 [0]\n^1 [1]\n");
    /* A name of an inner region ends with it; a function does not see names from outside. */
    check("module {\n%x = \"a.a\"() ({ %y = \"a.b\"() : () -> i1 loc(\"l\") }) : () -> i1 "
          "loc(\"l\")\n"
          "\"func.func\"() ({ \"a.c\"(%x, %y) : (i1, i1) -> () loc(\"l\")\n"
          "%x = \"a.d\"() : () -> i2 loc(\"l\") }) : () -> () loc(\"l\")\n"
          "\"a.e\"(%x, %y) : (i1, i1) -> () loc(\"l\")} loc(\"l\")",
          "- builtin.module(){}[0] @\"l\"\n0 %0=a.a(){}[1] : i1 @\"l\"\n1 %1=a.b(){} : i1 @\"l\"\n"
          "0 func.func(){}[2] @\"l\"\n2 a.c(%2,%?){} @\"l\"\n2 %2=a.d(){} : i2 @\"l\"\n"
          "0 a.e(%0,%?){} @\"l\"\n^0 [0]\n^1 [1]\n^2 [2]\n");
}

static void check_attr(const char *value, const char *expected)
{
    char text[1024];
    char dump[1024];
    snprintf(
        text, sizeof(text),
        "#map = affine_map<(d0) -> (d0 + 1)>\n!ty = tensor<2xi8>\n"
        "module attributes {a = %s} {} loc(\"l\")\n#late = [#map, #loc]\n#loc = loc(\"q\":1:2)\n"
        "#loc2 = loc(#loc)",
        value);
    snprintf(dump, sizeof(dump), "- builtin.module(){a%s}[0] @\"l\"\n^0 [0]\n", expected);
    check(text, dump);
}

static void test_attributes(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"unit", ""},
        {"true", "=true"},
        {"0 : i1", "=false"},
        {"-1 : i1", "=true"},
        {"5", "=5"},
        {"-5 : si8", "=-5"},
        {"0x1F : index", "=31"},
        {"18446744073709551615 : ui64", "=18446744073709551615 : ui64"},
        {"-9223372036854775808", "=-9223372036854775808"},
        {"-9223372036854775809", "=-9223372036854775809"},
        {"340282366920938463463374607431768211455 : i128",
         "=340282366920938463463374607431768211455 : i128"},
        {"1.5 : f32", "=1.5 : f32"},
        {"0x7FC00000 : f32", "=0x7FC00000 : f32"},
        {"\"a\\22b\\\\\\n\"", "='a\"b\\\n'"},
        {"\"a\" : i32", "='a'"},
        {"@a::@b", "=@a"},
        {"@\"a b\"", "=@a b"},
        {"[]", "=[]"},
        {"[1, -2 : i32]", "=[1,-2]"},
        {"[1, \"a\"]", "=[1, \"a\"]"},
        {"[ \"a\" , #map ]", "=[\"a\", affine_map<(d0) -> (d0 + 1)>]"},
        {"[true, false]", "=[true, false]"},
        {"[1.0]", "=[1.0]"},
        {"array<i32>", "=[]"},
        {"array<i64: 1, 2>", "=[1,2]"},
        {"array<i1: true, false>", "=[1,0]"},
        {"array<f32: 1.0>", "=array<f32: 1.0>"},
        {"dense<[1, 2]> : tensor<2xi32>", "=[1,2]"},
        {"dense<7> : tensor<3xi32>", "=[7,7,7]"},
        {"dense<7> : vector<1xindex>", "=[7]"},
        {"dense<> : tensor<0xi32>", "=[]"},
        {"dense<7> : tensor<99999999xi32>", "=dense<7> : tensor<99999999xi32>"},
        {"dense<7> : tensor<i32>", "=dense<7> : tensor<i32>"},
        {"dense<[[1, 2]]> : tensor<1x2xi32>", "=dense<[[1, 2]]> : tensor<1x2xi32>"},
        {"dense<1.0> : tensor<2xf32>", "=dense<1.0> : tensor<2xf32>"},
        {"dense<[true, false]> : tensor<2xi1>", "=[1,0]"},
        {"dense<\"0x0100FFFF\"> : tensor<2xi16>", "=[1,-1]"},
        {"dense<\"0xFF\"> : tensor<2xui8>", "=[255,255]"},
        {"dense<\"0xFFFFFFFFFFFFFF7F\"> : tensor<1xui64>", "=[9223372036854775807]"},
        {"dense<\"0xFFFFFFFFFFFFFFFF\"> : tensor<1xui64>",
         "=dense<\"0xFFFFFFFFFFFFFFFF\"> : tensor<1xui64>"},
        {"dense_resource<r> : tensor<2xi8>", "=dense_resource<r> : tensor<2xi8>"},
        {"i32", "=i32"},
        {"(i32, !ty) -> ()", "=(i32, tensor<2xi8>) -> ()"},
        {"!ty", "=tensor<2xi8>"},
        {"#map", "=affine_map<(d0) -> (d0 + 1)>"},
        {"#late", "=[affine_map<(d0) -> (d0 + 1)>, \"q\":1:2]"},
        {"loc(#loc2)", "=loc(\"q\":1:2)"},
        {"#d.x<\"}>\", [a -> b], {c}>", "=#d.x<\"}>\", [a -> b], {c}>"},
        {"#d<opaque = 1>", "=#d<opaque = 1>"},
        {"{x = 1,\n  // why\n  y = [ 1,2 ] }", "={x = 1, y = [1,2]}"},
        {"distinct[0]<\"a\">", "=distinct[0]<\"a\">"},
        {"DOUBLE_ROUND", "=DOUBLE_ROUND"},
        {"#undefined", "=#undefined"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        check_attr(cases[i][0], cases[i][1]);
    }
}

static void test_locations(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"\"a\\\\b\":1:2", "\"a\\\\b\":1:2"},
        {"\"a\":01:2", "\"a\":1:2"},
        {"\"a\":1:2 to 3:4", "\"a\":1:2 to 3:4"},
        {"fused<#d.x<1>>[#loc1, \"n\"(#loc2)]",
         "fused<#d.x<1>>[\"f\":7:10, \"n\"(callsite(\"f\":7:10 at \"g\":2:3))]"},
        {"#loc2", "callsite(\"f\":7:10 at \"g\":2:3)"},
        {"?", "unknown"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char text[512];
        char dump[512];
        snprintf(
            text, sizeof(text),
            "#loc1 = loc(\"f\":7:10)\nmodule {} loc(%s)\n#loc2 = loc(callsite(#loc1 at \"g\":2:3))",
            cases[i][0]);
        snprintf(dump, sizeof(dump), "- builtin.module(){}[0] @%s\n^0 [0]\n", cases[i][1]);
        check(text, dump);
    }
}

/* Types, locations and integers that begin like those before them, and are others. */
static void test_likeness(void **state)
{
    (void)state;
    check("module {\n"
          "%0 = \"a.b\"() : () -> i3\n"
          "%1 = \"a.b\"() : () -> i3\n"
          "%2 = \"a.b\"() : () -> i32\n"
          "%3 = \"a.b\"() : () -> (i3)\n"
          "%4 = \"a.b\"() : () -> (i3) -> i8\n"
          "%5 = \"a.b\"() : () -> i3 loc(\"f\":1:2)\n"
          "%6 = \"a.b\"() : () -> i3 loc(\"f\":1:2)\n"
          "%7 = \"a.b\"() : () -> i3 loc(\"f\":1:23)\n"
          "\"a.b\"() {a = 12 : i64, b = 12 : i6, c = 12 : i64, d = 12 : index, e = 1 : i1,\n"
          "  f = 123456789012345678901 : i64, g = 0x12 : i32} : () -> ()\n"
          "} loc(\"f\":1:2)\n",
          "- builtin.module(){}[0] @\"f\":1:2\n"
          "0 %0=a.b(){} : i3 @\"m\":2:6\n"
          "0 %1=a.b(){} : i3 @\"m\":3:6\n"
          "0 %2=a.b(){} : i32 @\"m\":4:6\n"
          "0 %3=a.b(){} : i3 @\"m\":5:6\n"
          "0 %4=a.b(){} : (i3) -> i8 @\"m\":6:6\n"
          "0 %5=a.b(){} : i3 @\"f\":1:2\n"
          "0 %6=a.b(){} : i3 @\"f\":1:2\n"
          "0 %7=a.b(){} : i3 @\"f\":1:23\n"
          "0 a.b(){a=12; b=12; c=12; d=12; e=true; f=123456789012345678901 : i64; g=18} "
          "@\"m\":10:1\n"
          "^0 [0]\n");
}

/* A custom form, and the generic form that must give the same module. */
static const char *const custom_cases[][2] = {
    {"module @m attributes {a.b} {} loc(\"l\")",
     "\"builtin.module\"() <{sym_name = \"m\"}> ({^bb0:}) {a.b} : () -> () loc(\"l\")"},
    {"func.func private @d(i32, i64 {x.y = 1 : i64}) -> (i32 {z}, i64) loc(\"l\")",
     "\"func.func\"() <{arg_attrs = [{}, {x.y = 1 : i64}], function_type = (i32, i64) -> (i32, "
     "i64), "
     "res_attrs = [{z}, {}], sym_name = \"d\", sym_visibility = \"private\"}> ({}) : () -> () "
     "loc(\"l\")"},
    {"func.func @f$x(%a: i32 loc(\"z\"), %b: i8) -> i32 attributes {x} { return %a : i32 "
     "loc(\"l\") } "
     "loc(\"l\")",
     "\"func.func\"() <{function_type = (i32, i8) -> i32, sym_name = \"f$x\"}> "
     "({^bb0(%a: i32, %b: i8): \"func.return\"(%a) : (i32) -> () loc(\"l\") }) {x} : () -> () "
     "loc(\"l\")"},
    {"%0 = arith.constant dense<1> : tensor<4xi8> loc(\"l\")\n%1 = arith.constant true loc(\"l\")",
     "%0 = \"arith.constant\"() <{value = dense<1> : tensor<4xi8>}> : () -> tensor<4xi8> "
     "loc(\"l\")\n"
     "%1 = \"arith.constant\"() <{value = true}> : () -> i1 loc(\"l\")"},
    {"memref.global \"private\" constant @g : memref<4xi8> = dense<1> {x} loc(\"l\")\n"
     "memref.global @h : memref<4xi8> = uninitialized loc(\"l\")\n"
     "%0 = memref.get_global @g : memref<4xi8> loc(\"l\")",
     "\"memref.global\"() <{constant, initial_value = dense<1>, sym_name = \"g\", sym_visibility = "
     "\"private\", type = memref<4xi8>}> {x} : () -> () loc(\"l\")\n"
     "\"memref.global\"() <{initial_value, sym_name = \"h\", type = memref<4xi8>}> : () -> () "
     "loc(\"l\")\n"
     "%0 = \"memref.get_global\"() <{name = @g}> : () -> memref<4xi8> loc(\"l\")"},
    {"%2 = memref.alloc(%0)[%1] {alignment = 64 : i64} : memref<?xi8> loc(\"l\")\n"
     "%3 = memref.subview %2[%0, 4] [%1, 2] [1, 1] : memref<?xi8> to memref<8xi8> loc(\"l\")\n"
     "%4 = memref.cast %3 : memref<8xi8> to memref<?xi8> loc(\"l\")\n"
     "memref.dealloc %4 : memref<?xi8> loc(\"l\")",
     "%2 = \"memref.alloc\"(%0, %1) <{alignment = 64 : i64, operandSegmentSizes = array<i32: 1, "
     "1>}>"
     " : (i, i) -> memref<?xi8> loc(\"l\")\n"
     "%3 = \"memref.subview\"(%2, %0, %1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>, "
     "static_offsets = array<i64: -9223372036854775808, 4>, "
     "static_sizes = array<i64: -9223372036854775808, 2>, static_strides = array<i64: 1, 1>}>"
     " : (m, i, i) -> memref<8xi8> loc(\"l\")\n"
     "%4 = \"memref.cast\"(%3) : (m) -> memref<?xi8> loc(\"l\")\n"
     "\"memref.dealloc\"(%4) : (m) -> () loc(\"l\")"},
    {"%p = torq_hl.program \"nss_program_0\" {x} : !torq_hl.program<nss> {\n"
     "^bb0(%a: i1):\n torq_hl.next %a, %m : i1, i2 loc(\"l\")\n"
     "^bb1(%b: i1):\n torq_hl.return loc(\"l\") } loc(\"l\")",
     "%p = \"torq_hl.program\"() <{name = \"nss_program_0\"}> ({\n"
     "^bb0(%a: i1):\n \"torq_hl.next\"(%a, %m) : (i1, i2) -> () loc(\"l\")\n"
     "^bb1(%b: i1):\n \"torq_hl.return\"() : () -> () loc(\"l\") }) {x} : () -> "
     "!torq_hl.program<nss> "
     "loc(\"l\")"},
    {"%i, %c = torq_hl.create_invocation \"n\" program(%p : !p) on 1 {\"torq-job-id\" = 0 : i32} : "
     "!torq_hl.invocation<nss>, memref<4xi8> loc(\"l\")\n"
     "%d = torq_hl.descriptor \"n\" program(%p : !p) : !torq_hl.invocation<nss> loc(\"l\")",
     "%i, %c = \"torq_hl.create_invocation\"(%p) <{executor_id = 1 : index, name = \"n\"}> "
     "{\"torq-job-id\" = 0 : i32} : (!p) -> (!torq_hl.invocation<nss>, memref<4xi8>) loc(\"l\")\n"
     "%d = \"torq_hl.descriptor\"(%p) <{name = \"n\"}> : (!p) -> !torq_hl.invocation<nss> "
     "loc(\"l\")"},
    {"torq_hl.start_program %i : !i args(%a, %b : !i, m) code(%c : m) {\"torq-action-id\" = 2 : "
     "i32} "
     "loc(\"l\")\ntorq_hl.start_program %i : !i args( : ) loc(\"l\")\n"
     "torq_hl.start_program %i : !i args(%a : !i) loc(\"l\")\n"
     "%o = torq_hl.wait_program %i : !i {\"torq-action-id\" = 3 : i32} : memref<1xi8> loc(\"l\")",
     "\"torq_hl.start_program\"(%i, %c, %a, %b) <{operandSegmentSizes = array<i32: 1, 1, 2>}> "
     "{\"torq-action-id\" = 2 : i32} : (!i, m, !i, m) -> () loc(\"l\")\n"
     "\"torq_hl.start_program\"(%i) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!i) -> () "
     "loc(\"l\")\n"
     "\"torq_hl.start_program\"(%i, %a) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!i, !i) "
     "-> () "
     "loc(\"l\")\n"
     "%o = \"torq_hl.wait_program\"(%i) {\"torq-action-id\" = 3 : i32} : (!i) -> memref<1xi8> "
     "loc(\"l\")"},
    {"torq_hl.host_copy %in : m to %out : m {shape = array<i64: 4>} loc(\"l\")\n"
     "torq_hw.cdma_start from %in : m to %out : m loc(\"l\")\n"
     "torq_hw.dma_in_cfg from %in : m to %out : m {x} loc(\"l\")\n"
     "torq_hw.css_start %i : !i program %p(%in = %out, %p) : m, m, m, m loc(\"l\")",
     "\"torq_hl.host_copy\"(%out, %in) <{shape = array<i64: 4>}> : (m, m) -> () loc(\"l\")\n"
     "\"torq_hw.cdma_start\"(%out, %in) : (m, m) -> () loc(\"l\")\n"
     "\"torq_hw.dma_in_cfg\"(%in, %out) {x} : (m, m) -> () loc(\"l\")\n"
     "\"torq_hw.css_start\"(%i, %p, %in, %out, %p) : (!i, m, m, m, m) -> () loc(\"l\")"},
    {"torq_hw.nss_task {\"torq-task-id\" = 0 : i64} () { torq_hw.dma_in_start {d = 9 : i64} "
     "loc(\"l\") "
     "\"torq_hw.slice_wait\"() <{id = 0 : index}> : () -> () loc(\"l\")  torq_hw.dma_in_wait "
     "loc(\"l\") } "
     "loc(\"l\")",
     "\"torq_hw.nss_task\"() ({ \"torq_hw.dma_in_start\"() {d = 9 : i64} : () -> () loc(\"l\")\n"
     "\"torq_hw.slice_wait\"() {id = 0 : index} : () -> () loc(\"l\")\n"
     "\"torq_hw.dma_in_wait\"() : () -> () loc(\"l\") }) {\"torq-task-id\" = 0 : i64} : () -> () "
     "loc(\"l\")"},
    {"torq_hw.dispatch_profiling {x}\n memory : 75264 bytes\n total_cycle : 4704 loc(\"l\")\n"
     "torq_hw.slice_profiling \n memory : 12 bytes\n memory_info : \"4+8\"\n max_cycle : 7\n "
     "ndl_cycles : #torq_hw.n<1> loc(\"l\")\n"
     "torq_hw.slice_task {\n op : \"add\"\n D %a : m\n Q %b, %c : m, m\n CFG <x>\n <[]>\n <[]>\n } "
     "loc(\"l\")",
     "\"torq_hw.dispatch_profiling\"() <{total_cycle = 4704 : i32, total_mem = 75264 : i32}> {x} : "
     "() -> "
     "() loc(\"l\")\n"
     "\"torq_hw.slice_profiling\"() <{max_cycle = 7 : i32, slice_mem = 12 : i32, slice_meminfo = "
     "\"4+8\", "
     "slice_ndl_cycles = #torq_hw.n<1>}> : () -> () loc(\"l\")\n"
     "\"torq_hw.slice_task\"(%a, %b, %c) <{op_name = \"add\", operandSegmentSizes = "
     "array<i32: 1, 0, 0, 2, 0, 0, 0>}> : (m, m, m) -> () loc(\"l\")"},
    {"%w = torch.vtensor.literal(dense<2.0> : tensor<4xf32>) : !torch.vtensor<[4],f32> loc(\"l\")",
     "%w = \"torch.vtensor.literal\"() {value = dense<2.0> : tensor<4xf32>} : () -> "
     "!torch.vtensor<[4],f32> loc(\"l\")"},
    {"%w = tosa.variable_read @v : tensor<1xi32> loc(\"l\")",
     "%w = \"tosa.variable_read\"() <{name = @v}> : () -> tensor<1xi32> loc(\"l\")"},
    {"tosa.variable_write @v, %a : tensor<1xi32> loc(\"l\")",
     "\"tosa.variable_write\"(%a) <{name = @v}> : (tensor<1xi32>) -> () loc(\"l\")"},
    {"hal.executable private @e { hal.executable.export public @x ordinal(0) layout(#hal.l<a>) "
     "count(%d: !hal.device, %n: index) -> (index, index) { hal.return %n, %n : index, index "
     "loc(\"l\") } "
     "attributes {w = 1 : i64} loc(\"l\") } loc(\"l\")",
     "\"hal.executable\"() <{sym_name = \"e\", sym_visibility = \"private\"}> ({ "
     "\"hal.executable.export\"() <{sym_name = \"x\", sym_visibility = \"public\"}> ({"
     "^bb0(%d: !hal.device, %n: index): \"hal.return\"(%n, %n) : (index, index) -> () loc(\"l\") "
     "}) "
     "{w = 1 : i64} : () -> () loc(\"l\") }) : () -> () loc(\"l\")"},
};

/* |text| after a definition of the values that the cases use; free it. */
static char *with_values(const char *text)
{
    static const char values[] =
        "%in, %out, %a, %b, %c, %i, %p, %m, %0, %1 = \"d.values\"() : () -> "
        "(i, i, i, i, i, i, i, i, i, i) loc(\"l\")\n";
    size_t len = sizeof(values) + strlen(text);
    char *whole = malloc(len);
    assert_non_null(whole);
    snprintf(whole, len, "%s%s", values, text);
    return whole;
}

static void test_custom_forms(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(custom_cases) / sizeof(*custom_cases); i++) {
        char *custom_text = with_values(custom_cases[i][0]);
        char *generic_text = with_values(custom_cases[i][1]);
        char *generic = read_text(tacho_str_from_cstring(generic_text));
        assert_memory_equal(generic, "- builtin.module(", 17);
        check(custom_text, generic);
        free(generic);
        free(custom_text);
        free(generic_text);
    }
}

/* The same module in both forms, whole. */
static void test_samples(void **state)
{
    (void)state;
    size_t generic_len = 0;
    size_t custom_len = 0;
    char *generic = read_sample("torq_generic.mlir", &generic_len);
    char *custom = read_sample("torq_custom.mlir", &custom_len);
    char *generic_dump = read_text(tacho_str_make(generic, generic_len));
    char *custom_dump = read_text(tacho_str_make(custom, custom_len));
    assert_string_equal(custom_dump, generic_dump);
    assert_non_null(strstr(custom_dump,
                           "1 torq_hl.start_program(%4,%1){operandSegmentSizes=[1,0,1]; "
                           "torq-action-id=0} @callsite(\"/w/m/add.mlir\":7:10 at "
                           "\"/w/m/add.mlir\":2:3)\n"));
    free(generic);
    free(custom);
    free(generic_dump);
    free(custom_dump);
}

/* Every custom form of the phase dump is understood, and one of each is checked here. */
static void test_phase(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "5 torq_hl.host_copy(%6,%5){element_size_bytes=1; input_strides_bytes=[1]; "
        "output_strides_bytes=[1]; shape=[64]; torq-action-id=1} @\"/w/m/add.mlir\":7:10\n",
        "6 torq_hw.slice_task(%8,%9){op_name='add'; operandSegmentSizes=[1,0,0,1,0,0,0]} "
        "@\"/w/m/add.mlir\":7:10\n",
        "5 torq_hl.start_program(%17,%11,%10,%6){operandSegmentSizes=[1,1,2]; torq-action-id=2} "
        "@callsite(\"/w/m/add.mlir\":7:10 at \"/w/m/add.mlir\":2:3)\n",
        "5 torq_hl.wait_program(%17){torq-action-id=3} @fused<{kind = "
        "\"wait\"}>[\"/w/m/add.mlir\":7:10, "
        "callsite(\"/w/m/add.mlir\":7:10 at \"/w/m/add.mlir\":2:3)]\n",
        "5 torq_hw.dispatch_profiling(){total_cycle=4704; total_mem=75264} @\"m\":59:11\n",
    };
    size_t len = 0;
    char *text = read_sample("torq_phase.mlir", &len);
    char *dump = read_text(tacho_str_make(text, len));
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        if (strstr(dump, lines[i]) == NULL) {
            fail_msg("no line %s in\n%s", lines[i], dump);
        }
    }
    assert_null(strstr(dump, "tolerated"));
    free(text);
    free(dump);
}

static void test_tolerant(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"%0 = d.a %x, %y#1 {k = 1, u} : i8, i16 to tensor<2x!d.t<\":\">> loc(\"l\")",
         "0 %0=d.a(%?,%?){k=1; u} : tensor<2x!d.t<\":\">> @\"l\"\n^0 [0]\n"},
        {"%0:2 = d.a \"n\"(%x) [%y] : (i8) -> (i16, i32)\nd.b",
         "0 %0%1=d.a(%?,%?){name='n'} : i16, i32 @\"m\":1:8\n0 d.b(){} @\"m\":2:1\n^0 [0]\n"},
        {"%x, %y = \"d.x\"() : () -> (i8, i16)\n%0 = d.a\n  ins(%x : i8)\n  outs(%y : i16) dims = "
         "[0]\n  (%i: i1, %j: i2) {\n d.y %i\n "
         "}\nd.b",
         "0 %0%1=d.x(){} : i8, i16 @\"m\":1:10\n0 %2=d.a(%0,%1){}[1] : i16 @\"m\":2:6\n1 d.y(%3){} "
         "@\"m\":6:2\n0 d.b(){} @\"m\":8:1\n^0 [0]\n"
         "^1 [1] %3:i1 %4:i2\n"},
        {"d.for %i = %a to %b { d.use %i } loc(\"l\")",
         "0 d.for(%?,%?){}[1] @\"l\"\n1 d.use(%0){} @\"m\":1:23\n^0 [0]\n^1 [1] %0:\n"},
        {"d.if %a { d.b } else { d.c }", "0 d.if(%?){}[1][2] @\"m\":1:1\n1 d.b(){} @\"m\":1:11\n"
                                         "2 d.c(){} @\"m\":1:24\n^0 [0]\n^1 [1]\n^2 [2]\n"},
        {"d.sym nested @\"a b\" attributes {k} {}",
         "0 d.sym(){k; sym_name='a b'; "
         "sym_visibility='nested'}[1] @\"m\":1:1\n^0 [0]\n"},
        {"#attrs = {k = 1}\nd.a #attrs #d.x<{>}> %x :\n  i8\n\"d.b\"() : () -> ()",
         "m:2:18: expected '}', found >}> %x :"},
        {"#attrs = {k = 1}\nd.a #attrs #d.x<{}> %x :\n  i8\n\"d.b\"() : () -> ()",
         "0 d.a(%?){k=1} @\"m\":2:1\n0 d.b(){} @\"m\":4:1\n^0 [0]\n"},
        {"d.a %x ) ~ d\nd.b { w : [x] }\nd.c {a = 1, ,}\nd.d",
         "0 d.a(%?){} @\"m\":1:1\n0 d.b(){} @\"m\":2:1\n0 d.c(){} @\"m\":3:1\n0 d.d(){} "
         "@\"m\":4:1\n"
         "^0 [0]\ntolerated 3\n"},
        {"cf.cond_br %a, ^b(%c : i1), ^d\n", "0 cf.cond_br(%?,%?){} @\"m\":1:1\n^0 [0]\n"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char dump[1024];
        bool is_failure = cases[i][1][0] == 'm';
        snprintf(dump, sizeof(dump), "%s%s",
                 is_failure ? "" : "- builtin.module(){}[0] @\"m\":0:0\n", cases[i][1]);
        check(cases[i][0], dump);
    }
}

static void test_failures(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"module {\n", "m:2:1: expected '}' after the region, found the end"},
        {"module {}\n}", "m:2:1: expected an operation, found }"},
        {"module", "m:1:7: expected '{' and the body of the module, found the end"},
        {"module {\n %a", "m:2:4: expected '=' and an operation, found the end"},
        {"%a#1 = d.x", "m:1:1: expected the name of a result, found %a#1 = d.x"},
        {"%a:0 = d.x", "m:1:4: expected a number of results, found 0 = d.x"},
        {"%a, = d.x", "m:1:5: expected the name of a result, found = d.x"},
        {"\"a.b\"", "m:1:6: expected '(' and operands, found the end"},
        {"\"a.b\"(x)", "m:1:7: expected an operand or ')', found x)"},
        {"\"a.b\"(%x, )", "m:1:11: expected an operand, found )"},
        {"\"a.b\"() [x]", "m:1:10: expected a block, found x]"},
        {"\"a.b\"() [^x y]", "m:1:13: expected ',' or ']' after a block, found y]"},
        {"\"a.b\"() [^x(%a)]", "m:1:15: expected ':' and the types of the arguments, found )]"},
        {"\"a.b\"() [^x(%a : t]", "m:1:19: expected ')' after the arguments of a block, found ]"},
        {"\"a.b\"() <1>", "m:1:10: expected '{' and attributes, found 1>"},
        {"\"a.b\"() <{}", "m:1:12: expected '>' after the properties, found the end"},
        {"\"a.b\"() ()", "m:1:10: expected '{' and a region, found )"},
        {"\"a.b\"() ({}, ())", "m:1:14: expected '{' and another region, found ())"},
        {"\"a.b\"() ({}]", "m:1:12: expected ',' or ')' after a region, found ]"},
        {"\"a.b\"() ({^x(1)})", "m:1:14: expected an argument of the block, found 1)})"},
        {"\"a.b\"() ({^x(%a)})", "m:1:16: expected ':' and the type of the argument, found )})"},
        {"\"a.b\"() ({^x(%a:t]})", "m:1:18: expected ',' or ')' after an argument, found ]})"},
        {"\"a.b\"() ({^x 1})", "m:1:14: expected ':' after the name of a block, found 1})"},
        {"\"a.b\"()\n\"c.d\"()",
         "m:2:1: expected ':' and the type of the operation, found \"c.d\"()"},
        {"\"a.b\"() : i32", "m:1:11: expected '(' and types, found i32"},
        {"\"a.b\"() : (i32]", "m:1:15: expected ',' or ')' after a type, found ]"},
        {"\"a.b\"() : ()", "m:1:13: expected '->' and the types of results, found the end"},
        {"\"a.b\"() : () -> 7", "m:1:17: expected a type, found 7"},
        {"\"a.b\"() : () -> ((i) i)", "m:1:22: expected '->' of a function type, found i)"},
        {"\"a.b\"() : () -> ~", "m:1:17: expected a type, found ~"},
        {"\"a.b\"() : () -> !", "m:1:17: expected the name of an attribute or a type, found !"},
        {"\"a.b\"() : () -> !a.b<(\n]>", "m:2:1: expected ')', found ]>"},
        {"\"a.b\"() : () -> !a.b<\"", "m:1:22: expected a string with a closing quote, found \""},
        {"%a = \"a.b\"() : () -> ()", "m:1:6: expected an operation with as many results as names "
                                      "before it, found \"a.b\"() : () -> ()"},
        {"%a = \"a.b\"() : () -> i1 \"c.d\"(%a#1) : () -> ()",
         "m:1:31: expected a result that the operation has, found %a#1) : () -> ()"},
        {"\"c.d\"(%a#99999999999)", "m:1:7: expected an index of a result, found %a#99999999999)"},
        {"\"a.b\"() {1} : () -> ()",
         "m:1:10: expected the name of an attribute, found 1} : () -> ()"},
        {"\"a.b\"() {a 1}", "m:1:12: expected ',' or '}' after an attribute, found 1}"},
        {"\"a.b\"() {a = }", "m:1:14: expected an attribute, found }"},
        {"\"a.b\"() {a = -}", "m:1:14: expected a number, found -}"},
        {"\"a.b\"() {a = @a::b}", "m:1:18: expected a symbol, found b}"},
        {"\"a.b\"() {a = \"\\q\"}",
         "m:1:14: expected a string with the escapes \\\" \\\\ \\n \\t \\HH only, found \"\\q\"}"},
        {"\"a.b\"() : () -> () loc(", "m:1:24: expected ')', found the end"},
        {"\"a.b\"() : () -> () loc(x)", "m:1:20: location, byte 0: expected a location, found x"},
        {"\"a.b\"() : () -> () loc(#x)",
         "m:1:20: location, byte 0: expected an alias of a location, found the undefined #x"},
        {"#x = loc(#x)\n\"a.b\"() : () -> () loc(#x)",
         "m:2:20: location, byte 0: expected an alias of a location, found a cycle through #x"},
        {"#x = loc(y)", "m:1:6: location, byte 4: expected a location, found y)"},
        {"#x = 1\n#x = 2", "m:2:1: expected an alias that is not defined yet, found #x = 2"},
        {"#x =", "m:1:5: expected an attribute, found the end"},
        {"#x = [#y]\n#y = [#x]\nmodule attributes {a = #x} {}",
         "m:1:6: expected an alias that does not contain itself, found [#y]"},
        {"func.func f()", "m:1:12: expected a symbol, found ()"},
        {"func.func @f", "m:1:13: expected '(' and arguments, found the end"},
        {"func.func @f(%a)", "m:1:16: expected ':' and the type of the argument, found )"},
        {"func.func @f(i8]", "m:1:16: expected ',' or ')' after an argument, found ]"},
        {"func.func @f() -> (i8]", "m:1:22: expected ',' or ')' after a result, found ]"},
        {"d.a (%x\n", "m:2:1: expected ')' or ']', found the end"},
        {"d.a %x \"b\nd.c", "m:1:8: expected a string with a closing quote, found \"b"},
        {"d.a (%x }", "m:1:9: expected ')' or ']', found }"},
        {"%a:70000 = d.a", "m:1:12: expected at most 65536 results, found d.a"},
        {"\"a.b\"() ({\n", "m:2:1: expected '}' after the region, found the end"},
        {"torq_hl.program \"a\" : t {}, 1", "m:1:29: expected '{' and another region, found 1"},
        {"?", "m:1:1: expected an operation, found ?"},
        {"plain text", "m:1:1: expected an operation, found plain text"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        check(cases[i][0], cases[i][1]);
    }
}

static void check_resources(const char *text, const char *expected)
{
    char found[512] = "";
    size_t len = 0;
    tacho_mlir_module module;
    assert_null(tacho_mlir_module_init(&module));
    tacho_status status =
        tacho_mlir_text_read_resources("m", tacho_str_from_cstring(text), &module);
    if (status != TACHO_OK) {
        snprintf(found, sizeof(found), "%s", tacho_status_message(status));
    }
    for (size_t i = 0; status == TACHO_OK && i < module.resource_count; i++) {
        const tacho_mlir_blob *blob = &module.resources[i];
        assert_true(blob->is_hex);
        len += (size_t)snprintf(found + len, sizeof(found) - len, "[%.*s=%.*s]",
                                TACHO_STR_ARG(blob->key), TACHO_STR_ARG(blob->bytes));
    }
    assert_string_equal(found, expected);
    tacho_status_free(status);
    tacho_mlir_module_deinit(&module);
}

/* Resources follow the module; lookalikes in strings and comments are ignored. */
static void test_resources(void **state)
{
    (void)state;
    check_resources("module {}", "");
    check_resources("{-# dialect_resources: { builtin: { a: \"0x01\", b.1: \"0x02\" } } #-}",
                    "[a=01][b.1=02]");
    check_resources(
        "{-# dialect_resources: { x: { \"odd {key\": \"0xAB\" }, y: { c: \"0x\" } } #-}\n"
        "{-# dialect_resources: { builtin: { d: \"0x03\" } } #-}",
        "[odd {key=AB][c=][d=03]");
    check_resources("{-# external_resources: { r: { a: \"0x01\", b: true } },\n"
                    "dialect_resources: { builtin: { s: \"text\", deep: { t: \"0x04\" } } } #-}",
                    "");
    check_resources("// {-# dialect_resources: { b: { a: \"0x01\" } } #-}\n", "");
    check_resources("\"{-# #-}\"() : () -> ()", "");
    check_resources("\n{-# dialect_resources: {", "m:2: expected '#-}' after the resources");
    check_resources("{-# } #-}", "m:1: expected '#-}'");
    check_resources("{-#\n dialect_resources: { \\ } #-}",
                    "m:2: expected a key or a value of a resource");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generic),      cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_names),        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_locations),    cmocka_unit_test(test_likeness),
        cmocka_unit_test(test_custom_forms), cmocka_unit_test(test_samples),
        cmocka_unit_test(test_phase),        cmocka_unit_test(test_tolerant),
        cmocka_unit_test(test_failures),     cmocka_unit_test(test_resources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
