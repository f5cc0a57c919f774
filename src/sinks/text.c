/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables for people: a title, aligned columns, numbers to the right, durations in the unit that
 * suits their size. Names are made safe for the terminal, and a table that is wider than it is
 * made to fit: long texts lose their middle, then columns are left out from the right, and said so.
 */
#include "base/utf8.h"
#include "sinks/table_sink.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Columns of a text; the other formats have all of it. */
enum { SHOWN_MAX = 72, SHOWN_LEAST = 24, GAP = 2 };

/* The printed form of one cell. */
static tacho_status format_duration(int64_t ns, tacho_arena *arena, tacho_str *out_text)
{
    static const struct {
        int64_t ns;
        const char *unit;
    } scales[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}};
    char text[48];
    snprintf(text, sizeof(text), "%" PRId64 " ns", ns);
    for (size_t i = 0; i < 3; i++) {
        if (ns >= scales[i].ns) {
            /* Three decimals, to the nearest. */
            int64_t step = scales[i].ns / 1000;
            int64_t thousandths = ns / step + (ns % step * 2 >= step ? 1 : 0);
            if (i > 0 && thousandths == 1000000) {
                thousandths = 1000; /* 999.9999 ms is 1.000 s */
                i--;
            }
            snprintf(text, sizeof(text), "%" PRId64 ".%03" PRId64 " %s", thousandths / 1000,
                     thousandths % 1000, scales[i].unit);
            break;
        }
    }
    return tacho_arena_copy(arena, tacho_str_from_cstring(text), out_text);
}

/* The character at |at|. */
static tacho_str character_at(tacho_str text, size_t at)
{
    uint32_t code_point = 0;
    return tacho_str_make(text.data + at, tacho_utf8_decode(tacho_str_from(text, at), &code_point));
}

/* How many bytes have at most |width| columns; a character is never cut. */
static size_t head_within(tacho_str text, size_t width)
{
    size_t at = 0;
    for (size_t seen = 0; at < text.len;) {
        tacho_str character = character_at(text, at);
        seen += tacho_utf8_width(character);
        if (seen > width) {
            break;
        }
        at += character.len;
    }
    return at;
}

/* How many bytes have at least |width| columns, so that the others have at most the rest. */
static size_t head_beyond(tacho_str text, size_t width)
{
    size_t at = 0;
    for (size_t seen = 0; at < text.len && seen < width;) {
        tacho_str character = character_at(text, at);
        seen += tacho_utf8_width(character);
        at += character.len;
    }
    return at;
}

/* Leaves the middle of a long text out: its ends say what it is, and lines stay readable. */
static tacho_status shorten(tacho_arena *arena, size_t most, tacho_str *text)
{
    size_t width = text->len <= most ? 0 : tacho_utf8_width(*text);
    if (width <= most) {
        return TACHO_OK;
    }
    const tacho_str gap = TACHO_STR("...");
    size_t head = head_within(*text, most / 2 - 2);
    size_t tail = head_beyond(*text, width - most / 2 + 1);
    size_t len = head + gap.len + (text->len - tail);
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(arena, len, &memory));
    memcpy(memory, text->data, head);
    memcpy((char *)memory + head, gap.data, gap.len);
    memcpy((char *)memory + head + gap.len, text->data + tail, text->len - tail);
    *text = tacho_str_make(memory, len);
    return TACHO_OK;
}

static tacho_status format_cell(const tacho_cell *cell, tacho_column_type type, tacho_arena *arena,
                                tacho_str *out_text)
{
    char text[400]; /* the largest double has 309 digits */
    if (cell->is_absent) {
        *out_text = TACHO_STR("-");
        return TACHO_OK;
    }
    switch (type) {
    case TACHO_COLUMN_TEXT:
        TACHO_TRY(tacho_utf8_printable(cell->value.text, arena, out_text));
        return shorten(arena, SHOWN_MAX, out_text);
    case TACHO_COLUMN_PICTURE:
        return tacho_utf8_printable(cell->value.text, arena, out_text);
    case TACHO_COLUMN_DURATION:
        return format_duration(cell->value.integer, arena, out_text);
    case TACHO_COLUMN_FLAG:
        *out_text = cell->value.integer != 0 ? TACHO_STR("True") : TACHO_STR("False");
        return TACHO_OK;
    case TACHO_COLUMN_INT:
        snprintf(text, sizeof(text), "%" PRId64, cell->value.integer);
        break;
    case TACHO_COLUMN_REAL:
        snprintf(text, sizeof(text), "%.3f", cell->value.real);
        break;
    case TACHO_COLUMN_PERCENT:
        snprintf(text, sizeof(text), "%.2f %%", cell->value.real);
        break;
    }
    return tacho_arena_copy(arena, tacho_str_from_cstring(text), out_text);
}

