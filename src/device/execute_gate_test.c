/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks before a program runs: the gate for every step, the limit of work; and the checks of
 * kernels themselves when no gate was asked.
 */
#include "device/execute_testing.h"
#include "kernels/call.h"

#include <stdlib.h>

/* A gate that counts its calls, and does not like Tanh. */
typedef struct counting_gate {
    uint64_t checks;
} counting_gate;

static tacho_status open_gate(void **out_self)
{
    *out_self = calloc(1, sizeof(counting_gate));
    assert_non_null(*out_self);
    return TACHO_OK;
}

/* The second of two inputs is a list that was given, with its numbers. */
static tacho_status check_call(void *self, tacho_str type, const tacho_kernel_call *call,
                               uint64_t *out_work)
{
    counting_gate *gate = self;
    *out_work = gate->checks++ == 0 ? 600 : 400;
    assert_int_equal(call->output_count, 1);
    assert_int_equal(call->outputs[0].shape.dims[0], 4);
    if (call->input_count > 1) {
        assert_null(call->inputs[0]->data);
        assert_int_equal(((const int64_t *)call->inputs[1]->data)[1], 7);
    }
    return tacho_str_equal(type, TACHO_STR("Tanh")) ? tacho_fail(TACHO_CODE_BAD_DATA, "not liked")
                                                    : TACHO_OK;
}

static const tacho_gate gate = {open_gate, check_call, free};

/* y = second(Reshape(x, {7, 7})), which is invalid: only the gate checks it. */
static tacho_status open_chain(const char *second, tacho_storage storage, uint64_t work_max)
{
    static const int64_t sizes[2] = {7, 7};
    const tacho_shape four = {1, {4}}, two = {1, {2}};
    tacho_program program;
    tacho_execution *execution = NULL;
    assert_null(tacho_program_init(&program));
    program.constants = tacho_str_make((const char *)sizes, sizeof(sizes));
    uint32_t x = add_tensor(&program, "x", TACHO_DTYPE_F32, TACHO_STORAGE_INPUT, four);
    uint32_t list = add_tensor(&program, "list", TACHO_DTYPE_I64, storage, two);
    uint32_t middle = add_tensor(&program, "m", TACHO_DTYPE_F32, TACHO_STORAGE_ACTIVATION, four);
    uint32_t y = add_tensor(&program, "y", TACHO_DTYPE_F32, TACHO_STORAGE_OUTPUT, four);
    add_step(&program, 0, "Reshape", (uint32_t[]){x, list, (uint32_t)INPUTS_END}, middle);
    add_step(&program, 1, second, (uint32_t[]){middle, (uint32_t)INPUTS_END}, y);
    add_ends(&program, x, y);
    tacho_execution_options options = {TACHO_KERNELS_REFERENCE, 1, &gate, work_max, NULL, 0, 0};
    tacho_status status = tacho_execution_open(&program, &options, &execution);
    assert_true((status == TACHO_OK) == (execution != NULL));
    tacho_execution_free(execution);
    tacho_program_deinit(&program);
    return status;
}

static void expect(tacho_status status, tacho_code code, const char *message)
{
    assert_int_equal(tacho_status_code(status), code);
    assert_string_equal(tacho_status_message(status), message);
    tacho_status_free(status);
}

static void test_gate(void **state)
{
    (void)state;
    assert_null(open_chain("Relu", TACHO_STORAGE_BYTES, 0));
    assert_null(open_chain("Relu", TACHO_STORAGE_SPLAT, 0));
    expect(open_chain("Tanh", TACHO_STORAGE_BYTES, 0), TACHO_CODE_BAD_DATA,
           "op 1 '/block/op' (Tanh) at m.py:7: step 1 (Tanh): not liked");
    assert_null(open_chain("Relu", TACHO_STORAGE_BYTES, 1000));
    expect(open_chain("Relu", TACHO_STORAGE_BYTES, 999), TACHO_CODE_LIMIT,
           "one inference takes about 1000 operations; the limit for a program with as much data "
           "is 999");
}

/* A gate for which every call is more work than a program without data may take. */
static tacho_status check_heavy(void *self, tacho_str type, const tacho_kernel_call *call,
                                uint64_t *out_work)
{
    (void)self;
    (void)type;
    (void)call;
    *out_work = ((uint64_t)1 << 38) + 1;
    return TACHO_OK;
}

