/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantised programs by chance, run with fast kernels:
 *
 *     byte_outputs COUNT [--reference]
 *
 * Each is a convolution or a product of matrices on bytes, of any kind that is computed fast, as
 * often as not with a sum and a pool behind it. Prints a line for each: its number, what it is, and
 * a hash of its output. tests/isa/same.sh compares the lines of all instruction sets.
 */
#include "device/execute_testing.h"
#include "kernels/element.h"

#include <inttypes.h>
#include <stdlib.h>

#define INPUTS(...) ((uint32_t[]){__VA_ARGS__, (uint32_t)INPUTS_END})

enum { POOL_BYTES = 1 << 18, WORDS = 200 };

typedef struct chance_program {
    tacho_program program;
    unsigned char pool[POOL_BYTES]; /* of constants */
    size_t used;
    uint64_t chance;
    int64_t numbers[4][8]; /* that attributes point to */
    char words[WORDS];     /* what it is */
} chance_program;

static uint32_t dice(chance_program *self, uint32_t count)
{
    self->chance = self->chance * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(self->chance >> 33) % count;
}

static void say(chance_program *self, const char *word)
{
    size_t used = strlen(self->words);
    snprintf(self->words + used, WORDS - used, " %s", word);
}

static uint32_t constant(chance_program *self, tacho_dtype dtype, tacho_shape shape,
                         const void *bytes)
{
    uint32_t id = add_tensor(&self->program, "constant", dtype, TACHO_STORAGE_BYTES, shape);
    uint64_t size = self->program.tensors[id].bytes;
    self->program.tensors[id].offset = self->used;
    assert_true(self->used + size <= POOL_BYTES);
    if (bytes != NULL) {
        memcpy(self->pool + self->used, bytes, size);
    } else {
        tacho_random_fill(dtype, self->chance, size, self->pool + self->used);
    }
    self->used += (size + 63) / 64 * 64;
    self->program.constants = tacho_str_make((const char *)self->pool, POOL_BYTES);
    return id;
}

static uint32_t number(chance_program *self, float value)
{
    return constant(self, TACHO_DTYPE_F32, (tacho_shape){0, {0}}, &value);
}

static uint32_t zero_point(chance_program *self, tacho_dtype dtype)
{
    unsigned char byte = (unsigned char)(dice(self, 3) == 0 ? 0 : dice(self, 256));
    return constant(self, dtype, (tacho_shape){0, {0}}, &byte);
}

static uint32_t made(chance_program *self, tacho_dtype dtype, tacho_shape shape)
{
    return add_tensor(&self->program, "made", dtype, TACHO_STORAGE_ACTIVATION, shape);
}

static tacho_dtype any_byte(chance_program *self)
{
    return dice(self, 2) == 0 ? TACHO_DTYPE_I8 : TACHO_DTYPE_U8;
}

static uint32_t dequantise(chance_program *self, uint32_t from, float scale)
{
    const tacho_program_tensor *tensor = &self->program.tensors[from];
    tacho_dtype dtype = (tacho_dtype)tensor->dtype;
    uint32_t to = made(self, TACHO_DTYPE_F32, *tacho_program_shape(&self->program, tensor));
    add_step(&self->program, 0, "DequantizeLinear",
             INPUTS(from, number(self, scale), zero_point(self, dtype)), to);
    return to;
}

/* With Relu or Clip before it, or neither. */
static uint32_t quantise(chance_program *self, uint32_t from, tacho_dtype dtype, float scale)
{
    tacho_shape shape = self->program.shapes[self->program.tensors[from].shape];
    uint32_t how = dice(self, 4);
    if (how < 2) {
        uint32_t held = made(self, TACHO_DTYPE_F32, shape);
        if (how == 0) {
            add_step(&self->program, 0, "Relu", INPUTS(from), held);
        } else {
            add_step(&self->program, 0, "Clip",
                     INPUTS(from, number(self, -20 * scale), number(self, 60.3f * scale)), held);
        }
        from = held;
        say(self, how == 0 ? "Relu" : "Clip");
    }
    uint32_t to = made(self, dtype, shape);
    add_step(&self->program, 0, "QuantizeLinear",
             INPUTS(from, number(self, scale), zero_point(self, dtype)), to);
    return to;
}

static void add_numbers(chance_program *self, const char *name, size_t row, uint32_t count)
{
    add_attr(&self->program, (tacho_attr){.name = tacho_str_from_cstring(name),
                                          .kind = TACHO_ATTR_INTS,
                                          .count = count,
                                          .value.as_ints = self->numbers[row]});
}

