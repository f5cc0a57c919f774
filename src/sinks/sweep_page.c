/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For each phase the time and the rate over the length, one curve for each batch; over the batch if
 * there is one length. Both axes are logarithmic.
 */
#include "sinks/sweep_page.h"

#include "base/whole.h"

#include <math.h>

enum { LEFT = 80, TOP = 40, WIDTH = 420, HEIGHT = 260, RIGHT = 110, BOTTOM = 50, CURVES_MAX = 64 };

static const char *const colours[] = {"#0b62a4", "#c2410c", "#15803d", "#7e22ce",
                                      "#b91c1c", "#0f766e", "#a16207", "#334155"};

enum { COLOURS = sizeof(colours) / sizeof(colours[0]) };

/* ---- cells --------------------------------------------------------------------------------- */

static const tacho_cell *cell_of(const tacho_table *table, size_t row, tacho_column_id id)
{
    return tacho_table_cell(table, row, tacho_table_column(table, id));
}

static bool is_same(const tacho_table *table, size_t a, size_t b, tacho_column_id id)
{
    const tacho_cell *one = cell_of(table, a, id), *other = cell_of(table, b, id);
    bool is_text = id == TACHO_COL_PHASE || id == TACHO_COL_SIZES;
    if (one->is_absent || other->is_absent) {
        return one->is_absent == other->is_absent;
    }
    return is_text ? tacho_str_equal(one->value.text, other->value.text)
                   : one->value.integer == other->value.integer;
}

static bool varies(const tacho_table *table, tacho_column_id id)
{
    bool is_found = false;
    for (size_t row = 1; row < tacho_table_row_count(table); row++) {
        is_found = is_found || !is_same(table, 0, row, id);
    }
    return is_found;
}

/* A number of a chart; 0: absent. */
static double number_of(const tacho_table *table, size_t row, tacho_column_id id)
{
    const tacho_cell *cell = cell_of(table, row, id);
    bool is_real = id == TACHO_COL_TOKENS_PER_S || id == TACHO_COL_INFERENCES_PER_S;
    if (cell->is_absent) {
        return 0;
    }
    double value = is_real ? cell->value.real : (double)cell->value.integer;
    return id == TACHO_COL_TIME_NS ? value / 1e6 : value;
}

static void write_escaped(tacho_output *output, tacho_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.data[i];
        const char *entity = byte == '&'   ? "&amp;"
                             : byte == '<' ? "&lt;"
                             : byte == '>' ? "&gt;"
                                           : NULL;
        if (entity != NULL) {
            tacho_output_write_cstring(output, entity);
        } else {
            tacho_output_write(output, &byte, 1);
        }
    }
}

/* ---- a chart ------------------------------------------------------------------------------- */

typedef struct chart {
    const tacho_table *table;
    size_t first; /* row of its phase */
    tacho_column_id x, y, curve;
    double left, right, bottom, top; /* logarithms */
} chart;

static bool is_in(const chart *self, size_t row)
{
    return is_same(self->table, self->first, row, TACHO_COL_PHASE) &&
           number_of(self->table, row, self->y) > 0;
}

static double x_of(const chart *self, size_t row)
{
    double value = self->x == TACHO_COL_OTHER ? (double)(row + 1)
                                              : fmax(number_of(self->table, row, self->x), 1);
    double span = self->right - self->left;
    return LEFT + (span > 0 ? (log10(value) - self->left) / span : 0.5) * WIDTH;
}

static double y_of(const chart *self, double power)
{
    return TOP + (self->top - power) / (self->top - self->bottom) * HEIGHT;
}

/* Finds the ends of both axes; false for an empty chart. */
static bool find_axes(chart *self)
{
    self->left = self->bottom = HUGE_VAL;
    self->right = self->top = -HUGE_VAL;
    for (size_t row = 0; row < tacho_table_row_count(self->table); row++) {
        if (is_in(self, row)) {
            double x = self->x == TACHO_COL_OTHER ? (double)(row + 1)
                                                  : fmax(number_of(self->table, row, self->x), 1);
            double y = log10(number_of(self->table, row, self->y));
            self->left = fmin(self->left, log10(x));
            self->right = fmax(self->right, log10(x));
            self->bottom = fmin(self->bottom, floor(y));
            self->top = fmax(self->top, ceil(y));
        }
    }
    self->top = self->top > self->bottom ? self->top : self->bottom + 1;
    return isfinite(self->bottom);
}

