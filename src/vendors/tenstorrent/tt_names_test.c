/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runtime's names: by the main kind, else by the type of the first step, else by the kind.
 */
#include "vendors/tenstorrent/tt_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static uint32_t intern(tacho_program *program, const char *text)
{
    uint32_t id = 0;
    assert_null(tacho_strings_ensure(&program->strings, tacho_str_from_cstring(text), &id));
    return id;
}

/* |first_step| NULL: the operator has no steps. */
static void check_op(const char *kind, const char *type, const char *first_step,
                     const char *expected)
{
    tacho_program program = {.step_count = 0};
    char name[TT_NAME_MAX];
    assert_null(tacho_strings_init(&program.strings));
    tacho_step step = {.type = first_step != NULL ? intern(&program, first_step) : 0};
    program.steps = &step;
    const tacho_program_op op = {.kind = intern(&program, kind),
                                 .type = intern(&program, type),
                                 .step_count = first_step != NULL ? 1 : 0};
    tt_name_op(&program, &op, name);
    assert_string_equal(name, expected);
    tacho_strings_deinit(&program.strings);
}

static void test_operators(void **state)
{
    (void)state;
    check_op("matmul", "MatMul", "Reshape", "MatmulDeviceOperation");
    check_op("convolution", "tosa.conv2d", "tosa.conv2d", "Conv2dDeviceOperation");
    check_op("data", "Relu", "Transpose", "TransposeDeviceOperation");
    check_op("data", "tosa.concat", NULL, "ConcatDeviceOperation");
    check_op("binary", "Add", "Add", "BinaryNgDeviceOperation");
    check_op("other", "MyOp", NULL, "MyOpDeviceOperation");
    check_op("other", "tosa.custom", NULL, "customDeviceOperation");
}

/* A long type is cut, so that the name fits. */
static void test_long_types(void **state)
{
    (void)state;
    char type[200], expected[TT_NAME_MAX];
    memset(type, 'x', sizeof(type) - 1);
    type[sizeof(type) - 1] = '\0';
    memset(expected, 'x', 64);
    snprintf(expected + 64, sizeof(expected) - 64, "DeviceOperation");
    check_op("other", type, NULL, expected);
}

static void test_types(void **state)
{
    (void)state;
    static const struct {
        tacho_dtype dtype;
        const char *name;
    } cases[] = {
        {TACHO_DTYPE_BF16, "BFLOAT16"}, {TACHO_DTYPE_F32, "FLOAT32"}, {TACHO_DTYPE_U8, "UINT8"},
        {TACHO_DTYPE_BOOL, "UINT8"},    {TACHO_DTYPE_I4, "I4"}, /* none of the vendor's */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char name[TT_NAME_MAX];
        tt_name_dtype(cases[i].dtype, name);
        assert_string_equal(name, cases[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_long_types),
        cmocka_unit_test(test_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
