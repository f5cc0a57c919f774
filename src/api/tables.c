/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public face of tables.
 */
#include "api/tables.h"

#include "api/entry.h"
#include "base/grow.h"
#include "sinks/overview_text.h"
#include "sinks/table_sink.h"

#include <math.h>
#include <stdlib.h>

typedef struct table_entry {
    tacho_table table;
    const char *input; /* in the table's arena, or NULL */
} table_entry;

struct tacho_tables {
    table_entry *items;
    size_t item_count, item_capacity;
};

/* ---- making them ---------------------------------------------------------------------------- */

tacho_status tacho_tables_check_place(tacho_tables **out_tables)
{
    if (out_tables == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "tables need a place for their handle");
    }
    *out_tables = NULL;
    return TACHO_OK;
}

tacho_status tacho_tables_create(tacho_tables **out_tables)
{
    *out_tables = calloc(1, sizeof(**out_tables));
    return *out_tables != NULL ? TACHO_OK : tacho_no_memory();
}

void tacho_tables_free(tacho_tables *tables)
{
    if (tables == NULL) {
        return;
    }
    for (size_t i = 0; i < tables->item_count; i++) {
        tacho_table_deinit(&tables->items[i].table);
    }
    free(tables->items);
    free(tables);
}

static tacho_status copy_text(tacho_table *to, const char **text)
{
    tacho_str copy;
    TACHO_TRY(tacho_arena_copy(&to->arena, tacho_str_from_cstring(*text), &copy));
    *text = copy.data;
    return TACHO_OK;
}

static tacho_status copy_value(tacho_table *to, const tacho_cell *cell, tacho_column_type type)
{
    if (cell->is_absent) {
        return tacho_table_add_absent(to);
    }
    switch (type) {
    case TACHO_COLUMN_TEXT:
    case TACHO_COLUMN_PICTURE:
        return tacho_table_add_text(to, cell->value.text);
    case TACHO_COLUMN_INT:
    case TACHO_COLUMN_DURATION:
        return tacho_table_add_int(to, cell->value.integer);
    case TACHO_COLUMN_FLAG:
        return tacho_table_add_flag(to, cell->value.integer != 0);
    case TACHO_COLUMN_REAL:
    case TACHO_COLUMN_PERCENT:
        break;
    }
    return tacho_table_add_real(to, cell->value.real);
}

static tacho_status copy_cell(tacho_table *to, const tacho_cell *cell, tacho_column_type type)
{
    TACHO_TRY(copy_value(to, cell, type));
    tacho_table_mark(to, (tacho_mark)cell->mark);
    return TACHO_OK;
}

static tacho_status copy_table(table_entry *to, const tacho_table *from, const char *input)
{
    tacho_table *table = &to->table;
    TACHO_TRY(
        tacho_table_init_owned(table, from->name, from->title, from->columns, from->column_count));
    TACHO_TRY(copy_text(table, &table->name));
    TACHO_TRY(copy_text(table, &table->title));
    table->kept = from->kept; /* constants */
    table->whole = from->whole;
    table->shows_unused = from->shows_unused;
    table->is_of_several = from->is_of_several;
    table->shows_empty = from->shows_empty;
    if (input != NULL) {
        TACHO_TRY(copy_text(table, &input));
        to->input = input;
    }
    for (size_t i = 0; i < from->cell_count; i++) {
        TACHO_TRY(copy_cell(table, &from->cells[i], from->columns[i % from->column_count].type));
    }
    return TACHO_OK;
}

/* Adds a copy of |table|, about |input| (NULL: all inputs). */
static tacho_status tables_add_copy(tacho_tables *tables, const tacho_table *table,
                                    const char *input)
{
    TACHO_TRY(tacho_grow(&tables->items, &tables->item_capacity, tables->item_count + 1));
    table_entry *entry = &tables->items[tables->item_count++];
    *entry = (table_entry){.input = NULL};
    return copy_table(entry, table, input);
}

tacho_status tacho_tables_add(tacho_tables *tables, tacho_status status, tacho_table *table,
                              const char *input)
{
    if (status == TACHO_OK) {
        status = tables_add_copy(tables, table, input);
    }
    tacho_table_deinit(table);
    return status;
}

static tacho_status add_taken(void *self, const tacho_table *table)
{
    const tacho_tables_target *target = self;
    return target->omits_empty && table->cell_count == 0
               ? TACHO_OK
               : tables_add_copy(target->tables, table, target->input);
}

tacho_table_taker tacho_tables_taker(tacho_tables_target *target)
{
    return (tacho_table_taker){add_taken, target};
}

