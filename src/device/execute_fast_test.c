/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fast kernels against reference kernels: convolutions, layouts, functions and products.
 */
#include "device/execute_fast_testing.h"

static void expect_close(fixture *self, uint32_t output, unsigned reference)
{
    uint64_t differing;
    double away = compare(self, output, reference, &differing);
    if (!(away <= 1e-5)) {
        fail_msg("reals differ by %g", away);
    }
}

enum { CONVS = sizeof(convs) / sizeof(convs[0]) };

static uint32_t add_conv(fixture *self, const conv_case *at, uint32_t data)
{
    uint32_t filters = constant(self, TACHO_DTYPE_F32, at->filters, NULL);
    uint32_t bias = constant(self, TACHO_DTYPE_F32, (tacho_shape){1, {at->filters.dims[0]}}, NULL);
    uint32_t id = made(self, TACHO_DTYPE_F32, at->out);
    add_window(self, at);
    add_step(&self->program, 0, "Conv", INPUTS(data, filters, bias), id);
    return id;
}

static const float below = -0.02f, above = 0.03f;

/* Adds steps after a convolution, by number; false when there are no more. */
static bool add_followers(fixture *self, int number_of, const conv_case *at, uint32_t *at_hand)
{
    tacho_shape channel = {1, {at->filters.dims[0]}};
    uint32_t y = *at_hand;
    switch (number_of) {
    case 0:
        break;
    case 1:
        y = step(self, "Relu", INPUTS(y), y);
        break;
    case 2:
        y = step(self, "Clip", INPUTS(y, number(self, below), number(self, above)), y);
        break;
    case 3: {
        uint32_t parts[4];
        for (int i = 0; i < 4; i++) {
            float values[64];
            for (int j = 0; j < 64; j++) {
                values[j] = i == 3 ? 0.5f + 0.01f * (float)j : 0.1f * (float)((i + j) % 5);
            }
            parts[i] = constant(self, TACHO_DTYPE_F32, channel, values);
        }
        y = step(self, "BatchNormalization", INPUTS(y, parts[0], parts[1], parts[2], parts[3]), y);
        y = step(self, "Relu", INPUTS(y), y);
        break;
    }
    case 4: /* two lines with a bend between them: oneDNN 2 takes the second for the first */
        y = step(self, "Mul", INPUTS(y, number(self, 3)), y);
        y = step(self, "Relu", INPUTS(y), y);
        y = step(self, "Add", INPUTS(y, number(self, -0.5f)), y);
        break;
    case 5:
        y = step(self, "Sigmoid", INPUTS(y), y);
        y = step(self, "Add", INPUTS(y, constant(self, TACHO_DTYPE_F32, at->out, NULL)), y);
        y = step(self, "Tanh", INPUTS(y), y);
        break;
    case 6:
        y = step(self, "HardSigmoid", INPUTS(y), y);
        y = step(self, "Mul", INPUTS(y, y), y);
        break;
    case 7: /* the sum of two that both are still wanted */
        y = step(self, "Sub", INPUTS(step(self, "Exp", INPUTS(y), y), y), y);
        break;
    case 8:
    case 9: { /* GELU, with half of x before or after */
        uint32_t half = number_of == 9 ? step(self, "Mul", INPUTS(y, number(self, 0.5f)), y) : y;
        uint32_t erf = step(self, "Div", INPUTS(y, number(self, 1.41421356f)), y);
        erf = step(self, "Erf", INPUTS(erf), y);
        erf = step(self, "Add", INPUTS(erf, number(self, 1)), y);
        y = step(self, "Mul", INPUTS(half, erf), y);
        y = number_of == 9 ? y : step(self, "Mul", INPUTS(y, number(self, 0.5f)), y);
        break;
    }
    default:
        return false;
    }
    *at_hand = y;
    return true;
}

static void test_convolutions(void **state)
{
    (void)state;
    for (size_t i = 0; i < CONVS; i++) {
        for (int followers = 0;; followers++) {
            fixture *self = malloc(sizeof(*self));
            assert_non_null(self);
            begin(self);
            uint32_t y = add_conv(self, &convs[i], input(self, TACHO_DTYPE_F32, convs[i].data));
            if (!add_followers(self, followers, &convs[i], &y)) {
                free(self->input.data);
                tacho_program_deinit(&self->program);
                free(self);
                break;
            }
            expect_close(self, y, 0);
            free(self);
        }
    }
}

