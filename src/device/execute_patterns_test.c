/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SiLU and GELU written out as models have them: each spelling is one kernel, of f32, f16 and bf16,
 * and gives the results of its operators one by one, to the precision of the type. A pattern with a
 * different number or tensor, or with other readers of its intermediate results, is left as it is.
 */
#include "device/execute_testing.h"
#include "kernels/call.h"

#include <inttypes.h>
#include <math.h>

enum { COUNT = 1000 };

/* A program of one input. */
typedef struct fixture {
    tacho_program program;
    tacho_dtype dtype;
    double scale;     /* of the elements of |x| */
    const char *type; /* of a single step */
    uint32_t x;
    double pool[16]; /* numbers of any type */
    size_t used;     /* bytes of it */
    size_t nudged;   /* which number is off a little, from 1; 0: none */
} fixture;

/* Half a unit in the last place, for numbers from 1 to 2. */
static double unit_of(tacho_dtype dtype)
{
    return dtype == TACHO_DTYPE_F32 ? 0x1p-24 : dtype == TACHO_DTYPE_F16 ? 0x1p-11 : 0x1p-8;
}

#define INPUTS(...) ((uint32_t[]){__VA_ARGS__, (uint32_t)INPUTS_END})

static uint32_t number(fixture *self, double value)
{
    tacho_program *program = &self->program;
    uint32_t id = add_tensor(program, "n", self->dtype, TACHO_STORAGE_BYTES, (tacho_shape){0, {0}});
    program->tensors[id].offset = self->used;
    assert_true(self->used + 8 <= sizeof(self->pool));
    tacho_array one = {self->dtype, {0, {0}}, self->pool + self->used / sizeof(double)};
    self->used += 8;
    bool is_nudged = self->used / 8 == self->nudged;
    tacho_set_real(&one, 0, value * (is_nudged ? 1 + 4 * unit_of(self->dtype) : 1));
    program->constants = tacho_str_make((const char *)self->pool, sizeof(self->pool));
    return id;
}

static uint32_t step(fixture *self, const char *type, const uint32_t *inputs)
{
    uint32_t id = add_tensor(&self->program, "y", self->dtype, TACHO_STORAGE_ACTIVATION,
                             (tacho_shape){1, {COUNT}});
    add_step(&self->program, 0, type, inputs, id);
    return id;
}

static uint32_t by(fixture *self, const char *type, uint32_t id, double value)
{
    uint32_t constant = number(self, value);
    return step(self, type, INPUTS(id, constant));
}

/* ---- spellings ----------------------------------------------------------------------------- */

static uint32_t tail_behind(fixture *self, uint32_t sum)
{
    return by(self, "Mul", step(self, "Mul", INPUTS(self->x, sum)), 0.5);
}

static uint32_t tail_between(fixture *self, uint32_t sum)
{
    uint32_t half = number(self, 0.5);
    return step(self, "Mul", INPUTS(self->x, step(self, "Mul", INPUTS(half, sum))));
}

static uint32_t silu(fixture *self)
{
    return step(self, "Mul", INPUTS(self->x, step(self, "Sigmoid", INPUTS(self->x))));
}

static uint32_t silu_turned(fixture *self)
{
    return step(self, "Mul", INPUTS(step(self, "Sigmoid", INPUTS(self->x)), self->x));
}

static uint32_t erf_sum(fixture *self, double root, double one)
{
    uint32_t erf = step(self, "Erf", INPUTS(by(self, "Div", self->x, root)));
    return by(self, "Add", erf, one);
}

static uint32_t gelu_behind(fixture *self)
{
    return tail_behind(self, erf_sum(self, 1.4142135623730951, 1));
}

/* As torch writes it today. */
static uint32_t gelu_between(fixture *self)
{
    return tail_between(self, erf_sum(self, 1.4142135623730951, 1));
}

static uint32_t gelu_by_product(fixture *self)
{
    uint32_t root = number(self, 0.7071067811865476);
    uint32_t erf = step(self, "Erf", INPUTS(step(self, "Mul", INPUTS(root, self->x))));
    uint32_t one = number(self, 1);
    return tail_behind(self, step(self, "Add", INPUTS(one, erf)));
}

static uint32_t tanh_sum(fixture *self, uint32_t cube, double factor)
{
    uint32_t inner = step(self, "Add", INPUTS(self->x, by(self, "Mul", cube, factor)));
    inner = by(self, "Mul", inner, 0.7978845608028654);
    return by(self, "Add", step(self, "Tanh", INPUTS(inner)), 1);
}

