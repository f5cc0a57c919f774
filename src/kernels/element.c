/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops over elements of one type each.
 */
#include "kernels/element.h"

#include <math.h>

tacho_dtype_kind tacho_element_kind(tacho_dtype dtype)
{
    tacho_dtype_kind kind = tacho_dtype_kind_of(dtype);
    bool is_narrow = dtype == TACHO_DTYPE_F8E4M3 || dtype == TACHO_DTYPE_F8E5M2;
    size_t size = tacho_dtype_element_bytes(dtype);
    bool is_plain = size == 1 || size == 2 || size == 4 || size == 8;
    return is_plain && !is_narrow ? kind : TACHO_DTYPE_OTHER;
}

int64_t tacho_array_elements(const tacho_array *array)
{
    uint64_t count;
    return tacho_shape_elements(&array->shape, &count) ? (int64_t)count : 0;
}

tacho_status tacho_wrong_shapes(const char *what)
{
    return tacho_fail(TACHO_CODE_BAD_DATA, "shapes of %s do not fit each other", what);
}

tacho_status tacho_unsupported_type(const char *what, tacho_dtype dtype)
{
    return tacho_fail(TACHO_CODE_UNSUPPORTED, "%s of %s is not computed here", what,
                      tacho_dtype_name(dtype));
}

/* ---- short real types ---------------------------------------------------------------------- */

/* The bits of an IEEE-like number with so many bits of exponent and mantissa, as double. */
static double widen(uint32_t bits, int exponent_bits, int mantissa_bits)
{
    int bias = (1 << (exponent_bits - 1)) - 1;
    uint32_t mantissa = bits & ((1u << mantissa_bits) - 1);
    int exponent = (int)(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
    double sign = (bits >> (exponent_bits + mantissa_bits)) != 0 ? -1 : 1;
    if (exponent == (1 << exponent_bits) - 1) {
        return mantissa != 0 ? (double)NAN : sign * (double)INFINITY;
    }
    if (exponent == 0) {
        return sign * ldexp(mantissa, 1 - bias - mantissa_bits);
    }
    return sign * ldexp(mantissa + (1u << mantissa_bits), exponent - bias - mantissa_bits);
}

/* The way back: the nearest number, ties to even, infinity past the greatest. */
static uint32_t narrow(double value, int exponent_bits, int mantissa_bits)
{
    int bias = (1 << (exponent_bits - 1)) - 1;
    uint32_t sign = (signbit(value) ? 1u : 0u) << (exponent_bits + mantissa_bits);
    uint32_t infinite = ((1u << exponent_bits) - 1) << mantissa_bits;
    if (isnan(value)) {
        return sign | infinite | 1u << (mantissa_bits - 1);
    }
    if (isinf(value)) {
        return sign | infinite;
    }
    int exponent;
    frexp(value, &exponent); /* 0.5 <= fraction < 1 */
    exponent = exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
    double units = rint(ldexp(fabs(value), mantissa_bits - exponent));
    /* A mantissa that is rounded up to the next power carries into the exponent by itself. */
    double bits = units + ldexp(exponent + bias - 1, mantissa_bits);
    return bits >= (double)infinite ? sign | infinite : sign | (uint32_t)bits;
}

static double from_f16(uint16_t bits)
{
    return widen(bits, 5, 10);
}

static uint16_t to_f16(double value)
{
    return (uint16_t)narrow(value, 5, 10);
}

static double from_bf16(uint16_t bits)
{
    return widen(bits, 8, 7);
}

static uint16_t to_bf16(double value)
{
    return (uint16_t)narrow(value, 8, 7);
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* One row per type: tag, C type. */
#define INT_TYPES(X)                                                                               \
    X(I8, int8_t)                                                                                  \
    X(U8, uint8_t)                                                                                 \
    X(BOOL, uint8_t)                                                                               \
    X(I16, int16_t)                                                                                \
    X(U16, uint16_t)                                                                               \
    X(I32, int32_t)                                                                                \
    X(U32, uint32_t)                                                                               \
    X(I64, int64_t)                                                                                \
    X(U64, uint64_t)

/* One row per type: tag, C type, to double, from double. */
#define REAL_TYPES(X)                                                                              \
    X(F32, float, (double), (float))                                                               \
    X(F64, double, (double), (double))                                                             \
    X(F16, uint16_t, from_f16, to_f16)                                                             \
    X(BF16, uint16_t, from_bf16, to_bf16)

void tacho_read_reals(const tacho_array *array, int64_t at, int64_t step, size_t count,
                      double *out_reals)
{
#define READ(tag, type, load, store)                                                               \
    if (array->dtype == TACHO_DTYPE_##tag) {                                                       \
        const type *from = (const type *)array->data + at;                                         \
        for (size_t i = 0; i < count; i++) {                                                       \
            out_reals[i] = load(from[(int64_t)i * step]);                                          \
        }                                                                                          \
    }
#define READ_INT(tag, type) READ(tag, type, (double), )
    REAL_TYPES(READ)
    INT_TYPES(READ_INT)
#undef READ_INT
#undef READ
}

void tacho_read_ints(const tacho_array *array, int64_t at, int64_t step, size_t count,
                     int64_t *out_ints)
{
#define READ(tag, type)                                                                            \
    if (array->dtype == TACHO_DTYPE_##tag) {                                                       \
        const type *from = (const type *)array->data + at;                                         \
        for (size_t i = 0; i < count; i++) {                                                       \
            out_ints[i] = (int64_t)from[(int64_t)i * step];                                        \
        }                                                                                          \
    }
    INT_TYPES(READ)
#undef READ
}

void tacho_write_reals(tacho_array *array, int64_t at, size_t count, const double *reals)
{
#define WRITE(tag, type, load, store)                                                              \
    if (array->dtype == TACHO_DTYPE_##tag) {                                                       \
        type *to = (type *)array->data + at;                                                       \
        for (size_t i = 0; i < count; i++) {                                                       \
            to[i] = store(reals[i]);                                                               \
        }                                                                                          \
    }
    REAL_TYPES(WRITE)
#undef WRITE
}

void tacho_write_ints(tacho_array *array, int64_t at, size_t count, const int64_t *ints)
{
#define WRITE(tag, type)                                                                           \
    if (array->dtype == TACHO_DTYPE_##tag) {                                                       \
        type *to = (type *)array->data + at;                                                       \
        for (size_t i = 0; i < count; i++) {                                                       \
            to[i] = (type)ints[i];                                                                 \
        }                                                                                          \
    }
    INT_TYPES(WRITE)
#undef WRITE
}
