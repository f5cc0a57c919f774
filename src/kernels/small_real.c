/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small real types by their bits.
 */
#include "kernels/small_real.h"

#include "base/whole.h"

#include <math.h>

/* The format of a type's bits; numbers are below the sign. */
typedef struct small_format {
    tacho_dtype dtype;
    int exponent_bits, mantissa_bits, bias;
    unsigned greatest; /* finite number */
    unsigned nan;      /* 0: without one */
    unsigned infinity; /* 0: without one */
    bool has_one_zero; /* the other one's bits are |nan| */
} small_format;

static const small_format formats[] = {
    {TACHO_DTYPE_F8E4M3, 4, 3, 7, 0x7e, 0x7f, 0, false},
    {TACHO_DTYPE_F8E5M2, 5, 2, 15, 0x7b, 0x7f, 0x7c, false},
    {TACHO_DTYPE_F8E4M3FNUZ, 4, 3, 8, 0x7f, 0x80, 0, true},
    {TACHO_DTYPE_F8E5M2FNUZ, 5, 2, 16, 0x7f, 0x80, 0, true},
    {TACHO_DTYPE_F4E2M1, 2, 1, 1, 0x7, 0, 0, false},
};

enum { POWER_BIAS = 127, POWER_GREATEST = 254, POWER_NAN = 255 };

static const small_format *find_format(tacho_dtype dtype)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (formats[i].dtype == dtype) {
            return &formats[i];
        }
    }
    return NULL;
}

bool tacho_is_small_real(tacho_dtype dtype)
{
    return dtype == TACHO_DTYPE_F8E8M0 || find_format(dtype) != NULL;
}

/* ---- to double ----------------------------------------------------------------------------- */

double tacho_small_to_double(tacho_dtype dtype, unsigned bits)
{
    const small_format *format = find_format(dtype);
    if (format == NULL) {
        return bits == POWER_NAN ? (double)NAN : ldexp(1, (int)bits - POWER_BIAS);
    }
    unsigned sign = 1u << (format->exponent_bits + format->mantissa_bits);
    unsigned number = bits & (sign - 1);
    bool is_negative = (bits & sign) != 0;
    if (format->has_one_zero
            ? bits == format->nan
            : format->nan != 0 && number > format->greatest && number != format->infinity) {
        return is_negative && !format->has_one_zero ? -(double)NAN : (double)NAN;
    }
    int exponent = (int)(number >> format->mantissa_bits);
    int mantissa = (int)(number & ((1u << format->mantissa_bits) - 1));
    int whole = exponent > 0 ? mantissa + (1 << format->mantissa_bits) : mantissa;
    exponent = exponent > 0 ? exponent : 1;
    double value = format->infinity != 0 && number == format->infinity
                       ? (double)INFINITY
                       : ldexp(whole, exponent - format->bias - format->mantissa_bits);
    return is_negative ? -value : value;
}

/* ---- from double --------------------------------------------------------------------------- */

/* A power of 2: zero and numbers below the least become the least, or not-a-number. */
static unsigned nearest_power(double value, tacho_small_rule rule)
{
    int exponent;
    double fraction = frexp(fabs(value), &exponent); /* 0.5 to 1 */
    unsigned least = rule.is_unbounded ? POWER_NAN : 0;
    unsigned greatest = rule.is_unbounded ? POWER_NAN : POWER_GREATEST;
    if (isnan(value)) {
        return POWER_NAN;
    }
    if (value == 0) {
        return least;
    }
    if (isinf(value)) {
        return greatest;
    }
    bool is_up = rule.powers == TACHO_POWER_UP        ? fraction > 0.5
                 : rule.powers == TACHO_POWER_NEAREST ? fraction >= 0.75
                                                      : false;
    exponent += is_up ? 0 : -1;
    return exponent < -POWER_BIAS  ? least
           : exponent > POWER_BIAS ? greatest
                                   : (unsigned)(exponent + POWER_BIAS);
}

/* The nearest number without its sign; more than |greatest| past it. */
static unsigned nearest_number(const small_format *format, double size)
{
    int exponent = size > 0 ? ilogb(size) : 1 - format->bias;
    if (isinf(size) || exponent > format->bias + 1) {
        return format->greatest + 1;
    }
    exponent = exponent < 1 - format->bias ? 1 - format->bias : exponent;
    unsigned units = (unsigned)tacho_whole_u64(rint(ldexp(size, format->mantissa_bits - exponent)));
    /* A mantissa that is rounded up to the next power carries into the exponent by itself. */
    return ((unsigned)(exponent + format->bias - 1) << format->mantissa_bits) + units;
}

unsigned tacho_small_from_double(tacho_dtype dtype, double value, tacho_small_rule rule)
{
    const small_format *format = find_format(dtype);
    if (format == NULL) {
        return nearest_power(value, rule);
    }
    unsigned sign = signbit(value) ? 1u << (format->exponent_bits + format->mantissa_bits) : 0;
    unsigned nan = format->has_one_zero ? format->nan : sign | format->nan;
    if (isnan(value)) {
        return format->nan != 0 ? nan : 1u << (format->exponent_bits + format->mantissa_bits);
    }
    unsigned number = nearest_number(format, fabs(value));
    if (number > format->greatest && rule.is_unbounded && format->nan != 0) {
        return format->infinity != 0 ? sign | format->infinity : nan;
    }
    number = number > format->greatest ? format->greatest : number;
    return number == 0 && format->has_one_zero ? 0 : sign | number;
}