static uint32_t gelu_tanh_power(fixture *self)
{
    return tail_between(self, tanh_sum(self, by(self, "Pow", self->x, 3), 0.044715));
}

static uint32_t gelu_tanh_products(fixture *self)
{
    uint32_t square = step(self, "Mul", INPUTS(self->x, self->x));
    uint32_t cube = step(self, "Mul", INPUTS(square, self->x));
    return tail_behind(self, tanh_sum(self, cube, 0.044715));
}

/* As Keras and others write it: x * 0.79788 * (1 + 0.044715 * x * x). */
static uint32_t gelu_tanh_square(fixture *self)
{
    uint32_t square = step(self, "Mul", INPUTS(by(self, "Mul", self->x, 0.044715), self->x));
    uint32_t inner = step(self, "Mul", INPUTS(self->x, by(self, "Add", square, 1)));
    inner = by(self, "Mul", inner, 0.7978845608028654);
    return tail_behind(self, by(self, "Add", step(self, "Tanh", INPUTS(inner)), 1));
}

static uint32_t gelu_tanh_power_of_two(fixture *self)
{
    uint32_t square = by(self, "Mul", by(self, "Pow", self->x, 2), 0.044715);
    uint32_t root = number(self, 0.7978845608028654);
    uint32_t inner = step(self, "Mul", INPUTS(root, by(self, "Add", square, 1)));
    inner = step(self, "Mul", INPUTS(inner, self->x));
    uint32_t sum = by(self, "Add", step(self, "Tanh", INPUTS(inner)), 1);
    return by(self, "Div", step(self, "Mul", INPUTS(sum, self->x)), 2);
}

static uint32_t gelu_tanh_factor_first(fixture *self)
{
    uint32_t cube = by(self, "Mul", self->x, 0.044715);
    cube = step(self, "Mul", INPUTS(step(self, "Mul", INPUTS(cube, self->x)), self->x));
    uint32_t inner = step(self, "Add", INPUTS(cube, self->x));
    inner = by(self, "Mul", inner, 0.7978845608028654);
    return tail_between(self, by(self, "Add", step(self, "Tanh", INPUTS(inner)), 1));
}

static uint32_t gelu_quotient(fixture *self)
{
    uint32_t sum = erf_sum(self, 1.4142135623730951, 1);
    return by(self, "Div", step(self, "Mul", INPUTS(self->x, sum)), 2);
}

static uint32_t gelu_quotient_between(fixture *self)
{
    uint32_t half = by(self, "Div", erf_sum(self, 1.4142135623730951, 1), 2);
    return step(self, "Mul", INPUTS(self->x, half));
}

/* A scale before the pattern is a pass of its own. */
static uint32_t gelu_half_before(fixture *self)
{
    uint32_t half = by(self, "Div", self->x, 2);
    return step(self, "Mul", INPUTS(half, erf_sum(self, 1.4142135623730951, 1)));
}

static uint32_t gelu_tanh_root_before(fixture *self)
{
    uint32_t scaled = by(self, "Mul", self->x, 0.7978845608028654);
    uint32_t square = by(self, "Mul", step(self, "Mul", INPUTS(self->x, self->x)), 0.044715);
    uint32_t inner = step(self, "Mul", INPUTS(scaled, by(self, "Add", square, 1)));
    return tail_behind(self, by(self, "Add", step(self, "Tanh", INPUTS(inner)), 1));
}

/* 2 / (x * (1 + Erf)): the other way round. */
static uint32_t other_quotient(fixture *self)
{
    uint32_t sum = erf_sum(self, 1.4142135623730951, 1);
    uint32_t product = step(self, "Mul", INPUTS(self->x, by(self, "Add", sum, 8)));
    uint32_t two = number(self, 2);
    return step(self, "Div", INPUTS(two, by(self, "Add", product, 80)));
}

/* 1 + 0.044715 x^3, and x + 0.044715 x^2. */
static uint32_t other_powers(fixture *self)
{
    uint32_t cube = by(self, "Mul", by(self, "Pow", self->x, 3), 0.044715);
    uint32_t inner = step(self, "Mul", INPUTS(self->x, by(self, "Add", cube, 1)));
    inner = by(self, "Mul", inner, 0.7978845608028654);
    return tail_behind(self, by(self, "Add", step(self, "Tanh", INPUTS(inner)), 1));
}

