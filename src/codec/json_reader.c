/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader around the scanner: its buffer, its failures, and rare cases that the scanner leaves
 * to it.
 *
 * Bytes are added to the buffer, and moved in it, only when every scanned token has been returned,
 * so tokens can name their text by position. Under a hold nothing is moved: a full buffer is
 * put aside, and the token that it ends in is copied to the next one.
 */
#include "codec/json_reader.h"

#include "codec/json_batch.h"
#include "codec/json_escape.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    BUFFER_BYTES = 128 << 10,
    BUFFER_MAX = TACHO_INPUT_TOKEN_MAX - 1, /* so the length of any token fits in 24 bits */
    /*
     * An incomplete token is scanned again when there is more of it. When it is long already, it
     * needs some more input first, lest a trickle make that quadratic.
     */
    LONG_TOKEN = 4 << 10,
    PATIENCE = 256 << 10,
};

#define NO_MARK UINT64_MAX

struct tacho_json_buffer {
    tacho_json_buffer *next;
    size_t capacity; /* without the padding */
    char bytes[];
};

const char *tacho_json_token_name(tacho_json_token token)
{
    static const char *const names[] = {
#define TACHO_JSON_NAME(name, meaning) meaning,
        TACHO_JSON_TOKENS(TACHO_JSON_NAME)
#undef TACHO_JSON_NAME
    };
    return names[token];
}

static uint64_t offset_of(const tacho_json_reader *reader, const char *at)
{
    return reader->base_offset + (uint64_t)(at - reader->base);
}

static char *at_offset(const tacho_json_reader *reader, uint64_t offset)
{
    return reader->base + (offset - reader->base_offset);
}

uint64_t tacho_json_offset(const tacho_json_reader *reader)
{
    return offset_of(reader, reader->text.data);
}

/* ---- the buffer --------------------------------------------------------------------------- */

static tacho_status make_buffer(size_t capacity, tacho_json_buffer **out_buffer)
{
    *out_buffer = malloc(sizeof(**out_buffer) + capacity + TACHO_JSON_PAD_BYTES);
    if (*out_buffer == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get %zu bytes of memory to read JSON",
                          capacity);
    }
    (*out_buffer)->next = NULL;
    (*out_buffer)->capacity = capacity;
    return TACHO_OK;
}

/* Frees the buffers that were put aside, but for one to go on with. */
static void free_retired(tacho_json_reader *reader)
{
    while (reader->retired != NULL) {
        tacho_json_buffer *buffer = reader->retired;
        reader->retired = buffer->next;
        if (reader->spare == NULL && buffer->capacity == reader->buffer->capacity) {
            reader->spare = buffer;
        } else {
            free(buffer);
        }
    }
}

/* Puts the buffer aside and continues in another, to which |keep| is copied. */
static tacho_status change_buffer(tacho_json_reader *reader, tacho_str keep)
{
    tacho_json_buffer *old = reader->buffer;
    size_t capacity = keep.len > old->capacity / 2 ? 2 * old->capacity : old->capacity;
    capacity = capacity < BUFFER_MAX ? capacity : BUFFER_MAX;
    tacho_json_buffer *fresh = reader->spare;
    reader->spare = NULL;
    if (fresh == NULL || fresh->capacity < capacity) {
        free(fresh);
        TACHO_TRY(make_buffer(capacity, &fresh));
    }
    memcpy(fresh->bytes, keep.data, keep.len);
    reader->buffer = fresh;
    old->next = reader->retired;
    reader->retired = old;
    return TACHO_OK;
}

