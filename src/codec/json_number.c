/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most numbers have few digits: one word holds them, and integers, scaled ones and doubles are
 * computed from it directly. Any other number is split into its digits and the position of its
 * point, and its double is left to strtod, in a form that no locale reads differently.
 */
#include "codec/json_number.h"

#include "base/attributes.h"
#include "base/real.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    EXPONENT_MAX = 1 << 30, /* larger ones change nothing: texts are shorter than that */
    /* No midpoint of neighbouring doubles is so close that later digits could matter. */
    DIGITS_MAX = 800,
    SAFE_DIGITS = 19, /* any number of 19 digits fits in 64 bits */
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

/* Takes |byte| off the start of |*rest| if present. */
static bool take_byte(tacho_str *rest, char byte)
{
    if (rest->len == 0 || rest->data[0] != byte) {
        return false;
    }
    *rest = tacho_str_from(*rest, 1);
    return true;
}

/* The exponent, after the 'e'. */
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

/* How the digits after the point compare with one half; no digits are NO_REST. */
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

/* ---- few digits --------------------------------------------------------------------------- */

/* A number of few digits: |digits| * 10^|power|. */
typedef struct short_number {
    bool is_negative;
    uint64_t digits;
    int64_t power;
} short_number;

#define EACH(byte) (0x0101010101010101U * (uint64_t)(byte))

/* Eight bytes less '0' each, the first one lowest. */
static inline uint64_t load_eight(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word ^ EACH('0');
}

static inline bool are_digits(uint64_t word)
{
    return (((word + EACH(0x76)) | word) & EACH(0x80)) == 0;
}

/* Neighbours together: digits to pairs, pairs to fours, fours to the whole. */
static inline uint64_t join_digits(uint64_t word)
{
    word = (word * (10 << 8 | 1) >> 8) & 0x00ff00ff00ff00ffU;
    word = (word * (100 << 16 | 1) >> 16) & 0x0000ffff0000ffffU;
    return word * (10000ULL << 32 | 1) >> 32;
}

/* Appends eight digits at once to |*value|; false when there are not so many at |at|. */
static inline bool append_eight(const char *at, uint64_t *value)
{
    uint64_t word = load_eight(at);
    if (!are_digits(word)) {
        return false;
    }
    *value = *value * 100000000 + join_digits(word);
    return true;
}

/* Appends the digits at |at| to |*value|, which wraps when they are many; returns their end. */
static inline const char *append_digits(const char *at, const char *end, uint64_t *value)
{
    while (end - at >= (int)sizeof(uint64_t) && append_eight(at, value)) {
        at += sizeof(uint64_t);
    }
    for (; at < end && is_digit(*at); at++) {
        *value = *value * 10 + (uint64_t)(*at - '0');
    }
    return at;
}

/* How many digits from the first that is not 0 on. */
static size_t significant_digits(const char *at, const char *end)
{
    size_t count = 0;
    for (; at < end && (*at == '.' || is_digit(*at)); at++) {
        count += *at != '.' && (count > 0 || *at != '0') ? 1 : 0;
    }
    return count;
}

/* False when it is not a number, or has too many digits. */
static inline bool parse_short(tacho_str text, short_number *out_number)
{
    const char *end = text.data + text.len;
    bool is_negative = text.len > 0 && text.data[0] == '-';
    const char *whole = text.data + is_negative;
    uint64_t digits = 0;
    const char *at = append_digits(whole, end, &digits);
    if (TACHO_UNLIKELY(at == whole || (*whole == '0' && at - whole > 1))) {
        return false;
    }
    *out_number = (short_number){.is_negative = is_negative};
    if (at < end && *at == '.') {
        const char *fraction = at + 1;
        at = append_digits(fraction, end, &digits);
        out_number->power = fraction - at;
        if (at == fraction) {
            return false;
        }
    }
    if (TACHO_UNLIKELY(at - whole > SAFE_DIGITS && significant_digits(whole, at) > SAFE_DIGITS)) {
        return false;
    }
    out_number->digits = digits;
    if (TACHO_LIKELY(at == end)) {
        return true;
    }
    tacho_str more = tacho_str_make(at, (size_t)(end - at));
    int64_t exponent = 0;
    bool has_exponent = take_byte(&more, 'e') || take_byte(&more, 'E');
    bool is_good = has_exponent && take_exponent(&more, &exponent) && more.len == 0;
    out_number->power += exponent;
    return is_good;
}

