/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops over elements of one type each.
 */
#include "kernels/element.h"

#include "kernels/small_real.h"

#include <math.h>
#include <string.h>

tacho_dtype_kind tacho_element_kind(tacho_dtype dtype)
{
    tacho_dtype_kind kind = tacho_dtype_kind_of(dtype);
    size_t size = tacho_dtype_element_bytes(dtype);
    bool is_plain = size == 1 || size == 2 || size == 4 || size == 8;
    return is_plain && !tacho_is_small_real(dtype) ? kind : TACHO_DTYPE_OTHER;
}

tacho_dtype_kind tacho_stored_kind(tacho_dtype dtype)
{
    bool is_stored = tacho_dtype_is_packed(dtype) || tacho_is_small_real(dtype);
    return is_stored ? tacho_dtype_kind_of(dtype) : tacho_element_kind(dtype);
}

int64_t tacho_array_elements(const tacho_array *array)
{
    uint64_t count;
    return tacho_shape_elements(&array->shape, &count) ? (int64_t)count : 0;
}

tacho_status tacho_wrong_shapes(const char *what)
{
    return tacho_fail(TACHO_CODE_BAD_DATA, "shapes of %s are incompatible", what);
}

tacho_status tacho_unsupported_type(const char *what, tacho_dtype dtype)
{
    return tacho_fail(TACHO_CODE_UNSUPPORTED, "%s of %s is not supported", what,
                      tacho_dtype_name(dtype));
}

/* ---- short real types ---------------------------------------------------------------------- */

/* How a short type divides its bits; the mantissa without its hidden one. */
enum { F16_EXPONENT = 5, F16_MANTISSA = 10, BF16_EXPONENT = 8, BF16_MANTISSA = 7 };
enum { F64_BIAS = 1023, F64_MANTISSA = 52 };

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* A short number as double, which holds every one; a NaN keeps its sign and bits. */
static double widen(uint32_t bits, int exponent_bits, int mantissa_bits)
{
    int bias = (1 << (exponent_bits - 1)) - 1, top = (1 << exponent_bits) - 1;
    uint64_t mantissa = bits & ((1u << mantissa_bits) - 1);
    int exponent = (int)(bits >> mantissa_bits) & top;
    uint64_t sign = (uint64_t)(bits >> (exponent_bits + mantissa_bits)) << 63;
    uint64_t fraction = mantissa << (F64_MANTISSA - mantissa_bits);
    if (exponent == top) {
        uint64_t quiet = mantissa != 0 ? UINT64_C(1) << (F64_MANTISSA - 1) : 0;
        return double_of(sign | UINT64_C(0x7ff) << F64_MANTISSA | quiet | fraction);
    }
    if (exponent == 0) {
        double value = ldexp((double)mantissa, 1 - bias - mantissa_bits);
        return sign != 0 ? -value : value;
    }
    return double_of(sign | (uint64_t)(exponent - bias + F64_BIAS) << F64_MANTISSA | fraction);
}

/*
 * The reverse: the nearest number, ties to even; infinity past the greatest, zero of the same sign
 * below half of the smallest. Uses integers throughout: results do not depend on how frexp and
 * ldexp treat zeros and subnormals.
 */
static uint32_t narrow(double value, int exponent_bits, int mantissa_bits)
{
    int bias = (1 << (exponent_bits - 1)) - 1;
    uint32_t infinite = ((1u << exponent_bits) - 1) << mantissa_bits;
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    uint32_t sign = (uint32_t)(bits >> 63) << (exponent_bits + mantissa_bits);
    uint64_t mantissa = bits & ((UINT64_C(1) << F64_MANTISSA) - 1);
    int exponent = (int)(bits >> F64_MANTISSA & 0x7ff) - F64_BIAS;
    int dropped = F64_MANTISSA - mantissa_bits;
    if (isnan(value)) {
        uint32_t kept = (uint32_t)(mantissa >> dropped) | 1u << (mantissa_bits - 1);
        return sign | infinite | kept;
    }
    if (exponent > bias) {
        return sign | infinite;
    }
    bool is_subnormal = exponent < 1 - bias;
    dropped += is_subnormal ? 1 - bias - exponent : 0;
    if (dropped > F64_MANTISSA + 1) {
        return sign;
    }
    mantissa |= UINT64_C(1) << F64_MANTISSA;
    uint64_t units = mantissa >> dropped, half = UINT64_C(1) << (dropped - 1);
    uint64_t rest = mantissa & (2 * half - 1);
    units += rest > half || (rest == half && units % 2 == 1) ? 1 : 0;
    /* A mantissa that is rounded up to the next power carries into the exponent by itself. */
    uint32_t base = is_subnormal ? 0 : (uint32_t)(exponent + bias - 1) << mantissa_bits;
    uint32_t sum = base + (uint32_t)units;
    return sign | (sum >= infinite ? infinite : sum);
}

