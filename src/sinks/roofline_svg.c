/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations per second over operations per byte, both on logarithmic axes: memory as slopes,
 * compute as level lines, points with a tooltip. Points above the roof are red. The file is
 * self-contained: without scripts, fonts and style sheets.
 */
#include "sinks/roofline_svg.h"

#include "base/arena.h"
#include "base/grow.h"
#include "base/utf8.h"
#include "base/whole.h"

#include <math.h>
#include <stdlib.h>

enum { LEFT = 80, TOP = 50, WIDTH = 800, HEIGHT = 480, RIGHT = 40, BOTTOM = 60 };

typedef struct ceiling {
    tacho_str machine, name;
    double gflops, gb; /* per second; one of them is 0 */
} ceiling;

typedef struct point {
    tacho_str machine, name, bound;
    double intensity, gflops, percent; /* the last negative if unknown */
    bool is_above;
} point;

typedef struct drawing {
    tacho_arena arena;
    ceiling *ceilings;
    size_t ceiling_count, ceiling_capacity;
    point *points;
    size_t point_count, point_capacity;
    size_t unplaced_count;           /* points without operations or bytes */
    double left, right, bottom, top; /* powers of ten */
} drawing;

/* ---- input tables ------------------------------------------------------------------------ */

static tacho_status open_drawing(void **out_workbook)
{
    drawing *self = calloc(1, sizeof(*self));
    *out_workbook = self;
    if (self == NULL) {
        return tacho_no_memory();
    }
    tacho_arena_init(&self->arena);
    return TACHO_OK;
}

static void close_drawing(void *workbook)
{
    drawing *self = workbook;
    tacho_arena_deinit(&self->arena);
    free(self->ceilings);
    free(self->points);
    free(self);
}

static double real_of(const tacho_table *table, size_t row, tacho_column_id id, double absent)
{
    const tacho_cell *cell = tacho_table_cell(table, row, tacho_table_column(table, id));
    return cell->is_absent ? absent : cell->value.real;
}

static tacho_status text_of(drawing *self, const tacho_table *table, size_t row, tacho_column_id id,
                            tacho_str *out_text)
{
    const tacho_cell *cell = tacho_table_cell(table, row, tacho_table_column(table, id));
    *out_text = TACHO_STR("");
    if (cell->is_absent) {
        return TACHO_OK;
    }
    tacho_str shown;
    TACHO_TRY(tacho_utf8_printable(cell->value.text, &self->arena, &shown));
    return tacho_arena_copy(&self->arena, shown, out_text);
}

static tacho_status add_ceiling(drawing *self, const tacho_table *table, size_t row)
{
    TACHO_TRY(tacho_grow(&self->ceilings, &self->ceiling_capacity, self->ceiling_count + 1));
    ceiling *added = &self->ceilings[self->ceiling_count];
    added->gflops = real_of(table, row, TACHO_COL_GFLOP_PER_S, 0);
    added->gb = real_of(table, row, TACHO_COL_GB_PER_S, 0);
    self->ceiling_count++;
    TACHO_TRY(text_of(self, table, row, TACHO_COL_MACHINE, &added->machine));
    return text_of(self, table, row, TACHO_COL_CEILING, &added->name);
}

static tacho_status add_point(drawing *self, const tacho_table *table, size_t row)
{
    TACHO_TRY(tacho_grow(&self->points, &self->point_capacity, self->point_count + 1));
    point *added = &self->points[self->point_count];
    tacho_str verdict;
    added->intensity = real_of(table, row, TACHO_COL_INTENSITY, 0);
    added->gflops = real_of(table, row, TACHO_COL_GFLOP_PER_S, 0);
    added->percent = real_of(table, row, TACHO_COL_ROOF_PERCENT, -1);
    if (added->intensity <= 0 || added->gflops <= 0) {
        self->unplaced_count++;
        return TACHO_OK;
    }
    self->point_count++;
    TACHO_TRY(text_of(self, table, row, TACHO_COL_MACHINE, &added->machine));
    TACHO_TRY(text_of(self, table, row, TACHO_COL_OPERATOR, &added->name));
    TACHO_TRY(text_of(self, table, row, TACHO_COL_BOUND, &added->bound));
    TACHO_TRY(text_of(self, table, row, TACHO_COL_VERDICT, &verdict));
    added->is_above = tacho_str_equal(verdict, TACHO_STR("above the roof"));
    return TACHO_OK;
}

static tacho_status add_table(void *workbook, const tacho_table *table, size_t index)
{
    drawing *self = workbook;
    (void)index;
    for (size_t row = 0; row < tacho_table_row_count(table); row++) {
        if (strcmp(table->name, "ceilings") == 0) {
            TACHO_TRY(add_ceiling(self, table, row));
        } else if (strcmp(table->name, "roofline") == 0) {
            TACHO_TRY(add_point(self, table, row));
        }
    }
    return TACHO_OK;
}

