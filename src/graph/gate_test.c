/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gate: calls that agree with their operators, and calls that do not; the amount of their work.
 */
#include "graph/gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { ENDS_MAX = 4 };

typedef struct end {
    tacho_dtype dtype;
    tacho_shape shape;
    const void *data;
} end;

typedef struct gate_case {
    const char *type;
    end inputs[ENDS_MAX], outputs[ENDS_MAX]; /* NONE ends */
    const tacho_attr *attrs;
    size_t attr_count;
    const char *problem; /* NULL: let through */
    uint64_t work;       /* then; 0: not compared */
} gate_case;

static void check(void *self, const gate_case *at)
{
    tacho_array inputs[ENDS_MAX], outputs[ENDS_MAX];
    const tacho_array *pointers[ENDS_MAX];
    tacho_kernel_call call = {.opset = 13,
                              .inputs = pointers,
                              .outputs = outputs,
                              .attrs = at->attrs,
                              .attr_count = at->attr_count};
    uint64_t work;
    for (; call.input_count < ENDS_MAX && at->inputs[call.input_count].dtype != 0;) {
        const end *from = &at->inputs[call.input_count];
        inputs[call.input_count] = (tacho_array){from->dtype, from->shape, NULL};
        memcpy(&inputs[call.input_count].data, &from->data, sizeof(void *));
        pointers[call.input_count] = &inputs[call.input_count];
        call.input_count++;
    }
    for (; call.output_count < ENDS_MAX && at->outputs[call.output_count].dtype != 0;) {
        const end *from = &at->outputs[call.output_count];
        outputs[call.output_count++] = (tacho_array){from->dtype, from->shape, NULL};
    }
    tacho_status status =
        tacho_infer_gate.check(self, tacho_str_from_cstring(at->type), &call, &work);
    if (at->problem == NULL) {
        if (status != TACHO_OK) {
            fail_msg("%s: %s", at->type, tacho_status_message(status));
        }
        if (at->work != 0) {
            assert_int_equal(work, at->work);
        }
        return;
    }
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    assert_string_equal(tacho_status_message(status), at->problem);
    tacho_status_free(status);
}

static void check_all(const gate_case *cases, size_t count)
{
    void *self;
    assert_null(tacho_infer_gate.open(&self));
    for (int again = 0; again < 2; again++) { /* nothing is left of the calls before */
        for (size_t i = 0; i < count; i++) {
            check(self, &cases[i]);
        }
    }
    tacho_infer_gate.close(self);
}

#define F32 TACHO_DTYPE_F32
#define I64 TACHO_DTYPE_I64

static const int64_t two[] = {2}, window[] = {3, 3}, huge[] = {1 << 20, 1 << 20},
                     huge_pads[] = {1 << 19, 1 << 19, 1 << 19, 1 << 19};
static const tacho_attr pool[] = {
    {TACHO_STR_INIT("kernel_shape"), TACHO_ATTR_INTS, 2, {.as_ints = window}}};
static const tacho_attr huge_pool[] = {
    {TACHO_STR_INIT("kernel_shape"), TACHO_ATTR_INTS, 2, {.as_ints = huge}},
    {TACHO_STR_INIT("pads"), TACHO_ATTR_INTS, 4, {.as_ints = huge_pads}}};

/* All results of a layer with 4 units, 2 steps of 3 numbers, a batch of 1. */
#define RECURRENT(name, gates, what)                                                               \
    {                                                                                              \
        (name),                                                                                    \
            {{F32, {3, {2, 1, 3}}, NULL},                                                          \
             {F32, {3, {1, (gates)*4, 3}}, NULL},                                                  \
             {F32, {3, {1, (gates)*4, 4}}, NULL}},                                                 \
            {{F32, {4, {2, 1, 1, 4}}, NULL},                                                       \
             {F32, {3, {1, 1, 4}}, NULL},                                                          \
             {F32, {3, {1, 1, 4}}, NULL}},                                                         \
            NULL, 0, (what), 0                                                                     \
    }

