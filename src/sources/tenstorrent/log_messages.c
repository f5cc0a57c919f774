/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cut message ends at the first line that ends like a row, with a semicolon and a number:
 * csvexport wrote that row after it.
 */
#include "sources/tenstorrent/log_messages.h"

/* Longer than any message that Tracy keeps; a message still open by then is cut. */
enum { MESSAGE_MAX = 1 << 20 };

bool tt_messages_probe(tacho_str head)
{
    return tacho_str_starts_with(head, TACHO_STR("MessageName;total_ns"));
}

tacho_status tt_messages_open(tacho_input *input)
{
    tacho_str line;
    bool has_line = false;
    TACHO_TRY(tacho_input_line(input, &line, &has_line));
    if (!has_line || !tt_messages_probe(line)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s:1: expected the header 'MessageName;total_ns'",
                          input->name);
    }
    return TACHO_OK;
}

/* Splits the number off a row, "text;123"; false when it does not end like that. */
static bool split_time(tacho_str row, tacho_str *out_text, uint64_t *out_time)
{
    row.len -= row.len > 0 && row.data[row.len - 1] == '\n' ? 1 : 0;
    row = tacho_str_trim(row);
    size_t semicolon = row.len;
    while (semicolon > 0 && row.data[semicolon - 1] != ';') {
        semicolon--;
    }
    if (semicolon == 0 || !tacho_str_parse_u64(tacho_str_from(row, semicolon), out_time)) {
        return false;
    }
    *out_text = tacho_str_make(row.data, semicolon - 1);
    return true;
}

/* The end of the line that contains byte |at|: after its line feed, or at the end of |bytes|. */
static size_t line_end(tacho_str bytes, size_t at)
{
    size_t len = tacho_str_find_byte(tacho_str_from(bytes, at), '\n');
    return at + len < bytes.len ? at + len + 1 : bytes.len;
}

/*
 * The closing backtick of the message at the front of |bytes|; bytes.len if it is missing: a
 * backtick at the start of a line belongs to the next message.
 */
static size_t find_close(tacho_str bytes)
{
    for (size_t at = 1; at < bytes.len; at++) {
        at += tacho_str_find_byte(tacho_str_from(bytes, at), '`');
        if (at + 1 < bytes.len && bytes.data[at + 1] == ';') {
            return at;
        }
        if (at >= bytes.len || bytes.data[at - 1] == '\n') {
            break;
        }
    }
    return bytes.len;
}

/* Takes a cut message, up to its first line that ends like a row; returns its length. */
static size_t take_cut(tacho_str bytes, tt_message *message)
{
    message->is_cut = true;
    for (size_t start = 0; start < bytes.len;) {
        size_t end = line_end(bytes, start);
        tacho_str text;
        if (split_time(tacho_str_make(bytes.data + start, end - start), &text, &message->time_ns)) {
            message->has_time = true;
            message->text =
                tacho_str_make(bytes.data + 1, (size_t)(text.data + text.len - bytes.data) - 1);
            return end;
        }
        start = end;
    }
    message->text = tacho_str_from(bytes, 1);
    return bytes.len;
}

/* Takes a message in backticks; returns its length with everything that belongs to it. */
static size_t take_quoted(tacho_str bytes, tt_message *message)
{
    size_t close = find_close(bytes);
    if (close == bytes.len) {
        return take_cut(bytes, message);
    }
    size_t end = line_end(bytes, close);
    tacho_str nothing;
    message->has_time = split_time(tacho_str_make(bytes.data + close + 1, end - close - 1),
                                   &nothing, &message->time_ns);
    message->text = tacho_str_make(bytes.data + 1, close - 1);
    return end;
}

static size_t take_plain(tacho_str bytes, tt_message *message)
{
    size_t end = line_end(bytes, 0);
    tacho_str line = tacho_str_make(bytes.data, end);
    line.len -= end > 0 && bytes.data[end - 1] == '\n' ? 1 : 0;
    message->text = tacho_str_trim(line);
    message->has_time = split_time(line, &message->text, &message->time_ns);
    return end;
}

tacho_status tt_messages_next(tacho_input *input, tt_message *out_message, bool *out_got)
{
    tacho_str bytes;
    *out_message = (tt_message){.offset = tacho_input_offset(input)};
    size_t want = 1 << 12;
    for (;; want *= 4) {
        TACHO_TRY(tacho_input_peek(input, want, &bytes));
        bool is_all = bytes.len < want || want >= MESSAGE_MAX;
        bool is_quoted = bytes.len > 0 && bytes.data[0] == '`';
        size_t close = is_quoted ? find_close(bytes) : 0;
        bool is_whole = close < bytes.len && line_end(bytes, close) < bytes.len;
        if (is_all || is_whole) {
            break;
        }
    }
    *out_got = bytes.len > 0;
    if (*out_got) {
        size_t len =
            bytes.data[0] == '`' ? take_quoted(bytes, out_message) : take_plain(bytes, out_message);
        tacho_input_skip(input, len);
    }
    return TACHO_OK;
}
