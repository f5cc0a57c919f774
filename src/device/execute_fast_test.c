/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fast kernels against reference kernels, on programs of a few steps: convolutions of all kinds
 * with what follows them, the same on bytes, and layouts that meet row-major memory. Where there
 * is no oneDNN both are the same, and the numbers of fast kernels are not looked at.
 */
#include "device/execute_testing.h"
#include "kernels/onednn.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static bool has_fast;  /* whether this build and computer have fast kernels */
static bool has_bytes; /* and such for products of bytes */
static bool has_all;   /* and all that oneDNN has: older processors have some kernels less */
static tacho_execution_counts counted; /* of the last comparison's fast kernels */

typedef struct fixture {
    tacho_program program;
    unsigned char pool[1 << 16]; /* of constants */
    size_t used;
    tacho_array input, others[2]; /* beside the first, which is tensor 0 */
    uint32_t other_ids[2];
    size_t other_count;
    uint64_t seed;
    int64_t kernel[3], order[TACHO_RANK_MAX]; /* lists that attributes point to */
    void *kept;
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

static uint32_t another_input(fixture *self, tacho_shape shape)
{
    tacho_array first = self->input;
    assert_true(self->other_count < 2);
    uint32_t id = input(self, TACHO_DTYPE_F32, shape);
    self->others[self->other_count] = self->input;
    self->other_ids[self->other_count++] = id;
    self->input = first;
    return id;
}

/* Inputs and the output of a program that is complete. */
static void add_all_ends(fixture *self, uint32_t output)
{
    tacho_program *program = &self->program;
    program->tensors[output].storage = TACHO_STORAGE_OUTPUT;
    add_ends(program, 0, output);
    assert_null(tacho_grow(&program->inputs, &program->input_capacity, 3));
    for (size_t i = 0; i < self->other_count; i++) {
        program->inputs[program->input_count++] = self->other_ids[i];
    }
}

static void set_all(fixture *self, tacho_execution *execution)
{
    assert_null(tacho_execution_set_input(execution, 0, &self->input));
    for (size_t i = 0; i < self->other_count; i++) {
        assert_null(tacho_execution_set_input(execution, i + 1, &self->others[i]));
    }
}

static void end(fixture *self)
{
    free(self->input.data);
    free(self->others[0].data);
    free(self->others[1].data);
    tacho_program_deinit(&self->program);
}

static uint32_t made(fixture *self, tacho_dtype dtype, tacho_shape shape)
{
    return add_tensor(&self->program, "made", dtype, TACHO_STORAGE_ACTIVATION, shape);
}

/* A step of one op for all, whose result is like |like|. */
static uint32_t step(fixture *self, const char *type, const uint32_t *inputs, uint32_t like)
{
    const tacho_program_tensor *tensor = &self->program.tensors[like];
    uint32_t id =
        made(self, (tacho_dtype)tensor->dtype, *tacho_program_shape(&self->program, tensor));
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
    set_all(self, execution);
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

/* As many reference kernels as there are. */
enum { ANY = 1000 };

/* How the two differ at most, and how many elements do. Ends the fixture. */
static double compare(fixture *self, uint32_t output, unsigned reference, uint64_t *out_differing)
{
    tacho_execution_counts counts, none;
    uint64_t count;
    double worst = 0, spread = 0;
    add_all_ends(self, output);
    tacho_array fast = run(self, TACHO_KERNELS_FAST, &counts);
    tacho_array exact = run(self, TACHO_KERNELS_REFERENCE, &none);
    assert_int_equal(none.fast, 0);
    assert_int_equal(counts.recomputed, 0);
    counted = counts;
    if (has_all && reference != ANY) {
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
    end(self);
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
    case 8:
    case 9: { /* GELU, with half of x before or behind */
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

/* ---- sums and means of bytes --------------------------------------------------------------- */

typedef struct sum_case {
    tacho_dtype dtype, other, made;
    float a_scale, b_scale, scale;
    int a_zero, b_zero, zero;
    const char *function;
} sum_case;

static uint32_t dequantise(fixture *self, uint32_t id, float scale, int zero)
{
    const tacho_program_tensor *tensor = &self->program.tensors[id];
    tacho_dtype dtype = (tacho_dtype)tensor->dtype;
    uint32_t reals = made(self, TACHO_DTYPE_F32, *tacho_program_shape(&self->program, tensor));
    add_step(&self->program, 0, "DequantizeLinear",
             INPUTS(id, number(self, scale), byte(self, dtype, zero)), reals);
    return reals;
}

static uint32_t quantise(fixture *self, uint32_t id, tacho_dtype dtype, float scale, int zero)
{
    uint32_t bytes = made(self, dtype, self->program.shapes[self->program.tensors[id].shape]);
    add_step(&self->program, 0, "QuantizeLinear",
             INPUTS(id, number(self, scale), byte(self, dtype, zero)), bytes);
    return bytes;
}

/* All pairs of bytes: rows plus columns. Returns how many differ. */
static uint64_t check_sum(const sum_case *how)
{
    fixture *self = malloc(sizeof(*self));
    assert_non_null(self);
    begin(self);
    tacho_shape shape = {2, {256, 256}};
    uint32_t x = input(self, how->dtype, shape), turned = made(self, how->dtype, shape);
    for (int i = 0; i < 256 * 256; i++) {
        ((unsigned char *)self->input.data)[i] = (unsigned char)(i / 256);
    }
    add_step(&self->program, 0, "Transpose", INPUTS(x), turned);
    bool is_mixed = how->other != how->dtype;
    if (is_mixed) { /* the same bits under another type, which only a reference kernel makes */
        uint32_t cast = made(self, how->other, shape);
        add_int(self, "to", how->other == TACHO_DTYPE_I8 ? 3 : 2);
        add_step(&self->program, 0, "Cast", INPUTS(turned), cast);
        turned = cast;
    }
    uint32_t a = dequantise(self, x, how->a_scale, how->a_zero);
    uint32_t b = dequantise(self, turned, how->b_scale, how->b_zero);
    uint32_t y = step(self, "Add", INPUTS(a, b), a);
    if (strcmp(how->function, "Clip") == 0) {
        y = step(self, "Clip", INPUTS(y, number(self, -3 * how->scale), TACHO_NONE), y);
    } else if (how->function[0] != '\0') {
        y = step(self, how->function, INPUTS(y), y);
    }
    uint64_t differing;
    y = quantise(self, y, how->made, how->scale, how->zero);
    (void)compare(self, y, ANY, &differing);
    assert_true(!has_bytes || counted.reference == (is_mixed ? 1u : 0u) ||
                counted.reference == (is_mixed ? 2u : 1u));
    free(self);
    return differing;
}

/* What both kinds of kernels make of a program: element |at|. Ends the fixture. */
static void expect_byte(fixture *self, uint32_t output, uint64_t at, int expected)
{
    tacho_execution_counts counts;
    add_all_ends(self, output);
    tacho_array fast = run(self, TACHO_KERNELS_FAST, &counts);
    tacho_array exact = run(self, TACHO_KERNELS_REFERENCE, &counts);
    assert_int_equal((int)element(&exact, at), expected);
    assert_int_equal((int)element(&fast, at), expected);
    free(fast.data);
    free(exact.data);
    end(self);
}

/* Filters of one byte: 63 * 18 quanta of the factors are 101.4999988 of the result. */
static void check_tie(const char *type, const char *between)
{
    static const int8_t filter = 18;
    static const uint8_t middle = 128;
    tacho_shape one = {0, {0}}, images = {4, {1, 1, 16, 16}};
    fixture *self = calloc(1, sizeof(*self));
    assert_non_null(self);
    begin(self);
    uint32_t x = input(self, TACHO_DTYPE_U8, images);
    for (int i = 0; i < 256; i++) {
        ((unsigned char *)self->input.data)[i] = (unsigned char)i;
    }
    uint32_t zero = constant(self, TACHO_DTYPE_U8, one, &middle);
    uint32_t q = constant(self, TACHO_DTYPE_I8, (tacho_shape){4, {1, 1, 1, 1}}, &filter);
    uint32_t a = made(self, TACHO_DTYPE_F32, images);
    uint32_t b = made(self, TACHO_DTYPE_F32, (tacho_shape){4, {1, 1, 1, 1}});
    uint32_t y = made(self, TACHO_DTYPE_U8, images);
    add_step(&self->program, 0, "DequantizeLinear", INPUTS(x, number(self, 0.06457581f), zero), a);
    add_step(&self->program, 0, "DequantizeLinear", INPUTS(q, number(self, 0.06580203f)), b);
    uint32_t real = step(self, type, INPUTS(a, b), a);
    real = between == NULL ? real : step(self, between, INPUTS(real), a);
    add_step(&self->program, 0, "QuantizeLinear", INPUTS(real, number(self, 0.047474045f), zero),
             y);
    expect_byte(self, y, 128 + 63, 128 + (strcmp(type, "Conv") == 0 ? 101 : 102));
    free(self);
}

/* Quotients of products of integers are not rounded to f32 before they are to integers. */
static void test_product_ties(void **state)
{
    (void)state;
    check_tie("Conv", NULL);
    check_tie("Conv", "Relu");
    check_tie("Mul", NULL);
}

static void test_byte_sums(void **state)
{
    (void)state;
#define U8 TACHO_DTYPE_U8
#define I8 TACHO_DTYPE_I8
    static const sum_case sums[] = {
        /* Half of all sums are ties. */
        {U8, U8, U8, 1, 1, 2, 0, 0, 0, ""},
        {U8, U8, U8, 1, 1, 2, 128, 128, 127, ""},
        {U8, U8, U8, 1, 1, 2, 3, 7, 131, "Relu"},
        {I8, I8, I8, 0.25f, 0.25f, 0.5f, 0, 0, 0, ""},
        {I8, I8, I8, 0.25f, 0.5f, 0.5f, 1, -3, -7, ""},
        {I8, I8, I8, 0.5f, 0.5f, 1, -128, 127, 127, "Clip"},
        {I8, I8, U8, 0.5f, 0.5f, 1, 5, 6, 101, "Relu"},
        {U8, I8, U8, 0.5f, 0.25f, 1, 5, 6, 99, ""},
        {U8, I8, I8, 0.1f, 0.3f, 0.7f, 5, 6, -99, "Clip"},
        /* As networks have them. */
        {U8, U8, U8, 0.027604919f, 0.023746882f, 0.029093407f, 129, 158, 130, ""},
        {U8, U8, U8, 0.023428692f, 0.01742071f, 0.027130032f, 129, 131, 125, ""},
        {U8, U8, U8, 0.04538624f, 0.058962904f, 0.085624546f, 119, 131, 114, ""},
        {I8, I8, I8, 0.1f, 0.1f, 0.2f, 3, 3, 5, ""}, /* almost ties */
        {I8, I8, I8, 0.003f, 7, 0.05f, 3, 3, 5, ""},
    };
    for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
        assert_int_equal(check_sum(&sums[i]), 0);
        if (has_bytes && i < 12) { /* with the transposition */
            assert_int_equal(counted.kernels, 2);
        }
    }
}

/* Scales and zero points by chance: the same bytes as reference kernels', mostly in one kernel. */
static void test_any_sums(void **state)
{
    (void)state;
    unsigned joined = 0;
    uint64_t chances = 99;
    enum { COUNT = 60 };
    for (int i = 0; i < COUNT; i++) {
        sum_case how = {U8, U8, U8, 0, 0, 0, 0, 0, 0, ""};
        float *scales[] = {&how.a_scale, &how.b_scale, &how.scale};
        int *zeros[] = {&how.a_zero, &how.b_zero, &how.zero};
        for (int j = 0; j < 3; j++) {
            chances = chances * 6364136223846793005u + 1442695040888963407u;
            *scales[j] = 0.01f + (float)((chances >> 33) % 100000) * 1e-6f;
            *zeros[j] = (int)(chances >> 56);
        }
        assert_int_equal(check_sum(&how), 0);
        joined += counted.kernels == 2 ? 1 : 0;
    }
    print_message("%u of %d sums are one kernel\n", joined, COUNT);
    assert_true(!has_bytes || joined > COUNT / 2);
}

typedef struct mean_case {
    tacho_dtype dtype;
    int64_t kernel[2], pads[4], out[2];
    float scale;
    int zero;
    unsigned kernels;
} mean_case;

/* The same bytes in the layout that convolutions leave: there are no pools of other ones. */
static uint32_t copy_bytes(fixture *self, uint32_t x, const mean_case *at)
{
    signed char same[16 * 16] = {0};
    for (int i = 0; i < 16; i++) {
        same[17 * i] = 1;
    }
    uint32_t filters = constant(self, TACHO_DTYPE_I8, (tacho_shape){4, {16, 16, 1, 1}}, same);
    uint32_t a = dequantise(self, x, at->scale, at->zero);
    uint32_t y = step(self, "Conv", INPUTS(a, dequantise(self, filters, 1, 0)), a);
    return quantise(self, y, at->dtype, at->scale, at->zero);
}

/* Means of all bytes: every tie is to be the reference's. */
static void test_byte_means(void **state)
{
    (void)state;
    static const mean_case means[] = {
        {U8, {2, 2}, {0, 0, 0, 0}, {63, 63}, 0.25f, 128, 2},
        {I8, {2, 2}, {0, 0, 0, 0}, {63, 63}, 0.25f, -6, 2},
        {U8, {2, 2}, {0, 0, 0, 0}, {63, 63}, 0.25f, 127, 4}, /* ties go the other way */
        {I8, {2, 3}, {0, 1, 1, 0}, {64, 63}, 2, -7, 4},
        {I8, {2, 3}, {0, 0, 0, 0}, {63, 62}, 2, -8, 2},
        {U8, {3, 3}, {0, 0, 0, 0}, {62, 62}, 0.1f, 127, 2}, /* there are none */
        {I8, {5, 3}, {0, 0, 0, 0}, {60, 62}, 0.037f, 0, 2},
        {U8, {3, 3}, {1, 1, 1, 1}, {64, 64}, 0.5f, 127, 4}, /* but in corners */
    };
    for (size_t i = 0; i < sizeof(means) / sizeof(means[0]); i++) {
        const mean_case *at = &means[i];
        fixture *self = malloc(sizeof(*self));
        assert_non_null(self);
        begin(self);
        uint32_t x = input(self, at->dtype, (tacho_shape){4, {1, 16, 64, 64}});
        uint32_t a = dequantise(self, copy_bytes(self, x, at), at->scale, at->zero);
        uint32_t y = made(self, TACHO_DTYPE_F32, (tacho_shape){4, {1, 16, at->out[0], at->out[1]}});
        add_ints(self, "kernel_shape", at->kernel, 2);
        add_ints(self, "pads", at->pads, 4);
        add_step(&self->program, 0, "AveragePool", INPUTS(a), y);
        y = quantise(self, y, at->dtype, at->scale, at->zero);
        uint64_t differing;
        (void)compare(self, y, 0, &differing);
        assert_int_equal(differing, 0);
        if (has_bytes) {
            assert_int_equal(counted.kernels, at->kernels);
        }
        free(self);
    }
}

#undef U8
#undef I8

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
        assert_true(counted.kernels > 1);
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

/* ---- by chance ----------------------------------------------------------------------------- */

static int64_t chance(uint64_t *state, int64_t low, int64_t high)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return low + (int64_t)((*state >> 33) % (uint64_t)(high - low + 1));
}

/* A window that fits: sizes of the output follow. */
static void make_window(uint64_t *state, bool is_transposed, conv_case *out)
{
    int32_t rank = (int32_t)chance(state, 3, 5);
    out->data = out->filters = out->out = (tacho_shape){.rank = rank};
    out->groups = chance(state, 0, 2) == 0 ? chance(state, 1, 4) : 1;
    int64_t in = chance(state, 1, 9) * out->groups,
            made_channels = chance(state, 1, 9) * out->groups;
    out->data.dims[0] = out->out.dims[0] = chance(state, 1, 2);
    out->data.dims[1] = in;
    out->out.dims[1] = made_channels;
    out->filters.dims[0] = is_transposed ? in : made_channels;
    out->filters.dims[1] = (is_transposed ? made_channels : in) / out->groups;
    for (int32_t i = 0; i < rank - 2; i++) {
        out->strides[i] = chance(state, 1, 3);
        out->dilations[i] = chance(state, 1, 2);
        out->pads[i] = chance(state, 0, 2);
        out->pads[rank - 2 + i] = chance(state, 0, 2);
        out->filters.dims[2 + i] = chance(state, 1, 3);
        int64_t reach = (out->filters.dims[2 + i] - 1) * out->dilations[i] + 1;
        int64_t padding = out->pads[i] + out->pads[rank - 2 + i];
        out->data.dims[2 + i] = chance(state, reach, reach + 5);
        out->out.dims[2 + i] =
            is_transposed ? (out->data.dims[2 + i] - 1) * out->strides[i] + reach - padding
                          : (out->data.dims[2 + i] + padding - reach) / out->strides[i] + 1;
    }
}

static bool is_real_shape(const tacho_shape *shape)
{
    uint64_t count;
    for (int32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] < 1) {
            return false;
        }
    }
    return tacho_shape_elements(shape, &count) && count < 10000;
}

/* Differs from compare in that both may refuse, for the same reason. */
static void expect_same(fixture *self, uint32_t output)
{
    tacho_execution *executions[2];
    tacho_status statuses[2];
    add_all_ends(self, output);
    for (int i = 0; i < 2; i++) {
        statuses[i] = tacho_execution_create(&self->program,
                                             i == 0 ? TACHO_KERNELS_FAST : TACHO_KERNELS_REFERENCE,
                                             1, &executions[i]);
        if (statuses[i] == TACHO_OK) {
            set_all(self, executions[i]);
            statuses[i] = tacho_execution_run(executions[i]);
        }
    }
    assert_int_equal(tacho_status_code(statuses[0]), tacho_status_code(statuses[1]));
    tacho_array found, expected;
    uint64_t count = 0;
    if (statuses[0] == TACHO_OK) {
        assert_null(tacho_execution_output(executions[0], 0, &found));
        assert_null(tacho_execution_output(executions[1], 0, &expected));
        assert_true(tacho_shape_elements(&expected.shape, &count));
    }
    for (uint64_t i = 0; i < count; i++) {
        double a = element(&found, i), b = element(&expected, i);
        if (!(fabs(a - b) <= 1e-5 + 1e-5 * fabs(b)) && !(isnan(a) && isnan(b)) && a != b) {
            fail_msg("%s: element %" PRIu64 " is %g, expected %g",
                     tacho_strings_get(&self->program.strings, self->program.steps[0].type).data, i,
                     a, b);
        }
    }
    counted = (tacho_execution_counts){0};
    for (int i = 1; i >= 0; i--) {
        if (statuses[i] == TACHO_OK) {
            counted = tacho_execution_count(executions[i]);
        }
        tacho_status_free(statuses[i]);
        tacho_execution_free(executions[i]);
    }
}

static uint32_t chance_window(fixture *self, uint64_t *state, int kind)
{
    static const char *const types[] = {"Conv", "ConvTranspose", "MaxPool", "AveragePool"};
    conv_case at;
    do {
        make_window(state, kind == 1, &at);
    } while (!is_real_shape(&at.out) || !is_real_shape(&at.data) || !is_real_shape(&at.filters));
    bool is_pool = kind > 1;
    if (is_pool) {
        at.out.dims[1] = at.data.dims[1];
        add_ints(self, "kernel_shape", at.filters.dims + 2, (uint32_t)at.data.rank - 2);
        add_int(self, "count_include_pad", chance(state, 0, 1));
    }
    uint32_t spatial = (uint32_t)at.data.rank - 2;
    int64_t *kept = malloc(12 * sizeof(*kept)); /* as long as the program: freed with it */
    assert_non_null(kept);
    memcpy(kept, at.strides, 3 * sizeof(*kept));
    memcpy(kept + 3, at.dilations, 3 * sizeof(*kept));
    memcpy(kept + 6, at.pads, 6 * sizeof(*kept));
    self->kept = kept;
    add_ints(self, "strides", kept, spatial);
    add_ints(self, "pads", kept + 6, 2 * spatial);
    if (kind != 3) {
        add_ints(self, "dilations", kept + 3, spatial);
    }
    if (is_pool) {
        memcpy(self->kernel, at.filters.dims + 2, 3 * sizeof(*kept));
        self->program.attrs[0].value.as_ints = self->kernel;
    } else {
        add_int(self, "group", at.groups);
    }
    uint32_t x = input(self, TACHO_DTYPE_F32, at.data);
    uint32_t y = made(self, TACHO_DTYPE_F32, at.out);
    if (is_pool) {
        add_step(&self->program, 0, types[kind], INPUTS(x), y);
    } else {
        uint32_t filters = constant(self, TACHO_DTYPE_F32, at.filters, NULL);
        add_step(&self->program, 0, types[kind], INPUTS(x, filters), y);
    }
    return y;
}

static tacho_shape chance_shape(uint64_t *state, int32_t least)
{
    tacho_shape shape = {.rank = (int32_t)chance(state, least, 5)};
    for (int32_t i = 0; i < shape.rank; i++) {
        shape.dims[i] = chance(state, 1, 6);
    }
    return shape;
}

static uint32_t chance_other(fixture *self, uint64_t *state, int kind)
{
    tacho_shape in = chance_shape(state, 2), out = in;
    uint32_t x = input(self, TACHO_DTYPE_F32, in), y;
    int64_t axis = chance(state, 0, in.rank - 1);
    switch (kind) {
    case 4:
        add_int(self, "axis", axis - (chance(state, 0, 1) == 0 ? in.rank : 0));
        y = step(self, "Softmax", INPUTS(x), x);
        if (chance(state, 0, 1) == 0) {
            self->program.steps[0].opset = 11;
        }
        return y;
    case 5: {
        static const char *const types[] = {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin"};
        self->kernel[0] = axis;
        add_ints(self, "axes", self->kernel, 1);
        out.dims[axis] = 1;
        bool keeps = chance(state, 0, 1) == 1;
        add_int(self, "keepdims", keeps);
        for (int64_t i = axis; !keeps && i + 1 < out.rank; i++) {
            out.dims[i] = out.dims[i + 1];
        }
        out.rank -= keeps ? 0 : 1;
        y = made(self, TACHO_DTYPE_F32, out);
        add_step(&self->program, 0, types[chance(state, 0, 3)], INPUTS(x), y);
        self->program.steps[0].opset = 11; /* axes are an attribute */
        return y;
    }
    case 6:
        for (int32_t i = 0; i < in.rank; i++) {
            self->order[i] = i;
        }
        for (int32_t i = in.rank - 1; i > 0; i--) {
            int64_t with = chance(state, 0, i), kept = self->order[i];
            self->order[i] = self->order[with];
            self->order[with] = kept;
        }
        for (int32_t i = 0; i < in.rank; i++) {
            out.dims[i] = in.dims[self->order[i]];
        }
        add_ints(self, "perm", self->order, (uint32_t)in.rank);
        y = made(self, TACHO_DTYPE_F32, out);
        add_step(&self->program, 0, "Transpose", INPUTS(x), y);
        return y;
    case 7:
        add_int(self, "axis", axis);
        out.dims[axis] = 3 * in.dims[axis];
        y = made(self, TACHO_DTYPE_F32, out);
        add_step(&self->program, 0, "Concat",
                 INPUTS(x, constant(self, TACHO_DTYPE_F32, in, NULL), x), y);
        return y;
    case 8: {
        static const char *const types[] = {"Add", "Sub", "Mul", "Max", "Min"};
        tacho_shape other = in;
        for (int32_t i = 0; i < in.rank; i++) {
            other.dims[i] = chance(state, 0, 1) == 0 ? 1 : in.dims[i];
        }
        uint32_t b = constant(self, TACHO_DTYPE_F32, other, NULL);
        bool is_first = chance(state, 0, 1) == 0;
        return step(self, types[chance(state, 0, 4)], INPUTS(is_first ? x : b, is_first ? b : x),
                    x);
    }
    default: {
        tacho_shape b = in;
        int64_t columns = chance(state, 1, 9);
        b.dims[b.rank - 2] = in.dims[in.rank - 1];
        b.dims[b.rank - 1] = out.dims[out.rank - 1] = columns;
        for (int32_t i = 0; i < b.rank - 2; i++) {
            b.dims[i] = chance(state, 0, 1) == 0 ? 1 : b.dims[i];
        }
        y = made(self, TACHO_DTYPE_F32, out);
        add_step(&self->program, 0, "MatMul", INPUTS(x, constant(self, TACHO_DTYPE_F32, b, NULL)),
                 y);
        return y;
    }
    }
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

/* Over every axis, forwards and from behind. */
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

/* What is not a number, or infinite, through what does not bound it. */
static void test_infinities(void **state)
{
    (void)state;
    static const char *const types[] = {"Clip", "Clip", "Clip", "Clip", "Relu", "LeakyRelu"};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        fixture *self = malloc(sizeof(*self));
        assert_non_null(self);
        begin(self);
        uint32_t x = input(self, TACHO_DTYPE_F32, (tacho_shape){2, {8, 19}});
        float *values = self->input.data;
        values[0] = (float)INFINITY;
        values[1] = -(float)INFINITY;
        values[2] = 3.4028234663852886e38f;
        uint32_t low = i % 2 == 0 ? TACHO_NONE : number(self, -0.01f);
        uint32_t high = i / 2 == 0 ? TACHO_NONE : number(self, 0.01f);
        uint32_t y = i < 4 ? step(self, "Clip", INPUTS(x, low, high), x)
                           : step(self, types[i], INPUTS(x), x);
        expect_same(self, y);
        free(self->input.data);
        tacho_program_deinit(&self->program);
        free(self);
    }
}

/* ---- NaN and infinities --------------------------------------------------------------------- */

typedef struct odd_case {
    const char *type;
    int32_t inputs;   /* of the shape of the first, all with odd numbers */
    const char *next; /* what follows in the same op, or NULL */
    tacho_shape in, out;
} odd_case;

#define ODD_EACH(type_, inputs_)                                                                   \
    {                                                                                              \
        type_, inputs_, NULL, {4, {1, 8, 6, 6}},                                                   \
        {                                                                                          \
            4,                                                                                     \
            {                                                                                      \
                1, 8, 6, 6                                                                         \
            }                                                                                      \
        }                                                                                          \
    }
#define ODD_THEN(type_, inputs_, next_)                                                            \
    {                                                                                              \
        type_, inputs_, next_, {4, {1, 8, 6, 6}},                                                  \
        {                                                                                          \
            4,                                                                                     \
            {                                                                                      \
                1, 8, 6, 6                                                                         \
            }                                                                                      \
        }                                                                                          \
    }

static const odd_case odd_cases[] = {
    ODD_EACH("Abs", 1),
    ODD_EACH("Clip", 1),
    ODD_EACH("Elu", 1),
    ODD_EACH("Exp", 1),
    ODD_EACH("Gelu", 1),
    ODD_EACH("HardSigmoid", 1),
    ODD_EACH("HardSwish", 1),
    ODD_EACH("LRN", 1),
    ODD_EACH("LeakyRelu", 1),
    ODD_EACH("LogSoftmax", 1),
    ODD_EACH("Mish", 1),
    ODD_EACH("Neg", 1),
    ODD_EACH("Reciprocal", 1),
    ODD_EACH("Relu", 1),
    ODD_EACH("Sigmoid", 1),
    ODD_EACH("Softmax", 1),
    ODD_EACH("Softplus", 1),
    ODD_EACH("Sqrt", 1),
    ODD_EACH("Swish", 1),
    ODD_EACH("Tanh", 1),
    ODD_EACH("Add", 2),
    ODD_EACH("Div", 2),
    ODD_EACH("Max", 2),
    ODD_EACH("Min", 2),
    ODD_EACH("Mul", 2),
    ODD_EACH("Sub", 2),
    ODD_EACH("Sum", 3),
    ODD_THEN("Add", 2, "Relu"),
    ODD_THEN("Mul", 2, "Exp"),
    ODD_THEN("Sub", 2, "Sigmoid"),
    ODD_THEN("Conv", 1, NULL),
    ODD_THEN("Conv", 1, "Relu"),
    ODD_THEN("Conv", 1, "Clip"),
    ODD_THEN("Conv", 1, "Sigmoid"),
    {"MatMul", 1, NULL, {2, {6, 8}}, {2, {6, 8}}},
    {"MatMul", 1, "Relu", {2, {6, 8}}, {2, {6, 8}}},
    {"MatMul", 1, "Gelu", {2, {6, 8}}, {2, {6, 8}}},
    {"LayerNormalization", 1, NULL, {2, {6, 8}}, {2, {6, 8}}},
    {"MaxPool", 1, NULL, {4, {1, 8, 6, 6}}, {4, {1, 8, 5, 5}}},
    {"AveragePool", 1, NULL, {4, {1, 8, 6, 6}}, {4, {1, 8, 5, 5}}},
    {"GlobalMaxPool", 1, NULL, {4, {1, 8, 6, 6}}, {4, {1, 8, 1, 1}}},
    {"GlobalAveragePool", 1, NULL, {4, {1, 8, 6, 6}}, {4, {1, 8, 1, 1}}},
    {"ReduceMax", 1, NULL, {4, {1, 8, 6, 6}}, {4, {1, 8, 6, 1}}},
    {"ReduceMin", 1, NULL, {4, {1, 8, 6, 6}}, {4, {1, 8, 6, 1}}},
    {"ReduceMean", 1, NULL, {4, {1, 8, 6, 6}}, {4, {1, 8, 6, 1}}},
    {"ReduceSum", 1, NULL, {4, {1, 8, 6, 6}}, {4, {1, 8, 6, 1}}},
    {"QuantizeLinear", 1, NULL, {4, {1, 8, 6, 6}}, {4, {1, 8, 6, 6}}},
};

/* Puts one of NaN, infinity and its negative, or all, at places that differ by input. */
static void make_odd(tacho_array *array, unsigned which, unsigned from)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY};
    float *values = array->data;
    for (unsigned i = 0; i < 3; i++) {
        if (which == 3 || which == i) {
            values[from + 7 * i] = odd[i];
        }
    }
}

