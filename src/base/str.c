/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The string-view functions that are not one line.
 */
#define _GNU_SOURCE /* memmem */
#include "base/str.h"

int tacho_str_compare(tacho_str a, tacho_str b)
{
    size_t common = a.len < b.len ? a.len : b.len;
    int order = common == 0 ? 0 : memcmp(a.data, b.data, common);
    if (order != 0) {
        return order;
    }
    return a.len == b.len ? 0 : (a.len < b.len ? -1 : 1);
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

tacho_str tacho_str_trim(tacho_str text)
{
    while (text.len > 0 && is_blank(text.data[0])) {
        text = tacho_str_from(text, 1);
    }
    while (text.len > 0 && is_blank(text.data[text.len - 1])) {
        text.len--;
    }
    return text;
}

tacho_str tacho_str_basename(tacho_str path)
{
    size_t start = path.len;
    while (start > 0 && path.data[start - 1] != '/') {
        start--;
    }
    return start == 0 ? path : tacho_str_from(path, start);
}

void tacho_make_plain_name(char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        *text = byte <= ' ' || byte == '/' || byte == '\\' || byte == 127 ? '_' : *text;
    }
}

size_t tacho_str_find(tacho_str text, tacho_str part)
{
    if (part.len == 0) {
        return 0;
    }
    const char *found = text.len > 0 ? memmem(text.data, text.len, part.data, part.len) : NULL;
    return found != NULL ? (size_t)(found - text.data) : SIZE_MAX;
}

bool tacho_str_contains(tacho_str text, tacho_str part)
{
    return tacho_str_find(text, part) != SIZE_MAX;
}

size_t tacho_str_find_byte(tacho_str text, char byte)
{
    const char *found = text.len == 0 ? NULL : memchr(text.data, byte, text.len);
    return found == NULL ? text.len : (size_t)(found - text.data);
}

bool tacho_str_parse_u64(tacho_str text, uint64_t *out_value)
{
    if (text.len == 0) {
        return false;
    }
    uint64_t value = 0;
    for (size_t i = 0; i < text.len; i++) {
        unsigned digit = (unsigned)(unsigned char)text.data[i] - '0';
        if (digit > 9 || __builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, digit, &value)) {
            return false;
        }
    }
    *out_value = value;
    return true;
}

bool tacho_str_parse_hex(tacho_str text, uint64_t *out_value)
{
    bool has_prefix = text.len >= 2 && text.data[0] == '0' && (text.data[1] | 0x20) == 'x';
    uint64_t value = 0;
    for (size_t i = has_prefix ? 2 : 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        unsigned letter = (unsigned)(byte | 0x20) - 'a';
        bool is_digit = byte >= '0' && byte <= '9';
        if ((!is_digit && letter > 5) || value >> 60 != 0) {
            return false;
        }
        value = value << 4 | (is_digit ? byte - (unsigned)'0' : letter + 10);
    }
    *out_value = value;
    return text.len > (has_prefix ? 2u : 0u);
}
