/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparisons and logic: operators whose results are booleans.
 */
#include "kernels/element.h"
#include "kernels/kernel.h"
#include "kernels/walk.h"

typedef enum relation { EQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL } relation;
typedef enum connective { AND, OR, XOR } connective;

/* |order| of two numbers: <0, 0, >0; or 2 if unordered, of NaN. */
static bool holds(relation wanted, int order)
{
    switch (wanted) {
    case EQUAL:
        return order == 0;
    case LESS:
        return order < 0;
    case LESS_OR_EQUAL:
        return order <= 0;
    case GREATER:
        return order == 1;
    case GREATER_OR_EQUAL:
    default:
        return order == 0 || order == 1;
    }
}

static int order_of_reals(double a, double b)
{
    return a < b ? -1 : a > b ? 1 : a == b ? 0 : 2;
}

static int order_of_ints(int64_t a, int64_t b, bool is_signed)
{
    bool is_less = is_signed ? a < b : (uint64_t)a < (uint64_t)b;
    return a == b ? 0 : is_less ? -1 : 1;
}

/* One row of at most TACHO_CHUNK elements. */
static void compare_chunk(relation wanted, const tacho_kernel_call *call, const tacho_walk *walk,
                          int64_t at, size_t count)
{
    const tacho_array *a = call->inputs[0], *b = call->inputs[1];
    unsigned char *to = (unsigned char *)call->outputs[0].data + walk->at[0] + at;
    int64_t step_a = tacho_walk_row_step(walk, 1), step_b = tacho_walk_row_step(walk, 2);
    int64_t at_a = walk->at[1] + at * step_a, at_b = walk->at[2] + at * step_b;
    tacho_dtype_kind kind = tacho_element_kind(a->dtype);
    if (kind == TACHO_DTYPE_REAL) {
        double reals_a[TACHO_CHUNK], reals_b[TACHO_CHUNK];
        tacho_read_reals(a, at_a, step_a, count, reals_a);
        tacho_read_reals(b, at_b, step_b, count, reals_b);
        for (size_t i = 0; i < count; i++) {
            to[i] = holds(wanted, order_of_reals(reals_a[i], reals_b[i]));
        }
        return;
    }
    int64_t ints_a[TACHO_CHUNK], ints_b[TACHO_CHUNK];
    tacho_read_ints(a, at_a, step_a, count, ints_a);
    tacho_read_ints(b, at_b, step_b, count, ints_b);
    for (size_t i = 0; i < count; i++) {
        bool is_signed = kind == TACHO_DTYPE_SIGNED;
        to[i] = holds(wanted, order_of_ints(ints_a[i], ints_b[i], is_signed));
    }
}

/* Whether the call has two inputs of one type we compute with, and makes booleans. */
static bool is_fit(const tacho_kernel_call *call)
{
    const tacho_array *a = call->inputs[0], *b = call->inputs[1];
    bool has_old_axis = call->opset > 0 && call->opset < 7 &&
                        tacho_attr_find(call->attrs, call->attr_count, "axis") != NULL;
    return a->dtype == b->dtype && tacho_element_kind(a->dtype) != TACHO_DTYPE_OTHER &&
           call->outputs[0].dtype == TACHO_DTYPE_BOOL && !has_old_axis;
}

static tacho_status begin_two(tacho_walk *walk, const tacho_kernel_call *call)
{
    if (!tacho_shape_fits(&call->inputs[0]->shape, &call->outputs[0].shape) ||
        !tacho_shape_fits(&call->inputs[1]->shape, &call->outputs[0].shape)) {
        return tacho_wrong_shapes("a comparison");
    }
    tacho_walk_begin(walk, &call->outputs[0].shape);
    tacho_walk_broadcast(walk, 0, &call->outputs[0].shape);
    tacho_walk_broadcast(walk, 1, &call->inputs[0]->shape);
    tacho_walk_broadcast(walk, 2, &call->inputs[1]->shape);
    return TACHO_OK;
}

static tacho_status compare(const tacho_kernel_call *call, relation wanted)
{
    if (!is_fit(call)) {
        return tacho_unsupported_type("a comparison", call->inputs[0]->dtype);
    }
    tacho_walk walk;
    TACHO_TRY(begin_two(&walk, call));
    for (; !walk.is_done; tacho_walk_next(&walk)) {
        int64_t row = tacho_walk_row(&walk);
        for (int64_t at = 0; at < row; at += TACHO_CHUNK) {
            int64_t rest = row - at;
            compare_chunk(wanted, call, &walk, at,
                          (size_t)(rest < TACHO_CHUNK ? rest : TACHO_CHUNK));
        }
    }
    return TACHO_OK;
}

static tacho_status compute_equal(const tacho_kernel_call *call)
{
    return compare(call, EQUAL);
}

static tacho_status compute_less(const tacho_kernel_call *call)
{
    return compare(call, LESS);
}

