/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small modules as bytes. The first two were written by mlir-opt 22 from
 *
 *     module {
 *       func.func @f(%a: i32) -> i32 {
 *         %c = arith.constant 5 : i32 loc("a":1:2)
 *         %m = memref.alloc() : memref<4xi8>
 *         "torq_hl.x"(%a) <{id = 3 : index}> {"torq-action-id" = 7 : i32}
 *             : (i32) -> () loc(fused["a":1:2, "b":3:4])
 *         return %c : i32
 *       }
 *     }
 *
 * The others are composed here: what no writer would do, and what mlir-opt cannot, since it does
 * not know torq. tests/mlir compares whole files with mlir-opt.
 */
#include "codec/mlir_bytecode.h"
#include "codec/mlir_module_testing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

// clang-format off
/* Version 1: the attributes of each operation are one dictionary. */
static const uint8_t small_v1[] = {
    0x4d, 0x4c, 0xef, 0x52, 0x03, 0x4d, 0x4c, 0x49, 0x52, 0x32, 0x32, 0x2e, 0x31, 0x2e, 0x38, 0x00,
    0x01, 0x2d, 0x0b, 0x01, 0x05, 0x09, 0x0d, 0x11, 0x01, 0x03, 0x0b, 0x03, 0x05, 0x03, 0x0d, 0x05,
    0x03, 0x0f, 0x07, 0x03, 0x11, 0x09, 0x03, 0x13, 0x03, 0x49, 0x35, 0x09, 0x01, 0x35, 0x0b, 0x13,
    0x13, 0x1b, 0x0b, 0x0b, 0x0b, 0x0b, 0x13, 0x13, 0x13, 0x0b, 0x0f, 0x0b, 0x65, 0x13, 0x0b, 0x33,
    0x13, 0x13, 0x0b, 0x0f, 0x13, 0x13, 0x0b, 0x13, 0x01, 0x09, 0x0f, 0x17, 0x17, 0x0b, 0x02, 0x02,
    0x02, 0x05, 0x15, 0x17, 0x1b, 0x03, 0x05, 0x17, 0x01, 0x03, 0x03, 0x03, 0x05, 0x09, 0x0b, 0x0d,
    0x0f, 0x05, 0x17, 0x0d, 0x03, 0x05, 0x19, 0x05, 0x1b, 0x17, 0x01, 0x05, 0x07, 0x17, 0x01, 0x05,
    0x21, 0x03, 0x03, 0x17, 0x19, 0x05, 0x1d, 0x11, 0x01, 0x15, 0x05, 0x1f, 0x61, 0x66, 0x66, 0x69,
    0x6e, 0x65, 0x5f, 0x6d, 0x61, 0x70, 0x3c, 0x28, 0x64, 0x30, 0x29, 0x20, 0x2d, 0x3e, 0x20, 0x28,
    0x64, 0x30, 0x29, 0x3e, 0x00, 0x03, 0x03, 0x21, 0x23, 0x05, 0x21, 0x23, 0x01, 0x05, 0x11, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x17, 0x01, 0x09, 0x15, 0x03, 0x03, 0x29, 0x2b, 0x05,
    0x23, 0x11, 0x01, 0x1d, 0x19, 0x05, 0x03, 0x2f, 0x17, 0x31, 0x07, 0x09, 0x05, 0x25, 0x17, 0x01,
    0x0d, 0x0b, 0x01, 0x02, 0x02, 0x05, 0x03, 0x01, 0x03, 0x01, 0x15, 0x03, 0x11, 0x07, 0x1d, 0x01,
    0x41, 0x04, 0x55, 0x05, 0x01, 0x10, 0x05, 0x07, 0x03, 0x01, 0x05, 0x03, 0x11, 0x11, 0x07, 0x07,
    0x03, 0x07, 0x13, 0x03, 0x01, 0x13, 0x07, 0x03, 0x03, 0x15, 0x03, 0x01, 0x09, 0x03, 0x25, 0x1f,
    0x03, 0x05, 0x0b, 0x05, 0x2d, 0x27, 0x03, 0x01, 0x05, 0x04, 0x33, 0x03, 0x03, 0x06, 0x03, 0x01,
    0x05, 0x01, 0x00, 0x8a, 0x02, 0x27, 0x05, 0x1f, 0x29, 0x05, 0x0d, 0x05, 0x13, 0x1d, 0x0f, 0x05,
    0x0d, 0x13, 0x0f, 0x0f, 0x11, 0x0f, 0x0d, 0x0b, 0x11, 0x62, 0x75, 0x69, 0x6c, 0x74, 0x69, 0x6e,
    0x00, 0x66, 0x75, 0x6e, 0x63, 0x00, 0x61, 0x72, 0x69, 0x74, 0x68, 0x00, 0x6d, 0x65, 0x6d, 0x72,
    0x65, 0x66, 0x00, 0x74, 0x6f, 0x72, 0x71, 0x5f, 0x68, 0x6c, 0x00, 0x6d, 0x6f, 0x64, 0x75, 0x6c,
    0x65, 0x00, 0x72, 0x65, 0x74, 0x75, 0x72, 0x6e, 0x00, 0x63, 0x6f, 0x6e, 0x73, 0x74, 0x61, 0x6e,
    0x74, 0x00, 0x61, 0x6c, 0x6c, 0x6f, 0x63, 0x00, 0x78, 0x00, 0x73, 0x2e, 0x6d, 0x6c, 0x69, 0x72,
    0x00, 0x66, 0x75, 0x6e, 0x63, 0x74, 0x69, 0x6f, 0x6e, 0x5f, 0x74, 0x79, 0x70, 0x65, 0x00, 0x73,
    0x79, 0x6d, 0x5f, 0x6e, 0x61, 0x6d, 0x65, 0x00, 0x66, 0x00, 0x76, 0x61, 0x6c, 0x75, 0x65, 0x00,
    0x61, 0x00, 0x6f, 0x70, 0x65, 0x72, 0x61, 0x6e, 0x64, 0x53, 0x65, 0x67, 0x6d, 0x65, 0x6e, 0x74,
    0x53, 0x69, 0x7a, 0x65, 0x73, 0x00, 0x74, 0x6f, 0x72, 0x71, 0x2d, 0x61, 0x63, 0x74, 0x69, 0x6f,
    0x6e, 0x2d, 0x69, 0x64, 0x00, 0x62, 0x00,
};

