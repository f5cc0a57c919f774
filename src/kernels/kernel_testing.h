/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trials of single kernels: inputs and attributes written out, the output compared bit by bit.
 */
#ifndef TACHO_KERNELS_KERNEL_TESTING_H
#define TACHO_KERNELS_KERNEL_TESTING_H

#include "kernels/kernel.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define SHAPE(...)                                                                                 \
    ((tacho_shape){.rank = sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t),                     \
                   .dims = {__VA_ARGS__}})
#define SCALAR ((tacho_shape){0})
#define ARRAY(tag, shape_, ...)                                                                    \
    (&(tacho_array){TACHO_DTYPE_##tag, shape_, (tag##_type[]){__VA_ARGS__}})
#define INTS(name_, ...)                                                                           \
    {                                                                                              \
        .name = TACHO_STR_INIT(name_), .kind = TACHO_ATTR_INTS,                                    \
        .count = sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), .value.as_ints = (int64_t[])  \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define INT(name_, value_)                                                                         \
    {                                                                                              \
        .name = TACHO_STR_INIT(name_), .kind = TACHO_ATTR_INT, .value.as_int = (value_)            \
    }

#define REAL(name_, value_)                                                                        \
    {                                                                                              \
        .name = TACHO_STR_INIT(name_), .kind = TACHO_ATTR_REAL, .value.as_real = (value_)          \
    }
#define TEXT(name_, value_)                                                                        \
    {                                                                                              \
        .name = TACHO_STR_INIT(name_), .kind = TACHO_ATTR_TEXT,                                    \
        .value.as_text = TACHO_STR_INIT(value_)                                                    \
    }

typedef float F32_type;
typedef double F64_type;
typedef uint16_t F16_type;
typedef uint16_t BF16_type;
typedef int8_t I8_type;
typedef uint8_t U8_type;
typedef int16_t I16_type;
typedef int32_t I32_type;
typedef int64_t I64_type;
typedef uint64_t U64_type;
typedef uint8_t BOOL_type;

/* A call of one operator. */
typedef struct trial {
    const char *name;
    const tacho_array *inputs[14];
    tacho_attr attrs[6];
    int opset;
    bool is_of_product;
} trial;

static inline tacho_status run(const trial *given, tacho_array *outputs, size_t output_count)
{
    const tacho_kernel *kernel = tacho_kernel_find(tacho_str_from_cstring(given->name));
    assert_non_null(kernel);
    tacho_kernel_call call = {.opset = given->opset != 0       ? given->opset
                                       : given->name[0] == 't' ? 0
                                                               : 13,
                              .inputs = given->inputs,
                              .outputs = outputs,
                              .output_count = output_count,
                              .attrs = given->attrs,
                              .is_of_product = given->is_of_product};
    for (size_t i = 0; i < sizeof(given->inputs) / sizeof(given->inputs[0]); i++) {
        call.input_count = given->inputs[i] != NULL ? i + 1 : call.input_count;
    }
    while (call.attr_count < 6 && given->attrs[call.attr_count].name.len > 0) {
        call.attr_count++;
    }
    return tacho_kernel_compute(kernel, &call);
}

/* Computes one output of |expected|'s type and shape and compares. */
static inline void check(const trial *given, const tacho_array *expected)
{
    unsigned char memory[1024];
    uint64_t count, bytes;
    assert_true(tacho_shape_elements(&expected->shape, &count));
    assert_true(tacho_dtype_bytes(expected->dtype, count, &bytes));
    memset(memory, 0xa5, sizeof(memory));
    tacho_array output = {expected->dtype, expected->shape, memory + 64};
    tacho_status status = run(given, &output, 1);
    if (status != TACHO_OK) {
        fail_msg("%s: %s", given->name, tacho_status_message(status));
    }
    assert_memory_equal(memory + 64, expected->data, (size_t)bytes);
    assert_int_equal(memory[63], 0xa5);
    assert_int_equal(memory[64 + bytes], 0xa5);
}

static inline void check_failure(const trial *given, tacho_dtype dtype, tacho_shape shape,
                                 tacho_code code)
{
    double memory[64];
    tacho_array output = {dtype, shape, memory};
    tacho_status status = run(given, &output, 1);
    assert_int_equal(tacho_status_code(status), code);
    tacho_status_free(status);
}

#endif
