/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small text helpers of the Torq readers.
 */
#include "sources/torq/torq_text.h"

#include "codec/csv.h"

enum { HEADER_FIELDS_MAX = 8 };

bool torq_take_any_number(tacho_str *text, char delimiter, uint64_t *out_value)
{
    size_t first = 0;
    while (first < text->len && text->data[first] == ' ') {
        first++;
    }
    uint64_t value = 0;
    size_t at = first;
    for (; at < text->len; at++) {
        unsigned digit = (unsigned)(unsigned char)text->data[at] - '0';
        if (digit > 9) {
            break;
        }
        value = value * 10 + digit;
    }
    if (at == first || at - first > TORQ_DIGITS_MAX || at == text->len ||
        text->data[at] != delimiter) {
        return false;
    }
    *out_value = value;
    *text = tacho_str_from(*text, at + 1);
    return true;
}

bool torq_is_digits(tacho_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
    }
    return text.len > 0;
}

tacho_loss_reason torq_diagnose_number(tacho_str field)
{
    field = tacho_str_trim(field);
    if (field.len > 1 && field.data[0] == '-' && torq_is_digits(tacho_str_from(field, 1))) {
        return TACHO_LOSS_NEGATIVE_TIME;
    }
    return torq_is_digits(field) ? TACHO_LOSS_TIME_OVERFLOW : TACHO_LOSS_NOT_A_NUMBER;
}

static char lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

static bool equal_ignoring_case(tacho_str text, const char *name)
{
    if (text.len != strlen(name)) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (lower(text.data[i]) != lower(name[i])) {
            return false;
        }
    }
    return true;
}

static tacho_str bare_field(tacho_str field)
{
    field = tacho_str_trim(field);
    if (field.len >= 2 && field.data[0] == '"' && field.data[field.len - 1] == '"') {
        field = tacho_str_make(field.data + 1, field.len - 2);
    }
    return field;
}

bool torq_is_header(tacho_str line, char delimiter, const char *const *names)
{
    tacho_str fields[HEADER_FIELDS_MAX];
    size_t count = tacho_csv_split(torq_skip_mark(line), delimiter, fields, HEADER_FIELDS_MAX);
    for (size_t i = 0; i < count && i < HEADER_FIELDS_MAX; i++) {
        if (names[i] == NULL || !equal_ignoring_case(bare_field(fields[i]), names[i])) {
            return false;
        }
    }
    return count <= HEADER_FIELDS_MAX && names[count] == NULL;
}

bool torq_take_line(tacho_str *text, tacho_str *out_line)
{
    if (text->len == 0) {
        return false;
    }
    size_t len = tacho_str_find_byte(*text, '\n');
    *out_line = tacho_str_make(text->data, len);
    *text = tacho_str_from(*text, len < text->len ? len + 1 : len);
    if (out_line->len > 0 && out_line->data[out_line->len - 1] == '\r') {
        out_line->len--;
    }
    return true;
}

tacho_str torq_skip_mark(tacho_str line)
{
    tacho_str mark = TACHO_STR("\xef\xbb\xbf");
    return tacho_str_starts_with(line, mark) ? tacho_str_from(line, mark.len) : line;
}

tacho_status torq_next_line(tacho_input *input, tacho_str *out_line, bool *out_got)
{
    do {
        TACHO_TRY(tacho_input_line(input, out_line, out_got));
        if (*out_got && input->line_number == 1) {
            *out_line = torq_skip_mark(*out_line);
        }
    } while (*out_got && out_line->len == 0);
    return TACHO_OK;
}