static const tacho_gate heavy_gate = {open_gate, check_heavy, free};

/* y = Gather(w, x) of 2^24 bytes that are not stored, or Abs(x) besides them. */
static tacho_status open_heavy(bool is_read, tacho_storage storage)
{
    static const float one = 1;
    const tacho_shape four = {1, {4}}, many = {1, {1 << 22}};
    tacho_dtype dtype = is_read ? TACHO_DTYPE_F32 : TACHO_DTYPE_I64;
    tacho_program program;
    tacho_execution *execution = NULL;
    assert_null(tacho_program_init(&program));
    program.constants = tacho_str_make((const char *)&one, sizeof(one));
    uint32_t x = add_tensor(&program, "x", TACHO_DTYPE_I64, TACHO_STORAGE_INPUT, four);
    uint32_t w = add_tensor(&program, "w", TACHO_DTYPE_F32, storage, many);
    uint32_t y = add_tensor(&program, "y", dtype, TACHO_STORAGE_OUTPUT, four);
    add_step(&program, 0, is_read ? "Gather" : "Abs",
             is_read ? (uint32_t[]){w, x, (uint32_t)INPUTS_END}
                     : (uint32_t[]){x, (uint32_t)INPUTS_END},
             y);
    add_ends(&program, x, y);
    tacho_execution_options options = {TACHO_KERNELS_REFERENCE, 1, &heavy_gate, 0, NULL, 0, 0};
    tacho_status status = tacho_execution_open(&program, &options, &execution);
    tacho_execution_free(execution);
    tacho_program_deinit(&program);
    return status;
}

/* Weights count whether they are stored or not, if they are read. */
static tacho_status pass_call(void *self, tacho_str type, const tacho_kernel_call *call,
                              uint64_t *out_work)
{
    (void)self;
    (void)type;
    (void)call;
    *out_work = 1;
    return TACHO_OK;
}

/* A few bytes that request gigabytes: the shapes of an input and an output. */
static tacho_status open_large(int64_t count, uint64_t work_max, uint64_t free_bytes)
{
    const tacho_shape large = {1, {count}};
    tacho_program program;
    tacho_execution *execution = NULL;
    assert_null(tacho_program_init(&program));
    uint32_t x = add_tensor(&program, "x", TACHO_DTYPE_F32, TACHO_STORAGE_INPUT, large);
    uint32_t y = add_tensor(&program, "y", TACHO_DTYPE_F32, TACHO_STORAGE_OUTPUT, large);
    add_step(&program, 0, "Relu", (uint32_t[]){x, (uint32_t)INPUTS_END}, y);
    add_ends(&program, x, y);
    const tacho_gate open = {open_gate, pass_call, free};
    tacho_execution_options options = {
        TACHO_KERNELS_REFERENCE, 1, &open, work_max, NULL, free_bytes, 0};
    tacho_status status = tacho_execution_open(&program, &options, &execution);
    tacho_execution_free(execution);
    tacho_program_deinit(&program);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    assert_null(open_large(1000, 0, 0));
    expect(open_large((1 << 29) + 16, 0, 0), TACHO_CODE_LIMIT,
           "activations of 4294967424 bytes; the limit for a program with as much data is "
           "4294967296");
    expect(open_large((int64_t)1 << 32, UINT64_MAX, 0), TACHO_CODE_LIMIT,
           "activations of 34359738368 bytes, more than 17179869184; compile it for smaller inputs "
           "or a smaller batch");
    /* The smallest need that is compared with free memory: a little more than 2^28. */
    int64_t some = ((int64_t)1 << 25) + 16;
    expect(open_large(some, 0, 268435583), TACHO_CODE_LIMIT,
           "activations of 268435584 bytes, and 268435583 bytes of memory are free; free some");
    assert_null(open_large(some, 0, 268435584));
    assert_null(open_large(some, UINT64_MAX, 1));
}

