/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements of one type to another. Integers wrap; a real number loses its fraction (in TOSA it is
 * rounded to the nearest, ties to even) and is held within the integer's range, or wraps where that
 * has 4 bits or less; not-a-number becomes 0; any value other than 0 is true.
 */
#include "kernels/call.h"

#include "base/whole.h"

#include <math.h>

/* The bounds of an integer type as numbers that double can hold. */
static int64_t real_to_int(double value, tacho_dtype dtype)
{
    if (dtype == TACHO_DTYPE_BOOL) {
        return value != 0;
    }
    if (tacho_dtype_is_packed(dtype)) {
        return tacho_whole_i64(value); /* wraps when it is written */
    }
    int bits = tacho_int_bits(dtype);
    bool is_signed = tacho_dtype_kind_of(dtype) == TACHO_DTYPE_SIGNED;
    double top = ldexp(1, is_signed ? bits - 1 : bits), bottom = is_signed ? -top : 0;
    if (isnan(value)) {
        return 0;
    }
    if (value >= top) {
        return is_signed ? (int64_t)(UINT64_MAX >> (65 - bits))
                         : (int64_t)(UINT64_MAX >> (64 - bits));
    }
    if (value <= bottom) {
        return is_signed ? INT64_MIN >> (64 - bits) : 0;
    }
    return is_signed ? tacho_whole_i64(value) : (int64_t)tacho_whole_u64(value);
}

/*
 * A whole number as double. For types shorter than double it must not be rounded here, as rounding
 * twice may miss the nearest: bits that do not fit are cut and leave a mark in the last that does
 * (round to odd), far below the last bit of a shorter type.
 */
static double int_to_real(int64_t value, bool is_unsigned, bool is_wide)
{
    bool is_negative = !is_unsigned && value < 0;
    uint64_t size = is_negative ? 0 - (uint64_t)value : (uint64_t)value;
    const uint64_t cut = 0x7ff; /* rest of 64 bits beyond 53 */
    if (!is_wide && size >> 53 != 0) {
        size = (size & ~cut) | ((size & cut) != 0 ? cut + 1 : 0);
    }
    return is_negative ? -(double)size : (double)size;
}

/* How a cast is to go. */
typedef struct cast_rule {
    bool is_rounded;
    tacho_small_rule small;
} cast_rule;

static void write_reals(tacho_array *output, int64_t at, size_t count, const double *reals,
                        const cast_rule *rule)
{
    if (tacho_is_small_real(output->dtype)) {
        tacho_write_small_reals(output, at, count, reals, rule->small);
    } else {
        tacho_write_reals(output, at, count, reals);
    }
}

static void cast_chunk(const tacho_array *input, tacho_array *output, int64_t at, size_t count,
                       const cast_rule *rule)
{
    tacho_dtype_kind from = tacho_stored_kind(input->dtype);
    tacho_dtype_kind to = tacho_stored_kind(output->dtype);
    double reals[TACHO_CHUNK];
    int64_t ints[TACHO_CHUNK];
    if (from != TACHO_DTYPE_REAL) {
        tacho_read_ints(input, at, 1, count, ints);
        for (size_t i = 0; output->dtype == TACHO_DTYPE_BOOL && i < count; i++) {
            ints[i] = ints[i] != 0;
        }
    } else {
        tacho_read_reals(input, at, 1, count, reals);
        for (size_t i = 0; to != TACHO_DTYPE_REAL && i < count; i++) {
            ints[i] = real_to_int(rule->is_rounded ? rint(reals[i]) : reals[i], output->dtype);
        }
    }
    if (to != TACHO_DTYPE_REAL) {
        tacho_write_ints(output, at, count, ints);
    } else if (from == TACHO_DTYPE_REAL) {
        write_reals(output, at, count, reals, rule);
    } else {
        for (size_t i = 0; i < count; i++) {
            reals[i] = int_to_real(ints[i], from == TACHO_DTYPE_UNSIGNED,
                                   output->dtype == TACHO_DTYPE_F64);
        }
        write_reals(output, at, count, reals, rule);
    }
}

static tacho_status cast(const tacho_kernel_call *call, const cast_rule *rule)
{
    const tacho_array *input = call->inputs[0];
    tacho_array *output = &call->outputs[0];
    if (tacho_stored_kind(input->dtype) == TACHO_DTYPE_OTHER) {
        return tacho_unsupported_type("a cast", input->dtype);
    }
    if (tacho_stored_kind(output->dtype) == TACHO_DTYPE_OTHER) {
        return tacho_unsupported_type("a cast", output->dtype);
    }
    int64_t total = tacho_array_elements(output);
    if (total != tacho_array_elements(input)) {
        return tacho_wrong_shapes("a cast");
    }
    for (int64_t at = 0; at < total; at += TACHO_CHUNK) {
        int64_t rest = total - at;
        cast_chunk(input, output, at, (size_t)(rest < TACHO_CHUNK ? rest : TACHO_CHUNK), rule);
    }
    return TACHO_OK;
}

static tacho_status compute_cast(const tacho_kernel_call *call)
{
    tacho_str mode = tacho_attr_text(call->attrs, call->attr_count, "round_mode");
    cast_rule rule = {.small.is_unbounded = tacho_call_int(call, "saturate", 1) == 0};
    rule.small.powers = tacho_str_equal(mode, TACHO_STR("down"))      ? TACHO_POWER_DOWN
                        : tacho_str_equal(mode, TACHO_STR("nearest")) ? TACHO_POWER_NEAREST
                                                                      : TACHO_POWER_UP;
    return cast(call, &rule);
}

static tacho_status compute_tosa_cast(const tacho_kernel_call *call)
{
    static const cast_rule rule = {.is_rounded = true};
    return cast(call, &rule);
}

/* The same bits as another type of as many. */
static tacho_status compute_bit_cast(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0];
    const tacho_array *output = &call->outputs[0];
    size_t size = tacho_dtype_element_bytes(input->dtype);
    int64_t count = tacho_array_elements(input);
    if (size == 0 || tacho_dtype_element_bytes(output->dtype) != size) {
        return tacho_unsupported_type("a cast of bits", input->dtype);
    }
    if (tacho_array_elements(output) != count) {
        return tacho_wrong_shapes("a cast of bits");
    }
    memcpy(output->data, input->data, (size_t)count * size);
    return TACHO_OK;
}

const tacho_kernel tacho_cast_kernels[] = {
    {"BitCast", TACHO_KERNEL_PLAIN, compute_bit_cast},
    {"Cast", TACHO_KERNEL_EACH, compute_cast},
    {"CastLike", TACHO_KERNEL_EACH, compute_cast},
    {"tosa.cast", TACHO_KERNEL_EACH, compute_tosa_cast},
    {0},
};