/* Makes room after the limit; |keep|, which ends there, stays in one piece. */
static tacho_status make_room(tacho_json_reader *reader, tacho_str keep)
{
    tacho_json_buffer *buffer = reader->buffer;
    if (reader->is_held && reader->limit < reader->base + buffer->capacity) {
        return TACHO_OK;
    }
    uint64_t keep_offset = offset_of(reader, keep.data);
    uint64_t cursor_offset = offset_of(reader, reader->cursor);
    bool is_small = keep.len > buffer->capacity / 2 && buffer->capacity < BUFFER_MAX;
    if (reader->is_held || is_small) {
        TACHO_TRY(change_buffer(reader, keep));
    } else {
        memmove(buffer->bytes, keep.data, keep.len);
    }
    if (!reader->is_held) {
        free_retired(reader);
    }
    reader->base = reader->buffer->bytes;
    reader->base_offset = keep_offset;
    reader->cursor = at_offset(reader, cursor_offset);
    reader->limit = reader->base + keep.len;
    return TACHO_OK;
}

static tacho_status too_long(const tacho_json_reader *reader, uint64_t offset, const char *what)
{
    return tacho_fail(TACHO_CODE_LIMIT, "%s: byte %llu: the %s that begins here exceeds %d MiB",
                      reader->input->name, (unsigned long long)offset, what,
                      TACHO_INPUT_TOKEN_MAX >> 20);
}

/* Adds |want| bytes or more after the limit; fewer where room or the input ends. */
static tacho_status fill_room(tacho_json_reader *reader, size_t want)
{
    const char *end = reader->base + reader->buffer->capacity;
    size_t got = 0;
    for (size_t len = 1; got < want && reader->limit < end && len > 0; got += len) {
        TACHO_TRY(
            tacho_input_take(reader->input, reader->limit, (size_t)(end - reader->limit), &len));
        reader->limit += len;
        memset(reader->limit, 0, TACHO_JSON_PAD_BYTES);
    }
    reader->is_at_end = got == 0;
    return TACHO_OK;
}

/* Adds bytes after the limit, or finds that there are no more. */
static tacho_status read_more(tacho_json_reader *reader)
{
    bool is_marked = reader->mark_offset != NO_MARK;
    char *start = is_marked ? at_offset(reader, reader->mark_offset) : reader->cursor;
    tacho_str keep = tacho_str_make(start, (size_t)(reader->limit - start));
    if (keep.len >= BUFFER_MAX) {
        return too_long(reader, offset_of(reader, start), is_marked ? "value" : "token");
    }
    uint64_t offset = offset_of(reader, reader->cursor);
    if (reader->is_held && offset - reader->held_offset >= TACHO_INPUT_TOKEN_MAX) {
        return too_long(reader, reader->held_offset, "value");
    }
    size_t want = keep.len < LONG_TOKEN ? 1 : (keep.len < PATIENCE ? keep.len : PATIENCE);
    TACHO_TRY(make_room(reader, keep));
    return fill_room(reader, want);
}

tacho_status tacho_json_reader_init(tacho_json_reader *reader, tacho_input *input,
                                    const tacho_json_options *options)
{
    *reader = (tacho_json_reader){
        .input = input,
        .base_offset = tacho_input_offset(input),
        .mark_offset = NO_MARK,
        .element_depth = SIZE_MAX,
        .tokens[0].len_kind = TACHO_JSON_NULL, /* of which nothing is left to skip */
    };
    if (options != NULL) {
        reader->options = *options;
    }
    size_t capacity = reader->options.buffer_bytes;
    capacity = capacity == 0 ? BUFFER_BYTES : (capacity < BUFFER_MAX ? capacity : BUFFER_MAX);
    TACHO_TRY(make_buffer(capacity, &reader->buffer));
    reader->base = reader->cursor = reader->limit = reader->buffer->bytes;
    memset(reader->limit, 0, TACHO_JSON_PAD_BYTES);
    reader->text = tacho_str_make(reader->cursor, 0);
    reader->token = reader->token_end = reader->tokens + 1;
    return TACHO_OK;
}

void tacho_json_reader_deinit(tacho_json_reader *reader)
{
    free_retired(reader);
    free(reader->spare);
    free(reader->buffer);
    *reader = (tacho_json_reader){0};
}

void tacho_json_hold(tacho_json_reader *reader)
{
    free_retired(reader);
    reader->is_held = true;
    reader->held_offset = tacho_json_offset(reader);
}

void tacho_json_release(tacho_json_reader *reader)
{
    free_retired(reader);
    reader->is_held = false;
}

