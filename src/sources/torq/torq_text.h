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
 * Takes digits, perhaps after blanks, and the delimiter behind them from |*text|. False, leaving
 * |*text| anywhere, when there are none or too many or something else follows.
 */
static inline bool torq_take_number(tacho_str *text, char delimiter, uint64_t *out_value)
{
    uint64_t value = 0;
    size_t blank_count = 0;
    while (blank_count < text->len && text->data[blank_count] == ' ') {
        blank_count++;
    }
    size_t at = blank_count;
    for (; at < text->len; at++) {
        unsigned digit = (unsigned)(unsigned char)text->data[at] - '0';
        if (digit > 9) {
            break;
        }
        value = value * 10 + digit;
    }
    if (at == blank_count || at - blank_count > TORQ_DIGITS_MAX || at == text->len ||
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
