/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs made by hand, step by step: values, views, constants, memory, and errors.
 */
#include "device/execute_testing.h"

#include <math.h>

static const tacho_shape two_by_three = {2, {2, 3}}, six = {1, {6}}, three = {1, {3}};

typedef struct fixture {
    tacho_program program;
    tacho_execution *execution;
    uint32_t x, bias, doubled, sum, flat, y;
} fixture;

/* y = relu(reshape(x + (bias + bias))), in two ops. */
static void make_chain(fixture *self)
{
    static const float bias[3] = {0.5f, -1, 2};
    tacho_program *program = &self->program;
    assert_null(tacho_program_init(program));
    program->constants = tacho_str_make((const char *)bias, sizeof(bias));
    self->x = add_tensor(program, "x", TACHO_DTYPE_F32, TACHO_STORAGE_INPUT, two_by_three);
    self->bias = add_tensor(program, "bias", TACHO_DTYPE_F32, TACHO_STORAGE_BYTES, three);
    self->doubled =
        add_tensor(program, "doubled", TACHO_DTYPE_F32, TACHO_STORAGE_ACTIVATION, three);
    self->sum = add_tensor(program, "sum", TACHO_DTYPE_F32, TACHO_STORAGE_ACTIVATION, two_by_three);
    self->flat = add_tensor(program, "flat", TACHO_DTYPE_F32, TACHO_STORAGE_ACTIVATION, six);
    self->y = add_tensor(program, "y", TACHO_DTYPE_F32, TACHO_STORAGE_OUTPUT, six);
    add_step(program, 0, "Add", (uint32_t[]){self->bias, self->bias, (uint32_t)INPUTS_END},
             self->doubled);
    add_step(program, 0, "Add", (uint32_t[]){self->x, self->doubled, (uint32_t)INPUTS_END},
             self->sum);
    add_step(program, 1, "Flatten", (uint32_t[]){self->sum, (uint32_t)INPUTS_END}, self->flat);
    add_step(program, 1, "Relu", (uint32_t[]){self->flat, (uint32_t)INPUTS_END}, self->y);
    add_ends(program, self->x, self->y);
}

static void end(fixture *self)
{
    tacho_execution_free(self->execution);
    tacho_program_deinit(&self->program);
}

static void expect_failure(tacho_status status, tacho_code code, const char *message)
{
    assert_int_equal(tacho_status_code(status), code);
    assert_string_equal(tacho_status_message(status), message);
    tacho_status_free(status);
}

static void check_y(fixture *self, const float *expected)
{
    tacho_array y;
    assert_null(tacho_execution_output(self->execution, 0, &y));
    assert_int_equal(y.dtype, TACHO_DTYPE_F32);
    assert_true(tacho_shape_equal(&y.shape, &six));
    assert_memory_equal(y.data, expected, 6 * sizeof(float));
}

static void check_values(tacho_kernel_choice choice)
{
    fixture self = {0};
    float x[6] = {1, 2, -10, -3, 4, 5}, expected[6] = {2, 0, 0, 0, 2, 9};
    tacho_array value = {TACHO_DTYPE_F32, two_by_three, x};
    make_chain(&self);
    assert_null(tacho_execution_create(&self.program, choice, 1, &self.execution));
    assert_null(tacho_execution_set_input(self.execution, 0, &value));
    assert_null(tacho_execution_run(self.execution));
    check_y(&self, expected);
    assert_null(tacho_execution_run(self.execution)); /* inputs stay */
    check_y(&self, expected);
    x[0] = 7;
    expected[0] = 8;
    assert_null(tacho_execution_set_input(self.execution, 0, &value));
    x[0] = 0; /* they are copies */
    assert_null(tacho_execution_run_op(self.execution, 0));
    assert_null(tacho_execution_run_op(self.execution, 1));
    check_y(&self, expected);
    end(&self);
}

