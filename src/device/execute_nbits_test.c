/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products with weights of few bits: both kinds of kernels agree, the weights are not expanded, and
 * where something else reads their numbers those are computed after all.
 */
#include "device/execute_fast_testing.h"

enum { DEPTH = 64, COLUMNS = 24, ROWS = 3, BLOCK = 16 };

typedef struct nbit_case {
    tacho_dtype dtype;
    bool is_turned, has_zeros, has_bias;
    int64_t block; /* 0: a scale for each column; -1: one */
} nbit_case;

static const nbit_case cases[] = {
    {TACHO_DTYPE_U4, true, true, false, BLOCK}, {TACHO_DTYPE_U4, false, true, false, BLOCK},
    {TACHO_DTYPE_I4, true, false, true, BLOCK}, {TACHO_DTYPE_I4, false, false, false, DEPTH},
    {TACHO_DTYPE_U8, true, true, true, BLOCK},  {TACHO_DTYPE_I8, false, false, false, BLOCK},
    {TACHO_DTYPE_I8, false, false, false, 0},   {TACHO_DTYPE_I8, true, false, true, 0},
    {TACHO_DTYPE_I8, false, false, false, -1},
};

/* Numbers of weights; |self->kept| is not used. */
static uint32_t dequantise(fixture *self, const nbit_case *at, tacho_dtype real)
{
    int64_t blocks = at->block > 0 ? DEPTH / at->block : 1;
    tacho_shape shape =
        at->is_turned ? (tacho_shape){2, {COLUMNS, DEPTH}} : (tacho_shape){2, {DEPTH, COLUMNS}};
    tacho_shape scales = at->block == 0  ? (tacho_shape){1, {COLUMNS}}
                         : at->block < 0 ? (tacho_shape){0, {0}}
                                         : (at->is_turned ? (tacho_shape){2, {COLUMNS, blocks}}
                                                          : (tacho_shape){2, {blocks, COLUMNS}});
    uint32_t q = constant(self, at->dtype, shape, NULL);
    uint32_t s = constant(self, real, scales, NULL);
    uint32_t z = at->has_zeros ? constant(self, at->dtype, scales, NULL) : TACHO_NONE;
    bool is_by_column = at->block == 0;
    add_int(self, "axis", at->is_turned != is_by_column ? 1 : 0);
    if (at->block > 0) {
        add_int(self, "block_size", at->block);
    }
    uint32_t to = made(self, real, shape);
    add_step(&self->program, 0, "DequantizeLinear", INPUTS(q, s, z), to);
    return to;
}

static uint32_t multiply(fixture *self, const nbit_case *at, uint32_t x, uint32_t weights,
                         tacho_dtype real)
{
    uint32_t y = made(self, real, (tacho_shape){2, {ROWS, COLUMNS}});
    if (!at->is_turned && !at->has_bias) {
        add_step(&self->program, 1, "MatMul", INPUTS(x, weights), y);
        return y;
    }
    uint32_t bias =
        at->has_bias ? constant(self, real, (tacho_shape){1, {COLUMNS}}, NULL) : TACHO_NONE;
    add_int(self, "transB", at->is_turned);
    add_step(&self->program, 1, "Gemm", INPUTS(x, weights, bias), y);
    return y;
}

static void test_products(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fixture *self = malloc(sizeof(*self));
        uint64_t differing;
        begin(self);
        uint32_t x = input(self, TACHO_DTYPE_F32, (tacho_shape){2, {ROWS, DEPTH}});
        uint32_t weights = dequantise(self, &cases[i], TACHO_DTYPE_F32);
        double away =
            compare(self, multiply(self, &cases[i], x, weights, TACHO_DTYPE_F32), ANY, &differing);
        assert_true(away < 4e-3); /* of results of hundreds */
        assert_int_equal(counted.nbits, has_fast ? 1 : 0);
        free(self);
    }
}

/* Rows of several batches, and weights whose numbers an Add reads besides. */
static void test_another_reader(void **state)
{
    (void)state;
    fixture *self = malloc(sizeof(*self));
    uint64_t differing;
    begin(self);
    uint32_t x = input(self, TACHO_DTYPE_F32, (tacho_shape){3, {2, 2, DEPTH}});
    uint32_t weights = dequantise(self, &cases[1], TACHO_DTYPE_F32);
    uint32_t y = made(self, TACHO_DTYPE_F32, (tacho_shape){3, {2, 2, COLUMNS}});
    add_step(&self->program, 1, "MatMul", INPUTS(x, weights), y);
    uint32_t first = constant(self, TACHO_DTYPE_I64, (tacho_shape){0, {0}}, (int64_t[]){1});
    uint32_t row = made(self, TACHO_DTYPE_F32, (tacho_shape){1, {COLUMNS}});
    add_step(&self->program, 2, "Gather", INPUTS(weights, first), row);
    uint32_t sum = step(self, "Add", INPUTS(y, row), y);
    self->program.steps[self->program.step_count - 1].op = 2;
    assert_true(compare(self, sum, ANY, &differing) < 4e-3);
    assert_int_equal(counted.nbits, has_fast ? 1 : 0);
    free(self);
}

/* Weights of 16 bits, and scales of 16 bits: reals are rounded once, at the end. */
static void test_short_reals(void **state)
{
    static const tacho_dtype dtypes[] = {TACHO_DTYPE_F16, TACHO_DTYPE_BF16};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        fixture *self = malloc(sizeof(*self));
        uint64_t differing;
        tacho_dtype real = dtypes[i % 2];
        begin(self);
        uint32_t x = input(self, real, (tacho_shape){2, {ROWS, DEPTH}});
        uint32_t weights = i < 2 ? constant(self, real, (tacho_shape){2, {DEPTH, COLUMNS}}, NULL)
                                 : dequantise(self, &cases[5], real);
        uint32_t y = made(self, real, (tacho_shape){2, {ROWS, COLUMNS}});
        add_step(&self->program, 1, "MatMul", INPUTS(x, weights), y);
        double away = compare(self, y, ANY, &differing);
        assert_true(away < (i < 2 ? 0.1 : 8)); /* units of the last place of the largest */
        assert_true(i < 2 || !has_fast || counted.nbits == 1);
        free(self);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_another_reader),
        cmocka_unit_test(test_short_reals),
    };
    return cmocka_run_group_tests(tests, look_for_fast, NULL);
}
