/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader around the scanner: its buffer, its failures, and what the scanner leaves to it
 * because it is rare.
 *
 * The buffer is refilled only when every scanned token has been handed out, so tokens can name
 * their text by position. While texts are held a full buffer is put aside rather than reused.
 */
#include "codec/json_reader.h"

#include "codec/json_batch.h"
#include "codec/json_escape.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    BUFFER_BYTES = 128 << 10,
    LONG_TOKEN = 4096, /* beyond, a token is scanned again only when it may have doubled */
};

#define NO_MARK UINT64_MAX

struct tacho_json_buffer {
    tacho_json_buffer *next;
    size_t capacity; /* without the padding */
    char bytes[];
};

static uint64_t offset_of(const tacho_json_reader *reader, const char *at)
{
    return reader->base_offset + (uint64_t)(at - reader->base);
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
    old->next = reader->retired;
    reader->retired = old;
    return TACHO_OK;
}

/* Frees what was kept for held texts, but for one buffer to go on with. */
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

/* Makes room behind the limit; the bytes from |keep| on stay in one piece. */
static tacho_status make_room(tacho_json_reader *reader, const char *keep)
{
    tacho_json_buffer *buffer = reader->buffer;
    if (reader->is_held && reader->limit < buffer->bytes + buffer->capacity) {
        return TACHO_OK;
    }
    size_t kept = (size_t)(reader->limit - keep);
    size_t cursor = (size_t)(reader->cursor - keep);
    reader->base_offset = offset_of(reader, keep);
    if (reader->is_held || kept > buffer->capacity / 2) {
        TACHO_TRY(change_buffer(reader, keep, kept));
    } else {
        memmove(buffer->bytes, keep, kept);
    }
    if (!reader->is_held) {
        free_retired(reader);
    }
    reader->base = reader->buffer->bytes;
    reader->cursor = reader->base + cursor;
    reader->limit = reader->base + kept;
    return TACHO_OK;
}

static tacho_status check_limit(const tacho_json_reader *reader, uint64_t from, const char *what)
{
    if (offset_of(reader, reader->limit) - from < TACHO_INPUT_TOKEN_MAX) {
        return TACHO_OK;
    }
    return tacho_fail(
        TACHO_CODE_LIMIT, "%s: byte %llu: the %s that starts here is longer than %d MiB",
        reader->input->name, (unsigned long long)from, what, TACHO_INPUT_TOKEN_MAX >> 20);
}

/* Adds bytes behind the limit, or finds that there are no more. */
static tacho_status read_more(tacho_json_reader *reader)
{
    bool is_marked = reader->mark_offset != NO_MARK;
    const char *keep =
        is_marked ? reader->base + (reader->mark_offset - reader->base_offset) : reader->cursor;
    TACHO_TRY(check_limit(reader, offset_of(reader, keep), is_marked ? "value" : "token"));
    if (reader->is_held) {
        TACHO_TRY(check_limit(reader, reader->held_offset, "value"));
    }
    size_t kept = (size_t)(reader->limit - keep);
    tacho_str fresh;
    TACHO_TRY(tacho_input_peek(reader->input, kept > LONG_TOKEN ? kept : 1, &fresh));
    if (fresh.len == 0) {
        reader->is_at_end = true;
        return TACHO_OK;
    }
    TACHO_TRY(make_room(reader, keep));
    size_t room = (size_t)(reader->base + reader->buffer->capacity - reader->limit);
    size_t len = fresh.len < room ? fresh.len : room;
    memcpy(reader->limit, fresh.data, len);
    reader->limit += len;
    memset(reader->limit, 0, TACHO_JSON_PAD_BYTES);
    tacho_input_skip(reader->input, len);
    return TACHO_OK;
}

tacho_status tacho_json_reader_init(tacho_json_reader *reader, tacho_input *input,
                                    const tacho_json_options *options)
{
    *reader = (tacho_json_reader){
        .input = input,
        .base_offset = tacho_input_offset(input),
        .mark_offset = NO_MARK,
        .last = TACHO_JSON_NULL,
    };
    reader->token = reader->token_end = reader->tokens + 1;
    if (options != NULL) {
        reader->options = *options;
    }
    size_t capacity = reader->options.buffer_bytes;
    TACHO_TRY(make_buffer(capacity == 0 ? BUFFER_BYTES : capacity, &reader->buffer));
    reader->base = reader->cursor = reader->limit = reader->buffer->bytes;
    memset(reader->limit, 0, TACHO_JSON_PAD_BYTES);
    return TACHO_OK;
}

void tacho_json_reader_deinit(tacho_json_reader *reader)
{
    free_retired(reader);
    free(reader->spare);
    free(reader->buffer);
    *reader = (tacho_json_reader){0};
}

/* ---- what is rare ------------------------------------------------------------------------- */

tacho_status tacho_json_refill(tacho_json_reader *reader)
{
    for (;;) {
        tacho_json_batch_scan(reader);
        if (reader->token < reader->token_end)
            return TACHO_OK;
        if (reader->stop >= reader->limit && !reader->is_at_end) {
            TACHO_TRY(read_more(reader));
            continue;
        }
        if (reader->stop >= reader->limit && reader->state == TACHO_JSON_STATE_DONE) {
            reader->tokens[0] =
                (tacho_json_packed){(uint32_t)(reader->limit - reader->base), TACHO_JSON_END};
            reader->token_end++;
            return TACHO_OK;
        }
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s: byte %llu: expected %s", reader->input->name,
                          (unsigned long long)offset_of(reader, reader->stop), reader->wanted);
    }
}

void tacho_json_unescape(tacho_json_reader *reader)
{
    reader->text.len =
        tacho_json_escape_undo(reader->base + (reader->text.data - reader->base), reader->text.len);
}
