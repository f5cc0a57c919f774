/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timed kernels compute a product and a sum: each kernel of each set this processor has,
 * checked element by element.
 */
#include "machine/calibrate_kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SIDE = TACHO_CALIBRATE_SIDE, OPERAND = SIDE * SIDE * sizeof(double) };

/* Element |at| of |memory| as a whole number. */
static int64_t get(const void *memory, const char *type, size_t at)
{
    switch (type[0] == 'f' ? type[1] : type[1] == '8' ? '8' : type[1] == '1' ? '1' : 'i') {
    case '3':
        return (int64_t)((const float *)memory)[at];
    case '6':
        return (int64_t)((const double *)memory)[at];
    case '8':
        return ((const int8_t *)memory)[at];
    case '1':
        return ((const int16_t *)memory)[at];
    default:
        return ((const int32_t *)memory)[at];
    }
}

static void put(void *memory, const char *type, size_t at, int value)
{
    switch (type[0] == 'f' ? type[1] : type[1] == '8' ? '8' : type[1] == '1' ? '1' : 'i') {
    case '3':
        ((float *)memory)[at] = (float)value;
        break;
    case '6':
        ((double *)memory)[at] = value;
        break;
    case '8':
        ((int8_t *)memory)[at] = (int8_t)value;
        break;
    case '1':
        ((int16_t *)memory)[at] = (int16_t)value;
        break;
    default:
        ((int32_t *)memory)[at] = value;
    }
}

static void check_product(const tacho_calibrate_type *type, char *memory)
{
    const char *result = type->name[0] == 'f' ? type->name : "i32";
    bool by_columns = type->name[1] == '8' || type->name[1] == '1';
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        put(memory, type->name, i, (int)(i % 11));
        put(memory + OPERAND, type->name, i, (int)(i % 7) - 3);
    }
    type->product(memory, memory + OPERAND, memory + 2 * OPERAND);
    for (size_t i = 0; i < SIDE; i++) {
        for (size_t j = 0; j < SIDE; j += 5) {
            int64_t sum = 0;
            for (size_t k = 0; k < SIDE; k++) {
                size_t right = by_columns ? j * SIDE + k : k * SIDE + j;
                sum += (int64_t)((i * SIDE + k) % 11) * ((int64_t)(right % 7) - 3);
            }
            assert_int_equal(get(memory + 2 * OPERAND, result, i * SIDE + j), sum);
        }
    }
}

static void test_kernels(void **state)
{
    (void)state;
    char *memory = NULL;
    assert_int_equal(posix_memalign((void **)&memory, 64, 3 * OPERAND), 0);
    size_t count = 0;
    for (const tacho_calibrate_set *set; (set = tacho_calibrate_set_at(count)) != NULL; count++) {
        for (size_t t = 0; t < TACHO_CALIBRATE_TYPES; t++) {
            const tacho_calibrate_type *type = &set->types[t];
            check_product(type, memory);
            type->sum(memory, memory + OPERAND, memory + 2 * OPERAND);
            for (size_t i = 0; i < TACHO_CALIBRATE_ELEMENTS; i++) {
                assert_int_equal(get(memory + 2 * OPERAND, type->name, i),
                                 (int64_t)(i % 11) + (int64_t)(i % 7) - 3);
            }
        }
    }
    assert_true(count >= 1);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
