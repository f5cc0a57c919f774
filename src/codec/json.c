/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON output.
 */
#include "codec/json.h"

#include "base/decimal.h"
#include "base/real.h"
#include "base/utf8.h"

#include <math.h>

static void write_character(tacho_output *output, tacho_str character, uint32_t point)
{
    if (point == '"' || point == '\\') {
        tacho_output_write(output, "\\", 1);
        tacho_output_write_str(output, character);
    } else if (point == UINT32_MAX) {
        tacho_output_write_str(output, TACHO_STR("\\ufffd"));
    } else if (point < 0x20 || point == 0x7f || point == 0x2028 || point == 0x2029) {
        tacho_output_printf(output, "\\u%04x", (unsigned)point);
    } else {
        tacho_output_write_str(output, character);
    }
}

static const uint64_t each_byte = UINT64_C(0x0101010101010101);

/* Not 0 where a byte of |word| is that of |pattern|, eight of it. */
static inline uint64_t has_byte(uint64_t word, uint64_t pattern)
{
    uint64_t differs = word ^ pattern;
    return (differs - each_byte) & ~differs;
}

/* Whether none of eight bytes needs an escape. */
static inline bool is_plain_word(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof(word));
    uint64_t odd = word | ((word - each_byte * 0x20) & ~word) | has_byte(word, each_byte * '"') |
                   has_byte(word, each_byte * '\\') | has_byte(word, each_byte * 0x7f);
    return (odd & each_byte * 0x80) == 0;
}

/* Length of the run at the front that needs no escape: printable ASCII, nearly all of it. */
static size_t plain_length(tacho_str text)
{
    size_t at = 0;
    while (at + sizeof(uint64_t) <= text.len && is_plain_word(text.data + at)) {
        at += sizeof(uint64_t);
    }
    if (at > 0 && text.len - at < sizeof(uint64_t) &&
        is_plain_word(text.data + text.len - sizeof(uint64_t))) {
        return text.len; /* the rest lies in the last eight bytes */
    }
    while (at < text.len && text.data[at] >= 0x20 && text.data[at] < 0x7f && text.data[at] != '"' &&
           text.data[at] != '\\') {
        at++;
    }
    return at;
}

void tacho_json_write_string(tacho_output *output, tacho_str text)
{
    tacho_output_write(output, "\"", 1);
    for (size_t at = 0; at < text.len;) {
        size_t plain = plain_length(tacho_str_from(text, at));
        tacho_output_write(output, text.data + at, plain);
        at += plain;
        if (at == text.len) {
            break;
        }
        uint32_t point = 0;
        tacho_str rest = tacho_str_from(text, at);
        size_t length = tacho_utf8_decode(rest, &point);
        write_character(output, tacho_str_make(rest.data, length), point);
        at += length;
    }
    tacho_output_write(output, "\"", 1);
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
        tacho_json_write_int(output, (int64_t)value);
    } else {
        tacho_json_write_real(output, value);
    }
}