static void add_number(chance_program *self, const char *name, int64_t value)
{
    add_attr(&self->program, (tacho_attr){.name = tacho_str_from_cstring(name),
                                          .kind = TACHO_ATTR_INT,
                                          .value.as_int = value});
}

/* Filters as reals: with one scale, or one for each channel. */
static uint32_t filters(chance_program *self, tacho_shape shape, int64_t channels, int64_t axis)
{
    float scales[256];
    bool has_many = dice(self, 2) == 0 && channels <= 256;
    for (int i = 0; i < 256; i++) {
        scales[i] = 0.001f + 1e-5f * (float)dice(self, 100);
    }
    tacho_shape count = {has_many ? 1 : 0, {channels}};
    uint32_t bytes = constant(self, TACHO_DTYPE_I8, shape, NULL);
    uint32_t reals = made(self, TACHO_DTYPE_F32, shape);
    add_number(self, "axis", axis);
    add_step(&self->program, 0, "DequantizeLinear",
             INPUTS(bytes, constant(self, TACHO_DTYPE_F32, count, scales)), reals);
    return reals;
}

/* A convolution of |reals|, with windows by chance. */
static uint32_t convolve(chance_program *self, uint32_t reals, tacho_shape in)
{
    bool is_depthwise = dice(self, 3) == 0;
    int64_t groups = is_depthwise ? in.dims[1] : in.dims[1] % 2 == 0 && dice(self, 3) == 0 ? 2 : 1;
    int64_t each = is_depthwise ? 1 + dice(self, 2) : 1 + dice(self, 30);
    tacho_shape shape = {in.rank, {groups * each, in.dims[1] / groups}};
    tacho_shape out = {in.rank, {in.dims[0], groups * each}};
    uint32_t spatial = (uint32_t)in.rank - 2;
    for (uint32_t i = 0; i < spatial; i++) {
        int64_t size = 1 + dice(self, 3), dilation = 1 + dice(self, 2), stride = 1 + dice(self, 2);
        int64_t begin = dice(self, (uint32_t)size), end = dice(self, (uint32_t)size);
        int64_t span = (size - 1) * dilation + 1, room = in.dims[i + 2] + begin + end;
        end += room < span ? span - room : 0;
        room = in.dims[i + 2] + begin + end;
        shape.dims[i + 2] = size;
        out.dims[i + 2] = (room - span) / stride + 1;
        self->numbers[0][i] = stride;
        self->numbers[1][i] = dilation;
        self->numbers[2][i] = begin;
        self->numbers[2][i + spatial] = end;
    }
    say(self, is_depthwise ? "depthwise" : groups > 1 ? "grouped" : "convolution");
    uint32_t weights = filters(self, shape, groups * each, 0);
    uint32_t bias = dice(self, 2) == 0
                        ? TACHO_NONE
                        : constant(self, TACHO_DTYPE_F32, (tacho_shape){1, {groups * each}}, NULL);
    uint32_t made_here = made(self, TACHO_DTYPE_F32, out);
    add_numbers(self, "strides", 0, spatial);
    add_numbers(self, "dilations", 1, spatial);
    add_numbers(self, "pads", 2, 2 * spatial);
    add_number(self, "group", groups);
    add_step(&self->program, 0, "Conv", INPUTS(reals, weights, bias), made_here);
    return made_here;
}

static uint32_t multiply(chance_program *self, uint32_t reals, tacho_shape in)
{
    int64_t depth = in.dims[in.rank - 1], columns = 1 + dice(self, 70);
    tacho_shape out = in;
    out.dims[in.rank - 1] = columns;
    say(self, "matrices");
    uint32_t weights = filters(self, (tacho_shape){2, {depth, columns}}, columns, 1);
    uint32_t made_here = made(self, TACHO_DTYPE_F32, out);
    add_step(&self->program, 0, "MatMul", INPUTS(reals, weights), made_here);
    return made_here;
}

/* The bytes and something else of their shape, added up and quantised again. */
static uint32_t add_up(chance_program *self, uint32_t bytes, float scale)
{
    uint32_t a = dequantise(self, bytes, scale);
    uint32_t b = dequantise(self, bytes, scale * 1.7f);
    uint32_t sum =
        made(self, TACHO_DTYPE_F32, self->program.shapes[self->program.tensors[bytes].shape]);
    add_step(&self->program, 0, "Add", INPUTS(a, b), sum);
    say(self, "sum");
    return quantise(self, sum, any_byte(self), scale * 2.1f);
}