/* ---- layouts ------------------------------------------------------------------------------- */

/* Almost a GELU: every number has to be the right one. */
static void test_almost_gelu(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        fixture *self = malloc(sizeof(*self));
        assert_non_null(self);
        begin(self);
        uint32_t x = input(self, TACHO_DTYPE_F32, (tacho_shape){2, {16, 32}});
        uint32_t y = step(self, "Div", INPUTS(x, number(self, i == 0 ? 1.5f : 1.41421356f)), x);
        y = step(self, "Erf", INPUTS(y), x);
        y = step(self, "Add", INPUTS(y, number(self, i == 1 ? 2 : 1)), x);
        y = step(self, "Mul", INPUTS(x, y), x);
        y = step(self, "Mul", INPUTS(y, number(self, i == 2 ? 0.25f : 0.5f)), x);
        expect_close(self, y, 0);
        assert_true(!has_fast || counted.kernels > 1);
        free(self);
    }
}

/* Images to twice and three times their size. */
static void test_sizes(void **state)
{
    (void)state;
    static const char *const modes[] = {"nearest", "linear"};
    static const char *const places[] = {"half_pixel", "asymmetric"};
    for (int i = 0; i < 4; i++) {
        fixture *self = malloc(sizeof(*self));
        float scales[4] = {1, 1, 2, 3};
        bool is_linear = i / 2 == 1, is_cornered = i % 2 == 1;
        assert_non_null(self);
        begin(self);
        uint32_t x = input(self, TACHO_DTYPE_F32, (tacho_shape){4, {1, 16, 5, 4}});
        uint32_t y = made(self, TACHO_DTYPE_F32, (tacho_shape){4, {1, 16, 10, 12}});
        uint32_t scale = constant(self, TACHO_DTYPE_F32, (tacho_shape){1, {4}}, scales);
        const char *names[] = {"mode", "coordinate_transformation_mode", "nearest_mode"};
        const char *values[] = {modes[is_linear], places[is_cornered],
                                is_cornered ? "floor" : "round_prefer_floor"};
        for (int j = 0; j < 3; j++) {
            add_attr(&self->program,
                     (tacho_attr){.name = tacho_str_from_cstring(names[j]),
                                  .kind = TACHO_ATTR_TEXT,
                                  .value.as_text = tacho_str_from_cstring(values[j])});
        }
        add_step(&self->program, 0, "Resize", INPUTS(x, TACHO_NONE, scale), y);
        expect_close(self, y, is_linear && is_cornered ? 1 : 0);
        free(self);
    }
}

/* Scales that are not those of the sizes: 10 elements become 20 at 2.05, too. */
static void test_scales(void **state)
{
    (void)state;
    fixture *self = malloc(sizeof(*self));
    float scales[4] = {1, 1, 2.05F, 2.05F};
    assert_non_null(self);
    begin(self);
    uint32_t x = input(self, TACHO_DTYPE_F32, (tacho_shape){4, {1, 4, 10, 10}});
    uint32_t y = made(self, TACHO_DTYPE_F32, (tacho_shape){4, {1, 4, 20, 20}});
    uint32_t scale = constant(self, TACHO_DTYPE_F32, (tacho_shape){1, {4}}, scales);
    add_attr(&self->program, (tacho_attr){.name = TACHO_STR("mode"),
                                          .kind = TACHO_ATTR_TEXT,
                                          .value.as_text = TACHO_STR("linear")});
    add_step(&self->program, 0, "Resize", INPUTS(x, TACHO_NONE, scale), y);
    expect_close(self, y, 1);
    free(self);
}