/* Version 6: properties, isolated sections. */
static const uint8_t small_v6[] = {
    0x4d, 0x4c, 0xef, 0x52, 0x0d, 0x4d, 0x4c, 0x49, 0x52, 0x32, 0x32, 0x2e, 0x31, 0x2e, 0x38, 0x00,
    0x01, 0x2f, 0x0b, 0x01, 0x05, 0x09, 0x0d, 0x11, 0x0d, 0x01, 0x03, 0x17, 0x03, 0x05, 0x07, 0x1b,
    0x05, 0x03, 0x1f, 0x07, 0x03, 0x23, 0x09, 0x03, 0x25, 0x03, 0x41, 0x2b, 0x0b, 0x01, 0x2b, 0x0b,
    0x13, 0x13, 0x0b, 0x0b, 0x13, 0x13, 0x0f, 0x0b, 0x65, 0x13, 0x13, 0x0b, 0x0f, 0x13, 0x0b, 0x0f,
    0x13, 0x13, 0x0b, 0x13, 0x01, 0x0b, 0x0f, 0x17, 0x17, 0x0b, 0x07, 0x02, 0xd1, 0x05, 0x15, 0x17,
    0x11, 0x03, 0x05, 0x17, 0x01, 0x03, 0x03, 0x0d, 0x03, 0x05, 0x17, 0x17, 0x01, 0x05, 0x07, 0x17,
    0x01, 0x05, 0x21, 0x11, 0x01, 0x15, 0x05, 0x19, 0x61, 0x66, 0x66, 0x69, 0x6e, 0x65, 0x5f, 0x6d,
    0x61, 0x70, 0x3c, 0x28, 0x64, 0x30, 0x29, 0x20, 0x2d, 0x3e, 0x20, 0x28, 0x64, 0x30, 0x29, 0x3e,
    0x00, 0x17, 0x01, 0x09, 0x15, 0x03, 0x03, 0x19, 0x1b, 0x05, 0x1b, 0x11, 0x01, 0x1d, 0x03, 0x03,
    0x1f, 0x21, 0x05, 0x1d, 0x11, 0x09, 0x0d, 0x19, 0x05, 0x03, 0x25, 0x17, 0x27, 0x07, 0x09, 0x05,
    0x1f, 0x17, 0x01, 0x0d, 0x0b, 0x01, 0x02, 0x02, 0x05, 0x03, 0x01, 0x03, 0x01, 0x15, 0x03, 0x11,
    0x07, 0x13, 0x01, 0x41, 0x03, 0x04, 0x63, 0x05, 0x01, 0x50, 0x05, 0x01, 0x07, 0x04, 0x53, 0x03,
    0x01, 0x05, 0x03, 0x50, 0x0b, 0x03, 0x07, 0x04, 0x3f, 0x03, 0x07, 0x13, 0x03, 0x03, 0x0d, 0x00,
    0x07, 0x42, 0x03, 0x05, 0x03, 0x01, 0x09, 0x42, 0x15, 0x07, 0x03, 0x05, 0x0b, 0x45, 0x23, 0x17,
    0x09, 0x03, 0x01, 0x05, 0x04, 0x29, 0x03, 0x03, 0x06, 0x03, 0x01, 0x05, 0x01, 0x00, 0xe3, 0x21,
    0x05, 0x07, 0x1f, 0x05, 0x05, 0x0f, 0x05, 0x0d, 0x13, 0x0f, 0x0f, 0x11, 0x0f, 0x0d, 0x0b, 0x11,
    0x62, 0x75, 0x69, 0x6c, 0x74, 0x69, 0x6e, 0x00, 0x66, 0x75, 0x6e, 0x63, 0x00, 0x61, 0x72, 0x69,
    0x74, 0x68, 0x00, 0x6d, 0x65, 0x6d, 0x72, 0x65, 0x66, 0x00, 0x74, 0x6f, 0x72, 0x71, 0x5f, 0x68,
    0x6c, 0x00, 0x6d, 0x6f, 0x64, 0x75, 0x6c, 0x65, 0x00, 0x72, 0x65, 0x74, 0x75, 0x72, 0x6e, 0x00,
    0x63, 0x6f, 0x6e, 0x73, 0x74, 0x61, 0x6e, 0x74, 0x00, 0x61, 0x6c, 0x6c, 0x6f, 0x63, 0x00, 0x78,
    0x00, 0x73, 0x2e, 0x6d, 0x6c, 0x69, 0x72, 0x00, 0x66, 0x00, 0x61, 0x00, 0x74, 0x6f, 0x72, 0x71,
    0x2d, 0x61, 0x63, 0x74, 0x69, 0x6f, 0x6e, 0x2d, 0x69, 0x64, 0x00, 0x69, 0x64, 0x00, 0x62, 0x00,
    0x08, 0x25, 0x0b, 0x05, 0x01, 0x01, 0x0d, 0x01, 0x07, 0x01, 0x01, 0x09, 0x01, 0x03, 0x0f, 0x05,
    0x01, 0x03, 0x03, 0x1d,
};
// clang-format on

