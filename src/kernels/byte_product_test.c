/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of bytes against plain loops that define them, on shapes by chance, with each set of
 * instructions that this computer has. Every byte has to be the same.
 */
#include "kernels/byte_product.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct fixture {
    uint64_t chance;
    tacho_byte_spec spec;
    unsigned char *data;
    int8_t *filters;
    int32_t *bias;
    float *real_bias, *scales;
    unsigned char *expected, *found;
    size_t made_bytes;
    uint32_t threads;
} fixture;

static uint32_t dice(fixture *self, uint32_t count)
{
    self->chance = self->chance * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(self->chance >> 33) % count;
}

static int64_t product_of(const int64_t *sizes)
{
    return sizes[0] * sizes[1] * sizes[2];
}

static int32_t byte_of(tacho_dtype dtype, unsigned char byte)
{
    return dtype == TACHO_DTYPE_I8 && byte > INT8_MAX ? byte - 256 : byte;
}

/* ---- definition of a product --------------------------------------------------------------- */

static int32_t filter_of(const fixture *self, int64_t image, int64_t output, int64_t input,
                         int64_t place)
{
    const tacho_byte_spec *spec = &self->spec;
    return self->filters[image * spec->image_step + output * spec->output_step +
                         input * spec->input_step + place * spec->place_step];
}

static int32_t sum_of(const fixture *self, int64_t image, int64_t place, int64_t output)
{
    const tacho_byte_spec *spec = &self->spec;
    int64_t depth = spec->inputs / spec->groups;
    int64_t group = output / (spec->outputs / spec->groups), sum = 0;
    for (int64_t k = 0; k < product_of(spec->kernel); k++) {
        int64_t rest = place, tap = k, at = 0, step = 1;
        bool is_within = true;
        for (int i = TACHO_BYTE_SPATIAL - 1; i >= 0; i--) {
            int64_t x = rest % spec->out[i] * spec->strides[i] - spec->begins[i] +
                        tap % spec->kernel[i] * spec->dilations[i];
            rest /= spec->out[i];
            tap /= spec->kernel[i];
            is_within = is_within && x >= 0 && x < spec->in[i];
            at += x * step;
            step *= spec->in[i];
        }
        for (int64_t i = 0; is_within && i < depth; i++) {
            int64_t from = (image * product_of(spec->in) + at) * spec->inputs + group * depth + i;
            sum += (byte_of(spec->data, self->data[from]) - spec->zero) *
                   filter_of(self, image, output, i, k);
        }
    }
    return (int32_t)sum;
}

/* Relu, Clip, or a line; each operation rounded to f32. */
static float apply(const tacho_fast_post *post, float value)
{
    switch ((int)post->function) {
    case TACHO_FAST_RELU:
        return value > 0 ? value : value * post->alpha;
    case TACHO_FAST_CLIP:
        return fminf(fmaxf(value, post->alpha), post->beta);
    case TACHO_FAST_LINEAR: {
        volatile float times = post->alpha * value;
        return times + post->beta;
    }
    default:
        return rintf(value);
    }
}

static unsigned char quantised(const fixture *self, int32_t sum, int64_t output)
{
    const tacho_byte_spec *spec = &self->spec;
    volatile float value = (float)sum;
    if (spec->bias != NULL) {
        value += spec->bias_dtype == TACHO_DTYPE_I32 ? (float)self->bias[output]
                                                     : self->real_bias[output];
    }
    value *= self->scales[spec->scale_count == 1 ? 0 : output];
    for (size_t i = 0; i < spec->post_count; i++) {
        value = apply(&spec->posts[i], value);
    }
    float low = spec->made == TACHO_DTYPE_I8 ? INT8_MIN : 0;
    float moved = rintf(value) + (float)spec->made_zero;
    return (unsigned char)(int)fminf(fmaxf(moved, low), low + UINT8_MAX);
}

static void expect(fixture *self)
{
    const tacho_byte_spec *spec = &self->spec;
    int64_t places = product_of(spec->out), at = 0;
    for (int64_t place = 0; place < spec->images * places; place++) {
        for (int64_t output = 0; output < spec->outputs; output++, at++) {
            int32_t sum = sum_of(self, place / places, place % places, output);
            if (spec->made == TACHO_DTYPE_I32) {
                sum += spec->bias == NULL ? 0 : self->bias[output];
                memcpy(self->expected + 4 * at, &sum, sizeof(sum));
            } else {
                self->expected[at] = quantised(self, sum, output);
            }
        }
    }
}

/* ---- cases --------------------------------------------------------------------------------- */

static void *bytes_by_chance(fixture *self, int64_t count)
{
    unsigned char *bytes = malloc((size_t)count);
    assert_non_null(bytes);
    for (int64_t i = 0; i < count; i++) { /* the largest are most of them */
        bytes[i] = (unsigned char)(dice(self, 3) == 0 ? 0x80 - dice(self, 2) : dice(self, 256));
    }
    return bytes;
}