static uint32_t other_powers_turned(fixture *self)
{
    return tail_behind(self, tanh_sum(self, by(self, "Pow", self->x, 2), 0.044715));
}

static uint32_t other_root(fixture *self)
{
    return tail_behind(self, erf_sum(self, 1.5, 1));
}

static uint32_t other_sum(fixture *self)
{
    return tail_between(self, erf_sum(self, 1.4142135623730951, 2));
}

static uint32_t other_cube(fixture *self)
{
    return tail_behind(self, tanh_sum(self, by(self, "Pow", self->x, 3), 0.05));
}

/* The same with |y| * |x| * |x| for the cube, in either order, and |x| * |x| * |y|. */
static uint32_t other_square(fixture *self)
{
    uint32_t y = by(self, "Add", self->x, 1);
    uint32_t cube = step(self, "Mul", INPUTS(step(self, "Mul", INPUTS(y, self->x)), self->x));
    return tail_behind(self, tanh_sum(self, cube, 0.044715));
}

static uint32_t other_square_turned(fixture *self)
{
    uint32_t y = by(self, "Add", self->x, 1);
    uint32_t cube = step(self, "Mul", INPUTS(self->x, step(self, "Mul", INPUTS(self->x, y))));
    return tail_between(self, tanh_sum(self, cube, 0.044715));
}

static uint32_t other_third(fixture *self)
{
    uint32_t y = by(self, "Add", self->x, 1);
    uint32_t cube = step(self, "Mul", INPUTS(step(self, "Mul", INPUTS(self->x, self->x)), y));
    return tail_behind(self, tanh_sum(self, cube, 0.044715));
}

/* Multiplied by another tensor than the one that the error function is of. */
static uint32_t other_factor(fixture *self)
{
    uint32_t y = by(self, "Add", self->x, 1);
    uint32_t sum = erf_sum(self, 1.4142135623730951, 1);
    return by(self, "Mul", step(self, "Mul", INPUTS(y, sum)), 0.5);
}

static uint32_t other_operand(fixture *self)
{
    uint32_t sigmoid = step(self, "Sigmoid", INPUTS(self->x));
    return step(self, "Mul", INPUTS(sigmoid, by(self, "Add", self->x, 1)));
}

static uint32_t read_twice(fixture *self)
{
    uint32_t sigmoid = step(self, "Sigmoid", INPUTS(self->x));
    uint32_t product = step(self, "Mul", INPUTS(self->x, sigmoid));
    return step(self, "Add", INPUTS(product, sigmoid));
}

/* ---- trials -------------------------------------------------------------------------------- */

static void make(fixture *self, uint32_t (*write)(fixture *self))
{
    assert_null(tacho_program_init(&self->program));
    self->x = add_tensor(&self->program, "x", self->dtype, TACHO_STORAGE_INPUT,
                         (tacho_shape){1, {COUNT}});
    uint32_t y = write(self);
    self->program.tensors[y].storage = TACHO_STORAGE_OUTPUT;
    add_ends(&self->program, self->x, y);
}

static void run(fixture *self, tacho_kernel_choice choice, void *out_elements,
                tacho_execution_counts *out_counts)
{
    float memory[COUNT];
    tacho_execution *execution;
    tacho_array input = {self->dtype, {1, {COUNT}}, memory}, output;
    for (int64_t i = 0; i < COUNT; i++) {
        tacho_set_real(&input, i, ((double)i - 500) * self->scale);
    }
    assert_null(tacho_execution_create(&self->program, choice, 1, &execution));
    assert_null(tacho_execution_set_input(execution, 0, &input));
    assert_null(tacho_execution_run(execution));
    assert_null(tacho_execution_output(execution, 0, &output));
    memcpy(out_elements, output.data, COUNT * tacho_dtype_element_bytes(self->dtype));
    *out_counts = tacho_execution_count(execution);
    tacho_execution_free(execution);
}

typedef struct spelling {
    uint32_t (*make)(fixture *self);
    uint32_t passes; /* that it takes where it is found */
} spelling;