/* ---- helpers ---- */

/* Reads a copy of exactly |len| bytes, so that the address sanitizer sees a step too far. */
static tacho_status read_copy(const uint8_t *bytes, size_t len, const tacho_mlir_schemas *schemas,
                              tacho_mlir_module *out_module)
{
    char *copy = malloc(len > 0 ? len : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, len);
    assert_null(tacho_mlir_module_init(out_module));
    tacho_status status =
        tacho_mlir_bytecode_read_with("m.mlirb", tacho_str_make(copy, len), schemas, out_module);
    free(copy);
    return status;
}

static void assert_text(tacho_str text, const char *expected)
{
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.data, expected, text.len);
}

static void assert_string(const tacho_mlir_module *module, uint32_t id, const char *expected)
{
    assert_text(tacho_mlir_module_string(module, id), expected);
}

static const tacho_mlir_attr *attr_of(const tacho_mlir_module *module, uint32_t op,
                                      const char *name, tacho_mlir_attr_kind kind)
{
    const tacho_mlir_attr *attr = tacho_mlir_module_attr_called(module, &module->ops[op], name);
    assert_non_null(attr);
    assert_int_equal(attr->kind, kind);
    return attr;
}

static void assert_fails(const uint8_t *bytes, size_t len, tacho_code code, const char *message)
{
    tacho_mlir_module module;
    tacho_status status = read_copy(bytes, len, NULL, &module);
    assert_int_equal(tacho_status_code(status), code);
    assert_non_null(strstr(tacho_status_message(status), message));
    tacho_status_free(status);
    tacho_mlir_module_deinit(&module);
}

/* ---- output of mlir-opt ---- */

