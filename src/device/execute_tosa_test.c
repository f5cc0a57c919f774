/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TOSA's products of bytes by fast kernels: the same bits as by reference kernels, for all values,
 * zero points, windows and shapes; and the products that are left to reference kernels.
 */
#include "device/execute_testing.h"
#include "kernels/onednn.h"

#include <inttypes.h>
#include <stdlib.h>

static bool has_bytes; /* whether this build and computer have fast kernels of bytes */

/* Kinds of elements. */
typedef enum values { RANDOM, LEAST, MOST, SIGNS, VALUES } values;

typedef struct tosa_case {
    const char *type;
    tacho_shape data, filters, out;
    int64_t strides[3], dilations[3], pads[6];
    int32_t zero, filter_zero;
    int32_t biases;     /* 0: none */
    bool is_live;       /* so is the right side of a product */
    unsigned reference; /* steps that are left to reference kernels */
} tosa_case;

typedef struct fixture {
    tacho_program program;
    unsigned char pool[1 << 18]; /* of constants */
    size_t used;
    tacho_array arrays[2];
    size_t input_count;
    uint64_t seed;
} fixture;

static void fill(fixture *self, values how, uint64_t bytes, unsigned char *to)
{
    tacho_random_fill(TACHO_DTYPE_U8, ++self->seed, bytes, to);
    for (uint64_t i = 0; i < bytes && how != RANDOM; i++) {
        to[i] = how == LEAST ? 0x80 : how == MOST ? 0x7f : to[i] & 1 ? 0x80 : 0x7f;
    }
}

static uint32_t constant(fixture *self, tacho_dtype dtype, tacho_shape shape, values how)
{
    uint32_t id = add_tensor(&self->program, "constant", dtype, TACHO_STORAGE_BYTES, shape);
    uint64_t bytes = self->program.tensors[id].bytes;
    self->program.tensors[id].offset = self->used;
    assert_true(self->used + bytes <= sizeof(self->pool));
    fill(self, how, bytes, self->pool + self->used);
    self->used += (bytes + 63) / 64 * 64;
    self->program.constants = tacho_str_make((const char *)self->pool, sizeof(self->pool));
    return id;
}

static uint32_t number(fixture *self, int32_t value)
{
    uint32_t id = constant(self, TACHO_DTYPE_I8, (tacho_shape){1, {1}}, RANDOM);
    self->pool[self->program.tensors[id].offset] = (unsigned char)value;
    return id;
}

/* Biases of some thousands. */
static uint32_t bias(fixture *self, int64_t count)
{
    uint32_t id = constant(self, TACHO_DTYPE_I32, (tacho_shape){1, {count}}, RANDOM);
    unsigned char *at = self->pool + self->program.tensors[id].offset;
    for (int64_t i = 0; i < count; i++) {
        int32_t value;
        memcpy(&value, at + 4 * i, 4);
        value %= 10000;
        memcpy(at + 4 * i, &value, 4);
    }
    return id;
}

static uint32_t input(fixture *self, tacho_shape shape, values how)
{
    uint32_t id = add_tensor(&self->program, "x", TACHO_DTYPE_I8, TACHO_STORAGE_INPUT, shape);
    uint64_t bytes = self->program.tensors[id].bytes;
    tacho_array *array = &self->arrays[self->input_count++];
    *array = (tacho_array){TACHO_DTYPE_I8, shape, malloc((size_t)bytes)};
    assert_non_null(array->data);
    fill(self, how, bytes, array->data);
    return id;
}

static void add_ints(fixture *self, const char *name, const int64_t *list, uint32_t count)
{
    add_attr(&self->program, (tacho_attr){.name = tacho_str_from_cstring(name),
                                          .kind = TACHO_ATTR_INTS,
                                          .count = count,
                                          .value.as_ints = list});
}

/* The output by one kind of kernels, which is the caller's. */
static int32_t *run(fixture *self, tacho_kernel_choice choice, uint64_t *out_bytes,
                    tacho_execution_counts *out_counts)
{
    tacho_execution *execution;
    tacho_array output;
    uint64_t count;
    assert_null(tacho_execution_create(&self->program, choice, 1, &execution));
    for (size_t i = 0; i < self->input_count; i++) {
        assert_null(tacho_execution_set_input(execution, i, &self->arrays[i]));
    }
    assert_null(tacho_execution_run(execution));
    assert_null(tacho_execution_output(execution, 0, &output));
    assert_int_equal(output.dtype, TACHO_DTYPE_I32);
    assert_true(tacho_shape_elements(&output.shape, &count));
    *out_bytes = count * sizeof(int32_t);
    int32_t *copy = malloc((size_t)*out_bytes);
    assert_non_null(copy);
    memcpy(copy, output.data, (size_t)*out_bytes);
    *out_counts = tacho_execution_count(execution);
    tacho_execution_free(execution);
    return copy;
}