/* ---- when the scan stops ------------------------------------------------------------------ */

static bool is_cut_off(const tacho_json_reader *reader)
{
    return reader->stop >= reader->limit;
}

static tacho_status fail(tacho_json_reader *reader)
{
    unsigned long long offset = offset_of(reader, reader->stop);
    const char *name = reader->input->name;
    if (reader->wanted == NULL) {
        return tacho_fail(TACHO_CODE_LIMIT,
                          "%s: byte %llu: more than %d objects and arrays inside one another", name,
                          offset, TACHO_JSON_DEPTH_MAX);
    }
    if (is_cut_off(reader)) {
        const char *damage = tacho_input_damage(reader->input);
        reader->is_cut = true;
        return tacho_fail(
            TACHO_CODE_BAD_DATA, "%s: byte %llu: expected %s, found the end of the input%s%s", name,
            offset, reader->wanted, damage == NULL ? "" : "; ", damage == NULL ? "" : damage);
    }
    unsigned char byte = (unsigned char)*reader->stop;
    char found[16];
    snprintf(found, sizeof(found), byte > ' ' && byte < 0x7f ? "'%c'" : "byte 0x%02x", byte);
    return tacho_fail(TACHO_CODE_BAD_DATA, "%s: byte %llu: expected %s, found %s", name, offset,
                      reader->wanted, found);
}

/* Makes a batch of one token of |len| bytes at the cursor. */
static void put_single(tacho_json_reader *reader, size_t len, tacho_json_token token)
{
    uint32_t start = (uint32_t)(reader->cursor - reader->base);
    reader->tokens[1] = (tacho_json_packed){start, (uint32_t)len << 8 | token};
    reader->token_end = reader->tokens + 2;
    reader->cursor += len;
}

/* The length of the word for a number that is not finite at |at|, or 0. */
static size_t not_finite_len(const char *at)
{
    static const char *const words[] = {"NaN", "Infinity", "nan", "inf"};
    size_t sign = *at == '-';
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t len = strlen(words[i]);
        char next = at[sign + len];
        if (memcmp(at + sign, words[i], len) == 0 && (next == '\0' || strchr(" \t\r\n,]}", next))) {
            return sign + len;
        }
    }
    return 0;
}

/* A lenient reader at a byte that does not begin a value: skips a byte order mark, reads NaN. */
static bool pass_leniently(tacho_json_reader *reader)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    if (reader->depth == 0 && memcmp(reader->cursor, byte_order_mark, 3) == 0) {
        reader->cursor += 3;
        return true;
    }
    size_t len = not_finite_len(reader->cursor);
    if (len > 0) {
        put_single(reader, len, TACHO_JSON_NULL);
        reader->state = reader->depth == 0 ? TACHO_JSON_STATE_DONE : TACHO_JSON_STATE_AFTER;
        reader->not_finite_count++;
    }
    return len > 0;
}

/* Ends an array whose last comma nothing follows, or one at the top that has no bracket. */
static bool end_open_array(tacho_json_reader *reader)
{
    bool is_array = reader->depth > 0 && !reader->is_in_object;
    bool is_at_end = reader->cursor == reader->limit;
    bool is_after_comma =
        !is_at_end && reader->state == TACHO_JSON_STATE_VALUE && *reader->cursor == ']';
    if (!is_array || (!is_after_comma && !(is_at_end && reader->depth == 1))) {
        return false;
    }
    put_single(reader, is_at_end ? 0 : 1, TACHO_JSON_ARRAY_END);
    reader->depth--;
    size_t outer = reader->depth - 1;
    bool is_inside = reader->depth > 0;
    reader->is_in_object = is_inside && (reader->kinds[outer >> 6] >> (outer & 63) & 1) != 0;
    reader->state = is_inside ? TACHO_JSON_STATE_AFTER : TACHO_JSON_STATE_DONE;
    return true;
}

