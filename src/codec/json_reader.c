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

/*
 * Unescapes [start, end) in place, for no escape is shorter than its character, and counts lone
 * surrogates. When skipping it only counts.
 */
static size_t unescape(tacho_json_reader *reader, char *start, const char *end)
{
    char *to = start;
    for (const char *from = start; from < end;) {
        const char *slash = memchr(from, '\\', (size_t)(end - from));
        size_t plain = (size_t)((slash == NULL ? end : slash) - from);
        if (!reader->is_skipping) {
            memmove(to, from, plain);
            to += plain;
        }
        from += plain;
        if (slash != NULL) {
            bool is_lone = false;
            uint32_t point = decode_escape(&from, &is_lone);
            reader->surrogate_count += is_lone;
            to = reader->is_skipping ? to : put_utf8(to, point);
        }
    }
    return (size_t)(reader->is_skipping ? end - start : to - start);
}

/* A string with an escape or a control character at |at|; NULL when it fails, else its end. */
static TACHO_NOINLINE char *read_odd_string(tacho_json_reader *reader, char *start, char *at)
{
    bool has_escapes = false;
    uint64_t control_count = 0;
    while (*at != '"') {
        if (*at == '\\') {
            has_escapes = true;
            at = check_escape(reader, at);
            if (at == NULL) {
                return NULL;
            }
        } else if (at >= reader->limit || !reader->options.is_lenient) {
            stop_at(reader, at, "the rest of a string");
            return NULL;
        } else {
            control_count++;
            at++;
        }
        at = find_string_stop(at);
    }
    reader->control_count += control_count;
    size_t len = has_escapes ? unescape(reader, start, at) : (size_t)(at - start);
    reader->text = tacho_str_make(start, len);
    return at + 1;
}

/* The string whose quote is at |at|; NULL when it fails, else its end. */
static inline char *read_string(tacho_json_reader *reader, char *at)
{
    char *start = at + 1;
    char *end = find_string_stop(start);
    if (TACHO_UNLIKELY(*end != '"')) {
        return read_odd_string(reader, start, end);
    }
    reader->text = tacho_str_make(start, (size_t)(end - start));
    return end + 1;
}

/* ---- tokens ------------------------------------------------------------------------------- */

static inline bool read_key(tacho_json_reader *reader, char *at)
{
    at = read_string(reader, at);
    if (TACHO_UNLIKELY(at == NULL)) {
        return false;
    }
    at = skip_space(at);
    reader->state = *at == ':' ? STATE_VALUE : STATE_COLON;
    reader->cursor = at + (*at == ':');
    return true;
}

/* Goes on behind a value that ends at |at|, mostly with a comma. */
static inline void end_value(tacho_json_reader *reader, char *at)
{
    if (TACHO_UNLIKELY(reader->depth == 0)) {
        reader->state = STATE_DONE;
        reader->cursor = at;
        return;
    }
    bool has_comma = *at == ',';
    reader->cursor = at + has_comma;
    reader->state =
        !has_comma ? STATE_AFTER : (reader->is_in_object ? STATE_KEY : STATE_VALUE);
}

static inline bool read_number(tacho_json_reader *reader, char *start)
{
    char *at = start + (*start == '-');
    char *digits = at;
    at = skip_digits(at);
    if (TACHO_UNLIKELY(at == digits)) {
        return stop_at(reader, at, "a digit");
    }
    at = *digits == '0' ? digits + 1 : at;
    if (*at == '.') {
        digits = at + 1;
        at = skip_digits(digits);
        if (TACHO_UNLIKELY(at == digits)) {
            return stop_at(reader, at, "a digit after the decimal point");
        }
    }
    if (TACHO_UNLIKELY((*at | 0x20) == 'e')) {
        digits = at + 1 + (at[1] == '+' || at[1] == '-');
        at = skip_digits(digits);
        if (TACHO_UNLIKELY(at == digits)) {
            return stop_at(reader, at, "a digit of the exponent");
        }
    }
    /* At the limit more digits may follow, if only because the input was cut among them. */
    if (TACHO_UNLIKELY(at == reader->limit && !(reader->is_at_end && reader->depth == 0))) {
        return stop_at(reader, at, "what follows a number");
    }
    reader->text = tacho_str_make(start, (size_t)(at - start));
    end_value(reader, at);
    return true;
}

