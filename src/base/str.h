/* SPDX-License-Identifier: Apache-2.0 */
/*
 * String views: a pointer and a length, never owned, never NUL-terminated by promise.
 *
 * Print one with "%.*s" and TACHO_STR_ARG(view). Text that must outlive its buffer is interned
 * (base/strings.h) or copied to an arena (base/arena.h).
 */
#ifndef TACHO_BASE_STR_H
#define TACHO_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct tacho_str {
    const char *data;
    size_t len;
} tacho_str;

/* A view of a string literal; usable in constant initialisers. */
#define TACHO_STR_INIT(literal)                                                                    \
    {                                                                                              \
        (literal), sizeof(literal) - 1                                                             \
    }
#define TACHO_STR(literal) ((tacho_str)TACHO_STR_INIT(literal))

/* For "%.*s". Views longer than INT_MAX do not occur: input tokens are capped at 16 MiB. */
#define TACHO_STR_ARG(view) (int)(view).len, (view).data

static inline tacho_str tacho_str_make(const char *data, size_t len)
{
    return (tacho_str){data, len};
}

static inline tacho_str tacho_str_from_cstring(const char *cstring)
{
    return (tacho_str){cstring, strlen(cstring)};
}

static inline bool tacho_str_equal(tacho_str a, tacho_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static inline bool tacho_str_starts_with(tacho_str text, tacho_str prefix)
{
    return prefix.len == 0 ||
           (text.len >= prefix.len && memcmp(text.data, prefix.data, prefix.len) == 0);
}

static inline bool tacho_str_ends_with(tacho_str text, tacho_str suffix)
{
    return suffix.len == 0 || (text.len >= suffix.len && memcmp(text.data + (text.len - suffix.len),
                                                                suffix.data, suffix.len) == 0);
}

/* The rest of |text| from byte |start|, which must not be past its end. */
static inline tacho_str tacho_str_from(tacho_str text, size_t start)
{
    return (tacho_str){text.data + start, text.len - start};
}

/* Bytewise order, shorter first on a common prefix: <0, 0 or >0. */
int tacho_str_compare(tacho_str a, tacho_str b);

/* Without leading and trailing spaces, tabs and carriage returns. */
tacho_str tacho_str_trim(tacho_str text);

/* The part after the last '/', the whole when there is none. */
tacho_str tacho_str_basename(tacho_str path);

/* Replaces blanks, slashes and control characters of a NUL-terminated text by '_', for file names.
 */
void tacho_make_plain_name(char *text);

/* Where |part| first is in |text|, an empty one at 0; SIZE_MAX if nowhere. Takes linear time. */
size_t tacho_str_find(tacho_str text, tacho_str part);

/* Whether |part| is somewhere in |text|; an empty one is. */
bool tacho_str_contains(tacho_str text, tacho_str part);

/* Index of the first |byte|, or text.len. */
size_t tacho_str_find_byte(tacho_str text, char byte);

/*
 * Parses a whole view as a decimal integer, no sign, no spaces. False when it is empty, holds
 * another byte, or does not fit.
 */
bool tacho_str_parse_u64(tacho_str text, uint64_t *out_value);

/* The same for hexadecimal digits, with or without 0x before them. */
bool tacho_str_parse_hex(tacho_str text, uint64_t *out_value);

#endif
