/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tokenizer. A call scans from the cursor and either returns a token or stops at a byte that
 * does not fit. The stop is looked at on the slow path: at the limit of the buffer more input is
 * fetched and the scan begins again, anywhere else the byte is at fault. So the fast path checks
 * no bounds: behind the limit lie zero bytes, at which every scan stops.
 */
#include "codec/json_reader.h"

#include <assert.h>
#include <stdlib.h>

#if defined(__SSE2__) && !defined(TACHO_JSON_PORTABLE)
#include <emmintrin.h>
#define HAS_SSE2 1
#else
#define HAS_SSE2 0
#endif

enum {
    BUFFER_BYTES = 128 << 10,
    PAD_BYTES = 64,    /* zero bytes behind the limit: more than any scan reads at once */
    LONG_TOKEN = 4096, /* beyond, a token is scanned again only when it may have doubled */
};

#define NO_MARK UINT64_MAX

struct tacho_json_buffer {
    tacho_json_buffer *next;
    size_t capacity; /* without the padding */
    char bytes[];
};

/* What may come next. */
enum state {
    STATE_VALUE,
    STATE_FIRST_VALUE, /* or the end of the array */
    STATE_KEY,
    STATE_FIRST_KEY, /* or the end of the object */
    STATE_COLON,
    STATE_AFTER, /* a comma or the end of the container */
    STATE_DONE,
};

/* ---- scans -------------------------------------------------------------------------------- */

#if HAS_SSE2

static inline unsigned mask_of(__m128i bytes)
{
    return (unsigned)_mm_movemask_epi8(bytes);
}

static inline __m128i load(const char *at)
{
    __m128i bytes;
    memcpy(&bytes, at, sizeof(bytes));
    return bytes;
}

/* The first byte from |at| on that is a quote, a backslash or a control character. */
static inline char *find_string_stop(char *at)
{
    for (;; at += 16) {
        __m128i bytes = load(at);
        __m128i quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
        __m128i slashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
        __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
        unsigned stops = mask_of(_mm_or_si128(_mm_or_si128(quotes, slashes), controls));
        if (TACHO_LIKELY(stops != 0)) {
            return at + __builtin_ctz(stops);
        }
    }
}

static inline char *find_non_space(char *at)
{
    for (;; at += 16) {
        __m128i bytes = load(at);
        __m128i blanks = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')),
                                      _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\t')));
        __m128i ends = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')),
                                    _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\r')));
        unsigned others = mask_of(_mm_or_si128(blanks, ends)) ^ 0xffff;
        if (TACHO_LIKELY(others != 0)) {
            return at + __builtin_ctz(others);
        }
    }
}

#else

#define EACH(byte) (0x0101010101010101U * (byte))

static inline uint64_t load(const char *at)
{
    uint64_t bytes;
    memcpy(&bytes, at, sizeof(bytes));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    return bytes;
}

/* Sets the top bit of each byte below |bound|; exact up to the first such byte. */
static inline uint64_t below(uint64_t bytes, uint64_t bound)
{
    return (bytes - EACH(bound)) & ~bytes & EACH(0x80U);
}

static inline char *find_string_stop(char *at)
{
    for (;; at += 8) {
        uint64_t bytes = load(at);
        uint64_t stops = below(bytes, 0x20) | below(bytes ^ EACH((uint64_t)'"'), 1) |
                         below(bytes ^ EACH((uint64_t)'\\'), 1);
        if (TACHO_LIKELY(stops != 0)) {
            return at + (__builtin_ctzll(stops) >> 3);
        }
    }
}

static inline char *find_non_space(char *at)
{
    while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t') {
        at++;
    }
    return at;
}

#endif

/* Mostly there is no space or a single one. */
static inline char *skip_space(char *at)
{
    if ((unsigned char)*at > ' ') {
        return at;
    }
    if (*at == ' ' && (unsigned char)at[1] > ' ') {
        return at + 1;
    }
    return find_non_space(at);
}

