/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of Torq CSVs: numbers at the front of a row, header lines, and why a row that did
 * not parse did not.
 */
#ifndef TACHO_SOURCES_TORQ_TORQ_TEXT_H
#define TACHO_SOURCES_TORQ_TORQ_TEXT_H

#include "base/input.h"
#include "profile/vocabulary.h"

/* Most digits that always fit 64 bits. */
enum { TORQ_DIGITS_MAX = 19 };

/*
 * The number that the first bytes of |word| spell, lowest address first, and how many of the
 * eight are digits. All eight are worked on at once: pairs, then fours, then eights.
 */
static inline uint64_t torq_eight_digits(uint64_t word, size_t *out_digit_count)
{
    uint64_t digits = word ^ 0x3030303030303030u;
    /* A byte that is no digit has a bit in its upper half, by itself or when six is added. */
    uint64_t others = (digits | (digits + 0x0606060606060606u)) & 0xf0f0f0f0f0f0f0f0u;
    size_t count = others == 0 ? 8 : (size_t)__builtin_ctzll(others) / 8;
    *out_digit_count = count;
    if (count == 0) {
        return 0;
    }
    digits <<= (8 - count) * 8; /* leading zeros in place of what follows */
    digits = (digits * 10 + (digits >> 8)) & 0x00ff00ff00ff00ffu;
    digits = (digits * 100 + (digits >> 16)) & 0x0000ffff0000ffffu;
    return (digits * 10000 + (digits >> 32)) & 0xffffffffu;
}

/*
 * Takes digits, perhaps after blanks, and the delimiter behind them from |*text|. False, leaving
 * |*text| anywhere, when there are none or too many or something else follows.
 */
static inline bool torq_take_number(tacho_str *text, char delimiter, uint64_t *out_value)
{
    size_t first = 0;
    while (first < text->len && text->data[first] == ' ') {
        first++;
    }
    uint64_t value = 0;
    size_t at = first;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (text->len - first >= 8) {
        uint64_t word;
        size_t digit_count = 0;
        memcpy(&word, text->data + first, sizeof(word));
        value = torq_eight_digits(word, &digit_count);
        at += digit_count;
    }
#endif
    for (; at < text->len; at++) {
        unsigned digit = (unsigned)(unsigned char)text->data[at] - '0';
        if (digit > 9) {
            break;
        }
        value = value * 10 + digit;
    }
    if (at == first || at - first > TORQ_DIGITS_MAX || at == text->len ||
        text->data[at] != delimiter) {
        return false;
    }
    *out_value = value;
    *text = tacho_str_from(*text, at + 1);
    return true;
}

/* Whether |text| is one or more digits. */
bool torq_is_digits(tacho_str text);

/* Why |field|, which should be a time, is none. */
tacho_loss_reason torq_diagnose_number(tacho_str field);

/*
 * Whether |line| is this header: names compared without regard to case, spaces and quotes,
 * fields separated by |delimiter|, |names| NULL-terminated.
 */
bool torq_is_header(tacho_str line, char delimiter, const char *const *names);

/* The next line of |*text| without its LF or CR LF; false at the end. */
bool torq_take_line(tacho_str *text, tacho_str *out_line);

/* The next line of |input| that is not empty, without a byte order mark. */
tacho_status torq_next_line(tacho_input *input, tacho_str *out_line, bool *out_got) TACHO_MUST_USE;

/* |line| without a byte order mark. */
tacho_str torq_skip_mark(tacho_str line);

#endif
