/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts by their lines, the fields of lines, and numbers: a line goes away, comes a second time or
 * trades its place with another; a field becomes that of another line, or an odd one.
 */
#include "mutate.h"

#include <ctype.h>
#include <string.h>

enum { FIELDS_MAX = 256 };

/* Bytes [start, end); of a line with its newline. */
typedef struct range {
    size_t start, end;
} range;

/* The line around some place of the text. */
static range pick_line(mutation *self)
{
    size_t at = mutation_draw(self, self->size);
    range line = {at, at};
    while (line.start > 0 && self->data[line.start - 1] != '\n') {
        line.start--;
    }
    while (line.end < self->size && self->data[line.end] != '\n') {
        line.end++;
    }
    line.end += line.end < self->size ? 1 : 0;
    return line;
}

/* Lines |a| and |b| in each other's place, or |b| twice, or |a| gone. */
static void change_lines(mutation *self)
{
    range a = pick_line(self), b = pick_line(self);
    if (b.start < a.start) {
        range first = b;
        b = a;
        a = first;
    }
    size_t how = mutation_draw(self, 4);
    mutation_put_range(self, 0, a.start);
    if (how == 0 && a.start < b.start) {
        mutation_put_range(self, b.start, b.end);
        mutation_put_range(self, a.end, b.start);
        mutation_put_range(self, a.start, a.end);
        mutation_put_range(self, b.end, self->size);
    } else if (how == 1) {
        mutation_put_range(self, a.end, self->size);
    } else {
        mutation_put_range(self, b.start, b.end);
        mutation_put_range(self, a.start, self->size);
    }
}

/* The first number after some place becomes an odd one. */
static bool change_number(mutation *self)
{
    size_t start = mutation_draw(self, self->size);
    while (start < self->size && !isdigit(self->data[start])) {
        start++;
    }
    size_t end = start;
    while (end < self->size && isdigit(self->data[end])) {
        end++;
    }
    const char *number = mutation_odd_number(self);
    mutation_replace(self, start, end, number, strlen(number));
    return end > start;
}

bool mutate_lines(mutation *self)
{
    if (self->size == 0) {
        return false;
    }
    if (mutation_draw(self, 2) == 0) {
        return change_number(self);
    }
    change_lines(self);
    return true;
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* The most frequent byte of those that separate fields; 0 where there is none. */
static uint8_t find_delimiter(const mutation *self)
{
    static const uint8_t candidates[] = {',', ';', '\t', '|'};
    size_t most = 0;
    uint8_t found = 0;
    for (size_t i = 0; i < sizeof(candidates); i++) {
        size_t count = 0;
        for (size_t at = 0; at < self->size; at++) {
            count += self->data[at] == candidates[i];
        }
        found = count > most ? candidates[i] : found;
        most = count > most ? count : most;
    }
    return found;
}

/* Quotes are honoured, as readers do. */
static size_t split(const mutation *self, range line, uint8_t delimiter, range fields[FIELDS_MAX])
{
    size_t count = 0, start = line.start, end = line.end;
    bool is_quoted = false;
    end -= end > start && self->data[end - 1] == '\n' ? 1 : 0;
    end -= end > start && self->data[end - 1] == '\r' ? 1 : 0;
    for (size_t at = start; at <= end && count < FIELDS_MAX; at++) {
        is_quoted ^= at < end && self->data[at] == '"';
        if (at == end || (self->data[at] == delimiter && !is_quoted)) {
            fields[count++] = (range){start, at};
            start = at + 1;
        }
    }
    return count;
}

static const char *odd_field(mutation *self)
{
    static const char *const odd[] = {"",     "\"\"",         "\"a\"\"b\"", "\"a,b\"", "\"",
                                      " ",    "=1+1",         "nan",        "inf",     "0x10",
                                      "N/A",  "BEGIN",        "END",        "x x",     "'",
                                      "\xc3", "\xef\xbb\xbf", "-",          "[1, 2]",  "1_2"};
    return mutation_draw(self, 2) == 0 ? mutation_odd_number(self)
                                       : odd[mutation_draw(self, sizeof(odd) / sizeof(odd[0]))];
}

static void exchange_fields(mutation *self, const range *a, const range *b)
{
    const range *first = a->start < b->start ? a : b, *second = first == a ? b : a;
    mutation_put_range(self, 0, first->start);
    mutation_put_range(self, second->start, second->end);
    mutation_put_range(self, first->end, second->start);
    mutation_put_range(self, first->start, first->end);
    mutation_put_range(self, second->end, self->size);
}

/* The field in the column |column| of another line, or the last one there is. */
static range field_of_other(mutation *self, uint8_t delimiter, size_t column)
{
    range fields[FIELDS_MAX];
    size_t count = split(self, pick_line(self), delimiter, fields);
    return count == 0 ? (range){0, 0} : fields[column < count ? column : count - 1];
}

bool mutate_table(mutation *self)
{
    range fields[FIELDS_MAX];
    uint8_t delimiter = find_delimiter(self);
    size_t count = delimiter != 0 ? split(self, pick_line(self), delimiter, fields) : 0;
    if (count < 2) {
        return false;
    }
    size_t column = mutation_draw(self, count);
    const range *field = &fields[column];
    range other = field_of_other(self, delimiter, column);
    const char *odd = odd_field(self);
    switch (mutation_draw(self, 6)) {
    case 0: /* without it, and a delimiter */
        mutation_replace(self, field->start - (column > 0 ? 1 : 0),
                         field->end + (column == 0 ? 1 : 0), NULL, 0);
        break;
    case 1:
        mutation_put_range(self, 0, field->end);
        mutation_put(self, &delimiter, 1);
        mutation_put_range(self, field->start, self->size);
        break;
    case 2:
        exchange_fields(self, field, &fields[(column + 1) % count]);
        break;
    case 3:
        mutation_replace(self, field->start, field->end, self->data + other.start,
                         other.end - other.start);
        break;
    default:
        mutation_replace(self, field->start, field->end, odd, strlen(odd));
        break;
    }
    return true;
}
