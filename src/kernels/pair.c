/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of two elements, broadcast, beyond plain arithmetic: bits, shifts, powers, slopes; and
 * the mean of several tensors.
 */
#include "kernels/call.h"
#include "base/whole.h"
#include "kernels/functions.h"
#include "kernels/walk.h"

typedef double (*real_pair)(double a, double b);
typedef int64_t (*int_pair)(int64_t a, int64_t b);

/* Element by element; the function that the types want may be NULL. */
static tacho_status each_pair(const tacho_kernel_call *call, const char *name, real_pair of_reals,
                              int_pair of_ints)
{
    const tacho_array *a = call->inputs[0], *b = call->inputs[1];
    tacho_array *output = &call->outputs[0];
    bool is_real = tacho_is_real(a) && tacho_is_real(b) && of_reals != NULL;
    bool is_int = tacho_is_int(a) && tacho_is_int(b) && of_ints != NULL;
    if ((!is_real && !is_int) || output->dtype != a->dtype) {
        return tacho_unsupported_type(name, a->dtype);
    }
    if (!tacho_shape_fits(&a->shape, &output->shape) ||
        !tacho_shape_fits(&b->shape, &output->shape)) {
        return tacho_wrong_shapes(name);
    }
    tacho_walk walk;
    tacho_walk_begin(&walk, &output->shape);
    tacho_walk_broadcast(&walk, 0, &output->shape);
    tacho_walk_broadcast(&walk, 1, &a->shape);
    tacho_walk_broadcast(&walk, 2, &b->shape);
    for (; !walk.is_done; tacho_walk_next(&walk)) {
        for (int64_t i = 0; i < tacho_walk_row(&walk); i++) {
            int64_t at_a = walk.at[1] + i * tacho_walk_row_step(&walk, 1);
            int64_t at_b = walk.at[2] + i * tacho_walk_row_step(&walk, 2);
            if (is_real) {
                tacho_set_real(output, walk.at[0] + i,
                               of_reals(tacho_real_at(a, at_a), tacho_real_at(b, at_b)));
            } else {
                tacho_set_int(output, walk.at[0] + i,
                              of_ints(tacho_int_at(a, at_a), tacho_int_at(b, at_b)));
            }
        }
    }
    return TACHO_OK;
}

/* ---- bits ---------------------------------------------------------------------------------- */

static int64_t bits_and(int64_t a, int64_t b)
{
    return a & b;
}

static int64_t bits_or(int64_t a, int64_t b)
{
    return a | b;
}

static int64_t bits_xor(int64_t a, int64_t b)
{
    return a ^ b;
}

static int64_t shift_left(int64_t a, int64_t b)
{
    return b < 0 || b > 63 ? 0 : (int64_t)((uint64_t)a << b);
}

/* Of unsigned numbers, which have zeros above. */
static int64_t shift_right(int64_t a, int64_t b)
{
    return b < 0 || b > 63 ? 0 : (int64_t)((uint64_t)a >> b);
}

static tacho_status compute_bitwise_and(const tacho_kernel_call *call)
{
    return each_pair(call, "bits", NULL, bits_and);
}

static tacho_status compute_bitwise_or(const tacho_kernel_call *call)
{
    return each_pair(call, "bits", NULL, bits_or);
}

static tacho_status compute_bitwise_xor(const tacho_kernel_call *call)
{
    return each_pair(call, "bits", NULL, bits_xor);
}

static tacho_status compute_bit_shift(const tacho_kernel_call *call)
{
    if (tacho_element_kind(call->inputs[0]->dtype) != TACHO_DTYPE_UNSIGNED) {
        return tacho_unsupported_type("a shift", call->inputs[0]->dtype);
    }
    bool is_left = tacho_call_is(call, "direction", "LEFT");
    return each_pair(call, "a shift", NULL, is_left ? shift_left : shift_right);
}

static tacho_status compute_bitwise_not(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0];
    int64_t total = tacho_array_elements(input);
    if (!tacho_is_int(input) || call->outputs[0].dtype != input->dtype) {
        return tacho_unsupported_type("bits", input->dtype);
    }
    if (total != tacho_array_elements(&call->outputs[0])) {
        return tacho_wrong_shapes("bits");
    }
    for (int64_t i = 0; i < total; i++) {
        tacho_set_int(&call->outputs[0], i, ~tacho_int_at(input, i));
    }
    return TACHO_OK;
}

/* ---- powers and slopes --------------------------------------------------------------------- */

static int64_t int_power(int64_t a, int64_t b)
{
    uint64_t result = 1, base = (uint64_t)a;
    if (b < 0) {
        return a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
    }
    for (; b > 0; b /= 2) {
        result *= b % 2 == 1 ? base : 1;
        base *= base;
    }
    return (int64_t)result;
}