/* Images of one row or one place, with numbers per channel. */
static void test_thin(void **state)
{
    (void)state;
    static const tacho_shape shapes[] = {{4, {2, 8, 1, 1}}, {3, {4, 8, 1}}, {4, {2, 8, 1, 9}}};
    static const float variances[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (size_t i = 0; i < 6; i++) {
        fixture *self = malloc(sizeof(*self));
        bool is_norm = i % 2 == 0;
        assert_non_null(self);
        begin(self);
        uint32_t x = input(self, TACHO_DTYPE_F32, shapes[i / 2]);
        tacho_shape each = shapes[i / 2];
        each.dims[0] = 1;
        each.dims[each.rank - 1] = 1;
        each = is_norm ? (tacho_shape){1, {8}} : each;
        uint32_t a = constant(self, TACHO_DTYPE_F32, each, NULL);
        uint32_t b = constant(self, TACHO_DTYPE_F32, each, NULL);
        uint32_t mean = constant(self, TACHO_DTYPE_F32, each, NULL);
        uint32_t variance = constant(self, TACHO_DTYPE_F32, each, variances);
        uint32_t y = is_norm ? step(self, "BatchNormalization", INPUTS(x, a, b, mean, variance), x)
                             : step(self, "Add", INPUTS(step(self, "Mul", INPUTS(x, a), x), b), x);
        expect_close(self, y, is_norm ? 1 : 0);
        free(self);
    }
}

/* Convolution, a step that only a reference kernel computes, convolution; the first is returned
 * through a view, and summed up with the last. */
static void test_borders(void **state)
{
    (void)state;
    fixture *self = malloc(sizeof(*self));
    assert_non_null(self);
    begin(self);
    conv_case square = convs[0], narrow = convs[0];
    square.data.dims[1] = square.filters.dims[1] = 16;
    square.filters.dims[0] = 16;
    narrow.filters.dims[2] = narrow.filters.dims[3] = 3;
    uint32_t first = add_conv(self, &narrow, input(self, TACHO_DTYPE_F32, narrow.data));
    uint32_t other = step(self, "Sin", INPUTS(first), first);
    uint32_t second = add_conv(self, &square, other);
    uint32_t flat = made(self, TACHO_DTYPE_F32, (tacho_shape){2, {1, 16 * 9 * 9}});
    add_step(&self->program, 0, "Flatten", INPUTS(first), flat);
    uint32_t sum = step(self, "Add", INPUTS(second, first), first);
    uint32_t last = made(self, TACHO_DTYPE_F32, (tacho_shape){2, {1, 16 * 9 * 9}});
    add_step(&self->program, 0, "Flatten", INPUTS(sum), last);
    uint32_t y = step(self, "Sub", INPUTS(last, flat), last);
    expect_close(self, y, 1); /* Sin */
    free(self);
}

/* Every function, from -8 to 8. */
static void test_functions(void **state)
{
    (void)state;
    static const char *const types[] = {
        "Abs", "Elu",  "Exp",        "Gelu", "HardSwish", "LeakyRelu", "Log",   "Mish",
        "Neg", "Relu", "Reciprocal", "Sqrt", "Sigmoid",   "Softplus",  "Swish", "Tanh"};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        fixture *self = malloc(sizeof(*self));
        assert_non_null(self);
        begin(self);
        uint32_t x = input(self, TACHO_DTYPE_F32, (tacho_shape){2, {37, 19}});
        for (int j = 0; j < 37 * 19; j++) {
            ((float *)self->input.data)[j] *= 64;
        }
        uint32_t y = step(self, types[i], INPUTS(x), x);
        expect_same(self, y);
        free(self->input.data);
        tacho_program_deinit(&self->program);
        free(self);
    }
}

/* Filters and bias that are made while the program runs. */
static void test_live_filters(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * CONVS + 2; i++) {
        fixture *self = malloc(sizeof(*self));
        assert_non_null(self);
        begin(self);
        const conv_case *at = &convs[i / 2 % CONVS];
        bool has_bias = i % 2 == 0;
        uint32_t x = input(self, TACHO_DTYPE_F32, at->data);
        tacho_shape channels = {1, {at->out.dims[1]}};
        if (i < 2 * (size_t)CONVS) {
            uint32_t filters = another_input(self, at->filters);
            uint32_t bias = has_bias ? another_input(self, channels) : TACHO_NONE;
            uint32_t y = made(self, TACHO_DTYPE_F32, at->out);
            add_window(self, at);
            add_step(&self->program, 0, "Conv", INPUTS(x, filters, bias), y);
            expect_close(self, step(self, "Relu", INPUTS(y), y), 0);
        } else { /* the first backwards */
            uint32_t filters = another_input(self, (tacho_shape){4, {8, 16, 3, 3}});
            uint32_t bias = has_bias ? another_input(self, channels) : TACHO_NONE;
            uint32_t y = made(self, TACHO_DTYPE_F32, at->out);
            add_window(self, at);
            add_step(&self->program, 0, "ConvTranspose", INPUTS(x, filters, bias), y);
            expect_close(self, y, 0);
        }
        free(self);
    }
}

