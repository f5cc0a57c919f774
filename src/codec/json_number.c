/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A number is taken apart into its digits and the place of its point; integers come from that
 * directly. Doubles do too when digits and power of ten are small enough for one exact division
 * or product (Clinger), else they are left to strtod, in a form that no locale reads differently.
 */
#include "codec/json_number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    EXPONENT_MAX = 1 << 30, /* larger ones change nothing: texts are shorter than that */
    /* No double lies so near to the middle of its neighbours that later digits could matter. */
    DIGITS_MAX = 800,
    EXACT_POWER_MAX = 22,
    SAFE_DIGITS = 18, /* any so many digits fit in 64 bits */
};

/* The value is 0.d1d2d3... * 10^point with the digits of |whole|, then those of |fraction|. */
typedef struct decimal {
    bool is_negative;
    tacho_str whole;
    tacho_str fraction;
    int64_t point;
} decimal;

static bool is_digit(char byte)
{
    return (unsigned char)(byte - '0') < 10;
}

/* Takes the digits at the start of |*rest| off it. */
static tacho_str take_digits(tacho_str *rest)
{
    size_t len = 0;
    while (len < rest->len && is_digit(rest->data[len])) {
        len++;
    }
    tacho_str digits = tacho_str_make(rest->data, len);
    *rest = tacho_str_from(*rest, len);
    return digits;
}

/* Takes |byte| off the start of |*rest| if it is there. */
static bool take_byte(tacho_str *rest, char byte)
{
    if (rest->len == 0 || rest->data[0] != byte) {
        return false;
    }
    *rest = tacho_str_from(*rest, 1);
    return true;
}

/* What follows the 'e'. */
static bool take_exponent(tacho_str *rest, int64_t *out_exponent)
{
    bool is_negative = take_byte(rest, '-');
    if (!is_negative) {
        take_byte(rest, '+');
    }
    tacho_str digits = take_digits(rest);
    int64_t exponent = 0;
    for (size_t i = 0; i < digits.len && exponent < EXPONENT_MAX; i++) {
        exponent = exponent * 10 + (digits.data[i] - '0');
    }
    *out_exponent = is_negative ? -exponent : exponent;
    return digits.len > 0;
}

static bool parse(tacho_str text, decimal *out_number)
{
    if (text.len == 0) {
        return false;
    }
    decimal number = {.is_negative = take_byte(&text, '-')};
    number.whole = take_digits(&text);
    number.fraction = tacho_str_make(text.data, 0);
    if (number.whole.len == 0 || (number.whole.len > 1 && number.whole.data[0] == '0')) {
        return false;
    }
    if (take_byte(&text, '.')) {
        number.fraction = take_digits(&text);
        if (number.fraction.len == 0) {
            return false;
        }
    }
    int64_t exponent = 0;
    if ((take_byte(&text, 'e') || take_byte(&text, 'E')) && !take_exponent(&text, &exponent)) {
        return false;
    }
    number.point = (int64_t)number.whole.len + exponent;
    *out_number = number;
    return text.len == 0;
}

static size_t digit_count(const decimal *number)
{
    return number->whole.len + number->fraction.len;
}

static unsigned digit_at(const decimal *number, size_t index)
{
    size_t whole = number->whole.len;
    char digit = index < whole ? number->whole.data[index] : number->fraction.data[index - whole];
    return (unsigned)(digit - '0');
}

static bool are_zeros_from(const decimal *number, size_t index)
{
    while (index < digit_count(number) && digit_at(number, index) == 0) {
        index++;
    }
    return index >= digit_count(number);
}

/* |*value| * 10 + |digit|, or false when that does not fit. */
static bool append_digit(uint64_t *value, unsigned digit)
{
    return !__builtin_mul_overflow(*value, 10U, value) &&
           !__builtin_add_overflow(*value, digit, value);
}

/* The digits before the point as an integer. */
static bool whole_part(const decimal *number, uint64_t *out_value)
{
    *out_value = 0;
    int64_t have = (int64_t)digit_count(number);
    for (int64_t i = 0; i < number->point && i < have; i++) {
        if (!append_digit(out_value, digit_at(number, (size_t)i))) {
            return false;
        }
    }
    for (int64_t i = have; i < number->point && *out_value != 0; i++) {
        if (!append_digit(out_value, 0)) {
            return false;
        }
    }
    return true;
}

/* How what follows the point compares with one half; nothing at all is NO_REST. */
typedef enum rest { NO_REST, BELOW_HALF, HALF, ABOVE_HALF } rest;