static void test_shapes(void **state)
{
    (void)state;
    static const gate_case cases[] = {
        RECURRENT("LSTM", 4, NULL),
        RECURRENT("GRU", 3, "there is no output 2"),
        {"Relu", {{F32, {1, {4}}, NULL}}, {{F32, {1, {4}}, NULL}}, NULL, 0, NULL, 0},
        {"Relu",
         {{F32, {1, {4}}, NULL}},
         {{F32, {1, {5}}, NULL}},
         NULL,
         0,
         "output 0 has shape 4, but the file says 5",
         0},
        {"Relu",
         {{F32, {1, {4}}, NULL}},
         {{I64, {1, {4}}, NULL}},
         NULL,
         0,
         "output 0 is f32, but the file says i64",
         0},
        {"TopK",
         {{F32, {1, {4}}, NULL}, {I64, {1, {1}}, two}},
         {{F32, {1, {2}}, NULL}, {I64, {1, {2}}, NULL}},
         NULL,
         0,
         NULL,
         0},
        {"TopK",
         {{F32, {1, {4}}, NULL}, {I64, {1, {1}}, two}},
         {{F32, {1, {2}}, NULL}, {I64, {1, {1}}, NULL}},
         NULL,
         0,
         "output 1 has shape 2, but the file says 1",
         0},
        {"MaxPool",
         {{F32, {4, {1, 1, 4, 4}}, NULL}},
         {{F32, {4, {1, 1, 2, 2}}, NULL}, {I64, {4, {1, 1, 1, 1}}, NULL}},
         pool,
         1,
         "output 1 has shape 1x1x2x2, but the file says 1x1x1x1",
         0},
        {"Reshape",
         {{F32, {1, {4}}, NULL}, {I64, {1, {2}}, NULL}},
         {{F32, {2, {2, 2}}, NULL}},
         NULL,
         0,
         NULL,
         0},
    };
    check_all(cases, sizeof(cases) / sizeof(cases[0]));
}

static void test_work(void **state)
{
    (void)state;
    static const gate_case cases[] = {
        /* 16 + 4 elements moved, 4 windows of 9 */
        {"MaxPool",
         {{F32, {4, {1, 1, 4, 4}}, NULL}},
         {{F32, {4, {1, 1, 2, 2}}, NULL}},
         pool,
         1,
         NULL,
         20 + 36},
        {"MaxPool",
         {{F32, {4, {1, 1, 1, 1}}, NULL}},
         {{F32, {4, {1, 1, 2, 2}}, NULL}},
         huge_pool,
         2,
         NULL,
         5 + ((uint64_t)4 << 40)},
        {"Conv",
         {{F32, {4, {1, 2, 4, 4}}, NULL}, {F32, {4, {5, 2, 3, 3}}, NULL}},
         {{F32, {4, {1, 5, 2, 2}}, NULL}},
         NULL,
         0,
         NULL,
         32 + 90 + 20 + 20 * 18},
        {"ConvTranspose",
         {{F32, {3, {1, 2, 4}}, NULL}, {F32, {3, {2, 3, 2}}, NULL}},
         {{F32, {3, {1, 3, 5}}, NULL}},
         NULL,
         0,
         NULL,
         8 + 12 + 15 + 8 * 6},
        {"MatMul",
         {{F32, {2, {2, 3}}, NULL}, {F32, {2, {3, 5}}, NULL}},
         {{F32, {2, {2, 5}}, NULL}},
         NULL,
         0,
         NULL,
         6 + 15 + 10 + 30},
        /* 18 + 2 elements, each of which goes into a sum for each row, twice as it is also moved */
        {"Det",
         {{F32, {3, {2, 3, 3}}, NULL}},
         {{F32, {1, {2}}, NULL}},
         NULL,
         0,
         NULL,
         20 * 2 * 3},
    };
    check_all(cases, sizeof(cases) / sizeof(cases[0]));
}

/* The gate knows every kernel: one without an operator here could not be run from a file. */
static void test_all_kernels(void **state)
{
    (void)state;
    void *self;
    uint64_t work;
    assert_null(tacho_infer_gate.open(&self));
    for (const tacho_kernel *const *family = tacho_kernel_families; *family != NULL; family++) {
        for (const tacho_kernel *row = *family; row->name != NULL; row++) {
            tacho_kernel_call call = {.opset = 13};
            tacho_status status =
                tacho_infer_gate.check(self, tacho_str_from_cstring(row->name), &call, &work);
            if (tacho_status_code(status) == TACHO_CODE_UNSUPPORTED) {
                fail_msg("%s: %s", row->name, tacho_status_message(status));
            }
            tacho_status_free(status);
        }
    }
    tacho_infer_gate.close(self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_work),
        cmocka_unit_test(test_all_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