static void test_values(void **state)
{
    (void)state;
    check_values(TACHO_KERNELS_REFERENCE);
    check_values(TACHO_KERNELS_FAST);
}

/* x, sum (which flat shares) and y: 64 bytes each; the constant needs nothing here. */
static void test_memory(void **state)
{
    (void)state;
    fixture self = {0};
    make_chain(&self);
    assert_null(tacho_execution_create(&self.program, TACHO_KERNELS_REFERENCE, 1, &self.execution));
    assert_int_equal(tacho_execution_peak_bytes(self.execution), 192);
    tacho_execution_counts counts = tacho_execution_count(self.execution);
    assert_int_equal(counts.reference, 2);
    assert_int_equal(counts.free, 2);
    assert_int_equal(counts.fast, 0);
    end(&self);
}

static void test_misuse(void **state)
{
    (void)state;
    fixture self = {0};
    float x[6] = {0};
    tacho_array value = {TACHO_DTYPE_F32, six, x}, y;
    make_chain(&self);
    assert_null(tacho_execution_create(&self.program, TACHO_KERNELS_REFERENCE, 1, &self.execution));
    expect_failure(tacho_execution_set_input(self.execution, 0, &value), TACHO_CODE_USAGE,
                   "input 0 'x' is 2x3 of f32, but 6 of f32 is given");
    value = (tacho_array){TACHO_DTYPE_I32, two_by_three, x};
    expect_failure(tacho_execution_set_input(self.execution, 0, &value), TACHO_CODE_USAGE,
                   "input 0 'x' is 2x3 of f32, but 2x3 of i32 is given");
    expect_failure(tacho_execution_set_input(self.execution, 1, &value), TACHO_CODE_USAGE,
                   "input 1 is set, but the program has 1");
    expect_failure(tacho_execution_run_op(self.execution, 2), TACHO_CODE_USAGE,
                   "op 2 was requested, but the program has 2");
    expect_failure(tacho_execution_output(self.execution, 0, &y), TACHO_CODE_USAGE,
                   "output 0 was requested before the program ran");
    expect_failure(tacho_execution_output(self.execution, 1, &y), TACHO_CODE_USAGE,
                   "output 1 was requested, but the program has 1");
    end(&self);
}

static void test_constant_input(void **state)
{
    (void)state;
    fixture self = {0};
    float values[3] = {0};
    tacho_array value = {TACHO_DTYPE_F32, three, values};
    make_chain(&self);
    self.program.inputs[0] = self.bias;
    self.program.links[self.program.steps[1].first_link] = self.bias;
    self.program.tensors[self.x].storage = TACHO_STORAGE_ACTIVATION;
    assert_null(tacho_execution_create(&self.program, TACHO_KERNELS_REFERENCE, 1, &self.execution));
    expect_failure(tacho_execution_set_input(self.execution, 0, &value), TACHO_CODE_USAGE,
                   "input 0 'bias' is a constant of the program");
    end(&self);
}

static void refuse(fixture *self, tacho_code code, const char *message)
{
    expect_failure(
        tacho_execution_create(&self->program, TACHO_KERNELS_REFERENCE, 1, &self->execution), code,
        message);
    assert_null(self->execution);
    end(self);
}