static inline bool read_word(tacho_json_reader *reader, char *at, const char *word, size_t len)
{
    if (TACHO_UNLIKELY(memcmp(at, word, len) != 0)) {
        const char *start = at;
        while (*at == word[at - start]) {
            at++;
        }
        return stop_at(reader, at, word);
    }
    reader->text = tacho_str_make(at, len);
    end_value(reader, at + len);
    return true;
}

static inline bool begin_container(tacho_json_reader *reader, char *at, bool is_object)
{
    if (TACHO_UNLIKELY(reader->depth == TACHO_JSON_DEPTH_MAX)) {
        return stop_at(reader, at, NULL);
    }
    uint64_t bit = 1ULL << (reader->depth & 63);
    uint64_t *word = &reader->kinds[reader->depth >> 6];
    *word = is_object ? *word | bit : *word & ~bit;
    reader->depth++;
    reader->is_in_object = is_object;
    reader->state = is_object ? STATE_FIRST_KEY : STATE_FIRST_VALUE;
    reader->text = tacho_str_make(at, 1);
    reader->cursor = at + 1;
    return true;
}

static inline tacho_json_token end_container(tacho_json_reader *reader, char *at)
{
    bool was_object = reader->is_in_object;
    size_t outer = --reader->depth - 1;
    reader->is_in_object = reader->depth > 0 && (reader->kinds[outer >> 6] >> (outer & 63) & 1);
    reader->text = tacho_str_make(at, 1);
    end_value(reader, at + 1);
    return was_object ? TACHO_JSON_OBJECT_END : TACHO_JSON_ARRAY_END;
}

static inline bool read_value(tacho_json_reader *reader, char *at, tacho_json_token *out_token)
{
    switch (*at) {
    case '"': {
        *out_token = TACHO_JSON_STRING;
        char *end = read_string(reader, at);
        if (TACHO_UNLIKELY(end == NULL)) {
            return false;
        }
        end_value(reader, end);
        return true;
    }
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
        *out_token = TACHO_JSON_NUMBER;
        return read_number(reader, at);
    case '{':
        *out_token = TACHO_JSON_OBJECT_BEGIN;
        return begin_container(reader, at, true);
    case '[':
        *out_token = TACHO_JSON_ARRAY_BEGIN;
        return begin_container(reader, at, false);
    case 't':
        *out_token = TACHO_JSON_TRUE;
        return read_word(reader, at, "true", 4);
    case 'f':
        *out_token = TACHO_JSON_FALSE;
        return read_word(reader, at, "false", 5);
    case 'n':
        *out_token = TACHO_JSON_NULL;
        return read_word(reader, at, "null", 4);
    default:
        return stop_at(reader, at, "a value");
    }
}