static uint32_t pool(chance_program *self, uint32_t bytes, float scale)
{
    tacho_program_tensor tensor = self->program.tensors[bytes];
    const tacho_shape in = *tacho_program_shape(&self->program, &tensor);
    tacho_shape out = in;
    bool is_max = dice(self, 2) == 0;
    uint32_t spatial = (uint32_t)in.rank - 2;
    uint32_t reals = dequantise(self, bytes, scale);
    const tacho_step *last = &self->program.steps[self->program.step_count - 1];
    uint32_t zero = self->program.links[last->first_link + 2];
    uint32_t size = self->program.links[last->first_link + 1];
    for (uint32_t i = 0; i < spatial; i++) {
        self->numbers[3][i] = in.dims[i + 2] < 3 ? 1 : 3;
        out.dims[i + 2] = in.dims[i + 2] - self->numbers[3][i] + 1;
    }
    uint32_t pooled = made(self, TACHO_DTYPE_F32, out);
    add_numbers(self, "kernel_shape", 3, spatial);
    add_step(&self->program, 0, is_max ? "MaxPool" : "AveragePool", INPUTS(reals), pooled);
    uint32_t to = made(self, (tacho_dtype)tensor.dtype, out);
    add_step(&self->program, 0, "QuantizeLinear", INPUTS(pooled, size, zero), to);
    say(self, is_max ? "maximum" : "mean");
    return to;
}

static uint64_t hash(const void *data, uint64_t bytes)
{
    uint64_t sum = 14695981039346656037u;
    for (uint64_t i = 0; i < bytes; i++) {
        sum = (sum ^ ((const unsigned char *)data)[i]) * 1099511628211u;
    }
    return sum;
}

/* Runs it; the hash of what comes out. */
static uint64_t run(chance_program *self, const tacho_array *input, tacho_kernel_choice choice)
{
    tacho_execution *execution;
    tacho_array output;
    uint64_t count, bytes;
    assert_null(tacho_execution_create(&self->program, choice, 1, &execution));
    assert_null(tacho_execution_set_input(execution, 0, input));
    assert_null(tacho_execution_run(execution));
    assert_null(tacho_execution_output(execution, 0, &output));
    assert_true(tacho_shape_elements(&output.shape, &count));
    assert_true(tacho_dtype_bytes(output.dtype, count, &bytes));
    uint64_t found = hash(output.data, bytes);
    tacho_execution_free(execution);
    return found;
}

static void do_one(chance_program *self, uint64_t at, tacho_kernel_choice choice)
{
    memset(self, 0, sizeof(*self));
    self->chance = at * 7919 + 3;
    assert_null(tacho_program_init(&self->program));
    bool is_product = dice(self, 4) == 0;
    uint32_t spatial = 1 + dice(self, 3);
    tacho_shape shape = {is_product ? 2 : (int32_t)spatial + 2, {1 + dice(self, 2)}};
    shape.dims[1] = 1 + dice(self, is_product ? 300 : 40);
    for (uint32_t i = 0; i < spatial; i++) {
        shape.dims[i + 2] = 1 + dice(self, 9);
    }
    tacho_dtype dtype = any_byte(self);
    say(self, tacho_dtype_name(dtype));
    uint32_t x = add_tensor(&self->program, "x", dtype, TACHO_STORAGE_INPUT, shape);
    tacho_array input = {dtype, shape, malloc((size_t)self->program.tensors[x].bytes)};
    assert_non_null(input.data);
    tacho_random_fill(dtype, at, self->program.tensors[x].bytes, input.data);
    float scale = 0.03f + 1e-4f * (float)dice(self, 100);
    uint32_t y = dequantise(self, x, 0.02f);
    y = is_product ? multiply(self, y, shape) : convolve(self, y, shape);
    y = quantise(self, y, any_byte(self), scale);
    y = dice(self, 2) == 0 ? y : add_up(self, y, scale);
    y = is_product || dice(self, 2) == 0 ? y : pool(self, y, scale);
    self->program.tensors[y].storage = TACHO_STORAGE_OUTPUT;
    add_ends(&self->program, x, y);
    uint64_t found = run(self, &input, choice);
    printf("%" PRIu64 "%s: %016" PRIx64 "\n", at, self->words, found);
    free(input.data);
    tacho_program_deinit(&self->program);
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    bool is_reference = argc > 2 && strcmp(argv[2], "--reference") == 0;
    if (count < 1) {
        fprintf(stderr, "usage: byte_outputs COUNT [--reference]\n");
        return 2;
    }
    chance_program *self = malloc(sizeof(*self));
    assert_non_null(self);
    for (long i = 0; i < count; i++) {
        do_one(self, (uint64_t)i, is_reference ? TACHO_KERNELS_REFERENCE : TACHO_KERNELS_FAST);
    }
    free(self);
    return 0;
}