tacho_status tacho_tables_finish(tacho_tables *tables, tacho_status status,
                                 tacho_tables **out_tables)
{
    if (status != TACHO_OK) {
        tacho_tables_free(tables);
        tables = NULL;
    }
    *out_tables = tables;
    return status;
}

/* ---- reading them --------------------------------------------------------------------------- */

static const table_entry *find_entry(const tacho_tables *tables, size_t table)
{
    return tables != NULL && table < tables->item_count ? &tables->items[table] : NULL;
}

size_t tacho_tables_count(const tacho_tables *tables)
{
    return tables != NULL ? tables->item_count : 0;
}

bool tacho_tables_get(const tacho_tables *tables, size_t table, tacho_table_view *out_table)
{
    const table_entry *entry = find_entry(tables, table);
    if (entry == NULL || out_table == NULL) {
        return false;
    }
    *out_table = (tacho_table_view){
        .id = entry->table.name,
        .title = entry->table.title,
        .input = entry->input,
        .row_count = tacho_table_row_count(&entry->table),
        .column_count = entry->table.column_count,
    };
    return true;
}

size_t tacho_tables_find(const tacho_tables *tables, const char *id)
{
    for (size_t i = 0; id != NULL && i < tacho_tables_count(tables); i++) {
        if (strcmp(tables->items[i].table.name, id) == 0) {
            return i;
        }
    }
    return TACHO_TABLES_NONE;
}

static tacho_cell_type type_of(tacho_column_type type)
{
    switch (type) {
    case TACHO_COLUMN_TEXT:
    case TACHO_COLUMN_PICTURE:
        return TACHO_CELL_TEXT;
    case TACHO_COLUMN_INT:
    case TACHO_COLUMN_DURATION:
        return TACHO_CELL_INT;
    case TACHO_COLUMN_FLAG:
        return TACHO_CELL_BOOL;
    case TACHO_COLUMN_REAL:
    case TACHO_COLUMN_PERCENT:
        break;
    }
    return TACHO_CELL_REAL;
}

bool tacho_tables_column(const tacho_tables *tables, size_t table, size_t column,
                         tacho_column_view *out_column)
{
    const table_entry *entry = find_entry(tables, table);
    if (entry == NULL || out_column == NULL || column >= entry->table.column_count) {
        return false;
    }
    const tacho_column *found = &entry->table.columns[column];
    *out_column = (tacho_column_view){
        .id = tacho_column_name(found),
        .title = found->title,
        .type = type_of(found->type),
        .unit = tacho_column_unit_name(tacho_column_unit_of(found)),
    };
    return true;
}

size_t tacho_tables_find_column(const tacho_tables *tables, size_t table, const char *id)
{
    const table_entry *entry = find_entry(tables, table);
    for (size_t i = 0; entry != NULL && id != NULL && i < entry->table.column_count; i++) {
        if (strcmp(tacho_column_name(&entry->table.columns[i]), id) == 0) {
            return i;
        }
    }
    return TACHO_TABLES_NONE;
}

bool tacho_tables_cell(const tacho_tables *tables, size_t table, size_t row, size_t column,
                       tacho_cell_view *out_cell)
{
    const table_entry *entry = find_entry(tables, table);
    if (entry == NULL || out_cell == NULL || column >= entry->table.column_count ||
        row >= tacho_table_row_count(&entry->table)) {
        return false;
    }
    const tacho_cell *cell = tacho_table_cell(&entry->table, row, column);
    tacho_column_type type = entry->table.columns[column].type;
    *out_cell = (tacho_cell_view){.type = cell->is_absent ? TACHO_CELL_ABSENT : type_of(type)};
    switch (out_cell->type) {
    case TACHO_CELL_INT:
        out_cell->as_int = cell->value.integer;
        break;
    case TACHO_CELL_REAL:
        out_cell->as_real = cell->value.real;
        break;
    case TACHO_CELL_BOOL:
        out_cell->as_bool = cell->value.integer != 0;
        break;
    case TACHO_CELL_TEXT:
        out_cell->text = cell->value.text.len > 0 ? cell->value.text.data : "";
        out_cell->text_len = cell->value.text.len;
        break;
    case TACHO_CELL_ABSENT:
        break;
    }
    return true;
}

static void copy_cut(tacho_str from, char *text, size_t text_bytes)
{
    if (text == NULL || text_bytes == 0) {
        return;
    }
    size_t len = from.len < text_bytes - 1 ? from.len : text_bytes - 1;
    memcpy(text, from.data, len);
    text[len] = '\0';
}