static void check_small(const uint8_t *bytes, size_t len, bool has_properties)
{
    tacho_mlir_module module;
    assert_null(read_copy(bytes, len, NULL, &module));
    assert_true(tacho_mlir_module_is_sound(&module));
    assert_int_equal(module.op_count, 6);
    assert_int_equal(module.region_count, 2);
    assert_int_equal(module.block_count, 2);
    assert_int_equal(module.value_count, 3);
    assert_int_equal(module.undecoded_count, 0);
    assert_text(tacho_mlir_module_string(&module, module.ops[0].name), "builtin.module");
    assert_int_equal(module.ops[0].block, TACHO_NONE);
    assert_text(tacho_mlir_module_string(&module, module.ops[1].name), "func.func");
    assert_text(attr_of(&module, 1, "sym_name", TACHO_MLIR_ATTR_STRING)->text, "f");
    assert_text(attr_of(&module, 1, "function_type", TACHO_MLIR_ATTR_TEXT)->text, "(i32) -> i32");
    assert_int_equal(module.blocks[1].argument_count, 1);
    assert_string(&module, module.values[module.blocks[1].first_argument].type, "i32");
    assert_text(tacho_mlir_module_string(&module, module.ops[2].name), "arith.constant");
    assert_int_equal(attr_of(&module, 2, "value", TACHO_MLIR_ATTR_INT)->as_int, 5);
    assert_string(&module, module.ops[2].location, "\"a\":1:2");
    const tacho_mlir_attr *sizes = attr_of(&module, 3, "operandSegmentSizes", TACHO_MLIR_ATTR_INTS);
    assert_int_equal(sizes->int_count, 2);
    assert_int_equal(sizes->ints[0], 0);
    assert_string(&module, module.values[module.ops[3].first_result].type, "memref<4xi8>");
    assert_text(tacho_mlir_module_string(&module, module.ops[4].name), "torq_hl.x");
    int64_t value = 0;
    uint32_t action_id = tacho_strings_find(&module.strings, TACHO_STR("torq-action-id"));
    uint32_t id = tacho_strings_find(&module.strings, TACHO_STR("id"));
    assert_true(tacho_mlir_module_int(&module, &module.ops[4], action_id, &value));
    assert_int_equal(value, 7);
    assert_int_equal(tacho_mlir_module_int(&module, &module.ops[4], id, &value), has_properties);
    assert_int_equal(value, has_properties ? 3 : 7);
    assert_string(&module, module.ops[4].location, "fused[\"a\":1:2, \"b\":3:4]");
    assert_int_equal(module.operands[module.ops[4].first_operand], module.blocks[1].first_argument);
    assert_text(tacho_mlir_module_string(&module, module.ops[5].name), "func.return");
    assert_int_equal(module.operands[module.ops[5].first_operand], module.ops[2].first_result);
    assert_int_equal(module.next_op[4], 5);
    assert_int_equal(module.next_op[5], TACHO_NONE);
    tacho_mlir_module_deinit(&module);
}

static void test_small(void **state)
{
    (void)state;
    check_small(small_v1, sizeof(small_v1), false);
    check_small(small_v6, sizeof(small_v6), true);
}

static void test_is_bytecode(void **state)
{
    (void)state;
    assert_true(tacho_mlir_is_bytecode(TACHO_STR("ML\xefR\x0d")));
    assert_false(tacho_mlir_is_bytecode(TACHO_STR("ML\xef")));
    assert_false(tacho_mlir_is_bytecode(TACHO_STR("module {}")));
}

/* ---- damage ---- */

static void test_truncated(void **state)
{
    (void)state;
    for (size_t len = 0; len < sizeof(small_v6); len++) {
        assert_fails(small_v6, len, TACHO_CODE_BAD_DATA, "m.mlirb: byte ");
    }
    for (size_t len = 0; len < sizeof(small_v1); len++) {
        assert_fails(small_v1, len, TACHO_CODE_BAD_DATA, "m.mlirb: byte ");
    }
}

static tacho_status read_lenient(const uint8_t *bytes, size_t len, tacho_mlir_module *out_module)
{
    char *copy = malloc(len > 0 ? len : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, len);
    assert_null(tacho_mlir_module_init(out_module));
    tacho_status status =
        tacho_mlir_bytecode_read_lenient("m.mlirb", tacho_str_make(copy, len), out_module);
    free(copy);
    return status;
}

/* Where the properties of the second begin, its last section. */
enum { PROPERTIES_AT = sizeof(small_v6) - 20 };

/* A cut in the tables leaves nothing; one in the properties after them loses only properties. */
static void test_truncated_lenient(void **state)
{
    (void)state;
    tacho_mlir_module module;
    assert_int_equal(small_v6[PROPERTIES_AT], 8);
    for (size_t len = 0; len <= sizeof(small_v6); len++) {
        tacho_status status = read_lenient(small_v6, len, &module);
        if (status == TACHO_OK) {
            assert_true(len >= PROPERTIES_AT);
            assert_true(tacho_mlir_module_is_sound(&module));
            assert_int_equal(module.op_count, 6);
            assert_int_equal(module.open_op_count, 0);
            assert_int_equal(module.damage.len > 0, len < sizeof(small_v6));
        } else {
            assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
            assert_true(len < PROPERTIES_AT);
        }
        tacho_status_free(status);
        tacho_mlir_module_deinit(&module);
    }
    /* Six operations, of which five have properties; the last of these is cut. */
    assert_null(read_lenient(small_v6, sizeof(small_v6) - 1, &module));
    assert_int_equal(module.undecoded_count, 1);
    assert_string(&module, module.ops[5].name, "func.return");
    tacho_mlir_module_deinit(&module);
}