/* ---- axes -------------------------------------------------------------------------------- */

static void stretch(double *low, double *high, double value)
{
    double power = log10(value);
    *low = floor(power) < *low ? floor(power) : *low;
    *high = ceil(power) > *high ? ceil(power) : *high;
}

/* The rate of the first memory of a machine, which intensities refer to. */
static double shared_rate(const drawing *self, tacho_str machine)
{
    for (size_t i = 0; i < self->ceiling_count; i++) {
        if (self->ceilings[i].gb > 0 && tacho_str_equal(self->ceilings[i].machine, machine)) {
            return self->ceilings[i].gb;
        }
    }
    return 0;
}

static void find_axes(drawing *self)
{
    self->left = self->bottom = 0;
    self->right = self->top = 1;
    for (size_t i = 0; i < self->point_count; i++) {
        stretch(&self->left, &self->right, self->points[i].intensity);
        stretch(&self->bottom, &self->top, self->points[i].gflops);
    }
    for (size_t i = 0; i < self->ceiling_count; i++) {
        double shared = shared_rate(self, self->ceilings[i].machine);
        if (self->ceilings[i].gflops > 0) {
            stretch(&self->bottom, &self->top, self->ceilings[i].gflops);
            if (shared > 0) {
                stretch(&self->left, &self->right, self->ceilings[i].gflops / shared);
            }
        }
    }
}

static double x_of(const drawing *self, double power)
{
    return LEFT + (power - self->left) / (self->right - self->left) * WIDTH;
}

static double y_of(const drawing *self, double power)
{
    return TOP + (self->top - power) / (self->top - self->bottom) * HEIGHT;
}

/* ---- output ------------------------------------------------------------------------------ */

static void write_escaped(tacho_output *output, tacho_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.data[i];
        if (byte == '&') {
            tacho_output_write(output, "&amp;", 5);
        } else if (byte == '<') {
            tacho_output_write(output, "&lt;", 4);
        } else if (byte == '>') {
            tacho_output_write(output, "&gt;", 4);
        } else {
            tacho_output_write(output, &byte, 1);
        }
    }
}