static void test_data(void **state)
{
    (void)state;
    assert_null(open_heavy(true, TACHO_STORAGE_RANDOM));
    assert_null(open_heavy(true, TACHO_STORAGE_SPLAT));
    expect(open_heavy(false, TACHO_STORAGE_RANDOM), TACHO_CODE_LIMIT,
           "one inference takes about 274877906945 operations; the limit for a program with as "
           "much data is 274877906944");
}

/* ---- kernels by themselves ----------------------------------------------------------------- */

enum { ENDS_MAX = 3 };

typedef struct wrong_case {
    const char *type;
    struct {
        tacho_dtype dtype;
        tacho_shape shape;
    } inputs[ENDS_MAX], outputs[ENDS_MAX]; /* NONE ends */
    const char *attr;                      /* ints */
    int64_t values[4];
    uint32_t value_count;
    tacho_code code;    /* of the run ... */
    double expected[4]; /* ... and, if it is OK, the first elements of the output */
} wrong_case;

static void add_list(uint32_t **items, size_t *capacity, size_t *count, uint32_t item)
{
    assert_null(tacho_grow(items, capacity, *count + 1));
    (*items)[(*count)++] = item;
}

static void make_case(tacho_program *program, const wrong_case *at)
{
    assert_null(tacho_program_init(program));
    tacho_step step = {.type = text(program, at->type), .opset = 13};
    for (size_t i = 0; i < ENDS_MAX && at->inputs[i].dtype != TACHO_DTYPE_NONE; i++) {
        uint32_t id =
            add_tensor(program, "x", at->inputs[i].dtype, TACHO_STORAGE_INPUT, at->inputs[i].shape);
        add_list(&program->inputs, &program->input_capacity, &program->input_count, id);
        add_list(&program->links, &program->link_capacity, &program->link_count, id);
        step.input_count++;
    }
    for (size_t i = 0; i < ENDS_MAX && at->outputs[i].dtype != TACHO_DTYPE_NONE; i++) {
        uint32_t id = add_tensor(program, "y", at->outputs[i].dtype, TACHO_STORAGE_OUTPUT,
                                 at->outputs[i].shape);
        add_list(&program->outputs, &program->output_capacity, &program->output_count, id);
        add_list(&program->links, &program->link_capacity, &program->link_count, id);
        step.output_count++;
    }
    static const int64_t ones[] = {1, 1, 1, 1};
    if (strstr(at->type, "Pool") != NULL) {
        add_attr(program,
                 (tacho_attr){TACHO_STR("kernel_shape"), TACHO_ATTR_INTS, 2, {.as_ints = ones}});
    }
    if (at->attr != NULL) {
        tacho_attr attr = {tacho_str_from_cstring(at->attr),
                           TACHO_ATTR_INTS,
                           at->value_count,
                           {.as_ints = at->values}};
        if (at->value_count == 0) {
            attr.kind = TACHO_ATTR_INT;
            attr.value.as_int = at->values[0];
        }
        add_attr(program, attr);
    }
    step.attr_count = (uint32_t)program->attr_count;
    assert_null(tacho_grow(&program->steps, &program->step_capacity, 1));
    program->steps[program->step_count++] = step;
}

/* Inputs of reals are ones, those of integers zeros. */
static void fill_inputs(tacho_execution *execution, const wrong_case *at)
{
    float ones[1600];
    unsigned char zeros[64] = {0};
    for (size_t i = 0; i < sizeof(ones) / sizeof(ones[0]); i++) {
        ones[i] = 1;
    }
    for (uint32_t i = 0; i < ENDS_MAX && at->inputs[i].dtype != TACHO_DTYPE_NONE; i++) {
        bool is_real = at->inputs[i].dtype == TACHO_DTYPE_F32;
        tacho_array array = {at->inputs[i].dtype, at->inputs[i].shape,
                             is_real ? (void *)ones : (void *)zeros};
        assert_null(tacho_execution_set_input(execution, i, &array));
    }
}

static void check_output(tacho_execution *execution, const wrong_case *at)
{
    tacho_array output;
    uint64_t count = 0;
    assert_null(tacho_execution_output(execution, 0, &output));
    assert_true(tacho_shape_elements(&output.shape, &count));
    for (uint64_t i = 0; i < count && i < 4; i++) {
        assert_true(tacho_real_at(&output, (int64_t)i) == at->expected[i]);
    }
}

