/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small real types: known numbers, every value both ways, the middle between neighbours, and
 * numbers past the ends.
 */
#include "kernels/kernel_testing.h"

#include "kernels/element.h"

#define NOT_A_NUMBER (double)NAN

static const tacho_small_rule bounded = {0}, unbounded = {.is_unbounded = true};

static void test_known_numbers(void **state)
{
    static const struct {
        tacho_dtype dtype;
        unsigned bits;
        double value;
    } rows[] = {
        {TACHO_DTYPE_F8E4M3, 0x7e, 448},     {TACHO_DTYPE_F8E4M3, 0x01, 0x1p-9},
        {TACHO_DTYPE_F8E4M3, 0x38, 1},       {TACHO_DTYPE_F8E5M2, 0x7b, 57344},
        {TACHO_DTYPE_F8E5M2, 0x01, 0x1p-16}, {TACHO_DTYPE_F8E5M2, 0xbc, -1},
        {TACHO_DTYPE_F8E4M3FNUZ, 0x7f, 240}, {TACHO_DTYPE_F8E4M3FNUZ, 0x01, 0x1p-10},
        {TACHO_DTYPE_F8E4M3FNUZ, 0x40, 1},   {TACHO_DTYPE_F8E5M2FNUZ, 0x7f, 57344},
        {TACHO_DTYPE_F8E5M2FNUZ, 0x40, 1},   {TACHO_DTYPE_F8E5M2FNUZ, 0x01, 0x1p-17},
        {TACHO_DTYPE_F8E8M0, 0x7f, 1},       {TACHO_DTYPE_F8E8M0, 0x00, 0x1p-127},
        {TACHO_DTYPE_F8E8M0, 0xfe, 0x1p127}, {TACHO_DTYPE_F4E2M1, 0x1, 0.5},
        {TACHO_DTYPE_F4E2M1, 0x3, 1.5},      {TACHO_DTYPE_F4E2M1, 0x7, 6},
        {TACHO_DTYPE_F4E2M1, 0xd, -3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_true(tacho_small_to_double(rows[i].dtype, rows[i].bits) == rows[i].value);
        assert_int_equal(tacho_small_from_double(rows[i].dtype, rows[i].value, bounded),
                         rows[i].bits);
    }
}

/* Each finite number keeps its own bits, and the middle of two goes to the even one. */
static void test_nearest(void **state)
{
    static const struct {
        tacho_dtype dtype;
        unsigned greatest, sign;
    } types[] = {{TACHO_DTYPE_F8E4M3, 0x7e, 0x80},
                 {TACHO_DTYPE_F8E5M2, 0x7b, 0x80},
                 {TACHO_DTYPE_F8E4M3FNUZ, 0x7f, 0x80},
                 {TACHO_DTYPE_F8E5M2FNUZ, 0x7f, 0x80},
                 {TACHO_DTYPE_F4E2M1, 0x7, 0x8}};
    (void)state;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        tacho_dtype dtype = types[i].dtype;
        for (unsigned bits = 0; bits < types[i].greatest; bits++) {
            double low = tacho_small_to_double(dtype, bits);
            double high = tacho_small_to_double(dtype, bits + 1), middle = (low + high) / 2;
            assert_true(low < high);
            assert_int_equal(tacho_small_from_double(dtype, low, unbounded), bits);
            assert_int_equal(tacho_small_from_double(dtype, middle, bounded), (bits + 1) / 2 * 2);
            assert_int_equal(tacho_small_from_double(dtype, nextafter(middle, 0), bounded), bits);
            unsigned above = tacho_small_from_double(dtype, -nextafter(middle, 1e9), bounded);
            assert_int_equal(above, types[i].sign | (bits + 1));
        }
    }
}

static void test_ends(void **state)
{
    static const struct {
        tacho_dtype dtype;
        double value;
        unsigned bounded, unbounded;
    } rows[] = {
        {TACHO_DTYPE_F8E4M3, 464, 0x7e, 0x7e},
        {TACHO_DTYPE_F8E4M3, 465, 0x7e, 0x7f},
        {TACHO_DTYPE_F8E4M3, -HUGE_VAL, 0xfe, 0xff},
        {TACHO_DTYPE_F8E4M3, -0.0, 0x80, 0x80},
        {TACHO_DTYPE_F8E5M2, 61440, 0x7b, 0x7c},
        {TACHO_DTYPE_F8E5M2, 61439, 0x7b, 0x7b},
        {TACHO_DTYPE_F8E5M2, HUGE_VAL, 0x7b, 0x7c},
        {TACHO_DTYPE_F8E5M2, NOT_A_NUMBER, 0x7f, 0x7f},
        {TACHO_DTYPE_F8E4M3FNUZ, -0.0, 0, 0},
        {TACHO_DTYPE_F8E4M3FNUZ, -1e-9, 0, 0},
        {TACHO_DTYPE_F8E4M3FNUZ, 1e30, 0x7f, 0x80},
        {TACHO_DTYPE_F8E5M2FNUZ, -NOT_A_NUMBER, 0x80, 0x80},
        {TACHO_DTYPE_F8E5M2FNUZ, -1e9, 0xff, 0x80},
        {TACHO_DTYPE_F8E8M0, 0, 0, 255},
        {TACHO_DTYPE_F8E8M0, HUGE_VAL, 254, 255},
        {TACHO_DTYPE_F8E8M0, NOT_A_NUMBER, 255, 255},
        {TACHO_DTYPE_F4E2M1, 100, 0x7, 0x7},
        {TACHO_DTYPE_F4E2M1, -HUGE_VAL, 0xf, 0xf},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(tacho_small_from_double(rows[i].dtype, rows[i].value, bounded),
                         rows[i].bounded);
        assert_int_equal(tacho_small_from_double(rows[i].dtype, rows[i].value, unbounded),
                         rows[i].unbounded);
    }
}

static void test_powers(void **state)
{
    static const struct {
        double value;
        unsigned bits[3]; /* up, down, nearest */
    } rows[] = {{1, {127, 127, 127}},
                {1.1, {128, 127, 127}},
                {1.5, {128, 127, 128}},
                {0x1.8p-127, {1, 0, 1}},
                {3.99, {129, 128, 129}}};
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (unsigned mode = TACHO_POWER_UP; mode <= TACHO_POWER_NEAREST; mode++) {
            tacho_small_rule rule = {.powers = (tacho_power_rounding)mode};
            assert_int_equal(tacho_small_from_double(TACHO_DTYPE_F8E8M0, rows[i].value, rule),
                             rows[i].bits[mode]);
        }
    }
}

/* Elements that share a byte do not touch their neighbours. */
static void test_shared_bytes(void **state)
{
    static const tacho_dtype types[] = {TACHO_DTYPE_I2, TACHO_DTYPE_U2, TACHO_DTYPE_I4,
                                        TACHO_DTYPE_U4};
    (void)state;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        uint8_t bytes[4] = {0};
        int64_t wanted[8], found[8];
        tacho_array array = {types[i], SHAPE(8), bytes};
        int64_t least = tacho_dtype_kind_of(types[i]) == TACHO_DTYPE_SIGNED ? -2 : 0;
        for (int64_t j = 0; j < 8; j++) {
            wanted[j] = least + j * 3 % 4;
        }
        for (int64_t j = 7; j >= 0; j--) {
            tacho_write_ints(&array, j, 1, &wanted[j]);
        }
        tacho_read_ints(&array, 0, 1, 8, found);
        assert_memory_equal(found, wanted, sizeof(wanted));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_numbers), cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_ends),          cmocka_unit_test(test_powers),
        cmocka_unit_test(test_shared_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