static uint32_t add_odd_step(fixture *self, const odd_case *at, uint32_t x)
{
    static const int64_t window[] = {2, 2}, last[] = {-1};
    uint32_t inputs[] = {x, TACHO_NONE, TACHO_NONE, (uint32_t)INPUTS_END};
    tacho_dtype dtype = TACHO_DTYPE_F32;
    for (int32_t i = 1; i < at->inputs; i++) {
        inputs[i] = another_input(self, at->in);
    }
    if (strstr(at->type, "Pool") != NULL && at->type[0] != 'G') {
        add_ints(self, "kernel_shape", window, 2);
    } else if (strncmp(at->type, "Reduce", 6) == 0 && strcmp(at->type, "ReduceSum") != 0) {
        add_ints(self, "axes", last, 1);
    } else if (strcmp(at->type, "ReduceSum") == 0) {
        inputs[1] = constant(self, TACHO_DTYPE_I64, (tacho_shape){1, {1}}, last);
    } else if (strcmp(at->type, "LRN") == 0) {
        add_int(self, "size", 3);
    } else if (strcmp(at->type, "Conv") == 0) {
        inputs[1] = constant(self, TACHO_DTYPE_F32, (tacho_shape){4, {8, 8, 1, 1}}, NULL);
    } else if (strcmp(at->type, "MatMul") == 0) {
        inputs[1] = constant(self, TACHO_DTYPE_F32, (tacho_shape){2, {8, 8}}, NULL);
    } else if (strcmp(at->type, "LayerNormalization") == 0) {
        inputs[1] = constant(self, TACHO_DTYPE_F32, (tacho_shape){1, {8}}, NULL);
    } else if (strcmp(at->type, "Clip") == 0) {
        inputs[1] = number(self, -0.25f);
        inputs[2] = number(self, 0.25f);
    } else if (strcmp(at->type, "QuantizeLinear") == 0) {
        inputs[1] = number(self, 0.01f);
        dtype = TACHO_DTYPE_U8;
    }
    uint32_t y = made(self, dtype, at->out);
    uint32_t count = 3;
    for (; count > 1 && inputs[count - 1] == TACHO_NONE; count--) {
    }
    inputs[count] = (uint32_t)INPUTS_END;
    add_step(&self->program, 0, at->type, inputs, y);
    return at->next == NULL                ? y
           : strcmp(at->next, "Clip") == 0 ? step(self, "Clip", INPUTS(y, number(self, -0.1f)), y)
                                           : step(self, at->next, INPUTS(y), y);
}

