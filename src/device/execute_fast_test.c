/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fast kernels against reference kernels, on programs of a few steps: convolutions of all kinds
 * with what follows them, the same on bytes, and layouts that meet row-major memory. Where there
 * is no oneDNN both are the same, and the numbers of fast kernels are not looked at.
 */
#include "device/execute_testing.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static bool has_fast; /* whether this build and computer have fast kernels */

typedef struct fixture {
    tacho_program program;
    unsigned char pool[1 << 16]; /* of constants */
    size_t used;
    tacho_array input;
    uint64_t seed;
} fixture;

static void begin(fixture *self)
{
    memset(self, 0, sizeof(*self));
    assert_null(tacho_program_init(&self->program));
    self->seed = 1;
}

static uint64_t bytes_of(const fixture *self, uint32_t id)
{
    return self->program.tensors[id].bytes;
}

/* A constant with |bytes|, or seeded ones where they are NULL. */
static uint32_t constant(fixture *self, tacho_dtype dtype, tacho_shape shape, const void *bytes)
{
    uint32_t id = add_tensor(&self->program, "constant", dtype, TACHO_STORAGE_BYTES, shape);
    self->program.tensors[id].offset = self->used;
    assert_true(self->used + bytes_of(self, id) <= sizeof(self->pool));
    if (bytes != NULL) {
        memcpy(self->pool + self->used, bytes, bytes_of(self, id));
    } else {
        tacho_random_fill(dtype, self->seed++, bytes_of(self, id), self->pool + self->used);
    }
    self->used += (bytes_of(self, id) + 63) / 64 * 64;
    self->program.constants = tacho_str_make((const char *)self->pool, sizeof(self->pool));
    return id;
}

static uint32_t number(fixture *self, float value)
{
    return constant(self, TACHO_DTYPE_F32, (tacho_shape){0, {0}}, &value);
}

static uint32_t input(fixture *self, tacho_dtype dtype, tacho_shape shape)
{
    uint32_t id = add_tensor(&self->program, "x", dtype, TACHO_STORAGE_INPUT, shape);
    self->input = (tacho_array){dtype, shape, malloc((size_t)bytes_of(self, id))};
    assert_non_null(self->input.data);
    tacho_random_fill(dtype, self->seed++, bytes_of(self, id), self->input.data);
    return id;
}

static uint32_t made(fixture *self, tacho_dtype dtype, tacho_shape shape)
{
    return add_tensor(&self->program, "made", dtype, TACHO_STORAGE_ACTIVATION, shape);
}

/* A step of one op for all, whose result is like |like|. */
static uint32_t step(fixture *self, const char *type, const uint32_t *inputs, uint32_t like)
{
    const tacho_program_tensor *tensor = &self->program.tensors[like];
    uint32_t id = made(self, (tacho_dtype)tensor->dtype, tensor->shape);
    add_step(&self->program, 0, type, inputs, id);
    return id;
}

#define INPUTS(...) ((uint32_t[]){__VA_ARGS__, (uint32_t)INPUTS_END})

static void add_ints(fixture *self, const char *name, const int64_t *values, uint32_t count)
{
    add_attr(&self->program, (tacho_attr){.name = tacho_str_from_cstring(name),
                                          .kind = TACHO_ATTR_INTS,
                                          .count = count,
                                          .value.as_ints = values});
}

static void add_int(fixture *self, const char *name, int64_t value)
{
    add_attr(&self->program, (tacho_attr){.name = tacho_str_from_cstring(name),
                                          .kind = TACHO_ATTR_INT,
                                          .value.as_int = value});
}

/* ---- comparing ----------------------------------------------------------------------------- */

/* The output by one kind of kernels; its bytes are the caller's. */
static tacho_array run(fixture *self, tacho_kernel_choice choice,
                       tacho_execution_counts *out_counts)
{
    tacho_execution *execution;
    tacho_array output;
    uint64_t count, bytes;
    assert_null(tacho_execution_create(&self->program, choice, 1, &execution));
    assert_null(tacho_execution_set_input(execution, 0, &self->input));
    assert_null(tacho_execution_run(execution));
    assert_null(tacho_execution_run(execution)); /* nothing is left over from the first time */
    assert_null(tacho_execution_output(execution, 0, &output));
    assert_true(tacho_shape_elements(&output.shape, &count));
    assert_true(tacho_dtype_bytes(output.dtype, count, &bytes));
    void *copy = malloc((size_t)bytes);
    assert_non_null(copy);
    memcpy(copy, output.data, (size_t)bytes);
    output.data = copy;
    *out_counts = tacho_execution_count(execution);
    tacho_execution_free(execution);
    return output;
}