/* An object follows another in the array at the top without a comma, as DFTracer writes them. */
static bool pass_missing_comma(tacho_json_reader *reader)
{
    if (reader->depth != 1 || reader->is_in_object || reader->state != TACHO_JSON_STATE_AFTER ||
        is_cut_off(reader) || *reader->cursor != '{') {
        return false;
    }
    reader->state = TACHO_JSON_STATE_VALUE;
    return true;
}

/* The scan has stopped before the first token: finds a way on, or fails. */
static tacho_status go_on(tacho_json_reader *reader)
{
    enum { LONGEST_WORD = 16 };
    bool wants_value = reader->state <= TACHO_JSON_STATE_FIRST_VALUE;
    bool is_lenient = reader->options.is_lenient && wants_value;
    bool is_short = is_lenient && reader->limit - reader->cursor < LONGEST_WORD;
    if ((is_cut_off(reader) || is_short) && !reader->is_at_end) {
        return read_more(reader);
    }
    if (is_cut_off(reader) && reader->state == TACHO_JSON_STATE_DONE) {
        put_single(reader, 0, TACHO_JSON_END);
        return TACHO_OK;
    }
    if (is_lenient && pass_leniently(reader)) {
        return TACHO_OK;
    }
    bool is_loose = reader->options.allows_open_array;
    return is_loose && (pass_missing_comma(reader) || end_open_array(reader)) ? TACHO_OK
                                                                              : fail(reader);
}

tacho_status tacho_json_scan_more(tacho_json_reader *reader)
{
    reader->tokens[0] = reader->token[-1];
    for (;;) {
        tacho_json_batch_scan(reader);
        if (reader->token < reader->token_end) {
            return TACHO_OK;
        }
        tacho_status status = go_on(reader);
        if (status != TACHO_OK) {
            reader->text = tacho_str_make(reader->cursor, 0);
            return status;
        }
        if (reader->token < reader->token_end) {
            return TACHO_OK;
        }
    }
}

/* ---- tokens ------------------------------------------------------------------------------- */

size_t tacho_json_unescape(const tacho_json_reader *reader, tacho_json_packed token)
{
    return tacho_json_escape_undo(reader->base + token.start, token.len_kind >> 8);
}

static tacho_json_token kind_of(tacho_json_packed token)
{
    return (tacho_json_token)(token.len_kind & (TACHO_JSON_ODD - 1));
}

static bool is_begin(tacho_json_token kind)
{
    return kind == TACHO_JSON_OBJECT_BEGIN || kind == TACHO_JSON_ARRAY_BEGIN;
}

static bool is_end(tacho_json_token kind)
{
    return kind == TACHO_JSON_OBJECT_END || kind == TACHO_JSON_ARRAY_END;
}

/* ---- elements ----------------------------------------------------------------------------- */

/* Tokens that have been scanned ahead are scanned again, unless that would count something twice.
 */
void tacho_json_begin_elements(tacho_json_reader *reader)
{
    size_t depth = reader->depth;
    bool is_plain = true;
    for (const tacho_json_packed *at = reader->token_end; at > reader->token; at--) {
        is_plain = is_plain && (at[-1].len_kind & TACHO_JSON_ODD) == 0;
        depth -= is_begin(kind_of(at[-1])) ? 1 : 0;
        depth += is_end(kind_of(at[-1])) ? 1 : 0;
    }
    reader->element_depth = depth;
    for (const tacho_json_packed *at = reader->token; at < reader->token_end && is_plain; at++) {
        depth += is_begin(kind_of(*at)) ? 1 : 0;
        depth -= is_end(kind_of(*at)) ? 1 : 0;
        is_plain = depth >= reader->element_depth;
    }
    if (is_plain && reader->token < reader->token_end) {
        reader->token_end = reader->token;
        reader->cursor = reader->base + reader->token[-1].start + 1;
        reader->depth = reader->element_depth;
        reader->is_in_object = false;
        reader->state = TACHO_JSON_STATE_FIRST_VALUE;
    }
}