/* All cells printed, headings first, and the width of each column; 0 for one without a cell. */
typedef struct layout {
    tacho_str *texts;
    size_t *widths;
    bool *is_fixed;        /* columns of texts that do not become shorter */
    size_t first_left_out; /* column, of those that do not fit; else their number */
} layout;

/* A column that no row has anything in says nothing to people. */
static bool is_unused(const tacho_table *table, size_t column)
{
    for (size_t i = column; i < table->cell_count; i += table->column_count) {
        if (!table->cells[i].is_absent) {
            return false;
        }
    }
    return table->cell_count > 0;
}

static void widen(layout *shape, size_t column, tacho_str text)
{
    size_t width = tacho_utf8_width(text);
    if (width > shape->widths[column]) {
        shape->widths[column] = width;
    }
}

static tacho_status fill_layout(const tacho_table *table, tacho_arena *arena, layout *shape)
{
    for (size_t column = 0; column < table->column_count; column++) {
        shape->texts[column] = tacho_str_from_cstring(table->columns[column].title);
        widen(shape, column, shape->texts[column]);
    }
    for (size_t i = 0; i < table->cell_count; i++) {
        size_t column = i % table->column_count;
        tacho_str *text = &shape->texts[table->column_count + i];
        TACHO_TRY(format_cell(&table->cells[i], table->columns[column].type, arena, text));
        widen(shape, column, *text);
    }
    for (size_t column = 0; column < table->column_count; column++) {
        shape->widths[column] = is_unused(table, column) ? 0 : shape->widths[column];
    }
    return TACHO_OK;
}

/* ---- to the width of a terminal ------------------------------------------------------------ */

static size_t total_width(const tacho_table *table, const layout *shape)
{
    size_t total = 0;
    for (size_t column = 0; column < table->column_count; column++) {
        size_t width = shape->widths[column];
        total += width > 0 ? width + (total > 0 ? GAP : 0) : 0;
    }
    return total;
}

/* The widest column of texts that may become shorter, or the number of columns. */
static size_t widest_text(const tacho_table *table, const layout *shape)
{
    size_t found = table->column_count;
    for (size_t column = 0; column < table->column_count; column++) {
        if (table->columns[column].type == TACHO_COLUMN_TEXT && !shape->is_fixed[column] &&
            shape->widths[column] > SHOWN_LEAST &&
            (found == table->column_count || shape->widths[column] > shape->widths[found])) {
            found = column;
        }
    }
    return found;
}

static tacho_status shorten_column(const tacho_table *table, tacho_arena *arena, layout *shape,
                                   size_t column, size_t most)
{
    size_t text_count = table->column_count + table->cell_count;
    shape->widths[column] = 0;
    for (size_t i = column; i < text_count; i += table->column_count) {
        TACHO_TRY(shorten(arena, most, &shape->texts[i]));
        widen(shape, column, shape->texts[i]);
    }
    return TACHO_OK;
}

/* Leaves out the column furthest to the right, but never the first; false when it is alone. */
static bool leave_out_last(const tacho_table *table, layout *shape)
{
    size_t column = table->column_count - 1;
    while (column > 0 && shape->widths[column] == 0) {
        column--;
    }
    bool is_alone = column == 0;
    if (!is_alone) {
        shape->widths[column] = 0;
        shape->first_left_out = column;
    }
    return !is_alone;
}

static tacho_status fit(const tacho_table *table, tacho_arena *arena, size_t columns, layout *shape)
{
    size_t total = total_width(table, shape);
    for (size_t column; total > columns; total = total_width(table, shape)) {
        column = widest_text(table, shape);
        if (column == table->column_count) {
            break;
        }
        size_t excess = total - columns;
        size_t width = shape->widths[column];
        size_t most = width > SHOWN_LEAST + excess ? width - excess : SHOWN_LEAST;
        TACHO_TRY(shorten_column(table, arena, shape, column, most));
        shape->is_fixed[column] = shape->widths[column] >= width;
    }
    while (total_width(table, shape) > columns && leave_out_last(table, shape)) {
    }
    return TACHO_OK;
}

