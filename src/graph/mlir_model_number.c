/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Single elements of dense attributes. MLIR writes integers in decimal or hexadecimal, truth values
 * as words, reals in decimal, or as their bits in hexadecimal where decimal cannot represent them.
 */
#include "graph/mlir_model.h"

#include "base/whole.h"
#include "codec/json_number.h"

#include <math.h>

static const tacho_mlir_float_format *float_format(tacho_dtype dtype)
{
    static const struct {
        tacho_dtype dtype;
        tacho_mlir_float_format format;
    } formats[] = {
        {TACHO_DTYPE_F16, {5, 10, true}},   {TACHO_DTYPE_BF16, {8, 7, true}},
        {TACHO_DTYPE_F32, {8, 23, true}},   {TACHO_DTYPE_F64, {11, 52, true}},
        {TACHO_DTYPE_F8E5M2, {5, 2, true}}, {TACHO_DTYPE_F8E4M3, {4, 3, false}},
    };
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
        if (formats[i].dtype == dtype) {
            return &formats[i].format;
        }
    }
    return NULL;
}

size_t tacho_mlir_element_bytes(tacho_dtype dtype)
{
    bool is_packed = dtype == TACHO_DTYPE_I4 || dtype == TACHO_DTYPE_U4;
    return is_packed ? 1 : tacho_dtype_element_bytes(dtype);
}

static unsigned element_bits(tacho_dtype dtype)
{
    if (dtype == TACHO_DTYPE_BOOL) {
        return 1;
    }
    bool is_packed = dtype == TACHO_DTYPE_I4 || dtype == TACHO_DTYPE_U4;
    return is_packed ? 4 : (unsigned)(8 * tacho_dtype_element_bytes(dtype));
}

static void put_bits(uint64_t bits, size_t size, unsigned char *out_bytes)
{
    for (size_t i = 0; i < size; i++) {
        out_bytes[i] = (unsigned char)(i < 8 ? bits >> (8 * i) : 0);
    }
}

/* ---- reals ---- */

/* |value| without its sign, rounded to units of 2^|unit|. */
static uint64_t round_to(double value, int unit)
{
    return tacho_whole_u64(nearbyint(ldexp(value, -unit)));
}

uint64_t tacho_mlir_float_bits(double value, tacho_mlir_float_format format)
{
    int mantissa_bits = format.mantissa_bits;
    int bias = (1 << (format.exponent_bits - 1)) - 1;
    uint64_t top = (1ULL << format.exponent_bits) - 1;
    uint64_t sign = (signbit(value) != 0 ? 1ULL : 0ULL) << (format.exponent_bits + mantissa_bits);
    uint64_t infinity = top << mantissa_bits;
    uint64_t no_number = format.has_infinity ? infinity | 1ULL << (mantissa_bits - 1)
                                             : infinity | ((1ULL << mantissa_bits) - 1);
    if (isnan(value)) {
        return sign | no_number;
    }
    double magnitude = fabs(value);
    if (isinf(magnitude)) {
        return sign | (format.has_infinity ? infinity : no_number);
    }
    int exponent = 0;
    (void)frexp(magnitude, &exponent);
    int lowest = 1 - bias;
    int scale = magnitude == 0 || exponent - 1 < lowest ? lowest : exponent - 1;
    uint64_t digits = round_to(magnitude, scale - mantissa_bits);
    /* A carry into the next exponent follows from adding to the bits. */
    uint64_t hidden = 1ULL << mantissa_bits;
    uint64_t bits =
        digits < hidden ? digits : ((uint64_t)(scale + bias) << mantissa_bits) + digits - hidden;
    uint64_t greatest = format.has_infinity ? infinity - 1 : no_number - 1;
    return sign | (bits > greatest ? (format.has_infinity ? infinity : no_number) : bits);
}

/* As in JSON, except that a point needs no digits after it. */
static bool parse_decimal(tacho_str text, double *out_value)
{
    char copy[64];
    size_t point = tacho_str_find_byte(text, '.');
    bool is_bare = point < text.len && point > 0 && text.len <= sizeof(copy) &&
                   (point + 1 == text.len || (text.data[point + 1] | 0x20) == 'e');
    if (is_bare) {
        memcpy(copy, text.data, point);
        memcpy(copy + point, text.data + point + 1, text.len - point - 1);
        text = tacho_str_make(copy, text.len - 1);
    }
    return tacho_json_number_double(text, out_value);
}

static bool parse_hex(tacho_str text, uint64_t *out_value)
{
    *out_value = 0;
    if (text.len <= 2 || text.len > 18 || text.data[0] != '0' || (text.data[1] | 0x20) != 'x') {
        return false;
    }
    for (size_t i = 2; i < text.len; i++) {
        char lower = (char)(text.data[i] | 0x20);
        bool is_digit = text.data[i] >= '0' && text.data[i] <= '9';
        if (!is_digit && (lower < 'a' || lower > 'f')) {
            return false;
        }
        *out_value = *out_value << 4 | (uint64_t)(is_digit ? text.data[i] - '0' : lower - 'a' + 10);
    }
    return true;
}

