/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of Torq CSVs: numbers at the front of a row, header lines, and the reasons for rejected
 * rows.
 */
#ifndef TACHO_SOURCES_TORQ_TORQ_TEXT_H
#define TACHO_SOURCES_TORQ_TORQ_TEXT_H

#include "base/input.h"
#include "profile/vocabulary.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* The number of digits that always fit 64 bits. */
enum { TORQ_DIGITS_MAX = 19 };

/* The number of eight digits, the first one lowest: pairs of them, then fours, then all. */
static inline uint64_t torq_join_digits(uint64_t digits)
{
    digits = (digits * (10 << 8 | 1) >> 8) & 0x00ff00ff00ff00ffu;
    digits = (digits * (100 << 16 | 1) >> 16) & 0x0000ffff0000ffffu;
    return digits * (UINT64_C(10000) << 32 | 1) >> 32;
}

/* A number and the text after its delimiter; |rest| is NULL when there is no match. */
typedef struct torq_number {
    const char *rest;
    uint64_t value;
} torq_number;

/* The number of digits among the 16 bytes at |at| before the first other byte. */
static inline size_t torq_count_digits(const char *at)
{
#if defined(__SSE2__)
    __m128i bytes;
    memcpy(&bytes, at, sizeof(bytes));
    bytes = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
    __m128i are_digits = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(9)), bytes);
    return (size_t)__builtin_ctz(~(unsigned)_mm_movemask_epi8(are_digits));
#else
    size_t count = 0;
    while (count < 16 && (unsigned char)(at[count] - '0') <= 9) {
        count++;
    }
    return count;
#endif
}

/* Eight bytes, assumed to be digits, as small numbers. */
static inline uint64_t torq_load_digits(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof(word));
    return word ^ 0x3030303030303030u;
}

/*
 * Up to 15 digits at |at| and the delimiter after them; no match for anything else, or if the text
 * ends soon after. The last eight digits are read at once, and so are those before them.
 */
static TACHO_ALWAYS_INLINE torq_number torq_plain_number(const char *at, const char *end,
                                                         char delimiter)
{
    const torq_number none = {NULL, 0};
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (TACHO_UNLIKELY(end - at <= 16)) {
        return none;
    }
    size_t count = torq_count_digits(at);
    if (TACHO_UNLIKELY(count - 1 >= 15 || at[count] != delimiter)) {
        return none;
    }
    uint64_t front = torq_load_digits(at);
    if (count <= 8) {
        return (torq_number){at + count + 1, torq_join_digits(front << (8 - count) * 8)};
    }
    uint64_t high = torq_join_digits(front << (16 - count) * 8);
    uint64_t low = torq_join_digits(torq_load_digits(at + count - 8));
    return (torq_number){at + count + 1, high * 100000000 + low};
#else
    (void)at;
    (void)end;
    (void)delimiter;
    return none;
#endif
}

/* An unparsed number: its digits, and the delimiter after them. */
typedef struct torq_digits {
    const char *end; /* the delimiter; NULL without a number */
    size_t count;
} torq_digits;

/* The numbers at the front of a row; |rest| is the text after them, NULL when there is no match. */
typedef struct torq_numbers {
    const char *rest;
    torq_digits first, second, third;
} torq_numbers;

enum { TORQ_NUMBERS_BYTES = 48 }; /* room for three numbers with delimiters */

/*
 * A bit for each of the TORQ_NUMBERS_BYTES at |at|, set for bytes other than digits, the first one
 * lowest.
 */
static inline uint64_t torq_other_bits(const char *at)
{
    uint64_t digit_bits = 0;
#if defined(__SSE2__)
    for (unsigned i = 0; i < TORQ_NUMBERS_BYTES; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(at + i));
        bytes = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
        __m128i are_digits = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(9)), bytes);
        digit_bits |= (uint64_t)(unsigned)_mm_movemask_epi8(are_digits) << i;
    }
#else
    for (unsigned i = 0; i < TORQ_NUMBERS_BYTES; i++) {
        digit_bits |= (uint64_t)((unsigned char)(at[i] - '0') <= 9) << i;
    }
#endif
    return digit_bits ^ ((UINT64_C(1) << TORQ_NUMBERS_BYTES) - 1);
}

/*
 * The value of a number of up to 16 digits: the 16 bytes up to its end are joined at once, with
 * zeros for bytes before it.
 */
static inline uint64_t torq_join(torq_digits number)
{
#if defined(__SSE2__)
    static const unsigned char own_bytes[32] = {
        [16] = 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff,        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    };
    __m128i digits = _mm_loadu_si128((const __m128i *)(const void *)(number.end - 16));
    __m128i own = _mm_loadu_si128((const __m128i *)(const void *)(own_bytes + number.count));
    digits = _mm_and_si128(_mm_sub_epi8(digits, _mm_set1_epi8('0')), own);
    /* Pairs, then fours, then eights. */
    digits = _mm_srli_epi16(_mm_mullo_epi16(digits, _mm_set1_epi16(10 << 8 | 1)), 8);
    digits = _mm_madd_epi16(digits, _mm_set1_epi32(1 << 16 | 100));
    digits = _mm_packs_epi32(digits, digits);
    digits = _mm_madd_epi16(digits, _mm_set1_epi32(1 << 16 | 10000));
    uint64_t halves = (uint64_t)_mm_cvtsi128_si64(digits);
    return (uint32_t)halves * UINT64_C(100000000) + (halves >> 32);
#else
    uint64_t value = 0;
    for (const char *at = number.end - number.count; at < number.end; at++) {
        value = value * 10 + (uint64_t)(*at - '0');
    }
    return value;
#endif
}

