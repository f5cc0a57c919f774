/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading JSON (RFC 8259) from an input of any size, token by token, in bounded memory.
 *
 *     TACHO_TRY(tacho_json_next(&reader, &token));
 *     if (token == TACHO_JSON_KEY && tacho_str_equal(reader.text, TACHO_STR("traceEvents"))) ...
 *
 * The reader copies the input piece by piece into a buffer of its own and scans tokens a batch at
 * a time. A caller that needs the texts of a whole object at once holds them (tacho_json_hold);
 * nothing is copied for that.
 *
 * Duplicate keys are returned like others. Bytes of strings that are not UTF-8 are passed on
 * unchanged and unchecked; sinks clean them. Numbers are text; codec/json_number.h converts them.
 */
#ifndef TACHO_CODEC_JSON_READER_H
#define TACHO_CODEC_JSON_READER_H

#include "base/input.h"
#include "base/status.h"
#include "base/str.h"

/* One row per token: id, and name in messages. */
#define TACHO_JSON_TOKENS(X)                                                                       \
    X(OBJECT_BEGIN, "an object")                                                                   \
    X(OBJECT_END, "the end of an object")                                                          \
    X(ARRAY_BEGIN, "an array")                                                                     \
    X(ARRAY_END, "the end of an array")                                                            \
    X(KEY, "a key")                                                                                \
    X(STRING, "a string")                                                                          \
    X(NUMBER, "a number")                                                                          \
    X(TRUE, "true")                                                                                \
    X(FALSE, "false")                                                                              \
    X(NULL, "null")                                                                                \
    X(END, "the end of the input")

typedef enum tacho_json_token {
#define TACHO_JSON_ENUM(name, meaning) TACHO_JSON_##name,
    TACHO_JSON_TOKENS(TACHO_JSON_ENUM)
#undef TACHO_JSON_ENUM
} tacho_json_token;

/* The name of |token| in messages. */
const char *tacho_json_token_name(tacho_json_token token);

typedef struct tacho_json_options {
    /*
     * Accept deviations of real tools, and count them: control characters in strings, and in place
     * of a number NaN, Infinity, nan or inf, with or without a minus, which read as NULL. A byte
     * order mark is passed over.
     */
    bool is_lenient;
    /*
     * An array at the top may end in a comma, and without its bracket (Chrome's array form), and
     * its objects may have no commas between them (DFTracer's).
     */
    bool allows_open_array;
    size_t buffer_bytes; /* to begin with; 0 for a good size, tests take small ones */
} tacho_json_options;

enum {
    TACHO_JSON_DEPTH_MAX = 512, /* containers in one another; more are a failure */
    TACHO_JSON_BATCH = 256,     /* tokens scanned ahead, at most */
    TACHO_JSON_READABLE_BYTES = 16,
    TACHO_JSON_ODD = 0x80, /* in the kind of a scanned string that may hold escapes */
};

/* A scanned token: where its text starts in the buffer, its length and its kind. */
typedef struct tacho_json_packed {
    uint32_t start;
    uint32_t len_kind; /* length << 8 | kind */
} tacho_json_packed;

typedef struct tacho_json_buffer tacho_json_buffer;

typedef struct tacho_json_reader {
    /*
     * For callers to read. The text of a KEY or STRING is unescaped and without quotes; of any
     * other token it is as written. It is good until the next call on the reader, unless held.
     * From its start on TACHO_JSON_READABLE_BYTES can be read, however short it is.
     */
    tacho_str text;
    bool is_cut; /* a call failed because the input ends too early; all tokens before are sound */
    uint64_t control_count;    /* control characters in strings, up to a batch ahead */
    uint64_t surrogate_count;  /* lone surrogates, read as U+FFFD; the same */
    uint64_t not_finite_count; /* NaN and infinities */

    /* The reader's own: tokens that are scanned but not returned ... */
    const tacho_json_packed *token;
    const tacho_json_packed *token_end;
    char *base; /* of the buffer */

    /* ... the position of the scan: unread bytes are [cursor, limit), zero bytes follow ... */
    char *cursor;
    char *limit;
    const char *stop;   /* why the last scan ended: this byte ... */
    const char *wanted; /* ... should have been something else; NULL for the depth */
    size_t depth;
    size_t element_depth; /* a batch ends where a container of this depth has; SIZE_MAX for none */
    unsigned state;
    bool is_in_object; /* the innermost open container is one */
    bool is_at_end;    /* nothing follows |limit| */

    /* ... and its input. */
    bool is_held;
    tacho_json_options options;
    tacho_input *input;
    tacho_json_buffer *buffer;
    tacho_json_buffer *spare;   /* at most one */
    tacho_json_buffer *retired; /* full ones that contain held texts */
    uint64_t base_offset;       /* of |base| in the decompressed stream */
    uint64_t held_offset;
    uint64_t mark_offset;                           /* bytes from here on stay in one piece */
    uint64_t kinds[TACHO_JSON_DEPTH_MAX / 64];      /* a bit per open container: an object */
    tacho_json_packed tokens[1 + TACHO_JSON_BATCH]; /* |token|[-1] is the last returned */
} tacho_json_reader;

