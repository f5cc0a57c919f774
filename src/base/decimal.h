/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decimal numbers into memory, without printf: for writers of millions of them.
 */
#ifndef TACHO_BASE_DECIMAL_H
#define TACHO_BASE_DECIMAL_H

#include <stdint.h>
#include <string.h>

/* Digits of the largest 64-bit number, and a sign. */
enum { TACHO_DECIMAL_MAX = 20 };

/* How many digits |value| has: the bits give it but for one, which a comparison decides. */
static inline unsigned tacho_decimal_digits(uint64_t value)
{
    static const uint64_t powers[] = {
        1,
        10,
        100,
        1000,
        10000,
        100000,
        1000000,
        10000000,
        100000000,
        1000000000,
        10000000000,
        100000000000,
        1000000000000,
        10000000000000,
        100000000000000,
        1000000000000000,
        10000000000000000,
        100000000000000000,
        1000000000000000000,
        10000000000000000000U,
    };
    uint64_t least = value | 1; /* 0 has a digit, too */
    unsigned bits = 64 - (unsigned)__builtin_clzll(least);
    unsigned guess = bits * 1233 >> 12; /* log10(2) = 1233 / 4096, nearly */
    return guess + (least >= powers[guess] ? 1 : 0);
}

/* Writes |value|; returns the end. Straight to its place: a copy of unknown length costs more. */
static inline char *tacho_decimal_put(char *at, uint64_t value)
{
    static const char pairs[] =
        "0001020304050607080910111213141516171819202122232425262728293031323334"
        "3536373839404142434445464748495051525354555657585960616263646566676869"
        "707172737475767778798081828384858687888990919293949596979899";
    char *end = at + tacho_decimal_digits(value);
    char *digit = end;
    for (; value >= 10; value /= 100) {
        digit -= 2;
        memcpy(digit, &pairs[value % 100 * 2], 2);
    }
    if (digit > at) {
        *at = (char)('0' + value);
    }
    return end;
}

static inline char *tacho_decimal_put_signed(char *at, int64_t value)
{
    uint64_t magnitude = (uint64_t)value;
    if (value < 0) {
        *at++ = '-';
        magnitude = 0 - magnitude;
    }
    return tacho_decimal_put(at, magnitude);
}

/* Nanoseconds as microseconds with exactly three decimals: 1234567 -> 1234.567. */
static inline char *tacho_decimal_put_us(char *at, int64_t ns)
{
    uint64_t magnitude = (uint64_t)ns;
    if (ns < 0) {
        *at++ = '-';
        magnitude = 0 - magnitude;
    }
    at = tacho_decimal_put(at, magnitude / 1000);
    unsigned rest = (unsigned)(magnitude % 1000);
    at[0] = '.';
    at[1] = (char)('0' + rest / 100);
    at[2] = (char)('0' + rest / 10 % 10);
    at[3] = (char)('0' + rest % 10);
    return at + 4;
}

#endif