/*
 * Three numbers of up to 16 digits, each with a delimiter after it, the first of them |skip| bytes
 * after |at|; no match for anything else. All bytes up to |limit| can be read, and the 16 ahead of
 * |at|. The ends of all three are found at once, so that none waits for the one before it.
 */
static TACHO_ALWAYS_INLINE torq_numbers torq_find_numbers(const char *at, size_t skip,
                                                          const char *limit, char delimiter)
{
    const torq_numbers none = {NULL, {NULL, 0}, {NULL, 0}, {NULL, 0}};
    if (TACHO_UNLIKELY(limit - at < TORQ_NUMBERS_BYTES)) {
        return none;
    }
    uint64_t others = torq_other_bits(at) >> skip << skip;
    uint64_t from_second = others & (others - 1);
    uint64_t from_third = from_second & (from_second - 1);
    if (TACHO_UNLIKELY(from_third == 0)) {
        return none;
    }
    size_t first = (size_t)__builtin_ctzll(others);
    size_t second = (size_t)__builtin_ctzll(from_second);
    size_t third = (size_t)__builtin_ctzll(from_third);
    unsigned unlike = (unsigned char)(at[first] ^ delimiter) |
                      (unsigned char)(at[second] ^ delimiter) |
                      (unsigned char)(at[third] ^ delimiter);
    size_t counts = (first - skip - 1) | (second - first - 2) | (third - second - 2);
    if (TACHO_UNLIKELY((unlike | counts >> 4) != 0)) {
        return none; /* another delimiter, or a number of 0 or more than 16 digits */
    }
    return (torq_numbers){
        .rest = at + third + 1,
        .first = {at + first, first - skip},
        .second = {at + second, second - first - 1},
        .third = {at + third, third - second - 1},
    };
}

/*
 * Cuts fewer than eight digits, perhaps none, and the delimiter ahead of them off the end of
 * |*text|; false for anything else or too little text, and |*text| stays as it is.
 */
static TACHO_ALWAYS_INLINE bool torq_cut_plain(tacho_str *text, char delimiter, uint64_t *out_value,
                                               size_t *out_digit_count)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t word;
    if (TACHO_UNLIKELY(text->len < sizeof(word))) {
        return false;
    }
    memcpy(&word, text->data + text->len - sizeof(word), sizeof(word));
    uint64_t digits = word ^ 0x3030303030303030u;
    uint64_t others = (digits | (digits + 0x0606060606060606u)) & 0xf0f0f0f0f0f0f0f0u;
    /* A carry from the byte before may make a 9 look like a non-digit: not a delimiter either. */
    if (TACHO_UNLIKELY(others == 0)) {
        return false;
    }
    size_t count = (size_t)__builtin_clzll(others) / 8;
    if (TACHO_UNLIKELY(text->data[text->len - count - 1] != delimiter)) {
        return false;
    }
    *out_value = torq_join_digits(count == 0 ? 0 : digits & UINT64_MAX << (8 - count) * 8);
    *out_digit_count = count;
    text->len -= count + 1;
    return true;
#else
    (void)text;
    (void)delimiter;
    (void)out_value;
    (void)out_digit_count;
    return false;
#endif
}

/* The general case of torq_take_number. */
bool torq_take_any_number(tacho_str *text, char delimiter, uint64_t *out_value);

/*
 * Takes digits, perhaps after blanks, and the delimiter after them from |*text|. False, with
 * |*text| anywhere, for no digits, too many, or other text.
 *
 * The general case gets copies: a text whose address is known elsewhere lives in memory, and one
 * that was just written there in two words is slow to read as one.
 */
static TACHO_ALWAYS_INLINE bool torq_take_number(tacho_str *text, char delimiter,
                                                 uint64_t *out_value)
{
    const char *end = text->data + text->len;
    torq_number plain = torq_plain_number(text->data, end, delimiter);
    if (TACHO_LIKELY(plain.rest != NULL)) {
        *out_value = plain.value;
        *text = tacho_str_make(plain.rest, (size_t)(end - plain.rest));
        return true;
    }
    tacho_str copy = *text;
    uint64_t value = 0;
    bool is_number = torq_take_any_number(&copy, delimiter, &value);
    *text = copy;
    *out_value = is_number ? value : *out_value;
    return is_number;
}

/* Whether |text| is one or more digits. */
bool torq_is_digits(tacho_str text);

/* Why |field|, which should be a time, is not valid. */
tacho_loss_reason torq_diagnose_number(tacho_str field);

/*
 * Whether |line| is this header: names compared regardless of case, spaces and quotes, fields
 * separated by |delimiter|, |names| NULL-terminated.
 */
bool torq_is_header(tacho_str line, char delimiter, const char *const *names);

/* The next line of |*text| without its LF or CR LF; false at the end. */
bool torq_take_line(tacho_str *text, tacho_str *out_line);

/* The next nonempty line of |input|, without a byte order mark. */
tacho_status torq_next_line(tacho_input *input, tacho_str *out_line, bool *out_got) TACHO_MUST_USE;

/* |line| without a byte order mark, which takes TORQ_MARK_BYTES. */
enum { TORQ_MARK_BYTES = 3 };
tacho_str torq_skip_mark(tacho_str line);

#endif
