/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plain decoder that refuses overlong forms, surrogates and values past U+10FFFF, and the
 * filters built on it.
 */
#include "base/utf8.h"

#include <stdio.h>

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

enum { REPLACEMENT_BYTES = 3 };

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* Length by the first byte, 0 when no character starts with it. */
static size_t sequence_length(unsigned char first)
{
    if (first < 0x80) {
        return 1;
    }
    if (first < 0xc2) {
        return 0;
    }
    return first < 0xe0 ? 2 : (first < 0xf0 ? 3 : (first < 0xf5 ? 4 : 0));
}

tacho_str tacho_utf8_cut(tacho_str text, size_t most)
{
    enum { TAIL_MAX = 3 }; /* a character has no more bytes after its first */
    size_t len = most < text.len ? most : text.len;
    for (size_t i = 0; i < TAIL_MAX && len > 0 && len < text.len; i++) {
        len -= is_continuation(text.data[len]) ? 1 : 0;
    }
    return tacho_str_make(text.data, len);
}

size_t tacho_utf8_decode(tacho_str text, uint32_t *out_code_point)
{
    static const unsigned char first_masks[5] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = (unsigned char)text.data[0];
    size_t length = sequence_length(first);
    *out_code_point = UINT32_MAX;
    if (length == 0 || length > text.len) {
        return 1;
    }
    uint32_t point = first & first_masks[length];
    for (size_t i = 1; i < length; i++) {
        if (!is_continuation(text.data[i])) {
            return 1;
        }
        point = point << 6 | ((unsigned char)text.data[i] & 0x3f);
    }
    if (point < least[length] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) {
        return 1;
    }
    *out_code_point = point;
    return length;
}

/* Whether eight bytes are ASCII without NUL. */
static inline bool is_ascii_word(const char *bytes)
{
    const uint64_t each_byte = UINT64_C(0x0101010101010101);
    uint64_t word;
    memcpy(&word, bytes, sizeof(word));
    return ((word | (word - each_byte)) & each_byte * 0x80) == 0;
}

bool tacho_utf8_is_clean(tacho_str text)
{
    size_t at = 0;
    while (text.len - at >= sizeof(uint64_t) && is_ascii_word(text.data + at)) {
        at += sizeof(uint64_t);
    }
    if (text.len >= sizeof(uint64_t) && text.len - at < sizeof(uint64_t) &&
        is_ascii_word(text.data + text.len - sizeof(uint64_t))) {
        return true;
    }
    while (at < text.len) {
        if ((unsigned char)(text.data[at] - 1) < 0x7f) { /* ASCII without NUL */
            at++;
            continue;
        }
        uint32_t point = 0;
        at += tacho_utf8_decode(tacho_str_from(text, at), &point);
        if (point == UINT32_MAX || point == 0) {
            return false;
        }
    }
    return true;
}

char *tacho_utf8_clean_into(tacho_str text, char *to)
{
    for (size_t at = 0; at < text.len;) {
        uint32_t point = 0;
        size_t length = tacho_utf8_decode(tacho_str_from(text, at), &point);
        bool is_bad = point == UINT32_MAX || point == 0;
        memcpy(to, is_bad ? replacement : text.data + at, is_bad ? REPLACEMENT_BYTES : length);
        to += is_bad ? REPLACEMENT_BYTES : length;
        at += length;
    }
    return to;
}

tacho_status tacho_utf8_clean(tacho_str text, tacho_arena *arena, tacho_str *out_text)
{
    *out_text = text;
    if (tacho_utf8_is_clean(text)) {
        return TACHO_OK;
    }
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(arena, text.len * REPLACEMENT_BYTES, &memory));
    char *end = tacho_utf8_clean_into(text, memory);
    *out_text = tacho_str_make(memory, (size_t)(end - (char *)memory));
    return TACHO_OK;
}

bool tacho_utf8_acts_on_terminal(uint32_t point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == UINT32_MAX ||
           point == 0x061c || (point >= 0x200b && point <= 0x200f) ||
           (point >= 0x2028 && point <= 0x202e) || (point >= 0x2060 && point <= 0x206f) ||
           point == 0xfeff;
}

static bool is_printable(tacho_str text)
{
    for (size_t at = 0; at < text.len;) {
        uint32_t point = 0;
        at += tacho_utf8_decode(tacho_str_from(text, at), &point);
        if (tacho_utf8_acts_on_terminal(point)) {
            return false;
        }
    }
    return true;
}

