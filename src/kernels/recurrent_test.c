/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of recurrent layers with activations that are exact, worked out by hand; and operands and
 * results that do not fit.
 */
#include "kernels/kernel_testing.h"

#define NAMES(...)                                                                                 \
    {                                                                                              \
        .name = TACHO_STR_INIT("activations"), .kind = TACHO_ATTR_TEXTS,                           \
        .count = sizeof((tacho_str[]){__VA_ARGS__}) / sizeof(tacho_str),                           \
        .value.as_texts = (tacho_str[])                                                            \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define RELU NAMES(TACHO_STR("Relu"))
#define PLAIN TACHO_STR("Affine") /* x, without parameters */
#define LINEAR NAMES(PLAIN, PLAIN, PLAIN)

/* h = relu(2x + h), of three steps of two sequences: 1 1 1 and 2 0 -9. */
#define X ARRAY(F32, SHAPE(3, 2, 1), 1, 2, 1, 0, 1, -9)
#define W ARRAY(F32, SHAPE(1, 1, 1), 2)
#define R ARRAY(F32, SHAPE(1, 1, 1), 1)

static void test_rnn(void **state)
{
    (void)state;
    tacho_shape all = SHAPE(3, 1, 2, 1);
    check(&(trial){.name = "RNN", .inputs = {X, W, R}, .attrs = {RELU}},
          ARRAY(F32, all, 2, 4, 4, 4, 6, 0));
    check(&(trial){.name = "RNN", .inputs = {X, W, R}, .attrs = {RELU, REAL("clip", 3)}},
          ARRAY(F32, all, 2, 3, 3, 3, 3, 0));
    check(
        &(trial){.name = "RNN", .inputs = {X, W, R}, .attrs = {RELU, TEXT("direction", "reverse")}},
        ARRAY(F32, all, 6, 4, 4, 0, 2, 0));
    check(&(trial){.name = "RNN",
                   .inputs = {X, W, R, NULL, NULL, ARRAY(F32, SHAPE(1, 2, 1), 10, 20)},
                   .attrs = {RELU}},
          ARRAY(F32, all, 12, 24, 14, 24, 16, 6));
}

static void test_lengths(void **state)
{
    (void)state;
    F32_type memory[6] = {9, 9, 9, 9, 9, 9}, last_memory[2] = {9, 9};
    tacho_array outputs[2] = {{TACHO_DTYPE_F32, SHAPE(3, 1, 2, 1), memory},
                              {TACHO_DTYPE_F32, SHAPE(1, 2, 1), last_memory}};
    trial given = {
        .name = "RNN",
        .inputs = {X, W, R, NULL, ARRAY(I32, SHAPE(2), 0, 2), ARRAY(F32, SHAPE(1, 2, 1), 10, 20)},
        .attrs = {RELU}};
    tacho_status status = run(&given, outputs, 2);
    assert_null(status);
    assert_memory_equal(memory, ((F32_type[]){0, 24, 0, 24, 0, 0}), sizeof(memory));
    assert_memory_equal(last_memory, ((F32_type[]){10, 24}), sizeof(last_memory));
    const tacho_array *const bad[] = {
        ARRAY(I32, SHAPE(2), 4, 1),    ARRAY(I32, SHAPE(2), -1, 1), ARRAY(F32, SHAPE(2), 1, 1),
        ARRAY(I32, SHAPE(2, 1), 1, 1), ARRAY(I32, SHAPE(1), 1),
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        given.inputs[4] = bad[i];
        check_failure(&given, TACHO_DTYPE_F32, SHAPE(3, 1, 2, 1), TACHO_CODE_BAD_DATA);
    }
}

/* Gates i o f c are 0.5, 1, 7 and 2 at each step; coupled, f is 1 - 0.5. */
static void test_lstm(void **state)
{
    (void)state;
    const tacho_array *x = ARRAY(F32, SHAPE(2, 1, 1), 1, 1);
    const tacho_array *w = ARRAY(F32, SHAPE(1, 4, 1), 0.5f, 1, 7, 2);
    const tacho_array *r = ARRAY(F32, SHAPE(1, 4, 1), 0, 0, 0, 0);
    check(&(trial){.name = "LSTM", .inputs = {x, w, r}, .attrs = {LINEAR}},
          ARRAY(F32, SHAPE(2, 1, 1, 1), 1, 8));
    check(&(trial){.name = "LSTM", .inputs = {x, w, r}, .attrs = {LINEAR, INT("input_forget", 1)}},
          ARRAY(F32, SHAPE(2, 1, 1, 1), 1, 1.5f));
    check(&(trial){.name = "LSTM", .inputs = {x, w, r}, .attrs = {LINEAR, REAL("clip", 1)}},
          ARRAY(F32, SHAPE(2, 1, 1, 1), 0.5f, 1));
}

/*
 * With activations that leave numbers as they are, c = f c + i g and h = o c. x is (5 - 3) / 2 = 1,
 * and of the first step i is (68 - 8) / 4 = 15, o 1, f 0 and g 17: c and h are 255, which is 255
 * quanta of 1. In the second step o and f have 255 more: c = 255 * 255 + 255 and h = 256 c.
 */
static void test_quantised(void **state)
{
    (void)state;
    trial given = {
        .name = "tacho.QuantisedLSTM",
        .inputs = {ARRAY(U8, SHAPE(2, 1, 1), 5, 5), ARRAY(I8, SHAPE(1, 4, 1), 68, 12, 8, 76),
                   ARRAY(I8, SHAPE(1, 4, 1), 0, 1, 1, 0), NULL, NULL, NULL, NULL, NULL,
                   ARRAY(F32, SCALAR, 0.5f), ARRAY(U8, SCALAR, 3), ARRAY(F32, SHAPE(1), 0.25f),
                   ARRAY(I8, SHAPE(1), 8), ARRAY(F32, SHAPE(1, 4), 1, 1, 1, 1), NULL},
        .attrs = {LINEAR}};
    check(&given, ARRAY(F32, SHAPE(2, 1, 1, 1), 255, 256 * 65280));
    const struct {
        size_t input;
        const tacho_array *wrong;
    } cases[] = {
        {0, ARRAY(I8, SHAPE(2, 1, 1), 5, 5)},
        {1, ARRAY(F32, SHAPE(1, 4, 1), 1, 1, 1, 1)},
        {8, NULL},
        {9, ARRAY(I8, SCALAR, 3)},
        {10, NULL},
        {10, ARRAY(F32, SHAPE(2), 1, 1)},
        {11, ARRAY(U8, SHAPE(1), 8)},
        {12, ARRAY(F32, SHAPE(1, 3), 1, 1, 1)},
        {13, ARRAY(I8, SHAPE(4), 1, 1, 1, 1)},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        trial bad = given;
        bad.inputs[cases[i].input] = cases[i].wrong;
        check_failure(&bad, TACHO_DTYPE_F32, SHAPE(2, 1, 1, 1), TACHO_CODE_BAD_DATA);
    }
}

/* What each output may not be, the others being right. */
static void test_bad_outputs(void **state)
{
    (void)state;
    const tacho_array *x = ARRAY(F32, SHAPE(2, 1, 1), 1, 1);
    const tacho_array *w = ARRAY(F32, SHAPE(1, 4, 1), 0.5f, 1, 7, 2);
    const tacho_array *r = ARRAY(F32, SHAPE(1, 4, 1), 0, 0, 0, 0);
    const trial given = {.name = "LSTM", .inputs = {x, w, r}, .attrs = {LINEAR}};
    const tacho_shape right[] = {SHAPE(2, 1, 1, 1), SHAPE(1, 1, 1), SHAPE(1, 1, 1)};
    const tacho_shape wrong[] = {SHAPE(1, 1, 1, 1), SHAPE(0, 1, 1), SHAPE(1, 1)};
    for (size_t i = 0; i < 7; i++) { /* right, a wrong shape of each, a wrong type of each */
        double memory[3][8];
        tacho_array outputs[3];
        for (size_t j = 0; j < 3; j++) {
            outputs[j] = (tacho_array){i == j + 4 ? TACHO_DTYPE_F64 : TACHO_DTYPE_F32,
                                       i == j + 1 ? wrong[j] : right[j], memory[j]};
        }
        tacho_status status = run(&given, outputs, 3);
        assert_int_equal(tacho_status_code(status), i == 0 ? TACHO_CODE_OK : TACHO_CODE_BAD_DATA);
        tacho_status_free(status);
    }
}

static void test_bad_operands(void **state)
{
    (void)state;
    tacho_shape all = SHAPE(3, 1, 2, 1);
    const tacho_array *flat = ARRAY(F32, SHAPE(1, 1), 2);
    double memory[2][8];
    check_failure(&(trial){.name = "RNN", .inputs = {X, flat, R}, .attrs = {RELU}}, TACHO_DTYPE_F32,
                  all, TACHO_CODE_BAD_DATA);
    check_failure(&(trial){.name = "RNN",
                           .inputs = {X, ARRAY(F32, SHAPE(1, 2, 1), 2, 2), R},
                           .attrs = {RELU}},
                  TACHO_DTYPE_F32, all, TACHO_CODE_BAD_DATA);
    /* as many elements, but in other dimensions */
    check_failure(&(trial){.name = "GRU",
                           .inputs = {X, ARRAY(F32, SHAPE(3, 1, 1), 1, 1, 1),
                                      ARRAY(F32, SHAPE(1, 3, 1), 1, 1, 1)}},
                  TACHO_DTYPE_F32, all, TACHO_CODE_BAD_DATA);
    check_failure(&(trial){.name = "RNN",
                           .inputs = {X, W, R},
                           .attrs = {RELU, TEXT("direction", "sideways")}},
                  TACHO_DTYPE_F32, all, TACHO_CODE_BAD_DATA);
    tacho_array outputs[3] = {
        {TACHO_DTYPE_F32, all, memory[0]}, {0}, {TACHO_DTYPE_F32, SHAPE(1, 2, 1), memory[1]}};
    tacho_status status =
        run(&(trial){.name = "RNN", .inputs = {X, W, R}, .attrs = {RELU}}, outputs, 3);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA); /* LSTM alone has a third */
    tacho_status_free(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rnn),         cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_lstm),        cmocka_unit_test(test_quantised),
        cmocka_unit_test(test_bad_outputs), cmocka_unit_test(test_bad_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
