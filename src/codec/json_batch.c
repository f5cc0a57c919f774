/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scanner. It checks no bounds: every scan stops at the zero bytes after the limit of the
 * buffer. Nor does it change the text: a token that turns out to be incomplete is scanned again
 * from its first byte when more input is available.
 *
 * It is fast because the position of a token depends on branches, which are predicted, rather than
 * on arithmetic over the bytes before it; so short runs are walked byte by byte and only long ones
 * 16 bytes at a time.
 */
#include "codec/json_batch.h"

#include "codec/json_escape.h"

#include <assert.h>

enum { SHORT_STRING = 8 };

static_assert((int)TACHO_JSON_PAD_BYTES >= (int)TACHO_JSON_READABLE_BYTES, "the padding is enough");

/*
 * The state of the scan. Only inlined functions take its address, so that it lives in registers;
 * the others take the reader.
 */
typedef struct scanner {
    char *at; /* after the last token and its punctuation */
    tacho_json_packed *out;
    const tacho_json_packed *full; /* where the batch ends */
    tacho_json_state state;
    size_t depth;
    bool is_in_object;
    char *base;
    tacho_json_reader *reader;
} scanner;

/* Records why the scan ends. */
static bool stop(tacho_json_reader *reader, const char *at, const char *wanted)
{
    reader->stop = at;
    reader->wanted = wanted;
    return false;
}

/* ---- runs of bytes ------------------------------------------------------------------------ */

/* Bytes at which tacho_json_find_string_stop stops. */
static const bool string_stops[256] = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, /* 0x00 to 0x1f */
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ['"'] = 1, ['\\'] = 1,
};

