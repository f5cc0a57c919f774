/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One block per model:
 *
 *       Model: add
 *       ────────────────────────────────────────────────────
 *       OVERALL                         191.000µs
 *       Dma                              57.000µs  (29.84%)
 *
 * A line of = names the kind of profile that follows; every block ends with an empty line.
 */
#include "sinks/overview_text.h"

#include "base/color.h"
#include "base/utf8.h"
#include "profile/vocabulary.h"

#include <inttypes.h>
#include <stdio.h>

enum { TITLE_WIDTH = 68, RULE_WIDTH = 52, LABEL_WIDTH = 26, VALUE_WIDTH = 14 };

/* Indices of the columns used. */
typedef struct overview_columns {
    size_t file;
    size_t model;
    size_t origin;
    size_t metric;
    size_t label;
    size_t time;
    size_t cycles;
    size_t percent;
} overview_columns;

static overview_columns find_columns(const tacho_table *table)
{
    return (overview_columns){
        .file = tacho_table_column(table, TACHO_COL_FILE),
        .model = tacho_table_column(table, TACHO_COL_MODEL),
        .origin = tacho_table_column(table, TACHO_COL_ORIGIN),
        .metric = tacho_table_column(table, TACHO_COL_METRIC),
        .label = tacho_table_column(table, TACHO_COL_LABEL),
        .time = tacho_table_column(table, TACHO_COL_TIME_NS),
        .cycles = tacho_table_column(table, TACHO_COL_CYCLES),
        .percent = tacho_table_column(table, TACHO_COL_PERCENT),
    };
}

static bool is_same_text(const tacho_table *table, size_t row, size_t other, size_t column)
{
    return tacho_str_equal(tacho_table_cell(table, row, column)->value.text,
                           tacho_table_cell(table, other, column)->value.text);
}

static void write_repeated(tacho_output *output, const char *text, size_t count)
{
    while (count-- > 0) {
        tacho_output_write_cstring(output, text);
    }
}

/* Whether the table has a title of its own; its parts are then not models. */
static bool has_title(const tacho_table *table)
{
    return strcmp(table->title, TACHO_OVERVIEW_TITLE_DEVICE) == 0 ||
           strcmp(table->title, TACHO_OVERVIEW_TITLE_HOST) == 0;
}

static void write_title(const tacho_table *table, tacho_str origin, tacho_output *output)
{
    const char *title = "Profile Overview";
    if (has_title(table)) {
        title = table->title;
    } else if (tacho_str_equal(origin, TACHO_STR("measured"))) {
        title = "Host Profile Overview";
    } else if (tacho_str_equal(origin, TACHO_STR("estimated"))) {
        title = "Compile Profile Overview";
    } else if (tacho_str_equal(origin, TACHO_STR("simulated"))) {
        title = "Simulated Profile Overview";
    }
    size_t fill = TITLE_WIDTH - strlen(title) - 2;
    tacho_output_paint(output, TACHO_COLOR_BOLD);
    write_repeated(output, "=", fill / 2);
    tacho_output_printf(output, " %s ", title);
    write_repeated(output, "=", fill - fill / 2);
    tacho_output_paint(output, TACHO_COLOR_END);
    tacho_output_write(output, "\n", 1);
}

static tacho_status write_model(const char *kind, tacho_str model, tacho_output *output)
{
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_str printable;
    tacho_status status = tacho_utf8_printable(model, &arena, &printable);
    if (status == TACHO_OK) {
        tacho_output_printf(output, "  %s", kind);
        tacho_output_write_str(output, printable);
        tacho_output_write_cstring(output, "\n  ");
        write_repeated(output, "\u2500", RULE_WIDTH);
        tacho_output_write(output, "\n", 1);
    }
    tacho_arena_deinit(&arena);
    return status;
}

/* Three decimals, rounded like printf: the text is compared with that of other tools. */
static void format_time(int64_t ns, bool is_wall_time, char *text, size_t size)
{
    double value = (double)ns;
    if (ns >= 1000000000) {
        snprintf(text, size, "%.3fs", value / 1e9);
    } else if (ns >= 1000000 || is_wall_time) {
        snprintf(text, size, "%.3fms", value / 1e6);
    } else if (ns >= 1000) {
        snprintf(text, size, "%.3f\u00b5s", value / 1e3);
    } else {
        snprintf(text, size, "%" PRId64 "ns", ns);
    }
}