static double element(const tacho_array *array, uint64_t i)
{
    switch ((int)array->dtype) {
    case TACHO_DTYPE_F32:
        return (double)((const float *)array->data)[i];
    case TACHO_DTYPE_I32:
        return ((const int32_t *)array->data)[i];
    case TACHO_DTYPE_I8:
        return ((const signed char *)array->data)[i];
    default:
        return ((const unsigned char *)array->data)[i];
    }
}

/* How the two differ at most, and how many elements do. Ends the fixture. */
static double compare(fixture *self, uint32_t output, unsigned reference, uint64_t *out_differing)
{
    tacho_execution_counts counts, none;
    uint64_t count;
    double worst = 0, spread = 0;
    self->program.tensors[output].storage = TACHO_STORAGE_OUTPUT;
    add_ends(&self->program, 0, output);
    tacho_array fast = run(self, TACHO_KERNELS_FAST, &counts);
    tacho_array exact = run(self, TACHO_KERNELS_REFERENCE, &none);
    assert_int_equal(none.fast, 0);
    if (has_fast) {
        assert_int_equal(counts.reference, reference);
    }
    assert_true(tacho_shape_elements(&exact.shape, &count));
    *out_differing = 0;
    for (uint64_t i = 0; i < count; i++) {
        double away = fabs(element(&fast, i) - element(&exact, i));
        worst = away > worst || isnan(away) ? away : worst;
        *out_differing += away != 0 ? 1 : 0;
        spread = fmax(spread, fabs(element(&exact, i) - element(&exact, 0)));
    }
    assert_true(count < 8 || spread > 0); /* else anything would agree */
    free(fast.data);
    free(exact.data);
    free(self->input.data);
    tacho_program_deinit(&self->program);
    return worst;
}

static void expect_close(fixture *self, uint32_t output, unsigned reference)
{
    uint64_t differing;
    double away = compare(self, output, reference, &differing);
    if (!(away <= 1e-5)) {
        fail_msg("reals differ by %g", away);
    }
}

/* ---- convolutions of reals ----------------------------------------------------------------- */

typedef struct conv_case {
    tacho_shape data, filters, out;
    int64_t groups;
    int64_t strides[3], dilations[3], pads[6];
} conv_case;

static const conv_case convs[] = {
    {{4, {1, 8, 9, 9}}, {4, {16, 8, 3, 3}}, {4, {1, 16, 9, 9}}, 1, {1, 1}, {1, 1}, {1, 1, 1, 1}},
    {{4, {2, 3, 9, 7}}, {4, {5, 3, 3, 2}}, {4, {2, 5, 4, 7}}, 1, {2, 1}, {1, 1}, {0, 1, 0, 0}},
    {{4, {1, 32, 6, 6}}, {4, {32, 1, 3, 3}}, {4, {1, 32, 6, 6}}, 32, {1, 1}, {1, 1}, {1, 1, 1, 1}},
    {{4, {1, 8, 9, 9}}, {4, {12, 4, 3, 3}}, {4, {1, 12, 5, 5}}, 2, {1, 1}, {2, 2}, {0, 0, 0, 0}},
    {{4, {1, 32, 5, 5}}, {4, {64, 32, 1, 1}}, {4, {1, 64, 5, 5}}, 1, {1, 1}, {1, 1}, {0, 0, 0, 0}},
    {{3, {1, 4, 20}}, {3, {6, 4, 5}}, {3, {1, 6, 20}}, 1, {1}, {1}, {2, 2}},
    {{5, {1, 4, 5, 5, 5}},
     {5, {8, 4, 2, 2, 2}},
     {5, {1, 8, 4, 4, 4}},
     1,
     {1, 1, 1},
     {1, 1, 1},
     {0, 0, 0, 0, 0, 0}},
};
enum { CONVS = sizeof(convs) / sizeof(convs[0]) };

static void add_window(fixture *self, const conv_case *at)
{
    uint32_t spatial = (uint32_t)at->data.rank - 2;
    add_ints(self, "strides", at->strides, spatial);
    add_ints(self, "dilations", at->dilations, spatial);
    add_ints(self, "pads", at->pads, 2 * spatial);
    add_int(self, "group", at->groups);
}

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

/* What follows a convolution, by number; false when there are no more. */
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

/* ---- convolutions of bytes ----------------------------------------------------------------- */

