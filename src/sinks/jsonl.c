/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables as JSON lines: one object per row, which names its table and the version of the schema.
 */
#include "codec/json.h"
#include "sinks/table_sink.h"

#include <inttypes.h>

static void write_cell(const tacho_cell *cell, tacho_column_type type, tacho_output *output)
{
    if (cell->is_absent) {
        tacho_output_write_str(output, TACHO_STR("null"));
        return;
    }
    switch (type) {
    case TACHO_COLUMN_TEXT:
        tacho_json_write_string(output, cell->value.text);
        break;
    case TACHO_COLUMN_INT:
    case TACHO_COLUMN_DURATION:
        tacho_output_printf(output, "%" PRId64, cell->value.integer);
        break;
    case TACHO_COLUMN_REAL:
        tacho_json_write_real(output, cell->value.real);
        break;
    case TACHO_COLUMN_PERCENT:
        tacho_output_printf(output, "%.2f", cell->value.real);
        break;
    case TACHO_COLUMN_FLAG:
        tacho_output_write_cstring(output, cell->value.integer != 0 ? "true" : "false");
        break;
    case TACHO_COLUMN_PICTURE:
        break;
    }
}

static tacho_status jsonl_append(const tacho_table *table, tacho_output *output)
{
    for (size_t row = 0; row < tacho_table_row_count(table); row++) {
        tacho_output_printf(output, "{\"schema_version\":%d,\"table\":\"%s\"",
                            TACHO_TABLE_SCHEMA_VERSION, table->name);
        for (size_t column = 0; column < table->column_count; column++) {
            if (table->columns[column].type == TACHO_COLUMN_PICTURE) {
                continue;
            }
            tacho_output_write(output, ",", 1);
            tacho_json_write_string(
                output, tacho_str_from_cstring(tacho_column_name(&table->columns[column])));
            tacho_output_write(output, ":", 1);
            write_cell(tacho_table_cell(table, row, column), table->columns[column].type, output);
        }
        tacho_output_write(output, "}\n", 2);
    }
    return TACHO_OK;
}

static tacho_status jsonl_write(const tacho_table *table, size_t index, tacho_output *output)
{
    (void)index;
    return jsonl_append(table, output);
}

const tacho_table_sink tacho_table_sink_jsonl = {
    .name = "json",
    .title = "JSON lines, one object per row, durations in ns",
    .suffix = ".json",
    .write = jsonl_write,
    .append = jsonl_append,
};
