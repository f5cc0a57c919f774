/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quick kernels against reference kernels, bit by bit, on random shapes and attributes; and calls
 * that quick kernels do not take.
 */
#include "kernels/quick.h"

#include "kernels/element.h"
#include "kernels/kernel_testing.h"

enum { BYTES_MAX = 1 << 17, GUARD = 64 };

typedef struct fixture {
    unsigned char inputs[3][BYTES_MAX], found[BYTES_MAX + 2 * GUARD], expected[BYTES_MAX];
    tacho_array arrays[3];
    const tacho_array *pointers[3];
    tacho_attr attrs[8];
    tacho_kernel_call call;
    tacho_array output;
    uint64_t seed;
} fixture;

static uint64_t bytes_of(tacho_dtype dtype, const tacho_shape *shape)
{
    uint64_t count, bytes = 0;
    assert_true(tacho_shape_elements(shape, &count));
    assert_true(tacho_dtype_bytes(dtype, count, &bytes));
    assert_true(bytes <= BYTES_MAX);
    return bytes;
}

static uint32_t chance(fixture *self, uint32_t most)
{
    uint32_t value;
    tacho_random_fill(TACHO_DTYPE_U8, ++self->seed, sizeof(value), &value);
    return value % (most + 1);
}

/* Begins a call without inputs. */
static void begin(fixture *self)
{
    self->call = (tacho_kernel_call){.inputs = self->pointers, .attrs = self->attrs};
}

/* All bits by chance, but of some reals: those are numbers, a few of them odd. */
static void add_input(fixture *self, tacho_dtype dtype, tacho_shape shape)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, -0.0f};
    size_t at = self->call.input_count++;
    uint64_t bytes = bytes_of(dtype, &shape);
    tacho_random_fill(dtype == TACHO_DTYPE_F32 ? dtype : TACHO_DTYPE_U8, ++self->seed, bytes,
                      self->inputs[at]);
    for (uint64_t i = 0; dtype == TACHO_DTYPE_F32 && i < bytes / sizeof(float); i += 37) {
        memcpy(self->inputs[at] + i * sizeof(float), &odd[i % 4], sizeof(float));
    }
    self->arrays[at] = (tacho_array){dtype, shape, self->inputs[at]};
    self->pointers[at] = &self->arrays[at];
}

static void add_number(fixture *self, int8_t value)
{
    add_input(self, TACHO_DTYPE_I8, (tacho_shape){1, {1}});
    memcpy(self->inputs[self->call.input_count - 1], &value, 1);
}

/* Whether there is a quick kernel; where there is, both give the same. */
static bool is_quick(fixture *self, const char *name, tacho_dtype dtype, tacho_shape shape)
{
    uint64_t bytes = bytes_of(dtype, &shape);
    tacho_str type = tacho_str_from_cstring(name);
    self->output = (tacho_array){dtype, shape, NULL};
    self->call.outputs = &self->output;
    self->call.output_count = 1;
    const tacho_kernel *quick = tacho_quick_find(type, &self->call);
    if (quick == NULL) {
        return false;
    }
    memset(self->found, 0xa5, sizeof(self->found));
    memset(self->expected, 0, sizeof(self->expected));
    self->output.data = self->found + GUARD;
    assert_null(quick->compute(&self->call));
    self->output.data = self->expected;
    assert_null(tacho_kernel_compute(tacho_kernel_find(type), &self->call));
    for (uint64_t i = 0; i < bytes; i++) {
        if (dtype == TACHO_DTYPE_F32 && i % sizeof(float) == 0) { /* NaN has many bits */
            float a, b;
            memcpy(&a, self->found + GUARD + i, sizeof(a));
            memcpy(&b, self->expected + i, sizeof(b));
            i += isnan(a) && isnan(b) ? sizeof(float) - 1 : 0;
            if (isnan(a) && isnan(b)) {
                continue;
            }
        }
        if (self->found[GUARD + i] != self->expected[i]) {
            fail_msg("%s of %s: byte %llu differs", name, tacho_dtype_name(dtype),
                     (unsigned long long)i);
        }
    }
    assert_int_equal(self->found[GUARD - 1], 0xa5);
    assert_int_equal(self->found[GUARD + bytes], 0xa5);
    return true;
}