/* Where the operations are last, the complete ones are read, and the open ones are listed. */
static void test_cut_operations(void **state)
{
    (void)state;
    enum { IR_AT = 209, IR_LEN = 2 + 42 };
    uint8_t moved[sizeof(small_v1)];
    size_t rest = sizeof(small_v1) - IR_AT - IR_LEN;
    tacho_mlir_module module;
    assert_int_equal(small_v1[IR_AT + 1], 42 * 2 + 1);
    memcpy(moved, small_v1, IR_AT);
    memcpy(moved + IR_AT, small_v1 + IR_AT + IR_LEN, rest);
    memcpy(moved + IR_AT + rest, small_v1 + IR_AT, IR_LEN);
    assert_null(read_lenient(moved, sizeof(moved), &module));
    assert_int_equal(module.op_count, 6);
    assert_int_equal(module.damage.len, 0);
    tacho_mlir_module_deinit(&module);
    size_t op_count = 0;
    for (size_t len = IR_AT + rest + 2; len < sizeof(moved); len++) {
        assert_null(read_lenient(moved, len, &module));
        assert_true(tacho_mlir_module_is_sound(&module));
        assert_true(module.damage.len > 0);
        assert_true(module.op_count >= op_count);
        op_count = module.op_count;
        for (size_t i = 0; i < module.open_op_count && i < 2; i++) { /* the module, the function */
            assert_int_equal(module.open_ops[i], i);
        }
        tacho_mlir_module_deinit(&module);
    }
    assert_int_equal(op_count, 6);
    assert_fails(moved, sizeof(moved) - 1, TACHO_CODE_BAD_DATA, "m.mlirb: byte ");
}

static uint32_t random_next(uint32_t *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return *seed >> 8;
}

static void flip_bits(const uint8_t *bytes, size_t len, uint32_t *seed)
{
    uint8_t copy[1024];
    assert_true(len <= sizeof(copy));
    memcpy(copy, bytes, len);
    for (uint32_t flips = 1 + random_next(seed) % 3; flips > 0; flips--) {
        copy[random_next(seed) % len] ^= (uint8_t)(1U << random_next(seed) % 8);
    }
    tacho_mlir_module module;
    tacho_status status = read_copy(copy, len, NULL, &module);
    if (status == TACHO_OK) {
        assert_true(tacho_mlir_module_is_sound(&module));
    }
    tacho_status_free(status);
    tacho_mlir_module_deinit(&module);
    status = read_lenient(copy, len, &module);
    if (status == TACHO_OK) {
        assert_true(tacho_mlir_module_is_sound(&module));
    }
    tacho_status_free(status);
    tacho_mlir_module_deinit(&module);
}

static void test_flipped_bits(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int i = 0; i < 10000; i++) {
        flip_bits(small_v1, sizeof(small_v1), &seed);
        flip_bits(small_v6, sizeof(small_v6), &seed);
    }
}

static void test_version(void **state)
{
    (void)state;
    uint8_t copy[sizeof(small_v6)];
    memcpy(copy, small_v6, sizeof(copy));
    copy[4] = 7 << 1 | 1;
    assert_fails(copy, sizeof(copy), TACHO_CODE_UNSUPPORTED, "version 7, only 0 to 6");
}

/* ---- files of our own ---- */

typedef struct bytes {
    uint8_t *data;
    size_t len;
    size_t capacity;
} bytes;

static void put_byte(bytes *out, unsigned value)
{
    if (out->len == out->capacity) {
        out->capacity = out->capacity * 2 + 64;
        out->data = realloc(out->data, out->capacity);
        assert_non_null(out->data);
    }
    out->data[out->len++] = (uint8_t)value;
}

/* Small ones in a byte, others in nine, which is allowed too. */
static void put_number(bytes *out, uint64_t value)
{
    if (value < 128) {
        put_byte(out, (unsigned)value << 1 | 1);
        return;
    }
    put_byte(out, 0);
    for (int i = 0; i < 8; i++) {
        put_byte(out, (unsigned)(value >> (8 * i) & 255));
    }
}

static void put_numbers(bytes *out, size_t count, const uint64_t *values)
{
    for (size_t i = 0; i < count; i++) {
        put_number(out, values[i]);
    }
}

#define PUT(out, ...)                                                                              \
    put_numbers((out), sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t),                       \
                (uint64_t[]){__VA_ARGS__})

static void put_section(bytes *out, unsigned id, const bytes *section)
{
    put_byte(out, id);
    put_number(out, section->len);
    for (size_t i = 0; i < section->len; i++) {
        put_byte(out, section->data[i]);
    }
}

/* The parts that differ between files; the names are always those below. */
typedef struct parts {
    bytes entries; /* the data of attributes */
    bytes sizes;   /* of each */
    uint64_t attr_count;
    bytes ir;
    bytes properties;
    size_t entry_start;
} parts;

/* Operation 0 is t.op, which its writer did not know; the others are known ones of torq. */
static const char *const names[] = {"builtin",       "t",           "torq_hl", "op", "program",
                                    "start_program", "slice_start", "a \"b\"", "z"};