static void test_refused(void **state)
{
    (void)state;
    fixture self = {0};
    make_chain(&self);
    self.program.steps[3].type = text(&self.program, "Frobnicate");
    refuse(&self, TACHO_CODE_UNSUPPORTED,
           "op 1 '/block/op' (Flatten) at m.py:7: step 3 (Frobnicate): no kernel for this "
           "operator; export the model with operators that have one (docs/operators.md)");

    make_chain(&self);
    self.program.shapes[self.program.tensors[self.sum].shape].dims[0] = TACHO_DIM_UNKNOWN;
    refuse(&self, TACHO_CODE_UNSUPPORTED,
           "op 0 '/block/op' (Add) at m.py:7: step 1 (Add): the shape of an output is not known "
           "before the run, or its type has no whole bytes");

    make_chain(&self);
    self.program.links[self.program.steps[1].first_link] = self.flat;
    refuse(&self, TACHO_CODE_BAD_DATA,
           "op 0 '/block/op' (Add) at m.py:7: step 1 (Add): it reads a tensor before any step "
           "produces it");

    make_chain(&self);
    self.program.links[self.program.steps[3].first_link + 1] = self.sum;
    refuse(&self, TACHO_CODE_BAD_DATA,
           "op 1 '/block/op' (Flatten) at m.py:7: step 3 (Relu): it produces a tensor that another "
           "step also produces");

    make_chain(&self);
    self.program.links[self.program.steps[3].first_link + 1] = self.x;
    refuse(&self, TACHO_CODE_BAD_DATA,
           "op 1 '/block/op' (Flatten) at m.py:7: step 3 (Relu): it overwrites an input of the "
           "program");

    make_chain(&self);
    self.program.constants.len = 8;
    refuse(&self, TACHO_CODE_UNSUPPORTED,
           "constant 'bias' has no value: the program was compiled without values");

    make_chain(&self);
    self.program.shapes[self.program.tensors[self.y].shape] =
        (tacho_shape){3, {1 << 30, 1 << 30, 1 << 20}};
    self.program.step_count--;
    self.program.outputs[0] = self.y;
    refuse(&self, TACHO_CODE_UNSUPPORTED, "output 'y' has no value: no step computes it");
}

/* The one that a later step makes again is not looked for there: that step has nothing to read. */
static void test_made_twice(void **state)
{
    (void)state;
    fixture self = {0};
    tacho_program *program = &self.program;
    static const float scale = 0.5f;
    assert_null(tacho_program_init(program));
    program->constants = tacho_str_make((const char *)&scale, sizeof(scale));
    uint32_t bytes = add_tensor(program, "b", TACHO_DTYPE_U8, TACHO_STORAGE_RANDOM, six);
    uint32_t by = add_tensor(program, "s", TACHO_DTYPE_F32, TACHO_STORAGE_BYTES, (tacho_shape){0});
    uint32_t reals = add_tensor(program, "r", TACHO_DTYPE_F32, TACHO_STORAGE_ACTIVATION, six);
    uint32_t again = add_tensor(program, "a", TACHO_DTYPE_U8, TACHO_STORAGE_ACTIVATION, six);
    uint32_t x = add_tensor(program, "x", TACHO_DTYPE_F32, TACHO_STORAGE_INPUT, six);
    add_step(program, 0, "DequantizeLinear", (uint32_t[]){bytes, by, (uint32_t)INPUTS_END}, reals);
    add_step(program, 0, "QuantizeLinear", (uint32_t[]){reals, by, (uint32_t)INPUTS_END}, again);
    add_step(program, 0, "DequantizeLinear", (uint32_t[]){again, by, (uint32_t)INPUTS_END}, reals);
    add_ends(program, x, again);
    expect_failure(tacho_execution_create(program, TACHO_KERNELS_FAST, 1, &self.execution),
                   TACHO_CODE_BAD_DATA,
                   "op 0 '/block/op' (DequantizeLinear) at m.py:7: step 2 (DequantizeLinear): it "
                   "produces a tensor that another step also produces");
    end(&self);
}

