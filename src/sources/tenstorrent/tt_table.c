/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of named columns, filled line by line.
 */
#include "sources/tenstorrent/tt_table.h"

#include "base/grow.h"
#include "base/strings.h"
#include "codec/csv.h"
#include "codec/json_number.h"

#include <stdlib.h>

static const char *const column_names[TACHO_TT_COLUMN_COUNT] = {
#define TT_NAME(name, text) [TACHO_TT_##name] = (text),
    TACHO_TT_COLUMNS(TT_NAME)
#undef TT_NAME
};

const char *tt_column_name(tacho_tt_column column)
{
    return column_names[column];
}

void tt_table_init(tt_table *table)
{
    *table = (tt_table){.names = NULL};
    tacho_arena_init(&table->arena);
    tacho_arena_init(&table->scratch);
    for (size_t i = 0; i < TACHO_TT_COLUMN_COUNT; i++) {
        table->known[i] = TT_NO_COLUMN;
    }
}

void tt_table_deinit(tt_table *table)
{
    free(table->cells);
    free(table->lines);
    tacho_arena_deinit(&table->arena);
    tacho_arena_deinit(&table->scratch);
}

size_t tt_table_find(const tt_table *table, const char *name)
{
    tacho_str wanted = tacho_str_from_cstring(name);
    for (size_t i = 0; i < table->column_count; i++) {
        if (tacho_str_equal(table->names[i], wanted)) {
            return i;
        }
    }
    return TT_NO_COLUMN;
}

/* |field| of |line|, which lives as long as the table; a field with quotes undone is a copy. */
static tacho_status keep_field(tt_table *table, tacho_str line, tacho_str field, tacho_str *out)
{
    *out = tacho_str_trim(field);
    bool is_inside = field.data >= line.data && field.data <= line.data + line.len;
    return is_inside || out->len == 0 ? TACHO_OK : tacho_arena_copy(&table->arena, *out, out);
}

/* Splits |line| into |record|; |*line| becomes a copy that lives as long as the table. */
static tacho_status split(tt_table *table, tacho_str *line, tacho_csv_record *out_record)
{
    tacho_arena_reset(&table->scratch);
    TACHO_TRY(tacho_arena_copy(&table->arena, *line, line));
    return tacho_csv_read_quoted(*line, ',', &table->scratch, out_record);
}

/* Marks repeated names. Empty names do not count as repeated. */
static tacho_status mark_repeated(tt_table *table)
{
    tacho_strings names;
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&table->arena, table->column_count * sizeof(bool), &memory));
    table->is_repeated = memory;
    tacho_status status = tacho_strings_init(&names);
    for (size_t i = 0; i < table->column_count && status == TACHO_OK; i++) {
        size_t known_count = names.item_count;
        uint32_t id = 0;
        status = tacho_strings_ensure(&names, table->names[i], &id);
        table->is_repeated[i] = table->names[i].len > 0 && names.item_count == known_count;
    }
    tacho_strings_deinit(&names);
    return status;
}

tacho_status tt_table_set_header(tt_table *table, tacho_str line)
{
    tacho_csv_record record;
    TACHO_TRY(split(table, &line, &record));
    if (record.field_count > TT_COLUMNS_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "a header of more than %d columns", TT_COLUMNS_MAX);
    }
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&table->arena, record.field_count * sizeof(tacho_str), &memory));
    table->names = memory;
    table->column_count = record.field_count;
    for (size_t i = 0; i < record.field_count; i++) {
        TACHO_TRY(keep_field(table, line, record.fields[i], &table->names[i]));
    }
    for (size_t i = 0; i < TACHO_TT_COLUMN_COUNT; i++) {
        table->known[i] = tt_table_find(table, column_names[i]);
    }
    return mark_repeated(table);
}

static tacho_status add_fields(tt_table *table, tacho_str line, const tacho_csv_record *record)
{
    TACHO_TRY(
        tacho_grow(&table->cells, &table->cell_capacity, table->cell_count + table->column_count));
    for (size_t i = 0; i < record->field_count; i++) {
        TACHO_TRY(keep_field(table, line, record->fields[i], &table->cells[table->cell_count + i]));
    }
    table->cell_count += record->field_count;
    return TACHO_OK;
}

tacho_status tt_table_add_line(tt_table *table, tacho_str line, uint64_t line_number,
                               bool *out_is_good)
{
    tacho_csv_record record;
    tacho_status status = split(table, &line, &record);
    *out_is_good = status == TACHO_OK && record.field_count == table->column_count;
    if (!*out_is_good) {
        return tacho_status_forgive_data(status);
    }
    TACHO_TRY(tacho_grow(&table->lines, &table->line_capacity, table->row_count + 1));
    TACHO_TRY(add_fields(table, line, &record));
    table->lines[table->row_count++] = line_number;
    return TACHO_OK;
}

bool tt_table_int(const tt_table *table, size_t row, tacho_tt_column column, int64_t *out_value)
{
    return tacho_json_number_i64(tt_table_cell(table, row, column), out_value);
}

bool tt_table_rounded(const tt_table *table, size_t row, tacho_tt_column column, int64_t *out_value)
{
    return tacho_json_number_scaled(tt_table_cell(table, row, column), 0, out_value);
}
