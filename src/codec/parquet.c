/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of a group are kept by column; at its end each column becomes a chunk of at most two
 * pages, a dictionary and the data. The footer's facts of chunks are kept until the end.
 */
#include "codec/parquet_state.h"

#include "base/grow.h"

#include <assert.h>
#include <stdlib.h>

enum { STATISTICS_TEXT_MAX = 64 }; /* longer texts get no bounds: readers cut them */

/* ---- values ---------------------------------------------------------------------------------- */

static tacho_status write_group(tacho_parquet *writer);

/* The column that is next; a group that is full is written first. */
static tacho_status begin_value(tacho_parquet *writer, bool is_there,
                                tacho_parquet_values **out_column)
{
    if (writer->next_column == 0 && writer->row_count == TACHO_PARQUET_GROUP_ROWS) {
        TACHO_TRY(write_group(writer));
    }
    tacho_parquet_values *self = &writer->columns[writer->next_column];
    TACHO_TRY(tacho_grow(&self->levels, &self->level_capacity, self->level_count + 1));
    self->levels[self->level_count++] = is_there;
    writer->next_column++;
    if (writer->next_column == writer->column_count) {
        writer->next_column = 0;
        writer->row_count++;
    }
    *out_column = self;
    return TACHO_OK;
}

tacho_status tacho_parquet_add_null(tacho_parquet *writer)
{
    tacho_parquet_values *self = NULL;
    return begin_value(writer, false, &self);
}

tacho_status tacho_parquet_add_int(tacho_parquet *writer, int64_t value)
{
    tacho_parquet_values *self = NULL;
    TACHO_TRY(begin_value(writer, true, &self));
    assert(self->facts.type == TACHO_PARQUET_INT);
    TACHO_TRY(tacho_grow(&self->of.integers, &self->value_capacity, self->value_count + 1));
    self->of.integers[self->value_count++] = value;
    return TACHO_OK;
}

tacho_status tacho_parquet_add_real(tacho_parquet *writer, double value)
{
    tacho_parquet_values *self = NULL;
    TACHO_TRY(begin_value(writer, true, &self));
    assert(self->facts.type == TACHO_PARQUET_REAL);
    TACHO_TRY(tacho_grow(&self->of.reals, &self->value_capacity, self->value_count + 1));
    self->of.reals[self->value_count++] = value;
    return TACHO_OK;
}

static tacho_status add_index(tacho_parquet_values *self, uint32_t index)
{
    TACHO_TRY(tacho_grow(&self->of.indexes, &self->value_capacity, self->value_count + 1));
    self->of.indexes[self->value_count++] = index;
    return TACHO_OK;
}

tacho_status tacho_parquet_add_bool(tacho_parquet *writer, bool value)
{
    tacho_parquet_values *self = NULL;
    TACHO_TRY(begin_value(writer, true, &self));
    assert(self->facts.type == TACHO_PARQUET_BOOL);
    return add_index(self, value);
}

static tacho_status add_to_dictionary(tacho_parquet_values *self, uint32_t key, tacho_str text)
{
    TACHO_TRY(
        tacho_grow(&self->dictionary, &self->dictionary_capacity, self->dictionary_count + 1));
    TACHO_TRY(tacho_number_map_set(&self->keys, key, self->dictionary_count));
    self->dictionary[self->dictionary_count++] = text;
    return TACHO_OK;
}

/* Whether it is that of the value before: most columns change seldom. */
static bool is_last_key(const tacho_parquet_values *self, uint32_t key)
{
    return self->dictionary_count > 0 && self->last_key == key;
}

tacho_status tacho_parquet_add_key(tacho_parquet *writer, uint32_t key, tacho_str text)
{
    tacho_parquet_values *self = NULL;
    TACHO_TRY(begin_value(writer, true, &self));
    assert(self->facts.type == TACHO_PARQUET_TEXT && self->texts.len == 0);
    self->has_keys = true;
    if (!is_last_key(self, key)) {
        const uint64_t *known = tacho_number_map_find(&self->keys, key);
        self->last_index = known != NULL ? (uint32_t)*known : (uint32_t)self->dictionary_count;
        self->last_key = key;
        if (known == NULL) {
            TACHO_TRY(add_to_dictionary(self, key, text));
        }
    }
    return add_index(self, self->last_index);
}