/* The same as tacho_json_find_string_stop, for mostly the stop is near. */
static inline char *find_string_end(char *at)
{
    const char *far = at + SHORT_STRING;
    while (!string_stops[(unsigned char)*at]) {
        if (++at == far) {
            return tacho_json_find_string_stop(at);
        }
    }
    return at;
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

/* ---- tokens ------------------------------------------------------------------------------- */

static inline void put(scanner *scan, const char *start, const char *end, unsigned kind)
{
    *scan->out++ =
        (tacho_json_packed){(uint32_t)(start - scan->base), (uint32_t)(end - start) << 8 | kind};
}

/* Scans the string whose text begins at |start|; returns the byte after its quote, or NULL. */
static inline char *scan_string(scanner *scan, char *start, unsigned kind)
{
    char *at = find_string_end(start);
    if (TACHO_UNLIKELY(*at != '"')) {
        at = tacho_json_escape_find_end(scan->reader, at);
        if (at == NULL) {
            return NULL;
        }
        kind |= TACHO_JSON_ODD;
    }
    put(scan, start, at, kind);
    return at + 1;
}

/* NULL or the end of the number at |at|. */
static inline char *scan_number(scanner *scan, char *at)
{
    char *digits = at + (*at == '-');
    at = skip_digits(digits);
    if (TACHO_UNLIKELY(at == digits)) {
        stop(scan->reader, at, "a digit");
        return NULL;
    }
    at = *digits == '0' ? digits + 1 : at;
    if (*at == '.') {
        digits = at + 1;
        at = skip_digits(digits);
        if (TACHO_UNLIKELY(at == digits)) {
            stop(scan->reader, at, "a digit after the decimal point");
            return NULL;
        }
    }
    if (TACHO_UNLIKELY((*at | 0x20) == 'e')) {
        digits = at + 1 + (at[1] == '+' || at[1] == '-');
        at = skip_digits(digits);
        if (at == digits) {
            stop(scan->reader, at, "a digit of the exponent");
            return NULL;
        }
    }
    /* At the limit more digits may follow, if only because the input was cut among them. */
    const tacho_json_reader *reader = scan->reader;
    if (TACHO_UNLIKELY(at == reader->limit && !(reader->is_at_end && scan->depth == 0))) {
        stop(scan->reader, at, "what follows a number");
        return NULL;
    }
    return at;
}

/* NULL or the end of |word|, of which the first letter is at |at|. */
static char *scan_word(tacho_json_reader *reader, char *at, const char *word)
{
    for (; *word != '\0'; word++, at++) {
        if (*at != *word) {
            stop(reader, at, "true, false or null");
            return NULL;
        }
    }
    return at;
}

static inline bool begin_container(scanner *scan, char *at, bool is_object)
{
    if (TACHO_UNLIKELY(scan->depth == TACHO_JSON_DEPTH_MAX)) {
        return stop(scan->reader, at, NULL);
    }
    uint64_t bit = (uint64_t)1 << (scan->depth & 63);
    uint64_t *word = &scan->reader->kinds[scan->depth >> 6];
    *word = is_object ? *word | bit : *word & ~bit;
    scan->depth++;
    scan->is_in_object = is_object;
    scan->state = is_object ? TACHO_JSON_STATE_FIRST_KEY : TACHO_JSON_STATE_FIRST_VALUE;
    put(scan, at, at + 1, is_object ? TACHO_JSON_OBJECT_BEGIN : TACHO_JSON_ARRAY_BEGIN);
    scan->at = at + 1;
    return true;
}

/* Continues after a value that ends at |at|, mostly with a comma. */
static inline bool end_value(scanner *scan, char *at)
{
    scan->at = at;
    if (TACHO_UNLIKELY(scan->depth == 0)) {
        scan->state = TACHO_JSON_STATE_DONE;
    } else if (*at == ',') {
        scan->state = scan->is_in_object ? TACHO_JSON_STATE_KEY : TACHO_JSON_STATE_VALUE;
        scan->at++;
    } else {
        scan->state = TACHO_JSON_STATE_AFTER;
    }
    return true;
}

static inline bool end_container(scanner *scan, char *at)
{
    put(scan, at, at + 1, scan->is_in_object ? TACHO_JSON_OBJECT_END : TACHO_JSON_ARRAY_END);
    scan->depth--;
    if (TACHO_LIKELY(scan->depth > 0)) {
        size_t outer = scan->depth - 1;
        scan->is_in_object = scan->reader->kinds[outer >> 6] >> (outer & 63) & 1;
    }
    scan->full = scan->depth == scan->reader->element_depth ? scan->out : scan->full;
    return end_value(scan, at + 1);
}

/* A number, true, false or null that begins at |at| and has been scanned to |end|. */
static inline bool end_scalar(scanner *scan, const char *at, char *end, tacho_json_token kind)
{
    if (TACHO_UNLIKELY(end == NULL)) {
        return false;
    }
    put(scan, at, end, kind);
    return end_value(scan, end);
}

static TACHO_ALWAYS_INLINE bool scan_value(scanner *scan, char *at)
{
    char *end = NULL;
    switch (*at) {
    case '"':
        end = scan_string(scan, at + 1, TACHO_JSON_STRING);
        return TACHO_LIKELY(end != NULL) && end_value(scan, end);
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
        return end_scalar(scan, at, scan_number(scan, at), TACHO_JSON_NUMBER);
    case '[':
        return begin_container(scan, at, false);
    case '{':
        return begin_container(scan, at, true);
    case 't':
        return end_scalar(scan, at, scan_word(scan->reader, at, "true"), TACHO_JSON_TRUE);
    case 'f':
        return end_scalar(scan, at, scan_word(scan->reader, at, "false"), TACHO_JSON_FALSE);
    case 'n':
        return end_scalar(scan, at, scan_word(scan->reader, at, "null"), TACHO_JSON_NULL);
    default:
        return stop(scan->reader, at, "a value");
    }
}

/* A key, its colon and mostly its value; only the key when something else follows it. */
static inline bool scan_key(scanner *scan, char *at)
{
    if (TACHO_UNLIKELY(*at != '"')) {
        return stop(scan->reader, at, "a key in quotes");
    }
    at = scan_string(scan, at + 1, TACHO_JSON_KEY);
    if (TACHO_UNLIKELY(at == NULL)) {
        return false;
    }
    at = tacho_json_skip_space(at);
    bool has_colon = *at == ':';
    scan->state = has_colon ? TACHO_JSON_STATE_VALUE : TACHO_JSON_STATE_COLON;
    scan->at = has_colon ? at + 1 : at;
    if (TACHO_LIKELY(has_colon && scan->out < scan->full)) {
        scan->at = tacho_json_skip_space(scan->at);
        return scan_value(scan, scan->at);
    }
    return true;
}

/* A comma, or the end of the container. */
static inline bool scan_after(scanner *scan, char *at)
{
    if (*at == (scan->is_in_object ? '}' : ']')) {
        return end_container(scan, at);
    }
    if (TACHO_UNLIKELY(*at != ',')) {
        return stop(scan->reader, at, scan->is_in_object ? "',' or '}'" : "',' or ']'");
    }
    scan->state = scan->is_in_object ? TACHO_JSON_STATE_KEY : TACHO_JSON_STATE_VALUE;
    scan->at = at + 1;
    return true;
}

static inline bool scan_colon(scanner *scan, char *at)
{
    if (*at != ':') {
        return stop(scan->reader, at, "':' after a key");
    }
    scan->state = TACHO_JSON_STATE_VALUE;
    scan->at = at + 1;
    return true;
}

/* A token or the punctuation between two, or a key with its value; there is room for one token. */
static inline bool scan_next(scanner *scan)
{
    char *at = scan->at = tacho_json_skip_space(scan->at);
    switch (scan->state) {
    case TACHO_JSON_STATE_FIRST_KEY:
    case TACHO_JSON_STATE_KEY:
        if (*at == '}' && scan->state == TACHO_JSON_STATE_FIRST_KEY) {
            return end_container(scan, at);
        }
        return scan_key(scan, at);
    case TACHO_JSON_STATE_FIRST_VALUE:
    case TACHO_JSON_STATE_VALUE:
        if (*at == ']' && scan->state == TACHO_JSON_STATE_FIRST_VALUE) {
            return end_container(scan, at);
        }
        return scan_value(scan, at);
    case TACHO_JSON_STATE_COLON:
        return scan_colon(scan, at);
    case TACHO_JSON_STATE_AFTER:
        return scan_after(scan, at);
    case TACHO_JSON_STATE_DONE:
        break;
    }
    return stop(scan->reader, at, "the end of the input");
}

void tacho_json_batch_scan(tacho_json_reader *reader)
{
    scanner scan = {
        .at = reader->cursor,
        .out = reader->tokens + 1,
        .full = reader->tokens + TACHO_JSON_BATCH + 1,
        .state = reader->state,
        .depth = reader->depth,
        .is_in_object = reader->is_in_object,
        .base = reader->base,
        .reader = reader,
    };
    while (scan.out < scan.full && scan_next(&scan)) {
    }
    reader->cursor = scan.at;
    reader->state = scan.state;
    reader->depth = scan.depth;
    reader->is_in_object = scan.is_in_object;
    reader->token = reader->tokens + 1;
    reader->token_end = scan.out;
}