size_t tacho_tables_cell_text(const tacho_tables *tables, size_t table, size_t row, size_t column,
                              char *text, size_t text_bytes)
{
    const table_entry *entry = find_entry(tables, table);
    tacho_str whole = TACHO_STR("");
    tacho_arena arena;
    if (entry == NULL || column >= entry->table.column_count ||
        row >= tacho_table_row_count(&entry->table) ||
        tacho_table_cell(&entry->table, row, column)->is_absent) {
        copy_cut(whole, text, text_bytes);
        return 0;
    }
    tacho_entry locale = tacho_entry_begin();
    tacho_arena_init(&arena);
    tacho_status status = tacho_table_cell_text(tacho_table_cell(&entry->table, row, column),
                                                entry->table.columns[column].type, &arena, &whole);
    copy_cut(whole, text, text_bytes);
    size_t len = status == TACHO_OK ? whole.len : 0;
    tacho_status_free(status);
    tacho_arena_deinit(&arena);
    tacho_entry_end(locale);
    return len;
}

/* Members of |cells| that are wanted, of row |at|. */
static void set_cell(const tacho_column_cells *cells, size_t at, const tacho_cell_view *cell)
{
    bool is_whole = cell->type == TACHO_CELL_INT || cell->type == TACHO_CELL_BOOL;
    int64_t whole = cell->type == TACHO_CELL_BOOL ? (cell->as_bool ? 1 : 0) : cell->as_int;
    if (cells->as_int != NULL) {
        cells->as_int[at] = is_whole ? whole : 0;
    }
    if (cells->as_real != NULL) {
        cells->as_real[at] = is_whole                        ? (double)whole
                             : cell->type == TACHO_CELL_REAL ? cell->as_real
                                                             : (double)NAN;
    }
    if (cells->text != NULL) {
        cells->text[at] = cell->text;
    }
    if (cells->is_present != NULL) {
        cells->is_present[at] = cell->type != TACHO_CELL_ABSENT;
    }
}

size_t tacho_tables_read_column(const tacho_tables *tables, size_t table, size_t column,
                                size_t count, const tacho_column_cells *cells)
{
    size_t filled = 0;
    tacho_cell_view cell;
    if (cells == NULL) {
        return 0;
    }
    for (size_t i = 0; i < sizeof(cells->reserved) / sizeof(cells->reserved[0]); i++) {
        if (cells->reserved[i] != NULL) {
            return 0;
        }
    }
    while (filled < count && tacho_tables_cell(tables, table, filled, column, &cell)) {
        set_cell(cells, filled++, &cell);
    }
    return filled;
}

/* ---- writing them --------------------------------------------------------------------------- */

/* The layout of a vendor that is for one table alone. */
static const tacho_table_sink *find_sink(const char *path, const char *format)
{
    if (format != NULL && strcmp(format, "overview") == 0) {
        return &tacho_table_sink_overview;
    }
    return format != NULL ? tacho_table_sink_find(tacho_str_from_cstring(format))
                          : tacho_table_sink_find_for_path(tacho_str_from_cstring(path));
}

static bool takes(const tacho_table_sink *sink, const tacho_table *table)
{
    return sink != &tacho_table_sink_overview || strcmp(table->name, "overview") == 0;
}

static tacho_status add_all(void *user, tacho_table_report *report)
{
    const tacho_tables *tables = user;
    for (size_t i = 0; i < tables->item_count; i++) {
        const tacho_table *table = &tables->items[i].table;
        bool is_shown = table->cell_count > 0 || table->shows_empty;
        if (is_shown && takes(report->sink, table)) {
            TACHO_TRY(tacho_table_report_add(report, table));
        }
    }
    return TACHO_OK;
}

tacho_status tacho_tables_write(const tacho_tables *tables, const char *path, const char *format)
{
    if (tables == NULL || path == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "%s (NULL)",
                          tables == NULL ? "no tables given" : "no output file given");
    }
    const tacho_table_sink *sink = find_sink(path, format);
    if (sink == NULL) {
        char names[TACHO_TABLE_SINK_NAMES_BYTES];
        tacho_table_sink_names(names);
        return tacho_fail(TACHO_CODE_USAGE, "unknown table format or suffix: '%s'; use one of: %s",
                          format != NULL ? format : path, names);
    }
    const tacho_table_target to = {.sink = sink, .path = path};
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = tacho_table_report_write(&to, add_all, (void *)(uintptr_t)tables);
    tacho_entry_end(entry);
    return status;
}