static void write_head(tacho_output *output)
{
    tacho_output_printf(output,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
                        "font-family=\"sans-serif\" font-size=\"12\">\n"
                        "<title>Roofline</title>\n"
                        "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                        LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM);
    tacho_output_printf(output, "<text x=\"%d\" y=\"24\" font-size=\"16\">Roofline</text>\n", LEFT);
    tacho_output_printf(output,
                        "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">FLOP per byte</text>\n",
                        LEFT + WIDTH / 2, TOP + HEIGHT + 44);
    tacho_output_printf(output,
                        "<text transform=\"translate(20 %d) rotate(-90)\" "
                        "text-anchor=\"middle\">GFLOP/s</text>\n",
                        TOP + HEIGHT / 2);
}

/* Step between powers of ten on an axis; larger for a long axis. */
static int tick_step(double low, double high)
{
    return high - low > 12 ? (int)tacho_whole_i64(ceil((high - low) / 12)) : 1;
}

static void write_axes(const drawing *self, tacho_output *output)
{
    int step = tick_step(self->left, self->right);
    for (int power = (int)tacho_whole_i64(self->left); power <= (int)tacho_whole_i64(self->right);
         power += step) {
        double x = x_of(self, power);
        tacho_output_printf(output,
                            "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" "
                            "stroke=\"#ddd\"/><text x=\"%.1f\" y=\"%d\" "
                            "text-anchor=\"middle\">%g</text>\n",
                            x, TOP, x, TOP + HEIGHT, x, TOP + HEIGHT + 18, pow(10, power));
    }
    step = tick_step(self->bottom, self->top);
    for (int power = (int)tacho_whole_i64(self->bottom); power <= (int)tacho_whole_i64(self->top);
         power += step) {
        double y = y_of(self, power);
        tacho_output_printf(output,
                            "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" "
                            "stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" "
                            "text-anchor=\"end\">%g</text>\n",
                            LEFT, y, LEFT + WIDTH, y, LEFT - 8, y + 4, pow(10, power));
    }
}

static double highest_rate(const drawing *self, tacho_str machine)
{
    double highest = 0;
    for (size_t i = 0; i < self->ceiling_count; i++) {
        bool is_its = tacho_str_equal(self->ceilings[i].machine, machine);
        highest = fmax(highest, is_its ? self->ceilings[i].gflops : 0);
    }
    return highest;
}

/* Writes the machine of a ceiling or a point, if there are several machines. */
static void write_machine(const drawing *self, tacho_str machine, tacho_output *output)
{
    for (size_t i = 0; i < self->ceiling_count; i++) {
        if (!tacho_str_equal(self->ceilings[i].machine, machine)) {
            write_escaped(output, machine);
            tacho_output_write(output, " ", 1);
            return;
        }
    }
}

/* Whether two ceilings share one line. */
static bool is_same_line(const ceiling *a, const ceiling *b)
{
    return tacho_str_equal(a->machine, b->machine) &&
           fabs(a->gflops - b->gflops) <= b->gflops * 1e-9;
}

/* Draws a slope from the left edge, or the bottom, to the highest ceiling. */
static void write_memory(const drawing *self, const ceiling *memory, tacho_output *output)
{
    double rate = log10(memory->gb);
    double highest = highest_rate(self, memory->machine);
    double end = fmin(highest > 0 ? log10(highest) - rate : self->right, self->right);
    double start = fmax(self->left, self->bottom - rate);
    if (start >= end) {
        return;
    }
    tacho_output_printf(output,
                        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#06c\" "
                        "stroke-width=\"2\"/><text x=\"%.1f\" y=\"%.1f\" fill=\"#06c\">",
                        x_of(self, start), y_of(self, start + rate), x_of(self, end),
                        y_of(self, end + rate), x_of(self, start + (end - start) / 4) + 12,
                        y_of(self, start + rate + (end - start) / 4) + 8);
    write_machine(self, memory->machine, output);
    write_escaped(output, memory->name);
    tacho_output_printf(output, " %.6g GB/s</text>\n", memory->gb);
}

/* Draws a level line from where memory is fast enough; ceilings of one rate share it. */
static void write_compute(const drawing *self, size_t index, tacho_output *output)
{
    const ceiling *of = &self->ceilings[index];
    double gflops = of->gflops;
    double shared = shared_rate(self, of->machine);
    double start = fmax(shared > 0 ? log10(gflops / shared) : self->left, self->left);
    double y = y_of(self, log10(gflops));
    for (size_t i = 0; i < index; i++) {
        if (is_same_line(&self->ceilings[i], of)) {
            return;
        }
    }
    tacho_output_printf(output,
                        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#080\" "
                        "stroke-width=\"2\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" "
                        "fill=\"#080\">",
                        x_of(self, start), y, LEFT + WIDTH, y, LEFT + WIDTH - 4, y - 5);
    write_machine(self, of->machine, output);
    write_escaped(output, of->name);
    for (size_t i = index + 1; i < self->ceiling_count; i++) {
        if (is_same_line(&self->ceilings[i], of)) {
            tacho_output_write(output, ", ", 2);
            write_escaped(output, self->ceilings[i].name);
        }
    }
    tacho_output_printf(output, " %.6g GFLOP/s</text>\n", gflops);
}

static void write_point(const drawing *self, const point *of, tacho_output *output)
{
    tacho_output_printf(output,
                        "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"%s\" fill-opacity=\"0.7\">"
                        "<title>",
                        x_of(self, log10(of->intensity)), y_of(self, log10(of->gflops)),
                        of->is_above ? "#d00" : "#444");
    write_machine(self, of->machine, output);
    write_escaped(output, of->name);
    tacho_output_printf(output, ": %.4g GFLOP/s at %.4g FLOP/B", of->gflops, of->intensity);
    if (of->percent >= 0) {
        tacho_output_printf(output, ", %.2f %% of the roof, bound: ", of->percent);
        write_escaped(output, of->bound);
    }
    tacho_output_printf(output, "%s</title></circle>\n", of->is_above ? ", above the roof" : "");
}

static tacho_status write_drawing(void *workbook, tacho_output *output)
{
    drawing *self = workbook;
    find_axes(self);
    write_head(output);
    write_axes(self, output);
    for (size_t i = 0; i < self->ceiling_count; i++) {
        if (self->ceilings[i].gb > 0) {
            write_memory(self, &self->ceilings[i], output);
        } else if (self->ceilings[i].gflops > 0) {
            write_compute(self, i, output);
        }
    }
    for (size_t i = self->point_count; i > 0; i--) {
        write_point(self, &self->points[i - 1], output);
    }
    if (self->unplaced_count > 0) {
        tacho_output_printf(output,
                            "<text x=\"%d\" y=\"24\" text-anchor=\"end\">%zu not drawn: no "
                            "operations or no bytes of shared memory</text>\n",
                            LEFT + WIDTH, self->unplaced_count);
    }
    tacho_output_printf(output, "</svg>\n");
    return TACHO_OK;
}

static const tacho_workbook_vtable drawing_vtable = {
    .open = open_drawing,
    .add = add_table,
    .write = write_drawing,
    .close = close_drawing,
};

const tacho_table_sink tacho_table_sink_roofline_svg = {
    .name = "svg",
    .title = "a drawing of the roofline",
    .suffix = ".svg",
    .workbook = &drawing_vtable,
};
