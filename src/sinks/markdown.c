/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables as Markdown, for comments on a change and summaries of a build: a heading and a table
 * each, cells formatted for reading, numbers to the right. Names originate in files, so every
 * character with a meaning in Markdown or HTML is escaped.
 */
#include "base/utf8.h"
#include "sinks/table_sink.h"

static bool is_number(tacho_column_type type)
{
    return type != TACHO_COLUMN_TEXT && type != TACHO_COLUMN_PICTURE && type != TACHO_COLUMN_FLAG;
}

static void write_escaped(tacho_output *output, tacho_str text)
{
    static const char special[] = "\\`*_{}[]()<>#|~&!@$";
    for (size_t i = 0; i < text.len; i++) {
        bool is_special = memchr(special, text.data[i], sizeof(special) - 1) != NULL;
        tacho_output_write(output, "\\", is_special ? 1 : 0);
        tacho_output_write(output, text.data + i, 1);
    }
}

static void write_heading(const tacho_table *table, tacho_output *output)
{
    tacho_output_write_cstring(output, "|");
    for (size_t i = 0; i < table->column_count; i++) {
        tacho_output_write_cstring(output, " ");
        write_escaped(output, tacho_str_from_cstring(table->columns[i].title));
        tacho_output_write_cstring(output, " |");
    }
    tacho_output_write_cstring(output, "\n|");
    for (size_t i = 0; i < table->column_count; i++) {
        tacho_output_write_cstring(output, is_number(table->columns[i].type) ? "---:|" : "---|");
    }
    tacho_output_write_cstring(output, "\n");
}

static tacho_status write_rows(const tacho_table *table, tacho_output *output)
{
    tacho_status status = TACHO_OK;
    tacho_arena arena;
    tacho_arena_init(&arena);
    for (size_t row = 0; row < tacho_table_row_count(table) && status == TACHO_OK; row++) {
        tacho_output_write_cstring(output, "|");
        for (size_t i = 0; i < table->column_count && status == TACHO_OK; i++) {
            tacho_str text = TACHO_STR("");
            status = tacho_table_cell_text(tacho_table_cell(table, row, i), table->columns[i].type,
                                           &arena, &text);
            tacho_output_write_cstring(output, " ");
            write_escaped(output, text);
            tacho_output_write_cstring(output, " |");
        }
        tacho_output_write_cstring(output, "\n");
        tacho_arena_reset(&arena);
    }
    tacho_arena_deinit(&arena);
    return status;
}

static tacho_status markdown_write(const tacho_table *table, size_t index, tacho_output *output)
{
    tacho_output_write_cstring(output, index > 0 ? "\n### " : "### ");
    write_escaped(output, tacho_str_from_cstring(table->title));
    tacho_output_write_cstring(output, "\n\n");
    write_heading(table, output);
    return write_rows(table, output);
}

const tacho_table_sink tacho_table_sink_markdown = {
    .name = "markdown",
    .title = "tables for comments and summaries on GitHub and GitLab",
    .suffix = ".md",
    .write = markdown_write,
    .append = write_rows,
};