bool tacho_parquet_has_key(const tacho_parquet *writer, uint32_t key)
{
    bool is_full = writer->next_column == 0 && writer->row_count == TACHO_PARQUET_GROUP_ROWS;
    const tacho_parquet_values *self = &writer->columns[writer->next_column];
    return !is_full && (is_last_key(self, key) || tacho_number_map_find(&self->keys, key) != NULL);
}

tacho_status tacho_parquet_add_plain_text(tacho_str text, tacho_parquet_buffer *to)
{
    if (text.len > INT32_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "a text of %zu bytes does not fit a Parquet file",
                          text.len);
    }
    uint32_t len = (uint32_t)text.len;
    TACHO_TRY(tacho_parquet_buffer_add(to, &len, sizeof(len)));
    return tacho_parquet_buffer_add(to, text.data, text.len);
}

tacho_status tacho_parquet_add_text(tacho_parquet *writer, tacho_str text)
{
    tacho_parquet_values *self = NULL;
    TACHO_TRY(begin_value(writer, true, &self));
    assert(self->facts.type == TACHO_PARQUET_TEXT && !self->has_keys);
    self->value_count++;
    return tacho_parquet_add_plain_text(text, &self->texts);
}

tacho_status tacho_parquet_add_fact(tacho_parquet *writer, const char *key, tacho_str value)
{
    TACHO_TRY(tacho_grow(&writer->facts, &writer->fact_capacity, writer->fact_count + 1));
    tacho_parquet_fact *made = &writer->facts[writer->fact_count];
    TACHO_TRY(tacho_arena_copy(&writer->arena, tacho_str_from_cstring(key), &made->key));
    TACHO_TRY(tacho_arena_copy(&writer->arena, value, &made->value));
    writer->fact_count++;
    return TACHO_OK;
}

/* ---- bounds ---------------------------------------------------------------------------------- */

static tacho_status keep_bound(tacho_parquet *writer, const void *value, size_t len,
                               tacho_str *out_bound)
{
    return tacho_arena_copy(&writer->arena, tacho_str_make(value, len), out_bound);
}

static tacho_status bound_integers(tacho_parquet *writer, const tacho_parquet_values *self,
                                   tacho_parquet_chunk *made)
{
    int64_t bounds[2] = {self->of.integers[0], self->of.integers[0]};
    for (size_t i = 1; i < self->value_count; i++) {
        int64_t value = self->of.integers[i];
        bounds[0] = value < bounds[0] ? value : bounds[0];
        bounds[1] = value > bounds[1] ? value : bounds[1];
    }
    made->has_bounds = true;
    TACHO_TRY(keep_bound(writer, &bounds[0], sizeof(bounds[0]), &made->bounds[0]));
    return keep_bound(writer, &bounds[1], sizeof(bounds[1]), &made->bounds[1]);
}

/* Of texts with keys: the dictionary has them all. */
static tacho_status bound_texts(tacho_parquet *writer, const tacho_parquet_values *self,
                                tacho_parquet_chunk *made)
{
    tacho_str least = self->dictionary[0], most = self->dictionary[0];
    for (size_t i = 1; i < self->dictionary_count; i++) {
        tacho_str text = self->dictionary[i];
        least = tacho_str_compare(text, least) < 0 ? text : least;
        most = tacho_str_compare(text, most) > 0 ? text : most;
    }
    made->has_bounds = least.len <= STATISTICS_TEXT_MAX && most.len <= STATISTICS_TEXT_MAX;
    TACHO_TRY(keep_bound(writer, least.data, least.len, &made->bounds[0]));
    return keep_bound(writer, most.data, most.len, &made->bounds[1]);
}