enum { NAME_COUNT = sizeof(names) / sizeof(*names), NAME_QUOTED = 7, NAME_Z = 8 };
enum { OP_PLAIN, OP_PROGRAM, OP_START_PROGRAM };

static void end_entry(parts *file)
{
    put_number(&file->sizes, (file->entries.len - file->entry_start) << 1 | 1);
    file->entry_start = file->entries.len;
    file->attr_count++;
}

#define ADD_ATTR(file, ...)                                                                        \
    do {                                                                                           \
        PUT(&(file)->entries, __VA_ARGS__);                                                        \
        end_entry((file));                                                                         \
    } while (0)
static void put_names(bytes *out)
{
    bytes strings = {0};
    put_number(&strings, NAME_COUNT);
    for (size_t i = NAME_COUNT; i > 0; i--) {
        put_number(&strings, strlen(names[i - 1]) + 1);
    }
    for (size_t i = 0; i < NAME_COUNT; i++) {
        for (const char *at = names[i]; *at != '\0'; at++) {
            put_byte(&strings, (unsigned char)*at);
        }
        put_byte(&strings, 0);
    }
    put_section(out, 0, &strings);
    free(strings.data);
    bytes dialects = {0};
    PUT(&dialects, 3, 0 << 1, 1 << 1, 2 << 1, 3, 1, 1, 3 << 1, 2, 2, 4 << 1 | 1, 5 << 1 | 1);
    put_section(out, 1, &dialects);
    free(dialects.data);
}

/* All of them attributes of the builtin dialect. */
static void put_sizes(bytes *out, const parts *file)
{
    bytes sizes = {0};
    PUT(&sizes, file->attr_count, 0, 0, file->attr_count);
    for (size_t i = 0; i < file->sizes.len; i++) {
        put_byte(&sizes, file->sizes.data[i]);
    }
    put_section(out, 3, &sizes);
    free(sizes.data);
}

static bytes compose(parts *file)
{
    bytes out = {0};
    for (const char *at = "ML\xefR\x0d"; *at != '\0'; at++) {
        put_byte(&out, (unsigned char)*at);
    }
    put_byte(&out, 0);
    put_names(&out);
    put_section(&out, 2, &file->entries);
    put_sizes(&out, file);
    put_section(&out, 4, &file->ir);
    put_section(&out, 8, &file->properties);
    free(file->entries.data);
    free(file->sizes.data);
    free(file->ir.data);
    free(file->properties.data);
    return out;
}

static tacho_status read_parts(parts *file, const tacho_mlir_schemas *schemas,
                               tacho_mlir_module *out_module)
{
    bytes whole = compose(file);
    tacho_status status = read_copy(whole.data, whole.len, schemas, out_module);
    free(whole.data);
    return status;
}

static void assert_parts_fail(parts *file, tacho_code code, const char *message)
{
    bytes whole = compose(file);
    assert_fails(whole.data, whole.len, code, message);
    free(whole.data);
}

/* An operation without anything but attributes: name, mask, location 0, dictionary. */
static void put_attr_op(bytes *ir, uint64_t dictionary)
{
    put_number(ir, OP_PLAIN);
    put_byte(ir, 1);
    PUT(ir, 0, dictionary);
}

enum { ARRAY = 0, DICTIONARY = 1, STRING = 2, UNKNOWN_LOCATION = 15 };

/* One operation with the attribute z = attribute |value|; attribute 0 is its location. */
static void put_one_op(parts *file, uint64_t value)
{
    uint64_t name = file->attr_count;
    ADD_ATTR(file, STRING, NAME_Z);
    ADD_ATTR(file, DICTIONARY, 1, name, value);
    PUT(&file->ir, 1 << 1);
    put_attr_op(&file->ir, name + 1);
}

/* ---- blobs of known operations ---- */

/* A known operation with properties |index|. */
static void put_native_op(bytes *ir, uint64_t name, uint64_t index)
{
    put_number(ir, name);
    put_byte(ir, 64);
    PUT(ir, 0, index);
}

static void put_natives(parts *file)
{
    ADD_ATTR(file, UNKNOWN_LOCATION);
    ADD_ATTR(file, STRING, NAME_QUOTED);
    /* Five blobs: a name; a location as name; too long; sparse 1 at 0 and 2 at 2; dense 1 2 3. */
    PUT(&file->properties, 5, 1, 1, 1, 0, 2, 1, 1);
    PUT(&file->properties, 4, 2 << 1 | 1, 2, 1 << 2 | 0, 2 << 2 | 2);
    PUT(&file->properties, 4, 3 << 1 | 0, 1, 2, 3);
    PUT(&file->ir, 6 << 1);
    put_native_op(&file->ir, OP_PROGRAM, 0);
    put_native_op(&file->ir, OP_PROGRAM, 1);
    put_native_op(&file->ir, OP_PROGRAM, 2);
    put_native_op(&file->ir, OP_START_PROGRAM, 3);
    put_native_op(&file->ir, OP_START_PROGRAM, 4);
    put_native_op(&file->ir, OP_START_PROGRAM, 2);
}