static void write_axes(const chart *self, tacho_output *output)
{
    int step = (int)tacho_whole_i64(ceil((self->top - self->bottom) / 10));
    for (int power = (int)tacho_whole_i64(self->bottom); power <= (int)tacho_whole_i64(self->top);
         power += step > 0 ? step : 1) {
        double y = y_of(self, power);
        tacho_output_printf(output,
                            "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ddd\"/>"
                            "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                            LEFT, y, LEFT + WIDTH, y, LEFT - 8, y + 4, pow(10, power));
    }
    for (size_t row = 0; self->x != TACHO_COL_OTHER && row < tacho_table_row_count(self->table);
         row++) {
        bool is_new = is_in(self, row);
        for (size_t other = 0; is_new && other < row; other++) {
            is_new = !is_in(self, other) || !is_same(self->table, row, other, self->x);
        }
        if (is_new) {
            tacho_output_printf(output,
                                "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" "
                                "stroke=\"#eee\"/><text x=\"%.1f\" y=\"%d\" "
                                "text-anchor=\"middle\">%.0f</text>\n",
                                x_of(self, row), TOP, x_of(self, row), TOP + HEIGHT,
                                x_of(self, row), TOP + HEIGHT + 18,
                                number_of(self->table, row, self->x));
        }
    }
}

static bool is_of_curve(const chart *self, size_t row, size_t first)
{
    return is_in(self, row) && is_same(self->table, row, first, TACHO_COL_SIZES) &&
           (self->curve == TACHO_COL_OTHER || is_same(self->table, row, first, self->curve));
}

/* Draws the points of one curve with a line through them, and its name after the last point. */
static void write_curve(const chart *self, size_t first, size_t number, tacho_output *output)
{
    const char *colour = colours[number % COLOURS];
    size_t last = first;
    tacho_output_printf(
        output, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour);
    for (size_t row = first; row < tacho_table_row_count(self->table); row++) {
        if (is_of_curve(self, row, first)) {
            double value = number_of(self->table, row, self->y);
            tacho_output_printf(output, "%.1f,%.1f ", x_of(self, row), y_of(self, log10(value)));
            last = row;
        }
    }
    tacho_output_write_cstring(output, "\"/>\n");
    for (size_t row = first; row < tacho_table_row_count(self->table); row++) {
        if (is_of_curve(self, row, first)) {
            double value = number_of(self->table, row, self->y);
            tacho_output_printf(output,
                                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"><title>%.6g"
                                "</title></circle>\n",
                                x_of(self, row), y_of(self, log10(value)), colour, value);
        }
    }
    double value = number_of(self->table, last, self->y);
    tacho_output_printf(output, "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">", x_of(self, last) + 8,
                        y_of(self, log10(value)) + 4, colour);
    if (self->curve != TACHO_COL_OTHER && !cell_of(self->table, last, self->curve)->is_absent) {
        tacho_output_printf(output, "%s %.0f ", self->curve == TACHO_COL_BATCH ? "batch" : "seq",
                            number_of(self->table, last, self->curve));
    }
    if (!cell_of(self->table, last, TACHO_COL_SIZES)->is_absent) {
        write_escaped(output, cell_of(self->table, last, TACHO_COL_SIZES)->value.text);
    }
    tacho_output_write_cstring(output, "</text>\n");
}

static void write_chart(chart *self, const char *what, tacho_output *output)
{
    if (!find_axes(self)) {
        return;
    }
    const char *under = self->x == TACHO_COL_SEQUENCE ? "tokens"
                        : self->x == TACHO_COL_BATCH  ? "batch"
                                                      : "point";
    tacho_output_printf(output,
                        "<svg viewBox=\"0 0 %d %d\" width=\"%d\" font-family=\"sans-serif\" "
                        "font-size=\"12\">\n<text x=\"%d\" y=\"22\" font-size=\"15\">",
                        LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM, LEFT + WIDTH + RIGHT, LEFT);
    write_escaped(output, cell_of(self->table, self->first, TACHO_COL_PHASE)->value.text);
    tacho_output_printf(output,
                        ": %s</text>\n<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                        what, LEFT + WIDTH / 2, TOP + HEIGHT + 40, under);
    write_axes(self, output);
    size_t count = 0;
    for (size_t row = 0; row < tacho_table_row_count(self->table) && count < CURVES_MAX; row++) {
        bool is_first = is_in(self, row);
        for (size_t other = 0; is_first && other < row; other++) {
            is_first = !is_of_curve(self, other, row);
        }
        if (is_first) {
            write_curve(self, row, count++, output);
        }
    }
    tacho_output_write_cstring(output, "</svg>\n");
}

static void write_charts(const tacho_table *table, tacho_output *output)
{
    bool has_lengths = varies(table, TACHO_COL_SEQUENCE),
         has_batches = varies(table, TACHO_COL_BATCH);
    for (size_t row = 0; row < tacho_table_row_count(table); row++) {
        bool is_new = true;
        for (size_t other = 0; is_new && other < row; other++) {
            is_new = !is_same(table, row, other, TACHO_COL_PHASE);
        }
        chart self = {
            .table = table,
            .first = row,
            .x = has_lengths   ? TACHO_COL_SEQUENCE
                 : has_batches ? TACHO_COL_BATCH
                               : TACHO_COL_OTHER,
            .curve = has_lengths ? TACHO_COL_BATCH : TACHO_COL_OTHER,
        };
        bool has_tokens = number_of(table, row, TACHO_COL_TOKENS_PER_S) > 0;
        self.y = has_tokens ? TACHO_COL_TOKENS_PER_S : TACHO_COL_INFERENCES_PER_S;
        if (is_new) {
            write_chart(&self, has_tokens ? "tokens per second" : "inferences per second", output);
            self.y = TACHO_COL_TIME_NS;
            write_chart(&self, "time in milliseconds", output);
        }
    }
}

/* ---- the page ------------------------------------------------------------------------------ */

static tacho_status write_rows(const tacho_table *table, tacho_output *output)
{
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status = TACHO_OK;
    for (size_t row = 0; status == TACHO_OK && row < tacho_table_row_count(table); row++) {
        tacho_output_write_cstring(output, "<tr>");
        for (size_t i = 0; status == TACHO_OK && i < table->column_count; i++) {
            const tacho_cell *cell = tacho_table_cell(table, row, i);
            tacho_str text = TACHO_STR("");
            bool is_text = table->columns[i].type == TACHO_COLUMN_TEXT;
            status = cell->is_absent
                         ? TACHO_OK
                         : tacho_table_cell_text(cell, table->columns[i].type, &arena, &text);
            tacho_output_write_cstring(output, is_text ? "<td class=\"t\">" : "<td>");
            write_escaped(output, text);
            tacho_output_write_cstring(output, "</td>");
        }
        tacho_output_write_cstring(output, "</tr>\n");
    }
    tacho_arena_deinit(&arena);
    return status;
}

static tacho_status write_page(const tacho_table *table, size_t index, tacho_output *output)
{
    (void)index;
    tacho_output_write_cstring(
        output, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                "<meta name=\"generator\" content=\"tacho compile\"><title>Sweep</title>\n"
                "<style>body{font-family:sans-serif;margin:2em;color:#222;background:#fff}"
                "table{border-collapse:collapse;font-size:13px}"
                "th,td{border:1px solid #ddd;padding:3px 8px;text-align:right}"
                ".t{text-align:left}th{background:#f4f4f4}</style></head>\n<body><h1>Sweep</h1>\n"
                "<p>Estimates of a compiler, not measurements.</p>\n");
    write_charts(table, output);
    tacho_output_write_cstring(output, "<table><thead><tr>");
    for (size_t i = 0; i < table->column_count; i++) {
        tacho_output_write_cstring(output, "<th>");
        write_escaped(output, tacho_str_from_cstring(table->columns[i].title));
        tacho_output_write_cstring(output, "</th>");
    }
    tacho_output_write_cstring(output, "</tr></thead><tbody>\n");
    TACHO_TRY(write_rows(table, output));
    tacho_output_write_cstring(output, "</tbody></table>\n</body></html>\n");
    return TACHO_OK;
}

const tacho_table_sink tacho_table_sink_sweep_page = {
    .name = "html",
    .title = "a page with the curves of a sweep",
    .suffix = ".html",
    .write = write_page,
};