/* Numbers that are not finite, texts without keys and flags go without. */
static tacho_status find_bounds(tacho_parquet *writer, const tacho_parquet_values *self,
                                tacho_parquet_chunk *made)
{
    if (self->value_count == 0) {
        return TACHO_OK;
    }
    if (self->facts.type == TACHO_PARQUET_INT) {
        return bound_integers(writer, self, made);
    }
    return self->has_keys ? bound_texts(writer, self, made) : TACHO_OK;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static void clear_column(tacho_parquet_values *self)
{
    self->level_count = 0;
    self->value_count = 0;
    self->texts.len = 0;
    self->dictionary_count = 0;
    self->has_keys = false;
    tacho_number_map_clear(&self->keys);
}

static tacho_status write_chunk(tacho_parquet *writer, tacho_parquet_values *self,
                                tacho_parquet_chunk *made)
{
    *made = (tacho_parquet_chunk){
        .dictionary_at = -1,
        .value_count = (int64_t)self->level_count,
        .null_count = (int64_t)(self->level_count - self->value_count),
    };
    TACHO_TRY(find_bounds(writer, self, made));
    TACHO_TRY(tacho_parquet_write_pages(writer, self, made));
    clear_column(self);
    return TACHO_OK;
}

static tacho_status write_group(tacho_parquet *writer)
{
    void *chunks = NULL;
    TACHO_TRY(tacho_grow(&writer->groups, &writer->group_capacity, writer->group_count + 1));
    TACHO_TRY(tacho_arena_alloc(&writer->arena, writer->column_count * sizeof(tacho_parquet_chunk),
                                &chunks));
    tacho_parquet_group *made = &writer->groups[writer->group_count];
    *made = (tacho_parquet_group){.row_count = (int64_t)writer->row_count, .chunks = chunks};
    for (size_t i = 0; i < writer->column_count; i++) {
        TACHO_TRY(write_chunk(writer, &writer->columns[i], &made->chunks[i]));
        made->byte_count += made->chunks[i].plain_bytes;
    }
    writer->total_rows += made->row_count;
    writer->group_count++;
    writer->row_count = 0;
    return tacho_output_failed(writer->output) ? tacho_output_take_failure(writer->output)
                                               : TACHO_OK;
}

tacho_status tacho_parquet_finish(tacho_parquet *writer)
{
    if (writer->row_count > 0) {
        TACHO_TRY(write_group(writer));
    }
    return tacho_parquet_write_footer(writer);
}

/* ---- the writer ------------------------------------------------------------------------------ */

tacho_status tacho_parquet_open(tacho_parquet **out_writer, tacho_output *output,
                                const tacho_parquet_column *columns, size_t column_count)
{
    tacho_parquet *writer = calloc(1, sizeof(*writer));
    *out_writer = NULL;
    if (writer == NULL) {
        return tacho_no_memory();
    }
    tacho_arena_init(&writer->arena);
    writer->output = output;
    writer->start = tacho_output_offset(output);
    writer->column_count = column_count;
    writer->zstd = ZSTD_createCCtx();
    tacho_status status =
        writer->zstd != NULL ? tacho_items_make(&writer->columns, column_count) : tacho_no_memory();
    if (status != TACHO_OK) {
        writer->column_count = 0;
        tacho_parquet_close(writer);
        return status;
    }
    for (size_t i = 0; i < column_count; i++) {
        writer->columns[i].facts = columns[i];
    }
    tacho_output_write_cstring(output, "PAR1");
    *out_writer = writer;
    return TACHO_OK;
}

static void close_column(tacho_parquet_values *self)
{
    free(self->levels);
    free(self->of.integers);
    free(self->dictionary);
    tacho_parquet_buffer_deinit(&self->texts);
    tacho_number_map_deinit(&self->keys);
}

void tacho_parquet_close(tacho_parquet *writer)
{
    if (writer == NULL) {
        return;
    }
    for (size_t i = 0; i < writer->column_count; i++) {
        close_column(&writer->columns[i]);
    }
    free(writer->columns);
    free(writer->groups);
    free(writer->facts);
    tacho_parquet_buffer_deinit(&writer->page);
    tacho_parquet_buffer_deinit(&writer->packed);
    tacho_parquet_buffer_deinit(&writer->dictionary.packed);
    tacho_parquet_buffer_deinit(&writer->data.packed);
    tacho_number_map_deinit(&writer->numbers);
    free(writer->distinct);
    free(writer->indexes);
    tacho_thrift_deinit(&writer->thrift);
    tacho_arena_deinit(&writer->arena);
    ZSTD_freeCCtx(writer->zstd);
    free(writer);
}