static const tacho_dtype types[] = {TACHO_DTYPE_I8, TACHO_DTYPE_I16, TACHO_DTYPE_I32,
                                    TACHO_DTYPE_F32};

static void test_pairs(void **state)
{
    fixture *self = *state;
    static const char *const names[] = {"tosa.add", "tosa.sub", "tosa.maximum", "tosa.minimum"};
    static const tacho_shape operands[][2] = {
        {{3, {3, 5, 70}}, {3, {3, 5, 70}}}, {{3, {3, 5, 70}}, {3, {1, 1, 70}}},
        {{3, {1, 1, 1}}, {3, {3, 5, 70}}},  {{3, {3, 1, 70}}, {3, {1, 5, 1}}},
        {{3, {1, 5, 1}}, {3, {3, 1, 1}}},   {{3, {0, 5, 1}}, {3, {1, 1, 70}}},
    };
    for (unsigned i = 0; i < 4 * 4 * 6; i++) {
        tacho_dtype dtype = types[i / 4 % 4];
        const tacho_shape *shapes = operands[i / 16];
        tacho_shape out = {3, {shapes[0].dims[0] == 0 ? 0 : 3, 5, 70}};
        begin(self);
        add_input(self, dtype, shapes[0]);
        add_input(self, dtype, shapes[1]);
        bool is_there = i % 4 < 2 || dtype != TACHO_DTYPE_F32;
        assert_true(is_quick(self, names[i % 4], dtype, out) == is_there);
        assert_false(is_quick(self, names[i % 4], TACHO_DTYPE_I64, out));
        for (int8_t shift = 0; shift < 64 && i % 4 == 0; shift = (int8_t)(2 * shift + 1)) {
            self->call.input_count = 2;
            add_number(self, dtype == TACHO_DTYPE_I32 ? shift : 0);
            assert_true(is_quick(self, "tosa.mul",
                                 dtype == TACHO_DTYPE_F32 ? dtype : TACHO_DTYPE_I32, out));
        }
    }
}

static void test_bounds(void **state)
{
    fixture *self = *state;
    static const int64_t bounds[][2] = {{-5, 9}, {9, -5}, {-128, 127}, {-100000, 100000}, {0, 200}};
    for (unsigned i = 0; i < 4 * 5; i++) {
        tacho_dtype dtype = types[i / 5];
        const int64_t *pair = bounds[i % 5];
        begin(self);
        add_input(self, dtype, (tacho_shape){2, {9, 111}});
        self->attrs[0] = (tacho_attr)INT("min_val", pair[0]);
        self->attrs[1] = (tacho_attr)INT("max_val", pair[1]);
        if (dtype == TACHO_DTYPE_F32) {
            self->attrs[0] = (tacho_attr)REAL("min_val", (double)pair[0] / 128);
            self->attrs[1] =
                (tacho_attr)REAL("max_val", (double)pair[1] / (i % 5 == 0 ? 100 : 128));
        }
        self->attrs[2] = (tacho_attr)TEXT("nan_mode", "IGNORE");
        self->call.attr_count = i % 5 == 2 ? 3 : 2;
        assert_true(is_quick(self, "tosa.clamp", dtype, (tacho_shape){2, {9, 111}}));
    }
}

