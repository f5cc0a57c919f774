/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables as text: a title, aligned columns, numbers to the right, durations in a suitable unit.
 * Names are made safe for the terminal. A table wider than the terminal is made to fit: long texts
 * lose their middle, then columns are left out, the least important first, with a remark. Texts
 * that must stay whole, and tables of two texts, stay as they are.
 */
#include "base/color.h"
#include "base/duration.h"
#include "base/text.h"
#include "base/utf8.h"
#include "sinks/findings_text.h"
#include "sinks/table_sink.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Display columns of a text, and of one that must stay whole; other formats have all of it. */
enum { SHOWN_MAX = 72, WHOLE_MAX = 1000, SHOWN_WELL = 40, SHOWN_LEAST = 24, GAP = 2 };

/* The character at |at|. */
static tacho_str character_at(tacho_str text, size_t at)
{
    uint32_t code_point = 0;
    return tacho_str_make(text.data + at, tacho_utf8_decode(tacho_str_from(text, at), &code_point));
}

/* The number of bytes that take at most |width| columns; a character is never cut. */
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

/*
 * The number of bytes that take at least |width| columns, so that the others take at most the rest.
 */
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

/* Leaves out the middle of a long text: its ends identify it, and lines stay readable. */
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

/* |most|: columns of a text. */
static tacho_status format_cell(const tacho_cell *cell, tacho_column_type type, size_t most,
                                tacho_arena *arena, tacho_str *out_text)
{
    char text[400]; /* the largest double has 309 digits */
    if (cell->is_absent) {
        *out_text = TACHO_STR("-");
        return TACHO_OK;
    }
    switch (type) {
    case TACHO_COLUMN_TEXT:
        TACHO_TRY(tacho_utf8_printable(cell->value.text, arena, out_text));
        return shorten(arena, most, out_text);
    case TACHO_COLUMN_PICTURE:
        return tacho_utf8_printable(cell->value.text, arena, out_text);
    case TACHO_COLUMN_DURATION:
        tacho_duration_format(cell->value.integer, text);
        break;
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

tacho_status tacho_table_cell_text(const tacho_cell *cell, tacho_column_type type,
                                   tacho_arena *arena, tacho_str *out_text)
{
    return format_cell(cell, type, WHOLE_MAX, arena, out_text);
}

/* All cells as text, headings first, and the width of each column; 0 for one without a cell. */
typedef struct layout {
    tacho_str *texts;
    size_t *widths;
    bool *is_fixed;    /* columns of texts that are not shortened */
    bool *is_left_out; /* columns that do not fit */
    bool *is_cut;      /* columns with texts shortened to fit */
    bool *is_same;     /* columns left out because all rows are equal */
} layout;

/* The index of |column| in |list|; SIZE_MAX if it is missing. */
static size_t place_in(const tacho_column_id *list, const tacho_table *table, size_t column)
{
    for (size_t i = 0; list != NULL && list[i] != TACHO_COL_OTHER; i++) {
        if (list[i] == table->columns[column].id) {
            return i;
        }
    }
    return SIZE_MAX;
}

static bool is_text(const tacho_table *table, size_t column)
{
    return table->columns[column].type == TACHO_COLUMN_TEXT;
}

/* Texts meant for copying, and lists of name and value, stay whole. */
static bool is_whole(const tacho_table *table, size_t column)
{
    bool is_list = table->column_count == 2 && is_text(table, 0) && is_text(table, 1);
    return is_list || (is_text(table, column) && place_in(table->whole, table, column) != SIZE_MAX);
}

/*
 * Whether a column is empty in every row and can be left out, unless the table shows unused ones.
 */
static bool is_unused(const tacho_table *table, size_t column)
{
    for (size_t i = column; i < table->cell_count; i += table->column_count) {
        if (!table->cells[i].is_absent) {
            return false;
        }
    }
    return table->cell_count > 0 && !table->shows_unused;
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
        shape->is_fixed[column] = is_whole(table, column);
        widen(shape, column, shape->texts[column]);
    }
    for (size_t i = 0; i < table->cell_count; i++) {
        size_t column = i % table->column_count;
        tacho_str *text = &shape->texts[table->column_count + i];
        size_t most = shape->is_fixed[column] ? WHOLE_MAX : SHOWN_MAX;
        TACHO_TRY(format_cell(&table->cells[i], table->columns[column].type, most, arena, text));
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

/* The widest column of texts that can be shortened to |least| or more; or the number of columns. */
static size_t widest_text(const tacho_table *table, const layout *shape, size_t least)
{
    size_t found = table->column_count;
    for (size_t column = 0; column < table->column_count; column++) {
        if (is_text(table, column) && !shape->is_fixed[column] && shape->widths[column] > least &&
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

/*
 * Whether every row has the same text in |column|; in a table of one row only for file and origin.
 */
static bool is_constant(const tacho_table *table, const layout *shape, size_t column)
{
    tacho_column_id id = table->columns[column].id;
    bool is_origin = id == TACHO_COL_FILE || id == TACHO_COL_ORIGIN;
    size_t row_count = tacho_table_row_count(table);
    if (!is_text(table, column) || shape->widths[column] == 0 || is_whole(table, column) ||
        (row_count < 2 && !is_origin) || place_in(table->kept, table, column) == 0) {
        return false;
    }
    for (size_t row = 1; row < row_count; row++) {
        const tacho_cell *first = tacho_table_cell(table, 0, column);
        const tacho_cell *cell = tacho_table_cell(table, row, column);
        if (first->is_absent || cell->is_absent ||
            !tacho_str_equal(first->value.text, cell->value.text)) {
            return false;
        }
    }
    return row_count > 0 && !tacho_table_cell(table, 0, column)->is_absent;
}

/* Whether every row has 0 in |column|, or an absent cell. */
static bool is_zero(const tacho_table *table, const layout *shape, size_t column)
{
    tacho_column_type type = table->columns[column].type;
    bool is_real = type == TACHO_COLUMN_REAL || type == TACHO_COLUMN_PERCENT;
    bool is_number = is_real || type == TACHO_COLUMN_INT || type == TACHO_COLUMN_DURATION;
    for (size_t row = 0; row < tacho_table_row_count(table) && is_number; row++) {
        const tacho_cell *cell = tacho_table_cell(table, row, column);
        is_number =
            !cell->is_absent && (is_real ? cell->value.real == 0 : cell->value.integer == 0);
    }
    return is_number && shape->widths[column] > 0 && place_in(table->kept, table, column) > 0;
}

/* Leaves out columns of zeros, those furthest to the right first. */
static void leave_zeros_out(const tacho_table *table, size_t columns, layout *shape)
{
    for (size_t i = table->column_count; i > 0 && table->kept != NULL; i--) {
        if (total_width(table, shape) > columns && is_zero(table, shape, i - 1)) {
            shape->widths[i - 1] = 0;
            shape->is_same[i - 1] = true;
        }
    }
}

/* Leaves out columns that are equal in every row, the file and the origin first. */
static void leave_constants_out(const tacho_table *table, size_t columns, layout *shape)
{
    for (size_t pass = 0; pass < 2 && table->kept != NULL; pass++) {
        for (size_t column = 0; column < table->column_count; column++) {
            tacho_column_id id = table->columns[column].id;
            bool is_origin = id == TACHO_COL_FILE || id == TACHO_COL_ORIGIN;
            if (total_width(table, shape) > columns && is_origin == (pass == 0) &&
                is_constant(table, shape, column)) {
                shape->widths[column] = 0;
                shape->is_same[column] = true;
            }
        }
    }
}

/*
 * Leaves out the least important column, among equals the one furthest to the right, but neither
 * the only one nor one that must stay whole; false if there is none. In a table without an order of
 * importance the first column is the most important.
 */
static bool leave_one_out(const tacho_table *table, layout *shape)
{
    size_t found = table->column_count;
    size_t found_place = 0;
    size_t shown_count = 0;
    for (size_t column = 0; column < table->column_count; column++) {
        size_t place = place_in(table->kept, table, column);
        bool is_free = !is_whole(table, column) && (column > 0 || table->kept != NULL);
        shown_count += shape->widths[column] > 0 ? 1 : 0;
        if (shape->widths[column] > 0 && is_free && place >= found_place) {
            found = column;
            found_place = place;
        }
    }
    bool is_found = found < table->column_count && shown_count > 1;
    if (is_found) {
        shape->widths[found] = 0;
        shape->is_left_out[found] = true;
    }
    return is_found;
}

/* Shortens texts, the widest first, until the table fits or each has |least|. */
static tacho_status shorten_texts(const tacho_table *table, tacho_arena *arena, size_t columns,
                                  size_t least, layout *shape)
{
    size_t total = total_width(table, shape);
    for (size_t column; total > columns; total = total_width(table, shape)) {
        column = widest_text(table, shape, least);
        if (column == table->column_count) {
            break;
        }
        size_t excess = total - columns;
        size_t width = shape->widths[column];
        size_t most = width > least + excess ? width - excess : least;
        TACHO_TRY(shorten_column(table, arena, shape, column, most));
        shape->is_fixed[column] = shape->widths[column] >= width;
        shape->is_cut[column] = true;
    }
    return TACHO_OK;
}

/* Leaves out columns that the table does not list as important, from the right. */
static void leave_others_out(const tacho_table *table, size_t columns, layout *shape)
{
    for (size_t i = table->column_count; i > 0 && table->kept != NULL; i--) {
        bool is_other = place_in(table->kept, table, i - 1) == SIZE_MAX;
        if (total_width(table, shape) > columns && is_other && shape->widths[i - 1] > 0 &&
            !is_whole(table, i - 1)) {
            shape->widths[i - 1] = 0;
            shape->is_left_out[i - 1] = true;
        }
    }
}

static tacho_status fit(const tacho_table *table, tacho_arena *arena, size_t columns, layout *shape)
{
    leave_constants_out(table, columns, shape);
    leave_zeros_out(table, columns, shape);
    TACHO_TRY(shorten_texts(table, arena, columns, SHOWN_WELL, shape));
    leave_others_out(table, columns, shape);
    TACHO_TRY(shorten_texts(table, arena, columns, SHOWN_LEAST, shape));
    while (total_width(table, shape) > columns && leave_one_out(table, shape)) {
    }
    return TACHO_OK;
}

/* Adds |phrase| and the titles of the columns in |is_meant|, if any. */
static tacho_status put_titles(const tacho_table *table, const bool *is_meant, const char *phrase,
                               tacho_text *text)
{
    bool is_first = true;
    for (size_t i = 0; i < table->column_count; i++) {
        const char *title = table->columns[i].title;
        if (!is_meant[i] || title[0] == '\0') {
            continue;
        }
        const char *start = is_first ? phrase : ", ";
        const char *parting = is_first && text->item_count > 0 ? "; " : "";
        TACHO_TRY(tacho_text_put(text, tacho_str_from_cstring(parting)));
        TACHO_TRY(tacho_text_put(text, tacho_str_from_cstring(start)));
        TACHO_TRY(tacho_text_put(text, tacho_str_from_cstring(title)));
        is_first = false;
    }
    return TACHO_OK;
}

/* Writes |text| in lines of at most |columns|, if its words are short enough. */
static void write_wrapped(tacho_str text, size_t columns, tacho_output *output)
{
    size_t at = 0;
    while (text.len > 0) {
        const char *blank = memchr(text.data, ' ', text.len);
        size_t len = blank != NULL ? (size_t)(blank - text.data) : text.len;
        tacho_str word = tacho_str_make(text.data, len);
        size_t width = tacho_utf8_width(word);
        bool is_next = at > 0 && at + 1 + width > columns;
        tacho_output_write(output, is_next ? "\n" : " ", at > 0 ? 1 : 0);
        tacho_output_write_str(output, word);
        at = (is_next || at == 0 ? 0 : at + 1) + width;
        text = tacho_str_from(text, blank != NULL ? len + 1 : len);
    }
    tacho_output_write(output, "\n", 1);
}

/* Adds "(every row: file a.json, origin measured" */
static tacho_status put_constants(const tacho_table *table, const layout *shape, tacho_text *text)
{
    for (size_t i = 0; i < table->column_count; i++) {
        if (shape->is_same[i]) {
            const char *start = text->item_count > 0 ? ", " : "(every row: ";
            TACHO_TRY(tacho_text_put(text, tacho_str_from_cstring(start)));
            TACHO_TRY(tacho_text_put(text, tacho_str_from_cstring(table->columns[i].title)));
            TACHO_TRY(tacho_text_put(text, TACHO_STR(" ")));
            TACHO_TRY(tacho_text_put(text, shape->texts[table->column_count + i]));
        }
    }
    return TACHO_OK;
}

/* Adds a remark on columns left out for width, and how to see them. */
static tacho_status put_remark(const tacho_table *table, const layout *shape, const char *advice,
                               tacho_text *text)
{
    for (size_t i = 0; i < table->column_count; i++) {
        shape->is_cut[i] = shape->is_cut[i] && !shape->is_left_out[i];
    }
    TACHO_TRY(put_constants(table, shape, text));
    size_t constant_len = text->item_count;
    TACHO_TRY(put_titles(table, shape->is_left_out,
                         text->item_count > 0 ? "not shown: " : "(not shown: ", text));
    TACHO_TRY(put_titles(table, shape->is_cut, text->item_count > 0 ? "cut: " : "(cut: ", text));
    if (text->item_count == constant_len) { /* nothing is missing */
        return constant_len > 0 ? tacho_text_put(text, TACHO_STR(")")) : TACHO_OK;
    }
    TACHO_TRY(tacho_text_put(text, TACHO_STR("; a wider terminal")));
    if (advice != NULL) {
        TACHO_TRY(tacho_text_put(text, TACHO_STR(" or ")));
        TACHO_TRY(tacho_text_put(text, tacho_str_from_cstring(advice)));
    }
    return tacho_text_put(text, TACHO_STR(" shows all of it)"));
}

static tacho_status write_remark(const tacho_table *table, const layout *shape, size_t columns,
                                 const char *advice, tacho_output *output)
{
    tacho_text text = {0};
    tacho_status status = put_remark(table, shape, advice, &text);
    if (status == TACHO_OK && text.item_count > 0) {
        write_wrapped(tacho_text_take(&text), columns, output);
    }
    tacho_text_deinit(&text);
    return status;
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

/* The style of a mark; NULL: none. */
static const char *paint_of(const tacho_table *table, size_t line, size_t column)
{
    static const char *const paints[TACHO_MARK_COUNT] = {
        [TACHO_MARK_GOOD] = TACHO_COLOR_GREEN,
        [TACHO_MARK_WEAK] = TACHO_COLOR_YELLOW,
        [TACHO_MARK_BAD] = TACHO_COLOR_RED,
        [TACHO_MARK_MINOR] = TACHO_COLOR_DIM,
    };
    return line == 0 ? NULL : paints[tacho_table_cell(table, line - 1, column)->mark];
}

static void write_marked(tacho_str text, const char *paint, tacho_output *output)
{
    if (paint != NULL) {
        tacho_output_paint(output, paint);
    }
    tacho_output_write_str(output, text);
    if (paint != NULL) {
        tacho_output_paint(output, TACHO_COLOR_END);
    }
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
        bool is_left = is_text(table, column) || table->columns[column].type == TACHO_COLUMN_FLAG ||
                       table->columns[column].type == TACHO_COLUMN_PICTURE;
        bool is_last = column == last_column;
        write_padding(output, is_first ? 0 : GAP);
        is_first = false;
        write_padding(output, is_left ? 0 : padding);
        text = is_last ? without_trailing_blanks(text) : text;
        write_marked(text, paint_of(table, line, column), output);
        write_padding(output, is_left && !is_last ? padding : 0);
    }
    tacho_output_write(output, "\n", 1);
}

static tacho_status make_layout(const tacho_table *table, tacho_arena *arena, layout *out_shape)
{
    void *memory = NULL;
    size_t count = table->column_count;
    TACHO_TRY(
        tacho_arena_alloc(arena, (count + table->cell_count) * sizeof(*out_shape->texts), &memory));
    out_shape->texts = memory;
    TACHO_TRY(tacho_arena_alloc(arena, count * sizeof(*out_shape->widths), &memory));
    out_shape->widths = memory;
    TACHO_TRY(tacho_arena_alloc(arena, 4 * count * sizeof(bool), &memory));
    out_shape->is_fixed = memory;
    out_shape->is_left_out = out_shape->is_fixed + count;
    out_shape->is_cut = out_shape->is_left_out + count;
    out_shape->is_same = out_shape->is_cut + count;
    return fill_layout(table, arena, out_shape);
}

static tacho_status write_with(const tacho_table *table, size_t columns, const char *advice,
                               tacho_arena *arena, tacho_output *output)
{
    layout shape;
    TACHO_TRY(make_layout(table, arena, &shape));
    if (columns > 0) {
        TACHO_TRY(fit(table, arena, columns, &shape));
    }
    tacho_output_paint(output, TACHO_COLOR_BOLD);
    tacho_output_write_str(output, tacho_str_from_cstring(table->title));
    tacho_output_write(output, "\n", 1);
    write_line(table, &shape, 0, output);
    tacho_output_paint(output, TACHO_COLOR_END);
    for (size_t line = 1; line <= tacho_table_row_count(table); line++) {
        write_line(table, &shape, line, output);
    }
    return write_remark(table, &shape, columns, advice, output);
}

tacho_status tacho_table_write_text(const tacho_table *table, size_t columns, const char *advice,
                                    tacho_output *output)
{
    tacho_arena arena;
    if (tacho_findings_text_fits(table, columns)) {
        return tacho_findings_text_write(table, columns, output);
    }
    tacho_arena_init(&arena);
    tacho_status status = write_with(table, columns, advice, &arena, output);
    tacho_arena_deinit(&arena);
    return status;
}

static tacho_status write_next(const tacho_table *table, size_t index, const char *advice,
                               tacho_output *output)
{
    if (index > 0) {
        tacho_output_write(output, "\n", 1);
    }
    return tacho_table_write_text(table, tacho_output_columns(output), advice, output);
}

static tacho_status text_write(const tacho_table *table, size_t index, tacho_output *output)
{
    return write_next(table, index, "CSV", output);
}

static tacho_status text_write_alone(const tacho_table *table, size_t index, tacho_output *output)
{
    return write_next(table, index, NULL, output);
}

const tacho_table_sink tacho_table_sink_text_alone = {
    .name = "text",
    .title = "aligned columns for people",
    .suffix = ".txt",
    .write = text_write_alone,
};

const tacho_table_sink tacho_table_sink_text = {
    .name = "text",
    .title = "aligned columns for people",
    .suffix = ".txt",
    .write = text_write,
};
