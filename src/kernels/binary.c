/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arithmetic of two or more tensors, broadcast: input 0 is copied to the output, which then takes
 * in one input after another.
 */
#include "kernels/element.h"
#include "kernels/kernel.h"
#include "kernels/walk.h"

#include <math.h>

typedef enum operation { ADD, SUB, MUL, DIV, MOD, FMOD, MIN, MAX } operation;

/* ---- one element --------------------------------------------------------------------------- */

/* NaN where either is: as ONNX's Min and Max, unlike C's. */
static double real_extreme(double a, double b, bool is_max)
{
    if (isnan(a) || isnan(b)) {
        return (double)NAN;
    }
    return (a > b) == is_max ? a : b;
}

static double real_result(operation op, double a, double b)
{
    switch (op) {
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    case MUL:
        return a * b;
    case DIV:
        return a / b;
    case MIN:
    case MAX:
        return real_extreme(a, b, op == MAX);
    case MOD:
    case FMOD:
    default:
        return fmod(a, b);
    }
}

/* Integers wrap; the divisor is not 0. Division is towards 0, Mod has the divisor's sign. */
static int64_t signed_result(operation op, int64_t a, int64_t b)
{
    int64_t rest;
    switch (op) {
    case ADD:
        return (int64_t)((uint64_t)a + (uint64_t)b);
    case SUB:
        return (int64_t)((uint64_t)a - (uint64_t)b);
    case MUL:
        return (int64_t)((uint64_t)a * (uint64_t)b);
    case DIV:
        return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
    case MIN:
        return a < b ? a : b;
    case MAX:
        return a > b ? a : b;
    case MOD:
    case FMOD:
    default:
        rest = b == -1 ? 0 : a % b;
        return op == MOD && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }
}

static int64_t unsigned_result(operation op, int64_t a, int64_t b)
{
    uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
    switch (op) {
    case DIV:
        return (int64_t)(ua / ub);
    case MIN:
        return ua < ub ? a : b;
    case MAX:
        return ua > ub ? a : b;
    case MOD:
    case FMOD:
        return (int64_t)(ua % ub);
    case ADD:
    case SUB:
    case MUL:
    default:
        return signed_result(op, a, b);
    }
}

/* ---- tensors ------------------------------------------------------------------------------- */

static void real_row(operation op, const tacho_array *input, const tacho_walk *walk,
                     tacho_array *output)
{
    double a[TACHO_CHUNK], b[TACHO_CHUNK];
    int64_t row = tacho_walk_row(walk), step = tacho_walk_row_step(walk, 1);
    for (int64_t at = 0; at < row; at += TACHO_CHUNK) {
        size_t count = (size_t)(row - at < TACHO_CHUNK ? row - at : TACHO_CHUNK);
        tacho_read_reals(output, walk->at[0] + at, 1, count, a);
        tacho_read_reals(input, walk->at[1] + at * step, step, count, b);
        for (size_t i = 0; i < count; i++) {
            a[i] = real_result(op, a[i], b[i]);
        }
        tacho_write_reals(output, walk->at[0] + at, count, a);
    }
}

static tacho_status int_row(operation op, const tacho_array *input, const tacho_walk *walk,
                            tacho_array *output)
{
    int64_t a[TACHO_CHUNK], b[TACHO_CHUNK];
    int64_t row = tacho_walk_row(walk), step = tacho_walk_row_step(walk, 1);
    bool is_signed = tacho_element_kind(output->dtype) == TACHO_DTYPE_SIGNED;
    bool divides = op == DIV || op == MOD || op == FMOD;
    for (int64_t at = 0; at < row; at += TACHO_CHUNK) {
        size_t count = (size_t)(row - at < TACHO_CHUNK ? row - at : TACHO_CHUNK);
        tacho_read_ints(output, walk->at[0] + at, 1, count, a);
        tacho_read_ints(input, walk->at[1] + at * step, step, count, b);
        for (size_t i = 0; i < count; i++) {
            if (divides && b[i] == 0) {
                return tacho_fail(TACHO_CODE_BAD_DATA, "an integer is divided by 0");
            }
            a[i] = is_signed ? signed_result(op, a[i], b[i]) : unsigned_result(op, a[i], b[i]);
        }
        tacho_write_ints(output, walk->at[0] + at, count, a);
    }
    return TACHO_OK;
}