/* Base and exponent of different kinds: in double, then cut off. */
static tacho_status mixed_power(const tacho_kernel_call *call)
{
    const tacho_array *a = call->inputs[0], *b = call->inputs[1];
    tacho_array *output = &call->outputs[0];
    if (output->dtype != a->dtype || !tacho_shape_fits(&a->shape, &output->shape) ||
        !tacho_shape_fits(&b->shape, &output->shape)) {
        return tacho_wrong_shapes("a power");
    }
    tacho_walk walk;
    tacho_walk_begin(&walk, &output->shape);
    tacho_walk_broadcast(&walk, 0, &output->shape);
    tacho_walk_broadcast(&walk, 1, &a->shape);
    tacho_walk_broadcast(&walk, 2, &b->shape);
    for (; !walk.is_done; tacho_walk_next(&walk)) {
        for (int64_t i = 0; i < tacho_walk_row(&walk); i++) {
            int64_t at_a = walk.at[1] + i * tacho_walk_row_step(&walk, 1);
            int64_t at_b = walk.at[2] + i * tacho_walk_row_step(&walk, 2);
            double power = tacho_pow(tacho_real_at(a, at_a), tacho_real_at(b, at_b));
            if (tacho_is_real(output)) {
                tacho_set_real(output, walk.at[0] + i, power);
            } else {
                bool fits = power > -0x1p63 && power < 0x1p63; /* NaN does not */
                tacho_set_int(output, walk.at[0] + i, fits ? tacho_whole_i64(power) : INT64_MIN);
            }
        }
    }
    return TACHO_OK;
}

static tacho_status compute_pow(const tacho_kernel_call *call)
{
    const tacho_array *a = call->inputs[0], *b = call->inputs[1];
    if (tacho_element_kind(a->dtype) == TACHO_DTYPE_OTHER ||
        tacho_element_kind(b->dtype) == TACHO_DTYPE_OTHER ||
        (tacho_call_before(call, 7) && tacho_call_has(call, "axis"))) {
        return tacho_unsupported_type("a power", a->dtype);
    }
    return tacho_is_real(a) != tacho_is_real(b) ? mixed_power(call)
                                                : each_pair(call, "a power", tacho_pow, int_power);
}

static double slope(double x, double factor)
{
    return x < 0 ? x * factor : x;
}

static int64_t int_slope(int64_t x, int64_t factor)
{
    return x < 0 ? (int64_t)((uint64_t)x * (uint64_t)factor) : x;
}

/* Before opset 7 a row of slopes is one for each channel, which is dimension 1. */
static tacho_status compute_prelu(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0];
    bool is_signed = tacho_element_kind(input->dtype) == TACHO_DTYPE_SIGNED;
    tacho_array slopes = *call->inputs[1];
    const tacho_array *inputs[2] = {input, &slopes};
    tacho_kernel_call made = *call;
    made.inputs = inputs;
    made.input_count = 2;
    if (tacho_call_before(call, 7) && slopes.shape.rank == 1 && input->shape.rank > 2) {
        slopes.shape.rank = input->shape.rank - 1;
        for (int32_t i = 1; i < slopes.shape.rank; i++) {
            slopes.shape.dims[i] = 1;
        }
    }
    return each_pair(&made, "PRelu", slope, is_signed ? int_slope : NULL);
}

/* ---- mean ---------------------------------------------------------------------------------- */

static tacho_status compute_mean(const tacho_kernel_call *call)
{
    tacho_array *output = &call->outputs[0];
    tacho_walk walk;
    if (!tacho_is_real(output)) {
        return tacho_unsupported_type("a mean", output->dtype);
    }
    for (size_t i = 0; i < call->input_count; i++) {
        if (call->inputs[i] == NULL || call->inputs[i]->dtype != output->dtype ||
            !tacho_shape_fits(&call->inputs[i]->shape, &output->shape)) {
            return tacho_wrong_shapes("a mean");
        }
    }
    int64_t total = tacho_array_elements(output);
    for (int64_t i = 0; i < total; i++) {
        double sum = 0;
        for (size_t j = 0; j < call->input_count; j++) {
            int64_t rest = i, at = 0;
            tacho_walk_begin(&walk, &output->shape);
            tacho_walk_broadcast(&walk, 0, &call->inputs[j]->shape);
            for (int32_t k = walk.rank - 1; k >= 0; k--) {
                at += rest % walk.dims[k] * walk.steps[0][k];
                rest /= walk.dims[k];
            }
            sum += tacho_real_at(call->inputs[j], at);
        }
        tacho_set_real(output, i, sum / (double)call->input_count);
    }
    return TACHO_OK;
}

const tacho_kernel tacho_pair_kernels[] = {
    {"BitShift", TACHO_KERNEL_EACH, compute_bit_shift},
    {"BitwiseAnd", TACHO_KERNEL_EACH, compute_bitwise_and},
    {"BitwiseNot", TACHO_KERNEL_EACH, compute_bitwise_not},
    {"BitwiseOr", TACHO_KERNEL_EACH, compute_bitwise_or},
    {"BitwiseXor", TACHO_KERNEL_EACH, compute_bitwise_xor},
    {"Mean", TACHO_KERNEL_EACH, compute_mean},
    {"PRelu", TACHO_KERNEL_EACH, compute_prelu},
    {"Pow", TACHO_KERNEL_EACH, compute_pow},
    {"tosa.bitwise_and", TACHO_KERNEL_EACH, compute_bitwise_and},
    {"tosa.bitwise_not", TACHO_KERNEL_EACH, compute_bitwise_not},
    {"tosa.bitwise_or", TACHO_KERNEL_EACH, compute_bitwise_or},
    {"tosa.bitwise_xor", TACHO_KERNEL_EACH, compute_bitwise_xor},
    {"tosa.pow", TACHO_KERNEL_EACH, compute_pow},
    {0},
};