/* Constants that are a splat, seeded, or not aligned. */
static void test_constants(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        fixture self = {0};
        char bytes[32] = {0};
        float numbers[3] = {3, 3, 3}, x[6] = {0}, expected[6];
        make_chain(&self);
        tacho_program_tensor *bias = &self.program.tensors[self.bias];
        memcpy(bytes + 1, numbers, sizeof(numbers));
        self.program.constants = tacho_str_make(bytes, sizeof(bytes));
        bias->offset = 1;
        if (kind == 1) {
            bias->storage = TACHO_STORAGE_SPLAT;
        } else if (kind == 2) {
            bias->storage = TACHO_STORAGE_RANDOM;
            tacho_random_fill(TACHO_DTYPE_F32, 1, sizeof(numbers), numbers);
        }
        for (int i = 0; i < 6; i++) {
            float twice = numbers[i % 3] + numbers[i % 3];
            expected[i] = twice > 0 ? twice : 0;
        }
        tacho_array value = {TACHO_DTYPE_F32, two_by_three, x};
        assert_null(
            tacho_execution_create(&self.program, TACHO_KERNELS_REFERENCE, 1, &self.execution));
        assert_null(tacho_execution_set_input(self.execution, 0, &value));
        assert_null(tacho_execution_run(self.execution));
        check_y(&self, expected);
        end(&self);
    }
}

/* A constant under another shape, given by a live input: y = Reshape(weights, shape) + sum. */
static void check_live_view(const char *type, tacho_storage storage, tacho_kernel_choice choice)
{
    static const float numbers[3] = {4, 4, 4};
    static const float expected[6] = {4, 5, 6, 7, 8, 9};
    int64_t sizes[2] = {1, 3};
    float x[6] = {0, 1, 2, 3, 4, 5};
    tacho_program program;
    tacho_execution *execution;
    tacho_array found;
    tacho_shape row = {2, {1, 3}}, pair = {1, {2}};
    bool is_row = strcmp(type, "Squeeze") == 0;
    assert_null(tacho_program_init(&program));
    program.constants = tacho_str_make((const char *)numbers, sizeof(numbers));
    uint32_t in = add_tensor(&program, "x", TACHO_DTYPE_F32, TACHO_STORAGE_INPUT, two_by_three);
    uint32_t shape = add_tensor(&program, "shape", TACHO_DTYPE_I64, TACHO_STORAGE_INPUT, pair);
    uint32_t w = add_tensor(&program, "w", TACHO_DTYPE_F32, storage, is_row ? row : three);
    uint32_t view = add_tensor(&program, "view", TACHO_DTYPE_F32, TACHO_STORAGE_ACTIVATION,
                               is_row ? three : row);
    uint32_t y = add_tensor(&program, "y", TACHO_DTYPE_F32, TACHO_STORAGE_OUTPUT, two_by_three);
    add_step(&program, 0, type, (uint32_t[]){w, shape, (uint32_t)INPUTS_END}, view);
    add_step(&program, 1, "Add", (uint32_t[]){in, view, (uint32_t)INPUTS_END}, y);
    add_ends(&program, in, y);
    assert_null(tacho_grow(&program.inputs, &program.input_capacity, 2));
    program.inputs[program.input_count++] = shape;
    assert_null(tacho_execution_create(&program, choice, 1, &execution));
    assert_null(
        tacho_execution_set_input(execution, 0, &(tacho_array){TACHO_DTYPE_F32, two_by_three, x}));
    assert_null(
        tacho_execution_set_input(execution, 1, &(tacho_array){TACHO_DTYPE_I64, pair, sizes}));
    assert_null(tacho_execution_run(execution));
    assert_null(tacho_execution_output(execution, 0, &found));
    assert_memory_equal(found.data, expected, sizeof(expected));
    tacho_execution_free(execution);
    tacho_program_deinit(&program);
}

static void test_live_views(void **state)
{
    (void)state;
    static const char *const types[] = {"Reshape", "Squeeze", "Unsqueeze"};
    for (int i = 0; i < 12; i++) {
        check_live_view(types[i % 3], i / 3 % 2 == 0 ? TACHO_STORAGE_BYTES : TACHO_STORAGE_SPLAT,
                        i < 6 ? TACHO_KERNELS_REFERENCE : TACHO_KERNELS_FAST);
    }
}

