/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact ratios: products go through 128 bits and are reduced before they are judged.
 */
#include "machine/quantity.h"

#include "base/maths.h"
#include "codec/json_number.h"

static tacho_u128 gcd128(tacho_u128 a, tacho_u128 b)
{
    while (b != 0 && (a | b) >> 64 != 0) {
        tacho_u128 rest = a % b;
        a = b;
        b = rest;
    }
    return b == 0 ? a : tacho_gcd((uint64_t)a, (uint64_t)b);
}

static bool reduce(tacho_u128 num, tacho_u128 den, tacho_ratio *out_ratio)
{
    tacho_u128 divisor = gcd128(num, den);
    num /= divisor;
    den /= divisor;
    if (num > INT64_MAX || den > INT64_MAX) {
        return false;
    }
    *out_ratio = (tacho_ratio){(int64_t)num, (int64_t)den};
    return true;
}

bool tacho_ratio_parse(tacho_str text, tacho_ratio *out_ratio)
{
    static const int64_t billion = 1000000000;
    int64_t nano;
    int64_t whole;
    tacho_i128 limit = (tacho_i128)billion * 1000000;
    if (tacho_json_number_i64(text, &whole)) {
        if (whole < 0 || whole > limit) {
            return false;
        }
        *out_ratio = (tacho_ratio){whole, 1};
        return true;
    }
    /* Finer than the ninth decimal would be rounded: the number times 10^18 must agree. */
    int64_t atto;
    if (!tacho_json_number_scaled(text, TACHO_QUANTITY_DECIMALS_MAX, &nano) || nano <= 0) {
        return false;
    }
    if (tacho_json_number_scaled(text, 2 * TACHO_QUANTITY_DECIMALS_MAX, &atto) &&
        (tacho_i128)nano * billion != atto) {
        return false;
    }
    return reduce((tacho_u128)nano, (tacho_u128)billion, out_ratio);
}

bool tacho_ratio_multiply(tacho_ratio a, tacho_ratio b, tacho_ratio *out_product)
{
    return reduce((tacho_u128)a.num * (tacho_u128)b.num, (tacho_u128)a.den * (tacho_u128)b.den,
                  out_product);
}

bool tacho_ratio_add(tacho_ratio a, tacho_ratio b, tacho_ratio *out_sum)
{
    /* Each product is below 2^126, so the sum fits. */
    return reduce((tacho_u128)a.num * (tacho_u128)b.den + (tacho_u128)b.num * (tacho_u128)a.den,
                  (tacho_u128)a.den * (tacho_u128)b.den, out_sum);
}

bool tacho_ratio_divide(tacho_ratio a, tacho_ratio b, tacho_ratio *out_quotient)
{
    return tacho_ratio_multiply(a, (tacho_ratio){b.den, b.num}, out_quotient);
}

int tacho_ratio_compare(tacho_ratio a, tacho_ratio b)
{
    tacho_u128 left = (tacho_u128)a.num * (tacho_u128)b.den;
    tacho_u128 right = (tacho_u128)b.num * (tacho_u128)a.den;
    return left < right ? -1 : left > right;
}

static bool ceil_of(tacho_u128 num, tacho_u128 den, int64_t *out_value)
{
    if (num >> 64 == 0 && den >> 64 == 0) { /* nearly always, and much cheaper */
        uint64_t small = tacho_ceil_div((uint64_t)num, (uint64_t)den);
        *out_value = small > INT64_MAX ? 0 : (int64_t)small;
        return small <= INT64_MAX;
    }
    tacho_u128 value = num / den + (num % den != 0);
    *out_value = value > INT64_MAX ? 0 : (int64_t)value;
    return value <= INT64_MAX;
}

bool tacho_ratio_ceil_divide(uint64_t amount, tacho_ratio rate, int64_t *out_value)
{
    return ceil_of((tacho_u128)amount * (tacho_u128)rate.den, (tacho_u128)rate.num, out_value);
}

bool tacho_ratio_ceil_multiply(uint64_t amount, tacho_ratio factor, int64_t *out_value)
{
    return ceil_of((tacho_u128)amount * (tacho_u128)factor.num, (tacho_u128)factor.den, out_value);
}
