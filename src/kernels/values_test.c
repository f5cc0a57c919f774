/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels of networks: ties, ranges, shapes of size 0 and 1, strides larger than the window, bad
 * indices. The standard's operator tests (tests/models/node_tests.c) have the rest.
 */
#include "kernels/kernel_testing.h"

#include "kernels/functions.h"

static void test_convolutions(void **state)
{
    (void)state;
    const tacho_array *row = ARRAY(F32, SHAPE(1, 1, 7), 1, 2, 3, 4, 5, 6, 7);
    const tacho_array *pair = ARRAY(F32, SHAPE(1, 1, 2), 1, 10);
    check(&(trial){.name = "Conv", .inputs = {row, pair}, .attrs = {INTS("strides", 4)}},
          ARRAY(F32, SHAPE(1, 1, 2), 21, 65));
    check(&(trial){.name = "Conv",
                   .inputs = {row, pair},
                   .attrs = {INTS("dilations", 5), INTS("pads", 1, 0)}},
          ARRAY(F32, SHAPE(1, 1, 3), 50, 61, 72));
    check(&(trial){.name = "Conv",
                   .inputs = {ARRAY(F32, SHAPE(1, 2, 1), 3, 5), ARRAY(F32, SHAPE(2, 1, 1), 2, 100),
                              ARRAY(F32, SHAPE(2), 1, -1)},
                   .attrs = {INT("group", 2)}},
          ARRAY(F32, SHAPE(1, 2, 1), 7, 499));
    check(&(trial){.name = "Conv", .inputs = {ARRAY(F32, SHAPE(0, 1, 7), 0), pair}},
          ARRAY(F32, SHAPE(0, 1, 6), 0));
    check_failure(&(trial){.name = "Conv", .inputs = {row, ARRAY(F32, SHAPE(1, 2, 2), 1, 1, 1, 1)}},
                  TACHO_DTYPE_F32, SHAPE(1, 1, 6), TACHO_CODE_BAD_DATA);
    /* 255 * 127 twice, where 16-bit pairs would saturate. */
    check(&(trial){.name = "ConvInteger",
                   .inputs = {ARRAY(U8, SHAPE(1, 1, 2), 255, 255),
                              ARRAY(I8, SHAPE(1, 1, 2), 127, 127)}},
          ARRAY(I32, SHAPE(1, 1, 1), 64770));
}

static void test_products(void **state)
{
    (void)state;
    const tacho_array *a = ARRAY(F32, SHAPE(2, 2), 1, 2, 3, 4);
    check(&(trial){.name = "MatMul", .inputs = {a, ARRAY(F32, SHAPE(2), 10, 1)}},
          ARRAY(F32, SHAPE(2), 12, 34));
    check(&(trial){.name = "MatMul",
                   .inputs = {ARRAY(F32, SHAPE(2, 0), 0), ARRAY(F32, SHAPE(0, 2), 0)}},
          ARRAY(F32, SHAPE(2, 2), 0, 0, 0, 0));
    check(&(trial){.name = "MatMul",
                   .inputs = {ARRAY(F32, SHAPE(2, 1, 1), 2, 3), ARRAY(F32, SHAPE(1, 2), 1, 10)}},
          ARRAY(F32, SHAPE(2, 1, 2), 2, 20, 3, 30));
    check(&(trial){.name = "Gemm",
                   .inputs = {a, a, ARRAY(F32, SHAPE(2, 1), 100, 200)},
                   .attrs = {REAL("alpha", 2), REAL("beta", 0.5), INT("transA", 1)}},
          ARRAY(F32, SHAPE(2, 2), 70, 78, 128, 140));
    /* Integers that double cannot hold wrap. */
    check(
        &(trial){.name = "MatMul",
                 .inputs = {ARRAY(I64, SHAPE(1, 2), INT64_MAX, 1), ARRAY(I64, SHAPE(2, 1), 1, 3)}},
        ARRAY(I64, SHAPE(1, 1), INT64_MIN + 2));
    check_failure(&(trial){.name = "MatMul", .inputs = {a, ARRAY(F32, SHAPE(3), 1, 1, 1)}},
                  TACHO_DTYPE_F32, SHAPE(2), TACHO_CODE_BAD_DATA);
}

