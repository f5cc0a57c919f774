/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of one element that are exact on every computer.
 */
#include "kernels/element.h"
#include "kernels/kernel.h"

#include <math.h>

typedef double (*real_function)(double);
typedef int64_t (*int_function)(int64_t);

/* |of_int| is NULL where integers have no such function. */
static tacho_status each(const tacho_kernel_call *call, const char *name, real_function of_real,
                         int_function of_int)
{
    const tacho_array *input = call->inputs[0];
    tacho_array *output = &call->outputs[0];
    tacho_dtype_kind kind = tacho_element_kind(input->dtype);
    if (kind == TACHO_DTYPE_OTHER || input->dtype != output->dtype ||
        (kind != TACHO_DTYPE_REAL && of_int == NULL)) {
        return tacho_unsupported_type(name, input->dtype);
    }
    int64_t total = tacho_array_elements(output);
    if (total != tacho_array_elements(input)) {
        return tacho_wrong_shapes(name);
    }
    for (int64_t at = 0; at < total; at += TACHO_CHUNK) {
        double reals[TACHO_CHUNK];
        int64_t ints[TACHO_CHUNK];
        size_t count = (size_t)(total - at < TACHO_CHUNK ? total - at : TACHO_CHUNK);
        if (kind == TACHO_DTYPE_REAL) {
            tacho_read_reals(input, at, 1, count, reals);
            for (size_t i = 0; i < count; i++) {
                reals[i] = of_real(reals[i]);
            }
            tacho_write_reals(output, at, count, reals);
        } else {
            tacho_read_ints(input, at, 1, count, ints);
            for (size_t i = 0; i < count; i++) {
                ints[i] = of_int(ints[i]);
            }
            tacho_write_ints(output, at, count, ints);
        }
    }
    return TACHO_OK;
}

static double real_neg(double x)
{
    return -x;
}

static double real_reciprocal(double x)
{
    return 1 / x;
}

static double real_sign(double x)
{
    return isnan(x) ? x : (double)((x > 0) - (x < 0));
}

static int64_t int_neg(int64_t x)
{
    return (int64_t)(0 - (uint64_t)x);
}

static int64_t int_abs(int64_t x)
{
    return x < 0 ? int_neg(x) : x;
}

static int64_t int_sign(int64_t x)
{
    return (x > 0) - (x < 0);
}

static tacho_status compute_abs(const tacho_kernel_call *call)
{
    bool is_unsigned = tacho_element_kind(call->inputs[0]->dtype) == TACHO_DTYPE_UNSIGNED;
    return each(call, "an absolute value", fabs, is_unsigned ? NULL : int_abs);
}

static tacho_status compute_ceil(const tacho_kernel_call *call)
{
    return each(call, "Ceil", ceil, NULL);
}

static tacho_status compute_floor(const tacho_kernel_call *call)
{
    return each(call, "Floor", floor, NULL);
}

static tacho_status compute_neg(const tacho_kernel_call *call)
{
    return each(call, "a negation", real_neg, int_neg);
}

static tacho_status compute_reciprocal(const tacho_kernel_call *call)
{
    return each(call, "a reciprocal", real_reciprocal, NULL);
}

static tacho_status compute_round(const tacho_kernel_call *call)
{
    return each(call, "Round", rint, NULL);
}

static tacho_status compute_sign(const tacho_kernel_call *call)
{
    bool is_unsigned = tacho_element_kind(call->inputs[0]->dtype) == TACHO_DTYPE_UNSIGNED;
    return each(call, "a sign", real_sign, is_unsigned ? NULL : int_sign);
}

static tacho_status compute_sqrt(const tacho_kernel_call *call)
{
    return each(call, "a root", sqrt, NULL);
}

const tacho_kernel tacho_unary_kernels[] = {
    {"Abs", TACHO_KERNEL_EACH, compute_abs},
    {"Ceil", TACHO_KERNEL_EACH, compute_ceil},
    {"Floor", TACHO_KERNEL_EACH, compute_floor},
    {"Neg", TACHO_KERNEL_EACH, compute_neg},
    {"Reciprocal", TACHO_KERNEL_EACH, compute_reciprocal},
    {"Round", TACHO_KERNEL_EACH, compute_round},
    {"Sign", TACHO_KERNEL_EACH, compute_sign},
    {"Sqrt", TACHO_KERNEL_EACH, compute_sqrt},
    {"tosa.abs", TACHO_KERNEL_EACH, compute_abs},
    {"tosa.ceil", TACHO_KERNEL_EACH, compute_ceil},
    {"tosa.floor", TACHO_KERNEL_EACH, compute_floor},
    {"tosa.reciprocal", TACHO_KERNEL_EACH, compute_reciprocal},
    {0},
};