static double from_f16(uint16_t bits)
{
    return widen(bits, F16_EXPONENT, F16_MANTISSA);
}

static uint16_t to_f16(double value)
{
    return (uint16_t)narrow(value, F16_EXPONENT, F16_MANTISSA);
}

static double from_bf16(uint16_t bits)
{
    return widen(bits, BF16_EXPONENT, BF16_MANTISSA);
}

static uint16_t to_bf16(double value)
{
    return (uint16_t)narrow(value, BF16_EXPONENT, BF16_MANTISSA);
}

/* ---- types of less than a byte, and small reals -------------------------------------------- */

/* The bits of element |i| of a type of 8 bits or less. */
static unsigned bits_at(const tacho_array *array, int64_t i)
{
    unsigned width = tacho_dtype_element_bits(array->dtype);
    int64_t in_byte = 8 / width;
    unsigned byte = ((const uint8_t *)array->data)[i / in_byte];
    return byte >> ((unsigned)(i % in_byte) * width) & ((1u << width) - 1);
}

static void set_bits(tacho_array *array, int64_t i, unsigned bits)
{
    unsigned width = tacho_dtype_element_bits(array->dtype);
    int64_t in_byte = 8 / width;
    uint8_t *byte = (uint8_t *)array->data + i / in_byte;
    unsigned shift = (unsigned)(i % in_byte) * width, mask = (1u << width) - 1;
    *byte = (uint8_t)((*byte & ~(mask << shift)) | (bits & mask) << shift);
}

static bool is_packed_int(tacho_dtype dtype)
{
    return tacho_dtype_is_packed(dtype) && tacho_dtype_kind_of(dtype) != TACHO_DTYPE_REAL;
}

static int64_t packed_at(const tacho_array *array, int64_t i)
{
    int64_t bits = bits_at(array, i), sign = 1 << (tacho_dtype_element_bits(array->dtype) - 1);
    return tacho_dtype_kind_of(array->dtype) == TACHO_DTYPE_SIGNED ? (bits ^ sign) - sign : bits;
}

/* ---- integers of 48 bits: six bytes, the lowest first ---------------------------------------- */

enum { I48_BYTES = 6, I48_BITS = 48 };

static int64_t wide_at(const tacho_array *array, int64_t i)
{
    uint64_t bits = 0;
    memcpy(&bits, (const uint8_t *)array->data + i * I48_BYTES, I48_BYTES);
    uint64_t sign = UINT64_C(1) << (I48_BITS - 1);
    return (int64_t)((bits ^ sign) - sign);
}

static void set_wide(tacho_array *array, int64_t i, int64_t value)
{
    uint64_t bits = (uint64_t)value;
    memcpy((uint8_t *)array->data + i * I48_BYTES, &bits, I48_BYTES);
}

void tacho_write_small_reals(tacho_array *array, int64_t at, size_t count, const double *reals,
                             tacho_small_rule rule)
{
    for (size_t i = 0; i < count; i++) {
        set_bits(array, at + (int64_t)i, tacho_small_from_double(array->dtype, reals[i], rule));
    }
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
    for (size_t i = 0; is_packed_int(array->dtype) && i < count; i++) {
        out_reals[i] = (double)packed_at(array, at + (int64_t)i * step);
    }
    for (size_t i = 0; array->dtype == TACHO_DTYPE_I48 && i < count; i++) {
        out_reals[i] = (double)wide_at(array, at + (int64_t)i * step);
    }
    bool is_small = tacho_is_small_real(array->dtype);
    for (size_t i = 0; is_small && i < count; i++) {
        unsigned bits = bits_at(array, at + (int64_t)i * step);
        out_reals[i] = tacho_small_to_double(array->dtype, bits);
    }
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
    for (size_t i = 0; is_packed_int(array->dtype) && i < count; i++) {
        out_ints[i] = packed_at(array, at + (int64_t)i * step);
    }
    for (size_t i = 0; array->dtype == TACHO_DTYPE_I48 && i < count; i++) {
        out_ints[i] = wide_at(array, at + (int64_t)i * step);
    }
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
    if (tacho_is_small_real(array->dtype)) {
        tacho_write_small_reals(array, at, count, reals, (tacho_small_rule){0});
    }
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
    for (size_t i = 0; is_packed_int(array->dtype) && i < count; i++) {
        set_bits(array, at + (int64_t)i, (unsigned)ints[i]);
    }
    for (size_t i = 0; array->dtype == TACHO_DTYPE_I48 && i < count; i++) {
        set_wide(array, at + (int64_t)i, ints[i]);
    }
}
