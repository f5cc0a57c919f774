/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the input with bytes that may be gzip or zstd.
 *
 * Laws: however much is peeked at a time, the same bytes come out, and of a plain input just
 * those that went in; lines and what lies between them make up all of these bytes, in order. Of a
 * damaged stream one way may get further than the other, but both meet the damage.
 */
#include "base/grow.h"
#include "base/input.h"

#include <stdlib.h>

/* A few bytes can unpack to gigabytes; this much of them is enough. */
enum { CONTENT_MAX = 256 << 10 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* The decompressed bytes. */
typedef struct content {
    char *bytes;
    size_t len, capacity;
    bool is_whole; /* else cut at CONTENT_MAX */
    const char *damage;
} content;

/* How much to look at and to take next, by turns. */
static size_t next_step(tacho_str data, size_t turn)
{
    static const size_t sizes[] = {1, 0, 3, 64, 4096, 70000, 17, 300000};
    size_t chosen = turn + (data.len > 0 ? (unsigned char)data.data[turn % data.len] : 0u);
    return sizes[chosen % (sizeof(sizes) / sizeof(sizes[0]))];
}

static void open_input(tacho_str data, tacho_input *out_input)
{
    require(tacho_input_open_bytes("fuzz", data, out_input) == TACHO_OK);
    require(tacho_input_offset(out_input) == 0 && out_input->line_number == 0);
}

/* Peeks all the way; every view starts where the last one was left. */
static void read_content(tacho_str data, content *out_content)
{
    tacho_input input;
    open_input(data, &input);
    *out_content = (content){.bytes = NULL};
    for (size_t turn = 0;; turn++) {
        size_t want = next_step(data, turn);
        tacho_str view;
        require(tacho_input_peek(&input, want, &view) == TACHO_OK);
        require(view.len >= want || input.at_end);
        if (view.len == 0 && input.at_end) {
            out_content->is_whole = true;
            break;
        }
        size_t take = view.len < want ? view.len : want;
        if (take > CONTENT_MAX - out_content->len) {
            break;
        }
        require(tacho_grow(&out_content->bytes, &out_content->capacity,
                           out_content->len + take + 1) == TACHO_OK);
        if (take > 0) {
            memcpy(out_content->bytes + out_content->len, view.data, take);
        }
        tacho_input_skip(&input, take);
        out_content->len += take;
        require(tacho_input_offset(&input) == out_content->len);
    }
    out_content->damage = tacho_input_damage(&input);
    tacho_input_close(&input);
}

/* The line at |at| of the content: its own bytes, then LF, CR LF or, if it is the last, the end. */
static void check_line(const content *from, size_t at, tacho_str line, size_t end, bool is_last)
{
    require(end <= from->len && at + line.len <= end && end > at);
    require(line.len == 0 || memcmp(from->bytes + at, line.data, line.len) == 0);
    require(tacho_str_find_byte(line, '\n') == line.len);
    tacho_str rest = tacho_str_make(from->bytes + at + line.len, end - at - line.len);
    require(tacho_str_equal(rest, TACHO_STR("\n")) || tacho_str_equal(rest, TACHO_STR("\r\n")) ||
            (is_last && (rest.len == 0 || tacho_str_equal(rest, TACHO_STR("\r")))));
    /* A CR before the LF belongs to the line end. */
    require(rest.len == 0 || rest.data[0] == '\r' || line.len == 0 ||
            line.data[line.len - 1] != '\r');
}

/* The end of the lines. How much of a damaged stream comes out may differ, not that it is. */
static void check_end(const content *from, const tacho_input *input)
{
    require(tacho_input_offset(input) == from->len || from->damage != NULL || !from->is_whole);
    require(!from->is_whole || (from->damage == NULL) == (tacho_input_damage(input) == NULL));
}

/* Looks ahead before some of the lines, then takes one. */
static tacho_status next_line(tacho_input *input, size_t want, tacho_str *out_line, bool *out_got)
{
    tacho_str view;
    require(tacho_input_peek(input, want, &view) == TACHO_OK);
    tacho_str copy = tacho_str_make(view.data, view.len < 8 ? view.len : 8);
    char first[8];
    if (copy.len > 0) {
        memcpy(first, copy.data, copy.len);
    }
    tacho_status status = tacho_input_line(input, out_line, out_got);
    if (status == TACHO_OK && *out_got) {
        size_t len = out_line->len < copy.len ? out_line->len : copy.len;
        require(len == 0 || memcmp(first, out_line->data, len) == 0);
    }
    return status;
}

static void check_lines(tacho_str data, const content *from)
{
    tacho_input input;
    open_input(data, &input);
    for (size_t turn = 0;; turn++) {
        size_t at = (size_t)tacho_input_offset(&input);
        tacho_str line;
        bool got = false;
        tacho_status status =
            next_line(&input, turn % 3 == 0 ? next_step(data, turn) : 0, &line, &got);
        if (status != TACHO_OK) {
            require(tacho_status_code(status) == TACHO_CODE_LIMIT && !from->is_whole);
            tacho_status_free(status);
            break;
        }
        if (!got) {
            require(input.at_end && input.line_number == turn);
            check_end(from, &input);
            break;
        }
        require(input.line_number == turn + 1);
        size_t end = (size_t)tacho_input_offset(&input);
        if (end > from->len) {
            require(!from->is_whole || from->damage != NULL);
            break;
        }
        check_line(from, at, line, end, input.at_end && input.cursor == input.limit);
    }
    tacho_input_close(&input);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_str bytes = tacho_str_make((const char *)data, size);
    content read;
    read_content(bytes, &read);
    tacho_input input;
    open_input(bytes, &input);
    if (tacho_input_compression(&input) == NULL) {
        require(read.is_whole && read.damage == NULL);
        require(tacho_str_equal(tacho_str_make(read.bytes, read.len), bytes));
    }
    tacho_input_close(&input);
    check_lines(bytes, &read);
    free(read.bytes);
    return 0;
}
