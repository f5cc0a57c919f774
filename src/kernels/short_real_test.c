/* SPDX-License-Identifier: Apache-2.0 */
/*
 * f16 and bf16 against kernels/element.h, bit by bit, with every instruction set that this
 * processor has: every short number as f32, and f32 numbers around every short one, around the
 * middle between two, and over all bits.
 */
#include "kernels/element.h"
#include "kernels/kernel_testing.h"
#include "kernels/short_real.h"

#include <string.h>

enum { COUNT = 1001 }; /* no multiple of a vector: the rest of a loop is tried, too */

static const tacho_dtype dtypes[] = {TACHO_DTYPE_F16, TACHO_DTYPE_BF16};

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static void expect_wide(tacho_vector_set set, tacho_dtype dtype, const uint16_t *shorts)
{
    float wide[COUNT];
    double reals[COUNT];
    uint16_t copy[COUNT];
    memcpy(copy, shorts, sizeof(copy));
    tacho_array array = {dtype, SHAPE(COUNT), copy};
    tacho_read_reals(&array, 0, 1, COUNT, reals);
    tacho_short_widen(set, dtype, shorts, COUNT, wide);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(bits_of(wide[i]), bits_of((float)reals[i]));
    }
}

static void expect_short(tacho_vector_set set, tacho_dtype dtype, const float *floats)
{
    uint16_t shorts[COUNT], expected[COUNT];
    float rounded[COUNT], back[COUNT];
    double reals[COUNT];
    tacho_array array = {dtype, SHAPE(COUNT), expected};
    for (size_t i = 0; i < COUNT; i++) {
        reals[i] = (double)floats[i];
        rounded[i] = floats[i];
    }
    tacho_write_reals(&array, 0, COUNT, reals);
    tacho_short_narrow(set, dtype, floats, COUNT, shorts);
    tacho_short_round(set, dtype, rounded, COUNT);
    tacho_short_widen(set, dtype, expected, COUNT, back);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(shorts[i], expected[i]);
        assert_int_equal(bits_of(rounded[i]), bits_of(back[i]));
    }
}

static void all_short_numbers_become_f32(void **state)
{
    (void)state;
    for (int set = TACHO_VECTOR_PLAIN; set <= (int)tacho_vector_best(); set++) {
        for (size_t type = 0; type < 2; type++) {
            for (uint32_t at = 0; at < 65536; at += COUNT) {
                uint16_t shorts[COUNT];
                for (uint32_t i = 0; i < COUNT; i++) {
                    shorts[i] = (uint16_t)(at + i);
                }
                expect_wide((tacho_vector_set)set, dtypes[type], shorts);
            }
        }
    }
}

static void f32_becomes_the_nearest(void **state)
{
    (void)state;
    for (int set = TACHO_VECTOR_PLAIN; set <= (int)tacho_vector_best(); set++) {
        for (size_t type = 0; type < 2; type++) {
            uint64_t random = 1;
            for (uint32_t round = 0; round < 400; round++) {
                float floats[COUNT];
                for (uint32_t i = 0; i < COUNT; i++) {
                    /* A number with few bits, then one a bit off, then any. */
                    random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
                    uint32_t bits = (uint32_t)(random >> 32);
                    uint32_t near = (bits & 0xfffff000u) + (uint32_t)(random >> 20 & 3) - 1;
                    bits = i % 3 == 0 ? bits & 0xfffff000u : i % 3 == 1 ? near : bits;
                    /* Half of them within the exponents that f16 has. */
                    bits = round % 2 == 0 ? (bits & 0x8fffffffu) + 0x30000000u : bits;
                    memcpy(&floats[i], &bits, sizeof(bits));
                }
                expect_short((tacho_vector_set)set, dtypes[type], floats);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_short_numbers_become_f32),
        cmocka_unit_test(f32_becomes_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