static void check(const tosa_case *at, values data, values weights)
{
    fixture *self = calloc(1, sizeof(*self));
    assert_non_null(self);
    self->seed = (uint64_t)data * VALUES + weights;
    assert_null(tacho_program_init(&self->program));
    tacho_program *program = &self->program;
    bool is_product = strcmp(at->type, "tosa.matmul") == 0;
    uint32_t spatial = (uint32_t)at->data.rank - 2;
    uint32_t x = input(self, at->data, data);
    uint32_t w = at->is_live ? input(self, at->filters, weights)
                             : constant(self, TACHO_DTYPE_I8, at->filters, weights);
    uint32_t zero = number(self, at->zero), filter_zero = number(self, at->filter_zero);
    uint32_t b = at->biases == 0 ? TACHO_NONE : bias(self, at->biases);
    uint32_t y = add_tensor(program, "y", TACHO_DTYPE_I32, TACHO_STORAGE_OUTPUT, at->out);
    uint32_t conv[] = {x, w, b, zero, filter_zero, (uint32_t)INPUTS_END};
    uint32_t product[] = {x, w, zero, filter_zero, (uint32_t)INPUTS_END};
    if (!is_product) {
        add_ints(self, "stride", at->strides, spatial);
        add_ints(self, "dilation", at->dilations, spatial);
        add_ints(self, "pad", at->pads, 2 * spatial);
    }
    add_step(program, 0, at->type, is_product ? product : conv, y);
    add_ends(program, x, y);
    if (at->is_live) {
        assert_null(tacho_grow(&program->inputs, &program->input_capacity, 2));
        program->inputs[program->input_count++] = w;
    }
    uint64_t bytes, exact_bytes;
    tacho_execution_counts counts, none;
    int32_t *fast = run(self, TACHO_KERNELS_FAST, &bytes, &counts);
    int32_t *exact = run(self, TACHO_KERNELS_REFERENCE, &exact_bytes, &none);
    assert_int_equal(bytes, exact_bytes);
    for (uint64_t i = 0; i < bytes / sizeof(int32_t); i++) {
        if (fast[i] != exact[i]) {
            fail_msg("%s, values %d and %d: element %" PRIu64 " is %d, not %d", at->type, data,
                     weights, i, fast[i], exact[i]);
        }
    }
    if (has_bytes && counts.reference != at->reference && weights == RANDOM) {
        fail_msg("%s of %" PRId64 " channels: %u steps by reference kernels", at->type,
                 at->data.dims[at->data.rank - 1], counts.reference);
    }
    free(fast);
    free(exact);
    free(self->arrays[0].data);
    free(self->arrays[1].data);
    tacho_program_deinit(program);
    free(self);
}

static const tosa_case cases[] = {
    {"tosa.conv2d",
     {4, {1, 9, 9, 16}},
     {4, {32, 3, 3, 16}},
     {4, {1, 9, 9, 32}},
     .strides = {1, 1},
     .dilations = {1, 1},
     .pads = {1, 1, 1, 1},
     .biases = 32},
    /* zero points, with padding that is unlike on all sides; few channels; two images */
    {"tosa.conv2d",
     {4, {2, 9, 7, 3}},
     {4, {5, 3, 2, 3}},
     {4, {2, 5, 8, 5}},
     .strides = {2, 1},
     .dilations = {1, 1},
     .pads = {1, 1, 2, 0},
     .zero = -128,
     .biases = 5},
    {"tosa.conv2d",
     {4, {1, 8, 8, 32}},
     {4, {16, 3, 3, 32}},
     {4, {1, 8, 8, 16}},
     .strides = {1, 1},
     .dilations = {1, 1},
     .pads = {1, 1, 1, 1},
     .zero = 127,
     .biases = 1},
    {"tosa.conv2d",
     {4, {1, 11, 11, 8}},
     {4, {12, 3, 3, 8}},
     {4, {1, 7, 3, 12}},
     .strides = {1, 2},
     .dilations = {2, 3},
     .pads = {0, 0, 0, 0},
     .zero = 5},
    /* as fully connected layers are */
    {"tosa.conv2d",
     {4, {3, 1, 1, 200}},
     {4, {50, 1, 1, 200}},
     {4, {3, 1, 1, 50}},
     .strides = {1, 1},
     .dilations = {1, 1},
     .zero = -1,
     .biases = 50},
    /* sizes that are the same in any order */
    {"tosa.conv2d",
     {4, {1, 8, 8, 8}},
     {4, {8, 1, 1, 8}},
     {4, {1, 8, 8, 8}},
     .strides = {1, 1},
     .dilations = {1, 1},
     .biases = 8},
    {"tosa.conv3d",
     {5, {1, 5, 5, 5, 4}},
     {5, {8, 2, 2, 2, 4}},
     {5, {1, 4, 4, 4, 8}},
     .strides = {1, 1, 1},
     .dilations = {1, 1, 1},
     .biases = 8},
    {"tosa.depthwise_conv2d",
     {4, {1, 9, 9, 32}},
     {4, {3, 3, 32, 1}},
     {4, {1, 9, 9, 32}},
     .strides = {1, 1},
     .dilations = {1, 1},
     .pads = {1, 1, 1, 1},
     .biases = 32},
    {"tosa.depthwise_conv2d",
     {4, {2, 9, 9, 24}},
     {4, {3, 3, 24, 1}},
     {4, {2, 5, 5, 24}},
     .strides = {2, 2},
     .dilations = {1, 1},
     .pads = {1, 1, 1, 1},
     .zero = -17,
     .biases = 24},
    {"tosa.matmul", {3, {1, 7, 64}}, {3, {1, 64, 33}}, {3, {1, 7, 33}}, .zero = 0},
    {"tosa.matmul", {3, {3, 7, 40}}, {3, {3, 40, 9}}, {3, {3, 7, 9}}, .zero = 11},
    {"tosa.matmul", {3, {1, 16, 64}}, {3, {1, 64, 48}}, {3, {1, 16, 48}}, .is_live = true},
    {"tosa.matmul",
     {3, {4, 16, 512}},
     {3, {4, 512, 16}},
     {3, {4, 16, 16}},
     .is_live = true,
     .zero = -128},
    /* sums that may not be exact as f32 */
    {"tosa.matmul",
     {3, {1, 3, 513}},
     {3, {1, 513, 4}},
     {3, {1, 3, 4}},
     .is_live = true,
     .reference = 1},
    {"tosa.conv2d",
     {4, {1, 2, 2, 2048}},
     {4, {16, 1, 1, 2048}},
     {4, {1, 2, 2, 16}},
     .strides = {1, 1},
     .dilations = {1, 1},
     .zero = -128,
     .biases = 16},
    {"tosa.conv2d",
     {4, {1, 4, 4, 512}},
     {4, {16, 3, 3, 512}},
     {4, {1, 4, 4, 16}},
     .strides = {1, 1},
     .dilations = {1, 1},
     .pads = {1, 1, 1, 1},
     .zero = 9,
     .biases = 1},
    {"tosa.conv2d",
     {4, {2, 1, 1, 1031}},
     {4, {3, 1, 1, 1031}},
     {4, {2, 1, 1, 3}},
     .strides = {1, 1},
     .dilations = {1, 1},
     .reference = 1},
    /* filters less their zero point are not bytes */
    {"tosa.conv2d",
     {4, {1, 4, 4, 16}},
     {4, {16, 1, 1, 16}},
     {4, {1, 4, 4, 16}},
     .strides = {1, 1},
     .dilations = {1, 1},
     .filter_zero = 3,
     .reference = 1},
};
enum { CASES = sizeof(cases) / sizeof(cases[0]) };