/* The number |nudged| of the spelling is off; returns how many it has. */
static size_t check(const spelling *written, tacho_dtype dtype, bool is_found, size_t nudged)
{
    fixture self = {.dtype = dtype, .scale = 1.0 / 64, .nudged = nudged};
    uint16_t fast[2 * COUNT], exact[2 * COUNT];
    tacho_execution_counts counts, none;
    make(&self, written->make);
    run(&self, TACHO_KERNELS_FAST, fast, &counts);
    run(&self, TACHO_KERNELS_REFERENCE, exact, &none);
    assert_int_equal(is_found, counts.kernels + counts.reference <= written->passes);
    assert_int_equal(none.fast, 0);
    /* Some roundings of numbers up to 8, less than their sum. */
    double unit = unit_of(dtype);
    for (int64_t i = 0; i < COUNT; i++) {
        const tacho_array one = {dtype, {1, {COUNT}}, fast}, other = {dtype, {1, {COUNT}}, exact};
        double got = tacho_real_at(&one, i), want = tacho_real_at(&other, i);
        if (!(fabs(got - want) <= 8 * 4 * unit || (isnan(got) && isnan(want)))) {
            fail_msg("%s: element %" PRId64 ": %g is not %g", tacho_dtype_name(dtype), i, got,
                     want);
        }
    }
    tacho_program_deinit(&self.program);
    return self.used / 8;
}

static void test_spellings(void **state)
{
    (void)state;
    static const spelling found[] = {
        {silu, 1},
        {silu_turned, 1},
        {gelu_behind, 1},
        {gelu_between, 1},
        {gelu_by_product, 1},
        {gelu_quotient, 1},
        {gelu_quotient_between, 1},
        {gelu_half_before, 2},
        {gelu_tanh_power, 1},
        {gelu_tanh_products, 1},
        {gelu_tanh_factor_first, 1},
        {gelu_tanh_square, 1},
        {gelu_tanh_power_of_two, 1},
        {gelu_tanh_root_before, 2},
    };
    static const spelling others[] = {
        {other_root, 1},          {other_sum, 1},    {other_cube, 1},          {other_square, 1},
        {other_square_turned, 1}, {other_third, 1},  {other_factor, 1},        {other_operand, 1},
        {read_twice, 1},          {other_powers, 1}, {other_powers_turned, 1}, {other_quotient, 1},
    };
    static const tacho_dtype dtypes[] = {TACHO_DTYPE_F32, TACHO_DTYPE_F16, TACHO_DTYPE_BF16};
    for (size_t d = 0; d < sizeof(dtypes) / sizeof(dtypes[0]); d++) {
        for (size_t i = 0; i < sizeof(found) / sizeof(found[0]); i++) {
            size_t numbers = check(&found[i], dtypes[d], true, 0);
            /* Of two passes a chain of single operators may do with as many. */
            for (size_t n = 1; n <= numbers && found[i].passes == 1; n++) {
                assert_int_equal(check(&found[i], dtypes[d], false, n), numbers);
            }
        }
        for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
            (void)check(&others[i], dtypes[d], false, 0);
        }
    }
}

/* ---- functions ----------------------------------------------------------------------------- */

static uint32_t function(fixture *self)
{
    return step(self, self->type, INPUTS(self->x));
}

/* Single functions are accurate near 0, too: the tolerance is a part of each value. Only oneDNN's
 * GELU adds 1 to a number near -1, as the operators of a written-out GELU do. */
static void test_tails(void **state)
{
    (void)state;
    static const char *const types[] = {"Erf",      "Exp",      "Gelu",  "Log", "Sigmoid",
                                        "Softplus", "Softsign", "Swish", "Tanh"};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        fixture self = {.dtype = TACHO_DTYPE_F32, .type = types[i], .scale = 0.04};
        float fast[COUNT], exact[COUNT];
        tacho_execution_counts counts;
        make(&self, function);
        run(&self, TACHO_KERNELS_FAST, fast, &counts);
        run(&self, TACHO_KERNELS_REFERENCE, exact, &counts);
        for (size_t j = 0; j < COUNT; j++) {
            double away = fabs((double)fast[j] - (double)exact[j]);
            double lost = strcmp(types[i], "Gelu") == 0 ? 1e-6 : 0;
            if (!(isnan(exact[j]) || fast[j] == exact[j] ||
                  away <= 1e-5 * fabs((double)exact[j]) + lost)) {
                fail_msg("%s: %g is not %g", types[i], (double)fast[j], (double)exact[j]);
            }
        }
        tacho_program_deinit(&self.program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spellings),
        cmocka_unit_test(test_tails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