static rest rest_of(const decimal *number)
{
    if (number->point < 0) {
        return are_zeros_from(number, 0) ? NO_REST : BELOW_HALF;
    }
    size_t first = (size_t)number->point;
    if (first >= digit_count(number)) {
        return NO_REST;
    }
    unsigned digit = digit_at(number, first);
    bool is_alone = are_zeros_from(number, first + 1);
    if (digit == 5 && is_alone) {
        return HALF;
    }
    return digit >= 5 ? ABOVE_HALF : (digit == 0 && is_alone ? NO_REST : BELOW_HALF);
}

static bool apply_sign(uint64_t magnitude, bool is_negative, int64_t *out_value)
{
    if (magnitude > (uint64_t)INT64_MAX + (is_negative ? 1 : 0)) {
        return false;
    }
    *out_value = (int64_t)(is_negative ? 0 - magnitude : magnitude);
    return true;
}

/* Most numbers: few digits, no exponent, nothing to round. False when it is another kind. */
static bool scale_simple(tacho_str text, unsigned decimals, int64_t *out_value)
{
    bool is_negative = take_byte(&text, '-');
    if (text.len == 0 || text.len > SAFE_DIGITS || text.data[0] == '0') {
        return false;
    }
    int64_t value = 0;
    size_t point = text.len;
    for (size_t i = 0; i < text.len; i++) {
        if (is_digit(text.data[i])) {
            value = value * 10 + (text.data[i] - '0');
        } else if (text.data[i] == '.' && point == text.len && i > 0) {
            point = i;
        } else {
            return false;
        }
    }
    size_t fraction_len = point == text.len ? 0 : text.len - point - 1;
    if (fraction_len > decimals || point + decimals > SAFE_DIGITS || point + 1 == text.len) {
        return false;
    }
    for (; fraction_len < decimals; fraction_len++) {
        value *= 10;
    }
    *out_value = is_negative ? -value : value;
    return true;
}

bool tacho_json_number_i64(tacho_str text, int64_t *out_value)
{
    if (scale_simple(text, 0, out_value)) {
        return true;
    }
    decimal number;
    uint64_t magnitude = 0;
    return parse(text, &number) && whole_part(&number, &magnitude) && rest_of(&number) == NO_REST &&
           apply_sign(magnitude, number.is_negative, out_value);
}

bool tacho_json_number_scaled(tacho_str text, unsigned decimals, int64_t *out_value)
{
    if (scale_simple(text, decimals, out_value)) {
        return true;
    }
    decimal number;
    uint64_t magnitude = 0;
    if (!parse(text, &number)) {
        return false;
    }
    number.point += decimals;
    rest after_point = rest_of(&number);
    bool is_up = after_point == ABOVE_HALF || (after_point == HALF && !number.is_negative);
    return whole_part(&number, &magnitude) &&
           !__builtin_add_overflow(magnitude, is_up, &magnitude) &&
           apply_sign(magnitude, number.is_negative, out_value);
}

/* By one exact operation on exact operands, or false when there is none. */
static bool exact_double(const decimal *number, double *out_value)
{
    static const double powers[EXACT_POWER_MAX + 1] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    };
    int64_t power = number->point - (int64_t)digit_count(number);
    if (FLT_EVAL_METHOD != 0 || power < -EXACT_POWER_MAX || power > EXACT_POWER_MAX) {
        return false;
    }
    uint64_t digits = 0;
    for (size_t i = 0; i < digit_count(number); i++) {
        if (!append_digit(&digits, digit_at(number, i))) {
            return false;
        }
    }
    if (digits > (uint64_t)1 << DBL_MANT_DIG) {
        return false;
    }
    *out_value = power < 0 ? (double)digits / powers[-power] : (double)digits * powers[power];
    return true;
}

/* By strtod of an integer and a power of ten. Digits past the last that count become a 1. */
static double nearest_double(const decimal *number)
{
    char text[DIGITS_MAX + 32];
    size_t len = 0;
    size_t first = 0;
    size_t count = digit_count(number);
    while (first < count && digit_at(number, first) == 0) {
        first++;
    }
    size_t end = count - first < DIGITS_MAX ? count : first + DIGITS_MAX;
    for (size_t i = first; i < end; i++) {
        text[len++] = (char)('0' + digit_at(number, i));
    }
    bool is_longer = !are_zeros_from(number, end);
    text[len++] = is_longer ? '1' : '0';
    long long power = (long long)number->point - (long long)end - 1;
    snprintf(text + len, sizeof(text) - len, "e%lld", power);
    return strtod(text, NULL);
}

bool tacho_json_number_double(tacho_str text, double *out_value)
{
    decimal number;
    double value = 0;
    if (!parse(text, &number)) {
        return false;
    }
    if (!exact_double(&number, &value)) {
        value = nearest_double(&number);
    }
    *out_value = number.is_negative ? -value : value;
    return isfinite(value);
}
