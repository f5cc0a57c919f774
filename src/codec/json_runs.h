/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of bytes in the buffer of a JSON reader: white space, the text of a string, a number. No
 * bounds are checked: TACHO_JSON_PAD_BYTES zero bytes follow the text, at which every run ends.
 */
#ifndef TACHO_CODEC_JSON_RUNS_H
#define TACHO_CODEC_JSON_RUNS_H

#include "base/attributes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) && !defined(TACHO_JSON_PORTABLE)
#include <emmintrin.h>
#define TACHO_JSON_SSE2 1
#else
#define TACHO_JSON_SSE2 0
#endif

enum {
    /* Zero bytes that follow the limit of the buffer: more than any run reads at once. */
    TACHO_JSON_PAD_BYTES = 64,
    /* The longest number that tacho_json_find_number_end knows. */
    TACHO_JSON_PLAIN_DIGITS = 31,
};

#if TACHO_JSON_SSE2

static inline __m128i tacho_json_load(const char *at)
{
    __m128i bytes;
    memcpy(&bytes, at, sizeof(bytes));
    return bytes;
}

static inline __m128i tacho_json_equal(__m128i bytes, char byte)
{
    return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte));
}

/* The first byte from |at| on that is a quote, a backslash or a control character. */
static inline char *tacho_json_find_string_stop(char *at)
{
    for (;; at += sizeof(__m128i)) {
        __m128i bytes = tacho_json_load(at);
        __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
        __m128i others = _mm_or_si128(tacho_json_equal(bytes, '"'), tacho_json_equal(bytes, '\\'));
        unsigned stops = (unsigned)_mm_movemask_epi8(_mm_or_si128(controls, others));
        if (TACHO_LIKELY(stops != 0)) {
            return at + __builtin_ctz(stops);
        }
    }
}

static inline char *tacho_json_find_non_space(char *at)
{
    for (;; at += sizeof(__m128i)) {
        __m128i bytes = tacho_json_load(at);
        __m128i blanks = _mm_or_si128(tacho_json_equal(bytes, ' '), tacho_json_equal(bytes, '\t'));
        __m128i line_ends =
            _mm_or_si128(tacho_json_equal(bytes, '\n'), tacho_json_equal(bytes, '\r'));
        unsigned spaces = (unsigned)_mm_movemask_epi8(_mm_or_si128(blanks, line_ends));
        if (TACHO_LIKELY(spaces != 0xffff)) {
            return at + __builtin_ctz(spaces ^ 0xffff);
        }
    }
}

/* A bit for each of the 32 bytes from |at| on that is not a digit, the first one lowest. */
static inline uint32_t tacho_json_non_digits(const char *at)
{
    const __m128i zero = _mm_set1_epi8('0');
    const __m128i nine = _mm_set1_epi8(9);
    __m128i front = _mm_sub_epi8(tacho_json_load(at), zero);
    __m128i back = _mm_sub_epi8(tacho_json_load(at + sizeof(__m128i)), zero);
    unsigned front_digits =
        (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(front, nine), front));
    unsigned back_digits =
        (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(back, nine), back));
    return ~(front_digits | back_digits << sizeof(__m128i));
}

#else

#define TACHO_JSON_EACH(byte) (0x0101010101010101U * (uint64_t)(byte))

static inline uint64_t tacho_json_load(const char *at)
{
    uint64_t bytes = 0;
    memcpy(&bytes, at, sizeof(bytes));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    return bytes;
}

/* Sets the top bit of each byte below |bound|, and none before the first of them. */
static inline uint64_t tacho_json_below(uint64_t bytes, unsigned bound)
{
    return (bytes - TACHO_JSON_EACH(bound)) & ~bytes & TACHO_JSON_EACH(0x80);
}

/* The first byte from |at| on that is a quote, a backslash or a control character. */
static inline char *tacho_json_find_string_stop(char *at)
{
    for (;; at += sizeof(uint64_t)) {
        uint64_t bytes = tacho_json_load(at);
        uint64_t stops = tacho_json_below(bytes, 0x20) |
                         tacho_json_below(bytes ^ TACHO_JSON_EACH('"'), 1) |
                         tacho_json_below(bytes ^ TACHO_JSON_EACH('\\'), 1);
        if (TACHO_LIKELY(stops != 0)) {
            return at + __builtin_ctzll(stops) / 8;
        }
    }
}

static inline char *tacho_json_find_non_space(char *at)
{
    while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t') {
        at++;
    }
    return at;
}

static inline uint32_t tacho_json_non_digits(const char *at)
{
    uint32_t others = 0;
    for (unsigned i = 0; i < 32; i++) {
        others |= (uint32_t)((unsigned char)(at[i] - '0') > 9) << i;
    }
    return others;
}

#endif

/* Usually there is a single space or none. */
static inline char *tacho_json_skip_space(char *at)
{
    if (TACHO_LIKELY((unsigned char)*at > ' ')) {
        return at;
    }
    if (*at == ' ' && (unsigned char)at[1] > ' ') {
        return at + 1;
    }
    return tacho_json_find_non_space(at);
}

/* The quote after the text of a string at |at|; NULL where anything in it needs a closer look. */
static inline char *tacho_json_find_plain_end(char *at)
{
    at = tacho_json_find_string_stop(at);
    return TACHO_LIKELY(*at == '"') ? at : NULL;
}

/* The end of the exponent whose e is at |at|; NULL where it has no digits. */
static inline char *tacho_json_find_exponent_end(char *at)
{
    char *digits = at + 1 + (at[1] == '+' || at[1] == '-');
    char *end = digits;
    while ((unsigned char)(*end - '0') <= 9) {
        end++;
    }
    return end > digits ? end : NULL;
}

/* The end of the number at |at|, whatever follows it; NULL where it is not a number, or long. */
static inline char *tacho_json_find_number_end(char *at)
{
    char *digits = at + (*at == '-');
    uint32_t others = tacho_json_non_digits(digits) | UINT32_C(1) << TACHO_JSON_PLAIN_DIGITS;
    unsigned whole = (unsigned)__builtin_ctz(others);
    if (TACHO_UNLIKELY(whole == 0 || (*digits == '0' && whole > 1))) {
        return NULL;
    }
    char *end = digits + whole;
    if (*end == '.') {
        others &= others - 1; /* without the point */
        unsigned all = others != 0 ? (unsigned)__builtin_ctz(others) : 0;
        if (TACHO_UNLIKELY(all <= whole + 1)) {
            return NULL;
        }
        end = digits + all;
    }
    if (TACHO_UNLIKELY(end == digits + TACHO_JSON_PLAIN_DIGITS)) {
        return NULL;
    }
    return TACHO_UNLIKELY((*end | 0x20) == 'e') ? tacho_json_find_exponent_end(end) : end;
}

#endif