/* NaN and infinities come out where reference kernels have them. */
static void test_odd_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4 * sizeof(odd_cases) / sizeof(odd_cases[0]); i++) {
        const odd_case *at = &odd_cases[i / 4];
        fixture *self = malloc(sizeof(*self));
        assert_non_null(self);
        begin(self);
        uint32_t x = input(self, TACHO_DTYPE_F32, at->in);
        uint32_t y = add_odd_step(self, at, x);
        make_odd(&self->input, i % 4, 3);
        for (size_t j = 0; j < self->other_count; j++) {
            make_odd(&self->others[j], i % 4, 4);
        }
        expect_same(self, y);
        end(self);
        free(self);
    }
}

/* NaN that another thread than the caller's finds, in one run; and op by op. */
static void test_odd_threads(void **state)
{
    (void)state;
    enum { COUNT = 1 << 20 };
    fixture *self = malloc(sizeof(*self));
    assert_non_null(self);
    begin(self);
    uint32_t x = input(self, TACHO_DTYPE_F32, (tacho_shape){2, {4, COUNT / 4}});
    uint32_t y = step(self, "Neg", INPUTS(x), x);
    uint32_t z = made(self, TACHO_DTYPE_F32, (tacho_shape){2, {4, COUNT / 4}});
    add_step(&self->program, 1, "Relu", INPUTS(y), z);
    add_all_ends(self, z);
    tacho_execution *execution;
    assert_null(tacho_execution_create(&self->program, TACHO_KERNELS_FAST, 2, &execution));
    for (int i = 0; i < 6; i++) { /* without, at the front, at the end */
        float *values = self->input.data;
        tacho_array output;
        size_t odd = i % 3 == 1 ? 5 : COUNT - 5;
        float kept = values[odd];
        values[odd] = i % 3 == 0 ? kept : (float)NAN;
        set_all(self, execution);
        if (i < 3) {
            assert_null(tacho_execution_run(execution));
        } else {
            assert_null(tacho_execution_run_op(execution, 0));
            assert_null(tacho_execution_run_op(execution, 1));
        }
        assert_null(tacho_execution_output(execution, 0, &output));
        assert_true(isnan(((const float *)output.data)[odd]) == (i % 3 != 0));
        values[odd] = kept;
        assert_true(((const float *)output.data)[9] == fmaxf(-values[9], 0));
        assert_null(tacho_execution_output(execution, 0, &output)); /* not computed once more */
    }
    assert_int_equal(tacho_execution_count(execution).recomputed, has_fast ? 4 : 0);
    tacho_execution_free(execution);
    end(self);
    free(self);
}