/* Memory for all, and random parameters of the steps after the sums. */
static void fill(fixture *self, int64_t filter_count)
{
    tacho_byte_spec *spec = &self->spec;
    spec->data = dice(self, 2) == 0 ? TACHO_DTYPE_I8 : TACHO_DTYPE_U8;
    spec->zero = (int32_t)dice(self, 256) - (spec->data == TACHO_DTYPE_I8 ? 128 : 0);
    spec->made = dice(self, 3) == 0   ? TACHO_DTYPE_I32
                 : dice(self, 2) == 0 ? TACHO_DTYPE_I8
                                      : TACHO_DTYPE_U8;
    self->data = bytes_by_chance(self, spec->images * product_of(spec->in) * spec->inputs);
    self->filters = bytes_by_chance(self, filter_count);
    spec->filters = dice(self, 4) == 0 ? NULL : self->filters;
    self->bias = calloc((size_t)spec->outputs, sizeof(int32_t));
    self->real_bias = calloc((size_t)spec->outputs, sizeof(float));
    self->scales = calloc((size_t)spec->outputs, sizeof(float));
    assert_true(self->bias != NULL && self->real_bias != NULL && self->scales != NULL);
    int64_t depth = product_of(spec->kernel) * spec->inputs / spec->groups;
    for (int64_t i = 0; i < spec->outputs; i++) {
        self->bias[i] = (int32_t)dice(self, 60000) - 30000;
        self->real_bias[i] = (float)self->bias[i] * 0.3f;
        self->scales[i] = (float)(1 + dice(self, 1000)) / (9e4f * (float)depth);
    }
    bool is_int = spec->made == TACHO_DTYPE_I32 || dice(self, 2) == 0;
    spec->bias_dtype = is_int ? TACHO_DTYPE_I32 : TACHO_DTYPE_F32;
    spec->bias = dice(self, 4) == 0 ? NULL : is_int ? (void *)self->bias : self->real_bias;
    if (spec->made != TACHO_DTYPE_I32) {
        spec->scales = self->scales;
        spec->scale_count = dice(self, 2) == 0 ? 1 : (size_t)spec->outputs;
        spec->made_zero = (int32_t)dice(self, 256) - (spec->made == TACHO_DTYPE_I8 ? 128 : 0);
    }
    size_t size = spec->made == TACHO_DTYPE_I32 ? sizeof(int32_t) : 1;
    self->made_bytes = (size_t)(spec->images * product_of(spec->out) * spec->outputs) * size;
    self->expected = calloc(1, self->made_bytes);
    self->found = malloc(self->made_bytes);
    self->threads = 1 + dice(self, 3);
    assert_true(self->expected != NULL && self->found != NULL);
}

static void make_convolution(fixture *self)
{
    tacho_byte_spec *spec = &self->spec;
    uint32_t how = dice(self, 4);
    spec->images = 1 + dice(self, 2);
    spec->groups = how == 0 ? 1 + dice(self, 40) : how == 1 ? 1 + dice(self, 3) : 1;
    spec->inputs = spec->groups * (how == 0 ? 1 : 1 + dice(self, 40));
    spec->outputs = spec->groups * (how == 0 ? 1 + dice(self, 2) : 1 + dice(self, 40));
    for (int i = 0; i < TACHO_BYTE_SPATIAL; i++) {
        bool is_flat = i == 0 && dice(self, 2) == 0;
        int64_t window = is_flat ? 1 : 1 + dice(self, 3);
        spec->kernel[i] = how == 3 ? 1 : window;
        spec->strides[i] = 1 + dice(self, how == 3 ? 2 : 3);
        spec->dilations[i] = 1 + dice(self, 2);
        spec->begins[i] = how == 3 ? 0 : (int64_t)dice(self, 4) - 1; /* also less than nothing */
        spec->in[i] = 1 + dice(self, 7);
        spec->out[i] = how == 3 ? (spec->in[i] - 1) / spec->strides[i] + 1 : 1 + dice(self, 6);
    }
    spec->place_step = 1;
    spec->input_step = product_of(spec->kernel);
    spec->output_step = spec->inputs / spec->groups * spec->input_step;
    fill(self, spec->outputs * spec->output_step);
}

static void make_matrices(fixture *self)
{
    tacho_byte_spec *spec = &self->spec;
    bool is_turned = dice(self, 2) == 0;
    spec->images = 1 + dice(self, 3);
    spec->groups = 1;
    spec->inputs = 1 + dice(self, 150);
    spec->outputs = 1 + dice(self, 60);
    for (int i = 0; i < TACHO_BYTE_SPATIAL; i++) {
        spec->kernel[i] = spec->strides[i] = spec->dilations[i] = 1;
        spec->in[i] = spec->out[i] = i == TACHO_BYTE_SPATIAL - 1 ? 1 + dice(self, 20) : 1;
    }
    spec->place_step = 1;
    spec->input_step = is_turned ? 1 : spec->outputs;
    spec->output_step = is_turned ? spec->inputs : 1;
    spec->image_step = dice(self, 2) == 0 ? 0 : spec->inputs * spec->outputs;
    fill(self, spec->images * spec->inputs * spec->outputs);
}

static void release(fixture *self)
{
    free(self->data);
    free(self->filters);
    free(self->bias);
    free(self->real_bias);
    free(self->scales);
    free(self->expected);
    free(self->found);
}

