/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON output.
 */
#include "codec/json.h"

#include "base/decimal.h"
#include "base/real.h"
#include "base/utf8.h"
#include "base/whole.h"

#include <math.h>

enum { ESCAPE_BYTES = 6 /* the longest that one byte becomes: \u0000 */ };

static const uint64_t each_byte = UINT64_C(0x0101010101010101);

/* Not 0 where a byte of |word| is that of |pattern|, eight of it. */
static inline uint64_t has_byte(uint64_t word, uint64_t pattern)
{
    uint64_t differs = word ^ pattern;
    return (differs - each_byte) & ~differs;
}

/* Whether all of eight bytes can go without an escape: printable ASCII, nearly all text. */
static inline bool is_plain_word(uint64_t word)
{
    uint64_t odd = word | ((word - each_byte * 0x20) & ~word) | has_byte(word, each_byte * '"') |
                   has_byte(word, each_byte * '\\') | has_byte(word, each_byte * 0x7f);
    return (odd & each_byte * 0x80) == 0;
}

static inline bool is_plain(char byte)
{
    return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}

static inline uint64_t load_word(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof(word));
    return word;
}

/*
 * Copies the run at the front of |text| that needs no escape, eight bytes at a time; the last ones
 * are copied with some that went before. Returns its length.
 */
static inline size_t copy_plain(tacho_str text, char *to)
{
    enum { WORD = sizeof(uint64_t) };
    size_t at = 0;
    for (; at + WORD <= text.len; at += WORD) {
        uint64_t word = load_word(text.data + at);
        memcpy(to + at, &word, WORD);
        if (!is_plain_word(word)) {
            break;
        }
    }
    if (text.len >= WORD && text.len - at < WORD) {
        uint64_t word = load_word(text.data + text.len - WORD);
        if (is_plain_word(word)) {
            memcpy(to + text.len - WORD, &word, WORD);
            return text.len;
        }
    }
    for (; at < text.len && is_plain(text.data[at]); at++) {
        to[at] = text.data[at];
    }
    return at;
}

static char *put_escape(char *to, uint32_t point)
{
    static const char digits[] = "0123456789abcdef";
    to[0] = '\\';
    to[1] = 'u';
    for (unsigned i = 0; i < 4; i++) {
        to[2 + i] = digits[point >> (12 - 4 * i) & 0xf];
    }
    return to + ESCAPE_BYTES;
}

/* The character that |text| begins with. */
static char *put_character(char *to, tacho_str text, size_t *out_length)
{
    uint32_t point = 0;
    *out_length = tacho_utf8_decode(text, &point);
    if (point == UINT32_MAX || point < 0x20 || point == 0x7f || point == 0x2028 ||
        point == 0x2029) {
        return put_escape(to, point == UINT32_MAX ? 0xfffd : point);
    }
    if (point == '"' || point == '\\') {
        *to++ = '\\';
    }
    memcpy(to, text.data, *out_length);
    return to + *out_length;
}

/* The characters that begin in the first |len| bytes of |text|; |*out_length| is their length. */
static char *put_text(char *to, tacho_str text, size_t len, size_t *out_length)
{
    size_t at = copy_plain(tacho_str_make(text.data, len), to);
    to += at;
    while (at < len) {
        size_t length = 1;
        if (is_plain(text.data[at])) {
            *to++ = text.data[at];
        } else {
            to = put_character(to, tacho_str_from(text, at), &length);
        }
        at += length;
    }
    *out_length = at;
    return to;
}

/* Writes |text|, which has at least a byte, and a quote after it unless it |is_piece|. */
static inline void write_text(tacho_output *output, tacho_str text, bool is_piece)
{
    enum { LEN_MAX = TACHO_OUTPUT_RESERVE_MAX / ESCAPE_BYTES - 8 };
    do {
        size_t len = text.len < LEN_MAX ? text.len : LEN_MAX;
        char *to = (char *)tacho_output_reserve(output, (len + 8) * ESCAPE_BYTES);
        to = put_text(to, text, len, &len);
        text = tacho_str_from(text, len);
        if (TACHO_LIKELY(text.len == 0) && !is_piece) {
            *to++ = '"';
        }
        output->cursor = (unsigned char *)to;
    } while (TACHO_UNLIKELY(text.len > 0));
}

void tacho_json_write_string(tacho_output *output, tacho_str text)
{
    if (text.len == 0) { /* which may have no bytes at all */
        tacho_output_write(output, "\"\"", 2);
        return;
    }
    tacho_output_write(output, "\"", 1);
    write_text(output, text, false);
}

void tacho_json_write_text(tacho_output *output, tacho_str text)
{
    if (text.len > 0) {
        write_text(output, text, true);
    }
}

void tacho_json_write_int(tacho_output *output, int64_t value)
{
    char *at = (char *)tacho_output_reserve(output, TACHO_DECIMAL_MAX);
    output->cursor = (unsigned char *)tacho_decimal_put_signed(at, value);
}

void tacho_json_write_uint(tacho_output *output, uint64_t value)
{
    char *at = (char *)tacho_output_reserve(output, TACHO_DECIMAL_MAX);
    output->cursor = (unsigned char *)tacho_decimal_put(at, value);
}

void tacho_json_write_real(tacho_output *output, double value)
{
    if (isfinite(value)) {
        char *at = (char *)tacho_output_reserve(output, TACHO_REAL_MAX);
        output->cursor = (unsigned char *)tacho_real_put(at, value);
    } else {
        tacho_output_write_str(output, TACHO_STR("null"));
    }
}

void tacho_json_write_number(tacho_output *output, double value)
{
    const double limit = 9007199254740992.0; /* whole numbers up to here are exact */
    if (value >= -limit && value <= limit && value == floor(value)) {
        tacho_json_write_int(output, tacho_whole_i64(value));
    } else {
        tacho_json_write_real(output, value);
    }
}