static void add_real(fixture *self, const char *name, double value)
{
    add_attr(&self->program, (tacho_attr){.name = tacho_str_from_cstring(name),
                                          .kind = TACHO_ATTR_REAL,
                                          .value.as_real = value});
}

/* alpha * a * b + beta * c: c a row, a column, a matrix or absent, constant or not. */
static void test_gemm_factors(void **state)
{
    (void)state;
    static const double factors[][2] = {{1, 1}, {0.5, 1}, {1, -2}, {3, 0.25}, {-1.5, 0}, {0, 1}};
    static const tacho_shape summands[] = {
        {1, {24}}, {2, {1, 24}}, {2, {16, 1}}, {2, {16, 24}}, {0, {0}}};
    for (size_t i = 0; i < 6 * 11; i++) {
        fixture *self = malloc(sizeof(*self));
        assert_non_null(self);
        begin(self);
        const double *factor = factors[i / 11];
        bool is_live = i % 2 == 0, has_summand = i % 11 < 10;
        uint32_t a = input(self, TACHO_DTYPE_F32, (tacho_shape){2, {16, 40}});
        uint32_t b = constant(self, TACHO_DTYPE_F32, (tacho_shape){2, {24, 40}}, NULL);
        const tacho_shape *shape = &summands[i % 11 / 2 % 5];
        uint32_t c = !has_summand ? TACHO_NONE
                     : is_live    ? another_input(self, *shape)
                                  : constant(self, TACHO_DTYPE_F32, *shape, NULL);
        uint32_t y = made(self, TACHO_DTYPE_F32, (tacho_shape){2, {16, 24}});
        add_real(self, "alpha", factor[0]);
        add_real(self, "beta", factor[1]);
        add_int(self, "transB", 1);
        add_step(&self->program, 0, "Gemm", INPUTS(a, b, c), y);
        if (factor[0] == 0) { /* which is not a product */
            expect_same(self, y);
            end(self);
        } else {
            bool is_column =
                has_summand && factor[1] != 0 && shape->rank == 2 && shape->dims[1] == 1;
            expect_close(self, step(self, "Tanh", INPUTS(y), y), is_column ? 1 : 0);
        }
        free(self);
    }
}

/* Over every axis, counted from the front and from the back. */
static void test_softmax_axes(void **state)
{
    (void)state;
    tacho_shape shape = {4, {2, 19, 5, 7}};
    for (int64_t i = -4; i < 4; i++) {
        for (int is_log = 0; is_log < 2; is_log++) {
            fixture *self = malloc(sizeof(*self));
            assert_non_null(self);
            begin(self);
            uint32_t x = input(self, TACHO_DTYPE_F32, shape);
            for (int j = 0; j < 2 * 19 * 5 * 7; j++) {
                ((float *)self->input.data)[j] *= 32;
            }
            add_int(self, "axis", i);
            uint32_t y = step(self, is_log ? "LogSoftmax" : "Softmax", INPUTS(x), x);
            expect_close(self, y, 0);
            free(self);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_convolutions), cmocka_unit_test(test_almost_gelu),
        cmocka_unit_test(test_sizes),        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_thin),         cmocka_unit_test(test_borders),
        cmocka_unit_test(test_functions),    cmocka_unit_test(test_live_filters),
        cmocka_unit_test(test_gemm_factors), cmocka_unit_test(test_softmax_axes),
    };
    return cmocka_run_group_tests(tests, look_for_fast, NULL);
}
