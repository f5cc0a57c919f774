/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quick kernels of quantised networks against reference kernels, bit by bit, with any instruction
 * set that the environment allows.
 */
#include "kernels/element.h"
#include "kernels/kernel_testing.h"
#include "kernels/quick.h"

#include <string.h>

enum { BYTES_MAX = 1 << 16 };

static uint64_t draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *seed >> 33;
}

/* Runs both kernels of a call; all bytes of outputs, and those after them, are the same. */
static void compare(const char *name, const tacho_array *const *inputs, size_t input_count,
                    const tacho_array *outputs, size_t output_count)
{
    static unsigned char memory[2][3][BYTES_MAX];
    memset(memory, 0, sizeof(memory));
    for (int i = 0; i < 2; i++) {
        tacho_array made[3];
        for (size_t j = 0; j < output_count; j++) {
            made[j] = outputs[j];
            made[j].data = memory[i][j];
        }
        tacho_kernel_call call = {.opset = 13,
                                  .inputs = inputs,
                                  .input_count = input_count,
                                  .outputs = made,
                                  .output_count = output_count};
        const tacho_kernel *kernel = i == 0 ? tacho_quick_find(tacho_str_from_cstring(name), &call)
                                            : tacho_kernel_find(tacho_str_from_cstring(name));
        assert_non_null(kernel);
        assert_null(tacho_kernel_compute(kernel, &call));
    }
    assert_memory_equal(memory[0], memory[1], sizeof(memory[0]));
}

static void check_product(tacho_shape a, tacho_shape b, tacho_shape out, unsigned kind)
{
    static unsigned char data[2][BYTES_MAX], zeros[2][256];
    uint64_t seed = kind;
    tacho_dtype left = kind % 2 == 0 ? TACHO_DTYPE_U8 : TACHO_DTYPE_I8;
    tacho_dtype right = kind / 2 % 2 == 0 ? TACHO_DTYPE_U8 : TACHO_DTYPE_I8;
    for (size_t i = 0; i < BYTES_MAX; i++) { /* with many of the extremes */
        uint64_t number = draw(&seed);
        data[0][i] = (unsigned char)(number % 5 == 0 ? 255 : number >> 8);
        data[1][i] = (unsigned char)(number % 7 == 0 ? 128 : number >> 16);
        zeros[0][i % 256] = (unsigned char)(number >> 4);
        zeros[1][i % 256] = (unsigned char)(number >> 12);
    }
    bool is_each = kind / 4 % 2 == 1 && b.rank == 2;
    tacho_array arrays[] = {{left, a, data[0]},
                            {right, b, data[1]},
                            {left, SCALAR, zeros[0]},
                            {right, is_each ? SHAPE(b.dims[1]) : SCALAR, zeros[1]}};
    const tacho_array *inputs[] = {&arrays[0], &arrays[1], &arrays[2], &arrays[3]};
    tacho_array output = {TACHO_DTYPE_I32, out, NULL};
    compare("MatMulInteger", inputs, 4, &output, 1);
    compare("MatMulInteger", inputs, 2, &output, 1);
}

static void test_products(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 8; kind++) {
        check_product(SHAPE(13, 31), SHAPE(31, 35), SHAPE(13, 35), kind);
        check_product(SHAPE(1, 64), SHAPE(64, 16), SHAPE(1, 16), kind);
        check_product(SHAPE(2, 1), SHAPE(1, 1), SHAPE(2, 1), kind);
        check_product(SHAPE(2, 3, 4, 18), SHAPE(18, 20), SHAPE(2, 3, 4, 20), kind);
        check_product(SHAPE(2, 3, 4, 18), SHAPE(2, 3, 18, 20), SHAPE(2, 3, 4, 20), kind);
    }
}

/* A copy in memory that ends with the last element, so that a sanitizer sees a read past it. */
static tacho_array exact_copy(tacho_dtype dtype, tacho_shape shape)
{
    tacho_array made = {dtype, shape, NULL};
    size_t count = (size_t)tacho_array_elements(&made);
    unsigned char *data = malloc(count);
    assert_non_null(data);
    for (size_t i = 0; i < count; i++) {
        data[i] = (unsigned char)(37 * i + 11);
    }
    made.data = data;
    return made;
}

/* Fewer columns than are packed at once, one block of them, and one more; a zero point for each. */
static void test_nothing_is_read_past_the_operands(void **state)
{
    (void)state;
    static const int64_t columns[] = {1, 3, 15, 16, 17, 33};
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        int64_t n = columns[i];
        tacho_array arrays[] = {
            exact_copy(TACHO_DTYPE_U8, SHAPE(3, 5)), exact_copy(TACHO_DTYPE_I8, SHAPE(5, n)),
            exact_copy(TACHO_DTYPE_U8, SCALAR), exact_copy(TACHO_DTYPE_I8, SHAPE(n))};
        const tacho_array *inputs[] = {&arrays[0], &arrays[1], &arrays[2], &arrays[3]};
        tacho_array output = {TACHO_DTYPE_I32, SHAPE(3, n), NULL};
        compare("MatMulInteger", inputs, 4, &output, 1);
        for (size_t k = 0; k < 4; k++) {
            free(arrays[k].data);
        }
    }
}