double tacho_mlir_float_value(uint64_t bits, tacho_mlir_float_format format)
{
    int bias = (1 << (format.exponent_bits - 1)) - 1;
    uint64_t top = (1ULL << format.exponent_bits) - 1;
    uint64_t hidden = 1ULL << format.mantissa_bits;
    uint64_t mantissa = bits & (hidden - 1);
    uint64_t exponent = bits >> format.mantissa_bits & top;
    bool is_negative = (bits >> (format.mantissa_bits + format.exponent_bits) & 1) != 0;
    double value = exponent == 0 ? ldexp((double)mantissa, 1 - bias - format.mantissa_bits)
                                 : ldexp((double)(mantissa | hidden),
                                         (int)exponent - bias - format.mantissa_bits);
    if (exponent == top && format.has_infinity) {
        value = mantissa == 0 ? (double)INFINITY : (double)NAN;
    } else if (exponent == top && mantissa == hidden - 1) {
        value = (double)NAN;
    }
    return is_negative ? -value : value;
}

bool tacho_mlir_real_parse(tacho_str text, tacho_dtype dtype, double *out_value)
{
    const tacho_mlir_float_format *format = float_format(dtype);
    uint64_t bits = 0;
    if (format != NULL && parse_hex(text, &bits)) {
        *out_value = tacho_mlir_float_value(bits, *format);
        return true;
    }
    return parse_decimal(text, out_value);
}

static bool parse_real(tacho_str text, tacho_dtype dtype, unsigned char *out_bytes)
{
    const tacho_mlir_float_format *format = float_format(dtype);
    size_t size = tacho_dtype_element_bytes(dtype);
    uint64_t bits = 0;
    double value = 0;
    if (parse_hex(text, &bits)) {
        if (size < 8 && bits >> (8 * size) != 0) {
            return false;
        }
    } else if (parse_decimal(text, &value)) {
        bits = tacho_mlir_float_bits(value, *format);
    } else {
        return false;
    }
    put_bits(bits, size, out_bytes);
    return true;
}

/* ---- integers ---- */

static bool put_int(uint64_t magnitude, bool is_negative, tacho_dtype dtype,
                    unsigned char *out_bytes)
{
    unsigned width = element_bits(dtype);
    bool is_unsigned = tacho_dtype_kind_of(dtype) == TACHO_DTYPE_UNSIGNED;
    uint64_t limit = width >= 64 ? UINT64_MAX : (1ULL << width) - 1;
    if (is_negative) {
        limit = is_unsigned && width > 1 ? 0 : 1ULL << (width - 1);
    }
    if (width == 0 || magnitude > limit) {
        return false;
    }
    uint64_t bits = is_negative ? 0 - magnitude : magnitude;
    if (dtype == TACHO_DTYPE_I4 || dtype == TACHO_DTYPE_U4 || dtype == TACHO_DTYPE_BOOL) {
        bits &= (1ULL << width) - 1;
    }
    put_bits(bits, tacho_mlir_element_bytes(dtype), out_bytes);
    return true;
}

static bool parse_int(tacho_str text, tacho_dtype dtype, unsigned char *out_bytes)
{
    bool is_negative = text.len > 0 && text.data[0] == '-';
    tacho_str digits = tacho_str_from(text, is_negative ? 1 : 0);
    uint64_t magnitude = 0;
    return (tacho_str_parse_u64(digits, &magnitude) || parse_hex(digits, &magnitude)) &&
           put_int(magnitude, is_negative, dtype, out_bytes);
}

bool tacho_mlir_element_from_int(int64_t value, tacho_dtype dtype, unsigned char out_bytes[16])
{
    bool is_unsigned_64 = dtype == TACHO_DTYPE_U64 && value < 0;
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    tacho_dtype_kind kind = tacho_dtype_kind_of(dtype);
    if (is_unsigned_64 || (kind != TACHO_DTYPE_SIGNED && kind != TACHO_DTYPE_UNSIGNED)) {
        return false;
    }
    return put_int(magnitude, value < 0, dtype, out_bytes);
}

/* ---- any ---- */

/* (1.0,-2.0) */
static bool parse_complex(tacho_str text, tacho_dtype dtype, unsigned char *out_bytes)
{
    tacho_dtype part = dtype == TACHO_DTYPE_C64 ? TACHO_DTYPE_F32 : TACHO_DTYPE_F64;
    size_t comma = tacho_str_find_byte(text, ',');
    if (text.len < 2 || text.data[0] != '(' || text.data[text.len - 1] != ')' ||
        comma == text.len) {
        return false;
    }
    tacho_str real = tacho_str_trim(tacho_str_make(text.data + 1, comma - 1));
    tacho_str imaginary =
        tacho_str_trim(tacho_str_make(text.data + comma + 1, text.len - comma - 2));
    return parse_real(real, part, out_bytes) &&
           parse_real(imaginary, part, out_bytes + tacho_dtype_element_bytes(part));
}

bool tacho_mlir_element_parse(tacho_str text, tacho_dtype dtype, unsigned char out_bytes[16])
{
    memset(out_bytes, 0, 16);
    bool is_true = tacho_str_equal(text, TACHO_STR("true"));
    if (dtype == TACHO_DTYPE_BOOL && (is_true || tacho_str_equal(text, TACHO_STR("false")))) {
        out_bytes[0] = is_true;
        return true;
    }
    if (dtype == TACHO_DTYPE_C64 || dtype == TACHO_DTYPE_C128) {
        return parse_complex(text, dtype, out_bytes);
    }
    return float_format(dtype) != NULL ? parse_real(text, dtype, out_bytes)
                                       : parse_int(text, dtype, out_bytes);
}
