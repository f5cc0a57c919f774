/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Escapes are checked when a string is scanned and undone when it is returned. Surrogates are
 * counted as lone when seen, and uncounted when the other half of a pair follows at once.
 */
#include "codec/json_escape.h"

/* Records why a string cannot be read on. */
static bool stop(tacho_json_reader *reader, const char *at, const char *wanted)
{
    reader->stop = at;
    reader->wanted = wanted;
    return false;
}

/* By the character after a backslash, except u: the character that it stands for. */
static const char escapes[256] = {
    ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
    ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
};

static unsigned hex_value(char byte)
{
    unsigned char lower = (unsigned char)(byte | 0x20);
    if (byte >= '0' && byte <= '9') {
        return (unsigned)(byte - '0');
    }
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10U : UINT32_MAX;
}

/* The UTF-16 unit written as four digits, or UINT32_MAX; |*digits| stops after the valid ones. */
static uint32_t read_unit(const char **digits)
{
    uint32_t unit = 0;
    for (const char *end = *digits + 4; *digits < end; ++*digits) {
        unsigned value = hex_value(**digits);
        if (value == UINT32_MAX) {
            return UINT32_MAX;
        }
        unit = unit << 4 | value;
    }
    return unit;
}

static bool is_high(uint32_t unit)
{
    return unit >= 0xd800 && unit < 0xdc00;
}

static bool is_low(uint32_t unit)
{
    return unit >= 0xdc00 && unit < 0xe000;
}

/* Finds the end of a string from its first odd byte on: escapes and control characters. */
typedef struct odd_string {
    char *at;
    const char *unpaired_end; /* of a high surrogate that may still find its low one */
    uint64_t surrogate_count;
    uint64_t control_count;
} odd_string;

static bool pass_escape(tacho_json_reader *reader, odd_string *string)
{
    const char *escape = string->at;
    string->at += 2;
    if (escape[1] != 'u') {
        return escapes[(unsigned char)escape[1]] != '\0' ||
               stop(reader, escape + 1, "an escape (one of \" \\ / b f n r t u)");
    }
    const char *digits = escape + 2;
    uint32_t unit = read_unit(&digits);
    if (unit == UINT32_MAX) {
        return stop(reader, digits, "a hexadecimal digit of \\u");
    }
    string->at += 4;
    if (is_low(unit) && string->unpaired_end == escape) {
        string->surrogate_count--;
    } else if (is_low(unit) || is_high(unit)) {
        string->surrogate_count++;
    }
    string->unpaired_end = is_high(unit) ? string->at : NULL;
    return true;
}

char *tacho_json_escape_find_end(tacho_json_reader *reader, char *at)
{
    odd_string string = {.at = at};
    while (*string.at != '"') {
        if (*string.at == '\\') {
            if (!pass_escape(reader, &string)) {
                return NULL;
            }
        } else if (string.at >= reader->limit) {
            stop(reader, string.at, "the rest of a string");
            return NULL;
        } else if (!reader->options.is_lenient) {
            stop(reader, string.at, "an escape instead of a control character");
            return NULL;
        } else {
            string.control_count++;
            string.at++;
        }
        while ((unsigned char)*string.at >= ' ' && *string.at != '"' && *string.at != '\\') {
            string.at++;
        }
    }
    reader->surrogate_count += string.surrogate_count;
    reader->control_count += string.control_count;
    return string.at;
}

static char *put_utf8(char *to, uint32_t point)
{
    if (point < 0x80) {
        *to++ = (char)point;
        return to;
    }
    if (point < 0x800) {
        *to++ = (char)(0xc0 | point >> 6);
    } else {
        if (point < 0x10000) {
            *to++ = (char)(0xe0 | point >> 12);
        } else {
            *to++ = (char)(0xf0 | point >> 18);
            *to++ = (char)(0x80 | (point >> 12 & 0x3f));
        }
        *to++ = (char)(0x80 | (point >> 6 & 0x3f));
    }
    *to++ = (char)(0x80 | (point & 0x3f));
    return to;
}

/* Decodes the \u escape whose digits begin at |*at|, or two that are a pair, and passes over. */
static uint32_t decode_units(const char **at)
{
    uint32_t unit = read_unit(at);
    if (is_high(unit) && (*at)[0] == '\\' && (*at)[1] == 'u') {
        const char *digits = *at + 2;
        uint32_t low = read_unit(&digits);
        if (is_low(low)) {
            *at = digits;
            return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        }
    }
    return is_high(unit) || is_low(unit) ? 0xfffd : unit;
}

size_t tacho_json_escape_undo(char *text, size_t len)
{
    const char *end = text + len;
    char *to = len == 0 ? NULL : memchr(text, '\\', len);
    if (to == NULL) {
        return len;
    }
    const char *from = to; /* is never overtaken: an escape is at least as long as its character */
    while (from < end) {
        if (*from != '\\') {
            *to++ = *from++;
        } else if (from[1] != 'u') {
            *to++ = escapes[(unsigned char)from[1]];
            from += 2;
        } else {
            from += 2;
            to = put_utf8(to, decode_units(&from));
        }
    }
    return (size_t)(to - text);
}
