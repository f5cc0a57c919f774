/* SPDX-License-Identifier: Apache-2.0 */
/*
 * f16 and bf16, every value both ways. The list of all finite values in order, made by a formula of
 * its own, defines the nearest one: a number below the middle of two neighbours becomes the lower,
 * one above it the upper, and the middle itself the even one. Doubles hold the middles.
 */
#include "kernels/kernel_testing.h"

#include "kernels/element.h"

/* A short type, and its finite values without a sign in order; one more stands for infinity. */
typedef struct short_type {
    tacho_dtype dtype;
    int exponent_bits, mantissa_bits;
    uint16_t infinite; /* its bits, and how many finite values there are */
    double values[0x7f81];
} short_type;

static const short_type layouts[] = {
    {.dtype = TACHO_DTYPE_F16, .exponent_bits = 5, .mantissa_bits = 10, .infinite = 0x7c00},
    {.dtype = TACHO_DTYPE_BF16, .exponent_bits = 8, .mantissa_bits = 7, .infinite = 0x7f80},
};

static void make_values(short_type *type)
{
    int bias = (1 << (type->exponent_bits - 1)) - 1, ones = 1 << type->mantissa_bits;
    for (int i = 0; i <= type->infinite; i++) {
        int power = i / ones, rest = i % ones;
        double fraction = (double)rest / ones;
        type->values[i] = power == 0 ? fraction * pow(2, 1 - bias) /* subnormal */
                                     : (1 + fraction) * pow(2, power - bias);
    }
}

static uint16_t narrowed(const short_type *type, double value)
{
    uint16_t bits = 0xa5a5;
    tacho_array array = {type->dtype, SHAPE(1), &bits};
    tacho_write_reals(&array, 0, 1, &value);
    return bits;
}

static double widened(const short_type *type, uint16_t bits)
{
    double value = 0;
    tacho_array array = {type->dtype, SHAPE(1), &bits};
    tacho_read_reals(&array, 0, 1, 1, &value);
    return value;
}

/* With either sign. */
static void expect(const short_type *type, double value, uint16_t bits)
{
    uint16_t above = narrowed(type, value), below = narrowed(type, -value);
    if (above != bits || below != (bits | 0x8000)) {
        fail_msg("%s of %a is 0x%04x, and of its negative 0x%04x; expected 0x%04x",
                 tacho_dtype_name(type->dtype), value, above, below, bits);
    }
}

static void check_every_value(const short_type *type)
{
    for (unsigned bits = 0; bits <= UINT16_MAX; bits++) {
        unsigned size = bits & 0x7fff;
        double value = widened(type, (uint16_t)bits);
        assert_true((signbit(value) != 0) == (bits > 0x7fff));
        if (size > type->infinite) {
            assert_true(isnan(value));
            assert_int_equal(narrowed(type, value), bits | 1u << (type->mantissa_bits - 1));
            continue;
        }
        double expected = size == type->infinite ? (double)INFINITY : type->values[size];
        assert_true(fabs(value) == expected);
        assert_int_equal(narrowed(type, value), bits);
    }
}

static void check_between(const short_type *type)
{
    for (uint16_t i = 0; i < type->infinite; i++) {
        double low = type->values[i], high = type->values[i + 1], middle = (low + high) / 2;
        uint16_t next = (uint16_t)(i + 1);
        expect(type, low, i);
        expect(type, nextafter(low, high), i);
        expect(type, nextafter(middle, low), i);
        expect(type, middle, i % 2 == 0 ? i : next);
        expect(type, nextafter(middle, high), next);
        expect(type, nextafter(high, low), next);
    }
}

/* Doubles far outside the range of any short type. */
static void check_ends(const short_type *type)
{
    expect(type, 0, 0);
    expect(type, nextafter(0, 1), 0);
    expect(type, 0x1p-1022, 0);
    expect(type, type->values[1] / 4, 0);
    expect(type, 1e300, type->infinite);
    expect(type, 0x1.fffffffffffffp+1023, type->infinite);
    expect(type, (double)INFINITY, type->infinite);
}

/* f32 from zero to infinity: a value for every 1021 of them. */
static void check_f32_sweep(const short_type *type)
{
    uint16_t i = 0;
    for (uint32_t bits = 0; bits < 0x7f800000; bits += 1021) {
        float value;
        memcpy(&value, &bits, sizeof(value));
        while (i < type->infinite) {
            double middle = (type->values[i] + type->values[i + 1]) / 2;
            if ((double)value < middle || ((double)value == middle && i % 2 == 0)) {
                break;
            }
            i++;
        }
        expect(type, (double)value, i);
    }
}

static void test_short_types(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
        short_type *type = malloc(sizeof(*type));
        assert_non_null(type);
        *type = layouts[i];
        make_values(type);
        check_every_value(type);
        check_between(type);
        check_ends(type);
        check_f32_sweep(type);
        free(type);
    }
}

/* Numbers just off the middle of two short ones, by less than doubles of that size can resolve. */
static void test_rounded_once(void **state)
{
    (void)state;
    int64_t middle = ((int64_t)1 << 60) + ((int64_t)1 << 52); /* of two bf16 */
    int64_t f32_middle = ((int64_t)1 << 60) + ((int64_t)1 << 36);
    check(&(trial){.name = "Cast",
                   .inputs = {ARRAY(I64, SHAPE(5), middle, middle + 1, middle - 1, -middle - 1,
                                    INT64_MIN)}},
          ARRAY(BF16, SHAPE(5), 0x5d80, 0x5d81, 0x5d80, 0xdd81, 0xdf00));
    check(&(trial){.name = "Cast",
                   .inputs = {ARRAY(I64, SHAPE(3), f32_middle, f32_middle + 1, f32_middle - 1)}},
          ARRAY(F32, SHAPE(3), 0x1p60f, 0x1.000002p60f, 0x1p60f));
    check(&(trial){.name = "Cast",
                   .inputs = {ARRAY(U64, SHAPE(2), UINT64_MAX, UINT64_C(0x8080000000000001))}},
          ARRAY(BF16, SHAPE(2), 0x5f80, 0x5f01));
    check(&(trial){.name = "Cast", .inputs = {ARRAY(I64, SHAPE(2), INT64_MAX, -3)}},
          ARRAY(F64, SHAPE(2), 0x1p63, -3));
    check(&(trial){.name = "Cast",
                   .inputs = {ARRAY(I32, SHAPE(7), 0, 2049, 2051, 65519, 65520, -65519, -65520)}},
          ARRAY(F16, SHAPE(7), 0, 0x6800, 0x6802, 0x7bff, 0x7c00, 0xfbff, 0xfc00));
    /* Through f32 the first would be a tie and round down to the even one. */
    check(&(trial){.name = "Cast",
                   .inputs = {ARRAY(F64, SHAPE(3), 1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-11, -0.0)}},
          ARRAY(F16, SHAPE(3), 0x3c01, 0x3c00, 0x8000));
    check(&(trial){.name = "Relu", .inputs = {ARRAY(F16, SHAPE(4), 0xbc00, 0, 0x3c00, 0xc000)}},
          ARRAY(F16, SHAPE(4), 0, 0, 0x3c00, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_types),
        cmocka_unit_test(test_rounded_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
