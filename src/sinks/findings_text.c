/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sentence per row; words that do not fit continue on the next line.
 */
#include "sinks/findings_text.h"

#include "base/color.h"
#include "base/text.h"
#include "base/utf8.h"

#include <stdio.h>

enum { INDENT = 2, LEAST_COLUMNS = 40 };

/* The index of column |id|; the number of columns if it is missing. */
static size_t find_column(const tacho_table *table, tacho_column_id id)
{
    size_t at = 0;
    while (at < table->column_count && table->columns[at].id != id) {
        at++;
    }
    return at;
}

static bool has_column(const tacho_table *table, tacho_column_id id)
{
    return find_column(table, id) < table->column_count;
}

bool tacho_findings_text_fits(const tacho_table *table, size_t columns)
{
    bool is_note = columns > 0 && table->column_count == 2 && has_column(table, TACHO_COL_NOTE);
    return has_column(table, TACHO_COL_FILE) &&
           ((has_column(table, TACHO_COL_VERDICT) && strcmp(table->name, "verdict") == 0) ||
            (has_column(table, TACHO_COL_ADVICE) && has_column(table, TACHO_COL_GAIN_NS)) ||
            is_note);
}

static bool is_same(const tacho_cell *left, const tacho_cell *right)
{
    return left->is_absent == right->is_absent &&
           (left->is_absent || tacho_str_equal(left->value.text, right->value.text));
}

static bool is_constant(const tacho_table *table, size_t column)
{
    for (size_t row = 1; row < tacho_table_row_count(table); row++) {
        if (!is_same(tacho_table_cell(table, 0, column), tacho_table_cell(table, row, column))) {
            return false;
        }
    }
    return true;
}

/* ---- a sentence ---------------------------------------------------------------------------- */

static tacho_status put_cell(const tacho_table *table, size_t row, tacho_column_id id,
                             tacho_text *text)
{
    size_t column = find_column(table, id);
    tacho_arena arena;
    tacho_str shown;
    tacho_arena_init(&arena);
    tacho_status status = tacho_table_cell_text(tacho_table_cell(table, row, column),
                                                table->columns[column].type, &arena, &shown);
    if (status == TACHO_OK) {
        status = tacho_text_put(text, shown);
    }
    tacho_arena_deinit(&arena);
    return status;
}

/* "a.json, rank 0, GPU 0: ", of those that differ between rows, if several. */
static tacho_status put_who(const tacho_table *table, size_t row, tacho_text *text)
{
    static const tacho_column_id who[] = {TACHO_COL_FILE, TACHO_COL_RANK, TACHO_COL_DEVICE,
                                          TACHO_COL_ORIGIN};
    const char *parting = "";
    for (size_t i = 0; i < sizeof(who) / sizeof(who[0]); i++) {
        size_t column = find_column(table, who[i]);
        bool is_there = column < table->column_count;
        bool is_said = is_there && (!is_constant(table, column) ||
                                    (table->is_of_several && who[i] != TACHO_COL_ORIGIN));
        if (is_said && !tacho_table_cell(table, row, column)->is_absent) {
            bool is_rank = who[i] == TACHO_COL_RANK;
            TACHO_TRY(tacho_text_put(text, tacho_str_from_cstring(parting)));
            TACHO_TRY(is_rank ? tacho_text_put(text, TACHO_STR("rank ")) : TACHO_OK);
            TACHO_TRY(put_cell(table, row, who[i], text));
            parting = ", ";
        }
    }
    return parting[0] != '\0' ? tacho_text_put(text, TACHO_STR(": ")) : TACHO_OK;
}

/* " of a step", if there are steps. */
static tacho_status put_period(const tacho_table *table, size_t row, tacho_text *text)
{
    size_t column = find_column(table, TACHO_COL_PERIOD);
    bool has_steps =
        column < table->column_count &&
        !tacho_str_equal(tacho_table_cell(table, row, column)->value.text, TACHO_STR("the span"));
    if (!has_steps) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_text_put(text, TACHO_STR(" of ")));
    return put_cell(table, row, TACHO_COL_PERIOD, text);
}

/* "L-01, can gain 21.226 ms of a step, look at 18.023 ms: " */
static tacho_status put_rule(const tacho_table *table, size_t row, tacho_text *text)
{
    size_t start = find_column(table, TACHO_COL_START_NS);
    TACHO_TRY(put_cell(table, row, TACHO_COL_RULE, text));
    TACHO_TRY(tacho_text_put(text, TACHO_STR(", can gain ")));
    TACHO_TRY(put_cell(table, row, TACHO_COL_GAIN_NS, text));
    TACHO_TRY(put_period(table, row, text));
    if (!tacho_table_cell(table, row, start)->is_absent) {
        TACHO_TRY(tacho_text_put(text, TACHO_STR(", look at ")));
        TACHO_TRY(put_cell(table, row, TACHO_COL_START_NS, text));
    }
    return tacho_text_put(text, TACHO_STR(": "));
}

static tacho_status put_row(const tacho_table *table, size_t row, tacho_text *text)
{
    bool is_verdict = has_column(table, TACHO_COL_VERDICT);
    if (is_verdict || has_column(table, TACHO_COL_NOTE)) {
        TACHO_TRY(put_who(table, row, text));
        return put_cell(table, row, is_verdict ? TACHO_COL_VERDICT : TACHO_COL_NOTE, text);
    }
    char number[24];
    snprintf(number, sizeof(number), "%zu. ", row + 1);
    TACHO_TRY(tacho_text_put(text, tacho_str_from_cstring(number)));
    TACHO_TRY(put_who(table, row, text));
    TACHO_TRY(put_rule(table, row, text));
    return put_cell(table, row, TACHO_COL_ADVICE, text);
}

/* ---- lines --------------------------------------------------------------------------------- */

static void write_wrapped(tacho_str text, size_t columns, tacho_output *output)
{
    size_t at = 0;
    while (text.len > 0) {
        size_t len = tacho_str_find_byte(text, ' ');
        tacho_str word = tacho_str_make(text.data, len);
        size_t width = tacho_utf8_width(word);
        bool is_next = at == 0 || (columns > 0 && at + 1 + width > columns);
        tacho_output_write_cstring(output, at > 0 && is_next ? "\n" : "");
        tacho_output_printf(output, "%*s", is_next ? INDENT : 1, "");
        tacho_output_write_str(output, word);
        at = (is_next ? INDENT : at + 1) + width;
        text = tacho_str_from(text, len < text.len ? len + 1 : len);
    }
    tacho_output_write_cstring(output, "\n");
}

tacho_status tacho_findings_text_write(const tacho_table *table, size_t columns,
                                       tacho_output *output)
{
    size_t room = columns > 0 && columns < LEAST_COLUMNS ? LEAST_COLUMNS : columns;
    tacho_status status = TACHO_OK;
    tacho_output_paint(output, TACHO_COLOR_BOLD);
    tacho_output_write_cstring(output, table->title);
    tacho_output_write_cstring(output, "\n");
    tacho_output_paint(output, TACHO_COLOR_END);
    for (size_t row = 0; row < tacho_table_row_count(table) && status == TACHO_OK; row++) {
        tacho_text text = {0};
        status = put_row(table, row, &text);
        if (status == TACHO_OK) {
            write_wrapped(tacho_text_take(&text), room, output);
        }
        tacho_text_deinit(&text);
    }
    return status;
}