/* Memory for so many pieces, and none for more. */
typedef struct few_pieces {
    float places[16][16];
    size_t count, most;
} few_pieces;

static void *take_piece(void *self, uint64_t bytes)
{
    few_pieces *pieces = self;
    assert_true(bytes <= sizeof(pieces->places[0]));
    return pieces->count < pieces->most ? pieces->places[pieces->count++] : NULL;
}

/* Sets NaN or a number, runs and expects the same at the end of both steps. */
static void expect_odd(fixture *self, tacho_execution *execution, bool is_odd, bool by_op)
{
    tacho_array output;
    float *values = self->input.data;
    values[1] = is_odd ? (float)NAN : 4;
    set_all(self, execution);
    if (by_op) {
        assert_null(tacho_execution_run_op(execution, 0));
        assert_null(tacho_execution_run_op(execution, 1));
    } else {
        assert_null(tacho_execution_run(execution));
    }
    assert_null(tacho_execution_output(execution, 0, &output));
    const float *got = output.data;
    assert_true(is_odd ? isnan(got[1]) : got[1] == 4);
    assert_true(got[0] == 7 && got[2] == 0);
}

/* There is no memory to compute it again, and then nothing else that the execution could do. */
static void expect_lost(fixture *self, tacho_execution *execution)
{
    tacho_array output;
    ((float *)self->input.data)[1] = (float)NAN;
    set_all(self, execution);
    assert_null(tacho_execution_run(execution));
    tacho_status failures[] = {tacho_execution_output(execution, 0, &output),
                               tacho_execution_output(execution, 0, &output),
                               tacho_execution_run_op(execution, 0), tacho_execution_run(execution),
                               tacho_execution_set_input(execution, 0, &self->input)};
    for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
        assert_int_equal(tacho_status_code(failures[i]), TACHO_CODE_NO_MEMORY);
        tacho_status_free(failures[i]);
    }
}