/* Steps of one kind share a kernel, which finds other memory each time: y = 2 * (2 * (2 * x)). */
static void test_shared_kernels(void **state)
{
    (void)state;
    tacho_program program;
    tacho_execution *execution;
    tacho_array found;
    assert_null(tacho_program_init(&program));
    uint32_t last = add_tensor(&program, "x", TACHO_DTYPE_F32, TACHO_STORAGE_INPUT, two_by_three);
    add_ends(&program, last, last);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t next =
            add_tensor(&program, "y", TACHO_DTYPE_F32,
                       i < 2 ? TACHO_STORAGE_ACTIVATION : TACHO_STORAGE_OUTPUT, two_by_three);
        add_step(&program, i, "Add", (uint32_t[]){last, last, (uint32_t)INPUTS_END}, next);
        last = next;
    }
    program.outputs[0] = last;
    assert_null(tacho_execution_create(&program, TACHO_KERNELS_FAST, 1, &execution));
    for (int turn = 1; turn < 4; turn++) {
        float x[6] = {1, -2, 3, 4, -5, 6};
        for (int i = 0; i < 6; i++) {
            x[i] *= (float)turn;
        }
        assert_null(tacho_execution_set_input(execution, 0,
                                              &(tacho_array){TACHO_DTYPE_F32, two_by_three, x}));
        assert_null(tacho_execution_run(execution));
        assert_null(tacho_execution_output(execution, 0, &found));
        for (int i = 0; i < 6; i++) {
            assert_true(((const float *)found.data)[i] == 8 * x[i]);
        }
    }
    tacho_execution_free(execution);
    tacho_program_deinit(&program);
}

/* ---- sizes --------------------------------------------------------------------------------- */

typedef struct sized_case {
    const char *type;
    tacho_shape first, second, out; /* second of rank -1: absent */
    const char *attr;               /* or NULL */
    int64_t value;
    double expected; /* of all elements, where the first is ones and the second twos */
} sized_case;

#define ABSENT                                                                                     \
    {                                                                                              \
        -1,                                                                                        \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    } /* a shape of no tensor */

static void check_sized(const sized_case *at, tacho_kernel_choice choice)
{
    float ones[512], twos[512];
    tacho_program program;
    tacho_execution *execution;
    tacho_array found;
    uint64_t count;
    bool has_second = at->second.rank >= 0;
    for (int i = 0; i < 512; i++) {
        ones[i] = 1;
        twos[i] = 2;
    }
    assert_null(tacho_program_init(&program));
    program.constants = tacho_str_make((const char *)twos, sizeof(twos));
    uint32_t x = add_tensor(&program, "x", TACHO_DTYPE_F32, TACHO_STORAGE_INPUT, at->first);
    uint32_t w = has_second
                     ? add_tensor(&program, "w", TACHO_DTYPE_F32, TACHO_STORAGE_BYTES, at->second)
                     : (uint32_t)INPUTS_END;
    uint32_t y = add_tensor(&program, "y", TACHO_DTYPE_F32, TACHO_STORAGE_OUTPUT, at->out);
    if (at->attr != NULL) {
        add_attr(&program, (tacho_attr){.name = tacho_str_from_cstring(at->attr),
                                        .kind = TACHO_ATTR_INT,
                                        .value.as_int = at->value});
    }
    add_step(&program, 0, at->type, (uint32_t[]){x, w, (uint32_t)INPUTS_END}, y);
    add_ends(&program, x, y);
    tacho_status status = tacho_execution_create(&program, choice, 1, &execution);
    if (status != TACHO_OK) {
        fail_msg("%s: %s", at->type, tacho_status_message(status));
    }
    assert_null(
        tacho_execution_set_input(execution, 0, &(tacho_array){TACHO_DTYPE_F32, at->first, ones}));
    status = tacho_execution_run(execution);
    if (status != TACHO_OK) {
        fail_msg("%s: %s", at->type, tacho_status_message(status));
    }
    assert_null(tacho_execution_output(execution, 0, &found));
    assert_true(tacho_shape_equal(&found.shape, &at->out));
    assert_true(tacho_shape_elements(&found.shape, &count));
    for (uint64_t i = 0; i < count; i++) {
        if (fabs((double)((const float *)found.data)[i] - at->expected) > 1e-6) {
            fail_msg("%s: element %d is %g, expected %g", at->type, (int)i,
                     (double)((const float *)found.data)[i], at->expected);
        }
    }
    tacho_execution_free(execution);
    tacho_program_deinit(&program);
}