size_t tacho_utf8_escape(tacho_str text, char *to)
{
    uint32_t point = 0;
    tacho_utf8_decode(text, &point);
    bool is_byte = point == UINT32_MAX || point < 0x80; /* \u in a text of JSON stays JSON */
    unsigned value = point == UINT32_MAX ? (unsigned char)text.data[0] : (unsigned)point;
    int len = snprintf(to, TACHO_UTF8_ESCAPE_MAX, is_byte ? "\\x%02x" : "\\u%04x", value);
    return (size_t)len;
}

tacho_status tacho_utf8_printable(tacho_str text, tacho_arena *arena, tacho_str *out_text)
{
    *out_text = text;
    if (is_printable(text)) {
        return TACHO_OK;
    }
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(arena, text.len * 6 + TACHO_UTF8_ESCAPE_MAX, &memory));
    char *to = memory;
    for (size_t at = 0; at < text.len;) {
        uint32_t point = 0;
        size_t length = tacho_utf8_decode(tacho_str_from(text, at), &point);
        if (tacho_utf8_acts_on_terminal(point)) {
            to += tacho_utf8_escape(tacho_str_from(text, at), to);
        } else {
            memcpy(to, text.data + at, length);
            to += length;
        }
        at += length;
    }
    *out_text = tacho_str_make(memory, (size_t)(to - (char *)memory));
    return TACHO_OK;
}

/* Own ranges rather than wcwidth(3), whose answer depends on the locale. */
static size_t columns_of(uint32_t point)
{
    static const struct {
        uint32_t first;
        uint32_t last;
        size_t columns;
    } ranges[] = {
        {0x300, 0x36f, 0},     {0x1100, 0x115f, 2},   {0x200b, 0x200f, 0},   {0x20d0, 0x20ff, 0},
        {0x231a, 0x231b, 2},   {0x23e9, 0x23ec, 2},   {0x23f0, 0x23f0, 2},   {0x23f3, 0x23f3, 2},
        {0x25fd, 0x25fe, 2},   {0x2614, 0x2615, 2},   {0x2648, 0x2653, 2},   {0x267f, 0x267f, 2},
        {0x2693, 0x2693, 2},   {0x26a1, 0x26a1, 2},   {0x26aa, 0x26ab, 2},   {0x26bd, 0x26be, 2},
        {0x26c4, 0x26c5, 2},   {0x26ce, 0x26ce, 2},   {0x26d4, 0x26d4, 2},   {0x26ea, 0x26ea, 2},
        {0x26f2, 0x26f3, 2},   {0x26f5, 0x26f5, 2},   {0x26fa, 0x26fa, 2},   {0x26fd, 0x26fd, 2},
        {0x2705, 0x2705, 2},   {0x270a, 0x270b, 2},   {0x2728, 0x2728, 2},   {0x274c, 0x274c, 2},
        {0x274e, 0x274e, 2},   {0x2753, 0x2755, 2},   {0x2757, 0x2757, 2},   {0x2795, 0x2797, 2},
        {0x27b0, 0x27b0, 2},   {0x27bf, 0x27bf, 2},   {0x2b1b, 0x2b1c, 2},   {0x2b50, 0x2b50, 2},
        {0x2b55, 0x2b55, 2},   {0x2e80, 0xa4cf, 2},   {0xac00, 0xd7a3, 2},   {0xf900, 0xfaff, 2},
        {0xfe00, 0xfe0f, 0},   {0xfe30, 0xfe6f, 2},   {0xff00, 0xff60, 2},   {0xffe0, 0xffe6, 2},
        {0x1f300, 0x1f64f, 2}, {0x1f680, 0x1f6ff, 2}, {0x1f7e0, 0x1f7eb, 2}, {0x1f90c, 0x1f9ff, 2},
        {0x1fa70, 0x1faff, 2}, {0x20000, 0x3fffd, 2},
    };
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        if (point >= ranges[i].first && point <= ranges[i].last) {
            return ranges[i].columns;
        }
    }
    return 1;
}

size_t tacho_utf8_width(tacho_str text)
{
    size_t width = 0;
    for (size_t at = 0; at < text.len;) {
        uint32_t point = 0;
        at += tacho_utf8_decode(tacho_str_from(text, at), &point);
        width += point < 0x300 ? 1 : columns_of(point);
    }
    return width;
}
