/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading multiplies the digits by 128 bits of the power of ten and rounds (Eisel and Lemire, who
 * show when those bits are enough). Writing takes the interval of all reals that round to the
 * value, and from it the decimal with the fewest digits (Schubfach, after Giulietti). Both know
 * when they do not apply, and leave that to strtod and printf.
 */
#include "base/real.h"

#include "base/attributes.h"
#include "base/decimal.h"
#include "base/maths.h"
#include "base/power10.h"
#include "base/whole.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    FRACTION_BITS = DBL_MANT_DIG - 1,
    EXPONENT_BIAS = 1023,
    EXPONENT_MAX = 0x7ff,
    DIGITS_LEAST = 15, /* any so many survive a double */
    DIGITS_MOST = 17,  /* enough to distinguish any two doubles */
    DIGITS_COPIED = 24,
    DIGITS_ASIDE = 48, /* offset of the digits at first, in the room of a real */
};

#define FRACTION_MASK (((uint64_t)1 << FRACTION_BITS) - 1)

static inline tacho_u128 multiply(uint64_t a, uint64_t b)
{
    return (tacho_u128)a * b;
}

static inline uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* ---- reading ------------------------------------------------------------------------------ */

/* The upper 128 of the 192 bits of |digits| * |power|; the last is not sure. */
static inline tacho_u128 scale(uint64_t digits, const tacho_power10 *power)
{
    tacho_u128 product = multiply(digits, power->high);
    const uint64_t unsure = 0x1ff; /* all of these set: the lower half may carry into the result */
    if (TACHO_UNLIKELY(((uint64_t)(product >> 64) & unsure) == unsure)) {
        product += multiply(digits, power->low) >> 64;
    }
    return product;
}