static tacho_status compute_less_or_equal(const tacho_kernel_call *call)
{
    return compare(call, LESS_OR_EQUAL);
}

static tacho_status compute_greater(const tacho_kernel_call *call)
{
    return compare(call, GREATER);
}

static tacho_status compute_greater_or_equal(const tacho_kernel_call *call)
{
    return compare(call, GREATER_OR_EQUAL);
}

/* ---- logic --------------------------------------------------------------------------------- */

static tacho_status connect(const tacho_kernel_call *call, connective wanted)
{
    if (!is_fit(call) || call->inputs[0]->dtype != TACHO_DTYPE_BOOL) {
        return tacho_unsupported_type("logic", call->inputs[0]->dtype);
    }
    const unsigned char *a = call->inputs[0]->data, *b = call->inputs[1]->data;
    unsigned char *to = call->outputs[0].data;
    tacho_walk walk;
    TACHO_TRY(begin_two(&walk, call));
    for (; !walk.is_done; tacho_walk_next(&walk)) {
        for (int64_t i = 0; i < tacho_walk_row(&walk); i++) {
            bool in_a = a[walk.at[1] + i * tacho_walk_row_step(&walk, 1)] != 0;
            bool in_b = b[walk.at[2] + i * tacho_walk_row_step(&walk, 2)] != 0;
            to[walk.at[0] + i] = wanted == AND  ? in_a && in_b
                                 : wanted == OR ? in_a || in_b
                                                : in_a != in_b;
        }
    }
    return TACHO_OK;
}

static tacho_status compute_and(const tacho_kernel_call *call)
{
    return connect(call, AND);
}

static tacho_status compute_or(const tacho_kernel_call *call)
{
    return connect(call, OR);
}

static tacho_status compute_xor(const tacho_kernel_call *call)
{
    return connect(call, XOR);
}

static tacho_status compute_not(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0];
    if (input->dtype != TACHO_DTYPE_BOOL) {
        return tacho_unsupported_type("logic", input->dtype);
    }
    const unsigned char *from = input->data;
    unsigned char *to = call->outputs[0].data;
    int64_t count = tacho_array_elements(input);
    if (count != tacho_array_elements(&call->outputs[0])) {
        return tacho_wrong_shapes("a negation");
    }
    for (int64_t i = 0; i < count; i++) {
        to[i] = from[i] == 0;
    }
    return TACHO_OK;
}

/* Whether a value is the one that a program was made for; with another, the program is not right.
 */
static tacho_status compute_expect(const tacho_kernel_call *call)
{
    const tacho_array *found = call->inputs[0], *wanted = call->inputs[1];
    uint64_t bytes;
    if (found->dtype != wanted->dtype || !tacho_shape_equal(&found->shape, &wanted->shape) ||
        tacho_array_elements(&call->outputs[0]) != 1) {
        return tacho_wrong_shapes("an expected value");
    }
    if (!tacho_dtype_bytes(found->dtype, (uint64_t)tacho_array_elements(found), &bytes) ||
        (bytes > 0 && memcmp(found->data, wanted->data, (size_t)bytes) != 0)) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "a branch, a number of steps or a size follows from values, and with "
                          "these inputs it is another than that which the model was compiled for; "
                          "compile it with these inputs, or use reference kernels");
    }
    *(unsigned char *)call->outputs[0].data = 1;
    return TACHO_OK;
}

const tacho_kernel tacho_compare_kernels[] = {
    {"And", TACHO_KERNEL_EACH, compute_and},
    {"Equal", TACHO_KERNEL_EACH, compute_equal},
    {"Greater", TACHO_KERNEL_EACH, compute_greater},
    {"GreaterOrEqual", TACHO_KERNEL_EACH, compute_greater_or_equal},
    {"Less", TACHO_KERNEL_EACH, compute_less},
    {"LessOrEqual", TACHO_KERNEL_EACH, compute_less_or_equal},
    {"Not", TACHO_KERNEL_EACH, compute_not},
    {"Or", TACHO_KERNEL_EACH, compute_or},
    {"Xor", TACHO_KERNEL_EACH, compute_xor},
    {"tacho.Expect", TACHO_KERNEL_HEAVY, compute_expect},
    {"tosa.equal", TACHO_KERNEL_EACH, compute_equal},
    {"tosa.greater", TACHO_KERNEL_EACH, compute_greater},
    {"tosa.greater_equal", TACHO_KERNEL_EACH, compute_greater_or_equal},
    {"tosa.logical_and", TACHO_KERNEL_EACH, compute_and},
    {"tosa.logical_not", TACHO_KERNEL_EACH, compute_not},
    {"tosa.logical_or", TACHO_KERNEL_EACH, compute_or},
    {"tosa.logical_xor", TACHO_KERNEL_EACH, compute_xor},
    {0},
};
