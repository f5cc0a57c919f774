/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the generators share: numbers that depend on a seed and an index alone, text that is put
 * together in a buffer, and the way to stdout.
 */
#ifndef TACHO_BENCH_GEN_H
#define TACHO_BENCH_GEN_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers --------------------------------------------------------------------------------- */

static inline uint64_t mix(uint64_t value)
{
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

/* The |index|-th number of stream |stream| of a seed. Streams keep rows and locations apart. */
static inline uint64_t draw(uint64_t seed, uint64_t stream, uint64_t index)
{
    return mix(mix(seed * 8 + stream) + index * UINT64_C(0x9e3779b97f4a7c15));
}

/* ---- text: a put_ function writes at |at| and returns the place after it --------------------- */

static inline char *put_bytes(char *at, const char *text, size_t length)
{
    memcpy(at, text, length);
    return at + length;
}

static inline char *put_text(char *at, const char *text)
{
    return put_bytes(at, text, strlen(text));
}

static inline char *put_char(char *at, char letter)
{
    *at = letter;
    return at + 1;
}

static inline char *put_number(char *at, uint64_t value)
{
    static const char pairs[] = "0001020304050607080910111213141516171819"
                                "2021222324252627282930313233343536373839"
                                "4041424344454647484950515253545556575859"
                                "6061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    char digits[20];
    char *first = digits + sizeof digits;
    while (value >= 10) {
        first -= 2;
        memcpy(first, pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    /* An even number of digits leaves 0; otherwise the leading digit (or a zero) is to come. */
    if (value != 0 || first == digits + sizeof digits)
        *--first = (char)('0' + value);
    return put_bytes(at, first, (size_t)(digits + sizeof digits - first));
}

/* ---- the way out ----------------------------------------------------------------------------- */

static inline bool write_all(const char *data, size_t length)
{
    if (fwrite(data, 1, length, stdout) == length)
        return true;
    fprintf(stderr, "cannot write to stdout: %s\n", strerror(errno));
    return false;
}

static inline bool number_parse(const char *text, uint64_t *out_value)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    *out_value = value;
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

#endif
