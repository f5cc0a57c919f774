/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Separates programs from models by their operations, not by names they mention.
 */
#include "sources/torq/ir_kind.h"

#include "base/mapping.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static bool is_program(const char *text)
{
    return torq_ir_is_program(tacho_str_from_cstring(text));
}

static void test_text(void **state)
{
    (void)state;
    static const char *const programs[] = {
        "module { func.func @f() { torq_hl.start_program %i : !t } }",
        "\"builtin.module\"() ({ \"torq_hw.dma_in_start\"() : () -> () }) : () -> ()",
        "func.func @f(%a: !torq_hl.memref<8xi8>) { return }",
        "#x = #torq_hw.layout<1>\nmodule {}",
        "module { // torq\n%0=torq_hl.const }",
        "\"unclosed\n torq_hl.program",
    };
    static const char *const models[] = {
        "",
        "module { func.func @f() { %0 = tosa.add %a, %b } }",
        "// torq_hl.add was here\nmodule { }",
        "module { } loc(\"torq_hl.add\")",
        "module { func.func @torq_hl.f() { %torq_hl.x = tosa.const } }",
        "module { func.func @\"torq_hl.f\"() { } }",
        "module { tosa.custom {name = \"a \\\" torq_hl.f\", xtorq_hl.y = 1} }",
        "module { func.func @f() } {-# dialect_resources: { torq_hl.x: 1 } #-}",
        "module { torq_hlx.add }",
        "\"unclosed torq_hl.program",
        "@\"",
        "!",
    };
    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
        if (!is_program(programs[i])) {
            fail_msg("a program: %s", programs[i]);
        }
    }
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
        if (is_program(models[i])) {
            fail_msg("no program: %s", models[i]);
        }
    }
}

/* Quotes without an end, each of which could hide the rest of the line: still in linear time. */
static void test_unclosed(void **state)
{
    (void)state;
    enum { BYTES = 1 << 22 };
    char *text = malloc(BYTES);
    assert_non_null(text);
    for (size_t i = 0; i < BYTES; i++) {
        text[i] = i % 2 == 0 ? '\\' : '"';
    }
    text[0] = '"';
    text[1] = ' ';
    assert_false(torq_ir_is_program(tacho_str_make(text, BYTES)));
    free(text);
}

static void check_file(const char *path, bool is_expected)
{
    tacho_mappings mappings = {.items = NULL};
    tacho_str bytes;
    tacho_status status = tacho_mappings_open(&mappings, path, &bytes);
    if (status != TACHO_OK) {
        fail_msg("%s", tacho_status_message(status));
    }
    assert_int_equal(torq_ir_is_program(bytes), is_expected);
    for (size_t len = 0; len < bytes.len; len++) { /* cut anywhere: at most not found */
        char *exact = malloc(len + 1);
        assert_non_null(exact);
        memcpy(exact, bytes.data, len);
        bool is_found = torq_ir_is_program(tacho_str_make(exact, len));
        assert_true(is_expected || !is_found);
        free(exact);
    }
    tacho_mappings_close(&mappings);
}

static void test_bytecode(void **state)
{
    (void)state;
    check_file(TACHO_TEST_DATA "/../fuzz/corpus/fuzz_mlir_bytecode/torq_v6", true);
    check_file(TACHO_TEST_DATA "/../fuzz/corpus/fuzz_mlir_bytecode/torq_v1", true);
    check_file(TACHO_TEST_DATA "/models/constants.mlirb", false);
    check_file(TACHO_TEST_DATA "/models/tosa_moves.mlirb", false);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_unclosed),
        cmocka_unit_test(test_bytecode),
    };
    return cmocka_run_group_tests_name("ir_kind", tests, NULL, NULL);
}