/* Which columns are not there, and how to see them. */
static void write_left_out(const tacho_table *table, const layout *shape, tacho_output *output)
{
    bool is_first = true;
    if (shape->first_left_out == table->column_count) {
        return;
    }
    tacho_output_write_str(output, TACHO_STR("(not shown: "));
    for (size_t i = shape->first_left_out; i < table->column_count; i++) {
        if (!is_unused(table, i)) {
            tacho_output_write_str(output, is_first ? TACHO_STR("") : TACHO_STR(", "));
            tacho_output_write_str(output, tacho_str_from_cstring(table->columns[i].title));
            is_first = false;
        }
    }
    tacho_output_write_str(output, TACHO_STR("; a wider terminal or --format csv shows them)\n"));
}

static void write_padding(tacho_output *output, size_t count)
{
    while (count-- > 0) {
        tacho_output_write(output, " ", 1);
    }
}

static tacho_str without_trailing_blanks(tacho_str text)
{
    while (text.len > 0 && text.data[text.len - 1] == ' ') {
        text.len--;
    }
    return text;
}

static void write_line(const tacho_table *table, const layout *shape, size_t line,
                       tacho_output *output)
{
    bool is_first = true;
    size_t last_column = table->column_count - 1;
    while (last_column > 0 && shape->widths[last_column] == 0) {
        last_column--;
    }
    for (size_t column = 0; column < table->column_count; column++) {
        tacho_str text = shape->texts[line * table->column_count + column];
        if (shape->widths[column] == 0) {
            continue;
        }
        size_t padding = shape->widths[column] - tacho_utf8_width(text);
        bool is_text = table->columns[column].type == TACHO_COLUMN_TEXT ||
                       table->columns[column].type == TACHO_COLUMN_FLAG ||
                       table->columns[column].type == TACHO_COLUMN_PICTURE;
        bool is_last = column == last_column;
        write_padding(output, is_first ? 0 : GAP);
        is_first = false;
        write_padding(output, is_text ? 0 : padding);
        text = is_last ? without_trailing_blanks(text) : text;
        tacho_output_write_str(output, text);
        write_padding(output, is_text && !is_last ? padding : 0);
    }
    tacho_output_write(output, "\n", 1);
}

static tacho_status write_with(const tacho_table *table, size_t columns, tacho_arena *arena,
                               tacho_output *output)
{
    layout shape = {.first_left_out = table->column_count};
    void *memory = NULL;
    size_t text_count = table->column_count + table->cell_count;
    TACHO_TRY(tacho_arena_alloc(arena, text_count * sizeof(*shape.texts), &memory));
    shape.texts = memory;
    TACHO_TRY(tacho_arena_alloc(arena, table->column_count * sizeof(*shape.widths), &memory));
    shape.widths = memory;
    TACHO_TRY(tacho_arena_alloc(arena, table->column_count * sizeof(*shape.is_fixed), &memory));
    shape.is_fixed = memory;
    TACHO_TRY(fill_layout(table, arena, &shape));
    if (columns > 0) {
        TACHO_TRY(fit(table, arena, columns, &shape));
    }
    tacho_output_write_str(output, tacho_str_from_cstring(table->title));
    tacho_output_write(output, "\n", 1);
    for (size_t line = 0; line <= tacho_table_row_count(table); line++) {
        write_line(table, &shape, line, output);
    }
    write_left_out(table, &shape, output);
    return TACHO_OK;
}

tacho_status tacho_table_write_text(const tacho_table *table, size_t columns, tacho_output *output)
{
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status = write_with(table, columns, &arena, output);
    tacho_arena_deinit(&arena);
    return status;
}

static tacho_status text_write(const tacho_table *table, size_t index, tacho_output *output)
{
    if (index > 0) {
        tacho_output_write(output, "\n", 1);
    }
    return tacho_table_write_text(table, tacho_output_columns(output), output);
}

const tacho_table_sink tacho_table_sink_text = {
    .name = "text",
    .title = "aligned columns for people",
    .suffix = ".txt",
    .write = text_write,
};
