/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of inputs as people write them, and outputs as they are printed.
 */
#include "session/run_values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/output_testing.h"

enum { INPUT_COUNT = 3 };

/* A program with inputs ids: 4xi64, x: 2x2xf32 and m: 2xu8. */
typedef struct fixture {
    tacho_program program;
    tacho_program_tensor tensors[INPUT_COUNT];
    tacho_shape shapes[INPUT_COUNT];
    uint32_t inputs[INPUT_COUNT];
    tacho_arena arena;
    tacho_array arrays[INPUT_COUNT];
} fixture;

static void setup(fixture *made)
{
    static const char *const names[] = {"ids", "x", "m"};
    static const tacho_dtype dtypes[] = {TACHO_DTYPE_I64, TACHO_DTYPE_F32, TACHO_DTYPE_U8};
    static const tacho_shape shapes[] = {
        {.rank = 1, .dims = {4}}, {.rank = 2, .dims = {2, 2}}, {.rank = 1, .dims = {2}}};
    *made = (fixture){.inputs = {0, 1, 2}};
    assert_null(tacho_strings_init(&made->program.strings));
    tacho_arena_init(&made->arena);
    for (uint32_t i = 0; i < INPUT_COUNT; i++) {
        made->shapes[i] = shapes[i];
        made->tensors[i].shape = i;
        made->tensors[i].dtype = (uint16_t)dtypes[i];
        assert_null(tacho_strings_ensure(&made->program.strings, tacho_str_from_cstring(names[i]),
                                         &made->tensors[i].name));
    }
    made->program.tensors = made->tensors;
    made->program.tensor_count = INPUT_COUNT;
    made->program.shapes = made->shapes;
    made->program.inputs = made->inputs;
    made->program.input_count = INPUT_COUNT;
}

static void teardown(fixture *made)
{
    tacho_strings_deinit(&made->program.strings);
    tacho_arena_deinit(&made->arena);
}

static tacho_status read_texts(fixture *made, const char *first, const char *second)
{
    const char *const items[] = {first, second};
    const tacho_run_input_texts texts = {.items = items, .item_count = second != NULL ? 2 : 1};
    return tacho_run_inputs_read(&made->program, &texts, &made->arena, made->arrays);
}

/* |text| is refused with |message|. */
static void check_refused(const char *first, const char *second, const char *message)
{
    fixture made;
    setup(&made);
    tacho_status status = read_texts(&made, first, second);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_USAGE);
    assert_string_equal(tacho_status_message(status), message);
    tacho_status_free(status);
    teardown(&made);
}

static void print_into(const tacho_array *array, uint64_t element_max, char *text, size_t room)
{
    tacho_output output;
    open_test_output(&output);
    assert_null(tacho_run_value_print(array, element_max, &output));
    text[read_test_output(&output, text, room - 1)] = '\0';
}

/* Input |index| is read from |text| and printed as |expected|. */
static void check_read(const char *text, size_t index, const char *expected)
{
    char printed[200];
    fixture made;
    setup(&made);
    tacho_status status = read_texts(&made, text, NULL);
    if (status != TACHO_OK) {
        fail_msg("%s: %s", text, tacho_status_message(status));
    }
    assert_non_null(made.arrays[index].data);
    print_into(&made.arrays[index], 100, printed, sizeof(printed));
    assert_string_equal(printed, expected);
    teardown(&made);
}

static void test_elements(void **state)
{
    (void)state;
    check_read("4xi64=1 2 3 4", 0, "4xi64=1 2 3 4");
    check_read("4xi64=[1,-2][3, 4]", 0, "4xi64=1 -2 3 4");
    check_read("4xi64=7", 0, "4xi64=7 7 7 7"); /* one for all */
    check_read("4xi64", 0, "4xi64=0 0 0 0");
    check_read("4xsi64=9223372036854775807 -9223372036854775808 0 1", 0,
               "4xi64=9223372036854775807 -9223372036854775808 0 1");
    check_read("x=2x2xf32=0.5 -1e3 inf 4", 1, "2x2xf32=[0.5 -1000][INF 4]");
    check_read("m=2xi8=255 0", 2, "2xu8=255 0"); /* MLIR's integers have no sign */
}