static void test_products(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        for (int data = RANDOM; data < VALUES; data++) {
            for (int weights = RANDOM; weights < VALUES; weights++) {
                check(&cases[i], (values)data, (values)weights);
            }
        }
    }
}

/* Shapes, windows and zero points by chance. */
static void test_chance(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int round = 0; round < 200; round++) {
        unsigned char dice[24];
        tacho_random_fill(TACHO_DTYPE_U8, ++seed, sizeof(dice), dice);
        bool is_depthwise = dice[0] % 2 == 1;
        tosa_case at = {.type = is_depthwise ? "tosa.depthwise_conv2d" : "tosa.conv2d"};
        int64_t in = 1 + dice[1] % 40,
                out = is_depthwise ? in * (1 + dice[2] % 2) : 1 + dice[2] % 40;
        at.data = (tacho_shape){4, {1 + dice[3] % 2, 0, 0, in}};
        at.out = (tacho_shape){4, {1 + dice[3] % 2, 0, 0, out}};
        at.filters = (tacho_shape){4, {out, 0, 0, in}};
        for (int i = 0; i < 2; i++) {
            const unsigned char *die = dice + 4 + 6 * i;
            int64_t kernel = 1 + die[0] % 4, places = 1 + die[1] % 6;
            at.strides[i] = 1 + die[2] % 3;
            at.dilations[i] = 1 + die[3] % 3;
            int64_t needed = (places - 1) * at.strides[i] + (kernel - 1) * at.dilations[i] + 1;
            at.pads[2 * i] = die[4] % 3;
            at.pads[2 * i + 1] = die[5] % 3;
            at.data.dims[i + 1] = needed - at.pads[2 * i] - at.pads[2 * i + 1];
            at.out.dims[i + 1] = places;
            at.filters.dims[i + 1] = kernel;
        }
        if (at.data.dims[1] < 1 || at.data.dims[2] < 1) {
            continue;
        }
        if (is_depthwise) {
            at.filters = (tacho_shape){4, {at.filters.dims[1], at.filters.dims[2], in, out / in}};
        }
        at.zero = (signed char)dice[16];
        at.biases = dice[17] % 3 == 0 ? 0 : dice[17] % 3 == 1 ? 1 : (int32_t)out;
        has_bytes = false; /* oneDNN is not fast at some of these */
        check(&at, (values)(dice[18] % VALUES), (values)(dice[19] % VALUES));
    }
}

int main(void)
{
    tacho_fast *fast;
    tacho_status_free(tacho_fast_create(1, &fast));
    has_bytes = fast != NULL;
    tacho_fast_free(fast);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