/* Two ops, on three numbers. */
static fixture *begin_odd(void)
{
    fixture *self = malloc(sizeof(*self));
    assert_non_null(self);
    begin(self);
    uint32_t x = input(self, TACHO_DTYPE_F32, (tacho_shape){1, {3}});
    uint32_t y = step(self, "Relu", INPUTS(x), x);
    uint32_t z = made(self, TACHO_DTYPE_F32, (tacho_shape){1, {3}});
    add_step(&self->program, 1, "Relu", INPUTS(y), z);
    add_all_ends(self, z);
    memcpy(self->input.data, (float[]){7, 4, -5}, 3 * sizeof(float));
    return self;
}

/* Where there are not to be two executions, reference kernels take over for good; what is said of
 * the run is still said of the kernels that were timed. */
static void test_odd_takes_over(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) { /* with memory to compute it again, and without */
        fixture *self = begin_odd();
        few_pieces pieces = {.most = 16};
        tacho_execution_memory memory = {take_piece, &pieces};
        tacho_execution_options options = {
            .threads = 1, .twice_max = 1, .memory = i == 0 ? NULL : &memory};
        tacho_execution *execution;
        assert_null(tacho_execution_open(&self->program, &options, &execution));
        tacho_execution_counts before = tacho_execution_count(execution);
        uint64_t peak = tacho_execution_peak_bytes(execution);
        bool computes[] = {tacho_execution_computes_op(execution, 0),
                           tacho_execution_computes_op(execution, 1)};
        expect_odd(self, execution, false, false);
        for (int j = 0; j < 4 && i == 0; j++) {
            expect_odd(self, execution, j % 2 == 0, j > 1);
        }
        assert_int_equal(tacho_execution_count(execution).recomputed, has_fast && i == 0 ? 1 : 0);
        if (i == 1 && has_fast) {
            pieces.most = pieces.count;
            expect_lost(self, execution);
        }
        assert_int_equal(tacho_execution_count(execution).fast, before.fast);
        assert_int_equal(tacho_execution_count(execution).reference, before.reference);
        assert_int_equal(tacho_execution_peak_bytes(execution), peak);
        for (uint32_t op = 0; op < 2; op++) {
            bool is_lost = i == 1 && has_fast;
            assert_int_equal(tacho_execution_computes_op(execution, op), computes[op] && !is_lost);
        }
        tacho_execution_free(execution);
        end(self);
        free(self);
    }
}