static const wrong_case wrong_cases[] = {
    {"TopK",
     {{TACHO_DTYPE_F32, {1, {4}}}, {TACHO_DTYPE_I64, {1, {1}}}},
     {{TACHO_DTYPE_F32, {1, {4}}}, {TACHO_DTYPE_I64, {1, {0}}}},
     NULL,
     {0},
     0,
     TACHO_CODE_BAD_DATA,
     {0}},
    {"TopK",
     {{TACHO_DTYPE_F32, {2, {4, 4}}}, {TACHO_DTYPE_I64, {1, {1}}}},
     {{TACHO_DTYPE_F32, {2, {1, 4}}}},
     NULL,
     {0},
     0,
     TACHO_CODE_BAD_DATA,
     {0}},
    {"MaxPool",
     {{TACHO_DTYPE_F32, {4, {1, 1, 40, 40}}}},
     {{TACHO_DTYPE_F32, {4, {1, 1, 40, 40}}}, {TACHO_DTYPE_I64, {4, {1, 1, 1, 1}}}},
     NULL,
     {0},
     0,
     TACHO_CODE_BAD_DATA,
     {0}},
    {"MaxPool", /* nothing but padding under the last window */
     {{TACHO_DTYPE_I8, {4, {1, 1, 1, 1}}}},
     {{TACHO_DTYPE_I8, {4, {1, 1, 1, 3}}}},
     "pads",
     {0, 0, 0, 2},
     4,
     TACHO_CODE_OK,
     {0, -128, -128}},
    {"MaxUnpool",
     {{TACHO_DTYPE_F32, {4, {1, 1, 1, 2}}}, {TACHO_DTYPE_I64, {4, {1, 1, 1, 2}}}},
     {{TACHO_DTYPE_F32, {4, {1, 1, 1, 2}}}},
     "pads",
     {INT64_MAX, INT64_MAX, INT64_MIN, INT64_MAX},
     4,
     TACHO_CODE_BAD_DATA,
     {0}},
    {"Resize",
     {{TACHO_DTYPE_F32, {4, {1, 2, 0, 3}}}},
     {{TACHO_DTYPE_F32, {4, {1, 2, 2, 3}}}},
     NULL,
     {0},
     0,
     TACHO_CODE_BAD_DATA,
     {0}},
    {"Shape",
     {{TACHO_DTYPE_F32, {1, {4}}}},
     {{TACHO_DTYPE_I64, {1, {1}}}},
     "start",
     {INT64_MAX},
     0,
     TACHO_CODE_BAD_DATA,
     {0}},
    {"ConvTranspose",
     {{TACHO_DTYPE_F32, {3, {1, 1, 3}}}, {TACHO_DTYPE_F32, {3, {1, 1, 2}}}},
     {{TACHO_DTYPE_F32, {3, {1, 1, 4}}}},
     "output_padding",
     {INT64_MAX},
     1,
     TACHO_CODE_OK,
     {1, 2, 2, 1}},
};

/* Nothing is written outside a tensor, whatever the result; sanitizers would report it. */
static void test_wrong_calls(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * sizeof(wrong_cases) / sizeof(wrong_cases[0]); i++) {
        tacho_program program;
        tacho_execution *execution;
        make_case(&program, &wrong_cases[i / 2]);
        tacho_status status = tacho_execution_create(
            &program, i % 2 == 0 ? TACHO_KERNELS_REFERENCE : TACHO_KERNELS_FAST, 1, &execution);
        if (status == TACHO_OK) {
            fill_inputs(execution, &wrong_cases[i / 2]);
            status = tacho_execution_run(execution);
        }
        assert_int_equal(tacho_status_code(status), wrong_cases[i / 2].code);
        if (status == TACHO_OK) {
            check_output(execution, &wrong_cases[i / 2]);
        }
        tacho_status_free(status);
        tacho_execution_free(execution);
        tacho_program_deinit(&program);
    }
}