bool tacho_real_from_digits(uint64_t digits, int64_t power, double *out_value)
{
    if (digits == 0 || power < TACHO_POWER10_MIN || power > TACHO_POWER10_MAX) {
        *out_value = 0;
        return digits == 0;
    }
    enum { SPARE_BITS = 64 - FRACTION_BITS - 3, TIES_FROM = -4, TIES_TO = 23, SURE_FROM = -27 };
    int shift = __builtin_clzll(digits);
    tacho_u128 product = scale(digits << shift, tacho_power10_get((int)power));
    uint64_t high = (uint64_t)(product >> 64);
    uint64_t low = (uint64_t)product;
    if (low == UINT64_MAX && power < SURE_FROM) {
        return false;
    }
    int upper = (int)(high >> 63);
    uint64_t fraction = high >> (upper + SPARE_BITS); /* and one bit to round by */
    int exponent = tacho_power10_log2((int)power) + 63 + upper - shift + EXPONENT_BIAS;
    bool is_tie = low <= 1 && power >= TIES_FROM && power <= TIES_TO && (fraction & 3) == 1 &&
                  fraction << (upper + SPARE_BITS) == high;
    fraction -= is_tie ? 1 : 0;
    fraction = (fraction + (fraction & 1)) >> 1;
    exponent += fraction >> DBL_MANT_DIG != 0 ? 1 : 0; /* 2.0 is 1.0 of the next; no bit is left */
    uint64_t bits = (uint64_t)exponent << FRACTION_BITS | (fraction & FRACTION_MASK);
    memcpy(out_value, &bits, sizeof(bits));
    return true;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* digits * 10^power */
typedef struct decimal {
    uint64_t digits;
    int power;
} decimal;

/* The upper 64 of 192 bits; the last one is set if any lower bit is. */
static inline uint64_t round_to_odd(const tacho_power10 *power, uint64_t factor)
{
    tacho_u128 sum = multiply(power->high, factor) + (uint64_t)(multiply(power->low, factor) >> 64);
    return (uint64_t)(sum >> 64) | ((uint64_t)sum > 1);
}

/*
 * The shortest decimal that reads back as the double of these bits, and the nearest among several.
 * False where the neighbours are not equally far, and outside the table.
 */
static bool find_shortest(uint64_t bits, decimal *out_decimal)
{
    uint64_t fraction = bits & FRACTION_MASK;
    int exponent = (int)(bits >> FRACTION_BITS & EXPONENT_MAX);
    if (fraction == 0 || exponent == 0) {
        return false;
    }
    uint64_t mantissa = fraction | (uint64_t)1 << FRACTION_BITS;
    exponent -= EXPONENT_BIAS + FRACTION_BITS;
    int power = exponent * 1262611 >> 22; /* floor(log10(2^exponent)) */
    if (-power < TACHO_POWER10_MIN || -power > TACHO_POWER10_MAX) {
        return false;
    }
    const tacho_power10 *scale = tacho_power10_get(-power);
    int shift = exponent + tacho_power10_log2(-power) + 1;
    uint64_t is_odd = mantissa & 1; /* then the ends of the interval round away from it */
    uint64_t lower = round_to_odd(scale, (4 * mantissa - 2) << shift) + is_odd;
    uint64_t middle = round_to_odd(scale, 4 * mantissa << shift);
    uint64_t upper = round_to_odd(scale, (4 * mantissa + 2) << shift) - is_odd;
    uint64_t digits = middle / 4;
    uint64_t shorter = digits / 10;
    bool has_below = lower <= 40 * shorter;
    bool has_above = 40 * shorter + 40 <= upper;
    if (has_below != has_above) {
        *out_decimal = (decimal){shorter + has_above, power + 1};
        return true;
    }
    has_below = lower <= 4 * digits;
    has_above = 4 * digits + 4 <= upper;
    bool is_nearer_above = middle > 4 * digits + 2 || (middle == 4 * digits + 2 && digits % 2 != 0);
    bool is_up = has_below != has_above ? has_above : is_nearer_above;
    *out_decimal = (decimal){digits + is_up, power};
    return true;
}

/* The exponent of a number as printf writes it. */
static char *put_exponent(char *at, int exponent)
{
    *at++ = 'e';
    *at++ = exponent < 0 ? '-' : '+';
    unsigned magnitude = (unsigned)(exponent < 0 ? -exponent : exponent);
    if (magnitude < 10) {
        *at++ = '0';
    }
    return tacho_decimal_put(at, magnitude);
}

/* Puts up to 17 digits, and meaningless bytes after them: a constant length is quicker. */
static inline void put_digits(char *at, const char *digits)
{
    memcpy(at, digits, DIGITS_COPIED);
}

static_assert(DIGITS_ASIDE + DIGITS_MOST + DIGITS_COPIED < TACHO_REAL_MAX, "there is room aside");

/*
 * Writes |number| as printf's %g does with as many digits as it takes. The digits are first written
 * further on in |at|: copies from a separate buffer would each be checked, with a call.
 */
static char *put_decimal(char *at, decimal number)
{
    char *text = at + DIGITS_ASIDE;
    while (number.digits % 10 == 0) {
        number.digits /= 10;
        number.power++;
    }
    int len = (int)(tacho_decimal_put(text, number.digits) - text);
    int first = len + number.power - 1; /* the power of ten of the first digit */
    if (first < -4 || first >= (len < DIGITS_LEAST ? DIGITS_LEAST : len)) {
        *at++ = text[0];
        if (len > 1) {
            *at++ = '.';
            put_digits(at, text + 1);
            at += len - 1;
        }
        return put_exponent(at, first);
    }
    if (first < 0) {
        memcpy(at, "0.0000", 6);
        put_digits(at + 1 - first, text);
        return at + 1 - first + len;
    }
    /* It has a fraction: whole numbers without an exponent are written elsewhere. */
    put_digits(at, text);
    at[first + 1] = '.';
    put_digits(at + first + 2, text + first + 1);
    return at + len + 1;
}

/* By trying. */
static char *put_slowly(char *at, double value)
{
    int len = 0;
    for (int digits = DIGITS_LEAST; digits <= DIGITS_MOST; digits++) {
        len = snprintf(at, TACHO_REAL_MAX, "%.*g", digits, value);
        if (strtod(at, NULL) == value) {
            break;
        }
    }
    return at + len;
}

char *tacho_real_put(char *at, double value)
{
    decimal number;
    bool is_whole = value > -1e17 && value < 1e17 && (double)tacho_whole_i64(value) == value;
    if (!is_whole && !find_shortest(bits_of(value), &number)) {
        return put_slowly(at, value);
    }
    if (signbit(value)) {
        *at++ = '-';
    }
    if (is_whole) {
        at = tacho_decimal_put(at, tacho_whole_u64(fabs(value)));
        *at++ = '.';
        *at++ = '0';
    } else {
        at = put_decimal(at, number);
    }
    *at = '\0';
    return at;
}