/* The value times 10^|decimals|; false when that is not an integer or does not fit. */
static inline bool scale_short(const short_number *number, unsigned decimals, int64_t *out_value)
{
    static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
    int64_t power = number->power + (int64_t)decimals;
    uint64_t magnitude = 0;
    return power >= 0 && power < (int64_t)(sizeof(powers) / sizeof(powers[0])) &&
           !__builtin_mul_overflow(number->digits, powers[power], &magnitude) &&
           apply_sign(magnitude, number->is_negative, out_value);
}

/*
 * Thousandths of a number of 4 to 16 digits, a point and three more, as times in microseconds are;
 * false for any other.
 */
static inline bool parse_thousandths(tacho_str text, int64_t *out_value)
{
    enum { WORD = sizeof(uint64_t), FRACTION = 4, WHOLE_MAX = 2 * WORD };
    if (text.len < WORD || text.len > WHOLE_MAX + FRACTION ||
        text.data[text.len - FRACTION] != '.' || text.data[0] == '0') {
        return false;
    }
    size_t whole = text.len - FRACTION;
    size_t front = whole <= WORD ? whole : whole - WORD; /* ahead of the last eight */
    uint64_t high = load_eight(text.data) << (WORD - front) * 8;
    uint64_t low = whole <= WORD ? 0 : load_eight(text.data + whole - WORD);
    const unsigned char *fraction = (const unsigned char *)text.data + whole + 1;
    unsigned tenths = fraction[0] - (unsigned)'0';
    unsigned hundredths = fraction[1] - (unsigned)'0';
    unsigned thousandths = fraction[2] - (unsigned)'0';
    if (!are_digits(high) || !are_digits(low) || tenths > 9 || hundredths > 9 || thousandths > 9) {
        return false;
    }
    uint64_t value = join_digits(high);
    value = whole <= WORD ? value : value * 100000000 + join_digits(low);
    unsigned below_point = tenths * 100 + hundredths * 10 + thousandths;
    uint64_t product = 0;
    if (__builtin_mul_overflow(value, 1000U, &product) ||
        product > (uint64_t)INT64_MAX - below_point) {
        return false;
    }
    *out_value = (int64_t)(product + below_point);
    return true;
}

/* ---- the values --------------------------------------------------------------------------- */

bool tacho_json_number_i64(tacho_str text, int64_t *out_value)
{
    short_number quick;
    if (TACHO_LIKELY(parse_short(text, &quick) && scale_short(&quick, 0, out_value))) {
        return true;
    }
    decimal number;
    uint64_t magnitude = 0;
    return parse(text, &number) && whole_part(&number, &magnitude) && rest_of(&number) == NO_REST &&
           apply_sign(magnitude, number.is_negative, out_value);
}

bool tacho_json_number_scaled(tacho_str text, unsigned decimals, int64_t *out_value)
{
    short_number quick;
    if (decimals == 3 && parse_thousandths(text, out_value)) {
        return true;
    }
    if (TACHO_LIKELY(parse_short(text, &quick) && scale_short(&quick, decimals, out_value))) {
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
    short_number quick;
    double value = 0;
    if (TACHO_LIKELY(parse_short(text, &quick) &&
                     tacho_real_from_digits(quick.digits, quick.power, &value))) {
        *out_value = quick.is_negative ? -value : value;
        return true;
    }
    decimal number;
    if (!parse(text, &number)) {
        return false;
    }
    value = nearest_double(&number);
    *out_value = number.is_negative ? -value : value;
    return isfinite(value);
}
