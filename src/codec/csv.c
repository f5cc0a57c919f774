/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plain splitters scan forwards with memchr and backwards byte by byte, for the fields at
 * the right end are short. The quoted reader walks the line once and copies only the fields that
 * hold a doubled quote.
 */
#include "codec/csv.h"

#include <assert.h>

size_t tacho_csv_split(tacho_str line, char delimiter, tacho_str *fields, size_t field_max)
{
    for (size_t field_count = 1;; field_count++) {
        size_t len = tacho_str_find_byte(line, delimiter);
        if (field_count <= field_max) {
            fields[field_count - 1] = tacho_str_make(line.data, len);
        }
        if (len == line.len) {
            return field_count;
        }
        line = tacho_str_from(line, len + 1);
    }
}

bool tacho_csv_split_ends(tacho_str line, char delimiter, size_t left_count, size_t right_count,
                          tacho_str *fields)
{
    for (size_t i = 0; i < left_count; i++) {
        size_t len = tacho_str_find_byte(line, delimiter);
        if (len == line.len) {
            return false;
        }
        fields[i] = tacho_str_make(line.data, len);
        line = tacho_str_from(line, len + 1);
    }
    for (size_t i = right_count; i > 0; i--) {
        size_t start = line.len;
        while (start > 0 && line.data[start - 1] != delimiter) {
            start--;
        }
        if (start == 0) {
            return false;
        }
        fields[left_count + i] = tacho_str_from(line, start);
        line.len = start - 1;
    }
    fields[left_count] = line;
    return true;
}

/* The state of the quoted reader: at the start of a field, or after its last byte. */
typedef struct quoted_cursor {
    tacho_str line;
    size_t at;
    char delimiter;
    size_t field_number; /* of the field being read, 1 for the first; for messages */
    tacho_arena *scratch;
} quoted_cursor;

/* Copies |text|, in which every quote is doubled, with single ones. */
static tacho_status undouble(tacho_arena *scratch, tacho_str text, tacho_str *out_field)
{
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(scratch, text.len, &memory));
    char *copy = memory;
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        copy[len++] = text.data[i];
        i += text.data[i] == '"';
    }
    *out_field = tacho_str_make(copy, len);
    return TACHO_OK;
}

/* Finds the quote that closes a field whose text begins at |start|; line.len if none does. */
static size_t find_closing_quote(tacho_str line, size_t start, bool *out_doubled)
{
    *out_doubled = false;
    for (size_t at = start;;) {
        at += tacho_str_find_byte(tacho_str_from(line, at), '"');
        if (at + 1 >= line.len || line.data[at + 1] != '"') {
            return at;
        }
        *out_doubled = true;
        at += 2;
    }
}

static tacho_status read_quoted_field(quoted_cursor *cursor, tacho_str *out_field)
{
    tacho_str line = cursor->line;
    size_t start = cursor->at + 1;
    bool doubled = false;
    size_t closing = find_closing_quote(line, start, &doubled);
    if (closing >= line.len) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "column %zu: the quote that opens field %zu is never closed",
                          cursor->at + 1, cursor->field_number);
    }
    cursor->at = closing + 1;
    if (cursor->at < line.len && line.data[cursor->at] != cursor->delimiter) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "column %zu: expected a delimiter or the end of the line after the "
                          "closing quote of field %zu",
                          cursor->at + 1, cursor->field_number);
    }
    *out_field = tacho_str_make(line.data + start, closing - start);
    return doubled ? undouble(cursor->scratch, *out_field, out_field) : TACHO_OK;
}

static tacho_status read_field(quoted_cursor *cursor, tacho_str *out_field)
{
    tacho_str rest = cursor->line;
    if (cursor->at > 0) {
        rest = tacho_str_from(rest, cursor->at);
    }
    if (rest.len > 0 && rest.data[0] == '"') {
        return read_quoted_field(cursor, out_field);
    }
    *out_field = tacho_str_make(rest.data, tacho_str_find_byte(rest, cursor->delimiter));
    cursor->at += out_field->len;
    return TACHO_OK;
}