typedef struct bytes_case {
    tacho_dtype data, result;
    int data_zero, result_zero;
    bool is_per_channel;
    tacho_dtype bias; /* F32, I32, or NONE */
    const char *function;
} bytes_case;

static uint32_t byte(fixture *self, tacho_dtype dtype, int value)
{
    unsigned char bits = (unsigned char)value;
    return constant(self, dtype, (tacho_shape){0, {0}}, &bits);
}

/* Filters of all bytes but the least, as quantisers make them, or of the largest alone. */
static uint32_t add_filters(fixture *self, const conv_case *at, const bytes_case *how,
                            float *out_scale)
{
    signed char values[8192];
    float scales[64];
    uint64_t count;
    assert_true(tacho_shape_elements(&at->filters, &count) && count <= sizeof(values));
    tacho_random_fill(TACHO_DTYPE_I8, self->seed++, count, values);
    for (uint64_t i = 0; i < count; i++) {
        values[i] = values[i] == -128 ? -127 : values[i];
    }
    for (int i = 0; i < 64; i++) {
        scales[i] = 0.002f + 0.0001f * (float)(i % 7);
    }
    *out_scale = scales[0];
    uint32_t filters = constant(self, TACHO_DTYPE_I8, at->filters, values);
    uint32_t reals = made(self, TACHO_DTYPE_F32, at->filters);
    uint32_t scale = how->is_per_channel ? constant(self, TACHO_DTYPE_F32,
                                                    (tacho_shape){1, {at->filters.dims[0]}}, scales)
                                         : number(self, scales[0]);
    add_int(self, "axis", 0);
    add_step(&self->program, 0, "DequantizeLinear", INPUTS(filters, scale), reals);
    return reals;
}

static uint32_t add_byte_bias(fixture *self, const conv_case *at, const bytes_case *how,
                              float scale)
{
    tacho_shape shape = {1, {at->filters.dims[0]}};
    if (how->bias == TACHO_DTYPE_F32) {
        return constant(self, TACHO_DTYPE_F32, shape, NULL);
    }
    if (how->bias == TACHO_DTYPE_NONE) {
        return TACHO_NONE;
    }
    int32_t values[64];
    for (int i = 0; i < 64; i++) {
        values[i] = 37 * i - 900;
    }
    uint32_t bias = constant(self, TACHO_DTYPE_I32, shape, values);
    uint32_t reals = made(self, TACHO_DTYPE_F32, shape);
    add_step(&self->program, 0, "DequantizeLinear", INPUTS(bias, number(self, scale)), reals);
    return reals;
}

static void check_bytes(const conv_case *at, const bytes_case *how)
{
    fixture *self = malloc(sizeof(*self));
    assert_non_null(self);
    begin(self);
    float filter_scale, data_scale = 0.02f;
    uint32_t x = input(self, how->data, at->data);
    uint32_t reals = made(self, TACHO_DTYPE_F32, at->data);
    add_step(&self->program, 0, "DequantizeLinear",
             INPUTS(x, number(self, data_scale), byte(self, how->data, how->data_zero)), reals);
    uint32_t filters = add_filters(self, at, how, &filter_scale);
    uint32_t bias = add_byte_bias(self, at, how, data_scale * filter_scale);
    uint32_t y = made(self, TACHO_DTYPE_F32, at->out);
    add_window(self, at);
    add_step(&self->program, 0, "Conv", INPUTS(reals, filters, bias), y);
    if (strcmp(how->function, "Clip") == 0) {
        y = step(self, "Clip", INPUTS(y, number(self, -0.5f), number(self, 1.5f)), y);
    } else if (how->function[0] != '\0') {
        y = step(self, how->function, INPUTS(y), y);
    }
    uint32_t result = made(self, how->result, at->out);
    float scale = strcmp(how->function, "Sigmoid") == 0 ? 0.004f : 0.05f;
    add_step(&self->program, 0, "QuantizeLinear",
             INPUTS(y, number(self, scale), byte(self, how->result, how->result_zero)), result);
    uint64_t differing;
    double away = compare(self, result, 0, &differing);
    if (!(away <= 1) || differing > 8) {
        fail_msg("%" PRIu64 " bytes differ, by up to %g", differing, away);
    }
    free(self);
}