/* One token from the cursor on, or false with the reason in |stop| and |wanted|. */
static inline bool scan(tacho_json_reader *reader, tacho_json_token *out_token)
{
    char *at = skip_space(reader->cursor);
    if (reader->state == STATE_AFTER) {
        if (*at != ',') {
            if (TACHO_UNLIKELY(*at != (reader->is_in_object ? '}' : ']'))) {
                return stop_at(reader, at, reader->is_in_object ? "',' or '}'" : "',' or ']'");
            }
            *out_token = end_container(reader, at);
            return true;
        }
        reader->state = reader->is_in_object ? STATE_KEY : STATE_VALUE;
        reader->cursor = at + 1;
        at = skip_space(at + 1);
    } else if (TACHO_UNLIKELY(reader->state == STATE_COLON)) {
        if (*at != ':') {
            return stop_at(reader, at, "':' after a key");
        }
        reader->state = STATE_VALUE;
        reader->cursor = at + 1;
        at = skip_space(at + 1);
    }
    switch ((enum state)reader->state) {
    case STATE_FIRST_KEY:
        if (*at == '}') {
            *out_token = end_container(reader, at);
            return true;
        }
        /* fall through */
    case STATE_KEY:
        *out_token = TACHO_JSON_KEY;
        return *at == '"' ? read_key(reader, at) : stop_at(reader, at, "a key in quotes");
    case STATE_FIRST_VALUE:
        if (*at == ']') {
            *out_token = end_container(reader, at);
            return true;
        }
        /* fall through */
    case STATE_VALUE:
        return read_value(reader, at, out_token);
    case STATE_COLON:
    case STATE_AFTER:
    case STATE_DONE:
        break;
    }
    return stop_at(reader, at, "the end of the input");
}

/* ---- the buffer --------------------------------------------------------------------------- */

static tacho_status make_buffer(size_t capacity, tacho_json_buffer **out_buffer)
{
    *out_buffer = malloc(sizeof(**out_buffer) + capacity + PAD_BYTES);
    if (*out_buffer == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get %zu bytes of memory to read JSON",
                          capacity);
    }
    (*out_buffer)->next = NULL;
    (*out_buffer)->capacity = capacity;
    return TACHO_OK;
}

static uint64_t offset_of(const tacho_json_reader *reader, const char *at)
{
    return reader->buffer_offset + (uint64_t)(at - reader->buffer->bytes);
}

/* Takes |buffer| out of use: as the spare one when it fits and there is none. */
static void drop_buffer(tacho_json_reader *reader, tacho_json_buffer *buffer)
{
    if (reader->spare == NULL && buffer->capacity == reader->buffer->capacity) {
        reader->spare = buffer;
    } else {
        free(buffer);
    }
}

/* Goes on in another buffer, to which the bytes from |keep| on are copied. */
static tacho_status change_buffer(tacho_json_reader *reader, const char *keep, size_t kept)
{
    tacho_json_buffer *old = reader->buffer;
    size_t capacity = kept > old->capacity / 2 ? 2 * old->capacity : old->capacity;
    tacho_json_buffer *fresh = reader->spare;
    if (fresh != NULL && fresh->capacity >= capacity) {
        reader->spare = NULL;
    } else {
        TACHO_TRY(make_buffer(capacity, &fresh));
    }
    memcpy(fresh->bytes, keep, kept);
    reader->buffer = fresh;
    if (reader->is_held) {
        old->next = reader->retired;
        reader->retired = old;
    } else {
        free(old);
    }
    return TACHO_OK;
}

/* Makes room for more bytes; those from |keep| on stay. */
static tacho_status make_room(tacho_json_reader *reader, const char *keep)
{
    tacho_json_buffer *buffer = reader->buffer;
    if (reader->is_held && reader->limit < buffer->bytes + buffer->capacity) {
        return TACHO_OK;
    }
    size_t kept = (size_t)(reader->limit - keep);
    uint64_t keep_offset = offset_of(reader, keep);
    size_t cursor = (size_t)(reader->cursor - keep);
    if (reader->is_held || kept > buffer->capacity / 2) {
        TACHO_TRY(change_buffer(reader, keep, kept));
    } else {
        memmove(buffer->bytes, keep, kept);
    }
    reader->buffer_offset = keep_offset;
    reader->cursor = reader->buffer->bytes + cursor;
    reader->limit = reader->buffer->bytes + kept;
    return TACHO_OK;
}