/* The row with the origin of the times of its block: the wall time is always measured. */
static size_t kind_row(const tacho_table *table, const overview_columns *columns, size_t row)
{
    tacho_str metric = tacho_table_cell(table, row, columns->metric)->value.text;
    bool has_next = row + 1 < tacho_table_row_count(table);
    return has_next && tacho_str_equal(metric, TACHO_STR("WALL_TIME")) &&
                   is_same_text(table, row, row + 1, columns->file)
               ? row + 1
               : row;
}

/* Whether the row is the wall time of a simulated run: the only real time in its block. */
static bool is_host_time(const tacho_table *table, const overview_columns *columns, size_t row)
{
    size_t kind = kind_row(table, columns, row);
    return kind != row &&
           tacho_str_equal(tacho_table_cell(table, kind, columns->origin)->value.text,
                           TACHO_STR("simulated"));
}

static void write_metric(const tacho_table *table, const overview_columns *columns, size_t row,
                         tacho_output *output)
{
    tacho_str metric = tacho_table_cell(table, row, columns->metric)->value.text;
    tacho_str label = tacho_table_cell(table, row, columns->label)->value.text;
    if (is_host_time(table, columns, row)) {
        label = TACHO_STR("WALL_TIME (this computer)");
    }
    const tacho_cell *time = tacho_table_cell(table, row, columns->time);
    const tacho_cell *percent = tacho_table_cell(table, row, columns->percent);
    char value[48];
    if (time->is_absent) {
        snprintf(value, sizeof(value), "%" PRId64 " cycles",
                 tacho_table_cell(table, row, columns->cycles)->value.integer);
    } else {
        format_time(time->value.integer, tacho_str_equal(metric, TACHO_STR("WALL_TIME")), value,
                    sizeof(value));
    }
    size_t width = tacho_utf8_width(tacho_str_from_cstring(value));
    tacho_output_printf(output, "  %-*.*s ", LABEL_WIDTH, TACHO_STR_ARG(label));
    write_repeated(output, " ", width < VALUE_WIDTH ? VALUE_WIDTH - width : 0);
    tacho_output_write_cstring(output, value);
    if (!percent->is_absent) {
        tacho_output_printf(output, "  (%.2f%%)", percent->value.real);
    }
    tacho_output_write(output, "\n", 1);
}

static bool is_same_kind(const tacho_table *table, const overview_columns *columns, size_t row,
                         size_t other)
{
    return is_same_text(table, kind_row(table, columns, row), kind_row(table, columns, other),
                        columns->origin);
}

static tacho_status overview_write(const tacho_table *table, size_t index, tacho_output *output)
{
    if (strcmp(table->name, "overview") != 0) {
        return tacho_table_sink_text.write(table, index, output);
    }
    overview_columns columns = find_columns(table);
    tacho_output_write_cstring(output, index > 0 ? "\n" : "");
    size_t row_count = tacho_table_row_count(table);
    for (size_t row = 0; row < row_count; row++) {
        bool is_new_kind = row == 0 || !is_same_kind(table, &columns, row, row - 1);
        if (is_new_kind) {
            size_t kind = kind_row(table, &columns, row);
            write_title(table, tacho_table_cell(table, kind, columns.origin)->value.text, output);
        }
        if (is_new_kind || !is_same_text(table, row, row - 1, columns.file)) {
            TACHO_TRY(write_model(has_title(table) ? "" : "Model: ",
                                  tacho_table_cell(table, row, columns.model)->value.text, output));
        }
        write_metric(table, &columns, row, output);
        if (row + 1 == row_count || !is_same_kind(table, &columns, row, row + 1) ||
            !is_same_text(table, row, row + 1, columns.file)) {
            tacho_output_write(output, "\n", 1);
        }
    }
    return TACHO_OK;
}

const tacho_table_sink tacho_table_sink_overview = {
    .name = "text",
    .title = "one block of metrics per model, for people",
    .suffix = ".txt",
    .write = overview_write,
};