static void test_refusals(void **state)
{
    (void)state;
    check_refused("4xi64=1 2 3", NULL,
                  "input '4xi64=1 2 3': 3 elements, but the shape has 4; give all of them, or one "
                  "for all");
    check_refused("4xi64=9223372036854775808", NULL,
                  "input '4xi64=9223372036854775808': '9223372036854775808' is not a valid i64");
    check_refused("m=2xu8=256", NULL, "input 'm=2xu8=256': '256' is not a valid u8");
    check_refused("m=2xu8=-1", NULL, "input 'm=2xu8=-1': '-1' is not a valid u8");
    check_refused("x=2x2xf32=1 2 three 4", NULL,
                  "input 'x=2x2xf32=1 2 three 4': 'three' is not a valid f32");
    check_refused("4xi64=1", "ids=4xi64=2", "input 'ids=4xi64=2': input 0 'ids' was given already");
    check_refused("x=4xf32=1", NULL,
                  "input 'x=4xf32=1': input 1 'x' is 2x2 of f32, but 4 of f32 is given");
}

/* Before a program is known, only the shape of a text counts; a name says which input it is for. */
static void test_shapes(void **state)
{
    (void)state;
    static const char *const items[] = {"x=2x3xf32=1", "1x4xi64=0", "5xi8"};
    const tacho_run_input_texts texts = {.items = items, .item_count = 3};
    static const struct {
        const char *name;
        size_t index;
        int32_t rank;
        int64_t last; /* dimension */
    } cases[] = {{"x", 2, 2, 3}, {"ids", 0, 2, 4}, {"m", 1, 1, 5}, {"y", 3, TACHO_RANK_UNKNOWN, 0}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_shape shape;
        assert_null(tacho_run_input_shape(&texts, tacho_str_from_cstring(cases[i].name),
                                          cases[i].index, &shape));
        assert_int_equal(shape.rank, cases[i].rank);
        assert_true(shape.rank < 1 || shape.dims[shape.rank - 1] == cases[i].last);
    }
}

static void test_random(void **state)
{
    (void)state;
    fixture made;
    tacho_array again;
    setup(&made);
    for (size_t i = 0; i < INPUT_COUNT; i++) {
        assert_null(tacho_run_input_random(&made.program, i, 7, &made.arena, &made.arrays[i]));
    }
    const int64_t *ids = made.arrays[0].data;
    for (size_t i = 0; i < 4; i++) {
        assert_true(ids[i] == 0 || ids[i] == 1); /* they may be indices */
    }
    assert_null(tacho_run_input_random(&made.program, 1, 7, &made.arena, &again));
    assert_memory_equal(again.data, made.arrays[1].data, 16);
    assert_null(tacho_run_input_random(&made.program, 1, 8, &made.arena, &again));
    assert_true(memcmp(again.data, made.arrays[1].data, 16) != 0);
    teardown(&made);
}

static void test_printing(void **state)
{
    (void)state;
    char text[64];
    fixture made;
    setup(&made);
    int64_t elements[] = {1, 2, 3, 4};
    const tacho_array array = {TACHO_DTYPE_I64, made.shapes[0], elements};
    print_into(&array, 4, text, sizeof(text));
    assert_string_equal(text, "4xi64=1 2 3 4");
    print_into(&array, 3, text, sizeof(text));
    assert_string_equal(text, "4xi64=1 2 3...");
    tacho_run_input_print(&made.program, 1, text, sizeof(text));
    assert_string_equal(text, "x=2x2xf32=VALUE");
    teardown(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_shapes),   cmocka_unit_test(test_random),
        cmocka_unit_test(test_printing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