static tacho_status check_limits(const tacho_json_reader *reader, const char *keep)
{
    if (reader->limit - keep >= TACHO_INPUT_TOKEN_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "%s: byte %llu: the text here is longer than %d MiB",
                          reader->input->name, (unsigned long long)offset_of(reader, keep),
                          TACHO_INPUT_TOKEN_MAX >> 20);
    }
    if (reader->is_held &&
        offset_of(reader, reader->limit) - reader->held_offset >= TACHO_INPUT_TOKEN_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "%s: byte %llu: the value here is longer than %d MiB",
                          reader->input->name, (unsigned long long)reader->held_offset,
                          TACHO_INPUT_TOKEN_MAX >> 20);
    }
    return TACHO_OK;
}

/* Adds bytes behind the limit, or finds that there are no more. */
static tacho_status refill(tacho_json_reader *reader)
{
    const char *keep = reader->cursor;
    if (reader->mark_offset != NO_MARK) {
        keep = reader->buffer->bytes + (reader->mark_offset - reader->buffer_offset);
    }
    TACHO_TRY(check_limits(reader, keep));
    size_t kept = (size_t)(reader->limit - keep);
    tacho_str fresh;
    TACHO_TRY(tacho_input_peek(reader->input, kept > LONG_TOKEN ? kept : 1, &fresh));
    if (fresh.len == 0) {
        reader->is_at_end = true;
        return TACHO_OK;
    }
    TACHO_TRY(make_room(reader, keep));
    size_t room = (size_t)(reader->buffer->bytes + reader->buffer->capacity - reader->limit);
    size_t len = fresh.len < room ? fresh.len : room;
    memcpy(reader->limit, fresh.data, len);
    reader->limit += len;
    memset(reader->limit, 0, PAD_BYTES);
    tacho_input_skip(reader->input, len);
    return TACHO_OK;
}

tacho_status tacho_json_reader_init(tacho_json_reader *reader, tacho_input *input,
                                    const tacho_json_options *options)
{
    *reader = (tacho_json_reader){.input = input, .mark_offset = NO_MARK};
    if (options != NULL) {
        reader->options = *options;
    }
    size_t capacity = reader->options.buffer_bytes;
    TACHO_TRY(make_buffer(capacity == 0 ? BUFFER_BYTES : capacity, &reader->buffer));
    reader->cursor = reader->limit = reader->buffer->bytes;
    memset(reader->limit, 0, PAD_BYTES);
    reader->buffer_offset = tacho_input_offset(input);
    return TACHO_OK;
}

void tacho_json_release(tacho_json_reader *reader)
{
    while (reader->retired != NULL) {
        tacho_json_buffer *next = reader->retired->next;
        drop_buffer(reader, reader->retired);
        reader->retired = next;
    }
    reader->is_held = false;
}

void tacho_json_hold(tacho_json_reader *reader)
{
    if (reader->retired != NULL) {
        tacho_json_release(reader);
    }
    reader->is_held = true;
    reader->held_offset = offset_of(reader, reader->cursor);
}

void tacho_json_reader_deinit(tacho_json_reader *reader)
{
    tacho_json_release(reader);
    free(reader->spare);
    free(reader->buffer);
    *reader = (tacho_json_reader){0};
}

/* ---- the slow path ------------------------------------------------------------------------ */

static TACHO_NOINLINE tacho_status go_on(tacho_json_reader *reader, tacho_json_token *out_token, bool *out_got)
{
    (void)out_token;
    if (reader->stop >= reader->limit && !reader->is_at_end) {
        return refill(reader);
    }
    if (reader->stop >= reader->limit && reader->state == STATE_DONE) { *out_got = true; *out_token = TACHO_JSON_END; return TACHO_OK; }
    return tacho_fail(TACHO_CODE_BAD_DATA, "%s: byte %llu: expected %s", reader->input->name, (unsigned long long)offset_of(reader, reader->stop), reader->wanted);
}

tacho_status tacho_json_next(tacho_json_reader *reader, tacho_json_token *out_token)
{
    while (TACHO_UNLIKELY(!scan(reader, out_token))) {
        bool got = false;
        TACHO_TRY(go_on(reader, out_token, &got));
        if (got) break;
    }
    return TACHO_OK;
}
