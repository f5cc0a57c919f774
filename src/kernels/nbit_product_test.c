/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products with weights of few bits against plain loops in double that define them, on shapes by
 * chance, with each set of instructions that this computer has, and on several threads.
 */
#include "kernels/nbit_product.h"

#include "kernels/element.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROWS_MAX = 14, DEPTH_MAX = 150, COLUMNS_MAX = 140, THREADS = 3 };

typedef struct fixture {
    uint64_t chance;
    tacho_nbit_weights weights;
    int64_t rows;
    bool has_bias;
    _Alignas(8) unsigned char data[2 * DEPTH_MAX * COLUMNS_MAX];
    unsigned char zeros[DEPTH_MAX * COLUMNS_MAX];
    float scales[DEPTH_MAX * COLUMNS_MAX], bias[COLUMNS_MAX];
    float from[ROWS_MAX * DEPTH_MAX], to[ROWS_MAX * COLUMNS_MAX + 1];
} fixture;

static uint32_t dice(fixture *self, uint32_t count)
{
    self->chance = self->chance * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(self->chance >> 33) % count;
}

static float real(fixture *self)
{
    return ((float)dice(self, 2001) - 1000) / 1000;
}

static bool is_short(tacho_dtype dtype)
{
    return dtype == TACHO_DTYPE_F16 || dtype == TACHO_DTYPE_BF16;
}

/* Shapes, steps of either order, and numbers; |dtype| decides what there is besides. */
static void make(fixture *self, tacho_dtype dtype)
{
    tacho_nbit_weights *weights = &self->weights;
    int64_t depth = 1 + dice(self, DEPTH_MAX), columns = 1 + dice(self, COLUMNS_MAX);
    bool is_turned = dice(self, 2) != 0, has_zeros = dice(self, 3) != 0;
    bool is_one_zero = dice(self, 2) != 0;
    int64_t block = 1 + dice(self, (uint32_t)depth);
    self->rows = 1 + dice(self, ROWS_MAX);
    self->has_bias = dice(self, 2) != 0;
    *weights = (tacho_nbit_weights){
        .dtype = dtype,
        .depth = depth,
        .columns = columns,
        .block = is_short(dtype) ? depth : block,
        .data = self->data,
        .depth_step = is_turned ? 1 : columns,
        .column_step = is_turned ? depth : 1,
        .scales = self->scales,
        .zeros = has_zeros ? self->zeros : NULL,
        .scale_depth_step = is_turned ? 1 : columns,
        .scale_column_step = is_turned ? (depth + block - 1) / block : 1,
    };
    unsigned char zero = (unsigned char)(17 * dice(self, 16));
    for (size_t i = 0; i < sizeof(self->data); i++) {
        self->data[i] = (unsigned char)dice(self, 256);
        if (is_short(dtype) && i % 2 == 1) { /* finite, and of like size */
            self->data[i] = (unsigned char)((self->data[i] & 0x83) | 0x38);
        }
    }
    for (size_t i = 0; i < sizeof(self->zeros); i++) {
        self->zeros[i] = is_one_zero ? zero : (unsigned char)dice(self, 256);
        self->scales[i] = real(self);
    }
    for (size_t i = 0; i < COLUMNS_MAX; i++) {
        self->bias[i] = real(self);
    }
    for (size_t i = 0; i < ROWS_MAX * DEPTH_MAX; i++) {
        self->from[i] = real(self);
    }
}

static double number(const unsigned char *list, tacho_dtype dtype, int64_t at)
{
    double value;
    tacho_shape shape = {1, {at + 1}};
    void *data = (void *)(uintptr_t)list;
    tacho_array array = {dtype, shape, data};
    if (is_short(dtype)) {
        tacho_read_reals(&array, at, 1, 1, &value);
        return value;
    }
    int nibble = list[at / 2] >> (at % 2 * 4) & 15;
    int byte = list[dtype == TACHO_DTYPE_U4 || dtype == TACHO_DTYPE_I4 ? 0 : at];
    switch ((int)dtype) {
    case TACHO_DTYPE_U4:
        return nibble;
    case TACHO_DTYPE_I4:
        return nibble > 7 ? nibble - 16 : nibble;
    case TACHO_DTYPE_I8:
        return byte > 127 ? byte - 256 : byte;
    default:
        return byte;
    }
}