static void test_quantising(void **state)
{
    (void)state;
    check(&(trial){.name = "QuantizeLinear",
                   .inputs = {ARRAY(F32, SHAPE(6), 1, 3, -1, 1000, -1000, 5), ARRAY(F32, SCALAR, 2),
                              ARRAY(U8, SCALAR, 10)}},
          ARRAY(U8, SHAPE(6), 10, 12, 10, 255, 0, 12)); /* halves to the even one */
    /* 25.4999997 is a tie as f32, and 101.487 as f16, where 1 / 16 is the next number. */
    trial close = {.name = "QuantizeLinear",
                   .inputs = {ARRAY(F32, SHAPE(1), 0.5f), ARRAY(F32, SCALAR, 5.0f / 255)}};
    trial short_close = {.name = "QuantizeLinear",
                         .inputs = {ARRAY(F16, SHAPE(1), 0x5657), ARRAY(F16, SCALAR, 0x3bff)}};
    check(&close, ARRAY(U8, SHAPE(1), 26));
    check(&short_close, ARRAY(U8, SHAPE(1), 102));
    close.is_of_product = short_close.is_of_product = true;
    check(&close, ARRAY(U8, SHAPE(1), 25));
    check(&short_close, ARRAY(U8, SHAPE(1), 101));
    check(&(trial){.name = "DequantizeLinear",
                   .inputs = {ARRAY(I8, SHAPE(2, 2), 1, 2, 3, 4), ARRAY(F32, SHAPE(2), 1, 0.5f),
                              ARRAY(I8, SHAPE(2), 1, 0)},
                   .attrs = {INT("axis", -1)}},
          ARRAY(F32, SHAPE(2, 2), 0, 1, 2, 2));
    check_failure(
        &(trial){.name = "QuantizeLinear",
                 .inputs = {ARRAY(F32, SHAPE(2, 2), 1, 2, 3, 4), ARRAY(F32, SHAPE(3), 1, 1, 1)}},
        TACHO_DTYPE_U8, SHAPE(2, 2), TACHO_CODE_BAD_DATA);
}

static void test_shapes_of_no_size(void **state)
{
    (void)state;
    const tacho_array *none = ARRAY(F32, SHAPE(2, 0, 3), 0);
    check(&(trial){.name = "Softmax", .inputs = {none}}, ARRAY(F32, SHAPE(2, 0, 3), 0));
    check(&(trial){.name = "Relu", .inputs = {none}}, ARRAY(F32, SHAPE(2, 0, 3), 0));
    check(&(trial){.name = "ReduceL2", .inputs = {none}, .attrs = {INTS("axes", 1)}},
          ARRAY(F32, SHAPE(2, 1, 3), 0, 0, 0, 0, 0, 0));
    check(&(trial){.name = "GatherElements",
                   .inputs = {none, ARRAY(I64, SHAPE(2, 0, 3), 0)},
                   .attrs = {INT("axis", -2)}},
          ARRAY(F32, SHAPE(2, 0, 3), 0));
    check(&(trial){.name = "Pad",
                   .inputs = {ARRAY(F32, SHAPE(0), 0), ARRAY(I64, SHAPE(2), 1, 1),
                              ARRAY(F32, SCALAR, 5)}},
          ARRAY(F32, SHAPE(2), 5, 5));
    check(&(trial){.name = "Softmax", .inputs = {ARRAY(F32, SHAPE(1), 88)}},
          ARRAY(F32, SHAPE(1), 1));
}

/* Integers lose their fraction, and stay within the type where a cubic shoots over. */
static void test_resampled_integers(void **state)
{
    (void)state;
    check(&(trial){.name = "Resize",
                   .inputs = {ARRAY(U8, SHAPE(1, 1, 1, 2), 0, 3), NULL,
                              ARRAY(F32, SHAPE(4), 1, 1, 1, 2)},
                   .attrs = {TEXT("mode", "linear"),
                             TEXT("coordinate_transformation_mode", "asymmetric")}},
          ARRAY(U8, SHAPE(1, 1, 1, 4), 0, 1, 3, 3));
    check(&(trial){.name = "Resize",
                   .inputs = {ARRAY(U8, SHAPE(1, 1, 1, 4), 0, 255, 255, 0), NULL,
                              ARRAY(F32, SHAPE(4), 1, 1, 1, 2)},
                   .attrs = {TEXT("mode", "cubic"),
                             TEXT("coordinate_transformation_mode", "asymmetric")}},
          ARRAY(U8, SHAPE(1, 1, 1, 8), 0, 127, 255, 255, 255, 127, 0, 0));
}