static void test_native_properties(void **state)
{
    (void)state;
    parts file = {0};
    put_natives(&file);
    tacho_mlir_module module;
    assert_null(read_parts(&file, NULL, &module));
    assert_int_equal(module.op_count, 6);
    assert_int_equal(module.undecoded_count, 3);
    assert_text(tacho_mlir_module_string(&module, module.ops[0].name), "torq_hl.program");
    assert_text(attr_of(&module, 0, "name", TACHO_MLIR_ATTR_STRING)->text, "a \"b\"");
    assert_int_equal(module.ops[1].attr_count, 0);
    assert_int_equal(module.ops[2].attr_count, 0);
    const tacho_mlir_attr *sparse =
        attr_of(&module, 3, "operandSegmentSizes", TACHO_MLIR_ATTR_INTS);
    assert_int_equal(sparse->int_count, 3);
    assert_int_equal(sparse->ints[0], 1);
    assert_int_equal(sparse->ints[1], 0);
    assert_int_equal(sparse->ints[2], 2);
    const tacho_mlir_attr *dense = attr_of(&module, 4, "operandSegmentSizes", TACHO_MLIR_ATTR_INTS);
    assert_int_equal(dense->ints[0], 1);
    assert_int_equal(dense->ints[1], 2);
    assert_int_equal(dense->ints[2], 3);
    assert_int_equal(module.ops[5].attr_count, 0);
    tacho_mlir_module_deinit(&module);
}

/* A schema of the caller's wins; the built-in one still serves properties that it does not fit. */
static void test_own_schema(void **state)
{
    (void)state;
    static const tacho_mlir_op_schema own = {
        "torq_hl.program",
        {{"first", TACHO_MLIR_PROPERTY_REQUIRED, TACHO_MLIR_ATTR_STRING, 0},
         {"second", TACHO_MLIR_PROPERTY_OPTIONAL, TACHO_MLIR_ATTR_UNKNOWN, 0}}};
    tacho_mlir_schemas schemas = {&own, 1};
    parts file = {0};
    put_natives(&file);
    tacho_mlir_module module;
    assert_null(read_parts(&file, &schemas, &module));
    assert_int_equal(module.undecoded_count, 2);
    attr_of(&module, 0, "name", TACHO_MLIR_ATTR_STRING);
    assert_text(attr_of(&module, 2, "first", TACHO_MLIR_ATTR_STRING)->text, "a \"b\"");
    assert_text(attr_of(&module, 2, "second", TACHO_MLIR_ATTR_TEXT)->text, "loc(unknown)");
    tacho_mlir_module_deinit(&module);
}

/* ---- hostile ---- */

static void test_cycle(void **state)
{
    (void)state;
    parts direct = {0};
    ADD_ATTR(&direct, UNKNOWN_LOCATION);
    ADD_ATTR(&direct, ARRAY, 1, 1);
    put_one_op(&direct, 1);
    assert_parts_fail(&direct, TACHO_CODE_BAD_DATA, "part of itself");
    parts around = {0};
    ADD_ATTR(&around, UNKNOWN_LOCATION);
    ADD_ATTR(&around, ARRAY, 1, 2);
    ADD_ATTR(&around, ARRAY, 2, 0, 3);
    ADD_ATTR(&around, ARRAY, 2, 0, 1);
    put_one_op(&around, 1);
    assert_parts_fail(&around, TACHO_CODE_BAD_DATA, "part of itself");
}

/* Each array holds the one before it twice: 2^60 locations if it were printed. */
static void test_blow_up(void **state)
{
    (void)state;
    parts file = {0};
    ADD_ATTR(&file, UNKNOWN_LOCATION);
    for (uint64_t i = 0; i < 60; i++) {
        ADD_ATTR(&file, ARRAY, 2, i, i);
    }
    put_one_op(&file, 60);
    assert_parts_fail(&file, TACHO_CODE_LIMIT, "longer than 1048576 bytes");
}

/* A chain of arrays far deeper than any stack, to be decoded from its far end. */
static void test_deep_attribute(void **state)
{
    (void)state;
    enum { DEPTH = 200000 };
    parts file = {0};
    ADD_ATTR(&file, UNKNOWN_LOCATION);
    for (uint64_t i = 0; i < DEPTH; i++) {
        ADD_ATTR(&file, ARRAY, 1, i + 2);
    }
    ADD_ATTR(&file, ARRAY, 0);
    put_one_op(&file, 1);
    assert_parts_fail(&file, TACHO_CODE_LIMIT, "longer than");
}