tacho_status tacho_csv_read_quoted(tacho_str line, char delimiter, tacho_arena *scratch,
                                   tacho_csv_record *out_record)
{
    assert(delimiter != '"');
    *out_record = (tacho_csv_record){0};
    /* Delimiters inside quotes make this too many, never too few. */
    size_t field_max = tacho_csv_split(line, delimiter, NULL, 0);
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(scratch, field_max * sizeof(tacho_str), &memory));
    tacho_str *fields = memory;
    size_t field_count = 0;
    quoted_cursor cursor = {.line = line, .delimiter = delimiter, .scratch = scratch};
    for (bool more = true; more; cursor.at++) {
        cursor.field_number = field_count + 1;
        TACHO_TRY(read_field(&cursor, &fields[field_count]));
        field_count++;
        more = cursor.at < line.len;
    }
    *out_record = (tacho_csv_record){fields, field_count};
    return TACHO_OK;
}

static bool needs_quotes(tacho_str text, char delimiter)
{
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.data[i];
        if (byte == delimiter || byte == '"' || byte == '\r' || byte == '\n') {
            return true;
        }
    }
    return false;
}

/* Writes |prefix| and |text| as one field; the prefix itself needs no quotes. */
static void write_prefixed(tacho_output *output, tacho_str prefix, tacho_str text, char delimiter)
{
    assert(delimiter != '"');
    if (!needs_quotes(text, delimiter)) {
        tacho_output_write_str(output, prefix);
        tacho_output_write_str(output, text);
        return;
    }
    tacho_output_write(output, "\"", 1);
    tacho_output_write_str(output, prefix);
    for (size_t len; (len = tacho_str_find_byte(text, '"')) < text.len;) {
        tacho_output_write(output, text.data, len + 1);
        tacho_output_write(output, "\"", 1);
        text = tacho_str_from(text, len + 1);
    }
    tacho_output_write_str(output, text);
    tacho_output_write(output, "\"", 1);
}

void tacho_csv_write_field(tacho_output *output, tacho_str text, char delimiter)
{
    write_prefixed(output, TACHO_STR(""), text, delimiter);
}

static size_t skip_digits(tacho_str text, size_t at)
{
    while (at < text.len && text.data[at] >= '0' && text.data[at] <= '9') {
        at++;
    }
    return at;
}

static size_t skip_either(tacho_str text, size_t at, char one, char other)
{
    return at < text.len && (text.data[at] == one || text.data[at] == other) ? at + 1 : at;
}

/* Whether all of |text| is a decimal number: sign, digits, fraction, exponent. */
static bool is_number(tacho_str text)
{
    size_t start = skip_either(text, 0, '+', '-');
    size_t point = skip_digits(text, start);
    size_t fraction = skip_either(text, point, '.', '.');
    size_t at = skip_digits(text, fraction);
    bool has_digits = point > start || at > fraction;
    size_t exponent = skip_either(text, at, 'e', 'E');
    if (exponent > at) {
        size_t digits = skip_either(text, exponent, '+', '-');
        at = skip_digits(text, digits);
        has_digits = has_digits && at > digits;
    }
    return has_digits && at == text.len;
}

void tacho_csv_write_guarded(tacho_output *output, tacho_str text, char delimiter)
{
    static const char starters[] = "=+-@\t\r";
    bool risky = text.len > 0 && memchr(starters, text.data[0], sizeof(starters) - 1) != NULL;
    bool is_dash = text.len == 1 && text.data[0] == '-'; /* for nothing: no spreadsheet minds */
    bool guarded = risky && !is_dash && !is_number(text);
    write_prefixed(output, guarded ? TACHO_STR("'") : TACHO_STR(""), text, delimiter);
}