static void test_indices(void **state)
{
    (void)state;
    const tacho_array *row = ARRAY(I32, SHAPE(4), 10, 20, 30, 40);
    check(&(trial){.name = "GatherElements",
                   .inputs = {row, ARRAY(I64, SHAPE(3), -1, 0, 3)},
                   .attrs = {INT("axis", -1)}},
          ARRAY(I32, SHAPE(3), 40, 10, 40));
    check_failure(
        &(trial){.name = "GatherElements", .inputs = {row, ARRAY(I64, SHAPE(1), INT64_MIN)}},
        TACHO_DTYPE_I32, SHAPE(1), TACHO_CODE_BAD_DATA);
    check(&(trial){.name = "ScatterElements",
                   .inputs = {row, ARRAY(I64, SHAPE(2), 1, 1), ARRAY(I32, SHAPE(2), 5, 6)},
                   .attrs = {TEXT("reduction", "add")}},
          ARRAY(I32, SHAPE(4), 10, 31, 30, 40));
    check_failure(&(trial){.name = "ScatterND",
                           .inputs = {row, ARRAY(I64, SHAPE(1, 1), 4), ARRAY(I32, SHAPE(1), 5)}},
                  TACHO_DTYPE_I32, SHAPE(4), TACHO_CODE_BAD_DATA);
    check(&(trial){.name = "CumSum",
                   .inputs = {row, ARRAY(I32, SCALAR, -1)},
                   .attrs = {INT("reverse", 1), INT("exclusive", 1)}},
          ARRAY(I32, SHAPE(4), 90, 70, 40, 0));
    check(&(trial){.name = "Pad",
                   .inputs = {row, ARRAY(I64, SHAPE(2), 5, -2)},
                   .attrs = {TEXT("mode", "reflect")}},
          ARRAY(I32, SHAPE(7), 20, 30, 40, 30, 20, 10, 20));
}

/* Bits that must be the same everywhere. */
static void test_regions(void **state)
{
    (void)state;
    const tacho_array *picture = ARRAY(F32, SHAPE(1, 1, 2, 2), 1, 2, 3, 4);
    const tacho_array *regions = ARRAY(F32, SHAPE(1, 4), 0, 0, 1, NAN);
    check_failure(&(trial){.name = "RoiAlign",
                           .opset = 16,
                           .inputs = {picture, regions, ARRAY(I64, SHAPE(1), 0)},
                           .attrs = {INT("sampling_ratio", 2)}},
                  TACHO_DTYPE_F32, SHAPE(1, 1, 1, 1), TACHO_CODE_BAD_DATA);
}

static void test_functions(void **state)
{
    (void)state;
    check(&(trial){.name = "Exp", .inputs = {ARRAY(F32, SHAPE(4), 0, 1, -1, 100)}},
          ARRAY(F32, SHAPE(4), 1, 2.71828183f, 0.36787944f, INFINITY));
    check(&(trial){.name = "Erf", .inputs = {ARRAY(F32, SHAPE(3), 0, 1, -7)}},
          ARRAY(F32, SHAPE(3), 0, 0.84270079f, -1));
    check(&(trial){.name = "Tanh", .inputs = {ARRAY(F32, SHAPE(2), 0.5f, -30)}},
          ARRAY(F32, SHAPE(2), 0.46211716f, -1));
    assert_true(tacho_pow(-2, 3) == -8 && tacho_pow(2, -2) == 0.25 && isnan(tacho_pow(-2, 0.5)));
    for (int i = -60; i <= 60; i++) {
        for (double y = -2.75; y <= 2.75; y += 0.37) {
            double x = ldexp(1.37, 5 * i), wanted = pow(x, y);
            assert_true(fabs(tacho_pow(x, y) - wanted) <= 2e-15 * wanted);
        }
    }
    double tiny = nextafter(0, 1);
    assert_true(tacho_atan(tiny) == tiny && tacho_asin(-tiny) == -tiny);
    assert_true(tacho_log(0) == -(double)INFINITY && isnan(tacho_log(-1)));
    for (int i = -400; i <= 400; i++) {
        double x = i * 0.0371;
        assert_true(fabs(tacho_exp(x) - exp(x)) <= 4e-16 * exp(x));
        assert_true(fabs(tacho_sin(x) - sin(x)) <= 1e-15);
        assert_true(fabs(tacho_atan(x) - atan(x)) <= 1e-15 * fabs(x) + 1e-15);
        assert_true(fabs(tacho_erf(x) - erf(x)) <= 4e-15);
        assert_true(i <= 0 || fabs(tacho_log(x) - log(x)) <= 1e-15 * (1 + fabs(log(x))));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_convolutions),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_quantising),
        cmocka_unit_test(test_shapes_of_no_size),
        cmocka_unit_test(test_resampled_integers),
        cmocka_unit_test(test_indices),
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