static void put_nested(parts *file, size_t depth)
{
    ADD_ATTR(file, UNKNOWN_LOCATION);
    PUT(&file->ir, 1 << 1);
    for (size_t i = 0; i < depth; i++) {
        put_number(&file->ir, OP_PLAIN);
        put_byte(&file->ir, 16);
        /* Location 0, one region, of one block, no values, one operation. */
        PUT(&file->ir, 0, 1 << 1, 1, 0, 1 << 1);
    }
    put_number(&file->ir, OP_PLAIN);
    put_byte(&file->ir, 0);
    PUT(&file->ir, 0);
}

static void test_deep_regions(void **state)
{
    (void)state;
    parts file = {0};
    put_nested(&file, TACHO_MLIR_DEPTH_MAX);
    tacho_mlir_module module;
    assert_null(read_parts(&file, NULL, &module));
    assert_int_equal(module.op_count, TACHO_MLIR_DEPTH_MAX + 1);
    assert_true(tacho_mlir_module_is_sound(&module));
    tacho_mlir_module_deinit(&module);
    parts deeper = {0};
    put_nested(&deeper, TACHO_MLIR_DEPTH_MAX + 1);
    assert_parts_fail(&deeper, TACHO_CODE_LIMIT, "nest more than 10000 deep");
}

static void test_counts(void **state)
{
    (void)state;
    parts blocks = {0};
    ADD_ATTR(&blocks, UNKNOWN_LOCATION);
    PUT(&blocks.ir, 1 << 1);
    put_number(&blocks.ir, OP_PLAIN);
    put_byte(&blocks.ir, 16);
    PUT(&blocks.ir, 0, 1 << 1, UINT64_C(1) << 40, 0, 0);
    assert_parts_fail(&blocks, TACHO_CODE_BAD_DATA, "1099511627776 blocks are announced");
    parts values = {0};
    ADD_ATTR(&values, UNKNOWN_LOCATION);
    PUT(&values.ir, 1 << 1);
    put_number(&values.ir, OP_PLAIN);
    put_byte(&values.ir, 16);
    PUT(&values.ir, 0, 1 << 1, 1, 1000, 0);
    assert_parts_fail(&values, TACHO_CODE_BAD_DATA, "1000 values are announced");
    parts sum = {0}; /* ten fit in these 15 bytes, but not twice */
    ADD_ATTR(&sum, UNKNOWN_LOCATION);
    PUT(&sum.ir, 2 << 1);
    for (int i = 0; i < 2; i++) {
        put_number(&sum.ir, OP_PLAIN);
        put_byte(&sum.ir, 16);
        PUT(&sum.ir, 0, 1 << 1, 1, 10, 0);
    }
    assert_parts_fail(&sum, TACHO_CODE_BAD_DATA, "10 values are announced");
    parts array = {0};
    ADD_ATTR(&array, UNKNOWN_LOCATION);
    ADD_ATTR(&array, ARRAY, 1000, 0);
    put_one_op(&array, 1);
    assert_parts_fail(&array, TACHO_CODE_BAD_DATA, "a count of 1000, but only 1 bytes follow");
}

/* Dictionaries cost little to name; operations that have the same one share it. */
static void test_shared_dictionary(void **state)
{
    (void)state;
    parts file = {0};
    ADD_ATTR(&file, UNKNOWN_LOCATION);
    ADD_ATTR(&file, STRING, NAME_Z);
    ADD_ATTR(&file, DICTIONARY, 1, 1, 1);
    PUT(&file.ir, 3 << 1);
    for (int i = 0; i < 3; i++) {
        put_attr_op(&file.ir, 2);
    }
    tacho_mlir_module module;
    assert_null(read_parts(&file, NULL, &module));
    assert_int_equal(module.op_count, 3);
    assert_int_equal(module.attr_count, 1);
    assert_text(attr_of(&module, 2, "z", TACHO_MLIR_ATTR_STRING)->text, "z");
    tacho_mlir_module_deinit(&module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_is_bytecode),       cmocka_unit_test(test_small),
        cmocka_unit_test(test_truncated),         cmocka_unit_test(test_flipped_bits),
        cmocka_unit_test(test_version),           cmocka_unit_test(test_native_properties),
        cmocka_unit_test(test_own_schema),        cmocka_unit_test(test_cycle),
        cmocka_unit_test(test_blow_up),           cmocka_unit_test(test_deep_attribute),
        cmocka_unit_test(test_deep_regions),      cmocka_unit_test(test_counts),
        cmocka_unit_test(test_shared_dictionary), cmocka_unit_test(test_truncated_lenient),
        cmocka_unit_test(test_cut_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