/*
 * Reads on from the position of |input|. The input must outlive the reader, which alone reads from
 * it until deinit, and further than the tokens it returns. |options| may be NULL.
 */
tacho_status tacho_json_reader_init(tacho_json_reader *reader, tacho_input *input,
                                    const tacho_json_options *options) TACHO_MUST_USE;
void tacho_json_reader_deinit(tacho_json_reader *reader);

/* Parts of tacho_json_next: scan at least one more token; unescape a text, of which the length is.
 */
tacho_status tacho_json_scan_more(tacho_json_reader *reader) TACHO_MUST_USE;
size_t tacho_json_unescape(const tacho_json_reader *reader, tacho_json_packed token);

/*
 * The next token; END after the one value that an input holds, and again after that. A failure
 * names the input, the byte, the expected token and the one found; calling again repeats it. The
 * tokens before the end of a truncated input are those of the whole one: a number that may have
 * been shortened is not returned.
 */
TACHO_MUST_USE static inline tacho_status tacho_json_next(tacho_json_reader *reader,
                                                          tacho_json_token *out_token)
{
    if (TACHO_UNLIKELY(reader->token == reader->token_end)) {
        TACHO_TRY(tacho_json_scan_more(reader));
    }
    tacho_json_packed token = *reader->token++;
    unsigned kind = token.len_kind & 0xff;
    size_t len = token.len_kind >> 8; /* not in memory: there, just written, it is slow to read */
    if (TACHO_UNLIKELY(kind >= TACHO_JSON_ODD)) {
        len = tacho_json_unescape(reader, token);
        kind -= TACHO_JSON_ODD;
    }
    reader->text = tacho_str_make(reader->base + token.start, len);
    *out_token = (tacho_json_token)kind;
    return TACHO_OK;
}

/*
 * Skips the rest after the last token: the value of a KEY, the rest of a container that has begun,
 * nothing after any other. Finds the same faults and counts the same as tacho_json_next.
 */
tacho_status tacho_json_skip(tacho_json_reader *reader) TACHO_MUST_USE;

/*
 * After a KEY its value, after a BEGIN the whole container, as written and in one piece of less
 * than TACHO_INPUT_TOKEN_MAX bytes; not for other tokens. The syntax has been checked. The text
 * lives as long as that of a token.
 */
tacho_status tacho_json_raw_value(tacho_json_reader *reader, tacho_str *out_text) TACHO_MUST_USE;

/*
 * For arrays of many similar elements, which a caller can read without tokens where it knows their
 * form. After the ARRAY_BEGIN, tacho_json_begin_elements announces that some may be read so.
 * tacho_json_find_element then returns the first byte of the next one, or NULL where that is
 * unknown; zero bytes follow the last byte read so far. When the caller has found the whole
 * element, tacho_json_pass_element continues after it, at |end|. Until then the reader's state is
 * unchanged: an element of any other form, or an incomplete one, is read as tokens.
 */
void tacho_json_begin_elements(tacho_json_reader *reader);
char *tacho_json_find_element(const tacho_json_reader *reader);
void tacho_json_pass_element(tacho_json_reader *reader, char *end);
void tacho_json_end_elements(tacho_json_reader *reader);

/* Offset of |at|, a byte of an element, in the decompressed stream. */
uint64_t tacho_json_element_offset(const tacho_json_reader *reader, const char *at);

/*
 * From here on texts, beginning with that of the last token, stay good until tacho_json_release
 * or the next tacho_json_hold. Under one hold about TACHO_INPUT_TOKEN_MAX bytes can be read, more
 * are a failure.
 */
void tacho_json_hold(tacho_json_reader *reader);
void tacho_json_release(tacho_json_reader *reader);

/* Offset of the last token's text in the decompressed stream, for messages. */
uint64_t tacho_json_offset(const tacho_json_reader *reader);

/* Whether |text| is one JSON value; fails only when out of memory. */
tacho_status tacho_json_check_value(tacho_str text, bool *out_valid) TACHO_MUST_USE;

#endif