/* Operators with sizes and attributes by chance. */
static void test_chance(void **state)
{
    (void)state;
    uint64_t chances = 7;
    for (int i = 0; i < 1500; i++) {
        fixture *self = malloc(sizeof(*self));
        assert_non_null(self);
        begin(self);
        int kind = i % 10;
        uint32_t y =
            kind < 4 ? chance_window(self, &chances, kind) : chance_other(self, &chances, kind);
        expect_same(self, y);
        assert_int_equal(counted.recomputed, 0);
        free(self->input.data);
        free(self->kept);
        tacho_program_deinit(&self->program);
        free(self);
    }
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
    tacho_fast *fast;
    assert_null(tacho_fast_create(1, &fast));
    tacho_cpu_facts facts = tacho_cpu_read();
    tacho_isa isa = tacho_isa_choose(&facts, tacho_isa_limit()).isa;
    has_bytes = fast != NULL;
    has_all = fast != NULL && isa >= TACHO_ISA_AVX512_CORE_VNNI;
    print_message("fast kernels: %s%s\n", has_fast ? "yes" : "none here",
                  has_all ? ", all of them" : "");
    tacho_fast_free(fast);
    free(self->input.data);
    tacho_program_deinit(&self->program);
    free(self);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_convolutions), cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_exact_sums),   cmocka_unit_test(test_almost_gelu),
        cmocka_unit_test(test_sizes),        cmocka_unit_test(test_borders),
        cmocka_unit_test(test_product_ties), cmocka_unit_test(test_byte_sums),
        cmocka_unit_test(test_any_sums),     cmocka_unit_test(test_byte_means),
        cmocka_unit_test(test_infinities),   cmocka_unit_test(test_odd_numbers),
        cmocka_unit_test(test_odd_threads),  cmocka_unit_test(test_odd_takes_over),
        cmocka_unit_test(test_live_filters), cmocka_unit_test(test_gemm_factors),
        cmocka_unit_test(test_softmax_axes), cmocka_unit_test(test_scales),
        cmocka_unit_test(test_thin),         cmocka_unit_test(test_functions),
        cmocka_unit_test(test_chance),
    };
    return cmocka_run_group_tests(tests, look_for_fast, NULL);
}