static void check_reals(const float *reals, int64_t count)
{
    tacho_array input = {TACHO_DTYPE_F32, SHAPE(count), (void *)(uintptr_t)reals};
    const tacho_array *inputs[] = {&input};
    tacho_array outputs[] = {{TACHO_DTYPE_U8, SHAPE(count), NULL},
                             {TACHO_DTYPE_F32, SCALAR, NULL},
                             {TACHO_DTYPE_U8, SCALAR, NULL}};
    compare("DynamicQuantizeLinear", inputs, 1, outputs, 3);
}

static void test_dynamic_quantisation(void **state)
{
    (void)state;
    static float reals[4001];
    uint64_t seed = 1;
    for (int round = 0; round < 60; round++) {
        float size = (float)ldexp(1, (int)(draw(&seed) % 60) - 30);
        float shift = round % 3 == 0 ? -1 : round % 3 == 1 ? 0.5f : 0;
        for (size_t i = 0; i < 4001; i++) {
            reals[i] = ((float)(int32_t)draw(&seed) * 0x1p-31f + shift) * size;
        }
        check_reals(reals, round % 2 == 0 ? 4001 : 1 + (int64_t)(draw(&seed) % 70));
    }
    /* Quotients halfway between two bytes: the range is 255, so the scale is 1. */
    for (size_t i = 0; i < 512; i++) {
        reals[i] = (float)i / 2 - 0.5f;
    }
    reals[0] = 0;
    reals[511] = 255;
    check_reals(reals, 512);
    check_reals((const float[]){0, 0, 0, -0.0f}, 4);
    check_reals((const float[]){3e38f, 1}, 2);
    check_reals((const float[]){1, NAN, -2}, 3);
    check_reals((const float[]){1, -2, INFINITY}, 3);
    check_reals((const float[]){3e38f, -3e38f}, 2);
    check_reals((const float[]){1e-45f, 0}, 2);
}

static void test_dequantisation(void **state)
{
    (void)state;
    unsigned char bytes[256], zero = 200;
    float scale = 0.0371f;
    for (size_t i = 0; i < 256; i++) {
        bytes[i] = (unsigned char)i;
    }
    for (int type = 0; type < 2; type++) {
        tacho_dtype dtype = type == 0 ? TACHO_DTYPE_U8 : TACHO_DTYPE_I8;
        tacho_array arrays[] = {
            {dtype, SHAPE(256), bytes}, {TACHO_DTYPE_F32, SCALAR, &scale}, {dtype, SCALAR, &zero}};
        const tacho_array *inputs[] = {&arrays[0], &arrays[1], &arrays[2]};
        tacho_array output = {TACHO_DTYPE_F32, SHAPE(256), NULL};
        compare("DequantizeLinear", inputs, 3, &output, 1);
        compare("DequantizeLinear", inputs, 2, &output, 1);
    }
}

static void check_cast(tacho_dtype from, tacho_dtype to, void *data, int64_t count)
{
    tacho_array input = {from, SHAPE(count), data}, output = {to, SHAPE(count), NULL};
    compare("Cast", (const tacho_array *[]){&input}, 1, &output, 1);
}

static void test_casts(void **state)
{
    (void)state;
    static int64_t numbers[1001];
    static float reals[1001];
    uint64_t seed = 3;
    for (size_t i = 0; i < 1001; i++) {
        uint64_t high = draw(&seed);
        numbers[i] = (int64_t)(high << 32 | draw(&seed)) >> (i % 60);
        reals[i] = (float)numbers[i] * 0x1p-20f;
    }
    check_cast(TACHO_DTYPE_I64, TACHO_DTYPE_F32, numbers, 1001);
    check_cast(TACHO_DTYPE_I32, TACHO_DTYPE_F32, numbers, 2001);
    check_cast(TACHO_DTYPE_I8, TACHO_DTYPE_F32, numbers, 8001);
    check_cast(TACHO_DTYPE_U8, TACHO_DTYPE_F32, numbers, 8001);
    check_cast(TACHO_DTYPE_F16, TACHO_DTYPE_F32, numbers, 4001);
    check_cast(TACHO_DTYPE_F32, TACHO_DTYPE_F16, reals, 1001);
    check_cast(TACHO_DTYPE_F32, TACHO_DTYPE_BF16, reals, 1001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_nothing_is_read_past_the_operands),
        cmocka_unit_test(test_dynamic_quantisation),
        cmocka_unit_test(test_dequantisation),
        cmocka_unit_test(test_casts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