/* As many times as there are threads, one after the other, and once more than was promised. */
static void call_in_turn(void (*work)(void *data), void *data, unsigned threads, unsigned flags)
{
    (void)flags;
    for (unsigned i = 0; i <= threads; i++) {
        work(data);
    }
}

static void check(fixture *self)
{
    tacho_byte_product *product;
    assert_null(tacho_byte_product_create(&self->spec, self->threads, &product));
    assert_non_null(product);
    void *scratch = malloc((size_t)tacho_byte_product_scratch_bytes(product));
    assert_non_null(scratch);
    memset(scratch, 0xa5, (size_t)tacho_byte_product_scratch_bytes(product)); /* used before */
    tacho_byte_memory memory = {
        .data = self->data, .filters = self->filters, .output = self->found, .scratch = scratch};
    memset(self->found, 0x5a, self->made_bytes);
    tacho_byte_product_run(product, &memory, call_in_turn);
    expect(self);
    assert_memory_equal(self->found, self->expected, self->made_bytes);
    free(scratch);
    tacho_byte_product_free(product);
    release(self);
}

/* ---- tests --------------------------------------------------------------------------------- */

static const tacho_fast_post posts[][3] = {
    {{TACHO_FAST_NONE, 0, 0, 0}},
    {{TACHO_FAST_RELU, 0, 0, 0}, {TACHO_FAST_ROUND, 0, 0, 0}},
    {{TACHO_FAST_CLIP, -20.5f, 30.25f, 0}},
    {{TACHO_FAST_CLIP, 3, 200, 0}, {TACHO_FAST_RELU, 0, 0, 0}},
    {{TACHO_FAST_RELU, 0.125f, 0, 0}, {TACHO_FAST_CLIP, -5, 90, 0}, {TACHO_FAST_ROUND, 0, 0, 0}},
    {{TACHO_FAST_LINEAR, -0.7f, 2.5f, 0}, {TACHO_FAST_CLIP, 0, 6, 0}},
    {{TACHO_FAST_CLIP, 0, 6, 0}, {TACHO_FAST_LINEAR, 21.3f, 0, 0}},
};

static void check_many(void (*make)(fixture *self), int count)
{
    static const char *const limits[] = {"SSE41", "AVX2", "AVX512_CORE", "ALL"}; /* if there */
    for (size_t limit = 0; limit < 4; limit++) {
        assert_int_equal(setenv("ONEDNN_MAX_CPU_ISA", limits[limit], 1), 0);
        for (int i = 0; i < count; i++) {
            fixture self = {.chance = (uint64_t)i * 7919 + 1};
            make(&self);
            const tacho_fast_post *some = posts[dice(&self, sizeof(posts) / sizeof(posts[0]))];
            self.spec.posts = some;
            while (self.spec.made != TACHO_DTYPE_I32 && self.spec.post_count < 3 &&
                   some[self.spec.post_count].function != TACHO_FAST_NONE) {
                self.spec.post_count++;
            }
            check(&self);
        }
    }
    assert_int_equal(unsetenv("ONEDNN_MAX_CPU_ISA"), 0);
}

static void test_convolutions(void **state)
{
    (void)state;
    check_many(make_convolution, 600);
}

static void test_matrices(void **state)
{
    (void)state;
    check_many(make_matrices, 300);
}

/* Pairs of the largest products are more than 16 bits hold. */
static void make_largest(fixture *self)
{
    make_matrices(self);
    tacho_byte_spec *spec = &self->spec;
    spec->data = TACHO_DTYPE_U8;
    spec->zero = 0;
    memset(self->data, UINT8_MAX, (size_t)(spec->images * product_of(spec->in) * spec->inputs));
    memset(self->filters, INT8_MIN, (size_t)(spec->images * spec->inputs * spec->outputs));
}

static void test_nothing_saturates(void **state)
{
    (void)state;
    check_many(make_largest, 60);
}

static void test_refused(void **state)
{
    (void)state;
    fixture self = {.chance = 5};
    make_matrices(&self);
    static const tacho_fast_post binary = {TACHO_FAST_ADD, 0, 0, 2};
    tacho_byte_product *product;
    self.spec.made = TACHO_DTYPE_I8;
    self.spec.posts = &binary;
    self.spec.post_count = 1;
    assert_null(tacho_byte_product_create(&self.spec, 1, &product));
    assert_null(product);
    release(&self);
}

/* A product without rows, terms or results has no units to divide the work by. */
static void test_empty(void **state)
{
    (void)state;
    fixture self = {.chance = 5};
    make_matrices(&self);
    tacho_byte_spec *spec = &self.spec;
    int64_t *const sizes[] = {&spec->images, &spec->inputs, &spec->outputs,
                              &spec->out[TACHO_BYTE_SPATIAL - 1]};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        int64_t size = *sizes[i];
        tacho_byte_product *product;
        *sizes[i] = 0;
        assert_null(tacho_byte_product_create(spec, 1, &product));
        assert_null(product);
        *sizes[i] = size;
    }
    release(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_convolutions),
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_nothing_saturates),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
