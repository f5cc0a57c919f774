/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fast kernels of bytes against reference kernels: the same bytes, ties among them.
 */
#include "device/execute_fast_testing.h"

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
static void check_sums(bool is_conv, bool is_signed, bool is_live)
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
    for (size_t i = 0; is_live && i < 64 * 9; i += 3) {
        ((unsigned char *)self->input.data)[i] = (unsigned char)(i / 5 % 128);
    }
    uint32_t filters = constant(self, TACHO_DTYPE_I8, matrix, largest);
    uint32_t y = made(self, TACHO_DTYPE_I32, out);
    uint32_t zero = byte(self, dtype, is_signed ? 100 : 0);
    if (is_live) { /* known only when it runs: the largest of the data */
        zero = made(self, dtype, (tacho_shape){0, {0}});
        add_int(self, "keepdims", 0);
        add_step(&self->program, 0, "ReduceMax", INPUTS(x), zero);
    }
    add_step(&self->program, 0, is_conv ? "ConvInteger" : "MatMulInteger", INPUTS(x, filters, zero),
             y);
    uint64_t differing;
    assert_true(compare(self, y, is_live ? ANY : 0, &differing) == 0);
    assert_int_equal(differing, 0);
    free(self);
}

static void test_exact_sums(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        check_sums(i % 2 == 0, i / 2 % 2 == 0, i / 4 == 0);
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

/* Runs a program by both kinds of kernels: element |at| is as expected. Ends the fixture. */
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

/* The same bytes in the layout that convolutions leave: pools support only that one. */
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

/* Means of all bytes: every tie rounds as in the reference. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),        cmocka_unit_test(test_exact_sums),
        cmocka_unit_test(test_product_ties), cmocka_unit_test(test_byte_sums),
        cmocka_unit_test(test_any_sums),     cmocka_unit_test(test_byte_means),
    };
    return cmocka_run_group_tests(tests, look_for_fast, NULL);
}