/* c = Not(x); y = Where(c, Div(k, x), k) with the quotient only |when| the condition holds. */
static tacho_status run_guarded(tacho_when when, size_t condition, unsigned char flag,
                                tacho_kernel_choice choice, int32_t *out_value)
{
    static const struct {
        int32_t numbers[2];
    } constants = {{12, 0}};
    const tacho_shape one = {.rank = 0}, two = {1, {2}};
    tacho_program program;
    tacho_execution *execution = NULL;
    assert_null(tacho_program_init(&program));
    program.constants = tacho_str_make((const char *)&constants, sizeof(constants));
    uint32_t ids[] = {
        add_tensor(&program, "c", TACHO_DTYPE_BOOL, TACHO_STORAGE_INPUT, one),
        add_tensor(&program, "k", TACHO_DTYPE_I32, TACHO_STORAGE_BYTES, one),
        add_tensor(&program, "zero", TACHO_DTYPE_I32, TACHO_STORAGE_BYTES, one),
        add_tensor(&program, "pair", TACHO_DTYPE_BOOL, TACHO_STORAGE_SPLAT, two),
        add_tensor(&program, "late", TACHO_DTYPE_BOOL, TACHO_STORAGE_ACTIVATION, one),
        add_tensor(&program, "q", TACHO_DTYPE_I32, TACHO_STORAGE_ACTIVATION, one),
        add_tensor(&program, "y", TACHO_DTYPE_I32, TACHO_STORAGE_OUTPUT, one),
        TACHO_NONE,
    };
    program.tensors[ids[2]].offset = sizeof(int32_t);
    add_step(&program, 0, "Div", (uint32_t[]){ids[1], ids[2], (uint32_t)INPUTS_END}, ids[5]);
    assert_null(tacho_grow(&program.links, &program.link_capacity, program.link_count + 1));
    program.links[program.link_count++] = ids[condition];
    program.steps[0].when = when;
    add_step(&program, 0, "Not", (uint32_t[]){ids[0], (uint32_t)INPUTS_END}, ids[4]);
    add_step(&program, 0, "Where", (uint32_t[]){ids[0], ids[5], ids[1], (uint32_t)INPUTS_END},
             ids[6]);
    add_ends(&program, ids[0], ids[6]);
    tacho_status status = tacho_execution_create(&program, choice, 1, &execution);
    if (status == TACHO_OK) {
        tacho_array input = {.dtype = TACHO_DTYPE_BOOL, .data = &flag}, output;
        assert_null(tacho_execution_set_input(execution, 0, &input));
        status = tacho_execution_run(execution);
        if (status == TACHO_OK) {
            assert_null(tacho_execution_output(execution, 0, &output));
            memcpy(out_value, output.data, sizeof(*out_value));
        }
    }
    tacho_execution_free(execution);
    tacho_program_deinit(&program);
    return status;
}

/* A step of constants that fails is not a failure where it is not reached. */
static void test_guard(void **state)
{
    (void)state;
    int32_t value = 0;
    for (int choice = TACHO_KERNELS_FAST; choice <= (int)TACHO_KERNELS_REFERENCE; choice++) {
        tacho_kernel_choice kernels = (tacho_kernel_choice)choice;
        assert_null(run_guarded(TACHO_WHEN_TRUE, 0, 0, kernels, &value));
        assert_int_equal(value, 12);
        const char *divided = "op 0 '/block/op' (Div) at m.py:7: step 0 (Div): an integer is "
                              "divided by 0";
        expect(run_guarded(TACHO_WHEN_TRUE, 0, 1, kernels, &value), TACHO_CODE_BAD_DATA, divided);
        expect(run_guarded(TACHO_WHEN_FALSE, 0, 0, kernels, &value), TACHO_CODE_BAD_DATA, divided);
        expect(run_guarded(TACHO_WHEN_ALWAYS, 0, 0, kernels, &value), TACHO_CODE_BAD_DATA, divided);
        for (size_t i = 0; i < 5; i++) { /* an i32, two bools, one that is made later, none */
            static const size_t conditions[] = {1, 3, 4, 6, 7};
            tacho_status status = run_guarded(TACHO_WHEN_TRUE, conditions[i], 0, kernels, &value);
            assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
            assert_non_null(strstr(tacho_status_message(status), "its condition"));
            tacho_status_free(status);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guard),       cmocka_unit_test(test_gate),
        cmocka_unit_test(test_data),        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_wrong_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