char *tacho_json_find_element(const tacho_json_reader *reader)
{
    if (reader->token != reader->token_end || reader->depth != reader->element_depth) {
        return NULL;
    }
    char *at = tacho_json_skip_space(reader->cursor);
    if (reader->state == TACHO_JSON_STATE_AFTER) {
        return *at == ',' ? tacho_json_skip_space(at + 1) : NULL;
    }
    return at;
}

void tacho_json_pass_element(tacho_json_reader *reader, char *end)
{
    reader->cursor = end;
    reader->state = TACHO_JSON_STATE_AFTER;
}

void tacho_json_end_elements(tacho_json_reader *reader)
{
    reader->element_depth = SIZE_MAX;
}

uint64_t tacho_json_element_offset(const tacho_json_reader *reader, const char *at)
{
    return offset_of(reader, at);
}

/* ---- skipping ----------------------------------------------------------------------------- */

tacho_status tacho_json_skip(tacho_json_reader *reader)
{
    tacho_json_token kind = kind_of(reader->token[-1]);
    size_t open = is_begin(kind) ? 1 : 0;
    bool is_due = kind == TACHO_JSON_KEY;
    if (open == 0 && !is_due) {
        return TACHO_OK;
    }
    for (; is_due || open > 0; is_due = false) {
        if (reader->token == reader->token_end) {
            TACHO_TRY(tacho_json_scan_more(reader));
        }
        reader->token++;
        kind = kind_of(reader->token[-1]);
        open += is_begin(kind) ? 1 : 0;
        open -= is_end(kind) ? 1 : 0;
    }
    tacho_json_packed last = reader->token[-1];
    reader->text = tacho_str_make(reader->base + last.start, last.len_kind >> 8);
    return TACHO_OK;
}

tacho_status tacho_json_raw_value(tacho_json_reader *reader, tacho_str *out_text)
{
    tacho_json_token kind = kind_of(reader->token[-1]);
    assert(kind == TACHO_JSON_KEY || is_begin(kind));
    const tacho_json_packed *first = reader->token - 1;
    if (kind == TACHO_JSON_KEY) {
        if (reader->token == reader->token_end) {
            TACHO_TRY(tacho_json_scan_more(reader));
        }
        first = reader->token;
    }
    bool is_string = kind_of(*first) == TACHO_JSON_STRING;
    uint64_t start = reader->base_offset + first->start - (is_string ? 1 : 0);
    reader->mark_offset = start;
    tacho_status status = tacho_json_skip(reader);
    reader->mark_offset = NO_MARK;
    TACHO_TRY(status);
    size_t len = tacho_json_offset(reader) + reader->text.len + (is_string ? 1 : 0) - start;
    reader->text = *out_text = tacho_str_make(at_offset(reader, start), len);
    return TACHO_OK;
}

/* ---- whole values ------------------------------------------------------------------------ */

static tacho_status scan_json(tacho_json_reader *reader)
{
    tacho_json_token token = TACHO_JSON_NULL;
    while (token != TACHO_JSON_END) {
        TACHO_TRY(tacho_json_next(reader, &token));
    }
    return TACHO_OK;
}

tacho_status tacho_json_check_value(tacho_str text, bool *out_valid)
{
    static const char *const common[] = {"null", "{}", "[]"};
    *out_valid = false;
    for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++) {
        *out_valid = *out_valid || tacho_str_equal(text, tacho_str_from_cstring(common[i]));
    }
    if (*out_valid || text.len == 0) {
        return TACHO_OK;
    }
    tacho_input input;
    tacho_json_reader reader;
    TACHO_TRY(tacho_input_open_bytes("an annotation", text, &input));
    bool is_plain = tacho_input_compression(&input) == NULL;
    tacho_status status = tacho_json_reader_init(&reader, &input, NULL);
    if (status == TACHO_OK) {
        status = scan_json(&reader);
        *out_valid = status == TACHO_OK && is_plain;
        tacho_json_reader_deinit(&reader);
    }
    tacho_input_close(&input);
    if (tacho_status_code(status) == TACHO_CODE_NO_MEMORY) {
        return status;
    }
    tacho_status_free(status);
    return TACHO_OK;
}