static inline bool is_digit(char byte)
{
    return (unsigned char)(byte - '0') < 10;
}

static inline char *skip_digits(char *at)
{
    while (is_digit(*at)) {
        at++;
    }
    return at;
}

/* Remembers why a scan failed. */
static bool stop_at(tacho_json_reader *reader, const char *stop, const char *wanted)
{
    reader->stop = stop;
    reader->wanted = wanted;
    return false;
}

/* ---- strings ------------------------------------------------------------------------------ */

static int hex_value(char byte)
{
    if (is_digit(byte)) {
        return byte - '0';
    }
    char lower = (char)(byte | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static unsigned unit_at(const char *digits)
{
    unsigned unit = 0;
    for (size_t i = 0; i < 4; i++) {
        unit = unit << 4 | (unsigned)hex_value(digits[i]);
    }
    return unit;
}

/* Checks the escape at |at|; NULL when it is not one, else where it ends. */
static char *check_escape(tacho_json_reader *reader, char *at)
{
    if (at[1] != 'u') {
        if (at[1] == '\0' || strchr("\"\\/bfnrt", at[1]) == NULL) {
            stop_at(reader, at + 1, "one of \" \\ / b f n r t u after a backslash");
            return NULL;
        }
        return at + 2;
    }
    for (size_t i = 2; i < 6; i++) {
        if (hex_value(at[i]) < 0) {
            stop_at(reader, at + i, "four hexadecimal digits after \\u");
            return NULL;
        }
    }
    return at + 6;
}

/* Decodes the escape at |*at|, which has been checked, and passes over it. */
static uint32_t decode_escape(const char **at, bool *out_is_lone)
{
    static const char names[] = "bfnrt", values[] = "\b\f\n\r\t";
    const char *escape = *at;
    *out_is_lone = false;
    if (escape[1] != 'u') {
        const char *name = strchr(names, escape[1]);
        *at += 2;
        return (unsigned char)(name == NULL ? escape[1] : values[name - names]);
    }
    *at += 6;
    uint32_t unit = unit_at(escape + 2);
    if (unit < 0xd800 || unit > 0xdfff) {
        return unit;
    }
    if (unit < 0xdc00 && escape[6] == '\\' && escape[7] == 'u') {
        uint32_t low = unit_at(escape + 8);
        if (low >= 0xdc00 && low <= 0xdfff) {
            *at += 6;
            return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        }
    }
    *out_is_lone = true;
    return 0xfffd;
}

static char *put_utf8(char *to, uint32_t point)
{
    if (point < 0x80) {
        *to++ = (char)point;
    } else if (point < 0x800) {
        *to++ = (char)(0xc0 | point >> 6);
        *to++ = (char)(0x80 | (point & 0x3f));
    } else if (point < 0x10000) {
        *to++ = (char)(0xe0 | point >> 12);
        *to++ = (char)(0x80 | (point >> 6 & 0x3f));
        *to++ = (char)(0x80 | (point & 0x3f));
    } else {
        *to++ = (char)(0xf0 | point >> 18);
        *to++ = (char)(0x80 | (point >> 12 & 0x3f));
        *to++ = (char)(0x80 | (point >> 6 & 0x3f));
        *to++ = (char)(0x80 | (point & 0x3f));
    }
    return to;
}

/* Unescapes [start, end) in place, for no escape is shorter than its character. */
static size_t unescape(tacho_json_reader *reader, char *start, const char *end)
{
    char *to = start;
    for (const char *from = start; from < end;) {
        const char *slash = memchr(from, '\\', (size_t)(end - from));
        size_t plain = (size_t)((slash == NULL ? end : slash) - from);
        memmove(to, from, plain);
        to += plain;
        from += plain;
        if (slash != NULL) {
            bool is_lone = false;
            uint32_t point = decode_escape(&from, &is_lone);
            reader->surrogate_count += is_lone;
            to = put_utf8(to, point);
        }
    }
    return (size_t)(to - start);
}
