/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building tables cell by cell.
 */
#include "table/table.h"

#include "base/grow.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void tacho_table_init(tacho_table *table, const char *name, const char *title,
                      const tacho_column *columns, size_t column_count)
{
    assert(column_count > 0);
    *table = (tacho_table){
        .name = name, .title = title, .columns = columns, .column_count = column_count};
    tacho_arena_init(&table->arena);
}

static tacho_status copy_text(tacho_table *table, const char **text)
{
    tacho_str copy;
    TACHO_TRY(tacho_arena_copy(&table->arena, tacho_str_from_cstring(*text), &copy));
    *text = copy.data;
    return TACHO_OK;
}

tacho_status tacho_table_init_owned(tacho_table *table, const char *name, const char *title,
                                    const tacho_column *columns, size_t column_count)
{
    tacho_table_init(table, name, title, columns, column_count);
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&table->arena, column_count * sizeof(*columns), &memory));
    tacho_column *own = memory;
    for (size_t i = 0; i < column_count; i++) {
        own[i] = columns[i];
        TACHO_TRY(own[i].name != NULL ? copy_text(table, &own[i].name) : TACHO_OK);
        TACHO_TRY(copy_text(table, &own[i].title));
    }
    table->columns = own;
    return TACHO_OK;
}

void tacho_table_deinit(tacho_table *table)
{
    free(table->cells);
    tacho_arena_deinit(&table->arena);
    *table = (tacho_table){0};
}

void tacho_table_clear(tacho_table *table)
{
    table->cell_count = 0;
    table->next_column = 0;
    tacho_arena_reset(&table->arena);
}

size_t tacho_table_column(const tacho_table *table, tacho_column_id id)
{
    size_t i = 0;
    while (i < table->column_count && table->columns[i].id != id) {
        i++;
    }
    assert(i < table->column_count && "not a column of this table");
    return i;
}

/* The type that the next cell must have. */
static tacho_column_type next_type(const tacho_table *table)
{
    return table->columns[table->next_column].type;
}

/* Room for the next cell. Its members are set one by one, for a copy would wait for the stores. */
static inline tacho_status make_room(tacho_table *table)
{
    return TACHO_LIKELY(table->cell_count < table->cell_capacity)
               ? TACHO_OK
               : tacho_grow(&table->cells, &table->cell_capacity, table->cell_count + 1);
}

static inline tacho_cell *take_cell(tacho_table *table)
{
    size_t next = table->next_column + 1;
    table->next_column = next < table->column_count ? next : 0;
    tacho_cell *cell = &table->cells[table->cell_count++];
    cell->mark = TACHO_MARK_NONE;
    return cell;
}

tacho_status tacho_table_add_text(tacho_table *table, tacho_str text)
{
    tacho_str copy;
    TACHO_TRY(tacho_arena_copy(&table->arena, text, &copy));
    return tacho_table_add_lasting_text(table, copy);
}

tacho_status tacho_table_add_lasting_text(tacho_table *table, tacho_str text)
{
    assert(next_type(table) == TACHO_COLUMN_TEXT || next_type(table) == TACHO_COLUMN_PICTURE);
    TACHO_TRY(make_room(table));
    tacho_cell *cell = take_cell(table);
    cell->is_absent = false;
    cell->value.text = text;
    return TACHO_OK;
}

static inline tacho_status add_integer(tacho_table *table, int64_t value)
{
    TACHO_TRY(make_room(table));
    tacho_cell *cell = take_cell(table);
    cell->is_absent = false;
    cell->value.integer = value;
    return TACHO_OK;
}

tacho_status tacho_table_add_flag(tacho_table *table, bool value)
{
    assert(next_type(table) == TACHO_COLUMN_FLAG);
    return add_integer(table, value);
}

tacho_status tacho_table_add_int(tacho_table *table, int64_t value)
{
    assert(next_type(table) == TACHO_COLUMN_INT || next_type(table) == TACHO_COLUMN_DURATION);
    return add_integer(table, value);
}

tacho_status tacho_table_add_real(tacho_table *table, double value)
{
    assert(next_type(table) == TACHO_COLUMN_REAL || next_type(table) == TACHO_COLUMN_PERCENT);
    TACHO_TRY(make_room(table));
    tacho_cell *cell = take_cell(table);
    cell->is_absent = false;
    cell->value.real = value;
    return TACHO_OK;
}

tacho_status tacho_table_add_absent(tacho_table *table)
{
    TACHO_TRY(make_room(table));
    tacho_cell *cell = take_cell(table);
    *cell = (tacho_cell){.is_absent = true};
    return TACHO_OK;
}

void tacho_table_mark(tacho_table *table, tacho_mark mark)
{
    table->cells[table->cell_count - 1].mark = (uint8_t)mark;
}

tacho_status tacho_table_add_property(tacho_table *table, const char *what, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(what)));
    return tacho_table_add_text(table, tacho_str_from_cstring(text));
}
