/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The roofline as a picture of characters: operations per second over operations per byte, both on
 * logarithmic axes. Slopes are memory, level lines arithmetic; letters are points.
 */
#include "estimates/roofline/roofline.h"
#include "estimates/roofline/roofline_tables.h"
#include "base/whole.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 66, HEIGHT = 20, MARK_COUNT = 52, MARGIN = 10, ROW_BYTES = MARGIN + WIDTH + 16 };

typedef struct plot {
    double left, right, bottom, top; /* powers of ten */
    char cells[HEIGHT][WIDTH];
} plot;

/* ---- points ------------------------------------------------------------------------------ */

static bool is_drawn(const tacho_roof_point *point)
{
    return tacho_roof_point_rate(point) > 0 && tacho_roof_point_intensity(point) > 0;
}

char tacho_roof_plot_mark(const tacho_roofline *line, size_t place)
{
    static const char marks[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t number = 0;
    if (!is_drawn(&line->points[place])) {
        return ' ';
    }
    for (size_t i = 0; i < place && number < MARK_COUNT; i++) {
        number += is_drawn(&line->points[i]) ? 1 : 0;
    }
    return (char)(number < MARK_COUNT ? marks[number] : ' ');
}

/* ---- axes -------------------------------------------------------------------------------- */

static void stretch(double *low, double *high, double value)
{
    double power = log10(value);
    *low = floor(power) < *low ? floor(power) : *low;
    *high = ceil(power) > *high ? ceil(power) : *high;
}

/* Maximum powers of ten of an axis; a longer one is cut at its low end. */
static const double powers_max = 12;

static bool find_axes(plot *self, const tacho_roofline *line, uint32_t roof,
                      const tacho_roof_ceiling *ceilings, size_t ceiling_count)
{
    double shared = tacho_roof_memory_rate(&line->roofs[roof], TACHO_ROOF_SHARED);
    bool has_points = false;
    self->left = self->bottom = (double)INFINITY;
    self->right = self->top = -(double)INFINITY;
    for (size_t i = 0; i < line->point_count; i++) {
        const tacho_roof_point *point = &line->points[i];
        if (point->roof == roof && is_drawn(point)) {
            has_points = true;
            stretch(&self->left, &self->right, tacho_roof_point_intensity(point));
            stretch(&self->bottom, &self->top, tacho_roof_point_rate(point));
        }
    }
    for (size_t i = 0; i < ceiling_count && has_points; i++) {
        if (ceilings[i].roof == roof) {
            stretch(&self->bottom, &self->top, ceilings[i].rate);
            if (shared > 0) {
                stretch(&self->left, &self->right, ceilings[i].rate / shared);
            }
        }
    }
    self->right += self->right <= self->left ? 1 : 0;
    self->top += self->top <= self->bottom ? 1 : 0;
    self->left = fmax(self->left, self->right - powers_max);
    self->bottom = fmax(self->bottom, self->top - powers_max);
    return has_points;
}

static int column_of(const plot *self, double power)
{
    double place = (power - self->left) / (self->right - self->left) * (WIDTH - 1);
    return place < 0 ? 0 : (place > WIDTH - 1 ? WIDTH - 1 : (int)tacho_whole_i64(place + 0.5));
}

/* The row, counted from the top; outside of the plot for powers above or below it. */
static int row_of(const plot *self, double power)
{
    double place = (self->top - power) / (self->top - self->bottom) * (HEIGHT - 1);
    return place < -0.5 ? -1 : (place > HEIGHT ? HEIGHT : (int)tacho_whole_i64(floor(place + 0.5)));
}

static void put(plot *self, int row, int column, char mark)
{
    if (row >= 0 && row < HEIGHT) {
        self->cells[row][column] = mark;
    }
}

static double power_of_column(const plot *self, int column)
{
    return self->left + (self->right - self->left) * (double)column / (WIDTH - 1);
}

/* ---- lines and letters --------------------------------------------------------------------- */

static void draw_roof(plot *self, const tacho_roof *roof, const tacho_roof_ceiling *ceilings,
                      size_t ceiling_count)
{
    double shared = tacho_roof_memory_rate(roof, TACHO_ROOF_SHARED);
    double highest = 0;
    for (size_t i = 0; i < ceiling_count; i++) {
        highest = fmax(highest, ceilings[i].rate);
        for (int column = 0; column < WIDTH; column++) {
            double at = power_of_column(self, column);
            bool is_level = shared <= 0 || at + log10(shared) >= log10(ceilings[i].rate);
            if (is_level) {
                put(self, row_of(self, log10(ceilings[i].rate)), column, '-');
            }
        }
    }
    for (int column = 0; column < WIDTH && shared > 0; column++) {
        double power = power_of_column(self, column) + log10(shared);
        if (highest <= 0 || power < log10(highest)) {
            put(self, row_of(self, power), column, '/');
        }
    }
}

/* Earlier points stay on top. */
static void draw_points(plot *self, const tacho_roofline *line, uint32_t roof)
{
    for (size_t i = line->point_count; i > 0; i--) {
        const tacho_roof_point *point = &line->points[i - 1];
        if (point->roof == roof && is_drawn(point)) {
            char mark = tacho_roof_plot_mark(line, i - 1);
            put(self, row_of(self, log10(tacho_roof_point_rate(point))),
                column_of(self, log10(tacho_roof_point_intensity(point))),
                (char)(mark != ' ' ? mark : '.'));
        }
    }
}

/* ---- text -------------------------------------------------------------------------------- */

/* "100 G" for 1e11; empty without such a prefix. */
static void print_power(int power, char *text, size_t size)
{
    static const char prefixes[] = " kMGTPE";
    static const char *const digits[] = {"1", "10", "100"};
    text[0] = '\0';
    if (power >= 0 && power / 3 < (int)sizeof(prefixes) - 1) {
        snprintf(text, size, "%s %c", digits[power % 3], prefixes[power / 3]);
    }
}

static tacho_status add_row(const plot *self, int row, tacho_table *table)
{
    char label[16] = "";
    char text[ROW_BYTES];
    double span = self->top - self->bottom;
    for (int power = (int)tacho_whole_i64(self->bottom); power <= (int)tacho_whole_i64(self->top);
         power++) {
        if ((int)tacho_whole_i64(floor((self->top - power) / span * (HEIGHT - 1) + 0.5)) == row) {
            print_power(power, label, sizeof(label));
        }
    }
    size_t width = WIDTH;
    while (width > 0 && self->cells[row][width - 1] == ' ') {
        width--;
    }
    int len =
        snprintf(text, sizeof(text), "%*s |%.*s", MARGIN - 2, label, (int)width, self->cells[row]);
    return tacho_table_add_text(table, tacho_str_make(text, (size_t)len));
}

/* Powers of ten below the axis, as many as there is room for. */
static tacho_status add_axis(const plot *self, tacho_table *table)
{
    char line[ROW_BYTES];
    char labels[ROW_BYTES];
    memset(line, '-', sizeof(line));
    memset(labels, ' ', sizeof(labels));
    memset(line, ' ', MARGIN - 1);
    line[MARGIN - 1] = '+';
    int free_from = 0;
    for (int power = (int)tacho_whole_i64(self->left); power <= (int)tacho_whole_i64(self->right);
         power++) {
        char label[16];
        int column = MARGIN + column_of(self, power);
        int len = power >= -3 && power <= 4 ? snprintf(label, sizeof(label), "%g", pow(10, power))
                                            : snprintf(label, sizeof(label), "1e%d", power);
        if (column >= free_from && column + len < ROW_BYTES) {
            line[column] = '+';
            memcpy(labels + column, label, (size_t)len);
            free_from = column + len + 2;
        }
    }
    TACHO_TRY(tacho_table_add_text(table, tacho_str_make(line, MARGIN + WIDTH)));
    size_t width = ROW_BYTES;
    while (width > 0 && labels[width - 1] == ' ') {
        width--;
    }
    return tacho_table_add_text(table, tacho_str_make(labels, width));
}

static tacho_status add_rows(const plot *self, const tacho_roofline *line, uint32_t roof,
                             tacho_table *table)
{
    if (line->roof_count > 1) {
        TACHO_TRY(tacho_table_add_text(table, line->roofs[roof].name));
    }
    for (int row = 0; row < HEIGHT; row++) {
        TACHO_TRY(add_row(self, row, table));
    }
    return add_axis(self, table);
}

tacho_status tacho_roof_plot_table(const tacho_roofline *line, uint32_t roof,
                                   tacho_table *out_table)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(PICTURE, "FLOP/s over FLOP per byte of shared memory", PICTURE)};
    tacho_roof_ceiling *ceilings = NULL;
    size_t ceiling_count = 0;
    plot self;
    memset(self.cells, ' ', sizeof(self.cells));
    tacho_table_init(out_table, "plot", "Plot", columns, sizeof(columns) / sizeof(columns[0]));
    tacho_status status = tacho_roof_used_ceilings(line, &ceilings, &ceiling_count);
    size_t first = 0;
    while (first < ceiling_count && ceilings[first].roof != roof) {
        first++;
    }
    size_t end = first;
    while (end < ceiling_count && ceilings[end].roof == roof) {
        end++;
    }
    if (status == TACHO_OK && find_axes(&self, line, roof, ceilings, ceiling_count)) {
        draw_roof(&self, &line->roofs[roof], ceilings + first, end - first);
        draw_points(&self, line, roof);
        status = add_rows(&self, line, roof, out_table);
    }
    free(ceilings);
    return status;
}