/* Dimensions of 0 and 1, strides beyond the image, broadcasts and axes from the back. */
static void test_sizes(void **state)
{
    (void)state;
    static const sized_case cases[] = {
        {"Relu", {2, {0, 3}}, ABSENT, {2, {0, 3}}, NULL, 0, 0},
        {"Add", {2, {0, 3}}, {1, {3}}, {2, {0, 3}}, NULL, 0, 0},
        {"Add", {2, {4, 1}}, {2, {1, 0}}, {2, {4, 0}}, NULL, 0, 0},
        {"MatMul", {2, {0, 3}}, {2, {3, 4}}, {2, {0, 4}}, NULL, 0, 0},
        {"MatMul", {2, {2, 0}}, {2, {0, 4}}, {2, {2, 4}}, NULL, 0, 0}, /* sums of nothing */
        {"Gemm", {2, {2, 0}}, {2, {0, 4}}, {2, {2, 4}}, NULL, 0, 0},
        {"Concat", {2, {0, 3}}, {2, {2, 3}}, {2, {2, 3}}, "axis", 0, 2},
        {"Concat", {2, {2, 0}}, {2, {2, 3}}, {2, {2, 3}}, "axis", -1, 2},
        {"Softmax", {2, {0, 3}}, ABSENT, {2, {0, 3}}, "axis", -1, 0},
        {"Softmax", {2, {3, 0}}, ABSENT, {2, {3, 0}}, "axis", 0, 0},
        {"Transpose", {3, {2, 0, 3}}, ABSENT, {3, {3, 0, 2}}, NULL, 0, 0},
        {"Conv", {4, {0, 2, 3, 3}}, {4, {4, 2, 3, 3}}, {4, {0, 4, 1, 1}}, NULL, 0, 0},
        {"GlobalAveragePool", {4, {0, 2, 3, 3}}, ABSENT, {4, {0, 2, 1, 1}}, NULL, 0, 0},
        {"Flatten", {3, {2, 0, 3}}, ABSENT, {2, {2, 0}}, NULL, 0, 0},
        {"Relu", {0, {0}}, ABSENT, {0, {0}}, NULL, 0, 1},
        {"Add", {0, {0}}, {0, {0}}, {0, {0}}, NULL, 0, 3},
        {"Add", {4, {1, 1, 1, 1}}, {1, {1}}, {4, {1, 1, 1, 1}}, NULL, 0, 3},
        {"Mul", {5, {2, 1, 3, 1, 2}}, {3, {3, 4, 1}}, {5, {2, 1, 3, 4, 2}}, NULL, 0, 2},
        {"Sub", {1, {1}}, {2, {3, 5}}, {2, {3, 5}}, NULL, 0, -1},
        {"MatMul", {4, {1, 5, 1, 3}}, {3, {5, 3, 1}}, {4, {1, 5, 1, 1}}, NULL, 0, 6},
        {"MatMul", {1, {3}}, {1, {3}}, {0, {0}}, NULL, 0, 6},
        {"Gemm", {2, {1, 1}}, {2, {1, 1}}, {2, {1, 1}}, NULL, 0, 2},
        {"Conv", {3, {1, 1, 1}}, {3, {1, 1, 1}}, {3, {1, 1, 1}}, NULL, 0, 2},
        {"Conv", {4, {1, 4, 3, 3}}, {4, {8, 4, 3, 3}}, {4, {1, 8, 1, 1}}, NULL, 0, 72},
        {"GlobalAveragePool", {4, {2, 3, 1, 1}}, ABSENT, {4, {2, 3, 1, 1}}, NULL, 0, 1},
        {"Softmax", {3, {2, 4, 3}}, ABSENT, {3, {2, 4, 3}}, "axis", -2, 0.25},
        {"Softmax", {4, {1, 1, 5, 1}}, ABSENT, {4, {1, 1, 5, 1}}, "axis", -3, 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_sized(&cases[i], TACHO_KERNELS_REFERENCE);
        check_sized(&cases[i], TACHO_KERNELS_FAST);
    }
}

/* Windows that step over most of the image, by 1000 and by the largest stride there is. */
static void test_big_strides(void **state)
{
    (void)state;
    static const char *const types[] = {"Conv", "MaxPool", "AveragePool"};
    static const int64_t size[] = {1, 1};
    for (int i = 0; i < 12; i++) {
        const int64_t strides[] = {i % 2 == 0 ? 1000 : INT32_MAX, 2};
        tacho_program program;
        tacho_execution *execution;
        tacho_array found;
        float twos[4] = {2, 2, 2, 2}, x[28];
        tacho_shape in = {4, {1, 2, 2, 7}}, filters = {4, {1, 2, 1, 1}}, out = {4, {1, 1, 1, 4}};
        bool is_pool = i / 2 % 3 > 0;
        out.dims[1] = is_pool ? 2 : 1;
        for (int j = 0; j < 28; j++) {
            x[j] = (float)j;
        }
        assert_null(tacho_program_init(&program));
        program.constants = tacho_str_make((const char *)twos, sizeof(twos));
        uint32_t data = add_tensor(&program, "x", TACHO_DTYPE_F32, TACHO_STORAGE_INPUT, in);
        uint32_t w = add_tensor(&program, "w", TACHO_DTYPE_F32, TACHO_STORAGE_BYTES, filters);
        uint32_t y = add_tensor(&program, "y", TACHO_DTYPE_F32, TACHO_STORAGE_OUTPUT, out);
        const int64_t *lists[] = {strides, size};
        for (int j = 0; j < 2; j++) {
            add_attr(&program, (tacho_attr){.name = tacho_str_from_cstring(j == 0 ? "strides"
                                                                                  : "kernel_shape"),
                                            .kind = TACHO_ATTR_INTS,
                                            .count = 2,
                                            .value.as_ints = lists[j]});
        }
        add_step(&program, 0, types[i / 2 % 3],
                 (uint32_t[]){data, is_pool ? (uint32_t)INPUTS_END : w, (uint32_t)INPUTS_END}, y);
        add_ends(&program, data, y);
        assert_null(tacho_execution_create(
            &program, i < 6 ? TACHO_KERNELS_REFERENCE : TACHO_KERNELS_FAST, 1, &execution));
        assert_null(
            tacho_execution_set_input(execution, 0, &(tacho_array){TACHO_DTYPE_F32, in, x}));
        assert_null(tacho_execution_run(execution));
        assert_null(tacho_execution_output(execution, 0, &found));
        for (int j = 0; j < (is_pool ? 8 : 4); j++) {
            float at = (float)(j / 4 * 14 + j % 4 * 2);
            float expected = is_pool ? at : 2 * at + 2 * (at + 14);
            assert_true(((const float *)found.data)[j] == expected);
        }
        tacho_execution_free(execution);
        tacho_program_deinit(&program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),         cmocka_unit_test(test_memory),
        cmocka_unit_test(test_misuse),         cmocka_unit_test(test_constant_input),
        cmocka_unit_test(test_refused),        cmocka_unit_test(test_made_twice),
        cmocka_unit_test(test_constants),      cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_big_strides),    cmocka_unit_test(test_live_views),
        cmocka_unit_test(test_shared_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