/* The result, and the sum of its terms' magnitudes, to which rounding is relative. */
static double expect(const fixture *self, int64_t row, int64_t column, double *out_size)
{
    const tacho_nbit_weights *weights = &self->weights;
    double sum = self->has_bias ? (double)self->bias[column] : 0;
    *out_size = fabs(sum);
    for (int64_t k = 0; k < weights->depth; k++) {
        int64_t block = k / weights->block;
        int64_t at = block * weights->scale_depth_step + column * weights->scale_column_step;
        double weight = number(weights->data, weights->dtype,
                               k * weights->depth_step + column * weights->column_step);
        if (!is_short(weights->dtype)) {
            weight -= weights->zeros != NULL ? number(weights->zeros, weights->dtype, at) : 0;
            weight *= (double)weights->scales[at];
        }
        double term = weight * (double)self->from[row * weights->depth + k];
        sum += term;
        *out_size += fabs(term);
    }
    return sum;
}

/* As OpenMP calls it: work that is done by all, one after the other here. */
static void in_turns(void (*work)(void *data), void *data, unsigned threads, unsigned flags)
{
    (void)flags;
    for (unsigned i = 0; i < threads; i++) {
        work(data);
    }
}

static void check(fixture *self)
{
    tacho_nbit_product *product;
    int64_t columns = self->weights.columns;
    self->to[self->rows * columns] = 77;
    assert_null(tacho_nbit_product_create(&self->weights, self->has_bias ? self->bias : NULL,
                                          THREADS, &product));
    assert_non_null(product);
    assert_true(tacho_nbit_product_bytes(product) > 0);
    tacho_nbit_product_run(product, self->from, self->rows, self->to,
                           dice(self, 2) != 0 ? in_turns : NULL);
    for (int64_t i = 0; i < self->rows * columns; i++) {
        double size, wanted = expect(self, i / columns, i % columns, &size);
        if (!(fabs((double)self->to[i] - wanted) <= 4e-6 * size)) {
            fail_msg("%s, %d rows x %d x %d in blocks of %d: element %d is %g, expected %g",
                     tacho_dtype_name(self->weights.dtype), (int)self->rows,
                     (int)self->weights.depth, (int)columns, (int)self->weights.block, (int)i,
                     (double)self->to[i], wanted);
        }
    }
    assert_int_equal(self->to[self->rows * columns], 77); /* nothing behind it */
    tacho_nbit_product_free(product);
}

static void test_products(void **state)
{
    static const tacho_dtype dtypes[] = {TACHO_DTYPE_U4, TACHO_DTYPE_I4,  TACHO_DTYPE_U8,
                                         TACHO_DTYPE_I8, TACHO_DTYPE_F16, TACHO_DTYPE_BF16};
    static const char *const limits[] = {"SSE41", "AVX2", "ALL"};
    static const char *const names[] = {"plain", "avx2", "avx512"};
    (void)state;
    fixture *self = calloc(1, sizeof(*self));
    assert_non_null(self);
    for (size_t limit = 0; limit < 3; limit++) {
        assert_int_equal(setenv("ONEDNN_MAX_CPU_ISA", limits[limit], 1), 0);
        self->chance = 5;
        for (size_t i = 0; i < 240; i++) {
            make(self, dtypes[i % 6]);
            check(self);
        }
        tacho_nbit_product *product;
        assert_null(tacho_nbit_product_create(&self->weights, NULL, 1, &product));
        print_message("%s: %s\n", limits[limit], tacho_nbit_product_name(product));
        assert_true(limit > 0 || strcmp(tacho_nbit_product_name(product), names[0]) == 0);
        tacho_nbit_product_free(product);
    }
    assert_int_equal(unsetenv("ONEDNN_MAX_CPU_ISA"), 0);
    free(self);
}

/* Packed weights take no more than the model's, and four bytes for each scale, panels filled up. */
static void test_bytes(void **state)
{
    (void)state;
    fixture *self = calloc(1, sizeof(*self));
    assert_non_null(self);
    self->weights = (tacho_nbit_weights){.dtype = TACHO_DTYPE_U4,
                                         .depth = 128,
                                         .columns = 128,
                                         .block = 32,
                                         .data = self->data,
                                         .depth_step = 1,
                                         .column_step = 128,
                                         .scales = self->scales,
                                         .scale_depth_step = 1,
                                         .scale_column_step = 4};
    tacho_nbit_product *product;
    assert_null(tacho_nbit_product_create(&self->weights, NULL, 1, &product));
    assert_int_equal(tacho_nbit_product_bytes(product), 128 * 128 / 2 + 128 * 4 * 4);
    tacho_nbit_product_free(product);
    free(self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