static void test_bytes(void **state)
{
    (void)state;
    static const bytes_case ways[] = {
        {TACHO_DTYPE_U8, TACHO_DTYPE_U8, 0, 0, false, TACHO_DTYPE_I32, "Relu"},
        {TACHO_DTYPE_U8, TACHO_DTYPE_U8, 114, 130, false, TACHO_DTYPE_I32, ""},
        {TACHO_DTYPE_U8, TACHO_DTYPE_U8, 255, 3, true, TACHO_DTYPE_F32, "Clip"},
        {TACHO_DTYPE_I8, TACHO_DTYPE_I8, -128, -128, false, TACHO_DTYPE_NONE, "Relu"},
        {TACHO_DTYPE_I8, TACHO_DTYPE_U8, 5, 128, true, TACHO_DTYPE_F32, ""},
        {TACHO_DTYPE_U8, TACHO_DTYPE_I8, 128, -7, true, TACHO_DTYPE_NONE, "Sigmoid"},
    };
    for (size_t i = 0; i < 5; i++) { /* of images */
        for (size_t j = 0; j < sizeof(ways) / sizeof(ways[0]); j++) {
            check_bytes(&convs[i], &ways[j]);
        }
    }
}

/* The largest data times the largest filters: 16 bits would not hold two of them. */
static void check_sums(bool is_conv, bool is_signed)
{
    fixture *self = malloc(sizeof(*self));
    assert_non_null(self);
    begin(self);
    signed char largest[16 * 64];
    memset(largest, 127, sizeof(largest));
    for (size_t i = 0; i < sizeof(largest); i += 7) {
        largest[i] = -128;
    }
    tacho_dtype dtype = is_signed ? TACHO_DTYPE_I8 : TACHO_DTYPE_U8;
    tacho_shape in = is_conv ? (tacho_shape){4, {1, 64, 3, 3}} : (tacho_shape){2, {9, 64}};
    tacho_shape matrix = is_conv ? (tacho_shape){4, {16, 64, 1, 1}} : (tacho_shape){2, {64, 16}};
    tacho_shape out = is_conv ? (tacho_shape){4, {1, 16, 3, 3}} : (tacho_shape){2, {9, 16}};
    uint32_t x = input(self, dtype, in);
    memset(self->input.data, is_signed ? 0x80 : 0xff, 64 * 9);
    uint32_t filters = constant(self, TACHO_DTYPE_I8, matrix, largest);
    uint32_t y = made(self, TACHO_DTYPE_I32, out);
    add_step(&self->program, 0, is_conv ? "ConvInteger" : "MatMulInteger",
             INPUTS(x, filters, byte(self, dtype, is_signed ? 100 : 0)), y);
    uint64_t differing;
    assert_true(compare(self, y, 0, &differing) == 0);
    assert_int_equal(differing, 0);
    free(self);
}

static void test_exact_sums(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        check_sums(i % 2 == 0, i / 2 == 0);
    }
}

/* ---- layouts ------------------------------------------------------------------------------- */

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
    uint32_t other = step(self, "Erf", INPUTS(first), first);
    uint32_t second = add_conv(self, &square, other);
    uint32_t flat = made(self, TACHO_DTYPE_F32, (tacho_shape){2, {1, 16 * 9 * 9}});
    add_step(&self->program, 0, "Flatten", INPUTS(first), flat);
    uint32_t sum = step(self, "Add", INPUTS(second, first), first);
    uint32_t last = made(self, TACHO_DTYPE_F32, (tacho_shape){2, {1, 16 * 9 * 9}});
    add_step(&self->program, 0, "Flatten", INPUTS(sum), last);
    uint32_t y = step(self, "Sub", INPUTS(last, flat), last);
    expect_close(self, y, 1); /* Erf */
    free(self);
}

static int look_for_fast(void **state)
{
    (void)state;
    fixture *self = malloc(sizeof(*self));
    assert_non_null(self);
    begin(self);
    tacho_execution_counts counts;
    uint32_t x = input(self, TACHO_DTYPE_F32, (tacho_shape){2, {16, 16}});
    uint32_t y = step(self, "Relu", INPUTS(x), x);
    self->program.tensors[y].storage = TACHO_STORAGE_OUTPUT;
    add_ends(&self->program, x, y);
    free(run(self, TACHO_KERNELS_FAST, &counts).data);
    has_fast = counts.fast > 0;
    print_message("fast kernels: %s\n", has_fast ? "yes" : "none here");
    free(self->input.data);
    tacho_program_deinit(&self->program);
    free(self);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_convolutions),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_exact_sums),
        cmocka_unit_test(test_borders),
    };
    return cmocka_run_group_tests(tests, look_for_fast, NULL);
}