/* |output| = |output| op |input|, or = |input| when it is the first. */
static tacho_status take_in(operation op, const tacho_array *input, bool is_first,
                            tacho_array *output)
{
    bool is_real = tacho_element_kind(output->dtype) == TACHO_DTYPE_REAL;
    size_t size = tacho_dtype_element_bytes(output->dtype);
    tacho_walk walk;
    tacho_walk_begin(&walk, &output->shape);
    tacho_walk_broadcast(&walk, 0, &output->shape);
    tacho_walk_broadcast(&walk, 1, &input->shape);
    for (; !walk.is_done; tacho_walk_next(&walk)) {
        if (!is_first && is_real) {
            real_row(op, input, &walk, output);
        } else if (!is_first) {
            TACHO_TRY(int_row(op, input, &walk, output));
        }
        for (int64_t i = 0; is_first && i < tacho_walk_row(&walk); i++) {
            int64_t from = walk.at[1] + i * tacho_walk_row_step(&walk, 1);
            memcpy((unsigned char *)output->data + (size_t)(walk.at[0] + i) * size,
                   (const unsigned char *)input->data + (size_t)from * size, size);
        }
    }
    return TACHO_OK;
}

/* Before opset 7 an attribute aligns the second operand with a dimension of the first. */
static void align(const tacho_kernel_call *call, int32_t rank, tacho_shape *shape)
{
    int64_t axis = tacho_attr_int(call->attrs, call->attr_count, "axis", -1);
    if (call->opset > 0 && call->opset < 7 && axis >= 0 && axis < rank &&
        tacho_attr_int(call->attrs, call->attr_count, "broadcast", 0) != 0) {
        while (shape->rank < rank - axis) {
            shape->dims[shape->rank++] = 1;
        }
    }
}

static tacho_status combine(const tacho_kernel_call *call, operation op, const char *name)
{
    tacho_array *output = &call->outputs[0];
    if (tacho_element_kind(output->dtype) == TACHO_DTYPE_OTHER) {
        return tacho_unsupported_type(name, output->dtype);
    }
    for (size_t i = 0; i < call->input_count; i++) {
        if (call->inputs[i] == NULL || call->inputs[i]->dtype != output->dtype) {
            return tacho_unsupported_type(name, output->dtype);
        }
        tacho_array input = *call->inputs[i];
        if (i > 0) {
            align(call, output->shape.rank, &input.shape);
        }
        if (!tacho_shape_fits(&input.shape, &output->shape)) {
            return tacho_wrong_shapes(name);
        }
        TACHO_TRY(take_in(op, &input, i == 0, output));
    }
    return TACHO_OK;
}

static tacho_status compute_add(const tacho_kernel_call *call)
{
    return combine(call, ADD, "a sum");
}

static tacho_status compute_sub(const tacho_kernel_call *call)
{
    return combine(call, SUB, "a difference");
}

static tacho_status compute_mul(const tacho_kernel_call *call)
{
    return combine(call, MUL, "a product");
}

static tacho_status compute_div(const tacho_kernel_call *call)
{
    return combine(call, DIV, "a quotient");
}

static tacho_status compute_mod(const tacho_kernel_call *call)
{
    bool is_fmod = tacho_attr_int(call->attrs, call->attr_count, "fmod", 0) != 0;
    return combine(call, is_fmod ? FMOD : MOD, "a remainder");
}

static tacho_status compute_min(const tacho_kernel_call *call)
{
    return combine(call, MIN, "a minimum");
}

static tacho_status compute_max(const tacho_kernel_call *call)
{
    return combine(call, MAX, "a maximum");
}

const tacho_kernel tacho_binary_kernels[] = {
    {"Add", TACHO_KERNEL_EACH, compute_add},
    {"Div", TACHO_KERNEL_EACH, compute_div},
    {"Max", TACHO_KERNEL_EACH, compute_max},
    {"Min", TACHO_KERNEL_EACH, compute_min},
    {"Mod", TACHO_KERNEL_EACH, compute_mod},
    {"Mul", TACHO_KERNEL_EACH, compute_mul},
    {"Sub", TACHO_KERNEL_EACH, compute_sub},
    {"Sum", TACHO_KERNEL_EACH, compute_add},
    {"tosa.add", TACHO_KERNEL_EACH, compute_add},
    {"tosa.maximum", TACHO_KERNEL_EACH, compute_max},
    {"tosa.minimum", TACHO_KERNEL_EACH, compute_min},
    {"tosa.sub", TACHO_KERNEL_EACH, compute_sub},
    {0},
};