/* Windows partly or fully outside the data, too. */
static void test_pools(void **state)
{
    fixture *self = *state;
    int64_t kernel[2], strides[2], dilations[2], pads[4];
    unsigned quick = 0, all = 0;
    for (unsigned round = 0; round < 600; round++) {
        bool is_max = chance(self, 1) == 0;
        tacho_dtype dtype = chance(self, 2) == 0 ? TACHO_DTYPE_F32 : TACHO_DTYPE_I8;
        int64_t channels = chance(self, 3) == 0 ? 1 + chance(self, 299) : 1 + chance(self, 19);
        tacho_shape in = {
            4, {1 + chance(self, 1), 1 + chance(self, 5), 1 + chance(self, 5), channels}};
        tacho_shape out = in;
        for (int i = 0; i < 2; i++) {
            kernel[i] = 1 + chance(self, 3);
            strides[i] = 1 + chance(self, 2);
            dilations[i] = 1 + chance(self, 1);
            pads[2 * i] = chance(self, 3);
            pads[2 * i + 1] = chance(self, 3);
            int64_t reach = (kernel[i] - 1) * dilations[i] + 1;
            int64_t room = in.dims[i + 1] + pads[2 * i] + pads[2 * i + 1] - reach;
            out.dims[i + 1] = room < 0 ? 0 : room / strides[i] + 1;
        }
        if (bytes_of(dtype, &in) == 0 || bytes_of(dtype, &out) == 0) {
            continue;
        }
        begin(self);
        add_input(self, dtype, in);
        self->attrs[0] = (tacho_attr)INTS("kernel", 0, 0);
        self->attrs[1] = (tacho_attr)INTS("stride", 0, 0);
        self->attrs[2] = (tacho_attr)INTS("pad", 0, 0, 0, 0);
        self->attrs[3] = (tacho_attr)INTS("dilation", 0, 0);
        self->attrs[0].value.as_ints = kernel;
        self->attrs[1].value.as_ints = strides;
        self->attrs[2].value.as_ints = pads;
        self->attrs[3].value.as_ints = dilations;
        self->call.attr_count = 4;
        if (!is_max && dtype == TACHO_DTYPE_I8) {
            add_number(self, (int8_t)(chance(self, 255) - 128));
            add_number(self, (int8_t)(chance(self, 255) - 128));
        }
        all++;
        quick += is_quick(self, is_max ? "tosa.max_pool2d" : "tosa.avg_pool2d", dtype, out) ? 1 : 0;
    }
    assert_int_equal(quick, all);
    assert_true(all > 400);
}

static void test_instances(void **state)
{
    fixture *self = *state;
    tacho_shape shape = {4, {2, 3, 7, 9}};
    for (int i = 0; i < 2; i++) {
        begin(self);
        add_input(self, TACHO_DTYPE_F32, shape);
        add_input(self, TACHO_DTYPE_F32, (tacho_shape){1, {3}});
        add_input(self, TACHO_DTYPE_F32, (tacho_shape){1, {3}});
        float *values = (float *)(void *)self->inputs[0];
        for (int j = 0; j < 2 * 3 * 63; j++) { /* one image has odd numbers, or none has */
            values[j] = i == 0 || j < 63 ? (float)(j * j % 101) : values[j];
        }
        for (size_t j = 1; j < 3; j++) {
            memcpy(self->inputs[j], (float[]){2, -0.5f, 3}, 3 * sizeof(float));
        }
        assert_true(is_quick(self, "InstanceNormalization", TACHO_DTYPE_F32, shape));
    }
    self->arrays[2].shape.dims[0] = 2;
    assert_false(is_quick(self, "InstanceNormalization", TACHO_DTYPE_F32, shape));
}

static void test_names(void **state)
{
    (void)state;
    assert_true(tacho_quick_knows(TACHO_STR("tosa.add"), true));
    assert_true(tacho_quick_knows(TACHO_STR("tosa.maximum"), false));
    assert_false(tacho_quick_knows(TACHO_STR("tosa.maximum"), true));
    assert_false(tacho_quick_knows(TACHO_STR("InstanceNormalization"), false));
    assert_false(tacho_quick_knows(TACHO_STR("Add"), true));
}

int main(void)
{
    static fixture all;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_pairs, &all),
        cmocka_unit_test_prestate(test_bounds, &all),
        cmocka_unit_test_prestate(test_pools, &all),
        cmocka_unit_test_prestate(test_instances, &all),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
